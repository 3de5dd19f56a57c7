"""CSV and TSV. All columns are text: what looks like a number may be a name with leading zeros."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

import duckdb

from clusterdiff.errors import FileError, listed
from clusterdiff.files import find, first_line, is_packed, longest_line, shown
from clusterdiff.tables.duck import Connection, Plain, Scan, blame, exactly, literal

DELIMITERS = ",;\t|"
SHOWN_LINES = 5
#: What is read: DuckDB keeps a line in memory, and takes time for every column whether it is wanted or not.
LONGEST_LINE = 16_000_000
MOST_COLUMNS = 32_768


def scan_csv(con: Connection, name: str, path: str) -> Scan:
    """Files with a header and fields between commas (or semicolons, tabs or bars, whichever the header has)."""
    return _scan(con, name, path, None)


def scan_tsv(con: Connection, name: str, path: str) -> Scan:
    """Files with a header and fields between tabs."""
    return _scan(con, name, path, "\t")


def _scan(con: Connection, name: str, path: str, delimiter: str | None) -> Scan:
    paths = find(path)
    header, delimiter = _header(paths[0], name, delimiter)
    for other in paths[1:]:
        found, _ = _header(other, other, delimiter)
        if found != header:
            raise FileError(
                f"{other} has the columns {listed(found)}, but {paths[0]} has {listed(header)}.",
                "files of one glob must have the same columns.",
            )
    # Nothing is guessed from a sample, so that a bad row is reported as such, with its line.
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in header)
    options = (
        f"auto_detect = false, header = true, delim = {literal(delimiter)}, quote = '\"', escape = '\"', "
        f"columns = {{{columns}}}, max_line_size = {LONGEST_LINE}, buffer_size = {2 * LONGEST_LINE}"
    )
    return Scan(
        name,
        header,
        lambda columns: (f"read_csv(?, {options})", [exactly(paths)]),
        typed=False,
        blame=lambda error: _bad_rows(con, name, options, paths, error),
        plain=Plain(paths[0], header, delimiter) if len(paths) == 1 and not is_packed(paths[0]) else None,
    )


def _header(path: str, name: str, delimiter: str | None) -> tuple[list[str], str]:
    line = first_line(path, LONGEST_LINE)
    if len(line.encode()) >= LONGEST_LINE - 4:
        raise _too_long(shown(name), 1)
    if delimiter is None:
        unquoted = re.sub(r'"[^"]*"', "", line)
        delimiter = max(DELIMITERS, key=unquoted.count)  # a comma if there is none
    try:
        header = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise FileError(f"{shown(name)}, line 1: {error}.") from None
    if len(header) > MOST_COLUMNS:
        raise FileError(
            f"{shown(name)} has {len(header):,} columns; up to {MOST_COLUMNS:,} are read.",
            "keep those of points and clusters, for example: cut -d, -f1,2.",
        )
    wrong = _wrong_header(header)
    if wrong:
        raise FileError(
            f"{shown(name)}, line 1: {wrong}.", "the first line names the columns: for example id,cluster."
        )
    return header, delimiter


def _too_long(where: str, line: int) -> FileError:
    return FileError(
        f"{where}, line {line:,} is too long: lines of up to {LONGEST_LINE // 10**6} MB are read.",
        "is it a table of rows? Leave out columns of long text.",
    )


def _wrong_header(header: Sequence[str]) -> str | None:
    if not header or not all(header):
        return "a column has no name" if any(header) else "there are no names of columns"
    folded = [column.casefold() for column in header]
    times = Counter(folded)
    twice = [column for column, fold in zip(header, folded, strict=True) if times[fold] > 1]
    if twice:
        return f"columns have the same name: {listed(twice)}"
    if any(re.fullmatch(r"-?\d+(\.\d+)?", column) for column in header):
        return f"a row without a header before it: {listed(header)}"
    return None


def _bad_rows(con: Connection, name: str, options: str, paths: list[str], error: duckdb.Error) -> FileError:
    """Which rows are wrong: a second pass collects them all, since the first one stops at once."""
    for path in paths:  # what DuckDB says of such lines is not true
        line, size = longest_line(path)
        if size >= LONGEST_LINE:
            return _too_long(shown(name) if len(paths) == 1 else path, line)
    rejects = (
        "store_rejects = true, rejects_limit = 0, rejects_table = 'bad_rows', rejects_scan = 'bad_scans'"
    )
    try:
        # In parallel, DuckDB 2.0 loses some of the rejected rows.
        con.execute(
            f"SELECT count(COLUMNS(*)) FROM read_csv(?, {options}, parallel = false, {rejects})",
            [exactly(paths)],
        ).fetchall()
        rows = con.execute(
            "SELECT file_path, line, error_type, error_message, csv_line FROM bad_rows JOIN bad_scans "
            "USING (scan_id, file_id) QUALIFY row_number() OVER (PARTITION BY file_path, line) = 1 "
            f"ORDER BY file_path, line LIMIT {SHOWN_LINES}"
        ).fetchall()
        ((total,),) = con.execute("SELECT count(DISTINCT (file_id, line)) FROM bad_rows").fetchall()
    except duckdb.Error:
        rows, total = [], 0
    finally:
        con.execute("DROP TABLE IF EXISTS bad_rows")
        con.execute("DROP TABLE IF EXISTS bad_scans")
    if not rows:
        return _first_bad_row(name, error)
    path, line, kind, message, text = rows[0]
    told = [f"{shown(name) if len(paths) == 1 else path}, line {line:,}: {_complaint(kind, message, text)}"]
    if total > 1:
        lines = ", ".join(f"{row[1]:,}" for row in rows)
        more = f" and {total - len(rows):,} more" if total > len(rows) else ""
        told.append(f"{total:,} rows are wrong, at lines {lines}{more}.")
    hint = (
        "save the file as UTF-8."
        if kind == "INVALID ENCODING"
        else 'put fields that hold commas or line breaks in "…".'
    )
    return FileError(" ".join(told), hint)


def _first_bad_row(name: str, error: duckdb.Error) -> FileError:
    """What DuckDB said when it stopped, for errors that the second pass does not collect."""
    text = str(error)
    at = re.search(r"CSV Error on Line: (\d+)", text)
    where = shown(name) + (f", line {int(at[1]):,}" if at else "")
    if "unterminated quote" in text:
        return FileError(f"{where}: a quote is not closed.")
    if "invalid state" in text:
        return FileError(
            f"{where}: a quote is inside a field, or line breaks are mixed.",
            "save the file with line breaks of one kind (dos2unix), and quotes inside quotes doubled.",
        )
    return blame(name)(error)


def _complaint(kind: str, message: str, text: str) -> str:
    text = text.strip().replace("\n", "\\n")
    text = text if len(text) <= 60 else text[:59] + "…"
    numbers = re.findall(r"\d+", message)
    if kind in {"TOO MANY COLUMNS", "MISSING COLUMNS"} and len(numbers) == 2:
        return f"expected {numbers[0]} fields, found {numbers[1]}: {text!r}."
    if kind == "UNQUOTED VALUE":
        return f"a quote is not closed, or is inside a field: {text!r}."
    return "this is not UTF-8 text." if kind == "INVALID ENCODING" else f"{message.rstrip('.')}: {text!r}."
