"""Judging the difference of two runs from a review of what changed."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.judgements.changed import changed_components
from clusterdiff.judgements.contributions import contributions
from clusterdiff.judgements.drawing import probabilities
from clusterdiff.judgements.review import versions
from clusterdiff.judgements.totals import Answered


def command(*args: object) -> Result:
    from clusterdiff.cli.main import main

    return CliRunner().invoke(main, [str(arg) for arg in args])


def runs(seed: int, n: int = 4000) -> tuple[Any, Any, Any]:
    """A truth and two runs of it: the new one sets some of the old one's errors right, and makes others."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(n), 1 + np.minimum(rng.zipf(2.6, n), 40))[:n]

    def spoiled(labels: Any, rate: float) -> Any:
        out = labels.copy()
        alone = rng.random(n) < rate
        out[alone] = 10 * n + rng.integers(0, 10 * n, int(alone.sum()))
        merged = rng.random(true.max() + 1) < rate
        target = rng.integers(0, true.max() + 1, true.max() + 1)
        near = out < n
        out[near] = np.where(merged[out[near]], target[out[near]], out[near])
        return out

    old = spoiled(true, 0.06)
    right = rng.random(true.max() + 1) < 0.5
    new = np.where(right[true], spoiled(true, 0.02), old)
    return true, old, new


def answered(review: cd.Judgements, true: Any, *, sizes: bool = True, unsure: int = 0) -> cd.Judgements:
    """A review with the truth as its answers; every ``unsure``-th has none."""
    lines = []
    total = np.bincount(true)
    for number, one in enumerate(review, 1):
        line = one.to_dict()
        groups: dict[int, list[str]] = {}
        for group in one.shown["1"]:
            for point in group:
                groups.setdefault(int(true[int(point)]), []).append(point)
        if unsure and number % unsure == 0:
            line["answer"] = "unsure"
        else:
            line |= {"answer": "own", "groups": list(groups.values())}
            if sizes:
                line["beyond"] = [int(total[cluster]) - len(held) for cluster, held in groups.items()]
        lines.append(line)
    return cd.Judgements(lines, review.header)


def test_a_review_of_everything_is_the_difference_itself() -> None:
    """All components certain: no error, and the very difference of every measure that is exact there."""
    true, old, new = runs(1, 1500)
    review = cd.plan(old=old, new=new, draw=10**6).review
    assert review is not None
    found = cd.estimate(old=old, new=new, judgements=answered(review, true))
    before, after = cd.compare(true, old), cd.compare(true, new)
    for name in ("b3.precision", "b3.recall", "vi", "element_centric"):
        wanted = after.score(name) - before.score(name)
        assert found.difference[name].value == pytest.approx(wanted, abs=1e-12), name
        assert found.difference[name].error == 0
    pairs = [diff.meet.pairs for diff in (before, after)]
    gained = pairs[1].both - pairs[0].both
    assert found.difference["true_pairs"].value == pytest.approx(gained)
    wrong = [p.true + p.pred - 2 * p.both for p in pairs]
    assert found.difference["wrong_pairs"].value == pytest.approx(wrong[1] - wrong[0])
    assert found["improved"].low == found["improved"].value
    assert not found.warnings  # nothing was left to chance, however few changed


