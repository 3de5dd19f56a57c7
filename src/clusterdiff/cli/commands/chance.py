"""clusterdiff chance: what shuffled labels would score."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from clusterdiff.cli.inputs import input_options, policy_options, sources, told
from clusterdiff.cli.options import json_option, seed_option
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.diff.chance import Chance, chances
from clusterdiff.measures import resolve_all
from clusterdiff.measures.models import MODELS
from clusterdiff.verbs.compare import compare


@click.command(name="chance")
@click.argument("true")
@click.argument("pred", required=False)
@input_options
@click.option(
    "--measure",
    "wanted",
    multiple=True,
    default=["S_H"],
    show_default=True,
    help="The measure. May be repeated.",
)
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default="permutation",
    show_default=True,
    help="Random model: labels, while clusters keep their sizes (permutation); clusterings with as many clusters "
    "(num), or all clusterings (all); num1 and all1 draw only the prediction.",
)
@click.option(
    "--draws",
    type=int,
    help="Maximum number of random draws; 0: none.  [default: 9999, or fewer where they take long]",
)
@seed_option
@policy_options
@json_option
def command(
    true: str,
    pred: str | None,
    wanted: tuple[str, ...],
    model: Any,
    draws: int | None,
    seed: int,
    policy: dict[str, Any],
    as_json: bool,
    **inputs: Any,
) -> None:
    """Compare a score with chance: what shuffled labels score, and how far from that the prediction is.

    The clusters of TRUE and PRED keep their sizes, and the labels are permuted. For S_H, S*(pairs), S', Rand, VI and
    other measures that are linear in sums the mean is exact; otherwise it is that of the draws. p is exact for few or
    identical clusterings, a bound where that says enough, and drawn otherwise.
    """
    with told():
        diff = compare(*sources(true, pred, **inputs), **policy)
    with progress() as say:
        # At once, so that all look at the same draws.
        found = chances(
            diff.summed,
            list(resolve_all(wanted).values()),
            draws=draws,
            seed=seed,
            model=model,
            progress=say,
            signature=diff.signature.partition("|")[2],
        )
    if as_json:
        print_json([one.to_dict() for one in found] if len(found) > 1 else found[0].to_dict())
        return
    _show(found)


def _show(found: list[Chance]) -> None:
    out = console()
    table = plain_table("measure", right=("value", "by chance", "", "spread", "adjusted", "z"))
    table.add_column("p")
    for one in found:
        table.add_row(
            one.measure,
            _number(one.value),
            _number(one.mean),
            "exact" if one.exact else "drawn",
            _number(one.std),
            _number(one.adjusted),
            _number(one.z, ".3g"),
            _p(one),
        )
    out.print(table)
    for one in found:
        out.print(one.signature, style="dim", markup=False, soft_wrap=True)


def _p(one: Chance) -> str:
    text = one.p_text.removeprefix("p = ") if one.p_kind else "-"
    return f"{text} ({one.draws:,} draws)" if one.p_kind == "drawn" else text


def _number(value: float, form: str = ".6f") -> str:
    return format(value, form) if isfinite(value) else "-"
