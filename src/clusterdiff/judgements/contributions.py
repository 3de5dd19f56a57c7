"""What a changed component adds to the difference of two runs, once somebody says how its points belong together."""

from __future__ import annotations

import numpy as np

from clusterdiff.points.labels import FloatArray, Int64Array

#: What is less than this is no change.
EQUAL = 1e-12

#: Exact if only the component's own points are resolved.
INNER = ("true_pairs", "wrong_pairs", "b3.precision", "vi", "purity", "edits", "muc_links")
#: Exact if the sizes of the true clusters that touch it are known as well; otherwise cut at the component.
OUTER = ("b3.recall", "S'", "point_f", "point_jaccard", "element_centric", "exact")


def _size(codes: Int64Array) -> FloatArray:
    return np.bincount(codes)[codes].astype(float)


def _codes(*labels: Int64Array) -> Int64Array:
    """Labels, or several together, as numbers from 0."""
    if len(labels) == 1:
        return np.unique(labels[0], return_inverse=True)[1].ravel()
    return np.unique(np.stack(labels), axis=1, return_inverse=True)[1].ravel()


def _cells(run: Int64Array, true: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The cluster of the run and the size of every cell."""
    cells, sizes = np.unique(np.stack([run, true]), axis=1, return_counts=True)
    return cells[0], sizes


def _purest(cluster: Int64Array, size: Int64Array) -> float:
    """Points in the largest cell of their cluster."""
    most = np.zeros(cluster.max(initial=-1) + 1)
    np.maximum.at(most, cluster, size)
    return float(most.sum())


def _terms(run: Int64Array, true: Int64Array, a: FloatArray) -> dict[str, FloatArray]:
    """What each point adds to a measure of one run."""
    b, m = _size(run), _size(_codes(run, true))
    split = np.where(a > 1, np.log(m) / np.log(np.maximum(a, 2)), 1.0)
    merge = np.where(b > 1, np.log(m) / np.log(np.maximum(b, 2)), 1.0)
    return {
        "true_pairs": (m - 1) / 2,
        "pairs": (b - 1) / 2,
        "b3.precision": m / b,
        "b3.recall": m / a,
        "vi": np.log(b) - 2 * np.log(m),
        "S'": (split + merge) / 2,
        "point_f": 2 * m / (a + b),
        "point_jaccard": m / (a + b - m),
        "element_centric": m / np.maximum(a, b),
        "exact": ((m == a) & (m == b)).astype(float),
        "right": ((m == a) & (m == b)).astype(float),
        "split": split,
        "merge": merge,
    }


def _product(run: Int64Array, true: Int64Array, a: FloatArray) -> FloatArray:
    """s·t of each point, the true clusters being those that are given."""
    terms = _terms(run, true, a)
    s = (np.bincount(true, terms["split"]) / np.bincount(true))[true]
    t = (np.bincount(run, terms["merge"]) / np.bincount(run))[run]
    return s * t


def contributions(
    old: Int64Array, new: Int64Array, true: Int64Array, beyond: Int64Array | None = None
) -> dict[str, float]:
    """What a component adds to the difference, new minus old: totals over its points.

    ``beyond`` has, for each point, how many members of its true cluster are outside of the component. ``…, cut`` takes
    true clusters to end at the component. vi is a distance: it falls if the new run is better.
    """
    old, new, true = _codes(old), _codes(new), _codes(true)
    inside = _size(true)
    a = inside if beyond is None else inside + beyond
    before, after = _terms(old, true, a), _terms(new, true, a)
    out = {
        name: float((after[name] - before[name]).sum()) for name in (*INNER, "pairs", *OUTER) if name in after
    }
    out["wrong_pairs"] = out["pairs"] - 2 * out["true_pairs"]
    before_cells, after_cells = _cells(old, true), _cells(new, true)
    clusters = len(np.unique(new)) - len(np.unique(old))
    more = len(after_cells[0]) - len(before_cells[0])
    out["purity"] = _purest(*after_cells) - _purest(*before_cells)
    # Splits and merges to the truth are cells less clusters of either side; links that MUC finds are points less cells.
    out["edits"], out["muc_links"] = float(2 * more - clusters), float(-more)
    cut_before, cut_after = _terms(old, true, inside), _terms(new, true, inside)
    for name in OUTER:
        out[f"{name}, cut"] = float((cut_after[name] - cut_before[name]).sum())
    gain = _product(new, true, inside) - _product(old, true, inside)
    out["S_H, cut"] = float(gain.sum())
    out["points better"], out["points worse"] = float((gain > EQUAL).sum()), float((gain < -EQUAL).sum())
    out["points"] = float(len(old))
    out["better"], out["worse"] = float(out["S_H, cut"] > EQUAL), float(out["S_H, cut"] < -EQUAL)
    out["new right"] = float(cut_after["right"].all())
    out["old right"] = float(cut_before["right"].all())
    cells = _size(_codes(old, new))
    both = _size(_codes(old, new, true))
    in_old, in_new = _size(_codes(old, true)), _size(_codes(new, true))
    out["joined"], out["torn"] = float((_size(new) - cells).sum()) / 2, float((_size(old) - cells).sum()) / 2
    out["joined right"], out["torn wrongly"] = (
        float((in_new - both).sum()) / 2,
        float((in_old - both).sum()) / 2,
    )
    return out
