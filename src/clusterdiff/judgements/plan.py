"""plan: how much to review for an estimate of a given precision, and what to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clusterdiff import notebook
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.resampling import check_draws
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.inputs.base import Column, PointColumn
from clusterdiff.judgements.changed import ChangedComponents, changed_components
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.drawing import probabilities
from clusterdiff.judgements.estimates import Estimates
from clusterdiff.judgements.ratios import variation
from clusterdiff.judgements.resolved import MEASURES
from clusterdiff.judgements.review import review_of, review_points
from clusterdiff.judgements.runs import Indexed, named_columns
from clusterdiff.judgements.totals import expected_error
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.points.texts import texts
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count

Z = 1.959963984540054
#: Measures of a difference that can be planned for.
PLANNED = ("S_H", "b3.precision", "vi", "wrong_pairs")


@dataclass(frozen=True)
class Plan:
    """How many draws an estimate needs, by design; and the review, if one was drawn. Made by :func:`plan`.

    ``draws`` has a number for each way to draw, ``records`` says how many records a review of changed components has to
    read, ``error`` is the half-width of the interval that is to be expected. ``columns`` has what the runs' tables know
    of the records to review, by name of the record.
    """

    measure: str
    error: float
    draws: Mapping[str, int]
    n: int
    records: int | None = None
    changed: int | None = None
    notes: tuple[str, ...] = ()
    review: Judgements | None = field(default=None, repr=False)
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, without the review."""
        return {
            "measure": self.measure,
            "error": self.error,
            "draws": dict(self.draws),
            "points": self.n,
            "records": self.records,
            "changed": self.changed,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        told = [f"{self.measure} to ± {self.error:g} at 95%:"]
        told += [f"  {count(number, what)}" for what, number in self.draws.items()]
        if self.records is not None:
            told.append(f"  {count(self.records, 'record')} to read")
        return "\n".join([*told, *self.notes])

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, str(self).splitlines()))


def plan(
    pred: object = None,
    *,
    old: object = None,
    new: object = None,
    error: float = 0.01,
    measure: str = "S_H",
    pilot: Estimates | None = None,
    draw: int | None = None,
    seed: int = 0,
    point: PointColumn | None = None,
    cluster: Column | None = None,
) -> Plan:
    """How much to review for an interval of ± ``error``, and what to look at.

    Parameters
    ----------
    pred
        The run whose measure is to be estimated.
    old, new
        Instead: two runs whose difference is to be judged. Only components that changed are drawn.
    error
        Desired half-width of the 95% interval.
    measure
        What is to be estimated.
    pilot
        An estimate from a small sample, which says how much draws vary; without one, the worst case is assumed.
    draw
        So many points, or changed components, are drawn for review; they are in ``review``.
    seed
        Seed of the random numbers.
    point, cluster
        Columns of tables; of two runs for both, or as a pair, the old run's first.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> print(cd.plan([i // 3 for i in range(30_000)], error=0.02, measure="b3.recall"))
    b3.recall to ± 0.02 at 95%:
      2,224 points
      1,937 clusters
    Without a pilot, this is the worst case.
    """
    if isinstance(error, bool) or not isinstance(error, int | float) or not 0 < error < math.inf:
        raise ArgumentError.must("error", "be a number above 0", error)
    check_draws("draw", 1 if draw is None else draw, seed)
    seed, draw = int(seed), None if draw is None else int(draw)
    if pilot is not None and not isinstance(pilot, Estimates):
        raise ArgumentError.must(
            "pilot", "be an estimate from a small sample", pilot, "make one with estimate()."
        )
    if (old is None) != (new is None) or (pred is None) == (old is None):
        raise ArgumentError(
            Message("a plan is for `pred`, or for `old` and `new`."),
            Message("pass one run, or two with `old=` and `new=`."),
        )
    if pred is None:
        one_of("measure", measure, PLANNED)
        if pilot is not None:
            raise ArgumentError.about(
                "pilot", "is for one run: what a review of changes can vary is known from the two runs."
            )
        diff = compare(old, new, missing="drop", point=point, cluster=cluster)
        return _plan_difference(diff, error, measure, draw, seed)
    one_of("measure", measure, MEASURES)
    run = Indexed(named_columns(pred, "pred", point, cluster), "pred")
    n = int(run.sizes.sum())
    needed, notes = _needed(run, n, error, measure, pilot)
    review = None if draw is None else review_points(run, draw, seed)
    return Plan(measure, error, needed, n, notes=tuple(notes), review=review)


