"""From points to the meet, in the engine: group, check, and apply what the user chose for missing points and noise.

The result has a row a cell, with two liberties that keep it small. A null cluster means that every point of the row
is a cluster of its own on that side, so such a row stands for as many cells as it has points. And rows need not be
united: two of them may name the same clusters if one has a null.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, EngineError, LabelError, listed
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import CellWeights, Moments, Overlap
from clusterdiff.points.labels import AnyArray, FloatArray, IntArray, kind
from clusterdiff.points.policy import Missing, NoiseAs
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.engines.native import Engine, Frame, plain
from clusterdiff.tables.engines.tables import Points, flag, log_or_0

c = nw.col
#: Bytes that a cell takes in memory with all that is derived from it: with labels that are numbers, and otherwise.
CELL_BYTES = {"int": 100, "other": 400}


@dataclass(frozen=True)
class Choices:
    """What the user chose, and how many points it concerned."""

    missing: Missing = "error"
    noise: Hashable | None = None
    noise_as: NoiseAs = "singleton"
    missing_points: int = 0
    noise_points: int = 0


@dataclass(frozen=True)
class Cells:
    """The meet in its engine: columns ``t``, ``p``, ``m`` (points) and, if asked for, weights and features.

    Weights: ``w``, ``ww``, ``wl``, ``wx`` are Σw, Σw², Σ w·log w and max w. Features: ``c0`` … are the cell's means
    and ``within`` the squared deviations from them.
    """

    points: Points
    choices: Choices
    frame: Frame
    rows: int
    alone: int
    n: int
    mass: float
    uneven: Frame | None

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self.points.engine

    @property
    def bytes(self) -> int:
        """What the meet would take in memory."""
        numbers = set(self.points.kinds.values()) <= {"int", "bool"} and not self.points.by
        one = (
            CELL_BYTES["int" if numbers else "other"] + 32 * self.points.weighted + 16 * self.points.features
        )
        return (self.rows + self.alone) * one


def group(points: Points, choices: Choices) -> Cells:
    """Group the points to cells and apply the user's choices; raises if the tables do not fit together."""
    with points.engine.running():
        return _Grouping(points, choices).cells()


