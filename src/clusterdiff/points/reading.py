"""From whatever holds one label per point (list, array, column of any library) to Labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import LabelError, MissingExtraError
from clusterdiff.messages import Message
from clusterdiff.points.labels import (
    AnyArray,
    BoolArray,
    Labels,
    LazyNames,
    encode_objects,
    null,
    refuse_fractions,
)


def read_labels(data: object, argument: str) -> Labels:
    """Integer labels from a list, tuple, NumPy array or column; ``argument`` names it in messages."""
    if isinstance(data, np.ndarray):
        return _from_array(data, argument)
    if isinstance(data, list | tuple):
        return encode_objects(_values(data), argument)
    if is_column(data):
        return _from_column(data, argument)
    if is_array(data):
        return _from_array(as_array(data, argument), argument)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | set | frozenset | Mapping):
        return encode_objects(list(data), argument)
    raise LabelError.must(
        argument,
        "hold one label per point (a list, array or column), a list of sets of points, or a dict "
        "from point to cluster",
        got=type(data).__name__,
        hint=Message('pass a column of its observations, such as `adata.obs["leiden"]`.')
        if hasattr(data, "obs")
        else None,
    )


def _values(items: Sequence[Any]) -> Sequence[Any]:
    """Labels by value, as they are in a list made from an array or column.

    Numbers of PyTorch or JAX compare by identity, and a null of pyarrow does not look like one.
    """
    if items and is_array(items[0]) and getattr(items[0], "ndim", None) == 0:
        return [item.item() if is_array(item) else item for item in items]
    if items and hasattr(items[0], "as_py"):
        return [item.as_py() if hasattr(item, "as_py") else item for item in items]
    return items


def _from_array(array: AnyArray, argument: str) -> Labels:
    if _is_linkage(array):
        raise LabelError.must(
            argument,
            "be one clustering",
            got=f"a dendrogram of {array.shape[0] + 1:,} points (an array of shape {array.shape})",
            hint=[
                Message("cut it with `scipy.cluster.hierarchy.fcluster(…)`"),
                Message("score every cut against true clusters with `sweep()`"),
            ],
        )
    if array.ndim != 1:
        raise LabelError.must(
            argument,
            "be one-dimensional, one label per point",
            got=f"an array of shape {array.shape}",
            hint=Message(
                "flatten a label image with `.ravel()`; turn a one-hot or score matrix into labels with "
                "`.argmax(axis=1)`."
            ),
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
            return Labels(codes, LazyNames.borrowed(len(first), lambda: array[first]), absent)
        case "M" | "m":
            missing = np.isnat(array)
            codes, first = _core.encode_integers(array.view(np.int64))
            return Labels(codes, array[first], _union(absent, missing))
        case "O" | "T":
            if absent is not None:
                array = array.astype(object)
                array[absent] = None  # what stands under a mask means nothing
            return encode_objects(array if array.dtype == object else array.astype(object), argument)
    raise LabelError.must(
        argument, "hold labels (integers, strings, bools or objects)", got=f"an array of {array.dtype}"
    )


def _is_linkage(array: AnyArray) -> bool:
    """Whether this is a dendrogram as SciPy has it: what is united, at which height, and how many points that makes."""
    if array.ndim != 2 or array.shape[1] != 4 or not len(array) or array.dtype.kind != "f":
        return False
    united, sizes, n = np.ma.getdata(array)[:, :2], np.ma.getdata(array)[:, 3], len(array) + 1
    ends = np.sort(united, axis=None)
    return sizes[-1] == n and bool(np.array_equal(ends, np.arange(2 * n - 2)))


def _from_floats(array: npt.NDArray[np.floating[Any]], absent: BoolArray | None, argument: str) -> Labels:
    missing = np.isnan(array) if absent is None else np.isnan(array) | absent
    present = array if not missing.any() else array[~missing]
    refuse_fractions(present, argument)
    if present.size and float(np.abs(present).max()) >= 2.0**63:
        raise LabelError.about(
            argument, "holds floats too large to be integers.", "pass integers or strings."
        )
    return Labels(np.where(missing, 0.0, array).astype(np.int64), None, missing)


def _union(one: BoolArray | None, other: BoolArray | None) -> BoolArray | None:
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _bytes_of(array: AnyArray) -> npt.NDArray[np.uint8]:
    """A fixed-width string array as rows of bytes, without copying a contiguous one."""
    array = np.ascontiguousarray(array)
    return array.view(np.uint8).reshape(len(array), array.dtype.itemsize)


def is_array(data: object) -> bool:
    """Whether this is an array of a library other than NumPy, such as JAX, PyTorch, CuPy or xarray."""
    return not isinstance(data, np.ndarray | np.generic | type) and (
        hasattr(data, "__dlpack__") or hasattr(data, "__array__")
    )


def as_array(data: Any, argument: str) -> AnyArray:
    """An array of another library as NumPy's, without a copy where both allow it."""
    reasons = []
    for attribute, convert in (("__dlpack__", np.from_dlpack), ("__array__", np.asarray)):
        if hasattr(data, attribute):
            try:
                return np.asarray(convert(data))
            except (BufferError, RuntimeError, TypeError, ValueError) as error:
                reasons.append(" ".join(str(error).split()))
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    raise LabelError.about(
        argument,
        f"must be readable by NumPy; {name} is not: {reasons[0]}",
        Message(
            "pass a NumPy array: `.detach().cpu().numpy()` in PyTorch, `.get()` in CuPy, `jax.device_get(…)` in JAX."
        ),
    )


