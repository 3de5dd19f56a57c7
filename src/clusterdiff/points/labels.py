"""From whatever holds one label a point (list, array, column) to integer labels and their names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import LabelError, MissingExtraError, listed

IntArray = npt.NDArray[np.integer[Any] | np.bool_]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: A container of points, as it may stand inside a list of clusters.
CLUSTER_TYPES = (set, frozenset, list)


class LazyNames(Sequence[Hashable]):
    """Names that are read when somebody asks for one: making them can cost more than the whole comparison.

    ``borrowed``: they are read from something that its owner can change.
    """

    def __init__(self, count: int, load: Callable[[], Any], borrowed: bool = False) -> None:
        self._count = count
        self._load = load
        self._borrowed = borrowed

    @cached_property
    def _names(self) -> Any:
        return self._load()

    def settle(self) -> None:
        """Read borrowed names now, before their owner changes them."""
        if self._borrowed:
            self._names  # noqa: B018

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self._names[index]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._names)


class Labels(NamedTuple):
    """Integer labels, one a point.

    ``lexicon`` is None when the integers are the user's own labels; otherwise the integers are codes and
    ``lexicon[code]`` is the label. ``absent`` marks the points without a label, or is None when all have one.
    """

    values: IntArray
    lexicon: AnyArray | LazyNames | None
    absent: BoolArray | None


def read_labels(data: object, argument: str) -> Labels:
    """Integer labels from a list, tuple, NumPy array or column; ``argument`` names it in messages."""
    if isinstance(data, np.ndarray):
        return _from_array(data, argument)
    if isinstance(data, list | tuple):
        return encode_objects(data, argument)
    if is_column(data):
        return _from_column(data, argument)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | set | frozenset):
        return encode_objects(list(data), argument)
    raise LabelError(
        f"`{argument}` must hold one label a point (a list, array or column), a list of sets of points, "
        f"or a dict from point to cluster; got {type(data).__name__}."
    )


def kind(value: object) -> str:
    """The kind of a label or point, as far as mixing goes: numpy's and Python's own types are one kind."""
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
    """Codes for arbitrary hashable objects; objects of different kinds may not mix, null gets -1."""
    try:
        codes, first, types = _core.encode_objects(items)
    except TypeError as error:
        raise LabelError(
            f"`{argument}` holds {what} that cannot be compared: {error}.",
            "labels and points must be hashable: numbers, strings, bools, tuples and the like.",
        ) from None
    lexicon = LazyNames(len(first), lambda: _take(items, first), borrowed=True)
    # One type only is the common case and needs no second look.
    if len(types) > 1 or (types and issubclass(types[0][0], float)):
        _refuse_mixture(items, [position for _, position in types], lexicon, argument, what)
    return Labels(codes, lexicon, _absent(codes))


def _take(items: Sequence[object] | AnyArray, positions: npt.NDArray[np.int64]) -> AnyArray:
    out = np.empty(len(positions), dtype=object)
    out[:] = [items[i] for i in positions.tolist()]
    return out


def _absent(codes: IntArray) -> BoolArray | None:
    return codes < 0 if codes.size and codes.min() < 0 else None


def _refuse_mixture(
    items: Sequence[object] | AnyArray, positions: list[int], lexicon: LazyNames, argument: str, what: str
) -> None:
    kinds: dict[str, int] = {}
    for position in positions:
        kinds.setdefault(kind(items[position]), position)
    if "float" in kinds:
        _refuse_fractions(np.array([x for x in lexicon if kind(x) == "float"], dtype=float), argument)
        kinds.setdefault("int", kinds.pop("float"))  # whole floats are integers that went through a NaN
    if len(kinds) > 1:
        met = " and ".join(f"{k} ({items[p]!r} at position {p})" for k, p in list(kinds.items())[:3])
        raise LabelError(
            f"`{argument}` mixes {what} of different types: {met}.",
            f"give all {what} of `{argument}` one type, for example with str().",
        )


def _refuse_fractions(values: npt.NDArray[np.floating[Any]], argument: str) -> None:
    fractional = values[~(np.isfinite(values) & (values == np.floor(values)))]
    if fractional.size:
        raise LabelError(
            f"`{argument}` must hold whole numbers if it holds floats; got {listed(fractional[:5], fractional.size)}.",
            "cluster labels are names, not measurements; round them or convert them to strings first.",
        )


def _from_array(array: AnyArray, argument: str) -> Labels:
    if array.ndim != 1:
        raise LabelError(
            f"`{argument}` must be one-dimensional, one label a point; got an array of shape {array.shape}.",
            "flatten a label image with .ravel(); turn a one-hot or score matrix into labels with .argmax(axis=1).",
        )
    masked = np.ma.getmask(array)
    absent = np.asarray(masked) if masked is not np.ma.nomask and np.any(masked) else None
    array = np.ma.getdata(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    match array.dtype.kind:
        case "i" | "u" | "b":
            return Labels(array, None, absent)
        case "f":
            return _from_floats(array, absent, argument)
        case "U" | "S":
            codes, first = _core.encode_fixed(_bytes_of(array), 4 if array.dtype.kind == "U" else 1)
            return Labels(codes, LazyNames(len(first), lambda: array[first], borrowed=True), absent)
        case "M" | "m":
            missing = np.isnat(array)
            codes, first = _core.encode_integers(array.view(np.int64))
            return Labels(codes, array[first], _union(absent, missing if missing.any() else None))
        case "O" | "T":
            labels = encode_objects(array if array.dtype == object else array.astype(object), argument)
            return labels._replace(absent=_union(absent, labels.absent))
    raise LabelError(
        f"`{argument}` must hold labels (integers, strings, bools or objects); got an array of {array.dtype}."
    )


def _from_floats(array: npt.NDArray[np.floating[Any]], absent: BoolArray | None, argument: str) -> Labels:
    missing = np.isnan(array)
    present = array if not missing.any() else array[~missing]
    _refuse_fractions(present, argument)
    if present.size and float(np.abs(present).max()) >= 2.0**63:
        raise LabelError(f"`{argument}` holds floats too large to be integers.", "pass integers or strings.")
    values = np.where(missing, 0.0, array).astype(np.int64)
    return Labels(values, None, _union(absent, missing if missing.any() else None))


def _union(one: BoolArray | None, other: BoolArray | None) -> BoolArray | None:
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _bytes_of(array: AnyArray) -> npt.NDArray[np.uint8]:
    """A fixed-width string array as rows of bytes, without copying a contiguous one."""
    array = np.ascontiguousarray(array)
    return array.view(np.uint8).reshape(len(array), array.dtype.itemsize)


def is_column(data: object) -> bool:
    """Whether this is a column of pandas, polars, pyarrow or another library with Arrow's interface."""
    root = type(data).__module__.partition(".")[0]
    return root in {"pandas", "polars", "pyarrow", "narwhals", "modin", "cudf"} or hasattr(
        data, "__arrow_c_stream__"
    )


