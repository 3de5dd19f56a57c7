"""Shapes of components whose cells stay in their engine: those of memory, from a few GROUP BYs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patterns import Confusion, Shape
from clusterdiff.diff.shapes import CODE, EDITS, SHAPES, TANGLE, size_shares
from clusterdiff.points.labels import FloatArray
from clusterdiff.tables.engines.expressions import if_else
from clusterdiff.tables.engines.loading import numbers
from clusterdiff.tables.engines.native import Engine, Frame, asked, flag, plain

c = nw.col
#: The points of a component that only one side has.
LOST = ("missing_m", "spurious_m")
#: What is charged to a row along the clusters of each side.
CHARGED = {"t": "split", "p": "merge"}


class EngineShapes:
    """What :class:`clusterdiff.diff.shapes.Shapes` says, of components that stay in an engine.

    ``cells`` are the rows of all components that differ, if there are any: see ``EngineAnalysis``. ``outside`` are
    lost points in no cluster of either side, each a component of its own: by kind, how many there are and what they
    lost.
    """

    def __init__(
        self,
        engine: Engine,
        cells: Frame | None,
        parts: tuple[str, ...],
        loss: float,
        outside: dict[str, tuple[int, float]],
    ) -> None:
        self.engine = engine
        self._given = cells
        self._parts = parts
        self._loss = loss
        self._outside = outside

    @property
    def _rows(self) -> Frame:
        assert self._given is not None
        return self._given

    # ---- blame

    @asked
    def _cells(self) -> Frame:
        """The rows with how far each of their cells is off, what they are charged, and how many cells each touches."""
        # Points that are a cluster of their own are as many cells, of one weight each.
        heavy = c("w_max") if "w_max" in self._rows.collect_schema().names() else nw.lit(1.0)
        cells = self._rows.with_columns(
            each=nw.when(c("k") > 1).then(heavy).otherwise(nw.when(c("k") == 1).then(c("w"))),
            points=nw.when(c("k") > 1).then(nw.lit(1)).otherwise(c("m")),
        )
        for key in ("t", "p"):
            cells = self._charged(cells, key)
        reach = c("t_parts") + c("p_parts") - 1
        off = nw.max_horizontal("t_off", "p_off")
        cells = cells.with_columns(reach=reach, moved=c("m") * off)
        return self.engine.keep(cells.with_columns(middle=nw.when(c("reach") == 3).then(c("each"))))

    def _charged(self, cells: Frame, key: str) -> Frame:
        """The same with ``off``, ``parts`` and ``charge`` of a side: see :class:`clusterdiff.diff.blame.Blame`."""
        # Points in no cluster are a group too, which no row is matched with: pandas cannot group what is empty.
        largest = cells.group_by(key).agg(largest=c("each").max())
        top = flag(c("each") == c("largest"))
        sides = (
            cells.join(largest, on=key, how="left")
            .with_columns(ties=top * c("k"), gone=if_else((c("k") > 0) & (top == 0), c("w"), 0.0))
            .group_by(key)
            .agg(
                side_largest=c("largest").max(),
                side_parts=c("k").sum(),
                side_ties=c("ties").sum(),
                side_gone=c("gone").sum(),
                side_lost=c(CHARGED[key]).sum(),
            )
            .with_columns(c("side_parts").cast(nw.Int64), c("side_ties").cast(nw.Float64))
        )
        joined = cells.join(sides, on=key, how="left")
        here = (c("k") > 0) & ~c(key).is_null()
        stayed = here & (c("each") == c("side_largest"))
        off = if_else(stayed, 1.0 - 1.0 / c("side_ties"), if_else(here, 1.0, 0.0))
        gone = c("side_gone") + (c("side_ties") - 1.0) * c("side_largest")
        charge = c("w") * c(f"{key}_off") * c("side_lost") / if_else(gone > 0, gone, 1.0)
        return (
            joined.with_columns(**{f"{key}_off": off})
            .with_columns(
                **{
                    f"{key}_parts": nw.when(here).then(c("side_parts")).otherwise(nw.lit(1)),
                    f"{key}_charge": if_else(here & (gone > 0), charge, 0.0),
                }
            )
            .drop("side_largest", "side_parts", "side_ties", "side_gone", "side_lost")
        )

    # ---- components

    @asked
    def _components(self) -> Frame:
        """The components with the codes of their shapes; ``tangled`` are described cell by cell."""
        lost = LOST if len(self._parts) > 2 else ()
        sums = {name: c(name).sum() for name in (*self._parts, "m", "k", "moved", *lost)}
        found = self._cells.group_by("component").agg(
            **sums,
            true_part=c("true_part").sum(),
            pred_part=c("pred_part").sum(),
            reach=c("reach").max(),
            least=c("each").min(),
            middle=c("middle").min(),
        )
        absent = {name: nw.lit(0) for name in LOST if name not in lost}
        found = found.with_columns(
            true=c("true_part").round(0).cast(nw.Int64), pred=c("pred_part").round(0).cast(nw.Int64), **absent
        ).with_columns(
            moved=(c("moved") + c("missing_m") + c("spurious_m")).round(9),
            code=_code(),
        )
        tangled = (c("true") > 1) & (c("pred") > 1) & ((c("true") + c("pred")) >= TANGLE)
        return self.engine.keep(
            found.with_columns(tangled=flag(tangled & (c("code") != CODE["hub"]))).drop(
                "true_part", "pred_part", "reach", "least", "middle"
            )
        )

    @asked
    def clusters(self) -> int:
        """How many clusters of both sides the components have that differ."""
        number = sum(number for number, _ in self._outside.values())
        if self._given is None:
            return number
        with self.engine.running():
            found = self.engine.row(self._components.select(true=c("true").sum(), pred=c("pred").sum()))
        return int(found["true"] + found["pred"]) + number

    # ---- rows

    @asked
    def rows(self) -> list[Shape]:
        """The shapes, costliest first."""
        if not self._loss > 0:
            return []
        with self.engine.running():
            found = [*self._of_components(), *(self._of_tangles() if self._given is not None else ())]
        return sorted(found, key=lambda row: -row.share)

    def _of_components(self) -> Iterator[Shape]:
        sums = {name: c(name).sum() for name in (*self._parts, "moved")}
        ends = {
            f"{side}_{end}": getattr(c(side), end)() for side in ("true", "pred") for end in ("min", "max")
        }
        by_size = self._counted("m", sums | ends)
        by_moved = self._counted("moved", {})
        self._add_outside(by_size, by_moved)
        for code in np.unique(by_size["code"]).astype(int).tolist():
            mine = by_size["code"] == code
            column = {name: values[mine] for name, values in by_size.items()}
            sizes = _Counted(column["m"], column["number"])
            true, pred = (
                (column[f"{side}_min"].min(), column[f"{side}_max"].max()) for side in ("true", "pred")
            )
            same = true[0] == true[1] and pred[0] == pred[1]
            charged = by_moved["code"] == code
            yield self._row(
                SHAPES[code],
                "component",
                _Counted(by_moved["moved"][charged], by_moved["number"][charged]),
                Loss.of(*(float(column[name].sum()) for name in self._parts)),
                float(column["moved"].sum()),
                sizes=(int(sizes.quantile(0.1)), int(sizes.quantile(0.9))),
                clusters=(int(true[0]), int(pred[0])) if same else None,
            )

    def _counted(self, column: str, sums: dict[str, Any]) -> dict[str, FloatArray]:
        """The components that are no tangles by shape and a column: how many, and some sums."""
        if self._given is None:
            return {name: np.zeros(0) for name in ("code", column, "number", *sums)}
        keys = ("tangled", "code", column)
        found = self._fetched(self._components.group_by(*keys).agg(number=nw.len(), **sums))
        mine = found.pop("tangled") == 0
        return {name: values[mine] for name, values in found.items()}

    def _add_outside(self, by_size: dict[str, FloatArray], by_moved: dict[str, FloatArray]) -> None:
        """Lost points in no cluster are missing true clusters, or spurious ones, of one point."""
        for kind, (number, lost) in self._outside.items():
            if not number:
                continue
            true = float(kind == "missing")
            row = dict.fromkeys(by_size, 0.0) | {"code": CODE[f"{kind}-all"], "m": 1, "number": number}
            row |= {kind: lost, "moved": number, "true_min": true, "true_max": true}
            row |= {"pred_min": 1 - true, "pred_max": 1 - true}
            for name, value in row.items():
                by_size[name] = np.append(by_size[name], value)
            for name, value in {"code": row["code"], "moved": 1, "number": number}.items():
                by_moved[name] = np.append(by_moved[name], value)

    def _of_tangles(self) -> Iterator[Shape]:
        tangles = self._components.filter(c("tangled") == 1)
        names = (*LOST, *self._parts)
        whole = self.engine.row(tangles.select(number=nw.len(), **{name: c(name).sum() for name in names}))
        if not whole["number"]:
            return
        edit = if_else(c("t_off") > 0, if_else(c("p_off") > 0, 2, 0), if_else(c("p_off") > 0, 1, -1))
        inside = self._cells.join(tangles.select("component"), on="component", how="semi")
        cells = inside.with_columns(edit=edit).filter(c("edit") >= 0)
        charges = {CHARGED[key]: c(f"{key}_charge").sum() for key in ("t", "p")}
        found = self._fetched(cells.group_by("edit", "points").agg(number=c("k").sum(), **charges))
        for code, shape in enumerate(EDITS):
            mine = found["edit"] == code
            if mine.any():
                size, number, split, merge = (found[x][mine] for x in ("points", "number", "split", "merge"))
                loss = Loss.of(float(split.sum()), float(merge.sum()))
                shares = tuple(size_shares(size, (split + merge) / self._loss, number))
                moved = float(size @ number)
                yield self._row(shape, "edit", _Counted(size, number), loss, moved, by_size=shares)
        for kind in ("missing", "spurious"):
            number = int(whole[f"{kind}_m"])
            if number:
                cost = float(whole[kind])
                loss = Loss.of(0.0, 0.0, *((cost, 0.0) if kind == "missing" else (0.0, cost)))
                ones = _Counted(np.ones(1), np.array([number]))
                yield self._row(f"e-{kind}", "edit", ones, loss, float(number))

    def _row(self, shape: str, unit: str, moved: _Counted, loss: Loss, total: float, **more: Any) -> Shape:
        share = loss.total / self._loss
        return Shape(shape, unit, moved.number, total, loss, share, moved.median, moved.up_to(1), **more)

    def _fetched(self, frame: Frame) -> dict[str, FloatArray]:
        return {name: numbers(column) for name, column in self.engine.fetch(frame).items()}

    # ---- few clusters

    @asked
    def named(self) -> bool:
        """Whether all cells are of clusters that have names: those of single points have none here."""
        if self._given is None:
            return False
        nameless = self._rows.filter((c("k") > 0) & (c("t").is_null() | c("p").is_null()))
        with self.engine.running():
            return not self.engine.row(nameless.select(number=nw.len()))["number"]

    @asked
    def confusions(self) -> list[Confusion]:
        """The cells that left their clusters, costliest first, of clusters that are few and have names."""
        sizes = self._rows.group_by("t").agg(of=c("m").sum())
        rows = self._cells.filter(c("k") > 0).join(sizes, on="t", how="left")
        cost = c("t_charge") + c("p_charge")
        with self.engine.running():
            got = self.engine.fetch(rows.select("t", "p", "m", "w", "of", cost=cost).sort("t", "p"))
        true, pred = plain(got["t"]), plain(got["p"])
        size, mass, of, cost_of = (numbers(got[name]) for name in ("m", "w", "of", "cost"))
        most: dict[Any, int] = {}
        for i, name in enumerate(pred):  # few cells; of equally large ones the first
            if name not in most or mass[i] > mass[most[name]]:
                most[name] = i
        order = [i for i in np.argsort(-cost_of, kind="stable").tolist() if cost_of[i] > 0]
        return [
            Confusion(
                true[i],
                pred[i],
                true[most[pred[i]]],
                int(size[i]),
                int(of[i]),
                float(cost_of[i]) / self._loss,
            )
            for i in order
        ]


class _Counted:
    """Different values, and how often each occurs."""

    def __init__(self, values: FloatArray, counts: FloatArray) -> None:
        order = np.argsort(values)
        self._values, self._cumulated = values[order], np.cumsum(counts[order])
        self.number = int(self._cumulated[-1])

    def quantile(self, q: float) -> float:
        """The least value that so large a share does not exceed."""
        return float(self._values[np.searchsorted(self._cumulated, q * self.number)])

    @property
    def median(self) -> float:
        """The median; between two middle values, their mean."""
        middle = np.array([(self.number - 1) // 2, self.number // 2])
        return float(self._values[np.searchsorted(self._cumulated, middle, side="right")].mean())

    def up_to(self, value: float) -> float:
        """The share of values that do not exceed one."""
        below = int(np.searchsorted(self._values, value, side="right"))
        return float(self._cumulated[below - 1]) / self.number if below else 0.0


def _code() -> Any:
    """The code of a component's shape, by the rules of ``Shapes.codes``; the first that applies."""
    true, pred = c("true"), c("pred")
    missing, spurious = c("missing_m") > 0, c("spurious_m") > 0
    one, two = (true <= 1) & (pred <= 1), (true == 2) & (pred == 2)
    rules = [
        ((true == 1) & (pred == 0), "missing-all"),
        ((true == 0) & (pred == 1), "spurious-all"),
        (one & missing & spurious, "both"),
        (one & missing, "missing"),
        (one & spurious, "spurious"),
    ]
    for shape, single, several in (("split", true, pred), ("merge", pred, true)):
        rules += [((single == 1) & (several == number), f"{shape}-{number}") for number in (2, 3)]
        rules.append(((single == 1) & (several > 3), f"{shape}-4+"))
    rules += [
        (two & (c("k") == 4), "exchange"),
        (two & (c("k") == 3) & (c("middle") <= c("least")), "sides"),
        # A cell touches all others if they are as many as share its row or its column.
        (c("reach") == c("k"), "hub"),
    ]
    code = nw.lit(CODE["tangle-s"])
    for condition, shape in reversed(rules):
        code = nw.when(condition).then(nw.lit(CODE[shape])).otherwise(code)
    return code
