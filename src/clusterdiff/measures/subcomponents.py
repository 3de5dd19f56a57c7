"""Subcomponent measures s(parts | whole), and the framework that combines them: S* and S'.

A subcomponent measure scores every true cluster by how much of it survives in its cells. It is a function of
the meet that returns one score per true cluster; on the transposed meet the same function scores merges.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias
from weakref import ref

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, MeasureError, nearest, one_of
from clusterdiff.measures.formulas import kept_each
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import Reads
from clusterdiff.meet.terms import CONTENTS
from clusterdiff.meet.uneven import SideScores, UnevenMeet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import record_html
from clusterdiff.wording import count

Takes: TypeAlias = Literal["sizes", "members", "meet"]
Sigma: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

#: Most parts sum to their whole only up to rounding; a score may leave [0, 1] by this much.
ROUNDING = 1e-9
#: Cells whose scores are combined at once.
BLOCK = 1 << 14


@dataclass(frozen=True)
class Subcomponent:
    """A named way to score a cluster's parts: ``function(meet)`` gives s(ℂ|L) for every true cluster L.

    ``reads`` says what of the meet it reads, ``needs`` what has to be known of the points: features or distances.
    """

    name: str
    function: Callable[[Meet], FloatArray]
    needs: str | None = None
    reads: Reads = "cells"

    def __call__(self, meet: Meet) -> FloatArray:
        """The score of every true cluster."""
        if self.needs and getattr(meet, {"features": "moments", "distances": "links"}[self.needs]) is None:
            raise MeasureError(
                f"`{self.name}` scores clusters by the points' {self.needs}, and the comparison has none.",
                Message("pass `{needs}= to compare()`.", needs=self.needs),
            )
        return self.function(meet)

    def of_pred(self, meet: Meet) -> FloatArray:
        """The score of every predicted cluster."""
        if self.function is entropy and meet.weights is None:
            return meet.cells.pred_entropy_scores()
        return self(meet.transpose())

    def _repr_html_(self) -> str:
        summary = (self.function.__doc__ or "").strip().split("\n")[0]
        return record_html(self.name, {"summary": summary, "reads": self.reads, "needs": self.needs})


#: The built-in subcomponent measures and those registered with :func:`subcomponent`, by name.
subcomponents: dict[str, Subcomponent] = {}


def _builtin(
    needs: str | None = None,
) -> Callable[[Callable[[Meet], FloatArray]], Callable[[Meet], FloatArray]]:
    def register(function: Callable[[Meet], FloatArray]) -> Callable[[Meet], FloatArray]:
        subcomponents[function.__name__] = Subcomponent(function.__name__, function, needs)
        return function

    return register


def _by_cluster(meet: Meet, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sum one value per cell over each true cluster; a cluster of one cell keeps its bits."""
    return np.add.reduceat(values, meet.indptr[:-1])


def _heavy_parts(meet: Meet) -> npt.NDArray[Any]:
    """How many cells of each true cluster weigh anything: of one alone nothing is lost, whatever rounding says."""
    return (
        np.diff(meet.indptr) if meet.weights is None else _by_cluster(meet, (meet.mass > 0).astype(np.int64))
    )


def _between(meet: Meet) -> _core.Contents:
    """What there is to lose between the cells of each true cluster, besides what is inside of them."""
    return _core.contents(meet.true, meet.k_true, meet.mass)


@_builtin()
def entropy(meet: Meet) -> FloatArray:
    r"""1 − H(ℂ_L)/log|L|, the paper's S_H, in the form :math:`\sum m \log m / (a \log a)`.

    An unsplit cluster scores exactly 1, one broken into singletons exactly 0, a singleton 1. With weights it is
    1 − H(parts)/H(singletons): Σ w·log(M/w), M being the mass of a point's cell, over Σ w·log(W/w), W being that of
    its cluster. Points without weight change nothing, and a cluster with one other point cannot be split.
    """
    if meet.weights is None:
        return meet.cells.entropy_scores()
    inside = _by_cluster(meet, meet.weights.entropy)
    return kept_each(inside, inside + _between(meet).entropy)


@_builtin()
def pairs(meet: Meet) -> FloatArray:
    r"""The share of a cluster's pairs of points that stay together, :math:`\sum \binom m2 / \binom a2`.

    With weights a pair counts as the product of its points' weights. A singleton scores 1.
    """
    if meet.weights is None:
        m, a = meet.size.astype(float), meet.true_size.astype(float)
        return kept_each(_by_cluster(meet, m * (m - 1)), a * (a - 1))
    inside = _by_cluster(meet, meet.weights.pairs)
    return kept_each(inside, inside + _between(meet).pairs)


