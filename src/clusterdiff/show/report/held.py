"""What the page holds of a component, and where its cells and clusters stand in the component's lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.repairs import Repair
from clusterdiff.points.corpus import InDocument
from clusterdiff.show.pages import visible
from clusterdiff.show.report.values import value

NOTHING = np.empty(0, dtype=np.int64)


class Held(NamedTuple):
    """A component, and what the page holds of it: cells and clusters by number, ascending, and repairs by place."""

    component: Component
    every: Any
    cells: Any
    true: Any
    pred: Any
    repairs: dict[int, Repair]

    @property
    def whole(self) -> bool:
        """Whether all of its cells are held."""
        return len(self.cells) == len(self.every)


class Places:
    """Where cells and clusters stand in the lists of their component, which are sorted by number."""

    def __init__(self, comparison: Comparison, held: Held) -> None:
        self._analysis, self._held = comparison.analysis, held

    @cached_property
    def _of_true(self) -> dict[Any, int]:
        return {name: i for i, name in enumerate(self._analysis.called("true", self._held.true))}

    @cached_property
    def _of_pred(self) -> dict[Any, int]:
        return {name: i for i, name in enumerate(self._analysis.called("pred", self._held.pred))}

    def repair(self, repair: Repair) -> dict[str, Any] | None:
        """A repair by places; None if not all that it is about is there."""
        if not self._held.whole and not self._holds(repair):
            return None
        sentence = repair.describe()
        out: dict[str, Any] = {
            "operation": repair.operation,
            "sentence": sentence if len(sentence) <= 400 else sentence[:399] + "…",
            "gain": repair.gain,
            "component": repair.component,
            "affected": repair.affected,
            "clusters": [self._of_pred[name] for name in repair.clusters],
            "true": [self._of_true[name] for name in repair.true],
            "cells": [self._held.cells.searchsorted(part).tolist() for part in repair.cells],
            "into": [value(name) for name in repair.into],
        }
        where = {name.document for name in (*repair.true, *repair.clusters) if isinstance(name, InDocument)}
        if where:
            out["document"] = visible(where.pop())
        if repair.lost is not None:
            side, code = repair.lost
            clusters = self._held.true if side == "true" else self._held.pred
            out["lost"] = [side, int(np.searchsorted(clusters, code))]
        return out

    def _holds(self, repair: Repair) -> bool:
        return (
            all(name in self._of_pred for name in repair.clusters)
            and all(name in self._of_true for name in repair.true)
            and bool(np.isin(np.concatenate([NOTHING, *repair.cells]), self._held.cells).all())
        )


def cut(rows: list[Any], lengths: Iterable[int]) -> list[list[Any]]:
    """A list in pieces.

    >>> cut([1, 2, 3], [2, 0, 1])
    [[1, 2], [], [3]]
    """
    rest = iter(rows)
    return [list(islice(rest, length)) for length in lengths]


def places(lists: Sequence[Any], numbers: Any, mine: Any) -> Any:
    """Where each of some numbers stands in its list, of which it is said which one it is; lists ascend.

    >>> places([np.array([2, 5]), np.array([1, 2])], np.array([5, 2, 1]), np.array([0, 1, 1])).tolist()
    [1, 1, 0]
    """
    lengths = [len(part) for part in lists]
    whose = np.repeat(np.arange(len(lists)), lengths)
    found = np.searchsorted(whose << 32 | np.concatenate(lists), mine << 32 | numbers)
    return found - (np.cumsum(lengths) - lengths)[mine]
