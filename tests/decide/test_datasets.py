"""Systems over several data sets: mean ranks, Wilcoxon's test with Holm, and cliques."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

import clusterdiff as cd
from clusterdiff.decide.rank_tests import cliques, friedman, mean_intervals, ranks_of, wilcoxon_p_values
from clusterdiff.decide.typesetting import split, width
from tests.cases import cases

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
    assert ranks_of(AEON, similar=True).mean(axis=0) == pytest.approx([2.22916667, 2.3125, 2.625, 2.83333333])
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
        return float("nan") if meet.k_pred < 30 else float(meet.sums.s_h)

    found = cd.rank(sets, measures=lambda meet: float(meet.sums.s_h), resamples=0)
    assert found.mean_ranks == cd.rank(sets, resamples=0).mean_ranks
    sets["data 0"][1]["good"][:] = 0
    with pytest.warns(
        cd.ClusterdiffWarning, match="1 score without a value: a system without one comes last"
    ):
        found = cd.rank(sets, measures=odd, resamples=0)
    assert found.mean_ranks["good"] < 3
    assert np.isfinite(found.p_value("good", "bad"))


@cases(
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
    assert "Null hypothesis: differences are symmetric around 0." in told
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
        cd.ClusterdiffWarning, match=r"the chance level of S_H depends on the data, from 0.0\d to 0.\d+"
    ):
        cd.rank(mixed, resamples=0)
    with pytest.warns(cd.ClusterdiffWarning, match="the chance level of A depends on the data: means"):
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


# ---- gaps, runs, Friedman's test


def scored(matrix: np.ndarray, similar: bool = True) -> cd.types.DatasetRanking:
    """A ranking whose scores are those of a matrix, data sets by systems; nan where a system lacks the data set."""
    true = np.arange(4)
    names = "abcdefghijklmnopqrstuvwxyz"
    values: dict[bytes, float] = {}

    def looked_up(meet: Any) -> float:
        return values[meet.pred_names.tobytes()]

    sets: dict[str, Any] = {}
    for i, row in enumerate(matrix):
        sets[f"data {i}"] = (true, {})
        for j, value in enumerate(row):
            pred = np.arange(4) + 100 * (i * len(row) + j)
            values[pred.tobytes()] = value
            if not np.isnan(value):
                sets[f"data {i}"][1][names[j]] = pred
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        return cd.rank(sets, measures=looked_up, resamples=0)


def test_friedman_and_mean_ranks_are_those_of_scipy() -> None:
    """With ties and without, three systems and more; on aeon's data, and on numbers of few values."""
    rng = np.random.default_rng(0)
    for matrix in (AEON, rng.normal(size=(5, 3)), rng.integers(0, 3, (9, 5)).astype(float)):
        expected = friedmanchisquare(*matrix.T)
        found = friedman(ranks_of(matrix, similar=True))
        assert found is not None
        assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        assert not found.exact
        ranking = scored(matrix)
        assert ranking.friedman == found
        means = dict(zip("abcdefg", rankdata(-matrix, axis=1).mean(axis=0), strict=False))
        assert ranking.mean_ranks == pytest.approx(means)
        assert ranking.pairwise_ranks == pytest.approx(means)


def test_friedman_of_two_systems_is_the_sign_test() -> None:
    """By hand: five of five in favour of one are 2 of 32 ways; chi-squared would say 0.025. Ties count for nobody."""
    ahead = np.array([[1.0, 2.0]] * 5)
    found = friedman(ahead)
    assert found is not None
    assert (found.statistic, found.p_value, found.exact) == (5.0, 2 / 32, True)
    assert friedman(np.concatenate([ahead, [[1.5, 1.5]] * 3])).p_value == 2 / 32  # type: ignore[union-attr]
    assert friedman(np.full((6, 3), 2.0)).p_value == 1.0  # type: ignore[union-attr]
    assert friedman(ahead[:4]) is None
    assert friedman(np.ones((9, 1))) is None
    told = " ".join(scored(np.array([[0.9, 0.8]] * 4)).footnotes)
    assert (
        "Friedman's test is not computed: it needs 5 data sets that all systems have, and there are 4."
        in told
    )


def test_intervals_of_mean_ranks_are_students() -> None:
    """By hand: mean 1.5, standard deviation sqrt(2/7), t = 2.3646; cut off at the ends; none without variation."""
    ranks = np.array([[1.0, 2.0, 3.0]] * 4 + [[2.0, 1.0, 3.0]] * 4)
    first, second, third = mean_intervals(ranks, 0.95)
    half = 2.364624 * np.sqrt(2 / 7) / np.sqrt(8)
    assert first == second == pytest.approx((1.5 - half, 1.5 + half), abs=1e-6)
    assert third is None
    assert mean_intervals(ranks[2:6], 0.95) == [None] * 3
    near = np.array([[1.0, 2.0]] * 7 + [[2.0, 1.0]])
    assert mean_intervals(near, 0.95)[0][0] == 1.0  # type: ignore[index]
    assert mean_intervals(near, 0.95)[1][1] == 2.0  # type: ignore[index]


