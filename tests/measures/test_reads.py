"""What measures read: each states it, reads no more than that, and is refused where it is not to be had."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import clusterdiff as cd
from clusterdiff.measures import resolve_all
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.parts import Overlap, Pairs
from clusterdiff.meet.sums import READS, Even, Sums
from clusterdiff.meet.values import is_sum
from tests.cases import cases
from tests.conftest import random_pair

BOUND = {"K": "K(k=9)"}
NAMES = [BOUND.get(name, name) for name in cd.measures]
VARIANTS = [
    *(f"S{sign}({s})" for sign in "*'" for s in cd.subcomponents),
    "nmi(average=joint)",
    "ami(average=geometric)",
    "gmd(split=product, merge=entropy)",
    "v_measure(beta=2)",
    "I(base=2)",
]


class GuardedSums:
    """The sums that most measures are made of, and of all others those that are named, from their definitions."""

    def __init__(self, meet: cd.Meet, known: frozenset[str]) -> None:
        self._meet, self._known = meet, known

    def __getattr__(self, name: str) -> Any:
        if name in USUAL:
            return getattr(self._meet.sums, name)
        assert name in self._known, f"it read {name}"
        return COUNTS[name](self._meet) if name in COUNTS else float(SCORES[name](self._meet))


class Guard(Even):
    """A meet that knows its sums, the terms that are named, and nothing else."""

    def __init__(self, meet: cd.Meet, *terms: str) -> None:
        self._meet = meet
        self._made = {}
        self.known = frozenset({"sums", *terms})
        self.sums = self.terms = GuardedSums(meet, self.known)
        self.lacking = ("this is a guard", "ask somebody else.")
        self.n, self.total = meet.n, meet.total
        self.weighted, self.uneven = meet.weighted, meet.uneven
        self.k_true, self.k_pred, self.same = meet.k_true, meet.k_pred, meet.same
        self.bottom_entropy, self.scale = meet.bottom_entropy, meet.scale

    def __len__(self) -> int:
        return len(self._meet)

    @property
    def pairs(self) -> Pairs:
        return self._meet.pairs


class MarginsGuard(Guard):
    """The same, with the sizes of the clusters and S_H."""

    def __init__(self, meet: cd.Meet) -> None:
        super().__init__(meet, "s_h")
        self.known |= {"margins"}

    @property
    def margins(self) -> Margins:
        return self._meet.margins


class OverlapGuard(Guard):
    """The same, with the overlap."""

    def __init__(self, meet: cd.Meet, *terms: str) -> None:
        super().__init__(meet, *terms)
        self.known |= {"overlap"}

    @property
    def overlap(self) -> Overlap:
        return self._meet.overlap


class CellsGuard(cd.Meet):
    """A meet that keeps its points and its overlap to itself."""

    @property
    def known(self) -> frozenset[str]:
        return frozenset({"sums", "cells"})

    @property
    def overlap(self) -> Any:
        raise AssertionError("it read the overlap")

    @property
    def cell_of_point(self) -> Any:
        raise AssertionError("it read the points")

    def transpose(self) -> cd.Meet:
        other = super().transpose()
        return cells_guard(other)


def counted(name: str) -> Callable[[cd.Meet], Any]:
    """What single measures count, from the definition: whole clusters and all of their cells."""

    def count(meet: cd.Meet) -> Any:
        m, a, b = meet.size, meet.true_size[meet.true], meet.pred_size[meet.pred]
        if name in ("chi2", "frobenius"):
            square = float(np.sum(meet.mass**2 / (meet.true_mass[meet.true] * meet.pred_mass[meet.pred])))
            return square - 1 if name == "chi2" else meet.k_true + meet.k_pred - 2 * square
        if name.startswith("lea_"):
            sides = (a, b) if name == "lea_recall" else (b, a)
            return sum(
                x * (x - 1) / (own - 1) if own > 1 else other == 1
                for x, own, other in zip(m, *sides, strict=True)
            )
        if name == "f_true":
            mass, whole = meet.mass, meet.true_mass
            fits = 2 * mass / (whole[meet.true] + meet.pred_mass[meet.pred])
            return sum(whole[i] * fits[meet.true == i].max() for i in range(meet.k_true))
        if name.startswith("chosen"):
            best = [m[meet.pred == c].max() for c in meet.pred]
            f1 = [
                (2 * x / (y + z), t)
                for x, y, z, t, top in zip(m, a, b, meet.true, best, strict=True)
                if x == top
            ]
            return {
                "chosen_f1": sum(f for f, _ in f1),
                "chosen": len(f1),
                "chosen_true": len({t for _, t in f1}),
            }[name]
        if name.startswith("ceaf_"):
            alike = np.zeros((meet.k_true, meet.k_pred))
            alike[meet.true, meet.pred] = m if name == "ceaf_m" else 2 * m / (a + b)
            return alike[linear_sum_assignment(-alike)].sum()
        if name.startswith("closest_"):
            of, k = (meet.true, meet.k_true) if name == "closest_true" else (meet.pred, meet.k_pred)
            overlap = m / (a + b - m)
            return sum(overlap[of == i].max() for i in range(k))
        return {
            "matched": cd.measures["A"](meet) * meet.total,
            "exact": int(((m == a) & (m == b)).sum()),
            "products": float((m * a * b).sum()),
        }[name]

    return count


#: The sums that are known wherever sums are.
USUAL = {name for name in dir(Sums) if not name.startswith("_")}
#: The terms that measures name.
NAMED = {term for name in (*NAMES, *VARIANTS) for term in cd.measures[name].terms} - {"sums"}
COUNTS = {name: counted(name) for name in NAMED if not name.startswith("s_")}
#: What S* and S' are, computed from the cells.
SCORES: dict[str, Callable[[cd.Meet], float]] = {
    f"s_{short}{suffix}": cd.split_merge(s, sigma)
    for short, s in {"h": "entropy", "pairs": "pairs", "largest": "largest", "mse": "mse"}.items()
    for suffix, sigma in {"": lambda f, g: f * g, "_mean": lambda f, g: (f + g) / 2}.items()
}


def cells_guard(meet: cd.Meet) -> CellsGuard:
    parts = {"weights": meet.weights, "moments": meet.moments, "links": meet.links, "features": meet.features}
    return CellsGuard(meet.cells, **parts)


def guard(meet: cd.Meet, reads: str, terms: tuple[str, ...] = ()) -> Any:
    """What knows as much as a measure says that it reads, and no more."""
    guards: dict[str, Any] = {
        "sums": Guard,
        "margins": MarginsGuard,
        "overlap": lambda meet: OverlapGuard(meet, *(term for term in terms if term in COUNTS)),
        "cells": cells_guard,
        "points": lambda meet: meet,
    }
    return guards[reads](meet)


@cache
def meets() -> list[cd.Meet]:
    """A few meets with all that measures may need: even and uneven, with and without weights."""
    out = []
    for seed, (n, k) in enumerate([(1, 1), (6, 3), (40, 6), (81, 9)]):
        true, pred = random_pair(n, k, seed)
        place = np.random.default_rng(seed).normal(size=(n, 2))
        data = {"features": place, "distances": np.linalg.norm(place[:, None] - place[None], axis=2)}
        out.append(cd.compare(true, pred, **data).meet)
        out.append(cd.compare(true, pred, **data, weights=np.arange(1.0, n + 1)).meet)
        if n > 1:
            left = dict(enumerate(true.tolist()))
            right = {point + 2: label for point, label in enumerate(pred.tolist())}
            out.append(cd.compare(left, right, missing="lost").meet)
    return out


def outcome(measure: cd.types.Measure, source: Any) -> float | str:
    """The value, or what kind of error there is: a measure may need what a meet does not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(measure(source))
        except cd.MeasureError as error:
            return error.message


