"""Systems over several data sets: mean ranks, Wilcoxon's test with Holm, and cliques."""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib
import numpy as np
import pytest
from scipy.stats import wilcoxon

import clusterdiff as cd
from clusterdiff.decide.datasets import cliques, mean_ranks, wilcoxon_p_values

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Accuracies of HC2, InceptionTime, WEASEL-2.0 and FreshPRINCE (first resample, to four digits) on the first 24 of the
# data sets for which aeon ships results of all four: aeon/testing/example_results_files/classification/accuracy.
AEON = np.array([
    [0.91, 0.91, 0.93, 0.89], [0.8056, 0.844, 0.8261, 0.8414], [0.8686, 0.8629, 0.8629, 0.6286], [1.0, 1.0, 0.96, 1.0],
    [0.8333, 0.6667, 0.9, 0.8], [0.95, 0.85, 0.95, 0.9], [0.9, 0.95, 0.9, 1.0], [1.0, 0.9989, 0.9778, 0.9944],
    [0.9, 0.9, 0.8833, 0.7667], [0.9825, 0.9854, 0.9796, 0.9825], [0.7589, 0.876, 0.763, 0.7747],
    [1.0, 0.8529, 0.9326, 0.9667], [1.0, 1.0, 1.0, 1.0], [0.76, 0.808, 0.724, 0.768], [0.8282, 0.8487, 0.8077, 0.7103],
    [0.8462, 0.8436, 0.8077, 0.6897], [0.859, 0.8487, 0.8, 0.7538], [0.7608, 0.7985, 0.761, 0.7704],
    [0.9706, 0.9477, 0.9673, 0.8529], [0.7626, 0.7338, 0.7626, 0.7554], [0.7754, 0.7862, 0.7862, 0.7899],
    [0.7194, 0.6547, 0.705, 0.6906], [0.86, 0.91, 0.89, 0.88], [0.9469, 0.9416, 0.9484, 0.9442],
])  # fmt: skip
#: What aeon's wilcoxon_test gives for them: the first against the second, one-sided.
AEON_P = {
    (0, 1): 0.44064635,
    (0, 2): 0.08947806,
    (0, 3): 0.02376844,
    (1, 2): 0.24346327,
    (1, 3): 0.08381164,
    (2, 3): 0.07213314,
}


def test_mean_ranks_and_p_values_are_those_of_aeon() -> None:
    """On aeon's own example data; its test is one-sided, ours counts both sides."""
    assert mean_ranks(AEON, similar=True) == pytest.approx([2.22916667, 2.3125, 2.625, 2.83333333])
    found = wilcoxon_p_values(np.array([AEON[:, i] - AEON[:, j] for i, j in AEON_P]))
    assert found == pytest.approx([2 * p for p in AEON_P.values()], abs=1e-7)


def test_many_wilcoxon_tests_at_once_are_those_of_scipy_one_by_one() -> None:
    """With and without equal differences and zeros, few and many; a row of zeros has p = 1, and gaps are left out."""
    rng = np.random.default_rng(0)
    for n in (1, 6, 8, 14, 51):
        rows = np.concatenate([rng.normal(size=(5, n)), rng.integers(-3, 4, (5, n)), np.zeros((1, n))])
        expected = [wilcoxon(row).pvalue if row.any() else 1.0 for row in rows]
        assert wilcoxon_p_values(rows) == pytest.approx(expected, abs=1e-15)
    row = rng.normal(size=20)
    gaps = np.concatenate([row, [np.nan] * 3])
    assert wilcoxon_p_values(gaps[None])[0] == pytest.approx(wilcoxon(row).pvalue)


def test_measures_of_ones_own_rank_over_data_sets() -> None:
    """Functions are not looked up by their names; a system without a value comes last, and a notice says so."""
    sets = data_sets(7)

    def odd(meet: Any) -> float:
        return float("nan") if meet.k_pred < 30 else float(meet.fused("s_h"))

    found = cd.rank(sets, measures=lambda meet: float(meet.fused("s_h")), resamples=0)
    assert found.mean_ranks == cd.rank(sets, resamples=0).mean_ranks
    sets["data 0"][1]["good"][:] = 0
    with pytest.warns(
        cd.ClusterdiffWarning, match="1 score without a value: a system without one comes last"
    ):
        found = cd.rank(sets, measures=odd, resamples=0)
    assert found.mean_ranks["good"] < 3
    assert np.isfinite(found.p_value("good", "bad"))


@pytest.mark.parametrize(
    ("different", "found"),
    [
        (set(), [(0, 5)]),
        ({(0, 4)}, [(0, 4), (1, 5)]),
        ({(0, 1), (0, 2), (0, 3), (0, 4)}, [(1, 5)]),
        ({(i, j) for i in range(5) for j in range(i + 1, 5)}, []),
        ({(0, 3), (0, 4), (1, 4)}, [(0, 3), (1, 4), (2, 5)]),
        ({(1, 2)}, [(0, 2), (2, 5)]),
    ],
)
def test_cliques_are_the_longest_runs_without_a_difference(
    different: set[tuple[int, int]], found: list[tuple[int, int]]
) -> None:
    """Every two of a run are alike, and no run is part of another."""
    alike = [[(min(i, j), max(i, j)) not in different for j in range(5)] for i in range(5)]
    assert cliques(alike) == found


