"""The users' tables: their columns found, checked and named alike, and two tables joined on the point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.errors import ArgumentError, LabelError, listed, nearest
from clusterdiff.tables.engines.native import Engine, Frame, engine_of, plain

c = nw.col
#: Rows looked at before two tables are joined: ids that stand many times would make the join explode.
SAMPLE = 100_000
#: Types that say what something is called. Floats must be whole; categories go by their text.
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


def flag(condition: Any) -> Any:
    """1 where a condition holds, otherwise 0, also where it is null."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def log_or_0(x: Any) -> Any:
    """log x, and 0 where x is not positive; engines may compute both branches of a case, so neither must fail."""
    return nw.when(x > 0).then(x).otherwise(1.0).log()


@dataclass(frozen=True)
class Side:
    """One table with its point in column ``i`` (true) or ``j`` (pred), as far as joining goes."""

    argument: str
    frame: Frame
    key: str
    by: tuple[str, ...]


@dataclass(frozen=True)
class Points:
    """A row a point: clusters ``t`` and ``p``, and where given the point's name ``point``, ``w``, ``x0`` … and ``s``.

    For two tables the rows are those of a full join, and ``i`` and ``j`` the point's name on either side.
    """

    engine: Engine
    frame: Frame
    sides: tuple[Side, ...]
    named: bool
    weighted: bool
    features: int
    by: bool
    kinds: dict[str, str]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each table."""
        return tuple(int(self.engine.row(s.frame.select(n=nw.len()))["n"]) for s in self.sides)

    @property
    def extra(self) -> list[str]:
        """The columns of numbers a point."""
        return ["w"] * self.weighted + [f"x{j}" for j in range(self.features)]

    def refuse_repeats(self, sample: bool = False, unmatched: bool = False) -> None:
        """Raise if a point has no name or stands twice; look at the first rows or at unmatched points only."""
        for number, side in enumerate(self.sides):
            frame, keys = side.frame, [*side.by, side.key]
            if unmatched:
                other = self.sides[1 - number]
                frame = frame.join(other.frame, left_on=keys, right_on=[*other.by, other.key], how="anti")
            frame = frame.select(*keys).head(SAMPLE) if sample else frame.select(*keys)
            self._refuse_repeats(side, frame, keys)

    def _refuse_repeats(self, side: Side, frame: Frame, keys: list[str]) -> None:
        fetch = self.engine.fetch
        nameless = int(self.engine.row(frame.select(n=flag(c(side.key).is_null()).sum()))["n"])
        if nameless:
            raise LabelError(f"`{side.argument}` has {nameless:,} points without a name (null).")
        twice = frame.group_by(*keys).agg(rows=nw.len()).filter(c("rows") > 1)
        total = int(self.engine.row(twice.select(n=nw.len()))["n"])
        if total:
            first = plain(fetch(twice.sort(*keys).head(5).select(side.key))[side.key])
            raise LabelError(
                f"`{side.argument}` must name each point once; {total:,} stand more than once: "
                f"{listed(first, total)}.",
                "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
            )


# ---- reading


def read_two(
    true: object,
    pred: object,
    point: tuple[str, str],
    cluster: tuple[str, str],
    weight: str | None,
    features: Sequence[str],
    by: str | None,
) -> Points:
    """Two tables, joined on the point."""
    left, right = Reader(true, "true"), Reader(pred, "pred")
    if left.frame.implementation is not right.frame.implementation:
        raise ArgumentError(
            f"`true` and `pred` must be tables of one library; got {left.frame.implementation.value} "
            f"and {right.frame.implementation.value}.",
            "convert one of them, for example with .to_arrow() or .to_pandas().",
        )
    engine = left.engine
    left.take("i", point[0], "point")
    right.take("j", point[1], "point")
    _match_kinds(left, "i", right, "j", "points")
    left.take("t", cluster[0], "cluster")
    right.take("p", cluster[1], "cluster")
    if by is not None:
        left.take("s", by, "by")
        right.take("s_pred", by, "by")
        _match_kinds(left, "s", right, "s_pred", "groups of `by`")
    extra = [*([weight] if weight is not None else []), *features]
    # What is known about a point stands in the table of true clusters, or else in the other one.
    owner = {name: left if name in left.schema or name not in right.schema else right for name in extra}
    if weight is not None:
        owner[weight].number("w", weight, "weight")
    width = 0
    for name in features:
        width = owner[name].features(name, width)
    by_left, by_right = (("s",), ("s_pred",)) if by is not None else ((), ())
    sides = (Side("true", left.selected(), "i", by_left), Side("pred", right.selected(), "j", by_right))
    joined = sides[0].frame.join(
        sides[1].frame, left_on=["i", *by_left], right_on=["j", *by_right], how="full", suffix="_other"
    )
    if by is not None:
        joined = joined.with_columns(s=nw.coalesce("s", "s_pred"))
    kinds = {"t": left.kinds["t"], "p": right.kinds["p"]}
    points = Points(engine, joined, sides, True, weight is not None, width, by is not None, kinds)
    with engine.running():
        points.refuse_repeats(sample=True)
    return points


def read_one(
    table: object,
    true: str,
    pred: str,
    point: str | None,
    weight: str | None,
    features: Sequence[str],
    by: str | None,
) -> Points:
    """One table with a column for either clustering."""
    reader = Reader(table, "table")
    reader.take("t", true, "true")
    reader.take("p", pred, "pred")
    if point is not None:
        reader.take("i", point, "point")
    if by is not None:
        reader.take("s", by, "by")
    if weight is not None:
        reader.number("w", weight, "weight")
    width = 0
    for name in features:
        width = reader.features(name, width)
    frame = reader.selected()
    side = Side("table", frame, "i", ("s",) if by is not None else ())
    points = Points(
        reader.engine,
        frame,
        (side,),
        point is not None,
        weight is not None,
        width,
        by is not None,
        reader.kinds,
    )
    if point is not None:
        with points.engine.running():
            points.refuse_repeats()
    return points


class Reader:
    """A user's table, and the columns taken from it under names of ours."""

    def __init__(self, table: object, argument: str) -> None:
        try:
            frame = nw.from_native(table).lazy()  # type: ignore[call-overload]
        except TypeError:
            raise ArgumentError(
                f"`{argument}` must be a table of pandas, polars, pyarrow, DuckDB, Spark, Dask or another library "
                f"that narwhals knows; got {type(table).__module__}.{type(table).__qualname__}.",
                "for labels, sets and dicts use clusterdiff.compare; for files the command `clusterdiff compare`.",
            ) from None
        self.argument = argument
        self.engine = engine_of(frame)
        self.frame: Frame = nw.from_native(self.engine.prepare(frame.to_native())).lazy()
        self.schema = self.frame.collect_schema()
        self.kinds: dict[str, str] = {}
        self.dtypes: dict[str, Any] = {}
        self._taken: dict[str, Any] = {}

    def selected(self) -> Frame:
        """The columns that were taken."""
        return self.frame.select(**self._taken)

    def _dtype(self, column: str, argument: str) -> Any:
        if column not in self.schema:
            raise ArgumentError(
                f"`{argument}` must name a column of `{self.argument}`; it has no {column!r}, but "
                f"{', '.join(map(repr, self.schema))}.",
                nearest(column, self.schema),
            )
        return self.schema[column]

    def take(self, name: str, column: str, argument: str) -> None:
        """Take a column of names: points, clusters or groups."""
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
            raise LabelError(
                f"`{self.argument}` must hold names (integers, strings, …) in column {column!r}; it holds {dtype}.",
                "cast the column to a string or an integer first.",
            )
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
                raise LabelError(
                    f"`{self.argument}` must hold whole numbers in column {column!r} if it holds floats; "
                    f"got {listed(first, found)}.",
                    "cluster labels are names, not measurements; round them or convert them to strings first.",
                )

    def number(self, name: str, column: str, argument: str) -> None:
        """Take a column of numbers."""
        dtype = self._dtype(column, argument)
        if not dtype.is_numeric():
            raise ArgumentError(f"`{argument}` must be a column of numbers; {column!r} holds {dtype}.")
        self._taken[name] = c(column).cast(nw.Float64)

    def features(self, column: str, start: int) -> int:
        """Take a column of numbers, or of lists of numbers of one length, as x…; the number of columns so far."""
        dtype = self._dtype(column, "features")
        if not isinstance(dtype, nw.List | nw.Array):
            self.number(f"x{start}", column, "features")
            self._centre([f"x{start}"])
            return start + 1
        lists = c(column) if isinstance(dtype, nw.List) else c(column).cast(nw.List(dtype.inner))
        with self.engine.running():
            length = self.frame.select(n=lists.list.len()).select(low=c("n").min(), high=c("n").max())
            low, high = (int(value) for value in self.engine.row(length).values())
        if low != high or not dtype.inner.is_numeric():
            raise ArgumentError(
                f"`features` must be lists of numbers of one length; {column!r} holds {dtype} of {low} to {high}."
            )
        names = [f"x{start + j}" for j in range(low)]
        for j, name in enumerate(names):
            self._taken[name] = lists.list.get(j).cast(nw.Float64)
        self._centre(names)
        return start + low

    def _centre(self, names: list[str]) -> None:
        """Measure features from their mean: spread does not depend on it, but digits are lost far from 0."""
        with self.engine.running():
            columns = self.frame.select(**{name: self._taken[name] for name in names})
            means = self.engine.row(columns.select(**{name: c(name).mean() for name in names}))
        for name, mean in means.items():
            if isfinite(mean):
                self._taken[name] = self._taken[name] - mean


def _match_kinds(left: Reader, a: str, right: Reader, b: str, what: str) -> None:
    """Names of different kinds are never matched silently."""
    if left.kinds[a] != right.kinds[b] or left.dtypes[a] != right.dtypes[b]:
        raise LabelError(
            f"the {what} of `true` and `pred` must be of one type; got {left.dtypes[a]} and {right.dtypes[b]}.",
            "convert one side, for example to strings: 1 and '1' are never matched silently.",
        )
