"""Mentions on the page: the table that papers print, and the texts with their errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ClusterdiffError
from clusterdiff.points.corpus import InDocument, Mention
from clusterdiff.show.coreference import ROWS
from clusterdiff.show.pages import named, visible

#: Each row of the table has these.
PARTS = ("recall", "precision", "f1")
#: How many documents are listed, and how large the texts on the page are in all, in letters of JSON.
LISTED, TEXTS = 200, 300_000
#: What may have become of a mention, by whether it left its true entity and whether it came into another.
BECAME = {(False, False): "own", (True, False): "split", (False, True): "merge", (True, True): "mixed"}


class PaperRow(NamedTuple):
    """A line of the table: a name, and per cent."""

    name: str
    values: list[float | None]


class Papers:
    """Scores and texts of documents of mentions."""

    def __init__(self, comparison: CorpusComparison) -> None:
        self._diff = comparison

    @cached_property
    def table(self) -> list[PaperRow]:
        """The measures that papers give, in per cent, and CoNLL."""
        rows = [
            PaperRow(called, [self._score(f"{row}.{part}") for part in PARTS]) for row, called in ROWS.items()
        ]
        return [
            *(row for row in rows if any(value is not None for value in row.values)),
            PaperRow("CoNLL", [None, None, self._score("conll")]),
            PaperRow("S_H", [None, None, self._score("S_H")]),
        ]

    def _score(self, measure: str) -> float | None:
        try:
            value = self._diff.score(measure)
        except (ClusterdiffError, TypeError):
            return None
        return value if isfinite(value) else None

    # ---- texts

    @cached_property
    def documents(self) -> list[dict[str, Any]]:
        """The costliest documents for the page's script.

        Each has ``name``, ``mentions`` (how many), ``errors`` (how many of them) and ``share`` of the loss; those whose
        words are known, as far as there is room, also ``words``, ``starts`` (the words that start a sentence) and
        ``marks``: [first word, last word, what became of it, component, number of its true and of its predicted entity
        in the document or 0].
        """
        blame = Blame(self._diff.analysis).points(self._diff.source)
        left, came = blame.off_true > 0, blame.off_pred > 0
        became = np.array(
            [BECAME[pair] for pair in zip(left.tolist(), came.tolist(), strict=True)], dtype=object
        )
        became[blame.pred < 0], became[blame.true < 0] = "missing", "spurious"
        points = list(self._diff.points)
        documents = [point.document if isinstance(point, InDocument) else None for point in points]
        names, of = np.unique(np.array([str(name) for name in documents]), return_inverse=True)
        cost = np.bincount(of, sum(blame.lost), len(names))
        wrong = np.bincount(of, became != "own", len(names))
        whole = self._diff.loss.total
        out, room = [], TEXTS
        for place in np.argsort(-cost, kind="stable")[:LISTED].tolist():
            mine = np.flatnonzero(of == place)
            entry: dict[str, Any] = {
                "name": visible(documents[mine[0]], 80),
                "mentions": len(mine),
                "errors": int(wrong[place]),
                "share": float(cost[place] / whole) if whole else 0.0,
            }
            text = self._text(
                documents[mine[0]],
                [points[i] for i in mine],
                became[mine],
                blame.true[mine],
                blame.pred[mine],
            )
            size = len(json.dumps(text))
            if text and size <= room:
                entry |= text
                room -= size
            out.append(entry)
        return out

    def _text(self, document: Any, points: list[Any], became: Any, true: Any, pred: Any) -> dict[str, Any]:
        text = self._diff.texts.get(document)
        if text is None:
            return {}
        join = self._diff.analysis.join
        marks = []
        numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
        places = sorted(self._places(text, points))
        for first, last, i in places:
            t, p = int(true[i]), int(pred[i])
            component = int(join.of_true[t] if t >= 0 else join.of_pred[p])
            told = [
                0 if code < 0 else known.setdefault(code, len(known) + 1)
                for code, known in zip((t, p), numbers, strict=True)
            ]
            marks.append([first, last, became[i], component, *told])
        return {
            "words": [visible(word, 60) for word in text.words],
            "starts": list(text.starts),
            "marks": marks,
            "entities": [
                [named(side[code], 60) for code in known]
                for side, known in zip(
                    (self._diff.analysis.true, self._diff.analysis.pred), numbers, strict=True
                )
            ],
        }

    def _places(self, text: Any, points: list[Any]) -> Iterator[tuple[int, int, int]]:
        for i, point in enumerate(points):
            if isinstance(point.name, Mention):
                yield *text.place(point.name), i
