"""From tables in DuckDB to a comparison: DuckDB joins the points and counts the cells.

The points themselves stay in DuckDB until somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.clustering import MISSING, NOISE_AS, Alignment, Clustering, Missing, NoiseAs, align
from clusterdiff.comparison import Comparison
from clusterdiff.errors import FileError, LabelError, listed, one_of
from clusterdiff.formats.duck import Connection, connect
from clusterdiff.formats.source import Source
from clusterdiff.formats.tables import (
    Loaded,
    load_columns,
    load_source,
    open_table,
    refuse_repeats,
    to_clustering,
)
from clusterdiff.labels import AnyArray, BoolArray, IntArray, read_labels
from clusterdiff.meet import Int64Array, Meet, Overlap


@dataclass(frozen=True)
class Joined:
    """Two clusterings over the same points, in DuckDB.

    ``source`` is a subquery with the columns ``true_point`` and ``pred_point`` (null where that side lacks the
    point), ``a`` and ``b`` (the true and the predicted cluster). ``rows`` is what each side has.
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
        points = "t.rowid AS true_point, p.rowid AS pred_point"
    else:
        as_text = _as_text(true, pred)
        left, right = ("CAST({} AS VARCHAR)" if text else "{}" for text in as_text)
        on = f"{true.name} t FULL JOIN {pred.name} p ON {left.format('t.point')} = {right.format('p.point')}"
        points = f"{left.format('t.point')} AS true_point, {right.format('p.point')} AS pred_point"

    def check() -> None:
        for side in (true, pred):
            if side.point is not None:
                refuse_repeats(side)

    return Joined(
        true.con,
        f"SELECT {points}, t.cluster AS a, p.cluster AS b FROM {on}",
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
        f"SELECT {point} AS true_point, {point} AS pred_point, true_cluster AS a, pred_cluster AS b FROM {true.name}",
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


def compare_joined(
    joined: Joined, missing: Missing = "error", noise: object = None, noise_as: NoiseAs = "singleton"
) -> Comparison:
    """Compare the two sides by their cells; as :func:`clusterdiff.compare`, with the same policies."""
    one_of("missing", missing, MISSING)
    one_of("noise_as", noise_as, NOISE_AS)
    counted = joined.select(
        "a, b, count(*) AS size, count(true_point) AS in_true, count(pred_point) AS in_pred", "GROUP BY a, b"
    ).fetchnumpy()
    # A point that stands twice meets its other side once too often, so the sums differ from the numbers of rows.
    if (int(counted["in_true"].sum()), int(counted["in_pred"].sum())) != joined.rows:
        joined.check()
    a, b = (np.ma.asarray(counted[side]) for side in "ab")
    size = np.asarray(counted["size"])
    labels = _noise_labels(noise, joined)
    noisy = _equal(a, labels[0]), _equal(b, labels[1])
    absent = np.ma.getmaskarray(a), np.ma.getmaskarray(b)
    keep = ~(noisy[0] | noisy[1]) if noise_as == "drop" else np.ones(len(size), dtype=bool)
    lost = (absent[0] | absent[1]) & keep
    if lost.any():
        joined.check()  # repeats among the points that only one side has do not show in the sums
        if missing == "error":
            raise _lacking(joined, np.where(keep, size, 0), absent, labels[0] if noise_as == "drop" else None)
        if missing == "drop":
            keep &= ~lost
    if not keep.any():
        raise LabelError("no point is left: all are missing on one side, or noise, and left out.")
    single = lost | (noisy[0] | noisy[1] if noise_as == "singleton" else False)
    meet = _meet(joined, (a, b), size, keep, single & keep, missing, labels[0], noise_as)
    facts = {
        "given": joined.rows[0],
        "missing": missing,
        "noise": labels[0],
        "noise_as": noise_as,
        "missing_points": int(size[lost].sum()),
        "noise_points": int(size[noisy[0] | noisy[1]].sum()),
    }
    aligned = LazyAlignment(lambda: align(*joined.read(), missing, labels[0], noise_as), facts)
    meet._locate = lambda: _locate(meet, aligned)
    if lost.any():
        meet._overlap = lambda: _overlap(aligned)
    return Comparison(meet, aligned)


def _noise_labels(noise: object, joined: Joined) -> tuple[Any, Any]:
    """The noise label as the labels of both sides are written."""
    if noise is None:
        return None, None
    if ("int" in joined.kinds) and joined.kinds[0] != joined.kinds[1]:
        raise LabelError(
            f"`noise` must be a label of both sides, but the clusters of {joined.titles[0]} are {joined.kinds[0]} "
            f"and those of {joined.titles[1]} are {joined.kinds[1]}.",
            "give the clusters of both sides one type.",
        )
    if joined.kinds[0] != "int":
        return str(noise), str(noise)
    try:
        return int(noise), int(noise)  # type: ignore[call-overload]
    except ValueError:
        raise LabelError(f"`noise` must be a whole number, as the labels are; got {noise!r}.") from None


def _equal(values: Any, label: object) -> BoolArray:
    if label is None:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.ma.filled(values == label, False), dtype=bool)


