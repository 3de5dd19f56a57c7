"""What users know about the points apart from their clusters: weights, features, distances; checked and in order."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import frexp, inf
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, listed, positions
from clusterdiff.messages import Message
from clusterdiff.points.alignment import Laid, Order
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.points.ownership import owned
from clusterdiff.points.reading import as_array, is_array, is_column
from clusterdiff.wording import count

#: How many pairs of points a distance function gets at once: bounds memory, amortises the call.
BLOCK = 1 << 20
#: How far a distance matrix may be from symmetric, relative to its largest entry.
SYMMETRY = 1e-9
#: How far a point may be from itself, relative to the largest distance: roots of rounded squares, in single precision.
ZERO = 1e-3


#: Numbers up to 2 to this power, and down to its inverse, can be multiplied four times and summed without leaving the
#: range of a double; others are measured in a unit that brings them to 1. A power of two rounds nothing.
SAFE = 100
#: The same for link weights, which are multiplied with two weights of points.
SAFE_LINKS = 20
#: Weights that are further apart than this leave no room for that: then their sum becomes 2 to the power ``FAR``.
#: Products of any two are numbers that a double holds, unless they are below ``NOTHING``, and count as 0.
SPREAD, FAR, NOTHING = 2.0**-300, 500, 2.0**-505


class Weights(NamedTuple):
    """The weights of the points in units of 2 to the ``scale``, as int64 or float64."""

    values: npt.NDArray[Any]
    scale: int = 0


def read_weights(weights: object, order: Order) -> Weights:
    """One finite weight ≥ 0 per point, in the order of the points compared."""
    values = np.asarray(order.arrange(_readable(weights, "weights"), "weights"))
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        raise ArgumentError.must(
            "weights", "be one number per point", got=f"{values.dtype} of shape {values.shape}"
        )
    whole = values.dtype.kind in "iub" and not (values.dtype == np.uint64 and (values >> 63).any())
    values = values.astype(np.int64 if whole else np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        raise ArgumentError.must(
            "weights",
            "be finite and not negative",
            got=f"{listed(values[bad[:5]], bad.size)} {positions(bad, bad.size)}",
            hint="a weight says how much a point counts; 0 leaves it out of the score.",
        )
    with np.errstate(over="ignore"):
        total = float(values.sum(dtype=np.float64))
    if total == 0:
        raise ArgumentError.about("weights", "must not all be zero.")
    if total == inf:
        raise ArgumentError.about(
            "weights",
            f"must add up to a number that a double can hold, at most {sys.float_info.max:.2g}.",
            "divide all weights by the same number: their scale changes no score.",
        )
    if whole and float(np.dot(values.astype(float), values)) < 2.0**63:
        return Weights(values)
    values = values.astype(np.float64)  # where squares no longer fit, floats keep 15 digits
    if np.min(values, where=values > 0, initial=inf) >= values.max() * SPREAD:
        return Weights(*_scaled(values))
    scale = frexp(total)[1] - FAR
    values = _in_units(values, scale)
    return Weights(np.where(values < NOTHING, 0.0, values), scale)


def _scaled(values: Any, safe: int = SAFE) -> tuple[Any, int]:
    """Floats in units of a power of two that keeps them within safe bounds, and that power: 0 if they are already."""
    scale = scale_of(float(max(-values.min(initial=0.0), values.max(initial=0.0))), safe)
    return (_in_units(values, scale), scale) if scale else (values, 0)


def _in_units(values: Any, scale: int) -> Any:
    """Numbers in units of 2 to the ``scale``; in two steps, since the inverse of the least doubles is none itself."""
    half = scale // 2
    return values * 2.0**-half * 2.0 ** (half - scale)


def scale_of(largest: float, safe: int = SAFE) -> int:
    """The power of two that numbers up to ``largest`` are measured in: 0 if they can be multiplied as they are."""
    scale = frexp(largest)[1]
    return 0 if abs(scale) <= safe else scale


def read_features(features: Any, order: Order, weights: npt.NDArray[Any] | None = None) -> Any:
    """A dense array or CSR matrix with a row of finite numbers per point, in the order of the points compared.

    What is checked, and sets the scale, is a copy: the owner may change the original meanwhile. Points without weight
    count for nothing, wherever they are: they must not set the scale of the others.
    """
    matrix = order.arrange(_readable(features, "features"), "features")
    if hasattr(matrix, "tocsr"):
        matrix = matrix.tocsr()
    else:
        if hasattr(matrix, "to_numpy"):
            matrix = matrix.to_numpy()
        matrix = owned(np.asarray(matrix), features)
        if matrix.ndim == 1:
            matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise ArgumentError.must(
            "features",
            "be a matrix of numbers with one row per point",
            got=f"{matrix.dtype} of shape {matrix.shape}",
        )
    if matrix.dtype.kind == "f" and matrix.dtype not in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            matrix = matrix.astype(np.float64)  # the core reads no others
    finite = matrix.data if hasattr(matrix, "tocsr") else matrix
    if matrix.dtype.kind == "f" and not _all_finite(finite):
        at = (
            np.flatnonzero(~np.isfinite(finite).all(axis=1))
            if finite.ndim == 2
            else np.flatnonzero(~np.isfinite(finite))
        )
        where = "row" if finite.ndim == 2 else "stored value"
        raise ArgumentError.must(
            "features",
            "be finite",
            got=f"NaN or infinity in {count(at.size, where)}: {listed(at[:5], at.size)}",
            hint="impute or drop those points first.",
        )
    return _bounded(matrix if weights is None or weights.all() else _without(matrix, weights > 0))


def _without(matrix: Any, kept: npt.NDArray[np.bool_]) -> Any:
    """A matrix of which only some rows are kept, and zeros take the place of the others."""
    if not hasattr(matrix, "tocsr"):
        return np.where(kept[:, None], matrix, 0)
    out = matrix.copy()
    out.data[~np.repeat(kept, np.diff(matrix.indptr))] = 0
    return out


def _all_finite(values: npt.NDArray[np.floating[Any]]) -> bool:
    """Whether no value is NaN or infinite, which the least or the greatest would be too."""
    return bool(np.isfinite(values.min(initial=0.0)) and np.isfinite(values.max(initial=0.0)))


def _bounded(matrix: Any, safe: int = SAFE) -> Any:
    """A matrix at a scale at which its products neither overflow nor vanish; no measure depends on it."""
    if matrix.dtype in (np.int64, np.uint64) and isinstance(matrix, np.ndarray) and len(matrix):
        # Beyond 2^53 whole numbers lose digits as doubles, but not what they are above the least of them.
        far = int(matrix.max()) > 1 << 53 or int(matrix.min()) < -1 << 53
        return (matrix - matrix.min(axis=0)).view(np.uint64) if far else matrix
    if matrix.dtype != np.float64:
        return matrix
    if not hasattr(matrix, "tocsr"):
        return _scaled(matrix, safe)[0]
    data, scale = _scaled(matrix.data, safe)
    if scale:
        matrix = matrix.copy()  # the places of the values may be the caller's
        matrix.data = data
    return matrix


def _readable(values: Any, argument: str) -> Any:
    """Values as the user gave them, or an array of another library as NumPy's; none of them may be masked."""
    if isinstance(values, Laid):
        return values
    if hasattr(values, "tocsr"):
        return _owned(values, argument)
    if is_array(values) and not is_column(values):
        values = as_array(values, argument)
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if mask is not None and mask.any():
        rows = mask.any(axis=tuple(range(1, mask.ndim)))
        at = np.flatnonzero(rows)
        raise ArgumentError.about(
            argument,
            f"must be known for every point; it is masked for {count(at.size)}, {positions(at, at.size)}.",
            [Message("fill them in with `.filled(…)`"), "leave those points out"],
        )
    return values


