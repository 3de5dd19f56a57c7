"""chance: how good is good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterdiff.diff.chance import Chance
from clusterdiff.diff.comparison import AnyMeasure
from clusterdiff.measures.models import Model
from clusterdiff.verbs.compare import compare


def chance(
    true: object,
    pred: object,
    measure: AnyMeasure = "S_H",
    *,
    model: Model = "permutation",
    draws: int | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Chance:
    """What a measure comes to for shuffled labels, and how the value for these two clusterings stands against that.

    Parameters
    ----------
    true, pred, options
        As for :func:`compare`. Weights are refused: what is permuted are labels of single points.
    measure, model, draws, seed, progress
        As for :meth:`Comparison.chance`.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> found = cd.chance([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])
    >>> round(found.mean, 4), found.exact, found.adjusted, found.p_text
    (0.2592, True, 1.0, 'p = 1/10 (exact)')
    """
    diff = compare(true, pred, **options)
    return diff.chance(measure, model=model, draws=draws, seed=seed, progress=progress)