def test_intervals_of_differences_hold_what_they_should() -> None:
    """95% intervals of totals and shares over 200 reviews of 80 components."""
    true, old, new = runs(2, 8000)
    diff = cd.compare(old, new)
    changed = changed_components(diff)
    assert len(changed) > 200
    total = np.bincount(true)
    rows = []
    for component in changed.component.tolist():
        groups = versions(diff, component)
        side = [{int(p): i for i, group in enumerate(version) for p in group} for version in groups]
        points = sorted(side[0])
        labels = [np.array([codes[p] for p in points]) for codes in side]
        truth = true[points]
        inside = np.bincount(truth, minlength=len(total))[truth]
        rows.append(contributions(*labels, truth, total[truth] - inside))
    y = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    found, rng = probabilities(changed.x, 80, changed.kind), np.random.default_rng(3)
    totals = {h: float(changed.x[~found.certain & (changed.kind == h)].sum()) for h in range(3)}
    totals[-1] = float(changed.x[found.certain].sum())
    names = ("true_pairs", "b3.precision", "b3.recall", "vi", "S_H, cut", "wrong_pairs")
    held = dict.fromkeys((*names, "improved", "joined right"), 0)
    for _ in range(200):
        units = found.draw(rng)
        stratum = np.where(found.certain[units], -1, changed.kind[units])
        sample = Answered(changed.x[units], found.probability[units], stratum, totals)
        for name in names:
            one = sample.total(y[name][units])
            held[name] += one.low <= y[name].sum() <= one.high
        for name, above, below in (("improved", "better", None), ("joined right", "joined right", "joined")):
            z = np.ones(len(changed)) if below is None else y[below]
            one = sample.share(y[above][units], z[units])
            held[name] += one.low <= y[above].sum() / z.sum() <= one.high
    assert all(k / 200 >= 0.88 for k in held.values()), held
    assert sum(held.values()) / len(held) / 200 >= 0.93, held


def test_a_review_is_blind_and_comes_back_as_it_is(tmp_path: Path) -> None:
    """Sides are in random order; answers "1" and "2" are groups; unsure ones have bounds; other runs are refused."""
    true, old, new = runs(4, 1200)
    for name, labels in (("old", old), ("new", new)):
        rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}", encoding="utf-8")
    review, back = tmp_path / "review.jsonl", tmp_path / "back.jsonl"
    args = ("--old", tmp_path / "old.csv", "--new", tmp_path / "new.csv")
    drawn = command("plan", *args, "--draw", 40, "-o", review)
    assert drawn.exit_code == 0, drawn.output
    assert "40 draws to review" in drawn.output
    said = cd.Judgements.read(review)
    assert said.header is not None
    assert set(said.header["sides"].values()) == {"1", "2"}
    assert not any("old" in json.dumps(one.to_dict()) for one in said)  # nothing tells which side is which
    answered(said, true, sizes=False, unsure=9).write(back)
    out = command("estimate", back, *args)
    assert out.exit_code == 0, out.output
    assert "without groups: treated as missing at random" in out.output
    assert "b3.recall, cut" in out.output
    told = json.loads(command("estimate", back, *args, "--json").stdout)
    assert told["difference"]["wrong_pairs"]["bounds"] is not None
    assert command("estimate", back, "--old", args[3], "--new", args[1]).exit_code == 2
    lines = review.read_text(encoding="utf-8").splitlines()
    one = json.loads(lines[1]) | {"answer": "new"}
    chosen = tmp_path / "one.jsonl"
    chosen.write_text("\n".join([lines[0], json.dumps(one)]) + "\n", encoding="utf-8")
    side = "2" if said.header["sides"][one["id"]] == "1" else "1"
    groups = cd.Judgements.read(chosen)[0].groups
    assert sorted(map(list, groups)) == sorted(sorted(group) for group in one["shown"][side])
    assert cd.Judgements([one], said.header)[0].groups == groups  # the same lines, not from a file
    with pytest.raises(cd.ArgumentError, match="has no answers yet"):
        cd.estimate(old=old, new=new, judgements=said)


def test_the_sentence_says_which_run_is_better() -> None:
    """By S_H, wrong pairs and how many changes improve; exchanging the runs exchanges better and worse."""
    true = np.repeat(np.arange(300), 4)
    halves = np.arange(1200) // 2  # every true cluster in two
    mixed = np.where(true < 30, halves, true + 1000)
    for old, new, word in ((halves, mixed, "better"), (mixed, halves, "worse")):
        review = cd.plan(old=old, new=new, draw=60).review
        assert review is not None
        found = cd.estimate(old=old, new=new, judgements=answered(review, true))
        assert found.verdict == word
        assert found.sentence.startswith(f"New is {word}: of 270 changes about ")
        share = found.joined_right if word == "better" else found.parted_right
        assert share is not None
        assert share.value == (1.0 if word == "better" else 0.0)
        assert found.break_even == f"Pair F1 {'rises' if word == 'better' else 'falls'} at any level."
        for left in (3, 45):
            lines = [one.to_dict() for one in review]
            known = [one.to_dict() for one in answered(review, true)]
            partly = [line | {"answer": "unsure"} for line in lines[:left]] + known[left:]
            found = cd.estimate(old=old, new=new, judgements=cd.Judgements(partly, review.header))
            assert found.verdict == word
            assert found.sentence.endswith(f" The {left} left open could reverse this.") == (left == 45)


