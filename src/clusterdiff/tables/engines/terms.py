"""Terms of rows that stay in their engine: whatever ``meet.terms`` declares, by GROUP BY and join.

Nothing here knows a term. What a formula reads is found by running it once on two numbers, so that the columns of
clusters it needs can be made before it, stage by stage. Where these are whole numbers the engine only counts how often
they occur together, and the formula runs on those few rows in memory, exactly. Elsewhere it becomes an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum, log
from typing import Any, Literal, TypeVar

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.errors import EngineError
from clusterdiff.meet.declarations import COLUMNS, TERMS, Column, Over, Term
from clusterdiff.meet.rows import summed
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.expressions import (
    OTHER,
    ClusterExpressions,
    ColumnFunctions,
    CountedRows,
    RowExpressions,
    if_else,
    reads,
    shared_row,
)
from clusterdiff.tables.engines.inside import read_again
from clusterdiff.tables.engines.loading import numbers
from clusterdiff.tables.engines.native import Frame
from clusterdiff.tables.engines.pieces import Pieces

c = nw.col
#: Columns of clusters that are whole numbers where points are counted.
WHOLE = frozenset({"mass", "shared", "unmatched_mass", "parts", "largest_mass"})
#: Columns that are others where all points weigh the same, and where no point is lost.
COUNTED = {
    "count": "mass", "shared_count": "shared", "unmatched_count": "unmatched_mass", "largest_count": "largest_mass",
}  # fmt: skip
EVEN = {
    "shared": "mass", "shared_count": "count", "shared_light": "light", "shared_logs": "logs",
    "shared_squares": "squares",
    "whole_entropy": "shared_entropy", "whole_pairs": "shared_pairs",
    "score_entropy": "inner_entropy", "score_pairs": "inner_pairs", "score_largest": "inner_largest",
}  # fmt: skip
#: Columns that are differences where weights are near each other.
LIGHT = ("light", "shared_light")
#: Columns that nearly everything is made of: made together, in one pass.
FIRST = (
    "mass", "count", "shared", "shared_count", "unmatched_mass", "unmatched_count", "parts", "largest_mass",
    "largest_count", "cells_entropy", "cells_pairs",
)  # fmt: skip
#: Terms that nobody asks for where points are not counted: those by unit, and those of counts.
UNASKED = frozenset(
    {
        "a_log_a", "b_log_b", "m_log_m", "mm_over_ab", "unlike", "exact", "products", "apart", "chosen", "chosen_f1",
        "lea_recall", "lea_precision",
    }
)  # fmt: skip
#: What cells are beside in a table of its own, where an engine keeps one on disk if need be.
BESIDE = ("mass", *(f"{x}_{name}" for x in ("score", "inner", "kept") for name in ("entropy", "pairs")))


def _content(name: str, holds: Callable[[Any, Any, Any], Any], own: str) -> dict[str, Column]:
    """What the shared points of a cluster, and all of it, hold by ``holds(x, mass, own)``: differences of sums.

    One part holds what is inside it, to the bit; a cluster that lacks nothing holds what its shared points do.
    """

    def shared(x: Any) -> Any:
        inside = getattr(x, f"cells_{name}")
        between = holds(x, x.shared, getattr(x, f"shared_{own}"))
        return x.where(x.parts <= 1, inside, x.larger(between, inside))

    def whole(x: Any) -> Any:
        inside = getattr(x, f"shared_{name}")
        return x.where(x.unmatched_mass > 0, x.larger(holds(x, x.mass, getattr(x, own)), inside), inside)

    made = {f"shared_{name}": shared, f"whole_{name}": whole}
    return {label: Column(label, None, "clusters", formula) for label, formula in made.items()}


def _logs(x: Any) -> Any:
    return x.own("entropy")


def _squares(x: Any) -> Any:
    return x.own("pairs")


WHOSE: tuple[tuple[str, Over], ...] = (("", "rows"), ("shared_", "cells"))
#: Where weights are near each other differences keep their digits: these columns spare two stages.
OWN = {
    f"{which}{own}": Column(f"{which}{own}", "sum", over, formula)
    for which, over in WHOSE
    for own, formula in (("logs", _logs), ("squares", _squares))
}
NEAR = {
    **OWN,
    **_content("entropy", lambda x, mass, own: mass * x.log(mass / x.unit) - own, "logs"),
    **_content("pairs", lambda x, mass, own: mass * mass - own, "squares"),
}


Wanted = set[tuple[str, str]]
Value = TypeVar("Value")


class EngineRows:
    """The rows of a comparison in an engine, and every term of them: see :class:`clusterdiff.meet.rows.Rows`.

    A row that stands for several equal parts says how many in ``copies``; ``part_mass`` and ``part_points`` are those
    of one. Without ``weighted`` all points weigh the same. ``careful``: memory ran out before, and one step is taken
    at a time. ``lean``: one sum is wanted, and nothing is kept for others. ``several`` says that others will be.
    """

    careful = False
    several = False

    def __init__(self, cells: Cells, weighted: bool, lean: bool = False) -> None:
        self.source, self.engine, self.weighted, self._lean = cells, cells.engine, weighted, lean
        self.even, self.multiple = not cells.lost, cells.ungrouped > 0
        self.singles = self.multiple and cells.singles
        self.total: Any = cells.mass if weighted else cells.n
        self.unit = cells.mass / cells.n
        #: Whether differences of masses keep their digits.
        self.near = weighted and cells.points.near
        self._side: dict[str, Frame] = {}
        self._cells: Frame | None = None
        self._have: dict[str, set[str]] = {"t": set(), "p": set()}
        self._given = {
            "total": self.total,
            **dict.fromkeys(("mass_true", "mass_pred") * self.even, self.total),
        }
        self._totals: dict[str, Any] = {}
        self._counts: dict[Any, dict[str, Any]] = {}
        self._light: dict[str, float] = {}

    @cached_property
    def rows(self) -> Frame:
        """The rows with what formulas read of them."""
        points, m = c("m").cast(nw.Float64), c("w" if self.weighted else "m").cast(nw.Float64)
        columns = {}
        ungrouped = (c("t_single") + c("p_single") + c("t_nobody") + c("p_nobody")) > 0
        if self.multiple:
            columns["copies"] = nw.when(ungrouped).then(c("m")).otherwise(nw.lit(1))
            points, m = (
                if_else(ungrouped, 1.0, points),
                if_else(ungrouped, c("w_max") if self.weighted else 1.0, m),
            )
        columns |= {"part_points": points, "part_mass": m}
        if self.weighted:
            inside = {
                "entropy": m * m.log() - c("w_logs"),
                "pairs": m * m - c("w_squares"),
                **{name: c(column) for name, column in read_again(self.source.points).items()},
            }
            for name, sums in inside.items():
                columns[f"inside_{name}"] = if_else((points > 1) & (sums > 0), sums, 0.0)
        if self.near:
            logs, squares = c("w_logs") - m * log(self.unit), c("w_squares")
            if self.multiple:  # the sums are those of all parts
                logs = if_else(ungrouped, m * ColumnFunctions(self.weighted).log(m / self.unit), logs)
                squares = if_else(ungrouped, m * m, squares)
            columns |= {"own_entropy": logs, "own_pairs": squares}
        return self.source.frame.with_columns(**columns)

    @cached_property
    def shared_total(self) -> Any:
        """The mass of the points that both sides have."""
        if self.even:
            return self.total
        mass = self.engine.row(
            self.source.frame.filter(shared_row()).select(m=c("w" if self.weighted else "m").sum())
        )
        return mass["m"] if self.weighted else int(mass["m"])

    def light(self, place: str) -> float:
        """The mass of all rows but one that outweighs all others together; ``place`` a side: of its clusters."""
        if place not in self._light:
            heavy = 2 * c("part_mass") > self.total
            if place in OTHER:
                self._make({(place, "mass")})
                heavy = 2 * c(f"{place}_mass") > self.total
                frame = self.beside(self.rows, {(place, "mass")})
            else:
                frame = self.rows
            mass = frame.select(m=if_else(heavy, 0.0, self._times(c("part_mass"))))
            self._light[place] = float(self.engine.row(mass.select(m=c("m").sum()))["m"])
        return self._light[place]

    @cached_property
    def _pieces(self) -> Pieces:
        cells = self.rows if self.even else self.rows.filter(shared_row())
        copies = c("copies") if self.multiple else nw.lit(1)
        cells = cells.select("t", "p", "t_single", "p_single", m=c("part_mass"), copies=copies)
        return Pieces(self.engine, cells, self.total, self.source.n, self.source.points.span)

    @cached_property
    def apart(self) -> Any:
        """Σ m·m' over shared points that are apart on both sides, in either order."""
        if not self.weighted:
            return self["apart"]
        if self.weighted and not self.near:
            return self.ask(lambda: self._pieces.apart())
        return max(0.0, self.shared_total**2 - self["mm"] - self["pairs_true_only"] - self["pairs_pred_only"])

    @cached_property
    def uncovered(self) -> Any:
        """Σ a·b over true and predicted clusters that share no point."""
        return (
            self.ask(lambda: self._pieces.uncovered())
            if self.weighted and not self.near
            else self.total**2 - self["covered"]
        )

    # ---- columns of clusters, stage by stage

    def called(self, name: str) -> str | None:
        """Which column has these values here; None: none is unmatched, and all is kept."""
        name = name if self.weighted else COUNTED.get(name, name)
        name = EVEN.get(name, name) if self.even else name
        name = name if self.weighted else COUNTED.get(name, name)
        return None if self.even and name.startswith(("unmatched", "kept")) else name

    def _declared(self, name: str) -> Column:
        return NEAR[name] if self.near and name in NEAR else COLUMNS[name]

    def _read(self, declared: Column | Term, key: str) -> Wanted:
        """The columns that a formula reads whose own side is ``key``."""
        found = (
            (key if own else OTHER[key], self.called(name)) for own, name in reads(declared, self.weighted)
        )
        return {(side, name) for side, name in found if name and not (self.near and name in LIGHT)}

    def _all(self, wanted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Columns with all that they are made of, in an order in which they can be made."""
        out: list[tuple[str, str]] = []

        def add(key: str, name: str) -> None:
            if (key, name) not in out:
                for below in sorted(self._read(self._declared(name), key)):
                    add(*below)
                out.append((key, name))

        for key, name in sorted(wanted):
            add(key, name)
        return out

    def _stage(self, key: str, name: str) -> int:
        """After how many GROUP BYs a column is known."""
        declared = self._declared(name)
        below = max((self._stage(*column) for column in self._read(declared, key)), default=0)
        return below + (declared.reduce is not None)

    def _make(self, wanted: Wanted) -> None:
        """Make columns of clusters that are not there yet."""
        if not self._side and not self._lean:
            first = {known for name in (*FIRST, *(OWN if self.near else ())) if (known := self.called(name))}
            wanted = wanted | {(key, name) for key in OTHER for name in first}
        todo = [(key, name) for key, name in self._all(wanted) if name not in self._have[key]]
        for stage in sorted({self._stage(*column) for column in todo}):
            for key in OTHER:
                mine = [name for side, name in todo if side == key and self._stage(key, name) == stage]
                grouped = [name for name in mine if self._declared(name).reduce is not None]
                if grouped:
                    self._group(key, grouped)
                for name in mine:
                    if name not in grouped:
                        value = self._declared(name).formula(ClusterExpressions(self, key))
                        self._side[key] = self._side[key].with_columns(**{f"{key}_{name}": value})
            for key in OTHER:
                self._have[key] |= {
                    name for side, name in todo if side == key and self._stage(key, name) == stage
                }

    def _value(self, key: str, declared: Column) -> Any:
        """What a row adds to a column of its cluster."""
        value = declared.formula(RowExpressions(self, key))
        if self.even or declared.over == "rows":
            return value
        return if_else(
            shared_row() if declared.over == "cells" else c(f"{OTHER[key]}_nobody") == 1, value, 0.0
        )

    def _group(self, key: str, names: list[str]) -> None:
        """Columns that are sums, or the largest, of what the rows of a cluster have."""
        columns = {name: self._declared(name) for name in names}
        below: Wanted = set().union(*(self._read(declared, key) for declared in columns.values()))
        rows = self.beside(self.rows, below, self.even) if below else self.rows
        rows = rows.filter(~c(key).is_null()) if self.multiple else rows
        values = {
            f"{key}_{name}": self._times(self._value(key, declared))
            if declared.reduce == "sum"
            else self._value(key, declared)
            for name, declared in columns.items()
        }
        sums = {
            f"{key}_{name}": c(f"{key}_{name}").sum()
            if declared.reduce == "sum"
            else c(f"{key}_{name}").max()
            for name, declared in columns.items()
        }
        found = rows.select(key, **values).group_by(key).agg(**sums)
        known = self._side.get(key)
        found = found if known is None else known.join(found, on=key, how="inner")
        self._side[key] = found if self._lean else self.engine.keep(found)

    def _times(self, value: Any) -> Any:
        return c("copies") * value if self.multiple else value

    def side(self, key: str, *names: str) -> Frame:
        """The clusters of a side with some of their values, as columns ``t_…`` or ``p_…``."""
        known = {name: self.called(name) for name in names}
        self.ask(lambda: self._make({(key, column) for column in known.values() if column}))
        values = {f"{key}_{name}": getattr(ClusterExpressions(self, key), name) for name in known}
        return self._side[key].select(key, **values)

    def beside(self, frame: Frame, wanted: Wanted, cells: bool = False) -> Frame:
        """Rows beside columns of their clusters, also of points that are one of their own; ``cells``: only those."""
        closure = self._all(wanted)
        self._make(set(closure))
        how: Literal["left", "inner"] = "left" if self.singles or not cells else "inner"
        for key in OTHER:
            read = closure if self.singles else wanted
            names = [f"{key}_{name}" for side, name in read if side == key]
            if names:
                side = self._side[key].select(key, *names)
                if self.careful:  # what two joins hold in memory at once may be more than there is
                    frame, side = self.engine.keep(frame), self.engine.keep(side)
                frame = frame.join(side, on=key, how=how)
        if not self.singles:
            return frame
        for key, name in closure:  # the one row of such a cluster is all of it
            declared = self._declared(name)
            own = (
                declared.formula(ClusterExpressions(self, key))
                if declared.reduce is None
                else self._value(key, declared)
            )
            own = own if isinstance(own, nw.Expr) else nw.lit(float(own))
            frame = frame.with_columns(
                **{f"{key}_{name}": if_else(c(f"{key}_single") == 1, own, c(f"{key}_{name}"))}
            )
        return frame

    # ---- terms

    def __getitem__(self, name: str) -> Any:
        """A term: the sum over all rows or clusters."""
        if name in self._given:
            return self._given[name]
        if name not in self._totals:
            self.ask(lambda: self._sum(name))
        return self._totals[name]

    def ask(self, question: Callable[[], Value]) -> Value:
        """Ask the engine, and again step by step if memory runs out; what was kept in vain is forgotten."""
        side, have, cells = dict(self._side), {key: set(x) for key, x in self._have.items()}, self._cells
        try:
            with self.engine.running():
                return question()
        except EngineError as error:
            self._side, self._have, self._cells = side, have, cells
            if self.careful or "out of memory" not in str(error).lower():
                raise
            self.careful = True
            if cells is not None:
                self.engine.free(cells)
                self._cells = None
            return self.ask(question)

    def _sum(self, name: str) -> None:
        term = TERMS[name]
        key = "p" if term.mirrored else "t"
        wanted = self._read(term, key)
        if self.even and term.over == "unmatched":
            self._totals[name] = 0
        elif not self.weighted and {column for _, column in wanted} <= WHOLE:
            self._totals[name] = self._count(term, key, wanted)
        else:
            # What can be summed in the same pass is.
            late = self._late(wanted)
            again = [
                other
                for other in TERMS.values()
                if other is term
                or (
                    self._place(other) == self._place(term)
                    and other.name not in UNASKED
                    and self._late(self._read(other, "p" if other.mirrored else "t")) == late
                    and not (self.even and ("missing" in other.name or "spurious" in other.name))
                )
            ]
            # Often one score is all that is wanted: the first time nothing is kept for others.
            lean = not (self._side or self._totals or self.several or self.careful) and self._one_stage
            rows = EngineRows(self.source, self.weighted, lean=True) if lean else self
            self._totals |= rows._add(self._place(term), again)

    def _late(self, wanted: Wanted) -> frozenset[str]:
        """What families of terms differ in: scores of one kind, and other columns that few terms read."""
        return frozenset(name.rpartition("_")[2] for _, name in wanted if name not in FIRST)

    @staticmethod
    def _place(term: Term) -> str:
        own = "p" if term.mirrored else "t"
        return {"clusters": own, "unmatched": f"unmatched {own}"}.get(term.over, term.over)

    def _frame(self, place: str, wanted: Wanted) -> Frame:
        """The rows, or clusters, that something is summed over, beside what it reads."""
        if place in OTHER:
            key = place
            self._make({column for column in wanted if column[0] == key} | {(key, "mass")})
            names = [f"{key}_{name}" for _, name in sorted(wanted)]
            frame = self._side[key].select(*names or [f"{key}_mass"], copies=nw.lit(1))
            if not self.singles:
                return frame
            own = self.beside(self.rows, wanted | {(key, "mass")}).filter(c(f"{key}_single") == 1)
            own = own.select(*names or [f"{key}_mass"], copies=c("copies").cast(nw.Int32))
            return nw.concat([frame.with_columns(copies=c("copies").cast(nw.Int32)), own], how="vertical")
        kept = self.engine.spills and not self._lean and not self.careful
        if place == "cells" and kept and wanted <= self._beside_all:
            return self._joined()
        frame = self.rows
        if not self.even and place != "rows":
            chosen = shared_row() if place == "cells" else c(f"{OTHER[place[-1]]}_nobody") == 1
            frame = frame.filter(chosen)
        return self.beside(frame, wanted, self.even or place == "cells") if wanted else frame

    @cached_property
    def _beside_all(self) -> Wanted:
        known = {name for x in BESIDE if (name := self.called(x))}
        return {(key, name) for key in OTHER for name in known} if self._one_stage else set()

    @property
    def _one_stage(self) -> bool:
        """Whether scores of clusters are known after one GROUP BY."""
        return self.near or not self.weighted

    def _joined(self) -> Frame:
        """The cells beside what most terms read: joined once, since joins are what takes time."""
        if self._cells is None:
            frame = self.rows if self.even else self.rows.filter(shared_row())
            names = ["part_mass", "part_points", *["copies"] * self.multiple]
            names += ["inside_entropy", "inside_pairs"] * self.weighted
            names += [f"{key}_{name}" for key, name in sorted(self._beside_all)]
            self._cells = self.engine.keep(self.beside(frame, self._beside_all, cells=True).select(*names))
        return self._cells

    def _count(self, term: Term, key: str, wanted: Wanted) -> Any:
        """A term of whole numbers: how often they occur together, and the formula on those."""
        place = self._place(term)
        if place == "cells":
            wanted = wanted | {("t", "mass"), ("p", "mass")}
        elif place in OTHER:
            wanted = wanted | {(place, "mass"), (place, "largest_mass")}
        columns = tuple(sorted(f"{side}_{name}" for side, name in wanted))
        if (place, columns) not in self._counts:
            frame = self._frame(place, wanted)
            keys = [*columns, *(["part_mass"] if place not in OTHER else [])]
            keys += ["t_nobody", "p_nobody"] if place == "rows" else []
            many = c("copies").sum() if self.multiple or place in OTHER else nw.len()
            got = self.engine.fetch(frame.group_by(*keys).agg(copies=many))
            self._counts[place, columns] = {x: numbers(column, np.int64) for x, column in got.items()}
        found = self._counts[place, columns]
        values, copies = term.formula(CountedRows(self, found, key)), found["copies"]
        if isinstance(values, tuple):
            u, v = np.broadcast_arrays(*values)
            return summed((copies * u, v))
        values = copies * values
        return int(values.sum()) if values.dtype.kind in "iu" else fsum(values.tolist())

    def counted(self, key: str) -> dict[str, Any]:
        """How many clusters of a side there are of each mass, and of which largest part."""
        self.ask(lambda: self._count(TERMS["aa" if key == "t" else "bb"], key, {(key, "mass")}))
        return self._counts[key, (f"{key}_largest_mass", f"{key}_mass")]

    def _add(self, place: str, found: list[Term]) -> dict[str, Any]:
        """Terms that are summed over the same rows, in one pass."""
        wanted: Wanted = set()
        values = {}
        for term in found:
            key = "p" if term.mirrored else "t"
            wanted |= self._read(term, key)
            view = ClusterExpressions(self, key) if term.over == "clusters" else RowExpressions(self, key)
            value = term.formula(view)
            value = value[0] * value[1] if isinstance(value, tuple) else value
            values[term.name] = c("copies") * value if self.multiple or place in OTHER else value
        frame = self._frame(place, wanted).select(**values)
        got = self.engine.row(frame.select(**{name: c(name).sum() for name in values}))
        return {name: float(value) for name, value in got.items()}
