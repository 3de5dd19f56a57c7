"""References: judgements that name cells or groups of a comparison, because a page did not hold all of their points.

A cell is the points that share a true and a predicted cluster. ``cells`` of a line has a list of them for each group,
by number; ``rest`` names what is left of a predicted cluster, ``of`` a cell of it, ``but`` for some cells. ``group`` is
the number of a group of points to fix first (see :meth:`Comparison.patterns`), whose positions ``digest`` tells from
others. ``comparison`` tells whether the numbers are those of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.continuation import continued
from clusterdiff.errors import FileError
from clusterdiff.messages import Message
from clusterdiff.points.labels import Int64Array
from clusterdiff.points.texts import text

#: So many numbers are digested at a time: they are not copied all at once.
PIECE = 1 << 16
#: The keys of a reference, in place of groups.
KEYS = ("cells", "rest")


def is_reference(data: object) -> bool:
    """Whether a line names cells or a group of points by their numbers."""
    return isinstance(data, Mapping) and "groups" not in data and ("cells" in data or "digest" in data)


def digest_cells(comparison: Comparison) -> str:
    """What tells the cells of a comparison from those of others, by number: 16 hexadecimal digits."""
    meet = comparison.meet
    found = sha256(f"{meet.n} {len(meet)}".encode())
    for column in (meet.true, meet.pred, meet.size, meet.cell_of_point):
        for at in range(0, len(column), PIECE):
            found.update(np.ascontiguousarray(column[at : at + PIECE], dtype=np.int64).data)
    return found.hexdigest()[:16]


def digest_group(at: Int64Array) -> str:
    """What tells a group of points from others, by their positions: 16 hexadecimal digits."""
    return sha256(np.sort(at).astype(np.int64).tobytes()).hexdigest()[:16]


class CellNames:
    """The cells of a comparison, to make points of references."""

    def __init__(self, comparison: Comparison, attributes: object = None) -> None:
        self._comparison, self._attributes = comparison, attributes
        self._digest = digest_cells(comparison)

    def expand(self, data: Mapping[str, Any], place: str) -> Iterator[dict[str, Any]]:
        """The judgements that a reference stands for: one, or one for each true cluster in the rest of a cluster."""
        if data.get("comparison") != self._digest:
            raise FileError(
                f"{place} refers to cells of another comparison ({data.get('comparison')}; this is {self._digest}).",
                "compare the same two files with the same options as the page did.",
            )
        if "digest" in data:
            yield from self._group(data, place)
            return
        kept = {key: value for key, value in data.items() if key not in KEYS}
        groups = [self._numbers(group, place) for group in _list(data["cells"], place)]
        named = [self._points(group) for group in groups]
        if "rest" not in data:
            yield kept | {"groups": named}
            return
        rest = data["rest"]
        if not isinstance(rest, Mapping) or not {"of", "but"} <= rest.keys():
            raise FileError(
                f'{place}: "rest" must be an object with "of", a cell, and "but", a list of cells.'
            )
        meet = self._comparison.meet
        cluster = int(meet.pred[self._numbers([rest["of"]], place)[0]])
        others = np.setdiff1d(
            self._comparison.analysis.cells_of_pred(cluster), self._numbers(rest["but"], place)
        )
        for number, cell in enumerate(others.tolist(), 1):
            yield kept | {"id": f"{kept.get('id', place)}.{number}", "groups": [*named, self._points([cell])]}
            named = [group[:1] for group in named]  # stands for all, as below

    def _group(self, data: Mapping[str, Any], place: str) -> Iterator[dict[str, Any]]:
        """What accepting a group claims.

        The moved points of a true cluster belong to its cell that stayed, and not to the true clusters that they leave.
        """
        found = self._comparison.patterns(
            attributes=self._attributes, measure=data.get("measure", "S_H")
        ).groups
        number = data.get("group")
        if (
            type(number) is not int
            or not 0 <= number < len(found)
            or digest_group(found[number].at) != data["digest"]
        ):
            raise FileError(
                f"{place} refers to a group of points that this comparison does not have.",
                "the page may have known other columns: pass the same `attributes=`.",
            )
        meet, source = self._comparison.meet, self._comparison.source
        cell = meet.cell_of_point[found[number].at]
        moved = found[number].at[cell >= 0]
        cell = cell[cell >= 0]
        stayed = continued(meet, np.ones(len(meet), dtype=bool), source.least)
        home = np.full(meet.k_true, -1, dtype=np.int64)
        home[meet.true[stayed]] = stayed
        names = source.names
        kept = {key: value for key, value in data.items() if key not in ("group", "digest", "measure")}
        order = np.argsort(meet.true[cell], kind="stable")
        true, first = np.unique(meet.true[cell][order], return_index=True)
        serial = 0
        whole: set[int] = set()
        for t, mine in zip(true.tolist(), np.split(order, first[1:]), strict=True):
            together = [text(names[i]) for i in moved[mine].tolist()]
            if home[t] >= 0:
                together += self._points([int(home[t])])
            left = np.unique(meet.pred[cell[mine]]).tolist()
            around = np.concatenate([self._comparison.analysis.cells_of_pred(p) for p in left])
            behind = around[meet.true[around] != t].tolist()
            for other in behind or [None]:
                serial += 1
                rest = [] if other is None else [self._points([other])]
                if other in whole:
                    rest = [rest[0][:1]]
                yield kept | {"id": f"{kept.get('id', place)}.{serial}", "groups": [together, *rest]}
                # One point stands for all from here on: a file would grow with the square of large clusters.
                together = together[:1]
                whole.add(-1 if other is None else other)

    def _numbers(self, cells: object, place: str) -> list[int]:
        found = _list(cells, place)
        most = len(self._comparison.meet)
        if not all(type(cell) is int and 0 <= cell < most for cell in found):
            raise FileError(
                f"{place} must name cells by whole numbers below {most:,}; got {str(found)[:80]}."
            )
        return found

    def _points(self, cells: Sequence[int]) -> list[str]:
        return [text(point) for point in self._comparison.source.points(np.array(cells, dtype=np.int64))]


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise FileError(f'{place}: "cells" must be a list of lists of numbers; got {str(value)[:80]}.')
    return value


def refuse_reference(place: str) -> FileError:
    """The error for a reference where points are needed."""
    return FileError(
        f"{place} refers to cells of a comparison, whose points the page did not hold.",
        Message(
            "turn the file into judgements: `clusterdiff judgements --expand TRUE PRED FILE -o judgements.jsonl`."
        ),
    )
