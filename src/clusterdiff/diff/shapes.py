"""Shapes: what goes wrong, as a few kinds of component with their exact shares of the loss; or as confusions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patterns import Confusion, Shape, SizeShare
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array

#: The shapes of components, by code.
SHAPES = (
    "same",
    "split-2",
    "split-3",
    "split-4+",
    "merge-2",
    "merge-3",
    "merge-4+",
    "exchange",
    "sides",
    "hub",
    "tangle-s",
    "missing",
    "spurious",
    "both",
    "missing-all",
    "spurious-all",
)
CODE = {shape: code for code, shape in enumerate(SHAPES)}
#: What happened to single cells of tangles.
EDITS = ("e-split", "e-merge", "e-sides")
#: A component with this many clusters on both sides together is a tangle, told cell by cell.
TANGLE = 10
#: The classes of size that edits are counted in: the greatest size of each.
SIZES = {"1": 1, "2-5": 5, "6-20": 20, "21+": np.inf}


class Shapes:
    """The damaged components by shape; of large tangles, the cells by what happened to them.

    Components have their own losses and cells of tangles their blame, so the rows add up to the loss in each of its
    four parts.
    """

    def __init__(self, blame: Blame) -> None:
        self.blame = blame
        self.analysis: Analysis = blame.analysis
        self.join = self.analysis.join

    @cached_property
    def codes(self) -> Int64Array:
        """The shape of each component, as an index into ``SHAPES``; of tangles the one they would have if small."""
        join, k = self.join, len(self.join)
        true, pred = self._counts
        missing, spurious = (
            np.broadcast_to(np.greater(lost, 0), k) for lost in (join.missing, join.spurious)
        )
        one = (true <= 1) & (pred <= 1)
        codes = np.full(k, CODE["tangle-s"])
        for where, shape in (
            (one & ~missing & ~spurious, "same"),
            (one & missing & ~spurious, "missing"),
            (one & ~missing & spurious, "spurious"),
            (one & missing & spurious, "both"),
            ((true == 1) & (pred == 0), "missing-all"),
            ((true == 0) & (pred == 1), "spurious-all"),
        ):
            codes[where] = CODE[shape]
        for shape, single, several in (("split", true, pred), ("merge", pred, true)):
            one_side = (single == 1) & (several > 1)
            codes[one_side] = CODE[f"{shape}-2"] + np.minimum(several[one_side], 4) - 2
        self._name_mixed(codes, (true > 1) & (pred > 1))
        return codes

    def _name_mixed(self, codes: Int64Array, mixed: BoolArray) -> None:
        """The shapes of components with several clusters on both sides."""
        meet, blame, k = self.analysis.meet, self.blame, len(codes)
        true, pred = self._counts
        component = self._of_cell
        cells = np.flatnonzero(mixed[component])
        of, mass = component[cells], np.asarray(meet.mass, dtype=np.float64)[cells]
        number = np.bincount(of, minlength=k)
        # A cell touches all others if they are as many as share its row or its column.
        touches = (
            blame.parts_of_true[meet.true[cells]] + blame.parts_of_pred[meet.pred[cells]] - 1 == number[of]
        )
        codes[of[touches]] = CODE["hub"]
        two = mixed & (true == 2) & (pred == 2)
        codes[two & (number == 4)] = CODE["exchange"]
        least = np.full(k, np.inf)
        np.minimum.at(least, of, mass)
        middle = touches & two[of] & (number[of] == 3)
        codes[of[middle & (mass <= least[of])]] = CODE["sides"]

    @cached_property
    def tangled(self) -> BoolArray:
        """Which components are tangles: told cell by cell."""
        true, pred = self._counts
        mixed = (true > 1) & (pred > 1) & (true + pred >= TANGLE)
        tangled: BoolArray = mixed & (self.codes != CODE["hub"])
        return tangled

    @cached_property
    def edits(self) -> Int64Array:
        """What happened to each cell of a tangle, as an index into ``EDITS``; -1 for cells that stayed, and others."""
        left, joined = self.blame.off_true > 0, self.blame.off_pred > 0
        edit = np.where(left, np.where(joined, 2, 0), np.where(joined, 1, -1))
        return np.where(self.tangled[self._of_cell], edit, -1)

    @cached_property
    def _of_cell(self) -> Int64Array:
        return self.join.of_cell.astype(np.int64)

    @cached_property
    def _counts(self) -> tuple[Int64Array, Int64Array]:
        return self.join.true_count, self.join.pred_count

    @cached_property
    def rows(self) -> list[Shape]:
        """The shapes, costliest first."""
        whole = self.analysis.loss.total
        found = [*self._of_components(whole), *self._of_tangles(whole)] if whole > 0 else []
        return sorted(found, key=lambda row: -row.share)

    def _of_components(self, whole: float) -> Iterator[Shape]:
        join, k = self.join, len(self.join)
        losses = self.analysis.cell_loss.by(self._of_cell, k, join.of_true, join.of_pred)
        off = np.maximum(self.blame.off_true, self.blame.off_pred)
        moved = (
            _core.group_sum(self._of_cell, k, self.analysis.meet.size * off) + join.missing + join.spurious
        )
        damaged = np.flatnonzero((self.codes != CODE["same"]) & ~self.tangled)
        codes, sizes = self.codes[damaged], join.size[damaged]
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            mine = codes == code
            at = damaged[mine]
            loss = Loss.of(*(float(part[at].sum()) for part in losses))
            span = np.quantile(sizes[mine], (0.1, 0.9), method="inverted_cdf")
            low, high = (int(size) for size in span)
            true, pred = (counts[at] for counts in self._counts)
            same = (true == true[0]).all() and (pred == pred[0]).all()
            clusters = (int(true[0]), int(pred[0])) if same else None
            row = _row(SHAPES[code], "component", moved[at], loss, whole)
            yield replace(row, sizes=(low, high), clusters=clusters)

    def _of_tangles(self, whole: float) -> Iterator[Shape]:
        blame, meet = self.blame, self.analysis.meet
        for edit, shape in enumerate(EDITS):
            at = np.flatnonzero(self.edits == edit)
            if len(at):
                size = meet.size[at]
                loss = Loss.of(float(blame.split[at].sum()), float(blame.merge[at].sum()))
                row = _row(shape, "edit", size, loss, whole)
                yield replace(
                    row, by_size=tuple(size_shares(size, blame.cells[at] / whole, np.ones(len(at))))
                )
        for shape, charged, of, unmatched in (
            ("e-missing", blame.missing, self.join.of_true, meet.missing),
            ("e-spurious", blame.spurious, self.join.of_pred, meet.spurious),
        ):
            inside = self.tangled[of]
            number = int(unmatched.count(len(of))[inside].sum())
            if number:
                cost = float(charged[inside].sum())
                loss = Loss.of(0.0, 0.0, *((cost, 0.0) if shape == "e-missing" else (0.0, cost)))
                yield _row(shape, "edit", np.ones(number), loss, whole)

    @cached_property
    def confusions(self) -> list[Confusion]:
        """The cells that left their clusters, costliest first: for comparisons of few clusters."""
        meet, cost, whole = self.analysis.meet, self.blame.cells, self.analysis.loss.total
        order = np.argsort(-cost, kind="stable")
        order = order[: np.count_nonzero(cost > 0)]
        # The cells from small to large: what is written last is the largest, of equal ones the first.
        rising = np.lexsort((-np.arange(len(meet)), meet.mass))
        mostly = np.zeros(meet.k_pred, dtype=np.int64)
        mostly[meet.pred[rising]] = meet.true[rising]
        true, pred = self.analysis.true, self.analysis.pred
        return [
            Confusion(true[t], pred[p], true[most], size, of, share)
            for t, p, most, size, of, share in zip(
                meet.true[order].tolist(),
                meet.pred[order].tolist(),
                mostly[meet.pred[order]].tolist(),
                meet.size[order].tolist(),
                meet.true_size[meet.true[order]].tolist(),
                (cost[order] / whole).tolist(),
                strict=True,
            )
        ]


def _row(shape: str, unit: str, moved: FloatArray | Int64Array, loss: Loss, whole: float) -> Shape:
    ones, typical = float(np.mean(moved <= 1)), float(np.median(moved))
    return Shape(shape, unit, len(moved), float(moved.sum()), loss, loss.total / whole, typical, ones)


def size_shares(size: FloatArray | Int64Array, share: FloatArray, number: FloatArray) -> Iterator[SizeShare]:
    """Edits by their size: some of the same size and their share of the loss at a time."""
    classes = np.searchsorted(list(SIZES.values()), size)
    for i, name in enumerate(SIZES):
        mine = classes == i
        if mine.any():
            yield SizeShare(name, int(number[mine].sum()), float(share[mine].sum()))
