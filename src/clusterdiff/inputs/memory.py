"""Inputs in memory and in engines: labels, sets and dicts, frames and tables, corpora."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import compare_corpora
from clusterdiff.inputs.base import POINTWISE, Asked, Input
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus
from clusterdiff.points.keys import Key
from clusterdiff.points.libraries import own_noise
from clusterdiff.points.missing import Missing
from clusterdiff.points.policy import Policy


class InOrder(Input):
    """Labels in memory: an array, list or Series, a fitted estimator, a column of AnnData, a partition of a graph."""

    kind = "labels in memory"

    @classmethod
    def holds(cls, data: object) -> bool:
        """Whatever is nothing else: who reads it says what is wrong with it."""
        return True

    @property
    def noise(self) -> int | None:
        """That of a fitted DBSCAN and its like."""
        return own_noise(self.data)


class ByPoint(InOrder):
    """Sets or lists of points, dicts, and clusterings that name their points."""

    kind = "sets or dicts"

    @classmethod
    def holds(cls, data: object) -> bool:
        """By its type, or that of the first cluster."""
        if isinstance(data, Mapping | set | frozenset):
            return True
        if isinstance(data, Clustering):
            return data.points is not None
        return (
            isinstance(data, list | tuple) and len(data) > 0 and isinstance(data[0], set | frozenset | list)
        )


class Frame(Input):
    """A frame of pandas, polars or pyarrow, or a table of DuckDB, Spark, Dask, …, with a row per point."""

    kind = "tables in memory or in an engine"
    takes = POINTWISE | {"point", "cluster", "budget"}
    tabular = True

    @classmethod
    def holds(cls, data: object) -> bool:
        """By the library that its class is from."""
        from clusterdiff.tables import frames

        return frames.is_table(data)

    def told(self, point: Key | None, cluster: str | None) -> Input:
        """A pandas frame whose index names its points is the Series of its clusters."""
        from clusterdiff.tables import frames

        data = frames.with_index(self.data, self.argument, point, cluster)
        found = Frame(data, self.argument) if frames.is_table(data) else InOrder(data, self.argument)
        found.point, found.cluster = point, cluster
        return found

    def read(self) -> Clustering:
        """Its columns of points and clusters."""
        from clusterdiff.tables import frames

        return frames.read_frame(self.data, self.argument, self.point, self.cluster)

    def values(self, columns: Any, option: str) -> Any:
        """If it has all of the columns."""
        from clusterdiff.tables import frames

        if not frames.has_columns(self.data, frames.column_names(columns, option)):
            return None
        return frames.frame_values(self.data, self.argument, self.point, columns, option)

    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """Two tables are joined on the point where they are, if one column names it, or several that can be joined."""
        from clusterdiff.tables import frames

        if not isinstance(pred, Frame) or asked.distances is not None:
            return super().meet(pred, asked, policy)
        keyed = frames.with_keys((self.data, pred.data), (self.point, pred.point))
        if keyed is None:
            return super().meet(pred, asked, policy)
        tables, points, keys = keyed
        return frames.compare_frames(
            *tables,
            keys=keys,
            point=points,
            cluster=(self.cluster, pred.cluster),
            policy=policy,
            singletons=asked.singletons,
            budget=asked.budget,
            **asked.pointwise,
        )


class CorpusInput(Input):
    """A corpus of documents."""

    kind = "documents"
    takes = frozenset({"missing", "singletons"})
    missing: Missing = "lost"

    @classmethod
    def holds(cls, data: object) -> bool:
        """Nothing else in memory is a corpus."""
        return isinstance(data, Corpus)

    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """Points are matched within their documents."""
        return compare_corpora(self.read(), pred.read(), policy, asked.singletons)
