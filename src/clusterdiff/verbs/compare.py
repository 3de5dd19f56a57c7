"""compare and score: two clusterings, in whatever form."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from clusterdiff.diff.build import compare_aligned, meet_of
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.measures import resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.points.alignment import align
from clusterdiff.points.policy import Missing, NoiseAs, Policy

#: dtypes that need no encoding: integers of any width, and bools.
INTEGERS = np.typecodes["AllInteger"] + "?"


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
        Nothing that was passed is modified, and changing it afterwards changes no answer.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> diff = cd.compare(["ann", "ann", "bob", "bob"], [1, 1, 2, 3])
    >>> diff.score()
    0.5
    >>> diff.components[0].kind, diff.components[0].true, diff.components[0].pred
    ('split', ['bob'], [2, 3])
    """
    aligned = align(true, pred, Policy(missing, noise, noise_as))
    return compare_aligned(aligned, weights, features, distances)


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
        return float(resolve(measure)(meet_of(align(true, pred))))
    return compare(true, pred, **options).score(measure)
