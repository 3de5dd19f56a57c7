"""The derivation of a clustering from another as a patch: what to remove, split, merge and add."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.patch import SEPARATOR, Patch, WrittenOperations
from clusterdiff.points.alignment import match_points
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray, mixed
from clusterdiff.points.texts import refuse_ambiguous, texts


def derive(before: Clustering, after: Clustering) -> Patch:
    """The patch that turns one clustering into another; points may come and go."""
    aligned = match_points(before, after, empty=True)
    return derivation(aligned.true.codes, aligned.pred.codes, aligned.order.names)


def derivation(before: IntArray, after: IntArray, points: Points) -> Patch:
    """The same for codes over points that either has; -1 for those that one of them lacks.

    Only points that come or go are looked at, and those of clusters that are split, merged or added to.
    """
    refuse_ambiguous(points)
    at = np.flatnonzero(_touched(before, after))
    old, new = before[at].astype(np.int64), after[at].astype(np.int64)
    shared, come = np.flatnonzero((old >= 0) & (new >= 0)), np.flatnonzero(old < 0)
    k = int(new.max(initial=-1)) + 1
    cell, first = _core.encode_integers(old[shared] * k + new[shared])
    indptr, members = _core.group_members(cell, len(first))
    mine, yours = old[shared[first]], new[shared[first]]  # the clusters of each cell
    added, newest = _core.encode_integers(new[come])
    starts, arrivals = _core.group_members(added, len(newest))
    addition = np.full(k, -1)  # to each new cluster
    addition[new[come[newest]]] = np.arange(len(newest))
    joined = np.flatnonzero(np.bincount(yours, minlength=1)[yours] > 1)
    merges = _by(yours, joined)
    grown = np.flatnonzero(addition[yours] >= 0)
    targets = _core.group_members(addition[yours[grown]], len(newest))
    gone = np.flatnonzero(new < 0)
    edits: dict[str, Any] = {
        "removed": (np.array([0, len(gone)]), gone),
        "cells": (indptr, shared[members]),
        "splits": _by(mine, np.flatnonzero(np.bincount(mine, minlength=1)[mine] > 1)),
        "merges": merges,
        "merge_adds": addition[yours[merges[1][merges[0][:-1]]]],
        "adds": (starts, come[arrivals]),
        "targets": (targets.indptr, grown[targets.members]),
    }
    written: Any = at if isinstance(points, range) else texts(points[i] for i in at.tolist())
    try:
        found = _core.write_patch(written, separator=SEPARATOR, **edits)
    except UnicodeEncodeError:  # single surrogates, which UTF-8 lacks
        encoded = [word.encode("utf-8", "surrogatepass") for word in written]
        found = _core.write_patch(encoded, separator=SEPARATOR, **edits)
    return Patch(WrittenOperations(*found))


def _touched(before: IntArray, after: IntArray) -> BoolArray:
    """Which points come or go, or are in a cluster that is split, merged or added to."""
    both = (before >= 0) & (after >= 0)
    cut, joined = mixed(np.where(both, before, -1), after), mixed(np.where(both, after, -1), before)
    changes = np.zeros(
        int(after.max(initial=-1)) + 2, dtype=bool
    )  # the last is for points that are not there
    changes[: len(joined)] = joined
    changes[after[before < 0]] = True
    changes[-1] = False
    lone = (before >= 0) != (after >= 0)
    parts = np.append(cut, np.zeros(int(before.max(initial=-1)) + 2 - len(cut), dtype=bool))
    touched: BoolArray = lone | (both & (parts[before] | changes[after]))
    return touched


def _by(cluster: Int64Array, cells: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Some cells by their cluster."""
    codes, first = _core.encode_integers(cluster[cells])
    indptr, members = _core.group_members(codes, len(first))
    return indptr, cells[members]