@cases("name", [*NAMES, *VARIANTS])
def test_a_measure_reads_what_it_states_and_no_more(name: str) -> None:
    """Given no more than it says that it reads, every measure has the value that it has for the whole meet."""
    measure = cd.measures[name]
    for meet in meets():
        if meet.uneven:
            continue  # what it means there is a function of its own
        assert outcome(measure, guard(meet, measure.reads, measure.terms)) == pytest.approx(
            outcome(measure, meet), abs=1e-12
        )


@cases("name", [name for name in (*NAMES, *VARIANTS) if cd.measures[name].terms])
def test_known_terms_spare_a_measure_the_cells(name: str) -> None:
    """Where the terms that it names are known, it reads nothing else."""
    measure = cd.measures[name]
    for meet in meets():
        if meet.moments is not None:
            guarded = Guard(meet, *measure.terms)
            assert measure.lacks(guarded) is None
            assert outcome(measure, guarded) == pytest.approx(outcome(measure, meet), abs=1e-10)


def test_a_measure_that_states_too_little_fails() -> None:
    """The guard is not blind: what reads cells, the overlap or points and does not say so is found out."""
    meet = meets()[3]
    for reads, function in {
        "sums": lambda meet: meet.size.max(),
        "cells": lambda meet: meet.overlap.size.max(),
        "overlap": lambda meet: meet.size.max(),
    }.items():
        measure = cd.types.Measure("sly", function, "own", "sly", reads=reads)
        assert measure(meet) == meet.size.max()
        with pytest.raises((AttributeError, AssertionError)):
            measure(guard(meet, reads))
    measure = cd.types.Measure("sly", lambda meet: meet.cell_of_point.max(), "own", "sly", reads="cells")
    with pytest.raises(AssertionError, match="it read the points"):
        measure(guard(meet, "cells"))


