"""Two clusterings compared in tables: with the meet brought into memory when it fits, otherwise in the engine."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff import _core
from clusterdiff.diff.analysis import Merge, Split
from clusterdiff.diff.comparison import USUAL, AnyMeasure, Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.explain import Explanation
from clusterdiff.diff.loss import Loss
from clusterdiff.errors import ArgumentError, MeasureError
from clusterdiff.meet.lattice import KINDS
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import refusal
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import AnyArray, IntArray, Labels
from clusterdiff.table import Table
from clusterdiff.tables.engines.cells import (
    Cells,
    Choices,
    Located,
    Own,
    as_objects,
    assemble,
    encoded,
    group,
    load,
    locate,
    numbers,
)
from clusterdiff.tables.engines.components import components
from clusterdiff.tables.engines.native import Frame, plain
from clusterdiff.tables.engines.sides import if_else
from clusterdiff.tables.engines.sums import EngineSums, InEngine
from clusterdiff.tables.engines.tables import Points as TablePoints
from clusterdiff.tables.engines.tables import flag

c = nw.col
#: How many of the costliest components and clusters an engine lists.
LISTED = 1000
#: The usual measures, without the one that is not a sum over cells.
SUMS = tuple(name for name in USUAL if name != "A")
UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}


class TableComparison(Comparison):
    """Two clusterings of tables, their meet in memory. Made by :func:`clusterdiff.compare_tables`."""

    #: Where the scores come from: the meet in "memory", or the "engine".
    where: Literal["memory", "engine"] = "memory"

    def __init__(self, meet: Meet, cells: Cells, group: Any = None) -> None:
        self.meet = meet.with_points(lambda: self._located.cell) if self.where == "memory" else meet
        self.weights = None
        self._cells = cells
        self._group = group
        self._aligned = cast(Any, cells.choices)

    @property
    def engine(self) -> str:
        """The engine that grouped the points: "duckdb", "polars", "spark", …"""
        return self._cells.engine.name

    # The points stay in their tables until somebody asks for them.

    @property
    def true(self) -> Clustering:
        """The true clustering of the points compared."""
        return Clustering.of(Labels(self._located.true, self.meet.true_names, None), self._located.points)

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points compared."""
        return Clustering.of(Labels(self._located.pred, self.meet.pred_names, None), self._located.points)

    @property
    def points(self) -> Points:
        """The names of the points compared, in their order; their positions if they have none."""
        return self._located.points

    @cached_property
    def _located(self) -> Located:
        return locate(self._cells, self.meet, self._group)

    def _points_of(self, component: int) -> list[Hashable]:
        return _points_in(self._cells, *(self._clusters_of(component, side) for side in ("true", "pred")))

    def _sentences(self) -> list[str]:
        return [*super()._sentences(), self._went()]

    def _went(self) -> str:
        return f"grouped by {self.engine}, {len(self.meet):,} cells brought into memory"


