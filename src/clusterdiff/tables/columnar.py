"""Parquet, Arrow and JSON lines: tables whose columns have types."""

from __future__ import annotations

from dataclasses import replace

from clusterdiff.errors import FileError, MissingExtraError
from clusterdiff.files import find, shown
from clusterdiff.tables.duck import Connection, Plain, Scan, exactly, fresh, scan_described

#: What DuckDB calls the numbers of a file's rows, if they are asked for.
PLACE = "file_row_number"


def scan_parquet(con: Connection, name: str, path: str) -> Scan:
    """Parquet files."""
    paths = find(path)
    scan = replace(scan_described(con, name, "read_parquet(?)", [exactly(paths)]), counted=True)
    if len(paths) > 1:
        return scan
    scan = replace(scan, plain=Plain(paths[0], scan.columns))
    if PLACE in map(str.casefold, scan.columns):
        return scan
    numbered = f"read_parquet(?, {PLACE} = true)", [exactly(paths)]
    return replace(scan, relation=lambda columns: numbered, place=PLACE)


def scan_json_lines(con: Connection, name: str, path: str) -> Scan:
    """One JSON object per line."""
    options = "format = 'newline_delimited', union_by_name = true, convert_strings_to_integers = false"
    return scan_described(con, name, f"read_json(?, {options})", [exactly(find(path))])


def scan_arrow(con: Connection, name: str, path: str) -> Scan:
    """Arrow IPC files, also known as Feather."""
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError:
        raise MissingExtraError("pyarrow", "arrow", "reading Arrow and Feather files") from None
    try:
        table = pa.concat_tables([feather.read_table(one) for one in find(path)])
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"{shown(name)} cannot be read: {str(error).partition('.')[0]}.", "is the file complete?"
        ) from None
    view = fresh("arrow")
    con.register(view, table)
    return scan_described(con, name, view)
