"""One small pair of clusterings, written in every format."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import feather

from clusterdiff.cli import main

Rows = list[dict[str, object]]

#: Hostile on purpose: quotes, commas, line breaks, SQL, leading zeros, and letters beyond ASCII.
TRUE: Rows = [
    {"id": "007", "cluster": "Maria Garcia"},
    {"id": "7", "cluster": "Maria Garcia"},
    {"id": 'a"b', "cluster": "x,y"},
    {"id": "c,d", "cluster": "x,y"},
    {"id": "e\nf", "cluster": "'; DROP TABLE loaded_0; --"},
    {"id": "żółć", "cluster": "'; DROP TABLE loaded_0; --"},
]
PRED: Rows = [
    {"id": "żółć", "cluster": "3"},
    {"id": "e\nf", "cluster": "2"},
    {"id": "c,d", "cluster": "1"},
    {"id": 'a"b', "cluster": "1"},
    {"id": "7", "cluster": "0"},
    {"id": "007", "cluster": "0"},
]


def as_dict(rows: Rows) -> dict[object, object]:
    return {row["id"]: row["cluster"] for row in rows}


def csv_text(rows: Rows, delimiter: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write_parquet(rows: Rows, path: Path) -> None:
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)


def write_sqlite(rows: Rows, path: Path, table: str = "gold") -> None:
    con = sqlite3.connect(path)
    con.execute(f"CREATE TABLE {sql_name(table)} ({', '.join(map(sql_name, rows[0]))})")
    marks = ", ".join("?" * len(rows[0]))
    con.executemany(f"INSERT INTO {sql_name(table)} VALUES ({marks})", [tuple(row.values()) for row in rows])
    con.commit()
    con.close()


def write_duckdb(rows: Rows, path: Path, table: str = "gold") -> None:
    con = duckdb.connect(str(path))
    con.execute(
        f"CREATE TABLE {sql_name(table)} ({', '.join(f'{sql_name(name)} VARCHAR' for name in rows[0])})"
    )
    marks = ", ".join("?" * len(rows[0]))
    con.executemany(f"INSERT INTO {sql_name(table)} VALUES ({marks})", [list(row.values()) for row in rows])
    con.close()


def write_arrow(rows: Rows, path: Path) -> None:
    feather.write_feather(pa.table({name: [row[name] for row in rows] for name in rows[0]}), path)


def write_jsonl(rows: Rows, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_zstd(rows: Rows, path: Path) -> None:
    con = duckdb.connect()
    con.register("rows", pa.table({name: [row[name] for row in rows] for name in rows[0]}))
    con.execute(f"COPY rows TO '{path}' (FORMAT csv, HEADER, COMPRESSION zstd)")


#: File name → how to write rows there.
WRITERS: dict[str, Callable[[Rows, Path], object]] = {
    "t.csv": lambda rows, path: path.write_text(csv_text(rows), encoding="utf-8"),
    "t.semicolon.csv": lambda rows, path: path.write_text(csv_text(rows, ";"), encoding="utf-8"),
    "t.bom.csv": lambda rows, path: path.write_text("\ufeff" + csv_text(rows), encoding="utf-8"),
    "t.crlf.csv": lambda rows, path: path.write_bytes(csv_text(rows, end="\r\n").encode()),
    "t.tsv": lambda rows, path: path.write_text(csv_text(rows, "\t"), encoding="utf-8"),
    "t.csv.gz": lambda rows, path: path.write_bytes(gzip.compress(csv_text(rows).encode())),
    "t.csv.bz2": lambda rows, path: path.write_bytes(bz2.compress(csv_text(rows).encode())),
    "t.csv.xz": lambda rows, path: path.write_bytes(lzma.compress(csv_text(rows).encode())),
    "t.csv.zst": write_zstd,
    "t.jsonl": write_jsonl,
    "t.parquet": write_parquet,
    "t.arrow": write_arrow,
    "t.feather": write_arrow,
    "t.sqlite": write_sqlite,
    "t.duckdb": write_duckdb,
}


@pytest.fixture(params=WRITERS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """The two clusterings in one of the formats."""
    name = request.param
    paths = tmp_path / f"true.{name}", tmp_path / f"pred.{name}"
    for rows, path in zip((TRUE, PRED), paths, strict=True):
        WRITERS[name](rows, path)
    return paths


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
