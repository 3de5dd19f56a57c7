"""Components with more parts and clusters than a sentence names: the largest are named, and the rest is counted."""

from __future__ import annotations

from collections import defaultdict

import pytest

import clusterdiff as cd

#: One cluster in six parts, the smallest first.
PARTS = [f"p{i}" for i, size in enumerate((1, 1, 2, 3, 4, 7)) for _ in range(size)]
NAMED = "p5 (7 points: 11, 12, 13, 14, 15 and 2 more), p4 (4 points: 7, 8, 9, 10), p3 (3 points: 4, 5, 6)"


def told(diff: cd.Comparison) -> list[str]:
    """The sentences about the only component."""
    (story,) = diff.explain().stories
    return story.sentences


def test_of_many_parts_of_a_split_the_largest_are_named() -> None:
    """Four of six, by size, with five of their points; the fifth of five is counted too."""
    assert told(cd.compare(["A"] * 18, PARTS)) == [
        f"true cluster A (18 points) was split into 6 parts: {NAMED}, p2 (2 points: 2, 3) and 2 more."
    ]
    five, four = (told(cd.compare(["A"] * (18 - left), PARTS[left:]))[0] for left in (1, 2))
    assert five.endswith("p2 (2 points: 1, 2) and 1 more.")
    assert four.endswith("p3 (3 points: 2, 3, 4) and p2 (2 points: 0, 1).")


def test_of_many_clusters_that_were_merged_the_largest_are_named() -> None:
    """The same the other way round."""
    assert told(cd.compare(PARTS, ["A"] * 18)) == [
        f"true clusters {NAMED}, p2 (2 points: 2, 3) and 2 more were merged into cluster A (18 points)."
    ]


def test_of_many_parts_among_others_the_largest_are_told() -> None:
    """Four of six with what became of them, and how many are smaller."""
    sentences = told(cd.compare([*"A" * 18, *"BB"], [*PARTS, "p5", "p0"]))
    assert sorted(sentences) == [
        "true cluster A (18 points) was split into 6 parts; the largest, 7 points (11, 12, 13, 14, 15 and 2 more), "
        "was merged with B in cluster p5; 4 points (7, 8, 9, 10) are cluster p4; 3 points (4, 5, 6) are cluster p3; "
        "2 points (2, 3) are cluster p2; 2 smaller parts went elsewhere.",
        "true cluster B (2 points) was split into 2 parts; the largest, 1 point (19), was merged with A in cluster "
        "p0; 1 point (18) was merged with A in cluster p5.",
    ]
    four = told(cd.compare([*"A" * 16, *"BB"], [*PARTS[2:], "p5", "p2"]))
    assert not any("smaller" in sentence for sentence in four)


@pytest.mark.parametrize(
    ("clusters", "more"), [(6, None), (7, "1 more true cluster"), (9, "3 more true clusters")]
)
def test_of_many_true_clusters_the_costliest_are_told(clusters: int, more: str | None) -> None:
    """Six, by what their points lost, and how many others took part."""
    true = [f"t{i}" for i in range(clusters) for _ in range(2 + i)]
    pred = [
        "all" if i and cluster != true[i - 1] else f"of {cluster}" if i else "all"
        for i, cluster in enumerate(true)
    ]
    diff = cd.compare(true, pred)
    cost: dict[str, float] = defaultdict(float)
    for row in diff.by_point:
        cost[row.true] += row.loss
    costliest = sorted(cost, key=cost.__getitem__, reverse=True)[:6]
    sentences = told(diff)
    assert [sentence.split()[2] for sentence in sentences[:6]] == costliest
    assert sentences[6:] == ([] if more is None else [f"{more} took part."])


def test_of_many_clusters_that_lack_points_those_that_lack_most_are_told() -> None:
    """Six, and the points of all others together."""
    true = {f"{i}.{k}": f"t{i}" for i in range(9) for k in range(i + 1)}
    pred = {f"{i}.0": "all" for i in range(9)}
    lacking = [sentence for sentence in told(cd.compare(true, pred, missing="lost")) if "found" in sentence]
    assert lacking == [
        "8 points of true cluster t8 were not found: 8.1, 8.2, 8.3, 8.4, 8.5 and 3 more.",
        "7 points of true cluster t7 were not found: 7.1, 7.2, 7.3, 7.4, 7.5 and 2 more.",
        "6 points of true cluster t6 were not found: 6.1, 6.2, 6.3, 6.4, 6.5 and 1 more.",
        "5 points of true cluster t5 were not found: 5.1, 5.2, 5.3, 5.4, 5.5.",
        "4 points of true cluster t4 were not found: 4.1, 4.2, 4.3, 4.4.",
        "3 points of true cluster t3 were not found: 3.1, 3.2, 3.3.",
        "3 points of other clusters were not found: 1.1, 2.1, 2.2.",
    ]


@pytest.mark.parametrize("measure", ["rand", "vi", "b3.f1"])
def test_half_of_the_loss_in_another_measure(measure: str) -> None:
    """The fewest of the costliest components that, set right together, gain half of what all would."""
    true = [i // 4 for i in range(40)]
    pred = [4 * (i // 4) + (i % 4 < i // 4 // 3) for i in range(40)]
    diff = cd.compare(true, pred)
    found = diff.explain(measure, top=100)
    order = [story.component for story in found.stories]

    def gained(number: int) -> float:
        right = {point for component in order[:number] for point in component.points}
        after = [f"right {true[i]}" if i in right else f"{pred[i]}" for i in range(40)]
        return abs(cd.compare(true, after).score(measure) - diff.score(measure))

    whole = gained(len(order))
    assert whole == pytest.approx(found.lost)
    assert gained(found.half) >= whole / 2 * (1 - 1e-12)
    assert gained(found.half - 1) < whole / 2