def test_a_review_is_of_two_runs_and_no_others() -> None:
    """Also if they differ where the review shows nothing; points of one run only are left out, and counted."""
    true, old, new = runs(4, 1200)
    kept = dict(enumerate(new.tolist()))
    del kept[7]
    review = cd.plan(old=dict(enumerate(old.tolist())), new=kept, draw=30).review
    assert review is not None
    answers = answered(review, true)
    assert "1 point in one run only: left out." in cd.estimate(old=old, new=kept, judgements=answers).warnings
    shown = {int(point) for one in review for group in one.shown["1"] for point in group}
    other = next(point for point in kept if point not in shown and old[point] == new[point])
    with pytest.raises(cd.ArgumentError, match="the review is of other runs than `old` and `new`"):
        cd.estimate(old=old, new=kept | {other: -1}, judgements=answers)


def test_answers_are_told_from_other_judgements() -> None:
    """What is no review of a difference says nothing of one, and answers to one are no sample of a run."""
    true, old, new = runs(4, 1200)
    review, points = cd.plan(old=old, new=new, draw=30).review, cd.plan(new, draw=5).review
    assert review is not None
    assert points is not None
    answers = answered(review, true)
    whole = cd.Judgements([replace(one, complete=True, beyond=None) for one in answers], answers.header)
    mixed = cd.Judgements([*answers, {"groups": [["1", "2"]]}], answers.header)
    pairs = cd.Judgements([{"groups": [["1", "2"]], "probability": 0.5}])
    for said in (pairs, points, cd.Judgements(answers), mixed):
        with pytest.raises(
            cd.ArgumentError, match="`judgements` must be the answers to one review of a difference"
        ):
            cd.estimate(old=old, new=new, judgements=said)
    with pytest.raises(
        cd.ArgumentError, match="answers a review of a difference: it was drawn from what changed"
    ):
        cd.estimate(whole, new)
    with pytest.raises(cd.ArgumentError, match="answers a review of a difference"):
        cd.rank(whole, {"a": old, "b": new}, design="clusters")


def test_shares_that_few_reviews_tell_are_warned_of() -> None:
    """Each share by its own rarer side, over all batches; and intervals that are points though others may differ."""
    true, old, new = runs(3)
    reviews = [cd.plan(old=old, new=new, draw=60, seed=seed).review for seed in (1, 2)]
    batches = [answered(review, true) for review in reviews if review is not None]
    apart = [cd.estimate(old=old, new=new, judgements=one) for one in batches]
    both = cd.estimate(old=old, new=new, judgements=batches)
    for name, number in both.rarer.items():
        assert number == sum(one.rarer[name] for one in apart), name
    told = {name for name, number in apart[0].rarer.items() if number < 10}
    assert {"improved splits", "parted right"} <= told
    assert "improved" not in told
    (warning,) = [one for one in apart[0].warnings if "rarer side" in one]
    assert all(f"{name} ({apart[0].rarer[name]})" in warning for name in told)
    assert warning.endswith("these shares are rough, and so are true_pairs and wrong_pairs.")
    halves = np.arange(1200) // 2  # every true cluster in two
    whole = np.arange(1200) // 4
    review = cd.plan(old=halves, new=np.where(whole < 30, halves, whole + 1000), draw=60).review
    assert review is not None
    found = cd.estimate(
        old=halves, new=np.where(whole < 30, halves, whole + 1000), judgements=answered(review, whole)
    )
    assert any("wrong_pairs" in one and "the drawn components do not vary" in one for one in found.warnings)


