"""clusterdiff chance: what shuffled labels would score."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from clusterdiff.cli.inputs import input_options, noise_labels, noise_options, sources, told
from clusterdiff.cli.options import json_option, seed_option
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.diff.chance import Chance
from clusterdiff.measures.models import MODELS
from clusterdiff.points.policy import MISSING
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
    help="What is drawn at random: labels, while clusters keep their sizes (permutation); clusterings with as many "
    "clusters (num), or all clusterings (all); num1 and all1 draw only the prediction.",
)
@click.option("--draws", default=1000, show_default=True, help="How many random meets to look at; 0: none.")
@seed_option
@click.option("--missing", type=click.Choice(MISSING), help="Points on one side only.  [default: error]")
@noise_options
@json_option
def command(
    true: str,
    pred: str | None,
    wanted: tuple[str, ...],
    model: Any,
    draws: int,
    seed: int,
    missing: Any,
    noise: tuple[str, ...],
    noise_true: tuple[str, ...],
    noise_pred: tuple[str, ...],
    noise_as: Any,
    as_json: bool,
    **inputs: Any,
) -> None:
    """How good is good: what shuffled labels score, and how far from that the prediction is.

    The clusters of TRUE and PRED keep their sizes, and the labels are permuted. For S_H, S*(pairs), S', Rand, VI and
    other measures that are linear in sums the mean is exact; otherwise it is that of the draws.
    """
    both, true_alone, pred_alone = noise_labels(noise, noise_true, noise_pred)
    with told():
        diff = compare(
            *sources(true, pred, **inputs),
            missing=missing,
            noise=both,
            noise_true=true_alone,
            noise_pred=pred_alone,
            noise_as=noise_as,
        )
    with progress() as say:
        found = [diff.chance(name, model=model, draws=draws, seed=seed, progress=say) for name in wanted]
    if as_json:
        print_json([one.to_dict() for one in found] if len(found) > 1 else found[0].to_dict())
        return
    _show(found)


def _show(found: list[Chance]) -> None:
    out = console()
    table = plain_table("measure", right=("value", "by chance", "", "spread", "adjusted", "z", "p"))
    for one in found:
        table.add_row(
            one.measure,
            _number(one.value),
            _number(one.mean),
            "exact" if one.exact else "drawn",
            _number(one.std),
            _number(one.adjusted),
            _number(one.z, ".3g"),
            _number(one.p_value, ".2g"),
        )
    out.print(table)
    if any(one.tail == "fitted" for one in found):
        out.print("p below what draws can count is the tail of a fitted curve (Pearson III).", style="dim")
    for one in found:
        out.print(one.signature, style="dim", markup=False, soft_wrap=True)


def _number(value: float, form: str = ".6f") -> str:
    return format(value, form) if isfinite(value) else "-"
