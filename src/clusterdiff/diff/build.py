"""From two clusterings laid over the same points to their comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from clusterdiff import _core
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.source import OtherColumns, PointSource
from clusterdiff.files import STAGE
from clusterdiff.meet.cell_table import LabelPlaces
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.alignment import Alignment, Order
from clusterdiff.points.data import Distances, LinkFunction, read_features, read_weights
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray, Labels
from clusterdiff.points.ownership import side_by_side


def meet_of(aligned: Alignment) -> Meet:
    """The meet alone, for a score: it is gone before anybody can change what it still shares with the caller."""
    true, pred = aligned.true, aligned.pred
    return Meet.of_points(true.values, pred.values, true.lexicon, pred.lexicon)


def compare_aligned(
    aligned: Alignment,
    weights: object = None,
    features: object = None,
    distances: object = None,
    other: OtherColumns | None = None,
    later: OtherColumns | None = None,
    documents: IntArray | None = None,
) -> Comparison:
    """Compare two clusterings that lie over the same points already; the result shares nothing with the caller.

    ``other`` has further columns of the points of `true`, ``later`` those of `pred`, ``documents`` the document of
    each point, if they are divided into such.
    """
    STAGE.debug("comparing")
    order = aligned.order
    distances = LinkFunction(distances) if callable(distances) else distances
    w, scale = (None, 0) if weights is None else read_weights(weights, order)
    x = None if features is None else read_features(features, order, w)
    if aligned.originals is not None:
        aligned = replace(aligned, originals=aligned.originals.detach())
    if aligned.true.absent is not None or aligned.pred.absent is not None:
        aligned = replace(aligned, true=aligned.true.detach(), pred=aligned.pred.detach())
        uneven = uneven_of(
            aligned.true,
            aligned.pred,
            weights=w,
            features=x,
            link_sums=None if distances is None else _links(distances, order),
            documents=documents,
            scale=scale,
        )
        return Comparison(uneven, PointSource(uneven, aligned, w, other, later), aligned.policy)
    meet = Meet.of_points(
        aligned.true.values,
        aligned.pred.values,
        aligned.true.lexicon,
        aligned.pred.lexicon,
        weights=w,
        features=x,
        link_sums=None if distances is None else Distances(distances, order).sums,
        scale=scale,
    )
    cells = meet.cells
    true, pred = _detach(aligned, cells)
    aligned = Alignment(true, pred, order, aligned.named, aligned.policy, aligned.originals, aligned.kept)
    meet = meet.with_points(LabelPlaces(cells, aligned.true.values, aligned.pred.values))
    if documents is not None:
        meet = meet.within(documents)
    return Comparison(meet, PointSource(meet, aligned, w, other, later), aligned.policy)


def _detach(aligned: Alignment, cells: _core.Cells) -> tuple[Labels, Labels]:
    """The labels of both sides, out of the reach of whoever owns them."""
    ask_true = partial(aligned.true.detach, cells.true_labels)
    ask_pred = partial(aligned.pred.detach, cells.pred_labels)
    return side_by_side(ask_true, ask_pred, len(aligned))


def _links(distances: object, order: Order) -> Callable[[Int64Array], Callable[..., FloatArray]]:
    """What sums up the link weights of some of the points."""
    return lambda at: Distances(distances, order.chosen(at)).sums
