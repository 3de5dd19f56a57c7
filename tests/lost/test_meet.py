"""What a meet with lost points says of itself: every method counts them, or says why it cannot."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.meet.lattice import Components, bipartite, derivation, to_networkx
from clusterdiff.meet.meet import Meet
from tests.cases import cases

TRUE = {p: f"t{p % 3}" for p in range(33) if p not in (1, 4, 30)} | {40: "t9"}
PRED = {p: f"p{p % 4}" for p in range(33) if p not in (2, 5)} | {50: "p0", 51: "p8"}
WEIGHTS = {p: 1.0 + p / 8 for p in TRUE.keys() | PRED.keys()}

#: Members that are the same for any meet, or that are held against the points elsewhere.
ELSEWHERE = {
    "overlap",
    "once",
    "known",
    "terms",
    "lacking",
    "scale",
    "weights",
    "moments",
    "links",
    "features",
    "cells",
}
#: Members of even meets alone: what they say of the points that both have would be half of the truth.
REFUSED = {"coarsen", "margins", "regroup", "restrict", "weighed", "within", "bottom_entropy"}
#: Members of the class.
MAKERS = {"from_cells", "from_labels", "of_points"}
#: Members that are about the cells, which hold the points that both have.
OF_CELLS = {
    "cell_of_point",
    "grouped",
    "indptr",
    "mass",
    "members",
    "members_of",
    "pred",
    "relocated",
    "size",
    "true",
}
#: Members that count lost points too.
COUNT_ALL = {
    "agreed", "disagreed", "k_pred", "k_true", "knows_points", "losses", "lost", "masses", "missing", "n", "pairs",
    "names", "naming", "part", "positive", "pred_mass", "pred_names", "pred_size", "same", "scratch", "shared_clusters",
    "singles", "spurious", "sums", "table", "to_dict", "to_frame", "total", "transpose", "transpose_of",
    "transpose_order", "true_mass", "true_names", "true_size", "uneven", "weighted", "with_points",
}  # fmt: skip


def meet_of(weights: dict[int, float] | None = None) -> Any:
    return cd.compare(TRUE, PRED, missing="lost", weights=weights).meet


def rows_of(points: Any, weights: dict[int, float] | None = None) -> Counter[tuple[Any, Any]]:
    rows: Counter[tuple[Any, Any]] = Counter()
    for point in points:
        rows[TRUE.get(point), PRED.get(point)] += 1 if weights is None else weights[point]  # type: ignore[assignment]
    return rows


def test_every_member_has_been_looked_at() -> None:
    """A new method of meets must say what it does with lost points: count them, refuse, or leave them out aloud."""
    public = {name for name in dir(Meet) if not name.startswith("_")}
    known = ELSEWHERE | REFUSED | MAKERS | OF_CELLS | COUNT_ALL
    assert public <= known, public - known


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_tables_hold_every_point(weights: dict[int, float] | None) -> None:
    """Cells, and a row for the points of each cluster that the other side lacks; exports say the same."""
    meet = meet_of(weights)
    rows = meet.to_dict()
    size = dict(zip(zip(rows["true"], rows["pred"], strict=True), rows["size"], strict=True))
    points = TRUE.keys() | PRED.keys()
    assert size == rows_of(points)
    assert sum(size.values()) == meet.n == len(points)
    assert len(meet.to_frame()) == len(bipartite(meet)) == len(size)
    if weights is not None:
        weight = dict(zip(size, rows["weight"], strict=True))
        assert weight == pytest.approx(rows_of(points, weights))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_members_count_lost_points(weights: dict[int, float] | None) -> None:
    """Masses, numbers and pairs are those of all points of a side."""
    meet = meet_of(weights)
    of = weights or dict.fromkeys(WEIGHTS, 1)
    assert meet.total == pytest.approx(sum(of.values()))
    assert meet.masses == pytest.approx((sum(of[p] for p in TRUE), sum(of[p] for p in PRED)))
    assert meet.lost == len(TRUE.keys() ^ PRED.keys()) == len(meet.missing) + len(meet.spurious)
    assert meet.shared_clusters == (3, 4)
    assert (meet.k_true, meet.k_pred) == (4, 5)
    points = sorted(TRUE.keys() | PRED.keys())
    agreed = every = 0.0
    for i, p in enumerate(points):
        for q in points[:i]:
            every += of[p] * of[q]
            if {p, q} <= TRUE.keys() & PRED.keys() and (TRUE[p] == TRUE[q]) == (PRED[p] == PRED[q]):
                agreed += of[p] * of[q]
    assert float(meet.pairs.all) == pytest.approx(every)
    assert float(meet.agreed) == pytest.approx(agreed)
    assert float(meet.disagreed) == pytest.approx(every - agreed)


@cases(
    "ask",
    [
        lambda meet: meet.regroup(meet.pred),
        lambda meet: meet.coarsen(np.zeros(meet.k_pred, dtype=int)),
        lambda meet: meet.restrict([0]),
        lambda meet: meet.within(np.zeros(meet.n, dtype=int)),
        lambda meet: meet.part(np.array([0]), np.array([0])),
        lambda meet: meet.margins,
        lambda meet: meet.weighed,
        lambda meet: meet.bottom_entropy,
        derivation,
        lambda meet: to_networkx(meet, "derivation"),
    ],
)
def test_what_would_drop_lost_points_is_refused(ask: Any) -> None:
    """With a reason, and not in silence."""
    with pytest.raises(cd.ClusterdiffError, match=r"lost|lacks|other clusters"):
        ask(meet_of())


def test_parts_and_copies_keep_lost_points() -> None:
    """Components together have all points, and so have the transpose, a pickle and a copy."""
    meet = meet_of(WEIGHTS)
    other = meet.transpose()
    assert (other.n, other.lost, len(other.missing)) == (meet.n, meet.lost, len(meet.spurious))
    assert other.transpose() is meet
    for again in (pickle.loads(pickle.dumps(meet)), copy.copy(meet), meet.with_points(meet.cell_of_point)):
        assert again.to_dict() == meet.to_dict()
        assert again.total == meet.total
    join = Components(meet)
    parts = [
        meet.part(np.flatnonzero(join.of_true == i), np.flatnonzero(join.of_pred == i))
        for i in range(len(join))
    ]
    assert sum(part.n for part in parts) == meet.n == int(join.size.sum())
    assert sum(part.total for part in parts) == pytest.approx(meet.total)


def test_the_bipartite_graph_knows_whole_clusters() -> None:
    """Its edges are shared points, and its nodes have the sizes of whole clusters."""
    pytest.importorskip("networkx")
    graph = to_networkx(meet_of())
    sizes = {node: data["size"] for node, data in graph.nodes(data=True)}
    assert sum(size for (side, _), size in sizes.items() if side == "true") == len(TRUE)
    assert sum(size for (side, _), size in sizes.items() if side == "pred") == len(PRED)
