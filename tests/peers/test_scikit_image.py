"""clusterdiff and scikit-image give the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from skimage import metrics as peer

import clusterdiff as cd
from tests.peers.cases import random_pairs


def test_random_segmentations() -> None:
    """Variation of information by splits and merges, and the adapted Rand error, on hundreds of random pairs."""
    compared = 0
    for true, pred in random_pairs(250, seed=5):
        diff = cd.compare(true, pred)
        split, merge = peer.variation_of_information(true, pred)
        assert diff.score("vi.split(base=2)") == pytest.approx(split, abs=1e-10)
        assert diff.score("vi.merge(base=2)") == pytest.approx(merge, abs=1e-10)
        if (
            not diff.meet.n == diff.meet.k_true == diff.meet.k_pred
            and diff.meet.pairs.true
            and diff.meet.pairs.pred
        ):
            compared += 1
            error, recall, precision = peer.adapted_rand_error(true, pred, ignore_labels=())
            assert diff.score("adapted_rand_error") == pytest.approx(error, abs=1e-10)
            # It returns them in the other order than it says: see docs/differences.md.
            assert diff.score("pairs.precision") == pytest.approx(precision, abs=1e-10)
            assert diff.score("pairs.recall") == pytest.approx(recall, abs=1e-10)
    assert compared > 225


def test_label_images_and_ignored_labels() -> None:
    """Label images are raveled; ignoring the true background is dropping its pixels."""
    rng = np.random.default_rng(0)
    true = np.kron(rng.integers(0, 4, (8, 8)), np.ones((4, 4), dtype=int))
    pred = np.where(rng.random(true.shape) < 0.1, rng.integers(0, 5, true.shape), true)
    error, *_ = peer.adapted_rand_error(true, pred, ignore_labels=(0,))
    seen = true > 0
    assert cd.score(true[seen], pred[seen], "adapted_rand_error") == pytest.approx(error, abs=1e-12)
    split, merge = peer.variation_of_information(true, pred)
    diff = cd.compare(true.ravel(), pred.ravel())
    assert diff.score("vi(base=2)") == pytest.approx(split + merge, abs=1e-12)
