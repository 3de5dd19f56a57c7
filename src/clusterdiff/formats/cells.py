"""From tables in DuckDB to a comparison: DuckDB joins the points and counts the cells.

The points themselves stay in DuckDB until somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.clustering import MISSING, NOISE_AS, Alignment, Clustering, Missing, NoiseAs, align
from clusterdiff.comparison import Comparison
from clusterdiff.errors import FileError, LabelError, listed, one_of
from clusterdiff.formats.duck import Connection, connect, fresh
from clusterdiff.formats.source import Source
from clusterdiff.formats.tables import (
    Loaded,
    load_columns,
    load_source,
    open_table,
    refuse_repeats,
    to_clustering,
)
from clusterdiff.labels import AnyArray, BoolArray, IntArray
from clusterdiff.meet import Int64Array, Meet, Overlap


@dataclass(frozen=True)
class Joined:
    """Two clusterings over the same points, in DuckDB.

    ``source`` is a subquery with the columns ``point``, ``true_row`` and ``pred_row`` (the point's row on either
    side, null where that side lacks it), ``a`` and ``b`` (the true and the predicted cluster). ``rows`` is what each
    side has.
    """

    con: Connection
    source: str
    titles: tuple[str, str]
    kinds: tuple[str, str]
    rows: tuple[int, int]
    check: Callable[[], None]
    read: Callable[[], tuple[Clustering, Clustering]]

    def select(self, what: str, rest: str = "", parameters: Mapping[str, Any] | None = None) -> Any:
        """Run a query over the joined points."""
        return self.con.execute(f"SELECT {what} FROM ({self.source}) {rest}", parameters or None)


def join(true: Loaded, pred: Loaded) -> Joined:
    """Lay two tables over each other: by the names of the points, or by their order if neither names them."""
    if (true.point is None) != (pred.point is None):
        named, other = (true, pred) if pred.point is None else (pred, true)
        raise FileError(
            f"{named.title} names its points and {other.title} does not.",
            "give both a column of points, or neither.",
        )
    as_text = (False, False)
    if true.point is None:
        if true.rows != pred.rows:
            raise FileError(
                f"{true.title} and {pred.title} must label the same points; they have {true.rows:,} and "
                f"{pred.rows:,} rows.",
                "if the points have names, add a column that holds them.",
            )
        on = f"{true.name} t POSITIONAL JOIN {pred.name} p"
        point = "t.rowid"
    else:
        as_text = _as_text(true, pred)
        left, right = ("CAST({} AS VARCHAR)" if text else "{}" for text in as_text)
        on = f"{true.name} t FULL JOIN {pred.name} p ON {left.format('t.point')} = {right.format('p.point')}"
        point = f"coalesce({left.format('t.point')}, {right.format('p.point')})"

    def check() -> None:
        for side in (true, pred):
            if side.point is not None:
                refuse_repeats(side)

    return Joined(
        true.con,
        f"SELECT {point} AS point, t.rowid AS true_row, p.rowid AS pred_row, t.cluster AS a, p.cluster AS b FROM {on}",
        (true.title, pred.title),
        (true.kinds["cluster"], pred.kinds["cluster"]),
        (true.rows, pred.rows),
        check,
        lambda: (to_clustering(true, as_text[0]), to_clustering(pred, as_text[1])),
    )


def _as_text(true: Loaded, pred: Loaded) -> tuple[bool, bool]:
    """Which side's points are to be compared as text: integers beside the text of a CSV file, as it is written."""
    kinds = true.kinds["point"], pred.kinds["point"]
    if kinds[0] == kinds[1] or set(kinds) == {"untyped", "text"}:
        return False, False
    if "untyped" in kinds:
        return kinds[0] != "untyped", kinds[1] != "untyped"
    raise FileError(
        f"the points of {true.title} and {pred.title} must be of one type; got {kinds[0]} and {kinds[1]}.",
        "convert one side: 1 and '1' are never matched silently.",
    )


