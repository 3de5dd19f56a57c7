"""Repairs: gains are those of really doing it, and the sequence ends at the true clustering."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import combinations, permutations, repeat
from math import floor, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff import _core
from tests.cases import cases
from tests.conftest import clusterings, label_pairs, random_pair

CLOSE = {"rel": 1e-9, "abs": 1e-12}
Labels = dict[Hashable, object]


def labelled(labels: Iterable[object]) -> Labels:
    """Labels by point, as strings, so that new names can join them."""
    return {point: f"c{label}" for point, label in enumerate(labels)}


def done(pred: Labels, repair: cd.types.Repair) -> Labels:
    """The predicted clustering after an operation, carried out point by point from its description."""
    out = dict(pred)
    assert len(set(repair.into)) == len(repair.into)
    if repair.operation == "split":
        assert {p for p, c in pred.items() if c == repair.clusters[0]} == set(repair.points)
        assert not {*repair.into[1:]} & set(pred.values())
        for name, part in zip(repair.into, repair.parts, strict=True):
            out |= dict.fromkeys(part, name)
    elif repair.operation == "merge":
        assert {pred[point] for point in repair.points} == set(repair.clusters)
        out |= {point: repair.into[0] for point, cluster in pred.items() if cluster in repair.clusters}
    else:
        assert {pred[point] for point in repair.points} == {repair.clusters[0]}
        out |= dict.fromkeys(repair.points, repair.clusters[1])
    return out


def check_list(true: Labels, pred: Labels, weights: list[float] | None = None, measure: str = "S_H") -> None:
    diff = cd.compare(true, pred, weights=weights)
    before = diff.score(measure)
    better = 1 if cd.measures[measure].similarity else -1
    gains, places = [], []
    for repair in diff.repairs(measure):
        after = cd.compare(true, done(pred, repair), weights=weights).score(measure)
        assert better * (after - before) == pytest.approx(repair.gain, **CLOSE), (measure, repair)
        assert repair.score == pytest.approx(after, **CLOSE)
        gains.append(repair.gain)
        places.append((floor(log(repair.gain / max(diff.repairs(measure).gain)) / log(0.9)), repair.affected))
    assert all(gain >= 0.9 * max(gains[i:]) for i, gain in enumerate(gains))
    assert places == sorted(places)


def test_gains_are_those_of_doing_it_for_every_pair_of_small_clusterings() -> None:
    """Each operation, carried out on the points, changes S_H by its gain: all pairs of clusterings of 4 points."""
    for true in clusterings(4):
        for pred in clusterings(4):
            check_list(labelled(true), labelled(pred))


@given(label_pairs(max_points=25), st.booleans())
def test_gains_are_those_of_doing_it(pair: tuple[list[int], list[int]], weighted: bool) -> None:
    """The same for larger clusterings, with and without weights."""
    true, pred = pair
    weights = [[0.5, 1.0, 3.0, 2.25][i % 4] for i in range(len(true))] if weighted else None
    check_list(labelled(true), labelled(pred), weights)


#: Those that have a value for any two clusterings of the same points, but for features and parameters.
NAMES = [
    name
    for name, measure in cd.measures.items()
    if measure.needs is None and not measure.required and name != "smi"
]


@given(label_pairs(max_points=14), st.sampled_from(NAMES), st.booleans())
@settings(max_examples=50)
def test_gains_in_any_measure_are_those_of_doing_it(
    pair: tuple[list[int], list[int]], measure: str, weighted: bool
) -> None:
    """The same for every measure: whatever it reads, and whether it should rise or fall."""
    true, pred = pair
    weights = None
    if weighted and cd.measures[measure].weighted:
        weights = [[0.5, 1.0, 3.0, 2.25, 0.0][i % 5] for i in range(len(true))]
    if weights is None or sum(weights):
        check_list(labelled(true), labelled(pred), weights, measure)


def operations(true: Labels, pred: Labels) -> Iterator[Labels]:
    """The predicted clustering after every single operation towards the truth.

    A cluster is split by true cluster, or one true cluster is taken out of it; of the clusters that lie inside a true
    one some are united, alone or with one more that holds some of it; what a cluster has of a true one is moved to
    another that has some.
    """
    cells: dict[tuple[object, object], set[Hashable]] = {}
    for point in true:
        cells.setdefault((true[point], pred[point]), set()).add(point)
    for cluster in set(pred.values()):
        inside = [points for (_, c), points in cells.items() if c == cluster]
        for part in inside:
            yield pred | dict.fromkeys(part, "new")
        yield pred | {point: f"new {i}" for i, part in enumerate(inside) for point in part}
    for own in set(true.values()):
        parts = {c: points for (t, c), points in cells.items() if t == own}
        pure = [c for c in parts if all(t == own for t, other in cells if other == c)]
        for host in [None, *(c for c in parts if c not in pure)]:
            for number in range(1, len(pure) + 1):
                for some in combinations(pure, number):
                    into = some[0] if host is None else host
                    yield pred | {point: into for c in some for point in parts[c]}
        for source, target in permutations(parts, 2):
            yield pred | dict.fromkeys(parts[source], target)


def tables(n: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every pair of clusterings of n points but for the names of points and clusters: the sizes of their cells.

    A column for each predicted cluster, in the one order of true clusters that comes first.
    """
    seen = set()
    for sizes in {tuple(sorted(Counter(labels).values())) for labels in clusterings(n)}:
        rows = np.repeat(np.arange(len(sizes)), sizes)
        orders = [
            order for order in permutations(range(len(sizes))) if sizes == tuple(sizes[i] for i in order)
        ]
        for labels in clusterings(n):
            table = np.zeros((max(labels) + 1, len(sizes)), dtype=int)
            np.add.at(table, (labels, rows), 1)
            seen.add(min(tuple(sorted(map(tuple, table[:, order].tolist()))) for order in orders))
    yield from seen


