"""What narwhals lacks, for each engine: to keep a table between queries, to number its rows, to bring it back."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import RLock
from typing import Any, Self, TypeVar, overload

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property
from clusterdiff.errors import ClusterdiffError, EngineError
from clusterdiff.tables.engines.budget import read_bytes

Value = TypeVar("Value")
Frame = nw.LazyFrame[Any]
Columns = dict[str, Any]
Kept = dict[int, tuple[Frame, Callable[[], object]]]

#: Our tables inside a user's database are distinguished from theirs by this prefix and a running number.
PREFIX = "clusterdiff_tmp_"
NUMBERS = count()


class Engine:
    """An engine that computes when asked to, as pandas and pyarrow do: nothing needs keeping."""

    #: Below this many rows a loop of queries costs more than bringing the rest back; 0 where queries are cheap.
    collect_below = 0
    #: Whether a join matches nulls with each other, unlike in SQL.
    nulls_match = False
    #: Whether rows have an order that the user can know.
    ordered = True
    #: Whether what is kept may go to disk.
    spills = False
    #: Whether two tables that fit are brought here, since the core matches their points faster than a join does.
    brings = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._kept: Kept = {}
        #: Held by whoever asks: a connection answers one question at a time, and several threads may read a result.
        self.turn = RLock()
        self._finalizer = weakref.finalize(self, _release, self._kept)

    def prepare(self, native: Any) -> Any:
        """The user's table, with types that survive an outer join."""
        return native

    def room(self, frame: Frame) -> int:
        """The bytes of memory that the user allows the engine of a frame."""
        return sys.maxsize

    def keep(self, frame: Frame) -> Frame:
        """Compute a frame once and hold it."""
        return frame

    def number(self, frame: Frame, key: str) -> Frame:
        """The frame, kept, with a column ``code`` that numbers its rows 0, 1, …; ``key`` is unique and not null."""
        return self.keep(
            frame.with_row_index("code", order_by=key).with_columns(nw.col("code").cast(nw.Int64))
        )

    def numbered(self, frame: Frame, name: str) -> Frame:
        """The user's table with the number of each row, in an engine in which rows have an order."""
        rows: Any = nw.from_native(frame.to_native(), eager_only=True)
        numbered: Frame = rows.with_row_index(name).with_columns(nw.col(name).cast(nw.Int64)).lazy()
        return numbered

    def free(self, frame: Frame) -> None:
        """Release a frame that was kept."""
        _, release = self._kept.pop(id(frame), (frame, None))
        if release is not None:
            release()

    def fetch(self, frame: Frame) -> Columns:
        """All of a frame, as columns that :func:`clusterdiff.points.labels.read_labels` takes."""
        table = frame.collect()
        return {name: table[name].to_native() for name in table.columns}

    def row(self, frame: Frame) -> dict[str, Any]:
        """The one row of a frame as Python values; an empty sum is 0."""
        return {name: plain(column)[0] or 0 for name, column in self.fetch(frame).items()}

    def load(self, columns: dict[str, npt.NDArray[np.int64]], like: Frame) -> Frame:
        """Integer columns as a frame beside ``like``, for engines that bring frames back halfway."""
        raise NotImplementedError

    def close(self) -> None:
        """Release everything that was kept."""
        self._finalizer()

    def _hold(self, frame: Frame, release: Callable[[], object]) -> Frame:
        self._kept[id(frame)] = frame, release  # holding the frame keeps its id from being used again
        return frame

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ask the engine, one thread at a time; what goes wrong is one clear error, and nothing stays kept then."""
        with self.turn:
            before = set(self._kept)
            try:
                yield
            except BaseException as error:
                _release(self._kept, before)
                if "Query interrupted" in str(error):  # how DuckDB reports a signal
                    raise KeyboardInterrupt from error
                if isinstance(error, ClusterdiffError) or not isinstance(error, Exception):
                    raise
                raise EngineError(f"{self.name} stopped: {_first_lines(error)}", _advice(error)) from error


class asked(cached_property[Value]):  # noqa: N801 - a decorator
    """A value that the engine of its object, ``self.engine``, is asked for: by one thread, and others wait for it."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None or self.attrname in vars(instance):
            return super().__get__(instance, owner)
        with instance.engine.turn:
            return super().__get__(instance, owner)


