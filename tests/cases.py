"""Many cases in one test, where a test for each would take pytest longer than the cases take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def cases(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable[..., None]], Any]:
    """As ``pytest.mark.parametrize``, but for one test: whoever reads of a failure reads which case it was.

    The cases share what fixtures give them. Several decorators are loops within each other.
    """
    single = isinstance(names, str) and "," not in names
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    every = [(value,) if single else tuple(value) for value in values]
    assert every, f"no cases of {keys}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def all_cases(**fixtures: Any) -> None:
            for case in every:
                named = dict(zip(keys, case, strict=True))
                try:
                    test(**fixtures, **named)
                except BaseException as error:
                    error.add_note(
                        "in the case " + ", ".join(f"{key}={value!r}" for key, value in named.items())
                    )
                    raise

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        assert len(kept) == len(signature.parameters) - len(keys), f"{test.__name__} does not take {keys}"
        all_cases.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_cases

    return decorate