@cases("n", range(1, 7))
def test_the_best_repair_is_the_best_there_is(n: int) -> None:
    """No operation towards the truth gains more than the best that is listed: all pairs of up to six points."""
    for table in tables(n):
        cells = [(t, p) for p, column in enumerate(table) for t, m in enumerate(column) for _ in range(m)]
        true, pred = (labelled(side) for side in zip(*cells, strict=True))
        diff = cd.compare(true, pred)
        repairs = diff.repairs()
        best = max(cd.score(true, after) for after in operations(true, pred))
        first = max(repairs.score, default=diff.score())
        assert first == pytest.approx(max(best, diff.score()), **CLOSE), table


def test_a_part_moves_to_a_small_cluster_of_its_own() -> None:
    """Though most of it lies elsewhere: there it would be among others."""
    repairs = cd.compare(["ann", "ann", "ann", "bob"], [1, 1, 2, 1]).repairs()
    assert repairs[0].sentence == "move 2 points of ann (0, 1) from 1 to 2"
    assert repairs[0].score == 1.0


@given(label_pairs(max_points=30))
def test_the_sequence_ends_at_the_true_clustering(pair: tuple[list[int], list[int]]) -> None:
    """Step by step, scores are those of the clustering so far; the last is exactly 1, and pred equals true."""
    true, state = labelled(pair[0]), labelled(pair[1])
    diff = cd.compare(true, state)
    score = diff.score()
    sequence = diff.repairs().sequence
    for step in sequence:
        state = done(state, step)
        after = cd.compare(true, state).score()
        assert after == pytest.approx(step.score, **CLOSE)
        assert after - score == pytest.approx(step.gain, **CLOSE)
        score = after
    assert cd.Clustering(state) == cd.Clustering(true)
    assert not len(sequence) or sequence[-1].score == 1.0


def test_the_sequence_takes_the_best_operation_next() -> None:
    """Greedy means: from every clustering on the way, no listed operation gains more than the step taken."""
    true, pred = random_pair(60, 8, seed=5)
    # Distinct weights leave no ties between homes.
    weights = 1 + np.arange(60) / 997
    gold, state = labelled(true), labelled(pred)
    diff = cd.compare(gold, state, weights=weights)
    steps = list(diff.repairs().sequence)
    assert sum(step.gain for step in steps) == pytest.approx(1 - diff.score())
    for step in steps:
        repairs = cd.compare(gold, state, weights=weights).repairs()
        assert max(repairs.gain) == pytest.approx(step.gain, **CLOSE)
        state = done(state, step)


