"""From points to the meet, in the engine: group, check, and apply what the user chose for missing points and noise.

The result has one row per cell, and rows of points that are in no cluster of a side: ``t_single`` and ``p_single`` say
that each of its points is a cluster of its own there, ``t_nobody`` and ``p_nobody`` that the side lacks them and they
count as lost. The cluster of such a row is null on that side, it stands for as many equal parts as it has points, and
several rows may name the same clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.errors import ArgumentError, EngineError, LabelError, listed, positions
from clusterdiff.messages import joined
from clusterdiff.points.alignment import lacks_labels, lacks_points, nothing_left
from clusterdiff.points.missing import missing_hint
from clusterdiff.points.noise import Noise
from clusterdiff.points.policy import Policy
from clusterdiff.tables.engines.inside import read_again, with_inside
from clusterdiff.tables.engines.native import Engine, Frame, flag, log_or_0, plain
from clusterdiff.tables.engines.points import Points
from clusterdiff.wording import count

c = nw.col
#: Kinds of columns whose labels are called otherwise in Python.
_KINDS = {"Date": "date", "Time": "time", "Binary": "bytes"}
#: Bytes that a cell takes in memory with all that is derived from it: if labels are numbers, and otherwise.
CELL_BYTES = {"int": 100, "other": 400}
WEIGHING = ("positive_rows", "positive_ungrouped", "positive_n", "positive_lost")


@dataclass(frozen=True)
class Cells:
    """The meet in its engine: columns ``t``, ``p``, ``m`` (points) and, if asked for, weights and features.

    Weights: ``w``, ``w_squares``, ``w_logs``, ``w_max`` are Σw, Σw², Σ w·log w and max w, in the unit of the points;
    ``w_points`` counts the points that weigh anything, since of one such point nothing can be split. Where squares and
    logarithms do not tell what there is to lose inside a cell, ``inside_entropy`` and ``inside_pairs`` do. Features:
    ``c0`` … are the cell's means and ``within`` the squared deviations from them. ``original`` has the groups as they
    were before points in no cluster of a side were dealt with, if there were any. ``ungrouped`` counts points that are
    a cluster of their own, or lost, and ``lost`` says whether there are rows of points that only one side has.
    """

    points: Points
    policy: Policy
    frame: Frame
    rows: int
    ungrouped: int
    n: int
    mass: float
    original: Frame | None
    lost: bool = False
    #: Whether points are clusters of their own.
    singles: bool = False
    #: The same numbers of the points that weigh anything: rows, ungrouped points, points, lost points.
    weighing: tuple[int, int, int, int] | None = None

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self.points.engine

    @property
    def positive(self) -> Cells:
        """The same without points that weigh nothing: no measure counts them, in an engine or in memory."""
        if self.weighing is None or self.weighing[2] == self.n:
            return self
        rows, ungrouped, n, unshared = self.weighing
        frame = self.frame.filter(c("w") > 0).with_columns(m=c("w_points").cast(nw.Int64))
        lost = self.lost and unshared > 0
        return replace(self, frame=frame, rows=rows, ungrouped=ungrouped, n=n, lost=lost, weighing=None)

    @property
    def bytes(self) -> int:
        """What the meet would take in memory."""
        numbers = set(self.points.kinds.values()) <= {"int", "bool"}
        one = (
            CELL_BYTES["int" if numbers else "other"] + 32 * self.points.weighted + 16 * self.points.features
        )
        return (self.rows + self.ungrouped) * one


def _weighing() -> dict[str, Any]:
    """How many weights are bad, and what there is of points that weigh anything: see ``Cells.weighing``."""
    positive, own, lost = flag(c("w_points") > 0), c("own"), flag((c("t_null") + c("p_null")) > 0)
    return {
        "bad": c("bad").sum(),
        "positive_rows": (positive * (1 - own)).sum(),
        "positive_ungrouped": (own * c("w_points")).sum(),
        "positive_n": c("w_points").sum(),
        "positive_lost": (lost * c("w_points")).sum(),
    }


def noisy(noise: Noise) -> dict[str, Any]:
    """Columns that mark the points whose label is noise: on the true side (t_noise), on the predicted one (p_noise)."""
    marks = {}
    for column, side in (("t", "true"), ("p", "pred")):
        found = [c(column) == label for label in noise.labels(side)]
        marks[f"{column}_noise"] = flag(reduce(or_, found)) if found else nw.lit(0)
    return marks


def filtered(frame: Frame, which: Callable[[Any, Any], Any]) -> Frame:
    """The rows that a rule for missing points keeps; t_null and p_null mark those that have no label."""
    kept = which(c("t_null") == 0, c("p_null") == 0)
    return frame if kept is None else frame.filter(kept)


def group(points: Points, policy: Policy) -> Cells:
    """Group the points to cells and apply the user's policy; raises if the tables do not fit together."""
    with points.engine.running():
        return _Grouping(points, policy).cells()