#: Scores of three systems; c lacks two of the eight data sets, and a one.
GAPS = np.array([
    [0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.8, 0.9, 0.7], [0.9, 0.8, 0.5], [0.7, 0.6, 0.5],
    [0.9, 0.95, np.nan], [0.7, 0.9, np.nan], [np.nan, 0.5, 0.4],
])  # fmt: skip


def test_systems_may_lack_data_sets() -> None:
    """By hand: mean ranks over the five that all have, tests over those that both have, and both numbers are told."""
    found = scored(GAPS)
    assert found.common == [f"data {i}" for i in range(5)]
    assert found.mean_ranks == pytest.approx({"a": 6 / 5, "b": 9 / 5, "c": 3})
    assert found.mean() == pytest.approx({"a": 0.84, "b": 0.78, "c": 0.62})
    assert found.pairwise_ranks == pytest.approx({"a": 1 + 3 / 7, "b": 1 + 4 / 7, "c": 3})
    pairs = {(row.first, row.second): row for row in found.pairs}
    assert {names: row.datasets for names, row in pairs.items()} == {
        ("a", "b"): 7,
        ("a", "c"): 5,
        ("b", "c"): 6,
    }
    for (first, second), row in pairs.items():
        one, two = (GAPS[:, "abc".index(name)] for name in (first, second))
        both = ~np.isnan(one - two)
        assert row.p_value == pytest.approx(wilcoxon_p_values((one - two)[both][None])[0])
        assert found.p_value(second, first) == row.p_value
    assert found.shared.tolist() == [[7, 7, 5], [7, 8, 6], [5, 6, 6]]
    told = " ".join(found.footnotes)
    assert "Means and mean ranks: over the 5 data sets of 8 that all systems have." in told
    assert "Tests and pairwise ranks: over the data sets that both systems have." in told
    assert "Wilcoxon's signed-rank test over 5 to 7 data sets" in told
    assert "Friedman's test over 5 data sets" in told
    assert "|data sets:8|common:5|" in found.signature


def test_every_form_knows_what_is_lacking() -> None:
    """An empty cell, an empty field, null and 0 runs; a table of the data sets of each pair; a note on the picture."""
    found = scored(GAPS)
    measure = found.measures[0]
    last = found.to_csv().splitlines()[-1]
    assert last == "data 7,,0.5,0.4"
    assert "| data 7 |  | **0.5000** | 0.4000 |" in found.to_markdown()
    assert "| b | 7 | 8 | 6 |" in found.to_markdown()
    assert "data 7 &  & \\textbf{0.5000} & 0.4000 \\\\" in found.to_latex()
    assert "Empty: the system has no prediction for this data set." in found.to_html()
    told = found.to_dict()
    assert [row["datasets"] for row in told["systems"]] == [7, 8, 6]
    assert told["runs"]["a"] == [1] * 7 + [0]
    assert np.isnan(told["scores"]["a"][-1])
    assert [row["datasets"] for row in told["p_values"]] == [7, 5, 6]
    ax = found.plot()
    texts = " ".join(text.get_text() for text in ax.figure.findobj(matplotlib.text.Text))
    assert f"{measure} on the 5 of 8 data sets that all systems have" in " ".join(texts.split())
    assert "tests over the data sets that both systems have" in " ".join(texts.split())
    plt.close("all")


def test_without_a_data_set_that_all_have_there_are_no_mean_ranks() -> None:
    """Systems are ordered by their pairwise ranks, and a notice names those that lack most."""
    matrix = np.array([[0.5, 0.6, np.nan], [0.5, 0.7, np.nan], [np.nan, 0.6, 0.9], [np.nan, 0.5, 0.9]])
    found = scored(matrix)
    assert found.names == ["c", "b", "a"]
    assert found.pairwise_ranks == {"c": 1.0, "b": 2.0, "a": 3.0}
    assert all(np.isnan(list(found.mean_ranks.values())))
    assert found.friedman is None
    assert np.isnan(found.p_value("a", "c"))
    assert found.cliques == [["c", "b", "a"]]
    assert "none of 4 data sets has all systems, so there are no mean ranks" in " ".join(found.notices)
    assert "1 pair of systems without a data set in common: not tested." in found.footnotes
    assert "mean rank" not in repr(found).splitlines()[0]
    assert found.plot().get_xlabel() == "pairwise rank"
    plt.close("all")


