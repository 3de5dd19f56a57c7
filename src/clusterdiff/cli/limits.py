"""--fail-if: limits that decide the exit code."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import click

from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.wording import number

SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
LIMIT = re.compile(r"\s*([a-z_.]+)\s*(>=|<=|==|>|<)\s*([-+.\deE]+)\s*")


class Limit(NamedTuple):
    """A value that must not be beyond a bound, as it was written."""

    name: str
    sign: str
    bound: float

    def crossed(self, values: Mapping[str, float]) -> str:
        """In which way values are beyond the limit; empty if they are not."""
        value = values[self.name]
        told = f"{value:,}" if isinstance(value, int) else number(value)
        return f"{self.name} is {told}" if SIGNS[self.sign](value, self.bound) else ""


def fail_if_option(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option; it reaches the command as ``fail_if``, a tuple of texts."""
    return click.option(
        "--fail-if",
        multiple=True,
        metavar="LIMIT",
        help=f"Exit with 1 if a limit is crossed, such as {what}; limits then decide instead. May be repeated.",
    )


def limits(texts: Sequence[str], known: Sequence[str]) -> list[Limit]:
    """The limits that were asked for, each about something that is known."""
    out = []
    for text in texts:
        match = LIMIT.fullmatch(text)
        try:
            bound = float(match[3]) if match else 0.0
        except ValueError:
            match = None
        if match is None:
            raise ArgumentError(
                f"--fail-if takes NAME, a sign and a number, such as 'violated>0'; got {text!r}."
            )
        if match[1] not in known:
            raise ArgumentError(
                f"--fail-if knows {', '.join(known)}; got {match[1]!r}.", nearest(match[1], known)
            )
        out.append(Limit(match[1], match[2], bound))
    return out
