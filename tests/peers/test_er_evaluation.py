"""clusterdiff and er-evaluation give the same numbers for Series whose indexes name records that one of them lacks.

er-evaluation compares the records that both have, as missing="drop" does, and says of each record how many of its
predicted cluster are extra and how many of its true one are missing.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.judgements.resolved import estimated, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import lay_sample
from tests.cases import cases

TRUTH = pd.Series({"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": 4, "lost": 4})
FOUND = pd.Series({"new": 9, "g": 7, "f": 7, "e": 6, "d": 6, "c": 6, "b": 5, "a": 5, "other": 5})

#: As ER-Evaluation 2.3.0 prints them: {f.__name__: f(FOUND, TRUTH) for f in (ee.pairwise_precision, …)}
METRICS = {
    "pairs.precision": 0.4,
    "pairs.recall": 0.5,
    "pairs.f1": 0.4444444444444445,
    "clusters.precision": 0.0,
    "clusters.recall": 0.0,
    "clusters.f1": 0.0,
    "completeness": 0.7471790950662619,
    "homogeneity": 0.6313068075421491,
    "v_measure": 0.684372975125753,
    "R": 0.7619047619047619,
    "ari": 0.2953020134228188,
}
#: ee.record_error_table(FOUND, TRUTH): prediction, reference, the sizes of their clusters, extra, missing.
RECORDS = [
    (7, 4, 2, 1, 1, 0),
    (7, 3, 2, 1, 1, 0),
    (6, 2, 3, 2, 1, 0),
    (6, 2, 3, 2, 1, 0),
    (6, 1, 3, 3, 2, 2),
    (5, 1, 3, 3, 1, 1),
    (5, 1, 3, 3, 1, 1),
]


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@cases("name", METRICS)
def test_the_metrics_that_agree(name: str) -> None:
    """B-cubed does not: er-evaluation's is a mean over clusters."""
    assert cd.compare(TRUTH, FOUND, missing="drop").score(name) == pytest.approx(METRICS[name], abs=1e-12)


def test_the_table_of_records() -> None:
    """Extra and missing are what the whole clusters have beyond the cell; the truth is that of the records found."""
    diff = cd.compare(TRUTH[TRUTH.index.isin(FOUND.index)], FOUND, missing="lost")
    shared = {(row.true, row.pred): row.size for row in diff.cells}
    true, pred = ({row.cluster: row.size for row in table} for table in (diff.splits, diff.merges))
    rows = []
    for row in diff.by_point:
        if row.true is not None:
            cell = shared[row.true, row.pred]
            a, b = true[row.true], pred[row.pred]
            rows.append((row.pred, row.true, b, a, b - cell, a - cell))
    assert sorted(rows) == sorted(RECORDS)


RUN = ["ab", "cdex", "fgh", "i", "jky", "lmnz", "o", "pqrs", "t"]
DRAWN = ["abc", "de", "fghi", "jk", "lmnop", "t"]
#: As ER-Evaluation 2.3.0 prints them, estimate and standard deviation, for weights="uniform" and "cluster_size":
#: pairwise_precision_estimator(prediction, sample, weights), …
ESTIMATES = {
    ("clusters", "pairs.precision"): (0.5430503380916604, 0.10453810446837611),
    ("clusters", "pairs.recall"): (0.401360544217687, 0.08364857768130284),
    ("clusters", "pairs.f1"): (0.46866773333333334, 0.07375288468934627),
    ("clusters", "clusters.precision"): (0.1241106361806545, 0.17164965342355792),
    ("clusters", "clusters.recall"): (0.16666666666666666, 0.16666666666666666),
    ("clusters", "clusters.f1"): (0.14535428716893486, 0.16940788790061956),
    ("points", "pairs.precision"): (0.49885451310285134, 0.09569429281884664),
    ("points", "pairs.recall"): (0.463175557225144, 0.10846048748020494),
    ("points", "pairs.f1"): (0.4929156352936804, 0.06609783392570744),
    ("points", "clusters.precision"): (0.42592592592592593, 0.42592592592592593),
    ("points", "clusters.recall"): (0.41881427721487, 0.2790306809387661),
    ("points", "clusters.f1"): (0.43113975192514964, 0.3416930085012889),
}


@cases(("design", "name"), ESTIMATES)
def test_estimates_that_are_corrected_for_bias(design: Any, name: str) -> None:
    """Its estimate is ours after the correction; its standard error is ours by linearisation."""
    value, error = ESTIMATES[design, name]
    run, drawn = list(map(list, RUN)), list(map(list, DRAWN))
    one = cd.estimate(drawn, run, [name], design=design)[name]
    assert one.adjusted == pytest.approx(value, abs=1e-12)
    laid = lay_sample(drawn, Indexed(run), "error")
    found, _ = estimated(laid, weigh(laid, design, None, None), name)
    assert found.linear == pytest.approx(error, abs=1e-12)
