"""Patterns: what goes wrong, who is hit, and what to fix first, as groups of points instead of single errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import notebook
from clusterdiff.diff.loss import Loss
from clusterdiff.points.labels import BoolArray, Int64Array
from clusterdiff.table import plain, record_html
from clusterdiff.wording import Nouns, change, count, name, number, percent, plural

#: How many rows of each kind are shown.
ROWS, HIT, FIXED = 4, 3, 3

BEFALLEN = {
    "left": "split off",
    "merged": "merged into another",
    "missing": "missing",
    "spurious": "spurious",
}


@dataclass(frozen=True)
class SizeShare:
    """The edits of one class of size: how many, and their share of the loss."""

    size: str
    count: int
    share: float

    def _repr_html_(self) -> str:
        return record_html("SizeShare", asdict(self))


@dataclass(frozen=True)
class Shape:
    """Components of one shape, or edits of one kind in tangles, with what they lost.

    ``moved`` points left their clusters, or are missing or spurious; ``typical`` is the median by component or edit,
    and ``ones`` the share of those with one at most. ``sizes`` are the 10% and 90% quantiles of the components' sizes,
    and ``clusters`` the numbers of true and predicted clusters if these are the same for all.
    """

    shape: str
    unit: str
    count: int
    moved: float
    loss: Loss
    share: float
    typical: float
    ones: float
    sizes: tuple[int, int] | None = None
    clusters: tuple[int, int] | None = None
    by_size: tuple[SizeShare, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        out = asdict(self) | {"loss": self.loss.to_dict(), "sizes": self.sizes and list(self.sizes)}
        del out["clusters"]
        if self.by_size:
            out["by_size"] = [asdict(row) for row in self.by_size]
        else:
            del out["by_size"]
        return out

    def _repr_html_(self) -> str:
        return record_html("Shape", self.to_dict())


class Confusion(NamedTuple):
    """``points`` of the ``of`` points of a true cluster are in a predicted one, whose points are mostly ``mostly``."""

    true: Any
    pred: Any
    mostly: Any
    points: int
    of: int
    share: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return self._asdict() | {name: plain(getattr(self, name)) for name in ("true", "pred", "mostly")}

    def _repr_html_(self) -> str:
        return record_html("Confusion", self._asdict())


class Excess(NamedTuple):
    """How much more often a harm befell ``n`` points than others.

    ``expected`` is what their strata would have them suffer; ``adjusted`` the ratio of rates with that in mind.
    ``ratio`` is infinite where the rest has no hit. ``deff``, the design effect, is what a hit counts less for coming
    in clusters. ``p`` is one-sided.
    """

    n: int
    hits: float
    expected: float
    rate: float
    rest: float
    ratio: float
    adjusted: float
    deff: float
    p: float

    def _repr_html_(self) -> str:
        return record_html("Excess", self._asdict())


@dataclass(frozen=True)
class Hit:
    """Points with a predicate that suffered a harm more often than others.

    ``cover`` is the share of the loss that is charged to them, and ``adds`` that without the points of the rows above.
    ``explains`` is what rows are ranked by. ``points`` says for which points the predicate holds.
    """

    harm: str
    column: str
    text: str
    kind: str
    excess: Excess
    holm: float
    cover: float
    explains: float
    adds: float
    eligible: int
    example: Any = None
    points: BoolArray = field(repr=False, compare=False, default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def spares(self) -> bool:
        """Whether it holds for most: then the others are spared."""
        return self.excess.n > self.eligible / 2

    @property
    def words(self) -> str:
        """The predicate."""
        return self.text if self.kind == "and" else f"{name(self.column)} {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values; the ratios are None where the rest has no hit."""
        out: dict[str, Any] = {"outcome": self.harm}
        out |= {key: getattr(self, key) for key in ("column", "text", "kind")}
        numbers = self.excess._asdict() | {
            key: getattr(self, key) for key in ("holm", "cover", "explains", "adds")
        }
        out |= {key: value if isfinite(value) else None for key, value in numbers.items()}
        return out | {"example": plain(self.example)}

    def _repr_html_(self) -> str:
        return record_html("Hit", self.to_dict())