def _owned(matrix: Any, argument: str) -> Any:
    """A copy of a sparse matrix whose entries lie within it.

    SciPy trusts them, also in what it does below: were another thread to change them, it would reach beyond its memory.
    """
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            indices, indptr = matrix.indices.copy(), matrix.indptr.copy()
            if (np.diff(indptr) < 0).any():  # SciPy does not look where the last is below 1
                raise ValueError("indptr must be a non-decreasing sequence")
            own = type(matrix)((matrix.data.copy(), indices, indptr), shape=matrix.shape)
            own.check_format(full_check=True)
            return own
        if matrix.format == "coo":
            return type(matrix)(
                (matrix.data.copy(), (matrix.row.copy(), matrix.col.copy())), shape=matrix.shape
            )
        return matrix.copy()
    except ValueError as error:
        raise ArgumentError.about(
            argument,
            f"is not a valid sparse matrix: {error}.",
            Message("let no other thread write to it before `compare()` has returned."),
        ) from None


class LinkFunction:
    """A user's function of link weights, in a unit that its first answer settles: their scale changes no score."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._scale: int | None = None

    def __call__(self, one: Any, other: Any) -> FloatArray:
        """The link weight of each pair."""
        values = np.asarray(self._function(one, other), dtype=np.float64)
        if self._scale is None and values.any() and np.isfinite(values).all():
            self._scale = _scaled(values, SAFE_LINKS)[1]
        return np.ldexp(values, -self._scale) if self._scale else values


class Distances:
    """Link weights between points, from a square matrix, a condensed vector or a :class:`LinkFunction`.

    A function takes two equally long arrays of points (their names, or positions when they have none) and
    returns the link weight of each pair. Pairs that a sparse matrix does not store have the link weight 0.
    """

    def __init__(self, distances: Any, order: Order) -> None:
        self._order = order
        self._function = distances if isinstance(distances, LinkFunction) else None
        if self._function is not None:
            names = order.names
            self._points = np.arange(len(names)) if isinstance(names, range) else _objects(names)
            return
        order.refuse_unplaced("distances")
        self._links = (
            _sparse_links(_owned(distances, "distances"), order) if hasattr(distances, "tocoo") else None
        )
        if self._links is not None:
            return
        self._matrix = _checked_distances(np.asarray(_readable(distances, "distances")), order.passed)

    def sums(self, groups: npt.NDArray[Any], k: int, weights: npt.NDArray[Any] | None) -> FloatArray:
        """Σ of w_i·w_j·d_ij over the pairs of points in each of ``k`` groups."""
        indptr, members = _core.group_members(np.asarray(groups, dtype=np.int32), k)
        w = None if weights is None else np.asarray(weights, dtype=np.float64)
        if self._function is not None:
            return self._called(indptr, members, w)
        if self._links is not None:
            i, j, d = self._links
            inside = groups[i] == groups[j]
            i, j, d = i[inside], j[inside], d[inside]
            return np.bincount(groups[i], d if w is None else d * w[i] * w[j], k).astype(np.float64)
        if self._order.rows is not None:
            members = self._order.rows[members]
            if w is not None:
                w = _scattered(w, self._order.rows, self._order.passed)
        if self._matrix.ndim == 2:
            return _core.link_sums_square(indptr, members, self._matrix, w)
        return _core.link_sums_condensed(indptr, members, self._matrix, self._order.passed, w)

    def _called(self, indptr: Int64Array, members: npt.NDArray[Any], w: FloatArray | None) -> FloatArray:
        """Ask the user's function for all pairs inside groups, a block at a time."""
        assert self._function is not None
        totals = np.zeros(len(indptr) - 1)
        sizes = np.diff(indptr)
        # Position p of `members` pairs with the later ones of its group.
        later = np.repeat(indptr[1:], sizes) - np.arange(len(members)) - 1
        group = np.repeat(np.arange(len(sizes)), sizes)
        ends = np.cumsum(later)
        start = 0
        while start < len(members):
            stop = max(
                start + 1, int(np.searchsorted(ends, (ends[start - 1] if start else 0) + BLOCK, side="right"))
            )
            count = later[start:stop]
            left = np.repeat(np.arange(start, stop), count)
            step = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
            i, j = members[left], members[left + step + 1]
            if len(i):
                value: FloatArray = self._function(self._points[i], self._points[j])
                if value.shape != i.shape or not np.isfinite(value).all() or (value < 0).any():
                    least = f" with a minimum of {np.nanmin(value)}" if value.size else ""
                    raise ArgumentError.must(
                        "distances",
                        f"return a finite number ≥ 0 for each of the {len(i):,} pairs it was given",
                        got=f"an array of shape {value.shape}{least}",
                        hint="it takes two equally long arrays of points.",
                    )
                totals += np.bincount(group[left], value if w is None else value * w[i] * w[j], len(totals))
            start = stop
        return totals