@_builtin()
def largest(meet: Meet) -> FloatArray:
    """(max m − 1)/(a − 1): how much of the cluster its largest part keeps.

    A singleton scores 1. It counts points, so weights do not change it.
    """
    return kept_each(np.maximum.reduceat(meet.size, meet.indptr[:-1]) - 1, meet.true_size - 1)


@_builtin(needs="features")
def mse(meet: Meet) -> FloatArray:
    """within / (within + between): the share of the cluster's squared spread that is inside its parts.

    A cluster without any spread, or unsplit, scores 1; one broken into singletons 0.
    """
    assert meet.moments is not None
    within = _by_cluster(meet, meet.moments.within)
    between = meet.moments.between(meet.true, meet.k_true, meet.mass).within
    return np.where(_heavy_parts(meet) <= 1, 1.0, kept_each(within, within + between))


@_builtin(needs="distances")
def distance(meet: Meet) -> FloatArray:
    """The share of the cluster's pairwise link weight that is inside its parts.

    A cluster without any link weight, or unsplit, scores 1; one broken into singletons 0.
    """
    assert meet.links is not None
    kept = _by_cluster(meet, meet.links.cells)
    unsplit = np.diff(meet.indptr) == 1
    return np.where(unsplit, 1.0, np.minimum(kept_each(kept, meet.links.true), 1.0))


@dataclass(frozen=True)
class OfContent:
    """The scores of true clusters by a content of :mod:`clusterdiff.meet.terms`: what they still hold of it."""

    name: str

    def __call__(self, meet: Meet) -> FloatArray:
        """The score of every true cluster."""
        return Rows.of(meet).of_true(f"score_{self.name}")

    def sides(self, meet: UnevenMeet) -> tuple[SideScores, SideScores]:
        """The scores of both sides where points are lost."""
        rows = Rows.of(meet)
        labels = [f"{label}_{self.name}" for label in ("score", "inner", "kept")]
        true, pred = (SideScores(*map(of, labels)) for of in (rows.of_true, rows.of_pred))
        return true, pred


for _name in CONTENTS.keys() - subcomponents.keys():
    subcomponents[_name] = Subcomponent(_name, OfContent(_name))


# ---- a user's own


def subcomponent(
    s: str | Subcomponent | Callable[..., Any], takes: Takes | None = None, name: str | None = None
) -> Subcomponent:
    """A subcomponent measure from its name or from a user's own function.

    Parameters
    ----------
    s
        A built-in's name, or a function.
    takes
        What the function gets: ``"sizes"``, an array of the sizes of one cluster's parts, returning its
        score; ``"members"``, a list with an array of the points (positions) of each part; or ``"meet"``, the
        whole :class:`Meet`, returning the scores of all true clusters at once (the vectorised form: merges
        are scored by calling it on the transposed meet). By default the name of the function's one parameter.
    name
        How it is called in results; by default the function's own name. Named in ``subcomponents``, it can
        stand in a measure: ``"S*(name)"``.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> def survivors(sizes):
    ...     return (sizes.max() - 1) / (sizes.sum() - 1) if sizes.sum() > 1 else 1.0
    >>> cd.compare([0, 0, 0, 1], [0, 0, 1, 1]).score(cd.split_merge(survivors))
    0.25
    """
    if isinstance(s, Subcomponent):
        return s
    if isinstance(s, str):
        if s not in subcomponents:
            raise MeasureError(
                f"unknown subcomponent measure {s!r}; there are {', '.join(subcomponents)}.",
                nearest(s, subcomponents),
            )
        return subcomponents[s]
    label = name or str(getattr(s, "__name__", "own"))
    takes = takes or _taken(s)
    one_of("takes", takes, ("sizes", "members", "meet"))
    return Subcomponent(label, Own(s, takes, label), reads="points" if takes == "members" else "cells")


@dataclass(frozen=True)
class Own:
    """A user's own function, made to score all true clusters of a meet; what it returns is checked."""

    function: Callable[..., Any]
    takes: Takes
    name: str

    def __call__(self, meet: Meet) -> FloatArray:
        """The score of every true cluster."""
        if self.takes == "meet":
            return _checked(self.function(meet), meet, self.name)
        return _checked([self.function(parts) for parts in _parts(meet, self.takes)], meet, self.name)


def _taken(function: Callable[..., Any]) -> Any:
    parameters = list(inspect.signature(function).parameters)
    if len(parameters) == 1 and parameters[0] in ("members", "meet"):
        return parameters[0]
    return "sizes"


def _parts(meet: Meet, takes: Takes) -> Iterator[Any]:
    """The sizes, or the members, of the parts of each true cluster."""
    if takes == "sizes":
        yield from np.split(meet.mass, meet.indptr[1:-1])
        return
    members = meet.members
    bounds = meet.indptr.tolist()
    for start, stop in pairwise(bounds):
        yield [members(cell) for cell in range(start, stop)]