def _lacking(
    joined: Joined, size: IntArray, absent: tuple[BoolArray, BoolArray], dropped: object
) -> LabelError:
    told = []
    kept = "" if dropped is None else "AND a IS DISTINCT FROM $noise AND b IS DISTINCT FROM $noise "
    for side, (name, other, column) in enumerate((("true", "pred", "a"), ("pred", "true", "b"))):
        count = int(size[absent[side]].sum())
        if count:
            points = joined.select(
                "coalesce(true_point, pred_point)",
                f"WHERE {column} IS NULL {kept}ORDER BY 1 LIMIT 5",
                {} if dropped is None else {"noise": dropped},
            ).fetchall()
            total = int(size[~absent[1 - side]].sum())
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
    joined: Joined,
    sides: tuple[Any, Any],
    size: Int64Array,
    keep: BoolArray,
    single: BoolArray,
    missing: Missing,
    noise: object,
    noise_as: NoiseAs,
) -> Meet:
    """The meet of the cells that are kept. Points of the ``single`` ones are fetched and get clusters of their own."""
    if not single.any():
        return Meet.from_cells(sides[0][keep], sides[1][keep], size[keep])
    rows = joined.select(
        "coalesce(true_point, pred_point) AS point, a, b",
        "WHERE a IS NULL OR b IS NULL" + ("" if noise is None else " OR a = $noise OR b = $noise"),
        {} if noise is None else {"noise": noise},
    ).fetchnumpy()
    fetched = np.ma.asarray(rows["a"]), np.ma.asarray(rows["b"])
    noisy = _equal(fetched[0], noise), _equal(fetched[1], noise)
    absent = np.ma.getmaskarray(fetched[0]) | np.ma.getmaskarray(fetched[1])
    noise_too = noisy[0] | noisy[1]
    wanted = absent if missing == "singleton" else np.zeros(len(absent), dtype=bool)
    if noise_as == "singleton":
        wanted = wanted | noise_too & ~absent
    elif noise_as == "drop":
        wanted = wanted & ~noise_too
    points = np.ma.getdata(rows["point"])[wanted].tolist()
    whole = keep & ~single
    codes, names = zip(
        *(
            _with_singletons(side[whole], row[wanted], mask[wanted] & (noise_as == "singleton"), points)
            for side, row, mask in zip(sides, fetched, noisy, strict=True)
        ),
        strict=True,
    )
    sizes = np.concatenate([size[whole], np.ones(len(points), dtype=np.int64)])
    meet = Meet.from_cells(codes[0], codes[1], sizes)
    return Meet(meet.cells, names[0][meet.true_names], names[1][meet.pred_names])


def _with_singletons(cells: Any, rows: Any, noisy: BoolArray, points: list[Any]) -> tuple[IntArray, AnyArray]:
    """Codes and names for the clusters of cells, and then of points of which some get a cluster of their own."""
    absent = np.ma.getmaskarray(rows)
    new = absent | noisy
    labels = read_labels(np.concatenate([np.ma.getdata(cells), np.ma.getdata(rows)[~new]]), "clusters")
    known, first = _core.encode_integers(labels.values)
    old = labels.values[first] if labels.lexicon is None else labels.lexicon[labels.values[first]]
    names = np.empty(len(old) + int(new.sum()), dtype=object)
    names[: len(old)] = old
    names[len(old) :] = [
        f"{'missing' if absent[i] else 'noise'}: {points[i]}" for i in np.flatnonzero(new).tolist()
    ]
    codes = np.empty(len(cells) + len(rows), dtype=np.int64)
    codes[: len(cells)] = known[: len(cells)]
    codes[len(cells) :][~new] = known[len(cells) :]
    codes[len(cells) :][new] = np.arange(len(old), len(names))
    return codes, names


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
