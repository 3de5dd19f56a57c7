"""Comparing files in an engine: DuckDB within a memory limit and spilling to disk, polars, or a Spark cluster."""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from clusterdiff.cli.options import together
from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, ClusterdiffError, EngineError, FileError, MissingExtraError
from clusterdiff.files import STAGE, STDIN, shown
from clusterdiff.formats.catalogue import TABLES, UNTYPED
from clusterdiff.formats.source import Source, as_written
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.keys import Key, key_columns, shared_kinds
from clusterdiff.points.policy import Policy

Scanner = Callable[[Source, tuple[str, ...], "Asked"], "Table"]
ENGINES = ("memory", "duckdb", "polars", "spark")
#: Tables that are worth an engine, and that all of them read.
LARGE = ("csv", "tsv", "parquet")
SEPARATOR = {"csv": ",", "tsv": "\t"}


#: The options of engines.
options = together(
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        help="What joins and groups the points. Default: memory, or duckdb for tables that are too large for memory.",
    ),
    click.option(
        "--master", metavar="URL", help="The Spark cluster, such as spark://host:7077; default local."
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        help="Memory that DuckDB may take, such as 4GB; what exceeds it goes to disk.",
    ),
)


def chosen(engine: str | None, sources: tuple[Source, Source]) -> str | None:
    """The engine to use, if any: the one asked for, or DuckDB for tables that memory would not hold."""
    if engine is not None:
        return None if engine == "memory" else engine
    tables = {source.path: str(source.resolved().format) for source in sources if source.path != STDIN}
    if not all(Path(path).is_file() and found in LARGE for path, found in tables.items()):
        return None
    from clusterdiff.tables.engines.budget import memory
    from clusterdiff.tables.extent import needed

    limit = memory() // 2
    return "duckdb" if any(needed(path, found, limit) > limit for path, found in tables.items()) else None


