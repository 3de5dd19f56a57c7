"""A run whose points stay in DuckDB or another engine: only those that are asked for leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.formats.source import Source
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Int64Array
from clusterdiff.points.texts import is_whole, positions, texts
from clusterdiff.tables.duck import connect
from clusterdiff.tables.engines.native import engine_of, plain
from clusterdiff.tables.engines.tables import Reader
from clusterdiff.tables.files import load_source
from clusterdiff.tables.frames import choose_columns, is_table
from clusterdiff.tables.joins import clusters
from clusterdiff.tables.loaded import Loaded, refuse_repeats, to_clustering

#: So many names are asked for at a time.
AT_ONCE = 10_000


def stays_in_engine(data: object) -> bool:
    """Whether it is a table that computes when it is asked: one of DuckDB, Spark, Dask, or a lazy one of polars."""
    return is_table(data) and isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def named_columns(table: Any, argument: str, point: str | None, cluster: str | None) -> Any:
    """Such a table with the columns of points and clusters that the user named, called as they are recognised."""
    chosen = choose_columns(table, argument, point, cluster)
    Reader(table, argument).require(point=chosen[0], cluster=chosen[1])
    names = ("point", "cluster")
    frame: Any = nw.from_native(table)
    return frame.select(*(nw.col(c).alias(name) for c, name in zip(chosen, names, strict=True))).to_native()


class Neighbourhood:
    """Some points of a table and their clusters, by number in the order in which they are found; and how large all are.

    ``cluster`` and ``sizes`` are of the points that were asked for so far.
    """

    def __init__(self, table: Any, argument: str) -> None:
        point, cluster = choose_columns(table, argument)
        frame = nw.from_native(table).lazy()
        # Whole numbers are looked for as such, also as floats: an engine would have to write every one as text.
        kind = frame.collect_schema()[point]
        self._number = int if kind.is_integer() else float if kind.is_float() else None
        name = nw.col(point) if self._number is not None else nw.col(point).cast(nw.String)
        rows = frame.select(name.alias("i"), nw.col(cluster).alias("t"))
        self._rows = rows.filter(~nw.col("i").is_null() & ~nw.col("t").is_null())
        self._engine = engine_of(self._rows)
        self._clusters = self._rows.group_by("t").agg(nw.len().alias("b"))
        self._place: dict[str, int] = {}
        self._code: dict[Any, int] = {}
        self._of: list[int] = []
        self._size: list[int] = []

    def _fetched(self, frame: Any, *columns: str) -> list[list[Any]]:
        with self._engine.running():
            found = self._engine.fetch(frame.select(*columns))
        return [plain(found[column]) for column in columns]

    @property
    def histogram(self) -> tuple[Int64Array, Int64Array]:
        """The sizes of the run's clusters, and how many there are of each."""
        counts = self._clusters.group_by("b").agg(nw.len().alias("k"))
        sizes, times = (np.array(column, dtype=np.int64) for column in self._fetched(counts, "b", "k"))
        order = np.argsort(sizes)
        return sizes[order], times[order]

    @property
    def cluster(self) -> Int64Array:
        """The cluster of each point that was found."""
        return np.array(self._of, dtype=np.int64)

    @property
    def sizes(self) -> Int64Array:
        """The number of points of each cluster that has one of them."""
        return np.array(self._size, dtype=np.int64)

    def find(self, names: Sequence[str]) -> Int64Array:
        """The numbers of points, by their text; -1 for those that the run has not."""
        asked = [name for name in dict.fromkeys(names) if name not in self._place]
        for start in range(0, len(asked), AT_ONCE):
            self._ask(asked[start : start + AT_ONCE])
        return np.array([self._place.get(name, -1) for name in names], dtype=np.int64)

    def _ask(self, names: list[str]) -> None:
        number = self._number
        asked = names if number is None else [number(name) for name in names if is_whole(name)]
        if not asked:
            return
        found = self._fetched(self._rows.filter(nw.col("i").is_in(asked)), "i", "t")
        found[0] = texts(found[0])
        if len(set(found[0])) < len(found[0]):
            twice = sorted({name for name in found[0] if found[0].count(name) > 1})
            raise ArgumentError.about("pred", f"has several rows for {listed(twice)}.")
        new = [label for label in dict.fromkeys(found[1]) if label not in self._code]
        sizes = dict(
            zip(*self._fetched(self._clusters.filter(nw.col("t").is_in(new)), "t", "b"), strict=True)
        )
        for label in new:
            self._code[label] = len(self._size)
            self._size.append(int(sizes[label]))
        for name, label in zip(*found, strict=True):
            self._place[name] = len(self._of)
            self._of.append(self._code[label])


def load_points(source: Source) -> LoadedPoints | Clustering:
    """A run in a table; as a clustering, if DuckDB writes the names of its points otherwise than we do."""
    table = load_source(connect(), source)
    plain_names = table.point is None or table.kinds["point"] in ("int", "text", "untyped")
    return LoadedPoints(table) if plain_names else to_clustering(table)


class LoadedPoints:
    """A run in a table: its clusters as numbers, and the names of its points in DuckDB."""

    def __init__(self, table: Loaded) -> None:
        self._table = table
        if table.point is not None:
            refuse_repeats(table)
        self.cluster = clusters(table).codes

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of points of each cluster."""
        return np.bincount(self.cluster)

    @property
    def histogram(self) -> tuple[Int64Array, Int64Array]:
        """The sizes of all clusters, and how many there are of each."""
        sizes, times = np.unique(self.sizes, return_counts=True)
        return sizes, times

    def find(self, names: Sequence[str]) -> Int64Array:
        """Where points stand, by their text; -1 for those that the run has not."""
        table = self._table
        if table.point is None:
            return positions(names, table.rows)
        query = f"SELECT CAST(point AS VARCHAR), rowid FROM {table.name} WHERE CAST(point AS VARCHAR) IN "
        found = dict(table.con.execute(query + "(SELECT unnest(?))", [list(names)]).fetchall())
        return np.array([found.get(name, -1) for name in names], dtype=np.int64)