class _Grouping:
    def __init__(self, points: Points, choices: Choices) -> None:
        self.points = points
        self.choices = choices
        self.engine = points.engine
        for side in ("t", "p"):
            self._check_noise(side)
        self._nowhere: int | None = None
        # Whether rows of a join are told apart by the side that names them; the first try needs no such thing.
        self.counted = len(points.sides) == 2 and (choices.missing != "error" or self.engine.nulls_match)
        self.raw = self.engine.keep(self._grouped())
        if len(points.sides) == 2 and not self.counted and not self._whole():
            self.engine.free(self.raw)
            self.counted = True
            self.raw = self.engine.keep(self._grouped())

    def _whole(self) -> bool:
        """Whether every row found its like: all have both labels, and there are as many as in either table.

        With x and y rows of a name in the two tables, Σ xy = Σ x = Σ y over names that both have: all x and y are 1.
        """
        lacking = flag(c("t").is_null() | c("p").is_null())
        got = self.engine.row(self.raw.select(n=c("m").sum(), lacking=lacking.sum()))
        return got["lacking"] == 0 and (got["n"], got["n"]) == self.points.counts

    def _check_noise(self, side: str) -> None:
        noise, expected = self.choices.noise, self.points.kinds[side]
        if noise is not None and kind(noise) != expected:
            raise ArgumentError(
                f"`noise` must be a label of `{'true' if side == 't' else 'pred'}`, whose labels are {expected}; "
                f"got {kind(noise)} {noise!r}.",
                "give the noise label as it stands among the labels.",
            )

    # ---- one group by

    def _grouped(self) -> Frame:
        points = self.points
        keys = ["s"] * points.by + ["t", "p"]
        frame = points.frame
        # Rows of a full join with a name on this side: they tell whether the names were unique.
        counts = {"mi": c("i").count(), "mj": c("j").count()} if self.counted else {"m": nw.len()}
        sums: dict[str, Any] = {}
        if points.weighted:
            w = c("w")
            frame = frame.with_columns(
                ww=w * w,
                wl=w * log_or_0(w),
                bad=flag(w.is_null() | ~w.is_finite() | (w < 0)),
            )
            sums |= {
                "w": w.sum(),
                "ww": c("ww").sum(),
                "wl": c("wl").sum(),
                "wx": w.max(),
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
            size = c("m") if "m" in counts else nw.max_horizontal("mi", "mj")
            spread = nw.sum_horizontal(*(c(f"v{j}") for j in range(points.features)))
            out = out.with_columns(within=spread * size).drop(*(f"v{j}" for j in range(points.features)))
        return out

    def _two_passes(self, frame: Frame, keys: list[str], sums: dict[str, Any], features: list[str]) -> Frame:
        """Deviations from the cells' means in a second pass: sound where the engine has no sound variance."""
        columns = [f"c{j}" for j in range(len(features))]
        mass = c("w") if self.points.weighted else nw.lit(1.0)
        # Joins never match nulls, so the keys are spelt out: a text, and a mark that tells "" from null.
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
            *(c(m).cast(nw.Int64) for m in ("m", "mi", "mj") if m in sums),
            *((c(x) / whole).alias(x) for x in columns),
        )
        cells = self.engine.keep(cells.drop("mass"))
        centres = cells.select(*on, **{f"mean{j}": c(x) for j, x in enumerate(columns)})
        centred = frame.select(*on, "mass", *features).join(centres, on=on, how="inner")
        squares = nw.sum_horizontal(*((c(x) - c(f"mean{j}")) ** 2 for j, x in enumerate(features)))
        within = centred.with_columns(within=squares * c("mass")).group_by(*on).agg(within=c("within").sum())
        return cells.join(within, on=on, how="inner").drop(*on)

    # ---- checks and choices

    def _flagged(self) -> Frame:
        """The groups with marks: no label (tn, pn), noise (tz, pz); and their number of points."""
        noise = self.choices.noise
        marks = {f"{side}n": flag(c(side).is_null()) for side in ("t", "p")}
        marks |= {f"{side}z": nw.lit(0) if noise is None else flag(c(side) == noise) for side in ("t", "p")}
        frame = self.raw
        if self.counted:
            # A group without both labels mixes points of either table and of both: it is counted apart.
            size = nw.when(~c("t").is_null()).then(c("mi")).otherwise(c("mj"))
            if self._nowhere is not None:
                size = (
                    nw.when(c("t").is_null() & c("p").is_null()).then(nw.lit(self._nowhere)).otherwise(size)
                )
            frame = frame.with_columns(m=size)
        return frame.with_columns(**marks)

    def cells(self) -> Cells:
        """The cells, once everything has been checked."""
        if self.counted:
            self._check_join()
        flagged = self._flagged()
        choices, kept = self.choices, flagged
        if choices.noise is not None and choices.noise_as == "drop":
            kept = kept.filter((c("tz") + c("pz")) == 0)
        tally = self._tally(flagged, kept)
        before = kept
        if tally["missing"] and choices.missing == "error":
            self._refuse_missing(tally)
        if choices.missing != "singleton":
            kept = kept.filter((c("tn") + c("pn")) == 0)
        if choices.noise is not None and choices.noise_as == "singleton":
            kept = kept.with_columns(
                t=nw.when(c("tz") == 0).then(c("t")), p=nw.when(c("pz") == 0).then(c("p"))
            )
        columns = [*["s"] * self.points.by, "t", "p", "m"]
        columns += ["w", "ww", "wl", "wx"] * self.points.weighted
        columns += ["within", *(f"c{j}" for j in range(self.points.features))] if self.points.features else []
        own = flag(c("t").is_null() | c("p").is_null())
        total = self.engine.row(
            kept.with_columns(own=own).select(
                rows=nw.len(),
                own=c("own").sum(),
                alone=(c("own") * c("m")).sum(),
                n=c("m").sum(),
                mass=c("w" if self.points.weighted else "m").sum(),
                **({"bad": c("bad").sum()} if self.points.weighted else {}),
                **({"finite": c("finite").sum()} if self.points.features else {}),
                **({"groupless": flag(c("s").is_null()).sum()} if self.points.by else {}),
            )
        )
        self._check_numbers(total)
        rows, alone, n = (int(total[x]) for x in ("rows", "alone", "n"))
        done = Choices(choices.missing, choices.noise, choices.noise_as, tally["missing"], tally["noise"])
        normal = rows - int(total["own"])
        uneven = before if tally["missing"] else None
        return Cells(self.points, done, kept.select(*columns), normal, alone, n, float(total["mass"]), uneven)

    def _tally(self, flagged: Frame, kept: Frame) -> dict[str, int]:
        noise = flag((c("tz") + c("pz")) > 0)
        out = self.engine.row(
            kept.select(
                missing=(flag((c("tn") + c("pn")) > 0) * c("m")).sum(),
                true=(c("tn") * c("m")).sum(),
                pred=(c("pn") * c("m")).sum(),
                n=c("m").sum(),
            )
        )
        out |= self.engine.row(flagged.select(noise=(noise * c("m")).sum()))
        return {name: int(value) for name, value in out.items()}

    def _check_join(self) -> None:
        """Whether every row of the two tables came back once: otherwise a point was named twice or not at all."""
        nowhere = self.raw.filter(c("t").is_null() & c("p").is_null())
        both = self.engine.row(nowhere.select(mi=c("mi").sum(), mj=c("mj").sum()))
        if both["mi"] and both["mj"]:
            rows = self.points.frame.filter(c("t").is_null() & c("p").is_null())
            self._nowhere = int(self.engine.row(rows.select(n=nw.len()))["n"])
        elif both["mi"] or both["mj"]:
            self._nowhere = int(both["mi"] + both["mj"])
        got = self.engine.row(self.raw.select(true=c("mi").sum(), pred=c("mj").sum()))
        if (got["true"], got["pred"]) != self.points.counts:
            self.points.refuse_repeats()
            raise EngineError(
                f"the tables changed while they were read: {self.points.counts[0]:,} and {self.points.counts[1]:,} "
                f"rows at first, then {int(got['true']):,} and {int(got['pred']):,}.",
                "run again when nothing writes to them.",
            )
        if self.choices.missing != "error" and self.engine.row(self._unmatched().select(n=nw.len()))["n"]:
            self.points.refuse_repeats(unmatched=True)

    def _unmatched(self) -> Frame:
        return self.raw.filter(c("mi") != c("mj"))

    def _refuse_missing(self, tally: dict[str, int]) -> None:
        texts = []
        for side, other, column, twin in (("true", "pred", "t", "p"), ("pred", "true", "p", "t")):
            if not tally[side]:
                continue
            rows = self.points.frame.filter(c(column).is_null())
            if self.choices.noise is not None and self.choices.noise_as == "drop":
                rows = rows.filter(c(twin).is_null() | (c(twin) != self.choices.noise))
            if not self.points.named:
                texts.append(
                    f"`{side}` has no label (null or NaN) for {tally[side]:,} of {tally['n']:,} points."
                )
                continue
            names = rows.select(point=nw.coalesce("i", "j") if len(self.points.sides) == 2 else c("i"))
            first = plain(self.engine.fetch(names.sort("point").head(5))["point"])
            texts.append(
                f"`{side}` lacks {tally[side]:,} of the {tally['n'] - tally[other]:,} points of `{other}`: "
                f"{listed(first, tally[side])}."
            )
        raise LabelError(
            " ".join(texts),
            'pass missing="drop" to leave them out, or missing="singleton" to give each a cluster of its own.',
        )

    def _check_numbers(self, total: dict[str, Any]) -> None:
        if total["n"] == 0:
            raise LabelError(
                "no point is left to compare.", "check that both sides name their points in the same way."
            )
        if total.get("groupless"):
            raise ArgumentError("`by` must name the group of every point; some are null.")
        if total.get("bad"):
            raise ArgumentError(
                f"`weight` must be finite and not negative for every point; {int(total['bad']):,} are not.",
                "a weight says how much a point counts; 0 leaves it out of the score.",
            )
        if total["mass"] == 0:
            raise ArgumentError("`weight` must not be zero for every point.")
        if "finite" in total and total["finite"] < total["n"]:
            lacking = int(total["n"] - total["finite"])
            raise ArgumentError(
                f"`features` must be finite; got null, NaN or infinity for {lacking:,} points.",
                "impute or drop those points first.",
            )


