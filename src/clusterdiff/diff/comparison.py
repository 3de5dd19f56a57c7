"""Comparison: what compare() returns. Scores, losses and tables, all read from one meet."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from math import ldexp
from os import PathLike
from typing import Any, TypeVar, overload

from clusterdiff import views
from clusterdiff._version import __version__
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis, Cell, Merge, Split
from clusterdiff.diff.changelog import Changelog
from clusterdiff.diff.components import Component, components, overview_html
from clusterdiff.diff.explain import Explanation, explain, explain_gains
from clusterdiff.diff.gains import By, Gains, gains
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patch import Patch
from clusterdiff.diff.paths import GROUPINGS, Grouping, adding_up, loss_of, losses_by
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.repairs import Repairs
from clusterdiff.diff.scores import AnyMeasure as AnyMeasure
from clusterdiff.diff.scores import Scores
from clusterdiff.diff.slices import PointLoss, Slice, by, by_point
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.worth import RECOMPUTED, Worth
from clusterdiff.errors import ClusterdiffWarning, one_of
from clusterdiff.measures import Measure, resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.policy import Policy
from clusterdiff.table import Table
from clusterdiff.wording import count, number


class Comparison(Scores, Changelog):
    """Two clusterings compared. Made by :func:`compare`.

    ``meet`` is their meet, ``analysis`` what follows from it alone, ``source`` the points, and ``policy`` what was
    done with points that one side lacks and with noise.
    """

    def __init__(self, meet: Meet, source: PointSource, policy: Policy) -> None:
        self.meet = meet
        self.source = source
        self.policy = policy

    @cached_property
    def analysis(self) -> Analysis:
        """Split and merge scores, losses, components: what is computed from the meet alone."""
        return Analysis(self.meet)

    @property
    def true(self) -> Clustering:
        """The true clustering of the points compared."""
        return self.source.true

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points compared."""
        return self.source.pred

    @property
    def points(self) -> Points:
        """The names of the points compared; their positions if they have none."""
        return self.source.names

    @property
    def n(self) -> int:
        """Number of points compared."""
        return self.summed.n

    @property
    def clusters(self) -> tuple[int, int]:
        """How many true and predicted clusters the two sides have, without those made for single points.

        >>> import clusterdiff as cd
        >>> cd.compare({"a": 1, "b": 1, "c": 1}, {"a": 7, "b": 7}, missing="singleton").clusters
        (1, 1)
        """
        unclustered = self.analysis.unclustered
        return self.meet.k_true - int(unclustered[0].sum()), self.meet.k_pred - int(unclustered[1].sum())

    # ---- what was lost

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

    def plot(
        self, kind: str = "flow", ax: Any = None, *, width: float | None = None, dpi: float | None = None
    ) -> Any:
        """Draw one of the pictures of :mod:`clusterdiff.show.plots`, which ``clusterdiff plot --help`` lists.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.plot(self, kind, ax, width=width, dpi=dpi)

    # ---- tables

    @property
    def splits(self) -> Table[Split]:
        """A row for every true cluster, costliest first."""
        return self.analysis.splits

    @property
    def merges(self) -> Table[Merge]:
        """A row for every predicted cluster, costliest first."""
        return self.analysis.merges

    @property
    def cells(self) -> Table[Cell]:
        """A row for every cell, costliest first; for points that a side lacks, if they count as lost, one without it.

        >>> import clusterdiff as cd
        >>> diff = cd.compare({"a": 0, "b": 0, "c": 1}, {"a": 7, "c": 8, "x": 8}, missing="lost")
        >>> [(row.true, row.pred, row.size) for row in diff.cells]
        [(0, 7, 1), (1, 8, 1), (0, None, 1), (None, 8, 1)]
        """
        return self.analysis.cells

    @property
    def by_point(self) -> Table[PointLoss]:
        """A row for every point, costliest first: its clusters, its component, and what it lost.

        >>> import clusterdiff as cd
        >>> [(row.point, row.loss) for row in cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).by_point]
        [(2, 0.25), (3, 0.25), (0, 0.0), (1, 0.0)]
        """
        return by_point(self.analysis, self.source)

    @cached_property
    def components(self) -> Table[Component]:
        """The components, costliest first."""
        return components(self.analysis, self.source)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).kinds
        {'same': 1, 'split': 1, 'merge': 0, 'mixed': 0}
        """
        return self.analysis.kinds

    # ---- where the score was lost, and what to fix first

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
        vi = 0.6592; what it would gain with each component set right
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

    def comparison_for(self, measure: Measure) -> Comparison:
        """The comparison that a measure is computed from: this one."""
        return self

    def meet_for(self, measure: Measure) -> Meet:
        """The meet that a measure is computed from."""
        return self.comparison_for(measure).meet

    def repairs(self, measure: AnyMeasure = "S_H", *, recompute: int = RECOMPUTED) -> Repairs:
        """What to fix first: single operations on predicted clusters by the score that each alone would gain.

        Operations split a predicted cluster by true cluster; merge the predicted clusters that lie inside one true
        cluster, alone or with one that holds more of it; or move what a predicted cluster has of a true one to another
        that has some, where it gains most. Gains are exact, each for one operation alone. ``.sequence`` is the greedy
        sequence of S_H until pred equals true.

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
        +0.600000  move 1 point of 1 (3) from z to y
        +0.200000  split z into 2 parts: 1 (1 point) and 2 (1 point)
        >>> [(step.operation, step.score) for step in diff.repairs().sequence]
        [('move', 1.0)]
        >>> diff.repairs("vi")
        +0.554518  move 1 point of 1 (3) from z to y
        +0.277259  split z into 2 parts: 1 (1 point) and 2 (1 point)
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

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns of the tables that were compared, which :meth:`by` takes by name."""
        return tuple(self.source.columns)

    def by(self, column: object) -> Table[Slice]:
        """The loss by slices of the points, costliest first.

        Parameters
        ----------
        column
            One value per point: a list, array or column in the order of `true`, or a dict from point to value. Or the
            name of another column of the tables that were compared: that of `true`, or of `pred` for points and
            columns that `true` lacks. Or ``"size"``, the size of the true cluster, or ``"kind"``, that of component.

        Returns
        -------
        Table of Slice
            The losses add up to the whole loss; ``score`` is what S_H would be if all points were like these.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).by(["shop", "web", "shop", "web"])
           value  points   score    loss  split_loss  merge_loss  missing_loss  spurious_loss
        0  shop        2  0.5000  0.2500      0.2500      0.0000        0.0000         0.0000
        1  web         2  0.5000  0.2500      0.2500      0.0000        0.0000         0.0000
        """
        return by(self.analysis, self.source, column)

    def patterns(
        self,
        columns: Sequence[str] | None = None,
        *,
        attributes: object = None,
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Patterns:
        """What goes wrong, who is hit, and what to fix first as groups: see :class:`clusterdiff.types.Patterns`.

        ``columns`` of the tables, all if None, and ``attributes`` as :meth:`report` takes them, say who is hit.

        >>> import clusterdiff as cd
        >>> print(cd.compare(["A", "A", "A", "B", "C"], [1, 1, 2, 3, 3]).patterns())
        S_H = 0.2524: 0.7476 was lost, in 2 of 2 components.
        what goes wrong
          54%  two true clusters in one: 1 component of 2 points
          46%  one true cluster in two: 1 component, mostly 1 point split off, out of 3
        what to fix first
          +0.4000  54% of the loss  two true clusters in one: 1 point, then S_H = 0.6524
          +0.3476  46% of the loss  one true cluster in two: 1 point, then S_H = 1.0000
        """
        from clusterdiff.diff.diagnosis import diagnose  # a score needs none of it

        seen = self.comparison_for(resolve("S_H"))
        return diagnose(seen.analysis, seen.source, columns, attributes, sides)

    def report(
        self,
        path: str | PathLike[str],
        *,
        attributes: object = None,
        by: Mapping[str, object] | None = None,
        title: str | None = None,
        sides: tuple[str, str] = ("true", "predicted"),
        about: Mapping[str, str] | None = None,
        measure: AnyMeasure = "S_H",
        full: bool = False,
    ) -> None:
        """Write one HTML file to explore the comparison in a browser; it needs no network and stays under 2 MB.

        Parameters
        ----------
        path
            The file; it appears whole or not at all.
        attributes
            What else is known about the points, to show with them: a frame (pandas, polars, pyarrow, …) or a dict
            of columns in the order of `true`, or a dict from point to a dict of attributes.
        by
            Columns to slice the loss by, as :meth:`by` takes them, by name.
        title, sides
            The heading, and what the two clusterings are called.
        about
            What else to say at the top, such as ``{"data": "orders of 2025"}``; the date is always there.
        measure
            Another measure than S_H: the page also tells what components and clusters cost in it, as :meth:`gains`.
        full
            Whether to hold more components, clusters and points than fit into 2 MB: up to some 60 MB.
        """
        views.report(
            self,
            path,
            attributes=attributes,
            by=by,
            title=title,
            sides=sides,
            about=about,
            measure=measure,
            full=full,
        )

    # ---- for people and programs

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers, in sentences; also given as warnings, once per call."""
        return self.policy.notices

    @property
    def signature(self) -> str:
        """How the score came about: measure, points, policies and version, to tell two numbers apart."""
        weights = (
            "-" if not self.summed.weighted else f"sum={ldexp(self.summed.total, self.summed.scale):.12g}"
        )
        return f"S_H|n:{self.n}|{self.policy.signature}|weights:{weights}|v:{__version__}"

    def to_dict(self, measures: Iterable[AnyMeasure] | None = None, top: int | None = 10) -> dict[str, Any]:
        """The whole comparison as plain values, with the ``top`` costliest components (None: all).

        ``measures`` as for :meth:`scores`.
        """
        return {
            "signature": self.signature,
            "notices": self.notices,
            "n": self.n,
            "clusters": dict(zip(("true", "pred"), self.clusters, strict=True)),
            "cells": len(self.summed),
            "scores": self.scores(measures),
            "chance": self._by_chance(),
            "loss": self.loss._asdict(),
            "kinds": self.kinds,
            "components": [component.to_dict() for component in self.components[:top]],
        }

    def _by_chance(self) -> dict[str, Any]:
        found = self.by_chance
        p = {} if found is None or found.p_kind is None else found.to_dict()
        return {"S_H": self.chance_level, **{key: p.get(key) for key in ("p_value", "p_kind", "p_log10")}}

    def _sentences(self) -> list[str]:
        loss, kinds = self.loss, self.kinds
        true, pred = self.clusters
        return [
            f"S_H = {number(self.score())} for {count(self.n)} in {true:,} true and {count(pred, 'predicted cluster')}",
            f"lost {number(loss.total)}: {', '.join(loss.told(4, self.summed.losses))}",
            "components: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()),
        ]

    def __repr__(self) -> str:
        return "\n".join([*self._sentences(), self.signature])

    def _repr_html_(self) -> str:
        return overview_html(self.notices, self._sentences(), self.components[:5], self.signature)


Compared = TypeVar("Compared", bound=Comparison)


def noticed(diff: Compared) -> Compared:
    """A comparison whose notices have been given as warnings, which point to whoever called the verb."""
    for notice in diff.notices:
        warnings.warn(notice, ClusterdiffWarning, stacklevel=3)
    return diff
