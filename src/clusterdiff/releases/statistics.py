"""What a release says of itself, without any truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.points.labels import Int64Array, IntArray
from clusterdiff.releases.overlay import Overlay
from clusterdiff.table import Table, record_html


class ReleaseStatistics(NamedTuple):
    """A release: its points and clusters, their sizes, singletons, and pairs of points that are together.

    ``homonymy`` is the share of clusters of which a point has a name that a point of another cluster has too;
    ``name_variation`` the share of clusters whose points have more than one name. None without names.
    """

    release: Any
    points: int
    clusters: int
    mean_size: float
    largest: int
    singletons: int
    pairs: int
    homonymy: float | None
    name_variation: float | None

    def _repr_html_(self) -> str:
        return record_html("ReleaseStatistics", self._asdict())


#: The columns that always hold numbers.
NUMBERS = ("points", "clusters", "mean_size", "largest", "singletons", "pairs")


def statistics(laid: Overlay, releases: list[Any], names: object = None) -> Table[ReleaseStatistics]:
    """A row for every release."""
    written = None if names is None else _names(laid, names)
    rows = [
        _row(release, labels.codes, len(labels.names), written)
        for release, labels in zip(releases, laid.labels, strict=True)
    ]
    columns = {}
    for i, name in enumerate(ReleaseStatistics._fields):
        values = [row[i] for row in rows]
        columns[name] = np.array(values) if name in NUMBERS else np.array(values, dtype=object)
    return Table(columns, ReleaseStatistics)


def _row(release: Any, codes: IntArray, k: int, names: Int64Array | None) -> ReleaseStatistics:
    sizes = np.bincount(codes[codes >= 0], minlength=k)
    n = int(sizes.sum())
    homonymy, variation = (None, None) if names is None else _by_name(codes, k, names)
    return ReleaseStatistics(
        release,
        n,
        k,
        n / k if k else 0.0,
        int(sizes.max(initial=0)),
        int((sizes == 1).sum()),
        int((sizes * (sizes - 1) // 2).sum()),
        homonymy,
        variation,
    )


def _by_name(codes: IntArray, k: int, names: Int64Array) -> tuple[float, float]:
    """Homonymy and name variation; points without a name do not count."""
    known = np.flatnonzero((codes >= 0) & (names >= 0))
    width = int(names.max(initial=0)) + 1
    keys = np.unique(codes[known].astype(np.int64) * width + names[known])
    cluster, name = np.divmod(keys, width)
    shared = np.bincount(name, minlength=width)[name] > 1
    homonymous = np.zeros(k, dtype=bool)
    homonymous[cluster[shared]] = True
    varied = np.bincount(cluster, minlength=k) > 1
    return float(homonymous.mean()) if k else 0.0, float(varied.mean()) if k else 0.0


def _names(laid: Overlay, names: object) -> Int64Array:
    if not isinstance(names, Mapping):
        raise ArgumentError.must("names", "be a dict from point to name", got=type(names).__name__)
    found = [names.get(point) for point in laid.points]
    codes = _core.encode_objects([None if name is None else str(name) for name in found]).codes
    return codes.astype(np.int64)
