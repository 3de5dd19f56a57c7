"""Changelog: two clusterings as an old and a new release. What became of every cluster, and of its name."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.source import PointSource, least_of_cells
from clusterdiff.diff.succession import CASES, EVENTS, FATES, ORIGINS, Succession
from clusterdiff.points.labels import AnyArray, Int64Array
from clusterdiff.table import Table, plain, record_html


@dataclass(frozen=True)
class Event:
    """What happened to a component: old and new clusters that no shared point links to others.

    ``kind`` is "born", "vanished", "same", "renamed" (the same points under another name), "grown" (points were
    added), "shrunk" (points were removed), "continues" (both), "split", "merged" or "rearranged".
    """

    _succession: Succession = field(repr=False, compare=False)
    component: int
    kind: str
    shared: int
    removed: int
    added: int

    @property
    def old(self) -> list[Any]:
        """The names of its old clusters."""
        return self._succession.clusters_of(self.component, "true")

    @property
    def new(self) -> list[Any]:
        """The names of its new clusters."""
        return self._succession.clusters_of(self.component, "pred")

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, clusters by name."""
        return {
            "kind": self.kind,
            "old": list(map(plain, self.old)),
            "new": list(map(plain, self.new)),
            "shared": self.shared,
            "removed": self.removed,
            "added": self.added,
        }

    def _repr_html_(self) -> str:
        return record_html("Event", self.to_dict())


@dataclass(frozen=True)
class Fate:
    """What became of an old cluster: "kept", "absorbed", "split" or "gone".

    ``new`` is its continuation, or else the new cluster with most of its points; ``renamed``: its continuation has
    another name. ``remaining`` of its ``size`` points are in the new release, in ``parts`` clusters. ``code`` is its
    place in the old release.
    """

    _succession: Succession = field(repr=False, compare=False)
    code: int
    old: Any
    fate: str
    new: Any
    renamed: bool
    parts: int
    remaining: int
    size: int

    @property
    def into(self) -> list[Any]:
        """All new clusters that have points of it: its continuation first, then those with most of its points."""
        found, meet = self._succession, self._succession.meet
        cells = np.arange(meet.indptr[self.code], meet.indptr[self.code + 1])
        first = meet.pred[cells] == found.continuation[self.code]
        order = np.lexsort((-meet.size[cells], ~first))
        into: list[Any] = meet.pred_names[meet.pred[cells[order]]].tolist()
        return into

    def _repr_html_(self) -> str:
        told = ("old", "fate", "new", "renamed", "parts", "remaining", "size")
        return record_html("Fate", {name: getattr(self, name) for name in told})


class ClusterOrigin(NamedTuple):
    """Where a new cluster comes from: "kept", "split off", "merged" or "born".

    ``old`` is the cluster that it continues, or else the one that most of its points come from. ``known`` of its
    ``size`` points are in the old release, in ``parts`` clusters.
    """

    new: Any
    origin: str
    old: Any
    parts: int
    known: int
    size: int

    def _repr_html_(self) -> str:
        return record_html("ClusterOrigin", self._asdict())


class Redirect(NamedTuple):
    """Where an old name leads: the new cluster with most of its remaining points, and their share; None if gone."""

    old: Any
    new: Any
    share: float | None

    def _repr_html_(self) -> str:
        return record_html("Redirect", self._asdict())


class Crossing(NamedTuple):
    """Points that an old and a new cluster share; None for a cluster that was born or has vanished."""

    old: Any
    new: Any
    event: str
    shared: int
    old_size: int
    new_size: int

    def _repr_html_(self) -> str:
        return record_html("Crossing", self._asdict())


class Reuse(NamedTuple):
    """A name that now means another entity, and where most points of the old one are: None if none is left.

    ``shared`` counts the points that the old and the new cluster of this name have in common.
    """

    name: Any
    now: Any
    shared: int
    old_size: int
    new_size: int

    def _repr_html_(self) -> str:
        return record_html("Reuse", self._asdict())


