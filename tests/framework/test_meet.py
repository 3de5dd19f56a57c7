"""The meet is a value: made whole, never changed, copied and pickled with all it knows, read by several threads."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.measures.coreference import LinkCounts, blanc, links
from clusterdiff.meet.cell_table import FEW
from clusterdiff.meet.parts import Overlap
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.labels import Labels
from tests.cases import cases
from tests.conftest import random_pair


def meets() -> dict[str, cd.Meet]:
    """Meets of every make."""
    true, pred = random_pair(60, 7, 0)
    names = np.array([f"c{label}" for label in true], dtype=object)
    place = np.random.default_rng(0).normal(size=(60, 2))
    distances = np.linalg.norm(place[:, None] - place[None], axis=2)
    whole = cd.compare(names, pred, weights=np.arange(60), features=place, distances=distances).meet
    left = dict(enumerate(true.tolist()))
    right = {point + 3: label for point, label in enumerate(pred.tolist())}
    from scipy import sparse

    return {
        "labels": cd.Meet.from_labels(true, pred),
        "unsigned": cd.Meet.from_labels(true.astype(np.uint64) + np.uint64(2**63), pred),
        "cells": cd.Meet.from_cells(["x", "x", "y"], [1, 2, 2], [10**12, 5, 7]),
        "whole": whole,
        "sparse": cd.compare(true, pred, features=sparse.csr_array(place)).meet,
        "transposed": whole.transpose(),
        "restricted": whole.restrict([0, 2]),
        "coarsened": whole.coarsen(np.arange(whole.k_pred) // 2),
        "uneven": cd.compare(left, right, missing="lost").meet,
        "uneven transposed": cd.compare(left, right, missing="lost").meet.transpose(),
        "dropped": cd.compare(left, right, missing="drop").meet,
    }


def scores(meet: cd.Meet) -> dict[str, Any]:
    """Every measure that the meet has, to the bit."""
    out = {}
    for name in (
        "S_H",
        "S_MSE",
        "S*(distance)",
        "S'",
        "rand",
        "A",
        "ami",
        "b3.f1",
        "conll",
        "blanc",
        "gmd",
        "vi",
    ):
        try:
            out[name] = cd.measures[name](meet).hex()
        except cd.MeasureError as error:
            out[name] = error.message
    return out


@cases("make", list(meets()))
def test_meets_pickle_and_copy_with_all_they_know(make: str) -> None:
    """Cells, names, weights, moments, links, features, overlap and points come through, and so do all scores."""
    meet = meets()[make]
    for other in (pickle.loads(pickle.dumps(meet)), copy.deepcopy(meet), copy.copy(meet)):
        assert scores(other) == scores(meet)
        assert other.to_dict() == meet.to_dict()
        assert other.true_names.dtype == meet.true_names.dtype
        assert other.known == meet.known
        assert other.uneven == meet.uneven
        assert other.knows_points == meet.knows_points
        if meet.knows_points:
            assert other.cell_of_point.tolist() == meet.cell_of_point.tolist()
            assert other.members(0).tolist() == meet.members(0).tolist()
        assert other.transpose().to_dict() == meet.transpose().to_dict()
        again = pickle.loads(pickle.dumps(other))
        assert again.to_dict() == meet.to_dict()


def test_the_transpose_of_the_transpose_is_the_meet() -> None:
    """Both ways, and with the order of the cells."""
    meet = meets()["whole"]
    other = meet.transpose()
    assert other.transpose() is meet
    assert meet.size[meet.transpose_order].tolist() == other.size.tolist()
    assert other.size[other.transpose_order].tolist() == meet.size.tolist()
    assert meet.transpose_order[other.cell_of_point].tolist() == meet.cell_of_point.tolist()


def test_meets_go_through_a_process_pool() -> None:
    """A worker scores what it was sent."""
    meet = meets()["whole"]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(cd.measures["S_MSE"], meet).result() == cd.measures["S_MSE"](meet)
        assert pool.submit(cd.measures["pairs.f(beta=2)"], meet).result() == cd.measures["pairs.f(beta=2)"](
            meet
        )


def test_threads_read_one_meet() -> None:
    """What is computed once is the same for all, whoever comes first."""
    for _ in range(5):
        meet = meets()["whole"]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _, meet=meet: scores(meet), range(16)))
        assert all(one == found[0] for one in found)


def test_what_is_kept_once_is_made_once_per_thread_at_most() -> None:
    """All readers get the same object."""
    meet = meets()["labels"]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: id(meet.once(_fresh)), range(64)))
    assert len(set(made)) == 1


def _fresh(meet: cd.Meet) -> list[int]:
    return [meet.n]


# ---- cells that users hand in


@cases(
    ("true", "pred", "size", "message"),
    [
        (["a", None], [0, 1], [1, 1], "`true` must name the cluster of each cell; cell 1 has a null"),
        (
            ["a", "b"],
            [float("nan"), 1.0],
            [1, 1],
            "`pred` must name the cluster of each cell; cell 0 has a null",
        ),
        ([0, 1], [0, 1], [2**62, 2**62], "add up to less than 2^63"),
        ([0, 1], [0, 1], [2**64, 1], "add up to less than 2^63"),
        ([0, 1], [0, 1], np.array([2**63, 1], dtype=np.uint64), "add up to less than 2^63"),
        ([0, 1], [0, 1], [1.5, 1], "one whole number per cell"),
        ([0, 1], [0, 1], ["x", 1], "one whole number per cell"),
        ([0, 1], [0, 1], [1], "one entry per cell"),
        ([0, 0], [1, 1], [1, 1], "more than one cell"),
        ([0, 1], [0, 1], [0, 1], "at least 1 for every cell"),
        ([], [], [], "there must be a cell"),
    ],
)
def test_cells_that_cannot_be(true: Any, pred: Any, size: Any, message: str) -> None:
    """A clear error, and never a cluster of nulls or a sum that wrapped round."""
    with pytest.raises(cd.ArgumentError) as caught:
        cd.Meet.from_cells(true, pred, size)
    assert message in caught.value.message


def test_sizes_up_to_the_limit_are_exact() -> None:
    """The largest number of points that can be."""
    assert cd.Meet.from_cells([0, 1], [0, 1], [2**62, 2**62 - 1]).n == 2**63 - 1
    assert cd.Meet.from_cells([0, 1], [0, 1], [2.0, 3.0]).n == 5


# ---- documents


corpora = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=9),
        st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=9),
    ),
    min_size=1,
    max_size=5,
)


def pooled(corpus: list[tuple[dict[int, int], dict[int, int]]]) -> Overlap:
    """All documents as one overlap: points, clusters and documents numbered."""
    rows = [
        (document, true.get(point), pred.get(point))
        for document, (true, pred) in enumerate(corpus)
        for point in sorted({*true, *pred})
    ]
    group = np.array([row[0] for row in rows], dtype=np.int64)
    sides = [
        np.array([-1 if row[side] is None else 10 * row[0] + row[side] for row in rows], dtype=np.int64)
        for side in (1, 2)
    ]
    codes = [np.where(side < 0, -1, np.searchsorted(np.unique(side[side >= 0]), side)) for side in sides]
    names = tuple(np.unique(side[side >= 0]) for side in sides)
    return uneven_of(*map(Labels.coded, codes, names), documents=group).overlap


@given(corpora.filter(lambda corpus: any(map(any, corpus))))
@settings(max_examples=60, deadline=None)
def test_links_of_a_corpus_are_those_of_its_documents(
    corpus: list[tuple[dict[int, int], dict[int, int]]],
) -> None:
    """Pairs of mentions in different documents are no links: the whole is the sum, and so is BLANC."""
    overlap = pooled(corpus)
    each = [links(overlap.restrict(document)) for document in range(len(corpus))]
    alone = [links(pooled([document])) for document in corpus if any(document)]
    for parts in (each, alone):
        summed = tuple(LinkCounts(*map(sum, zip(*kind, strict=True))) for kind in zip(*parts, strict=True))
        assert links(overlap) == summed
    together, apart = links(overlap)
    assert blanc((together, apart)) == blanc(tuple(summed))  # type: ignore[arg-type]
    back = links(overlap.transpose())
    assert [(one.right, one.pred, one.true) for one in back] == [tuple(one) for one in (together, apart)]


def test_pooled_blanc_is_the_measure_on_the_pooled_overlap() -> None:
    """What a corpus adds up document by document is the measure itself, given the documents."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        corpus = [
            tuple(
                {int(p): int(rng.integers(4)) for p in np.flatnonzero(rng.random(12) < 0.7)} for _ in range(2)
            )
            for _ in range(4)
        ]
        true, pred = ({f"d{i}": dict(pair[side]) for i, pair in enumerate(corpus)} for side in (0, 1))
        diff = cd.compare(cd.Corpus(true), cd.Corpus(pred))
        expected = blanc(links(pooled(corpus)))  # type: ignore[arg-type]
        for part in ("precision", "recall", "f1"):
            assert diff.score(f"blanc.{part}") == getattr(expected, part)


