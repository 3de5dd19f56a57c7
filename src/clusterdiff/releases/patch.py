"""patch: what turns one clustering into another."""

from __future__ import annotations

from clusterdiff.diff.derivation import derivation
from clusterdiff.diff.patch import Patch
from clusterdiff.releases.overlay import lay, read_side


def patch(before: object, after: object) -> Patch:
    """What turns one clustering into another: points to remove, clusters to split and merge, points to add.

    The patch also fits a clustering that is numbered otherwise, in another order, or different elsewhere.

    Parameters
    ----------
    before, after
        Clusterings in any form that :func:`compare` takes; points may come and go.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> print(cd.patch({"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 2, "d": 2}))
    remove c
    split the cluster of a (2 points): off b
    add d to the cluster of b (1 point)
    """
    laid = lay([read_side(before, "before"), read_side(after, "after")], ["before", "after"])
    return derivation(laid.labels[0].codes, laid.labels[1].codes, laid.points)