def _needed(
    run: Indexed, n: int, error: float, measure: str, pilot: Estimates | None
) -> tuple[dict[str, int], list[str]]:
    """Draws by design, from the variance of a pilot or the greatest that there can be."""
    b = run.sizes[run.sizes > 0].astype(float)
    spread = 1 + variation(b, np.ones(len(b)))
    reason = "Without a pilot, this is the worst case."
    if pilot is not None:
        one = pilot[measure]
        if one.error is None:
            raise ArgumentError.about(
                "pilot",
                f"has no standard error for {measure}.",
                "S_H has one if points were drawn and their clusters on both sides completed."
                if measure == "S_H"
                else None,
            )
        square = one.draws * one.error**2
        if measure == "S_H":  # its error knows how many of all points were drawn
            square /= max(1 - one.draws / n, 1 / n)
        if square > 0:
            return {"draw": _draws(square, error, n)}, ["The pilot's design is assumed for the draws."]
        reason = "The pilot shows no error: this is the worst case."
    square = 0.25
    out = {"point": _draws(square, error, n)}
    if measure != "S_H":
        out["cluster"] = _draws(square * spread, error, len(b))  # the truth may have about as many as the run
    if measure == "pairs.precision":
        pairs = int((b * (b - 1) / 2).sum())
        out["predicted pair"] = _draws(square, error, pairs)
    return out, [reason]


def _draws(square: float, error: float, n: int) -> int:
    k = (Z / error) ** 2 * square
    return min(n, math.ceil(k / (1 + k / n)))


def _plan_difference(diff: Comparison, error: float, measure: str, draw: int | None, seed: int) -> Plan:
    changed = changed_components(diff)
    if not len(changed):
        raise ArgumentError(
            Message("`old` and `new` have the same clusters on the points that both have."),
            "there is nothing to judge.",
        )
    ends = _extremes(diff, changed, measure)
    wanted = error if measure == "wrong_pairs" else error * changed.n

    def expected(k: int) -> float:
        found = probabilities(changed.x, k, changed.kind)
        return Z * expected_error(changed.x, found.probability, found.certain, changed.kind, ends)

    low, high = 1, len(changed)
    while low < high:
        middle = (low + high) // 2
        if expected(middle) <= wanted:
            high = middle
        else:
            low = middle + 1
    enough = probabilities(changed.x, high, changed.kind).probability
    records = float((enough * changed.size).sum())
    review: Judgements | None = None
    columns: dict[str, dict[str, Any]] = {}
    if draw is not None:
        found = probabilities(changed.x, draw, changed.kind)
        units = found.draw(np.random.default_rng(seed))
        review = review_of(diff, changed, found, units.tolist(), seed)
        columns = _columns(diff, review)
    notes = [
        f"{count(len(changed), 'component')} changed, with {int(changed.size.sum()):,} of {count(changed.n)}."
    ]
    if unshared := diff.policy.unshared:
        notes.append(f"{count(unshared)} in one run only: left out.")
    return Plan(
        measure,
        error,
        {"changed component": round(float(enough.sum()))},
        changed.n,
        round(records),
        len(changed),
        tuple(notes),
        review,
        columns,
    )


def _columns(diff: Comparison, review: Judgements) -> dict[str, dict[str, Any]]:
    """What the runs' tables know of the points of a review."""
    wanted = {point for one in review for group in one.shown["1"] for point in group}
    places = {name: i for i, name in enumerate(texts(diff.source.names)) if name in wanted}
    out: dict[str, dict[str, Any]] = {text: {} for text in places}
    for name in diff.source.columns:
        values = diff.source.column(name)
        for text, place in places.items():
            out[text][name] = values[place]
    return out


def _extremes(diff: Comparison, changed: ChangedComponents, name: str) -> tuple[FloatArray, FloatArray]:
    """What each component adds if the old run is right in it, and if the new one is."""
    meet, of = diff.meet, diff.analysis.join.of_cell
    m = meet.size.astype(float)
    a, b = meet.true_size[meet.true].astype(float), meet.pred_size[meet.pred].astype(float)

    def kept(side: Any, whole: FloatArray) -> FloatArray:
        """What is left of each cluster of a side in the cells, by entropy; 1 for a single point."""
        inside = np.bincount(side, m * np.log(m))[side]
        return np.where(whole > 1, inside / (whole * np.log(np.maximum(whole, 2))), 1.0)

    match name:
        case "S_H":
            ends = m * (kept(meet.true, a) * kept(meet.pred, b) - 1)
            old, new = ends, -ends
        case "b3.precision":
            old, new = m * (m / b - 1), m * (1 - m / a)
        case "vi":
            old = m * (np.log(a) + np.log(b) - 2 * np.log(m))
            new = -old
        case _:
            old = m * (a + b - 2 * m) / 2
            new = -old
    parts = [
        np.bincount(of, values, minlength=len(diff.analysis.join)).astype(float) for values in (old, new)
    ]
    return parts[0][changed.component], parts[1][changed.component]
