"""cd.check: properties by enumeration."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from math import factorial, prod

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.meet.enumeration import partitions, universe
from clusterdiff.meet.meet import Meet
from tests.cases import cases

BELL = {1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203, 7: 877}
#: Tables of n points up to the order of rows and columns.
TABLES = {1: 1, 2: 4, 3: 10, 4: 33, 5: 91, 6: 298, 7: 910}


@cache
def checked(name: str, points: int = 5) -> dict[str, bool | None]:
    """What holds for a measure on all clusterings of up to so many points."""
    return cd.check(name, points=points).holds


@cases("n", range(1, 8))
def test_all_clusterings_are_enumerated_once(n: int) -> None:
    """There are as many as Bell's number says, all different, and orbits count those of given sizes."""
    omega = universe(n)
    assert len(omega) == BELL[n] == len({tuple(row) for row in omega.labels.tolist()})
    for sizes, orbit in zip(omega.sizes, omega.orbits.tolist(), strict=True):
        same = prod(factorial(sizes.count(size)) for size in set(sizes))
        assert orbit == factorial(n) // prod(map(factorial, sizes)) // same


@cases("n", range(1, 7))
def test_pairs_up_to_renaming_stand_for_all_pairs(n: int) -> None:
    """The classes count every pair, are few, and all pairs of a class have the same table."""
    omega = universe(n)
    trues, _, counts = omega.pairs
    assert counts.sum() == len(omega) ** 2
    assert TABLES[n] <= len(trues) <= 1.2 * TABLES[n]
    for representative, (first, inverse) in zip(omega.representatives, omega.classes, strict=True):
        true = omega.labels[representative].astype(int)
        for p in range(len(omega)):
            one = Meet.from_labels(true, omega.labels[p].astype(int))
            other = Meet.from_labels(true, omega.labels[first[inverse[p]]].astype(int))
            assert sorted(one.size.tolist()) == sorted(other.size.tolist())
            assert one.sums.s_h == pytest.approx(other.sums.s_h, abs=1e-12)


def test_renaming_finds_the_value_of_every_pair() -> None:
    """The full table of values, had by renaming points, is what the measure itself gives."""
    from clusterdiff.paper.trial import PointData, Trial

    def sided(meet: cd.Meet) -> float:
        return float(meet.k_true + 10 * np.sum(meet.size**2) + 100 * np.max(meet.pred_size))

    trial = Trial(cd.measures["R"], 4, PointData(None, 4, None, None), None, lambda _: None)
    trial_sided = Trial(
        cd.types.Measure("sided", sided, "own", "sided"),
        4,
        PointData(None, 4, None, None),
        None,
        lambda _: None,
    )
    omega = universe(4)
    full, full_sided = trial.full(omega), trial_sided.full(omega)
    for t, p in product(range(len(omega)), repeat=2):
        meet = Meet.from_labels(omega.labels[t].astype(int), omega.labels[p].astype(int))
        assert full[t, p] == pytest.approx(cd.measures["R"](meet), abs=1e-12)
        assert full_sided[t, p] == sided(meet)


def test_the_result_is_an_object_a_table_and_json() -> None:
    """holds, counterexamples, table, to_dict and the text agree with each other."""
    found = cd.check("nmi_max", points=4)
    assert found.holds["symmetric"] is True
    assert found.holds["normalised"] is True
    assert found.holds["conditionally_normalised"] is False
    assert found.holds["join_weighted"] is False
    assert found.holds["subcomponent_consistent"] is None
    assert {name for name, holds in found.holds.items() if holds is False} == set(found.counterexamples)
    assert found.table["property"].tolist() == list(found.holds)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["holds"] == found.holds
    assert data["tried"] == sum(BELL[n] ** 2 for n in range(1, 5))
    example = next(p for p in data["properties"] if p["property"] == "join_weighted")["counterexample"]
    assert example["clusterings"] == {"true": [[0, 1], [2]], "pred": [[0], [1], [2]]}
    assert "true  0 1 | 2\n" in str(found.counterexamples["join_weighted"])
    assert "triangle" in repr(found)


