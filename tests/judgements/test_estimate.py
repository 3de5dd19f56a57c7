"""Estimates from sampled truth: what they estimate, how often their intervals hold it, and what is refused."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli.main import main
from clusterdiff.judgements.resolved import estimated, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import lay_sample
from tests.cases import cases


def command(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


def population(seed: int, n: int = 3000) -> tuple[Any, Any]:
    """True and predicted labels of linked records: one in ten went astray, to a cluster of its own or to another."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(n), 1 + rng.geometric(0.4, n))[:n]
    astray, alone = rng.random(n) < 0.1, rng.random(n) < 0.5
    pred = np.where(astray & ~alone, np.roll(true, 7), true)
    pred[astray & alone] = n + np.arange((astray & alone).sum())
    return true, pred


def clusters(labels: Any) -> list[list[int]]:
    order = np.argsort(labels, kind="stable")
    return [part.tolist() for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)]


@pytest.mark.parametrize("design", ["clusters", "points"])
def test_intervals_hold_what_they_should(design: Any) -> None:
    """95% intervals, over 80 samples of 150 draws; a cell may be off by three standard deviations of a share."""
    true, pred = population(1)
    whole, run = cd.compare(true, pred), Indexed(pred, "pred")
    every = clusters(true)
    measures = ["pairs.precision", "pairs.recall", "b3.precision", "b3.recall", "b3.f1", "clusters.recall"]
    rng = np.random.default_rng(2)
    held = dict.fromkeys(measures, 0)
    for _ in range(80):
        if design == "clusters":
            drawn = [every[i] for i in rng.choice(len(every), 150, replace=False)]
        else:
            drawn = [every[i] for i in true[rng.integers(0, len(true), 150)]]
        sample = lay_sample(drawn, run, "error")
        weights = weigh(sample, design, None, len(every) if design == "clusters" else None)
        for measure in measures:
            found, plain = estimated(sample, weights, measure)
            low, high = found.interval(0.95, plain)
            held[measure] += low <= whole.score(measure) <= high
    assert all(0.87 <= k / 80 <= 1 for k in held.values()), held
    assert 0.93 <= sum(held.values()) / len(held) / 80 <= 0.985, held


def test_drawn_points_estimate_s_h_without_bounds() -> None:
    """All points drawn is S_H itself; strata weigh what they stand for; a sample lies within its interval."""
    true, pred = population(3, 400)
    whole = cd.score(true, pred)
    for design in (None, "strata"):
        found = cd.estimate(clusters(true), pred, drawn=range(400), design=design)["S_H"]  # type: ignore[arg-type]
        assert found.value == pytest.approx(whole, abs=1e-12)
        assert found.error == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(0)
    some = cd.estimate(clusters(true), pred, drawn=rng.choice(400, 120, replace=False).tolist())["S_H"]
    assert some.low is not None
    assert some.high is not None
    assert some.low < whole < some.high
    every = [cluster for cluster in clusters(true) if 0 in cluster]
    with pytest.raises(cd.ArgumentError, match="without a true cluster in the sample"):
        cd.estimate(every, pred, drawn=[0, 399])
    with pytest.raises(
        cd.errors.ArgumentError, match="only clusters that were drawn alike, or through points"
    ):
        cd.estimate(clusters(true), pred, drawn=range(400), method="percentile")


def test_s_h_lies_within_its_bounds() -> None:
    """Whatever the unlabelled points are: the bounds of a sample of all clusters but some hold S_H of the whole."""
    true, pred = population(4, 300)
    found = cd.estimate(clusters(true), pred, design="clusters")
    low, high = found.bounds("S_H")
    assert low == pytest.approx(high) == pytest.approx(cd.score(true, pred))
    right = cd.estimate([[0, 1], [2]], [[0, 1], [2], [3]], ["S_H", "b3.recall"], design="clusters")
    assert right.bounds("S_H") == (1, 1)
    assert (right["S_H"].low, right["S_H"].high) == (
        right["b3.recall"].low,
        1,
    )  # two draws without an error prove little
    half = cd.estimate(clusters(true)[::2], pred, design="clusters")
    low, high = half.bounds("S_H")
    assert low < high
    assert half["S_H"].value is None


