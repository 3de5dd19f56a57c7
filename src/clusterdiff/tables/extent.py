"""How much memory a table in a file will take, estimated before it is read: by its rows and its size when unpacked."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from clusterdiff.errors import FileError
from clusterdiff.files import BROKEN, COMPRESSED, find, first_bytes, open_bytes
from clusterdiff.tables.duck import connect, exactly, stoppable

#: Bytes per row, whatever it holds, of points that are compared: measured 43 in clusters of three, 91 where each point
#: is alone, 99 where some are lost. And of points of which more is wanted, up to a page: measured 154.
PER_ROW, PER_DETAIL = 112, 256
#: Text is held about twice.
COPIES = 2
#: What shows how long the rows of a file are.
SAMPLE = 1 << 16
#: A byte of gzip unpacks to no more.
GZIP_RATIO = 1032


@stoppable()
def needed(path: str, file_format: str, limit: int, per_row: int) -> int:
    """The bytes of memory that the table in a file, or in the files of a glob, will take: some per row, and its text.

    Counting stops where it is plain whether they are more than ``limit``. A file that cannot be read needs none:
    whoever reads it will tell.
    """
    try:
        count = _parquet if file_format == "parquet" else _text
        return sum(count(one, limit, per_row) for one in find(path))
    except (FileError, duckdb.Error, *BROKEN):
        return 0


def _parquet(path: str, limit: int, per_row: int) -> int:
    ((rows, size),) = (
        connect()
        .execute(
            "SELECT (SELECT sum(num_rows) FROM parquet_file_metadata(?)), sum(total_uncompressed_size) "
            "FROM parquet_metadata(?) WHERE type = 'BYTE_ARRAY'",
            [exactly([path])] * 2,
        )
        .fetchall()
    )
    return int(rows or 0) * per_row + int(size or 0) * COPIES


def _text(path: str, limit: int, per_row: int) -> int:
    end = Path(path).suffix.lower()
    if end == ".zst":
        return _zstd(path, per_row)
    sample = first_bytes(path, SAMPLE)
    per_byte = per_row * sample.count(b"\n") / max(len(sample), 1) + COPIES
    size = os.path.getsize(path)
    if end in COMPRESSED and not (end == ".gz" and size * GZIP_RATIO * per_byte <= limit):
        size = 0
        with open_bytes(path) as file:
            while size * per_byte <= limit and (piece := file.read(1 << 20)):
                size += len(piece)
    return int(size * per_byte)


def _zstd(path: str, per_row: int) -> int:
    """DuckDB unpacks it, piece by piece: its lines are counted, and nothing of them is kept."""
    options = (
        "auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, "
        "delim = '\x01', quote = '', escape = ''"
    )
    ((rows, size),) = (
        connect()
        .execute(f"SELECT count(*), sum(strlen(line)) FROM read_csv(?, {options})", [exactly([path])])
        .fetchall()
    )
    return int(rows) * per_row + int(size or 0) * COPIES