def test_counterexamples_are_real() -> None:
    """A counterexample's clusterings, compared again, break the property as its text says."""
    example = cd.check("S_H", points=5).counterexamples["triangle"]
    a, b, c = (
        cd.Clustering([list(cluster) for cluster in example.clusterings[name]])
        for name in ("true", "between", "pred")
    )
    gap = (1 - cd.score(a, c)) - (1 - cd.score(a, b)) - (1 - cd.score(b, c))
    assert gap == pytest.approx(0.0929, abs=5e-5)
    assert f"{gap:.4g} less" in example.text
    assert example.points == 5


def test_a_distance_is_told_as_the_similarity_that_was_tried() -> None:
    """Property 5.1 is about similarities: what is least for a distance is one minus it."""
    text = cd.check("VI", points=2).counterexamples["conditionally_normalised"].text
    assert text == "clause 2: this 𝕃 has no worst clustering; the least 1 − VI is 0.3069"
    assert cd.score([0, 0], [0, 1], "VI") == pytest.approx(1 - 0.3069, abs=1e-4)


@cases("name", [n for n, m in cd.measures.items() if m.needs is None and n != "K"])
def test_flags_of_the_registry_are_what_enumeration_finds(name: str) -> None:
    """No measure claims a property that a pair of clusterings of four points refutes; test_flags has five points."""
    measure = cd.measures[name]
    found = checked(name, points=4)
    assert found["invariant"]
    assert found["decomposition"] is (None if measure.decomposition is None else True)
    for flag in ("symmetric", "join_weighted", "subcomponent_consistent"):
        assert found[flag] or not getattr(measure, flag), flag
    for flag in ("normalised", "conditionally_normalised"):
        assert getattr(measure, flag) in (None, found[flag]), flag
    assert found["constant_baseline"] or measure.baseline is None


@cases("name", ["rand", "N", "A", "I", "nmi_max", "vi", "V", "S_H", "S*", "S'", "S*(pairs)", "S*(largest)"])
def test_the_papers_measures_deny_no_property_that_they_have(name: str) -> None:
    """For these, what the registry denies is refuted too."""
    measure, found = cd.measures[name], checked(name)
    assert found["symmetric"] is measure.symmetric
    assert found["join_weighted"] is measure.join_weighted


def test_only_b_cubed_satisfies_the_four_constraints() -> None:
    """The finding of Amigó et al. (2009), for the measures that they compared."""
    constraints = ("homogeneity", "completeness", "rag_bag", "size_quantity")
    four = {
        name: [checked(name)[c] for c in constraints]
        for name in (
            "b3.f1",
            "rand",
            "jaccard",
            "fowlkes_mallows",
            "purity",
            "inverse_purity",
            "f_measure",
            "vi",
            "nmi",
        )
    }
    assert [name for name, holds in four.items() if all(holds)] == ["b3.f1"]


def test_a_measure_of_your_own() -> None:
    """A plain function of the meet is checked; one that looks at names is found out, and every pair is tried."""
    found = cd.check(lambda meet: meet.sums.mm / meet.n**2, points=4)
    assert found.holds["symmetric"]
    assert not found.holds["identity"]
    assert found.holds["n_invariant"]

    def first_point(meet: cd.Meet) -> float:
        return float(meet.size[meet.cell_of_point[0]] == 1)

    named = cd.check(first_point, points=3)
    assert named.holds["invariant"] is False
    assert "renamed" in named.counterexamples["invariant"].text


def test_consistency_with_a_subcomponent_measure_of_your_own() -> None:
    """s= says what a measure is made of; without it the question does not arise."""
    measure = cd.split_merge("pairs")
    assert cd.check(measure, points=4).holds["subcomponent_consistent"] is None
    assert cd.check(measure, points=4, s="pairs").holds["subcomponent_consistent"] is True
    assert cd.check(measure, points=4, s="entropy").holds["subcomponent_consistent"] is False
    # Read off the measure, R's s is `pairs` and V's is `entropy`: consistency is about both together.
    assert cd.check("R", points=5, s="pairs").holds["subcomponent_consistent"] is True
    assert cd.check("V", points=5, s="entropy").holds["subcomponent_consistent"] is True


