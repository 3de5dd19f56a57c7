"""Results are values: they can be pickled, copied, sent to another process and read by several threads."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

import clusterdiff as cd
from tests.cases import cases

TRUE = {f"p{i}": f"t{i % 7}" for i in range(60)}
PRED = {f"p{i}": f"c{(i * i) % 11}" for i in range(60)}


def comparison() -> cd.types.Comparison:
    return cd.compare(TRUE, PRED)


def weighted() -> cd.types.Comparison:
    return cd.compare(
        TRUE,
        PRED,
        weights={p: 1 + i % 3 for i, p in enumerate(TRUE)},
        features={p: [i] for i, p in enumerate(TRUE)},
    )


def uneven() -> cd.types.Comparison:
    return cd.compare(TRUE, {p: c for p, c in PRED.items() if p != "p3"}, missing="drop")


def lost() -> cd.types.Comparison:
    return cd.compare(
        TRUE | {"more": "t0"}, {p: c for p, c in PRED.items() if p != "p3"} | {"x": "c0"}, missing="lost"
    )


def corpus() -> cd.types.Comparison:
    sides = (
        {"one": {"a": [1, 2], "b": [3]}, "two": {"a": [1]}},
        {"one": {"a": [1], "b": [2, 3]}, "two": {"x": [1, 2]}},
    )
    return cd.compare(*map(cd.Corpus, sides))


def identical() -> cd.types.Comparison:
    return cd.compare([0, 0, 1], ["a", "a", "b"])


MADE: dict[str, Callable[[], cd.types.Comparison]] = {
    made.__name__: made for made in (comparison, weighted, uneven, lost, corpus, identical)
}


def told(diff: cd.types.Comparison) -> list[Any]:
    """What a comparison says of itself, down to the points."""
    out = [
        diff.signature,
        diff.scores(
            ["S_H", "R", "A", "b3.f1", "blanc"] if diff.meet.weights is None else ["S_H", "S_MSE", "ari"]
        ),
        tuple(diff.loss),
        diff.splits.to_dict(),
        diff.merges.to_dict(),
        [(c.to_dict(), c.points) for c in diff.components],
        str(diff.explain()),
        diff.repairs().to_dict(),
        None if diff.meet.uneven else diff.patch().to_dict(),  # a patch cannot add or remove points
        [event.to_dict() for event in diff.events],
        diff.crosswalk.to_dict(),
        diff.by("kind").to_dict(),
        diff.true.to_dict(),
        list(diff.points),
    ]
    if isinstance(diff, cd.types.CorpusComparison):
        out.append({name: one.signature for name, one in diff.documents.items()})
        out.append(diff.by_document(["S_H", "b3.f1"]).to_dict())
    return out


@cases("copied", [pickle.dumps, copy.copy, copy.deepcopy])
@cases("kind", MADE)
def test_a_comparison_survives_copying(kind: str, copied: Callable[[Any], Any]) -> None:
    """Before anything was computed, and after everything was."""
    expected = told(MADE[kind]())
    fresh, used = MADE[kind](), MADE[kind]()
    told(used)
    for diff in (fresh, used):
        other = copied(diff)
        assert told(pickle.loads(other) if isinstance(other, bytes) else other) == expected


RESULTS: dict[str, Callable[[], Any]] = {
    "Clustering": lambda: cd.Clustering([None, "a", "b"]),
    "Corpus": lambda: cd.Corpus({"d": {"a": [1, 2]}}),
    "Explanation": lambda: comparison().explain(),
    "Gains": lambda: comparison().gains("ari", "true"),
    "Gain": lambda: comparison().gains("ari")[0],
    "Repairs": lambda: comparison().repairs(),
    "Repairs by a measure": lambda: comparison().repairs("vi"),
    "Repair": lambda: comparison().repairs()[0],
    "sequence": lambda: comparison().repairs().sequence,
    "Patch": lambda: comparison().patch(),
    "Component": lambda: comparison().components[0],
    "Table of components": lambda: comparison().components,
    "Table without a type": lambda: comparison().meet.table,
    "Row": lambda: comparison().meet.table[0],
    "Event": lambda: comparison().events[0],
    "Fate": lambda: comparison().fates[0],
    "fates": lambda: comparison().fates,
    "Slice": lambda: comparison().by("size")[0],
    "Meet": lambda: comparison().meet,
    "Analysis": lambda: comparison().analysis,
    "Loss": lambda: comparison().loss,
    "Extremes": lambda: cd.extremes([0, 0, 1], "A"),
    "Series": lambda: cd.worsen([0, 0, 1, 1]),
    "Check": lambda: cd.check("S_H", points=3),
    "Scorer": lambda: cd.scorer("vi"),
    "Policy": lambda: cd.types.Policy("drop"),
    "Measure": lambda: cd.measures["v_measure(beta=2)"],
    "documents": lambda: corpus().documents,
    "Chance": lambda: comparison().chance(draws=5),
    "Interval": lambda: comparison().interval(),
    "Ranking": lambda: cd.rank(TRUE, {"a": PRED, "b": TRUE}, resamples=20),
    "DatasetRanking": lambda: cd.rank({d: (TRUE, {"a": PRED, "b": TRUE}) for d in "xyz"}, resamples=0),
    "Paired": lambda: cd.rank(TRUE, {"a": PRED, "b": TRUE}, resamples=20).paired("a", "b"),
    "Sweep": lambda: cd.sweep([0, 0, 1, 1], [[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]], measures=["A"]),
    "worst merge": lambda: cd.sweep([0, 0, 1], [[0, 1, 0.1, 2], [2, 3, 0.2, 3]]).worst_merges(0.2)[0],
    "Matrix": lambda: cd.matrix({"a": TRUE, "b": PRED}),
    "tree": lambda: cd.matrix({"a": TRUE, "b": PRED}).tree[0],
}


@cases("name", RESULTS)
def test_every_result_pickles_and_copies(name: str) -> None:
    """And says the same of itself afterwards."""
    result = RESULTS[name]()
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(other) is type(result)
        assert repr(other) == repr(result)


def own_measure(meet: cd.Meet) -> float:
    """A user's own measure."""
    return float(len(meet)) / meet.n