class Pandas(Engine):
    """pandas and similar libraries: integers become nullable, since an outer join would turn them into floats."""

    nulls_match = True

    def prepare(self, native: Any) -> Any:
        """Nullable integers and floats."""
        nullable = {
            name: "Float64" if dtype.kind == "f" else f"{'U' * (dtype.kind == 'u')}Int{8 * dtype.itemsize}"
            for name, dtype in native.dtypes.items()
            if isinstance(dtype, np.dtype) and dtype.kind in "iuf"
        }
        return native.astype(nullable) if nullable else native


class Dask(Pandas):
    """Dask: it joins and groups the points; the meet, which it gathers in one partition, continues in pandas.

    With features the points are gathered too, since Dask's variance is not sound.
    """

    ordered = False

    def keep(self, frame: Frame) -> Frame:
        """Compute: Dask's planner takes minutes for the expressions that follow."""
        native = frame.to_native()
        return _lazy(native.compute() if hasattr(native, "compute") else native)


class Polars(Engine):
    """Polars' lazy frames, computed by its streaming engine."""

    def keep(self, frame: Frame) -> Frame:
        """Collect in batches."""
        return _lazy(frame.to_native().collect(engine="streaming"))

    def number(self, frame: Frame, key: str) -> Frame:
        """The order does not matter, so nothing is sorted."""
        return self.numbered(self.keep(frame), "code")

    def numbered(self, frame: Frame, name: str) -> Frame:
        """A lazy frame has an order, too."""
        numbered = _lazy(frame.to_native().with_row_index(name))
        return numbered.with_columns(nw.col(name).cast(nw.Int64))


class DuckDB(Engine):
    """DuckDB: what is kept becomes a temporary table of the user's own connection, which may spill to disk."""

    ordered = False
    spills = True
    brings = True

    def prepare(self, native: Any) -> Any:
        """Text that differs is different, whatever collation the column or the connection has."""
        from clusterdiff.tables.duck import quoted

        columns = [quoted(name) for name in native.columns]
        text = [str(kind).startswith(("VARCHAR", "ENUM")) for kind in native.types]
        if not any(text):
            return native
        bare = (
            f"CAST({name} AS VARCHAR) COLLATE C AS {name}" if plain_text else name
            for name, plain_text in zip(columns, text, strict=True)
        )
        return native.project(", ".join(bare))

    def room(self, frame: Frame) -> int:
        """The limit of the user's connection."""
        setting = frame.to_native().query("source", "SELECT current_setting('memory_limit')").fetchall()[0][0]
        return read_bytes(setting)

    def keep(self, frame: Frame) -> Frame:
        """Create a temporary table."""
        return self._create(frame.to_native(), "*")

    def number(self, frame: Frame, key: str) -> Frame:
        """The order does not matter, so nothing is sorted."""
        return self._create(frame.to_native(), "*, row_number() OVER () - 1 AS code")

    def _create(self, relation: Any, columns: str) -> Frame:
        name = f"{PREFIX}{next(NUMBERS)}"
        # A relation does not give access to its connection, but runs queries on it. What a statement returns is
        # independent: read from there, the table does not carry along the query that made it.
        made = relation.query("source", f"CREATE TEMP TABLE {name} AS SELECT {columns} FROM source")
        table = (relation if made is None else made).query("made", f"FROM temp.{name}")
        return self._hold(
            nw.from_native(table), lambda: table.query("source", f"DROP TABLE IF EXISTS temp.{name}")
        )

    def fetch(self, frame: Frame) -> Columns:
        """As Arrow where pyarrow is installed, otherwise as NumPy arrays."""
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            return dict(frame.to_native().fetchnumpy())
        return super().fetch(frame)

    def row(self, frame: Frame) -> dict[str, Any]:
        """Directly: integers of 128 bits stay exact, and no other library is loaded."""
        relation = frame.to_native()
        return {
            name: value or 0 for name, value in zip(relation.columns, relation.fetchall()[0], strict=True)
        }


