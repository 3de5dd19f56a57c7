"""Tables (CSV, TSV, Parquet) and plain lists of labels, read by DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from clusterdiff.clustering import Clustering
from clusterdiff.errors import FileError, nearest

#: Names under which the two columns of a table of points and clusters are recognised, in order of preference.
POINT_NAMES = ("point", "id", "point_id", "record", "record_id", "mention")
CLUSTER_NAMES = ("cluster", "cluster_id", "label", "entity", "entity_id", "group")
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def read_clustering(path: str, point: str | None = None, cluster: str | None = None) -> Clustering:
    """A clustering from a file.

    A ``.csv``, ``.tsv`` or ``.parquet`` file has named columns: one of clusters in the order of the points, or
    one of points and one of clusters. Any other file has one label a line.
    """
    if not _is_table(path):
        return Clustering(_lines(path), argument=path)
    columns = list(_columns(path))
    cluster = cluster or _guess(path, columns, CLUSTER_NAMES, "cluster", taken=point)
    if point is None and len(columns) > 1:
        point = _guess(path, columns, POINT_NAMES, "point", taken=cluster)
    data = read_columns(path, [c for c in (point, cluster) if c is not None])
    if point is None:
        return Clustering(data[cluster], argument=f"{path}:{cluster}")
    return Clustering(data[cluster], points=_names(data[point]), argument=f"{path}:{cluster}")


def read_columns(path: str, names: list[str]) -> dict[str, Any]:
    """Some columns of a table, by name, as arrays."""
    present = _columns(path)
    for name in names:
        if name not in present:
            raise FileError(
                f"{path} has no column {name!r}; it has {', '.join(map(repr, present))}.",
                nearest(name, present),
            )
    chosen = ", ".join(_quoted(name) for name in names)
    return {
        name: np.ma.asarray(values)
        for name, values in _query(path, f"SELECT {chosen} FROM").fetchnumpy().items()
    }


def _is_table(path: str) -> bool:
    return Path(path).suffix.lower() in TABLE_SUFFIXES


def _columns(path: str) -> list[str]:
    return [column[0] for column in _query(path, "SELECT * FROM", " LIMIT 0").description]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _query(path: str, select: str, rest: str = "") -> Any:
    """Run a query over a file; the path is a parameter, never part of the SQL."""
    import duckdb

    _refuse_unreadable(path)
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        source = "read_parquet(?)"
    else:
        delimiter = "'\\t'" if suffix == ".tsv" else "','"
        source = f"read_csv(?, header = true, all_varchar = true, delim = {delimiter}, null_padding = false)"
    try:
        return duckdb.connect().execute(f"{select} {source}{rest}", [path])
    except duckdb.Error as error:
        raise FileError(f"{path} cannot be read: {_first_lines(str(error))}") from None


def _first_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines()[:3] if line.strip())


def _refuse_unreadable(path: str) -> None:
    if Path(path).is_dir():
        raise FileError(f"{path} is a folder, not a file.")
    if not Path(path).exists():
        raise FileError(f"{path} does not exist.")
    if Path(path).stat().st_size == 0:
        raise FileError(f"{path} is empty.")


def _lines(path: str) -> list[str]:
    _refuse_unreadable(path)
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start:,}.") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from None


def _guess(path: str, columns: list[str], known: tuple[str, ...], what: str, taken: str | None) -> str:
    """The column that holds the points or the clusters, if there is only one way to guess it."""
    free = [column for column in columns if column != taken]
    by_fold = {column.casefold(): column for column in free}
    for name in known:
        if name in by_fold:
            return by_fold[name]
    if len(columns) == 2 and len(free) == (2 if taken is None else 1):
        return free[0] if taken is not None or what == "point" else free[1]
    if len(free) == 1:
        return free[0]
    raise FileError(
        f"{path} has the columns {', '.join(map(repr, columns))}, and none is known as the {what}s.",
        f"name it with --{what}.",
    )


def _names(column: Any) -> list[Any]:
    if np.ma.getmask(column) is not np.ma.nomask and np.ma.getmask(column).any():
        at = int(np.flatnonzero(np.ma.getmaskarray(column))[0])
        raise FileError(f"the column of points has no value in row {at + 2}.")
    return list(np.ma.getdata(column).tolist())
