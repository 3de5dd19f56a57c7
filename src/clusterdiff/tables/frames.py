"""Frames of any library that narwhals knows, and engines' tables: recognised, and compared where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.index import index_of, names_of
from clusterdiff.points.keys import Key, key_columns
from clusterdiff.points.policy import Policy

if TYPE_CHECKING:  # narwhals and DuckDB are imported when a table is compared
    from clusterdiff.diff.comparison import Comparison

#: A column's name in both tables, or its name in either.
Column = str | tuple[str | None, str | None]

#: The column that holds the names of an index, beside the user's own.
ROW = "clusterdiff_index"
#: The column that holds the joined names of several columns.
KEY = "clusterdiff_key"
#: The libraries whose tables are compared, and what tables are called there.
LIBRARIES = (
    "pandas", "polars", "pyarrow", "duckdb", "_duckdb", "pyspark", "dask", "dask_expr", "modin", "cudf",
    "ibis",
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


def refuse_sqlframe(data: object, argument: str) -> None:
    """Raise for a table of sqlframe: it looks like a sequence, but reading it as one never ends."""
    if any(kind.__module__.partition(".")[0] == "sqlframe" for kind in type(data).__mro__):
        raise ArgumentError.about(
            argument,
            "is a table of sqlframe, which cannot be compared where it is.",
            Message(
                "pass `{argument}.toArrow()`, or the same table from the engine's own library.",
                argument=argument,
            ),
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
    keys: tuple[str, ...] = (),
    bring: bool = True,
) -> Comparison:
    """Compare two tables of points and clusters, joined on the point, where they are, or here if they fit.

    ``point`` and ``cluster`` are columns, or pairs if they are called differently in the two tables; those that are
    not named are recognised by their names. ``weights`` and ``features`` are columns of `true`, or else of `pred`.
    ``keys`` says what the parts of names are that :func:`with_key` joined. Unless tables of an engine may be brought
    here, ``bring``, they stay where they are.
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
        return compare_two_within(
            true, pred, names, (t, p), *numbers, within, policy, singletons, budget, keys
        )
    refuse_singletons(singletons)
    if a is None and b is None:
        if weights is not None or features is not None:
            raise ArgumentError(
                Message("`weights` and `features` need tables that name their points."),
                Message("pass `point=`, the column that names them."),
            )
        return _compare_in_order(true, pred, (t, p), policy)
    names = _required(a, "true"), _required(b, "pred")
    return compare_points(read_two(true, pred, names, (t, p), *numbers, keys, bring), policy, budget)


def _named_by_index(table: Any) -> tuple[object, str | None]:
    """A pandas frame with the names of its index as a column, if they can be distinguished; and that column."""
    index = index_of(table)
    if index is None or index.default or ROW in table.columns:
        return table, None
    native = index.native
    if native.inferred_type not in ("integer", "string") or not native.is_unique:
        return table, None
    return table.assign(**{ROW: native}), ROW


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
    keys: tuple[str, ...] = (),
) -> Comparison:
    """Compare two columns of one table that has one row per point, where it is."""
    from clusterdiff.tables.engines.comparison import compare_points
    from clusterdiff.tables.engines.documents import compare_one_within
    from clusterdiff.tables.engines.tables import read_one

    if point is None:
        table, point = _named_by_index(table)
    names = (table, true, pred, point)
    numbers = column_name(weights, "weights"), column_names(features, "features")
    if documents is not None:
        within = document_column(documents)
        return compare_one_within(*names, *numbers, within, policy, singletons, budget, keys)
    refuse_singletons(singletons)
    return compare_points(read_one(*names, *numbers, keys), policy, budget)


def read_frame(
    table: object, argument: str, point: Key | None = None, cluster: str | None = None
) -> Clustering:
    """The clustering in a table of points and clusters; columns that are not named are recognised by their names."""
    from clusterdiff.points.reading import read_labels
    from clusterdiff.tables.engines.tables import Reader

    point, cluster = _chosen(table, argument, point, cluster)
    reader = Reader(table, argument)
    reader.take("t", cluster, "cluster")
    if point is not None:
        _take_points(reader, point)
    elif not reader.engine.ordered:
        raise _nameless(argument)
    with reader.engine.running():
        got = reader.engine.fetch(reader.selected())
    labels = read_labels(got["t"], argument)
    if point is None:
        return Clustering.of(labels.detach(), None)
    # Rows have an order that the user can know, unless the engine has none.
    return Clustering.of(labels.detach(), _points(got, point), reader.engine.ordered).checked(argument)


def _take_points(reader: Any, point: Key) -> None:
    for i, column in enumerate(key_columns(point)):
        reader.take(f"i{i}", column, "point")


def _points(got: dict[str, Any], point: Key) -> Points:
    """The names of fetched points: of several columns, tuples of their values."""
    from clusterdiff.tables.engines.native import plain

    if isinstance(point, str):
        return names_of(got["i0"]) or plain(got["i0"])
    columns = [plain(got[f"i{i}"]) for i in range(len(key_columns(point)))]
    # A name of which a part is null is no name.
    return [None if None in name else name for name in zip(*columns, strict=True)]


def has_columns(table: object, columns: Sequence[str]) -> bool:
    """Whether a table has all of some columns."""
    from clusterdiff.tables.engines.tables import Reader

    return set(columns) <= set(Reader(table, "table").schema)


