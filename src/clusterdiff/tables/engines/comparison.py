"""Two clusterings compared in tables: with the meet fetched into memory when it fits, otherwise in the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NoReturn

from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis, Merge, Split
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.components import Component, InMemory, rows
from clusterdiff.diff.diagnosis import Extent, are_few, are_small, diagnose, regime_of
from clusterdiff.diff.explain import Explanation
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.slices import BUILT_IN, Slice
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import EngineError, MeasureError, whole_number
from clusterdiff.measures import resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import refusal
from clusterdiff.messages import Message
from clusterdiff.points.policy import Policy
from clusterdiff.table import Table
from clusterdiff.tables.engines.analysis import EngineAnalysis, Part
from clusterdiff.tables.engines.budget import allowed
from clusterdiff.tables.engines.cells import Cells, group
from clusterdiff.tables.engines.here import POINT_BYTES as HERE_BYTES
from clusterdiff.tables.engines.here import compare_here
from clusterdiff.tables.engines.loading import load
from clusterdiff.tables.engines.lost import POINT_BYTES, compare_lost
from clusterdiff.tables.engines.points import Points
from clusterdiff.tables.engines.slices import by_column, by_size
from clusterdiff.tables.engines.source import EngineSource
from clusterdiff.tables.engines.sums import InEngine
from clusterdiff.wording import Nouns, count, number

#: How an error calls what was asked for.
ASKED = "what you asked for"


class TableComparison(Comparison):
    """Two clusterings of tables, their meet in memory; points of an engine stay there until they are asked for.

    ``engine`` names what grouped the points: "duckdb", "polars", "spark", …, or "memory" for frames that were there.
    """

    #: Where the scores come from: the meet in "memory", or the "engine".
    where: Literal["memory", "engine"] = "memory"

    def __init__(self, meet: Meet, source: PointSource, policy: Policy, engine: str) -> None:
        super().__init__(meet, source, policy)
        self.engine = engine

    def _sentences(self) -> list[str]:
        if self.engine == "memory":
            return super()._sentences()
        went = f"grouped by {self.engine}, {count(len(self.meet), 'cell')} fetched into memory"
        return [*super()._sentences(), went]


class EngineComparison(Comparison):
    """Two clusterings of tables, their meet too large for memory and left in the engine.

    It has the scores that are sums over cells, the losses, by slices too, the number of components of each kind,
    their shapes (``patterns``), and the costliest components and clusters (1,000 at most). ``costliest`` is a
    comparison in memory of as many of the costliest components as the budget allows, with everything that a
    comparison has. All other methods ask for the ``meet``, the ``analysis`` or the ``source``: the one error that
    these raise says what is lacking, and what to do.
    """

    where: Literal["memory", "engine"] = "engine"

    def __init__(self, cells: Cells, budget: int) -> None:
        self.policy = cells.policy
        self.engine = cells.engine.name
        self.in_engine = EngineAnalysis(cells, InEngine.of(cells), budget)
        self._summed = self.in_engine.summed
        self._budget = budget

    @property
    def summed(self) -> InEngine:
        """The sums of the meet, computed in the engine."""
        return self._summed

    def __reduce__(self) -> NoReturn:
        raise EngineError(
            f"this comparison cannot be copied or pickled, since its cells are in {self.engine}.",
            [
                Message("copy or pickle `.costliest`, `.to_dict()` or `.scores()` instead"),
                Message("allow a larger `budget=`"),
            ],
        )

    @property
    def clusters(self) -> tuple[int, int]:
        """How many true and predicted clusters the tables have, without those made for single points."""
        return self.summed.named

    # ---- what the engine computes

    def scores(self, measures: Iterable[AnyMeasure] | None = None) -> dict[str, float]:
        """Several measures: what most of them read is kept from the first on."""
        wanted = measures if measures is None or isinstance(measures, str) else list(measures)
        if wanted is None or len(wanted) > 1:
            self.summed.positive.rows.several = True
        return super().scores(wanted)

    @property
    def loss(self) -> Loss:
        """What S_H lost: in total, to splits and to merges."""
        return self.in_engine.loss

    @cached_property
    def _near(self) -> TableComparison | None:
        """All components that are not the same, if they fit."""
        return None if self.in_engine.everything is None else self._compared(self.in_engine.everything)

    def _compared(self, part: Part) -> TableComparison:
        return TableComparison(*part, self.policy, self.engine)

    @cached_property
    def costliest(self) -> TableComparison:
        """The costliest components in memory, as many as the budget allows, as a comparison of their own."""
        return self._near or self._compared(self.in_engine.costliest)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind."""
        if self._near is None:
            return self.in_engine.kinds
        return self._near.kinds | {"same": self.in_engine.same}

    @cached_property
    def components(self) -> Table[Component]:
        """The costliest components, costliest first; those that are the same on both sides are left out."""
        near = self._near
        if near is None:
            return self.in_engine.components
        share = near.meet.total / self.summed.total
        columns = {name: near.components[name] for name in near.components.columns}
        columns |= {name: columns[name] * share for name in columns if name.endswith("loss")}
        return rows(columns, InMemory(near.analysis, near.source))

    @property
    def splits(self) -> Table[Split]:
        """The costliest true clusters, costliest first; ``component`` is not known here and -1."""
        return self.in_engine.splits

    @property
    def merges(self) -> Table[Merge]:
        """The costliest predicted clusters, costliest first; ``component`` is not known here and -1."""
        return self.in_engine.merges

    def explain(
        self,
        measure: AnyMeasure = "S_H",
        *,
        top: int = 10,
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Explanation:
        """Where the score was lost, if all components that are not the same fit the budget; S_H alone."""
        whole_number("top", top)
        if resolve(measure) != resolve("S_H"):
            raise refusal("the explanation of a measure other than S_H", "cells", self.summed)
        near = self._all_that_differ()
        told = near.explain(top=top, sides=sides)
        share = near.meet.total / self.summed.total
        stories = [replace(story, component=self.components[i]) for i, story in enumerate(told.stories)]
        return replace(
            told,
            score=self.score(),
            loss=self.loss,
            components=sum(self.kinds.values()),
            kinds={kind: Loss(*(x * share for x in loss)) for kind, loss in told.kinds.items()},
            stories=stories,
        )

    def patterns(
        self,
        columns: Sequence[str] | None = None,
        *,
        attributes: object = None,
        measure: AnyMeasure = "S_H",
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Patterns:
        """Shapes and confusions; and groups to fix, if all components that are not the same fit the budget.

        Who is hit takes the points that nothing happened to as well, and they stay in the engine: there are no hits.
        """
        if columns or attributes is not None:
            raise refusal("who is hit", "points", self.summed)
        if resolve(measure) != resolve("S_H"):
            raise refusal(f"patterns in {resolve(measure).name}", "points", self.summed)
        near, summed = self._near, self.summed
        extent = Extent(summed.n, summed.k_true, summed.k_pred, self.in_engine.same)
        if near is not None:
            part = extent._replace(share=near.meet.total / summed.total)
            return diagnose(near.analysis, near.source, (), None, sides, part)
        return self._patterns(extent, sides)

    def _patterns(self, extent: Extent, sides: tuple[str, str]) -> Patterns:
        """Patterns from what the engine groups."""
        kinds, nouns = self.kinds, Nouns()
        damaged = sum(kinds.values()) - kinds["same"]
        shapes = self.in_engine.shapes if damaged else None
        small = are_small(damaged, shapes.clusters if shapes else 0)
        regime = regime_of(extent, small, nouns, sides)
        named = are_few(extent) and (shapes is None or shapes.named)  # a confusion names its clusters
        return Patterns(
            "many" if regime == "few" and not named else regime,
            self.score(),
            self.loss.total,
            damaged,
            sum(kinds.values()),
            shapes.rows if shapes else [],
            shapes.confusions if shapes and named else [],
            None,
            [],
            sides=sides,
            nouns=nouns,
        )

    def _all_that_differ(self) -> TableComparison:
        if self._near is None:
            raise MeasureError(
                "the components that differ do not fit the budget, so they cannot all be described.",
                [
                    Message("allow a larger `budget=`"),
                    Message("see `.patterns()`, `.components` and `.costliest.explain()`"),
                ],
            )
        return self._near

    def _sentences(self) -> list[str]:
        summed, loss = self.summed, self.loss
        true, pred = self.clusters
        return [
            f"S_H = {number(self.score())} for {count(self.n)} in {true:,} true and {count(pred, 'predicted cluster')}",
            f"lost {number(loss.total)}: {', '.join(loss.words(4, summed.losses))}",
            f"computed in {self.engine}: {count(len(summed), 'cell')} stayed there (budget {self._budget:,} bytes)",
        ]

    # ---- slices, by the engine

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns of the tables, which ``by`` takes by name."""
        return self.summed.source.points.others.names

    def by(self, column: object) -> Table[Slice]:
        """The loss by the values of a column of the tables, by name; or by "size" or "kind"."""
        losses = self.in_engine.losses
        with self.summed.engine.turn:
            if column in BUILT_IN and column not in self.columns:
                return by_size(losses) if column == "size" else self.in_engine.by_kind()
            return by_column(losses, column)

    # ---- what all other methods ask for; `costliest` has it

    @property
    def meet(self) -> Meet:  # type: ignore[override]
        """The cells: they are in the engine."""
        raise refusal(ASKED, "cells", self.summed)

    @property
    def analysis(self) -> Analysis:
        """What follows from the cells: ``in_engine`` has what the engine computed."""
        raise refusal(ASKED, "cells", self.summed)

    @property
    def source(self) -> PointSource:  # type: ignore[override]
        """The points: they are in their tables."""
        raise refusal(ASKED, "points", self.summed)


def compare_points(points: Points, policy: Policy, budget: int | str | None) -> Comparison:
    """Group the points and compare: in memory if the meet fits the budget, otherwise in the engine."""
    limit = allowed(budget)
    if points.here and sum(points.counts) * HERE_BYTES <= min(limit, points.room):
        diff = compare_here(points, policy)
        return TableComparison(diff.meet, diff.source, diff.policy, "memory")
    cells = group(points.checked(), policy)
    if cells.lost and cells.n * POINT_BYTES <= limit:
        diff = compare_lost(points, policy)
        return TableComparison(diff.meet, diff.source, diff.policy, cells.engine.name)
    if cells.lost or cells.bytes > limit:
        return EngineComparison(cells, limit)
    meet, locator = load(cells)
    return TableComparison(meet, EngineSource(meet, locator), cells.policy, cells.engine.name)