def test_an_even_meet_may_have_documents() -> None:
    """Where both sides have all points, sums stay sums, and BLANC knows the documents."""
    true, pred = np.array([0, 0, 1, 10, 10, 11]), np.array([0, 1, 1, 10, 11, 11])
    meet = cd.Meet.from_labels(true, pred).within(np.array([0, 0, 0, 1, 1, 1]))
    plain = cd.Meet.from_labels(true, pred)
    assert not meet.uneven
    assert cd.measures["b3.f1"](meet) == cd.measures["b3.f1"](plain)
    one = cd.Meet.from_labels(true[:3], pred[:3])
    assert cd.measures["blanc"](meet) == cd.measures["blanc"](one) != cd.measures["blanc"](plain)
    with pytest.raises(cd.ArgumentError, match="not divided into documents"):
        plain.overlap.restrict(0)


def test_points_of_many_cells_are_found_without_grouping_all() -> None:
    """In any order and more than once, as long as they are a small part of all points; then cells among them."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 30_000, (2, 60_000))
    meet = cd.compare(true, pred).meet
    wanted = rng.choice(len(meet), FEW + 500)
    wanted = np.append(wanted, wanted[:50])
    cell = meet.cell_of_point
    for cells in (wanted, wanted[:30], np.arange(len(meet))):
        indptr, members = meet.members_of(cells)
        assert np.array_equal(np.diff(indptr), meet.size[cells])
        assert np.array_equal(cell[members], np.repeat(cells, np.diff(indptr)))
        inside = np.repeat(np.arange(len(cells)), np.diff(indptr))
        assert (np.diff(members)[inside[1:] == inside[:-1]] > 0).all()
        assert ("grouped" in meet.__dict__) == (len(cells) == len(meet))
