"""clusterdiff and er-evaluation give the same numbers for Series whose indexes name records that one of them lacks.

er-evaluation compares the records that both have, as missing="drop" does, and says of each record how many of its
predicted cluster are extra and how many of its true one are missing.
"""

from __future__ import annotations

import pandas as pd
import pytest

import clusterdiff as cd

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
@pytest.mark.parametrize("name", METRICS)
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
