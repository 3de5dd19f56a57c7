"""The true clusters of the points of a tree: which point is which, and what becomes of points that one side lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clusterdiff.decide.trees import Int32Array, Tree
from clusterdiff.errors import ArgumentError, LabelError, listed
from clusterdiff.inputs.base import Input
from clusterdiff.inputs.choice import CORPORA, recognise
from clusterdiff.messages import Message, joined
from clusterdiff.points.alignment import Alignment, apply_policy, match_points
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import AnyArray, Int64Array, Labels, LazyNames, kind
from clusterdiff.points.libraries import own_noise
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import Noise, NoiseAs, NoiseLabels
from clusterdiff.points.policy import Policy
from clusterdiff.wording import count


def read_side(data: Any, argument: str) -> tuple[Input, Clustering]:
    """A clustering from whatever :func:`clusterdiff.compare` takes, but for documents; and the input that it was."""
    side = recognise(data, argument)
    if isinstance(side, CORPORA):
        raise _documents(argument)
    return side, side.clustering()


def _documents(argument: str) -> ArgumentError:
    return ArgumentError.about(
        argument,
        "holds documents of mentions, and a tree or a list of pairs has none.",
        ["take one document of the corpus", Message("score each prediction with `compare()`")],
    )


@dataclass(frozen=True)
class Leaves:
    """What a tree is about: its points, as they were named, in which argument; whether others are singletons in it."""

    tree: Tree
    points: Points | None
    argument: str
    untyped: bool = False
    others_singleton: bool = False

    @property
    def side(self) -> Clustering:
        """The points as a clustering that puts each into a cluster of its own, called by its number."""
        return Clustering.of(Labels(np.arange(self.tree.points)), self.points)


@dataclass(frozen=True, eq=False)
class LabelledTree:
    """A tree over points whose true clusters are known: by number, and what they are called.

    ``leaf`` is what each point was numbered in the tree as it was given.
    """

    tree: Tree
    leaf: Int64Array
    codes: Int32Array
    names: AnyArray
    points: Sequence[Any]
    named: bool
    policy: Policy

    @property
    def true(self) -> Clustering:
        """The true clustering."""
        return self.clustering(Labels(self.codes, self.names))

    def clustering(self, labels: Labels) -> Clustering:
        """Another clustering of the same points."""
        return Clustering.of(labels, self.points if self.named else None)


def lay(
    true: Any, leaves: Leaves, missing: Missing, noise: NoiseLabels | None, noise_as: NoiseAs
) -> LabelledTree:
    """Lay a tree over the true clusters of its points."""
    told = Noise.told(true=noise, treated=noise_as, own=(own_noise(true), None))
    policy = Policy(missing, told)
    if policy.rule.loses:
        raise ArgumentError(
            Message(
                '`missing="{missing}"` has no meaning for a sweep, whose sums are over points that both sides have.',
                missing=missing,
            ),
            Message('pass `missing="drop"` or `missing="singleton"`.'),
        )
    side, clustering = read_side(true, "true")
    if clustering.points is not None and leaves.points is None:
        raise ArgumentError(
            Message(
                "`true` names its points, and the leaves of `{argument}` have no names.",
                argument=leaves.argument,
            ),
            Message("pass `points=[…]`, the name of each leaf in order."),
        )
    try:
        left, right = _spelt(clustering, side.untyped, leaves)
        # Which points a side lacks is distinguished from what becomes of them, which differs between trees and pairs.
        aligned = apply_policy(match_points(left, right), replace(policy, missing="lost"))
    except LabelError as error:
        raise LabelError(error.message.renamed({"pred": leaves.argument}), error.ways) from None
    return _labelled(aligned, leaves, policy)


def _spelt(true: Clustering, untyped: bool, leaves: Leaves) -> tuple[Clustering, Clustering]:
    """Both sides; where one comes from a file that knows only text, the other's integers are matched as text."""
    left, right = true, leaves.side
    if left.points is None or right.points is None or not len(left) or not len(right):
        return left, right
    kinds = kind(left.points[0]), kind(right.points[0])
    if kinds == ("int", "str") and leaves.untyped:
        left = Clustering.of(left.labels, list(map(str, left.points)), left.ordered)
    elif kinds == ("str", "int") and untyped:
        right = Clustering.of(right.labels, list(map(str, right.points)))
    return left, right


def _labelled(aligned: Alignment, leaves: Leaves, policy: Policy) -> LabelledTree:
    """What becomes of points that have no true cluster, or that the tree does not have."""
    true, outside = aligned.true, ~aligned.pred.present
    leaf = _numbers(aligned.pred)
    if true.absent is None and len(leaf) == leaves.tree.points and bool((leaf[1:] > leaf[:-1]).all()):
        counted = policy.counted(len(aligned), 0, 0, aligned.policy.noise)
        return LabelledTree(
            leaves.tree, leaf, true.codes, true.names, aligned.order.names, aligned.named, counted
        )
    known = true.present
    in_tree = ~outside | leaves.others_singleton
    rule = policy.rule
    if rule.refuses and not (known & in_tree).all():
        raise _refused(aligned, leaves, ~known, outside)
    missing = int(outside.sum()) if not leaves.others_singleton else 0
    policy = policy.counted(len(aligned), missing, int((~known).sum()), aligned.policy.noise)
    kept = rule.compared(known, in_tree)
    keep = np.ones(len(aligned), dtype=bool) if kept is None else kept
    if not keep.any():
        raise LabelError(
            Message('no point is left: `missing="drop"` left out all {points:,}.', points=len(keep))
        )
    names: Sequence[Any] = aligned.order.names
    if rule.separates and not known.all():
        true = true.apart(~known, names)
    # Points that the tree does not have come after those that it has.
    leaf[outside] = leaves.tree.points + np.arange(int(outside.sum()))
    tree = leaves.tree.with_points(int(outside.sum()))
    there = np.zeros(tree.points, dtype=bool)
    there[leaf[keep]] = True
    order = np.flatnonzero(keep)[np.argsort(leaf[keep], kind="stable")]
    identity = len(order) == len(aligned) and bool((np.diff(leaf) > 0).all())
    labels = true if identity else true.take(order)
    codes, cluster_names = labels.codes, labels.names
    points = names if identity else LazyNames(len(order), lambda: [names[i] for i in order.tolist()])
    return LabelledTree(
        tree.pruned(there), leaf[order], codes, cluster_names, points, aligned.named or not identity, policy
    )


def _numbers(leaves: Labels) -> Int64Array:
    """The number of each point among the leaves, by which its cluster is called; -1 where it is none of them."""
    if leaves.absent is None:
        return leaves.values.astype(np.int64)
    numbers = leaves.codes.astype(np.int64)
    numbers[~leaves.absent] = np.asarray(leaves.names)[numbers[~leaves.absent]]
    return numbers


def _refused(aligned: Alignment, leaves: Leaves, unknown: Any, outside: Any) -> LabelError:
    parts = []
    for mask, what in (
        (unknown, "`true` has no cluster for {points} of `{leaves}`: {names}."),
        (
            outside if not leaves.others_singleton else np.zeros_like(outside),
            "`{leaves}` lacks {points} of `true`: {names}.",
        ),
    ):
        at = np.flatnonzero(mask)
        if at.size:
            names = listed([aligned.order.names[i] for i in at[:5].tolist()], at.size)
            parts.append(Message(what, leaves=leaves.argument, points=count(at.size), names=names))
    return LabelError(
        joined(parts),
        Message(
            'pass `missing="drop"` to leave them out, or `missing="singleton"` to give each a cluster of its own.'
        ),
    )
