"""Tables compared within documents: their points come into memory and are compared like those of a corpus."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.documents import CorpusComparison, compare_within
from clusterdiff.diff.source import ReadColumns
from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message
from clusterdiff.points.alignment import in_order
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import InDocument, Singletons
from clusterdiff.points.matching import by_name
from clusterdiff.points.policy import Policy
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.engines.budget import allowed
from clusterdiff.tables.engines.loading import numbers
from clusterdiff.tables.engines.native import Engine, Frame, plain
from clusterdiff.tables.engines.others import DOCUMENT, Others
from clusterdiff.tables.engines.points import named
from clusterdiff.tables.engines.tables import (
    Reader,
    match_kinds,
    one_reader,
    take_numbers,
    two_readers,
)
from clusterdiff.wording import count

#: Bytes that a point takes in memory with its name, its document and its clusters.
POINT_BYTES = 400


class EngineColumns:
    """The other columns of tables in an engine, by document and point; for one table in the order of its ``points``."""

    def __init__(
        self, engine: Engine, others: Others, keys: tuple[str, ...], points: Sequence[Hashable] | None = None
    ) -> None:
        self.names = others.names
        self._engine = engine
        self._others = others
        self._points = points
        self._keys = keys
        self._read: dict[str, Any] = {}

    def __copy__(self) -> EngineColumns:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadColumns, (self._read,)  # the table stays where it is

    def read(self, name: str) -> Any:
        """One of them."""
        if name not in self._read:
            value: dict[Hashable, Any] = {}
            for documents, points, values in self._others.read(self._engine, name, True, DOCUMENT):
                value |= zip(map(InDocument, documents, named(points, self._keys)), values, strict=True)
            self._read[name] = value if self._points is None else [value.get(point) for point in self._points]
        return self._read[name]


def compare_two_within(
    true: object,
    pred: object,
    point: tuple[str, str],
    cluster: tuple[str, str],
    weights: str | None,
    features: Sequence[str],
    documents: str,
    policy: Policy,
    singletons: Singletons,
    budget: int | str | None,
    keys: tuple[str, ...] = (),
) -> CorpusComparison:
    """Compare two tables within the documents that a column of both names."""
    left, right = two_readers(true, pred, point, cluster)
    left.take("s", documents, "documents")
    right.take("s", documents, "documents")
    match_kinds(left, "s", right, "s", "documents")
    take_numbers(left, right, weights, features)
    one, other = _fetched(left, "i", budget), _fetched(right, "j", budget)
    sides = [
        Clustering.of(read_labels(columns[x], name), _named(columns, key, name, keys))
        for columns, x, key, name in ((one, "t", "i", "true"), (other, "p", "j", "pred"))
    ]
    aligned = by_name(*(side.checked(name) for side, name in zip(sides, ("true", "pred"), strict=True)))
    within = {name: name.document for name in aligned.order.names if isinstance(name, InDocument)}
    theirs_too = right.others(point[1], cluster[1], document="s")
    others = replace(left.others(point[0], cluster[0], document="s"), pred=theirs_too)
    mine, theirs = _numbers(one), _numbers(other)
    data: dict[str, Any] = {"other": EngineColumns(left.engine, others, keys)}
    for name in {**mine, **theirs}:
        # By name; what `true` knows of a point goes before what `pred` does.
        known = ((sides[1], theirs.get(name)), (sides[0], mine.get(name)))
        data[name] = {
            point: value
            for side, values in known
            if values is not None
            for point, value in zip(side.point_names(), values, strict=True)
        }
    return compare_within(aligned, within, policy, singletons, **data)


def compare_one_within(
    table: object,
    true: str,
    pred: str,
    point: str | None,
    weights: str | None,
    features: Sequence[str],
    documents: str,
    policy: Policy,
    singletons: Singletons,
    budget: int | str | None,
    keys: tuple[str, ...] = (),
) -> CorpusComparison:
    """Compare two columns of one table within the documents that a third one names."""
    reader = one_reader(table, true, pred, point)
    reader.take("s", documents, "documents")
    take_numbers(reader, reader, weights, features)
    columns = _fetched(reader, "i", budget)
    left, right = read_labels(columns["t"], "true"), read_labels(columns["p"], "pred")
    data = _numbers(columns)
    if "i" not in columns:
        return compare_within(in_order(left, right), plain(columns["s"]), policy, singletons, **data)
    names = _named(columns, "i", "table", keys)
    Clustering.of(left, names).checked("table")
    others = reader.others(point, true, pred, document="s")
    data["other"] = EngineColumns(reader.engine, others, keys, names)
    return compare_within(in_order(left, right, names), plain(columns["s"]), policy, singletons, **data)


def _fetched(reader: Reader, key: str, budget: int | str | None) -> dict[str, Any]:
    """The columns taken from a table, its rows in an order that does not change."""
    frame: Frame = reader.selected()
    engine = reader.engine
    with engine.running():
        rows = int(engine.row(frame.select(n=nw.len()))["n"])
        if rows * POINT_BYTES > allowed(budget):
            raise ArgumentError.about(
                "documents",
                f"needs the points in memory, about {rows * POINT_BYTES:,} bytes; the budget is "
                f"{allowed(budget):,}.",
                [Message("allow a larger `budget=`"), "compare some documents at a time"],
            )
        if not engine.ordered and key in frame.collect_schema():
            frame = frame.sort("s", key)
        return engine.fetch(frame)


def _named(columns: dict[str, Any], key: str, argument: str, keys: tuple[str, ...]) -> list[InDocument]:
    documents, points = plain(columns["s"]), named(plain(columns[key]), keys)
    lacking = sum(document is None for document in documents)
    if lacking:
        raise ArgumentError(
            Message(
                "`documents` must name the document of every point; it names none for {points} of "
                "`{argument}`.",
                points=count(lacking),
                argument=argument,
            )
        )
    return list(map(InDocument, documents, points))


def _numbers(columns: dict[str, Any]) -> dict[str, Any]:
    """Weights and features as one number or row per point."""
    wide = sorted((x for x in columns if x.startswith("x")), key=lambda x: int(x[1:]))
    out: dict[str, Any] = {"weights": numbers(columns["w"])} if "w" in columns else {}
    return out | ({"features": np.column_stack([numbers(columns[x]) for x in wide])} if wide else {})