@cases("name", NAMES)
def test_what_is_not_offered_is_refused_by_name(name: str) -> None:
    """One clear error: which measure, what it reads, why it is not there, what to do."""
    measure = cd.measures[name]
    meet = meets()[5]
    source = Guard(meet)
    if "sums" in (measure.reads, *measure.terms[:1]) and len(measure.terms) < 2:
        assert measure.lacks(source) is None
        return
    assert measure.lacks(source) == measure.reads
    with pytest.raises(cd.MeasureError) as caught:
        measure(source)
    assert caught.value.message.startswith(f"{measure.name} reads ")
    assert caught.value.message.endswith("and this is a guard.")
    assert caught.value.hint == "ask somebody else."


def test_points_of_a_meet_of_cells_are_refused() -> None:
    """A meet made from cells says that it does not know its points."""
    meet = cd.Meet.from_cells([0, 0, 1], [0, 1, 1], [3, 1, 2])
    with pytest.raises(
        cd.MeasureError, match="cdistance reads the points, and this meet was made from cells"
    ):
        cd.measures["cdistance"](meet)
    assert cd.measures["A"](meet) == 5 / 6


def test_statements_are_checked_at_registration() -> None:
    """A wrong word is an error that lists the right ones."""
    with pytest.raises(
        cd.MeasureError, match="`reads` must be one of sums, margins, cells, overlap, points; got 'cell'"
    ):
        cd.types.Measure("x", len, "own", "x", reads="cell")  # type: ignore[arg-type]
    with pytest.raises(cd.MeasureError, match="`terms` must be names of terms; got 's_x'"):
        cd.types.Measure("x", len, "own", "x", terms=("s_x",))
    assert {measure.reads for measure in cd.measures.values()} == set(READS)
    assert all(map(is_sum, NAMED))


@cases("name", [*NAMES, *VARIANTS])
@cases("how", ["paper", "shuffle"])
def test_worsen_works_with_every_measure(name: str, how: Any) -> None:
    """Each step scores as a comparison with its clustering does, or lacks features as that does."""
    true = [0, 0, 0, 0, 1, 1, 1, 2, 3]
    measure = cd.measures[name]
    if measure.needs is not None:
        with pytest.raises(cd.MeasureError, match=f"no {measure.needs}|has none"):
            cd.worsen(true, [name], how=how)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        series = cd.worsen(true, [name], how=how)
        afresh = [
            cd.score(np.array(true), series.clustering(step).codes, name) for step in series.steps.tolist()
        ]
    assert series.scores[name].tolist() == pytest.approx(afresh, abs=1e-12)


def test_different_measures_have_different_names() -> None:
    """Two lambdas are two entries; the same measure twice is one; a single one needs no list."""
    one, other = (lambda meet: meet.n), (lambda meet: meet.k_true)
    found = resolve_all([one, "R", other, one, "R", cd.measures["R"]])
    assert list(found) == ["<lambda>", "R", "<lambda> 2", "rand"]
    assert [measure.function for name, measure in found.items() if "lambda" in name] == [one, other]
    assert list(resolve_all("S_H")) == list(resolve_all(cd.measures["S_H"])) == ["S_H"]
    assert list(cd.worsen([0, 0, 1], [one, other]).scores) == ["<lambda>", "<lambda> 2"]