# ---- into memory


def load(cells: Cells) -> tuple[Meet, AnyArray | None]:
    """The cells as a Meet in memory, and with ``by`` the group of each cell."""
    engine = cells.engine
    with engine.running():
        got = engine.fetch(cells.frame.filter(~c("t").is_null() & ~c("p").is_null()))
        single = engine.fetch(_points_alone(cells)) if cells.alone else None
    return build(cells, got, single)


def _points_alone(cells: Cells) -> Frame:
    """The points that are a cluster of their own on either side, a row each."""
    frame = _points_compared(cells).filter((c("to") + c("po")) > 0)
    points = cells.points
    name = ["point"] * points.named
    return frame.select(*["s"] * points.by, "t", "p", "to", "po", "tz", "pz", *points.extra, *name)


def _points_compared(cells: Cells) -> Frame:
    """The points that the user's choices leave, with marks: noise (tz, pz), and a cluster of their own (to, po)."""
    points, choices = cells.points, cells.choices
    own = {side: flag(c(side).is_null()) for side in ("t", "p")}
    noise = {
        side: nw.lit(0) if choices.noise is None else flag(c(side) == choices.noise) for side in ("t", "p")
    }
    frame = points.frame.with_columns(tn=own["t"], pn=own["p"], tz=noise["t"], pz=noise["p"])
    if choices.noise is not None and choices.noise_as == "drop":
        frame = frame.filter((c("tz") + c("pz")) == 0)
    if choices.missing != "singleton":
        frame = frame.filter((c("tn") + c("pn")) == 0)
    single = choices.noise_as == "singleton"
    frame = frame.with_columns(
        to=c("tn") + c("tz") if single else c("tn"), po=c("pn") + c("pz") if single else c("pn")
    )
    if not points.named:
        return frame
    return frame.with_columns(point=nw.coalesce("i", "j") if len(points.sides) == 2 else c("i"))


