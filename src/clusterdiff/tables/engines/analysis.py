"""What is found in an engine about a comparison whose meet stays there: losses, components, costliest clusters."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property, lru_cache
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.analysis import Analysis, Merge, Split
from clusterdiff.diff.components import Component, Place, rows
from clusterdiff.diff.loss import Loss
from clusterdiff.errors import ArgumentError, EngineError
from clusterdiff.meet.lattice import KINDS
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import single
from clusterdiff.table import Table
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.components import components
from clusterdiff.tables.engines.loading import load_part, numbers, points_alone
from clusterdiff.tables.engines.native import Frame, plain
from clusterdiff.tables.engines.sides import if_else
from clusterdiff.tables.engines.source import EngineSource
from clusterdiff.tables.engines.sums import InEngine
from clusterdiff.tables.engines.tables import flag

c = nw.col
#: How many of the costliest components and clusters an engine lists.
LISTED = 1000
COMPONENT_COLUMNS = (
    "component", "kind", "size", "true_clusters", "pred_clusters", "score", "loss", "split_loss", "merge_loss",
    "missing_loss", "spurious_loss",
)  # fmt: skip
#: What each cell adds to the number of clusters of its component, and to the points that are in none.
PARTS = ("true_part", "pred_part", "true_alone", "pred_alone")
Part = tuple[Meet, EngineSource]


class EngineAnalysis:
    """Losses, components and the costliest clusters of cells that stay in their engine.

    Components that are the same on both sides are only counted. Of the others those that fit the budget can be
    brought into memory: ``everything`` if all do, otherwise the ``costliest``.
    """

    def __init__(self, cells: Cells, summed: InEngine, budget: int) -> None:
        self.summed = summed
        self._cells = cells
        self._sides = summed.sums.sides
        self._budget = budget
        self._brought_last = lru_cache(maxsize=1)(self._brought_component)

    def __reduce__(self) -> NoReturn:
        raise EngineError(
            f"components whose cells are in {self._cells.engine.name} cannot be copied or pickled.",
            "copy or pickle those of .costliest, or .to_dict(), instead, or allow a larger budget=.",
        )

    @property
    def loss(self) -> Loss:
        """What S_H lost, in all and to splits and merges."""
        return self.summed.sums.loss

    # ---- components that differ

    @cached_property
    def _differing(self) -> tuple[Frame, dict[str, int]]:
        """The cells of components that are not the same on both sides, and how many cells of which kind."""
        engine, points = self._cells.engine, self._cells.points
        scored = self._sides.scored("h", ["t_parts", "p_parts"])
        f, g, w = c("f"), c("g"), c("w")
        total = self._cells.mass
        one_true, one_pred = (c(x).is_null() | (c(f"{x}_parts") == 1) for x in ("t", "p"))
        scored = scored.with_columns(
            same=flag(one_true & one_pred),
            split=w * (1.0 - f) * (1.0 + g) / 2 / total,
            merge=w * (1.0 - g) * (1.0 + f) / 2 / total,
            # every cluster's cells add up to one cluster
            **{
                f"{side}_part": if_else(
                    c(x).is_null(), c("k") * 1.0, c("k") / if_else(c(x).is_null(), nw.lit(1), c(f"{x}_parts"))
                )
                for side, x in (("true", "t"), ("pred", "p"))
            },
            # points in no cluster
            **{
                f"{side}_alone": if_else(c(x).is_null(), c("k"), nw.lit(0))
                for side, x in (("true", "t"), ("pred", "p"))
            },
        )
        keep = ["t", "p", "m", "w", "k", "split", "merge", *PARTS]
        keep += ["ww", "wl"] * points.weighted
        keep += ["within", *(f"c{j}" for j in range(points.features))] if points.features else []
        with engine.running():
            kept = engine.keep(scored.filter(c("same") == 0).select(*keep))
            same = self._count(scored.filter(c("same") == 1).select(cells=c("k").sum()))["cells"]
            rest = self._count(kept.select(cells=c("k").sum()))["cells"]
        return kept, {"same": same, "rest": rest}

    @property
    def same(self) -> int:
        """How many components are the same on both sides."""
        return self._differing[1]["same"]

    def _count(self, frame: Frame) -> dict[str, int]:
        return {name: int(value) for name, value in self._cells.engine.row(frame).items()}

    def _cell_limit(self) -> int:
        return self._budget * (self._cells.rows + self._cells.alone) // max(self._cells.bytes, 1)

    @cached_property
    def everything(self) -> Part | None:
        """All components that are not the same, if there are any and they fit the budget."""
        frame, counts = self._differing
        if counts["rest"] == 0 or counts["rest"] > self._cell_limit():
            return None
        return self._brought(frame)

    def _brought(self, frame: Frame) -> Part:
        """A meet in memory of some whole components, and its points."""
        alone = None
        if self._cells.alone:
            # Points that are alone on one side belong to the component of their cluster on the other.
            single, parts = points_alone(self._cells), []
            for key, own in (("t", "po"), ("p", "to")):
                named = frame.filter(~c(key).is_null()).group_by(key).agg(rows=nw.len()).select(key)
                mine = single.filter((c(own) > 0) & (c(f"{key}o") == 0))
                parts.append(mine.join(named, on=key, how="semi"))
            alone = nw.concat(parts, how="vertical")
        meet, locator = load_part(self._cells, frame, alone)
        return meet, EngineSource(meet, locator)

    # ---- components in the engine

    def _numbered(self) -> tuple[Frame, int, int]:
        """The cells that differ with the numbers of their clusters, t_code and p_code; how many there are of each.

        One join at a time: what two of them hold in memory at once may be more than there is.
        """
        engine, cells, counts = self._cells.engine, self._differing[0], []
        for key in ("t", "p"):
            names = cells.filter(~c(key).is_null()).group_by(key).agg(rows=nw.len()).select(key)
            codes = engine.number(names, key)
            counts.append(self._count(codes.select(n=nw.len()))["n"])
            joined = engine.keep(cells.join(codes.rename({"code": f"{key}_code"}), on=key, how="left"))
            engine.free(codes)
            if key == "p":
                engine.free(cells)
            cells = joined
        return cells, counts[0], counts[1]

    @cached_property
    def _in_engine(self) -> tuple[Frame, Frame]:
        """The cells that differ with their component, and the components with what they lost."""
        engine = self._cells.engine
        with engine.running():
            cells, shift, count = self._numbered()
            linked = cells.filter(~c("t").is_null() & ~c("p").is_null())
            # Where a join leaves nulls, pandas turns integers into floats.
            edges = linked.select(u=c("t_code").cast(nw.Int64), v=c("p_code").cast(nw.Int64) + shift)
            label = components(engine, edges, shift + count)
            vertex = if_else(c("t").is_null(), c("p_code") + shift, c("t_code")).cast(nw.Int64)
            placed = cells.with_columns(vertex=vertex)
            placed = placed.join(label, on="vertex", how="left")
            placed = engine.keep(
                placed.with_columns(component=nw.coalesce("component", "vertex").cast(nw.Int64))
            )
            engine.free(label)
            engine.free(cells)
            parts = {x: c(x).sum() for x in ("split", "merge", "m", "w", "k", *PARTS)}
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
        if self._differing[1]["rest"] == 0:
            return dict.fromkeys(KINDS, 0) | {"same": self.same}
        split, merged = c("pred") > 1, c("true") > 1
        found = self._in_engine[1].select(
            split=flag(split & ~merged).sum(),
            merge=flag(~split & merged).sum(),
            mixed=flag(split & merged).sum(),
        )
        return {"same": self.same, **self._count(found)}

    def _ranked(self) -> Frame:
        return self._in_engine[1].sort("lost", "component", descending=[True, False]).head(LISTED)

    @cached_property
    def components(self) -> Table[Component]:
        """The costliest components, costliest first; those that are the same on both sides are left out."""
        if self._differing[1]["rest"] == 0:
            return rows({name: [] for name in COMPONENT_COLUMNS}, self)
        engine = self._cells.engine
        with engine.running():
            got = {name: numbers(column) for name, column in engine.fetch(self._ranked()).items()}
        mass = got["w"] / self._cells.mass
        whole = ("component", "m", "true", "pred", "true_alone", "pred_alone")
        counts = {name: got[name].astype(np.int64) for name in whole}
        kind = (counts["pred"] > 1) + 2 * (counts["true"] > 1)
        values = (
            counts["component"],
            np.asarray(KINDS, dtype=object)[kind],
            counts["m"],
            counts["true"] - counts["true_alone"],
            counts["pred"] - counts["pred_alone"],
            np.clip(1.0 - np.divide(got["lost"], mass, out=np.zeros_like(mass), where=mass > 0), 0.0, 1.0),
            got["lost"],
            got["split"],
            got["merge"],
            *[np.zeros(len(mass))] * 2,  # nothing is lost in an engine: it needs the points in memory
        )
        return rows(dict(zip(COMPONENT_COLUMNS, values, strict=True)), self)

    @cached_property
    def costliest(self) -> Part:
        """The costliest components, as many as the budget allows."""
        if self.everything is not None:
            return self.everything
        if self._differing[1]["rest"] == 0:
            raise ArgumentError("no component lost anything: the clusterings are the same.")
        engine = self._cells.engine
        with engine.running():
            ranked = engine.fetch(self._ranked())
        sizes = numbers(ranked["k"], np.int64)
        fits = np.cumsum(sizes) <= self._cell_limit()
        chosen = numbers(ranked["component"], np.int64)[: int(fits.sum())].tolist()
        if not chosen:
            raise ArgumentError(
                f"the costliest component alone is larger than the budget ({int(sizes[0]):,} cells).",
                "allow a larger budget=.",
            )
        return self._brought(self._in_engine[0].filter(c("component").is_in(chosen)))

    # ---- the members of a component

    def _brought_component(self, component: int) -> Part:
        return self._brought(self._in_engine[0].filter(c("component") == component))

    def place(self, component: int) -> Place:
        """Where it can be looked at: brought into memory."""
        meet, source = self._brought_last(component)
        return Place(Analysis(meet), source, 0)

    def clusters(self, component: int, side: str) -> list[Any]:
        """The names of its "true" or "pred" clusters, without points that are alone."""
        names = self.meet(component).true_names if side == "true" else self.meet(component).pred_names
        return list(names[~single(names)].tolist())

    def meet(self, component: int) -> Meet:
        """The meet of its points alone."""
        return self._brought_last(component)[0]

    def points(self, component: int) -> list[Hashable]:
        """The names of its points."""
        meet, source = self._brought_last(component)
        return source.points(np.arange(len(meet)))

    # ---- clusters

    @cached_property
    def splits(self) -> Table[Split]:
        """The costliest true clusters, costliest first, and a row for points in none; ``component`` is not -1."""
        return self._costliest_clusters("t", self._sides.true, Split)

    @cached_property
    def merges(self) -> Table[Merge]:
        """The same for predicted clusters."""
        return self._costliest_clusters("p", self._sides.pred, Merge)

    def _costliest_clusters(self, key: str, side: Frame, row: Any) -> Table[Any]:
        engine, total = self._cells.engine, self._cells.mass
        f, g, w = c("f"), c("g"), c("w") / total
        scored = self._sides.scored("h").with_columns(
            split_loss=w * (1.0 - f) * (1.0 + g) / 2, merge_loss=w * (1.0 - g) * (1.0 + f) / 2
        )
        sums = {name: c(name).sum() for name in ("split_loss", "merge_loss")}
        lost = scored.filter(~c(key).is_null()).group_by(key).agg(**sums)
        lost = lost.with_columns(loss=c("split_loss") + c("merge_loss"))
        lost = lost.sort("loss", key, descending=[True, False]).head(LISTED).join(side, on=key, how="inner")
        named = {"cluster": key, "size": f"{key}_size", "parts": f"{key}_parts", "largest": f"{key}_biggest"}
        chosen = {name: c(column) for name, column in named.items()} | {"score": c(f"{key}_h")}
        with engine.running():
            losses = ("loss", "split_loss", "merge_loss")
            got = engine.fetch(lost.select(**chosen, **{name: c(name) for name in losses}))
            single = engine.row(scored.filter(c(key).is_null()).select(size=c("m").sum(), **sums))
        columns = {name: plain(column) for name, column in got.items()}
        if single["size"]:  # points in no cluster, each a part of its own
            row_of = {"cluster": None, "largest": 1, "score": 1.0, **single, "parts": single["size"]}
            row_of["loss"] = single["split_loss"] + single["merge_loss"]
            columns = {name: [*column, row_of[name]] for name, column in columns.items()}
        out = {
            name: np.asarray(column, dtype=object if name == "cluster" else None)
            for name, column in columns.items()
        }
        order = np.argsort(-out["loss"], kind="stable")
        out["component"] = np.full(len(order), -1)
        out |= dict.fromkeys(("missing_loss", "spurious_loss"), np.zeros(len(order)))
        return Table({name: out[name][order] for name in row._fields}, row)
