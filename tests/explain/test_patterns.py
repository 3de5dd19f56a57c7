"""Who is hit and what to fix as groups: planted causes are found, chance is not, and gains add up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff.attributes import read_values
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.features import features, numbers
from clusterdiff.diff.groups import Correction, Proposals, groups
from clusterdiff.diff.harms import harms
from clusterdiff.diff.hits import Candidate, Search
from clusterdiff.diff.predicates import Questions, TrueClusters, by_cluster_size
from clusterdiff.diff.shapes import Shapes
from clusterdiff.errors import ArgumentError
from tests.cases import cases

FIRST, LAST = (
    ("Maria", "John", "Wei", "Olga", "Juan"),
    ("Garcia", "Smith", "Chen", "Silva", "Novak", "O'Neil"),
)


class Records:
    """Records of people in clusters of 1 to 8, with columns of every kind."""

    def __init__(self, seed: int, n: int = 4000) -> None:
        self.rng = rng = np.random.default_rng(seed)
        sizes = np.minimum(rng.geometric(0.35, n), 8)
        self.true = np.repeat(np.arange(n), sizes)[:n]
        self.k = int(self.true[-1]) + 1
        self.n = n
        person = rng.integers(0, (len(FIRST), len(LAST)), (self.k, 2))[self.true]
        self.initial = rng.random(n) < 0.08
        names = [
            f"{FIRST[a][0]}. {LAST[b]}" if short else f"{FIRST[a]} {LAST[b]}"
            for (a, b), short in zip(person.tolist(), self.initial.tolist(), strict=True)
        ]
        self.columns: dict[str, Any] = {
            "name": names,
            "source": np.array(["crm", "web", "import"])[rng.choice(3, n, p=[0.6, 0.3, 0.1])],
            "year": rng.integers(1998, 2026, n),
            "amount": np.round(rng.lognormal(4, 1.5, n), 2),
            "email": [
                None if gone else f"a{i}@x.org" for i, gone in enumerate((rng.random(n) < 0.2).tolist())
            ],
            "date": np.datetime64("2005-01-01") + rng.integers(0, 7000, n),
            "flag": rng.random(n) < 0.1,
        }

    def split(self, chance: Any) -> cd.types.Comparison:
        """Records split off their clusters by chance."""
        gone = self.rng.random(self.n) < chance
        return cd.compare(self.true, np.where(gone, self.k + np.arange(self.n), self.true))


@cases(
    ("column", "text", "holds"),
    [
        ("name", "has an initial", lambda r: r.initial),
        ("source", "is import", lambda r: r.columns["source"] == "import"),
        ("year", "≤ 2003", lambda r: r.columns["year"] <= 2003),
        ("email", "is missing", lambda r: np.array([email is None for email in r.columns["email"]])),
        ("flag", "is True", lambda r: r.columns["flag"]),
    ],
)
def test_a_planted_cause_is_the_first_row(column: str, text: str, holds: Any) -> None:
    """Records with one property are split off ten times as often: it is found, and nothing else adds to it."""
    records = Records(1)
    inside = holds(records)
    diff = records.split(np.where(inside, 0.3, 0.03))
    hits = diff.patterns(attributes=records.columns).hits
    assert hits is not None
    first = hits.rows[0]
    assert (first.harm, first.column, first.text) == ("left", column, text)
    np.testing.assert_array_equal(first.points, inside)
    eligible = np.bincount(records.true)[records.true] > 1
    assert first.excess.n == np.count_nonzero(inside & eligible)
    assert first.holm <= 0.05
    assert first.excess.adjusted > 5
    assert first.cover > 0.1
    assert not [row for row in hits.rows[1:] if row.harm == "left"]


@cases("seed", range(6))
def test_nothing_is_shown_where_nothing_is_planted(seed: int) -> None:
    """Errors by chance, also such as come by whole clusters, go with no column."""
    records = Records(seed)
    chance = records.rng.beta(0.2, 3, records.k)[records.true] if seed % 2 else 0.08
    hits = records.split(chance).patterns(attributes=records.columns).hits
    assert hits is not None
    assert [row for row in hits.rows if row.kind != "size"] == []
    assert hits.tests > 100


def test_many_questions_are_corrected_for() -> None:
    """Holm: the smallest p times all tests, the next times one less, and so on until one does not pass."""
    records = Records(2)
    diff = records.split(0.1)
    shapes = Shapes(Blame(diff.analysis))
    (harm,) = harms(shapes.blame.points(diff.source), shapes)
    (size, *_) = by_cluster_size(TrueClusters(records.true))
    search = Search([harm], diff.loss.total, records.n)
    search.tests = 100
    for p in (0.001, 0.0001, 0.0004):
        search.passed.append(Candidate(size, harm, harm.excess(100, 20.0, 10.0)._replace(p=p), 0.1, 0.1))
    assert [candidate.holm for candidate in search.corrected()] == pytest.approx([0.01, 0.0396])


def test_every_size_is_in_one_class() -> None:
    """And the class says which."""
    of_size = np.repeat(np.arange(40), np.arange(1, 41))
    sizes: dict[str, list[int]] = {
        one.text: [size for size in range(1, 41) if one.points[of_size == size - 1].all()]
        for one in by_cluster_size(TrueClusters(of_size))
    }
    assert {text: (of[0], of[-1]) for text, of in sizes.items()} == {
        "is 1": (1, 1), "is 2": (2, 2), "is 3-4": (3, 4), "is 5-8": (5, 8), "is 9-16": (9, 16), "is 17-32": (17, 32),
        "is 33 or more": (33, 40),
    }  # fmt: skip
    assert sum(map(len, sizes.values())) == 40


def test_most_points_with_a_property_means_that_others_are_spared() -> None:
    """If nine in ten records go wrong more often, the tenth is told to be spared."""
    records = Records(3)
    rare = records.rng.random(records.n) < 0.1
    diff = records.split(np.where(rare, 0.01, 0.3))
    found = diff.patterns(attributes={"kind": np.where(rare, "new", "old")})
    assert found.hits is not None
    assert found.hits.rows[0].spares
    assert "split off less often unless kind is old" in str(found)


def test_weights_are_no_cause() -> None:
    """A heavy point is the largest part of its cluster by definition, so that light ones seem to be split off."""
    records = Records(3)
    weights = np.round(records.rng.lognormal(0, 1, records.n), 3)
    gone = records.rng.random(records.n) < 0.1
    pred = np.where(gone, records.k + np.arange(records.n), records.true)
    diff = cd.compare(records.true, pred, weights=weights)
    columns = {"weight": weights.tolist(), "rank": np.argsort(np.argsort(weights))}
    hits = diff.patterns(attributes=columns).hits
    assert hits is not None
    assert {row.column for row in (*hits.rows, *hits.also)} == {"rank"}
    assert hits.columns == 1
    hits = cd.compare(records.true, pred).patterns(attributes=columns).hits
    assert hits is not None
    assert hits.columns == 2


def test_two_properties_together_are_told_as_such() -> None:
    """Where only records with both are hit, the row is the conjunction."""
    records = Records(4, 20000)
    a, b = records.rng.random((2, records.n)) < 0.3
    diff = records.split(np.where(a & b, 0.5, 0.02))
    hits = diff.patterns(attributes={"a": a, "b": b}).hits
    assert hits is not None
    assert hits.rows[0].kind == "and"
    assert set(hits.rows[0].text.split(" and ")) == {"a is True", "b is True"}
    np.testing.assert_array_equal(hits.rows[0].points, a & b)


def test_two_properties_together_are_corrected_for_all_questions() -> None:
    """What passes by itself does not among so many questions that chance would answer one of them like that."""
    records = Records(4)
    a, b = records.rng.random((2, records.n)) < 0.3
    diff = records.split(np.where(a & b, 0.5, 0.02))
    shapes = Shapes(Blame(diff.analysis))
    search = Search(harms(shapes.blame.points(diff.source), shapes), diff.loss.total, records.n)
    for column, holds in {"a": a, "b": b}.items():
        values = read_values(holds)
        assert values is not None
        for predicates in Questions(column, values, TrueClusters(records.true)).predicates():
            search.look(predicates)
    singles = search.corrected()
    search.corrected = lambda: singles  # type: ignore[method-assign]
    assert search.rows()[0][0].kind == "and"
    search.tests = 10**300
    assert "and" not in {row.kind for rows in search.rows() for row in rows}


def test_two_properties_together_must_tell_more_than_the_better_of_them() -> None:
    """Records with both are hit most, but one property alone explains more of what was hit."""
    records = Records(3)
    a, b = records.rng.random(records.n) < 0.5, records.rng.random(records.n) < 0.1
    diff = records.split(np.select([a & b, a, b], [0.6, 0.3, 0.1], 0.02))
    hits = diff.patterns(attributes={"a": a, "b": b}).hits
    assert hits is not None
    assert hits.rows[0].text == "is True"
    assert hits.rows[0].column == "a"
    assert "and" not in {row.kind for row in (*hits.rows, *hits.also)}


def test_missing_points_have_a_cause_too() -> None:
    """Points that the prediction lacks, more often from one source."""
    records = Records(5)
    gone = records.rng.random(records.n) < np.where(records.columns["source"] == "web", 0.3, 0.02)
    true = dict(enumerate(records.true.tolist()))
    pred = {point: cluster for point, cluster in true.items() if not gone[point]}
    found = cd.compare(true, pred, missing="lost").patterns(attributes=records.columns)
    assert found.hits is not None
    assert [(row.harm, row.column, row.text) for row in found.hits.rows] == [("missing", "source", "is web")]
    assert [group.kind for group in found.groups] == ["missing"]
    assert found.groups[0].points == np.count_nonzero(gone)


def test_groups_add_up_and_count_every_wrong_point_once() -> None:
    """All groups together restore truth, with lost points and with weights, and so does their last score."""
    rng = np.random.default_rng(0)
    for i in range(60):
        true = {j: int(rng.integers(0, 12)) for j in range(40) if rng.random() < 0.85}
        pred = {
            j: int(rng.integers(0, 8)) if rng.random() < 0.3 else true.get(j, 0)
            for j in range(40)
            if rng.random() < 0.85
        }
        weights = {j: int(rng.integers(i % 2, 4)) for j in range(40)} if i % 3 else None
        diff = cd.compare(true, pred, missing="lost", weights=weights)
        shapes = Shapes(Blame(diff.analysis))
        correction, other = (
            Correction(shapes, diff.source, cd.measures["S_H"], diff.score()) for _ in range(2)
        )
        assert correction.score == pytest.approx(diff.score(), abs=1e-12)
        rise = correction.gain(np.flatnonzero(correction.wrong))
        assert correction.score + rise == pytest.approx(1, abs=1e-12)
        found = groups(other, [], confusions=bool(i % 2))
        assert sum(group.gain for group in found) == pytest.approx(diff.loss.total, abs=1e-12)
        assert found[-1].score == 1.0
        at = np.concatenate([group.at for group in found])
        assert (
            sorted(at.tolist())
            == np.flatnonzero(np.isin(np.arange(diff.n), correction.at[correction.wrong])).tolist()
        )
        names, (own, codes) = list(diff.source.names), diff.source.clusters()
        for group in found:  # each as if the clusterings were compared again after it
            codes[group.at] = np.append(correction.home, -1)[own[group.at]]
            sides = ({names[j]: int(x) for j, x in enumerate(side) if x >= 0} for side in (own, codes))
            again = cd.compare(*sides, missing="lost", weights=weights).score()
            assert group.score == pytest.approx(again, abs=1e-12)
        assert [group.gain for group in found] == [
            group.gain for group in groups_without_memory(shapes, diff, bool(i % 2))
        ]


def groups_without_memory(shapes: Shapes, diff: Any, confusions: bool) -> list[Any]:
    """The same where every gain is computed anew after each group."""
    correction = Correction(shapes, diff.source, cd.measures["S_H"], diff.score())

    def forget(self: Proposals, applied: object) -> None:
        vars(self).update(_gains=[None] * len(self.proposals))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Proposals, "forget", forget)
        return groups(correction, [], confusions=confusions)


def test_removing_all_that_is_wrong_leaves_a_perfect_score() -> None:
    """Where only spurious clusters are wrong, nothing is left of them once they are gone."""
    found = cd.compare({"a": 0, "b": 1}, {"a": 0, "b": 1, "x": 2}, missing="lost").patterns()
    assert [(group.kind, group.points, group.score) for group in found.groups] == [("spurious", 1, 1.0)]
    assert found.groups[0].gain == pytest.approx(1 / 3)


def test_a_group_has_the_gain_of_a_comparison_made_anew() -> None:
    """The first group of a planted cause, put where truth has it, and compared again."""
    records = Records(6)
    diff = records.split(np.where(records.initial, 0.5, 0.02))
    group = diff.patterns(attributes=records.columns).groups[0]
    assert (group.kind, group.what.text) == ("rule", "has an initial")  # type: ignore[union-attr]
    assert 0 < group.partners == np.count_nonzero(~records.initial[group.at]) < group.points
    shapes = Shapes(Blame(diff.analysis))
    home = Correction(shapes, diff.source, cd.measures["S_H"], diff.score()).home
    cell = diff.meet.cell_of_point
    codes = diff.meet.pred[cell].astype(np.int64)
    codes[group.at] = home[diff.meet.true[cell[group.at]]]
    assert cd.score(records.true, codes) == pytest.approx(group.score, abs=1e-12)
    # Putting the same points right gains in any other measure what a new comparison says.
    for measure in ("ari", "vi", "b3.f1", "inverse_purity"):
        found = diff.patterns(attributes=records.columns, measure=measure)
        assert found.measure == measure
        assert found.score == diff.score(measure)
        first = found.groups[0]
        codes = diff.meet.pred[cell].astype(np.int64)
        codes[first.at] = home[diff.meet.true[cell[first.at]]]
        assert cd.score(records.true, codes, measure) == pytest.approx(first.score, abs=1e-12)
        assert found.groups[-1].score == pytest.approx(cd.measures[measure].best, abs=1e-12)
        lost = diff.loss_of(measure)
        for part in ("split", "merge", "total"):
            summed = sum(getattr(row.loss, part) for row in found.shapes)
            assert summed == pytest.approx(getattr(lost, part), abs=1e-12)


def test_patterns_are_plain_values_for_programs() -> None:
    """JSON without surprises, with ratios that are infinite as null."""
    rng = np.random.default_rng(7)
    true = np.repeat(np.arange(1000), 4)
    short = (np.arange(4000) % 4 == 0) & (rng.random(4000) < 0.3)
    diff = cd.compare(true, np.where(short, 1000 + true, true))
    found = diff.patterns(attributes={"name": np.where(short, "A.", "Ann")})
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["regime"] == "many"
    row = data["who"]["rows"][0]
    assert (row["column"], row["ratio"]) == ("name", None)
    assert set(data["who"]["base"]) == {"left"}
    assert sum(shape["share"] for shape in data["shapes"]) == pytest.approx(1)
    assert data["groups"][-1]["score"] == 1.0


def test_columns_are_chosen_by_name_and_unusable_ones_are_named() -> None:
    """A wrong name is an error with the nearest; lists as values are not looked at, and this is said."""
    records = Records(8, 400)
    diff = records.split(0.1)
    with pytest.raises(ArgumentError, match=r"columns.*'nam'"):
        diff.patterns(["nam"], attributes=records.columns)
    found = diff.patterns(attributes={"tags": [[1] for _ in range(records.n)]})
    assert found.hits.unusable == ("tags",)
    assert "not used" in str(found)


def test_regimes() -> None:
    """Which question comes first."""
    rng = np.random.default_rng(0)
    assert cd.compare([0, 0, 1], [0, 1, 1]).patterns().regime == "tiny"
    few = cd.compare(rng.integers(0, 9, 500), rng.integers(0, 9, 500))
    assert few.patterns().regime == "few"
    assert len(few.patterns().confusions) > 10
    assert few.patterns(sides=("old", "new")).regime == "releases"
    assert few.patterns(sides=("old", "new")).groups == []
    assert Records(9).split(0.1).patterns().regime == "many"
    same = cd.compare([0, 0, 1], [0, 0, 1]).patterns()
    assert (str(same), same.groups, same.summary) == ("S_H = 1.0000: nothing was lost.", [], [])


def test_mentions_are_told_by_document_and_text() -> None:
    """Of a corpus the columns are known without being given: here one document is where mentions are missing."""
    key = cd.Corpus({f"d{i}": [{3 * j, 3 * j + 1, 3 * j + 2} for j in range(40)] for i in range(6)})
    response = {f"d{i}": [set(range(3 * j, 3 * j + 3)) for j in range(40)] for i in range(6)}
    response["d2"] = [{point for point in entity if point % 3} for entity in response["d2"]]
    diff = cd.compare(key, cd.Corpus(response))
    found = diff.patterns()
    assert found.hits is not None
    assert [(row.harm, row.column, row.text) for row in found.hits.rows] == [("missing", "document", "is d2")]


def test_numbers_and_dates_are_ordered() -> None:
    """Numbers and dates as such and as text, a few of which may be neither."""
    for values in (np.array([3, 1, 2]), np.array(["3", "1", "2"]), np.array([3, 1, 2.0], dtype=object)):
        ordered = numbers(values)
        assert ordered is not None
        assert [ordered[1](value) for value in ordered[0]] == ["3", "1", "2"]
    days = np.array([f"2020-01-{day:02d}" for day in range(1, 31)] * 2 + ["2020-02-31"])
    dated = numbers(days)
    assert dated is not None
    assert np.isnan(dated[0][-1])
    assert dated[1](dated[0][0]) == "2020-01-01"
    assert numbers(np.array(["1", "2", "x"])) is None
    assert numbers(np.array([True, False])) is None


def test_features_of_hostile_texts() -> None:
    """Line breaks, empty texts, other scripts and lone surrogates."""
    looks = features(np.array(["a\nb", "", "Zoë  X", "\ud800", "O'Neil", "J. R."], dtype=object))
    assert looks.length.tolist() == [3, 0, 6, 1, 6, 5]
    for look, expected in {
        "has an initial": [0, 2, 5],
        "is empty": [1],
        "is not ASCII": [2, 3],
        "has extra spaces": [2],
        "has an apostrophe": [4],
    }.items():
        assert np.flatnonzero(looks.holds(look)).tolist() == expected


def test_predicates_about_the_rest_of_the_cluster() -> None:
    """Who differs from most of its cluster, who is in a cluster of several values, and who is with whom."""
    true = np.repeat(np.arange(10), 3)
    values = np.array(["a", "a", "b", "a", "a", "a", "b", None, "c", "c"] * 3, dtype=object)
    column = Questions("v", read_values(values), TrueClusters(true))  # type: ignore[arg-type]
    found = {p.text: p.points for batch in column.predicates() for p in batch}

    def cluster(i: int) -> list[Any]:
        return [value for value in values[true == true[i]] if value is not None]

    for i, value in enumerate(values):
        own = cluster(i)
        most = max(map(own.count, own))
        assert found["differs from most of its cluster"][i] == (value is not None and own.count(value) < most)
        assert found["has several values in the cluster"][i] == (len(set(own)) > 1)
        for other in "bc":
            text = f"is a, in a cluster with {other}"
            assert text not in found or found[text][i] == (value == "a" and other in own)
    assert "is a, in a cluster with b" in found
    assert found["is missing"].tolist() == [value is None for value in values]
