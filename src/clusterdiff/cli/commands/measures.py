"""clusterdiff measures: what can be computed."""

from __future__ import annotations

from math import inf, isfinite
from textwrap import indent

import click
from rich.padding import Padding
from rich.text import Text

from clusterdiff.cli.options import json_option
from clusterdiff.cli.output import console, plain_table, print_data, print_json
from clusterdiff.measures import Measure, measures
from clusterdiff.measures.groups import grouped
from clusterdiff.meet.sums import WHAT
from clusterdiff.wording import count

FLAGS = (
    "similarity",
    "symmetric",
    "reflexive",
    "normalised",
    "conditionally_normalised",
    "join_weighted",
    "subcomponent_consistent",
    "weighted",
)


@click.command(name="measures")
@click.argument("name", required=False)
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print as a Markdown document.")
@click.option("--where", is_flag=True, help="Show where each works: memory, engine, intervals.")
def command(name: str | None, as_json: bool, as_markdown: bool, where: bool) -> None:
    """List the measures, or describe one."""
    chosen = [measures[name]] if name else list(measures.values())
    if where:
        _where(chosen, as_json)
    elif as_json:
        print_json([facts(measure) for measure in chosen])
    elif as_markdown:
        print_data(catalogue(chosen))
    elif name:
        _describe(chosen[0])
    else:
        _list(chosen)


def facts(measure: Measure) -> dict[str, object]:
    """What is known about a measure, as plain values."""
    return {
        "name": measure.name,
        "symbol": measure.symbol,
        "family": measure.family,
        "summary": measure.summary,
        "formula": measure.formula_text,
        "latex": measure.formula,
        "notes": measure.notes,
        "range": value_range(measure),
        "best": measure.best,
        **{flag: getattr(measure, flag) for flag in FLAGS},
        "parameters": measure.takes,
        "reads": measure.reads,
        "needs": measure.needs,
        "repeats": measure.repeats,
        "aliases": list(measure.aliases),
        "reference": measure.reference,
    }


def value_range(measure: Measure) -> str:
    """The values it may take, as an interval; bounds that depend on n are given for n = 10.

    >>> value_range(measures["ari"]), value_range(measures["A"])
    ('[-0.5, 1]', '[0.1, 1] at n = 10')
    """
    low, high = measure.bounds_at(10)
    left, right = ("(" if low == -inf else "["), (")" if high == inf else "]")
    fixed = not any(map(callable, measure.bounds))
    return f"{left}{_number(low)}, {_number(high)}{right}" + ("" if fixed else " at n = 10")


