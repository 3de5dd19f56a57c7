"""Index: the names that come along with a pandas Series or frame, and when they count."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, LabelError, listed
from clusterdiff.messages import Message
from clusterdiff.points.labels import Int64Array, LazyNames
from clusterdiff.wording import count


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
        return LazyNames(len(self), self.native.tolist)

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
