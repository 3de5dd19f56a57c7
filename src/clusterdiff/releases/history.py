"""history: the life of clusters and records over several releases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import notebook, views
from clusterdiff.caching import cached_property
from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.changelog import Changelog
from clusterdiff.diff.source import PointSource, least_of_cells
from clusterdiff.diff.succession import EVENTS, Succession
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.alignment import Alignment, apply_policy, match_points
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import Int64Array, Labels
from clusterdiff.points.policy import Policy
from clusterdiff.releases.lineage import Handed, Lineage
from clusterdiff.releases.overlay import Overlay, lay, read_side
from clusterdiff.releases.statistics import ReleaseStatistics, statistics
from clusterdiff.table import Table, record_html
from clusterdiff.wording import count


class Stage(NamedTuple):
    """A cluster in a release: its name there, its size, and what happened to it since the release before.

    ``shared`` counts the points that it has in common with the stage before.
    """

    release: Any
    cluster: Any
    event: str
    size: int
    shared: int

    def _repr_html_(self) -> str:
        return record_html("Stage", self._asdict())


class Sighting(NamedTuple):
    """A record in a release: its cluster, None if the release lacks it, and how many others are in that."""

    release: Any
    cluster: Any
    size: int

    def _repr_html_(self) -> str:
        return record_html("Sighting", self._asdict())


class Trace(NamedTuple):
    """Two records in a release: "together", "apart" or "absent", and whether that release joined or parted them."""

    release: Any
    state: str
    change: str | None

    def _repr_html_(self) -> str:
        return record_html("Trace", self._asdict())


def history(releases: object, *, names: object = None) -> History:
    """The history of several releases of one catalogue, oldest first.

    Parameters
    ----------
    releases
        A list of clusterings in any form that :func:`compare` takes, or a dict of them by what the releases are called.
    names
        What the records themselves are called, such as authors' names as they were written: a dict by point. Then
        statistics have homonymy and name variation.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> h = cd.history([{"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1, "c": 1}])
    >>> h
    <History of 3 releases of 3 points>
    >>> [(step.release, step.state, step.change) for step in h.trace("a", "b")]
    [(0, 'together', None), (1, 'apart', 'parted'), (2, 'together', 'joined')]
    >>> [(stage.release, stage.cluster, stage.event) for stage in h.life(2)]
    [(0, 2, 'first'), (1, 2, 'rearranged'), (2, 1, 'merged')]
    """
    called = list(releases) if isinstance(releases, Mapping) else None
    given = list(releases.values() if isinstance(releases, Mapping) else releases)  # type: ignore[call-overload]
    if len(given) < 2:
        raise ArgumentError.must("releases", "hold two releases or more", got=count(len(given), "release"))
    arguments = [str(name) for name in (called or range(len(given)))]
    sides = [read_side(side, argument) for side, argument in zip(given, arguments, strict=True)]
    return History(lay(sides, arguments), called or list(range(len(given))), names)


class History:
    """Several releases laid over the records that any of them has; steps are computed when they are asked for."""

    def __init__(self, laid: Overlay, releases: list[Any], names: object = None) -> None:
        self.releases = releases
        self._laid = laid
        self._names = names
        self._steps: dict[int, ReleaseStep] = {}

    def __len__(self) -> int:
        return len(self.releases)

    @property
    def steps(self) -> list[ReleaseStep]:
        """Each release against the one before it: ``.events``, ``.fates``, ``.crosswalk`` and the like."""
        return [self.step(i) for i in range(1, len(self))]

    def step(self, number: int) -> ReleaseStep:
        """Release ``number`` against the one before it."""
        if number not in self._steps:
            self._steps[number] = ReleaseStep(self._laid, number - 1, number)
        return self._steps[number]

    @property
    def events(self) -> Table[Any]:
        """A row for every step: how many components of each kind there are."""
        counts = [step.succession.event_counts for step in self.steps]
        columns: dict[str, Any] = {"old": self.releases[:-1], "new": self.releases[1:]}
        for kind in EVENTS:
            if any(kind in found for found in counts):
                columns[kind] = [found.get(kind, 0) for found in counts]
        columns["reused"] = [len(step.reused) for step in self.steps]
        return Table(columns)

    # ---- one cluster, one record, two records

    def life(self, cluster: Hashable, release: Any = None) -> Table[Stage]:
        """A cluster over the releases, by its name in one of them: in the first that has it, unless one is named.

        Forwards it goes to the new cluster with most of its points, backwards to the one that it continues.
        """
        start = self._release_of(cluster, release)
        code = int(np.flatnonzero(_equal(self._laid.labels[start].names, cluster))[0])
        back: list[Stage] = []
        at, now = start, code
        while at > 0:
            step = self.step(at)
            before = step.before(now)
            shared = 0 if before < 0 else step.shared(before, now)
            back.append(self._stage(at, now, step.event_of_new(now), shared))
            if before < 0:
                break
            at, now = at - 1, before
        else:
            back.append(self._stage(0, now, "first", 0))
        out = back[::-1]
        at, now = start, code
        while at + 1 < len(self):
            step = self.step(at + 1)
            after = step.after(now)
            if after < 0:
                out.append(Stage(self.releases[at + 1], None, "vanished", 0, 0))
                break
            out.append(self._stage(at + 1, after, step.event_of_new(after), step.shared(now, after)))
            at, now = at + 1, after
        return _table(out, Stage)

    def _release_of(self, cluster: Hashable, release: Any) -> int:
        wanted = range(len(self)) if release is None else [self._number(release)]
        for number in wanted:
            if _equal(self._laid.labels[number].names, cluster).any():
                return number
        where = "no release has" if release is None else f"release {release!r} does not have"
        raise ArgumentError.about("cluster", f"{where} a cluster {cluster!r}.")

    def _number(self, release: Any) -> int:
        if release not in self.releases:
            raise ArgumentError.must("release", f"be one of {listed(self.releases)}", release)
        return self.releases.index(release)

    def _stage(self, release: int, code: int, event: str, shared: int) -> Stage:
        size = int((self._laid.labels[release].codes == code).sum())
        return Stage(self.releases[release], self.name_of(release, code), event, size, shared)

    def record(self, point: Hashable) -> Table[Sighting]:
        """Where a record was in every release."""
        i = self._place(point, "point")
        out = []
        for number, labels in enumerate(self._laid.labels):
            code = int(labels.codes[i])
            name = None if code < 0 else self.name_of(number, code)
            size = 0 if code < 0 else int((labels.codes == code).sum())
            out.append(Sighting(self.releases[number], name, size))
        return _table(out, Sighting)

    def trace(self, one: Hashable, other: Hashable) -> Table[Trace]:
        """Two records in every release: which release joined them, and which parted them."""
        i, j = self._place(one, "one"), self._place(other, "other")
        out: list[Trace] = []
        last = None
        for release, labels in zip(self.releases, self._laid.labels, strict=True):
            a, b = int(labels.codes[i]), int(labels.codes[j])
            state = "absent" if a < 0 or b < 0 else "together" if a == b else "apart"
            change = None
            if state != "absent":
                change = {("apart", "together"): "joined", ("together", "apart"): "parted"}.get(
                    (str(last), state)
                )
                last = state
            out.append(Trace(release, state, change))
        return _table(out, Trace)

    def _place(self, point: Hashable, argument: str) -> int:
        points = self._laid.points
        try:
            return points.index(point)
        except ValueError:
            raise ArgumentError.must(argument, "be a record of one of the releases", point) from None

    # ---- all of it

    @cached_property
    def statistics(self) -> Table[ReleaseStatistics]:
        """A row for every release, without any truth: clusters, sizes, singletons, pairs.

        With ``names=`` also homonymy, the share of clusters of which a record has a name that another cluster has too,
        and name variation, the share of clusters whose records have more than one name.
        """
        return statistics(self._laid, self.releases, self._names)

    @cached_property
    def lineage(self) -> Lineage:
        """The clusters of all releases, and the records that each hands on to those of the next one."""
        return Lineage([labels.codes for labels in self._laid.labels], [step.handed for step in self.steps])

    def name_of(self, release: int, code: int) -> Any:
        """What a cluster is called, by its code in a release."""
        return self._laid.labels[release].names[code : code + 1].tolist()[0]

    def plot(self, kind: str = "flow", ax: Any = None, *, step: int | None = None, **size: Any) -> Any:
        """Draw the flow of records through the clusters of all releases; or one step, as a comparison is drawn.

        Steps are numbered as in ``steps``; other kinds of pictures are of one step.
        """
        if step is None:
            if kind != "flow":
                hint = "other pictures are of one step: name it too, as in step=-1."
                raise ArgumentError.must("kind", 'be "flow" for all releases', kind, hint)
            return views.history(self, ax, **size)
        from clusterdiff.verbs.compare import compare

        if not isinstance(step, int) or not 1 - len(self) <= step < len(self) - 1:
            steps = count(len(self) - 1, "step")
            raise ArgumentError.must(
                "step", f"number one of the {steps}, from 0, or from -1 for the last", step
            )
        number = range(1, len(self))[step]
        old, new = (self._laid.clustering(self._laid.labels[i]) for i in (number - 1, number))
        return views.plot(compare(old, new, missing="drop"), kind, ax, **size)

    def to_dict(self) -> dict[str, Any]:
        """Counts of events by step, and statistics by release, as plain values."""
        return {"events": self.events.to_dict(), "statistics": self.statistics.to_dict()}

    def __repr__(self) -> str:
        return f"<History of {count(len(self), 'release')} of {count(len(self._laid.points))}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self).strip("<>"), strong=True), self.events.html())


class ReleasePoints(PointSource):
    """The points of a step, those of either release: nothing but their names and clusters is known."""

    weights = _other = _later = None

    def __init__(self, step: ReleaseStep) -> None:
        self._step = step

    @cached_property
    def _aligned(self) -> Alignment:
        return apply_policy(match_points(*self._step.sides, empty=True), Policy("lost"))

    @cached_property
    def meet(self) -> Meet:
        """The meet of the two releases, with the points that one of them lacks."""
        return compare_aligned(self._aligned).meet

    @property
    def original_meet(self) -> Meet:
        """The same over the points of all releases."""
        return self._step.succession.meet

    @property
    def original_names(self) -> Points:
        """What the points of all releases are called."""
        return self._step.points

    def both_columns(self, name: str) -> tuple[list[Any], list[Any]]:
        """A history keeps no other columns."""
        raise ArgumentError.about(
            "column", f"{name!r} is not kept in a history.", "compare the two releases, or pass two dicts."
        )

    def __repr__(self) -> str:
        return f"<ReleasePoints: {count(len(self.original_names))}>"


class ReleaseStep(Changelog):
    """A release against the one before it: what became of every cluster."""

    def __init__(self, laid: Overlay, old: int, new: int) -> None:
        self._laid = laid
        self.source = ReleasePoints(self)
        self._labels = laid.labels[old], laid.labels[new]
        self._codes = laid.labels[old].codes, laid.labels[new].codes
        self._named = laid.labels[old].names, laid.labels[new].names

    @property
    def points(self) -> Points:
        """What the points of all releases are called."""
        return self._laid.points

    @property
    def sides(self) -> tuple[Clustering, Clustering]:
        """The two releases, each with the points that it has."""
        old, new = map(self._laid.clustering, self._labels)
        return old, new

    @cached_property
    def succession(self) -> Succession:
        """What became of every cluster, in whole numbers; clusters are called by their names."""
        meet = uneven_of(*map(Labels.coded, self._codes, self._named))
        return Succession(meet, lambda cells: least_of_cells(meet, self._laid.points, cells))

    @cached_property
    def _order(self) -> tuple[Int64Array, Int64Array]:
        """The codes of the meet's clusters in the releases' own."""
        plain = uneven_of(*map(Labels.coded, self._codes))
        return np.asarray(plain.true_names), np.asarray(plain.pred_names)

    @property
    def handed(self) -> Handed:
        """The records that clusters hand on, by the codes of the clusters in the releases."""
        found = self.succession
        continued = np.zeros(len(found.meet), dtype=bool)
        continued[found.matched] = True
        old, new = (
            order[codes] for order, codes in zip(self._order, (found.meet.true, found.meet.pred), strict=True)
        )
        return Handed(old, new, np.asarray(found.meet.size), continued)

    def after(self, old: int) -> int:
        """The new cluster with most points of an old one, -1 if it is gone; both by their codes in the releases."""
        found = self.succession
        cell = int(found.redirect[np.flatnonzero(self._order[0] == old)[0]])
        return -1 if cell < 0 else int(self._order[1][found.meet.pred[cell]])

    def before(self, new: int) -> int:
        """The old cluster that a new one continues, -1 if there is none."""
        code = int(self.succession.continues[np.flatnonzero(self._order[1] == new)[0]])
        return -1 if code < 0 else int(self._order[0][code])

    def event_of_new(self, new: int) -> str:
        """What happened to a new cluster's component."""
        found = self.succession
        return EVENTS[found.event[found.join.of_pred[np.flatnonzero(self._order[1] == new)[0]]]]

    def shared(self, old: int, new: int) -> int:
        """How many points an old and a new cluster share."""
        return int(((self._codes[0] == old) & (self._codes[1] == new)).sum())


def _equal(names: Any, wanted: Any) -> Any:
    """Which names are the wanted one, also by its text, as a command passes it."""
    if names.dtype.kind in "iu" and isinstance(wanted, str):
        return names.astype(str) == wanted
    found = np.zeros(len(names), dtype=bool)
    found[[i for i, name in enumerate(names.tolist()) if name == wanted or str(name) == wanted]] = True
    return found


def _table(rows: Sequence[Any], kind: Any) -> Table[Any]:
    columns = {}
    for i, name in enumerate(kind._fields):
        values = np.empty(len(rows), dtype=object)
        values[:] = [row[i] for row in rows]
        columns[name] = values
    return Table(columns, kind)
