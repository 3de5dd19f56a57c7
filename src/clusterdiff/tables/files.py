"""Tables of points and clusters: which columns are meant, and how they come into DuckDB."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

import duckdb

from clusterdiff.errors import ArgumentError, FileError, listed, nearest
from clusterdiff.files import STAGE, find, is_plain, shown, spooled
from clusterdiff.formats.source import Source
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.keys import Key, joined_sql, key_columns, kind_of_key
from clusterdiff.tables.columnar import scan_arrow, scan_json_lines, scan_parquet
from clusterdiff.tables.databases import scan_duckdb, scan_postgres, scan_sqlite
from clusterdiff.tables.delimited import scan_csv, scan_tsv
from clusterdiff.tables.duck import Connection, Scan, connect, fresh, literal, quoted, stoppable
from clusterdiff.tables.loaded import InPlace, Loaded, no_rows, refuse_nulls, to_clustering

log = logging.getLogger("clusterdiff")

FILES = {
    "csv": scan_csv,
    "tsv": scan_tsv,
    "jsonl": scan_json_lines,
    "parquet": scan_parquet,
    "arrow": scan_arrow,
}
DATABASES = {"duckdb": scan_duckdb, "postgres": scan_postgres}

#: Names by which the columns of points and of clusters are known.
KNOWN = {
    "point": (
        "point", "point_id", "id", "record", "record_id", "mention", "mention_id", "unique_id", "item", "item_id",
        "node", "node_id", "row_id",
    ),
    "cluster": (
        "cluster", "cluster_id", "cluster id", "label", "entity", "entity_id", "group", "group_id", "community",
        "component", "true", "pred", "gold", "segment",
    ),
}  # fmt: skip
#: Names that are taken for the points' where none of the above stands.
LESS_KNOWN = {
    "point": (
        "rec_id", "recid", "recordid", "record id", "rid", "uid", "uuid", "guid", "key", "pk", "primary_key", "rowid",
        "barcode", "cell_id", "entry_id", "identifier",
    ),
    "cluster": ("clusterid", "entityid", "labels", "cluster_label", "resolved_entity_id", "resolved_id"),
}  # fmt: skip
#: What only judgements have, and where to go with them.
JUDGED = ("verdict", "clerical_match_score", "z_ismatch", "groups", "shown")
JUDGE = (
    "if these are judgements: `clusterdiff judge` checks a run against them; `clusterdiff estimate` scores it by those "
    "that were drawn, and `clusterdiff rank` with --design ranks several."
)


@contextmanager
def open_table(
    con: Connection, source: Source, copy: str | None = None, *, loose: bool = False
) -> Iterator[Scan]:
    """A table that ``con`` can read for as long as the context lasts.

    ``copy`` is a file with the same content, if standard input was copied to one. A ``loose`` reader takes columns
    that mix types, as text.
    """
    with ExitStack() as stack:
        yield scan_table(con, source, stack, copy, loose=loose)


def scan_table(
    con: Connection, source: Source, stack: ExitStack, copy: str | None = None, *, loose: bool = False
) -> Scan:
    """The same for as long as ``stack`` is not closed."""
    STAGE.debug("reading %s", shown(source.path))
    if source.format == "sqlite":
        return scan_sqlite(con, source.path, source.table, stack, loose)
    if source.format in DATABASES:
        return DATABASES[source.format](con, source.path, source.table, stack)
    if source.table is not None:
        raise ArgumentError.about(
            "table", f"names a table of a database; {shown(source.path)} is a {source.format} file."
        )
    path = copy or stack.enter_context(spooled(source.path))
    return FILES[str(source.format)](con, source.path, path)


# ---- which columns


def columns_of(source: Source) -> list[str]:
    """The names of a table's columns."""
    with open_table(connect(), source.resolved()) as scan:
        return list(scan.columns)


def require(scan: Scan, point: Key | None, *columns: str | None) -> None:
    """Raise unless all columns that were named are there; those that are not are named together."""
    named = [
        *([] if point is None else key_columns(point)),
        *(column for column in columns if column is not None),
    ]
    lacking = [column for column in dict.fromkeys(named) if column not in scan.columns]
    if lacking:

        def likeness(name: str) -> float:
            return max(SequenceMatcher(None, it.casefold(), name.casefold()).ratio() for it in lacking)

        ordered = sorted(scan.columns, key=likeness, reverse=True)
        noun = "column" if len(lacking) == 1 else "columns"
        raise FileError(
            f"{shown(scan.name)} has no {noun} {listed(lacking)}; it has {listed(ordered)}.",
            nearest(lacking[0], scan.columns) if len(lacking) == 1 else None,
        )


