"""A changelog for the page of two releases: what happened to clusters, each kind with the first of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.changelog import Event, Reuse
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.news import CALLED, sentences
from clusterdiff.wording import plural

#: How many events of a kind are listed, and how many of them the page must be able to open.
LISTED, OPENED = 50, 20
#: Of clusters that were born or vanished so many values are shown in all, of so many columns, and so many points each.
VALUES, COLUMNS, LEAST, MOST = 4_000, 12, 2, 10
#: The events in the order of telling, with what each means.
TOLD = {
    "born": "a new {cluster} without a {point} of an old one",
    "vanished": "an old {cluster} without a {point} in the new release",
    "split": "one old {cluster} became several",
    "merged": "several old {clusters} became one",
    "rearranged": "several old {clusters} became several others",
    "grown": "{points} were added",
    "shrunk": "{points} were removed",
    "continues": "{points} were added and removed",
    "renamed": "the same {points} under another name",
    "same": "the same {points} under the same name",
}


class EventList(NamedTuple):
    """The events of one kind: how many there are, and the first of them with their components."""

    kind: str
    called: str
    means: str
    number: int
    first: Sequence[tuple[Event, int | None]]


class Alone(NamedTuple):
    """The first points of a cluster that was born or has vanished, with their values in some columns."""

    columns: Sequence[str]
    points: Sequence[tuple[Any, ...]]


class EventLists:
    """What happened between two releases, kind by kind."""

    def __init__(self, comparison: Comparison) -> None:
        self._diff = comparison

    @property
    def summary(self) -> list[str]:
        """Counts of points, events, old and new clusters, in sentences."""
        told = sentences(self._diff)
        return told[1:] if len(self._diff.reused) else told

    @property
    def reused(self) -> Sequence[Reuse]:
        """The first names that now mean another cluster."""
        return list(self._diff.reused[:LISTED])

    @property
    def reused_count(self) -> int:
        """How many there are."""
        return len(self._diff.reused)

    @cached_property
    def lists(self) -> list[EventList]:
        """The events by kind."""
        return list(self._listed())

    def _listed(self) -> Iterator[EventList]:
        events = self._diff.events
        kinds = np.asarray(events["kind"])
        point, cluster, _ = self._diff.source.nouns
        words = {"point": point, "points": plural(point), "cluster": cluster, "clusters": plural(cluster)}
        for kind, means in TOLD.items():
            at = np.flatnonzero(kinds == kind)
            first = [] if kind == "same" else [events[int(i)] for i in at[:LISTED]]
            if len(at):
                shown = [(event, self._component(event)) for event in first]
                yield EventList(kind, CALLED.get(kind, kind), means.format(**words), len(at), shown)

    @property
    def opened(self) -> list[int]:
        """The components that the page must hold, since the lists open them."""
        found = [self.component_of(row.name) for row in self.reused[:OPENED]]
        found += [number for one in self.lists for _, number in one.first[:OPENED]]
        return list(dict.fromkeys(number for number in found if number is not None))

    def _component(self, event: Event) -> int | None:
        """The component of the comparison that an event is about; none if its clusters share no point."""
        return self.component_of(event.old[0]) if event.shared else None

    def component_of(self, old: Any) -> int | None:
        """The component of an old cluster; none if it shares no point with a new one."""
        code = self._codes.get(old)
        return None if code is None else int(self._diff.analysis.join.of_true[code])

    @cached_property
    def alone(self) -> dict[int, Alone]:
        """The points of each listed cluster that was born or has vanished, by the component of its event, if known."""
        source, meet = self._diff.source, self._diff.succession.meet
        sides = {"vanished": "true", "born": "pred"}
        events = {one.kind: [event for event, _ in one.first] for one in self.lists if one.kind in sides}
        if not (events and source.known and meet.knows_points):
            return {}
        columns = source.columns[:COLUMNS]
        each = VALUES // (sum(map(len, events.values())) * (1 + len(columns)))
        join = self._diff.succession.join
        out: dict[int, Alone] = {}
        for kind, some in events.items():
            of = join.of_true if kind == "vanished" else join.of_pred
            codes = np.flatnonzero(np.isin(of, [event.component for event in some]))
            found = source.unmatched(sides[kind], codes, max(LEAST, min(MOST, each)))
            known = [
                name
                for i, name in enumerate(columns, 1)
                if any(row[i] is not None for rows in found for row in rows)
            ]
            keep = [0, *(1 + columns.index(name) for name in known)]
            for number, rows in zip(of[codes].tolist(), found, strict=True):
                out[number] = Alone(known, [tuple(row[i] for i in keep) for row in rows])
        return out

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {name: code for code, name in enumerate(self._diff.analysis.true)}