def join_columns(true: Loaded, pred: Loaded) -> Joined:
    """Two columns of one loaded table, of which ``pred`` is the view with the other column."""
    if true.point is not None:
        refuse_repeats(true)  # rows are not joined, so that counting them would not find repeats
    point = "rowid" if true.point is None else "point"
    return Joined(
        true.con,
        f"SELECT {point} AS point, rowid AS true_row, rowid AS pred_row, true_cluster AS a, pred_cluster AS b "
        f"FROM {true.name}",
        (true.shown, pred.shown),
        (true.kinds["cluster"], pred.kinds["cluster"]),
        (true.rows, true.rows),
        lambda: None,
        lambda: (to_clustering(true), to_clustering(pred)),
    )


def compare_tables(
    true: Source, pred: Source, missing: Missing, noise: object, noise_as: NoiseAs
) -> Comparison:
    """Compare two tables, or two columns of one table that is then read but once."""
    con = connect()
    if replace(true, cluster=None) == replace(pred, cluster=None) and true.cluster and pred.cluster:
        with open_table(con, true) as scan:
            return compare_joined(
                join_columns(*load_columns(con, scan, true, pred)), missing, noise, noise_as
            )
    loaded = load_source(con, true), load_source(con, pred)
    return compare_joined(join(*loaded), missing, noise, noise_as)


class Side(NamedTuple):
    """One side of the cells: the cluster of each as a number, the names behind the numbers, and the special cells.

    ``absent`` are cells of points that the side lacks, ``noisy`` those of the noise label.
    """

    codes: Int64Array
    names: AnyArray
    absent: BoolArray
    noisy: BoolArray


def compare_joined(
    joined: Joined, missing: Missing = "error", noise: object = None, noise_as: NoiseAs = "singleton"
) -> Comparison:
    """Compare the two sides by their cells; as :func:`clusterdiff.compare`, with the same policies."""
    one_of("missing", missing, MISSING)
    one_of("noise_as", noise_as, NOISE_AS)
    label = _noise_label(noise, joined)
    true, pred, size = _count(joined, label)
    noisy = true.noisy | pred.noisy
    keep = ~noisy if noise_as == "drop" else np.ones(len(size), dtype=bool)
    lost = (true.absent | pred.absent) & keep
    if lost.any():
        joined.check()  # repeats among the points that only one side has do not show in the sums
        if missing == "error":
            dropped = label if noise_as == "drop" else None
            raise _lacking(joined, (true, pred), np.where(keep, size, 0), dropped)
        if missing == "drop":
            keep &= ~lost
    if not keep.any():
        raise LabelError("no point is left: all are missing on one side, or noise, and left out.")
    single = keep & (lost | noisy if noise_as == "singleton" else lost)
    if single.any():
        meet = _meet_with_singletons(joined, (true, pred), size, keep & ~single, missing, label, noise_as)
    else:
        meet = _meet(true.codes[keep], pred.codes[keep], size[keep], true.names, pred.names)
    facts = {
        "given": joined.rows[0],
        "missing": missing,
        "noise": label,
        "noise_as": noise_as,
        "missing_points": int(size[lost].sum()),
        "noise_points": int(size[noisy].sum()),
    }
    aligned = LazyAlignment(lambda: align(*joined.read(), missing, label, noise_as), facts)
    meet._locate = lambda: _locate(meet, aligned)
    if lost.any():
        meet._overlap = lambda: _overlap(aligned)
    return Comparison(meet, aligned)


def _noise_label(noise: object, joined: Joined) -> Any:
    """The noise label as the labels of both sides are written."""
    if noise is None:
        return None
    if "int" in joined.kinds and joined.kinds[0] != joined.kinds[1]:
        raise LabelError(
            f"`noise` must be a label of both sides, but the clusters of {joined.titles[0]} are {joined.kinds[0]} "
            f"and those of {joined.titles[1]} are {joined.kinds[1]}.",
            "give the clusters of both sides one type.",
        )
    if joined.kinds[0] != "int":
        return str(noise)
    try:
        return int(noise)  # type: ignore[call-overload]
    except ValueError:
        raise LabelError(f"`noise` must be a whole number, as the labels are; got {noise!r}.") from None


