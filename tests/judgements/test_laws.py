"""What always holds of applying and judging, on clusterings of a few points against consistent facts."""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.judgements import precedence
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts

Parts = frozenset[frozenset[str]]


def partitions(points: str) -> list[list[list[str]]]:
    """All ways to divide points into clusters."""
    if not points:
        return [[]]
    first, rest = points[0], partitions(points[1:])
    out = []
    for parts in rest:
        out.append([[first], *parts])
        out += [[*parts[:i], [first, *parts[i]], *parts[i + 1 :]] for i in range(len(parts))]
    return out


def pairs(points: str) -> list[tuple[str, str]]:
    return list(combinations(points, 2))


def together(clustering: Any) -> set[tuple[str, str]]:
    """Pairs of points in one cluster."""
    return {pair for cluster in clustering for pair in combinations(sorted(cluster), 2)}


def fact_sets(points: str) -> list[tuple[tuple[tuple[str, str], bool], ...]]:
    """All sets of closed facts: a partition into blocks, and which pairs of blocks are apart."""
    out = []
    for blocks in partitions(points):
        least = sorted(min(block) for block in blocks)
        same = [
            ((a, b), True) for block in blocks for a, b in zip(sorted(block), sorted(block)[1:], strict=False)
        ]
        between = pairs("".join(least))
        for chosen in product((False, True), repeat=len(between)):
            out.append((*same, *((pair, False) for pair, on in zip(between, chosen, strict=True) if on)))
    return out


def judgements(facts: Any, seed: int = 0) -> cd.Judgements:
    """Facts as judgements of pairs, in some order."""
    said = [{"groups": [[a, b]] if same else [[a], [b]]} for (a, b), same in facts]
    random.Random(seed).shuffle(said)
    return cd.Judgements(said)


def parts(clustering: cd.Clustering) -> Parts:
    return frozenset(frozenset(cluster) for cluster in clustering)


def check(facts: Any, clusters: list[list[str]]) -> None:
    """The ten laws of applying judgements."""
    js = judgements(facts)
    found = js.apply(clusters)
    result, before = together(found), together(clusters)
    said = {tuple(sorted(pair)): same for pair, same in facts}
    assert all((pair in result) == same for pair, same in said.items())  # 1: it satisfies them
    assert parts(js.apply(found)) == parts(found)  # 2: once is enough
    if all((pair in before) == same for pair, same in said.items()):
        assert parts(found) == parts(cd.Clustering(clusters))  # 3: nothing to do
    blocks, apart = js.facts.blocks, js.facts.apart
    named = {point: f"c{i}" for i, cluster in enumerate(reversed(clusters)) for point in reversed(cluster)}
    assert parts(judgements(facts, seed=1).apply(named)) == parts(found)  # 4: names and order do not matter
    root = {point: block[0] for block in blocks for point in block}
    for cluster in map(set, clusters):
        inner = any(len({root.get(p, p) for p in cluster} & set(pair)) == 2 for pair in apart)
        spans = any(cluster & set(block) and set(block) - cluster for block in blocks)
        if not inner and not spans:
            assert frozenset(cluster) in parts(found)  # 5: it stays local
    flipped = result ^ before
    if not apart:
        assert not before - result  # 6: only matches part nothing
    if not any(
        set(block) - set(cluster) and set(block) & set(cluster) for block in blocks for cluster in clusters
    ):
        assert not result - before
    for one, two in combinations(found, 2):
        if any(set(one) & set(cluster) and set(two) & set(cluster) for cluster in clusters):
            between = {frozenset((root.get(p, p), root.get(q, q))) for p in one for q in two}
            assert between & set(map(frozenset, apart))  # 7: only a fact keeps parts of a cluster apart
    links = before | {pair for block in blocks for pair in combinations(sorted(block), 2)}
    for part in found:
        reached = {min(part)}
        while grown := {p for pair in links if set(pair) & reached for p in pair if p in part} - reached:
            reached |= grown
        assert reached == set(part)  # 8: nothing is together that neither it nor a fact connects
    names = "".join(sorted(point for cluster in clusters for point in cluster))
    others = [together(other) for other in partitions(names)]
    for other in (x for x in others if all((pair in x) == same for pair, same in said.items())):
        assert not (other ^ before) < flipped  # 9: no change is in vain
        if found.chosen == 0:
            assert len(before - other) >= len(before - result)  # 10: nothing tears fewer pairs
    assert js.judge(found).violated == 0
    assert (js.judge(clusters).violated == 0) == (parts(found) == parts(cd.Clustering(clusters)))


def test_laws_of_applying_on_all_of_three_points() -> None:
    """All 75 pairs of facts and clusterings."""
    tried = [(facts, clusters) for facts in fact_sets("abc") for clusters in partitions("abc")]
    assert len(tried) == 75
    for facts, clusters in tried:
        check(facts, clusters)


