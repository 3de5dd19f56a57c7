"""Labels: one integer per point, with the names that the integers stand for; a null label cannot be read by mistake."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import LabelError, changed, listed
from clusterdiff.messages import Message
from clusterdiff.table import python

IntArray = npt.NDArray[np.integer[Any] | np.bool_]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: So few labels are copied as they are: looking for a smaller type would take longer.
FEW = 10_000
#: How often a few of very many names are read by themselves, and how many names there are for each of them.
ASKED, MANY = 8, 100
#: A container of points, as it may stand inside a list of clusters.
CLUSTER_TYPES = (set, frozenset, list)


@dataclass(frozen=True)
class Single:
    """The cluster of a point that is in none of the user's: the point is noise, or its side lacks it.

    It equals no label that a user could have, and tables and counts leave it out.

    >>> print(Single("x"))
    x alone
    """

    point: Hashable

    def __str__(self) -> str:
        return f"{self.point} alone"


class LazyNames(Sequence[Hashable]):
    """Names that are read when one is asked for: making them can cost more than the whole comparison.

    ``own`` is for names that are read from something that its owner can change: it takes what is needed out of the
    owner's reach, and gives what loads the names from there. ``plain`` names are a user's own, and none is a
    :class:`Single`. ``some`` reads those at some places, for a few of very many. ``kind`` is the type of all of them,
    if that is known before they are read.
    """

    def __init__(
        self,
        count: int,
        load: Callable[[], Any],
        own: Callable[[], Callable[[], Any]] | None = None,
        *,
        plain: bool = False,
        some: Callable[[Int64Array], list[Any]] | None = None,
        kind: type | None = None,
    ) -> None:
        self._count = count
        self._load = load
        self._own = own
        self.plain = plain
        self.kind = kind
        self._some = some
        self._known: dict[int, Any] = {}
        self._asked = 0

    @classmethod
    def borrowed(cls, count: int, load: Callable[[], Any]) -> LazyNames:
        """Names out of a list or an array, which have to be read before their owner changes them."""
        return cls(count, load, lambda: _Known(load()))

    @cached_property
    def _names(self) -> Any:
        return self._load()

    def detach(self) -> LazyNames:
        """The same, out of the reach of whoever owns what they are read from."""
        if self._own is not None:
            self._load, self._own = self._own(), None
        return self

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self.at(np.array([index]))[0] if type(index) is int else self._names[index]

    def at(self, places: IntArray) -> list[Any]:
        """The names at some places; a few are read alone, unless that has been done so often that all are read."""
        asked = places.tolist()
        if self._some is not None and "_names" not in self.__dict__:
            unknown = sorted({i for i in {i % self._count for i in asked} if i not in self._known})
            self._asked += bool(unknown)
            if self._asked <= ASKED and len(unknown) * MANY <= self._count:
                if unknown:
                    found = self._some(np.array(unknown, dtype=np.int64))
                    self._known |= zip(unknown, found, strict=True)
                return [self._known[i % self._count] for i in asked]
        names = self._names
        return [names[i] for i in asked]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list | LazyNames):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # What loads them may hold a file or a connection; the names themselves can go anywhere.
        return _read, (self._count, self._names)


def names_at(points: Sequence[Hashable], places: IntArray) -> list[Any]:
    """The names of the points at some places.

    >>> names_at(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    return points.at(places) if isinstance(points, LazyNames) else [points[i] for i in places.tolist()]


def _read(count: int, names: Any) -> LazyNames:
    return LazyNames(count, _Known(names))


class _Known:
    """Names that have been read."""

    def __init__(self, names: Any) -> None:
        self.names = names

    def __call__(self) -> Any:
        return self.names


class Labels:
    """One label per point, as integers.

    The integers are the user's own labels, or codes into ``lexicon``. ``absent`` marks the points without a label, or
    is None when all have one. The integers in their places mean nothing, and nobody gets to see them: ``values`` is
    there only if every point has a label, and ``codes`` are -1 for those that have none. Nobody else has the arrays if
    they are not ``shared``.
    """

    def __init__(
        self,
        values: IntArray,
        lexicon: AnyArray | LazyNames | None = None,
        absent: BoolArray | None = None,
        shared: bool = True,
    ) -> None:
        self._values = values
        self._shared = shared
        self.lexicon = lexicon
        self.absent = absent if absent is not None and absent.any() else None

    @classmethod
    def coded(cls, codes: IntArray, names: AnyArray | None = None) -> Labels:
        """Codes, by which their names are found; -1 for points without a label."""
        return cls(codes, names, codes < 0)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> IntArray:
        """The integers; an error if a point has no label."""
        if self.absent is not None:
            raise LabelError(
                f"{int(self.absent.sum()):,} of {len(self):,} points without a label (null or NaN)."
            )
        return self._values

    @property
    def present(self) -> BoolArray:
        """Which points have a label."""
        return np.broadcast_to(np.True_, len(self)) if self.absent is None else ~self.absent

    @cached_property
    def _encoded(self) -> tuple[npt.NDArray[np.int32], IntArray]:
        """The codes, and the value behind each."""
        if self.absent is None:
            codes, first = _core.encode_integers(self._values)
            return codes, self._values[first]
        if self.absent.all():
            return np.full(len(self), -1, dtype=np.int32), self._values[:0]
        values = self._filled()
        codes, first = _core.encode_integers(values)
        codes[self.absent] = -1
        return codes, values[first]

    def _filled(self) -> IntArray:
        """The integers; where there is no label, that of the first point that has one."""
        if self.absent is None:
            return self._values
        values = self._values.copy() if self._shared else self._values  # in which these places mean nothing
        values[self.absent] = values[np.argmin(self.absent)]
        return values

    def _numbered(self) -> tuple[npt.NDArray[np.int32], int, Callable[[], IntArray]]:
        """Numbers of the labels, -1 where there is none; how many there are, and what says the value behind each.

        Those of labels that lie close together are their distances from the least, and some may be nobody's: it takes
        no search to find them.
        """
        if "_encoded" not in self.__dict__ and len(self) and (self.absent is None or not self.absent.all()):
            values = self._filled()
            low, high = (
                (0, len(self.lexicon) - 1) if self.lexicon is not None else (values.min(), values.max())
            )
            known = int(high) - int(low) + 1
            if known <= min(len(self), np.iinfo(np.int32).max):
                wide = np.uint64 if values.dtype == np.uint64 else np.int64
                codes = np.empty(len(self), dtype=np.int32)
                np.subtract(values, low, out=codes, dtype=wide, casting="unsafe")
                if self.absent is not None:
                    codes[self.absent] = -1
                return codes, known, lambda: (np.arange(known).astype(wide) + wide(low)).astype(values.dtype)
        codes, values = self._encoded
        return codes, len(values), lambda: values

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """The labels numbered 0, 1, 2, … in order of appearance; -1 for points without one."""
        return self._encoded[0]

    @cached_property
    def names(self) -> AnyArray:
        """The user's label behind each code."""
        return self.named(self._encoded[1])

    def named(self, values: IntArray) -> AnyArray:
        """The users' labels behind integers of ``values``."""
        return values if self.lexicon is None else self.lexicon[values]

    def to_list(self) -> list[Any]:
        """The user's label of each point; None where there is none."""
        names = [*self.names.tolist(), None]  # code -1 is the last
        return [names[code] for code in self.codes.tolist()]

    @cached_property
    def example(self) -> Any:
        """One of the labels as a Python value, to find out their type; None if there is none."""
        at = 0 if self.absent is None else int(np.argmin(self.absent))
        if not len(self) or (self.absent is not None and self.absent[at]):
            return None
        return python(self.named(self._values[at : at + 1])[0])

    def among(
        self, labels: Collection[Hashable], bare: Callable[[Hashable], Hashable] | None = None
    ) -> BoolArray:
        """Which points have one of these labels; ``bare`` takes names out of what they are wrapped in."""
        found = np.zeros(len(self), dtype=bool)
        if not labels:
            return found
        if self.lexicon is None:
            for label in labels:
                found |= np.asarray(self._values == label)
        else:
            names = self.lexicon[:].tolist()
            names = names if bare is None else map(bare, names)
            codes = [code for code, name in enumerate(names) if name in labels]
            found = np.isin(self._values, codes)
        return found if self.absent is None else found & ~self.absent

    # ---- other labels from these

    def take(self, places: IntArray) -> Labels:
        """The labels at some places, in their order; place -1 stands for a point that is not here."""
        absent = places < 0
        if self.absent is not None:
            absent |= self.absent[places]
        values = _core.take(self._values, places) if len(self) else np.zeros(len(places), dtype=np.int64)
        return Labels(values, self.lexicon, absent, shared=False)

    def renamed(self, lexicon: AnyArray | LazyNames) -> Labels:
        """The same codes with other names."""
        return Labels(self._values, lexicon, self.absent)

    def hidden(self, mask: BoolArray | None) -> Labels:
        """The same without the labels of some points."""
        if mask is None:
            return self
        if mask is self.absent:
            return Labels(self._values, self.lexicon, mask, self._shared)
        return Labels(self._values, self.lexicon, mask if self.absent is None else mask | self.absent)

    def apart(self, mask: BoolArray, points: Sequence[Hashable]) -> Labels:
        """The same with each point of ``mask`` alone; ``points`` has the names of all."""
        rest, single = self.hidden(mask), np.flatnonzero(mask)
        codes, known, values = rest._numbered()
        lexicon, total = self.lexicon, known + len(single)
        labels = codes if total <= np.iinfo(codes.dtype).max else codes.astype(np.int64)
        labels[single] = np.arange(known, total)

        def names() -> AnyArray:
            out = np.empty(total, dtype=object)
            out[:known] = values() if lexicon is None else lexicon[values()]
            out[known:] = [Single(points[i]) for i in single.tolist()]
            return out

        def own() -> Callable[[], Any]:
            for borrowed in (lexicon, points):
                if isinstance(borrowed, LazyNames):
                    borrowed.detach()
            return names

        if isinstance(points, range | LazyNames):  # and not a list that somebody may change
            return Labels(labels, LazyNames(total, names, own), null(labels), shared=False)
        return Labels(labels, LazyNames.borrowed(total, names), null(labels), shared=False)

    def detach(self, found: AnyArray | None = None) -> Labels:
        """The same, independent of arrays that their owner may change.

        ``found`` lists the distinct values, if they are known: few of them fit fewer bytes, and are copied sooner.
        """
        lexicon = self.lexicon.detach() if isinstance(self.lexicon, LazyNames) else self.lexicon
        if not self._shared or not changeable(self._values):
            return Labels(self._values, lexicon, self.absent, self._shared)
        if found is not None and len(self) > max(len(found), FEW):
            values = self._values.astype(_narrowest(found))
        else:
            values = self._values.copy()
        return Labels(values, lexicon, None if self.absent is None else self.absent.copy())


def _narrowest(values: AnyArray) -> Any:
    """The smallest type of integers that holds all of some values."""
    low, high = (np.min_scalar_type(bound) for bound in (values.min(), values.max()))
    return np.promote_types(low, high)


def changeable(array: AnyArray) -> bool:
    """Whether somebody else may write to an array: it is not a view of memory that is read-only all the way down.

    Memory of another library is taken for writable: a column of polars or pyarrow may be a view of a NumPy array.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return True
        base = base.base
    return not isinstance(base, bytes | None)


def kind(value: object) -> str:
    """The kind of a label or point, for telling mixed ones: NumPy's and Python's own types are one kind."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | np.integer):
        return "int"
    if isinstance(value, float | np.floating):
        return "float"
    if isinstance(value, str):
        return "str"
    return type(value).__name__


def encode_objects(items: Sequence[object] | AnyArray, argument: str, what: str = "labels") -> Labels:
    """Codes for arbitrary hashable objects; objects of different kinds may not mix, and null has none."""
    try:
        found = _core.encode_objects(items)
    except TypeError as error:
        if any(item is np.ma.masked for item in items):  # as they are in a list made from a masked array
            return encode_objects([None if item is np.ma.masked else item for item in items], argument, what)
        raise _incomparable(error, argument, what) from None
    return _encoded(found, partial(_take, items), argument, what)


def encode_lists(lists: list[list[Any]], argument: str, what: str = "labels") -> Labels:
    """The same for several lists, one after the other; it is quicker than making one of them."""
    try:
        found = _core.encode_lists(lists)
    except TypeError as error:
        raise _incomparable(error, argument, what) from None
    starts = np.cumsum([0, *map(len, lists)])

    def take(positions: Int64Array) -> AnyArray:
        of = (np.searchsorted(starts, positions, "right") - 1).tolist()
        out = np.empty(len(positions), dtype=object)
        out[:] = [lists[k][i - int(starts[k])] for k, i in zip(of, positions.tolist(), strict=True)]
        return out

    return _encoded(found, take, argument, what)


def _incomparable(error: TypeError, argument: str, what: str) -> LabelError:
    return LabelError.about(
        argument,
        f"holds {what} that cannot be compared: {error}.",
        "labels and points must be hashable: numbers, strings, bools, tuples and the like.",
    )


def _encoded(
    found: _core.ObjectCodes, take: Callable[[Int64Array], AnyArray], argument: str, what: str
) -> Labels:
    """Labels from codes of objects; ``take`` gives those at some places."""
    codes, first, types = found
    strange = next((found.__name__ for found, _ in types if hasattr(found, "__dlpack__")), None)
    if strange is not None:
        raise LabelError.about(
            argument,
            f"holds {what} of type {strange}, which compare by identity and not by value.",
            Message("pass plain numbers: `.tolist()` of the array that they come from."),
        )
    lexicon = LazyNames.borrowed(len(first), lambda: take(first))
    # One type only is the common case and needs no second look.
    if len(types) > 1 or (types and issubclass(types[0][0], float)):
        places = np.array([position for _, position in types])
        _refuse_mixture(dict(zip(places.tolist(), take(places), strict=True)), lexicon, argument, what)
    return Labels(codes, lexicon, null(codes))


def single(names: AnyArray) -> BoolArray:
    """Which clusters, by their names, are single points that are in none of the user's."""
    if names.dtype != object:
        return np.zeros(len(names), dtype=bool)
    return np.fromiter((type(name) is Single for name in names.tolist()), dtype=bool, count=len(names))


def null(codes: IntArray) -> BoolArray | None:
    """Which codes stand for no label, or None when all stand for one."""
    return codes < 0 if codes.size and codes.min() < 0 else None


def mixed(cluster: IntArray, value: IntArray, count: int | None = None) -> BoolArray:
    """Which clusters have more than one value; points in no cluster (-1) do not count."""
    some = np.flatnonzero(cluster >= 0)
    inside = cluster[some]
    k = int(inside.max(initial=-1)) + 1 if count is None else count
    any_value = np.zeros(k, dtype=value.dtype)
    any_value[inside] = value[some]
    out = np.zeros(k, dtype=bool)
    out[inside[value[some] != any_value[inside]]] = True
    return out


def _take(items: Sequence[object] | AnyArray, positions: npt.NDArray[np.int64]) -> AnyArray:
    if isinstance(items, np.ndarray) and items.dtype == object:
        return items[positions]
    out = np.empty(len(positions), dtype=object)
    try:
        out[:] = [items[i] for i in positions.tolist()]
    except IndexError:  # a list that another thread has shortened since
        raise changed() from None
    return out


def _refuse_mixture(found: dict[int, object], lexicon: LazyNames, argument: str, what: str) -> None:
    """Raise if what was found at some positions, one of each type, is not all of one kind."""
    kinds: dict[str, int] = {}
    for position, value in found.items():
        kinds.setdefault(kind(value), position)
    if "float" in kinds:
        refuse_fractions(np.array([x for x in lexicon if kind(x) == "float"], dtype=float), argument)
        kinds.setdefault("int", kinds.pop("float"))  # whole floats are integers that went through a NaN
    if len(kinds) > 1:
        met = " and ".join(f"{k} ({found[p]!r} at position {p})" for k, p in list(kinds.items())[:3])
        hint = "give all {what} of `{argument}` one type, for example with str()."
        told = f"mixes {what} of different types: {met}."
        raise LabelError.about(argument, told, Message(hint, what=what, argument=argument))


def refuse_fractions(values: npt.NDArray[np.floating[Any]], argument: str) -> None:
    """Raise if floats that are to be labels are not whole numbers."""
    fractional = values[~(np.isfinite(values) & (values == np.floor(values)))]
    if fractional.size:
        raise LabelError.must(
            argument,
            "hold whole numbers if it holds floats",
            got=listed(fractional[:5], fractional.size),
            hint="cluster labels are names, not measurements; round them or convert them to strings first.",
        )