def test_probabilities_take_the_place_of_a_design() -> None:
    """Equal ones estimate as clusters drawn alike, and judgements bring their own."""
    true, pred = population(5, 500)
    some = clusters(true)[::3]
    alike = cd.estimate(some, pred, design="clusters")
    given = cd.estimate(some, pred, probabilities=[1 / 3] * len(some))
    assert given["b3.recall"].value == pytest.approx(alike["b3.recall"].value)
    said = cd.Judgements([{"groups": [c], "complete": True, "probability": 1 / 3} for c in some])
    assert cd.estimate(said, pred)["b3.recall"] == given["b3.recall"]
    assert "design:probabilities" in given.signature


def test_draws_can_be_resampled() -> None:
    """Percentiles of ratios of draws drawn again, against the same by hand; a census has nothing left to vary."""
    true, pred = population(6, 1500)
    drawn = clusters(true)[::5]
    measures = ["pairs.recall", "b3.f1", "clusters.recall"]
    plain = cd.estimate(drawn, pred, measures, design="clusters")
    found = cd.estimate(
        drawn, pred, measures, design="clusters", method="percentile", resamples=2_000, seed=1
    )
    assert found.signature == f"{plain.signature}|percentile:0.95|resamples:2000|seed:1"
    sizes = [[np.unique(pred[draw], return_counts=True)[1] for draw in drawn], list(map(len, drawn))]
    both = np.array([(m * (m - 1)).sum() for m in sizes[0]])
    pairs = np.array([a * (a - 1) for a in sizes[1]])
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(drawn), (2_000, len(drawn)))
    by_hand = both[rows].sum(1) / pairs[rows].sum(1)
    one = found["pairs.recall"]
    assert one.value == plain["pairs.recall"].value
    assert (one.low, one.high) == pytest.approx(np.quantile(by_hand, [0.025, 0.975]), abs=4e-3)
    assert one.error == pytest.approx(by_hand.std(ddof=1), rel=0.1)
    for measure in measures:
        assert found[measure].error == pytest.approx(plain[measure].error, rel=0.15)
    every = clusters(true)
    whole = cd.estimate(
        every, pred, ["b3.f1"], design="clusters", population=len(every), method="percentile", resamples=50
    )["b3.f1"]
    assert whole.low == whole.high == pytest.approx(cd.score(true, pred, "b3.f1"))


def test_reviews_of_points_are_told_from_other_judgements() -> None:
    """Draws of two reviews are one sample, without their headers, too; among other judgements they are refused."""
    true, pred = population(9, 600)
    every = {int(label): np.flatnonzero(true == label).tolist() for label in np.unique(true)}

    def answered(seed: int) -> list[dict[str, Any]]:
        review = cd.plan(pred, error=0.1, draw=40, seed=seed).review
        assert review is not None
        assert {one.probability for one in review} == {40 / 600}
        return [
            one.to_dict()
            | {
                "groups": [every[label] for label in {int(true[int(p)]) for p in one.shown["1"][0]}],
                "complete": True,
            }
            for one in review
        ]

    lines = [*answered(1), *answered(2)]
    both = cd.estimate(cd.Judgements(lines), pred, ["S_H", "b3.recall"])
    assert both["S_H"].draws == both["b3.recall"].draws == 80
    drawn = [every[int(true[int(line["point"])])] for line in lines]
    by_hand = cd.estimate(drawn, pred, ["b3.recall"], design="points")
    assert both["b3.recall"] == by_hand["b3.recall"]
    ranked = cd.rank(cd.Judgements(lines), {"a": pred, "b": true}, measures=["b3.recall"], design="points")
    assert ranked.estimates["a"] == by_hand["b3.recall"]
    with pytest.raises(cd.ArgumentError, match="80 draws of a review of points among 81 judgements"):
        cd.estimate(cd.Judgements([*lines, {"groups": [["0"]], "complete": True}]), pred)


def test_a_sample_in_which_little_is_wrong_is_warned_of() -> None:
    """In plain words, by measure; giants that a sample may have missed, too."""
    pred = [list(range(100)), *([i] for i in range(100, 400))]
    sample = [[i] for i in range(100, 130)]
    found = cd.estimate(sample, pred, ["pairs.precision", "b3.recall", "S_H"], design="clusters")
    assert any(
        w.startswith("b3.recall, S_H: 0 of 30 draws show an error, fewer than 20") for w in found.warnings
    )
    assert any(
        "b3.recall, S_H: the run's clusters differ" in w and "draw through points" in w
        for w in found.warnings
    )
    assert found["b3.recall"].value == 1
    assert found["b3.recall"].low == pytest.approx(0.025 ** (1 / 30))
    assert found["pairs.precision"].value is None  # a singleton has no pairs
    points = cd.estimate([[i] for i in range(100, 400)], pred, drawn=range(100, 130))
    assert points.warnings == (
        "S_H: 0 of 30 draws show an error, fewer than 20: the interval is rough. Draw more.",
    )