def choose(scan: Scan, point: Key | None, cluster: str | None) -> tuple[Key | None, str]:
    """The columns of points and of clusters: as named, or guessed if there is only one way to do so.

    A table with one column has clusters in the order of the points; the column of points is then None.
    """
    point = told_key(scan, point)
    require(scan, point, cluster)
    if point is not None and not isinstance(point, str):
        return point, cluster or _cluster_beside(scan, point)
    if len(scan.columns) == 1 and point is None:
        return None, cluster or scan.columns[0]
    told = (point, cluster)
    if told == (None, None) and _has(scan, "judgement", "group", "point"):
        raise FileError(f"{shown(scan.name)} holds judgements, one row per point, and no clusters.", JUDGE)
    if cluster is None:
        cluster = recognised(scan.columns, "cluster", taken=[point])
    if point is None:
        point = recognised(scan.columns, "point", taken=[cluster])
    free = [column for column in scan.columns if column not in (point, cluster)]
    if len(scan.columns) == 2 and (point is None) != (cluster is None):
        point, cluster = point or free[0], cluster or free[0]
    for what, column in (("cluster", cluster), ("point", point)):
        if column is None:
            raise unknown(scan, what)
    assert cluster is not None
    if told != (point, cluster):
        log.info("%s: points from the column %r, clusters from %r", shown(scan.name), point, cluster)
    return point, cluster


def told_key(scan: Scan, point: Key | None) -> Key | None:
    """The column or columns that name the points; several may be given in one text, separated by commas."""
    if isinstance(point, str) and point not in scan.columns and "," in point:
        point = [column.strip() for column in point.split(",")]
    return point if point is None or isinstance(point, str) or len(point) != 1 else point[0]


def recognised(columns: Sequence[str], what: str, taken: Collection[str | None] = ()) -> str | None:
    """The one column that is known by its name as the points' or the clusters'; None if there are more, or none."""
    found = _candidates([column for column in columns if column not in taken], what)
    return found[0] if len(found) == 1 else None


def _candidates(columns: Sequence[str], what: str) -> list[str]:
    """The columns with a name as those of points or clusters have; less usual names count only without usual ones."""
    found = (
        [column for column in columns if column.casefold() in names]
        for names in (KNOWN[what], LESS_KNOWN[what])
    )
    return next(filter(None, found), [])


def _cluster_beside(scan: Scan, point: Sequence[str]) -> str:
    """The column of clusters beside several that name the points."""
    free = [column for column in scan.columns if column not in point]
    found = free[0] if len(free) == 1 else recognised(free, "cluster")
    if found is None:
        raise unknown(scan, "cluster")
    return found


def unknown(scan: Scan, what: str) -> FileError:
    """For a table of which it is not plain which column is meant."""
    several = _candidates(scan.columns, what)
    many = len(several) > 1
    which = f"several may name the {what}s: {listed(several)}" if many else f"none of them names the {what}s"
    return FileError(
        f"{shown(scan.name)} has the columns {listed(scan.columns)}, and {which}.",
        JUDGE if any(_has(scan, sign) for sign in JUDGED) else Message("name it with `{what}=`.", what=what),
    )


def _has(scan: Scan, *columns: str) -> bool:
    """Whether a table has columns of these names, in any case."""
    return {column.casefold() for column in scan.columns}.issuperset(columns)


# ---- what their types mean

INTEGER = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
FRACTION = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*\)")
TEXT = re.compile(r"VARCHAR|ENUM\(.*\)|UUID")
MOMENT = re.compile(r"DATE|TIME.*")


def _kind(sql_type: str) -> str | None:
    """What kind of labels or points a column of an SQL type holds."""
    if INTEGER.fullmatch(sql_type) or FRACTION.fullmatch(sql_type):
        return "int"
    if TEXT.fullmatch(sql_type) or sql_type == '"NULL"':
        return "text"
    if MOMENT.fullmatch(sql_type):
        return "time"
    return "bool" if sql_type == "BOOLEAN" else None


