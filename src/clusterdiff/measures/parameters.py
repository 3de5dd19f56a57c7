"""What the parameters of measures may be: said in the signature of a measure, checked when a parameter is set."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any, TypeAlias, get_args

from clusterdiff.errors import MeasureError, nearest


@dataclass(frozen=True)
class Allowed:
    """What a parameter may be, in words and as a test; ``words`` are those that it may be, if there are such."""

    what: str
    accepts: Callable[[Any], bool]
    hint: str | None = None
    words: tuple[str, ...] = ()

    def check(self, name: str, value: object) -> None:
        """Raise an error that names the parameter, unless it may be ``value``."""
        if not self.accepts(value):
            close = nearest(value, self.words) if isinstance(value, str) and self.words else None
            raise MeasureError.must(name, f"be {self.what}", value, close or self.hint)


MOST: Any = sys.float_info.max  # compared with whole numbers of any size


def is_number(value: Any) -> bool:
    """Whether it is a number that a double can hold."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(abs(value) <= MOST)


def one_of(words: tuple[str, ...]) -> Allowed:
    """One of some words."""
    return Allowed(f"one of {', '.join(words)}", lambda x: isinstance(x, str) and x in words, words=words)


#: How much more recall counts than precision.
Beta: TypeAlias = Annotated[
    float,
    Allowed("a number above 0", lambda x: is_number(x) and x > 0, "2 weighs recall more, 0.5 precision."),
]
NotNegative: TypeAlias = Annotated[
    float, Allowed("a number of at least 0", lambda x: is_number(x) and x >= 0)
]
Share: TypeAlias = Annotated[float, Allowed("a number from 0 to 1", lambda x: is_number(x) and 0 <= x <= 1)]
#: The base of a logarithm; None for nats.
Base: TypeAlias = Annotated[
    float | None,
    Allowed(
        "a number above 0 other than 1",
        lambda x: x is None or (is_number(x) and x > 0 and x != 1),
        "2 gives bits.",
    ),
]


def allowed(function: Callable[..., Any]) -> dict[str, Allowed]:
    """What the parameters of a function may be, as far as its signature says so."""
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except NameError:  # a user's own annotations may name what only type checkers know
        return {}
    said = ((p.name, rule) for p in parameters for rule in get_args(p.annotation))
    return {name: rule for name, rule in said if isinstance(rule, Allowed)}


def check_parameters(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Raise an error for the first parameter that the function cannot take."""
    rules = allowed(function)
    for name, value in values.items():
        if name in rules:
            rules[name].check(name, value)
