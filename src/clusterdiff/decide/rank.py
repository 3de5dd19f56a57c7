"""rank: several predictions of one truth or of several, best first."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, overload

from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.decide.ranking import Ranking
from clusterdiff.decide.resolutions import read_columns
from clusterdiff.decide.runs import DataSet, read_datasets
from clusterdiff.decide.systems import USUAL, Judge
from clusterdiff.diff.comparison import AnyMeasure
from clusterdiff.diff.interval import Method, Resampling
from clusterdiff.diff.units import SAMPLED, Sampled
from clusterdiff.errors import ArgumentError, ClusterdiffError, ClusterdiffWarning, listed, one_of
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.ranks import SampleRanking, rank_sample
from clusterdiff.judgements.samples import Design
from clusterdiff.measures import Measure, resolve, resolve_all
from clusterdiff.messages import Message


@overload
def rank(
    true: object, preds: Mapping[Any, object], *, design: Design, drawn: Any = None, **options: Any
) -> SampleRanking: ...
@overload
def rank(true: object, preds: Mapping[Any, object], **options: Any) -> Ranking: ...
@overload
def rank(true: object, preds: None = None, **options: Any) -> DatasetRanking: ...
def rank(
    true: Any,
    preds: Mapping[Any, object] | None = None,
    *,
    measures: AnyMeasure | Iterable[AnyMeasure] | None = None,
    unit: Sampled | None = None,
    level: float = 0.95,
    method: Method = "jackknife",
    resamples: int = 10_000,
    seed: int = 0,
    design: Design | None = None,
    drawn: Sequence[Any] | None = None,
    **options: Any,
) -> Ranking | DatasetRanking | SampleRanking:
    """Rank several predictions of the same truth, with intervals and tests between them; or of several data sets.

    Parameters
    ----------
    true
        The true clustering, in any form that :func:`compare` takes. Or, without ``preds``, several data sets:
        ``{data set: (true, {system: prediction})}``, or a table with the columns ``data``, ``system`` and ``file`` (its
        path, or a frame), where the system called ``true`` is the truth. Systems may lack data sets. Several runs of a
        system are distinguished by keys ``(system, run)`` or a column ``run``.
    preds
        The predicted clusterings by the name of the system that made each, in any such form; or a frame with one column
        per system. They are read one after the other, so that a mapping may load them when they are asked for.
    measures
        The first one ranks, and has intervals and tests if it is made of sums over units; a notice says if it is not.
        S_H and its adjusted form by default.
    unit
        What is left out at a time, and has its signs flipped: a ``"component"``, with all that errors tie together,
        in a test those of either system; a ``"document"``, for corpora; or a ``"point"``, if the points themselves
        were drawn independently of each other. Between data sets, the data sets are the units.
    level, method, resamples, seed
        As in :meth:`Comparison.interval`; ``resamples`` is the number of flips. 0: no intervals, no tests.
    design
        ``true`` is a sample of whole clusters, as :func:`estimate` takes it: drawn alike (``"clusters"``) or through
        random points (``"points"``). Runs are then ranked by an estimate of one measure, B-cubed F1 unless another is
        named, with what each is ahead of the next.
    drawn
        With ``design``: the points that were drawn, if their predicted clusters were completed, too; runs are then
        ranked by S_H.
    options
        Those of :func:`compare`: ``missing``, ``noise``, ``weights``, …, the same for all systems.

    Returns
    -------
    Ranking, DatasetRanking or SampleRanking
        A :class:`Ranking` of one data set has an interval for each system, and paired tests between any two. A
        :class:`DatasetRanking` has mean ranks, and Wilcoxon's test between any two.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> true = [i // 4 for i in range(400)]
    >>> merged, careful = [i // 8 for i in range(400)], [i // 4 + 100 * (i % 40 == 3) for i in range(400)]
    >>> r = cd.rank(true, {"merged": merged, "careful": careful})
    >>> r.names
    ['careful', 'merged']
    >>> r.p_value("careful", "merged") < 0.001
    True
    """
    if design is not None:
        for name, given in (("unit", unit is not None), ("method", method != "jackknife")):
            if given:
                raise ArgumentError.about(
                    name,
                    "has no meaning for a ranking on a sample: one draw is left out at a time.",
                    Message("leave it out."),
                )
        return _on_sample(true, preds, measures, design, drawn, level, options)
    if isinstance(true, Judgements):
        raise ArgumentError.about(
            "design",
            "is required for judgements, which are a sample: an estimate depends on how it was drawn.",
            Message('pass `design="points"` or `design="clusters"`.'),
        )
    if drawn is not None:
        raise ArgumentError.about(
            "drawn",
            "is for a sample, and needs to know how it was drawn.",
            Message('pass `design="points"` or `design="clusters"`.'),
        )
    if unit is not None:
        one_of("unit", unit, SAMPLED)
    named = None if measures is None else resolve_all(measures)
    if named is not None and not named:
        raise ArgumentError.about("measures", "names no measure.", "leave it out, or name one, such as S_H.")
    how = Resampling(level, method, resamples, seed) if resamples != 0 else None
    if how is not None and unit is not None:
        how.check(unit)

    def one(truth: object, systems: Mapping[str, object]) -> Ranking:
        judge = Judge(truth, named, unit, options, how)
        found = judge.systems(systems)
        if named is not None:
            return Ranking(found, named, judge.unit_of_systems, how, refused=judge.refused)
        usual = USUAL if all(system.outline is not None for system in found) else USUAL[:1]
        return Ranking(found, resolve_all(usual), judge.unit_of_systems, how, unasked=USUAL[1:])

    made: Ranking | DatasetRanking
    if preds is not None:
        made = one(true, _checked(preds))
    else:
        datasets = read_datasets(true)
        runs = {data: found.runs for data, found in datasets.items()}
        made = DatasetRanking(dict(_of_data(datasets, one)), runs, level)
    for notice in made.notices:
        warnings.warn(notice, ClusterdiffWarning, stacklevel=2)
    return made


def _on_sample(
    true: object,
    preds: object,
    measures: AnyMeasure | Iterable[AnyMeasure] | None,
    design: Design,
    drawn: Sequence[Any] | None,
    level: float,
    options: Mapping[str, Any],
) -> SampleRanking:
    """Runs ranked on a sample of the truth, by one measure."""
    listed_ones = [measures] if measures is None or isinstance(measures, str | Measure) else measures
    wanted = [one if isinstance(one, str) else resolve(one).name for one in listed_ones if one is not None]  # type: ignore[union-attr]
    if len(wanted) > 1:
        raise ArgumentError.about("measures", "names several; a ranking on a sample is by one measure.")
    other = [name for name in options if name != "missing"]
    if other:
        raise ArgumentError.about(other[0], "has no meaning for a ranking on a sample.")
    return rank_sample(
        true,
        {str(name): pred for name, pred in _checked(preds).items()},
        measure=wanted[0] if wanted else None,
        design=design,
        drawn=drawn,
        level=level,
        missing=options.get("missing") or "drop",
    )


def _checked(preds: object) -> Mapping[str, object]:
    if not isinstance(preds, Mapping):
        if not hasattr(preds, "columns"):
            raise ArgumentError.must(
                "preds",
                "be a dict from the name of each system to its prediction, or a frame with one "
                "column per system",
                got=type(preds).__name__,
            )
        preds = read_columns(preds, "preds")
    if not preds:
        raise ArgumentError.about("preds", "has no systems: there is nothing to rank.")
    names = [str(name) for name in preds]
    twice = (
        [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if len(set(names)) < len(names)
        else []
    )
    if twice:
        raise ArgumentError.about(
            "preds", f"has several systems called {listed(twice)}.", "give each a name of its own."
        )
    return preds


def _of_data(datasets: Mapping[str, DataSet], one: Callable[..., Ranking]) -> Iterable[tuple[str, Ranking]]:
    """The ranking of each data set."""
    for data, found in datasets.items():
        try:
            yield data, one(found.true, found.preds)
        except ClusterdiffError as error:
            error.locate(data)
            raise
