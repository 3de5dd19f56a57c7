"""estimate: measures of a whole run from a sample of its truth."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from clusterdiff._version import __version__
from clusterdiff.diff.interval import Method, Resampling
from clusterdiff.errors import ArgumentError, FileError, nearest, one_of
from clusterdiff.files import first_bytes
from clusterdiff.inputs.base import Column, PointColumn
from clusterdiff.judgements.batches import combined, shared_answers
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.difference import Difference
from clusterdiff.judgements.estimates import Estimates
from clusterdiff.judgements.judged_pairs import USUAL, pairs_of
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.reach import is_whole
from clusterdiff.judgements.resolved import MEASURES, estimate_clusters, estimate_points, parsed, weigh
from clusterdiff.judgements.review import answered_points, digests, reviews_points, shows
from clusterdiff.judgements.review_answers import estimate_difference, header_of
from clusterdiff.judgements.runs import Indexed, PointFinder, named_columns, open_run
from clusterdiff.judgements.samples import Design, MissingPoints, Sample, lay_sample, placed
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.tables.frames import is_table
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count

DESIGNS = ("clusters", "points", "strata")
#: What files of judgements have near their beginning, and others hardly.
SIGNS = (b'"groups"', b'"unsure"', b'"shown"', b'"review"', b"verdict", b"clerical_match_score", b"z_isMatch")


@overload
def estimate(
    sample: object,
    pred: object,
    measures: Sequence[str] | None = None,
    *,
    design: Design | None = None,
    probabilities: Sequence[float] | None = None,
    drawn: Sequence[Any] | None = None,
    population: int | None = None,
    missing: MissingPoints = "error",
    point: PointColumn | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    method: Method = "jackknife",
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimates: ...
@overload
def estimate(
    *,
    old: object,
    new: object,
    judgements: object,
    point: PointColumn | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
) -> Difference: ...
def estimate(
    sample: object = None,
    pred: object = None,
    measures: Sequence[str] | None = None,
    *,
    old: object = None,
    new: object = None,
    judgements: object = None,
    design: Design | None = None,
    probabilities: Sequence[float] | None = None,
    drawn: Sequence[Any] | None = None,
    population: int | None = None,
    missing: MissingPoints = "error",
    point: PointColumn | None = None,
    cluster: Column | None = None,
    level: float = 0.95,
    method: Method = "jackknife",
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimates | Difference:
    """Estimate measures of a whole run from a sample of the truth, with standard errors, intervals and warnings.

    With ``old``, ``new`` and ``judgements``, estimate the difference of two runs from the answers to a review of
    changed components, which :func:`plan` draws; a list of reviews are batches, each drawn with a seed of its own.

    Parameters
    ----------
    sample
        The true clusters that were drawn, each of them whole: a list of lists or sets of points, one entry per draw;
        whatever :func:`compare` takes; or :class:`Judgements`, of which the complete ones count. Judgements of pairs
        that were drawn with a probability are a sample of their own.
    pred
        The run, with all its points. Of a table in an engine (DuckDB, Spark, a lazy frame), only the drawn points,
        their clusters and the sizes of all clusters leave it.
    measures
        What to estimate; all that the sample can tell if nothing is said.
    design
        How the sample was drawn. ``"clusters"``: each true cluster with the same probability. ``"points"``: through
        random points, so that large clusters are drawn more often; a cluster that was drawn twice stands twice.
        ``"strata"``, with ``drawn``: points, in strata by the size of their predicted cluster (1, 2 to 3, 4 to 9, 10 or
        more).
    probabilities
        Instead of a design: the inclusion probability of each draw.
    drawn
        The points that were drawn, if the sample has the true cluster of every point of their predicted clusters, too.
        Then S_H is estimated without bounds.
    population
        The number of all true clusters, if it is known: a sample of many of them is more exact.
    missing
        What becomes of points of the sample that the run lacks: ``"error"``, or ``"drop"``.
    point, cluster
        Columns of tables, for both or as a pair: the sample's and the run's, or the old run's and the new one's.
    level
        Confidence level of the intervals.
    method, resamples, seed
        ``"percentile"`` and ``"basic"`` resample the drawn clusters instead of leaving out one at a time. They cover no
        better. S_H within bounds has its own interval.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> pred = [{"a", "b"}, {"c"}, {"d", "e", "f"}, {"g", "h"}, {"i"}]
    >>> found = cd.estimate([["a", "b", "c"], ["d", "e"], ["g", "h"]], pred, ["b3.recall"], design="clusters")
    >>> round(found["b3.recall"].value, 4), found["b3.recall"].draws
    (0.8095, 3)
    """
    how = Resampling(level, method, resamples, seed)
    one_of("missing", missing, ("error", "drop"))
    if judgements is not None or old is not None or new is not None:
        if sample is not None or pred is not None:
            raise ArgumentError(
                Message("`old`, `new` and `judgements` take the place of `sample` and `pred`.")
            )
        old, new = (
            None if run is None else named_columns(run, side, point, cluster, place)
            for place, (side, run) in enumerate((("old", old), ("new", new)))
        )
        refuse_resampling(how, "differences have intervals of their own")
        return _of_difference(old, new, judgements, level)
    pred = named_columns(pred, "pred", point, cluster, 1)
    run = open_run(pred, "pred")
    if isinstance(sample, str | os.PathLike):
        sample = read_if_judged(sample) or sample
    if is_table(sample) or isinstance(sample, str | os.PathLike):
        sample = named_columns(sample, "sample", point, cluster, 0)
    if isinstance(sample, Judgements) and reviews_points(sample):
        return _of_points(sample, run, measures, missing, how)
    by_design = design is not None or probabilities is not None or drawn is not None
    if isinstance(sample, Judgements) and not by_design and not any(one.complete for one in sample):
        refuse_resampling(how, "judged pairs have intervals of their own")
        return _of_pairs(sample, run, measures, level)
    return _of_clusters(sample, run, measures, how, missing, design, probabilities, drawn, population)


def _of_clusters(
    sample: object,
    run: PointFinder,
    measures: Sequence[str] | None,
    how: Resampling,
    missing: MissingPoints,
    design: Design | None,
    probabilities: Sequence[float] | None = None,
    drawn: Sequence[Any] | None = None,
    population: int | None = None,
) -> Estimates:
    """From true clusters that were drawn; or S_H from drawn points whose clusters they complete."""
    laid = lay_sample(sample, run, missing)
    given = laid.probabilities if probabilities is None else _checked(probabilities, laid.draws)[laid.kept]
    if design is not None and given is not None:
        raise ArgumentError.about(
            "design",
            "says how draws were made, and these have inclusion probabilities.",
            Message("leave `design` out."),
        )
    if population is not None and not (type(population) is int and population >= len(np.unique(laid.same))):
        raise ArgumentError.must(
            "population",
            f"be a whole number, at least the {count(len(np.unique(laid.same)), 'cluster')} drawn",
            population,
        )
    if design is None and given is None and drawn is None:
        raise ArgumentError.about(
            "design",
            "is required: an estimate depends on how the sample was drawn.",
            [
                Message('pass `design="clusters"` if every true cluster was equally likely'),
                Message('pass `design="points"` if they were drawn through random points'),
                Message("pass `probabilities=`"),
            ],
        )
    if design is not None:
        one_of("design", design, DESIGNS)
    if population is not None and design != "clusters":
        raise ArgumentError.about(
            "population",
            "makes a sample of clusters more exact that were drawn with equal probability.",
            Message('leave it out, or pass `design="clusters"`.'),
        )
    asked = list(MEASURES if measures is None else measures)
    for measure in asked:
        if parsed(measure) is None:
            raise ArgumentError.about(
                "measures",
                f"can be estimated from a sample for {', '.join(MEASURES)}, and F with another beta, such as "
                f"pairs.f1(beta=2); got {measure!r}.",
                nearest(measure, MEASURES),
            )
    told = _signature(design, given is not None, laid, missing)
    if population is not None:
        told += f"|population:{population}"
    if drawn is not None or given is not None:
        refuse_resampling(how, "only clusters that were drawn alike, or through points, are resampled")
    if drawn is not None:
        names, place = placed(drawn, run)
        found, said = estimate_points(laid, place, run.cluster, names, design or "points", how.level)
        told = told.replace(f"draws:{len(laid)}", f"drawn:{len(names)}")
        return Estimates({"S_H": found}, how.level, told, tuple(said))
    if design == "strata":
        raise ArgumentError.about(
            "design", '"strata" is for points that were drawn.', Message("pass `drawn=`.")
        )
    weights = weigh(laid, design, given, population)
    found_all, warnings = estimate_clusters(laid, weights, asked, how, by_points=design == "points")
    if isinstance(sample, Judgements):
        warnings += _left_out(sample, [one for one in sample if one.complete], "are not complete")
    if how.method != "jackknife":
        told += f"|{how.signature}"
    return Estimates(found_all, how.level, told, tuple(warnings))


def refuse_resampling(how: Resampling, why: str) -> None:
    """Raise if draws are to be resampled where they cannot be."""
    if how.method != "jackknife":
        raise ArgumentError.about(
            "method", f"is {how.method!r}, but {why}.", Message('leave it out, or pass `method="jackknife"`.')
        )


def read_if_judged(path: str | os.PathLike[str]) -> Judgements | None:
    """The judgements of a file, or None if it holds something else."""
    try:
        return Judgements.read(path)
    except FileError:
        # FILE:COLUMN is no file.
        if os.path.isfile(path) and any(sign in first_bytes(os.fspath(path), 4_096) for sign in SIGNS):
            raise
        return None


def _of_difference(old: object, new: object, judgements: object, level: float) -> Difference:
    """The difference of two runs, from one review or from batches; without the runs, what the reviews alone say."""
    if judgements is None:
        raise ArgumentError.about(
            "judgements",
            "is required: what people answered of the changes.",
            Message("draw a review with plan(), and pass its answers as `judgements=`."),
        )
    given: Sequence[Any] = judgements if isinstance(judgements, list | tuple) and judgements else [judgements]
    batches = [one if isinstance(one, Judgements) else Judgements.read(one) for one in given]
    for said in batches:
        header_of(said)
    runs = {side: Indexed(run, side) for side, run in (("old", old), ("new", new)) if run is not None}
    for side, run in runs.items():
        if not all(shows(said, side, run) for said in batches):
            raise _of_other_runs(Message("the review shows other clusters than `{side}` has.", side=side))
    diff = None
    if len(runs) == 2:
        diff = compare(runs["old"].clustering, runs["new"].clustering, missing="drop")
        found = digests(diff)
        if any((said.header or {}).get("digests", found) != found for said in batches):
            raise _of_other_runs(
                Message(
                    "the review is of other runs than `old` and `new`: these differ where it shows nothing."
                )
            )
    batches = shared_answers(batches)
    whole = diff if any(is_whole(one) for said in batches for one in said) else None
    return combined([estimate_difference(said, level, whole) for said in batches])


def _of_other_runs(told: Message) -> ArgumentError:
    return ArgumentError(told, "pass the two runs from which the review was drawn, the old one first.")


def _of_points(
    sample: Judgements,
    run: PointFinder,
    measures: Sequence[str] | None,
    missing: MissingPoints,
    how: Resampling,
) -> Estimates:
    """A review of random points: every measure through the points' true clusters, and S_H, if all is completed."""
    draws, drawn, every = answered_points(sample)
    asked = [name for name in measures or MEASURES if name != "S_H"]
    found = _of_clusters(draws, run, asked, how, missing, "points") if asked else None
    out = {} if found is None else dict(found)
    warnings = () if found is None else found.warnings
    if measures is None or "S_H" in measures:
        plain = Resampling(how.level)
        try:
            whole = _of_clusters(every, run, None, plain, missing, None, drawn=drawn)
        except ArgumentError as error:
            if error.argument != "drawn":
                raise
            whole = _of_clusters(draws, run, ["S_H"], plain, missing, "points")
        out |= dict(whole)
        warnings += whole.warnings
    if len(draws) < len(sample):
        warnings = (*warnings, f"{len(sample) - len(draws):,} of {len(sample):,} points have no answer.")
    told = f"clusterdiff:{__version__}|design:points|draws:{len(draws)}|points:{points_of(run)}"
    if how.method != "jackknife":
        told += f"|{how.signature}"
    return Estimates(out, how.level, told, warnings)