def scored(diff: cd.types.Comparison, measure: Any) -> float:
    """What a worker process computes."""
    return diff.score(measure)


def test_comparisons_and_own_measures_reach_worker_processes() -> None:
    """A worker that never registered a measure computes it, and so does a scorer there."""
    measure = cd.types.Measure("mine", own_measure, "own", "mine")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        diff = comparison()
        assert pool.submit(scored, diff, measure).result(60) == diff.score(own_measure)
        assert pool.submit(scored, diff, "ari").result(60) == diff.score("ari")
        scorer = pickle.loads(pickle.dumps(cd.scorer(own_measure)))
        assert scorer.measure.function is own_measure


def test_a_comparison_can_be_read_by_several_threads() -> None:
    """All of them get the same answers, whoever computes them first."""
    expected = told(comparison())
    diff = comparison()
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: told(diff), range(16)):
            assert got == expected


def test_two_lambdas_are_two_entries() -> None:
    """Functions without a name of their own do not overwrite each other."""
    diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    found = diff.scores([lambda meet: float(meet.n), lambda meet: float(len(meet)), "S_H"])
    assert list(found.values()) == [4.0, 3.0, 0.5]


def test_measures_are_hashable_values() -> None:
    """Equal if they are the same measure with the same parameters."""
    one, other = cd.measures["K(k=5)"], cd.measures["K(k=5)"]
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, cd.measures["K(k=6)"]}) == 2


def test_rows_of_merges_are_not_splits() -> None:
    """A true cluster that was split and a predicted one that was merged are two things."""
    diff = comparison()
    assert not isinstance(diff.merges[0], cd.types.Split)
    assert not isinstance(diff.splits[0], cd.types.Merge)


def test_a_dict_is_never_a_corpus() -> None:
    """Cluster → points, or point → cluster; documents come in a Corpus."""
    data = {"d1": [0, 0, 1]}
    with pytest.raises(cd.LabelError, match="must name each point once"):
        cd.compare(data, data)
    assert cd.compare(cd.Corpus(data), cd.Corpus(data)).score() == 1.0
    with pytest.raises(cd.ArgumentError, match="must both be a Corpus"):
        cd.compare(cd.Corpus(data), {"d1": {0}})


@pytest.mark.parametrize(
    "measure", ["S_H", "R", "b3.f1", "b3.recall", "mentions.f1", "blanc.f1", "conll", "ceaf_e.f1"]
)
def test_documents_of_a_column_are_those_of_a_corpus(measure: str) -> None:
    """The same points in the same documents score the same, also where one side lacks some."""
    rng = np.random.default_rng(3)
    sides: list[dict[str, dict[Any, str]]] = []
    for _ in range(2):
        side: dict[str, dict[Any, str]] = {}
        for d in range(4):
            kept = [i for i in range(8) if rng.random() < 0.8]
            side[f"d{d}"] = {i: f"c{rng.integers(3)}" for i in kept}
        sides.append(side)
    corpora = cd.compare(*map(cd.Corpus, sides))
    flat = [{(d, i): c for d, part in side.items() for i, c in part.items()} for side in sides]
    documents = {point: point[0] for side in flat for point in side}
    column = cd.compare(*flat, documents=documents)
    assert isinstance(column, cd.types.CorpusComparison)
    assert column.score(measure) == pytest.approx(corpora.score(measure), abs=1e-14)
    assert isinstance(corpora, cd.types.CorpusComparison)
    for name, one in corpora.documents.items():
        assert column.documents[name].score(measure) == pytest.approx(one.score(measure), abs=1e-14)


@pytest.mark.parametrize("made", [comparison, weighted, lost, corpus])
def test_what_nobody_keeps_is_freed_at_once(made: Callable[[], cd.types.Comparison], tmp_path: Path) -> None:
    """Nothing of a comparison keeps itself: its memory is there for the next one without a search for garbage."""
    gc.collect()
    gc.disable()
    try:
        diff = made()
        diff.scores("all")
        asked = [
            diff.loss,
            diff.components[0],
            diff.splits[0],
            diff.merges[0],
            diff.explain(),
            diff.repairs(),
            diff.patterns(),
        ]
        diff.report(tmp_path / "page.html")
        whole, meet = ref(diff), ref(diff.meet)
        del diff, asked
        assert whole() is None
        assert meet() is None
    finally:
        gc.enable()
