"""The loss of any measure: its parts add up, are what their definition says, and add up over components."""

from math import isfinite, log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import clusterdiff as cd
from clusterdiff.diff.loss import Loss
from clusterdiff.errors import MeasureError
from tests.cases import cases

#: What has a value without parameters, features and distances.
MEASURES = [name for name, measure in cd.measures.items() if not measure.required and not measure.needs]
ADDING_UP = [
    "S_H",
    "S'",
    "as_h",
    "vi",
    "vi(base=2)",
    "b3.recall",
    "b3.precision",
    "element_centric",
    "S*(pairs)",
]
Labels = NDArray[np.int64]


def pairs(count: int, n: int = 30, seed: int = 0) -> list[tuple[Labels, Labels]]:
    """Clusterings that differ a little, a lot, by splits alone, by merges alone, and not at all."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(count):
        true = rng.integers(0, rng.integers(2, 9), n)
        some = rng.integers(0, rng.integers(2, 9), n)
        pred = [some, np.where(rng.random(n) < 0.2, some, true), true * 10 + some, true // 2, true][i % 5]
        out.append((true, pred))
    return out


def meet(true: Labels, pred: Labels) -> Labels:
    found: Labels = np.unique(np.stack([true, pred]), axis=1, return_inverse=True)[1].ravel()
    return found


def by_definition(name: str, true: Labels, pred: Labels, **options: Any) -> tuple[float, float, float]:
    """Total, split and merge, from the scores of labels."""
    sign = 1 if cd.measures[name].similarity else -1
    both = meet(true, pred)

    def f(a: Labels, b: Labels) -> float:
        return sign * cd.score(a, b, name, **options)

    first = f(true, true) - f(true, both), f(true, both) - f(true, pred)
    second = f(both, pred) - f(true, pred), f(pred, pred) - f(both, pred)
    total = (f(true, true) + f(pred, pred)) / 2 - f(true, pred)
    return total, (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


@cases("name", [name for name in MEASURES if name != "as_h"])
def test_is_what_its_definition_says(name: str) -> None:
    for true, pred in pairs(5):
        wanted = by_definition(name, true, pred)
        found = cd.compare(true, pred).loss_of(name)
        assert found[:3] == pytest.approx(wanted, rel=1e-10, abs=1e-10), name
        assert found.missing == found.spurious == 0


@cases("name", [name for name in MEASURES if cd.measures[name].weighted])
def test_weights(name: str) -> None:
    rng = np.random.default_rng(3)
    for i, (true, pred) in enumerate(pairs(5)):
        weights = rng.exponential(size=len(true)) * 1e-3 if i % 2 else rng.integers(0, 4, len(true))
        wanted = by_definition(name, true, pred, weights=weights)
        found = cd.compare(true, pred, weights=weights).loss_of(name)
        assert found[:3] == pytest.approx(wanted, rel=1e-9, abs=1e-10), name


@cases("name", MEASURES)
def test_parts_add_up(name: str) -> None:
    for true, pred in pairs(5, seed=1):
        loss = cd.compare(true, pred).loss_of(name)
        assert isfinite(loss.total)
        assert sum(loss[1:]) == pytest.approx(loss.total, rel=1e-12, abs=1e-12)


@cases("name", [name for name in MEASURES if cd.measures[name].symmetric])
def test_splits_of_one_are_merges_of_the_other(name: str) -> None:
    for true, pred in pairs(5, seed=2):
        one, other = cd.compare(true, pred).loss_of(name), cd.compare(pred, true).loss_of(name)
        assert (one.split, one.merge) == pytest.approx((other.merge, other.split), rel=1e-9, abs=1e-11)


def test_nothing_is_lost_of_the_same() -> None:
    diff = cd.compare([0, 0, 1, 2, 2], [5, 5, 6, 7, 7])
    for name in MEASURES:
        if cd.measures[name].symmetric:
            assert diff.loss_of(name)[:3] == pytest.approx((0, 0, 0), abs=1e-15), name


def test_s_h_and_vi() -> None:
    for true, pred in pairs(10, seed=4):
        diff = cd.compare(true, pred)
        assert diff.loss_of("S_H") == diff.loss
        split, merge = by_definition("S_H", true, pred)[1:]
        assert (diff.loss.split, diff.loss.merge) == pytest.approx((split, merge), abs=1e-12)
        halves = diff.score("vi"), diff.score("vi.split"), diff.score("vi.merge")
        assert diff.loss_of("vi")[:3] == pytest.approx(halves, abs=1e-12)


def test_adjusted_for_chance() -> None:
    """as_h loses what S_H loses, over what chance loses: in all, and in every component, cluster and cell."""
    for true, pred in [*pairs(10, seed=5), (np.zeros(6, int), np.arange(6) // 2)]:
        diff = cd.compare(true, pred)
        assert diff.loss_of("as_h").total == pytest.approx(1 - diff.score("as_h"), abs=1e-12)
        chance = 1.0 if diff.loss.total == 0 else diff.loss.total / (1 - diff.score("as_h"))
        for by in ("component", "true", "pred", "cell"):
            for part in ("loss", "split_loss", "merge_loss"):
                ours, s_h = (np.sort(diff.loss_of(name, by)[part]) for name in ("as_h", "S_H"))
                assert ours * chance == pytest.approx(s_h, abs=1e-12)


@cases("name", ADDING_UP)
def test_adds_up_over_components_and_clusters(name: str) -> None:
    for true, pred in pairs(10, n=60, seed=6):
        diff = cd.compare(true * 100 + np.arange(60) // 20, pred * 100 + np.arange(60) // 20)
        loss = diff.loss_of(name)
        for by in ("component", "true", "pred", "cell"):
            table = diff.loss_of(name, by)
            sums = [table["loss"].sum(), table["split_loss"].sum(), table["merge_loss"].sum()]
            assert sums == pytest.approx(loss[:3], abs=1e-12)
            assert (np.diff(table["loss"]) <= 0).all()


@cases("name", [name for name in ADDING_UP if name != "as_h"])
def test_a_component_lost_what_it_loses_by_itself(name: str) -> None:
    for true, pred in pairs(5, n=40, seed=7):
        true, pred = true * 10 + np.arange(40) // 20, pred * 10 + np.arange(40) // 20
        for row in cd.compare(true, pred).loss_of(name, "component"):
            alone = cd.compare(true[row.points], pred[row.points]).loss_of(name)
            wanted = [x * row.size / 40 for x in alone[:3]]
            assert [row.loss, row.split_loss, row.merge_loss] == pytest.approx(wanted, abs=1e-12)


def test_what_does_not_add_up_says_so() -> None:
    diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    with pytest.raises(MeasureError, match="the loss of ari does not divide over components") as error:
        diff.loss_of("ari", "component")
    assert "gains" in str(error.value.hint)
    with pytest.raises(cd.errors.ArgumentError, match="`by` must be one of"):
        diff.loss_of("vi", "components")  # type: ignore[call-overload]


def test_a_part_may_be_a_gain() -> None:
    """Whose sign is kept, and told."""
    found = []
    for true, pred in pairs(200, n=7, seed=8):
        loss = cd.compare(true, pred).loss_of("nf1")
        assert loss.split + loss.merge == pytest.approx(loss.total, abs=1e-12)
        if loss.merge < -1e-6:
            found.append(loss.words(2, ["split", "merge"], shares=True))
    assert found
    assert all(told[1].startswith("while merges gained ") and "%" not in told[0] for told in found)


def test_undefined_on_the_way() -> None:
    """The other path alone; with none, no parts."""

    def half(meet: Any) -> float:
        if meet.k_pred == len(meet) > meet.k_true:  # truth with the meet
            raise MeasureError("not here.")
        return cd.measures["rand"](meet)

    def none(meet: Any) -> float:
        return float("nan") if len(meet) in (meet.k_true, meet.k_pred) else cd.measures["rand"](meet)

    true, pred = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2])
    both = meet(true, pred)
    loss = cd.compare(true, pred).loss_of(half)
    assert loss.split == pytest.approx(cd.score(both, pred, "rand") - cd.score(true, pred, "rand"))
    assert loss.merge == pytest.approx(1 - cd.score(both, pred, "rand"))
    loss = cd.compare(true, pred).loss_of(none)
    assert not isfinite(loss.split)
    assert loss.words(2, ["split", "merge"]) == ["which cannot be divided"]


# ---- told


def test_explanations_tell_the_loss_of_their_measure() -> None:
    true, pred = np.array([0, 0, 0, 1, 1, 2, 3, 3]), np.array([0, 0, 1, 2, 2, 2, 3, 3])
    diff = cd.compare(true, pred)
    for name in (*ADDING_UP, "ari", "f_measure", "I"):
        told = diff.explain(name)
        assert told.loss == diff.loss_of(name)
        assert f"{told.loss.total:.4f} was lost, {told.loss.split:.4f}" in str(told)
        assert told.shared_out == (name in ADDING_UP)
        assert ("from correcting each by itself" in str(told)) != told.shared_out
        assert told.to_dict()["loss"] == diff.loss_of(name)._asdict()
        if told.shared_out:
            assert told.lost == told.loss.total
            assert sum(story.share for story in told.stories) == pytest.approx(1)
            assert sum(story.component.loss for story in told.stories) == pytest.approx(told.loss.total)
            assert sum(loss.split for loss in told.kinds.values()) == pytest.approx(told.loss.split)
        else:
            assert told.kinds == {}
    merged = cd.compare([0, 1, 1], [0, 0, 0])
    assert str(merged.explain("b3.recall")) == "b3.recall = 1.0000: nothing was lost."
    assert "the clusterings are the same" in str(cd.compare([0, 1], [1, 0]).explain("b3.recall"))


def test_gains_and_the_unknown_in_sentences() -> None:
    parts = ["split", "merge"]
    assert (
        Loss.of(-0.02, 0.25).sentence(parts)
        == "0.2300 was lost, 0.2500 to merges, while splits gained 0.0200"
    )
    assert (
        Loss.of(0.25, -1e-17).sentence(parts)
        == "0.2500 was lost, 0.2500 (100%) to splits and 0.0000 (0%) to merges"
    )
    unknown = Loss(0.5, float("nan"), float("nan"))
    assert unknown.sentence(parts) == "0.5000 was lost, which cannot be divided"
    assert unknown.to_dict() == {"total": 0.5, "split": None, "merge": None, "missing": 0.0, "spurious": 0.0}


# ---- lost points


def uneven(seed: int, weights: bool = False) -> tuple[dict[int, int], dict[int, int], dict[str, Any]]:
    rng = np.random.default_rng(seed)
    true = {i: int(x) for i, x in enumerate(rng.integers(0, 5, 30)) if rng.random() < 0.85}
    pred = {i: int(x) for i, x in enumerate(rng.integers(0, 5, 30)) if rng.random() < 0.85}
    either = true | pred
    return true, pred, {"weights": {i: float(rng.exponential()) for i in either}} if weights else {}


LOST = [(name, weights) for name in MEASURES if cd.measures[name].lost is True for weights in (False, True)]


@cases(("name", "weights"), [case for case in LOST if cd.measures[case[0]].weighted >= case[1]])
def test_lost_points(name: str, weights: bool) -> None:
    measure = cd.measures[name]
    sign = 1 if measure.similarity else -1
    for seed in range(2):
        true, pred, options = uneven(seed, weights)
        diff = cd.compare(true, pred, missing="lost", **options)
        loss = diff.loss_of(name)
        assert sum(loss[1:]) == pytest.approx(loss.total, rel=1e-12, abs=1e-12)
        if measure.reflexive:
            assert loss.total == pytest.approx(sign * (measure.best - diff.score(name)), rel=1e-12, abs=1e-12)
        if name in ("S_H", "S*"):
            assert loss == diff.loss
            continue
        shared = sorted(true.keys() & pred.keys())
        both = {i: true[i] for i in shared}, {i: pred[i] for i in shared}
        codes = (np.array([side[i] for i in shared]) for side in both)
        own = {"weights": np.array([options["weights"][i] for i in shared])} if weights else {}
        assert (loss.split, loss.merge) == pytest.approx(by_definition(name, *codes, **own)[1:], abs=1e-10)

        def f(a: dict[int, int], b: dict[int, int], options: Any = options) -> float:
            own = {"weights": {i: options["weights"][i] for i in a | b}} if weights else {}
            return sign * cd.compare(a, b, missing="lost", **own).score(name)

        none, missing, spurious, all_of_them = f(*both), f(true, both[1]), f(both[0], pred), f(true, pred)
        wanted = (none - missing + spurious - all_of_them) / 2, (none - spurious + missing - all_of_them) / 2
        assert (loss.missing, loss.spurious) == pytest.approx(wanted, rel=1e-10, abs=1e-10)


def test_nothing_in_common() -> None:
    diff = cd.compare({"a": 0, "b": 0}, {"x": 1, "y": 1}, missing="lost")
    assert diff.loss_of("pairs.f1") == (1, 0, 0, 0.5, 0.5)


def test_lost_points_that_weigh_nothing_lose_nothing() -> None:
    true, pred = {"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1, "c": 1, "x": 1}
    weights = {"a": 1, "b": 1, "c": 2, "x": 0}
    found = cd.compare(true, pred, missing="lost", weights=weights).loss_of("pairs.f1")
    del pred["x"], weights["x"]
    assert found == cd.compare(true, pred, weights=weights).loss_of("pairs.f1")


def test_documents() -> None:
    """BLANC counts links within documents: on the way, too."""
    true = {"d1": [{"a", "b"}, {"c"}], "d2": [{"e", "f", "g"}]}
    pred = {"d1": [{"a"}, {"b", "c"}], "d2": [{"e", "f"}, {"g", "h"}]}
    diff = cd.compare(cd.Corpus(true), cd.Corpus(pred), missing="lost")
    for name in ("blanc.f1", "muc.f1", "ceaf_e.f1", "conll", "lea.f1"):
        loss = diff.loss_of(name)
        assert sum(loss[1:]) == pytest.approx(loss.total, abs=1e-12)
    assert diff.loss_of("blanc.f1").total == pytest.approx(1 - diff.score("blanc.f1"), abs=1e-12)
    assert diff.loss_of("b3.recall").spurious == pytest.approx(0, abs=1e-15)
    assert diff.loss_of("b3.precision").spurious > 0.1


def test_own_functions() -> None:
    diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    assert diff.loss_of(lambda meet: cd.measures["ari"](meet)) == diff.loss_of("ari")
    least = cd.split_merge("entropy", np.minimum)
    assert diff.loss_of(least) == pytest.approx((1 - diff.score(least), 0.5, 0, 0, 0))


def test_features() -> None:
    rng = np.random.default_rng(9)
    x, (true, pred) = rng.normal(size=(30, 2)), pairs(1)[0]
    diff = cd.compare(true, pred, features=x)
    wanted = by_definition("S_MSE", true, pred, features=x)
    assert diff.loss_of("S_MSE")[:3] == pytest.approx(wanted, abs=1e-12)
    assert diff.loss_of("S'(mse)")[:3] == pytest.approx(
        by_definition("S'(mse)", true, pred, features=x), abs=1e-12
    )
    assert diff.loss_of("cdistance")[:3] == pytest.approx(by_definition("cdistance", true, pred, features=x))


def test_cells_of_information() -> None:
    """A cell that loses nothing of one side loses exactly nothing."""
    diff = cd.compare([0, 0, 0, 1], [0, 0, 1, 1])
    found = {(row.true, row.pred): (row.split_loss, row.merge_loss) for row in diff.loss_of("vi", "cell")}
    assert found[0, 0] == pytest.approx((log(3 / 2) / 2, 0))
    assert found[0, 0][1] == 0
    assert found[0, 1] == pytest.approx((log(3) / 4, log(2) / 4))
