"""What the page's script needs to try repairs out exactly, and to write the accepted ones as a patch."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import names_at
from clusterdiff.points.texts import digest, texts
from clusterdiff.show.report.values import value
from clusterdiff.wording import count

#: Ends of names, in a text of names with a zero byte after each, that are like those that parts of clusters get. Longer
#: numbers are not reached by counting.
NUMBERED = re.compile(r"\.([0-9]{1,15})\0")
NONE = np.empty(0, dtype=np.int64)


def patching(comparison: Comparison) -> dict[str, Any]:
    """Why a patch cannot be made (``refused``), and how new clusters are called.

    With ``numbers``, they are whole numbers from ``fresh`` on. Else they are called after their cluster, with a point
    and a number from ``fresh`` on; no cluster's name has such a number at its end.
    """
    names = comparison.meet.pred_names[~comparison.analysis.unclustered[1]]
    if names.dtype.kind in "iu":
        numbers, last = True, int(names.max()) if len(names) else -1
    else:
        listed = names.tolist()
        numbers = all(issubclass(found, int) and found is not bool for found in set(map(type, listed)))
        ends = [] if numbers else NUMBERED.findall("\0".join([*map(str, listed), ""]))
        last = max(listed, default=-1) if numbers else max([1, *map(int, ends)])
    refused = _refused(comparison)
    return {"numbers": numbers, "fresh": value(last + 1)} | ({"refused": refused} if refused else {})


def _refused(comparison: Comparison) -> str | None:
    policy = comparison.policy
    unclustered = int(comparison.analysis.unclustered[1].sum())
    left_out = policy.noise.points if policy.noise.drops else 0
    if isinstance(comparison, CorpusComparison):
        return "A patch is for one clustering, not for documents of mentions."
    if unclustered:
        are = "is" if unclustered == 1 else "are"
        return f"A patch splits and merges clusters, and {count(unclustered)} of this side {are} in none."
    if left_out:
        were = "was" if left_out == 1 else "were"
        return f"{count(left_out)} of this side {were} left out of the comparison, so a patch would not fit."
    if not comparison.source.known:
        return "A patch names points, and only the sizes of the clusters were compared."
    return None


def outside(comparison: Comparison, every: Any, cells: Any, true: Any, pred: Any) -> dict[str, Any]:
    """Of a component that is there in part: sums over the cells left out, so that gains stay exact.

    ``true`` has, for true clusters of which cells were left out, the score and its shares of the loss (to splits, to
    missing points). ``pred`` has, for predicted ones, how many cells were left out, their points, mass and own, and the
    sums of their contents, of m·s, of m times those two shares, and of m².
    """
    meet, scored = comparison.meet, comparison.analysis.scored
    split, missing = 1 - scored.split, np.zeros(meet.k_true)
    if scored.split_sides is not None:
        _, inner, kept = scored.split_sides
        split, missing = (1 - inner) * (1 + kept) / 2, (1 - kept) * (1 + inner) / 2
    rest = every[~np.isin(every, cells)]
    partly = np.intersect1d(true, meet.true[rest])
    scores = np.stack([scored.split, split, missing])[:, partly].T.tolist()
    rest = rest[np.isin(meet.pred[rest], pred)]
    mass, own, content = contents(meet, rest)
    whose = meet.true[rest]
    columns = [
        np.ones(len(rest)),
        meet.size[rest],
        mass,
        own,
        content,
        mass * scored.split[whose],
        mass * split[whose],
        mass * missing[whose],
        mass * mass,
    ]
    at = np.searchsorted(pred, meet.pred[rest])
    sums = np.stack([np.bincount(at, column, len(pred)) for column in columns], axis=1)
    return {
        "true": dict(zip(map(str, np.searchsorted(true, partly).tolist()), scores, strict=True)),
        "pred": {str(i): sums[i].tolist() for i in np.unique(at).tolist()},
    }


def contents(meet: Meet, cells: Any) -> tuple[Any, Any, Any]:
    """The mass of each cell, its own (the sum of w·log(w/unit)), and its content κ."""
    mass = meet.mass[cells].astype(np.float64)
    if meet.weights is None:
        return mass, np.zeros(len(cells)), x_log_x(mass)
    unit = float(meet.total) / meet.n
    content = np.where(meet.size[cells] > 1, meet.weights.entropy[cells], 0.0)
    return mass, x_log_x(mass / unit) * unit - meet.weights.entropy[cells], content


def more_names(comparison: Comparison, cells: Any, shown: Any, most: int) -> dict[str, list[Any]]:
    """The names of the points of cells of which only the first were ``shown``; of small cells first, up to ``most``."""
    left = comparison.meet.size[cells] - shown
    if not left.any():
        return {}
    order = np.argsort(left, kind="stable")
    order = order[(left[order] > 0) & (np.cumsum(left[order]) <= most)]
    indptr, members = comparison.meet.members_of(cells[order])
    parts = [
        members[begin + skipped : end]
        for begin, end, skipped in zip(
            indptr.tolist(), indptr[1:].tolist(), shown[order].tolist(), strict=False
        )
    ]
    names = iter(names_at(comparison.points, np.concatenate([members[:0], *parts])))
    return {
        str(k): [value(name) for name in islice(names, len(part))]
        for k, part in zip(order.tolist(), parts, strict=True)
    }


class ClusterNames:
    """What a patch calls clusters, and their parts, of which a page has not all points: [member, size, digest].

    A patch names a cluster by all of its points. ``most`` is how many names are given in all; those of clusters with
    points that were left out of the comparison are always given.
    """

    def __init__(self, comparison: Comparison, most: int) -> None:
        self._diff = comparison
        self._left = most
        self._refused = _refused(comparison) is not None

    def of(self, entry: dict[str, Any], cells: Any, pred: Any) -> dict[str, dict[str, list[Any]]]:
        """Of the cells and predicted clusters of a component, by their places in its lists.

        ``rest`` has what a predicted cluster has beyond these cells and the points that the other side lacks.
        """
        out: dict[str, dict[str, list[Any]]] = {"pred": {}, "cells": {}, "rest": {}}
        if self._refused or (self._left <= 0 and not self._dropped):
            return {}
        meet, source = self._diff.meet, self._diff.source
        here = np.bincount([point[0] for point in entry["points"]], minlength=len(cells))
        for cell, more in entry["names"].items():
            here[int(cell)] += len(more)
        lost = np.bincount([at for side, at, *_ in entry["lost"] if side == "pred"], minlength=len(pred))
        partly = np.flatnonzero(here < meet.size[cells])
        if entry["whole"] and not (len(partly) or len(meet.spurious) or self._dropped):
            return {}
        place = np.searchsorted(pred, meet.pred[cells])
        wanted = np.zeros(len(pred), dtype=bool)
        wanted[place[partly]] = True
        for at, code in enumerate(pred.tolist()):
            out_of = self._left_out(code)
            if self._left <= 0 and not out_of:
                continue
            own = np.asarray(self._diff.analysis.cells_of_pred(code), dtype=np.int64)
            outside = NONE if entry["whole"] else own[~np.isin(own, cells[place == at])]
            if len(outside) or out_of or wanted[at] or (meet.uneven and lost[at] < self._spurious[code]):
                rest = [*source.points_of(outside, NONE, NONE), *out_of]
                every = [*source.points_of(own, NONE, np.array([code])), *out_of]
                self._put(out["pred"], at, every, bool(out_of))
                if rest:
                    self._put(out["rest"], at, rest, bool(out_of))
        for at in partly.tolist() if self._left > 0 else []:
            self._put(out["cells"], at, source.points(cells[[at]]), False)
        return {kind: named for kind, named in out.items() if named}

    @cached_property
    def _spurious(self) -> Any:
        return self._diff.meet.spurious.count(self._diff.meet.k_pred)

    def _put(self, out: dict[str, list[Any]], at: int, points: list[Any], always: bool) -> None:
        if self._left <= 0 and not always:
            return
        self._left -= 1
        written = sorted(texts(points))
        out[str(at)] = [written[0], len(written), digest(written)]

    @cached_property
    def _dropped(self) -> dict[Any, list[Any]]:
        """The points of predicted clusters that the other side lacks, and that were therefore left out."""
        policy = self._diff.policy
        if policy.rule.keeps(False, True) or not policy.spurious_points:
            return {}
        true, pred, names = self._diff.source.original_labels()
        out: dict[Any, list[Any]] = {}
        for i in np.flatnonzero(~true.present & pred.present).tolist():
            out.setdefault(pred.names[pred.codes[i]], []).append(names[i])
        return out

    def _left_out(self, code: int) -> list[Any]:
        return self._dropped.get(self._diff.meet.pred_names[code], []) if self._dropped else []