def test_repairs_are_told_with_names() -> None:
    """A repair names its clusters, its points and what to do, in words and as data."""
    diff = cd.compare(
        {"a": "A", "b": "A", "c": "A", "d": "B", "e": "B"}, {"a": "x", "b": "x", "c": "y", "d": "y", "e": "y"}
    )
    best = diff.repairs()[0]
    assert best.operation == "move"
    assert best.clusters == ["y", "x"]
    assert best.points == ["c"]
    assert best.true == ["A"]
    assert best.sentence == "move 1 point of A (c) from y to x"
    assert best.score == 1.0
    assert best.to_dict()["points"] == ["c"]
    assert [step.sentence for step in diff.repairs().sequence] == [best.sentence]
    split = next(repair for repair in diff.repairs() if repair.operation == "split")
    assert split.sentence == "split y into 2 parts: B (2 points) and A (1 point)"
    assert split.parts == [["d", "e"], ["c"]]
    merge = cd.compare({"a": 1, "b": 1}, {"a": "x", "b": "y"}).repairs()[0]
    assert merge.sentence == "merge x and y: 2 points of true cluster 1"


def test_a_giant_cluster_is_split_before_its_parts_move() -> None:
    """Moving its 600 parts one by one would look at all of them each time; the sequence still ends at the truth."""
    point = np.arange(2400)
    diff = cd.compare(point // 2, np.where(point % 4 == 0, -1, point // 2))
    steps = list(diff.repairs().sequence)
    assert [step.operation for step in steps] == ["split", *["merge"] * 600]
    assert steps[0].clusters == [-1]
    assert diff.score() + sum(step.gain for step in steps) == pytest.approx(steps[-1].score) == 1.0


def test_parts_cut_off_in_the_sequence_get_names_of_their_own() -> None:
    """A step may speak of a part that an earlier step cut off; it is called after its cluster."""
    diff = cd.compare(["A"] * 6 + ["B"] * 6 + ["C"] * 3, ["x"] * 3 + ["y"] * 9 + ["x"] * 3)
    names = {cluster for step in diff.repairs().sequence for cluster in step.clusters}
    assert names <= {"x", "y", "x.2", "y.2", "x.3", "y.3"}
    numbers = cd.compare([0, 0, 1, 1, 2, 2], [7, 7, 7, 7, 7, 9]).repairs().sequence
    assert all(isinstance(cluster, int) for step in numbers for cluster in step.clusters)


def test_same_clusterings_need_no_repair() -> None:
    """Nothing to do, and it says so."""
    repairs = cd.compare([0, 1, 1], ["x", "y", "y"]).repairs()
    assert len(repairs) == len(repairs.sequence) == 0
    assert repr(repairs) == "nothing to repair"
    with pytest.raises(IndexError, match="there is no repair 0; there are 0"):
        repairs[0]


def test_the_worst_clusterings_are_repaired_too() -> None:
    """From ⊤, from ⊥ and from a grid, where all scores are 0, the sequence still arrives."""
    grid = [(i // 5, i % 5) for i in range(25)]
    for true, pred in (
        ([0] * 9, range(9)),
        (range(9), [0] * 9),
        ([i for i, _ in grid], [j for _, j in grid]),
    ):
        sequence = cd.compare(list(true), list(pred)).repairs().sequence
        assert sequence[-1].score == 1.0


def test_a_cluster_in_very_many_parts_is_merged_once() -> None:
    """A true cluster strewn over hundreds of predicted ones is put together at the end, in one step."""
    true = np.concatenate([np.repeat(np.arange(300), 3), np.full(300, 999)])
    pred = np.concatenate([np.repeat(np.arange(300), 3), np.arange(300)])
    sequence = cd.compare(true, pred).repairs().sequence
    kinds = [step.operation for step in sequence]
    assert kinds == ["split"] * 300 + ["merge"]
    assert sequence[-1].true == [999]
    assert len(sequence[-1].points) == 300
    assert len(sequence[-1].clusters) == 300


def calls(work: Callable[[], object]) -> int:
    """How many functions Python calls to do something."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("size", [10, 1_000])
def test_a_million_points_take_python_no_more_steps_than_ten_thousand(size: int) -> None:
    """A tenth of the points astray, in one giant sparse component or in entangled clusters: the core does the work."""
    steps = []
    for n in (10**4, 10**6):
        rng = np.random.default_rng(0)
        true = rng.integers(0, n // size, n)
        pred = true.copy()
        wrong = rng.choice(n, n // 10, replace=False)
        pred[wrong] = rng.permutation(pred[wrong])
        diff = cd.compare(true, pred)
        lost = diff.loss.total
        steps.append(calls(lambda diff=diff: diff.repairs().sequence))  # type: ignore[misc]
        repairs = diff.repairs()
        assert repairs[0].gain >= repairs[-1].gain > 0
        assert repairs.sequence[-1].score == 1.0
        assert sum(step.gain for step in repairs.sequence[:100]) > 0
        assert repairs.sequence.gain.sum() == pytest.approx(lost)
    assert steps[1] < 1.1 * steps[0] < 500


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_that_are_the_same_take_no_part_in_repairs(weighted: bool) -> None:
    random = np.random.default_rng(5)
    true = random.integers(0, 12, 60)
    pred = np.where(random.random(60) < 0.4, random.integers(0, 12, 60), true)
    sound = 100 + np.repeat(np.arange(20), 3)
    weights = random.random(120) if weighted else np.ones(120)
    # Between the others, so that neither clusters nor cells keep their numbers, but all stay in order.
    both = np.argsort(np.concatenate([np.arange(60), np.arange(60) - 0.5]))
    mixed = [np.concatenate([labels, sound])[both] for labels in (true, pred)]
    apart = cd.compare(true, pred, weights=weights[:60])
    beside = cd.compare(*mixed, weights=weights[both])
    share = weights[:60].sum() / weights.sum()
    for few, many in (
        (apart.repairs(), beside.repairs()),
        (apart.repairs().sequence, beside.repairs().sequence),
    ):
        assert len(few) > 0
        assert [(one.operation, one.true, one.sizes) for one in few] == [
            (one.operation, one.true, one.sizes) for one in many
        ]
        assert [one.gain * share for one in few] == pytest.approx([one.gain for one in many], abs=1e-12)
    assert [one.clusters for one in apart.repairs()] == [one.clusters for one in beside.repairs()]


def strayed(clusters: int) -> cd.types.Meet:
    """Clusters of four points, of which nearly a third are one or two clusters further on: many components."""
    rng = np.random.default_rng(3)
    true = np.repeat(np.arange(clusters), 4)
    return cd.compare(
        true, np.where(rng.random(len(true)) < 0.3, true + rng.integers(0, 3, len(true)), true)
    ).meet


def test_batches_of_components_are_repaired_as_each_by_itself() -> None:
    """The list has the gains of each component alone, and the sequence takes the best of all steps that come next."""
    meet = strayed(4_000)
    of = meet.cells.join().of_true
    rows = np.split(np.argsort(of, kind="stable"), np.cumsum(np.bincount(of))[:-1])
    gains, steps = [], []
    for component, mine in enumerate(rows):
        part = meet.restrict(np.sort(mine))
        gains.append(_core.repairs(part.cells).gain * part.n / meet.n)
        gained = _core.repair_steps(part.cells).gain * part.n / meet.n
        # What gains more than an earlier step of its component follows that at once.
        turn = np.minimum.accumulate(gained).tolist() if len(gained) else []
        steps += zip((-gain for gain in turn), repeat(component), gained.tolist())
    assert len(meet) > 4096  # cells in a batch
    found, sequence = _core.repairs(meet.cells), _core.repair_steps(meet.cells)
    np.testing.assert_allclose(np.sort(found.gain), np.sort(np.concatenate(gains)), rtol=1e-9, atol=1e-15)
    turns = np.minimum.accumulate(sequence.gain)
    np.testing.assert_allclose(turns, [-turn for turn, *_ in sorted(steps)], rtol=1e-9, atol=1e-15)
    assert sequence.gain.sum() == pytest.approx(1 - meet.sums.s_h)  # type: ignore[attr-defined]
    new = sequence.target[sequence.target >= meet.k_pred]
    assert (
        np.diff(new[np.sort(np.unique(new, return_index=True)[1])]) == 1
    ).all()  # parts are numbered as they come


def test_threads_change_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits from one thread and from three."""
    cells = strayed(80_000).cells
    assert len(cells) > 1 << 17  # below, one thread does it all
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        found.append([*_core.repairs(cells), *_core.repair_steps(cells)])
    assert all(map(np.array_equal, *found))
