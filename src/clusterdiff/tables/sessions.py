"""Engines that read files: DuckDB within a memory limit and spilling to disk, polars, or a Spark cluster.

One class per engine. What it read lasts as long as anybody holds it, or until the session is closed.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, Self

from clusterdiff.caching import cached_property
from clusterdiff.errors import ClusterdiffError, EngineError, FileError, MissingExtraError, one_of
from clusterdiff.files import STAGE, shown
from clusterdiff.formats.catalogue import TABLES
from clusterdiff.formats.source import Source
from clusterdiff.messages import Message
from clusterdiff.points.keys import Key, key_columns

#: Tables that are worth an engine, and that all of them read.
LARGE = ("csv", "tsv", "parquet")
SEPARATOR = {"csv": ",", "tsv": "\t"}


class AskedColumns(NamedTuple):
    """The columns that are asked for beside points and clusters; numbers may stand in either table."""

    documents: str | None = None
    weights: str | None = None
    features: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers."""
        return [*([] if self.weights is None else [self.weights]), *self.features]


class Scanned(NamedTuple):
    """A table in an engine, and its columns of points and clusters (or of both clusters) by name."""

    frame: Any
    point: str | None
    clusters: tuple[str, ...]
    #: What the parts of names are, if several columns name the points.
    keys: tuple[str, ...] = ()


class Session:
    """An engine that reads files.

    ``memory`` is what DuckDB may take, ``master`` the Spark cluster. ``others`` says whether columns that no option
    names will be asked for: in a large file every column costs.
    """

    name: str
    formats: Sequence[str] = LARGE

    def __init__(self, *, memory: int | None = None, master: str | None = None, others: bool = True) -> None:
        self.memory = memory
        self.master = master
        self.others = others

    def scan(self, source: Source, clusters: tuple[str, ...], columns: AskedColumns) -> Scanned:
        """A table, with the columns of clusters: both as named, or those of one clustering as recognised."""
        if source.format not in self.formats or source.pairs:
            raise FileError(
                f"{source.path} is {'a table of pairs' if source.pairs else source.format}; this engine reads tables "
                f"of points and clusters ({', '.join(self.formats)}).",
                Message("leave out `engine=`."),
            )
        return self._scan(source, clusters, columns)

    def _scan(self, source: Source, clusters: tuple[str, ...], columns: AskedColumns) -> Scanned:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of everything, whoever holds it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class DuckDBSession(Session):
    """DuckDB, in a connection of its own."""

    name = "duckdb"
    formats = TABLES

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._files = ExitStack()
        self._watch: ExitStack | None = None

    @cached_property
    def _connection(self) -> Any:
        from clusterdiff.tables.duck import open_database

        place = tempfile.mkdtemp(prefix="clusterdiff-")
        self._files.callback(shutil.rmtree, place, ignore_errors=True)
        connection = open_database()
        # What DuckDB read keeps its connection, so that files last as long as that; nothing stays behind on disk.
        weakref.finalize(connection, self._files.close)
        connection.execute("SET temp_directory = ?", [place])
        connection.execute("SET preserve_insertion_order = false")
        if self.memory is not None:
            connection.execute("SET memory_limit = ?", [f"{self.memory}B"])
        if self._watch is not None:
            self._watch.enter_context(_progress(connection))
        return connection

    def __enter__(self) -> Self:
        self._watch = ExitStack()
        return self

    def close(self) -> None:
        """Close the connection, and remove what was spilled or unpacked."""
        if self._watch is not None:
            self._watch.close()
        if "_connection" in vars(self):
            self._connection.close()
        self._files.close()

    def _scan(self, source: Source, clusters: tuple[str, ...], columns: AskedColumns) -> Scanned:
        import duckdb

        from clusterdiff.tables.duck import quoted
        from clusterdiff.tables.files import require, scan_table

        # A database that is attached goes with the connection, and what would detach it must not hold that.
        table = scan_table(
            self._connection, source, ExitStack() if source.format == "duckdb" else self._files
        )
        point, clusters = _chosen(source, table.columns, clusters)
        wanted = [*([] if point is None else key_columns(point)), *clusters]
        wanted += [] if columns.documents is None else [columns.documents]
        wanted += [name for name in columns.numbers if name in table.columns]
        if self.others:
            wanted += table.columns
        names = list(dict.fromkeys(wanted))
        require(table, None, *names)
        text, parameters = table.relation(names)
        try:
            frame = self._connection.sql(
                f"SELECT {', '.join(map(quoted, names))} FROM {text}", params=list(parameters)
            )
        except duckdb.Error as error:
            raise table.error(error) from None
        return _keyed(frame, columns, point, clusters)