def _from_column(data: Any, argument: str) -> Labels:
    import narwhals.stable.v2 as nw

    if not type(data).__module__.startswith(("pandas", "polars", "narwhals", "modin", "cudf")):
        data = (
            _arrow().chunked_array(data)
            if hasattr(data, "__arrow_c_stream__")
            else _arrow().chunked_array([data])
        )
    elif type(data).__name__ in {"Index", "RangeIndex", "CategoricalIndex", "Categorical"}:
        data = _series_of(data)
    try:
        series = nw.from_native(data, series_only=True)
    except TypeError:
        raise LabelError(
            f"`{argument}` must be one column; got {type(data).__module__}.{type(data).__qualname__}.",
            'pass one column, such as frame["cluster"].',
        ) from None
    dtype = series.dtype
    if dtype == nw.String and _arrow_backed(series.to_native()):
        return _from_arrow_text(_arrow_text(series))
    if dtype in {nw.Object, nw.String}:  # nulls are seen to with the rest
        return _from_array(np.asarray(series.to_numpy(), dtype=object), argument)
    absent = None
    if series.null_count():
        absent = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype.is_integer() or dtype == nw.Boolean:
        filled = series if absent is None else series.fill_null(False if dtype == nw.Boolean else 0)
        return Labels(np.asarray(filled.to_numpy()), None, absent)
    if dtype.is_float():
        return _from_floats(np.asarray(series.to_numpy(), dtype=np.float64), absent, argument)
    if dtype in {nw.Categorical, nw.Enum}:
        codes, lexicon = _categories(series.to_native())
        return Labels(codes, lexicon, absent)
    if dtype.is_nested():
        raise LabelError(
            f"`{argument}` must hold one label a point; got a column of {dtype}.",
            "for clusters given as lists of points, pass a list of lists.",
        )
    return _from_array(np.asarray(series.to_numpy(), dtype=object), argument)


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "arrow", "reading an Arrow column") from None
    return pyarrow


