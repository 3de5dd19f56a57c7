"""What components, clusters and repairs are worth in a measure of the user's choice, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from clusterdiff.cli.output import console, names, plain_table
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.gains import BY, Gains
from clusterdiff.measures import resolve
from clusterdiff.table import shown
from clusterdiff.wording import count


def gains_as_data(diff: Comparison, measure: str, top: int) -> dict[str, Any]:
    """The ``top`` of each as plain values."""
    found = [diff.gains(measure, by) for by in BY]
    repairs = diff.repairs(measure)
    head = {"measure": found[0].measure, "score": found[0].score}
    kinds = {each.by: {"rows": each.to_dict(top)["gains"], "left_out": each.left_out} for each in found}
    listed = {"rows": repairs.to_dict(top), "left_out": repairs.left_out}
    return head | kinds | {"repairs": listed}


def print_gains(diff: Comparison, measure: str, top: int) -> None:
    """The ``top`` of each in tables."""
    out = console()
    for line in gains_as_text(diff, measure, top):
        out.print(line, soft_wrap=isinstance(line, Text))


def gains_as_text(diff: Comparison, measure: str, top: int) -> Iterator[RenderableType]:
    """What would gain most, each alone: components, true and predicted clusters set right, and repairs."""
    for by, noun in BY.items():
        found = diff.gains(measure, by)
        if by == "component":
            head = f"what {found.measure} ({found.score:.6f}) would gain with one of these set right"
            yield Text(f"\n{head}", "bold")
        if len(found):
            yield _components(diff, found, top) if by == "component" else _clusters(found, top)
            yield from _more(len(found) - top, found.left_out, noun)
    repairs = diff.repairs(measure)
    if len(repairs):
        yield Text(f"\nwhat to fix first, by {repairs.measure}", "bold")
    for repair in repairs[:top]:
        yield Text.assemble((_signed(repair.gain), "green"), f"  {repair.describe()}")
    yield from _more(len(repairs) - top, repairs.left_out, "operation")


def _components(diff: Comparison, found: Gains, top: int) -> RenderableType:
    analysis = diff.seen_by(resolve(found.measure)).analysis
    table = plain_table("gain", "component", right=("points",))
    for side in ("true", "predicted"):
        table.add_column(side)
    for row in found[:top]:
        sides = (names(analysis.clusters_of_component(row.component, side)) for side in ("true", "pred"))
        table.add_row(Text(_signed(row.gain), "green"), row.kind, f"{row.size:,}", *map(Text, sides))
    return table


def _clusters(found: Gains, top: int) -> RenderableType:
    table = plain_table("gain", BY[found.by], right=("points", "parts"))
    for row in found[:top]:
        name = "(none)" if row.cluster is None else shown(str(row.cluster))
        table.add_row(Text(_signed(row.gain), "green"), Text(name), f"{row.size:,}", f"{row.parts:,}")
    return table


def _more(left: int, left_out: int, noun: str) -> Iterator[Text]:
    """What is not shown, and what is not even known."""
    if left > 0:
        yield Text(f"… and {count(left, f'more {noun}')} (--top shows more)", "dim")
    if left_out:
        yield Text(f"… and {count(left_out, noun)} of lesser loss, for which it was not computed", "dim")


def _signed(gain: float) -> str:
    """What is gained, with digits that say something however small it is."""
    return f"{gain:+.6f}" if not 0 < abs(gain) < 1e-4 else f"{gain:+.2e}"
