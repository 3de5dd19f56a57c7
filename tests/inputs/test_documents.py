"""Points within documents: values and names stay with their point, however often some of the points were chosen."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import clusterdiff as cd

#: Document, point, true cluster, predicted cluster, weight. Points repeat between documents, and in each document the
#: first is a singleton on both sides.
ROWS = [
    ("p", "lone", "t0", "p0", 9.0),
    ("q", "lone", "t0", "p0", 7.0),
    ("p", "a", "t1", "p1", 1.0),
    ("q", "a", "t1", "p2", 4.0),
    ("p", "b", "t1", "p1", 2.0),
    ("q", "b", "t1", "p1", 0.5),
    ("p", "c", "t1", "p2", 3.0),
    ("q", "c", "t2", "p1", 2.5),
    ("p", "d", "t2", "p2", 5.0),
    ("q", "d", "t2", "p2", 6.0),
]


def written(path: Path, rows: list[tuple[Any, ...]], cluster: int) -> Path:
    """The rows as a CSV file with one side's clusters."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["doc", "id", "cluster", "w"])
        table.writerows([(row[0], row[1], row[cluster], row[4]) for row in rows])
    return path


def expected(document: str, weighted: bool) -> float:
    """The score of a document without its singleton, from its points alone."""
    mine = [row for row in ROWS if row[0] == document and row[1] != "lone"]
    weights = [row[4] for row in mine] if weighted else None
    return cd.compare([row[2] for row in mine], [row[3] for row in mine], weights=weights).score()


@pytest.mark.parametrize("route", ["lists", "files", "files, shuffled", "columns"])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_stay_with_their_points_when_points_are_left_out_twice(
    tmp_path: Path, route: str, weighted: bool
) -> None:
    """Singletons are dropped from the whole, and then the points of each document are taken from what is left."""
    named: dict[str, Any] = {"singletons": "drop"}
    if route == "lists":
        documents, _, true, pred, weights = zip(*ROWS, strict=True)
        named |= {"documents": documents} | ({"weights": weights} if weighted else {})
        diff = cd.compare(true, pred, **named)
    else:
        named |= {"documents": "doc", "point": "id"} | ({"weights": "w"} if weighted else {})
        if route == "columns":
            frame = pd.DataFrame(ROWS, columns=["doc", "id", "t", "p", "w"])
            diff = cd.compare_columns(frame, true="t", pred="p", **named)
        else:
            rows = ROWS[::-1] if "shuffled" in route else ROWS
            diff = cd.compare(
                written(tmp_path / "t.csv", ROWS, 2), written(tmp_path / "p.csv", rows, 3), **named
            )
    got = {document: part.score() for document, part in diff.documents.items()}
    assert got == pytest.approx({document: expected(document, weighted) for document in "pq"})
    mass = {
        document: sum(row[4] for row in ROWS if row[0] == document and row[1] != "lone") for document in "pq"
    }
    of = mass if weighted else {"p": 4, "q": 4}
    assert diff.score() == pytest.approx(sum(of[d] * got[d] for d in "pq") / sum(of.values()))


@pytest.mark.parametrize("missing", ["drop", "singleton", "lost"])
def test_points_of_files_are_matched_within_their_document(tmp_path: Path, missing: Any) -> None:
    """The same points in several documents are different points, also where one side lacks one of them."""
    left = written(tmp_path / "t.csv", ROWS[:-1], 2)
    right = written(tmp_path / "p.csv", ROWS[1:][::-1], 3)
    got = cd.compare(left, right, point="id", documents="doc", missing=missing)
    sides = [
        cd.Corpus({d: {row[1]: row[i] for row in rows if row[0] == d} for d in "pq"})
        for i, rows in ((2, ROWS[:-1]), (3, ROWS[1:]))
    ]
    slow = cd.compare(*sides, missing=missing)
    names = ["S_H", "b3.f1", "ari"] if missing != "lost" else ["S_H", "b3.f1"]
    assert got.n == slow.n
    assert got.scores(names) == pytest.approx(slow.scores(names))
    for document in "pq":
        assert got.documents[document].score() == pytest.approx(slow.documents[document].score())
        assert set(got.documents[document].points) == set(slow.documents[document].points)


def test_one_side_may_have_no_points_at_all() -> None:
    """A response without a single mention found nothing."""
    key, response = cd.Corpus({"a": [["x", "y"]]}), cd.Corpus({"a": []})
    with pytest.warns(cd.ClusterdiffWarning):
        diff = cd.compare(key, response, missing="lost")
    assert diff.scores(["b3.recall", "mentions.recall"]) == {"b3.recall": 0.0, "mentions.recall": 0.0}
