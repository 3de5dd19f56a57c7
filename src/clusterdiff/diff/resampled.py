"""The sums of a resample, from which measures are computed: a meet without cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.measures.terms import x_log_x
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Pairs
from clusterdiff.meet.sums import Once
from clusterdiff.points.labels import FloatArray

Values = npt.NDArray[Any]


def _a(meet: Meet) -> Values:
    return meet.true_mass[meet.true].astype(float)


def _b(meet: Meet) -> Values:
    return meet.pred_mass[meet.pred].astype(float)


def _m(meet: Meet) -> Values:
    return meet.mass.astype(float)


def _size(meet: Meet) -> Values:
    """The size of each cell; none of those that weigh nothing, which no measure looks at."""
    return meet.size if meet.weights is None else np.where(meet.mass > 0, meet.size, 0)


def _size_of_true(meet: Meet) -> Values:
    """The size of each cell's true cluster, as far as it weighs anything."""
    return np.bincount(meet.true, _size(meet), meet.k_true)[meet.true]


def _size_of_pred(meet: Meet) -> Values:
    return np.bincount(meet.pred, _size(meet), meet.k_pred)[meet.pred]


def _unlike(meet: Meet) -> Values:
    """Which cells are not all of both their clusters."""
    size = _size(meet)
    return (size > 0) & ((size < _size_of_true(meet)) | (size < _size_of_pred(meet)))


def _over(above: Values, below: Values) -> FloatArray:
    out = np.zeros(len(above))
    np.divide(above, below, out=out, where=below > 0)
    return out


def _log(x: Values) -> FloatArray:
    return _over(x_log_x(x), x)


def _largest(meet: Meet) -> FloatArray:
    """The largest cell of each true cluster, shared out over its cells."""
    largest = np.maximum.reduceat(meet.mass, meet.indptr[:-1])[meet.true]
    return _over(_m(meet) * largest, _a(meet))


def _largest_of_pred(meet: Meet) -> FloatArray:
    out = np.empty(len(meet))
    out[meet.transpose_order] = _largest(meet.transpose())
    return out


def _matched(meet: Meet) -> FloatArray:
    out = np.zeros(len(meet))
    chosen = meet.cells.assign(meet.mass)
    out[chosen] = meet.mass[chosen]
    return out


def _w_log_w(meet: Meet) -> FloatArray:
    return np.zeros(len(meet)) if meet.weights is None else x_log_x(_m(meet)) - meet.weights.entropy


def _squares(meet: Meet) -> Values:
    """Σ w² of each cell: the square of its mass without the pairs of its points."""
    return meet.size if meet.weights is None else _m(meet) ** 2 - 2 * meet.weights.pairs


#: What each cell adds to a sum. A sum over clusters is shared out over their cells by mass, so that it has a value for
#: any choice of cells, and for all of them its own.
SUMS: dict[str, Callable[[Meet], Values]] = {
    "n": _size,
    "total": lambda meet: meet.mass,
    "own": _squares,
    "w_log_w": _w_log_w,
    "cells": lambda meet: _size(meet) > 0,
    "unlike": _unlike,
    "k_true": lambda meet: _over(_size(meet), _size_of_true(meet)),
    "k_pred": lambda meet: _over(_size(meet), _size_of_pred(meet)),
    "mm": lambda meet: _m(meet) ** 2,
    "aa": lambda meet: _m(meet) * _a(meet),
    "bb": lambda meet: _m(meet) * _b(meet),
    "true_max": _largest,
    "pred_max": _largest_of_pred,
    "matched": _matched,
    "m_log_m": lambda meet: x_log_x(_m(meet)),
    "a_log_a": lambda meet: _m(meet) * _log(_a(meet)),
    "b_log_b": lambda meet: _m(meet) * _log(_b(meet)),
    "split_info": lambda meet: _m(meet) * (_log(_a(meet)) - _log(_m(meet))),
    "merge_info": lambda meet: _m(meet) * (_log(_b(meet)) - _log(_m(meet))),
    "b3_recall": lambda meet: _over(_m(meet) ** 2, _a(meet)),
    "b3_precision": lambda meet: _over(_m(meet) ** 2, _b(meet)),
    "element": lambda meet: _over(_m(meet) ** 2, np.maximum(_a(meet), _b(meet))),
}


class Noted(dict[str, float]):
    """The sums of a whole meet, each computed when it is read: what a measure reads is what stands here afterwards."""

    def __init__(self, meet: Meet) -> None:
        self._meet = meet

    def __missing__(self, name: str) -> float:
        self[name] = float(np.sum(SUMS[name](self._meet)))
        return self[name]


class Resampled(Once):
    """A :class:`clusterdiff.meet.sums.Summed` of sums that have been added up already, by the names in ``SUMS``.

    Weights are in units of 2 to the ``scale``; None if there are none.
    """

    uneven = False
    offers = frozenset({"sums", "matched"})
    lacking = ("only sums can be drawn again", None)

    def __init__(self, values: Mapping[str, float], scale: int | None) -> None:
        self._values = values
        self.weighted = scale is not None
        self.scale = scale or 0
        self._made = {}

    @property
    def n(self) -> int:
        """Number of points."""
        return round(self._values["n"])

    @property
    def total(self) -> float:
        """The weight of all points."""
        return self._values["total"]

    @property
    def k_true(self) -> int:
        """Number of true clusters; of those that a resample cuts, what is left of them."""
        return round(self._values["k_true"])

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return round(self._values["k_pred"])

    def __len__(self) -> int:
        """Number of cells."""
        return round(self._values["cells"])

    @property
    def same(self) -> bool:
        """Whether every cell is a whole cluster on both sides."""
        return self._values["unlike"] == 0

    @property
    def sums(self) -> ResampledSums:
        """The sums over cells and clusters."""
        return ResampledSums(self._values)

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        own = self._values["own"]
        both, true, pred = (max(0.0, (self._values[name] - own) / 2) for name in ("mm", "aa", "bb"))
        return Pairs(both, true, pred, max(0.0, (self.total**2 - own) / 2))

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.total) - self._values["w_log_w"] / self.total

    def fused(self, name: str) -> Any:
        """The points in the best one-to-one matching of clusters, which is one of whole components."""
        return self._values[name]


class ResampledSums:
    """The sums as measures know them."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values

    def _mean(self, name: str) -> float:
        return self._values[name] / self._values["total"]

    def _entropy(self, name: str) -> float:
        return max(0.0, log(self._values["total"]) - self._mean(name))

    mm = property(lambda self: self._values["mm"])
    aa = property(lambda self: self._values["aa"])
    bb = property(lambda self: self._values["bb"])
    true_max = property(lambda self: self._values["true_max"])
    pred_max = property(lambda self: self._values["pred_max"])
    h_true = property(lambda self: self._entropy("a_log_a"))
    h_pred = property(lambda self: self._entropy("b_log_b"))
    h_joint = property(lambda self: self._entropy("m_log_m"))
    split_info = property(lambda self: self._mean("split_info"))
    merge_info = property(lambda self: self._mean("merge_info"))
    mutual = property(lambda self: max(0.0, self.h_pred - self.split_info))
    b3_recall = property(lambda self: self._mean("b3_recall"))
    b3_precision = property(lambda self: self._mean("b3_precision"))
    element = property(lambda self: self._mean("element"))
