"""rank: several predictions of one truth or of several, best first."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
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
from clusterdiff.measures import resolve_all


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
    **options: Any,
) -> Ranking | DatasetRanking:
    """Rank several predictions of the same truth, with intervals and tests between them; or of several data sets.

    Parameters
    ----------
    true
        The true clustering, in any form that :func:`compare` takes. Or, without ``preds``, several data sets:
        ``{data set: (true, {system: prediction})}``, or a table with the columns ``data``, ``system`` and ``file`` (its
        path, or a frame), where the system called ``true`` is the truth. Systems may lack data sets. Several runs of a
        system are told apart by keys ``(system, run)`` or a column ``run``.
    preds
        The predicted clusterings by the name of the system that made each, in any such form; or a frame with one column
        per system. They are read one after the other, so that a mapping may load them when they are asked for.
    measures
        The first one ranks, and has intervals and tests if it is made of sums over units; a notice says if it is not.
        S_H and its adjusted form unless told otherwise.
    unit
        What is left out at a time, and has its signs flipped: a ``"component"``, with all that errors tie together,
        in a test those of either system; a ``"document"``, for corpora; or a ``"point"``, if the points themselves
        were drawn independently of each other. Between data sets, the data sets are the units.
    level, method, resamples, seed
        As in :meth:`Comparison.interval`; ``resamples`` is the number of flips. 0: no intervals, no tests.
    options
        Those of :func:`compare`: ``missing``, ``noise``, ``weights``, …, the same for all systems.

    Returns
    -------
    Ranking or DatasetRanking
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