class Located(NamedTuple):
    """The points compared: their names, the codes of their clusters, and their cells."""

    points: Sequence[Hashable]
    true: npt.NDArray[np.int64]
    pred: npt.NDArray[np.int64]
    cell: npt.NDArray[np.int64]


def locate(cells: Cells, meet: Meet, only: Any = None) -> Located:
    """Bring the points of a meet back from their tables, those of one group if there are groups."""
    points = cells.points
    if not points.named and not cells.engine.ordered:
        raise ArgumentError(
            f"the points have no names, and rows have no order in {cells.engine.name}.",
            "pass point=, the column that names them.",
        )
    with cells.engine.running():
        frame = _points_compared(cells)
        if only is not None:
            frame = frame.filter(c("s") == only)
        names = ["point"] * points.named
        got = cells.engine.fetch(frame.select(*["s"] * points.by, "t", "p", "to", "po", *names))
    rows = len(numbers(got["to"]))
    labels = plain(got["point"]) if points.named else list(range(rows))
    groups = plain(got["s"]) if points.by and only is None else None
    true, pred = (
        _codes(got[side], numbers(got[f"{side}o"]) > 0, labels, groups, known)
        for side, known in (("t", meet.true_names), ("p", meet.pred_names))
    )
    here = (true >= 0) & (pred >= 0)  # a meet of some components has some of the points only
    order = np.flatnonzero(here)
    if points.named:
        order = order[np.argsort(as_objects([labels[i] for i in order.tolist()]), kind="stable")]
    true, pred = true[order], pred[order]
    width = meet.k_pred
    cell = np.searchsorted(meet.true.astype(np.int64) * width + meet.pred, true * width + pred)
    if len(order) != meet.n:
        raise ArgumentError("the points of clusters that were made for missing points are not known here.")
    found = [(groups[i], labels[i]) if groups is not None else labels[i] for i in order.tolist()]
    return Located(found, true, pred, cell)


