"""Names in columns, which the core matches as they lie there; and those of an index, and when they count."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, LabelError, listed
from clusterdiff.messages import Message
from clusterdiff.points.labels import Int64Array, LazyNames
from clusterdiff.points.reading import read_labels
from clusterdiff.wording import count


class ColumnNames(LazyNames):
    """Names of which none is made before one is asked for; ``column`` is Arrow's, and nobody changes it.

    ``called`` makes of some of them what users call points.
    """

    def __init__(self, column: Any, called: Callable[[list[Any]], list[Any]] = list) -> None:
        super().__init__(
            len(column),
            lambda: called(_listed(column)),
            plain=True,
            some=lambda at: called([column[i].as_py() for i in at.tolist()]),
        )
        self.column = column

    @property
    def integers(self) -> Int64Array | None:
        """The names, if all are integers of 64 bits with a sign."""
        import pyarrow as pa

        if self.column.null_count or not pa.types.is_signed_integer(self.column.type):
            return None
        found: Int64Array = self.column.to_numpy()
        return found

    @property
    def unique(self) -> bool:
        """Whether all points have a name, and no two the same."""
        return not self.column.null_count and len(read_labels(self.column, "names").names) == len(self)


def _listed(column: Any) -> list[Any]:
    return list(column.to_pylist() if column.null_count else column.to_numpy().tolist())


def names_of(column: Any, called: Callable[[list[Any]], list[Any]] = list) -> ColumnNames | None:
    """The names in a column of pandas (an Index, too), polars or pyarrow; None if it holds something else."""
    try:
        import pyarrow as pa
    except ImportError:
        return None
    if type(column).__module__.startswith("pandas") and not _plain(column):
        return None
    try:
        if not isinstance(column, pa.ChunkedArray):  # which would lose sight of whose memory it is
            stream = hasattr(column, "__arrow_c_stream__")
            column = pa.chunked_array(column if stream else [pa.array(column)])
    except (pa.ArrowException, UnicodeEncodeError):  # text may hold half a pair of surrogates
        return None
    kinds, kind = pa.types, column.type
    if kinds.is_integer(kind):
        # It may be a view of somebody's array.
        return ColumnNames(
            column if column.null_count else pa.chunked_array([np.array(column.to_numpy())]), called
        )
    if not (kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)):
        return None
    if any(part is not None and part.is_mutable for chunk in column.chunks for part in chunk.buffers()):
        column = pa.chunked_array([pa.concat_arrays(column.chunks)])  # a copy
    return ColumnNames(column, called)


def _plain(column: Any) -> bool:
    """Whether a column of pandas holds nothing but integers, or nothing but text."""
    from pandas.api.types import infer_dtype

    dtype = column.dtype
    return dtype.kind in "iu" or (dtype.kind in "OU" and infer_dtype(column, skipna=False) == "string")


class Index:
    """The index of a Series or frame; pandas never changes one, so it can be kept and read later."""

    def __init__(self, native: Any) -> None:
        self.native = native

    def __len__(self) -> int:
        return len(self.native)

    @cached_property
    def default(self) -> bool:
        """Whether it is 0, 1, 2, …: what rows are called if nobody names them."""
        index = self.native
        if type(index).__name__ == "RangeIndex":
            return bool(index.start == 0 and (index.step == 1 or len(index) < 2))
        whole = getattr(index.dtype, "kind", "O") in "iu" and type(index).__name__ != "MultiIndex"
        return whole and bool(np.array_equal(index.to_numpy(), np.arange(len(index))))

    def same(self, other: Index) -> bool:
        """Whether both name the same points in the same order."""
        return self.native is other.native or bool(self.native.equals(other.native))

    @property
    def names(self) -> LazyNames:
        """What it calls the points."""
        return names_of(self.native) or LazyNames(len(self), self.native.tolist)

    def places(self, points: Iterable[Hashable], argument: str) -> Int64Array:
        """Where each of some points stands in it, -1 for those that it does not have; no name may stand twice."""
        place = {name: i for i, name in enumerate(self.native.tolist())}
        if len(place) < len(self):
            twice = self.native[self.native.duplicated()].unique()
            raise ArgumentError(
                Message(
                    "the index of `{argument}` must name each point once; {number} repeated: {names}.",
                    argument=argument,
                    number=count(len(twice), "name"),
                    names=listed(twice.tolist()),
                ),
                Message("pass `.to_numpy()` if its rows are in the order of the points of `true`."),
            )
        return np.fromiter((place.get(point, -1) for point in points), dtype=np.int64)


def index_of(data: object) -> Index | None:
    """The index of a pandas Series or frame; None for whatever has no index."""
    if isinstance(data, np.ndarray | list | tuple | dict):  # the common cases, and quick to tell
        return None
    native: Any = data
    if type(data).__module__.startswith("narwhals"):
        native = native.to_native()
    for kind in type(native).__mro__:
        if kind.__name__ in ("Series", "DataFrame") and kind.__module__.partition(".")[0] in (
            "pandas",
            "modin",
        ):
            return Index(native.index)
    return None


def refuse_half_named(true: Index, pred: Index) -> None:
    """Raise if one of two different indexes is the default one: neither way to match them may be guessed."""
    if true.default == pred.default:
        return
    named, other, index = ("pred", "true", pred) if true.default else ("true", "pred", true)
    raise LabelError(
        Message(
            "`{named}` has an index that names its points ({names}), and `{other}` has the default one (0, 1, 2, …): "
            "it is not clear whether they match by name or by position.",
            named=named,
            names=listed(index.native[:2].tolist(), len(index), 2),
            other=other,
        ),
        [
            Message("pass `.to_numpy()` of both to match them by position"),
            "give both an index to match them by name",
        ],
    )