def _count(joined: Joined, noise: object) -> tuple[Side, Side, Int64Array]:
    """Join and count the cells in DuckDB. Clusters are numbered by their first rows, as they are in memory."""
    con, cells = joined.con, fresh("cells")
    con.execute(
        f"CREATE TEMP TABLE {cells} AS SELECT a, b, count(*) AS size, count(true_row) AS in_true, "
        "count(pred_row) AS in_pred, min(true_row) AS first_a, min(pred_row) AS first_b "
        f"FROM ({joined.source}) GROUP BY a, b"
    )
    # A point that stands twice meets its other side once too often, so the sums differ from the numbers of rows.
    if con.execute(f"SELECT sum(in_true), sum(in_pred) FROM {cells}").fetchone() != joined.rows:
        joined.check()
    firsts = ", ".join(
        f"CASE WHEN {side} IS NOT NULL THEN min(first_{side}) OVER (PARTITION BY {side}) END AS {side}"
        for side in "ab"
    )
    found = con.execute(f"SELECT {firsts}, size FROM {cells}").fetchnumpy()
    sides = []
    for side in "ab":
        query = f"SELECT {side} FROM {cells} WHERE {side} IS NOT NULL GROUP BY 1 ORDER BY min(first_{side})"
        names = np.ma.getdata(con.execute(query).fetchnumpy()[side])
        absent = np.ma.getmaskarray(found[side])
        codes = np.zeros(len(absent), dtype=np.int64)
        codes[~absent] = np.unique(np.ma.getdata(found[side])[~absent], return_inverse=True)[1]
        noisy = _equal(names, noise)[codes] & ~absent if len(names) else np.zeros(len(absent), dtype=bool)
        sides.append(Side(codes, names, absent, noisy))
    con.execute(f"DROP TABLE {cells}")
    return sides[0], sides[1], found["size"]


def _equal(values: Any, label: object) -> BoolArray:
    if label is None:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.ma.filled(values == label, False), dtype=bool)


def _lacking(joined: Joined, sides: tuple[Side, Side], size: Int64Array, dropped: object) -> LabelError:
    told = []
    kept = "" if dropped is None else "AND a IS DISTINCT FROM $noise AND b IS DISTINCT FROM $noise "
    for side, (name, other, column) in enumerate((("true", "pred", "a"), ("pred", "true", "b"))):
        count = int(size[sides[side].absent].sum())
        if count:
            points = joined.select(
                "point",
                f"WHERE {column} IS NULL {kept}ORDER BY 1 LIMIT 5",
                {} if dropped is None else {"noise": dropped},
            ).fetchall()
            total = int(size[~sides[1 - side].absent].sum())
            told.append(
                f"`{name}` lacks {count:,} of the {total:,} points of `{other}`: "
                f"{listed([point for (point,) in points], count)}."
            )
    files = f" (`true` is {joined.titles[0]}, `pred` is {joined.titles[1]})"
    return LabelError(
        " ".join(told) + files,
        'pass missing="drop" (--missing drop) to leave them out, or "singleton" to give each a cluster of its own.',
    )


def _meet(
    true: Int64Array, pred: Int64Array, size: Int64Array, true_names: AnyArray, pred_names: AnyArray
) -> Meet:
    """The meet of numbered cells, in true-major order; clusters that have no cell vanish."""
    rows, row = np.unique(true, return_inverse=True)
    columns, column = np.unique(pred, return_inverse=True)
    order = np.lexsort((column, row))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row))])
    cells = _core.Cells(indptr, column[order].astype(np.int32), size[order], len(columns))
    return Meet(cells, true_names[rows], pred_names[columns])