def data_sets(count: int, clusters: int = 30) -> dict[str, tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Data sets on which "good" and "alike" err seldom, and "bad" often."""
    rng = np.random.default_rng(0)
    out = {}
    for i in range(count):
        true = rng.integers(0, clusters, 300)

        def blurred(share: float, true: np.ndarray = true) -> np.ndarray:
            return np.where(
                rng.random(300) < share * rng.uniform(0.7, 1.3), rng.integers(0, clusters, 300), true
            )

        out[f"data {i}"] = (true, {"bad": blurred(0.4), "good": blurred(0.1), "alike": blurred(0.1)})
    return out


def test_systems_are_ranked_over_data_sets() -> None:
    """Means, mean ranks and the matrix are those of the single rankings; the bad one stands apart."""
    sets = data_sets(10)
    found = cd.rank(sets, resamples=100)
    assert found.names[-1] == "bad"
    assert found.mean_ranks["bad"] == 3.0
    for data, (true, preds) in sets.items():
        for name, pred in preds.items():
            assert found.scores[name][found.datasets.index(data)] == pytest.approx(cd.score(true, pred))
    assert found.mean()["bad"] == pytest.approx(found.scores["bad"].mean())
    assert [sorted(clique) for clique in found.cliques] == [["alike", "good"]]
    assert found.adjusted[found.names[0], "bad"] == pytest.approx(3 * 2 / 2**10)
    assert found.p_value("bad", found.names[0]) == pytest.approx(2 / 2**10)
    told = " ".join(found.footnotes)
    assert "Wilcoxon's signed-rank test over 10 data sets, two-sided, adjusted by Holm for 3 pairs" in told
    assert "Null hypothesis: differences are as often and as much in favour of one as of the other." in told
    assert "data sets:10" in found.signature
    assert found.to_dict()["data"]["data 3"]["systems"][0]["scores"].keys() == {"S_H", "as_h"}
    assert found.to_markdown().count("\n| data ") == 10
    assert found.to_latex().count("\\toprule") == 2
    assert found.groups == {"good": "a", "alike": "a", "bad": ""}
    assert "alike: systems that have a letter in common do not differ significantly." in repr(found)
    assert found.to_csv().splitlines()[0] == f"data,{','.join(found.names)}"


def test_many_systems_stay_readable() -> None:
    """Letters for runs that overlap; texts show the first systems side by side; the picture lists the first fifty."""
    rng = np.random.default_rng(1)
    true = np.arange(120) // 4
    sets = {
        f"data {d}": (true, {f"{'s' * 250}{s}": blur(rng, true, s / 80) for s in range(60)})
        for d in range(20)
    }
    found = cd.rank(sets, measures="ari", resamples=0)
    assert {len(text.split("–")) for text in found.groups.values()} == {1, 2}
    assert max(map(len, repr(found).splitlines())) < 500
    assert "The first 8 systems of 60; to_csv() has all." in repr(found)
    assert len(found.to_markdown()) < 60_000
    ax = found.plot()
    assert ax.figure.get_figheight() < 10
    notes = " ".join(text.get_text() for text in ax.figure.findobj(matplotlib.text.Text))
    assert "not shown: 10 more systems" in notes
    assert len(ax.get_yticklabels()) == 50
    plt.close("all")
    one = cd.rank({f"d{i}": (true, {"a": true}) for i in range(6)}, resamples=0)
    assert one.footnotes == []


def blur(rng: np.random.Generator, true: np.ndarray, share: float) -> np.ndarray:
    """A prediction in which this share of the points went anywhere."""
    return np.where(rng.random(len(true)) < share, rng.integers(0, 30, len(true)), true)


def test_measures_whose_floor_depends_on_the_data_are_told() -> None:
    """S_H of few large and of many small clusters cannot be averaged; adjusted measures can."""
    few, many = data_sets(4, clusters=3), data_sets(4, clusters=60)
    mixed = {f"few {k}": v for k, v in few.items()} | {f"many {k}": v for k, v in many.items()}
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"what S_H comes to by chance depends on the data, from 0.0\d to 0.\d+"
    ):
        cd.rank(mixed, resamples=0)
    with pytest.warns(cd.ClusterdiffWarning, match="what A comes to by chance depends on the data: means"):
        cd.rank(mixed, measures=["A"], resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cd.rank(mixed, measures=["as_h", "ari"], resamples=0)
        cd.rank({k: v for k, v in mixed.items() if k.startswith("many")} | data_sets(4, 60), resamples=0)


def test_too_few_data_sets_are_told() -> None:
    """Five cannot give a p-value below 0.05; nor can six, which is adjusted for three pairs."""
    with pytest.warns(
        cd.ClusterdiffWarning,
        match="5 data sets: with fewer than 7 no difference can be significant, since p is",
    ):
        found = cd.rank(data_sets(5), resamples=0)
    assert min(found.adjusted.values()) > 0.05


def test_every_data_set_needs_every_system() -> None:
    """A system that is lacking somewhere is named."""
    sets = data_sets(6)
    del sets["data 2"][1]["good"]
    with pytest.raises(
        cd.ArgumentError, match="every data set must have the same systems; 'data 2' lacks 'good'"
    ):
        cd.rank(sets, resamples=0)
