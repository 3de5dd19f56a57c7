"""clusterdiff check: which properties a measure has."""

from __future__ import annotations

import click
from rich.text import Text

from clusterdiff.cli.options import json_option
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.paper.check import Check, check

MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}


@click.command(name="check")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--points", type=click.IntRange(2, 8), help="Largest number of points to try.  [default: 6]")
@click.option("--why/--no-why", default=None, help="Show counterexamples; the default for a single NAME.")
@json_option
def command(names: tuple[str, ...], points: int | None, why: bool | None, as_json: bool) -> None:
    """Test which properties measures have, on all pairs of clusterings of a few points.

    NAME is a measure (see `clusterdiff measures`) or a subcomponent measure such as entropy or pairs.
    """
    with progress() as say:
        found = [check(name, points, progress=say) for name in names]
    if as_json:
        print_json([one.to_dict() for one in found] if len(found) > 1 else found[0].to_dict())
        return
    for described in {id(one.described): one.described for one in found}.values():
        _table([one for one in found if one.described is described])
    if why if why is not None else len(found) == 1:
        for one in found:
            _counterexamples(one)


def _table(found: list[Check]) -> None:
    table = plain_table("property")
    for one in found:
        table.add_column(Text(one.name), justify="center")
    table.add_column("")
    for name, meaning in found[0].described.items():
        table.add_row(name, *(Text(*MARKS[one.holds[name]]) for one in found), Text(meaning, "dim"))
    console().print(table)
    tried = max(found, key=lambda one: one.tried)
    console().print(f"✓ holds for all {tried.tried:,} tried, of up to {tried.points} points", style="dim")


def _counterexamples(one: Check) -> None:
    out = console()
    for name, example in one.counterexamples.items():
        out.print(f"\n{one.name} fails {name}:", style="bold", markup=False)
        for line in str(example).splitlines():
            out.print(f"  {line}", markup=False, soft_wrap=True)