class BaseRate(NamedTuple):
    """How often a harm befell anybody: of the eligible points so many, and its share of the loss."""

    eligible: int
    hits: float
    rate: float
    share: float

    def _repr_html_(self) -> str:
        return record_html("BaseRate", self._asdict())


@dataclass(frozen=True)
class Hits:
    """Who is hit. ``rows`` add to each other, best first; ``also`` tells the same points otherwise.

    ``tests`` predicates and harms were looked at, of so many ``columns``; ``unusable`` columns have values that cannot
    be distinguished. ``base`` says how often each harm befell anybody.
    """

    rows: list[Hit]
    also: list[Hit]
    tests: int
    base: dict[str, BaseRate]
    columns: int
    unusable: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "tests": self.tests,
            "base": {harm: base._asdict() for harm, base in self.base.items()},
            "rows": [row.to_dict() for row in self.rows],
            "also": [row.to_dict() for row in self.also],
            "unusable": list(self.unusable),
        }

    def _repr_html_(self) -> str:
        return notebook.view(
            *(notebook.line(row.words) for row in self.rows), notebook.line(count(self.tests, "test"))
        )


@dataclass(frozen=True)
class Group:
    """Points that are put where truth has them, all at once, after the groups above.

    ``what`` is the hit, the shape, the edit or the confusion that they have in common; "missing" and "spurious" points
    are added and removed, and "rest" is everybody else. ``partners`` of the ``points`` are the other part of a cluster
    whose parts are equally large: one of them had to move. ``at`` has their positions, and ``cells`` their cells,
    if it is known that they have all points of these.
    """

    kind: str
    what: Hit | Confusion | str
    points: int
    partners: int
    gain: float
    share: float
    score: float
    at: Int64Array = field(repr=False, compare=False)
    cells: Int64Array | None = field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        return record_html(
            "Group",
            {key: getattr(self, key) for key in ("kind", "points", "partners", "gain", "share", "score")},
        )


