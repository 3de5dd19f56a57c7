"""Analysis: what the meet alone tells about a comparison. Pure, and computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from clusterdiff import _core, notebook
from clusterdiff.caching import Once, cached_property
from clusterdiff.diff.loss import CellLoss, Loss, Losses, costliest
from clusterdiff.measures import resolve
from clusterdiff.measures.formulas import best_of_row
from clusterdiff.measures.subcomponents import Scored, by_entropy
from clusterdiff.meet.cell_table import CellNumbers as CellNumbers
from clusterdiff.meet.cell_table import spans
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array
from clusterdiff.table import Ordered, Table, record_html
from clusterdiff.wording import count

#: The clusters of a component are looked for among all so many times, before these are grouped.
LOOKS = 32
#: Finds the names of clusters from their codes.
Named = Callable[[Int64Array], AnyArray]


class Split(NamedTuple):
    """A true cluster and what became of it (a split subcomponent ⟨L, ℂ⟩)."""

    cluster: Any
    component: int
    size: int
    parts: int
    largest: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("Split", self._asdict())


class Merge(NamedTuple):
    """A predicted cluster and what it is made of (a merge subcomponent ⟨𝕃, C⟩)."""

    cluster: Any
    component: int
    size: int
    parts: int
    largest: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("Merge", self._asdict())


class Cell(NamedTuple):
    """The points that a true and a predicted cluster share; None on a side where they are in no cluster."""

    true: Any
    pred: Any
    component: int
    size: int
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("Cell", self._asdict())


class _CodeNames(Sequence[Any]):
    """The names of the clusters of a side by code, as Python values: where few are looked at, only those are made."""

    #: So many are looked up one by one before all are made.
    FEW = 1000

    def __init__(self, count: int, naming: Callable[[Int64Array | slice], AnyArray]) -> None:
        self._count, self._naming = count, naming
        self._asked = 0

    @cached_property
    def _all(self) -> AnyArray:
        return self._naming(slice(None))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, code: int) -> Any: ...
    @overload
    def __getitem__(self, code: slice) -> list[Any]: ...
    def __getitem__(self, code: int | slice) -> Any:
        if isinstance(code, slice):
            return self._all[code].tolist()
        if self._asked < self.FEW:
            self._asked += 1
            return self.at(np.array([code]))[0]
        return self._all.item(code)

    def at(self, codes: Int64Array) -> list[Any]:
        """The names of some clusters."""
        return list(self._naming(codes).tolist())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all.tolist())


class Analysis(Once):
    """Split and merge scores, losses and components; and from a cluster to its cells.

    Losses are those of S_H, unless what each cell lost in another measure is given. Scores are always those of S_H.
    """

    def __init__(self, meet: Meet, told: CellLoss | None = None) -> None:
        self.meet = meet
        self._told = told
        self._made = {}
        self._found: dict[tuple[int, str], Int64Array] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Analysis, (self.meet, self._told)  # what was computed can be computed again

    def __repr__(self) -> str:
        return f"<Analysis of {count(self.meet.n)} in {count(len(self.meet), 'cell')}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)))

    # ---- scores and losses

    @cached_property
    def scored(self) -> Scored:
        """The split and merge scores by entropy."""
        return self.meet.once(by_entropy)

    @cached_property
    def cell_loss(self) -> CellLoss:
        """What each cell lost."""
        return self._told or self._s_h_loss

    @cached_property
    def _s_h_loss(self) -> CellLoss:
        return CellLoss.of(self.scored)

    @property
    def score(self) -> float:
        """S_H."""
        return float(resolve("S_H")(self.meet))

    @property
    def loss(self) -> Loss:
        """What was lost in all."""
        return self.cell_loss.total

    # ---- the join

    @cached_property
    def join(self) -> Components:
        """The connected components, as codes of clusters and cells."""
        return Components(self.meet)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind."""
        kind = self.join.kind
        return {name: int(np.count_nonzero(kind == i)) for i, name in enumerate(self.join.kinds)}

    @cached_property
    def component_losses(self) -> Losses:
        """What each component lost."""
        found = self.join
        return self.cell_loss.by(found.of_cell, len(found), found.of_true, found.of_pred)

    @cached_property
    def true_losses(self) -> Losses:
        """What each true cluster lost."""
        meet = self.meet
        own = np.arange(meet.k_true) if len(meet.missing) else None
        return self.cell_loss.by(meet.true, meet.k_true, true=own)

    @cached_property
    def pred_losses(self) -> Losses:
        """What each predicted cluster lost."""
        meet = self.meet
        own = np.arange(meet.k_pred) if len(meet.spurious) else None
        return self.cell_loss.by(meet.pred, meet.k_pred, pred=own)

    @cached_property
    def components(self) -> Mapping[str, npt.NDArray[Any]]:
        """The components as columns, costliest first."""
        found, losses = self.join, self.component_losses
        s_h = losses
        if self._s_h_loss is not self.cell_loss:
            s_h = self._s_h_loss.by(found.of_cell, len(found), found.of_true, found.of_pred)
        kinds = np.asarray(found.kinds, dtype=object)
        lost, total = losses.columns, self.meet.total
        columns: dict[str, Any] = {
            "component": lambda rows: rows,
            "kind": lambda rows: kinds[found.kind[rows]],
            "size": lambda rows: found.size[rows],
            "true_clusters": lambda rows: found.clusters[0][rows],
            "pred_clusters": lambda rows: found.clusters[1][rows],
            "score": lambda rows: kept(s_h.of(rows) * total, found.mass[rows]),
            **lost,
        }
        return Ordered(columns, costliest(lost["loss"]))

    # ---- clusters

    @property
    def unclustered(self) -> tuple[BoolArray, BoolArray]:
        """Which true and which predicted clusters are points that are in no cluster of the user's."""
        return self.meet.singles

    @cached_property
    def splits(self) -> Table[Split]:
        """A row for every true cluster, costliest first; one without a cluster for points that are in none."""
        meet, (single, _) = self.meet, self.unclustered
        columns = _clusters(meet, self.true_losses, self.scored.split, self.join.of_true)
        if not (single.any() or len(meet.spurious)):
            return Table(_sorted(columns, {"cluster": partial(meet.names, "true")}), Split)
        columns = _whole(columns, single)
        columns = _and_none(columns, meet.spurious, "spurious_loss", meet.total)
        return Table(_united(columns, {"cluster": partial(meet.names, "true")}), Split)

    @cached_property
    def merges(self) -> Table[Merge]:
        """A row for every predicted cluster, costliest first; one without a cluster for points that are in none."""
        meet, (_, single) = self.meet, self.unclustered
        columns = _clusters(meet.transpose(), self.pred_losses, self.scored.merge, self.join.of_pred)
        if not (single.any() or len(meet.missing)):
            return Table(_sorted(columns, {"cluster": partial(meet.names, "pred")}), Merge)
        columns = _whole(columns, single)
        columns = _and_none(columns, meet.missing, "missing_loss", meet.total)
        return Table(_united(columns, {"cluster": partial(meet.names, "pred")}), Merge)

    @cached_property
    def cells(self) -> Table[Cell]:
        """A row for every cell, costliest first, and for the points of each cluster that are in none on the other."""
        meet, lost = self.meet, self.cell_loss
        columns = {
            "true": np.where(self.unclustered[0], -1, np.arange(meet.k_true))[meet.true],
            "pred": np.where(self.unclustered[1], -1, np.arange(meet.k_pred))[meet.pred],
            "component": self.join.of_cell,
            "size": meet.size,
            **lost.cells.columns,
        }
        for unmatched, k, name, of, part, costs in (
            (meet.missing, meet.k_true, "true", self.join.of_true, "missing_loss", lost.missing_cost),
            (meet.spurious, meet.k_pred, "pred", self.join.of_pred, "spurious_loss", lost.spurious_cost),
        ):
            count_of = unmatched.count(k)
            some = np.flatnonzero(count_of)
            codes = np.where(self.unclustered[name == "pred"], -1, np.arange(k))[some]
            more = {name: codes, "component": of[some], "size": count_of[some]}
            more |= {"loss": costs[some], part: costs[some]}
            columns = _appended(columns, more, len(some))
        return Table(_united(columns, {side: partial(meet.names, side) for side in ("true", "pred")}), Cell)

    @cached_property
    def true(self) -> Sequence[Any]:
        """The names of the true clusters, by code."""
        return self._names["true"]

    @cached_property
    def pred(self) -> Sequence[Any]:
        """The names of the predicted clusters, by code."""
        return self._names["pred"]

    @cached_property
    def _names(self) -> dict[str, _CodeNames]:
        meet = self.meet
        sides = (("true", meet.k_true), ("pred", meet.k_pred))
        return {side: _CodeNames(k, meet.naming(side)) for side, k in sides}

    def called(self, side: str, codes: Int64Array) -> list[Any]:
        """The names of some clusters of a side, by code."""
        return self._names[side].at(codes)

    @cached_property
    def parts_of_true(self) -> Int64Array:
        """How many cells each true cluster has."""
        return np.diff(self.meet.indptr)

    @cached_property
    def parts_of_pred(self) -> Int64Array:
        """How many cells each predicted cluster has."""
        return np.diff(self.meet.transpose().indptr)

    # ---- from clusters and components to cells

    def cells_of_true(self, true: int) -> CellNumbers:
        """The cells of a true cluster."""
        return np.arange(self.meet.indptr[true], self.meet.indptr[true + 1])

    def cells_of_pred(self, pred: int) -> CellNumbers:
        """The cells of a predicted cluster."""
        indptr = self.meet.transpose().indptr
        return self.meet.transpose_order[indptr[pred] : indptr[pred + 1]]

    @cached_property
    def _of(self) -> dict[str, npt.NDArray[np.int32]]:
        """The component of each true, and of each predicted cluster."""
        return {"true": self.join.of_true, "pred": self.join.of_pred}

    @cached_property
    def _members(self) -> dict[str, tuple[Int64Array, Int64Array]]:
        """The codes of every component's true and predicted clusters."""
        return {side: _core.group_members(codes, len(self.join)) for side, codes in self._of.items()}

    @cached_property
    def _damaged_members(self) -> dict[str, tuple[Int64Array, Int64Array]]:
        """The same of damaged components alone, by their places: as a rule they are few, and nobody asks for others."""
        found = {}
        for side, codes in self._of.items():
            place = self.join.place[codes]
            inside = np.flatnonzero(place >= 0)
            indptr, members = _core.group_members(place[inside], len(self.join.damaged))
            found[side] = indptr, inside[members]
        return found

    def cells_of_component(self, component: int) -> CellNumbers:
        """The cells of a component, ascending."""
        return spans(self.meet.indptr, self.codes_of_component(component, "true"))[1]

    def codes_of_component(self, component: int, side: str) -> Int64Array:
        """The codes of a component's "true" or "pred" clusters, ascending."""
        found = self._found.get((component, side))
        if found is None and "_damaged_members" not in self.__dict__ and len(self._found) < LOOKS:
            found = self._found[component, side] = np.flatnonzero(self._of[side] == component)
        if found is not None:
            return found
        place = int(self.join.place[component])
        if place >= 0:
            indptr, members = self._damaged_members[side]
            return members[indptr[place] : indptr[place + 1]]
        indptr, members = self._members[side]
        return members[indptr[component] : indptr[component + 1]]

    def clusters_of_component(self, component: int, side: str) -> list[Any]:
        """The user's own among them, by name."""
        names, unclustered = (
            (self.true, self.unclustered[0]) if side == "true" else (self.pred, self.unclustered[1])
        )
        codes = self.codes_of_component(component, side)
        return [names[code] for code in codes[~unclustered[codes]].tolist()]

    def meet_of_component(self, component: int) -> Meet:
        """The meet of a component's points alone."""
        return self.meet.part(*(self.codes_of_component(component, side) for side in ("true", "pred")))


