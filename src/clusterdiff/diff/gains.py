"""Gains: what it is worth, in any measure, to set a component or a cluster right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from clusterdiff import notebook
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.loss import Losses
from clusterdiff.diff.recompute import NOWHERE, Operation
from clusterdiff.diff.worth import Worth
from clusterdiff.errors import one_of, whole_number
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array
from clusterdiff.table import Table, plain, record_html
from clusterdiff.wording import count, number

By: TypeAlias = Literal["component", "true", "pred"]
#: What can be set right, and what each is called.
BY: dict[By, str] = {"component": "component", "true": "true cluster", "pred": "predicted cluster"}


class ComponentGain(NamedTuple):
    """A component, what a measure gains if it is set right, and the measure's value then."""

    component: int
    kind: str
    size: int
    true_clusters: int
    pred_clusters: int
    gain: float
    score: float

    def _repr_html_(self) -> str:
        return record_html("ComponentGain", self._asdict())


class ClusterGain(NamedTuple):
    """A true or predicted cluster, what a measure gains if it is set right, and the measure's value then."""

    cluster: Any
    component: int
    size: int
    parts: int
    gain: float
    score: float

    def _repr_html_(self) -> str:
        return record_html("ClusterGain", self._asdict())


@dataclass(frozen=True)
class Gains:
    """What each component or cluster is worth in a measure, greatest gain first. Made by :meth:`Comparison.gains`.

    ``measure`` is its name and ``score`` its value; a gain is by how much it would come closer to its best value, so
    that a distance that falls by 0.1 is a gain of 0.1. ``table`` has the rows, which can also be had from here.
    ``left_out`` says how many are not in it, since the measure had to be recomputed and they are not among the
    costliest.
    """

    measure: str
    score: float
    by: By
    table: Table[Any]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table)

    @overload
    def __getitem__(self, key: str) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Table[Any]: ...
    def __getitem__(self, key: str | int | slice) -> Any:
        return self.table[key]

    @property
    def sentence(self) -> str:
        """What the rows are."""
        told = f"{self.measure} = {number(self.score)}; gain from correcting each {BY[self.by]}"
        if not self.left_out:
            return told
        return f"{told} ({count(self.left_out, BY[self.by])} not computed: the others are the costliest)"

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """All of it as plain values, with the first ``top`` rows (None: all)."""
        if top is not None:
            whole_number("top", top)
        rows = [{name: plain(x) for name, x in row._asdict().items()} for row in self.table[:top]]
        facts = {"measure": self.measure, "score": self.score, "by": self.by, "left_out": self.left_out}
        return facts | {"gains": rows}

    def to_frame(self, library: str = "pandas") -> Any:
        """The rows as a frame of "pandas", "polars" or "pyarrow"."""
        return self.table.to_frame(library)

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(self.sentence, strong=True), self.table.html())


def gains(worth: Worth, by: By) -> Gains:
    """What each component or cluster is worth; see :meth:`Comparison.gains`."""
    one_of("by", by, BY)
    analysis = worth.analysis
    chosen, values, left_out = valued(worth, by)
    order = np.argsort(-worth.gains(values), kind="stable")
    chosen, values = chosen[order], values[order]
    columns = _components(analysis, chosen) if by == "component" else _clusters(analysis, by, chosen)
    columns |= {"gain": worth.gains(values), "score": values}
    row: Any = ComponentGain if by == "component" else ClusterGain
    return Gains(worth.measure.name, worth.score, by, Table(columns, row), left_out)


def valued(worth: Worth, by: By) -> tuple[Int64Array, FloatArray, int]:
    """What is not right yet, by its number, the measure with each set right, and how many were not computed."""
    found = np.flatnonzero(wrong(worth.analysis, by))
    every = _from_sums(worth, by) if len(found) else np.empty(0)
    left_out = 0
    if every is None:
        costs = _costs(worth.analysis, by)[found]
        costliest = found[np.argsort(-costs, kind="stable")]
        found, left_out = np.sort(costliest[: worth.limit]), len(costliest[worth.limit :])
        values = worth.recompute(_operation(worth.analysis, by, at) for at in found.tolist())
    else:
        values = every[found]
    defined = ~np.isnan(values)
    return found[defined], values[defined], left_out + int(np.count_nonzero(~defined))


