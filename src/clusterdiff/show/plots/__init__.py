"""Pictures of results: each is a function that returns the Axes it drew on (needs matplotlib).

All of them work without further arguments, in millimetres, with the colours of the palette. If there is too much to
show, they show what cost most, with a line that says what was left out. A function that draws something new may come
in: marked with ``@picture``, and imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import one_of
from clusterdiff.show.plots.canvas import add_note, sized
from clusterdiff.show.plots.flows import flow
from clusterdiff.show.plots.graphs import bipartite, derivation
from clusterdiff.show.plots.histories import history
from clusterdiff.show.plots.lines import series
from clusterdiff.show.plots.losses import clusters, loss, patterns, slices
from clusterdiff.show.plots.matrices import MATRICES, matrix, plot_matrix, tree
from clusterdiff.show.plots.ranks import mean_ranks
from clusterdiff.show.plots.registry import PLOTS, picture
from clusterdiff.show.plots.scores import sizes
from clusterdiff.show.plots.sweeps import SWEEPS, plot_sweep, thresholds, tradeoff
from clusterdiff.show.plots.tables import heatmap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MATRICES",
    "PLOTS",
    "SWEEPS",
    "bipartite",
    "clusters",
    "derivation",
    "flow",
    "heatmap",
    "history",
    "loss",
    "matrix",
    "mean_ranks",
    "patterns",
    "picture",
    "plot",
    "plot_matrix",
    "plot_sweep",
    "series",
    "sized",
    "sizes",
    "slices",
    "thresholds",
    "tradeoff",
    "tree",
]


def plot(
    comparison: Comparison,
    kind: str = "flow",
    ax: Axes | None = None,
    width: float | None = None,
    dpi: float | None = None,
) -> Any:
    """Draw one of the plots of a comparison, by name; returns the Axes."""
    one_of("kind", kind, PLOTS)
    drawn = sized(PLOTS[kind], comparison, ax, width, dpi)
    add_note(drawn, comparison.policy.partial_truth)
    return drawn
