"""Comparing files in an engine: DuckDB within a memory limit and spilling to disk, polars, or a Spark cluster."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from clusterdiff.cli.output import error_console
from clusterdiff.comparison import Comparison
from clusterdiff.errors import ArgumentError, EngineError, FileError, MissingExtraError, nearest
from clusterdiff.formats.tables import CLUSTER_NAMES, POINT_NAMES

Command = TypeVar("Command", bound=Callable[..., Any])
ENGINES = ("memory", "duckdb", "polars", "spark")
#: Tables that engines read, by suffix; text may be compressed.
TEXT, PARQUET = {".csv": ",", ".tsv": "\t"}, ".parquet"


def options(command: Command) -> Command:
    """Add the options of engines to a command; they reach it as ``engine``, ``master`` and ``memory``."""
    for option in (
        click.option(
            "--memory", metavar="SIZE", help="Memory that DuckDB may take, such as 4GB; it spills to disk."
        ),
        click.option(
            "--master", metavar="URL", help="The Spark cluster, such as spark://host:7077; default local."
        ),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            help="What joins and groups the points. Default: memory, or duckdb for tables too large for it.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Question:
    """What the command was asked to compare: two tables, or two columns of one."""

    true: str
    pred: str | None
    true_column: str | None = None
    pred_column: str | None = None
    point: str | None = None
    cluster: str | None = None
    missing: Any = "error"
    noise: str | None = None
    noise_as: Any = "singleton"

    @property
    def paths(self) -> list[str]:
        """The files, each once."""
        return [path for path in (self.true, self.pred) if path is not None]


def chosen(engine: str | None, question: Question) -> str:
    """The engine to use: the one asked for, or DuckDB for tables that would crowd the memory."""
    if engine is not None:
        return engine
    if not all(_is_table(path) and Path(path).is_file() for path in question.paths):
        return "memory"
    from clusterdiff.engines.comparison import memory

    return (
        "duckdb" if sum(Path(path).stat().st_size for path in question.paths) > memory() // 16 else "memory"
    )


@contextmanager
def compared(question: Question, engine: str, master: str | None, memory: str | None) -> Iterator[Comparison]:
    """The comparison in an engine, which is there until the block ends; nothing stays behind on disk."""
    from clusterdiff.engines.comparison import read_bytes

    for path in question.paths:
        _refuse_unreadable(path)
    budget = None if memory is None else read_bytes(memory) // 4
    with ExitStack() as stack:
        stack.enter_context(_terminated())
        scan = stack.enter_context(
            {"duckdb": _duckdb, "polars": _polars, "spark": _spark}[engine](master, memory)
        )
        before = [_state(path) for path in question.paths]
        diff = _compare(question, scan, budget)
        if [_state(path) for path in question.paths] != before:
            raise EngineError(
                "a file changed while it was read: " + ", ".join(question.paths) + ".",
                "run again when nothing writes to it.",
            )
        yield diff


def _compare(question: Question, scan: Callable[[str], Any], budget: int | None) -> Comparison:
    from clusterdiff.frames import compare_columns, compare_tables

    choices: dict[str, Any] = {"missing": question.missing, "noise_as": question.noise_as, "budget": budget}
    left = scan(question.true)
    names = list(left.columns)
    if question.pred is None:
        if question.true_column is None or question.pred_column is None:
            raise ArgumentError(
                "one file needs --true and --pred to name its two columns.", "or pass two files: TRUE PRED."
            )
        columns = [
            _column(question.true, names, wanted, (), "")
            for wanted in (question.true_column, question.pred_column)
        ]
        noise = _label(question.noise, left, columns[0])
        diff: Comparison = compare_columns(
            left, true=columns[0], pred=columns[1], point=question.point, noise=noise, **choices
        )
    right = scan(question.pred)
    sides = (
        (question.true, names, question.true_column),
        (question.pred, list(right.columns), question.pred_column),
    )
    points = [_column(path, names, question.point, POINT_NAMES, "point") for path, names, _ in sides]
    clusters = [
        _column(path, names, own or question.cluster, CLUSTER_NAMES, "cluster") for path, names, own in sides
    ]
    diff = compare_tables(
        left,
        right,
        point=(points[0], points[1]),
        cluster=(clusters[0], clusters[1]),
        noise=_label(question.noise, left, clusters[0]),
        **choices,
    )


def _column(path: str, columns: list[str], wanted: str | None, known: tuple[str, ...], what: str) -> str:
    if wanted is not None:
        if wanted not in columns:
            present = ", ".join(map(repr, columns))
            raise FileError(f"{path} has no column {wanted!r}; it has {present}.", nearest(wanted, columns))
        return wanted
    folded = {column.casefold(): column for column in columns}
    for name in known:
        if name in folded:
            return folded[name]
    raise FileError(
        f"{path} has the columns {', '.join(map(repr, columns))}, and none is known as the {what}s.",
        f"name it with --{what}.",
    )


def _label(noise: str | None, table: Any, column: str) -> Any:
    """The noise label as it stands in the column: a number where the column holds numbers."""
    if noise is None:
        return None
    import narwhals.stable.v2 as nw

    dtype = nw.from_native(table).collect_schema()[column]
    if not dtype.is_integer():
        return noise
    try:
        return int(noise)
    except ValueError:
        raise ArgumentError(f"--noise must be a whole number, as the labels are; got {noise!r}.") from None


# ---- files


def _suffix(path: str) -> str:
    name = Path(path).name.lower()
    return Path(name.removesuffix(".gz").removesuffix(".zst")).suffix


def _is_table(path: str) -> bool:
    return _suffix(path) in TEXT or _suffix(path) == PARQUET


def _refuse_unreadable(path: str) -> None:
    if not _is_table(path):
        raise FileError(
            f"{path} is not a table that an engine reads ({', '.join([*TEXT, PARQUET])}).",
            "leave out --engine.",
        )
    if not Path(path).exists():
        raise FileError(f"{path} does not exist.")
    if Path(path).is_file() and Path(path).stat().st_size == 0:
        raise FileError(f"{path} is empty.")


def _state(path: str) -> list[tuple[str, int, int, int]]:
    """What changes when a file is written to; for a folder of parts, that of every file in it."""
    files = sorted(Path(path).rglob("*")) if Path(path).is_dir() else [Path(path)]
    try:
        return [(str(f), s.st_size, s.st_mtime_ns, s.st_ino) for f in files for s in [f.stat()]]
    except OSError as error:
        raise EngineError(f"{path} went away while it was read: {error.strerror}.") from None


# ---- engines


@contextmanager
def _duckdb(master: str | None, memory: str | None) -> Iterator[Callable[[str], Any]]:
    import duckdb

    place = tempfile.mkdtemp(prefix="clusterdiff-")
    connection = duckdb.connect()

    def scan(path: str) -> Any:
        try:
            if _suffix(path) == PARQUET:
                return connection.read_parquet(f"{path}/**/*.parquet" if Path(path).is_dir() else path)
            return connection.read_csv(path, header=True, all_varchar=True, sep=TEXT[_suffix(path)])
        except duckdb.Error as error:
            raise FileError(f"{path} cannot be read: {' '.join(str(error).split())[:300]}") from None

    try:
        connection.execute("SET temp_directory = ?", [place])
        connection.execute("SET preserve_insertion_order = false")
        if memory is not None:
            from clusterdiff.engines.comparison import read_bytes

            connection.execute("SET memory_limit = ?", [f"{read_bytes(memory)}B"])
        with _progress(connection):
            yield scan
    finally:
        connection.close()
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _progress(connection: Any) -> Iterator[None]:
    """Show how far the running query is, on a terminal."""
    console = error_console()
    if not console.is_terminal:
        yield
        return
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    done = threading.Event()
    columns = (TextColumn("comparing in DuckDB"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=100)

        def watch() -> None:
            while not done.wait(0.2):
                bar.update(task, completed=max(0.0, connection.query_progress()))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


@contextmanager
def _polars(master: str | None, memory: str | None) -> Iterator[Callable[[str], Any]]:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("polars", "polars", "--engine polars") from None

    def scan(path: str) -> Any:
        if _suffix(path) == PARQUET:
            return pl.scan_parquet(path)
        return pl.scan_csv(path, separator=TEXT[_suffix(path)], infer_schema=False)

    yield scan


@contextmanager
def _spark(master: str | None, memory: str | None) -> Iterator[Callable[[str], Any]]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", "spark", "--engine spark") from None
    builder = SparkSession.builder.appName("clusterdiff").config("spark.log.level", "ERROR")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        raise EngineError(
            f"Spark did not start: {' '.join(str(error).split())[:300]}",
            "it needs Java 17 or later on the path, and --master must be a cluster that answers.",
        ) from error

    def scan(path: str) -> Any:
        if _suffix(path) == PARQUET:
            return session.read.parquet(path)
        return session.read.csv(path, header=True, sep=TEXT[_suffix(path)])

    try:
        yield scan
    finally:
        session.stop()


@contextmanager
def _terminated() -> Iterator[None]:
    """Leave by the front door when asked to end, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