def _from_sums(worth: Worth, by: By) -> FloatArray | None:
    if by == "component":
        rows = worth.components
        return None if rows is None else rows.values()
    return worth.completed() if by == "true" else worth.splits()


def wrong(analysis: Analysis, by: By) -> BoolArray:
    """Which components or clusters are not yet right."""
    meet, join = analysis.meet, analysis.join
    if by == "component":
        return np.asarray(join.kind != join.kinds.index("same"))
    mixed = (analysis.parts_of_pred > 1) | (meet.spurious.count(meet.k_pred) > 0)
    if by == "pred":
        return mixed
    wrong = (analysis.parts_of_true > 1) | (meet.missing.count(meet.k_true) > 0)
    return wrong | (np.bincount(meet.true, mixed[meet.pred], meet.k_true) > 0)


def gain_together(worth: Worth, components: Int64Array) -> float:
    """What setting some components right, all at once, would gain."""
    if not len(components):
        return 0.0
    rows = worth.components
    if rows is not None:
        return float(worth.gains(np.array([rows.together(components)]))[0])
    return float(worth.gains(worth.recompute([all_right(worth.analysis, components)]))[0])


def _costs(analysis: Analysis, by: By) -> FloatArray:
    """What each lost of S_H: a measure that has to be recomputed is computed for the costliest."""
    of = {"component": "component_losses", "true": "true_losses", "pred": "pred_losses"}
    losses: Losses = getattr(analysis, of[by])
    return losses.total


def _operation(analysis: Analysis, by: By, at: int) -> Operation:
    """What has to be done to set something right."""
    meet = analysis.meet
    new = meet.k_pred
    if by == "true":
        cells = analysis.cells_of_true(at)
        return Operation(cells, np.full(len(cells), new), missing={at: new})
    if by == "pred":
        cells = analysis.cells_of_pred(at)
        return Operation(cells, new + meet.true[cells], spurious={at: NOWHERE})
    return all_right(analysis, np.array([at]))


def all_right(analysis: Analysis, components: Int64Array) -> Operation:
    """What has to be done to set some components right."""
    meet, join = analysis.meet, analysis.join
    chosen = np.zeros(len(join), dtype=bool)
    chosen[components] = True
    cells = np.flatnonzero(chosen[join.of_cell])
    true, pred = np.flatnonzero(chosen[join.of_true]), np.flatnonzero(chosen[join.of_pred])
    return Operation(
        cells,
        meet.k_pred + meet.true[cells].astype(np.int64),
        missing={code: meet.k_pred + code for code in true.tolist()},
        spurious=dict.fromkeys(pred.tolist(), NOWHERE),
    )


def _components(analysis: Analysis, chosen: Int64Array) -> dict[str, Any]:
    columns = analysis.components
    place = np.empty(len(analysis.join), dtype=np.int64)
    place[columns["component"]] = np.arange(len(place))
    names = ("component", "kind", "size", "true_clusters", "pred_clusters")
    return {name: columns[name][place[chosen]] for name in names}


def _clusters(analysis: Analysis, by: By, chosen: Int64Array) -> dict[str, Any]:
    meet, join, side = analysis.meet, analysis.join, int(by == "pred")
    names = (meet.true_names, meet.pred_names)[side][chosen]
    single = analysis.unclustered[side][chosen]
    if single.any():  # points that are in no cluster of the user's
        names = names.astype(object)
        names[single] = None
    return {
        "cluster": names,
        "component": (join.of_true, join.of_pred)[side][chosen],
        "size": (meet.true_size, meet.pred_size)[side][chosen],
        "parts": (analysis.parts_of_true, analysis.parts_of_pred)[side][chosen],
    }