def is_column(data: object) -> bool:
    """Whether this is a column of pandas, polars, pyarrow or another library with Arrow's interface.

    Not their single values: a Timestamp, a Period or pandas' NA is a label like any other.
    """
    root = type(data).__module__.partition(".")[0]
    return hasattr(data, "__arrow_c_stream__") or (
        root in {"pandas", "polars", "pyarrow", "narwhals", "modin", "cudf"} and hasattr(data, "__len__")
    )


def _from_column(data: Any, argument: str) -> Labels:
    import narwhals.stable.v2 as nw

    if not type(data).__module__.startswith(("pandas", "polars", "narwhals", "modin", "cudf")):
        data = (
            _arrow().chunked_array(data)
            if hasattr(data, "__arrow_c_stream__")
            else _arrow().chunked_array([data])
        )
    elif type(data).__module__.startswith("pandas") and not hasattr(data, "iloc"):
        data = _series_of(data)  # an Index, or an array of one of pandas' own types
    try:
        series = nw.from_native(data, series_only=True)
    except TypeError:
        raise LabelError.must(
            argument,
            "be one column",
            got=f"{type(data).__module__}.{type(data).__qualname__}",
            hint='pass one column, such as frame["cluster"].',
        ) from None
    dtype = series.dtype
    if not len(series) and dtype in {nw.Categorical, nw.Enum, nw.String}:
        return encode_objects([], argument)  # Arrow may have no memory at all for nothing
    if dtype in {nw.Categorical, nw.Enum}:
        return _from_categories(series.to_native(), argument)
    if dtype in {nw.Int128, nw.UInt128}:  # NumPy has no such integers
        return encode_objects(series.to_list(), argument)
    if dtype == nw.String and _arrow_backed(series.to_native()):
        return _from_arrow_text(_arrow_text(series))
    if dtype in {nw.Object, nw.String}:  # nulls are dealt with below
        return _from_array(np.asarray(series.to_numpy(), dtype=object), argument)
    absent = None
    if series.null_count():
        absent = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype.is_integer() or dtype == nw.Boolean:
        filled = series if absent is None else series.fill_null(False if dtype == nw.Boolean else 0)
        return Labels(np.asarray(filled.to_numpy()), None, absent)
    if dtype.is_float():
        return _from_floats(np.asarray(series.to_numpy(), dtype=np.float64), absent, argument)
    if dtype.is_nested():
        raise LabelError.must(
            argument,
            "hold one label per point",
            got=f"a column of {dtype}",
            hint="for clusters given as lists of points, pass a list of lists.",
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

    if isinstance(data, pandas.MultiIndex):
        return pandas.Series(data.tolist(), dtype=object)  # labels that are tuples
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


def _from_categories(column: Any, argument: str) -> Labels:
    """Labels straight from the library's own codes, where each stands for a name of its own."""
    root = type(column).__module__.partition(".")[0]
    if root == "pandas" and hasattr(column, "cat"):
        categories = column.cat.categories
        names = LazyNames(len(categories), lambda: np.asarray(categories.to_numpy(), dtype=object))
        codes = column.cat.codes.to_numpy()
        return Labels(codes, names, null(codes))
    if root == "polars":
        return _from_polars_categories(column)
    pa = _arrow()
    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([pa.array(column)])
    if not all(_distinct(chunk.dictionary) for chunk in column.chunks):
        # Two codes may stand for one name, or for none: the names have to be looked at.
        return _from_column(column.cast(column.type.value_type), argument)
    whole = column.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    codes = whole.indices.fill_null(0).to_numpy(zero_copy_only=False)
    absent = whole.is_null().to_numpy(zero_copy_only=False) if whole.null_count else None
    dictionary = whole.dictionary
    lexicon = LazyNames(len(dictionary), lambda: np.asarray(dictionary.to_pylist(), dtype=object))
    return Labels(codes, lexicon, absent)


def _distinct(dictionary: Any) -> bool:
    return not dictionary.null_count and len(dictionary.unique()) == len(dictionary)


def _from_polars_categories(column: Any) -> Labels:
    column = column.clone()  # of the column, not of its values: those of the user's own may be replaced later
    codes = column.to_physical().fill_null(0).to_numpy()
    count = int(codes.max(initial=0)) + 1
    absent = column.is_null().to_numpy() if column.null_count() else None

    def names() -> AnyArray:
        # The column knows the name of a category by its points alone: ask for the first of each.
        _, first = _core.encode_integers(codes)
        lexicon = np.empty(count, dtype=object)
        lexicon[codes[first]] = column.gather(first).cast(str).to_list()
        return lexicon

    return Labels(codes, LazyNames(count, names), absent)


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
    begin, end, viewed = column.offset, column.offset + len(column), pa.types.is_string_view(column.type)
    kind: Any = "V16" if viewed else np.int64 if pa.types.is_large_string(column.type) else np.int32
    # Where texts lie is copied: were another thread to change it, they would be sought outside of their memory.
    own = np.empty(end + 1, dtype=kind)
    own[begin : end + (not viewed)] = np.frombuffer(places, dtype=kind)[begin : end + (not viewed)]
    try:
        if viewed:
            views = own[begin:end].view(np.uint8).reshape(-1, 16)
            codes, first = _core.encode_views(views, texts, valid, begin)
        else:
            codes, first = _core.encode_text(own[begin : end + 1], texts[0], valid, begin)
    except ValueError as error:
        raise _spoilt(f"texts do not lie where the column says: {error}") from None
    owned = pa.Array.from_buffers(
        column.type, len(column), [validity, pa.py_buffer(own), *data], column.null_count, begin
    )

    names = partial(_first_texts, owned, first)
    # Most of Arrow's memory cannot change, but it may be somebody's bytearray.
    shared = any(part is not None and part.is_mutable for part in data)
    kept = partial(_taken_texts, owned, first) if shared else None
    return Labels(codes, LazyNames(len(first), names, kept, plain=True), null(codes))


def _taken_texts(column: Any, places: AnyArray) -> Callable[[], AnyArray]:
    """Some texts of a column in memory of their own, not yet as Python's."""
    pa = _arrow()
    # Arrow cannot yet take from string views.
    texts = column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
    return partial(_texts, texts.take(pa.array(places)))


def _first_texts(column: Any, places: AnyArray) -> AnyArray:
    return _taken_texts(column, places)()


def _texts(column: Any) -> AnyArray:
    try:
        return np.asarray(column.to_pylist(), dtype=object)
    except UnicodeDecodeError:
        raise _spoilt("a label is not UTF-8 text") from None


def _spoilt(what: str) -> LabelError:
    return LabelError(
        f"{what}. It was made like that, or changed while it was read.",
        Message("let no other thread write to labels before `compare()` has returned."),
    )