@dataclass(frozen=True)
class Patterns:
    """What goes wrong in a comparison. ``print`` it, or read its parts.

    ``regime`` says which question comes first: "mentions", "releases", "tiny", "few" (clusters) or "many".
    ``shapes`` add up to the loss, and so do ``confusions``, its cells, for few clusters. ``hits`` say who is hit; they
    are None without columns. ``groups`` are what to fix first. Shares are of the loss of ``measure``, gains its own.
    """

    regime: str
    score: float
    loss: float
    damaged: int
    components: int
    shapes: list[Shape]
    confusions: list[Confusion]
    hits: Hits | None
    groups: list[Group]
    measure: str = "S_H"
    sides: tuple[str, str] = ("true", "predicted")
    nouns: Nouns = field(default=Nouns(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "regime": self.regime,
            "measure": self.measure,
            "shapes": [row.to_dict() for row in self.shapes],
            "confusions": [row.to_dict() for row in self.confusions],
            "who": None if self.hits is None else self.hits.to_dict(),
            "groups": [
                {
                    "group": self.words_of(group),
                    "kind": group.kind,
                    "records": group.points,
                    "partners": group.partners,
                    "gain": group.gain,
                    "share": group.share,
                    "score": group.score,
                }
                for group in self.groups
            ],
        }

    # ---- in words

    def blocks(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """What there is to tell: a heading, and lines of a number and words."""
        if not self.shapes:
            return
        changed = self.regime == "releases"
        told = self._confused() if self.regime == "few" else self._shaped()
        yield "what changed" if changed else "what goes wrong", list(told)
        if self.hits is not None:
            yield "who is concerned" if changed else "who is hit", list(self._hit(self.hits))
        if self.groups:
            yield "what to fix first", list(self._fixed())

    def _confused(self) -> Iterator[tuple[str, str]]:
        for row in self.confusions[:ROWS]:
            yield percent(row.share), self.words_of_confusion(row)
        rest = self.confusions[ROWS:]
        if rest:
            yield percent(sum(row.share for row in rest)), count(len(rest), "more confusion")

    def words_of_confusion(self, row: Confusion) -> str:
        """Where some points of a true cluster are, and what that is mostly."""
        point, cluster, _ = self.nouns
        points = f"{row.points:,} of {count(row.of, point)} of {self.sides[0]} {cluster} {name(row.true)}"
        mostly = (
            "apart from the rest" if row.mostly == row.true else f"mostly {self.sides[0]} {name(row.mostly)}"
        )
        verb = "is" if row.points == 1 else "are"
        return f"{points} {verb} in {self.sides[1]} {cluster} {name(row.pred)}, {mostly}"

    def _shaped(self) -> Iterator[tuple[str, str]]:
        for row in self.shapes[:ROWS]:
            yield percent(row.share), f"{self.words_of_shape(row)}: {self.detail(row)}"
        rest = self.shapes[ROWS:]
        if rest:
            components = sum(row.count for row in rest if row.unit == "component")
            also = f", {count(components, 'component')}" if components else ""
            yield percent(sum(row.share for row in rest)), count(len(rest), "rarer shape") + also

    def words_of_shape(self, row: Shape) -> str:
        """A shape in words.

        >>> import clusterdiff as cd
        >>> found = cd.compare(["A", "A", "A"], [1, 1, 2]).patterns()
        >>> found.words_of_shape(found.shapes[0])
        'one true cluster in two'
        """
        point, cluster, _ = self.nouns
        points, one = plural(point), f"{self.sides[0]} {cluster}"
        several, predicted = plural(one), plural(f"{self.sides[1]} {cluster}")
        kind, _, size = row.shape.rpartition("-")
        if kind in ("split", "merge"):
            many = {"2": "two", "3": "three", "4+": "four or more"}[size]
            return f"one {one} in {many}" if kind == "split" else f"{many} {several} in one"
        some = f"one {point}" if row.ones >= 0.5 else f"some {points}"
        entangled = (
            "clusters entangled"
            if row.clusters is None
            else (f"{row.clusters[0]} {several} in {row.clusters[1]}, entangled")
        )
        return {
            "exchange": f"two {several} exchanged {points}",
            "sides": f"{some} changed sides between two {several}",
            "hub": f"one {one} split, and merged with another",
            "tangle-s": entangled,
            "missing": f"{several} with missing {points}",
            "spurious": f"{several} with spurious {points}",
            "both": f"{several} with missing and spurious {points}",
            "missing-all": f"{several} missing altogether",
            "spurious-all": f"spurious {predicted}",
            "e-split": f"in tangles, {points} split off",
            "e-merge": f"in tangles, {points} merged in",
            "e-sides": f"in tangles, {points} changed sides",
            "e-missing": f"in tangles, missing {points}",
            "e-spurious": f"in tangles, spurious {points}",
        }[row.shape]

    def detail(self, row: Shape) -> str:
        """How often a shape occurs, and how large it is."""
        point, moved = self.nouns.point, f"{int(row.typical):,}"
        if row.count > 1:
            moved = "mostly 1" if row.ones >= 0.5 else f"in half of them {moved} or fewer"
        if row.sizes is None:
            times = f"{row.count:,} times" if row.count > 1 else "once"
            return f"{times}, {moved} {point if row.typical <= 1 else plural(point)}"
        low, high = row.sizes
        span = f"{low:,} to {high:,} {plural(point)}" if low < high else count(low, point)
        components = f"{count(row.count, 'component')} of {span}"
        return f"{components}, {moved} split off" if row.shape.startswith("split") else components

    def _hit(self, hits: Hits) -> Iterator[tuple[str, str]]:
        for row in hits.rows[:HIT]:
            yield "", self.words_of_hit(row)
        if not hits.rows:
            verb = "changes" if self.regime == "releases" else "errors"
            tried = f"{count(hits.columns, 'column')}, {count(hits.tests, 'test')}"
            yield "", f"no property is associated with {verb} ({tried})"
        if hits.unusable:
            yield (
                "",
                f"not used, since their values cannot be distinguished: {', '.join(map(name, hits.unusable))}",
            )

    def words_of_hit(self, row: Hit) -> str:
        """Who is hit by what, how much more often than others, and how much of the loss that is."""
        befallen, excess = BEFALLEN[row.harm], row.excess
        example = f" ({name(row.example)})" if row.example is not None else ""
        if row.spares:
            rates = f"{percent(excess.rest)} against {percent(excess.rate)}"
            return f"{befallen} less often unless {row.words}: {rates}"
        rates = f"{percent(excess.rate)} against {percent(excess.rest)}"
        return f"{befallen}: {row.words}{example}: {rates}, {percent(row.cover)} of the loss"

    def _fixed(self) -> Iterator[tuple[str, str]]:
        first = self._first_groups()
        width = max(len(percent(group.share)) for group in first)
        for group in first:
            points = count(group.points - group.partners, self.nouns.point)
            partners = f" and {count(group.partners, 'partner')}" if group.partners else ""
            told = f"{self.words_of(group)}: {points}{partners}, then {self.measure} = {number(group.score)}"
            yield f"{change(group.gain)}  {percent(group.share).rjust(width)} of the loss", told

    def _first_groups(self) -> Sequence[Group]:
        """The first groups, and all others as one."""
        return [*self.groups[:FIXED], *united(self.groups[FIXED:])]

    def words_of(self, group: Group) -> str:
        """What the points of a group have in common."""
        if isinstance(group.what, Hit):
            return group.what.words
        if isinstance(group.what, Confusion):
            return self.words_of_confusion(group.what)
        shapes = {row.shape: row for row in self.shapes}
        if group.kind == "shape":
            return self.words_of_shape(shapes[group.what])
        points = plural(self.nouns.point)
        return {"missing": f"missing {points}", "spurious": f"spurious {points}", "rest": "the rest"}[
            group.kind
        ]

    @property
    def summary(self) -> list[str]:
        """What goes wrong in one sentence; none if nothing does."""
        rows = [
            f"{percent(row.share)} {self.words_of_shape(row)} ({row.count:,})" for row in self.shapes[:ROWS]
        ]
        rest = self.shapes[ROWS:]
        if rest:
            rows.append(f"{percent(sum(row.share for row in rest))} {count(len(rest), 'rarer shape')}")
        return [f"By shape: {'; '.join(rows)}."] if rows else []

    @property
    def sentences(self) -> list[str]:
        """The lines that ``print`` shows."""
        out = []
        for heading, lines in self.blocks():
            width = max(len(figure) for figure, _ in lines)
            out += [
                heading,
                *(f"  {figure.rjust(width)}{'  ' * (width > 0)}{words}" for figure, words in lines),
            ]
        return out

    def __str__(self) -> str:
        verb = "changed" if self.regime == "releases" else "was lost"
        told = f"{self.measure} = {number(self.score)}"
        if not self.shapes:
            return f"{told}: nothing {verb}."
        where = f"{self.damaged:,} of {count(self.components, 'component')}"
        where = "the only component" if self.components == 1 else where
        return "\n".join([f"{told}: {number(self.loss)} {verb}, in {where}.", *self.sentences])

    def _repr_html_(self) -> str:
        first, *rest = str(self).splitlines()
        return notebook.view(notebook.line(first, strong=True), *map(notebook.line, rest))


def united(found: list[Group]) -> list[Group]:
    """Several groups as one, "the rest"; none if there are none."""
    if not found:
        return []
    points, partners = sum(group.points for group in found), sum(group.partners for group in found)
    gain, share = sum(group.gain for group in found), sum(group.share for group in found)
    at = np.concatenate([group.at for group in found])
    return [Group("rest", "rest", points, partners, gain, share, found[-1].score, at)]