def test_judgements_that_are_no_part_of_a_sample_are_counted() -> None:
    """Whole clusters are, or pairs with a probability, as were drawn; and a single draw tells no error."""
    pred = [["a", "b"], ["c"], ["d", "e"], ["f"]]
    whole = [{"groups": [["a", "b", "c"]], "complete": True}, {"groups": [["d", "e"]], "complete": True}]
    found = cd.estimate(
        cd.Judgements([*whole, {"groups": [["f"], ["a"]]}]), pred, ["b3.recall"], design="clusters"
    )
    assert found.warnings[-1] == "1 of 3 judgements are not complete: left out."
    drawn = [{"groups": [["a", "b"]], "probability": 0.5}, {"groups": [["c"], ["d"]], "probability": 0.5}]
    pairs = cd.estimate(cd.Judgements([*drawn, {"groups": [["d", "e"]]}]), pred)
    assert pairs.warnings[-1] == "1 of 3 judgements have no probability: left out."
    with pytest.raises(cd.ArgumentError, match="`sample` has no judgement with whole clusters"):
        cd.estimate(cd.Judgements([{"groups": [["a", "b"]]}]), pred, design="clusters")
    one = cd.estimate([["a", "b", "c"]], pred, ["b3.recall", "S_H"], design="clusters")
    assert "nan" not in repr(one) + one.to_markdown() + one.to_latex()


@cases(
    ("how", "wrong"),
    [
        ({}, "`design` is required: an estimate depends on how the sample was drawn"),
        ({"design": "random"}, "`design` must be one of"),
        ({"design": "strata"}, "is for points that were drawn"),
        ({"probabilities": [0.5]}, "`probabilities` must hold one number"),
        ({"probabilities": [0.5, 2.0]}, "`probabilities` must hold one number"),
        ({"probabilities": ["x", "y"]}, "`probabilities` must hold one number per draw"),
        ({"design": "clusters", "measures": ["ari"]}, "`measures` can be estimated from a sample for"),
        ({"design": "clusters", "level": 95}, "`level` must be between 0 and 1"),
        ({"drawn": ["z"]}, "`drawn` must name points that the run has"),
        ({"design": "clusters", "probabilities": [0.5, 0.5]}, "these have inclusion probabilities"),
        ({"design": "clusters", "population": 1}, "at least the 2 clusters drawn; got 1"),
        ({"design": "points", "population": 9}, "`population` makes a sample of clusters more exact"),
        ({"probabilities": [0.5, 0.5], "method": "basic"}, "`method` is 'basic', but only clusters"),
        ({"design": "clusters", "method": "bootstrap"}, "`method` must be one of"),
    ],
)
def test_what_cannot_be_meant_is_refused(how: dict[str, Any], wrong: str) -> None:
    """By argument."""
    with pytest.raises(cd.ArgumentError, match=wrong):
        cd.estimate([["a", "b"], ["c"]], [["a", "b", "c"], ["d"]], **how)


def test_arguments_of_other_kinds_are_refused() -> None:
    """By name, not with an error from inside."""
    pred = [["a", "b"], ["c"]]
    for call, wrong in (
        (
            lambda: cd.Judgements({"groups": [["a", "b"]]}),
            "`judgements` must be a list of judgements; got {'groups'",
        ),
        (lambda: cd.Judgements(None), "`judgements` must be a list of judgements; got None"),
        (lambda: cd.Judgements.read(3), "`paths` must be names of files; got 3"),
        (lambda: cd.plan(pred, pilot=3), "`pilot` must be an estimate from a small sample; got 3"),
        (lambda: cd.plan(pred, seed=-1), "`seed` must be a whole number"),
        (lambda: cd.plan(pred, draw=0), "`draw` must be a whole number"),
        (lambda: cd.plan(pred, error=float("inf")), "`error` must be a number above 0; got inf"),
        (lambda: cd.estimate(pred, pred, drawn=["a"]), "`drawn` has 1 point; a standard error needs two"),
        (
            lambda: cd.Judgements([{"groups": [["a"], ["b"]]}]).apply(pred, scores=[("a", "b")]),
            r"`scores` must be triples, point, point and score; got \('a', 'b'\)",
        ),
    ):
        with pytest.raises(cd.ArgumentError, match=wrong):
            call()


