"""compare_columns: two clusterings in two columns of one table, of whatever library."""

from __future__ import annotations

from collections.abc import Sequence

from clusterdiff.diff.comparison import Comparison, noticed
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import Noise, NoiseAs, NoiseLabels
from clusterdiff.points.policy import Policy
from clusterdiff.tables import frames


def compare_columns(
    table: object,
    *,
    true: str,
    pred: str,
    point: str | None = None,
    weights: str | None = None,
    features: str | Sequence[str] | None = None,
    documents: str | None = None,
    missing: Missing | None = None,
    noise: NoiseLabels | None = None,
    noise_true: NoiseLabels | None = None,
    noise_pred: NoiseLabels | None = None,
    noise_as: NoiseAs = "singleton",
    singletons: Singletons = "keep",
    budget: int | str | None = None,
) -> Comparison:
    """Compare two columns of one table that has one row per point, where the table is.

    The engine that holds the table groups its rows. If the meet, one row for each pair of clusters that share points,
    fits the budget, it is fetched into memory, and the result is a comparison like any other; otherwise scores and
    losses are computed in the engine as well, and ``where`` of the result says ``"engine"``.

    Parameters
    ----------
    table
        A table of pandas, polars (eager or lazy), pyarrow, DuckDB, Spark, Dask or another library that narwhals knows.
    true, pred
        The columns of true and predicted clusters.
    point
        The column that names the points, if there is one: no name may repeat, and components can tell their points.
    weights
        A column that says how much each point counts.
    features
        Columns of numbers, or one of lists of numbers, for ``S_MSE``.
    documents
        A column that says which document each point is in: points and clusters of different documents are kept apart,
        as in a :class:`clusterdiff.Corpus`.
    missing
        What to do with points that have no cluster on one side, as for :func:`clusterdiff.compare`: ``"error"`` if
        nothing is said, but ``"lost"`` with documents.
    noise, noise_true, noise_pred, noise_as
        As for :func:`clusterdiff.compare`.
    singletons
        Within documents, whether clusters of one point count: ``"keep"`` or ``"drop"``.
    budget
        Bytes (or "2GB") that the meet may take in memory; by default a quarter of the machine's.

    Returns
    -------
    Comparison
        With documents a :class:`clusterdiff.types.CorpusComparison`.

    Examples
    --------
    >>> import duckdb, clusterdiff as cd
    >>> table = duckdb.sql("SELECT * FROM (VALUES ('a', 1), ('a', 1), ('b', 2), ('b', 3)) t(gold, system)")
    >>> cd.compare_columns(table, true="gold", pred="system").score()
    0.5
    """
    frames.refuse_sqlframe(table, "table")
    told = Noise.told(noise, noise_true, noise_pred, noise_as)
    policy = Policy(missing or ("error" if documents is None else "lost"), told)
    diff = frames.compare_columns(
        table,
        true=true,
        pred=pred,
        point=point,
        weights=weights,
        features=features,
        documents=documents,
        policy=policy,
        singletons=singletons,
        budget=budget,
    )
    return noticed(diff)
