"""The law of terms: whoever knows a term agrees with its declaration, for every name."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.decide.levels import Levels
from clusterdiff.decide.trees import read_tree
from clusterdiff.diff.changes import KNOWN as CHANGED
from clusterdiff.diff.changes import Changes, Gathering
from clusterdiff.meet import terms
from clusterdiff.meet.declarations import COLUMNS, TERMS
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.values import MEANS, TermSums
from clusterdiff.paper.halving import Halving

WHOLE = ("mm", "aa", "bb", "true_max", "pred_max")

# ---- the declaration in exact arithmetic, over single points


#: Digits: sums of weights over 16 decades are exact in so many, and all else is far beyond a double.
DIGITS = 120


class Exact:
    """The functions of formulas on single values, without rounding."""

    f = staticmethod(lambda x: x)
    flag = staticmethod(int)
    where = staticmethod(lambda condition, then, otherwise: then if condition else otherwise)
    larger = staticmethod(max)
    log = staticmethod(lambda x: Decimal(x).ln() if x > 0 else Decimal(0))
    log1p = staticmethod(lambda x: (1 + Decimal(x)).ln())
    others = lambda self, mass: self.N - mass  # noqa: E731
    beta_mean = staticmethod(lambda x, y: (x + y) / 2)

    @staticmethod
    def share(part: Any, whole: Any, none: float = 1.0) -> Any:
        share = Decimal(part) / whole if whole > 0 else Decimal(none)
        return Decimal(1) if share > 1 - Decimal("1e-60") else share


class ExactCluster(Exact):
    """A cluster as a formula sees it."""

    def __init__(self, table: ExactRows, side: int, label: Any) -> None:
        self.table, self.side, self.label = table, side, label
        self.N, self.N0, self.weighted = table.N, table.N0, table.weighted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.table.column(name, self.side, self.label)


class ExactRow(Exact):
    """A row as a formula sees it."""

    one = 1

    def __init__(self, table: ExactRows, key: tuple[Any, Any, Any], side: int) -> None:
        self.table, self.points = table, table.members[key]
        self.N, self.N0, self.weighted = table.N, table.N0, table.weighted
        self.m, self.n = sum(self.points, Decimal(0)), len(self.points)
        if table.sizes:
            self.m = self.n = Decimal(table.sizes[key])
        self.L, self.C = (ExactCluster(table, s, key[s]) for s in (side, 1 - side))
        self.nobody = None in key[:2]

    def inside(self, content: str) -> Any:
        if self.table.sizes:
            return terms.inside(self, content, self.m)
        return sum(terms.CONTENTS[content](self, w, self.m - w) for w in self.points if w)


class ExactRows:
    """Rows of single points, one after the other: the declaration itself, slowly."""

    def __init__(self, true: list[Any], pred: list[Any], weights: list[Any] | None) -> None:
        self.weighted = weights is not None
        self.members: dict[tuple[Any, Any, Any], list[Decimal]] = defaultdict(list)
        for i, (t, p) in enumerate(zip(true, pred, strict=True)):
            w = Decimal(1) if weights is None else Decimal(weights[i])
            if w and (t is not None or p is not None):  # a point without weight is no point
                self.members[t, p, i if None in (t, p) else None].append(w)
        self.members = {key: points for key, points in self.members.items() if sum(points)}
        self.sizes: dict[Any, int] = {}
        self.N = sum((sum(points) for points in self.members.values()), Decimal(0))
        self.N0 = sum((sum(ws) for key, ws in self.members.items() if None not in key[:2]), Decimal(0))
        self.known: dict[Any, Any] = {}

    def add_cells(self, sizes: dict[tuple[int, int], int]) -> None:
        """Cells of so many points that they are not written down one by one."""
        self.sizes = {(*key, None): size for key, size in sizes.items()}
        self.members = {key: [] for key in self.sizes}
        self.N = self.N0 = Decimal(sum(sizes.values()))

    def keys(self, over: str, side: int) -> list[Any]:
        def there(key: Any) -> bool:
            if over == "cells":
                return None not in key[:2]
            return over == "rows" or (key[side] is not None and (over == "own" or key[1 - side] is None))

        return [key for key in self.members if there(key)]

    def column(self, name: str, side: int, label: Any) -> Any:
        if (name, side, label) not in self.known:
            declared = COLUMNS[name]
            if declared.reduce is None:
                value = declared.formula(ExactCluster(self, side, label))
            else:
                over = "own" if declared.over == "rows" else declared.over
                keys = [key for key in self.keys(over, side) if key[side] == label]
                values = [declared.formula(ExactRow(self, key, side)) for key in keys]
                value = sum(values) if declared.reduce == "sum" else max(values, default=0)
            self.known[name, side, label] = value
        return self.known[name, side, label]

    def summands(self, name: str) -> list[Decimal]:
        term = TERMS[name]
        side = int(term.mirrored)
        if term.over == "clusters":
            labels = {key[side] for key in self.members} - {None}
            values = [term.formula(ExactCluster(self, side, label)) for label in labels]
        else:
            values = [term.formula(ExactRow(self, key, side)) for key in self.keys(term.over, side)]
        return [Decimal(v[0]) * v[1] if isinstance(v, tuple) else Decimal(v) for v in values]


# ---- comparisons

labels = st.integers(0, 4)
decades = st.floats(-8, 8).map(lambda x: 10.0**x)


@st.composite
def comparisons(draw: Any, weighted: bool, lost: bool) -> tuple[list[Any], list[Any], list[float] | None]:
    """Labels of up to 12 points on both sides, some of them lost, and weights over 16 decades, some of them 0."""
    n = draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["any", "one", "singletons"]))
    true = {
        "any": draw(st.lists(labels, min_size=n, max_size=n)),
        "one": [0] * n,
        "singletons": list(range(n)),
    }[kind]
    pred: list[Any] = draw(st.lists(labels, min_size=n, max_size=n))
    gone = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)) if lost else [0] * n
    weights = None
    if weighted:
        weights = draw(st.lists(st.one_of(decades, st.just(0.0)), min_size=n, max_size=n))
        weights[draw(st.integers(0, n - 1))] = 1.0
    one = [None if g == 1 else t for t, g in zip(true, gone, strict=True)]
    two = [None if g == 2 else p for p, g in zip(pred, gone, strict=True)]
    return one, two, weights


def meet_of(true: list[Any], pred: list[Any], weights: list[float] | None) -> Meet:
    a = {i: t for i, t in enumerate(true) if t is not None}
    b = {i: p for i, p in enumerate(pred) if p is not None}
    by_point = None if weights is None else dict(enumerate(weights))
    return cd.compare(a, b, missing="lost", weights=by_point).meet


#: Not for weights: what cancels in these the core alone knows (its ``Weighed``), and LEA counts links of points.
OF_COUNTS = frozenset({"apart", "gain", "chi2_cells", "frobenius", "lea_recall", "lea_precision"})


def assert_close(name: str, value: Any, exact: ExactRows) -> None:
    """Whole terms to the bit; others to 1e-12 of what their summands are without their signs."""
    summands = exact.summands(name)
    if isinstance(value, int):
        assert value == sum(summands), name
    else:
        # A loss is what a score lacks of 1, and x·log x is next to nothing where x is almost 1.
        near_one = name.startswith("loss_") or name in ("m_log_m", "a_log_a", "b_log_b")
        size = exact.N if near_one else sum(map(abs, summands))
        off = abs(Decimal(value) - sum(summands))
        assert off <= Decimal("1e-12") * size, (name, value, float(sum(summands)))


@pytest.mark.parametrize("lost", [False, True], ids=["even", "lost"])
@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
@settings(max_examples=15)
@given(data=st.data())
def test_rows_agree_with_the_declaration(weighted: bool, lost: bool, data: Any) -> None:
    """Rows give every term as its formula does without rounding."""
    true, pred, weights = data.draw(comparisons(weighted, lost))
    meet = meet_of(true, pred, weights)
    assert meet.scale == 0
    with localcontext(prec=DIGITS):
        rows, exact = Rows.of(meet), ExactRows(true, pred, weights)
        for name in TERMS.keys() - (OF_COUNTS if weighted else ()):
            assert_close(name, rows[name], exact)


@given(data=st.data())
def test_large_sizes_do_not_overflow(data: Any) -> None:
    """Whole terms of cells of 5·10⁹ points are exact, and no other is off."""
    n = data.draw(st.integers(1, 6))
    cells = data.draw(st.lists(st.tuples(labels, labels), min_size=n, max_size=n, unique=True))
    sizes = data.draw(st.lists(st.integers(1, 5 * 10**9), min_size=n, max_size=n))
    rows = Rows.of(Meet.from_cells([t for t, _ in cells], [p for _, p in cells], sizes))
    with localcontext(prec=DIGITS):
        exact = ExactRows([], [], None)
        exact.add_cells(dict(zip(cells, sizes, strict=True)))
        for name in TERMS:
            assert_close(name, rows[name], exact)


# ---- who else knows terms


def assert_known(known: Any, rows: Rows) -> None:
    """The sums of whatever has some agree with the declaration."""
    sums = known.sums
    for name in WHOLE:
        want = pytest.approx(rows[name], rel=1e-12) if rows.weighted else rows[name]
        assert getattr(sums, name) == want, name
    wanted = TermSums(rows)
    for name in (*MEANS, *(terms.SCORE_SUMS.keys() & known.known)):
        assert getattr(sums, name) == pytest.approx(getattr(wanted, name), rel=1e-12, abs=1e-12), name
    assert sums.mutual == pytest.approx(wanted.mutual, rel=1e-9, abs=1e-12)
    assert (len(known), known.k_true, known.k_pred) == (rows["cells"], rows["k_true"], rows["k_pred"])
    assert known.same == (rows["unlike"] == 0)
    pairs = known.pairs
    both = rows["pairs_both"]
    assert 2 * pairs.both == pytest.approx(both, rel=1e-12)
    assert 2 * (pairs.true - pairs.both) == pytest.approx(rows["pairs_true_only"], rel=1e-12)
    assert 2 * (pairs.pred - pairs.both) == pytest.approx(rows["pairs_pred_only"], rel=1e-12)
    assert known.bottom_entropy * rows["total"] == pytest.approx(
        rows["inside_entropy"] + rows["h_joint"], rel=1e-12, abs=1e-12
    )


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=40))
def test_the_core_agrees_with_the_declaration(points: list[tuple[int, int]]) -> None:
    """The core's sums in one pass are the terms."""
    true, pred = np.array(points).T
    meet = Meet.from_labels(true, pred)
    rows = Rows.of(meet)
    assert_known(meet, rows)
    for name in TERMS.keys() - MEANS:
        assert getattr(meet.terms, name) == pytest.approx(rows[name], rel=1e-12, abs=1e-12), name
    assert meet.terms.chi2 == pytest.approx(TermSums(rows).chi2, rel=1e-9, abs=1e-12)