class PolarsSession(Session):
    """Polars' streaming engine."""

    name = "polars"

    def _scan(self, source: Source, clusters: tuple[str, ...], columns: AskedColumns) -> Scanned:
        try:
            import polars as pl
        except ImportError:
            raise MissingExtraError("polars", "polars", Message('`engine="polars"`')) from None
        with _read_by_others(source):
            if source.format == "parquet":
                frame = pl.scan_parquet(source.path)
            else:
                frame = pl.scan_csv(source.path, separator=SEPARATOR[str(source.format)], infer_schema=False)
            return _keyed(frame, columns, *_chosen(source, frame.collect_schema().names(), clusters))


class SparkSession(Session):
    """Spark: the session that runs, or a new one; it runs on until it is stopped."""

    name = "spark"
    _started = False

    @cached_property
    def _session(self) -> Any:
        try:
            from pyspark.sql import SparkSession as Spark
        except ImportError:
            raise MissingExtraError("pyspark", "spark", Message('`engine="spark"`')) from None
        if self.master is None and (running := Spark.getActiveSession()) is not None:
            return running
        builder = Spark.builder.appName("clusterdiff").config("spark.log.level", "ERROR")
        if self.master is not None and self.master.startswith("sc://"):
            builder = builder.remote(self.master)
        else:
            # Telling Java the line of Python for every expression takes longer than building the queries.
            builder = builder.config("spark.python.sql.dataFrameDebugging.enabled", "false")
            builder = builder if self.master is None else builder.master(self.master)
        try:
            started = builder.getOrCreate()
        except Exception as error:
            raise EngineError(
                f"Spark did not start: {' '.join(str(error).split())[:300]}",
                "it needs Java 17 or later, and --master must be a cluster that answers.",
            ) from error
        self._started = True
        return started

    def close(self) -> None:
        """Stop Spark, if it was started here."""
        if self._started:
            self._session.stop()

    def _scan(self, source: Source, clusters: tuple[str, ...], columns: AskedColumns) -> Scanned:
        with _read_by_others(source):
            if source.format == "parquet":
                frame = self._session.read.parquet(source.path)
            else:
                frame = self._session.read.csv(source.path, header=True, sep=SEPARATOR[str(source.format)])
            return _keyed(frame, columns, *_chosen(source, frame.columns, clusters))


#: The engines by name.
SESSIONS: dict[str, type[Session]] = {one.name: one for one in (DuckDBSession, PolarsSession, SparkSession)}
#: What ``engine=`` may be; memory is no engine.
ENGINES = ("memory", *SESSIONS)


def open_session(
    engine: str, *, memory: int | str | None = None, master: str | None = None, others: bool = True
) -> Session:
    """The engine of a name."""
    from clusterdiff.tables.engines.budget import read_bytes

    one_of("engine", engine, ENGINES)
    limit = None if memory is None else read_bytes(memory)
    return SESSIONS[engine](memory=limit, master=master, others=others)


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


def _keyed(frame: Any, columns: AskedColumns, point: Key | None, clusters: tuple[str, ...]) -> Scanned:
    """A table whose points are named by one column, several being joined to one, and whose numbers are numbers."""
    import narwhals.stable.v2 as nw

    from clusterdiff.tables.frames import KEY, with_key

    schema = nw.from_native(frame).collect_schema()
    texts = [name for name in dict.fromkeys(columns.numbers) if schema.get(name) == nw.String]
    if texts:  # a file that knows text only
        frame = nw.from_native(frame).with_columns(nw.col(*texts).cast(nw.Float64)).to_native()

    if point is None or isinstance(point, str):
        return Scanned(frame, point, clusters)
    frame, kinds = with_key(frame, point)
    return Scanned(frame, KEY, clusters, kinds)


def _chosen(
    source: Source, present: Sequence[str], clusters: tuple[str, ...]
) -> tuple[Key | None, tuple[str, ...]]:
    """The columns of points and clusters: both clusters as named, or those of one clustering as recognised."""
    from clusterdiff.tables.duck import Scan
    from clusterdiff.tables.files import choose, require, told_key

    table = Scan(source.path, present, lambda _: ("", ()))
    if clusters:
        point = told_key(table, source.point)
        require(table, point, *clusters)
        return point, clusters
    point, cluster = choose(table, source.point, source.cluster)
    if point is None:
        raise FileError(
            f"{source.path} does not name its points, and in an engine rows have no order to match them by.",
            Message("leave out `engine=`."),
        )
    return point, (cluster,)
