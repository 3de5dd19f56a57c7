"""Where the records of several releases went: an alluvial diagram with a column per release."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.points.labels import Int64Array
from clusterdiff.releases.history import History
from clusterdiff.releases.lineage import Lineage
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    MISSING,
    SPURIOUS,
    TALLEST,
    WIDTH,
    axes,
    bare,
    legend,
    note,
    slanted,
    title,
    write,
)
from clusterdiff.show.plots.flows import BETWEEN, BOX, GAP, ROLES, ROW, STUB, ribbon, stub
from clusterdiff.show.plots.names import LINE, Names, extent, widest
from clusterdiff.wording import and_list, count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Records that the release before or after lacks.
REMOVED, ADDED = ("removed", MISSING), ("added", SPURIOUS)
#: Millimetres: the least height of a cluster, and how far columns are apart at least if each has names of its own.
THIN, NAMED = 0.4, 24.0


def history(found: History, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """Where the records of each release went in the next: clusters as bars, a column per release, oldest first.

    The components of which most records moved are drawn; colours are those of :func:`flow`. The title says how many of
    the components that changed are drawn, and the note what is left out.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> releases = [{"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1, "c": 1}]
    >>> plots.history(cd.history(releases)).get_title(loc="left")
    'Clusters over 3 releases'
    """
    rows = int((TALLEST - 45) / (ROW + GAP))
    chosen = _Chosen(found.lineage, rows)
    drawn = _Columns(found, chosen, width)
    heads = Names(30.0, 1)
    texts = [heads(release) for release in found.releases]
    ax = axes(ax, width, drawn.height + 22 + 0.8 * widest(texts))
    drawn.draw(ax)
    ax.set_xlim(0, width)
    ax.set_ylim(drawn.height, 0)
    bare(ax)
    slanted(ax, drawn.x + BOX / 2, texts)
    ax.tick_params(length=0)
    over = legend(ax, [entry for entry in (*ROLES.values(), REMOVED, ADDED) if entry in drawn.used])
    shown, changed = len(chosen.components), int((found.lineage.changed > 0).sum())
    of = f": {shown:,} of {count(changed, 'component')} that changed" if changed > shown else ""
    title(ax, f"Clusters over {count(len(found), 'release')}{of}", over)
    note(ax, "; ".join(filter(None, [chosen.note, drawn.note, heads.note])))
    return ax


class _Chosen:
    """The components of which most records moved, as far as there is room; of one that has none, the part around it.

    ``groups`` has the clusters of each by release, ``drawn`` all of them.
    """

    def __init__(self, lineage: Lineage, rows: int) -> None:
        self.lineage = lineage
        self.links = _Links(lineage)
        whole = np.bincount(lineage.component, lineage.size)
        order = np.lexsort((-whole, -lineage.changed))
        if lineage.changed.any():
            order = order[lineage.changed[order] > 0]
        by_component = np.argsort(lineage.component, kind="stable")
        start = np.searchsorted(lineage.component[by_component], np.arange(len(whole) + 1))
        self.components: list[int] = []
        self.groups: list[list[Int64Array]] = []
        self.cut = 0
        for component in order[:rows].tolist():
            clusters = by_component[start[component] : start[component + 1]]
            group = self._by_release(clusters)
            needed = max(map(len, group))
            if needed > rows:
                if self.groups:
                    continue
                self.cut = len(clusters)
                group = self._by_release(self._around(clusters, rows))
                needed = rows
            self.components.append(component)
            self.groups.append(group)
            rows -= needed
        self.drawn = np.concatenate([clusters for group in self.groups for clusters in group])

    def _by_release(self, clusters: Int64Array) -> list[Int64Array]:
        return np.split(clusters, np.searchsorted(clusters, self.lineage.start[1:-1]))

    def _around(self, clusters: Int64Array, rows: int) -> Int64Array:
        """The cluster from and to which most records moved, and those that it is linked with, by the largest links."""
        release = np.searchsorted(self.lineage.start, clusters, "right") - 1
        room = dict.fromkeys(release.tolist(), rows)
        of = dict(zip(clusters.tolist(), release.tolist(), strict=True))
        moved = np.zeros(len(self.lineage.size))
        for side in self.lineage.links:
            moved += np.bincount(side, self.lineage.moved, len(moved))
        waiting = [(0, int(clusters[np.argmax(moved[clusters])]))]
        taken: set[int] = set()
        while waiting and any(room.values()):
            cluster = heappop(waiting)[1]
            if cluster in taken or not room[of[cluster]]:
                continue
            taken.add(cluster)
            room[of[cluster]] -= 1
            links = self.links.of(cluster)
            for link in links[np.argsort(-self.links.size[links], kind="stable")][: 2 * rows].tolist():
                for other in (int(self.links.old[link]), int(self.links.new[link])):
                    if other not in taken:
                        heappush(waiting, (-int(self.links.size[link]), other))
        return np.array(sorted(taken), dtype=np.int64)

    @property
    def note(self) -> str:
        """What is left out, in words."""
        lineage, parts = self.lineage, []
        moved, k = int(lineage.changed.sum()), len(lineage.changed)
        changed = int((lineage.changed > 0).sum())
        left, same = (changed, k - changed) if changed else (k, 0)
        left -= len(self.components)
        if left and moved:
            share = percent(1 - int(lineage.changed[self.components].sum()) / moved)
            parts.append(f"{count(left, 'component')} that changed ({share} of the records that moved)")
        elif left:
            parts.append(count(left, "component"))
        if same:
            parts.append(f"{count(same, 'component')} in which no record moved")
        cut = (
            f"in part: {len(self.drawn):,} of {count(self.cut, 'cluster')} of a component" if self.cut else ""
        )
        return "; ".join(filter(None, [cut, f"not shown: {and_list(parts)}" if parts else ""]))


class _Links:
    """The links of all steps, and those of each cluster."""

    def __init__(self, lineage: Lineage) -> None:
        self.old, self.new = lineage.links
        self.size = np.concatenate([step.size for step in lineage.handed])
        mains = [(step.main("old"), step.main("new")) for step in lineage.handed]
        self.main_of_old, self.main_of_new = (np.concatenate(side) for side in zip(*mains, strict=True))
        self._forward, self._backward = (
            np.argsort(self.old, kind="stable"),
            np.argsort(self.new, kind="stable"),
        )
        every = np.arange(len(lineage.size) + 1)
        self._out = np.searchsorted(self.old[self._forward], every)
        self._in = np.searchsorted(self.new[self._backward], every)

    def onward(self, cluster: int) -> Int64Array:
        """The links to clusters of the next release."""
        return self._forward[self._out[cluster] : self._out[cluster + 1]]

    def back(self, cluster: int) -> Int64Array:
        """The links to clusters of the release before."""
        return self._backward[self._in[cluster] : self._in[cluster + 1]]

    def of(self, cluster: int) -> Int64Array:
        """The links to both."""
        return np.concatenate([self.onward(cluster), self.back(cluster)])

    def role(self, link: int) -> tuple[str, str]:
        """What became of the records of a link, and its colour."""
        return ROLES[bool(self.main_of_old[link]), bool(self.main_of_new[link])]


class _Columns:
    """What is drawn where, in millimetres: a column per release, and the components below each other."""

    def __init__(self, found: History, chosen: _Chosen, width: float) -> None:
        self.links, self.size = chosen.links, found.lineage.size
        self.start = found.lineage.start
        self.groups = [self._untangled(group) for group in chosen.groups]
        self.last = len(found) - 1
        names = Names(min(30.0, 0.16 * width), 1)
        drawn = chosen.drawn.tolist()
        release = np.searchsorted(self.start, chosen.drawn, "right") - 1
        self.release = dict(zip(drawn, release.tolist(), strict=True))
        called = {c: found.name_of(r, c - int(self.start[r])) for c, r in self.release.items()}
        ends = {c: names(called[c]) for c, r in self.release.items() if r in (0, self.last)}
        sizes = [extent(f"{int(self.size[c]):,}") for c in ends]
        longest, room = widest(ends.values()), max(sizes, default=0.0) + 2
        #: Where the columns are, and the names of the first and of the last one.
        self.x = np.linspace(longest + room + 2, width - longest - room - 2 - BOX, len(found))
        self.margins = longest, width - longest
        self.apart = float(self.x[1] - self.x[0])
        inside = Names(self.apart - BOX - 4, 1)
        inside.cut = names.cut
        between = {c: inside(called[c]) for c in drawn if c not in ends} if self.apart >= NAMED else {}
        self.named = ends | between
        self.unnamed = len(called) - len(self.named)
        self.shortened = names.note
        self.used: set[tuple[str, str]] = set()
        self._place()

    def _untangled(self, group: Sequence[Int64Array]) -> list[list[int]]:
        """Orders of the clusters of each release in which few links cross: each goes to the mean of its neighbours."""
        order = [sorted(clusters.tolist(), key=lambda c: -int(self.size[c])) for clusters in group]
        columns = range(len(order))
        for turn in range(4):
            forward = turn % 2 == 0
            for column in columns[1:] if forward else columns[-2::-1]:
                fixed = order[column - 1 if forward else column + 1]
                place = {cluster: i for i, cluster in enumerate(fixed)}
                order[column] = self._by_neighbours(order[column], place, forward)
        return order

    def _by_neighbours(self, clusters: list[int], place: dict[int, int], forward: bool) -> list[int]:
        links, ends = (self.links.back, self.links.old) if forward else (self.links.onward, self.links.new)
        mean = {}
        for i, cluster in enumerate(clusters):
            own = [link for link in links(cluster).tolist() if int(ends[link]) in place]
            weights = [int(self.links.size[link]) for link in own]
            at = [place[int(ends[link])] for link in own]
            mean[cluster] = float(np.average(at, weights=weights)) if own else float(i)
        return sorted(clusters, key=mean.__getitem__)

    def _place(self) -> None:
        most = max(sum(int(self.size[group[r]].sum()) for group in self.groups) for r in range(self.last + 1))
        rows = sum(max(map(len, group)) for group in self.groups)
        self.scale = ROW * rows / max(most, 1)
        self.top: dict[int, float] = {}
        at = 0.0
        for group in self.groups:
            height = max(sum(self._slot(c) + GAP for c in column) for column in group)
            for column in group:
                spare = (height - sum(map(self._slot, column))) / max(len(column), 1)
                y = at + spare / 2
                for cluster in column:
                    self.top[cluster] = y + (self._slot(cluster) - self._tall(cluster)) / 2
                    y += self._slot(cluster) + spare
            at += height + BETWEEN
        self.height = at

    def _tall(self, cluster: int) -> float:
        return max(int(self.size[cluster]) * self.scale, THIN)

    def _slot(self, cluster: int) -> float:
        """The room that a cluster needs, with its name if that is written."""
        return max(self._tall(cluster), LINE if cluster in self.named else THIN)

    def draw(self, ax: Axes) -> None:
        """Ribbons and stubs first, then the clusters with their names."""
        ends: dict[int, tuple[float, float]] = {}
        starts: dict[int, tuple[float, float]] = {}
        for cluster in self.top:
            self._lay(ax, cluster, self.links.back(cluster), self.links.old, ends, -1)
            self._lay(ax, cluster, self.links.onward(cluster), self.links.new, starts, 1)
        # What stayed is drawn first, so that nothing that moved lies under it.
        both = [link for link in starts if link in ends]
        for link in sorted(both, key=lambda link: -int(self.links.size[link])):
            role = self.links.role(link)
            self.used.add(role)
            sides = self.links.old, self.links.new
            x0, x1 = (float(self.x[self.release[int(side[link])]]) for side in sides)
            ribbon(ax, (x0 + BOX, *starts[link]), (x1, *ends[link]), role[1])
        self._boxes(ax)

    def _lay(
        self,
        ax: Axes,
        cluster: int,
        links: Int64Array,
        others: Int64Array,
        places: dict[int, tuple[float, float]],
        outward: int,
    ) -> None:
        """Give each link of a cluster, on one side of it, its place along the bar; stubs are what leads elsewhere."""
        release = self.release[cluster]
        if release == (0 if outward < 0 else self.last):
            return
        point = self._tall(cluster) / int(self.size[cluster])
        at, known = self.top[cluster], 0
        rest: dict[tuple[str, str], int] = {}
        drawn = [link for link in links.tolist() if int(others[link]) in self.top]
        for link in sorted(drawn, key=lambda link: self.top[int(others[link])]):
            places[link] = at, point * int(self.links.size[link])
            at += places[link][1]
        for link in links.tolist():
            known += int(self.links.size[link])
            if link not in places:
                role = self.links.role(link)
                rest[role] = rest.get(role, 0) + int(self.links.size[link])
        lacking = int(self.size[cluster]) - known
        x = float(self.x[release]) + (BOX if outward > 0 else 0)
        length = min(STUB, 0.4 * self.apart)
        for role, points in [
            *rest.items(),
            *([(ADDED if outward < 0 else REMOVED, lacking)] if lacking else []),
        ]:
            self.used.add(role)
            stub(ax, (x, at, point * points), outward * length, role[1], arrow=role in rest)
            at += point * points

    def _boxes(self, ax: Axes) -> None:
        from matplotlib.patches import Rectangle
        from matplotlib.patheffects import withStroke

        for cluster, top in self.top.items():
            release, tallness = self.release[cluster], self._tall(cluster)
            x = float(self.x[release])
            ax.add_patch(Rectangle((x, top), BOX, tallness, color=BLACK, linewidth=0))
            if cluster not in self.named:
                continue
            middle, text = top + tallness / 2, self.named[cluster]
            style: dict[str, Any] = {"va": "center", "ha": "right" if release == 0 else "left"}
            if 0 < release < self.last:
                halo = [withStroke(linewidth=2, foreground="white")]
                write(ax, x + BOX + 1, middle, text, path_effects=halo, **style)
                continue
            beside = x - 1 if release == 0 else x + BOX + 1
            write(ax, beside, middle, f"{int(self.size[cluster]):,}", color=GREY, **style)
            write(ax, self.margins[release > 0], middle, text, **style)

    @property
    def note(self) -> str:
        """What has no room, in words."""
        unnamed = f"no room for the names of {count(self.unnamed, 'cluster')} between" if self.unnamed else ""
        return "; ".join(filter(None, [unnamed, self.shortened]))
