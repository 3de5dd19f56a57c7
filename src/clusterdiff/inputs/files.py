"""Inputs in files and databases, by what their formats hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, ClassVar

from clusterdiff.caching import all_kept, cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import compare_corpora
from clusterdiff.errors import FileError
from clusterdiff.formats.catalogue import FORMATS, UNTYPED, holding
from clusterdiff.formats.source import Source, as_written
from clusterdiff.inputs.base import POINTWISE, Asked, Input
from clusterdiff.inputs.memory import CorpusInput
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus
from clusterdiff.points.keys import Key
from clusterdiff.points.labels import AnyArray
from clusterdiff.points.missing import Missing
from clusterdiff.points.policy import Policy


class InFile(Input):
    """What a file or database holds; its format is known."""

    #: What formats of this kind hold.
    formats: ClassVar[tuple[str, ...]] = ()
    data: Source

    @classmethod
    def holds(cls, data: object) -> bool:
        """By its format."""
        return isinstance(data, Source) and data.format in cls.formats

    @property
    def untyped(self) -> bool:  # type: ignore[override]
        """As the format says."""
        return self.data.format in UNTYPED

    def column(self, option: str) -> Any:
        """As the source says."""
        return getattr(self.data, option)

    def accepts(self, option: str, asked: Asked) -> bool:
        """A cluster names a column of a table, or a part of a file whose format has such."""
        found = FORMATS[str(self.data.format)]
        named = option != "cluster" or found.holds == "table" or found.parts
        return named and super().accepts(option, asked)

    def told(self, point: Key | None, cluster: str | None) -> Input:
        """What the source names itself comes first."""
        source = replace(self.data, point=self.data.point or point, cluster=self.data.cluster or cluster)
        return type(self)(source, self.argument)

    def spelling(self, read: object) -> Callable[[Hashable], Hashable] | None:
        """Numbers where there are numbers, text where there is only text."""
        if not isinstance(read, Clustering):
            return None
        return as_written(read.labels.lexicon is None, self.untyped)

    def content(self, **options: Any) -> Any:
        """What the reader of the format makes of it."""
        return FORMATS[str(self.data.format)].read(self.data.path, self.data.cluster, **options)


class TableFile(InFile):
    """A table of points and clusters in a file or database."""

    kind = "files of tables"
    takes = POINTWISE | {"point", "cluster", "budget", "engine"}
    formats = holding("table")

    def accepts(self, option: str, asked: Asked) -> bool:
        """A budget is for the meet that an engine makes."""
        if option == "budget" and asked.engine in (None, "memory"):
            return False
        return super().accepts(option, asked)

    def read(self) -> Clustering:
        """DuckDB reads its columns of points and clusters."""
        from clusterdiff.tables.files import read_table

        return read_table(self.data)

    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """Two tables are matched by an engine, or by DuckDB in memory."""
        if asked.engine == "memory":
            asked = replace(asked, engine=None)
        if not isinstance(pred, TableFile) or asked.distances is not None:
            return super().meet(pred, asked, policy)
        how: dict[str, Any] = {**asked.pointwise, "singletons": asked.singletons}
        if asked.engine is not None:
            from clusterdiff.tables.engine_files import compare_in
            from clusterdiff.tables.sessions import open_session

            session = open_session(asked.engine) if isinstance(asked.engine, str) else asked.engine
            return compare_in(session, self.data, pred.data, policy, budget=asked.budget, **how)
        if not asked.by_name:
            return super().meet(pred, asked, policy)
        from clusterdiff.tables.joins import compare_sources

        return compare_sources(self.data, pred.data, policy, **how)


class PairsFile(TableFile):
    """A table of matched pairs of points: what they connect is a cluster."""

    kind = "tables of pairs"
    takes = POINTWISE | {"point"}

    @classmethod
    def holds(cls, data: object) -> bool:
        """As the source says."""
        return super().holds(data) and data.pairs  # type: ignore[attr-defined]


class LabelsFile(InFile):
    """A file of labels, of clusters or of JSON."""

    kind = "files of labels"
    formats = holding("clustering")

    def read(self) -> Any:
        """Whatever the reader makes of it."""
        return self.content()


class ArrayFile(InFile):
    """An array of labels, or an image."""

    kind = "files of arrays"
    takes = POINTWISE | {"cluster"}
    formats = holding("array")

    @property
    def missing(self) -> Missing:  # type: ignore[override]
        """Labels to ignore are those of points that are not compared."""
        return "drop" if self.data.ignored else "error"

    @cached_property
    def array(self) -> AnyArray:
        """The labels in their own shape."""
        array: AnyArray = self.content()
        return array

    def read(self) -> Clustering:
        """Its labels in order."""
        from clusterdiff.formats.arrays import flat

        return flat(self.array, self.data.path, self.data.ignored)

    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """Two arrays must have the same shape."""
        if isinstance(pred, ArrayFile) and self.array.shape != pred.array.shape:
            raise FileError(
                f"{self.data.path} and {pred.data.path} must have the same shape; got {self.array.shape} and "
                f"{pred.array.shape}."
            )
        return super().meet(pred, asked, policy)


class DocumentsFile(InFile):
    """A file of documents of mentions."""

    kind = "files of documents"
    takes = CorpusInput.takes | {"cluster"}
    missing = CorpusInput.missing
    formats = holding("documents")

    def read(self) -> Corpus:
        """Its corpus."""
        corpus: Corpus = self.content(repeated=self.data.repeated or "error")
        return corpus

    @all_kept()
    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """As a corpus in memory."""
        return compare_corpora(self.read(), pred.read(), policy, asked.singletons)