def test_no_sum_has_a_name_that_nobody_declared() -> None:
    """A slip of the pen in a measure is an AttributeError, as of any object."""
    sums = TermSums(Rows.of(cd.compare([0, 0, 1], [0, 1, 1]).meet))
    assert hasattr(sums, "b3_recall")
    with pytest.raises(AttributeError, match="no sum is called 'b3_recal'"):
        _ = sums.b3_recal


@given(st.lists(st.tuples(labels, labels, st.floats(-2, 2)), min_size=1, max_size=40))
def test_weighted_sums_agree_with_the_declaration(points: list[tuple[int, int, float]]) -> None:
    """So are the sums of weights, and what masses come to beside all around them."""
    true, pred, exponent = zip(*points, strict=True)
    meet = cd.compare(list(true), list(pred), weights=[10.0**x for x in exponent]).meet
    rows = Rows.of(meet)
    assert_known(meet, rows)
    total, weighed = rows["total"], meet.weighed
    assert 2 * weighed.apart == pytest.approx(rows["apart"], rel=1e-9, abs=1e-12 * total**2)
    assert meet.terms.chi2 == pytest.approx(TermSums(rows).chi2, rel=1e-9, abs=1e-12)
    assert meet.terms.frobenius == pytest.approx(rows["frobenius"], rel=1e-9, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 30))
