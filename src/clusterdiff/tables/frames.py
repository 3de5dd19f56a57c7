"""Frames of any library that narwhals knows, and engines' tables: recognised, and compared where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.policy import Policy

if TYPE_CHECKING:  # narwhals and DuckDB are imported when a table is compared
    from clusterdiff.diff.comparison import Comparison

#: A column's name in both tables, or its name in either.
Column = str | tuple[str, str]

#: The libraries whose tables are compared, and what tables are called there.
LIBRARIES = (
    "pandas", "polars", "pyarrow", "duckdb", "_duckdb", "pyspark", "dask", "dask_expr", "modin", "cudf",
    "ibis", "sqlframe",
)  # fmt: skip
TABLES = ("DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation")


def is_table(data: object) -> bool:
    """Whether something is a frame or an engine's table; nothing is imported to find out.

    >>> is_table([1, 2]), is_table({"id": [1], "cluster": [1]})
    (False, False)
    """
    return any(
        kind.__name__ in TABLES and kind.__module__.partition(".")[0] in LIBRARIES
        for kind in type(data).__mro__
    )


def compare_frames(
    true: object,
    pred: object,
    *,
    point: Column | None = None,
    cluster: Column | None = None,
    weights: object = None,
    features: object = None,
    documents: object = None,
    policy: Policy,
    singletons: Singletons = "keep",
    budget: int | str | None = None,
) -> Comparison:
    """Compare two tables of points and clusters, joined on the point, where they are.

    ``point`` and ``cluster`` are columns, or pairs if they are called differently in the two tables; those that are
    not named are recognised by their names. ``weights`` and ``features`` are columns of `true`, or else of `pred`.
    """
    from clusterdiff.tables.engines.comparison import compare_points
    from clusterdiff.tables.engines.documents import compare_two_within
    from clusterdiff.tables.engines.tables import read_two

    numbers = column_name(weights, "weights"), column_names(features, "features")
    points, clusters = _both(point, "point"), _both(cluster, "cluster")
    (a, t), (b, p) = (
        _chosen(table, argument, points[i], clusters[i])
        for i, (table, argument) in enumerate(((true, "true"), (pred, "pred")))
    )
    if documents is not None:
        names = _required(a, "true"), _required(b, "pred")
        within = document_column(documents)
        return compare_two_within(true, pred, names, (t, p), *numbers, within, policy, singletons, budget)
    refuse_singletons(singletons)
    if a is None and b is None:
        if weights is not None or features is not None:
            raise ArgumentError("`weights` and `features` are columns of tables that name their points.")
        return _compare_in_order(true, pred, (t, p), policy)
    names = _required(a, "true"), _required(b, "pred")
    return compare_points(read_two(true, pred, names, (t, p), *numbers), policy, budget)


def compare_columns(
    table: object,
    *,
    true: str,
    pred: str,
    point: str | None = None,
    weights: object = None,
    features: object = None,
    documents: object = None,
    policy: Policy,
    singletons: Singletons = "keep",
    budget: int | str | None = None,
) -> Comparison:
    """Compare two columns of one table that has one row per point, where it is."""
    from clusterdiff.tables.engines.comparison import compare_points
    from clusterdiff.tables.engines.documents import compare_one_within
    from clusterdiff.tables.engines.tables import read_one

    names = (table, true, pred, point)
    numbers = column_name(weights, "weights"), column_names(features, "features")
    if documents is not None:
        within = document_column(documents)
        return compare_one_within(*names, *numbers, within, policy, singletons, budget)
    refuse_singletons(singletons)
    return compare_points(read_one(*names, *numbers), policy, budget)


def read_frame(
    table: object, argument: str, point: str | None = None, cluster: str | None = None
) -> Clustering:
    """The clustering in a table of points and clusters; columns that are not named are recognised by their names."""
    from clusterdiff.points.reading import read_labels
    from clusterdiff.tables.engines.native import plain
    from clusterdiff.tables.engines.tables import Reader

    point, cluster = _chosen(table, argument, point, cluster)
    reader = Reader(table, argument)
    reader.take("t", cluster, "cluster")
    if point is not None:
        reader.take("i", point, "point")
    elif not reader.engine.ordered:
        raise _nameless(argument)
    with reader.engine.running():
        got = reader.engine.fetch(reader.selected())
    labels = read_labels(got["t"], argument)
    if point is None:
        return Clustering.of(labels.settled(), None)
    # Rows have an order that the user can know, unless the engine has none.
    named = Clustering.reading(labels.to_list(), argument, plain(got["i"]))
    return Clustering.of(named.labels, named.points, reader.engine.ordered)


def _compare_in_order(
    true: object,
    pred: object,
    cluster: tuple[str, str],
    policy: Policy,
) -> Comparison:
    """Two tables without points: row by row, as two columns of labels are."""
    from clusterdiff.diff.build import compare_aligned
    from clusterdiff.points.alignment import align

    left = read_frame(true, "true", None, cluster[0])
    right = read_frame(pred, "pred", None, cluster[1])
    return compare_aligned(align(left, right, policy))


def _chosen(table: object, argument: str, point: str | None, cluster: str | None) -> tuple[str | None, str]:
    """The columns of points and clusters: as named, or recognised by their names as in files."""
    if point is not None and cluster is not None:
        return point, cluster
    from clusterdiff.tables.duck import Scan
    from clusterdiff.tables.engines.tables import Reader
    from clusterdiff.tables.files import choose

    columns = list(Reader(table, argument).schema)
    try:
        return choose(Scan(f"`{argument}`", columns, lambda _: ("", ())), point, cluster)
    except FileError as error:
        raise ArgumentError(error.message, error.hint) from None


def _required(point: str | None, argument: str) -> str:
    if point is None:
        raise _nameless(argument)
    return point


def _nameless(argument: str) -> ArgumentError:
    return ArgumentError(
        f"`{argument}` does not name its points, and there is no order to match them by.",
        "pass point=, the column that names them.",
    )


def refuse_singletons(singletons: Singletons) -> None:
    """Raise unless singletons are kept: without documents there is nothing else to do with them."""
    if singletons != "keep":
        raise ArgumentError("`singletons` is for documents; pass documents=, the column that names them.")


def _both(column: Column | None, argument: str) -> tuple[str | None, str | None]:
    if column is None or isinstance(column, str):
        return column, column
    if len(column) != 2:
        raise ArgumentError(
            f"`{argument}` must be a column, or a pair of columns of `true` and `pred`; got {column!r}."
        )
    return column


def document_column(documents: object) -> str:
    """The name of the column of documents, which must be given."""
    name = column_name(documents, "documents")
    assert name is not None
    return name


def column_name(column: object, argument: str) -> str | None:
    """The name of a column, or None if there is none to read."""
    if column is not None and not isinstance(column, str):
        raise ArgumentError(
            f"`{argument}` must name a column of the tables; got {type(column).__name__}.",
            "add it to the table as a column, or compare the columns of clusters themselves.",
        )
    return column


def column_names(columns: object, argument: str) -> tuple[str, ...]:
    """The names of columns: one, several, or none."""
    several = columns if isinstance(columns, list | tuple) else () if columns is None else (columns,)
    return tuple(name for column in several if (name := column_name(column, argument)) is not None)
