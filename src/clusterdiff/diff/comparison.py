"""Comparison: what compare() returns. Scores, losses and tables, all read from one meet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff._version import __version__
from clusterdiff.diff.explain import Explanation, explain
from clusterdiff.diff.lookup import Lookup
from clusterdiff.diff.loss import CellLoss, Loss
from clusterdiff.diff.mapping import Continuation, mapping, matched
from clusterdiff.diff.patch import Patch, patch
from clusterdiff.diff.repairs import Repairs
from clusterdiff.diff.slices import Slice, by
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.normalise import normalised
from clusterdiff.measures.subcomponents import Scored, subcomponent
from clusterdiff.meet.lattice import KINDS, Components
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Overlap
from clusterdiff.points.clustering import Alignment, Clustering, Missing, NoiseAs, Points, align
from clusterdiff.points.data import Distances, read_features, read_weights
from clusterdiff.table import Table, shown

AnyMeasure: TypeAlias = str | Measure | Callable[[Meet], float]

#: dtypes that need no encoding: integers of any width, and bools.
INTEGERS = np.typecodes["AllInteger"] + "?"
#: What scores() gives when it is not told which.
USUAL = ("S_H", "S'", "R", "N", "A", "I", "nmi_max", "VI", "V")


class Split(NamedTuple):
    """A true cluster and what became of it (a split subcomponent ⟨L, ℂ⟩)."""

    cluster: Any
    component: int
    size: int
    parts: int
    largest: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float


class Merge(Split):
    """A predicted cluster and what it is made of (a merge subcomponent ⟨𝕃, C⟩)."""


@dataclass(frozen=True)
class Component:
    """A connected component: a set of points that both clusterings keep apart from all others.

    ``kind`` is "same" (one cluster on either side), "split" (one true cluster in several predicted ones),
    "merge" (several true clusters in one) or "mixed". ``loss`` is its share of the whole loss.
    """

    _comparison: Comparison = field(repr=False, compare=False)
    component: int
    kind: str
    size: int
    true_clusters: int
    pred_clusters: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float

    @property
    def true(self) -> list[Any]:
        """The names of its true clusters."""
        return self._comparison._clusters_of(self.component, "true")

    @property
    def pred(self) -> list[Any]:
        """The names of its predicted clusters."""
        return self._comparison._clusters_of(self.component, "pred")

    @property
    def meet(self) -> Meet:
        """The meet of its points alone."""
        return self._comparison._meet_of(self.component)

    @property
    def points(self) -> list[Hashable]:
        """The names of its points."""
        return self._comparison._points_of(self.component)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, clusters by name."""
        numbers = ("component", "kind", "size", "true_clusters", "pred_clusters", "score")
        losses = {"total": self.loss, "split": self.split_loss, "merge": self.merge_loss}
        return {name: getattr(self, name) for name in numbers} | {
            "loss": losses,
            "true": [_plain(name) for name in self.true],
            "pred": [_plain(name) for name in self.pred],
        }