def test_levels_agree_with_the_declaration(seed: int, n: int) -> None:
    """Every level of a sweep knows its terms as they are declared."""
    rng = np.random.default_rng(seed)
    nodes = list(range(n))
    joined = []
    for at in range(n - 1):
        one, other = (nodes.pop(int(rng.integers(len(nodes)))) for _ in range(2))
        joined.append((one, other, float(at), 2.0))
        nodes.append(n + at)
    tree = read_tree(np.array(joined))
    codes = np.unique(rng.integers(0, 5, n), return_inverse=True)[1].astype(np.int32)
    levels = Levels(codes, tree, np.arange(n))
    for j, level in enumerate(levels):
        assert_known(level, Rows.of(levels.meet(j)))


@given(st.integers(0, 10**6), st.lists(labels, min_size=2, max_size=30))
def test_steps_agree_with_the_declaration(seed: int, true: list[int]) -> None:
    """So does every step of the paper's series."""
    codes = np.unique(true, return_inverse=True)[1]
    series = Halving(codes, np.random.default_rng(seed))
    at = np.arange(len(series.operations) + 1)
    for count, step in zip(at, series.steps(at), strict=True):
        assert_known(step, Rows.of(series.meet(int(count))))


# ---- units


@pytest.mark.parametrize("lost", [False, True], ids=["even", "lost"])
@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
@given(data=st.data())
def test_columns_by_unit_add_up_to_the_term(weighted: bool, lost: bool, data: Any) -> None:
    """Whatever the units are, what they add to a term is the term, unless it reads the mass of all rows."""
    meet = meet_of(*data.draw(comparisons(weighted, lost)))
    rows = Rows.of(meet)
    of_row = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    for name in TERMS:
        columns = rows.by_unit(name, of_row, 4)
        assert columns.sum() == pytest.approx(rows[name], rel=1e-12, abs=1e-12 * abs(columns).sum()), name


