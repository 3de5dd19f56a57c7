"""What the report shows, as plain values: the page is only a way to look at this.

The page's script finds its data (``data`` in every script file) in one JSON object. Points, clusters and cells are
given by their places in the lists of their component; losses are shares of the whole, and add up to 1 - S_H.

``sides``          what the two clusterings are called
``letters``        what marks the names of either side's clusters: ["T", "P"]
``regime``         which question comes first (see :class:`clusterdiff.types.Patterns`)
``nouns``          what points and clusters are called: ["point", "cluster"], or ["mention", "entity"]
``measure``        None, or another measure than S_H that costs are shown in: {name, score, loss, left, similarity,
                   sums}; loss has its parts by name, left counts the components, true and predicted clusters (by
                   "component", "true", "pred") whose costs are not known, and sums are what ``measured.js`` reads;
                   None if the review has to tell S_H
``n``              number of points
``total``          their mass: n, or the sum of the weights
``unit``           what weights are measured against: total/n, or 1 without weights
``weighted``, ``uneven``, ``points``   whether points have weights; may be lost; are known by name
``score``, ``loss``                    S_H, and [total, split, merge, missing, spurious]
``attributes``     the names of the points' other columns
``clusters``       how many true and predicted clusters there are in all
``patch``          how new clusters are called, and why a patch cannot be made (see ``trying.patching``)
``judging``        what was decided before, and how decisions become judgements (see ``judging.judging``)
``repairs``        every repair that the page lists, in the order of ``diff.repairs(measure)`` (see below)
``groups``         what to fix first, as groups (see ``grouping.Grouped.data``)
``kinds``          how many components there are of each kind, in all
``shapes``         the lines of the patterns: {shape: {share, loss, tangled}}; ``loss`` has its masses of S_H, and
                   ``tangled`` those of them in tangles, as [split, merge, missing, spurious]
``samples``        components of each shape, at random: {shape: ids}
``documents``      of mentions (see ``papers.Papers.documents``)
``components``     the components that the page holds, costliest first (see below); ``rest`` counts the others:
                   {components, points, loss}

A component is an object:

``id``, ``rank``   its number, and its place among all components by loss, from 1
``kind``, ``size``, ``score``, ``loss``   as in ``diff.components``; loss is [total, split, merge, missing, spurious]
``shape``          its line in the patterns, or "tangle"
``counts``         its [true clusters, predicted clusters, cells]
``whole``          1 if every cluster and cell of it is here; else the costliest are
``true``, ``pred`` its clusters, [name, size, score, loss, single, lost…]: single is 1 if it stands for one point that
                   is in none of the user's clusters; lost is there if ``uneven``: how many of its points the other
                   side lacks, and, if ``weighted``, their mass and their own
``cells``          [true, pred, size], and, if ``weighted``, mass and own, where own is the sum of w·log(w/unit)
``cost``, ``costs`` with ``measure``, what it would gain with the component, and with each of its [true, predicted]
                   clusters, set right; None if that was not computed
``story``          what happened, in sentences with signs around names of clusters (see ``stories.py``)
``repairs``        places of its repairs in ``data.repairs``
``points``         [cell, name, attribute…]; all points of the component, or some of each cell
``names``          the names of further points, by cell
``grouped``, ``parts``, ``locks``   what groups do to it (see ``grouping.Grouped``)
``numbers``        if not all of its points are here: the numbers of its cells in the meet
``outside``        if it is not ``whole``: sums over what was left out (see ``trying.outside``)
``named``          what a patch calls the clusters and parts of which not all points are here, by place in ``pred`` and
                   ``cells``, and what lies beyond the cells (see ``trying.ClusterNames``)
``lost``           [side, cluster, name, attribute…] for points that the other side lacks; side is "true" or "pred"

A repair is an object with ``operation``, ``gain``, ``sentence``, ``component`` (the id), ``affected`` (how many points
come into another cluster), and what it is about: ``clusters`` (places in pred), ``true`` (places in true), ``cells`` (a
list of places in cells for each part of a split, otherwise one list), ``into`` (the names of what comes out), and
``lost`` ([side, cluster]) for "add" and "remove". In documents it says in which (``document``).

Names and attributes are what :func:`clusterdiff.show.report.values.value` makes of them: JSON that is just the
user's value, or ``[text]`` where JSON has none.

With the content κ = mass·log(mass/unit) - own of some points (0 for fewer than two; without weights the mass is their
number and own is 0), a true cluster scores s = Σκ(cell)/κ(cluster) over its cells, or 1 if κ(cluster) = 0; a predicted
cluster scores t in the same way; and S_H = Σ mass·s·t/total over all cells, those of the rest included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.diff.explain import Explanation
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.slices import Slice
from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure, measures, resolve
from clusterdiff.measures.groups import grouped
from clusterdiff.show.pages import visible
from clusterdiff.show.report.attributes import read_attributes
from clusterdiff.show.report.costs import Costs
from clusterdiff.show.report.decided import Decisions
from clusterdiff.show.report.embed import FIRST_REPAIRS, FULL, USUAL, Embedded
from clusterdiff.show.report.events import EventLists
from clusterdiff.show.report.figures import Figures, affected, figures, letters
from clusterdiff.show.report.grouping import Grouped
from clusterdiff.show.report.judging import judging, read_given, refused
from clusterdiff.show.report.overview import FIRST, Overview
from clusterdiff.show.report.papers import Papers
from clusterdiff.show.report.trying import patching
from clusterdiff.show.report.values import amount
from clusterdiff.wording import count, number, percent, plural

#: How many steps of the sequence (as a curve) and values of a slice are shown.
CURVE, SLICES = 200, 30
#: Measures that take too long for more than so many points.
SLOW, MANY = ("cdistance", "smi"), 1_000
#: Measures by a best one-to-one matching, which takes too long in a component of more than so many cells.
MATCHED, TANGLED = ("ceaf_e.precision", "ceaf_e.recall", "ceaf_e.f1", "conll", "psi", "spsi"), 200_000
#: Measures that are 0 for shuffled labels, on average, by definition.
ADJUSTED = ("ari", "ami", "as_h")


@dataclass(frozen=True)
class MeasureRow:
    """A measure and its value."""

    measure: Measure
    value: float

    @property
    def range(self) -> str:
        """Its bounds, where they do not depend on the number of points."""
        low, high = self.measure.bounds
        if callable(low) or callable(high):
            return ""
        return f"{low:g} to {high:g}".replace("inf", "∞")


class Page:
    """Everything that the page shows of a comparison."""

    #: The measures and their values, which somebody may compute meanwhile.
    scores: Callable[[], list[MeasureRow]]

    def __init__(
        self,
        comparison: Comparison,
        attributes: object,
        by: Mapping[str, object],
        sides: tuple[str, str],
        about: Mapping[str, str],
        measure: AnyMeasure = "S_H",
        full: bool = False,
        judgements: object = None,
        spell: Callable[[str], str] = str,
    ) -> None:
        self.diff = comparison
        self._spell = spell
        self._given = read_given(judgements)
        self.about = {visible(name, 40): visible(text, 2_000) for name, text in about.items()}
        self.sides = tuple(visible(side, 40) for side in sides)
        self._by = by
        self._limits = FULL if full else USUAL
        self.nouns = comparison.source.nouns
        #: What is shown besides S_H.
        self.costs = None if resolve(measure) == resolve("S_H") else Costs(comparison, measure)
        self._attributes = attributes
        self._names, self._columns = read_attributes(attributes, comparison)
        self.explanation: Explanation = comparison.explain(sides=(self.sides[0], self.sides[1]))

    # ---- which tabs there are

    @cached_property
    def overview(self) -> Overview:
        """What the first tab tells."""
        sides = (self.sides[0], self.sides[1])
        found = self.diff.patterns(attributes=self._attributes, measure=self.measure, sides=sides)
        return Overview(self.diff, found)

    @cached_property
    def changes(self) -> EventLists:
        """What changed between two releases."""
        return EventLists(self.diff)

    @cached_property
    def papers(self) -> Papers | None:
        """Scores and texts of documents of mentions."""
        diff = self.diff
        return (
            Papers(diff)
            if isinstance(diff, CorpusComparison) and self.overview.regime == "mentions"
            else None
        )

    @property
    def tabs(self) -> dict[str, str]:
        """The sections by name, in their order: the one that answers the question of such data comes first."""
        noun, regime = plural(self.nouns.cluster), self.overview.regime
        fixing = regime != "releases"
        titles = {
            "changelog": "What changed" if regime == "releases" else "",
            "papers": "Scores and texts" if self.papers else "",
            "patterns": "Patterns" if self.overview.rows else "",
            "components": "Components",
            "true-clusters": f"{self.sides[0].capitalize()} {noun}",
            "pred-clusters": f"{self.sides[1].capitalize()} {noun}",
            "heat": "Matrix" if regime == "few" else "Heat map",
            "repairs": "Review" if fixing else "",
            "slices": "Slices",
            "measures": "Measures",
        }
        first = FIRST[regime]
        first = first if titles[first] else "components"
        return {first: titles[first]} | {name: title for name, title in titles.items() if title}

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of what some tabs list."""
        true, pred = self.diff.clusters
        return {"components": len(self.diff.components), "true-clusters": true, "pred-clusters": pred}

    # ---- the strip

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers."""
        return [visible(self._spell(notice), 1_000) for notice in self.diff.notices]

    @property
    def measure(self) -> Measure:
        """The measure that the page tells everything in."""
        return resolve("S_H") if self.costs is None else self.costs.measure

    @property
    def lost(self) -> str:
        """What the page calls a loss: a new release is no error."""
        return "change" if self.overview.regime == "releases" else "loss"

    @property
    def points_lost(self) -> str:
        """What a table calls losses: with weights, S_H's loss is not one of points."""
        if self.diff.meet.weights is not None:
            return self.lost
        return f"{plural(self.nouns.point)} {'lost' if self.lost == 'loss' else 'changed'}"

    def lost_points(self, loss: float) -> str:
        """A loss of S_H in points; with weights as it is."""
        meet = self.diff.meet
        return number(loss) if meet.weights is not None else amount(loss * float(meet.total))

    @property
    def reviewed(self) -> str:
        """The name of the review's measure: S_H, where the page's script cannot recompute another."""
        return "S_H" if self.costs is None or not self.costs.sums else self.measure.name

    @property
    def score(self) -> float:
        """Its value."""
        return self.diff.score() if self.costs is None else self.costs.score

    @property
    def loss(self) -> Loss:
        """What it lost, and to what."""
        return self.diff.loss if self.costs is None else self.costs.loss

    @cached_property
    def figures(self) -> list[Figures]:
        """What else readers of such data know."""
        return list(figures(self.diff, self.overview.regime))

    @cached_property
    def affected(self) -> int:
        """How many points are not where they belong."""
        return affected(self.diff)

    @property
    def letters(self) -> list[str]:
        """What marks the names of either side's clusters."""
        return letters(self.sides)

    @property
    def kinds(self) -> list[dict[str, Any]]:
        """For each kind of component: how many there are, and their share of the loss."""
        lost, total = self.explanation.kinds, self.diff.loss.total
        # Sums in another order differ in their last digits, which is no reason to say "over 99.9999%".
        shares = {kind: round(loss.total / total, 12) for kind, loss in lost.items()} if total else {}
        return [
            {"kind": kind, "count": components, "share": shares.get(kind, 0.0)}
            for kind, components in self.diff.kinds.items()
        ]

    @property
    def by_chance(self) -> tuple[float, str] | None:
        """The score of shuffled labels, and p, where they are known; a release is no attempt at the one before it."""
        if self.costs is not None:
            return (0.0, "") if self.costs.measure.name in ADJUSTED else None
        found = None if self.overview.regime == "releases" else self.diff.by_chance
        return None if found is None else (found.mean, found.p_text if found.p_kind else "")

    def measured(self) -> Iterator[MeasureRow]:
        """All measures; not a number if one cannot be computed, or would take too long."""
        diff, meet = self.diff, self.diff.meet.scratch()
        largest = int(np.bincount(diff.analysis.join.of_cell).max(initial=0))
        for name, measure in measures.items():
            value = nan
            if not ((name in SLOW and diff.n > MANY) or (name in MATCHED and largest > TANGLED)):
                # It may need features, distances, a parameter, or no weights.
                with suppress(ClusterdiffError, TypeError):
                    value = float(
                        measure(meet) if diff.comparison_for(measure) is diff else diff.score(measure)
                    )
            yield MeasureRow(measure, value)

    @cached_property
    def left_out(self) -> list[str]:
        """The names of measures that were not computed."""
        return [row.measure.name for row in self.scores() if not isfinite(row.value)]

    @property
    def families(self) -> dict[str, list[MeasureRow]]:
        """The measures by family."""
        rows = {row.measure: row for row in self.scores() if isfinite(row.value)}
        return {family: [rows[measure] for measure in members] for family, members in grouped(rows).items()}

    @property
    def reference(self) -> str:
        """The paper to cite."""
        return measures["S_H"].reference

    @property
    def called(self) -> dict[str, str]:
        """What the parts of a loss are lost to."""
        points = plural(self.nouns.point)
        lost = {"missing": f"missing {points}", "spurious": f"spurious {points}"}
        return {"split": "splits", "merge": "merges"} | lost

    def parts(self, loss: Loss) -> list[tuple[str, float]]:
        """The parts of a loss; those for lost points only where there may be such."""
        return [(part, getattr(loss, part)) for part in self.diff.meet.losses]

    def row_parts(self, row: Slice) -> list[tuple[str, float]]:
        """The parts of the loss of a slice."""
        return self.parts(Loss(*row[3:]))  # value, points and score come first

    # ---- what to fix first

    @cached_property
    def undecided(self) -> list[dict[str, Any]]:
        """The single operations that the page has and judgements have not decided, the best first."""
        repairs = self.embedded.repairs
        if self._given is None or refused(self.diff):
            return repairs
        decisions = Decisions(self.diff, self._given.facts)
        return [repair for repair in repairs if not decisions.has(*self.embedded.about(repair))]

    @property
    def repairs(self) -> list[dict[str, Any]]:
        """The first of them."""
        return self.undecided[:FIRST_REPAIRS]

    @cached_property
    def curve(self) -> dict[str, Any]:
        """The score along the greedy sequence, as points of a curve and as milestones."""
        sequence = self.diff.repairs().sequence
        score = np.concatenate([[self.diff.score()], np.asarray(sequence.score)])  # type: ignore[attr-defined]
        at = np.unique(np.linspace(0, len(score) - 1, min(len(score), CURVE)).astype(int))
        low = float(score[0])
        reach = np.maximum.accumulate(score)
        milestones = []
        if len(score) > 4:
            for share in (0.5, 0.8, 0.95):
                step = int(np.searchsorted(reach, low + share * (1 - low) - 1e-12))
                milestones.append((share, step, float(score[step])))
        return {
            "steps": len(score) - 1,
            "low": low,
            "points": [(float(i / max(1, len(score) - 1)), float(score[i])) for i in at],
            "milestones": milestones,
        }

    # ---- slices

    @cached_property
    def slices(self) -> list[dict[str, Any]]:
        """The loss by kind, by size of the true cluster, and by each column asked for."""
        wanted: list[tuple[str, str, object]] = [
            ("Kind of component", "kind", "kind"),
            (f"Size of the {self.sides[0]} {self.nouns.cluster}", "size", "size"),
            *((visible(name, 60), visible(name, 30), column) for name, column in self._by.items()),
        ]
        out = []
        for heading, label, column in wanted:
            table = self.diff.by(column)
            rows: list[Slice] = list(table[:SLICES])
            left = len(table) - len(rows)
            worst = max((row.loss for row in rows), default=0.0)
            out.append({"heading": heading, "label": label, "rows": rows, "left": left, "worst": worst})
        return out

    # ---- components

    @cached_property
    def embedded(self) -> Embedded:
        """The components that the page holds, and the repairs that it lists."""
        sides, samples = (self.sides[0], self.sides[1]), self.overview.samples
        samples += self.changes.opened if self.overview.regime == "releases" else []
        return Embedded(self.diff, self._columns, sides, self._limits, samples, self.costs, self._grouped)

    @cached_property
    def holds(self) -> set[int]:
        """The numbers of those components."""
        return {entry["id"] for entry in self.embedded.components}

    @cached_property
    def _grouped(self) -> Grouped:
        return Grouped(self.diff, self.overview.patterns.groups)

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the page's script reads; see the docstring of this module."""
        meet, listed, table = self.diff.meet, self.embedded.components, self.diff.components
        here = np.zeros(len(table), dtype=bool)
        here[[entry["rank"] - 1 for entry in listed]] = True
        return {
            "sides": list(self.sides),
            "letters": self.letters,
            "nouns": [self.nouns.point, self.nouns.cluster],
            "regime": self.overview.regime,
            "measure": None if self.costs is None else self.costs.data(),
            "n": self.diff.n,
            "total": float(meet.total),
            "unit": self.embedded.unit,
            "weighted": meet.weights is not None,
            "uneven": meet.uneven,
            "points": self.diff.source.known,
            "score": self.diff.score(),
            "loss": list(self.diff.loss),
            "attributes": self._names,
            "clusters": list(self.diff.clusters),
            "patch": patching(self.diff),
            "judging": judging(self.diff, self._given, listed),
            "repairs": self.embedded.repairs,
            "documents": self.papers.documents if self.papers else [],
            "kinds": self.diff.kinds,
            "shapes": self.overview.shapes,
            "samples": {row.key: row.sample for row in self.overview.rows if row.sample},
            "groups": self._grouped.data(
                [visible(words) for _, words in self.overview.groups],
                [entry["id"] for entry in listed if entry["whole"]],
                bool(self.costs and self.costs.sums),
            ),
            "components": [entry | {"shape": self.overview.shape_of(entry["id"])} for entry in listed],
            "rest": {
                "components": int(np.count_nonzero(~here)),
                "points": int(table["size"][~here].sum()),
                "loss": float(table["loss"][~here].sum()),
            },
        }

    @property
    def shown(self) -> str:
        """How much of the comparison the page holds."""
        left, all_of_them = self.data["rest"], len(self.diff.components)
        if not left["components"]:
            return ""
        total = self.diff.loss.total
        share = 1 - left["loss"] / total if total else 1.0
        return (
            f"{len(self.data['components']):,} of {count(all_of_them, 'component')} shown, "
            f"{percent(share)} of the {self.lost}"
        )