def _of_pairs(
    sample: Judgements, run: PointFinder, measures: Sequence[str] | None, level: float
) -> Estimates:
    pairs = pairs_of(sample, run)
    found = pairs.estimates(level, USUAL if measures is None else measures)
    design = "pairs" if pairs.stratum is None else "pairs in strata"
    n = points_of(run)
    told = f"clusterdiff:{__version__}|design:{design}|draws:{len(pairs.together)}|points:{n}"
    drawn = [one for one in sample if one.probability is not None]
    left = _left_out(sample, drawn, "have no probability")
    return Estimates(found, level, told, (*pairs.warnings(), *left))


def _left_out(sample: Judgements, counted: Sequence[Judgement], why: str) -> list[str]:
    """A warning of judgements that are no part of a sample."""
    left = sum(not one.withdrawn for one in sample) - sum(not one.withdrawn for one in counted)
    return [f"{left:,} of {count(len(sample), 'judgement')} {why}: left out."] if left else []


def points_of(run: PointFinder) -> int:
    """How many points a run has."""
    sizes, times = run.histogram
    return int((sizes * times).sum())


def _checked(probabilities: Sequence[float], draws: int) -> FloatArray:
    try:
        found = np.asarray(probabilities, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError.must("probabilities", "hold one number per draw", probabilities) from None
    if found.shape != (draws,) or not ((found > 0) & (found <= 1)).all():
        raise ArgumentError.must(
            "probabilities",
            "hold one number above 0 and up to 1 per draw",
            got=f"{len(found):,} for {draws:,} draws"
            if found.shape != (draws,)
            else "a number outside of that",
        )
    return found


def _signature(design: Design | None, given: bool, laid: Sample, missing: MissingPoints) -> str:
    drawn = "probabilities" if given else design or "points"
    lost = f"|missing:{missing}({laid.dropped})" if laid.dropped else ""
    return f"clusterdiff:{__version__}|design:{drawn}|draws:{len(laid)}|points:{laid.n}{lost}"