def _objects(names: Any) -> npt.NDArray[Any]:
    kinds = {type(name) for name in names}
    if kinds in ({int}, {str}):
        return np.asarray(names)
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out


def _scattered(w: FloatArray, rows: Int64Array, given: int) -> FloatArray:
    out = np.zeros(given)
    out[rows] = w
    return out


def _sparse_links(matrix: Any, order: Order) -> tuple[Int64Array, Int64Array, FloatArray]:
    """The stored entries above the diagonal of a sparse matrix: both points, in the order compared, and the link."""
    from scipy.sparse import coo_array, triu

    if matrix.shape != (order.passed, order.passed):
        raise ArgumentError.must(
            "distances",
            f"be square with a row for each of the {order.passed:,} points",
            got=f"shape {matrix.shape}",
        )
    whole = matrix.tocsr().astype(np.float64)
    _refuse_bad_links(whole.data)
    gap = abs(whole - whole.T)
    if gap.nnz and gap.max() > SYMMETRY * float(whole.max()):
        raise _asymmetric(float(gap.max()))
    _refuse_similarity(whole.diagonal(), float(whole.max()) if whole.nnz else 0.0)
    whole = _bounded(whole, SAFE_LINKS)
    if order.rows is not None:
        whole = whole[order.rows][:, order.rows]
    upper = coo_array(triu(whole, k=1))
    return upper.row.astype(np.int64), upper.col.astype(np.int64), upper.data