@given(comparisons(weighted=True, lost=True))
def test_lost_points_without_a_unit_are_shared_out(comparison: Any) -> None:
    """A lost point of a cluster that lies in several units is shared out over the cluster's cells by mass."""
    meet = meet_of(*comparison)
    rows = Rows.of(meet)
    if not isinstance(meet, UnevenMeet):
        return
    cells = np.arange(len(meet))
    of_pred = np.where(rows.of_pred("shared") > 0, -1, len(cells))
    of_row = rows.units(cells, np.full(meet.k_true, len(cells)), of_pred)
    assert np.array_equal(
        np.flatnonzero(of_row < 0), np.flatnonzero((rows.true.cluster < 0) & (of_row != len(cells)))
    )
    for name in TERMS:
        columns = rows.by_unit(name, of_row, len(cells) + 1)
        assert columns.sum() == pytest.approx(rows[name], rel=1e-12, abs=1e-12 * abs(columns).sum()), name


@given(comparisons(weighted=False, lost=True))
def test_unit_sums_are_the_terms(comparison: Any) -> None:
    """Of all units together, the second form of a term that reads the mass of all rows has the value of the first."""
    rows = Rows.of(meet_of(*comparison))

    class Totals:
        def __getattr__(self, name: str) -> Any:
            return terms.UNIT_SUMS[name](self) if name in terms.UNIT_SUMS else rows[name]

    whole = rows["total"]
    for name in terms.UNIT_SUMS:
        if rows.even and name == "gain":
            want = rows["gain"] + (whole**2 - rows["covered"]) / whole
        elif rows.even and name == "chi2_cells":
            want = rows[name] + (whole**2 - rows["covered"]) / whole
        elif name in ("gain", "covered", "chi2_cells", "h_true", "h_pred", "h_joint"):
            continue  # no measure of lost points reads them
        else:
            want = rows[name]
        assert getattr(Totals(), name) == pytest.approx(want, rel=1e-9, abs=1e-9 * whole), name


# ---- gains


@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
@given(data=st.data())
def test_changes_are_what_terms_differ_by(weighted: bool, data: Any) -> None:
    """What an operation that unites cells of a true cluster changes in a term is the term after less before."""
    meet = meet_of(*data.draw(comparisons(weighted, lost=False)))
    true = data.draw(st.integers(0, meet.k_true - 1))
    cells = data.draw(st.permutations(np.flatnonzero(meet.true == true).tolist()))
    to = cells.pop() if len(cells) > 1 and data.draw(st.booleans()) else -1
    taken = np.array(cells[: data.draw(st.integers(1, len(cells)))])
    gathering = Gathering(np.array([true]), taken, np.zeros(len(taken), dtype=np.int64), np.array([to]))
    pred = meet.pred.astype(np.int64)
    pred[taken] = meet.k_pred if to < 0 else pred[to]
    before, after = Rows.of(meet), Rows.of(meet.regroup(np.unique(pred, return_inverse=True)[1]))
    for name in CHANGED:
        [change] = Changes(meet).gathers(name, gathering)
        if weighted:
            # Where clusters are of so different weights, sums that run over all of them round light ones off.
            off = (1e-8 if name == "element" else 1e-12) * max(1.0, before["total"]) ** 2
            assert change == pytest.approx(after[name] - before[name], rel=1e-9, abs=off), name
        elif isinstance(before[name], int):
            assert change == after[name] - before[name], name
        else:
            assert change == pytest.approx(after[name] - before[name], rel=1e-12, abs=1e-12), name