def test_samples_that_do_not_fit_are_refused() -> None:
    """Points that the run lacks, and points in two true clusters; the same cluster may be drawn twice."""
    with pytest.raises(cd.LabelError, match="`pred` lacks 1 point of the sample: 'x'"):
        cd.estimate([["a", "x"]], [["a", "b"]], design="clusters")
    found = cd.estimate([["a", "x"], ["b"]], [["a", "b"]], ["b3.recall"], design="clusters", missing="drop")
    assert found["b3.recall"].value == 1
    with pytest.raises(cd.ArgumentError, match="`sample` has 1 point in several clusters: 'a'"):
        cd.estimate([["a"], ["a", "b"]], [["a", "b"]], design="clusters")
    twice = cd.estimate([["a", "b"], ["a", "b"]], [["a", "b"], ["c"]], ["b3.recall"], design="points")
    assert twice["b3.recall"].draws == 2


def test_the_command_estimates_from_files(tmp_path: Path) -> None:
    """A table of true clusters, judged pairs, and every way to print."""
    (tmp_path / "run.csv").write_text("id,cluster\na,1\nb,1\nc,2\nd,2\ne,3\n", encoding="utf-8")
    (tmp_path / "true.csv").write_text("id,cluster\na,x\nb,x\nc,x\ne,y\n", encoding="utf-8")
    run, true = tmp_path / "run.csv", tmp_path / "true.csv"
    told = json.loads(command("estimate", true, run, "--design", "clusters", "--json").stdout)
    assert told["estimates"]["b3.recall"]["value"] == pytest.approx((4 / 3 + 1 / 3 + 1) / 4)
    assert (
        "| b3.recall | 0.6667 |"
        in command("estimate", true, run, "--design", "clusters", "--markdown").stdout
    )
    typeset = command("estimate", true, run, "--design", "clusters", "--latex", "--population", 99).stdout
    assert "\\toprule" in typeset
    assert typeset.splitlines()[-1].startswith("% clusterdiff:")
    assert typeset.splitlines()[-1].endswith("|population:99")
    assert command("estimate", true, run).exit_code == 2
    assert "--design clusters" in command("estimate", true, run).output
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "a,b,verdict,probability\na,b,match,0.5\nc,d,no match,0.5\nb,c,match,0.1\na,e,unsure,0.1\n",
        encoding="utf-8",
    )
    found = json.loads(command("estimate", pairs, run, "--json").stdout)
    assert found["estimates"]["pairs.precision"]["value"] == pytest.approx(0.5)
    low, high = found["estimates"]["pairs.recall"]["bounds"]
    assert command("estimate", pairs, run).stdout.splitlines()[0].split()[-1] == "bounds"
    assert f"{low:.4f} to {high:.4f}" in command("estimate", pairs, run, "--latex").stdout
    pairs.write_text("a,b,verdict\na,b,perhaps\n", encoding="utf-8")
    assert "the verdict must be" in command("estimate", pairs, run).output
    pilot = ("plan", run, "--measure", "b3.recall", "--error", "0.1", "--pilot", true)
    assert "  1 draw\n" not in command(*pilot, "--design", "clusters").stdout
    assert "The pilot's design is assumed" in command(*pilot, "--design", "clusters").stdout
    assert "PRED lacks" in command("estimate", run, true, "--design", "clusters").output
    assert command(*pilot[:-2], "--design", "points").exit_code == 2