def _codes(
    column: Any, own: npt.NDArray[np.bool_], points: list[Any], groups: list[Any] | None, known: AnyArray
) -> npt.NDArray[np.int64]:
    """The codes that a meet's clusters have for a fetched column of labels; -1 for clusters it does not have."""
    real = {name: code for code, name in enumerate(known.tolist()) if not isinstance(_last(name), Own)}
    made = {
        _last(name).point: code for code, name in enumerate(known.tolist()) if isinstance(_last(name), Own)
    }
    codes, names = encoded(column)
    if groups is None:
        of_name = np.array([*(real.get(name, -1) for name in names.tolist()), -1], dtype=np.int64)
        out = of_name[codes]
    else:
        texts = [*names.tolist(), None]
        pairs = zip(groups, codes.tolist(), strict=True)
        out = np.array([real.get((group, texts[code]), -1) for group, code in pairs], dtype=np.int64)
    for i in np.flatnonzero(own).tolist():
        out[i] = made.get(points[i], -1)
    return out


def _last(name: Any) -> Any:
    return name[1] if isinstance(name, tuple) else name


class Own(str):
    """The name of a cluster that was made for one point, which it remembers."""

    point: Any = None

    @classmethod
    def of(cls, why: str, point: Any) -> Own:
        """Named after the reason and the point."""
        name = cls(f"{why}: {point}")
        name.point = point
        return name


def build(
    cells: Cells, got: dict[str, Any], single: dict[str, Any] | None = None
) -> tuple[Meet, AnyArray | None]:
    """A Meet from fetched columns of cells and, a row each, of points that are alone on either side."""
    points = cells.points
    true, pred = encoded(got["t"]), encoded(got["p"])
    size = numbers(got["m"], np.int64)
    ones = 0
    if single is not None:
        true, pred = (_extended(side, *_single(single, x)) for side, x in ((true, "t"), (pred, "p")))
        ones = len(true[0]) - len(size)
        size = np.concatenate([size, np.ones(ones, dtype=np.int64)])
    groups = None
    if points.by:
        groups = as_objects(plain(got["s"]) + (plain(single["s"]) if single is not None else []))
        true, pred = _within(true, groups), _within(pred, groups)
    weights = moments = None
    if points.weighted:
        own = np.zeros(0) if single is None else numbers(single["w"])
        logs = own * np.log(own, out=np.zeros_like(own), where=own > 0)
        weights = [
            np.concatenate([numbers(got[x]), y]) for x, y in (("w", own), ("ww", own * own), ("wl", logs))
        ]
    if points.features:
        centres = [
            np.concatenate(
                [numbers(got[f"c{j}"]), np.zeros(0) if single is None else numbers(single[f"x{j}"])]
            )
            for j in range(points.features)
        ]
        moments = Moments(np.column_stack(centres), np.concatenate([numbers(got["within"]), np.zeros(ones)]))
    whole = None if cells.uneven is None else partial(overlap, cells)
    return assemble(cells, true, pred, size, weights, moments, groups, whole)


def assemble(
    cells: Cells,
    true: tuple[IntArray, AnyArray],
    pred: tuple[IntArray, AnyArray],
    size: npt.NDArray[np.int64],
    weights: list[FloatArray] | None,
    moments: Moments | None = None,
    groups: AnyArray | None = None,
    overlap: Callable[[], Overlap] | None = None,
) -> tuple[Meet, AnyArray | None]:
    """A Meet from the codes and names of both sides, and the groups in the order of its cells."""
    order = np.lexsort((pred[0], true[0]))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(true[0], minlength=len(true[1])))])
    built = _core.Cells(indptr, pred[0][order].astype(np.int32), size[order], len(pred[1]))
    if weights is not None:
        mass, square, logs = (x[order] for x in weights)
        unit = cells.mass / cells.n
        cell_weights = CellWeights(mass, square, logs - mass * np.log(unit), unit)
    meet = Meet(
        built,
        true[1],
        pred[1],
        weights=None if weights is None else cell_weights,
        moments=moments and moments.take(order),
        overlap=overlap,
    )
    return meet, None if groups is None else groups[order]


