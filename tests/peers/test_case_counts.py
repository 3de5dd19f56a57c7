"""Cases and the Talburt–Wang index as goldenmatch prints them, and the index as lsh-hdc documents it."""

from __future__ import annotations

import pytest

import clusterdiff as cd

#: (old, new), the index, and the case of each old cluster: goldenmatch.core.compare_clusters(old, new).
COMPARED = [
    (
        ([1, 1, 1, 2, 2, 2, 2, 3, 3, 4], [43, 56, 56, 5, 36, 36, 36, 74, 74, 66]),
        0.8164965809277259,  # lsh-hdc: 0.816
        {1: "partitioned", 2: "partitioned", 3: "unchanged", 4: "unchanged"},
    ),
    (
        (
            [1, 1, 1, 1, 1, 1, 2, 3, 2, 2, 3, 3, 3, 3, 4, 3, *[4] * 9],
            [0, 0, *[1] * 4, 2, 2, *[3] * 4, 4, 4, 4, *[5] * 10],
        ),
        0.4898979485566356,  # lsh-hdc: 0.49, the example of Talburt et al. (2007)
        {1: "partitioned", 2: "overlapping", 3: "overlapping", 4: "overlapping"},
    ),
    (
        ([0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5], [0, 0, 1, 2, 2, 3, 3, 3, 4, 5, 5]),
        0.75,
        {0: "partitioned", 1: "unchanged", 2: "merged", 3: "merged", 4: "overlapping", 5: "merged"},
    ),
]


@pytest.mark.parametrize(("sides", "index", "cases"), COMPARED)
def test_cases_and_index_are_those_that_the_field_prints(
    sides: tuple[list[int], list[int]], index: float, cases: dict[int, str]
) -> None:
    """Over the points that both releases have; the index is over these, too."""
    old, new = (dict(enumerate(side)) for side in sides)
    for more, come in (({}, {}), ({-1: 99}, {-2: 98})):
        diff = cd.compare({**old, **more}, {**new, **come}, missing="drop")
        assert diff.score("talburt_wang") == pytest.approx(index, abs=1e-12)
        assert {row.old: row.case for row in diff.cases} == {**cases, **dict.fromkeys(more.values())}
