"""What groups of points do to components: by their cells, where they have all points of these, as by their points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.show.report import render
from clusterdiff.show.report.grouping import Grouped
from tests.report.test_report import data_of


def mixed(seed: int) -> cd.Comparison:
    """Clusters of a few points, of which every sixth is in a cluster of others, or all in few clusters."""
    random = np.random.default_rng(seed)
    true = random.integers(0, 12 if seed % 3 == 0 else 150, 600)
    return cd.compare(true, np.where(random.random(600) < 0.16, random.integers(0, 160, 600), true))


@pytest.mark.parametrize("seed", range(9))
def test_groups_of_whole_cells_are_told_as_by_their_points(seed: int) -> None:
    """Cell by cell, and in all that the page does not hold: of no component, of every third, of each."""
    diff = mixed(seed)
    groups = diff.patterns().groups
    assert groups
    for group in groups:
        assert group.cells is not None
        assert np.array_equal(np.sort(diff.meet.members_of(group.cells)[1]), group.at)
    by_cells = Grouped(diff, groups)
    by_points = Grouped(diff, [replace(group, cells=None) for group in groups])
    assert by_points.of_cell is None
    every = np.arange(len(diff.meet))
    assert by_cells.of_component(every, {}) == by_points.of_component(every, {})
    for whole in ([], list(range(0, len(diff.analysis.join), 3)), list(range(len(diff.analysis.join)))):
        one, other = (grouped.data([""] * len(groups), whole, True) for grouped in (by_cells, by_points))
        assert one == other
    assert by_cells.locks(every[::5], False) == by_points.locks(every[::5], False)


def test_groups_of_a_rule_share_cells() -> None:
    """A rule parts the points of a cell: nothing is said of whole cells then."""
    random = np.random.default_rng(0)
    true = np.arange(3_000) // 3
    marked = random.random(3_000) < 0.3
    pred = np.where(marked & (random.random(3_000) < 0.6), 1_000 + np.arange(3_000), true)
    found = cd.compare(true, pred).patterns(attributes={"marked": ["yes" if x else "no" for x in marked]})
    assert found.groups[0].kind == "rule"
    assert all(group.cells is None for group in found.groups)


def test_a_page_is_the_same_if_another_thread_computes_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the letter: the measures may be made while the rest is."""
    pages = []
    for many in (10**9, 0):
        monkeypatch.setattr("clusterdiff.show.report.MANY", many)
        monkeypatch.setenv("CLUSTERDIFF_THREADS", "2")
        pages.append(render(mixed(1)))
    assert pages[0] == pages[1]
    assert data_of(pages[0])["components"]
