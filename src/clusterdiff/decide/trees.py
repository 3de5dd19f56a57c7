"""Trees of merges: dendrograms of other libraries and scored pairs, as one kind of thing that can be cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array
from clusterdiff.points.libraries import fitted
from clusterdiff.wording import count

Int32Array = npt.NDArray[np.int32]

FORMS = (
    "a linkage of scipy, (children, distances), a fitted AgglomerativeClustering or HDBSCAN, "
    "or a single linkage tree of hdbscan"
)


@dataclass(frozen=True, eq=False)
class Tree:
    """Merges in the order in which they happen.

    Nodes below ``points`` are points, and node ``points + k`` is what merge k makes of ``left[k]`` and ``right[k]``.
    ``height`` is where each happens: ascending, or descending if ``down``. ``link`` is the row of the dendrogram, or
    the pair, that brings it about.
    """

    points: int
    left: Int32Array
    right: Int32Array
    height: FloatArray
    link: Int64Array
    down: bool = False

    def __len__(self) -> int:
        """The number of merges."""
        return len(self.left)

    @property
    def ends(self) -> Int64Array:
        """How many merges have happened at each distinct height: those of one height happen together."""
        last = np.append(self.height[1:] != self.height[:-1], True) if len(self) else np.empty(0, dtype=bool)
        return np.concatenate([[0], np.flatnonzero(last) + 1]).astype(np.int64)

    def thresholds(self, ends: Int64Array) -> FloatArray:
        """A threshold at which exactly so many merges have happened; just before the first height for none."""
        before = np.zeros(1)
        if len(self):
            first = self.height[0]
            before[0] = np.nextafter(first, np.inf if self.down else -np.inf)
            if not self.down and first > 0:
                before[0] = 0.0
        at: FloatArray = np.concatenate([before, self.height])[ends]
        return at

    def merged(self, thresholds: npt.ArrayLike) -> Int64Array:
        """How many merges have happened at each threshold: heights up to it, or scores from it on."""
        at = np.asarray(thresholds, dtype=np.float64)
        if self.down:
            return np.searchsorted(-self.height, -at, side="right").astype(np.int64)
        return np.searchsorted(self.height, at, side="right").astype(np.int64)

    def cut(self, merges: int) -> Int32Array:
        """The cluster of each point after so many merges."""
        return _core.cut(self.left, self.right, self.points, merges)

    def with_points(self, more: int) -> Tree:
        """The same with more points, which stay alone; they are numbered after the others."""
        if not more:
            return self
        old, new = self.points, self.points + more
        left, right = (
            np.where(side >= old, side + more, side).astype(np.int32) for side in (self.left, self.right)
        )
        return Tree(new, left, right, self.height, self.link, self.down)

    def pruned(self, keep: npt.NDArray[np.bool_]) -> Tree:
        """The same without some points: whom they connect stays connected."""
        if keep.all():
            return self
        left, right, merges = _core.pruned(self.left, self.right, keep)
        return Tree(int(keep.sum()), left, right, self.height[merges], self.link[merges], self.down)


def read_tree(tree: Any) -> Tree:
    """The tree of a dendrogram, in any of the forms that are known."""
    left, right, height = _parts(tree)
    if not np.isfinite(height).all():
        raise ArgumentError.about(
            "tree",
            "must have a height for every merge; it has "
            f"{count(int((~np.isfinite(height)).sum()), 'merge')} without one (NaN or infinite).",
        )
    try:
        made = _core.dendrogram(left, right, height)
    except ValueError as error:
        raise ArgumentError.about(
            "tree",
            f"is not a dendrogram: {error}.",
            "of n points the first merge is node n, the next n + 1, and each node is merged once.",
        ) from None
    return Tree(len(left) + 1, made.left, made.right, made.height, made.link)


def _parts(tree: Any) -> tuple[Int64Array, Int64Array, FloatArray]:
    """The nodes that each merge joins, and its height."""
    if isinstance(tree, tuple) and len(tree) == 2:
        return _children(*tree)
    model = fitted(tree)
    if hasattr(model, "children_"):
        if not hasattr(model, "distances_"):
            raise ArgumentError(
                f"the {type(model).__name__} has merges without distances.",
                Message(
                    "fit it with `AgglomerativeClustering(compute_distances=True)`, or with a distance_threshold."
                ),
            )
        return _children(model.children_, model.distances_)
    for known in ("single_linkage_tree_", "_single_linkage_tree_"):  # hdbscan, scikit-learn
        tree = getattr(model, known, tree)
    if hasattr(tree, "to_numpy"):
        tree = tree.to_numpy()
    array = _array(tree)
    if array.dtype.names is not None and {"left_node", "right_node", "value"} <= set(array.dtype.names):
        return _children(np.column_stack([array["left_node"], array["right_node"]]), array["value"])
    if array.ndim != 2 or array.shape[1] != 4 or array.dtype.kind not in "iuf":
        raise ArgumentError.must(
            "tree",
            f"be {FORMS}",
            got=f"{type(tree).__name__}{f' of shape {array.shape}' if array.ndim else ''}",
            hint=Message(
                "pass clusterings at several resolutions as `columns=`, or scored pairs as `pairs=`."
            ),
        )
    return _children(array[:, :2], array[:, 2])


def _children(children: Any, heights: Any) -> tuple[Int64Array, Int64Array, FloatArray]:
    nodes, height = _array(children), _array(heights, np.float64).copy()
    if nodes.ndim != 2 or nodes.shape[1] != 2 or height.shape != nodes.shape[:1]:
        raise ArgumentError.must(
            "tree",
            "have two nodes and a height for each merge",
            got=f"children of shape {nodes.shape} and heights of shape {height.shape}",
        )
    if nodes.dtype.kind not in "iuf":
        raise ArgumentError.must("tree", "join nodes, which are whole numbers", got=str(nodes.dtype))
    with np.errstate(invalid="ignore"):  # NaN and infinity become whole numbers, which differ from them
        left, right = (nodes[:, side].astype(np.int64) for side in (0, 1))
    if not ((left == nodes[:, 0]).all() and (right == nodes[:, 1]).all()):
        raise ArgumentError.about("tree", "must join nodes, which are whole numbers; it has others.")
    return left, right, height


def _array(values: Any, dtype: Any = None) -> AnyArray:
    try:
        return np.asarray(values, dtype=dtype)
    except (OverflowError, TypeError, ValueError):
        raise ArgumentError.about(
            "tree", f"must be {FORMS}; it cannot be read as an array of numbers."
        ) from None


def spanning_tree(left: Int32Array, right: Int32Array, score: FloatArray, points: int) -> Tree:
    """The tree of scored pairs: at every threshold the same clusters as all pairs with at least that score."""
    made = _core.spanning(left, right, score, points)
    return Tree(points, made.left, made.right, made.height, made.link, down=True)
