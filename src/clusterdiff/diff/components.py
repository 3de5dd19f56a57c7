"""Component: a connected component as users see it, with its clusters and points by name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from clusterdiff import notebook
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.loss import PARTS
from clusterdiff.diff.source import PointSource
from clusterdiff.meet.meet import Meet
from clusterdiff.points.corpus import Entity
from clusterdiff.table import Table, plain, record_html, shown


class Place(NamedTuple):
    """Where a component can be looked at: an analysis in memory, its points, and the component's number there."""

    analysis: Analysis
    source: PointSource
    component: int


class Members(Protocol):
    """What components are made of, wherever that is kept; components are given by their numbers."""

    def place(self, component: int) -> Place:
        """Where it can be looked at in memory."""

    def clusters(self, component: int, side: str) -> list[Any]:
        """The names of its "true" or "pred" clusters."""

    def meet(self, component: int) -> Meet:
        """The meet of its points alone."""

    def points(self, component: int) -> list[Hashable]:
        """The names of its points."""


class InMemory(NamedTuple):
    """The members of components whose meet is in memory."""

    analysis: Analysis
    source: PointSource

    def place(self, component: int) -> Place:
        """Where it can be looked at: here."""
        return Place(self.analysis, self.source, component)

    def clusters(self, component: int, side: str) -> list[Any]:
        """The names of its "true" or "pred" clusters."""
        return self.analysis.clusters_of_component(component, side)

    def meet(self, component: int) -> Meet:
        """The meet of its points alone."""
        return self.analysis.meet_of_component(component)

    def points(self, component: int) -> list[Hashable]:
        """The names of its points."""
        cells = self.analysis.cells_of_component(component)
        if not self.analysis.meet.lost:
            return self.source.points(cells)
        true, pred = (self.analysis.codes_of_component(component, side) for side in ("true", "pred"))
        return self.source.points_of(cells, true, pred)


@dataclass(frozen=True)
class Component:
    """A connected component: a set of points that both clusterings keep apart from all others.

    Its clusters are the user's own, without those that were made for single points.

    ``kind`` is "same" (one cluster on either side), "split" (one true cluster in several predicted ones),
    "merge" (several true clusters in one) or "mixed"; where points count as lost also "missing" and "spurious", for
    clusters that match one to one, or nothing, but for such points. ``loss`` is its share of the whole loss.
    """

    _members: Members = field(repr=False, compare=False)
    component: int
    kind: str
    size: int
    true_clusters: int
    pred_clusters: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float = 0.0
    spurious_loss: float = 0.0

    @property
    def place(self) -> Place:
        """Where it can be looked at in memory."""
        return self._members.place(self.component)

    @property
    def true(self) -> list[Any]:
        """The names of its true clusters; none for points that are in none of the user's."""
        return self._members.clusters(self.component, "true")

    @property
    def pred(self) -> list[Any]:
        """The names of its predicted clusters."""
        return self._members.clusters(self.component, "pred")

    @property
    def document(self) -> str | None:
        """The document that it is in, if its clusters are entities of a text."""
        named = (*self.true, *self.pred)
        return named[0].document if named and isinstance(named[0], Entity) else None

    @property
    def meet(self) -> Meet:
        """The meet of its points alone."""
        return self._members.meet(self.component)

    @property
    def points(self) -> list[Hashable]:
        """The names of its points."""
        return self._members.points(self.component)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, clusters by name."""
        numbers = ("component", "kind", "size", "true_clusters", "pred_clusters", "score")
        losses = {"total": self.loss} | {part: getattr(self, f"{part}_loss") for part in PARTS}
        return {name: getattr(self, name) for name in numbers} | {
            "loss": losses,
            "true": [plain(name) for name in self.true],
            "pred": [plain(name) for name in self.pred],
        }

    def _repr_html_(self) -> str:
        facts = {
            name: value for name, value in self.to_dict().items() if name not in ("loss", "true", "pred")
        }
        losses = {name: getattr(self, name) for name in ("loss", *(f"{part}_loss" for part in PARTS))}
        clusters = {"true": _name_list(self.true), "predicted": _name_list(self.pred)}
        return record_html("Component", facts | losses | clusters)


def components(analysis: Analysis, source: PointSource) -> Table[Component]:
    """The components, costliest first."""
    return rows(analysis.components, InMemory(analysis, source))


def rows(columns: Mapping[str, Any], members: Members) -> Table[Component]:
    """Components from their columns, and what they are made of."""
    row: Any = partial(Component, members)
    return Table(columns, row)


def overview_html(
    notices: Sequence[str], sentences: Sequence[str], rows: Table[Component], signature: str
) -> str:
    """A comparison as a notebook shows it: notices, what it comes to, what lost something, how it was made."""
    first, *rest = sentences
    texts = [
        [row.kind, f"{row.size:,}", shown(row.loss), _name_list(row.true), _name_list(row.pred)]
        for row in rows
        if row.loss > 0
    ]
    head = ("kind", "points", "loss", "true", "predicted")
    return notebook.view(
        *map(notebook.notice, notices),
        notebook.line(first, strong=True),
        *map(notebook.line, rest),
        notebook.table(head, texts, [False, True, True, False, False]) if texts else "",
        notebook.signature(signature),
    )


def _name_list(names: Sequence[Any], limit: int = 4) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(shown(str(name), 30) for name in names[:limit]) + more
