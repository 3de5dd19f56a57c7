"""A scorer for scikit-learn's model selection: GridSearchCV, cross_validate and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterdiff.diff.build import meet_of
from clusterdiff.diff.comparison import AnyMeasure
from clusterdiff.errors import ArgumentError, listed, one_of
from clusterdiff.measures import Measure, resolve
from clusterdiff.points.alignment import in_order
from clusterdiff.points.labels import Labels
from clusterdiff.points.policy import NOISE_AS, NoiseAs
from clusterdiff.points.reading import read_labels


@dataclass(frozen=True)
class Scorer:
    """``scorer(estimator, X, y)``: how well an estimator clusters X, with y as the true clustering."""

    measure: Measure
    noise: int | None = -1
    noise_as: NoiseAs = "singleton"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        """The score of the estimator's clusters of X; larger is better."""
        if y is None:
            raise ArgumentError(
                "`y` must hold the true clusters; got None.", "pass y to fit or cross_validate."
            )
        true, pred = read_labels(y, "y"), read_labels(predicted(estimator, X), "pred")
        if true.absent is not None:
            at = np.flatnonzero(true.absent)
            raise ArgumentError(
                f"`y` must hold a true cluster for every point; {at.size:,} have none (null or NaN), at positions "
                f"{listed(at[:5], at.size)}.",
                "leave those points out of X and y first.",
            )
        value = self.measure(meet_of(in_order(*self._without_noise(true, pred))))
        return value if self.measure.similarity else -value

    def _without_noise(self, true: Labels, pred: Labels) -> tuple[Labels, Labels]:
        noisy = pred.where(self.noise) if self.noise is not None else np.zeros(len(pred), dtype=bool)
        if not noisy.any() or self.noise_as == "cluster":
            return true, pred
        if self.noise_as == "drop":
            kept = np.flatnonzero(~noisy)
            return true.take(kept), pred.take(kept)
        return true, pred.apart(noisy, [f"noise: {i}" for i in np.flatnonzero(noisy).tolist()])


def predicted(estimator: Any, X: Any) -> Any:  # noqa: N803
    """The clusters that an estimator finds in X.

    An estimator that can predict does so. Others, such as DBSCAN, know only the points they were fitted to, which
    in cross-validation are not those of X: a fresh copy is fitted to X.
    """
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    from sklearn.base import clone

    fresh = clone(estimator)
    return fresh.fit_predict(X) if hasattr(fresh, "fit_predict") else fresh.fit(X).labels_


def scorer(measure: AnyMeasure = "S_H", *, noise: int | None = -1, noise_as: NoiseAs = "singleton") -> Scorer:
    """A scorer for scikit-learn: pass it as ``scoring=`` to GridSearchCV, cross_validate and the like.

    Parameters
    ----------
    measure
        By name or as a function of the meet. A distance, such as VI, is negated, so that larger is better.
    noise, noise_as
        The label of points that the estimator puts in no cluster, and what becomes of them: each a ``"singleton"``,
        all one ``"cluster"``, or ``"drop"`` (which rewards calling points noise).

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]] * 2, [0, 0, 1, 1, 2, 2] * 2
    >>> models = KMeans(n_init=3, random_state=0)
    >>> search = GridSearchCV(models, {"n_clusters": [2, 3, 4]}, scoring=scorer("S_H"), cv=2)
    >>> search.fit(X, y).best_params_
    {'n_clusters': 3}
    """
    one_of("noise_as", noise_as, NOISE_AS)
    return Scorer(resolve(measure), noise, noise_as)
