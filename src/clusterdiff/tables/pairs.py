"""Pair lists: matched records, with or without a score, become clusters as connected components."""

from __future__ import annotations

import logging

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import shown
from clusterdiff.points.keys import Key
from clusterdiff.tables.duck import Connection, Scan, fresh
from clusterdiff.tables.files import Loaded, bring, require
from clusterdiff.wording import count

log = logging.getLogger("clusterdiff")

#: Names by which the two ends of a pair are known, and the score.
ENDS = (
    ("left", "right"), ("a", "b"), ("id1", "id2"), ("id_1", "id_2"), ("id_l", "id_r"), ("unique_id_l", "unique_id_r"),
    ("source", "target"), ("point1", "point2"), ("record1", "record2"), ("ltable_id", "rtable_id"),
)  # fmt: skip
SCORES = ("score", "probability", "match_probability", "similarity", "confidence")


def load_pairs(con: Connection, scan: Scan, point: Key | None, threshold: float | None) -> Loaded:
    """The connected components of the pairs whose score is at least ``threshold``; without one, of all pairs.

    A record that has no such pair is a cluster of its own. ``point`` names the two ends and maybe the score,
    separated by commas; without it they are recognised by their names.
    """
    left, right, score = _choose(scan, point)
    title = shown(scan.name)
    if threshold is not None and score is None:
        raise FileError(
            f"{title} has no column of scores for a threshold; it has {listed(scan.columns)}.",
            "name the columns: --point left,right,score.",
        )
    scores = {} if score is None or threshold is None else {"score": score}
    pairs, kinds, _ = bring(con, scan, {"a": left, "b": right}, scores)
    if kinds["a"] != kinds["b"]:
        raise FileError(f"{title}: the ends of pairs must be of one type; got {kinds['a']} and {kinds['b']}.")
    ((nulls,),) = con.execute(f"SELECT count(*) FROM {pairs} WHERE a IS NULL OR b IS NULL").fetchall()
    if nulls:
        raise FileError(f"{title}: {count(nulls, 'pair')} without both ends.")
    points = fresh("points")
    con.execute(
        f"CREATE TEMP TABLE {points} AS SELECT point, (row_number() OVER (ORDER BY point)) - 1 AS code "
        f"FROM (SELECT a AS point FROM {pairs} UNION SELECT b FROM {pairs})"
    )
    edges = con.execute(
        f"SELECT l.code AS a, r.code AS b FROM {pairs} JOIN {points} l ON a = l.point JOIN {points} r ON b = r.point"
        + (" WHERE score >= $threshold" if scores else ""),
        {"threshold": threshold} if scores else None,
    ).fetchnumpy()
    ((nodes,),) = con.execute(f"SELECT count(*) FROM {points}").fetchall()
    ones = np.ones(len(edges["a"]), dtype=np.int8)
    graph = coo_array((ones, (edges["a"], edges["b"])), shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    return _loaded(con, points, component, title, kinds["a"])


def _loaded(con: Connection, points: str, component: npt.NDArray[np.int32], title: str, kind: str) -> Loaded:
    """The points with their components, as any other table of points and clusters."""
    name, view = fresh("loaded"), fresh("components")
    con.register(view, {"code": np.arange(len(component)), "cluster": component})
    con.execute(
        f"CREATE TEMP TABLE {name} AS SELECT point, cluster FROM {points} JOIN {view} USING (code) ORDER BY code"
    )
    con.unregister(view)
    return Loaded(con, name, title, "pairs", "component", {"point": kind, "cluster": "int"}, len(component))


def _choose(scan: Scan, point: Key | None) -> tuple[str, str, str | None]:
    if point is not None:
        told = point.split(",") if isinstance(point, str) else point
        chosen = [require(scan, column.strip()) for column in told]
        if len(chosen) not in (2, 3):
            raise ArgumentError(
                f"`point` must name the two ends of a pair, and maybe a score; got {point!r}."
            )
        left, right, score = (*chosen, None)[:3]
        assert left is not None
        assert right is not None
        return left, right, score
    folded = {column.casefold(): column for column in scan.columns}
    found = [pair for pair in ENDS if pair[0] in folded and pair[1] in folded]
    scores = [folded[name] for name in SCORES if name in folded]
    if len(found) == 1:
        left, right = (folded[end] for end in found[0])
    elif not found and len(scan.columns) - len(scores) == 2:
        left, right = (column for column in scan.columns if column not in scores)
    else:
        raise FileError(
            f"{shown(scan.name)} has the columns {listed(scan.columns)}, "
            "and it is not clear which are the ends of a pair.",
            "name them: --point left,right or --point left,right,score.",
        )
    score = scores[0] if len(scores) == 1 else None
    log.info(
        "%s: pairs of %r and %r, score %s", shown(scan.name), left, right, repr(score) if score else "none"
    )
    return left, right, score