class ClusterCase(NamedTuple):
    """An old cluster over shared points: "unchanged", "merged", "partitioned", "overlapping"; None if none is left."""

    old: Any
    case: str | None

    def _repr_html_(self) -> str:
        return record_html("ClusterCase", self._asdict())


class PointChange(NamedTuple):
    """A point of either release: its old and its new cluster, None where it has none, and what happened to them."""

    point: Any
    old: Any
    new: Any
    event: str

    def _repr_html_(self) -> str:
        return record_html("PointChange", self._asdict())


class ChangedValue(NamedTuple):
    """A value before and after; None is no value.

    ``points`` counts shared points that went from one to the other, ``clusters`` those that continue and whose most
    frequent value did.
    """

    before: Any
    after: Any
    points: int
    clusters: int

    def _repr_html_(self) -> str:
        return record_html("ChangedValue", self._asdict())


class Changelog:
    """What a comparison says of two releases: `true` is the old one, `pred` the new one.

    It is about the clusterings as they were given, with the points that one of them lacks, and the same under every
    policy.
    """

    source: PointSource

    @cached_property
    def succession(self) -> Succession:
        """What became of every cluster, in whole numbers: codes of the original meet."""
        return succession_of(self.source)

    @cached_property
    def events(self) -> Table[Event]:
        """A row for every component: what happened to it. What needs a look comes first, the largest first.

        >>> import clusterdiff as cd
        >>> old = {"a": 1, "b": 1, "c": 2, "d": 3}
        >>> new = {"a": 1, "b": 1, "c": 4, "d": 4, "e": 5}
        >>> diff = cd.compare(old, new, missing="drop")
        >>> [(event.kind, event.old, event.new) for event in diff.events]
        [('merged', [2, 3], [4]), ('born', [], [5]), ('same', [1], [1])]
        """
        found = self.succession
        order = np.lexsort((-(found.shared + found.removed + found.added), found.event))
        columns = {
            "component": order,
            "kind": _words(EVENTS, found.event[order]),
            "shared": found.shared[order],
            "removed": found.removed[order],
            "added": found.added[order],
        }
        row: Any = partial(Event, found)
        return Table(columns, row)

    @cached_property
    def fates(self) -> Table[Fate]:
        """A row for every old cluster, in the order of the old release: what became of it.

        An old cluster is "kept" if all of its remaining points are in one new cluster, which continues it; "absorbed"
        if that continues another one; "split" if they are in several; "gone" if none remains.

        >>> import clusterdiff as cd
        >>> diff = cd.compare({"a": 1, "b": 1, "c": 2, "d": 3}, {"a": 7, "b": 7, "c": 7}, missing="drop")
        >>> [(row.old, row.fate, row.new, row.renamed) for row in diff.fates]
        [(1, 'kept', 7, True), (2, 'absorbed', 7, False), (3, 'gone', None, False)]
        """
        found, meet = self.succession, self.succession.meet
        to = np.where(found.continuation >= 0, found.continuation, np.append(meet.pred, -1)[found.redirect])
        columns = {
            "code": np.arange(meet.k_true),
            "old": meet.true_names,
            "fate": _words(FATES, found.fate),
            "new": _or_none(meet.pred_names, to),
            "renamed": found.renamed,
            "parts": found.parts_of_old,
            "remaining": found.remaining,
            "size": meet.true_size,
        }
        row: Any = partial(Fate, found)
        return Table(columns, row)

    @cached_property
    def origins(self) -> Table[ClusterOrigin]:
        """A row for every new cluster, in the order of the new release: where it comes from.

        >>> import clusterdiff as cd
        >>> diff = cd.compare({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2, "d": 3}, missing="drop")
        >>> [(row.new, row.origin, row.old) for row in diff.origins]
        [(1, 'kept', 1), (2, 'split off', 1), (3, 'born', None)]
        """
        found, meet = self.succession, self.succession.meet
        most = np.full(meet.k_pred, -1)
        order = np.argsort(meet.size, kind="stable")  # the last one that is written is the largest
        most[meet.pred[order]] = meet.true[order]
        columns = {
            "new": meet.pred_names,
            "origin": _words(ORIGINS, found.origin),
            "old": _or_none(meet.true_names, np.where(found.continues >= 0, found.continues, most)),
            "parts": found.parts_of_new,
            "known": found.known,
            "size": meet.pred_size,
        }
        return Table(columns, ClusterOrigin)

    @cached_property
    def redirects(self) -> Table[Redirect]:
        """Where every old name leads: to the new cluster with most of its remaining points.

        >>> import clusterdiff as cd
        >>> cd.compare({"a": 1, "b": 1, "c": 1, "d": 2}, {"a": 8, "b": 8, "c": 9}, missing="drop").redirects
           old  new   share
        0  1    8     0.6667
        1  2    None  None
        """
        found, meet = self.succession, self.succession.meet
        share = np.full(meet.k_true, None, dtype=object)
        some = np.flatnonzero(found.redirect >= 0)
        share[some] = (meet.size[found.redirect[some]] / found.remaining[some]).tolist()
        new = _or_none(meet.pred_names, np.append(meet.pred, -1)[found.redirect])
        return Table({"old": meet.true_names, "new": new, "share": share}, Redirect)

    @cached_property
    def crosswalk(self) -> Table[Crossing]:
        """A row for every pair of an old and a new cluster that share points, and for each that was born or vanished.

        >>> import clusterdiff as cd
        >>> cd.compare({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1}, missing="drop").crosswalk
           old  new   event     shared  old_size  new_size
        0  1    1     merged         1         1         2
        1  2    1     merged         1         1         2
        2  3    None  vanished       0         1         0
        """
        found, meet = self.succession, self.succession.meet
        gone, born = np.flatnonzero(found.parts_of_old == 0), np.flatnonzero(found.parts_of_new == 0)
        none = np.full(max(len(gone), len(born)), -1)
        old = np.concatenate([meet.true, gone, none[: len(born)]])
        new = np.concatenate([meet.pred, none[: len(gone)], born])
        component = found.join.of_clusters(old, new)
        columns = {
            "old": _or_none(meet.true_names, old),
            "new": _or_none(meet.pred_names, new),
            "event": _words(EVENTS, found.event[component]),
            "shared": np.concatenate([meet.size, np.zeros(len(gone) + len(born), dtype=np.int64)]),
            "old_size": np.append(meet.true_size, 0)[old],
            "new_size": np.append(meet.pred_size, 0)[new],
        }
        return Table(columns, Crossing)

    @cached_property
    def reused(self) -> Table[Reuse]:
        """The names that both releases have and that now mean another entity, largest first.

        The new cluster of such a name neither continues the old one nor has most of its points. Whoever keeps names
        of an old release must look here first. ``cd.relabel`` gives names of which none is reused.

        >>> import clusterdiff as cd
        >>> cd.compare({"a": 1, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 1}).reused
           name  now  shared  old_size  new_size
        0  1     2         0         2         1
        1  2     1         0         1         2
        """
        found, meet = self.succession, self.succession.meet
        old, new = found.reused
        order = np.argsort(-meet.true_size[old], kind="stable")
        old, new = old[order], new[order]
        columns = {
            "name": meet.true_names[old],
            "now": _or_none(meet.pred_names, np.append(meet.pred, -1)[found.redirect[old]]),
            "shared": _shared(found, old, new),
            "old_size": meet.true_size[old],
            "new_size": meet.pred_size[new],
        }
        return Table(columns, Reuse)

    @cached_property
    def cases(self) -> Table[ClusterCase]:
        """The case of every old cluster over the points that both releases have, after Talburt et al. (2026).

        "unchanged": a new cluster has the same points; "merged": it lies inside a larger one; "partitioned": it is the
        union of several; "overlapping": none of these.

        >>> import clusterdiff as cd
        >>> [row.case for row in cd.compare([1, 1, 2, 3, 3], [1, 1, 2, 2, 3]).cases]
        ['unchanged', 'merged', 'overlapping']
        """
        return Table(
            {"old": self.succession.meet.true_names, "case": _words(CASES, self.succession.case)}, ClusterCase
        )

    @property
    def changes(self) -> Table[PointChange]:
        """A row for every point of either release: its old and its new cluster, and the event of their component.

        >>> import clusterdiff as cd
        >>> cd.compare({"a": 1, "b": 1}, {"b": 1, "c": 1}, missing="drop").changes
           point  old   new   event
        0  a      1     None  continues
        1  b      1     1     continues
        2  c      None  1     continues
        """
        found, source = self.succession, self.source
        if not found.meet.knows_points:  # they are in tables, and were left out of the comparison
            source = source.whole
            found = succession_of(source)
        meet = found.meet
        cell = meet.cell_of_point
        old, new = np.append(meet.true, -1)[cell], np.append(meet.pred, -1)[cell]
        for codes, alone in ((old, meet.missing), (new, meet.spurious)):
            codes[alone.at] = alone.cluster
        names = source.original_names
        points = _array(range(len(cell)) if names is None else names)
        if not (there := (old >= 0) | (new >= 0)).all():  # of several releases, these two lack some points
            old, new, points = old[there], new[there], points[there]
        component = found.join.of_clusters(old, new)
        columns = {
            "point": points,
            "old": _or_none(meet.true_names, old),
            "new": _or_none(meet.pred_names, new),
            "event": _words(EVENTS, found.event[component]),
        }
        return Table(columns, PointChange)

    def changed_values(self, column: object, after: object = None) -> Table[ChangedValue]:
        """What changed in another column of both tables: values before and after, most points first.

        Parameters
        ----------
        column
            The name of a column that both tables have; or the values before: a dict from point to value.
        after
            With values before, those after: a dict from point to value.

        Returns
        -------
        Table of ChangedValue
            ``points`` counts shared points whose value changed; ``clusters`` counts clusters that continue and whose
            most frequent value changed.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare({"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 1, "c": 2})
        >>> diff.changed_values({"a": "DE", "b": "DE", "c": "FR"}, {"a": "AT", "b": "AT", "c": "FR"})
           before  after  points  clusters
        0  DE      AT          2         1
        """
        from clusterdiff.diff.values import changed_values

        return changed_values(self.succession, self.source, column, after)


