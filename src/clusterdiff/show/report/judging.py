"""What the page's script needs to speak judgements: what was decided before, and how points that it lacks are named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError, PatchError
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.references import digest_cells
from clusterdiff.points.texts import refuse_ambiguous, text

#: So many bytes of judgements are on a page; of more, those about its errors come first, then about its own points.
JUDGED = 380_000


def read_given(judgements: object) -> Judgements | None:
    """The judgements that a report is given; an error if they contradict each other."""
    if judgements is None:
        return None
    if not isinstance(judgements, Judgements):
        raise ArgumentError.must(
            "judgements",
            "be Judgements",
            type(judgements).__name__,
            "read a file with cd.Judgements.read(path).",
        )
    _ = judgements.facts
    return judgements


def judging(
    comparison: Comparison, given: Judgements | None, components: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Why decisions cannot be judgements (``refused``), the ``comparison`` that references are about, and those given.

    Of those given, the page has the ones about its own points, with all that hang together with them, as far as there
    is room: ``left`` counts the others. ``beyond`` has [judgement, group, cell] where a group has all points of a cell
    that the page does not hold.
    """
    if reason := refused(comparison):
        return {"refused": reason, "judgements": [], "left": 0}
    found: dict[str, Any] = {
        "comparison": digest_cells(comparison),
        "judgements": [],
        "left": 0,
        "beyond": [],
    }
    if given is not None:
        about, left = _about(given, _texts(components), _texts(e for e in components if len(e["cells"]) > 1))
        found |= {
            "judgements": [one.to_dict() for one in about],
            "left": left,
            "beyond": _beyond(comparison, about, components),
        }
    return found


def needs_numbers(entry: Mapping[str, Any]) -> bool:
    """Whether the page does not know all points of a component to the letter, so that it must refer to its cells."""
    held = [[point[1] for point in entry["points"]], *entry["names"].values()]
    if not entry["whole"] or sum(map(len, held)) < sum(cell[2] for cell in entry["cells"]):
        return True
    return not {type(name) for names in held for name in names} <= {str, int}


def refused(comparison: Comparison) -> str | None:
    """Why decisions on a comparison cannot be judgements, if they cannot."""
    if isinstance(comparison, CorpusComparison):
        return "they are about the points of one clustering, not about documents of mentions."
    if not comparison.source.known:
        return "they name points, and only the sizes of the clusters were compared."
    try:
        refuse_ambiguous(comparison.source.names)
    except PatchError as error:
        return str(error)
    return None


def _texts(components: Iterable[Mapping[str, Any]]) -> set[str]:
    """The points on the page, by their text."""
    return {
        str(name[0] if isinstance(name, list) else name)
        for entry in components
        for name in (
            *(point[1] for point in entry["points"]),
            *(name for held in entry["names"].values() for name in held),
        )
    }


def _about(judgements: Judgements, texts: set[str], open_texts: set[str]) -> tuple[list[Judgement], int]:
    """Judgements about some points, and what hangs together with them, as far as there is room; how many are left.

    First come those about points of which something can be proposed, which are no whole cluster on both sides.
    """
    listed = list(judgements)
    region = Entries(listed).region
    direct = np.array([not texts.isdisjoint(one.points) for one in listed], dtype=bool)
    wanted = np.array([not open_texts.isdisjoint(one.points) for one in listed], dtype=bool)
    about = np.flatnonzero(np.isin(region, region[direct]))
    size = np.array([len(json.dumps(listed[i].to_dict())) for i in about.tolist()], dtype=np.int64)
    order = np.lexsort((size, ~direct[about], ~wanted[about]))  # of short ones there is room for more
    room = int(np.searchsorted(np.cumsum(size[order]), JUDGED, side="right"))
    chosen = np.sort(about[order[:room]])
    return [listed[i] for i in chosen.tolist()], len(about) - len(chosen)


def _beyond(
    comparison: Comparison, judgements: Sequence[Judgement], components: Sequence[Mapping[str, Any]]
) -> list[list[int]]:
    meet = comparison.meet
    unheld = np.zeros(len(meet), dtype=np.int64)
    for entry in components:
        if "numbers" in entry:
            held = [point[0] for point in entry["points"]] + [
                int(cell) for cell, names in entry["names"].items() for _ in names
            ]
            cells = np.array(entry["numbers"])
            unheld[cells] = meet.size[cells] - np.bincount(
                np.array(held, dtype=np.int64), minlength=len(cells)
            )
    if not unheld.any():
        return []
    here = _texts(components)
    claims = [
        (i, g, point)
        for i, one in enumerate(judgements)
        for g, group in enumerate(one.groups)
        for point in group
        if point not in here
    ]
    cell_of = dict.fromkeys((point for _, _, point in claims), -1)
    for name, cell in zip(comparison.source.names, meet.cell_of_point.tolist(), strict=True):
        if (known := text(name)) in cell_of:
            cell_of[known] = cell
    counts = Counter((i, g, cell_of[point]) for i, g, point in claims)
    return [[i, g, cell] for (i, g, cell), found in counts.items() if cell >= 0 and found == unheld[cell]]