def test_laws_of_applying_on_many_of_four_and_five_points() -> None:
    """A sample of the 1,905 of four points, and of five."""
    rng = random.Random(5)
    four = [(facts, clusters) for facts in fact_sets("abcd") for clusters in partitions("abcd")]
    assert len(four) == 1905
    for facts, clusters in rng.sample(four, 120):
        check(facts, clusters)
    five, every = fact_sets("abcde"), partitions("abcde")
    for _ in range(60):
        check(rng.choice(five), rng.choice(every))


def test_contradictions_are_those_of_the_closure() -> None:
    """Against the closure by hand, on random judgements of six points; every path is a path."""
    rng = random.Random(3)
    points, seen = "abcdef", 0
    for _ in range(150):
        said = []
        for i in range(rng.randint(2, 6)):
            shown = rng.sample(points, rng.randint(2, 4))
            groups: dict[int, list[str]] = {}
            for point in shown:
                groups.setdefault(rng.randint(0, 1), []).append(point)
            said.append({"id": str(i), "groups": list(groups.values())})
        js = cd.Judgements(said)
        root = {point: point for point in points}
        for one in said:
            for group in one["groups"]:
                for point in group[1:]:
                    old, new = root[point], root[group[0]]
                    root = {p: new if r == old else r for p, r in root.items()}
        wanted = {
            (one["id"], frozenset(map(frozenset, (g, h))))
            for one in said
            for g, h in combinations(one["groups"], 2)
            if root[g[0]] == root[h[0]]
        }
        ids = {one["id"]: one for one in said}
        found = set()
        for told in js.contradictions:
            groups_of = ids[told.judgement]["groups"]
            g, h = (next(group for group in groups_of if end in group) for end in told.apart)
            found.add((told.judgement, frozenset(map(frozenset, (g, h)))))
            for a, b, by in zip(told.path, told.path[1:], told.by, strict=False):
                assert any({a, b} <= set(group) for group in ids[by]["groups"])
        assert found == wanted
        seen += len(found)
        if wanted:
            settled = js.settle()
            assert settled.aside
            assert not settled.judgements.contradictions
    assert seen > 50


@pytest.mark.parametrize("authors", [[], ["ann"], ["bob", "ann"]])
def test_settling_keeps_what_has_precedence(authors: list[str]) -> None:
    """What stands is consistent, and the first of the order always stands."""
    rng = random.Random(8)
    for _ in range(25):
        said = [
            {
                "id": str(i),
                "groups": [[a, b]] if rng.random() < 0.6 else [[a], [b]],
                "by": rng.choice(["ann", "bob", "cy"]),
                "at": f"2026-01-{i + 1:02}",
            }
            for i, (a, b) in enumerate(rng.sample(pairs("abcde"), 7))
        ]
        settled = cd.Judgements(said).settle(authors)
        assert not settled.judgements.contradictions
        rank = {name: i for i, name in enumerate(authors)}
        first = min(said, key=lambda one: (rank.get(one["by"], len(rank)), -int(one["id"])))
        assert first["id"] in {one.id for one in settled.judgements}


