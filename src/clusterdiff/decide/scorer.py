"""A scorer for scikit-learn's model selection: GridSearchCV, cross_validate and the like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clusterdiff.diff.build import compare_aligned, meet_of
from clusterdiff.diff.comparison import AnyMeasure
from clusterdiff.errors import ArgumentError, one_of, positions
from clusterdiff.measures import Measure, resolve
from clusterdiff.points.alignment import Alignment, apply_policy, in_order
from clusterdiff.points.labels import Labels, kind
from clusterdiff.points.noise import NOISE_AS, Noise, NoiseAs, NoiseLabels, fits, refuse_without_noise
from clusterdiff.points.policy import Policy
from clusterdiff.points.reading import read_labels
from clusterdiff.table import record_html
from clusterdiff.wording import count


@dataclass(frozen=True)
class Scorer:
    """``scorer(estimator, X, y)``: how well an estimator clusters X, with y as the true clustering."""

    measure: Measure
    noise: NoiseLabels | None = -1
    noise_as: NoiseAs = "singleton"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        """The score of the estimator's clusters of X; larger is better."""
        if y is None:
            raise ArgumentError.must(
                "y", "hold the true clusters", got="None", hint="pass y to fit or cross_validate."
            )
        true, pred = read_labels(y, "y"), read_labels(predicted(estimator, X), "pred")
        if true.absent is not None:
            at = np.flatnonzero(true.absent)
            raise ArgumentError.about(
                "y",
                "must hold a true cluster for every point; it has none (null or NaN) for "
                f"{count(at.size)}, {positions(at, at.size)}.",
                "leave those points out of X and y first.",
            )
        aligned = self._without_noise(true, pred)
        wanted = self.measure.needs == "features"
        meet = compare_aligned(aligned, features=X).meet if wanted else meet_of(aligned)
        value = self.measure(meet)
        return value if self.measure.similarity else -value

    def _without_noise(self, true: Labels, pred: Labels) -> Alignment:
        """The two laid over each other; noise is the estimator's, never the truth's."""
        noise = Noise.told(pred=() if self.noise is None else self.noise, treated=self.noise_as)
        example = pred.example
        known = None if example is None else (kind(example), repr(example))
        # The default of -1 says nothing about labels that are no numbers.
        noise = replace(noise, pred=frozenset(x for x in noise.pred if fits(x, known)))
        return apply_policy(in_order(true, pred), Policy(noise=noise))

    def _repr_html_(self) -> str:
        facts = {"measure": self.measure.name, "noise": self.noise, "noise_as": self.noise_as}
        return record_html("Scorer", facts)


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


def scorer(
    measure: AnyMeasure = "S_H", *, noise: NoiseLabels | None = -1, noise_as: NoiseAs = "singleton"
) -> Scorer:
    """A scorer for scikit-learn: pass it as ``scoring=`` to GridSearchCV, cross_validate and the like.

    Parameters
    ----------
    measure
        By name or as a function of the meet. A distance, such as VI, is negated, so that larger is better. Measures
        that need features, such as ``S_MSE``, take X.
    noise, noise_as
        The label (or a set of labels) of points that the estimator puts in no cluster, and what becomes of them: each
        a ``"singleton"``, all one ``"cluster"``, or ``"drop"`` (which rewards calling points noise).

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
    refuse_without_noise(noise_as, noise is not None)
    return Scorer(resolve(measure), noise, noise_as)