class Spark(Engine):
    """Spark: what is kept is cached on the executors, and computed again where one is lost."""

    collect_below = 1_000_000
    ordered = False
    spills = True

    def keep(self, frame: Frame) -> Frame:
        """Persist, with a plan that starts here.

        A long plan doubles with every step. And with the whole plan, components of millions of points came out wrong
        under adaptive planning: probably what was released before the frame was first read was replanned, and the
        numbers of rows depend on partitions.
        """
        native = frame.to_native()
        native = _cut(native).persist()
        return self._hold(nw.from_native(native), native.unpersist)

    def number(self, frame: Frame, key: str) -> Frame:
        """Number by partition; rows in order of the key, so that a partition recomputed has the same numbers."""
        from pyspark.sql import functions as f

        ordered = frame.to_native().sortWithinPartitions(key)
        ordered = (_cut(ordered) if _remote(ordered) else ordered).persist()
        partition = f.spark_partition_id()
        sizes = dict(ordered.groupBy(partition.alias("p")).count().collect())
        offset, shifts = 0, []
        for number in range(max(sizes, default=0) + 1):
            # monotonically_increasing_id() is the partition's number times 2^33 plus the row's number in it
            shifts.append(f.lit(offset - (number << 33)).cast("long"))
            offset += sizes.get(number, 0)
        code = f.monotonically_increasing_id() + f.array(*shifts)[partition]
        numbered = ordered.withColumn("code", code).persist()

        def release() -> None:
            numbered.unpersist()
            ordered.unpersist()

        return self._hold(nw.from_native(numbered), release)

    def load(self, columns: dict[str, npt.NDArray[np.int64]], like: Frame) -> Frame:
        """Send from the driver."""
        import pyarrow as pa

        return _lazy(like.to_native().sparkSession.createDataFrame(pa.table(columns)))


def _lazy(native: Any) -> Frame:
    frame: Frame = nw.from_native(native).lazy()
    return frame


def _remote(native: Any) -> bool:
    """Whether a Spark table is one of Spark Connect, which has no access to the driver's objects."""
    return not hasattr(native, "_jdf")


def _cut(native: Any) -> Any:
    """The same rows with a plan that starts here, but still knows how to compute a part that is lost."""
    if _remote(native):
        return native.localCheckpoint()  # this one does not know, and fails then
    from pyspark.sql import DataFrame

    java, session = native._jdf, native.sparkSession
    return DataFrame(session._jsparkSession.createDataFrame(java.toJavaRDD(), java.schema()), session)


def flag(condition: Any) -> Any:
    """1 where a condition holds, otherwise 0, also where it is null."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def log_or_0(x: Any) -> Any:
    """log x, and 0 where x is not positive; engines may compute both branches of a case, so neither must fail."""
    return nw.when(x > 0).then(x).otherwise(1.0).log()


def plain(column: Any) -> list[Any]:
    """A fetched column as a list of Python values; None where there is none."""
    if hasattr(column, "isna"):  # pandas has several nulls of its own
        return [None if null else value for value, null in zip(column.tolist(), column.isna(), strict=True)]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def engine_of(frame: Frame) -> Engine:
    """The engine that a frame lives in."""
    kind = frame.implementation
    name = kind.name.lower()
    if kind.is_duckdb():
        return DuckDB("duckdb")
    if kind.is_polars():
        return Polars("polars")
    if kind.is_pyspark() or kind.is_pyspark_connect():
        return Spark("spark")
    if kind.is_dask():
        return Dask("dask")
    return Pandas(name) if kind.is_pandas_like() else Engine(name)


def _release(kept: Kept, spare: Collection[int] = ()) -> None:
    for key in [key for key in kept if key not in spare]:
        _, release = kept.pop(key)
        # The connection or session may be gone, and its temporary tables with it.
        with suppress(Exception):
            release()


def _first_lines(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:3])[:500]}"


def _advice(error: BaseException) -> str | None:
    text = str(error).lower()
    if "max_temp_directory_size" in text or "no space left" in text or "could not write" in text:
        return "the disk for temporary files is full; free some, or choose another place with temp_directory."
    if "out of memory" in text or "outofmemory" in type(error).__name__.lower():
        return "allow more memory, or give the engine a temp_directory to spill to."
    if "been closed" in text or "does not exist" in text:
        return "the table, or the database that it was in, is gone; open it again."
    return None
