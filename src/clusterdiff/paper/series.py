"""worsen: clusterings that get worse step by step, and what measures make of them (the paper's section 6)."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff import notebook, views
from clusterdiff.errors import ArgumentError, ClusterdiffWarning, one_of, whole_number
from clusterdiff.files import STAGE
from clusterdiff.measures import Measure, resolve_all
from clusterdiff.measures.normalise import read_true
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.paper.halving import Halving
from clusterdiff.paper.steps import RANDOM, IntLabels, Worsening
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import FloatArray, Labels
from clusterdiff.table import Table
from clusterdiff.wording import and_list, count

How: TypeAlias = Literal["paper", "splits", "merges", "moves", "shuffle"]
HOW = ("paper", "splits", "merges", "moves", "shuffle")
#: The measures of the paper's figure 3.
FIGURE_3 = ("S_H", "R", "nmi_max", "V", "N", "A")
#: How many clusterings of a random series are scored by default.
STEPS = 100
#: Measures that are recomputed for every clustering look at so many points in all, by default.
RECOMPUTED_POINTS = 10**8


@dataclass(frozen=True, eq=False)
class Series:
    """A true clustering and others that are farther and farther from it, with their scores.

    ``steps[i]`` operations lead from the true clustering to the i-th one scored; ``scores[name][i]`` is its
    score. ``operations`` has one row per operation: what it did, to how many points, and how many clusters it left.
    """

    true: Clustering = field(repr=False)
    how: How
    seed: int
    steps: IntLabels = field(repr=False)
    scores: dict[str, FloatArray]
    _made: Worsening = field(repr=False)

    @property
    def operations(self) -> Table[Any]:
        """One row per operation: what it did, to how many points, and how many clusters it left."""
        return self._made.operations

    def __len__(self) -> int:
        """The number of clusterings scored."""
        return len(self.steps)

    def clustering(self, operations: int) -> Clustering:
        """The clustering after so many operations.

        >>> import clusterdiff as cd
        >>> cd.worsen([0, 0, 1]).clustering(1) == cd.lattice.bottom(3)
        True
        """
        if not 0 <= operations <= len(self.operations):
            raise ArgumentError.must("operations", f"be from 0 to {len(self.operations):,}", operations)
        return Clustering.of(Labels(self._made.labels(operations)), self.true.points)

    @property
    def table(self) -> Table[Any]:
        """One row per clustering: how many operations led to it, and its scores."""
        return Table({"operations": self.steps, **self.scores})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "n": len(self.true),
            "clusters": len(self.true.names),
            "how": self.how,
            "seed": self.seed,
            "steps": self.steps.tolist(),
            "scores": {name: values.tolist() for name, values in self.scores.items()},
            "operations": self.operations.to_dict(),
        }

    def to_csv(self) -> str:
        """The table as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.table.columns)
        writer.writerows(zip(*self.table.to_dict().values(), strict=True))
        return out.getvalue()

    def plot(self, ax: Any = None, *, width: float | None = None, dpi: float | None = None) -> Any:
        """The scores against the number of operations, as in the paper's figure 3.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.series(self, ax, width=width, dpi=dpi)

    def _repr_html_(self) -> str:
        points, clusters = count(len(self.true)), count(len(self.true.names), "cluster")
        told = f"{points} in {clusters}, worsened ({self.how}) by {count(len(self.operations), 'operation')}"
        return notebook.view(notebook.line(told, strong=True), self.table.html())


def worsen(
    true: object,
    measures: Iterable[str | Measure | Callable[[Meet], float]] = FIGURE_3,
    *,
    how: How = "paper",
    steps: int | None = None,
    seed: int = 0,
) -> Series:
    """Worsen a clustering step by step, and score each against the original.

    Parameters
    ----------
    true
        A clustering, in any form that :func:`clusterdiff.compare` takes.
    measures
        By name, or functions of the meet.
    how
        ``"paper"``: split the largest cluster into equal halves until all points are singletons, then merge the
        points that are singletons in ``true``, two by two (an odd one goes to any cluster), which is a worst
        clustering for S*. ``"splits"``: split any cluster anywhere, until all are singletons. ``"merges"``: merge
        any two clusters, until one is left. ``"moves"``: move each point in turn to any other cluster.
        ``"shuffle"``: exchange the clusters of a growing share of the points.
    steps
        How many clusterings to score, evenly spaced, besides the first. If None, all of them, but 100 for the random
        ways, and fewer, with a notice, if a measure would be recomputed for too many.
    seed
        For all that is left to chance: which of the largest clusters, which points, which clusters.

    Notes
    -----
    In the paper's series each operation changes the sums that measures are made of by a known amount, so that
    10⁵ points with as many steps take seconds. Measures that read more than these sums are recomputed for each
    clustering: if that would be more than 10⁸ points in all, they, and all others with them, are scored at evenly
    spaced steps.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> series = cd.worsen([0, 0, 1, 2], measures=["S_H", "A"])
    >>> series.table
       operations     S_H       A
    0           0  1.0000  1.0000
    1           1  0.5000  0.7500
    2           2  0.0000  0.5000
    """
    one_of("how", how, HOW)
    clustering = read_true(true)
    if steps is not None:
        whole_number("steps", steps, 1)
    wanted = resolve_all(measures)
    rng = np.random.default_rng(seed)
    labels = clustering.codes.astype(np.int64)
    made = Halving(labels, rng) if how == "paper" else RANDOM[how](labels, rng)
    total = len(made.operations)
    if steps is None:
        steps = _affordable(made, list(wanted.values()), total) if how == "paper" else STEPS
    at = np.unique(np.linspace(0, total, min(steps, total) + 1).astype(int))
    scores = {name: np.empty(len(at)) for name in wanted}
    told = max(1, len(at) // 200)
    for i, step in enumerate(made.steps(at)):
        if i % told == 0:
            STAGE.debug("scoring clustering %s of %s", f"{i + 1:,}", f"{len(at):,}")
        lacking = [name for name, measure in wanted.items() if measure.lacks(step) is not None]
        # A step may know only its sums; whatever else a measure reads comes from the clustering of that step.
        meet = made.meet(int(at[i])) if lacking else None
        for name, measure in wanted.items():
            scores[name][i] = measure(step if meet is None or name not in lacking else meet)
    return Series(clustering, how, seed, at, scores, made)


def _affordable(made: Worsening, wanted: list[Measure], total: int) -> int:
    """How many clusterings to score: all, unless some measure has to look at so many points again for each."""
    first = next(iter(made.steps(np.array([0]))))
    recomputed = [measure.name for measure in wanted if measure.lacks(first) is not None]
    most = max(STEPS, RECOMPUTED_POINTS // len(made.true))
    if not recomputed or total <= most:
        return total
    warnings.warn(
        Message(
            "{measures} {verb} recomputed for every clustering, so {most:,} of {total:,} were scored; `steps` "
            "scores more.",
            measures=and_list(recomputed),
            verb="is" if len(recomputed) == 1 else "are",
            most=most + 1,
            total=total + 1,
        ),
        ClusterdiffWarning,
        stacklevel=3,
    )
    return most
