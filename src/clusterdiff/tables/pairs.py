"""Pair lists: matched records, with or without a score; connected components are clusters."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import shown
from clusterdiff.formats.source import Source
from clusterdiff.messages import Message
from clusterdiff.points.keys import Key
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.duck import Connection, Scan, connect, fresh, quoted, scan_described
from clusterdiff.tables.engines.native import DuckDB
from clusterdiff.tables.files import bring, open_table, require
from clusterdiff.tables.loaded import Loaded
from clusterdiff.wording import count

log = logging.getLogger("clusterdiff")

#: Names by which the two ends of a pair are known, and the score.
ENDS = (
    ("left", "right"), ("a", "b"), ("id1", "id2"), ("id_1", "id_2"), ("id_l", "id_r"), ("unique_id_l", "unique_id_r"),
    ("source", "target"), ("point1", "point2"), ("record1", "record2"), ("ltable_id", "rtable_id"),
)  # fmt: skip
SCORES = ("score", "probability", "match_probability", "similarity", "confidence")
#: Names of what was judged of a pair, which may be that it is no link: the first is a score if there is no other.
JUDGED = (
    "clerical_match_score",
    "verdict",
    "judgement",
    "judgment",
    "is_match",
    "z_ismatch",
    "match",
    "matched",
    "is_duplicate",
    "duplicate",
    "is_same",
)
#: These are judgements only if they hold two values.
TWO_VALUED = (
    "label",
    "class",
    "decision",
    "target",
    "gold",
    "truth",
    "ground_truth",
    "same",
    "status",
    "outcome",
)
#: What says of a pair that it is no link.
NO_LINK = frozenset({
    "0", "0.0", "-1", "false", "f", "no", "n", "distinct", "different", "nonmatch", "non-match", "non_match",
    "no match", "no_match", "not a match", "negative", "unsure", "uncertain",
})  # fmt: skip
#: A column of such words judges pairs, however it is called.
WORDS = NO_LINK - {"0", "0.0", "-1", "false", "f", "no", "n"} | {"match", "positive", "duplicate", "same"}
#: So many rows tell whether a column may be one of words.
HEAD = 1000


def load_pairs(con: Connection, scan: Scan, point: Key | None, threshold: float | None) -> Loaded:
    """The connected components of the pairs whose score is at least ``threshold``; without one, of all pairs.

    A record that has no such pair is a cluster of its own. ``point`` names the two ends and maybe the score,
    separated by commas; without it they are recognised by their names.
    """
    left, right, score = _choose(scan, point)
    title = shown(scan.name)
    if threshold is not None and score is None:
        raise _without_scores(scan)
    if threshold is None or not _named_score(point):
        _refuse_judgements(con, scan, {left, right, None if threshold is None else score})
    pairs, points, kind = _numbered(con, scan, (left, right), None if threshold is None else score)
    edges = con.execute(
        f"SELECT a, b FROM {pairs}" + ("" if threshold is None else " WHERE score >= $threshold"),
        None if threshold is None else {"threshold": threshold},
    ).fetchnumpy()
    ((nodes,),) = con.execute(f"SELECT count(*) FROM {points}").fetchall()
    ones = np.ones(len(edges["a"]), dtype=np.int8)
    graph = coo_array((ones, (edges["a"], edges["b"])), shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    return _loaded(con, points, component, title, kind)


@dataclass(frozen=True)
class ScoredPairs:
    """Pairs of points with a score each: the numbers of the points at either end, and what the points are called.

    ``untyped``: they are called by text because the file knows nothing else.
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    score: npt.NDArray[np.float64]
    points: list[Any]
    untyped: bool = False


def read_scored(pairs: Any) -> ScoredPairs:
    """All pairs with their scores, in their order; a pair without a score is an error.

    From a table in a file, or a frame.
    """
    con = connect()
    with ExitStack() as stack:
        if isinstance(pairs, Source):
            scan = stack.enter_context(open_table(con, pairs))
            point = pairs.point
        else:
            scan, point = _registered(con, pairs), None
        left, right, score = _choose(scan, point)
        if score is None:
            raise _without_scores(scan)
        numbered, points, kind = _numbered(con, scan, (left, right), score)
    ((nulls,),) = con.execute(
        f"SELECT count(*) FROM {numbered} WHERE score IS NULL OR isnan(score) OR isinf(score)"
    ).fetchall()
    if nulls:
        raise FileError(
            f"{shown(scan.name)}: {count(nulls, 'pair')} without a score (null, NaN or infinite).",
            "leave them out, or give them a score.",
        )
    found = con.execute(f"SELECT a, b, score FROM {numbered} ORDER BY row").fetchnumpy()
    names = con.execute(f"SELECT point FROM {points} ORDER BY code").fetchnumpy()["point"]
    return ScoredPairs(
        found["a"], found["b"], found["score"], np.ma.getdata(names).tolist(), kind == "untyped"
    )


