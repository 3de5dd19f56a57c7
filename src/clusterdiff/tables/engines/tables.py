"""The users' tables: their columns found, checked and named alike, and two tables joined on the point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import frexp
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.errors import ArgumentError, LabelError, UnknownColumn, listed, refuse_unknown
from clusterdiff.messages import Message
from clusterdiff.points.data import scale_of
from clusterdiff.tables.engines.native import Frame, engine_of, plain
from clusterdiff.tables.engines.others import DOCUMENT, POINT, Others
from clusterdiff.tables.engines.points import Points, SideTable

c = nw.col
#: Our name for the column with the number of the row, among the user's own.
ROW = "clusterdiff_row"
#: Types that can hold names. Floats must be whole; categories are read as text.
INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.UInt8, nw.UInt16, nw.UInt32)
NAMES = (
    nw.Int64,
    nw.UInt64,
    nw.Int128,
    nw.UInt128,
    nw.String,
    nw.Boolean,
    nw.Date,
    nw.Datetime,
    nw.Time,
    nw.Binary,
)


def read_two(
    true: object,
    pred: object,
    point: tuple[str, str],
    cluster: tuple[str, str],
    weights: str | None,
    features: Sequence[str],
    keys: tuple[str, ...] = (),
    bring: bool = True,
) -> Points:
    """Two tables, joined on the point; ``bring``: where the engine gains by that, they are matched here if they fit."""
    either = [("weights", weights)] * (weights is not None) + [("features", name) for name in features]
    left, right = two_readers(true, pred, point, cluster, either)
    width = take_numbers(left, right, weights, features)
    units = bring_to_size(left, right)
    sides = (SideTable("true", left.selected(), "i"), SideTable("pred", right.selected(), "j"))
    kinds = {"t": left.kinds["t"], "p": right.kinds["p"]}
    others = replace(left.others(point[0], cluster[0]), pred=right.others(point[1], cluster[1]))
    here = all(reader.here or (bring and reader.engine.brings) for reader in (left, right))
    return Points(
        left.engine, sides, True, weights is not None, width, kinds, others, keys=keys, here=here, **units
    )


def two_readers(
    true: object, pred: object, point: tuple[str, str], cluster: tuple[str, str], either: Sequence[Any] = ()
) -> tuple[Reader, Reader]:
    """Two tables of one engine, with their points (i, j) and clusters (t, p) taken.

    Arguments that name columns of ``either`` table are looked at here too: all unknown ones are told together.
    """
    left, right = Reader(true, "true"), Reader(pred, "pred")
    kinds = [reader.frame.implementation.value for reader in (left, right)]
    if kinds[0] != kinds[1]:
        raise ArgumentError(
            Message(
                "`true` and `pred` must be tables of one library; got {kinds}.", kinds=" and ".join(kinds)
            ),
            Message("convert one of them, for example with `.to_arrow()` or `.to_pandas()`."),
        )
    lacking = left.lacking(("point", point[0]), ("cluster", cluster[0]), *either)
    lacking = [
        one for one in lacking if (one.argument, one.column) not in either or one.column not in right.schema
    ]
    refuse_unknown([*lacking, *right.lacking(("point", point[1]), ("cluster", cluster[1]))])
    left.take("i", point[0], "point")
    right.take("j", point[1], "point")
    match_kinds(left, "i", right, "j", "points")
    left.take("t", cluster[0], "cluster")
    right.take("p", cluster[1], "cluster")
    return left, right


def take_numbers(left: Reader, right: Reader, weights: str | None, features: Sequence[str]) -> int:
    """Take weights (w) and features (x0 …), and count the latter.

    What is known about a point is in the table of true clusters, or else in the other one; if both have a column, that
    of the other one is for points that the first lacks.
    """

    def owners(name: str) -> list[Reader]:
        return [reader for reader in dict.fromkeys([left, right]) if name in reader.schema] or [left]

    if weights is not None:
        for reader in owners(weights):
            reader.number("w", weights, "weights")
    width = 0
    for name in features:
        first, *rest = owners(name)
        start, width = width, first.features(name, width)
        for other in rest:
            if other.features(name, start) != width:
                raise ArgumentError.about(
                    "features", f"must be lists of one length; those of {name!r} differ in the tables."
                )
    return width


def bring_to_size(left: Reader, right: Reader) -> dict[str, Any]:
    """Measure weights and features in units in which they can be squared, and features from their means; see Points."""
    readers = list(dict.fromkeys([left, right]))
    for reader in readers:
        reader.place_weightless()
    spans = [reader.span("w") for reader in readers if "w" in reader.taken]
    heaviest, least = max((x for _, x in spans), default=0.0), min((x for x, _ in spans if x), default=1.0)
    features = [x for reader in readers for x in reader.taken if x.startswith("x")]
    largest = max(reader.largest(features) for reader in readers)
    for names, most in ((["w"], heaviest), (features, largest)):
        for reader in readers:
            reader.scale(names, scale_of(most))
    means: dict[str, float] = {}
    for reader in readers:
        names = [x for x in reader.taken if x.startswith("x")]
        means |= reader.means([x for x in names if x not in means])
        reader.centre(names, means)
    return {"scale": scale_of(heaviest), "span": max(0, frexp(heaviest)[1] - frexp(least)[1])}


def read_one(
    table: object,
    true: str,
    pred: str,
    point: str | None,
    weights: str | None,
    features: Sequence[str],
    keys: tuple[str, ...] = (),
) -> Points:
    """One table with a column for either clustering."""
    reader = one_reader(table, true, pred, point)
    width = take_numbers(reader, reader, weights, features)
    units = bring_to_size(reader, reader)
    side = SideTable("table", reader.selected(), "i")
    others = reader.others(point, true, pred)
    named, weighed = point is not None, weights is not None
    return Points(
        reader.engine,
        (side,),
        named,
        weighed,
        width,
        reader.kinds,
        others,
        keys=keys,
        here=reader.here,
        **units,
    )


def one_reader(table: object, true: str, pred: str, point: str | None) -> Reader:
    """One table, with its points (i, if they can be distinguished) and both clusters (t, p) taken."""
    reader = Reader(table, "table")
    reader.require(true=true, pred=pred, **({} if point is None else {"point": point}))
    reader.take("t", true, "true")
    reader.take("p", pred, "pred")
    if point is not None:
        reader.take("i", point, "point")
    elif reader.engine.ordered:
        reader.number_rows("i")
    return reader


class Reader:
    """A user's table, and the columns taken from it under names of ours."""

    def __init__(self, table: object, argument: str) -> None:
        try:
            native = nw.from_native(table)  # type: ignore[call-overload]
            frame = native.lazy()
        except TypeError:
            raise ArgumentError.must(
                argument,
                "be a table of pandas, polars, pyarrow, DuckDB, Spark, Dask or another library "
                "that narwhals knows",
                got=f"{type(table).__module__}.{type(table).__qualname__}",
                hint=Message("labels, sets and dicts need no `point=`, `cluster=` or columns' names."),
            ) from None
        self.argument = argument
        self.here = isinstance(native, nw.DataFrame)
        self.engine = engine_of(frame)
        with self.engine.running():  # the table, or the database that it is in, may be gone
            self.frame: Frame = nw.from_native(self.engine.prepare(frame.to_native())).lazy()
            self.schema = self.frame.collect_schema()
        self.kinds: dict[str, str] = {}
        self.dtypes: dict[str, Any] = {}
        self._taken: dict[str, Any] = {}

    @property
    def taken(self) -> tuple[str, ...]:
        """What the columns that were taken are called."""
        return tuple(self._taken)

    def selected(self) -> Frame:
        """The columns that were taken; some versions of DuckDB notice only here that a table is gone."""
        with self.engine.running():
            return self.frame.select(**self._taken)

    def others(self, *taken: str | None, document: str | None = None) -> Others:
        """All columns but those of points and clusters; with a column of documents beside them, if there is one."""
        names = tuple(name for name in self.schema if name not in taken and name != ROW)
        point = next((self._taken[x] for x in ("i", "j") if x in self._taken), None)
        key = {} if point is None else {POINT: point}
        if document is not None:
            key[DOCUMENT] = self._taken[document]
        frame = self.frame.select(*names, **key) if names or key else self.frame
        numbered = {f"o{k}": c(name) for k, name in enumerate(names)}
        return Others(frame, names, self.frame.select(**self._taken, **numbered))

    def number_rows(self, name: str) -> None:
        """Take the number of the row as a column."""
        self.frame = self.engine.numbered(self.frame, ROW)
        self._taken[name] = c(ROW)

    def lacking(self, *columns: tuple[str, str]) -> list[UnknownColumn]:
        """Those of the arguments that name no column of the table."""
        table, schema = self.argument, self.schema
        return [UnknownColumn(a, table, column, schema) for a, column in columns if column not in schema]

    def require(self, **columns: str) -> None:
        """Raise unless the table has all columns that the arguments name; those that it lacks are told together."""
        refuse_unknown(self.lacking(*columns.items()))

    def _dtype(self, column: str, argument: str) -> Any:
        self.require(**{argument: column})
        return self.schema[column]

    def take(self, name: str, column: str, argument: str) -> None:
        """Take a column of names: points, clusters or documents."""
        dtype = self._dtype(column, argument)
        taken = c(column)
        if dtype.is_float():
            self._refuse_fractions(column)
            taken, dtype = nw.when(~taken.is_nan()).then(taken).cast(nw.Int64), nw.Int64()
        elif dtype in {nw.Categorical, nw.Enum}:
            taken, dtype = taken.cast(nw.String), nw.String()
        elif dtype in INTEGERS:
            taken, dtype = taken.cast(nw.Int64), nw.Int64()
        elif dtype not in NAMES:
            told = f"must hold names (integers, strings, …) in column {column!r}; it holds {dtype}."
            hint = "cast the column to a string or an integer first."
            raise LabelError.about(self.argument, told, hint)
        self.kinds[name] = (
            "int" if dtype.is_integer() else {"String": "str", "Boolean": "bool"}.get(str(dtype), str(dtype))
        )
        self.dtypes[name] = dtype
        self._taken[name] = taken

    def _refuse_fractions(self, column: str) -> None:
        x = c(column)
        bad = self.frame.filter(~x.is_nan()).filter((x != x.round(0)) | (x.abs() >= 2.0**63)).select(column)
        with self.engine.running():
            found = int(self.engine.row(bad.select(n=nw.len()))["n"])
            if found:
                first = plain(self.engine.fetch(bad.head(5))[column])
                raise LabelError.must(
                    self.argument,
                    f"hold whole numbers in column {column!r} if it holds floats",
                    got=listed(first, found),
                    hint="cluster labels are names, not measurements; round them or convert them to strings first.",
                )

    def number(self, name: str, column: str, argument: str) -> None:
        """Take a column of numbers."""
        dtype = self._dtype(column, argument)
        if not dtype.is_numeric():
            raise ArgumentError.about(argument, f"must be a column of numbers; {column!r} holds {dtype}.")
        self._taken[name] = c(column).cast(nw.Float64)

    def features(self, column: str, start: int) -> int:
        """Take a column of numbers, or of lists of numbers of one length, as x…; the number of columns so far."""
        dtype = self._dtype(column, "features")
        if not isinstance(dtype, nw.List | nw.Array):
            self.number(f"x{start}", column, "features")
            return start + 1
        lists = c(column) if isinstance(dtype, nw.List) else c(column).cast(nw.List(dtype.inner))
        with self.engine.running():
            length = self.frame.select(n=lists.list.len()).select(low=c("n").min(), high=c("n").max())
            low, high = (int(value) for value in self.engine.row(length).values())
        if low != high or not dtype.inner.is_numeric():
            raise ArgumentError.about(
                "features",
                f"must be lists of numbers of one length; {column!r} holds {dtype} of lengths {low} to {high}.",
            )
        for j in range(low):
            self._taken[f"x{start + j}"] = lists.list.get(j).cast(nw.Float64)
        return start + low

    def _row(self, names: Sequence[str], aggregate: Callable[[Any], Any]) -> dict[str, float]:
        """An aggregate of the finite values of each of some columns taken."""
        if not names:
            return {}
        with self.engine.running():
            columns = self.frame.select(
                **{name: self._taken[name] for name in {*names, "w"} & {*self._taken}}
            )
            finite = {name: nw.when(self._counts(name)).then(c(name)) for name in names}
            found = self.engine.row(
                columns.select(**finite).select(**{name: aggregate(c(name)) for name in names})
            )
        return {name: 0.0 if value is None else float(value) for name, value in found.items()}

    def _counts(self, name: str) -> nw.Expr:
        """Whether a number is one, and is that of a point that weighs anything, as far as this table knows."""
        finite = c(name).is_finite()
        return finite & (c("w") > 0) if "w" in self._taken else finite

    def place_weightless(self) -> None:
        """Put points without weight at the origin: wherever they are, they are nothing beside the others."""
        for name, x in self._taken.items():
            if "w" in self._taken and name.startswith("x"):
                kept = (self._taken["w"] > 0) | x.is_null() | ~x.is_finite()
                self._taken[name] = nw.when(kept).then(x).otherwise(0.0)

    def largest(self, wanted: Sequence[str]) -> float:
        """The largest absolute value in some columns, as far as they were taken."""
        taken = [name for name in dict.fromkeys(wanted) if name in self._taken]
        return max(self._row(taken, lambda x: x.abs().max()).values(), default=0.0)

    def span(self, name: str) -> tuple[float, float]:
        """The least and the largest value of a column, of points that weigh anything."""
        with self.engine.running():
            x = self.frame.select(**{name: self._taken[name]}).filter(self._counts(name))
            found = self.engine.row(x.select(least=c(name).min(), largest=c(name).max()))
        return float(found["least"]), float(found["largest"])

    def scale(self, wanted: Sequence[str], power: int) -> None:
        """Measure columns in units of 2 to a power: in two steps, since the inverse of the least doubles is none."""
        half = power // 2
        for name in dict.fromkeys(wanted) if power else ():
            if name in self._taken:
                self._taken[name] = self._taken[name] * 2.0**-half * 2.0 ** (half - power)

    def means(self, names: Sequence[str]) -> dict[str, float]:
        """The means of some columns."""
        return self._row(names, lambda x: x.mean())

    def centre(self, names: Sequence[str], means: Mapping[str, float]) -> None:
        """Measure features from these: spread does not depend on it, but digits are lost far from 0."""
        for name in names:
            self._taken[name] = self._taken[name] - means[name]


def match_kinds(left: Reader, a: str, right: Reader, b: str, what: str) -> None:
    """Names of different kinds are never matched silently."""
    if left.kinds[a] != right.kinds[b] or left.dtypes[a] != right.dtypes[b]:
        kinds = f"{left.dtypes[a]} and {right.dtypes[b]}"
        raise LabelError(
            Message(
                "the {what} of `true` and `pred` must be of one type; got {kinds}.", what=what, kinds=kinds
            ),
            "convert one side, for example to strings: 1 and '1' are never matched silently.",
        )
