"""Succession: what became of every cluster between an old and a new release, in whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff import _core, notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.continuation import Least, continued
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import BoolArray, Int64Array
from clusterdiff.wording import count

#: What may happen to a component, in the order in which people read them: what needs a look comes first.
EVENTS = (
    "rearranged",
    "merged",
    "split",
    "vanished",
    "born",
    "continues",
    "shrunk",
    "grown",
    "renamed",
    "same",
)
#: What may become of an old cluster, and where a new one may come from.
FATES = ("kept", "absorbed", "split", "gone")
ORIGINS = ("kept", "split off", "merged", "born")
#: The four cases of Talburt et al. (2026), for old clusters of which the new release has a point.
CASES = ("unchanged", "merged", "partitioned", "overlapping")
KEPT, ONE_PART, SEVERAL, NOTHING = range(4)


class Succession:
    """An old and a new release, cluster by cluster, as they were given.

    Clusters are codes of the meet, ``true`` being the old release and ``pred`` the new one; its cells hold the points
    that both have.
    """

    def __init__(self, meet: Meet, least: Least) -> None:
        self.meet = meet
        self.least = least
        self.join = Components(meet)
        #: How many new clusters have a point of each old one, and how many old ones a point of each new one.
        self.parts_of_old = np.bincount(meet.true, minlength=meet.k_true)
        self.parts_of_new = np.bincount(meet.pred, minlength=meet.k_pred)
        #: The points of each cluster that both releases have.
        self.remaining = np.asarray(meet.cells.true_sizes)
        self.known = np.asarray(meet.cells.pred_sizes)

    def __repr__(self) -> str:
        old, new = count(self.meet.k_true, "old cluster"), count(self.meet.k_pred, "new cluster")
        return f"<Succession of {old} and {new}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)))

    # ---- which continues which

    @cached_property
    def matched(self) -> Int64Array:
        """The cells of clusters that continue each other."""
        return continued(self.meet, np.ones(len(self.meet), dtype=bool), self.least)

    @cached_property
    def continuation(self) -> Int64Array:
        """The new cluster that continues each old one; -1 if there is none."""
        out = np.full(self.meet.k_true, -1)
        out[self.meet.true[self.matched]] = self.meet.pred[self.matched]
        return out

    @cached_property
    def continues(self) -> Int64Array:
        """The old cluster that each new one continues; -1 if there is none."""
        out = np.full(self.meet.k_pred, -1)
        out[self.meet.pred[self.matched]] = self.meet.true[self.matched]
        return out

    # ---- what became of clusters

    @cached_property
    def fate(self) -> Int64Array:
        """The fate of each old cluster, as an index into ``FATES``."""
        return _outcome(self.parts_of_old, self.continuation)

    @cached_property
    def origin(self) -> Int64Array:
        """The origin of each new cluster, as an index into ``ORIGINS``."""
        return _outcome(self.parts_of_new, self.continues)

    @cached_property
    def case(self) -> Int64Array:
        """The case of each old cluster, as an index into ``CASES``; -1 if none of its points is left."""
        meet = self.meet
        mixed = self.parts_of_new[meet.pred] > 1  # the cell's new cluster has points of other old ones
        cut = np.bincount(meet.true[mixed], minlength=meet.k_true) > 0
        case = np.where(self.parts_of_old > 1, np.where(cut, 3, 2), np.where(cut, 1, 0))
        return np.where(self.parts_of_old == 0, -1, case)

    @cached_property
    def redirect(self) -> Int64Array:
        """The cell of each old cluster that holds most of its points; -1 if none is left.

        Of equal cells it is that of its continuation, then of the new cluster that has most points of old ones, then of
        the least point.
        """
        meet = self.meet
        best = np.arange(len(meet))
        most = np.zeros(meet.k_true, dtype=np.int64)
        np.maximum.at(most, meet.true, meet.size)
        best = best[meet.size == most[meet.true]]
        continuing = np.zeros(len(meet), dtype=np.int64)
        continuing[self.matched] = 1
        values: tuple[Least, ...] = (
            lambda q: continuing[q],
            lambda q: self.known[meet.pred[q]],
            lambda q: -self.least(q),
        )
        for value in values:
            tied = np.bincount(meet.true[best], minlength=meet.k_true)[meet.true[best]] > 1
            if not tied.any():
                break
            contenders = best[tied]
            worth = value(contenders)
            rows, row = np.unique(meet.true[contenders], return_inverse=True)
            top = np.full(len(rows), np.iinfo(np.int64).min)
            np.maximum.at(top, row, worth)
            best = np.concatenate([best[~tied], contenders[worth == top[row]]])
        out = np.full(meet.k_true, -1)
        out[meet.true[best]] = best
        return out

    # ---- names

    @cached_property
    def _name_codes(self) -> tuple[Int64Array, Int64Array]:
        """Numbers for the names of old and new clusters; equal names have equal numbers."""
        from clusterdiff.diff.naming import number_names

        (old, new), _ = number_names(self.meet.true_names, self.meet.pred_names)
        return old, new

    @cached_property
    def renamed(self) -> BoolArray:
        """Which old clusters have a continuation of another name."""
        old, new = self._name_codes
        renamed: BoolArray = (self.continuation >= 0) & (old != np.append(new, -1)[self.continuation])
        return renamed

    @cached_property
    def reused(self) -> tuple[Int64Array, Int64Array]:
        """Old and new clusters of one name that are different entities: neither redirect nor continuation."""
        old, new = self._name_codes
        place = np.full(int(max(old.max(initial=-1), new.max(initial=-1))) + 1, -1)
        place[new] = np.arange(len(new))
        same = place[old]  # the new cluster of the same name
        redirect = np.where(self.redirect >= 0, np.append(self.meet.pred, -1)[self.redirect], -2)
        at = np.flatnonzero((same >= 0) & (same != self.continuation) & (same != redirect))
        return at, same[at]

    # ---- components

    @cached_property
    def removed(self) -> Int64Array:
        """How many points of each component only the old release has."""
        removed: Int64Array = np.zeros(len(self.join), dtype=np.int64) + self.join.missing
        return removed

    @cached_property
    def added(self) -> Int64Array:
        """How many points of each component only the new release has."""
        added: Int64Array = np.zeros(len(self.join), dtype=np.int64) + self.join.spurious
        return added

    @cached_property
    def shared(self) -> Int64Array:
        """How many points of each component both releases have."""
        return _core.group_sum(self.join.of_true, len(self.join), self.remaining)

    @cached_property
    def event(self) -> Int64Array:
        """What happened to each component, as an index into ``EVENTS``."""
        p, q = self.join.true_count, self.join.pred_count
        renamed = np.zeros(len(self.join), dtype=bool)
        renamed[self.join.of_true[self.renamed]] = True
        removed, added = self.removed > 0, self.added > 0
        conditions = {
            "born": p == 0,
            "vanished": q == 0,
            "rearranged": (p > 1) & (q > 1),
            "merged": p > 1,
            "split": q > 1,
            "continues": removed & added,
            "shrunk": removed,
            "grown": added,
            "renamed": renamed,
        }
        return np.select(list(conditions.values()), list(map(EVENTS.index, conditions)), EVENTS.index("same"))

    @cached_property
    def _members(self) -> dict[str, tuple[Int64Array, Int64Array]]:
        of = {"true": self.join.of_true, "pred": self.join.of_pred}
        return {side: _core.group_members(codes, len(self.join)) for side, codes in of.items()}

    def clusters_of(self, component: int, side: str) -> list[Any]:
        """The names of a component's "true", that is old, or "pred", that is new clusters."""
        indptr, members = self._members[side]
        names = self.meet.true_names if side == "true" else self.meet.pred_names
        found: list[Any] = names[members[indptr[component] : indptr[component + 1]]].tolist()
        return found

    @property
    def event_counts(self) -> dict[str, int]:
        """How many components each kind of event happened to; kinds that did not happen are left out."""
        counts = np.bincount(self.event, minlength=len(EVENTS)).tolist()
        return {kind: count for kind, count in zip(EVENTS, counts, strict=True) if count}


def _outcome(parts: Int64Array, partner: Int64Array) -> Int64Array:
    one = np.where(partner >= 0, KEPT, ONE_PART)
    return np.where(parts == 0, NOTHING, np.where(parts == 1, one, SEVERAL))