def test_runs_are_averaged_and_their_spread_is_shown() -> None:
    """By hand, from the scores of the single runs; a system may have runs where others have one prediction."""
    rng = np.random.default_rng(3)
    sets = data_sets(6)
    runs = {data: [blur(rng, true, 0.2) for _ in range(3)] for data, (true, _) in sets.items()}
    for data, (_, preds) in sets.items():
        preds.update({("seeded", seed): pred for seed, pred in enumerate(runs[data])})  # type: ignore[misc]
    found = cd.rank(sets, resamples=0)
    assert sorted(found.names) == ["alike", "bad", "good", "seeded"]
    variances = []
    for i, (data, (true, _)) in enumerate(sets.items()):
        scores = [cd.score(true, pred) for pred in runs[data]]
        assert found.scores["seeded"][i] == pytest.approx(np.mean(scores)) == found.score(data, "seeded")
        assert found.spreads["seeded"][i] == pytest.approx(np.std(scores, ddof=1))
        variances.append(np.var(scores, ddof=1))
    assert found.spread["seeded"] == pytest.approx(np.sqrt(np.mean(variances)))
    assert np.isnan(found.spread["good"])
    assert (found.runs["seeded"] == 3).all()
    shown = f"{found.scores['seeded'][0]:.4f} ±{found.spreads['seeded'][0]:.4f}"
    assert shown in repr(found)
    assert shown in found.to_markdown()
    assert shown in found.to_html()
    assert shown.replace("±", "$\\pm$") in found.to_latex()
    assert "spread: standard deviation between runs, pooled over data sets." in " ".join(found.footnotes)
    header, first = (line.split(",") for line in found.to_csv().splitlines()[:2])
    assert float(first[header.index("seeded spread")]) == found.spreads["seeded"][0]
    assert first[header.index("seeded runs")] == "3"
    told = found.to_dict()
    assert {(row["system"], row.get("run")) for row in told["data"]["data 0"]["systems"]} == {
        ("good", None), ("bad", None), ("alike", None), ("seeded", "0"), ("seeded", "1"), ("seeded", "2"),
    }  # fmt: skip
    ax = found.plot()
    texts = " ".join(text.get_text() for text in ax.figure.findobj(matplotlib.text.Text))
    assert "scores are means of runs, which spread by" in " ".join(texts.split())
    plt.close("all")


def test_what_is_wrong_is_told_at_once_and_before_the_work() -> None:
    """Every problem of every data set, without comparing anything; a single one stands alone."""

    def never(meet: Any) -> float:
        raise AssertionError("compared")

    true = np.arange(4)
    sets = {
        "one": (true, {"a": true, ("a", 1): true}),
        "two": (true, {}),
        "three": true,
        "four": (true, {("a", 1, 2): true}),
        "five": (true, {1: true, "1": true}),
    }
    with pytest.raises(cd.ArgumentError) as caught:
        cd.rank(sets, measures=never)
    told = str(caught.value)
    for problem in (
        "5 problems",
        "one: 'a' is listed both with and without runs.",
        "two: has no systems",
        "a data set must be a pair (true, {system: prediction}); 'three' is ndarray.",
        "four: ('a', 1, 2) must be the name of a system, or (system, run).",
        "five: has several systems called '1'",
    ):
        assert problem in told
    with pytest.raises(cd.ArgumentError, match="no data set has a prediction of 'gone'"):
        cd.rank({"one": (true, {"a": true, "gone": None})}, measures=never)


# ---- LaTeX


def wide_ranking() -> cd.types.DatasetRanking:
    """Twenty systems on fifty data sets, with names as people give them, gaps and runs."""
    rng = np.random.default_rng(0)
    true = np.arange(120) // 4
    sets: dict[str, Any] = {}
    for d in range(50):
        preds: dict[Any, Any] = {f"system_{s}": blur(rng, true, s / 60) for s in range(18) if (s + d) % 17}
        preds["Ward & co, k=10%"] = blur(rng, true, 0.1)
        preds |= {("seeded", seed): blur(rng, true, 0.2) for seed in range(2)}
        sets[f"a_long_name_of_a_benchmark/data_set_{d}" if d % 2 else f"data {d}"] = (true, preds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        return cd.rank(sets, measures=["ari", "S_H"], resamples=0)


def test_wide_tables_in_latex_fit_the_page(tmp_path: Path) -> None:
    """Twenty systems on fifty data sets: no part is wider or higher than an article's page, and no score is lost."""
    found = wide_ranking()
    text = found.to_latex()
    tables = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    assert len(tables) > 4
    assert max(body.count("\\\\\n") for _, body in tables) <= 41
    for columns, body in tables:
        lines = [line.replace(r"\&", "") for line in body.splitlines() if line.endswith(r"\\")]
        assert {line.count("&") for line in lines} == {len(columns) - 1}
    for board in found.boards():
        for part in split(board):
            assert sum(width(part, i) for i in range(len(part.head))) <= 345
    matrix = "".join(body for _, body in tables if body.startswith("\\toprule\nari &"))
    scores = [value for name in found.names for value in found.scores[name].tolist() if not np.isnan(value)]
    assert len(re.findall(r"\d\.\d{4}(?! *\S*pm)", matrix.replace("$\\pm$", "pm"))) >= len(scores)
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("NO LATEX: tables are not compiled on this machine; install texlive-latex-recommended")
    document = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    (tmp_path / "table.tex").write_text(document)
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
    assert "Overfull" not in (tmp_path / "table.log").read_text(errors="replace")
