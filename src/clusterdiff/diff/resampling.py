"""Drawing units again: the bootstrap, and the coin of a paired permutation, both from the units' sums."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, whole_number
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

#: What one random number of a kind costs, in nanoseconds: a binomial one, the draw of a unit, a coin.
BINOMIAL, DRAW, COIN = 100.0, 1.0, 0.3
#: Random numbers that are held at a time: 32 MB.
AT_ONCE = 1 << 22
#: The last bits of a sum depend on the order of its terms. Sums that differ in these alone are equal.
LAST_BITS = 12


def check_draws(argument: str, draws: object, seed: object) -> None:
    """Raise unless these are a number of draws and a seed."""
    whole_number(argument, draws, 1)
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ArgumentError.must("seed", "be a whole number from 0 to 2^64 - 1", seed)


def bootstrap(sums: FloatArray, resamples: int, seed: int) -> FloatArray:
    """What resamples of the units add up to: a row for each, from the rows of ``sums``, which has one per unit.

    A resample draws as many units as there are, with replacement. Equal units are drawn together: how often a kind
    of unit comes is a multinomial number. Units of rare kinds are cheaper drawn one by one, from a pool that comes as
    often as another kind.

    >>> bootstrap(np.ones((5, 1)), 3, seed=0).tolist()
    [[5.0], [5.0], [5.0]]
    """
    units, width = sums.shape
    of_unit, first, counts = kinds_of(sums)
    many = counts * (width * DRAW) > BINOMIAL
    kinds, pool = sums[first[many]], np.ascontiguousarray(sums[~many[of_unit]])
    blocks = np.diff(np.append(np.arange(0, len(pool), _core.RESAMPLE_BLOCK), len(pool)))
    shares = np.concatenate([counts[many], blocks]) / units
    rng = np.random.default_rng(seed)
    out = np.empty((resamples, width))
    for rows in _stretches(resamples, len(shares)):
        drawn = rng.multinomial(units, shares, size=rows.stop - rows.start)
        out[rows] = drawn[:, : len(kinds)] @ kinds
        if len(pool):
            times = np.ascontiguousarray(drawn[:, len(kinds) :]).ravel()
            out[rows] += _core.resample(pool.ravel(), width, times, int(rng.integers(2**63)))
    return out


def coins(sums: FloatArray, draws: int, seed: int) -> FloatArray:
    """What the units that a fair coin picks add up to: a row per draw, from the rows of ``sums``, one per unit.

    Equal units share their coins: how many of them are picked is a binomial number. Units without any sum are left out.
    """
    rng = np.random.default_rng(seed)
    whole = np.zeros((draws, sums.shape[1]))
    told = (sums != 0).any(axis=0)  # two systems have the same truth, and often differ in one sum alone
    sums, out = sums[:, told], np.zeros((draws, int(told.sum())))
    _, first, counts = kinds_of(sums)
    some = (sums[first] != 0).any(axis=1)
    first, counts = first[some], counts[some]
    many = counts * COIN > BINOMIAL
    kinds, times = sums[first[many]], counts[many]
    for rows in _stretches(draws, len(times)):
        out[rows] += rng.binomial(times, 0.5, size=(rows.stop - rows.start, len(times))) @ kinds
    if not many.all():
        single = np.repeat(sums[first[~many]], counts[~many], axis=0)
        out += _core.toss(single.ravel(), single.shape[1], draws, int(rng.integers(2**63)))
    whole[:, told] = out
    return whole


def kinds_of(sums: FloatArray) -> tuple[IntArray, Int64Array, Int64Array]:
    """The kind of each row, equal rows being of one kind; where each kind stands first, and how many rows it has."""
    key = np.zeros(len(sums), dtype=np.uint64)
    for column in sums.T:
        bits = (np.ascontiguousarray(column) + 0.0).view(np.uint64)  # + 0.0: there is one zero
        rounded = (bits + np.uint64(1 << (LAST_BITS - 1))) >> np.uint64(LAST_BITS)
        # Two kinds would have to agree in a hash of 64 bits to be taken for one.
        key = (key ^ rounded) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    codes, first = _core.encode_integers(key)
    return codes, first, np.bincount(codes, minlength=len(first))


def _stretches(rows: int, width: int) -> Iterator[slice]:
    """Rows in stretches that hold no more numbers than there may be at a time."""
    if not width:
        return
    step = max(1, AT_ONCE // width)
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))