def frame_values(table: object, argument: str, point: Key | None, columns: object, what: str) -> Any:
    """Columns of a table as values of its points: a dict by point, or in order if they have no names.

    One column gives a value per point, a list of columns a row per point.
    """
    from clusterdiff.tables.engines.native import plain
    from clusterdiff.tables.engines.tables import Reader

    point, _ = _chosen(table, argument, point, None) if point is None else (point, "")
    reader = Reader(table, argument)
    names = column_names(columns, what)
    for k, name in enumerate(names):
        if what == "documents":
            reader.take(f"v{k}", name, what)
        else:
            reader.number(f"v{k}", name, what)
    if point is not None:
        _take_points(reader, point)
    elif not reader.engine.ordered:
        raise _nameless(argument)
    with reader.engine.running():
        got = reader.engine.fetch(reader.selected())
    values = [plain(got[f"v{k}"]) for k in range(len(names))]
    rows = values[0] if isinstance(columns, str) else list(map(list, zip(*values, strict=True)))
    return rows if point is None else dict(zip(_points(got, point), rows, strict=True))


def with_index(table: object, argument: str, point: Key | None, cluster: str | None) -> object:
    """A pandas frame whose index names its points: with that as a column, if it is named, or as the Series of clusters.

    The index counts if no column is named or recognised as the points; other tables are returned as they are.
    """
    index = index_of(table)
    if index is None or index.default:
        return table
    frame: Any = table
    if point is not None:
        levels = [
            name for name in key_columns(point) if name in frame.index.names and name not in frame.columns
        ]
        return frame.reset_index(levels) if levels else frame
    from clusterdiff.tables.duck import Scan
    from clusterdiff.tables.files import choose, recognised

    columns = list(map(str, frame.columns))
    try:
        found, cluster = choose(Scan(f"`{argument}`", columns, lambda _: ("", ())), None, cluster)
        if found is not None:
            return frame
    except FileError:
        cluster = cluster or recognised(columns, "cluster")
    return frame if cluster is None else frame[cluster]


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


def _chosen(table: object, argument: str, point: Key | None, cluster: str | None) -> tuple[Key | None, str]:
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
        raise ArgumentError(error.message, error.ways) from None


def choose_columns(
    table: object, argument: str, point: str | None = None, cluster: str | None = None
) -> tuple[str, str]:
    """The columns of points and clusters of a table whose points have names in one column."""
    found, cluster = _chosen(table, argument, point, cluster)
    return _required(found, argument), cluster


def _required(point: Key | None, argument: str) -> str:
    if point is None:
        raise _nameless(argument)
    assert isinstance(point, str)  # several columns are joined to one first, or read into memory
    return point


def with_key(table: object, point: Sequence[str]) -> tuple[object, tuple[str, ...]]:
    """A table with the names of several columns joined to one text, in the column ``KEY``; and what they hold."""
    import narwhals.stable.v2 as nw

    def marked(column: str) -> Any:
        text = nw.col(column).cast(nw.String).str
        return text.replace_all("\\", "\\\\", literal=True).str.replace_all(",", "\\,", literal=True)

    frame: Any = nw.from_native(table)
    schema = frame.collect_schema()
    kinds = tuple(
        "int" if schema[name].is_integer() else "bool" if schema[name] == nw.Boolean else "text"
        for name in point
    )
    return frame.with_columns(nw.concat_str(*map(marked, point), separator=",").alias(KEY)).to_native(), kinds


def with_keys(
    tables: tuple[object, object], points: tuple[Key | None, Key | None]
) -> tuple[tuple[object, object], tuple[str | None, str | None], tuple[str, ...]] | None:
    """Two tables with one column of points each, which it is, and the kinds of the parts that it was joined from.

    None if several columns name the points that no text can stand for, or others on the other side.
    """
    true, pred = points
    if not isinstance(true, list) and not isinstance(pred, list):
        return tables, (true, pred), ()
    if not isinstance(true, list) or not isinstance(pred, list):
        return None
    import narwhals.stable.v2 as nw

    frames: list[Any] = [nw.from_native(table) for table in tables]
    kinds = _kinds(frames[0].collect_schema(), true)
    if kinds is None or kinds != _kinds(frames[1].collect_schema(), pred):
        return None
    return (with_key(tables[0], true)[0], with_key(tables[1], pred)[0]), (KEY, KEY), kinds


def _kinds(schema: Any, point: Sequence[str]) -> tuple[str, ...] | None:
    """What some columns hold; None if one is not there, or holds something else than whole numbers, bools or texts."""
    import narwhals.stable.v2 as nw

    found = [schema.get(name) for name in point]
    kinds = [
        "int" if kind and kind.is_integer() else {nw.Boolean: "bool", nw.String: "text"}.get(kind)
        for kind in found
    ]
    return None if None in kinds or KEY in schema else tuple(kind for kind in kinds if kind)


def _nameless(argument: str) -> ArgumentError:
    return ArgumentError.about(
        argument,
        "does not name its points, and there is no order to match them by.",
        Message("pass `point=`, the column that names them."),
    )


def refuse_singletons(singletons: Singletons) -> None:
    """Raise unless singletons are kept: without documents there is nothing else to do with them."""
    if singletons != "keep":
        raise ArgumentError(
            Message("`singletons` is for documents; pass `documents=`, the column that names them.")
        )


def _both(column: Column | None, argument: str) -> tuple[str | None, str | None]:
    if column is None or isinstance(column, str):
        return column, column
    if len(column) != 2:
        raise ArgumentError.must(
            argument, Message("be a column, or a pair of columns of `true` and `pred`"), column
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
        raise ArgumentError.must(
            argument,
            "name a column of the tables",
            got=type(column).__name__,
            hint="add it to the table as a column, or compare the columns of clusters themselves.",
        )
    return column


def column_names(columns: object, argument: str) -> tuple[str, ...]:
    """The names of columns: one, several, or none."""
    several = columns if isinstance(columns, list | tuple) else () if columns is None else (columns,)
    return tuple(name for column in several if (name := column_name(column, argument)) is not None)
