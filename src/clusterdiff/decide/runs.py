"""Which predictions of which data sets are ranked, of a table or a dict; what is wrong is said all at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from clusterdiff.errors import ArgumentError, ClusterdiffError, FileError, listed, nearest
from clusterdiff.files import STDIN, find, is_pipe, suffix
from clusterdiff.formats.catalogue import BY_SUFFIX, TABLES
from clusterdiff.formats.source import ADDRESS, Source, parse
from clusterdiff.messages import Message
from clusterdiff.wording import count

#: The system that is the truth.
TRUE = "true"
COLUMNS = ("data", "system", "file")
#: The column that tells several runs of a system apart; it may be left out.
RUN = "run"
#: So many problems are listed.
LISTED = 20


class Run(NamedTuple):
    """Who made a prediction: a system, and which of its runs, if it has several."""

    system: str
    run: str | None = None

    def __str__(self) -> str:
        return self.system if self.run is None else f"{self.system}, run {self.run}"


#: Of each data set the file of its truth, and the files of its systems.
Files = dict[str, tuple[str, dict[Run, str]]]


@dataclass(frozen=True)
class DataSet:
    """The truth of a data set, its predictions by name, and who made each of them."""

    true: object
    preds: Mapping[str, object]
    runs: Mapping[str, Run]


class _Named(Mapping[str, object]):
    """Predictions under other names, still read when they are asked for."""

    def __init__(self, keys: Mapping[str, Any], preds: Mapping[Any, object]) -> None:
        self._keys, self._preds = keys, preds

    def __getitem__(self, name: str) -> object:
        return self._preds[self._keys[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


# ---- from a dict, or whatever a table has become


def read_datasets(datasets: Any) -> dict[str, DataSet]:
    """The data sets of a table of files, or of a dict; all errors that need no predictions are reported."""
    if is_table(datasets):
        datasets = read_files(datasets)
    if not isinstance(datasets, Mapping) or not datasets:
        raise ArgumentError(
            Message(
                "without `preds`, the first argument must be a dict {{data set: (true, {{system: prediction}})}}, or a "
                "table with the columns data, system and file; got {kind}.",
                kind=type(datasets).__name__ if datasets else "an empty one",
            ),
            Message("pass the predictions of one data set as a dict: `rank(true, {system: prediction})`."),
        )
    problems: list[str] = []
    found: dict[str, DataSet] = {}
    for data, pair in datasets.items():
        if not _is_pair(pair):
            shape = "(true, {system: prediction})"
            problems.append(f"a data set must be a pair {shape}; {data!r} is {type(pair).__name__}.")
        elif str(data) in found:
            problems.append(f"several data sets are called {str(data)!r}.")
        else:
            told, found[str(data)] = _of_pair(*pair)
            problems += [f"{data}: {problem}" for problem in told]
    everyone = {_system(key) for pair in datasets.values() if _is_pair(pair) for key in pair[1]}
    there = {run.system for data in found.values() for run in data.runs.values()}
    if not problems and everyone - there:
        problems.append(f"no data set has a prediction of {listed(sorted(everyone - there))}.")
    _refuse(problems, "", ArgumentError, "every prediction belongs to one system, or to (system, run).")
    return found


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], Mapping)


def _system(key: Any) -> str:
    return str(key[0]) if isinstance(key, tuple) and key else str(key)


def _of_pair(true: object, preds: Mapping[Any, object]) -> tuple[list[str], DataSet]:
    """A data set and what is wrong with it. A prediction that is None is missing; a mapping that loads is not asked."""
    problems = []
    keys: dict[str, Any] = {}
    runs: dict[str, Run] = {}
    for key in preds:
        if isinstance(key, tuple) and len(key) != 2:
            problems.append(f"{key!r} must be the name of a system, or (system, run).")
            continue
        if type(preds) is dict and preds[key] is None:
            continue
        run = Run(*_texts(key)) if isinstance(key, tuple) else Run(str(key))
        if str(run) in keys:
            problems.append(f"has several systems called {listed([str(run)])}.")
        keys[str(run)], runs[str(run)] = key, run
    if not runs and not problems:
        problems.append("has no systems: there is nothing to rank.")
    problems += [f"{system!r} is listed both with and without runs." for system in _half_run(runs.values())]
    if type(preds) is dict:
        return problems, DataSet(true, {name: preds[key] for name, key in keys.items()}, runs)
    return problems, DataSet(true, _Named(keys, preds), runs)


def _texts(key: tuple[Any, Any]) -> tuple[str, str | None]:
    system, run = key
    return str(system), None if run is None else str(run)


def _half_run(runs: Iterable[Run]) -> list[str]:
    """Systems that have a prediction without a run beside others with one."""
    runs = list(runs)
    several = {run.system for run in runs if run.run is not None}
    return [run.system for run in runs if run.run is None and run.system in several]


def _refuse(problems: list[str], where: str, kind: type[ClusterdiffError], hint: str | None = None) -> None:
    """Raise one error that lists all problems."""
    if len(problems) == 1:
        raise kind(f"{where}{': ' if where else ''}{problems[0]}", hint)
    if problems:
        left = len(problems) - LISTED
        lines = [*problems[:LISTED], *([f"… and {count(left, 'more problem')}."] if left > 0 else [])]
        head = f"{where or 'the data sets'}: {count(len(problems), 'problem')}:"
        raise kind("\n  ".join([head, *lines]), hint)


# ---- from a table of files


def is_table(table: object) -> bool:
    """Whether this is the path of a table of files, or a frame with its columns."""
    return isinstance(table, str | os.PathLike) or set(COLUMNS) <= set(getattr(table, "columns", ()))


def read_files(table: Any) -> Files:
    """The data sets of a table with the columns data, system, file and maybe run; files are looked for beside it.

    The system called "true" is the truth of its data set.
    """
    if isinstance(table, str | os.PathLike):
        path = os.fspath(table)
        return _grouped(_rows(path), path, Path(path).parent)
    columns = list(table.columns)
    _refuse_columns(columns, "the table")
    wanted = [list(table[name]) for name in (*COLUMNS, *[RUN] * (RUN in columns))]
    return _grouped(zip(*wanted, strict=True), "the table", Path())


def _refuse_columns(columns: list[Any], where: str) -> None:
    lacking = [name for name in COLUMNS if name not in columns]
    problems = []
    if lacking:
        problems.append(
            f"must be a table with the columns data, system and file; it lacks {listed(lacking)}."
        )
    unknown = [name for name in columns if name not in (*COLUMNS, RUN)]
    if unknown:
        problems.append(f"has unknown columns: {listed(unknown)}.")
    hint = next(filter(None, (nearest(str(name), (*COLUMNS, RUN)) for name in unknown)), None)
    usual = "the columns are data, system and file, and run where systems have several."
    _refuse(problems, where, FileError, (hint or usual) if unknown else None)


def _rows(path: str) -> list[tuple[Any, ...]]:
    """The rows of the table, in any format that tables have; a file without a known suffix has commas."""
    import duckdb

    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.files import open_table

    known = BY_SUFFIX.get(suffix(path))
    con = connect()
    with open_table(con, Source(path, format=known if known in TABLES else "csv").resolved()) as scan:
        _refuse_columns(list(scan.columns), path)
        columns = (*COLUMNS, *[RUN] * (RUN in scan.columns))
        source, parameters = scan.relation(columns)
        wanted = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in columns)
        try:
            found: list[tuple[Any, ...]] = con.execute(
                f"SELECT {wanted} FROM {source}", list(parameters)
            ).fetchall()
        except duckdb.Error as error:
            raise scan.error(error) from None
    if not found:
        raise FileError(f"{path} lists no data sets.")
    return found


def _grouped(rows: Iterable[tuple[Any, ...]], path: str, folder: Path) -> Files:
    problems: list[str] = []
    truths: dict[str, str] = {}
    files: dict[str, dict[Run, str]] = {}
    for line, row in enumerate(rows, 2):
        data, system, file, run = (*map(_text, row), "")[:4]
        if not data or not system or not file:
            problems.append(f"line {line}: data, system and file are required.")
            continue
        whole = file if ADDRESS.match(file) else str(folder / file)
        mine = files.setdefault(data, {})
        who = Run(system, run or None)
        if system == TRUE and truths.get(data) == whole and run:
            continue  # the truth stands beside every run
        if who in mine or (system == TRUE and data in truths):
            problems.append(f"line {line}: {data} already has {who}.")
            continue
        problems += [f"line {line}: {problem}" for problem in _unreadable(whole)]
        if system == TRUE:
            truths[data] = whole
        else:
            mine[who] = whole
    for data, systems in files.items():
        if data not in truths:
            problems.append(
                f'{data} has no truth: add a row with the system "true" and the file of true clusters.'
            )
        if not systems:
            problems.append(f"{data} has no systems but the truth.")
        problems += [
            f"{data}: {system!r} is listed both with and without runs." for system in _half_run(systems)
        ]
    _refuse(problems, path, FileError, _hint(problems))
    return {data: (truths[data], systems) for data, systems in files.items()}


def _hint(problems: list[str]) -> str | None:
    twice = any(" already has " in problem for problem in problems)
    return f"a column {RUN} distinguishes several runs of a system." if twice else None


def _text(value: Any) -> str:
    """A cell as text; a whole number is one, also where gaps made the column one of floats."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unreadable(text: str) -> list[str]:
    """Why a file cannot be read, if so, as far as its bytes need not be looked at."""
    if ADDRESS.match(text) or text == STDIN or is_pipe(text):
        return []
    try:
        find(parse(text).path)
    except ClusterdiffError as error:
        return [str(error.message)]
    return []
