"""Every exception of the package: what was wrong, and a hint that says what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ClusterdiffError(Exception):
    """Base of all errors raised on purpose; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message


class LabelError(ClusterdiffError, ValueError):
    """A clustering that cannot be read, or two that do not fit together."""


def changed() -> LabelError:
    """What to raise where labels were not the same any more when they were looked at again."""
    return LabelError(
        "labels changed while they were being read.",
        "wait for the thread that writes to them, or pass a copy.",
    )


class ArgumentError(ClusterdiffError, ValueError):
    """An argument other than the clusterings: weights, features, distances or an option."""


class MeasureError(ClusterdiffError, ValueError):
    """An unknown measure, a wrong parameter, or a measure that lacks what it needs."""


class PatchError(ClusterdiffError, ValueError):
    """A patch that cannot be read, or does not fit the clustering it is applied to."""


class FileError(ClusterdiffError, ValueError):
    """A file that cannot be read as a clustering."""


class EngineError(ClusterdiffError, RuntimeError):
    """An engine that stopped: out of disk or memory, a lost cluster, tables that changed while they were read."""


class ClusterdiffWarning(UserWarning):
    """A notice: the numbers are right, but they may not mean what one thinks. Also in ``notices`` of the result."""


class MissingExtraError(ClusterdiffError, ImportError):
    """An optional library that is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed.",
            f"pip install 'clusterdiff[{extra}]'",
        )


def listed(items: Iterable[object], total: int | None = None, limit: int = 5) -> str:
    """The first few of ``items`` as text, and how many more there are.

    >>> listed(range(7))
    '0, 1, 2, 3, 4 and 2 more'
    """
    shown: list[str] = []
    count = 0
    for item in items:
        if count < limit:
            shown.append(repr(item.item() if hasattr(item, "item") else item))
        count += 1
        if total is not None and count >= limit:
            break
    more = (total if total is not None else count) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def positions(at: Iterable[object], total: int) -> str:
    """Where something was found, by the first few positions and how many more there are.

    >>> positions([3], 1), positions([0, 1, 2, 3, 4], 7)
    ('at position 3', 'at positions 0, 1, 2, 3, 4 and 2 more')
    """
    return f"at position{'' if total == 1 else 's'} {listed(at, total)}"


def one_of(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise an ArgumentError unless ``value`` is one of ``choices``."""
    choices = list(choices)
    if value not in choices:
        expected = ", ".join(f'"{c}"' for c in choices)
        raise ArgumentError(
            f"`{argument}` must be one of {expected}; got {value!r}.", nearest(str(value), choices)
        )


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """A hint with the choices spelt most like ``name``, or None."""
    folded: dict[str, list[str]] = {}
    for choice in choices:
        folded.setdefault(choice.casefold(), []).append(choice)
    close = [
        choice
        for fold in get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)
        for choice in folded[fold]
    ]
    return "did you mean " + " or ".join(map(repr, close[:4])) + "?" if close else None
