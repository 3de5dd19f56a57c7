"""Patterns: what goes wrong, who is hit, and what to fix first, as groups of points instead of single errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clusterdiff import notebook
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.attributes import given_columns, read_values
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.groups import Group, groups, united
from clusterdiff.diff.hits import Hit, Hits, who
from clusterdiff.diff.shapes import Confusion, Shape, Shapes
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.wording import Nouns, change, count, name, number, percent, plural

#: Comparisons of so many points, or so few damaged components among many clusters, are told component by component.
TINY, DAMAGED = 200, 10
#: Up to so many clusters are few: they are told as confusions.
FEW = 100
#: How many rows of each kind are told.
ROWS, HIT, FIXED = 4, 3, 3

BEFALLEN = {
    "left": "split off",
    "merged": "merged into another",
    "missing": "missing",
    "spurious": "spurious",
}


@dataclass(frozen=True)
class Patterns:
    """What goes wrong in a comparison. ``print`` it, or read its parts.

    ``regime`` says which question comes first: "mentions", "releases", "tiny", "few" (clusters) or "many".
    ``shapes`` add up to the loss, and so do ``confusions``, its cells, for few clusters. ``hits`` say who is hit; they
    are None without columns, and ``unusable`` names columns whose values cannot be told apart. ``groups`` are what to
    fix first.
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
    unusable: tuple[str, ...] = ()
    sides: tuple[str, str] = ("true", "predicted")
    nouns: Nouns = field(default=Nouns(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "regime": self.regime,
            "shapes": [row.to_dict() for row in self.shapes],
            "confusions": [row.to_dict() for row in self.confusions],
            "who": None if self.hits is None else self.hits.to_dict() | {"unusable": list(self.unusable)},
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
        point, cluster = self.nouns
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
        point, cluster = self.nouns
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
            "e-split": f"in tangles, {some} split off",
            "e-merge": f"in tangles, {some} merged in",
            "e-sides": f"in tangles, {some} changed sides",
            "e-missing": f"in tangles, missing {points}",
            "e-spurious": f"in tangles, spurious {points}",
        }[row.shape]

    def detail(self, row: Shape) -> str:
        """How often a shape occurs, and how large it is."""
        point = self.nouns.point
        typical = (
            f"mostly 1 {point}"
            if row.ones >= 0.5
            else f"half of them {count(int(row.typical), point)} or fewer"
        )
        if row.sizes is None:
            return f"{count(row.count, 'time')}, {typical}" if row.count > 1 else "once"
        low, high = row.sizes
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        number_of = count(row.count, "component")
        if row.shape.startswith("split"):
            return f"{number_of}, {typical} split off, out of {span}"
        return f"{number_of} of {span if high > 1 else '1'} {plural(point) if high > 1 else point}"

    def _hit(self, hits: Hits) -> Iterator[tuple[str, str]]:
        for row in hits.rows[:HIT]:
            yield "", self.words_of_hit(row)
        if not hits.rows:
            verb = "changes" if self.regime == "releases" else "errors"
            columns = f"no value of {count(hits.columns, 'column')} goes with {verb}"
            yield "", f"{columns} ({count(hits.tests, 'question')} asked)"
        if self.unusable:
            yield (
                "",
                f"not looked at, as their values cannot be told apart: {', '.join(map(name, self.unusable))}",
            )

    def words_of_hit(self, row: Hit) -> str:
        """Who is hit by what, how much more often than others, and how much of the loss that is."""
        befallen, excess = BEFALLEN[row.harm], row.excess
        example = f" ({name(row.example)})" if row.example is not None else ""
        if row.spares:
            rates = f"{percent(excess.rest)} against {percent(excess.rate)}"
            return f"spared from being {befallen}: unless {row.words}: {rates}"
        rates = f"{percent(excess.rate)} against {percent(excess.rest)}"
        return f"{befallen}: {row.words}{example}: {rates}, {percent(row.cover)} of the loss"

    def _fixed(self) -> Iterator[tuple[str, str]]:
        for group in self._first_groups():
            points = count(group.points - group.partners, self.nouns.point)
            partners = f" and {count(group.partners, 'partner')}" if group.partners else ""
            share = f"{percent(group.share)} of the loss"
            told = f"{share}  {self.words_of(group)}: {points}{partners}, then S_H = {number(group.score)}"
            yield change(group.gain), told

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
        told = f"S_H = {number(self.score)}"
        if not self.shapes:
            return f"{told}: nothing {verb}."
        where = f"{self.damaged:,} of {count(self.components, 'component')}"
        where = "the only component" if self.components == 1 else where
        return "\n".join([f"{told}: {number(self.loss)} {verb}, in {where}.", *self.sentences])

    def _repr_html_(self) -> str:
        first, *rest = str(self).splitlines()
        return notebook.view(notebook.line(first, strong=True), *map(notebook.line, rest))


def patterns(
    analysis: Analysis,
    source: PointSource,
    columns: Sequence[str] | None,
    attributes: object,
    sides: tuple[str, str],
) -> Patterns:
    """What goes wrong; see :meth:`Comparison.patterns`."""
    shapes = Shapes(Blame(analysis))
    given = _columns(source, columns, attributes)
    values = {column: read_values(value) for column, value in given.items()}
    usable = {column: value for column, value in values.items() if value is not None}
    regime = _regime(analysis, source.nouns, sides)
    hits = who(shapes, source, usable) if given and source.known else None
    fixed: list[Group] = []
    if source.known and regime != "releases":
        fixed = groups(shapes, source, [] if hits is None else hits.rows, confusions=regime == "few")
    kinds = analysis.kinds
    return Patterns(
        regime,
        analysis.score,
        analysis.loss.total,
        sum(kinds.values()) - kinds["same"],
        sum(kinds.values()),
        shapes.rows,
        shapes.confusions if _few(analysis) else [],
        hits,
        fixed,
        tuple(column for column, value in values.items() if value is None),
        sides,
        source.nouns,
    )


def _few(analysis: Analysis) -> bool:
    return max(analysis.meet.k_true, analysis.meet.k_pred) <= FEW


def _regime(analysis: Analysis, nouns: Nouns, sides: tuple[str, str]) -> str:
    """Which question comes first."""
    kinds = analysis.kinds
    damaged = sum(kinds.values()) - kinds["same"]
    if nouns.point == "mention":
        return "mentions"
    if sides == ("old", "new"):
        return "releases"
    if analysis.meet.n <= TINY or (damaged <= DAMAGED and analysis.meet.k_true > FEW):
        return "tiny"
    return "few" if _few(analysis) else "many"


def _columns(source: PointSource, wanted: Sequence[str] | None, attributes: object) -> Mapping[str, Any]:
    """The columns that predicates are made of: those of the tables, and those given."""
    given = (
        {}
        if attributes is None
        else {str(key): column for key, column in given_columns(attributes, source).items()}
    )
    known = list(dict.fromkeys([*given, *source.columns]))
    chosen = known if wanted is None else list(wanted)
    for column in chosen:
        if column not in known:
            raise ArgumentError.must(
                "columns",
                "name columns of the tables or of `attributes`",
                got=repr(column),
                hint=nearest(column, known) or "pass the column itself in `attributes`.",
            )
    return {column: given[column] if column in given else source.column(column) for column in chosen}