def _checked(scores: Any, meet: Meet, name: str) -> FloatArray:
    out = np.asarray(scores, dtype=np.float64)
    if out.shape != (meet.k_true,):
        raise MeasureError(
            f"`{name}` must return one score per cluster, {meet.k_true:,} in all; got an array of shape {out.shape}."
        )
    bad = np.flatnonzero(~((out >= -ROUNDING) & (out <= 1 + ROUNDING)))
    if bad.size:
        raise MeasureError(
            f"`{name}` must return scores from 0 to 1; it gave {out[bad[0]]} for a cluster of "
            f"{count(int(meet.true_size[bad[0]]))} in {count(int(np.diff(meet.indptr)[bad[0]]), 'part')}."
        )
    return out


# ---- the framework


def product(split: FloatArray, merge: FloatArray) -> FloatArray:
    """σ of S*: the product of a pair's two scores (equation 4)."""
    return split * merge


def mean(split: FloatArray, merge: FloatArray) -> FloatArray:
    """σ of S': the mean of a pair's two scores (equation 5)."""
    return (split + merge) / 2


def _sides(
    meet: UnevenMeet,
    s: Subcomponent,
    of_shared: Callable[[Meet], FloatArray],
    turned: Callable[[], Any],
    lost: int,
) -> SideScores:
    """The scores of a side that so many points are lost of; if that is none, those of the shared points."""
    own = isinstance(s.function, Own)
    if lost or own or meet.shared is None:
        found: SideScores = turned().scores(s, own)
        return found
    return SideScores.kept_whole(of_shared(meet.shared))


def by_entropy(meet: Meet) -> Scored:
    """The scores of S_H; ``meet.once`` keeps them for whoever asks next."""
    return Scored(meet, subcomponent("entropy"))


class Scored:
    """A meet with its split and merge scores: what S*, S' and the loss are read from.

    ``split`` and ``merge`` have one score per true and per predicted cluster. Where a side lacks points, each is the
    product of how the shared points fared (``inner``) and of what they are of the cluster (``kept``); ``split_sides``
    and ``merge_sides`` have both. Elsewhere they are None: all points are shared, and ``inner`` is the score.
    """

    def __init__(self, meet: Meet, s: Subcomponent) -> None:
        self._meet = ref(meet)
        self.split_sides = self.merge_sides = None
        if isinstance(meet, UnevenMeet):
            if isinstance(s.function, OfContent):
                self.split_sides, self.merge_sides = s.function.sides(meet)
            else:
                self.split_sides = _sides(meet, s, s, lambda: meet, len(meet.missing))
                self.merge_sides = _sides(meet, s, s.of_pred, meet.transpose, len(meet.spurious))
            self.split, self.merge = self.split_sides.whole, self.merge_sides.whole
        else:
            self.split = s(meet)
            self.merge = s.of_pred(meet)

    @property
    def meet(self) -> Meet:
        """Their meet, which may keep them, and which somebody else keeps: otherwise neither would be freed."""
        meet = self._meet()
        assert meet is not None
        return meet

    @cached_property
    def pair(self) -> tuple[FloatArray, FloatArray]:
        """The split and the merge score of each cell."""
        return self.split[self.meet.true], self.merge[self.meet.pred]

    def combine(self, sigma: Sigma = product) -> float:
        """Σ m/n · σ(split score, merge score) over the cells (equation 3); points that a side lacks score 0."""
        # Whole points for perfect cells are summed apart, so that identical clusterings give exactly 1.
        mass = self.meet.mass
        perfect = np.empty(len(mass), dtype=bool)
        rest = 0.0
        # A user's own function sees all cells at once; for ours they fit a core's cache.
        block = BLOCK if sigma in (product, mean) else max(1, len(mass))
        for start in range(0, len(mass), block):
            some = slice(start, start + block)
            value = self._combined(sigma, some)
            perfect[some] = value == 1.0
            rest += float(np.sum(np.where(perfect[some], 0.0, mass[some] * value)))
        return float((mass[perfect].sum().item() + rest) / self.meet.total)

    def _combined(self, sigma: Sigma, some: slice) -> FloatArray:
        """What a function makes of the two scores of some cells."""
        true, pred = self.meet.true[some], self.meet.pred[some]
        value = np.asarray(sigma(self.split[true], self.merge[pred]), dtype=np.float64)
        if value.shape != true.shape:
            raise ArgumentError.must(
                "sigma",
                f"return one value per cell, {len(true):,} in all",
                got=f"an array of shape {value.shape}",
                hint="it takes two arrays, the split and the merge score of each cell.",
            )
        return value
