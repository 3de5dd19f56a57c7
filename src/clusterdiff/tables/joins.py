"""Two tables compared: DuckDB reads them, the core matches their points, and numbers come out where names went in.

The names of the points stay in DuckDB until they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import compare_within
from clusterdiff.errors import ArgumentError, FileError, LabelError, listed, nearest
from clusterdiff.formats.source import Source, as_written
from clusterdiff.messages import Message, joined
from clusterdiff.points.alignment import Alignment, Laid, apply_policy, in_order
from clusterdiff.points.corpus import InDocument, Singletons
from clusterdiff.points.keys import joined_sql, key_kinds, shared_kinds
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array, IntArray, Labels, LazyNames, null
from clusterdiff.points.matching import laid, laid_numbers
from clusterdiff.points.policy import Policy
from clusterdiff.tables.columns import FileColumns, LaterColumns, Origin
from clusterdiff.tables.duck import connect, stoppable
from clusterdiff.tables.files import Wanted, load_columns, load_source, open_table
from clusterdiff.tables.frames import column_name, column_names, refuse_singletons
from clusterdiff.tables.loaded import Loaded, no_rows, point_names, refuse_nulls, refuse_repeats
from clusterdiff.wording import count


@stoppable()
def compare_sources(
    true: Source,
    pred: Source,
    policy: Policy,
    *,
    weights: object = None,
    features: object = None,
    documents: object = None,
    singletons: Singletons = "keep",
) -> Comparison:
    """Compare two tables in files, or two columns of one table that is then read only once.

    ``weights``, ``features`` and ``documents`` name columns; with documents, points are matched within each of them.
    """
    wanted = Wanted(
        column_name(documents, "documents"),
        column_name(weights, "weights"),
        column_names(features, "features"),
    )
    if wanted.documents is None:
        refuse_singletons(singletons)
    con, origin, later = connect(), Origin(true), None
    if replace(true, cluster=None) == replace(pred, cluster=None) and true.cluster and pred.cluster:
        with open_table(con, true, origin.copy) as scan:
            left, right = load_columns(con, scan, true, pred, wanted)
        if left.point is not None:
            refuse_repeats(left)
        matched = Matched(in_order(clusters(left), clusters(right), _lazy_names(left)))
    else:
        other = Origin(pred)
        left, right = (
            load_source(con, it.source, wanted, it.copy, it.refuse_changed) for it in (origin, other)
        )
        matched = match(left, right)
        if right.others:
            later = LaterColumns(FileColumns(other, right.others), matched.place, matched.extra)
    origin.refuse_changed()
    aligned = matched.aligned
    spelt = [
        as_written(table.kinds["cluster"] == "int", table.kinds["cluster"] == "untyped")
        for table in (left, right)
    ]
    policy = replace(policy, noise=policy.noise.spelt(*spelt))
    data = _numbers(left, right, wanted, matched, policy)
    data |= {"other": FileColumns(origin, left.others), "later": later}
    try:
        if wanted.documents is None:
            return compare_aligned(apply_policy(aligned, policy), **data)
        aligned, within = _documents(left, right, matched)
        return compare_within(aligned, within, policy, singletons, **data)
    except LabelError as error:
        sides = Message("(`true` is {true}, `pred` is {pred})", true=left.shown, pred=right.shown)
        raise LabelError(joined([error.message, sides]), error.ways) from None


@dataclass(frozen=True)
class Matched:
    """Two tables laid over each other.

    ``place`` has the row of `pred` for each row of `true` (-1: none; None: the very same), ``extra`` the rows of
    `pred` that `true` lacks.
    """

    aligned: Alignment
    place: IntArray | None = None
    extra: Int64Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def _lazy_names(table: Loaded) -> LazyNames | None:
    return None if table.point is None else LazyNames(table.rows, lambda: point_names(table))


def _numbers(left: Loaded, right: Loaded, wanted: Wanted, matched: Matched, policy: Policy) -> dict[str, Any]:
    """Weights and features as one number or row per point: that of `true`, or of `pred` where `true` has none."""
    columns: dict[str, FloatArray] = {}
    unknown = [it for name, it in wanted.named.items() if name not in (*left.numbers, *right.numbers)]
    if unknown:
        raise ArgumentError(
            f"neither {left.title} nor {right.title} has "
            f"{'a column' if len(unknown) == 1 else 'columns'} {listed(dict.fromkeys(unknown))}.",
            nearest(unknown[0], [*left.others, *right.others]) if len(unknown) == 1 else None,
        )
    for name, column in wanted.named.items():
        mine, theirs = (_number(table, name) for table in (left, right))
        if matched.place is not None:
            if mine is None:
                lacking = int((matched.place < 0).sum())
                _refuse_unknown(column, right, left, lacking if policy.rule.keeps(True, False) else 0)
            if theirs is None:
                lacking = len(matched.extra)
                _refuse_unknown(column, left, right, lacking if policy.rule.keeps(False, True) else 0)
            mine = laid_numbers(mine, theirs, matched.place, matched.extra)
        assert mine is not None  # a table that is seen twice has the column or does not
        columns[name] = mine
    out: dict[str, Any] = {"weights": Laid(columns.pop("weight"))} if "weight" in columns else {}
    return out | ({"features": Laid(np.column_stack(list(columns.values())))} if columns else {})


def _number(table: Loaded, name: str) -> FloatArray | None:
    """A column of numbers, NaN where it is null; None if the table does not have it."""
    if name not in table.numbers:
        return None
    values: FloatArray = np.ma.filled(np.ma.asarray(table.fetch(name)).astype(np.float64), np.nan)
    return values


def _refuse_unknown(column: str, known: Loaded, other: Loaded, points: int) -> None:
    """Raise if points that count have no number, since only one of the tables has the column."""
    if points:
        raise ArgumentError(
            f"only {known.title} has the column {column!r}, and it lacks {count(points)} of {other.title}.",
            [f"give {other.title} that column too", Message('pass `missing="drop"` to leave them out')],
        )


def _documents(left: Loaded, right: Loaded, matched: Matched) -> tuple[Alignment, Any]:
    """The alignment with points that carry their document, and the document of each."""
    mine = np.ma.getdata(left.fetch("document")).tolist()
    theirs = np.ma.getdata(right.fetch("document"))[matched.extra].tolist()
    aligned = matched.aligned
    if not aligned.named:
        return aligned, mine
    names = list(map(InDocument, [*mine, *theirs], aligned.order.names))
    order = replace(aligned.order, names=names)
    return replace(aligned, order=order), {name: name.document for name in names}


def match(true: Loaded, pred: Loaded) -> Matched:
    """Lay two tables over each other: by the names of the points, or by their order if neither names them."""
    if true.point is None and pred.point is None:
        if true.rows != pred.rows:
            raise FileError(
                f"{true.title} and {pred.title} must label the same points; they have {true.rows:,} and "
                f"{count(pred.rows, 'row')}.",
                "if the points have names, add a column that holds them.",
            )
        return Matched(in_order(clusters(true), clusters(pred)))
    if true.point is None or pred.point is None:
        named, other = (true, pred) if pred.point is None else (pred, true)
        raise FileError(
            f"{named.title} names its points and {other.title} does not.",
            "give both a column of points, or neither.",
        )
    texts = _as_text(true, pred)
    labels, found = _matched((true, pred), texts)
    true, pred = (replace(table, rows=len(side)) for table, side in zip((true, pred), labels, strict=True))
    for table, repeats in ((true, found.true_repeats), (pred, found.pred_repeats)):
        if len(repeats):
            refuse_repeats(table)
    parts = shared_kinds(*(key_kinds(table.kinds["point"]) for table in (true, pred)))
    names = _names(true, texts[0], parts), _names(pred, texts[1], parts)
    return Matched(laid(labels, names, found.place, found.extra), found.place, found.extra)


def _names(table: Loaded, as_text: bool, parts: Sequence[str]) -> LazyNames:
    return LazyNames(
        table.rows,
        lambda: point_names(table, as_text, None, parts),
        some=lambda rows: point_names(table, as_text, rows, parts),
        kind=str if as_text else {"int": int, "text": str}.get(table.kinds["point"]),
    )


Found: TypeAlias = tuple[tuple[Labels, Labels], _core.Matched]


def _matched(tables: Sequence[Loaded], texts: Sequence[bool]) -> Found:
    """The clusters of both tables, and which of their points are the same."""
    matching = _core.Matching(max(table.rows for table in tables))
    labels = []
    for table, as_text in zip(tables, texts, strict=True):
        with table.reading():
            try:
                found = (None if as_text else _read_plain(matching, table)) or matching.read(
                    table.con.sql(f"SELECT {_id(table, as_text)}, cluster FROM {table.name}")
                )
            except ValueError:
                refuse_nulls(table)
                raise
        assert found is not None  # clusters were asked for
        if not len(found.values):
            raise no_rows(table.title)
        labels.append(_labels(found))
    return (labels[0], labels[1]), matching.match()


def _read_plain(matching: _core.Matching, table: Loaded) -> _core.StreamLabels | None:
    """A side that the core reads by itself, in a third of the time that DuckDB takes; None if its file is not plain."""
    plain = table.plain
    if plain is None:
        return None
    with open(plain.path, "rb") as file:
        at = [plain.columns.index(str(column)) for column in (table.point, table.cluster)]
        if plain.delimiter is None:
            return matching.read_parquet(file.fileno(), len(plain.columns), *at)
        return matching.read_lines(file.fileno(), plain.delimiter, len(plain.columns), *at)


def _id(table: Loaded, as_text: bool) -> str:
    """What points are matched by: their names, together with those of their documents if there are any."""
    name = "CAST(point AS VARCHAR)" if as_text or table.document else "point"
    return joined_sql(["CAST(document AS VARCHAR)", name]) if table.document else name


def _as_text(true: Loaded, pred: Loaded) -> tuple[bool, bool]:
    """Which side's points are compared as text: integers, if the other side is a CSV file, which knows only text."""
    kinds = true.kinds["point"], pred.kinds["point"]
    columns = [max(1, len(key_kinds(kind))) for kind in kinds]
    if columns[0] != columns[1]:
        raise FileError(
            f"the points of {true.title} and {pred.title} must be named by the same number of columns; got "
            f"{columns[0]} and {columns[1]}.",
        )
    if kinds[0] == kinds[1] or set(kinds) == {"untyped", "text"}:
        return False, False
    if all(kind.startswith("key(") for kind in kinds) and _alike(*kinds):
        return False, False
    if "untyped" in kinds:
        return kinds[0] != "untyped", kinds[1] != "untyped"
    raise FileError(
        f"the points of {true.title} and {pred.title} must be of one type; got {kinds[0]} and {kinds[1]}.",
        "convert one side: 1 and '1' are never matched silently.",
    )