class Comparison:
    """Two clusterings compared. Made by :func:`compare`."""

    def __init__(self, meet: Meet, aligned: Alignment, weights: npt.NDArray[Any] | None = None) -> None:
        self.meet = meet
        self.weights = weights
        self._aligned = aligned

    @property
    def true(self) -> Clustering:
        """The true clustering of the points compared."""
        return self._aligned.true

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points compared."""
        return self._aligned.pred

    @property
    def points(self) -> Points:
        """The names of the points compared; their positions if they have none."""
        return self._aligned.points

    @property
    def n(self) -> int:
        """Number of points compared."""
        return self.meet.n

    # ---- scores

    def score(self, measure: AnyMeasure = "S_H") -> float:
        """One measure, by name (see ``cd.measures``) or as a function of the meet.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).score()
        0.5
        """
        return float(resolve(measure)(self.meet))

    def scores(self, measures: Iterable[AnyMeasure] = USUAL) -> dict[str, float]:
        """Several measures, by name.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["S_H", "R"])
        {'S_H': 0.5, 'R': 0.8333333333333334}
        """
        if isinstance(measures, str):
            measures = [measures]
        return {m if isinstance(m, str) else resolve(m).name: self.score(m) for m in measures}

    @cached_property
    def _scored(self) -> Scored:
        return Scored(self.meet, subcomponent("entropy"))

    @cached_property
    def _cell_loss(self) -> CellLoss:
        return CellLoss(self._scored)

    @property
    def loss(self) -> Loss:
        """What S_H lost, in all and to splits and merges.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).loss
        Loss(total=0.5, split=0.5, merge=0.0)
        """
        return self._cell_loss.total

    def normalised(self, measure: AnyMeasure) -> float:
        """A measure rescaled by the extremes it takes for this true clustering (Luo et al., 2009).

        See :func:`clusterdiff.extremes` for the measures that it is known for.

        >>> import clusterdiff as cd
        >>> diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
        >>> diff.score("A"), diff.normalised("A")
        (0.75, 0.5)
        """
        return normalised(self.meet, resolve(measure))

    def plot(self, kind: str = "flow", ax: Any = None) -> Any:
        """Draw the comparison: "flow", "bipartite", "derivation", "loss", "sizes" or "heatmap".

        Returns the matplotlib Axes; see :mod:`clusterdiff.show.plots`.
        """
        from clusterdiff.show import plots

        return plots.plot(self, kind, ax)

    # ---- tables

    @cached_property
    def splits(self) -> Table[Split]:
        """A row for every true cluster, costliest first."""
        return self._subcomponents(self.meet, self._scored.split, self._components.of_true, "true", Split)

    @cached_property
    def merges(self) -> Table[Merge]:
        """A row for every predicted cluster, costliest first."""
        other = self.meet.transpose()
        return self._subcomponents(other, self._scored.merge, self._components.of_pred, "pred", Merge)

    def _subcomponents(self, meet: Meet, score: Any, component: Any, side: str, row: Any) -> Table[Any]:
        groups = self.meet.true if side == "true" else self.meet.pred
        split, merge = self._cell_loss.by(groups, meet.k_true)
        order = np.argsort(-(split + merge), kind="stable")
        columns = {
            "cluster": meet.true_names,
            "component": component,
            "size": meet.true_size,
            "parts": np.diff(meet.indptr),
            "largest": np.maximum.reduceat(meet.size, meet.indptr[:-1]),
            "score": score,
            "loss": split + merge,
            "split_loss": split,
            "merge_loss": merge,
        }
        return Table({name: np.asarray(column)[order] for name, column in columns.items()}, row)

    @cached_property
    def _components(self) -> Components:
        return Components(self.meet)

    @cached_property
    def components(self) -> Table[Component]:
        """The components, costliest first."""
        found = self._components
        split, merge = self._cell_loss.by(found.of_cell, len(found))
        mass = _core.group_sum(found.of_true, len(found), self.meet.true_mass)
        lost = split + merge
        order = np.argsort(-lost, kind="stable")
        score = np.ones(len(found))
        np.divide(lost * self.meet.total, mass, out=score, where=mass > 0)
        columns = {
            "component": np.arange(len(found)),
            "kind": np.asarray(KINDS, dtype=object)[found.kind],
            "size": found.size,
            "true_clusters": found.true_count,
            "pred_clusters": found.pred_count,
            "score": np.where(mass > 0, np.clip(1.0 - score, 0.0, 1.0), 1.0),
            "loss": lost,
            "split_loss": split,
            "merge_loss": merge,
        }
        row: Any = partial(Component, self)
        return Table({name: column[order] for name, column in columns.items()}, row)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).kinds
        {'same': 1, 'split': 1, 'merge': 0, 'mixed': 0}
        """
        return dict(
            zip(KINDS, np.bincount(self._components.kind, minlength=len(KINDS)).tolist(), strict=True)
        )

    @cached_property
    def _true_of_component(self) -> tuple[Any, Any]:
        return _core.group_members(self._components.of_true, len(self._components))

    @cached_property
    def _pred_of_component(self) -> tuple[Any, Any]:
        return _core.group_members(self._components.of_pred, len(self._components))

    def _clusters_of(self, component: int, side: str) -> list[Any]:
        names = self.meet.true_names if side == "true" else self.meet.pred_names
        indptr, members = self._true_of_component if side == "true" else self._pred_of_component
        return list(names[members[indptr[component] : indptr[component + 1]]].tolist())

    def _meet_of(self, component: int) -> Meet:
        indptr, members = self._true_of_component
        return self.meet.restrict(members[indptr[component] : indptr[component + 1]])

    def _points_of(self, component: int) -> list[Hashable]:
        names, cell_of_point = self.points, self._meet_of(component).cell_of_point
        return [names[i] for i in np.flatnonzero(cell_of_point >= 0).tolist()]

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.meet, self._components, lambda: self.points)

    @cached_property
    def _matched(self) -> npt.NDArray[np.int64]:
        return matched(self)

    # ---- where the score was lost, and what to fix first

    def explain(self, top: int = 10, sides: tuple[str, str] = ("true", "predicted")) -> Explanation:
        """Where the score was lost, in sentences and as data.

        Parameters
        ----------
        top
            How many of the costliest components to tell of.
        sides
            What the two clusterings are called: ``("old", "new")`` for two releases, say.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> print(cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3]).explain())
        S_H = 0.2524: 0.7476 was lost, 0.3476 (46%) to splitting and 0.4000 (54%) to merging.
        All of it was lost in 2 of 2 components.
        1. merge, 2 points, 54% of the loss
           true clusters B (1 point: 3) and C (1 point: 4) were merged into 3 (2 points).
        2. split, 3 points, 46% of the loss
           true cluster A (3 points) was split into 2: 1 (2 points: 0, 1) and 2 (1 point: 2).
        """
        return explain(self, top, sides)

    def repairs(self) -> Repairs:
        """What to fix first: single operations on predicted clusters by the score that each alone would gain.

        Operations split a predicted cluster by true cluster, merge the predicted clusters that lie inside one true
        cluster (with or without its home), or move a stray part of a true cluster to its home: the predicted cluster
        that holds most of it. Gains are exact. ``.sequence`` is the greedy sequence until pred equals true.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> repairs = cd.compare([0, 0, 1, 1, 2], ["x", "x", "y", "z", "z"]).repairs()
        >>> repairs
        +0.600000  move 1 point of 1 (3) from z to y
        +0.200000  split z into 2: 1 (1 point) and 2 (1 point)
        >>> [(step.operation, step.score) for step in repairs.sequence]
        [('move', 1.0)]
        """
        return self._repairs

    @cached_property
    def _repairs(self) -> Repairs:
        return Repairs(self)

    def patch(self) -> Patch:
        """The derivation from pred to true as a list of split and merge operations, to be written and applied.

        Predicted clusters that continue a true one (see ``mapping``) keep their names.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare([0, 0, 1, 1], ["x", "x", "y", "z"])
        >>> diff.patch().apply(["x", "x", "y", "z"]) == cd.Clustering([0, 0, 1, 1])
        True
        """
        return patch(self)

    @cached_property
    def mapping(self) -> Table[Continuation]:
        """Which predicted cluster continues which true one, which were born and which vanished.

        The pair of clusters that shares most points is matched first, then the next, each cluster at most once: no two
        clusters share more points with each other than with their partners.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], ["x", "x", "y", "z"]).mapping
           status     true  pred  shared  true_size  pred_size
        0  same       0     x          2          2          2
        1  continues  1     y          1          2          1
        2  born       None  z          0          0          1
        """
        return mapping(self)

    def by(self, column: object) -> Table[Slice]:
        """The loss by slices of the points, costliest first.

        Parameters
        ----------
        column
            One value a point: a list, array or column in the order of `true`, or a dict from point to value. Or
            ``"size"``, the size of the true cluster, or ``"kind"``, the kind of component.

        Returns
        -------
        Table of Slice
            The losses add up to the whole loss; ``score`` is what S_H would be if all points were like these.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).by(["shop", "web", "shop", "web"])
           value  points   score    loss  split_loss  merge_loss
        0  shop        2  0.5000  0.2500      0.2500      0.0000
        1  web         2  0.5000  0.2500      0.2500      0.0000
        """
        return by(self, column)

    def report(
        self,
        path: str | PathLike[str],
        *,
        attributes: object = None,
        by: Mapping[str, object] | None = None,
        title: str | None = None,
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> None:
        """Write one HTML file to explore the comparison, which needs no network and stays under 2 MB.

        Parameters
        ----------
        path
            The file; it appears whole or not at all.
        attributes
            What else is known of the points, to be shown with them: a frame (pandas, polars, pyarrow, …) or a dict
            of columns in the order of `true`, or a dict from point to a dict of attributes.
        by
            Columns to slice the loss by, as :meth:`by` takes them, by name.
        title, sides
            The heading, and what the two clusterings are called.
        """
        from clusterdiff.show.report import write_report

        write_report(self, path, attributes=attributes, by=by, title=title, sides=sides)

    # ---- for people and programs

    @property
    def signature(self) -> str:
        """How the score came about: measure, points, policies and version, to tell two numbers apart."""
        aligned = self._aligned
        missing = aligned.missing + (f"({aligned.missing_points})" if aligned.missing_points else "")
        noise = (
            "-" if aligned.noise is None else f"{aligned.noise}={aligned.noise_as}({aligned.noise_points})"
        )
        weights = "-" if not self.meet.weighted else f"sum={self.meet.total:.12g}"
        return f"S_H|n:{self.n}|missing:{missing}|noise:{noise}|weights:{weights}|v:{__version__}"

    def to_dict(self, measures: Iterable[AnyMeasure] = USUAL, top: int | None = 10) -> dict[str, Any]:
        """The whole comparison as plain values, with the ``top`` costliest components (None: all)."""
        return {
            "signature": self.signature,
            "n": self.n,
            "clusters": {"true": self.meet.k_true, "pred": self.meet.k_pred},
            "cells": len(self.meet),
            "scores": self.scores(measures),
            "loss": self.loss._asdict(),
            "kinds": self.kinds,
            "components": [component.to_dict() for component in self.components[:top]],
        }

    def _sentences(self) -> list[str]:
        loss, kinds = self.loss, self.kinds
        return [
            f"S_H = {self.score():.4f} for {self.n:,} points in {self.meet.k_true:,} true and "
            f"{self.meet.k_pred:,} predicted clusters",
            f"lost {loss.total:.4f}: {loss.split:.4f} to splits, {loss.merge:.4f} to merges",
            "components: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()),
        ]

    def __repr__(self) -> str:
        return "\n".join([*self._sentences(), self.signature])

    def _repr_html_(self) -> str:
        worst = [c for c in self.components[:5] if c.loss > 0]
        rows = "".join(
            f"<tr><td>{c.kind}</td><td>{c.size:,}</td><td>{c.loss:.4f}</td>"
            f"<td>{escape(_name_list(c.true))}</td><td>{escape(_name_list(c.pred))}</td></tr>"
            for c in worst
        )
        table = (
            "<table><thead><tr><th>kind</th><th>points</th><th>loss</th><th>true</th><th>predicted</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
            if worst
            else ""
        )
        first, *rest = map(escape, self._sentences())
        lines = "<br>".join(rest)
        return f"<p><b>{first}</b><br>{lines}</p>{table}<p><code>{escape(self.signature)}</code></p>"


def _name_list(names: Sequence[Any], limit: int = 4) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(shown(str(name), 30) for name in names[:limit]) + more


def _plain(value: Any) -> Any:
    """A name that JSON can hold."""
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def compare(
    true: object,
    pred: object,
    *,
    weights: object = None,
    features: object = None,
    distances: object = None,
    missing: Missing = "error",
    noise: Hashable | None = None,
    noise_as: NoiseAs = "singleton",
) -> Comparison:
    """Compare a predicted clustering with a true one.

    Parameters
    ----------
    true, pred
        On either side: one label a point (list, tuple, NumPy array; pandas, polars or pyarrow column); a list of
        sets or lists of points; a dict from point to cluster, or from cluster to a set or list of points. If
        either side names its points, the two are matched by name; labels in order have the points 0, 1, 2, …
    weights
        How much each point counts: one number ≥ 0 a point in the order of `true`, or a dict by point.
    features
        A row of numbers a point (array or scipy sparse matrix, or a dict by point), for ``S_MSE``.
    distances
        Link weights between points, for ``S*(distance)``: a square matrix, a condensed vector, or a function of
        two equally long arrays of points.
    missing
        What to do with points that have a cluster on one side only, or a null label: ``"error"``, ``"drop"``
        (leave them out) or ``"singleton"`` (a cluster of their own on the side that lacks them). B-cubed and the
        coreference measures count such points as the CoNLL reference scorer does, under either choice.
    noise
        A label that means "in no cluster", such as DBSCAN's -1, on either side.
    noise_as
        What to do with noise: each point a ``"singleton"``, all of it one ``"cluster"``, or ``"drop"``.

    Returns
    -------
    Comparison
        It keeps a reference to what was passed, and modifies nothing.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> diff = cd.compare(["ann", "ann", "bob", "bob"], [1, 1, 2, 3])
    >>> diff.score()
    0.5
    >>> diff.components[0].kind, diff.components[0].true, diff.components[0].pred
    ('split', ['bob'], [2, 3])
    """
    comparison = compare_aligned(align(true, pred, missing, noise, noise_as), weights, features, distances)
    comparison.true.settle()
    comparison.pred.settle()
    return comparison


def compare_aligned(
    aligned: Alignment, weights: object = None, features: object = None, distances: object = None
) -> Comparison:
    """Compare two clusterings that lie over the same points already."""
    left, right = aligned.true, aligned.pred
    w = None if weights is None else read_weights(weights, aligned)
    meet = Meet.of_points(
        left.labels,
        right.labels,
        left.lexicon,
        right.lexicon,
        weights=w,
        features=None if features is None else read_features(features, aligned),
        link_sums=None if distances is None else Distances(distances, aligned).sums,
        overlap=None if aligned.uneven is None else partial(_overlap, *aligned.uneven),
    )
    return Comparison(meet, aligned, w)


def _overlap(true: Clustering, pred: Clustering) -> Overlap:
    return Overlap.of(true.labels, pred.labels, true.present, pred.present)


def score(true: object, pred: object, measure: AnyMeasure = "S_H", **options: Any) -> float:
    """One number for two clusterings; ``options`` are those of :func:`compare`.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    if (
        not options
        and type(true) is type(pred) is np.ndarray
        and true.dtype.char in INTEGERS
        and pred.dtype.char in INTEGERS
        and true.dtype.isnative
        and pred.dtype.isnative
        and true.ndim == 1
        and true.shape == pred.shape
        and len(true)
    ):
        # Two plain integer arrays need no alignment: this is what keeps small inputs cheap.
        return float(resolve(measure)(Meet.from_labels(true, pred)))
    if not options:
        # A score names no cluster: names stay where they are.
        return compare_aligned(align(true, pred)).score(measure)
    return compare(true, pred, **options).score(measure)