def _converted(column: str, sql_type: str) -> str:
    name = quoted(column)
    if sql_type in ("UBIGINT", "BOOLEAN"):
        return name
    return f"CAST({name} AS {'BIGINT' if _kind(sql_type) == 'int' else 'VARCHAR'})"


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a table apart from points and clusters: the column of documents, and columns of numbers."""

    documents: str | None = None
    weights: str | None = None
    features: Sequence[str] = ()

    @property
    def named(self) -> dict[str, str]:
        """New name → column of numbers."""
        weights = {} if self.weights is None else {"weight": self.weights}
        return weights | {f"feature_{i}": column for i, column in enumerate(self.features)}


#: Files of so many bytes are not copied into DuckDB.
LARGE = 1 << 24
#: And are taken to have this many in a row: the fewer, the more buckets there are for points to be matched in.
ROW_BYTES = 8


NOTHING = Wanted()


def load(
    con: Connection,
    scan: Scan,
    point: Key | None,
    cluster: str | None,
    wanted: Wanted = NOTHING,
    numbers: Mapping[str, str] | None = None,
    in_place: InPlace | None = None,
) -> Loaded:
    """Bring the columns of points and clusters into DuckDB, checked except for repeated points.

    A table ``in_place`` is left there if it names its points, and nothing but clusters is wanted beside.
    """
    require(scan, told_key(scan, point), cluster, wanted.documents)
    point, cluster = choose(scan, point, cluster)
    chosen: dict[str, Key] = {"cluster": cluster}
    if point is not None:
        chosen = {"point": point} | chosen
    if wanted.documents is not None:
        chosen["document"] = wanted.documents
    if point is None or numbers or wanted.documents is not None:
        in_place = None
    name, kinds, rows = bring(con, scan, chosen, numbers, in_place)
    taken = [*_names_alone(point), cluster]
    others = tuple(column for column in scan.columns if column not in taken)
    loaded = Loaded(
        con,
        name,
        shown(scan.name),
        None if point is None else ",".join(key_columns(point)),
        cluster,
        kinds,
        rows,
        document=wanted.documents,
        numbers=tuple(numbers or ()),
        others=others,
        in_place=in_place,
    )
    if in_place is None:
        refuse_nulls(loaded)
    return loaded


def _names_alone(point: Key | None) -> list[str]:
    """The column that names the points; of several that do so together, each says something by itself."""
    return [point] if isinstance(point, str) else []


def load_columns(
    con: Connection, scan: Scan, true: Source, pred: Source, wanted: Wanted = NOTHING
) -> tuple[Loaded, Loaded]:
    """Two columns of clusters of one table, and its points if they are named: one table, seen twice."""
    assert true.cluster is not None
    assert pred.cluster is not None
    point, numbers = told_key(scan, true.point), wanted.named
    require(scan, point, true.cluster, pred.cluster, wanted.documents, *numbers.values())
    columns: dict[str, Key] = {"true_cluster": true.cluster, "pred_cluster": pred.cluster}
    if point is not None:
        columns["point"] = point
    if wanted.documents is not None:
        columns["document"] = wanted.documents
    name, kinds, rows = bring(con, scan, columns, numbers)
    named = [] if point is None else key_columns(point)
    taken = (*_names_alone(point), true.cluster, pred.cluster)
    views = [
        Loaded(
            con,
            name,
            shown(scan.name),
            ",".join(named) or None,
            cluster,
            {"cluster": kinds[f"{side}_cluster"], "point": kinds.get("point", "")},
            rows,
            f"{side}_cluster",
            wanted.documents,
            tuple(numbers),
            tuple(column for column in scan.columns if column not in taken),
        )
        for side, cluster in (("true", true.cluster), ("pred", pred.cluster))
    ]
    refuse_nulls(views[0])
    return views[0], views[1]


def bring(
    con: Connection,
    scan: Scan,
    columns: Mapping[str, Key],
    numbers: Mapping[str, str] | None = None,
    in_place: InPlace | None = None,
) -> tuple[str, dict[str, str], int]:
    """Copy columns into a table of DuckDB: its name, what each column holds, and how many rows it has.

    ``columns`` says new name → name in the file for names of points and clusters, ``numbers`` for measurements. Names
    of several columns are joined to one text, of which the kind says ``key``. Of a file ``in_place`` a view is made,
    and its rows are guessed unless it knows them.
    """
    name = fresh("loaded")
    numbers = numbers or {}
    parts = {new: key_columns(old) for new, old in columns.items()}
    wanted = list(dict.fromkeys([*chain(*parts.values()), *numbers.values()]))
    try:
        source, parameters = scan.relation(wanted)
        selection = ", ".join(map(quoted, wanted))
        found = con.execute(f"DESCRIBE SELECT {selection} FROM {source}", list(parameters)).fetchall()
        types = {row[0]: row[1] for row in found}
        kinds = {
            new: kind_of_key([_readable(scan, old, types[old]) for old in key]) for new, key in parts.items()
        }
        named = {old: types[old] for old in chain(*parts.values())}
        _refuse_fractions(con, scan, source, parameters, named)
        selected = [f"{_expression(key, types)} AS {new}" for new, key in parts.items()]
        selected += [f"CAST({quoted(old)} AS DOUBLE) AS {new}" for new, old in numbers.items()]
        if in_place is not None and scan.place is not None:
            selected.append(f"{scan.place} AS place")
        made = f"{name} AS SELECT {', '.join(selected)} FROM"
        if in_place is not None:
            for parameter in parameters:  # views take none; that of a file is the list of its paths
                source = source.replace("?", f"[{', '.join(map(literal, parameter))}]", 1)
            con.execute(f"CREATE TEMP VIEW {made} {source}")
            if not scan.counted:
                return name, kinds, in_place.bytes // ROW_BYTES
        else:
            con.execute(f"CREATE TEMP TABLE {made} {source}", list(parameters))
        ((rows,),) = con.execute(f"SELECT count(*) FROM {name}").fetchall()
    except duckdb.Error as error:
        raise scan.error(error) from None
    if rows == 0:
        raise no_rows(shown(scan.name))
    return name, kinds, rows


def _expression(columns: Sequence[str], types: Mapping[str, str]) -> str:
    if len(columns) == 1:
        return _converted(columns[0], types[columns[0]])
    return joined_sql([f"CAST({_converted(column, types[column])} AS VARCHAR)" for column in columns])


def _readable(scan: Scan, column: str, sql_type: str) -> str:
    kind = _kind(sql_type)
    if kind is None:
        raise FileError(
            f"{shown(scan.name)}: the column {column!r} holds {sql_type}, which cannot name points or clusters.",
            "choose a column of text or integers.",
        )
    return kind if scan.typed else "untyped"


def _refuse_fractions(
    con: Connection, scan: Scan, source: str, parameters: Sequence[Any], types: dict[str, str]
) -> None:
    for column, sql_type in types.items():
        if not FRACTION.fullmatch(sql_type):
            continue
        name = quoted(column)
        rows = con.execute(
            f"SELECT {name}, count(*) OVER () FROM {source} WHERE NOT isfinite({name}::DOUBLE) "
            f"OR {name} <> floor({name}) LIMIT 5",
            list(parameters),
        ).fetchall()
        if rows:
            raise FileError(
                f"{shown(scan.name)}: the column {column!r} must hold whole numbers if it holds floats; "
                f"got {listed([row[0] for row in rows], rows[0][1])}.",
                "cluster labels are names, not measurements.",
            )


@stoppable()
def read_table(source: Source) -> Clustering:
    """A clustering from the columns of points and clusters of a table."""
    return to_clustering(load_source(connect(), source))


def load_source(
    con: Connection,
    source: Source,
    wanted: Wanted = NOTHING,
    copy: str | None = None,
    unchanged: Callable[[], None] | None = None,
) -> Loaded:
    """A table of points and clusters, with the numbers wanted that it has; or what a table of pairs connects.

    ``unchanged`` raises if the file is no longer what it was; with that, a large one is left where it is.
    """
    with open_table(con, source, copy) as scan:
        if not source.pairs:
            found = {new: old for new, old in wanted.named.items() if old in scan.columns}
            size = 0 if unchanged is None else _size(source, copy)
            in_place = InPlace(scan, size, unchanged) if unchanged is not None and size >= LARGE else None
            return load(con, scan, source.point, source.cluster, wanted, found, in_place)
        if wanted.documents is not None:
            raise ArgumentError.about(
                "documents", f"is a column of points, and {shown(source.path)} is a table of pairs."
            )
        from clusterdiff.tables.pairs import load_pairs

        return load_pairs(con, scan, source.point, source.threshold)


def _size(source: Source, copy: str | None) -> int:
    """The bytes of a file that can be read again and again; 0 for what cannot."""
    if source.format not in FILES or (copy is None and not is_plain(source.path)):
        return 0
    paths = find(source.path) if copy is None else [copy]
    return sum(map(os.path.getsize, paths)) if all(map(os.path.isfile, paths)) else 0