def _alike(one: str, other: str) -> bool:
    """Whether names of several columns can be matched part by part; their parts are compared as they are written."""
    left, right = key_kinds(one), key_kinds(other)
    return len(left) == len(right) and all(
        a == b or "untyped" in (a, b) for a, b in zip(left, right, strict=True)
    )


# ---- clusters as numbers


def clusters(table: Loaded) -> Labels:
    """The clusters of a table as numbers."""
    column = table.con.sql(f"SELECT {table.column} FROM {table.name}")
    return _labels(_core.read_labels(column, table.rows))


def _labels(found: _core.StreamLabels) -> Labels:
    """Labels of the core; the names of texts are made when one is asked for."""
    values, absent, ends, texts = found
    if ends is None or texts is None:
        return Labels(values, None, absent, shared=False)
    names = LazyNames(len(ends), lambda: _Texts(ends, texts), plain=True)
    return Labels(values, names, null(values), shared=False)


def _texts(ends: Int64Array, data: npt.NDArray[np.uint8]) -> AnyArray:
    """Texts that lie one after the other."""
    out = np.empty(len(ends), dtype=object)
    whole: Any = data.tobytes()
    plain = whole.isascii()  # then a character is a byte
    whole = whole.decode() if plain else whole
    parts = (whole[begin:end] for begin, end in pairwise([0, *ends.tolist()]))
    out[:] = list(parts if plain else map(bytes.decode, parts))
    return out


class _Texts(Sequence[str]):
    """The same: where few of very many are looked at, only those are made."""

    #: How many texts there are for each that is made by itself.
    MANY = 100

    def __init__(self, ends: Int64Array, data: npt.NDArray[np.uint8]) -> None:
        self._ends, self._data = ends, data

    @cached_property
    def _all(self) -> AnyArray:
        return _texts(self._ends, self._data)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: Any) -> Any:
        few = isinstance(index, np.ndarray) and len(index) * self.MANY <= len(self)
        if not few or "_all" in vars(self):
            return self._all[index]
        codes = index % len(self)
        begins = np.where(codes > 0, self._ends[codes - 1], 0)
        out = np.empty(len(codes), dtype=object)
        for i, (begin, end) in enumerate(zip(begins.tolist(), self._ends[codes].tolist(), strict=True)):
            out[i] = self._data[begin:end].tobytes().decode()
        return out

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)
