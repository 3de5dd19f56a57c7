"""What is found in an engine about a comparison whose meet stays there: losses, components, costliest clusters."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.analysis import Analysis, Merge, Split
from clusterdiff.diff.components import Component, Place, rows
from clusterdiff.diff.loss import PARTS, Loss
from clusterdiff.diff.slices import Slice
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, EngineError
from clusterdiff.meet.lattice import KINDS, UNEVEN_KINDS
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import BoolArray, Int64Array, single
from clusterdiff.table import Table
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.components import components
from clusterdiff.tables.engines.expressions import if_else, shared_row
from clusterdiff.tables.engines.inside import read_again
from clusterdiff.tables.engines.loading import load_part, numbers, ungrouped_points
from clusterdiff.tables.engines.losses import COUNTS, RowLosses
from clusterdiff.tables.engines.lost import POINT_BYTES, compare_lost, lost_points
from clusterdiff.tables.engines.native import Engine, Frame, asked, flag, plain
from clusterdiff.tables.engines.shapes import LOST, EngineShapes
from clusterdiff.tables.engines.slices import slice_table
from clusterdiff.tables.engines.source import EngineSource
from clusterdiff.tables.engines.sums import InEngine
from clusterdiff.wording import count

c = nw.col
#: How many of the costliest components and clusters an engine lists.
LISTED = 1000
COMPONENT_COLUMNS = (
    "component", "kind", "size", "true_clusters", "pred_clusters", "score", "loss", "split_loss", "merge_loss",
    "missing_loss", "spurious_loss",
)  # fmt: skip
#: What each cell adds to the number of clusters of its component, and to the points that are in none.
CLUSTERS = ("true_part", "pred_part", "true_unclustered", "pred_unclustered")
Part = tuple[Meet, PointSource]


class EngineAnalysis:
    """Losses, components and the costliest clusters of cells that stay in their engine.

    Components that are the same on both sides are only counted. Of the others those that fit the budget can be
    fetched into memory: ``everything`` if all do, otherwise the ``costliest``.
    """

    def __init__(self, cells: Cells, summed: InEngine, budget: int) -> None:
        self.summed = summed
        self._cells = cells
        self.losses = RowLosses(summed)
        self._budget = budget
        self._brought_last = lru_cache(maxsize=1)(self._brought_component)

    def __reduce__(self) -> NoReturn:
        raise EngineError(
            f"components whose cells are in {self._cells.engine.name} cannot be copied or pickled.",
            [
                Message("copy or pickle those of `.costliest`, or `.to_dict()`, instead"),
                Message("allow a larger `budget=`"),
            ],
        )

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self._cells.engine

    @property
    def loss(self) -> Loss:
        """What S_H lost, in all and to splits and merges."""
        return self.summed.loss

    # ---- components that differ

    @asked
    def _differing(self) -> tuple[Frame, dict[str, Any]]:
        return self.losses.ask(self._find_differing)

    def _find_differing(self) -> tuple[Frame, dict[str, Any]]:
        """The cells of components that are not the same on both sides, and what there is beside them.

        ``same`` components have ``same_m`` points, and ``rest`` says how much the others are: cells, or points where
        these count as lost. ``missing`` and ``spurious`` points are in no cluster of theirs either, as noise is.
        """
        engine, points, lost = self._cells.engine, self._cells.points, self._cells.lost
        scored = self.losses.rows("parts", *(["size", "shared"] if lost else []))
        one_true, one_pred = (c(x).is_null() | self._unsplit(x) for x in ("t", "p"))
        scored = scored.with_columns(
            same=flag(one_true & one_pred & shared_row() if lost else one_true & one_pred),
            nowhere=flag(c("t").is_null() & c("p").is_null() & ~shared_row()) if lost else nw.lit(0),
            **{name: c(name) / self._cells.mass for name in self.losses.parts},
            **{
                f"{side}_part": if_else(c(x).is_null(), c("k") * 1.0, self._share_of(x))
                for side, x in (("true", "t"), ("pred", "p"))
            },
            # points in no cluster
            **{
                f"{side}_unclustered": nw.when(c(x).is_null()).then(c("k")).otherwise(nw.lit(0))
                for side, x in (("true", "t"), ("pred", "p"))
            },
            **({"missing_m": c("p_nobody") * c("m"), "spurious_m": c("t_nobody") * c("m")} if lost else {}),
        )
        keep = ["t", "p", "m", "w", "k", *self.losses.parts, *CLUSTERS, *(LOST if lost else ())]
        keep += ["w_squares", "w_logs", "w_points", "w_max", *read_again(points).values()] * points.weighted
        keep += ["within", *(f"c{j}" for j in range(points.features))] if points.features else []
        with engine.running():
            kept = engine.keep(scored.filter((c("same") + c("nowhere")) == 0).select(*keep))
            same = scored.filter(c("same") == 1)
            counts = engine.row(same.select(same=c("k").sum(), same_m=c("m").sum(), same_w=c("w").sum()))
            counts |= engine.row(kept.select(rest=c("m" if lost else "k").sum()))
            if lost:
                unmatched = scored.filter(c("nowhere") == 1)
                found = {name: c(f"{name}_m").sum() for name in ("missing", "spurious")}
                lacks = {"missing": c("p_nobody"), "spurious": c("t_nobody")}
                masses = {f"{name}_w": (mark * c("w")).sum() for name, mark in lacks.items()}
                counts |= engine.row(unmatched.select(**found, **masses))
        return kept, {name: count if name.endswith("_w") else int(count) for name, count in counts.items()}

    def _unsplit(self, side: str) -> Any:
        """Whether a cluster is one cell, and all of it."""
        whole = c(f"{side}_parts") == 1
        return whole & (c(f"{side}_shared") == c(f"{side}_size")) if self._cells.lost else whole

    def _share_of(self, side: str) -> Any:
        """What a row is of its cluster, so that the rows of every cluster add up to one."""
        parts = if_else(c(f"{side}_parts").is_null(), nw.lit(1), c(f"{side}_parts"))
        share = c("k") / if_else(parts == 0, nw.lit(1), parts)
        if not self._cells.lost:
            return share
        # A cluster without a cell has rows of lost points alone: one for each weight.
        return if_else(parts == 0, c("m").cast(nw.Float64) / c(f"{side}_size"), share)

    @property
    def same(self) -> int:
        """How many components are the same on both sides."""
        return int(self._differing[1]["same"])

    def _count(self, frame: Frame) -> dict[str, int]:
        return {name: int(value) for name, value in self._cells.engine.row(frame).items()}

    @property
    def _limit(self) -> int:
        """How many cells may be fetched into memory; points, where these count as lost."""
        if self._cells.lost:
            return self._budget // POINT_BYTES
        return self._budget * (self._cells.rows + self._cells.ungrouped) // max(self._cells.bytes, 1)

    @property
    def _rest(self) -> int:
        """How much there is of what is not the same on both sides."""
        counts = self._differing[1]
        return sum(int(counts.get(name, 0)) for name in ("rest", "missing", "spurious"))

    @asked
    def everything(self) -> Part | None:
        """All components that are not the same, if there are any and they fit the budget."""
        if self._rest == 0 or self._rest > self._limit:
            return None
        return self._brought(self._differing[0], whole=True)

    def _brought(self, frame: Frame, whole: bool = False) -> Part:
        """A meet in memory of some whole components, and its points; ``whole``: of all that differ."""
        if self._cells.lost:
            diff = compare_lost(lost_points(self._cells, frame, whole), self._cells.policy)
            return diff.meet, diff.source
        ungrouped = None
        if self._cells.ungrouped:
            # Points that are alone on one side belong to the component of their cluster on the other.
            single, parts = ungrouped_points(self._cells), []
            for key, own in (("t", "p_own"), ("p", "t_own")):
                named = frame.filter(~c(key).is_null()).group_by(key).agg(rows=nw.len()).select(key)
                mine = single.filter((c(own) > 0) & (c(f"{key}_own") == 0))
                parts.append(mine.join(named, on=key, how="semi"))
            ungrouped = nw.concat(parts, how="vertical")
        meet, locator = load_part(self._cells, frame, ungrouped)
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

    @asked
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
            losses = self.losses.parts
            summed = (*losses, "m", "w", "k", *CLUSTERS, *(LOST if self._cells.lost else ()))
            found = (
                placed.group_by("component")
                .agg(**{x: c(x).sum() for x in summed})
                .with_columns(
                    lost=nw.sum_horizontal(*(c(name) for name in losses)),
                    true=c("true_part").round(0).cast(nw.Int64),
                    pred=c("pred_part").round(0).cast(nw.Int64),
                )
            )
            return placed, engine.keep(found)

    @property
    def _kinds(self) -> tuple[str, ...]:
        return UNEVEN_KINDS if self._cells.lost else KINDS

    @asked
    def _by_kind(self) -> dict[str, dict[str, Any]]:
        """How many components are of each kind, how many points they have, what those weigh and what they lost."""
        counts = self._differing[1]
        nothing: dict[str, Any] = {"components": 0, "m": 0, "w": 0.0, **dict.fromkeys(PARTS, 0.0)}
        out = {kind: dict(nothing) for kind in self._kinds}
        out["same"] |= {"components": counts["same"], "m": counts["same_m"], "w": float(counts["same_w"])}
        if counts["rest"]:
            engine = self._cells.engine
            found = self._in_engine[1].with_columns(
                split_=flag(c("pred") > 1),
                merge_=flag(c("true") > 1),
                missing_=flag(c("missing_m") > 0) if self._cells.lost else nw.lit(0),
                spurious_=flag(c("spurious_m") > 0) if self._cells.lost else nw.lit(0),
            )
            marks = ("split_", "merge_", "missing_", "spurious_")
            sums = {name: c(name).sum() for name in ("m", "w", *self.losses.parts)}
            with engine.running():
                got = engine.fetch(found.group_by(*marks).agg(components=nw.len(), **sums))
            columns = {name: numbers(column) for name, column in got.items()}
            codes = kind_codes(*(columns[mark] > 0 for mark in marks))
            for row, code in enumerate(codes.tolist()):
                found_of = out[self._kinds[code]]
                for name in ("components", *sums):
                    found_of[name] += columns[name][row].item()
        for kind in (
            ("missing", "spurious") if self._cells.lost else ()
        ):  # points in no cluster of either side
            mass = float(counts[f"{kind}_w"])
            more = {"components": counts[kind], "m": counts[kind], "w": mass, kind: mass / self._cells.mass}
            out[kind] = {name: value + more.get(name, 0) for name, value in out[kind].items()}
        return out

    @asked
    def shapes(self) -> EngineShapes:
        """The shapes of the components that differ."""
        counts = self._differing[1]
        outside = {
            kind: (int(counts[kind]), float(counts[f"{kind}_w"]) / self._cells.mass)
            for kind in (("missing", "spurious") if self._cells.lost else ())
        }
        cells = self._in_engine[0] if counts["rest"] else None
        return EngineShapes(self.engine, cells, self.losses.parts, self.loss.total, outside)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind."""
        return {kind: int(found["components"]) for kind, found in self._by_kind.items()}

    def by_kind(self) -> Table[Slice]:
        """The loss by the kind of component."""
        rows = [(kind, found) for kind, found in self._by_kind.items() if found["components"]]
        columns = {name: np.array([found[name] for _, found in rows]) for name in ("m", "w", *PARTS)}
        return slice_table([kind for kind, _ in rows], columns, self._cells.mass, shares=True)

    def _ranked(self) -> Frame:
        return self._in_engine[1].sort("lost", "component", descending=[True, False]).head(LISTED)

    @asked
    def components(self) -> Table[Component]:
        """The costliest components, costliest first; those that are the same on both sides are left out.

        So are lost points that are in no cluster on the other side either, as noise is: ``kinds`` counts them.
        """
        if self._differing[1]["rest"] == 0:
            return rows({name: [] for name in COMPONENT_COLUMNS}, self)
        engine = self._cells.engine
        with engine.running():
            got = {name: numbers(column) for name, column in engine.fetch(self._ranked()).items()}
        mass = got["w"] / self._cells.mass
        whole = ("component", "m", "true", "pred", "true_unclustered", "pred_unclustered")
        counts = {name: got[name].astype(np.int64) for name in whole}
        nothing = np.zeros(len(mass))
        kind = kind_codes(
            counts["pred"] > 1, counts["true"] > 1, *(got.get(name, nothing) > 0 for name in LOST)
        )
        values = (
            counts["component"],
            np.asarray(self._kinds, dtype=object)[kind],
            counts["m"],
            counts["true"] - counts["true_unclustered"],
            counts["pred"] - counts["pred_unclustered"],
            np.clip(1.0 - np.divide(got["lost"], mass, out=np.zeros_like(mass), where=mass > 0), 0.0, 1.0),
            got["lost"],
            *(got.get(name, nothing) for name in PARTS),
        )
        return rows(dict(zip(COMPONENT_COLUMNS, values, strict=True)), self)

    @asked
    def costliest(self) -> Part:
        """The costliest components, as many as the budget allows."""
        if self.everything is not None:
            return self.everything
        if self._rest == 0:
            raise ArgumentError("no component lost anything: the clusterings are the same.")
        engine = self._cells.engine
        with engine.running():
            ranked = engine.fetch(self._ranked())
        sizes = numbers(ranked["m" if self._cells.lost else "k"], np.int64)
        fits = np.cumsum(sizes) <= self._limit
        chosen = numbers(ranked["component"], np.int64)[: int(fits.sum())].tolist()
        if not chosen:
            raise ArgumentError(
                "even the costliest component is larger than the budget "
                f"({count(int(sizes[0]), 'point' if self._cells.lost else 'cell')}).",
                Message("allow a larger `budget=`."),
            )
        return self._brought(self._in_engine[0].filter(c("component").is_in(chosen)))

    # ---- the members of a component

    def _brought_component(self, component: int) -> Part:
        with self.engine.turn:
            return self._brought(self._in_engine[0].filter(c("component") == component))

    def place(self, component: int) -> Place:
        """Where it can be looked at: fetched into memory."""
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
        return list(source.names) if self._cells.lost else source.points(np.arange(len(meet)))

    # ---- clusters

    @asked
    def splits(self) -> Table[Split]:
        """The costliest true clusters, costliest first, and a row for points in none; ``component`` is not -1."""
        return self._costliest_clusters("t", Split)

    @asked
    def merges(self) -> Table[Merge]:
        """The same for predicted clusters."""
        return self._costliest_clusters("p", Merge)

    def _costliest_clusters(self, key: str, row: Any) -> Table[Any]:
        engine, total = self._cells.engine, self._cells.mass
        parts = {f"{name}_loss": name for name in self.losses.parts}
        scored = self.losses.rows()
        scored = scored.with_columns(**{loss: c(name) / total for loss, name in parts.items()})
        sums = {name: c(name).sum() for name in parts}
        lost = scored.filter(~c(key).is_null()).group_by(key).agg(**sums)
        lost = lost.with_columns(loss=nw.sum_horizontal(*(c(name) for name in parts)))
        lost = (
            lost.sort("loss", key, descending=[True, False])
            .head(LISTED)
            .join(self.losses.clusters(key, *COUNTS, "score"), on=key, how="inner")
        )
        named = {"cluster": key, "size": f"{key}_size", "parts": f"{key}_parts", "largest": f"{key}_largest"}
        chosen = {name: c(column) for name, column in named.items()} | {"score": c(f"{key}_score")}
        with engine.running():
            got = engine.fetch(lost.select(**chosen, **{name: c(name) for name in ("loss", *parts)}))
            nowhere = scored.filter(c(key).is_null())
            single = engine.row(nowhere.select(size=c("m").sum(), parts=c("k").sum(), **sums))
        columns = {name: plain(column) for name, column in got.items()}
        if single["size"]:  # points in no cluster, each a part of its own unless the other side lacks it
            row_of = {"cluster": None, "largest": int(single["parts"] > 0), **single}
            row_of |= {"score": single["parts"] / single["size"], "loss": sum(single[name] for name in parts)}
            columns = {name: [*column, row_of[name]] for name, column in columns.items()}
        out = {
            name: np.asarray(column, dtype=object if name == "cluster" else None)
            for name, column in columns.items()
        }
        order = np.argsort(-out["loss"], kind="stable")
        out = dict.fromkeys(("missing_loss", "spurious_loss"), np.zeros(len(order))) | out
        out["component"] = np.full(len(order), -1)
        return Table({name: out[name][order] for name in row._fields}, row)


def kind_codes(split: BoolArray, merged: BoolArray, missing: BoolArray, spurious: BoolArray) -> Int64Array:
    """What happened in components, as indices into ``UNEVEN_KINDS``: see ``Components.kind``."""
    kind = split + 2 * merged
    lost = np.where(missing, np.where(spurious, 3, 4), np.where(spurious, 5, 0))
    return np.where(kind == 0, lost, kind)