def overlap(cells: Cells) -> Overlap:
    """The cells of the points that both sides have, and the whole clusters: what the coreference measures read."""
    assert cells.uneven is not None
    with cells.engine.running():
        got = cells.engine.fetch(cells.uneven.select("t", "p", "m", "tz", "pz"))
    single = cells.choices.noise_as == "singleton"
    own = {side: (numbers(got[f"{side}z"]) > 0) & single for side in ("t", "p")}
    size = numbers(got["m"], np.int64)
    copies = np.where(own["t"] | own["p"], size, 1)
    row = np.repeat(np.arange(len(size)), copies)
    size = size[row] // copies[row]
    sides = []
    for side in ("t", "p"):
        codes = encoded(got[side])[0][row]
        alone = np.flatnonzero(own[side][row])
        codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.size)
        present = codes >= 0
        codes[present] = _core.encode_integers(codes[present])[0]
        sides.append((codes, _core.group_sum(codes[present], int(codes.max(initial=-1)) + 1, size[present])))
    (true, true_size), (pred, pred_size) = sides
    shared = (true >= 0) & (pred >= 0)
    return Overlap(true[shared], pred[shared], size[shared], true_size, pred_size)


def encoded(column: Any) -> tuple[IntArray, AnyArray]:
    """Codes and names of a fetched column of clusters; null has the code -1."""
    labels = read_labels(column, "cluster")
    present = slice(None) if labels.absent is None else ~labels.absent
    found, first = _core.encode_integers(labels.values[present])
    names = labels.values[present][first]
    names = names if labels.lexicon is None else labels.lexicon[names]
    # Engines return rows in any order; numbered by name, the same tables give the same result.
    order = np.argsort(names, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    codes = np.full(len(labels.values), -1, dtype=np.int64)
    codes[present] = rank[found]
    return codes, names[order]


def _single(single: dict[str, Any], side: str) -> tuple[list[Any], list[bool]]:
    """For each point alone somewhere: its cluster on this side, and whether it was made for it."""
    label, own, noise = (plain(single[x]) for x in (side, side + "o", side + "z"))
    points = plain(single["point"]) if "point" in single else list(range(len(own)))
    names = [
        Own.of("noise" if z else "missing", point) if o else name
        for name, o, z, point in zip(label, own, noise, points, strict=True)
    ]
    return names, [bool(o) for o in own]


def _extended(side: tuple[IntArray, AnyArray], more: list[Any], own: list[bool]) -> tuple[IntArray, AnyArray]:
    """The codes and names of one side with further cells, some in clusters of their own."""
    names = side[1].tolist()
    known = {name: code for code, name in enumerate(names)}
    codes = []
    for name, alone in zip(more, own, strict=True):
        code = len(names) if alone else known.setdefault(name, len(names))
        if code == len(names):
            names.append(name)
        codes.append(code)
    return np.concatenate([side[0], codes]).astype(np.int64), as_objects(names)


def _within(side: tuple[IntArray, AnyArray], groups: AnyArray) -> tuple[IntArray, AnyArray]:
    """Clusters told apart by their group: named (group, cluster)."""
    codes, names = side
    of_cell = _core.encode_objects(groups)[0].astype(np.int64)
    united, first = _core.encode_integers(of_cell * len(names) + codes)
    return united, as_objects([(groups[i], _plain(names[codes[i]])) for i in first.tolist()])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def as_objects(values: list[Any]) -> AnyArray:
    """A list of anything as a one-dimensional array."""
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # assigning all at once would take tuples apart
        out[i] = value
    return out


def numbers(column: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """A fetched column of numbers as an array."""
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column, dtype=dtype)
