"""Connected components with relational operations only: randomised contraction.

In every round each vertex joins the neighbour (or itself) that comes first in a random order of that round, and the
edges are redrawn between those. The number of vertices that still have edges falls by a constant factor on
average, so the rounds are O(log n) on any graph, long chains included. See Bögeholz, Brand & Todor (2020),
"In-database connected component analysis", ICDE.
"""

from __future__ import annotations

import random

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.errors import EngineError
from clusterdiff.tables.engines.native import Engine, Frame

c = nw.col
#: Vertices are numbers below this prime, so that x → (a·x + b) mod P orders them at random within 64 bits.
PRIME = 2**31 - 1
#: The order and the vertex share one integer: the least of them names its vertex.
SHIFT = 2**32


def components(engine: Engine, edges: Frame, vertices: int, seed: int = 0) -> Frame:
    """The component of each vertex that has an edge, as columns ``vertex`` and ``component``.

    ``edges`` has the columns ``u`` and ``v`` of integers from 0 to ``vertices`` − 1; a component is called like
    one of its vertices.
    """
    if vertices >= PRIME:
        raise EngineError(
            f"the components of {vertices:,} clusters cannot be found: {PRIME - 1:,} is the limit.",
            "scores and losses do not need them.",
        )
    rng = random.Random(seed)
    steps: list[Frame] = []
    count = _rows(engine, edges)
    while count > engine.collect_below:
        step = _nearest(edges, rng.randrange(1, PRIME), rng.randrange(PRIME))
        steps.append(engine.keep(step))
        contracted = _contracted(engine, edges, steps[-1])
        count = _rows(engine, contracted)
        if len(steps) > 1:
            engine.free(edges)
        edges = contracted
    if count:
        steps.append(_in_memory(engine, edges))
    elif not steps:
        return edges.select(vertex=c("u"), component=c("v"))  # no edges, no components
    label = steps.pop()
    while steps:
        step = steps.pop()
        after = step.join(label, left_on="component", right_on="vertex", how="left", suffix="_next")
        whole = engine.keep(
            after.select("vertex", component=nw.coalesce("component_next", "component").cast(nw.Int64))
        )
        engine.free(step)
        engine.free(label)
        label = whole
    return label


def _nearest(edges: Frame, a: int, b: int) -> Frame:
    """For each vertex, the first of itself and its neighbours in a random order."""

    def key(vertex: str) -> nw.Expr:
        return (c(vertex) * a + b) % PRIME * SHIFT + c(vertex)

    both = nw.concat(
        [edges.select(vertex=c("u"), key=key("v")), edges.select(vertex=c("v"), key=key("u"))], how="vertical"
    )
    least = both.group_by("vertex").agg(key=c("key").min()).with_columns(own=key("vertex"))
    first = nw.when(c("own") < c("key")).then(c("own")).otherwise(c("key"))
    return least.select("vertex", component=(first % SHIFT).cast(nw.Int64))


def _contracted(engine: Engine, edges: Frame, step: Frame) -> Frame:
    """The edges between what their ends joined, each once and none within; one join at a time, to save memory."""
    moved = edges.join(step.rename({"component": "a"}), left_on="u", right_on="vertex", how="inner")
    half = engine.keep(moved.select("v", "a"))
    moved = half.join(step.rename({"component": "b"}), left_on="v", right_on="vertex", how="inner")
    turned = moved.filter(c("a") != c("b")).select(
        u=nw.when(c("a") < c("b")).then(c("a")).otherwise(c("b")),
        v=nw.when(c("a") < c("b")).then(c("b")).otherwise(c("a")),
    )
    out = engine.keep(turned.group_by("u", "v").agg(n=nw.len()).select("u", "v"))
    engine.free(half)
    return out


def _in_memory(engine: Engine, edges: Frame) -> Frame:
    """The components of the rest, which is small enough to be brought here."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    got = engine.fetch(edges.select("u", "v"))
    u, v = (
        np.asarray(got[x].to_numpy() if hasattr(got[x], "to_numpy") else got[x], dtype=np.int64)
        for x in ("u", "v")
    )
    names, codes = np.unique(np.concatenate([u, v]), return_inverse=True)
    graph = coo_array(
        (np.ones(len(u), dtype=np.int8), (codes[: len(u)], codes[len(u) :])), shape=(len(names),) * 2
    )
    _, label = connected_components(graph, directed=False)
    first = np.full(int(label.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[label[::-1]] = names[::-1]
    return engine.load({"vertex": names, "component": first[label]}, edges)


def _rows(engine: Engine, frame: Frame) -> int:
    return int(engine.row(frame.select(n=nw.len()))["n"])
