"""What components, clusters and repairs are worth in a measure of the user's choice, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from clusterdiff.cli.hunks import Voice
from clusterdiff.cli.output import plain_table
from clusterdiff.cli.screen import DIM
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.gains import BY, By
from clusterdiff.wording import change, count, name

#: What clusters are looked at, by side.
SIDES: tuple[By, By] = ("true", "pred")


def gains_as_data(diff: Comparison, measure: str, top: int) -> dict[str, Any]:
    """The ``top`` of each as plain values."""
    found = [diff.gains(measure, by) for by in BY]
    repairs = diff.repairs(measure)
    head = {"measure": found[0].measure, "score": found[0].score, "loss": diff.loss_of(measure).to_dict()}
    kinds = {each.by: {"rows": each.to_dict(top)["gains"], "left_out": each.left_out} for each in found}
    listed = {"rows": repairs.to_dict(top), "left_out": repairs.left_out}
    return head | kinds | {"repairs": listed}


def clusters_as_text(diff: Comparison, measure: str, top: int, voice: Voice) -> Iterator[RenderableType]:
    """The true and the predicted clusters that would gain most, each alone, if it were set right."""
    for side, by in enumerate(SIDES):
        found = diff.gains(measure, by)
        noun = voice.cluster(side)
        if not len(found):
            continue
        table = plain_table(noun, right=(f"{voice.nouns.point}s", "parts", "gain"))
        for row in found[:top]:
            called = "(none)" if row.cluster is None else name(row.cluster)
            table.add_row(Text(called), f"{row.size:,}", f"{row.parts:,}", change(row.gain))
        yield Text()
        yield table
        left = len(found) - top
        if left > 0:
            yield Text(f"… and {count(left, f'more {noun}')} (--top shows more)", DIM)
        if found.left_out:
            yield Text(
                f"… and {count(found.left_out, noun)} with smaller losses, whose gain was not computed", DIM
            )
