"""Clusterings in tables: frames of pandas, polars, pyarrow, DuckDB, Spark, Dask and whatever narwhals knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal, overload

from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.points.policy import MISSING, NOISE_AS, Missing, NoiseAs

if TYPE_CHECKING:  # narwhals is imported when a table is compared
    from clusterdiff.tables.engines.cells import Choices
    from clusterdiff.tables.engines.comparison import Groups, TableComparison

#: A column's name in both tables, or its name in either.
Column = str | tuple[str, str]


@overload
def compare_tables(
    true: object,
    pred: object,
    *,
    point: Column,
    cluster: Column = ...,
    weight: str | None = ...,
    features: str | Sequence[str] | None = ...,
    by: None = ...,
    missing: Missing = ...,
    noise: Hashable | None = ...,
    noise_as: NoiseAs = ...,
    budget: int | str | None = ...,
) -> TableComparison: ...
@overload
def compare_tables(
    true: object,
    pred: object,
    *,
    point: Column,
    cluster: Column = ...,
    weight: str | None = ...,
    features: str | Sequence[str] | None = ...,
    by: str,
    missing: Missing = ...,
    noise: Hashable | None = ...,
    noise_as: NoiseAs = ...,
    budget: int | str | None = ...,
) -> Groups: ...
def compare_tables(
    true: object,
    pred: object,
    *,
    point: Column,
    cluster: Column = "cluster",
    weight: str | None = None,
    features: str | Sequence[str] | None = None,
    by: str | None = None,
    missing: Missing = "error",
    noise: Hashable | None = None,
    noise_as: NoiseAs = "singleton",
    budget: int | str | None = None,
) -> TableComparison | Groups:
    """Compare two tables of points and clusters, joined on the point, where they live.

    The engine that holds the tables joins and groups them. If the meet, a row for each pair of clusters that share
    points, fits the budget, it is brought into memory and everything a comparison has is there; otherwise scores
    and losses are computed in the engine too, and ``where`` of the result says ``"engine"``.

    Parameters
    ----------
    true, pred
        Tables of one library: pandas, polars (eager or lazy), pyarrow, DuckDB, Spark, Dask, …
    point, cluster
        The columns that name each point and its cluster; a pair if they are called differently in the two tables.
        Points are names, each once in a table, and of the same type in both.
    weight
        A column that says how much each point counts, in `true` or else in `pred`.
    features
        Columns of numbers, or one of lists of numbers, for ``S_MSE``; likewise.
    by
        A column of both tables, such as a document: points and clusters are compared within each of its values.
    missing, noise, noise_as
        As for :func:`clusterdiff.compare`; a point is missing if it stands in one table only, or has no cluster.
    budget
        Bytes (or "2GB") that the meet may take in memory; by default a quarter of the machine's.

    Returns
    -------
    TableComparison or Groups
        A comparison; with `by` a mapping from its values to comparisons, with ``pooled`` for the whole.

    Examples
    --------
    >>> import duckdb, clusterdiff as cd
    >>> gold = duckdb.sql("SELECT * FROM (VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')) t(id, cluster)")
    >>> found = duckdb.sql("SELECT * FROM (VALUES (4, 'z'), (3, 'y'), (2, 'x'), (1, 'x')) t(id, cluster)")
    >>> diff = cd.compare_tables(gold, found, point="id")
    >>> diff.score(), diff.where, diff.components[0].points
    (0.5, 'memory', [3, 4])
    """
    from clusterdiff.tables.engines.comparison import compare_points
    from clusterdiff.tables.engines.tables import read_two

    choices = _choices(missing, noise, noise_as)
    names = _both(point, "point"), _both(cluster, "cluster")
    return compare_points(read_two(true, pred, *names, weight, _columns(features), by), choices, budget)


@overload
def compare_columns(
    table: object,
    *,
    true: str,
    pred: str,
    point: str | None = ...,
    weight: str | None = ...,
    features: str | Sequence[str] | None = ...,
    by: None = ...,
    missing: Missing = ...,
    noise: Hashable | None = ...,
    noise_as: NoiseAs = ...,
    budget: int | str | None = ...,
) -> TableComparison: ...
@overload
def compare_columns(
    table: object,
    *,
    true: str,
    pred: str,
    point: str | None = ...,
    weight: str | None = ...,
    features: str | Sequence[str] | None = ...,
    by: str,
    missing: Missing = ...,
    noise: Hashable | None = ...,
    noise_as: NoiseAs = ...,
    budget: int | str | None = ...,
) -> Groups: ...
def compare_columns(
    table: object,
    *,
    true: str,
    pred: str,
    point: str | None = None,
    weight: str | None = None,
    features: str | Sequence[str] | None = None,
    by: str | None = None,
    missing: Missing = "error",
    noise: Hashable | None = None,
    noise_as: NoiseAs = "singleton",
    budget: int | str | None = None,
) -> TableComparison | Groups:
    """Compare two columns of one table, a row a point, where it lives; see :func:`compare_tables`.

    ``point`` names the column of the points' names, if there is one: it is checked for repeats, and components can
    tell their points.

    >>> import duckdb, clusterdiff as cd
    >>> table = duckdb.sql("SELECT * FROM (VALUES ('a', 1), ('a', 1), ('b', 2), ('b', 3)) t(gold, system)")
    >>> cd.compare_columns(table, true="gold", pred="system").score()
    0.5
    """
    from clusterdiff.tables.engines.comparison import compare_points
    from clusterdiff.tables.engines.tables import read_one

    choices = _choices(missing, noise, noise_as)
    return compare_points(read_one(table, true, pred, point, weight, _columns(features), by), choices, budget)


def _choices(missing: Missing, noise: Hashable | None, noise_as: NoiseAs) -> Choices:
    from clusterdiff.tables.engines.cells import Choices

    one_of("missing", missing, MISSING)
    one_of("noise_as", noise_as, NOISE_AS)
    return Choices(missing, noise, noise_as)


def _both(column: Column, argument: Literal["point", "cluster"]) -> tuple[str, str]:
    if isinstance(column, str):
        return column, column
    if len(column) != 2:
        raise ArgumentError(
            f"`{argument}` must be a column, or a pair of columns of `true` and `pred`; got {column!r}."
        )
    return column


def _columns(features: str | Sequence[str] | None) -> Sequence[str]:
    return () if features is None else (features,) if isinstance(features, str) else features