def _clusters(meet: Meet, losses: Losses, score: FloatArray, component: Any) -> dict[str, Any]:
    """The rows of the meet (of the transposed one: its columns) with what they lost; clusters by their codes."""
    largest = cache(lambda: best_of_row(meet, meet.size))
    return {
        "cluster": lambda rows: rows,
        "component": component,
        "size": lambda rows: meet.true_size[rows],
        "parts": lambda rows: meet.indptr[rows + 1] - meet.indptr[rows],
        "largest": lambda rows: largest()[rows],
        "score": score,
        **losses.columns,
    }


def _whole(columns: dict[str, Any], single: BoolArray) -> dict[str, Any]:
    """All rows as arrays; clusters that were made for single points are none (-1)."""
    codes = np.arange(len(single))
    made = {name: column(codes) if callable(column) else column for name, column in columns.items()}
    return made | {"cluster": np.where(single, -1, codes)}


def _and_none(columns: dict[str, Any], unmatched: Unmatched, part: str, total: float) -> dict[str, Any]:
    """The rows, and one for the points that are in no cluster of this side, if there are any."""
    if not len(unmatched):
        return columns
    cost = np.array([unmatched.total / total])
    none = {"component": np.array([-1]), "size": np.array([len(unmatched)]), "loss": cost, part: cost}
    return _appended(columns, none, 1)