def test_subcomponent_measures() -> None:
    """The built-in s of sizes have properties 4.2 and 4.3; one that lacks a clause is told which, and where."""
    for name in ("entropy", "pairs", "largest"):
        assert all(cd.check(name, points=8).holds.values()), name

    def share(sizes: np.ndarray) -> float:
        return float(sizes.max() / sizes.sum())

    found = cd.check(share)
    assert found.holds == {
        "one_if_whole": True,
        "zero_if_singletons": False,
        "between": True,
        "falls_with_parts": True,
        "falls_with_evenness": True,
    }
    assert found.counterexamples["zero_if_singletons"].text == "share = 0.5 for 2 points in 2 parts"

    def upside_down(sizes: np.ndarray) -> float:
        return 1.0 if len(sizes) == 1 else 1 - 1 / len(sizes)

    found = cd.check(upside_down)
    assert not found.holds["falls_with_parts"]
    assert not found.holds["zero_if_singletons"]
    assert "rises from" in found.counterexamples["falls_with_parts"].text


def test_subcomponent_measures_of_point_data() -> None:
    """mse has property 4.3 for points in general position, not for parts with one centre, and not all of 4.2."""
    found = cd.check("mse")
    assert [found.holds[name] for name in ("one_if_whole", "zero_if_singletons", "between")] == [True] * 3
    assert found.holds["falls_with_parts"] is True
    assert found.holds["falls_with_evenness"] is False
    centred = cd.check("mse", 4, features=[[-1.0], [1.0], [-2.0], [2.0]])
    assert centred.holds["one_if_whole"] is False
    assert cd.check("distance", 4).holds["falls_with_parts"] is True


def test_measures_of_point_data() -> None:
    """S_MSE is tried on points in general position: conditionally normalised, join-weighted, n-invariant."""
    found = cd.check("S_MSE", points=4).holds
    for name in (
        "symmetric",
        "conditionally_normalised",
        "join_weighted",
        "subcomponent_consistent",
        "n_invariant",
    ):
        assert found[name] is True, name
    assert found["meet_weighted"] is None


def test_k_is_checked_where_it_is_defined() -> None:
    """Pairs that K refuses or warns about are left out; without k there is nothing to check."""
    found = cd.check("K(k=2)", points=5).holds
    assert found["join_weighted"] is True
    assert found["normalised"] is False
    assert found["rag_bag"] is None
    with pytest.raises(cd.MeasureError, match="K needs k"):
        cd.check("K", points=3)


def test_arguments_are_checked() -> None:
    """Too many points, too few rows of features and unknown names are refused with a reason."""
    with pytest.raises(cd.ArgumentError, match="`points` must be from 2 to 8; got 9"):
        cd.check("S_H", points=9)
    with pytest.raises(cd.ArgumentError, match="a row for each of the 4 points; got 2"):
        cd.check("mse", points=4, features=[[0.0], [1.0]])
    with pytest.raises(cd.MeasureError, match="unknown measure 'entropie'"):
        cd.check("entropie")


def test_partitions_of_a_number() -> None:
    """There are 22 ways to write 8 as a sum."""
    assert len(list(partitions(8))) == 22


def test_no_measure_is_free_of_type_ii_bias_at_four_points() -> None:
    """Why check does not ask for it: against 3 + 1, shuffled 3 + 1 and 2 + 2 cannot win equally often."""
    true = np.array([0, 0, 0, 1])
    same = [np.array(labels) for labels in ([0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0])]
    halves = [np.array(labels) for labels in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])]

    def cells(pred: np.ndarray) -> tuple[tuple[int, ...], ...]:
        """The size of each cell with those of its clusters: all that tells one shuffled prediction from another."""
        meet = Meet.from_labels(true, pred)
        columns = meet.true_size[meet.true], meet.pred_size[meet.pred], meet.size
        return tuple(sorted(zip(*(column.tolist() for column in columns), strict=True)))

    tables = [[cells(pred) for pred in preds] for preds in (same, halves)]
    assert len(set(tables[0][1:])) == len(set(tables[1])) == 1
    assert tables[0][0] not in tables[0][1:]