def test_runs_are_ranked_on_a_sample(tmp_path: Path) -> None:
    """By estimates; the lead of the better one holds that of the whole, and is surer than two estimates apart."""
    true, worse = population(7, 2000)
    rng = np.random.default_rng(1)
    better = np.where(rng.random(2000) < 0.6, true, worse)
    for name, labels in (("worse", worse), ("better", better)):
        rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}", encoding="utf-8")
    drawn = set(rng.choice(np.unique(true), 150, replace=False).tolist())
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(true) if label in drawn)
    (tmp_path / "sample.csv").write_text(f"id,cluster\n{rows}", encoding="utf-8")
    args = (tmp_path / "sample.csv", tmp_path / "worse.csv", tmp_path / "better.csv", "--design", "clusters")
    told = json.loads(command("rank", *args, "--json").stdout)
    assert list(told["systems"]) == ["better", "worse"]
    lead = told["leads"]["better"]
    wanted = cd.score(true, better, "b3.f1") - cd.score(true, worse, "b3.f1")
    assert lead["low"] < wanted < lead["high"]
    assert 1.96 < (lead["high"] - lead["value"]) / lead["error"] < 2.1  # a quantile of t
    errors = [one["error"] for one in told["systems"].values()]
    assert lead["error"] < float(np.hypot(*errors))
    assert "ahead of the next" in command("rank", *args).stdout
    assert command("rank", *args, "--measures", "ari").exit_code == 2
    for refused in (("--latex",), ("--method", "basic"), ("--unit", "cluster")):
        assert command("rank", *args, *refused).exit_code == 2
    # In Python, too; and by S_H with points that were drawn, whose clusters are completed.
    sample = [np.flatnonzero(true == label).tolist() for label in sorted(drawn)]
    systems = {"worse": worse, "better": better}
    found = cd.rank(sample, systems, design="clusters")
    assert found.leads["better"].value == pytest.approx(lead["value"])
    assert (
        cd.rank(sample, systems, measures="pairs.f1(beta=2)", design="points").measure == "pairs.f1(beta=2)"
    )
    every = [np.flatnonzero(true == label).tolist() for label in np.unique(true)]
    by_points = cd.rank(every, systems, design="points", drawn=list(range(2000)))
    assert by_points.leads["better"].value == pytest.approx(cd.score(true, better) - cd.score(true, worse))
    for wrong, how in (
        ("needs to know how", {"drawn": [1]}),
        ("`method` has no meaning for a ranking on a sample", {"design": "points", "method": "basic"}),
        ("`unit` has no meaning for a ranking on a sample", {"design": "points", "unit": "component"}),
        ("pass drawn=", {"design": "points", "measures": "S_H"}),
    ):
        with pytest.raises(cd.errors.ArgumentError, match=wrong):
            cd.rank(sample, systems, **how)
    with pytest.raises(cd.errors.ArgumentError, match="`design` is required for judgements"):
        cd.rank(cd.Judgements([{"groups": [draw], "complete": True} for draw in sample]), systems)


def test_f_weighs_recall_by_beta() -> None:
    """A census is the measure itself, whatever its beta."""
    true, pred = population(5, 300)
    every = [np.flatnonzero(true == label).tolist() for label in np.unique(true)]
    names = [f"{family}.f1(beta={beta})" for family in ("pairs", "b3", "clusters") for beta in (0.5, 2)]
    found = cd.estimate(every, pred, names, design="clusters", population=len(every))
    for name in names:
        assert found[name].value == pytest.approx(cd.score(true, pred, name), abs=1e-12), name
        assert found[name].low == found[name].high


def test_judged_pairs_tell_f_with_any_beta() -> None:
    """Of all pairs, it is the measure itself; what pairs do not tell is refused."""
    true, run = (
        dict(zip("abcdef", [0, 0, 0, 1, 1, 2], strict=True)),
        dict(zip("abcdef", "xxyyyy", strict=True)),
    )
    pairs = [
        {"groups": [[a, b]] if true[a] == true[b] else [[a], [b]], "probability": 1.0}
        for a, b in combinations("abcdef", 2)
    ]
    names = ["pairs.f1", "pairs.f1(beta=2)", "pairs.f1(beta=0.5)", "pairs.recall"]
    found = cd.estimate(cd.Judgements(pairs), run, names)
    for name in names:
        assert found[name].value == pytest.approx(cd.compare(true, run).score(name), abs=1e-12)
    with pytest.raises(cd.ArgumentError, match=r"of judged pairs are pairs\.precision, .*; got 'S_H'"):
        cd.estimate(cd.Judgements(pairs), run, ["S_H"])


