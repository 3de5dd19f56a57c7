"""Advice: where the score was lost, what goes wrong, and what to fix first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.explain import Explanation, explain, explain_gains
from clusterdiff.diff.gains import By, Gains, gains
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patch import Patch
from clusterdiff.diff.paths import GROUPINGS, Grouping, adding_up, loss_of, losses_by
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.repairs import Repairs
from clusterdiff.diff.scores import AnyMeasure, Scores
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.worth import RECOMPUTED, Worth
from clusterdiff.errors import one_of, whole_number
from clusterdiff.measures import Measure, resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.points.policy import Policy
from clusterdiff.table import Table


class Advice(Scores):
    """What a comparison says beyond its scores: losses, explanations, gains, patterns, repairs and a patch."""

    meet: Meet
    source: PointSource
    policy: Policy

    @cached_property
    def analysis(self) -> Analysis:
        """Split and merge scores, losses, components: what is computed from the meet alone."""
        return Analysis(self.meet)

    def comparison_for(self, measure: Measure) -> Advice:
        """The comparison that a measure is computed from."""
        raise NotImplementedError

    @property
    def loss(self) -> Loss:
        """What S_H lost: in total, to splits and merges, and to points that one side lacks if they count as lost.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).loss
        Loss(total=0.5, split=0.5, merge=0.0, missing=0.0, spurious=0.0)
        """
        return self.analysis.loss

    @overload
    def loss_of(self, measure: AnyMeasure, by: None = None) -> Loss: ...
    @overload
    def loss_of(self, measure: AnyMeasure, by: Grouping) -> Table[Any]: ...
    def loss_of(self, measure: AnyMeasure, by: Grouping | None = None) -> Loss | Table[Any]:
        """What any measure lost to splits and merges, and to points that one side lacks if they count as lost.

        Splits lead from truth to the meet, merges from there to the prediction, and the parts are what the measure
        loses on the way. They add up to the whole loss; one that is negative is a gain. Of S_H they are ``loss``, of VI
        ``vi.split`` and ``vi.merge``. as_h loses what S_H does, divided by what chance loses.

        Parameters
        ----------
        measure
            A measure's name, or a function of the meet.
        by
            ``"component"``, ``"true"``, ``"pred"`` or ``"cell"``: a table as ``components``, ``splits``, ``merges`` and
            ``cells``, with losses in this measure, which add up to the whole; scores stay those of S_H. For S* and S',
            as_h, VI, B-cubed precision and recall, and ``element_centric``; of others the whole is known.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3])
        >>> [round(part, 4) for part in diff.loss_of("vi")]
        [0.6592, 0.3819, 0.2773, 0.0, 0.0]
        >>> [(row.kind, round(row.split_loss, 4), round(row.merge_loss, 4)) for row in diff.loss_of("vi", "component")]
        [('split', 0.3819, 0.0), ('merge', 0.0, 0.2773)]
        """
        wanted = resolve(measure)
        seen = self.comparison_for(wanted)
        if by is None:
            return loss_of(wanted, seen.summed, lambda: seen.loss)
        one_of("by", by, GROUPINGS)
        if wanted == resolve("S_H"):
            found: Table[Any] = getattr(seen, GROUPINGS[by])
            return found
        return losses_by(wanted, seen.meet, seen.source, by)

    def explain(
        self,
        measure: AnyMeasure = "S_H",
        *,
        top: int = 10,
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Explanation:
        """Where the score was lost, in sentences and as data.

        Parameters
        ----------
        measure
            The score, whose loss is shared out as :meth:`loss_of` does. If it is not known by component, these are told
            by what setting each right would gain, as :meth:`gains` does.
        top
            How many of the costliest components to describe.
        sides
            What the two clusterings are called: ``("old", "new")`` for two releases, say.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3])
        >>> print(diff.explain())
        S_H = 0.2524: 0.7476 was lost, 0.3476 (46%) to splits and 0.4000 (54%) to merges.
        It was lost in both components.
        1. merge, 2 points, 54% of the loss
           true clusters B (1 point: 3) and C (1 point: 4) were merged into cluster 3 (2 points).
        2. split, 3 points, 46% of the loss
           true cluster A (3 points) was split into 2 parts: 1 (2 points: 0, 1) and 2 (1 point: 2).
        """
        whole_number("top", top)
        wanted = resolve(measure)
        seen = self.comparison_for(wanted)
        s_h = wanted == resolve("S_H")
        told = seen.analysis if s_h else adding_up(wanted, seen.meet)
        if told is None:
            return explain_gains(self._worth(wanted), self.loss_of(wanted), top, sides)
        return explain(told, seen.source, top, sides, (wanted.name, float(wanted(seen.meet))))

    def gains(
        self, measure: AnyMeasure = "S_H", by: By = "component", *, recompute: int = RECOMPUTED
    ) -> Gains:
        """What it is worth, in any measure, to set each component or cluster right: greatest gain first.

        A gain is by how much the measure would come closer to its best value: what a similarity rises, and what a
        distance falls. Gains are exact, each for one change alone, and need not add up.

        Parameters
        ----------
        measure
            A measure's name, or a function of the meet.
        by
            ``"component"``: all points of a component are clustered as in truth; those that it lacks are found, and
            spurious ones gone, where such count as lost. ``"true"``: a true cluster is made a predicted cluster of its
            own. ``"pred"``: a predicted cluster is split by true cluster, and its spurious points are gone.
        recompute
            What a measure gains follows from its sums, for any number of components. One that reads more than sums is
            recomputed, for as many of the costliest (by S_H) as this says; ``left_out`` counts the others.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3])
        >>> diff.gains("vi")
        vi = 0.6592; gain from correcting each component
           component  kind   size  true_clusters  pred_clusters    gain   score
        0          0  split     3              1              2  0.3819  0.2773
        1          1  merge     2              2              1  0.2773  0.3819
        >>> diff.gains("ari", by="pred")[0]
        ClusterGain(cluster=3, component=1, size=2, parts=2, gain=0.20123839009287925, score=0.4117647058823529)
        """
        return gains(self._worth(resolve(measure), recompute), by)

    def _worth(self, measure: Measure, recompute: int = RECOMPUTED) -> Worth:
        seen = self.comparison_for(measure)
        return Worth(measure, seen.analysis, seen.source, recompute)

    def repairs(self, measure: AnyMeasure = "S_H", *, recompute: int = RECOMPUTED) -> Repairs:
        """What to fix first: single operations on predicted clusters by the score that each alone would gain.

        Operations split a predicted cluster by true cluster; merge the predicted clusters that lie inside one true
        cluster, alone or with one that holds more of it; or move what a predicted cluster has of a true one to another
        that has some, where it gains most. Where points count as lost, operations also add missing points and remove
        spurious ones. Gains are exact, each for one operation alone. ``.sequence`` is the greedy sequence of S_H until
        pred equals true.

        Parameters
        ----------
        measure
            What the operations are to gain in; see :meth:`gains`.
        recompute
            For how many of the operations that gain most S_H a measure that reads more than sums is recomputed.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare([0, 0, 1, 1, 2], ["x", "x", "y", "z", "z"])
        >>> diff.repairs()
        +0.600000  move 1 point of true cluster 1 (3) from z to y
        +0.200000  split z into 2 parts: true cluster 1 (1 point) and true cluster 2 (1 point)
        >>> [(step.operation, step.score) for step in diff.repairs().sequence]
        [('move', 1.0)]
        >>> diff.repairs("vi")
        +0.554518  move 1 point of true cluster 1 (3) from z to y
        +0.277259  split z into 2 parts: true cluster 1 (1 point) and true cluster 2 (1 point)
        """
        wanted = resolve(measure)
        if wanted == resolve("S_H"):
            return self._repairs
        seen = self.comparison_for(wanted)
        return Repairs(seen.analysis, seen.source, self._worth(wanted, recompute))

    @cached_property
    def _repairs(self) -> Repairs:
        return Repairs(self.analysis, self.source)

    def patch(self) -> Patch:
        """What turns pred into true: operations that can be written, read and applied, also to a later run.

        Under ``missing="drop"`` points that one side lacks are left alone, so that a truth that is a sample patches the
        whole run; they stay with the largest part of their cluster. Otherwise points that only true has are added, and
        those that only pred has are removed, or made single under ``"singleton"``.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> diff = cd.compare([0, 0, 1, 1], ["x", "x", "y", "z"])
        >>> diff.patch().apply(["x", "x", "y", "z"]) == cd.Clustering([0, 0, 1, 1])
        True
        """
        from clusterdiff.diff.correction import correction

        return correction(self.source, self.policy)

    def patterns(
        self,
        columns: Sequence[str] | None = None,
        *,
        attributes: object = None,
        measure: AnyMeasure = "S_H",
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Patterns:
        """What goes wrong, who is hit, and what to fix first as groups: see :class:`clusterdiff.types.Patterns`.

        ``columns`` of the tables, all if None, and ``attributes`` as :meth:`report` takes them, say who is hit. Shares
        are of the loss of ``measure``, and gains are its own. A loss that is not known cell by cell is shared out in
        proportion to wrong pairs (measures of pairs), to information, or as that of S_H.

        >>> import clusterdiff as cd
        >>> print(cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3]).patterns())
        S_H = 0.2524: 0.7476 was lost, in 2 of 2 components.
        what goes wrong
          54%  two true clusters in one: 1 component of 2 points
          46%  one true cluster in two: 1 component of 3 points, 1 split off
        what to fix first
          +0.4000  54% of the loss  two true clusters in one: 1 point, then S_H = 0.6524
          +0.3476  46% of the loss  one true cluster in two: 1 point, then S_H = 1.0000
        """
        from clusterdiff.diff.diagnosis import Told, diagnose  # a score needs none of it

        wanted = resolve(measure)
        seen = self.comparison_for(wanted)
        told = None if wanted == resolve("S_H") else Told(wanted, self.loss_of(wanted))
        return diagnose(seen.analysis, seen.source, columns, attributes, sides, told=told)
