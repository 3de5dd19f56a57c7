"""The other columns of a table of points: what `--by` slices by, and what the report shows of each point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterdiff.comparison import Comparison
from clusterdiff.errors import FileError

READERS = {
    ".csv": "read_csv(?, header = true, all_varchar = true, delim = ',')",
    ".tsv": "read_csv(?, header = true, all_varchar = true, delim = '\t')",
    ".parquet": "read_parquet(?)",
}


def other_columns(path: str, diff: Comparison) -> dict[str, list[Any]]:
    """The columns of TRUE but for the points and the clusters, in its order; none if it is not a table."""
    import duckdb

    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        return {}
    try:
        result = duckdb.connect().execute(f"SELECT * FROM {reader}", [path])
        names = [column[0] for column in result.description]
        columns = dict(zip(names, map(list, zip(*result.fetchall(), strict=True)), strict=True))
    except duckdb.Error as error:
        raise FileError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    aligned = diff._aligned
    known = [list(map(str, aligned.points))]
    known += [list(map(str, side.named(side.labels).tolist())) for side in (aligned.true, aligned.pred)]
    return {name: column for name, column in columns.items() if not _is_known(column, known, aligned.rows)}


def _is_known(column: list[Any], known: list[list[str]], rows: Any) -> bool:
    """Whether a column only repeats the points' names or clusters."""
    at = range(len(column)) if rows is None else [i for i in rows.tolist() if i >= 0]
    text = [str(column[i]) for i in at]
    return any(text == values[: len(text)] for values in known)
