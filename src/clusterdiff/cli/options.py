"""The options that several commands share, each worded once, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from clusterdiff.diff.comparison import Comparison
from clusterdiff.points.noise import NOISE_AS

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]


def together(*options: Option) -> Callable[[Command], Command]:
    """Several options as one decorator; `--help` lists them in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def split_names(text: str) -> list[str]:
    """Measure names separated by commas, where commas inside brackets do not count.

    >>> split_names("S_H, K(k=5), f(a=1, b=2)")
    ['S_H', 'K(k=5)', 'f(a=1, b=2)']
    """
    out, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            out.append("")
        else:
            out[-1] += letter
    return [name.strip() for name in out if name.strip()]


def _named(context: click.Context, option: click.Parameter, text: str) -> list[str]:
    names = split_names(text)
    if not names:
        raise click.BadParameter("it names no measure.")
    return names


def every(names: list[str], diff: Comparison) -> list[str]:
    """The same names, with those of all measures that apply in place of "all"."""
    known = list(diff.scores("all")) if "all" in names else []
    return list(dict.fromkeys(name for one in names for name in (known if one == "all" else [one])))


def with_first(measure: str, names: list[str]) -> list[str]:
    """Measures, and before them the one that all else is shown in, if it is not the usual one.

    >>> with_first("ari", ["S_H", "ari"]), with_first("S_H", ["vi"])
    (['ari', 'S_H'], ['vi'])
    """
    return names if measure == "S_H" else [measure, *(name for name in names if name != measure)]


def measures_option(
    default: Iterable[str],
    say: str = 'Measures to print, separated by commas; "all": every one that applies.',
) -> Option:
    """Which measures a command computes; they reach it as ``measures``, a list of names."""
    return click.option("--measures", default=",".join(default), show_default=True, callback=_named, help=say)


def output_option(say: str = "Where to write; standard output if not given.") -> Option:
    """Where a command writes; it reaches it as ``output``, None for standard output."""
    return click.option("-o", "--output", type=click.Path(), metavar="FILE", help=say)


#: A number of things to show.
AT_LEAST_NONE = click.IntRange(min=0)
json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
top_option = click.option(
    "--top",
    type=AT_LEAST_NONE,
    default=10,
    show_default=True,
    help="How many of the costliest components to show.",
)
seed_option = click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the random numbers: the same seed gives the same result.",
)
point_option = click.option("--point", metavar="COLUMN", help="Column that names the points.")
cluster_option = click.option("--cluster", metavar="COLUMN", help="Column of clusters.")
noise_option = click.option(
    "--noise", multiple=True, metavar="LABEL", help="Label that means “in no cluster”. May be repeated."
)
noise_as_option = click.option(
    "--noise-as",
    type=click.Choice(NOISE_AS),
    default="singleton",
    show_default=True,
    help="How to treat noise.",
)
