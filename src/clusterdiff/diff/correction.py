"""What turns the prediction of a comparison into its truth, with what its policy says of points that one side lacks."""

from __future__ import annotations

import numpy as np

from clusterdiff.diff.patch import Patch
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, PatchError, listed
from clusterdiff.messages import Message
from clusterdiff.points.clustering import named_twice
from clusterdiff.points.labels import Int64Array
from clusterdiff.points.policy import Policy
from clusterdiff.wording import count


def correction(source: PointSource, policy: Policy) -> Patch:
    """See :meth:`Comparison.patch`."""
    from clusterdiff.diff.derivation import derivation

    noisy = policy.noise.pred_points if policy.noise.separates else 0
    if noisy:
        raise ArgumentError(
            Message(
                "a patch splits and merges clusters of `pred`, where noise is in none: {points}.",
                points=count(noisy),
            ),
            Message('pass `noise_as="cluster"` or `noise_as="drop"`.'),
        )
    true, pred, names = source.original_labels()
    twice = named_twice(names, "true")
    if len(twice):
        raise PatchError(
            f"a patch names points, and {count(len(twice), 'name')} repeated: {listed(twice[:5], len(twice))}.",
            Message("give each point an index of its own, or pass `.to_numpy()` of both sides."),
        )
    before, after = pred.codes.astype(np.int64), true.codes.astype(np.int64)
    if policy.rule.separates:
        singletons = np.flatnonzero((before >= 0) & (after < 0))
        after[singletons] = int(after.max(initial=-1)) + 1 + np.arange(len(singletons))
    elif not (policy.rule.refuses or policy.rule.keeps(False, True)):
        before, after = _shared_alone(before, after)
    return derivation(before, after, names)


def _shared_alone(before: Int64Array, after: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The same where points of one side are left alone: they stay with the largest part of their cluster."""
    shared, rest = np.flatnonzero((before >= 0) & (after >= 0)), np.flatnonzero((before >= 0) & (after < 0))
    out, k = after.copy(), int(after.max(initial=-1)) + 1
    out[before < 0] = -1
    keys, sizes = np.unique(before[shared] * k + after[shared], return_counts=True)
    stays = np.full(int(before.max(initial=-1)) + 1, -1)
    order = np.argsort(-sizes, kind="stable")[::-1]  # the last one that is written is the largest
    stays[keys[order] // max(k, 1)] = keys[order] % max(k, 1)
    none = np.flatnonzero(stays < 0)
    stays[none] = k + none
    out[rest] = stays[before[rest]]
    return before, out
