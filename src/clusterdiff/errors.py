"""Every exception of the package: what was wrong, and a hint that says what to do about it."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from operator import index
from typing import Any, NamedTuple, Self, TypeAlias

from clusterdiff.messages import Argument, Message, joined

#: What to do about an error: a sentence, or several ways out.
Hint: TypeAlias = str | Iterable[str] | None


class ClusterdiffError(Exception):
    """Base of all errors raised on purpose: what is wrong, and what to do about it.

    Attributes
    ----------
    message
        What is wrong, as Python says it; it knows its parts, which the command spells with its own options.
    hint
        What to do, or None.
    ways
        The same as alternatives: a hint may be several, of which the command shows those that it has.
    argument, value, expected
        The argument that is wrong, what it was, and what it must be; None where that does not apply.
    """

    value: object = None
    expected: str | None = None

    def __init__(self, message: str, hint: Hint = None) -> None:
        self.message = Message.literally(message)
        self.ways = tuple(map(Message.literally, [hint] if isinstance(hint, str) else hint or ()))
        self.argument = next((part.name for part in self.message.code if isinstance(part, Argument)), None)
        super().__init__(self.message)

    @classmethod
    def about(cls, argument: str, message: str, hint: Hint = None) -> Self:
        """What is wrong with an argument.

        >>> print(ArgumentError.about("weights", "must not all be zero."))
        `weights` must not all be zero.
        """
        return cls(Message.of([Argument(argument), " ", *Message.literally(message).parts]), hint)

    @classmethod
    def must(
        cls,
        argument: str,
        expected: str,
        value: object = None,
        hint: Hint = None,
        *,
        got: str | None = None,
    ) -> Self:
        """The commonest error: what an argument must be, and what came; ``got`` says so unless the value itself does.

        >>> print(ArgumentError.must("level", "be between 0 and 1", 95, "0.95 is usual."))
        `level` must be between 0 and 1; got 95.
        Hint: 0.95 is usual.
        >>> print(ArgumentError.must("true", "hold one label per point", got="a matrix"))
        `true` must hold one label per point; got a matrix.
        """
        told = Message(
            "must {expected}; got {got}.", expected=expected, got=repr(value) if got is None else got
        )
        error = cls.about(argument, told, hint)
        error.value, error.expected = value, expected.removeprefix("be ")
        return error

    @property
    def hint(self) -> str | None:
        """What to do, in one sentence."""
        return ways_out(self.ways)

    def locate(self, place: object) -> None:
        """Begin the message with where it happened."""
        self.message = joined([str(place), self.message], ": ")

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.ways else str(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.__dict__ | {"value": _portable(self.value)}
        return _again, (type(self), self.args), state


def ways_out(ways: Sequence[Message]) -> Message | None:
    """Alternatives as one sentence."""
    if len(ways) < 2:
        return ways[0] if ways else None
    return joined([joined(ways, ", or "), ""], ".")


def _again(kind: type[ClusterdiffError], args: tuple[object, ...]) -> ClusterdiffError:
    """An error as it was before it was pickled, but for its state."""
    error = kind.__new__(kind)
    error.args = args
    return error


def _portable(value: object) -> object:
    """A value that another process can read; its text, if that is not so."""
    try:
        pickle.dumps(value)
    except Exception:
        return repr(value)
    return value


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


class ConflictError(ClusterdiffError):
    """A three-way merge has conflicts, and nothing says what becomes of them."""


class PatchError(ClusterdiffError, ValueError):
    """A patch that cannot be read, or does not fit the clustering it is applied to."""


class FileError(ClusterdiffError, ValueError):
    """A file that cannot be read as a clustering."""


class EngineError(ClusterdiffError, RuntimeError):
    """An engine that stopped: out of disk or memory, a lost cluster, tables that changed while they were read."""


class ClusterdiffWarning(UserWarning):
    """A notice: the numbers are right, but they may not mean what one thinks. Also in ``notices`` of the result."""

    def __init__(self, message: str) -> None:
        self.message = Message.literally(message)
        super().__init__(self.message)


class MissingExtraError(ClusterdiffError, ImportError):
    """An optional library that is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            Message("{purpose} needs {library}, which is not installed.", purpose=purpose, library=library),
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
        raise ArgumentError.must(argument, f"be one of {expected}", value, nearest(str(value), choices))


def whole_number(argument: str, value: object, least: int = 0) -> None:
    """Raise an ArgumentError unless ``value`` is a whole number, and large enough."""
    try:
        fits = not isinstance(value, bool) and index(value) >= least  # type: ignore[arg-type]
    except TypeError:
        fits = False
    if not fits:
        raise ArgumentError.must(argument, f"be a whole number of at least {least}", value)


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


class UnknownColumn(NamedTuple):
    """An argument that names a column which a table, itself an argument, does not have."""

    argument: str
    table: str
    column: str
    known: Iterable[str]


def refuse_unknown(columns: Sequence[UnknownColumn]) -> None:
    """Raise an error that tells all of them, if there are any."""
    if not columns:
        return
    what = "`{argument}` must name a column of `{table}`; it has no {column!r}, but {names}."
    told = [
        Message(what, argument=argument, table=table, column=column, names=", ".join(map(repr, known)))
        for argument, table, column, known in columns
    ]
    raise ArgumentError(joined(told), nearest(columns[0].column, columns[0].known))
