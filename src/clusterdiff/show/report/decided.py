"""Which repairs judgements have decided: what they demand was accepted, and what they forbid is not proposed again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.comparison import Comparison
from clusterdiff.judgements.facts import Facts
from clusterdiff.points.labels import Int64Array
from clusterdiff.points.texts import texts


class Decisions:
    """What facts say of operations on the predicted clusters of a comparison, as `claims.js` finds it on the page."""

    def __init__(self, comparison: Comparison, facts: Facts) -> None:
        self._analysis, self._meet = comparison.analysis, comparison.meet
        codes, first, _ = _core.encode_lists([facts.names, texts(comparison.source.names)])
        block = np.full(len(first), -1)
        block[codes[: len(facts.names)]] = facts.block
        of_point, cell = block[codes[len(facts.names) :]], self._meet.cell_of_point
        judged = np.flatnonzero((of_point >= 0) & (cell >= 0))
        rows = np.unique(cell[judged].astype(np.int64) * len(facts.least) + of_point[judged])
        #: The cells with judged points, and the blocks that these are in; which cells lie in one block as a whole.
        self._cell, self._block = np.divmod(rows, len(facts.least))
        cells = len(self._meet)
        self._whole = (np.bincount(cell[judged], minlength=cells) == self._meet.size) & (
            np.bincount(self._cell, minlength=cells) == 1
        )
        self._scopes: dict[int, set[int]] = {}
        for held, scope in zip(facts.block[facts.member].tolist(), facts.scope.tolist(), strict=True):
            self._scopes.setdefault(held, set()).add(scope)

    def has(self, operation: str, clusters: Sequence[int], true: int) -> bool:
        """Whether they demand or forbid an operation on predicted clusters that is about a true one."""
        if operation not in ("split", "merge", "move"):  # lost points are not judged
            return False
        cells = [np.asarray(self._analysis.cells_of_pred(cluster), dtype=np.int64) for cluster in clusters]
        if not np.isin(self._cell, np.concatenate(cells)).any():
            return False
        mine = [part[self._meet.true[part] == true] for part in cells]
        if operation == "split":
            held = self._blocks(cells[0])
            return len(np.unique(held)) < len(held) or self._say(
                [cells[0][[i]] for i in range(len(cells[0]))]
            )
        if operation == "merge":
            return self._are_apart(cells) or self._say([np.concatenate(mine)])
        left = cells[0][self._meet.true[cells[0]] != true]
        together = np.concatenate(mine)
        claims = [[together, left[[i]]] for i in range(len(left))] or [[together]]
        return (
            bool(np.isin(self._blocks(mine[0]), self._blocks(left)).any())
            or self._are_apart([mine[0], cells[1]])
            or all(map(self._say, claims))
        )

    def _blocks(self, cells: Int64Array) -> Int64Array:
        """The blocks with points in some cells, as often as there are such cells."""
        return self._block[np.isin(self._cell, cells)]

    def _say(self, groups: Sequence[Int64Array]) -> bool:
        """Whether they put the points of each group together, and set different groups apart."""
        if not all(self._whole[cells].all() for cells in groups):
            return False
        blocks = [set(self._blocks(cells).tolist()) for cells in groups]
        return all(len(held) == 1 for held in blocks) and all(
            self._are_apart([one, two]) for i, one in enumerate(groups) for two in groups[i + 1 :]
        )

    def _are_apart(self, sides: Sequence[Int64Array]) -> bool:
        """Whether they set points of two sides apart."""
        before: dict[int, set[int]] = {}
        for cells in sides:
            here: dict[int, set[int]] = {}
            for block in np.unique(self._blocks(cells)).tolist():
                for scope in self._scopes.get(block, ()):
                    others = before.get(scope, set())
                    if len(others) > (block in others):
                        return True
                    here.setdefault(scope, set()).add(block)
            for scope, blocks in here.items():
                before.setdefault(scope, set()).update(blocks)
        return False
