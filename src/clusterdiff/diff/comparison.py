"""Comparison: what compare() returns. Scores, losses and tables, all read from one meet."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import ldexp
from os import PathLike
from typing import Any, TypeVar

from clusterdiff import views
from clusterdiff._version import __version__
from clusterdiff.caching import cached_property
from clusterdiff.diff.advice import Advice
from clusterdiff.diff.analysis import Cell, Merge, Split
from clusterdiff.diff.changelog import Changelog
from clusterdiff.diff.components import Component, components, overview_html
from clusterdiff.diff.scores import AnyMeasure as AnyMeasure
from clusterdiff.diff.slices import PointLoss, Slice, by, by_point
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ClusterdiffWarning, whole_number
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.policy import Policy
from clusterdiff.table import Table
from clusterdiff.wording import count, number


class Comparison(Advice, Changelog):
    """Two clusterings compared. Made by :func:`compare`.

    ``meet`` is their meet, ``analysis`` what follows from it alone, ``source`` the points, and ``policy`` what was
    done with points that one side lacks and with noise.
    """

    def __init__(self, meet: Meet, source: PointSource, policy: Policy) -> None:
        self.meet = meet
        self.source = source
        self.policy = policy

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

    def comparison_for(self, measure: Measure) -> Comparison:
        """The comparison that a measure is computed from: this one."""
        return self

    def meet_for(self, measure: Measure) -> Meet:
        """The meet that a measure is computed from."""
        return self.comparison_for(measure).meet

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
        judgements: object = None,
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
        judgements
            :class:`Judgements`: repairs that they decide are not proposed again, and the review goes on from there.
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
            judgements=judgements,
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
        if top is not None:
            whole_number("top", top)
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
            f"lost {number(loss.total)}: {', '.join(loss.words(4, self.summed.losses))}",
            "components: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()),
        ]

    def __repr__(self) -> str:
        partial = [f"notice: {told}"] if (told := self.policy.partial_truth) else []
        return "\n".join([*partial, *self._sentences(), self.signature])

    def _repr_html_(self) -> str:
        return overview_html(self.notices, self._sentences(), self.components[:5], self.signature)


Compared = TypeVar("Compared", bound=Comparison)


def noticed(diff: Compared) -> Compared:
    """A comparison whose notices have been given as warnings, which point to whoever called the verb."""
    for notice in diff.notices:
        warnings.warn(notice, ClusterdiffWarning, stacklevel=3)
    return diff