def _appended(columns: dict[str, Any], more: dict[str, Any], count: int) -> dict[str, Any]:
    """Columns with ``count`` more rows; what is not given of them is no cluster (-1), or 0."""
    out = {}
    for name, column in columns.items():
        nothing = -1 if name in ("cluster", "true", "pred") else 0
        rest = more.get(name, np.full(count, nothing, dtype=column.dtype))
        out[name] = np.concatenate([column, rest])
    return out


def _united(columns: dict[str, Any], names: dict[str, Named]) -> Ordered:
    """Rows, costliest first, with clusters by name; points in no cluster (-1) are one row for all that are alike.

    ``names`` names the clusters of each column of codes. What the rows of several components make has none (-1).
    """
    none = np.logical_or.reduce([columns[name] < 0 for name in names])
    if none.any():
        some, rest = np.flatnonzero(none), np.flatnonzero(~none)
        keys = np.stack([columns[name][some] for name in names])
        _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        turn = np.argsort(first)  # in the order of their first rows
        k, first, group = len(first), first[turn], np.argsort(turn)[group.ravel()]
        size, component = columns["size"][some], columns["component"][some]
        inside = component[first]
        scattered = np.bincount(group[component != inside[group]], minlength=k) > 0
        of = {"component": np.where(scattered, -1, inside)}
        if "score" in columns:
            mean = np.bincount(group, columns["score"][some] * size, k) / np.bincount(group, size, k)
            of |= {"score": mean, "largest": np.zeros(k, dtype=np.int64)}
            np.maximum.at(of["largest"], group, columns["largest"][some])
        of |= {name: columns[name][some][first] for name in names}
        for name, column in columns.items():
            if name not in of:
                of[name] = np.bincount(group, column[some], k).astype(column.dtype)
        columns = {name: np.concatenate([column[rest], of[name]]) for name, column in columns.items()}
    return _sorted(columns, names)


def _sorted(columns: dict[str, Any], names: dict[str, Named]) -> Ordered:
    """Rows, costliest first, with clusters by name."""

    def named(name: str) -> Named:
        call, codes = names[name], columns[name]
        if callable(codes):
            return lambda rows: call(codes(rows))
        if not (codes < 0).any():
            return lambda rows: call(codes[rows])

        def or_none(rows: Int64Array) -> AnyArray:
            chosen = codes[rows]
            called = np.full(len(rows), None, dtype=object)
            called[chosen >= 0] = call(chosen[chosen >= 0])
            return called

        return or_none

    return Ordered(columns | {name: named(name) for name in names}, costliest(columns["loss"]))


def kept(lost: FloatArray, mass: npt.NDArray[Any]) -> FloatArray:
    """1 − lost/mass, from 0 to 1: what a group of points scores by itself; 1 where nothing counts."""
    share = np.divide(lost, mass, out=np.zeros(len(lost)), where=mass > 0)
    score: FloatArray = np.clip(1.0 - share, 0.0, 1.0)
    return score