def test_plans_need_less_for_a_wider_interval() -> None:
    """Points, clusters and changed components; and a pilot instead of the worst case."""
    true, old, new = runs(5, 1500)
    narrow, wide = (
        cd.plan(old=old, new=new, error=error).draws["changed component"] for error in (0.005, 0.02)
    )
    assert wide < narrow
    assert cd.plan(new, error=0.02).draws["point"] < cd.plan(new, error=0.01).draws["point"]
    every = [np.flatnonzero(true == c).tolist() for c in range(300)]
    pilot = cd.estimate([c for c in every if c][:100], new, design="clusters", missing="drop")
    found = cd.plan(new, error=0.02, measure="b3.recall", pilot=pilot).draws["draw"]
    one = pilot["b3.recall"]
    needed = one.draws * (one.error or 0) ** 2 * (1.96 / 0.02) ** 2
    assert found == pytest.approx(needed / (1 + needed / 1500), abs=1)
    right = cd.estimate([[0, 1], [2]], [[0, 1], [2], [3]], ["b3.recall"], design="clusters")
    told = cd.plan([[0, 1], [2], [3]], error=0.2, measure="b3.recall", pilot=right)
    assert str(told).endswith("The pilot shows no error: this is the worst case.")
    assert told.draws["cluster"] <= 3
    with pytest.raises(cd.ArgumentError, match="`pilot` has no standard error for S_H"):
        cd.plan(new, pilot=pilot)
    with pytest.raises(cd.ArgumentError, match="`pilot` is for one run"):
        cd.plan(old=old, new=new, pilot=pilot)
    with pytest.raises(cd.ArgumentError, match="a plan is for `pred`, or for `old` and `new`"):
        cd.plan()
    with pytest.raises(cd.ArgumentError, match="`old` and `new` have the same clusters"):
        cd.plan(old=old, new=old)
    with pytest.raises(cd.ArgumentError, match="`measure` must be one of"):
        cd.plan(old=old, new=new, measure="ari")


def test_a_review_of_points_is_estimated_as_it_comes_back() -> None:
    """Through points for every measure; S_H without bounds, since both clusters of each point are completed."""
    true, _, pred = runs(6, 800)
    review = cd.plan(pred, draw=150).review
    assert review is not None
    members = {c: np.flatnonzero(true == c).tolist() for c in np.unique(true).tolist()}
    lines = []
    for one in review:
        line, point = one.to_dict(), int(one.other["point"])
        wanted = {int(true[int(p)]) for p in one.shown["1"][0]}
        lines.append(line | {"groups": [members[c] for c in {int(true[point]), *wanted}]})
    found = cd.estimate(cd.Judgements(lines, review.header), pred)
    for name in ("b3.recall", "S_H"):
        one = found[name]
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert one.low <= cd.score(true, pred, name) <= one.high, name


