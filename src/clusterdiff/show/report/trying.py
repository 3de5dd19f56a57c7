"""What the page's script needs to try repairs out exactly, and to write the accepted ones as a patch."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.points.labels import Single
from clusterdiff.show.report.values import value
from clusterdiff.wording import count

#: A name that ends like one that a part of a cluster gets. Longer numbers are not reached by counting.
NUMBERED = re.compile(r"\.([0-9]{1,15})\Z")


def patching(comparison: Comparison) -> dict[str, Any]:
    """Why a patch cannot be made (``refused``), and how new clusters are called.

    With ``numbers``, they are whole numbers from ``fresh`` on. Else they are called after their cluster, with a point
    and a number from ``fresh`` on; no cluster's name has such a number at its end.
    """
    names = [name for name in comparison.analysis.pred if not isinstance(name, Single)]
    numbers = all(isinstance(name, int) and not isinstance(name, bool) for name in names)
    taken = (
        [max(names, default=-1)]
        if numbers
        else [1, *(int(found[1]) for name in names if (found := NUMBERED.search(str(name))))]
    )
    refused = _refused(comparison)
    return {"numbers": numbers, "fresh": value(max(taken) + 1)} | ({"refused": refused} if refused else {})


def _refused(comparison: Comparison) -> str | None:
    policy = comparison.policy
    unclustered = int(comparison.analysis.unclustered[1].sum())
    left_out = (0 if policy.rule.keeps(False, True) else policy.spurious_points) + (
        policy.noise.points if policy.noise.drops else 0
    )
    if isinstance(comparison, CorpusComparison):
        return "A patch is for one clustering, not for documents of mentions."
    if comparison.meet.uneven:
        return "A patch splits and merges clusters; it cannot add or remove the points that one side lacks."
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
    mass, own, content = contents(comparison, rest)
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


def contents(comparison: Comparison, cells: Any) -> tuple[Any, Any, Any]:
    """The mass of each cell, its own (the sum of w·log(w/unit)), and its content κ."""
    meet = comparison.meet
    mass = meet.mass[cells].astype(np.float64)
    if meet.weights is None:
        return mass, np.zeros(len(cells)), x_log_x(mass)
    unit = float(meet.total) / meet.n
    content = np.where(meet.size[cells] > 1, meet.weights.entropy[cells], 0.0)
    return mass, x_log_x(mass / unit) * unit - meet.weights.entropy[cells], content


def more_names(comparison: Comparison, cells: Any, shown: Any, most: int) -> dict[str, list[Any]]:
    """The names of the points of cells of which only the first were ``shown``; of small cells first, up to ``most``."""
    left = comparison.meet.size[cells] - shown
    order = np.argsort(left, kind="stable")
    order = order[(left[order] > 0) & (np.cumsum(left[order]) <= most)]
    return {
        str(k): [
            value(comparison.points[i]) for i in comparison.meet.members(int(cells[k]))[shown[k] :].tolist()
        ]
        for k in order.tolist()
    }
