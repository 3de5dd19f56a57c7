"""Shapes as small drawings: true clusters above, predicted ones below, and what left its cluster tinted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

#: A cluster as (left, width); a ribbon as (left above, left below, width, what became of it).
Cluster: TypeAlias = tuple[int, int]
Ribbon: TypeAlias = tuple[int, int, int, str]
Drawing: TypeAlias = list[tuple[str, str]]
TOP, BOTTOM, THICK, FADED = 2, 28, 4, 12


def _drawn(above: Sequence[Cluster], below: Sequence[Cluster], ribbons: Sequence[Ribbon]) -> Drawing:
    out = []
    for upper, lower, width, kind in ribbons:
        if kind == "missing":  # it hangs from its true cluster, and reaches none below
            path = f"M{upper} {TOP + THICK}h{width}v{FADED}h-{width}Z"
        elif kind == "spurious":
            path = f"M{lower} {BOTTOM}h{width}v-{FADED}h-{width}Z"
        else:
            path = f"M{upper} {TOP + THICK}L{lower} {BOTTOM}h{width}L{upper + width} {TOP + THICK}Z"
        out.append((kind, path))
    for y, clusters in ((TOP, above), (BOTTOM, below)):
        out += [("node", f"M{x} {y}h{width}v{THICK}h-{width}Z") for x, width in clusters]
    return out


ONE = [(3, 64)]
PARTS = {
    "2": [(3, 44), (53, 14)],
    "3": [(3, 34), (42, 11), (56, 11)],
    "4+": [(3, 24), (31, 9), (43, 9), (55, 12)],
}


def _parted(parts: Sequence[Cluster], kind: str) -> list[Ribbon]:
    return [(x, x, width, kind if i else "stay") for i, (x, width) in enumerate(parts)]


_SIDES = _drawn(
    [(3, 34), (44, 23)],
    [(3, 23), (33, 34)],
    [(3, 3, 23, "stay"), (44, 44, 23, "stay"), (28, 33, 9, "split")],
)
DRAWINGS: dict[str, Drawing] = {
    **{f"split-{many}": _drawn(ONE, parts, _parted(parts, "split")) for many, parts in PARTS.items()},
    **{f"merge-{many}": _drawn(parts, ONE, _parted(parts, "merge")) for many, parts in PARTS.items()},
    "exchange": _drawn(
        [(3, 29), (38, 29)],
        [(3, 29), (38, 29)],
        [(3, 3, 19, "stay"), (48, 48, 19, "stay"), (23, 38, 9, "split"), (38, 23, 9, "merge")],
    ),
    "sides": _SIDES,
    "hub": _drawn(
        [(3, 40), (50, 17)],
        [(3, 21), (31, 36)],
        [(3, 3, 21, "stay"), (26, 31, 17, "split"), (50, 50, 17, "merge")],
    ),
    "tangle-s": _drawn(
        [(3, 30), (40, 27)],
        [(3, 18), (26, 18), (50, 17)],
        [(3, 3, 18, "stay"), (50, 50, 17, "stay"), (23, 35, 9, "split"), (40, 26, 9, "merge")],
    ),
    "missing": _drawn(ONE, [(3, 44)], [(3, 3, 44, "stay"), (51, 0, 16, "missing")]),
    "spurious": _drawn([(3, 44)], ONE, [(3, 3, 44, "stay"), (0, 51, 16, "spurious")]),
    "both": _drawn(
        [(3, 50)], [(17, 50)], [(17, 17, 36, "stay"), (3, 0, 12, "missing"), (0, 55, 12, "spurious")]
    ),
    "missing-all": _drawn(ONE, [], [(3, 0, 64, "missing")]),
    "spurious-all": _drawn([], ONE, [(0, 3, 64, "spurious")]),
    "e-sides": _SIDES,
}
DRAWINGS |= {
    "e-split": DRAWINGS["split-2"],
    "e-merge": DRAWINGS["merge-2"],
    "e-missing": DRAWINGS["missing"],
    "e-spurious": DRAWINGS["spurious"],
}