def test_probabilities_add_up_to_the_draws() -> None:
    """Whatever the sizes and strata: certain units are 1, and each stratum gives what it was allotted."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        n = int(rng.integers(1, 30))
        strata, k = rng.integers(0, 3, n), int(rng.integers(1, 35))
        found = probabilities(rng.pareto(1.0, n) + 0.01, k, strata)
        assert ((found.probability > 0) & (found.probability <= 1)).all()
        assert (found.probability[found.certain] == 1).all()
        for h, take in found.take.items():
            inside = ~found.certain & (strata == h)
            assert found.probability[inside].sum() == pytest.approx(take)
        drawn = found.draw(rng)
        assert len(drawn) == len(set(drawn.tolist())) == found.certain.sum() + sum(found.take.values())


def test_true_clusters_are_followed_out_of_what_changed() -> None:
    """With whole true clusters, and what is around them, S_H and inverse purity are exact; purity and edits always."""
    rng = np.random.default_rng(1)
    for _ in range(25):
        old = rng.integers(0, 6, 14)
        new = np.where(rng.random(14) < 0.2, (old + 1) % 6, old)
        true = np.where(rng.random(14) < 0.3, rng.integers(0, 6, 14), old)
        if cd.compare(old, new).score() == 1:
            continue
        groups = [np.flatnonzero(true == label).tolist() for label in np.unique(true)]
        review = cd.plan(old=old, new=new, draw=14).review
        assert review is not None
        whole = [one.to_dict() | {"answer": "own", "groups": groups, "complete": True} for one in review]
        found = cd.estimate(old=old, new=new, judgements=cd.Judgements(whole, review.header))
        for name in ("S_H", "inverse_purity", "purity", "edits"):
            wanted = cd.score(true, new, name) - cd.score(true, old, name)
            assert found[name].value == pytest.approx(wanted, abs=1e-12), name
        assert found["muc_links"].value == len(cd.compare(true, old).meet) - len(cd.compare(true, new).meet)
    # Without the neighbours of what true clusters reach, S_H is told with true clusters cut, and only so.
    old, new, true = np.array([0, 0, 1, 1, 2]), np.array([0, 3, 1, 1, 2]), np.array([0, 0, 0, 1, 2])
    review = cd.plan(old=old, new=new, draw=1).review
    assert review is not None
    line = review[0].to_dict() | {"answer": "own", "groups": [["0", "1", "2"]], "complete": True}
    header = review.header
    assert "S_H" not in cd.estimate(old=old, new=new, judgements=cd.Judgements([line], header)).difference
    line["groups"] = [["0", "1", "2"], ["3"]]
    found = cd.estimate(old=old, new=new, judgements=cd.Judgements([line], header))
    assert found["S_H"].value == pytest.approx(cd.score(true, new) - cd.score(true, old), abs=1e-12)


def test_batches_are_one_estimate(tmp_path: Path) -> None:
    """Each counts by its draws; the errors are those of independent draws; a component is reviewed once."""
    true, old, new = runs(3)
    batches = []
    for seed, draws in ((1, 40), (2, 80)):
        review = cd.plan(old=old, new=new, draw=draws, seed=seed).review
        assert review is not None
        batches.append(answered(review, true))
    apart = [cd.estimate(old=old, new=new, judgements=one) for one in batches]
    both = cd.estimate(old=old, new=new, judgements=batches)
    for name in ("wrong_pairs", "b3.recall", "improved"):
        value = apart[0][name].value / 3 + 2 * apart[1][name].value / 3
        error = np.hypot(apart[0][name].error / 3, 2 * apart[1][name].error / 3)
        assert (both[name].value, both[name].error) == pytest.approx((value, error), abs=1e-12)
        assert both[name].low is not None
        assert both[name].low < value < both[name].high
    assert "drawn:120|answered:120" in both.signature
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    blank = cd.Judgements(
        [replace(one, groups=(), answer=None, beyond=None) for one in batches[1]], batches[1].header
    )
    for path, batch in zip(paths, (batches[0], blank), strict=True):
        batch.write(path)
    again = {point for one in batches[0] for group in one.groups for point in group}
    known = sum(set(one.points) <= again for one in batches[1])
    assert known > 0
    found = cd.estimate(old=old, new=new, judgements=[cd.Judgements.read(path) for path in paths])
    assert f"answered:{40 + known}|" in found.signature
    with pytest.raises(cd.errors.ArgumentError, match="same seed"):
        cd.estimate(old=old, new=new, judgements=[batches[0], batches[0]])


def test_a_review_names_points_as_judgements_do() -> None:
    """By their text, also of several columns, so that answers check and correct the runs; and so do scores."""
    import pandas as pd

    old = pd.DataFrame({"source": ["x", "y"] * 6, "number": np.arange(12) // 2, "name": list("abcdefghijkl")})
    new = old.assign(cluster=np.arange(12) // 4)
    old = old.assign(cluster=np.arange(12) // 2)
    for key, named in ((["source", "number"], '["x", "0"]'), ("name", "a")):
        review = cd.plan(old=old, new=new, draw=3, point=key).review
        assert review is not None
        columns = cd.plan(old=old, new=new, draw=3, point=key).columns
        assert columns[named]["source"] == "x"
        lines = [
            one.to_dict() | {"answer": "own", "groups": [list(chain.from_iterable(one.shown["1"]))]}
            for one in review
        ]
        answers = cd.Judgements(lines, review.header)
        assert cd.estimate(old=old, new=new, judgements=answers, point=key).answers["answered"] == 3
        assert answers.judge(new, point=key).kept == 3
        assert answers.judge(old, point=key).violated == 3
    run = {("a", 1.0): 0, ("a", 2.0): 0, ("b", 1.0): 0, ("b", 2.0): 0}
    scores = [((letter, 1.0), (letter, 2.0), 0.9) for letter in "ab"]
    fixed = cd.Judgements([{"groups": [[("a", 1)], [("b", 2)]]}]).apply(run, scores=scores)
    assert sorted(map(sorted, fixed.to_sets())) == [[(letter, 1.0), (letter, 2.0)] for letter in "ab"]


def test_the_level_of_the_old_run_tells_pair_f1() -> None:
    """From an estimate of it, or a census: then the differences are those of the measures; else up to which level."""
    rng = np.random.default_rng(4)
    true = np.repeat(np.arange(200), 4)
    joined = np.where(rng.random(800) < 0.5, true // 2, true + 1000)  # many pairs more, a few of them right
    old, new = true * 2 + np.arange(800) % 2, np.where(true < 60, joined, true * 2 + np.arange(800) % 2)
    for one, other in ((old, new), (new, old)):
        review = cd.plan(old=one, new=other, draw=1000).review
        assert review is not None
        lines = []
        for line in review:
            groups: dict[int, list[str]] = {}
            for point in chain.from_iterable(line.shown["1"]):
                groups.setdefault(int(true[int(point)]), []).append(point)
            lines.append(line.to_dict() | {"answer": "own", "groups": list(groups.values())})
        found = cd.estimate(old=one, new=other, judgements=cd.Judgements(lines, review.header))
        before, after = cd.compare(true, one), cd.compare(true, other)
        every = [np.flatnonzero(true == label).tolist() for label in range(200)]
        told = found.anchored(cd.estimate(every, one, design="clusters", population=200))
        for name in ("pairs.precision", "pairs.recall", "pairs.f1"):
            assert told[name].value == pytest.approx(after.score(name) - before.score(name), abs=1e-12)
        more = int(after.meet.pairs.pred - before.meet.pairs.pred)
        even = 2 * found.difference["true_pairs"].value / more
        word = "below" if more > 0 else "above"
        assert (
            found.break_even
            == f"Pair F1 rises if the old run's is {word} {even:.4f} ({even:.4f} to {even:.4f})."
        )
        rises = before.score("pairs.f1") < even if more > 0 else before.score("pairs.f1") > even
        assert rises == (told["pairs.f1"].value > 0)
    with pytest.raises(
        cd.ArgumentError, match="`anchor` must be the old run's pair precision and recall; got 3"
    ):
        found.anchored(3)  # type: ignore[arg-type]
    with pytest.raises(cd.ArgumentError, match="`judgements` is required"):
        cd.estimate(old=old, new=new)  # type: ignore[call-overload]


def test_a_kind_of_one_change_has_its_share() -> None:
    """A single split among merges, and the table has names on the left, numbers on the right."""
    true = {point: i for i, group in enumerate(("abc", "de", "fg", "hi")) for point in group}
    old = true | {"d": 9, "f": 8}
    new = true | {"a": 7}  # one split, two merges
    review = cd.plan(old=old, new=new, draw=9).review
    assert review is not None
    lines = []
    for line in review:
        groups: dict[int, list[str]] = {}
        for point in chain.from_iterable(line.shown["1"]):
            groups.setdefault(true[point], []).append(point)
        lines.append(line.to_dict() | {"answer": "own", "groups": list(groups.values())})
    found = cd.estimate(old=old, new=new, judgements=cd.Judgements(lines, review.header))
    assert found.shares["improved splits"].value == 0
    assert found.shares["improved merges"].value == 1
    assert found.shares["improved"].value == pytest.approx(2 / 3)
    rows = repr(found).splitlines()
    head = next(row for row in rows if row.startswith("new minus old "))
    pairs = next(row for row in rows if row.startswith("wrong_pairs "))
    assert len(pairs) <= len(head)
    assert pairs.index("+0" if "+0" in pairs else "0") > head.index("estimate")
