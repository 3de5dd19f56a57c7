"""Shapes: what goes wrong, as a few kinds of component with their exact shares of the loss; or as confusions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

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
#: A component with this many clusters on both sides together is a tangle, described cell by cell.
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
    def codes(self) -> npt.NDArray[np.int8]:
        """The shape of each component, as an index into ``SHAPES``; of tangles the one they would have if small."""
        join, damaged = self.join, self.join.damaged
        true, pred = self._counts
        found = np.full(len(damaged), CODE["tangle-s"], dtype=np.int8)
        if self.analysis.meet.lost:
            missing, spurious = (
                np.broadcast_to(np.greater(lost, 0), len(join))[damaged]
                for lost in (join.missing, join.spurious)
            )
            one = (true <= 1) & (pred <= 1)
            for where, shape in (
                (one & missing & ~spurious, "missing"),
                (one & ~missing & spurious, "spurious"),
                (one & missing & spurious, "both"),
                ((true == 1) & (pred == 0), "missing-all"),
                ((true == 0) & (pred == 1), "spurious-all"),
            ):
                found[where] = CODE[shape]
        for shape, single, several in (("split", true, pred), ("merge", pred, true)):
            one_side = (single == 1) & (several > 1)
            found[one_side] = CODE[f"{shape}-2"] + np.minimum(several[one_side], 4) - 2
        self._name_mixed(found, (true > 1) & (pred > 1))
        codes = np.full(len(join), CODE["same"], dtype=np.int8)
        codes[damaged] = found
        return codes

    def _name_mixed(self, codes: npt.NDArray[np.int8], mixed: BoolArray) -> None:
        """The shapes of components with several clusters on both sides; damaged components by their places."""
        analysis, meet, k = self.analysis, self.analysis.meet, len(codes)
        true, pred = self._counts
        inside = mixed[self._of_damaged]
        cells, of = self.join.damaged_cells[inside], self._of_damaged[inside]
        mass = meet.mass[cells].astype(np.float64)
        number = np.bincount(of, minlength=k)
        # A cell touches all others if they are as many as share its row or its column.
        parts = analysis.parts_of_true[meet.true[cells]] + analysis.parts_of_pred[meet.pred[cells]]
        touches = parts - 1 == number[of]
        codes[of[touches]] = CODE["hub"]
        two = mixed & (true == 2) & (pred == 2)
        codes[two & (number == 4)] = CODE["exchange"]
        least = np.full(k, np.inf)
        np.minimum.at(least, of, mass)
        middle = touches & two[of] & (number[of] == 3)
        codes[of[middle & (mass <= least[of])]] = CODE["sides"]

    @cached_property
    def tangled(self) -> BoolArray:
        """Which components are tangles: described cell by cell."""
        true, pred = self._counts
        damaged = self.join.damaged
        mixed = damaged[(true > 1) & (pred > 1) & (true + pred >= TANGLE)]
        tangled = np.zeros(len(self.join), dtype=bool)
        tangled[mixed[self.codes[mixed] != CODE["hub"]]] = True
        return tangled

    @cached_property
    def edits(self) -> npt.NDArray[np.int8]:
        """What happened to each cell of a tangle, as an index into ``EDITS``; -1 for cells that stayed, and others."""
        cells, _ = self._of_tangled
        left, joined = self.blame.off_true[cells] > 0, self.blame.off_pred[cells] > 0
        edits = np.full(len(self.analysis.meet), -1, dtype=np.int8)
        edits[cells] = np.where(left, np.where(joined, 2, 0), np.where(joined, 1, -1))
        return edits

    @cached_property
    def _of_tangled(self) -> tuple[Int64Array, npt.NDArray[np.int32]]:
        """The cells of tangles, and the component of each."""
        cells = self.join.damaged_cells
        component = self.join.of_cell[cells]
        inside = np.flatnonzero(self.tangled[component])
        return cells[inside], component[inside]

    @cached_property
    def _of_damaged(self) -> npt.NDArray[np.int32]:
        """For each cell of a damaged component, the place of that among them."""
        return self.join.place[self.join.of_cell[self.join.damaged_cells]]

    @cached_property
    def _counts(self) -> tuple[Int64Array, Int64Array]:
        """The numbers of true and of predicted clusters of each damaged component."""
        damaged = self.join.damaged
        return self.join.true_count[damaged], self.join.pred_count[damaged]

    @cached_property
    def rows(self) -> list[Shape]:
        """The shapes, costliest first."""
        whole = self.analysis.loss.total
        if not whole > 0:
            return []
        losses = self.losses(np.ones(len(self.join), dtype=bool))
        found = [*self._of_components(whole, losses), *self._of_tangles(whole, losses)]
        return sorted(found, key=lambda row: -row.share)

    def losses(self, components: BoolArray) -> dict[str, Loss]:
        """What some of the components lost, by shape."""
        join, blame = self.join, self.blame
        inside = np.flatnonzero(components[join.damaged])
        codes, k = self._codes[inside], len(SHAPES) + 1
        found = [
            np.zeros(k) if part is None else _core.group_sum(codes, k, part[inside]) for part in self._lost
        ]
        out = {
            SHAPES[code]: Loss.of(*(float(part[code]) for part in found))
            for code in np.flatnonzero(np.bincount(codes, minlength=k)[:-1]).tolist()
        }
        tangled = self.tangled & components
        if not tangled.any():
            return out
        cells, component = self._of_tangled
        cells = cells[components[component]]
        for edit, shape in enumerate(EDITS):
            at = cells[self.edits[cells] == edit]
            if len(at):
                out[shape] = Loss.of(float(blame.split[at].sum()), float(blame.merge[at].sum()))
        meet = self.analysis.meet
        if len(meet.missing) and tangled[join.of_true[meet.missing.cluster]].any():
            out["e-missing"] = Loss.of(0.0, 0.0, float(blame.missing[tangled[join.of_true]].sum()), 0.0)
        if len(meet.spurious) and tangled[join.of_pred[meet.spurious.cluster]].any():
            out["e-spurious"] = Loss.of(0.0, 0.0, 0.0, float(blame.spurious[tangled[join.of_pred]].sum()))
        return out

    @cached_property
    def _codes(self) -> npt.NDArray[np.int8]:
        """The shape of each damaged component; of tangles, none of them."""
        damaged = self.join.damaged
        return np.where(self.tangled[damaged], np.int8(len(SHAPES)), self.codes[damaged])

    @cached_property
    def _lost(self) -> list[FloatArray | None]:
        """What each damaged component lost, part by part; None for a part that nothing was lost to."""
        losses = self.analysis.component_losses
        return [part[self.join.damaged] if part.any() else None for part in losses]

    def _of_components(self, whole: float, losses: dict[str, Loss]) -> Iterator[Shape]:
        join, cells = self.join, self.join.damaged_cells
        off = np.maximum(self.blame.off_true[cells], self.blame.off_pred[cells])
        moved = _core.group_sum(self._of_damaged, len(join.damaged), self.analysis.meet.size[cells] * off)
        for lost in (join.missing, join.spurious):
            moved += np.broadcast_to(lost, len(join))[join.damaged]
        for code in np.flatnonzero(np.bincount(self._codes, minlength=len(SHAPES) + 1)[:-1]).tolist():
            mine = np.flatnonzero(self._codes == code)
            at = join.damaged[mine]
            span = np.quantile(join.size[at], (0.1, 0.9), method="inverted_cdf")
            low, high = (int(size) for size in span)
            true, pred = (counts[mine] for counts in self._counts)
            same = (true == true[0]).all() and (pred == pred[0]).all()
            clusters = (int(true[0]), int(pred[0])) if same else None
            row = _row(SHAPES[code], "component", moved[mine], losses[SHAPES[code]], whole)
            yield replace(row, sizes=(low, high), clusters=clusters)

    def _of_tangles(self, whole: float, losses: dict[str, Loss]) -> Iterator[Shape]:
        blame, meet = self.blame, self.analysis.meet
        for edit, shape in enumerate(EDITS):
            if shape in losses:
                at = np.flatnonzero(self.edits == edit)
                size = meet.size[at]
                row = _row(shape, "edit", size, losses[shape], whole)
                shares = size_shares(size, blame.cells[at] / whole, np.ones(len(at)))
                yield replace(row, by_size=tuple(shares))
        for shape, of, unmatched in (
            ("e-missing", self.join.of_true, meet.missing),
            ("e-spurious", self.join.of_pred, meet.spurious),
        ):
            if shape in losses:
                number = int(unmatched.count(len(of))[self.tangled[of]].sum())
                yield _row(shape, "edit", np.ones(number), losses[shape], whole)

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


def shapes_of(analysis: Analysis) -> Shapes:
    """The shapes of a comparison; ``analysis.once`` keeps them for whoever asks next.

    They look at a copy of it, or each would keep the other; what both ask for is there before.
    """
    _ = analysis.join, analysis.component_losses, analysis.parts_of_true, analysis.parts_of_pred
    return Shapes(Blame(analysis.scratch()))


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
