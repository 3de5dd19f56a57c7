"""Repairs that judgements decide are not listed, also where nothing runs a script."""

from __future__ import annotations

import random
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import clusterdiff as cd
from clusterdiff.show.report.decided import Decisions


def test_what_judgements_demand_or_forbid_is_decided() -> None:
    """Against the rule pair by pair: what an operation would flip, and what accepting it claims."""
    pick, seen = random.Random(2), {True: 0, False: 0}
    for _ in range(250):
        true, pred = ({point: pick.randrange(3) for point in "abcdefg"} for _ in range(2))
        diff, repairs = cd.compare(true, pred), cd.compare(true, pred).repairs()
        groups: list[dict[int, list[str]]] = [{} for _ in range(pick.randint(1, 3))]
        for one in groups:
            for point in pick.sample("abcdefgz", pick.randint(2, 8)):
                one.setdefault(pick.choice([true, pred]).get(point, 0), []).append(point)
        said = cd.Judgements([{"groups": [*one.values()]} for one in groups])
        if said.contradictions or not len(repairs):
            continue
        block = {p: found for found in said.facts.blocks for p in found}
        least = {p: block[p][0] if p in block else p for p in "abcdefg"}
        apart = {frozenset(pair) for pair in said.facts.apart}

        def together(p: str, q: str, least: Any = least) -> bool:
            return bool(least[p] == least[q])

        def separate(p: str, q: str, least: Any = least, apart: Any = apart) -> bool:
            return frozenset((least[p], least[q])) in apart

        decisions = Decisions(diff, said.facts)
        for repair in repairs:
            clusters = [[p for p in pred if pred[p] == name] for name in repair.clusters]
            mine = [[p for p in points if true[p] == repair.true[0]] for points in clusters]
            if repair.operation == "split":
                pairs = [*combinations(clusters[0], 2)]
                forbidden = any(together(p, q) and true[p] != true[q] for p, q in pairs)
                demanded = all(together(p, q) if true[p] == true[q] else separate(p, q) for p, q in pairs)
            elif repair.operation == "merge":
                crossing = [(p, q) for one, two in combinations(clusters, 2) for p, q in product(one, two)]
                forbidden = any(separate(p, q) for p, q in crossing)
                demanded = all(together(p, q) for p, q in combinations([*chain(*mine)], 2))
            else:
                left = [p for p in clusters[0] if p not in mine[0]]
                forbidden = any(together(p, q) for p, q in product(mine[0], left))
                forbidden |= any(separate(p, q) for p, q in product(mine[0], clusters[1]))
                one = [*chain(*mine)]
                cells = [[p for p in left if true[p] == name] for name in {true[p] for p in left}]
                demanded = all(together(p, q) for cell in [one, *cells] for p, q in combinations(cell, 2))
                demanded &= all(separate(p, q) for p, q in product(one, left))
            codes = [diff.meet.pred_names.tolist().index(name) for name in repair.clusters]
            at = diff.meet.true_names.tolist().index(repair.true[0])
            assert decisions.has(repair.operation, codes, at) == (forbidden or demanded)
            seen[forbidden or demanded] += 1
    assert min(seen.values()) > 50


def test_a_page_without_a_script_lists_what_is_open(tmp_path: Path) -> None:
    """An accepted and a rejected repair are gone from the list, and counted; the review is there all the same."""
    true, pred = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 2, 3, 4]
    diff = cd.compare(dict(zip("abcdefgh", true, strict=True)), dict(zip("abcdefgh", pred, strict=True)))
    said = cd.Judgements([{"groups": [["a", "b"], ["c", "d"]]}, {"groups": [["e"], ["f"]]}])
    for name, given, listed in (("plain", None, 3), ("some", said, 1)):
        diff.report(tmp_path / name, judgements=given)
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert page.count('class="op"') == listed
        assert ("2 operations decided by judgements are not listed." in page) == (given is said)
        assert 'id="as-judgements"' in page
