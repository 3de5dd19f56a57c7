"""clusterdiff measures: what can be computed."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from clusterdiff.cli.output import console, print_json
from clusterdiff.measures import Measure, measures


@click.command(name="measures")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the measures, or describe one."""
    chosen = [measures[name]] if name else list(measures.values())
    if as_json:
        print_json([facts(measure) for measure in chosen])
    elif name:
        _describe(chosen[0])
    else:
        _list(chosen)


def facts(measure: Measure) -> dict[str, object]:
    """What is known of a measure, as plain values."""
    flags = ("similarity", "symmetric", "normalised", "conditionally_normalised", "join_weighted")
    return {
        "name": measure.name,
        "symbol": measure.symbol,
        "family": measure.family,
        "best": measure.best,
        **{flag: getattr(measure, flag) for flag in (*flags, "subcomponent_consistent", "weighted")},
        "needs": measure.needs,
        "aliases": list(measure.aliases),
        "summary": measure.summary,
        "formula": measure.formula,
        "reference": measure.reference,
    }


def _list(chosen: list[Measure]) -> None:
    table = Table("name", "family", "best", "what it tells", box=None, pad_edge=False)
    for measure in chosen:
        table.add_row(
            Text(measure.name, "bold"), measure.family, f"{measure.best:g}", Text(measure.summary.rstrip("."))
        )
    console().print(table)


def _describe(measure: Measure) -> None:
    out = console()
    out.print(Text(measure.name, "bold"), Text(f"({measure.family})", "dim"))
    out.print(measure.doc, markup=False)
    out.print()
    for key, value in facts(measure).items():
        if key in {"name", "family", "summary", "formula"} or value in (None, []):
            continue
        text = ", ".join(map(str, value)) if isinstance(value, list) else _word(value)
        out.print(f"{key.replace('_', ' '):>26}  {text}", markup=False, soft_wrap=True)


def _word(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