def _number(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else ("∞" if value > 0 else "−∞")


def _where(chosen: list[Measure], as_json: bool) -> None:
    """Which measures work where, one by one and in all."""
    from clusterdiff.cli.where import KINDS, PLACES, works

    found = works(chosen)
    ways = [(place, kind) for place in PLACES for kind in KINDS]
    if as_json:
        named = {measure.name: measure for measure in chosen}
        print_json(
            {
                place: {kind: [n for n in named if n in found[place][kind]] for kind in KINDS}
                for place in PLACES
            }
        )
        return
    out = console()
    table = plain_table(header=True)
    table.add_column("measure")
    for place, kind in ways:
        table.add_column(f"{place}\n{kind.replace(', ', chr(10))}", justify="center")
    for measure in chosen:
        table.add_row(
            Text(measure.name, "cyan"), *("•" if measure.name in found[p][k] else "" for p, k in ways)
        )
    table.add_row(Text("in all", "bold"), *(Text(str(len(found[p][k])), "bold") for p, k in ways))
    out.print(table)
    out.print(
        'Tried on a small example with features. lost: missing="lost". interval: as sums over components.',
        markup=False,
        style="dim",
    )


def _list(chosen: list[Measure]) -> None:
    out = console()
    for family, members in grouped(chosen).items():
        out.print(Text(family, "bold underline"))
        table = plain_table(header=False)
        for measure in members:
            table.add_row(Text(measure.name, "cyan"), Text(_plain(measure.summary.rstrip("."))))
        out.print(Padding(table, (0, 0, 1, 2)))
    out.print(
        f"{count(len(chosen), 'measure')}. `clusterdiff measures NAME` describes one.",
        markup=False,
        style="dim",
    )


def _describe(measure: Measure) -> None:
    out = console()
    out.print(Text.assemble((measure.name, "bold"), (f"  {measure.family}", "dim")))
    out.print(_plain(measure.summary), markup=False)
    out.print(f"\n    {measure.formula_text}\n", markup=False, soft_wrap=True)
    out.print(_plain(measure.notes), markup=False)
    if measure.example:
        out.print("\n" + indent(measure.example, "    "), markup=False, soft_wrap=True)
    out.print()
    for key, value in facts(measure).items():
        if key in {"name", "family", "summary", "formula", "latex", "notes"} or value in (None, [], {}):
            continue
        out.print(f"{key.replace('_', ' '):>26}  {_words(value)}", markup=False, soft_wrap=True)


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _words(value: object) -> str:
    if isinstance(value, bool):
        return ("no", "yes")[value]
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return ", ".join(name if default is None else f"{name}={default}" for name, default in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def catalogue(chosen: list[Measure]) -> str:
    """The measures as a Markdown document: one table per family, then every measure in full."""
    lines = ["# Measures", "", *INTRODUCTION.format(count=len(chosen)).strip().splitlines()]
    for family, members in grouped(chosen).items():
        lines += ["", f"## {family[0].upper()}{family[1:]}", ""]
        lines += [
            "| name | what it measures | range | best | symmetric | weights |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        lines += [
            f"| `{m.name}` | {_cell(m.summary)} | {value_range(m)} | {_number(m.best)} | {_words(m.symmetric)} "
            f"| {_words(m.weighted)} |"
            for m in members
        ]
        for m in members:
            lines += ["", f"### `{m.name}`", "", _plain(m.summary), "", "```text", m.formula_text, "```"]
            lines += ["", _plain(m.notes)]
            details = {
                "Parameters": f"`{_words(m.takes)}`" if m.takes else "",
                "Repeats": f"`{m.repeats}`, in another scale: it orders clusterings of the same points alike"
                if m.repeats
                else "",
                "Reads": _reads(m),
                "Where points are lost": _lost(m),
                "Other names": ", ".join(f"`{alias}`" for alias in m.aliases),
                "Reference": m.reference,
            }
            lines += ["", *(f"- {key}: {text}" for key, text in details.items() if text)]
    return "\n".join(lines) + "\n"


def _reads(measure: Measure) -> str:
    """What it reads, in words."""
    words = WHAT[measure.reads]
    if measure.terms:
        words += f", or {' and '.join(f'`{term}`' for term in measure.terms)} where known"
    return words + (f"; the points' {measure.needs}" if measure.needs else "")


def _lost(measure: Measure) -> str:
    """What it means with missing="lost", in words."""
    if measure.lost is True:
        return "the same formula, with the sizes of whole clusters"
    return f"refused: {measure.lost}" if measure.lost else ""


def _cell(text: str) -> str:
    return _plain(text).rstrip(".").replace("|", "\\|")


INTRODUCTION = """
The {count} measures that `clusterdiff` knows, by family; `clusterdiff measures --markdown` wrote this page. In the
formulas n is the number of points, L a true and C a predicted cluster, a and b their sizes, and m the size of the cell
that they share; Σ_LC is a sum over cells, |L| and |C| are the numbers of clusters. C_L is the clustering that the
prediction makes of L, L_C the one that the truth makes of C, and H an entropy. P is the number of all pairs of points,
and P(L), P(C) and P(L, C) are the numbers of those together in truth, in the prediction and in both; but in F_β, P and
R are precision and recall. With weights, sizes are sums of weights, and a pair counts as the product of its points'
weights. With `missing="lost"` the sizes are those of whole clusters, with the points that the other side lacks, and N
is the number of points that either side has; see [points](points.md).

What a measure *reads* decides where it can be computed. Sums over cells are known everywhere: in memory, in an engine
that keeps the cells of a large table, and along a series. The rest needs a meet in memory, except for single sums that
an engine or a series knows.

Parameters are part of the name: `v_measure(beta=2)`, `nmi(average=max)`, `vi(base=2)`, `S*(pairs)`. Where other
libraries give other numbers, [differences](differences.md) says which and why.
"""