class Asked(NamedTuple):
    """How to compare: the policy, the column of documents, and whether other columns will be asked for."""

    policy: Policy
    documents: str | None
    singletons: Singletons
    others: bool
    weights: str | None = None
    features: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that are asked for beside points and clusters; numbers may stand in either table."""
        return [name for name in (self.documents, self.weights, *self.features) if name is not None]


class Table(NamedTuple):
    """A table in an engine, and its columns of points and clusters (or of both clusters) by name."""

    frame: Any
    point: str | None
    clusters: tuple[str, ...]
    #: What the parts of names are, if several columns name the points.
    keys: tuple[str, ...] = ()


@contextmanager
def compared(
    true: Source, pred: Source, asked: Asked, engine: str, master: str | None, memory: str | None
) -> Iterator[Comparison]:
    """The comparison in an engine, which lasts until the block ends; nothing stays behind on disk."""
    from clusterdiff.tables.engines.budget import read_bytes

    true, pred = true.resolved(), pred.resolved()
    budget = None if memory is None else read_bytes(memory) // 4
    with ExitStack() as stack:
        opened = {"duckdb": _duckdb, "polars": _polars, "spark": _spark}[engine](master, memory)
        scan = stack.enter_context(opened)
        before = _state(true), _state(pred)
        diff = _compare(scan, true, pred, asked, budget)
        if (_state(true), _state(pred)) != before:
            raise EngineError(
                f"{true.path} or {pred.path} changed while it was read.",
                "run it again when nothing is writing to the file.",
            )
        yield diff


def _compare(scan: Scanner, true: Source, pred: Source, asked: Asked, budget: int | None) -> Comparison:
    from clusterdiff.tables.frames import compare_columns, compare_frames

    rules: dict[str, Any] = {
        "documents": asked.documents,
        "singletons": asked.singletons,
        "budget": budget,
        "weights": asked.weights,
        "features": asked.features or None,
    }
    if (true.path, true.table) == (pred.path, pred.table) and true.cluster and pred.cluster:
        one = scan(true, (true.cluster, pred.cluster), asked)
        policy = _with_labels(asked.policy, one, one)
        return compare_columns(
            one.frame,
            true=true.cluster,
            pred=pred.cluster,
            point=one.point,
            policy=policy,
            keys=one.keys,
            **rules,
        )
    left, right = scan(true, (), asked), scan(pred, (), asked)
    if (true.format in UNTYPED) != (pred.format in UNTYPED):
        # If one file knows only text, its names are matched with the other's as they are written.
        left, right = _as_text(left, asked), _as_text(right, asked)
    assert left.point is not None
    assert right.point is not None
    return compare_frames(
        left.frame,
        right.frame,
        point=(left.point, right.point),
        cluster=(left.clusters[0], right.clusters[0]),
        policy=_with_labels(asked.policy, left, right),
        keys=_keys(left, right),
        **rules,
    )


def _keys(left: Table, right: Table) -> tuple[str, ...]:
    """What the parts of names are in both tables."""
    if len(left.keys) != len(right.keys):
        raise ArgumentError(
            f"points must be named by the same number of columns on both sides; got {max(1, len(left.keys))} and "
            f"{max(1, len(right.keys))}."
        )
    return shared_kinds(left.keys, right.keys)


def _as_text(table: Table, asked: Asked) -> Table:
    import narwhals.stable.v2 as nw

    names = [name for name in (table.point, *table.clusters, asked.documents) if name is not None]
    frame = nw.from_native(table.frame).with_columns(nw.col(*dict.fromkeys(names)).cast(nw.String))
    return table._replace(frame=frame.to_native())


def _with_labels(policy: Policy, left: Table, right: Table) -> Policy:
    """The policy with the noise labels as the columns have them: numbers if a column holds numbers."""
    if not policy.noise:
        return policy
    import narwhals.stable.v2 as nw

    def numbers(table: Table, column: str) -> bool:
        return bool(nw.from_native(table.frame).collect_schema()[column].is_integer())

    true, pred = numbers(left, left.clusters[0]), numbers(right, right.clusters[-1])
    return replace(policy, noise=policy.noise.spelt(as_written(true, False), as_written(pred, False)))


def _state(source: Source) -> list[tuple[str, int, int, int]]:
    """What changes when a file is written to; for a folder of parts, the same for every file in it."""
    path = Path(source.path)
    files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
    try:
        return [(str(f), s.st_size, s.st_mtime_ns, s.st_ino) for f in files for s in [f.stat()]]
    except OSError as error:
        raise EngineError(f"{source.path} disappeared while it was read: {error.strerror}.") from None


# ---- engines: each gives a function that reads a source, with the columns of clusters, named or recognised


@contextmanager
def _duckdb(master: str | None, memory: str | None) -> Iterator[Scanner]:
    import duckdb

    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.engines.budget import read_bytes
    from clusterdiff.tables.files import open_table, require

    place = tempfile.mkdtemp(prefix="clusterdiff-")
    connection = connect()
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        stack.callback(connection.close)
        connection.execute("SET temp_directory = ?", [place])
        connection.execute("SET preserve_insertion_order = false")
        if memory is not None:
            connection.execute("SET memory_limit = ?", [f"{read_bytes(memory)}B"])

        def scan(source: Source, clusters: tuple[str, ...], asked: Asked) -> Table:
            _refuse_other_formats(source, TABLES)
            table = stack.enter_context(open_table(connection, source))
            point, clusters = _chosen(source, table.columns, clusters)
            wanted = [*([] if point is None else key_columns(point)), *clusters]
            wanted += [] if asked.documents is None else [asked.documents]
            wanted += [name for name in asked.columns if name in table.columns]
            if asked.others:  # elsewhere every column costs
                wanted += table.columns
            columns = [require(table, column) for column in dict.fromkeys(wanted)]
            text, parameters = table.relation(columns)
            try:
                frame = connection.sql(
                    f"SELECT {', '.join(map(quoted, columns))} FROM {text}", params=list(parameters)
                )
            except duckdb.Error as error:
                raise table.error(error) from None
            return _keyed(frame, asked, point, clusters)

        stack.enter_context(_progress(connection))
        yield scan


def _named(point: Key | None, source: Source) -> Key:
    if point is None:
        raise FileError(
            f"{source.path} does not name its points, and in an engine rows have no order to match them by.",
            "leave out --engine.",
        )
    return point


def _refuse_other_formats(source: Source, formats: Sequence[str]) -> None:
    if source.format not in formats or source.pairs:
        raise FileError(
            f"{source.path} is {'a table of pairs' if source.pairs else source.format}; this engine reads tables of "
            f"points and clusters ({', '.join(formats)}).",
            "leave out --engine.",
        )


@contextmanager
def _progress(connection: Any) -> Iterator[None]:
    """Tell how far the running query is, if that is shown."""
    if not STAGE.isEnabledFor(logging.DEBUG):
        yield
        return
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            done_so_far = connection.query_progress()
            if done_so_far > 0:
                STAGE.debug("comparing in DuckDB: %.0f%%", done_so_far)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def _read_by_others(source: Source) -> Iterator[None]:
    """A file that a library reads by itself: whatever it makes of one that is damaged becomes one error."""
    try:
        yield
    except ClusterdiffError:
        raise
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)[:300].rstrip(".")
        raise FileError(f"{shown(source.path)} cannot be read: {reason}.", "is the file complete?") from None


@contextmanager
def _polars(master: str | None, memory: str | None) -> Iterator[Scanner]:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("polars", "polars", "--engine polars") from None

    def scan(source: Source, clusters: tuple[str, ...], asked: Asked) -> Table:
        _refuse_other_formats(source, LARGE)
        with _read_by_others(source):
            if source.format == "parquet":
                frame = pl.scan_parquet(source.path)
            else:
                frame = pl.scan_csv(source.path, separator=SEPARATOR[str(source.format)], infer_schema=False)
            return _keyed(frame, asked, *_chosen(source, frame.collect_schema().names(), clusters))

    yield scan


@contextmanager
def _spark(master: str | None, memory: str | None) -> Iterator[Scanner]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("pyspark", "spark", "--engine spark") from None
    builder = SparkSession.builder.appName("clusterdiff").config("spark.log.level", "ERROR")
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        # Telling Java the line of Python for every expression takes longer than building the queries.
        builder = builder.config("spark.python.sql.dataFrameDebugging.enabled", "false")
        builder = builder if master is None else builder.master(master)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        raise EngineError(
            f"Spark did not start: {' '.join(str(error).split())[:300]}",
            "it needs Java 17 or later, and --master must be a cluster that answers.",
        ) from error

    def scan(source: Source, clusters: tuple[str, ...], asked: Asked) -> Table:
        _refuse_other_formats(source, LARGE)
        with _read_by_others(source):
            if source.format == "parquet":
                frame = session.read.parquet(source.path)
            else:
                frame = session.read.csv(source.path, header=True, sep=SEPARATOR[str(source.format)])
            return _keyed(frame, asked, *_chosen(source, frame.columns, clusters))

    try:
        yield scan
    finally:
        session.stop()


def _keyed(frame: Any, asked: Asked, point: Key | None, clusters: tuple[str, ...]) -> Table:
    """A table whose points are named by one column, several being joined to one, and whose numbers are numbers."""
    import narwhals.stable.v2 as nw

    from clusterdiff.tables.frames import KEY, with_key

    schema = nw.from_native(frame).collect_schema()
    numbers = [*([] if asked.weights is None else [asked.weights]), *asked.features]
    texts = [name for name in dict.fromkeys(numbers) if schema.get(name) == nw.String]
    if texts:  # a file that knows text only
        frame = nw.from_native(frame).with_columns(nw.col(*texts).cast(nw.Float64)).to_native()

    if point is None or isinstance(point, str):
        return Table(frame, point, clusters)
    frame, kinds = with_key(frame, point)
    return Table(frame, KEY, clusters, kinds)


def _chosen(
    source: Source, present: Sequence[str], clusters: tuple[str, ...]
) -> tuple[Key | None, tuple[str, ...]]:
    """The columns of points and clusters: both clusters as named, or those of one clustering as recognised."""
    from clusterdiff.tables.duck import Scan
    from clusterdiff.tables.files import choose, require, told_key

    table = Scan(source.path, present, lambda _: ("", ()))
    if clusters:
        point = None if source.point is None else told_key(table, source.point)
        return point, tuple(require(table, column) for column in clusters)
    point, cluster = choose(table, source.point, source.cluster)
    return _named(point, source), (cluster,)
