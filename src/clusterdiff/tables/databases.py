"""Tables of SQLite, DuckDB and PostgreSQL databases."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import duckdb
import numpy as np

from clusterdiff.errors import FileError, MissingExtraError, listed, nearest
from clusterdiff.files import find_one
from clusterdiff.tables.duck import Connection, Relation, Scan, blame, fresh, literal, quoted, scan_described

#: How many rows of SQLite pass through Python at a time.
CHUNK = 100_000


def choose_table(name: str, tables: Sequence[str], wanted: str | None) -> str:
    """The table that is wanted, or the only one there is."""
    if wanted is not None and wanted in tables:
        return wanted
    if not tables:
        raise FileError(f"{name} has no tables.")
    if wanted is not None:
        raise FileError(f"{name} has no table {wanted!r}; it has {listed(tables)}.", nearest(wanted, tables))
    if len(tables) > 1:
        raise FileError(
            f"{name} has {len(tables):,} tables: {listed(tables)}.", f"name one, as in {name}:{tables[0]}"
        )
    return tables[0]


def scan_duckdb(con: Connection, path: str, table: str | None, stack: ExitStack) -> Scan:
    """A table of a DuckDB file, opened read-only."""
    file = find_one(path)
    database = fresh("database")
    try:
        con.execute(f"ATTACH {literal(file)} AS {database} (READ_ONLY)")
    except duckdb.Error as error:
        raise blame(path)(error) from None
    stack.callback(lambda: con.execute(f"DETACH {database}"))
    found = con.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = ? ORDER BY ALL",
        [database],
    ).fetchall()
    names = {(name if schema == "main" else f"{schema}.{name}"): (schema, name) for schema, name in found}
    schema, name = names[choose_table(path, list(names), table)]
    return scan_described(con, path, f"{database}.{quoted(schema)}.{quoted(name)}")


# ---- SQLite, through Python's own module: DuckDB's extension would have to be downloaded

SQLITE_TYPES = {
    frozenset[str](): "VARCHAR",
    frozenset({"integer"}): "BIGINT",
    frozenset({"text"}): "VARCHAR",
    frozenset({"real"}): "DOUBLE",
    frozenset({"integer", "real"}): "DOUBLE",
}


def scan_sqlite(con: Connection, path: str, table: str | None, stack: ExitStack, loose: bool = False) -> Scan:
    """A table of an SQLite file, opened read-only; ``loose`` takes columns that mix types, as text."""
    file = find_one(path)
    try:
        database = sqlite3.connect(f"file:{quote(os.path.abspath(file))}?mode=ro", uri=True)
        stack.callback(database.close)
        tables = database.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        chosen = choose_table(path, [row[0] for row in tables], table)
        cursor = database.execute(f"SELECT * FROM {quoted(chosen)} LIMIT 0")
    except (
        sqlite3.Error,
        UnicodeDecodeError,
    ) as error:  # names of tables and of columns are text of the file, too
        raise FileError(f"{path} cannot be read as an SQLite database: {error}.") from None
    columns = [column[0] for column in cursor.description]
    return Scan(path, columns, lambda wanted: _from_sqlite(con, database, path, chosen, wanted, loose))


def _from_sqlite(
    con: Connection, database: sqlite3.Connection, path: str, table: str, wanted: Sequence[str], loose: bool
) -> Relation:
    target = fresh("sqlite")
    try:
        types = {column: _sqlite_type(database, path, table, column, loose) for column in wanted}
        con.execute(f"CREATE TEMP TABLE {target} ({', '.join(f'{quoted(c)} {t}' for c, t in types.items())})")
        texts = [
            f"CAST({quoted(c)} AS TEXT)" if loose and t == "VARCHAR" else quoted(c) for c, t in types.items()
        ]
        rows = database.execute(f"SELECT {', '.join(texts)} FROM {quoted(table)}")
        while chunk := rows.fetchmany(CHUNK):
            columns: dict[str, Any] = {}
            for column, values in zip(wanted, zip(*chunk, strict=True), strict=True):
                columns[column] = np.empty(len(chunk), dtype=object)
                columns[column][:] = values
            con.register("chunk", columns)
            con.execute(f"INSERT INTO {target} SELECT * FROM chunk")
            con.unregister("chunk")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise FileError(f"{path}, table {table!r} cannot be read: {error}.") from None
    return target, []


def _sqlite_type(database: sqlite3.Connection, path: str, table: str, column: str, loose: bool) -> str:
    """In SQLite every row may have its own type: a column of points or clusters must have one type."""
    rows = database.execute(f"SELECT DISTINCT typeof({quoted(column)}) FROM {quoted(table)}")
    found = frozenset(row[0] for row in rows) - {"null"}
    if loose:
        return SQLITE_TYPES.get(found, "VARCHAR")
    if found not in SQLITE_TYPES:
        raise FileError(
            f"{path}, table {table!r}: the column {column!r} mixes values of the types {listed(sorted(found))}.",
            "give the column one type, for example with CAST(… AS TEXT) in a view.",
        )
    return SQLITE_TYPES[found]


# ---- PostgreSQL, through psycopg: the server writes CSV and DuckDB reads it

#: PostgreSQL's numbers for its types; all others travel as text.
POSTGRES_TYPES = {16: "BOOLEAN", 20: "BIGINT", 21: "SMALLINT", 23: "INTEGER", 700: "FLOAT", 701: "DOUBLE"}


def without_password(url: str) -> str:
    """A database's address as it may be shown.

    >>> without_password("postgres://ann:secret@db.example:5432/people")
    'postgres://ann@db.example:5432/people'
    """
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=user.partition(":")[0] + at + host, query=""))


def scan_postgres(con: Connection, url: str, table: str | None, stack: ExitStack) -> Scan:
    """A table of a PostgreSQL database, read in a transaction that cannot write."""
    try:
        import psycopg
        from psycopg import sql
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "reading PostgreSQL tables") from None
    name = without_password(url)
    try:
        server = stack.enter_context(psycopg.connect(url))
        server.read_only = True
        found = server.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        ).fetchall()
        names = {(one if schema == "public" else f"{schema}.{one}"): (schema, one) for schema, one in found}
        chosen = sql.Identifier(*names[choose_table(name, list(names), table)])
        description = server.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(chosen)).description or []
    except psycopg.Error as error:
        raise FileError(f"{name} cannot be read: {str(error).partition(chr(10))[0]}.") from None
    types = {column.name: POSTGRES_TYPES.get(column.type_code, "VARCHAR") for column in description}

    def relation(wanted: Sequence[str]) -> Relation:
        columns = sql.SQL(", ").join(map(sql.Identifier, wanted))
        query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv)").format(columns, chosen)
        path = os.path.join(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="clusterdiff-")), "table.csv"
        )
        try:
            with open(path, "wb") as out, server.cursor().copy(query) as rows:
                out.writelines(rows)
        except psycopg.Error as error:
            raise FileError(f"{name} cannot be read: {str(error).partition(chr(10))[0]}.") from None
        typed = ", ".join(f"{literal(column)}: {literal(types[column])}" for column in wanted)
        options = (
            "auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"', "
            "allow_quoted_nulls = false"
        )
        return f"read_csv(?, {options}, columns = {{{typed}}})", [path]

    return Scan(name, list(types), relation)