def _series_of(data: Any) -> Any:
    import pandas

    return pandas.Series(data)


def _arrow_backed(column: Any) -> bool:
    """Whether Arrow's buffers can be had without copying text: not for pandas' columns of Python strings."""
    if type(column).__module__.startswith("pandas"):
        return "pyarrow" in str(getattr(column.dtype, "storage", column.dtype))
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def _categories(column: Any) -> tuple[IntArray, LazyNames]:
    """Codes and category names straight from the library's own encoding; null may have any code."""
    root = type(column).__module__.partition(".")[0]
    if root == "pandas":
        categories = column.cat.categories
        return column.cat.codes.to_numpy(), LazyNames(
            len(categories), lambda: np.asarray(categories.to_numpy(), dtype=object)
        )
    if root == "polars":
        codes = column.to_physical().fill_null(0).to_numpy()
        count = int(codes.max(initial=0)) + 1

        def names() -> AnyArray:
            # The column knows the name of a category by its points alone: ask for the first of each.
            _, first = _core.encode_integers(codes)
            lexicon = np.empty(count, dtype=object)
            lexicon[codes[first]] = column.gather(first).cast(str).to_list()
            return lexicon

        return codes, LazyNames(count, names)
    pa = _arrow()
    whole = column.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    codes = whole.indices.fill_null(0).to_numpy(zero_copy_only=False)
    dictionary = whole.dictionary
    return codes, LazyNames(len(dictionary), lambda: np.asarray(dictionary.to_pylist(), dtype=object))


def _arrow_text(series: Any) -> Any:
    """The Arrow array of a column of strings, without a copy of the text where the library allows."""
    pa = _arrow()
    column = series.to_native()
    if not isinstance(column, pa.ChunkedArray):
        column = (
            pa.chunked_array(column)
            if hasattr(column, "__arrow_c_stream__")
            else pa.chunked_array([series.to_arrow()])
        )
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _from_arrow_text(column: Any) -> Labels:
    """Codes for an Arrow array of strings, hashed where they lie."""
    pa = _arrow()
    validity, places, *data = column.buffers()
    if not column.null_count:
        validity = None
    valid = None if validity is None else np.frombuffer(validity, dtype=np.uint8)
    texts = [np.empty(0, np.uint8) if part is None else np.frombuffer(part, np.uint8) for part in data]
    rows = slice(column.offset, column.offset + len(column))
    if pa.types.is_string_view(column.type):
        views = np.frombuffer(places, dtype=np.uint8).reshape(-1, 16)[rows]
        codes, first = _core.encode_views(views, texts, valid, column.offset)
    else:
        starts: Any = np.frombuffer(
            places, dtype=np.int64 if pa.types.is_large_string(column.type) else np.int32
        )
        codes, first = _core.encode_text(starts[rows.start : rows.stop + 1], texts[0], valid, column.offset)

    def names() -> AnyArray:
        # Arrow cannot yet take from string views.
        taken = column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
        return np.asarray(taken.take(pa.array(first)).to_pylist(), dtype=object)

    return Labels(codes, LazyNames(len(first), names), _absent(codes))
