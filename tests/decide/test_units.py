"""Units: a resample is a comparison of its own, and every measure that can be had from sums is that comparison's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.diff.statistic import statistic
from clusterdiff.diff.units import Unit, units_of
from clusterdiff.measures import Measure, resolve
from tests.cases import cases

LABELS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=30)


def of_sums(diff: cd.types.Comparison, unit: Unit) -> list[Measure]:
    """The measures that can be drawn again."""
    units = units_of(diff.meet, unit)
    found = []
    for measure in cd.measures.values():
        try:
            statistic(diff.meet, measure, units)
        except cd.MeasureError:
            continue
        found.append(measure)
    return found


ORDINARY = cd.compare([0, 0, 0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 1, 2, 3, 4])
MEASURES = of_sums(ORDINARY, "component")


def test_many_measures_can_be_drawn_again() -> None:
    """Those of the framework, of pairs, of information and of matchings, and those that subtract a chance level."""
    names = {measure.name for measure in MEASURES}
    assert names >= {
        "S_H",
        "S*",
        "S'",
        "rand",
        "ari",
        "pairs.f1",
        "vi",
        "nmi",
        "V",
        "b3.f1",
        "A",
        "N",
        "muc.f1",
        "conll",
        "ami",
        "as_h",
    }
    assert not names & {"S_MSE", "rmi"}


@given(points=LABELS, data=st.data())
@settings(max_examples=12, deadline=None)
def test_a_resample_of_components_is_a_comparison_of_its_own(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Components that are drawn twice stand there twice, under other names; every measure agrees."""
    diff = cd.compare([t for t, _ in points], [p for _, p in points])
    units = units_of(diff.meet, "component")
    drawn = data.draw(st.lists(st.integers(0, units.count - 1), min_size=1, max_size=6))
    of_point = units.of_cell[diff.meet.cell_of_point]
    true, pred = [], []
    for copy, component in enumerate(drawn):
        for i in np.flatnonzero(of_point == component).tolist():
            true.append((copy, points[i][0]))
            pred.append((copy, points[i][1]))
    resampled = cd.compare(true, pred)
    for measure in MEASURES:
        if measure.reads == "margins":
            continue  # its chance level is that of the whole, and stays
        found = statistic(diff.meet, measure, units)
        value = found.finish(found.sums[drawn].sum(axis=0, keepdims=True))[0]
        assert value == pytest.approx(resampled.score(measure), abs=1e-9), measure.name


@cases("unit", ["component", "true"])
@cases("weights", [None, [2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 0.0, 1.5]])
def test_all_units_together_give_the_value_itself(unit: Unit, weights: list[float] | None) -> None:
    """Over any units, with and without weights."""
    diff = cd.compare([0, 0, 0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 1, 2, 3, 4], weights=weights)
    measures = of_sums(diff, unit)
    assert len(measures) > 40
    for measure in measures:
        found = statistic(diff.meet, measure, units_of(diff.meet, unit))
        value = found.finish(found.sums.sum(axis=0, keepdims=True))[0]
        assert value == pytest.approx(diff.score(measure), abs=1e-9), measure.name


SIDES = st.dictionaries(st.integers(0, 14), st.integers(0, 4), min_size=1, max_size=14)


@given(true=SIDES, pred=SIDES, unit=st.sampled_from(["component", "true"]))
@settings(max_examples=20, deadline=None)
def test_lost_points_are_in_units_too(true: dict[int, int], pred: dict[int, int], unit: Unit) -> None:
    """Missing points with their cluster, spurious ones shared out over the clusters they were mixed with."""
    diff = cd.compare(true, pred, missing="lost")
    units = units_of(diff.meet, unit)
    assert units.mass(diff.meet).sum() == pytest.approx(len(true.keys() | pred.keys()))
    for name in ("S_H", "S'", "S*(pairs)"):
        found = statistic(diff.meet, resolve(name), units)
        assert found.finish(found.sums.sum(axis=0, keepdims=True))[0] == pytest.approx(
            diff.score(name), abs=1e-12
        )


def corpora() -> tuple[cd.Corpus, cd.Corpus]:
    """A key and a response of twelve documents, with mentions that only one of them has."""
    rng = np.random.default_rng(0)
    key, response = {}, {}
    for document in range(12):
        entities = rng.integers(0, 6, 20)
        found = np.where(rng.random(20) < 0.2, rng.integers(0, 6, 20), entities)
        key[f"d{document}"] = {i: int(e) for i, e in enumerate(entities) if i != 3}
        response[f"d{document}"] = {i: int(e) for i, e in enumerate(found) if i % 7}
    return cd.Corpus(key), cd.Corpus(response)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@cases(
    "name",
    [
        *("S_H", "mentions.f1", "muc.recall", "muc.f1", "b3.precision", "b3.f(beta=2)"),
        *("ceaf_m.f1", "ceaf_e.f1", "lea.f1", "conll"),
    ],
)
def test_coreference_measures_are_sums_over_documents(name: str) -> None:
    """Drawing some documents gives the score of a corpus of those documents."""
    key, response = corpora()
    diff = cd.compare(key, response)
    measure = resolve(name)
    meet = diff.meet_for(measure)
    found = statistic(meet, measure, units_of(meet, "document"))
    assert found.finish(found.sums.sum(axis=0, keepdims=True))[0] == pytest.approx(
        diff.score(name), abs=1e-12
    )
    some = [1, 4, 5]
    part = cd.compare(key.only([f"d{i}" for i in some]), response.only([f"d{i}" for i in some]))
    value = found.finish(found.sums[some].sum(axis=0, keepdims=True))[0]
    assert value == pytest.approx(part.score(name), abs=1e-12)


def test_what_cannot_be_drawn_again_says_why() -> None:
    """Measures that need more than sums, and units that are not there."""
    with pytest.raises(cd.MeasureError, match="rmi is not a function of sums over components"):
        ORDINARY.interval("rmi")
    with pytest.raises(cd.ArgumentError, match="the points are not divided into any"):
        ORDINARY.interval(unit="document")
    with pytest.raises(
        cd.ArgumentError, match='`unit` must be one of "component", "document", "point"; got \'true\''
    ):
        ORDINARY.interval(unit="true")  # type: ignore[arg-type]