def succession_of(source: PointSource) -> Succession:
    """What became of every cluster of the clusterings as they were given."""
    meet, names = source.original_meet, source.original_names
    if names is None or not meet.knows_points:
        return Succession(meet, _as_they_are)
    return Succession(meet, partial(least_of_cells, meet, names))


def _as_they_are(cells: Int64Array) -> Int64Array:
    return cells


def _words(words: tuple[str, ...], codes: Int64Array) -> AnyArray:
    found: AnyArray = np.array([*words, None], dtype=object)[codes]
    return found


def _or_none(names: AnyArray, codes: Any) -> AnyArray:
    """Clusters by name, None for code -1."""
    if not len(codes) or codes.min() >= 0:
        chosen: AnyArray = names[codes]
        return chosen
    out = np.full(len(codes), None, dtype=object)
    some = np.flatnonzero(codes >= 0)
    out[some] = names[codes[some]].tolist()
    return out


def _array(names: Any) -> AnyArray:
    if isinstance(names, range):
        return np.arange(len(names))
    out = np.empty(len(names), dtype=object)
    out[:] = list(names)
    return out


def _shared(found: Succession, old: Int64Array, new: Int64Array) -> Int64Array:
    """How many points pairs of an old and a new cluster share."""
    meet = found.meet
    keys = meet.true.astype(np.int64) * meet.k_pred + meet.pred
    order = np.argsort(keys)
    wanted = old * meet.k_pred + new
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return (
        np.where(keys[order[at]] == wanted, meet.size[order[at]], 0)
        if len(keys)
        else np.zeros(len(old), dtype=np.int64)
    )