class _Grouping:
    def __init__(self, points: Points, policy: Policy) -> None:
        self.points = points
        true, pred = ((_KINDS.get(points.kinds[side], points.kinds[side]), "") for side in ("t", "p"))
        self.policy = replace(policy, noise=policy.noise.possible(true, pred))
        self.engine = points.engine
        # Whether to distinguish the rows of a join by the side that names them; the first attempt does not need to.
        self.counted = len(points.sides) == 2 and (not policy.rule.refuses or self.engine.nulls_match)
        self.raw = self.engine.keep(self._grouped())
        if len(points.sides) == 2 and not self.counted and not self._whole():
            self.engine.free(self.raw)
            self.counted = True
            self.raw = self.engine.keep(self._grouped())
        self.inside = list(read_again(points).values())
        if self.inside:
            self.raw = self.engine.keep(with_inside(points, self.raw))

    def _whole(self) -> bool:
        """Whether every row found its partner: all have both labels, and there are as many as in either table.

        With x and y rows of a name in the two tables, Σ xy = Σ x = Σ y over names that both have: all x and y are 1.
        """
        lacking = flag(c("t").is_null() | c("p").is_null())
        got = self.engine.row(self.raw.select(n=c("m").sum(), lacking=lacking.sum()))
        return got["lacking"] == 0 and (got["n"], got["n"]) == self.points.counts

    # ---- one group by

    def _grouped(self) -> Frame:
        points = self.points
        keys = ["t", "p"]
        frame = points.frame
        # Rows of a full join with a name on this side: they tell whether the names were unique.
        counts = {"m": nw.len()}
        counts |= {"in_true": c("i").count(), "in_pred": c("j").count()} if self.counted else {}
        sums: dict[str, Any] = {}
        if points.weighted:
            w = c("w")
            if self._ungrouped is not None:  # a row of ungrouped points has points of one weight
                frame = frame.with_columns(ungrouped_w=nw.when(self._ungrouped).then(w))
                keys = [*keys, "ungrouped_w"]
            frame = frame.with_columns(
                w_squares=w * w,
                w_logs=w * log_or_0(w),
                w_points=flag(w > 0),
                bad=flag(w.is_null() | ~w.is_finite() | (w < 0)),
            )
            sums |= {
                "w": w.sum(),
                "w_squares": c("w_squares").sum(),
                "w_logs": c("w_logs").sum(),
                "w_max": w.max(),
                "w_points": c("w_points").sum(),
                "bad": c("bad").sum(),
            }
        if points.features:
            features = [f"x{j}" for j in range(points.features)]
            frame = frame.with_columns(
                finite=flag(nw.all_horizontal(*(c(x).is_finite() for x in features), ignore_nulls=False))
            )
            sums["finite"] = c("finite").sum()
            if points.weighted or self.engine.name == "dask":
                return self._two_passes(frame, keys, counts | sums, features)
            sums |= {f"c{j}": c(x).mean() for j, x in enumerate(features)}
            sums |= {f"v{j}": c(x).var(ddof=0) for j, x in enumerate(features)}
        out = frame.group_by(*keys).agg(**counts, **sums).with_columns(*(c(m).cast(nw.Int64) for m in counts))
        if points.features:
            spread = nw.sum_horizontal(*(c(f"v{j}") for j in range(points.features)))
            out = out.with_columns(within=spread * c("m")).drop(*(f"v{j}" for j in range(points.features)))
        return out

    @property
    def _ungrouped(self) -> Any:
        """Which points may end up in no cluster of a side, or in one of their own; None: the policy leaves none."""
        noise, rule = self.policy.noise, self.policy.rule
        ungrouped = [c(x).is_null() for x in ("t", "p")] if not rule.refuses else []
        ungrouped += [mark == 1 for mark in noisy(noise).values()] if noise.separates else []
        return reduce(or_, ungrouped) if ungrouped else None

    def _two_passes(self, frame: Frame, keys: list[str], sums: dict[str, Any], features: list[str]) -> Frame:
        """Deviations from the cells' means in a second pass: sound where the engine has no sound variance."""
        columns = [f"c{j}" for j in range(len(features))]
        mass = c("w") if self.points.weighted else nw.lit(1.0)
        # Joins never match nulls, so the keys are made explicit: a text, and a mark that distinguishes "" from null.
        spelt = {f"k{n}": c(key).cast(nw.String).fill_null("") for n, key in enumerate(keys)}
        marked = {f"n{n}": flag(c(key).is_null()) for n, key in enumerate(keys)}
        on = [*spelt, *marked]
        frame = frame.with_columns(mass=mass, **spelt, **marked)
        frame = self.engine.keep(
            frame.with_columns(**{x: c(y) * c("mass") for x, y in zip(columns, features, strict=True)})
        )
        cells = frame.group_by(*keys, *on).agg(
            mass=c("mass").sum(), **sums, **{x: c(x).sum() for x in columns}
        )
        whole = nw.when(c("mass") > 0).then(c("mass")).otherwise(1.0)
        cells = cells.with_columns(
            *(c(m).cast(nw.Int64) for m in ("m", "in_true", "in_pred") if m in sums),
            *((c(x) / whole).alias(x) for x in columns),
        )
        cells = self.engine.keep(cells.drop("mass"))
        centres = cells.select(*on, **{f"mean{j}": c(x) for j, x in enumerate(columns)})
        centred = frame.select(*on, "mass", *features).join(centres, on=on, how="inner")
        squares = nw.sum_horizontal(*((c(x) - c(f"mean{j}")) ** 2 for j, x in enumerate(features)))
        within = centred.with_columns(within=squares * c("mass")).group_by(*on).agg(within=c("within").sum())
        return cells.join(within, on=on, how="inner").drop(*on)

    # ---- checks, and the policy

    def _flagged(self) -> Frame:
        """The groups with marks: no label (t_null, p_null), noise (t_noise, p_noise)."""
        marks = {f"{side}_null": flag(c(side).is_null()) for side in ("t", "p")} | noisy(self.policy.noise)
        return self.raw.with_columns(**marks)

    def cells(self) -> Cells:
        """The cells, once everything has been checked."""
        if self.counted:
            self._check_join()
        flagged = self._flagged()
        policy, kept = self.policy, flagged
        if policy.noise.drops:
            kept = kept.filter((c("t_noise") + c("p_noise")) == 0)
        kept = filtered(kept, policy.rule.known)
        tally = self._tally(flagged, kept)
        if policy.noise.drops and tally["points"] and tally["noise"] == tally["points"]:
            raise nothing_left("noise", tally["points"])
        before = kept
        if tally["missing"] and policy.rule.refuses:
            self._refuse_missing(tally)
        lost = policy.rule.loses and tally["missing"] > 0
        kept = filtered(kept, policy.rule.compared)
        if policy.noise.separates:
            nulled = {x: nw.when(c(f"{x}_noise") == 0).then(c(x)) for x in ("t", "p")}
            kept, before = kept.with_columns(**nulled), before.with_columns(**nulled)
        columns = ["t", "p", "m"]
        columns += ["w", "w_squares", "w_logs", "w_max", "w_points", *self.inside] * self.points.weighted
        columns += ["within", *(f"c{j}" for j in range(self.points.features))] if self.points.features else []
        nobody = {f"{x}_nobody": c(f"{x}_null") if lost else nw.lit(0) for x in ("t", "p")}
        single = {f"{x}_single": flag(c(x).is_null()) - nobody[f"{x}_nobody"] for x in ("t", "p")}
        own = flag(c("t").is_null() | c("p").is_null())
        total = self.engine.row(
            kept.with_columns(own=own, **single).select(
                rows=nw.len(),
                own=c("own").sum(),
                ungrouped=(c("own") * c("m")).sum(),
                singles=nw.max_horizontal("t_single", "p_single").sum(),
                n=c("m").sum(),
                mass=c("w" if self.points.weighted else "m").sum(),
                **(_weighing() if self.points.weighted else {}),
                **({"finite": c("finite").sum()} if self.points.features else {}),
            )
        )
        self._check_numbers(total)
        rows, ungrouped, n = (int(total[x]) for x in ("rows", "ungrouped", "n"))
        unshared, lacking = tally["missing"], tally["pred"]
        noise = policy.noise.counted(
            tally["true_noise"], tally["pred_noise"], tally["noise"], tally["points"]
        )
        done = policy.counted(tally["n"], lacking, unshared - lacking, noise)
        normal = rows - int(total["own"])
        original = before if tally["missing"] or (policy.noise.separates and tally["noise"]) else None
        frame = kept.select(*columns, **nobody, **single)
        mass = float(total["mass"])
        positive = [int(total[x]) for x in WEIGHING] if self.points.weighted else None
        weighing = None if positive is None else (positive[0], positive[1], positive[2], positive[3])
        return Cells(
            self.points,
            done,
            frame,
            normal,
            ungrouped,
            n,
            mass,
            original,
            lost,
            total["singles"] > 0,
            weighing,
        )

    def _tally(self, flagged: Frame, kept: Frame) -> dict[str, int]:
        out = self.engine.row(
            kept.select(
                missing=(flag((c("t_null") + c("p_null")) > 0) * c("m")).sum(),
                true=(c("t_null") * c("m")).sum(),
                pred=(c("p_null") * c("m")).sum(),
                n=c("m").sum(),
            )
        )
        out |= {"true_noise": 0, "pred_noise": 0, "noise": 0, "points": 0}
        if self.policy.noise:
            noise = flagged.select(
                true_noise=(c("t_noise") * c("m")).sum(),
                pred_noise=(c("p_noise") * c("m")).sum(),
                noise=(flag((c("t_noise") + c("p_noise")) > 0) * c("m")).sum(),
                points=c("m").sum(),
            )
            out |= self.engine.row(noise)
        return {name: int(value) for name, value in out.items()}

    def _check_join(self) -> None:
        """Whether every row of the two tables came back once: otherwise a point was named twice or not at all."""
        got = self.engine.row(
            self.raw.select(
                true=c("in_true").sum(),
                pred=c("in_pred").sum(),
                unmatched=flag(c("in_true") != c("in_pred")).sum(),
            )
        )
        if (got["true"], got["pred"]) != self.points.counts:
            self.points.refuse_repeats()
            raise EngineError(
                f"the tables changed while they were read: {self.points.counts[0]:,} and {self.points.counts[1]:,} "
                f"rows at first, then {int(got['true']):,} and {int(got['pred']):,}.",
                "run again when nothing writes to them.",
            )
        if not self.policy.rule.refuses and got["unmatched"] and self.points.seen is None:
            self.points.refuse_repeats(unmatched=True)

    def _refuse_missing(self, tally: dict[str, int]) -> None:
        texts = []
        for side, other, column, twin in (("true", "pred", "t", "p"), ("pred", "true", "p", "t")):
            if not tally[side]:
                continue
            rows = self.points.frame.filter(c(column).is_null())
            if self.policy.noise.drops:
                rows = rows.with_columns(**noisy(self.policy.noise)).filter(c(f"{twin}_noise") == 0)
            if not self.points.named:
                where = f"{tally[side]:,} of {tally['n']:,} points{self._at(rows)}"
                texts.append(lacks_labels(side, where))
                continue
            names = listed(self._first(rows), tally[side])
            texts.append(lacks_points(side, tally[side], tally["n"] - tally[other], other, names))
        raise LabelError(joined(texts), missing_hint(tally["true"], tally["n"] - tally["pred"]))

    def _first(self, rows: Frame) -> list[Any]:
        """The first five points of some rows."""
        names = self.points.with_names(rows).select("point")
        return self.points.called(plain(self.engine.fetch(names.sort("point").head(5))["point"]))

    def _at(self, rows: Frame) -> str:
        """Where rows without a name are, if rows have an order."""
        if not self.points.placed:
            return ""
        total = int(self.engine.row(rows.select(n=nw.len()))["n"])
        return f", {positions(self._first(rows), total)}"

    def _check_numbers(self, total: dict[str, Any]) -> None:
        if total["n"] == 0:
            raise LabelError(
                "no point is left to compare.", "check that both sides name their points in the same way."
            )
        if total.get("bad"):
            raise ArgumentError.about(
                "weights",
                f"must be finite and not negative for every point; it is not for {count(int(total['bad']))}.",
                "a weight says how much a point counts; 0 leaves it out of the score.",
            )
        if total["mass"] == 0:
            raise ArgumentError.about("weights", "must not all be zero.")
        if "finite" in total and total["finite"] < total["n"]:
            lacking = int(total["n"] - total["finite"])
            raise ArgumentError.must(
                "features",
                "be finite",
                got=f"null, NaN or infinity for {count(lacking)}",
                hint="impute or drop those points first.",
            )