def _refuse_bad_links(values: npt.NDArray[Any]) -> None:
    if not np.isfinite(values).all():
        raise ArgumentError.must(
            "distances",
            "be finite",
            got=f"NaN or infinity in {count(int((~np.isfinite(values)).sum()), 'entry')}",
        )
    if values.size and values.min() < 0:
        raise ArgumentError.must(
            "distances",
            "not be negative",
            got=f"{count(int((values < 0).sum()), 'entry')} below 0, the smallest {values.min()}",
        )


def _refuse_similarity(own: npt.NDArray[Any], largest: float) -> None:
    """Raise if points are apart from themselves; by rounding alone they may be so by a little."""
    far = np.flatnonzero(own > ZERO * largest)
    if far.size:
        raise ArgumentError.about(
            "distances",
            f"must be 0 between a point and itself; the diagonal is not, for {count(far.size)}: the first is "
            f"{float(own[far[0]]):.6g}, and the largest distance {largest:.6g}.",
            "turn similarities into distances, for example with s.max() - s.",
        )


def _asymmetric(gap: float) -> ArgumentError:
    return ArgumentError.about(
        "distances",
        f"must be symmetric; d[i, j] and d[j, i] differ by up to {gap:.6g}.",
        "take the mean of both directions: (d + d.T) / 2.",
    )


def _checked_distances(d: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    if d.dtype.kind not in "iufb" or d.ndim not in (1, 2):
        raise ArgumentError.must(
            "distances",
            "be a square matrix, a condensed vector or a function",
            got=f"{d.dtype} of shape {d.shape}",
        )
    if d.ndim == 2 and d.shape != (n, n):
        raise ArgumentError.must(
            "distances", f"be square with a row for each of the {n:,} points", got=f"shape {d.shape}"
        )
    if d.ndim == 1 and len(d) != n * (n - 1) // 2:
        raise ArgumentError.about(
            "distances",
            f"as a condensed vector must have n(n-1)/2 = {n * (n - 1) // 2:,} entries for {count(n)}; "
            f"got {len(d):,}.",
            "see scipy.spatial.distance.pdist.",
        )
    values = d if d.dtype in (np.float32, np.float64) else d.astype(np.float64)
    _refuse_bad_links(values)
    if values.ndim == 2:
        gap = max(
            (float(np.abs(values[i : i + 512] - values[:, i : i + 512].T).max()) for i in range(0, n, 512)),
            default=0,
        )
        if gap > SYMMETRY * float(values.max()):
            raise _asymmetric(gap)
        _refuse_similarity(values.diagonal(), float(values.max(initial=0.0)))
    bounded: npt.NDArray[Any] = _bounded(values, SAFE_LINKS)
    return bounded