def test_a_run_may_stay_in_its_engine() -> None:
    """The same estimates from a table in DuckDB and a lazy one of polars; of the rest only counts leave them."""
    import duckdb
    import polars as pl

    true, pred = population(3, 900)
    table = pl.DataFrame({"id": [f"p{i}" for i in range(900)], "cluster": pred})
    every = [[f"p{i}" for i in np.flatnonzero(true == label)] for label in np.unique(true)]
    draws = every[:40]
    wanted = cd.estimate(draws, table, design="points")
    for lazy in (table.lazy(), duckdb.from_arrow(table.to_arrow())):
        assert cd.estimate(draws, lazy, design="points").to_dict() == wanted.to_dict()
        points = cd.estimate(every, lazy, drawn=[f"p{i}" for i in range(0, 900, 9)], design="strata")
        assert (
            points["S_H"]
            == cd.estimate(every, table, drawn=[f"p{i}" for i in range(0, 900, 9)], design="strata")["S_H"]
        )
        with pytest.raises(cd.errors.LabelError, match="lacks 1 point of the sample: 'q'"):
            cd.estimate([["q"]], lazy, design="points")
    for kind in (
        pl.Int64,
        pl.UInt64,
        pl.Float64,
    ):  # numbers name the points that their text names, wherever they are
        numbered = table.with_columns(pl.Series("id", range(900), dtype=kind))
        for run in (numbered, numbered.lazy(), numbered.to_pandas()):
            named = [[str(point).removeprefix("p") for point in draw] for draw in draws]
            assert cd.estimate(named, run, design="points").to_dict() == wanted.to_dict()
            for odd in ("900", "-1", "07", "x"):
                with pytest.raises(cd.errors.LabelError, match=f"lacks 1 point of the sample: '{odd}'"):
                    cd.estimate([[odd, "7"]], run, design="points")
    other = table.rename({"id": "mention", "cluster": "inventor"})
    told: dict[str, Any] = {"point": "mention", "cluster": "inventor"}
    pairs = cd.Judgements([{"groups": [["p1", "p2"]]}])
    assert pairs.judge(other, **told).to_dict() == pairs.judge(table).to_dict()
    assert pairs.apply(other, **told).to_dict() == pairs.apply(table).to_dict()
    assert cd.plan(other, draw=3, **told).review.to_jsonl() == cd.plan(table, draw=3).review.to_jsonl()
    for named in (other, other.lazy()):
        assert cd.estimate(draws, named, design="points", **told).to_dict() == wanted.to_dict()
        with pytest.raises(cd.errors.ArgumentError, match="must name a column of `pred`; it has no 'x'"):
            cd.estimate(draws, named, design="points", point="mention", cluster="x")
    with pytest.raises(cd.errors.ArgumentError, match="`cluster` names a column, and pred is no table"):
        cd.estimate(draws, pred, design="points", cluster="x")
    with pytest.raises(cd.errors.ArgumentError, match="several rows for 'p1'"):
        cd.estimate(draws, pl.concat([table, table[1:2]]).lazy(), design="points")


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_a_truth_that_covers_little_is_told_wherever_results_are_shown() -> None:
    """The way to an estimate is named in text, HTML, Markdown, LaTeX and pictures, and where missing points stop it."""
    true = {f"r{i}": i // 3 for i in range(30)}
    runs = {name: {f"r{i}": i // k for i in range(300)} for name, k in {"a": 4, "b": 5}.items()}
    diff = cd.compare(true, runs["a"], missing="drop")
    told = "`true` has 30 of the 300 points of `pred`"
    shown = [repr(diff), diff._repr_html_(), *diff.to_dict()["notices"][1:]]
    figure = diff.plot("loss").figure
    shown.append(" ".join(figure.get_supxlabel().split()))
    ranking = cd.rank(true, runs, missing="drop", resamples=0)
    shown += [repr(ranking), ranking._repr_html_(), ranking.to_latex(), ranking.to_html()]
    shown.append(ranking.to_markdown().replace("\\", ""))
    for text in shown:
        plain = text.replace("<code>", "`").replace("</code>", "`")
        assert told in plain
        assert "estimate()" in plain
    for refused in (lambda: cd.compare(true, runs["a"]), lambda: cd.rank(true, runs, resamples=0)):
        with pytest.raises(cd.LabelError) as caught:
            refused()
        assert str(caught.value.hint).startswith("If `true` is a sample, use estimate()")
    whole = cd.compare(runs["b"], runs["a"])
    assert "notice" not in repr(whole)
    with pytest.raises(cd.LabelError) as caught:
        cd.compare({f"r{i}": 0 for i in range(290)}, runs["a"])
    assert "estimate" not in str(caught.value.hint)


def test_plans_count_singletons_among_clusters() -> None:
    """Clusters drawn with equal probability vary by their sizes; more than there are need not be drawn."""
    run = [*range(500), *(500 + i // 9 for i in range(900))]
    sizes = np.bincount(run)
    spread = 1 + sizes.var() / sizes.mean() ** 2
    k = (1.959963984540054 / 0.05) ** 2 / 4
    wanted = [k / (1 + k / 1400), k * spread / (1 + k * spread / len(sizes))]
    draws = cd.plan(run, error=0.05, measure="b3.f1").draws
    assert list(draws.values()) == [int(np.ceil(value)) for value in wanted]