def pairs_of(columns: Sequence[Any]) -> ScoredPairs:
    """The same from three columns, the two ends and the score, or from a list of such triples."""
    rows = len(columns) != 3 or all(isinstance(row, tuple) and len(row) == 3 for row in columns)
    try:
        told = list(zip(*columns, strict=True)) if rows and columns else list(columns)
        lengths = {len(column) for column in told}
    except (TypeError, ValueError):
        told, lengths = [], set()
    if len(told) != 3 or len(lengths) > 1:
        raise ArgumentError.about(
            "pairs",
            "must have three columns of one length: left, right and score.",
            "pass (left, right, score), a list of such triples, a frame, or the path of a table.",
        )
    left, right, scores = told
    arrays = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
    ends = read_labels(np.concatenate([left, right]) if arrays else [*left, *right], "pairs")
    if ends.absent is not None:
        raise ArgumentError.about(
            "pairs", f"has {count(int(ends.absent.sum()), 'end')} without a name (null)."
        )
    try:
        score = np.array(scores, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise ArgumentError.about("pairs", "must have a number as the score of each pair.") from None
    if not np.isfinite(score).all():
        nulls = int((~np.isfinite(score)).sum())
        raise ArgumentError.about(
            "pairs",
            f"has {count(nulls, 'pair')} without a score (null, NaN or infinite).",
            "leave them out, or give them a score.",
        )
    return ScoredPairs(ends.codes[: len(score)], ends.codes[len(score) :], score, ends.names.tolist())


def _registered(con: Connection, pairs: Any) -> Scan:
    """Pairs in memory, as a table that DuckDB can read."""
    name = fresh("pairs")
    if hasattr(pairs, "fetchnumpy"):  # a relation belongs to a connection of its own
        with DuckDB("duckdb").running():
            pairs = pairs.fetchnumpy()
    try:
        con.register(name, pairs)
    except (duckdb.Error, TypeError):
        raise ArgumentError.must(
            "pairs",
            "be (left, right, score), a list of such triples, a frame of pandas, polars or "
            "pyarrow, or the path of a table",
            got=type(pairs).__name__,
        ) from None
    return replace(scan_described(con, name, name), name="pairs")


def _without_scores(scan: Scan) -> FileError:
    return FileError(
        f"{shown(scan.name)} has no column of scores for a threshold; it has {listed(scan.columns)}.",
        "call the columns left, right and score, or name them on the command line: --pred-point A,B,SCORE.",
    )


def _named_score(point: Key | None) -> bool:
    """Whether the user says which column is the score."""
    return point is not None and len(point.split(",") if isinstance(point, str) else point) == 3


def _refuse_judgements(con: Connection, scan: Scan, read: set[str | None]) -> None:
    """Raise if a column that is not read says of some pairs that they are no links."""
    for column in _suspects(con, scan, [column for column in scan.columns if column not in read]):
        rows = _values(con, scan, column)
        values = [value for value, _ in rows]
        if not _judges(column.casefold(), values):
            continue
        ways = [
            Message("keep the rows that are links, and drop the column"),
            Message("hold a run against them as judgements: `clusterdiff judge RUN FILE`"),
        ]
        if all(number is not None for _, number in rows):
            ways.append(Message("name it as the score, third in `point=`, and pass `threshold=`"))
        held = f"{', '.join(values[:5])}, …" if len(values) > 5 else " and ".join(values)
        raise FileError(
            f"{shown(scan.name)}: the column {column!r} holds {held}, so not every pair is a link.", ways
        )


def _judges(name: str, values: Sequence[str]) -> bool:
    """Whether different values of a column say that not every pair is a link."""
    folded = {value.strip().casefold() for value in values}
    if folded <= WORDS or len(folded) == 1:
        return not folded.isdisjoint(NO_LINK)
    return len(folded) > 1 if name in JUDGED else name in TWO_VALUED and len(folded) == 2


def _suspects(con: Connection, scan: Scan, columns: Sequence[str]) -> list[str]:
    """The columns that are called like judgements, or begin with words of judgements only."""
    named = {column for column in columns if column.casefold() in (*JUDGED, *TWO_VALUED)}
    others = [column for column in columns if column not in named]
    if others:
        texts = ", ".join(f"lower(trim({quoted(column)}::VARCHAR))" for column in others)
        try:
            source, parameters = scan.relation(others)
            head = con.execute(f"SELECT {texts} FROM {source} LIMIT {HEAD}", list(parameters)).fetchall()
        except duckdb.Error as error:
            raise scan.error(error) from None
        for column, values in zip(others, zip(*head, strict=True), strict=False):
            said = {value for value in values if value}
            if said and said <= WORDS:
                named.add(column)
    return [column for column in columns if column in named]


def _values(con: Connection, scan: Scan, column: str) -> list[tuple[str, float | None]]:
    """The first different values of a column, as text, and as numbers where they are."""
    text = f"CAST({quoted(column)} AS VARCHAR)"
    try:
        source, parameters = scan.relation([column])
        return con.execute(
            f"SELECT {text}, TRY_CAST({text} AS DOUBLE) FROM {source} "
            f"WHERE {text} <> '' GROUP BY ALL ORDER BY ALL LIMIT 6",
            list(parameters),
        ).fetchall()
    except duckdb.Error as error:
        raise scan.error(error) from None


def _numbered(con: Connection, scan: Scan, ends: tuple[str, str], score: str | None) -> tuple[str, str, str]:
    """Tables of pairs (a, b, maybe score, row) as numbers, and of points (point, code); and what the points hold."""
    pairs, kinds, _ = bring(
        con, scan, {"a": ends[0], "b": ends[1]}, {} if score is None else {"score": score}
    )
    title = shown(scan.name)
    if kinds["a"] != kinds["b"]:
        raise FileError(f"{title}: the ends of pairs must be of one type; got {kinds['a']} and {kinds['b']}.")
    ((nulls,),) = con.execute(f"SELECT count(*) FROM {pairs} WHERE a IS NULL OR b IS NULL").fetchall()
    if nulls:
        raise FileError(f"{title}: {count(nulls, 'pair')} without both ends.")
    points, numbered = fresh("points"), fresh("numbered")
    con.execute(
        f"CREATE TEMP TABLE {points} AS SELECT point, ((row_number() OVER (ORDER BY point)) - 1)::INTEGER AS code "
        f"FROM (SELECT a AS point FROM {pairs} UNION SELECT b FROM {pairs})"
    )
    scores = "" if score is None else ", score"
    con.execute(
        f"CREATE TEMP TABLE {numbered} AS SELECT l.code AS a, r.code AS b{scores}, {pairs}.rowid AS row FROM {pairs} "
        f"JOIN {points} l ON a = l.point JOIN {points} r ON b = r.point"
    )
    con.execute(f"DROP TABLE {pairs}")
    return numbered, points, kinds["a"]


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
        chosen = [column.strip() for column in (point.split(",") if isinstance(point, str) else point)]
        require(scan, chosen)
        if len(chosen) not in (2, 3):
            raise ArgumentError.must("point", "name the two ends of a pair, and maybe a score", point)
        left, right, score = (*chosen, None)[:3]
        assert left is not None
        assert right is not None
        return left, right, score
    folded = {column.casefold(): column for column in scan.columns}
    found = [pair for pair in ENDS if pair[0] in folded and pair[1] in folded]
    scores = [folded[name] for name in SCORES if name in folded]
    scores = scores or [folded[name] for name in JUDGED[:1] if name in folded]
    if len(found) == 1:
        left, right = (folded[end] for end in found[0])
    elif not found and len(scan.columns) - len(scores) == 2:
        left, right = (column for column in scan.columns if column not in scores)
    else:
        raise FileError(
            f"{shown(scan.name)} has the columns {listed(scan.columns)}, "
            "and it is not clear which are the ends of a pair.",
            "call them left and right, or name them on the command line: --pred-point A,B or A,B,SCORE.",
        )
    score = scores[0] if len(scores) == 1 else None
    log.info(
        "%s: pairs of %r and %r, score %s", shown(scan.name), left, right, repr(score) if score else "none"
    )
    return left, right, score