def _meet_with_singletons(
    joined: Joined,
    sides: tuple[Side, Side],
    size: Int64Array,
    whole: BoolArray,
    missing: Missing,
    noise: object,
    noise_as: NoiseAs,
) -> Meet:
    """The meet of the ``whole`` cells, and of points that are fetched one by one to get clusters of their own."""
    rows = joined.select(
        "point, a, b",
        "WHERE a IS NULL OR b IS NULL" + ("" if noise is None else " OR a = $noise OR b = $noise"),
        {} if noise is None else {"noise": noise},
    ).fetchnumpy()
    fetched = np.ma.asarray(rows["a"]), np.ma.asarray(rows["b"])
    noisy = _equal(fetched[0], noise), _equal(fetched[1], noise)
    absent = np.ma.getmaskarray(fetched[0]) | np.ma.getmaskarray(fetched[1])
    wanted = absent & (missing == "singleton")
    if noise_as == "singleton":
        wanted |= (noisy[0] | noisy[1]) & ~absent
    elif noise_as == "drop":
        wanted &= ~(noisy[0] | noisy[1])
    points = np.ma.getdata(rows["point"])[wanted].tolist()
    codes, names = zip(
        *(
            _with_singletons(side, whole, row[wanted], mask[wanted] & (noise_as == "singleton"), points)
            for side, row, mask in zip(sides, fetched, noisy, strict=True)
        ),
        strict=True,
    )
    sizes = np.concatenate([size[whole], np.ones(len(points), dtype=np.int64)])
    return _meet(codes[0], codes[1], sizes, names[0], names[1])


def _with_singletons(
    side: Side, whole: BoolArray, rows: Any, noisy: BoolArray, points: list[Any]
) -> tuple[Int64Array, AnyArray]:
    """Codes and names for the clusters of whole cells, and then of points of which some get clusters of their own."""
    absent = np.ma.getmaskarray(rows)
    new = absent | noisy
    names = np.empty(len(side.names) + int(new.sum()), dtype=object)
    names[: len(side.names)] = side.names
    names[len(side.names) :] = [
        f"{'missing' if absent[i] else 'noise'}: {points[i]}" for i in np.flatnonzero(new).tolist()
    ]
    code = {name: i for i, name in enumerate(side.names.tolist())}
    of_rows = np.arange(len(side.names), len(side.names) + len(rows))
    of_rows[new] = np.arange(len(side.names), len(names))
    of_rows[~new] = [code[name] for name in np.ma.getdata(rows)[~new].tolist()]
    return np.concatenate([side.codes[whole], of_rows]), names


class LazyAlignment(Alignment):
    """An alignment that knows its facts, and reads its points when they are asked for."""

    def __init__(self, load: Callable[[], Alignment], facts: dict[str, Any]) -> None:
        self.__dict__.update(facts, _load=load)

    @cached_property
    def _loaded(self) -> Alignment:
        loaded: Alignment = self.__dict__["_load"]()
        return loaded

    @property
    def true(self) -> Clustering:
        """The true clustering of the points compared."""
        return self._loaded.true

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points compared."""
        return self._loaded.pred

    @property
    def rows(self) -> Any:
        """For each point its position in the true file."""
        return self._loaded.rows

    @property
    def uneven(self) -> tuple[Clustering, Clustering] | None:
        """The clusterings as they were before points that one of them lacks were dealt with."""
        return self._loaded.uneven

    @property
    def ordered(self) -> bool:
        """Whether the order of the points is known."""
        return self._loaded.ordered


def _overlap(aligned: LazyAlignment) -> Overlap:
    """The clusterings with the points that only one of them has, for measures that count those too."""
    assert aligned.uneven is not None
    true, pred = aligned.uneven
    return Overlap.of(true.labels, pred.labels, true.present, pred.present)


def _locate(meet: Meet, aligned: Alignment) -> IntArray:
    """The cell of each point, found by the names of its clusters."""
    true = _codes_by_name(aligned.true, meet.true_names)
    pred = _codes_by_name(aligned.pred, meet.pred_names)
    key = meet.true.astype(np.int64) * meet.k_pred + meet.pred
    order = np.argsort(key)
    return order[np.searchsorted(key[order], true * meet.k_pred + pred)]


def _codes_by_name(clustering: Clustering, names: AnyArray) -> IntArray:
    code = {name: i for i, name in enumerate(names.tolist())}
    return np.array([code[name] for name in clustering.names.tolist()], dtype=np.int64)[clustering.codes]