class EngineComparison(TableComparison):
    """Two clusterings of tables, their meet too large for memory and left in the engine.

    It has the scores that are sums over cells, the losses, the number of components of each kind, and the
    costliest components and clusters (1,000 at most). ``costliest`` is a comparison in memory of as many of the
    costliest components as the budget allows, with everything a comparison has.
    """

    where = "engine"

    def __init__(self, cells: Cells, budget: int) -> None:
        super().__init__(cast(Any, InEngine(cells)), cells)
        self._budget = budget

    @property
    def _sums(self) -> EngineSums:
        return cast(InEngine, self.meet).sums

    @property
    def loss(self) -> Loss:
        """What S_H lost, in all and to splits and merges."""
        return self._sums.loss

    def _went(self) -> str:
        return f"computed in {self.engine}: {len(self.meet):,} cells stayed there (budget {self._budget:,} bytes)"

    # ---- components

    @cached_property
    def _differing(self) -> tuple[Frame, dict[str, int]]:
        """The cells of components that are not the same on both sides, and how many cells of which kind."""
        engine = self._cells.engine
        rows = self._sums.sides.scored("h", ["t_parts", "p_parts"])
        f, g, w = c("f"), c("g"), c("w")
        total = self._sums.total
        one_true, one_pred = (c(x).is_null() | (c(f"{x}_parts") == 1) for x in ("t", "p"))
        rows = rows.with_columns(
            same=flag(one_true & one_pred),
            split=w * (1.0 - f) * (1.0 + g) / 2 / total,
            merge=w * (1.0 - g) * (1.0 + f) / 2 / total,
            # every cluster's cells add up to one cluster
            true_part=if_else(
                c("t").is_null(), c("k") * 1.0, c("k") / if_else(c("t").is_null(), nw.lit(1), c("t_parts"))
            ),
            pred_part=if_else(
                c("p").is_null(), c("k") * 1.0, c("k") / if_else(c("p").is_null(), nw.lit(1), c("p_parts"))
            ),
        )
        keep = ["t", "p", "m", "w", "k", "split", "merge", "true_part", "pred_part"]
        keep += ["ww", "wl"] * self._cells.points.weighted
        with engine.running():
            kept = engine.keep(rows.filter(c("same") == 0).select(*keep))
            same = self._sums._one(rows.filter(c("same") == 1).select(cells=c("k").sum()))["cells"]
            rest = self._sums._one(kept.select(cells=c("k").sum()))["cells"]
        return kept, {"same": same, "rest": rest}

    def _cell_limit(self) -> int:
        return self._budget * (self._cells.rows + self._cells.alone) // max(self._cells.bytes, 1)

    @cached_property
    def _in_memory(self) -> TableComparison | None:
        """All components that are not the same, if they fit."""
        frame, counts = self._differing
        if counts["rest"] == 0 or counts["rest"] > self._cell_limit():
            return None
        return self._brought(frame)

    def _brought(self, frame: Frame) -> TableComparison:
        """A comparison in memory of some whole components; a row of points that are alone becomes a cell for each."""
        engine, points = self._cells.engine, self._cells.points
        with engine.running():
            got = engine.fetch(frame.select("t", "p", "m", "k", *["w", "ww", "wl"] * points.weighted))
        true, pred = encoded(got["t"]), encoded(got["p"])
        copies = np.where((true[0] < 0) | (pred[0] < 0), numbers(got["k"], np.int64), 1)
        row = np.repeat(np.arange(len(copies)), copies)
        # A row's mass is shared out evenly: what a cluster of several cells adds up to stays exact.
        weights = [numbers(got[x])[row] / copies[row] for x in ("w", "ww", "wl")] if points.weighted else None
        true, pred = (_made_up(codes[row], names) for codes, names in (true, pred))
        meet, _ = assemble(self._cells, true, pred, numbers(got["m"], np.int64)[row] // copies[row], weights)
        return TableComparison(meet, self._cells)

    def _numbered(self) -> tuple[Frame, int, int]:
        """The cells that differ with the numbers of their clusters, t_code and p_code; how many there are of each.

        One join at a time: what two of them hold in memory at once may be more than there is.
        """
        engine, rows, counts = self._cells.engine, self._differing[0], []
        for key in ("t", "p"):
            names = rows.filter(~c(key).is_null()).group_by(key).agg(rows=nw.len()).select(key)
            codes = engine.number(names, key)
            counts.append(int(engine.row(codes.select(n=nw.len()))["n"]))
            joined = engine.keep(rows.join(codes.rename({"code": f"{key}_code"}), on=key, how="left"))
            engine.free(codes)
            if key == "p":
                engine.free(rows)
            rows = joined
        return rows, counts[0], counts[1]

    @cached_property
    def _components_in_engine(self) -> tuple[Frame, Frame]:
        """The cells that differ with their component, and the components with what they lost."""
        engine = self._cells.engine
        with engine.running():
            rows, shift, count = self._numbered()
            linked = rows.filter(~c("t").is_null() & ~c("p").is_null())
            # Where a join leaves nulls, pandas turns integers into floats.
            edges = linked.select(u=c("t_code").cast(nw.Int64), v=c("p_code").cast(nw.Int64) + shift)
            label = components(engine, edges, shift + count)
            vertex = if_else(c("t").is_null(), c("p_code") + shift, c("t_code")).cast(nw.Int64)
            placed = rows.with_columns(vertex=vertex)
            placed = placed.join(label, on="vertex", how="left")
            placed = engine.keep(
                placed.with_columns(component=nw.coalesce("component", "vertex").cast(nw.Int64))
            )
            engine.free(label)
            engine.free(rows)
            parts = {x: c(x).sum() for x in ("split", "merge", "m", "w", "k", "true_part", "pred_part")}
            found = (
                placed.group_by("component")
                .agg(**parts)
                .with_columns(
                    lost=c("split") + c("merge"),
                    true=c("true_part").round(0).cast(nw.Int64),
                    pred=c("pred_part").round(0).cast(nw.Int64),
                )
            )
            return placed, engine.keep(found)

    @cached_property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind."""
        same = self._differing[1]["same"]
        if self._differing[1]["rest"] == 0:
            return dict.fromkeys(KINDS, 0) | {"same": same}
        if self._in_memory is not None:
            return self._in_memory.kinds | {"same": same}
        split, merged = c("pred") > 1, c("true") > 1
        found = self._components_in_engine[1].select(
            split=flag(split & ~merged).sum(),
            merge=flag(~split & merged).sum(),
            mixed=flag(split & merged).sum(),
        )
        return {"same": same, **self._sums._one(found)}

    @cached_property
    def components(self) -> Table[Component]:
        """The costliest components, costliest first; those that are the same on both sides are left out."""
        near = self._in_memory
        if near is not None:
            share = near.meet.total / self.meet.total
            columns = {name: near.components[name] for name in near.components.columns}
            columns |= {name: columns[name] * share for name in ("loss", "split_loss", "merge_loss")}
            return Table(columns, cast(Any, partial(Component, near)))
        if self._differing[1]["rest"] == 0:
            return Table({name: [] for name in COMPONENT_COLUMNS}, cast(Any, partial(Component, self)))
        engine = self._cells.engine
        with engine.running():
            found = (
                self._components_in_engine[1].sort("lost", "component", descending=[True, False]).head(LISTED)
            )
            got = {name: numbers(column) for name, column in engine.fetch(found).items()}
        mass = got["w"] / self.meet.total
        counts = {name: got[name].astype(np.int64) for name in ("component", "m", "true", "pred")}
        kind = (counts["pred"] > 1) + 2 * (counts["true"] > 1)
        values = (
            counts["component"],
            np.asarray(KINDS, dtype=object)[kind],
            counts["m"],
            counts["true"],
            counts["pred"],
            np.clip(1.0 - np.divide(got["lost"], mass, out=np.zeros_like(mass), where=mass > 0), 0.0, 1.0),
            got["lost"],
            got["split"],
            got["merge"],
        )
        return Table(dict(zip(COMPONENT_COLUMNS, values, strict=True)), cast(Any, partial(Component, self)))

    @cached_property
    def costliest(self) -> TableComparison:
        """The costliest components in memory, as many as the budget allows, as a comparison of their own."""
        if self._in_memory is not None:
            return self._in_memory
        placed, found = self._components_in_engine
        engine = self._cells.engine
        with engine.running():
            ranked = engine.fetch(found.sort("lost", "component", descending=[True, False]).head(LISTED))
            fits = np.cumsum(numbers(ranked["k"], np.int64)) <= self._cell_limit()
            chosen = numbers(ranked["component"], np.int64)[: int(fits.sum())].tolist()
        if not chosen:
            raise ArgumentError(
                "the costliest component alone is larger than the budget "
                f"({int(numbers(ranked['k'], np.int64)[0]):,} cells).",
                "allow a larger budget=.",
            )
        return self._brought(placed.filter(c("component").is_in(chosen)))

    def _rows_of(self, component: int) -> Frame:
        return self._components_in_engine[0].filter(c("component") == component)

    def _clusters_of(self, component: int, side: str) -> list[Any]:
        key = "t" if side == "true" else "p"
        with self._cells.engine.running():
            names = self._rows_of(component).group_by(key).agg(k=c("k").sum()).sort(key)
            got = self._cells.engine.fetch(names)
        real = [(name, k) for name, k in zip(plain(got[key]), plain(got["k"]), strict=True)]
        out: list[Any] = [name for name, _ in real if name is not None and name == name]
        alone = sum(int(k) for name, k in real if name is None or name != name)
        return out + [Own.of("alone", number + 1) for number in range(alone)]

    def _meet_of(self, component: int) -> Meet:
        return self._brought(self._rows_of(component)).meet

    def explain(self, top: int = 10, sides: tuple[str, str] = ("true", "predicted")) -> Explanation:
        """Where the score was lost, if all components that are not the same fit the budget."""
        near = self._in_memory
        if near is None:
            raise MeasureError(
                "the components that differ do not fit the budget, and cannot all be told of.",
                "allow a larger budget=, or see .components and .costliest.explain().",
            )
        told = near.explain(top, sides)
        share = near.meet.total / self.meet.total
        stories = [replace(story, component=self.components[i]) for i, story in enumerate(told.stories)]
        return replace(
            told,
            score=self.score(),
            loss=self.loss,
            components=sum(self.kinds.values()),
            kinds={kind: Loss(*(x * share for x in loss)) for kind, loss in told.kinds.items()},
            stories=stories,
        )

    # ---- clusters

    @cached_property
    def splits(self) -> Table[Split]:
        """The costliest true clusters, costliest first; ``component`` is not known here and -1."""
        return self._costliest_clusters("t", self._sums.sides.true, Split)

    @cached_property
    def merges(self) -> Table[Merge]:
        """The costliest predicted clusters, costliest first; ``component`` is not known here and -1."""
        return self._costliest_clusters("p", self._sums.sides.pred, Merge)

    def _costliest_clusters(self, key: str, side: Frame, row: Any) -> Table[Any]:
        engine, total = self._cells.engine, self._sums.total
        f, g, w = c("f"), c("g"), c("w") / total
        rows = self._sums.sides.scored("h").with_columns(
            split_loss=w * (1.0 - f) * (1.0 + g) / 2, merge_loss=w * (1.0 - g) * (1.0 + f) / 2
        )
        by_cluster = rows.filter(~c(key).is_null()).group_by(key)
        lost = by_cluster.agg(split_loss=c("split_loss").sum(), merge_loss=c("merge_loss").sum())
        lost = lost.with_columns(loss=c("split_loss") + c("merge_loss"))
        lost = lost.sort("loss", key, descending=[True, False]).head(LISTED).join(side, on=key, how="inner")
        named = {"cluster": key, "size": f"{key}_size", "parts": f"{key}_parts", "largest": f"{key}_biggest"}
        chosen = {name: c(column) for name, column in named.items()} | {"score": c(f"{key}_h")}
        with engine.running():
            losses = ("loss", "split_loss", "merge_loss")
            got = engine.fetch(lost.select(**chosen, **{name: c(name) for name in losses}))
        out = {
            name: np.asarray(plain(column), dtype=object if name == "cluster" else None)
            for name, column in got.items()
        }
        order = np.argsort(-out["loss"], kind="stable")
        out["component"] = np.full(len(order), -1)
        return Table({name: out[name][order] for name in row._fields}, row)

    # What reads the cells, and has to be asked of `costliest`.

    def repairs(self) -> NoReturn:
        """Refused: it reads the cells."""
        raise refusal("repairs()", "cells", self.meet)

    def patch(self) -> NoReturn:
        """Refused: it reads the cells."""
        raise refusal("patch()", "cells", self.meet)

    def by(self, column: object) -> NoReturn:
        """Refused: it reads the points."""
        raise refusal("by()", "points", self.meet)

    def normalised(self, measure: AnyMeasure) -> NoReturn:
        """Refused: it reads the sizes of all clusters."""
        raise refusal("normalised()", "cells", self.meet)

    def plot(self, kind: str = "flow", ax: Any = None) -> NoReturn:
        """Refused: it reads the cells."""
        raise refusal("plot()", "cells", self.meet)

    def report(self, *arguments: Any, **options: Any) -> NoReturn:
        """Refused: it reads the cells."""
        raise refusal("report()", "cells", self.meet)

    @property
    def mapping(self) -> NoReturn:
        """Refused: it reads the cells."""
        raise refusal("mapping", "cells", self.meet)

    def to_dict(self, measures: Iterable[AnyMeasure] = SUMS, top: int | None = 10) -> dict[str, Any]:
        """The whole comparison as plain values, with the ``top`` costliest components."""
        return super().to_dict(measures, top)

    def _sentences(self) -> list[str]:
        loss = self.loss
        return [
            f"S_H = {self.score():.4f} for {self.n:,} points in {self.meet.k_true:,} true and "
            f"{self.meet.k_pred:,} predicted clusters",
            f"lost {loss.total:.4f}: {loss.split:.4f} to splits, {loss.merge:.4f} to merges",
            self._went(),
        ]


COMPONENT_COLUMNS = (
    "component", "kind", "size", "true_clusters", "pred_clusters", "score", "loss", "split_loss", "merge_loss",
)  # fmt: skip


def _made_up(codes: IntArray, names: AnyArray) -> tuple[IntArray, AnyArray]:
    """Clusters of their own, with names, for the codes -1."""
    alone = np.flatnonzero(codes < 0)
    if not alone.size:
        return codes, names
    codes = codes.copy()
    codes[alone] = len(names) + np.arange(alone.size)
    out = np.empty(len(names) + alone.size, dtype=object)
    out[: len(names)] = names
    out[len(names) :] = [Own.of("alone", number + 1) for number in range(alone.size)]
    return codes, out


def _points_in(cells: Cells, true: list[Any], pred: list[Any]) -> list[Hashable]:
    """The points of the clusters named, which make up a component."""
    points, choices = cells.points, cells.choices
    if not points.named:
        raise ArgumentError("the points have no names.", "pass point=, the column that names them.")
    real = {side: [x for x in names if not isinstance(x, Own)] for side, names in (("t", true), ("p", pred))}
    if not real["t"] and not real["p"]:
        return [name.point for name in true]
    frame = points.frame
    if choices.missing == "drop":
        frame = frame.filter(~c("t").is_null() & ~c("p").is_null())
    if choices.noise is not None and choices.noise_as == "drop":
        for side in ("t", "p"):
            frame = frame.filter(c(side).is_null() | (c(side) != choices.noise))
    if points.by:
        group = next(name[0] for names in real.values() for name in names)
        frame = frame.filter(c("s") == group)
        real = {side: [name[1] for name in names] for side, names in real.items()}
    chosen = [c(side).is_in(names) for side, names in real.items() if names]
    frame = frame.filter(nw.any_horizontal(*chosen, ignore_nulls=True))
    name = nw.coalesce("i", "j") if len(points.sides) == 2 else c("i")
    with cells.engine.running():
        return plain(cells.engine.fetch(frame.select(point=name).sort("point"))["point"])


# ---- groups


class Groups(Mapping[Any, TableComparison]):
    """A comparison for each value of a column, and ``pooled``, that of all points with clusters kept apart by it.

    S* of the whole is the mean of S* of the groups, weighted by their points, since no cluster spans two of them.
    """

    def __init__(self, pooled: TableComparison, groups: AnyArray) -> None:
        self.pooled = pooled
        self._codes, first, _ = _core.encode_objects(groups)
        self._place = {groups[i]: code for code, i in enumerate(first.tolist())}

    def __getitem__(self, group: Any) -> TableComparison:
        meet = self.pooled.meet
        mine = np.flatnonzero(self._codes == self._place[group])
        part = meet.restrict(np.unique(meet.true[mine]))
        true, pred = (
            as_objects([name[1] for name in side.tolist()]) for side in (part.true_names, part.pred_names)
        )
        alone = Meet(part.cells, true, pred, weights=part.weights, moments=part.moments)
        return TableComparison(alone, self.pooled._cells, group)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    def scores(self, measures: Iterable[AnyMeasure] = USUAL) -> Table[Any]:
        """A row a group: its number of points and its scores."""
        wanted = list(measures)
        rows = [(group, diff.n, diff.scores(wanted)) for group, diff in self.items()]
        names = list(rows[0][2])
        columns: dict[str, Any] = {
            "group": as_objects([row[0] for row in rows]),
            "n": [row[1] for row in rows],
        }
        return Table(columns | {name: [row[2][name] for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"{len(self):,} groups, pooled:\n{self.pooled!r}"


# ---- choosing


def compare_points(
    points: TablePoints, choices: Choices, budget: int | str | None
) -> TableComparison | Groups:
    """Group the points and compare: in memory if the meet fits the budget, otherwise in the engine."""
    allowed = read_bytes(budget) if budget is not None else memory() // 4
    cells = group(points, choices)
    if cells.bytes > allowed:
        if points.by:
            raise ArgumentError(
                f"`by` needs the meet in memory, about {cells.bytes:,} bytes; the budget is {allowed:,}.",
                "allow a larger budget=, or compare the groups one by one.",
            )
        return EngineComparison(cells, allowed)
    meet, groups = load(cells)
    diff = TableComparison(meet, cells)
    return diff if groups is None else Groups(diff, groups)


def read_bytes(size: int | str) -> int:
    """A number of bytes, also as text.

    >>> read_bytes("1.5 GB"), read_bytes("512MiB"), read_bytes(1000)
    (1500000000, 536870912, 1000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", str(size).lower())
    if match is None or match[2] not in UNITS:
        raise ArgumentError(f"a size must be a number of bytes, such as 4000000000 or '4GB'; got {size!r}.")
    return int(float(match[1]) * UNITS[match[2]])


def memory() -> int:
    """The memory of this machine in bytes, or of the container that this runs in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(physical, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # no container, or one without a limit
        return physical