def test_settling_looks_at_what_contradicts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand dates in a block it tries few; blocks that non-matches alone link do not wait for each other."""
    said = [{"id": str(i), "groups": [["a", f"p{i}"]], "at": f"{3000 - i}"} for i in range(1000)]
    wrong = [{"id": f"x{i}", "groups": [[f"p{i}"], [f"p{i + 1}"]], "at": "1"} for i in (3, 500)]
    other = [{"id": "other", "groups": [["p7"], ["z"]]}, {"id": "y", "groups": [["z", "y"]], "at": "9"}]
    tried: list[int] = []

    def counted(entries: Entries) -> Facts:
        tried.append(len(entries.judgements))
        return Facts(entries)

    monkeypatch.setattr(precedence, "Facts", counted)
    found = cd.Judgements([*said, *wrong, *other]).settle()
    assert {one.judgement.id for one in found.aside} == {"x3", "x500"}
    assert len(tried) < 30
    assert max(tried[1:]) <= 1002


def test_large_contradictions_are_told_in_few_words() -> None:
    """A long path is shown at its ends, and many points that are apart and together are told one by one."""
    chain = [{"id": f"j{i}", "groups": [[f"p{i:03}", f"p{i + 1:03}"]]} for i in range(200)]
    (long,) = cd.Judgements([*chain, {"id": "x", "groups": [["p000"], ["p200"]]}]).contradictions
    assert len(long.path) == 201
    assert " = p005 (j4) … 190 steps … = p196 (j195) = " in str(long)
    together, apart = [[f"p{i}" for i in range(40)]], [[f"p{i}"] for i in range(40)]
    said = cd.Judgements(
        [{"id": "t", "groups": together, "at": "1"}, {"id": "a", "groups": apart, "at": "2"}]
    )
    assert len(said.contradictions) == 39
    assert repr(said.settle()) == "<Settled: 1 stand, 1 set aside>"
    assert len(cd.Judgements([{"groups": together[:1]}, {"groups": apart[:5]}]).contradictions) == 10


def test_later_judgements_of_an_author_replace_pairs() -> None:
    """Against the rule pair by pair, on random judgements of two authors; and what is apart is counted as listed."""
    rng, replaced, plain = random.Random(11), 0, 0
    for _ in range(150):
        said: list[dict[str, Any]] = []
        for i in range(rng.randint(2, 5)):
            one = {"id": str(i), "by": rng.choice("xy"), "at": f"2026-01-{rng.randint(1, 9):02}"}
            shown = sorted(rng.sample("abcde", rng.randint(2, 4)))
            groups: dict[int, list[str]] = {}
            for point in shown:
                groups.setdefault(rng.randint(0, 1), []).append(point)
            said.append(
                one | ({"unsure": shown} if rng.random() < 0.2 else {"groups": list(groups.values())})
            )
        claims = []
        for one in said:
            inside = together(one.get("groups", []))
            points = one["unsure"] if "unsure" in one else [p for group in one["groups"] for p in group]
            claims += [
                (pair, None if "unsure" in one else pair in inside, one)
                for pair in pairs("".join(sorted(points)))
            ]
        kept = [
            (pair, same)
            for pair, same, one in claims
            if same is not None
            and not any(
                pair == other and same != new and one["by"] == late["by"] and late["at"] > one["at"]
                for other, new, late in claims
            )
        ]
        replaced += len(kept) < sum(same is not None for _, same, _ in claims)
        root = {point: point for point in "abcde"}
        for (p, q), _ in (fact for fact in kept if fact[1]):
            root = {point: root[p] if r == root[q] else r for point, r in root.items()}
        apart = {frozenset((root[p], root[q])) for (p, q), same in kept if not same}
        js = cd.Judgements(said)
        assert bool(js.contradictions) == any(len(pair) == 1 for pair in apart)
        if not js.contradictions:
            plain += 1
            assert {frozenset(root[p] for p in pair) for pair in js.facts.apart} == apart
            assert js.facts.pairs_apart == len(apart)
            assert together(js.facts.blocks) == {
                pair for pair in pairs("abcde") if root[pair[0]] == root[pair[1]]
            }
    assert replaced > 30
    assert plain > 30


def test_many_points_judged_again_take_no_pairs() -> None:
    """Judgements of 6,000 points each, said twice by one author: nothing is replaced, and no pair is looked at."""
    points = [str(i) for i in range(6_000)]
    for groups in ([points], [[point] for point in points]):
        said = [{"groups": groups, "by": "ann", "at": f"2026-01-0{day}"} for day in (1, 2)]
        js = cd.Judgements(said)
        assert js.facts.pairs_apart == (0 if len(groups) == 1 else 6_000 * 5_999 // 2)
        assert len(js.apply(dict.fromkeys(points, 0)).sizes) == len(groups)


def test_dates_decide_only_if_they_say_which_is_later() -> None:
    """By the moment, whatever the zone; dates that do not sort by time are refused where they would decide."""
    said = [{"id": "1", "groups": [["a", "b"]], "by": "x"}, {"id": "2", "groups": [["a"], ["b"]], "by": "x"}]

    def dated(*times: str) -> cd.Judgements:
        return cd.Judgements([one | {"at": at} for one, at in zip(said, times, strict=True)])

    assert dated("2026-11-02T09:30+02:00", "2026-11-02T08:00Z").facts.apart == [("a", "b")]
    assert dated("10", "9").facts.blocks == [("a", "b")]
    for odd in (("30.10.2026", "02.11.2026"), ("2026-11-02", "yesterday"), ("t9", "t10"), ("nan", "1")):
        with pytest.raises(cd.ClusterdiffError, match="which is later"):
            _ = dated(*odd).facts
        with pytest.raises(cd.ClusterdiffError, match="which is later"):
            dated(*odd).settle()
    assert len(cd.Judgements([one | {"at": "30.10.2026"} for one in said[:1]]).facts.blocks) == 1


def test_a_judgement_costs_what_applying_it_alone_changes() -> None:
    """Also with groups over several clusters, clusters without free points, and points that the run lacks."""
    pick = random.Random(5)
    for _ in range(150):
        run = {point: pick.randrange(4) for point in "abcdefgh"[: pick.randint(2, 8)]}
        named = [pick.sample([*run, "y", "z"], pick.randint(2, len(run))) for _ in range(3)]
        groups = [[g for g in (points[i::k] for i in range(k)) if g] for k, points in enumerate(named, 1)]
        for row in (
            cd.Judgements([{"id": str(i), "groups": g} for i, g in enumerate(groups)]).judge(run).table
        ):
            after = cd.Judgements([{"groups": groups[int(row.id)]}]).apply(run)
            assert row.cost == len(together(cd.Clustering(run)) ^ together(after))
