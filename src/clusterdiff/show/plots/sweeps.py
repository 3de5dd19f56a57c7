"""Sweeps: scores against the threshold, and the trade-off between splits and merges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.decide.sweep import Sweep
from clusterdiff.errors import one_of
from clusterdiff.points.labels import FloatArray
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    LINES,
    MERGE,
    PALE,
    SPLIT,
    WIDTH,
    axes,
    legend,
    open_sides,
    sized,
    title,
    width_of,
    write,
)
from clusterdiff.show.plots.names import SMALL, Names
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A line has no more points than this; of more, those between which it bends most would not be distinguished.
MOST = 2000
#: What stands on the axis of thresholds.
CALLED = {
    "height": "height of the cut",
    "score": "lowest score of a pair",
    "resolution": "resolution",
    "column": "column",
}


def thresholds(swept: Sweep, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """Each measure against the threshold, its best marked, with the two losses of S_H below.

    Trees are drawn as steps, since between two merges nothing changes; pairs from the highest score to the lowest, so
    that clusters always grow to the right.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.thresholds(cd.sweep([0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3]))).get_xlabel()
    'lowest score of a pair'
    """
    ax = axes(ax, width, 0.6 * width)
    shown = _shown(swept)
    x, style = swept.thresholds[shown], "steps-post" if swept.what == "threshold" else "default"
    marker = "o" if len(shown) <= 30 else None
    scores = [name for name in swept.valued if swept.measures[name].similarity]
    distances = [name for name in swept.valued if name not in scores]
    entries = []
    for values, colour, name in (
        (swept.parts.split, SPLIT, "lost to splits"),
        (swept.parts.merge, MERGE, "lost to merges"),
    ):
        ax.fill_between(x, 0, values[shown], color=colour, alpha=0.18, lw=0, step=_step(style))
        ax.plot(x, values[shown], color=colour, lw=1, ls="--", drawstyle=style)
        entries.append((name, colour))
    for i, name in enumerate(scores):
        colour = LINES[i % len(LINES)]
        ax.plot(
            x,
            swept.scores[name][shown],
            color=colour,
            lw=2.2 if i == 0 else 1.4,
            drawstyle=style,
            marker=marker,
            ms=4,
        )
        at = swept.best_place(name)
        ax.plot(
            [swept.thresholds[at]],
            [swept.scores[name][at]],
            marker="o",
            ms=7,
            mfc="none",
            mew=1.6,
            color=colour,
        )
        entries.append((Names(0.7 * width, 1)(f"{name} (best at {_called(swept, at)})"), colour))
    if distances:
        entries += _distances(swept, shown, ax, distances, len(scores), style)
    if swept.over == "score":
        ax.invert_xaxis()
    if swept.over == "column":
        fitting = Names(width / len(swept), 1)
        ax.set_xticks(x, [fitting(swept.called(int(place))) for place in shown], fontsize=SMALL)
    ax.set_xlabel(CALLED[swept.over])
    ax.set_ylabel("score")
    ax.margins(x=0.02)
    open_sides(ax)
    over = legend(ax, entries, line=True)
    title(ax, _title(swept), over)
    return ax


def tradeoff(swept: Sweep, ax: Axes | None = None, *, width: float = 120.0) -> Axes:
    """What S_H lost to splits against what it lost to merges: a threshold trades the one for the other.

    The nearer to the lower left corner, the better: on a grey line S_H is the same.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.tradeoff(cd.sweep([0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3]))).get_ylabel()
    'lost to splits'
    """
    ax = axes(ax, width, 0.95 * width)
    shown = _shown(swept)
    x, y = swept.parts.merge[shown], swept.parts.split[shown]
    top = float(max(x.max(), y.max(), 0.05)) * 1.06
    best = swept.best_place("S_H") if "S_H" in swept.scores else int(np.argmin(swept.parts.total))
    named = _named_places(swept, shown, best, top)
    taken = np.array([[swept.parts.merge[at], swept.parts.split[at]] for at in [*named, best]])
    for kept in np.arange(0.1, 1.0, 0.1):
        lost = 1 - kept
        ax.plot([0, lost], [lost, 0], color=PALE, lw=0.8, zorder=0)
        place = _free(lost, taken / top, np.column_stack([x, y]) / top, top)
        if place is not None:
            style: dict[str, Any] = {
                "color": GREY,
                "fontsize": SMALL,
                "ha": "center",
                "va": "center",
                "rotation": -45,
            }
            write(ax, *place, f"{kept:.1f}", backgroundcolor="white", zorder=0.5, **style)
    ax.plot(x, y, color=BLACK, lw=1.6, marker="o" if len(shown) <= 60 else None, ms=3)
    for at in named:
        _name(ax, swept, at)
    _name(ax, swept, best, BLACK, "best: ")
    ax.set_xlim(-0.02 * top, top)
    ax.set_ylim(-0.02 * top, top)
    ax.set_aspect("equal")
    ax.set_xlabel("lost to merges")
    ax.set_ylabel("lost to splits")
    open_sides(ax)
    title(ax, _title(swept) + "; grey: equal S_H")
    return ax


#: Name → plot of a sweep.
SWEEPS: dict[str, Callable[..., Any]] = {"thresholds": thresholds, "tradeoff": tradeoff}


def plot_sweep(
    swept: Sweep,
    kind: str = "thresholds",
    ax: Axes | None = None,
    width: float | None = None,
    dpi: float | None = None,
) -> Any:
    """Draw one of the plots of a sweep, by name; returns the Axes."""
    one_of("kind", kind, SWEEPS)
    return sized(SWEEPS[kind], swept, ax, width, dpi)


def _shown(swept: Sweep) -> npt.NDArray[np.int64]:
    """The thresholds that are drawn: evenly spaced if there are very many, with the best of each measure."""
    if len(swept) <= MOST:
        return np.arange(len(swept))
    best = [swept.best_place(name) for name in swept.valued]
    return np.unique(np.concatenate([np.linspace(0, len(swept) - 1, MOST).astype(np.int64), best]))


def _step(style: str) -> Any:
    return "post" if style == "steps-post" else None


def _distances(
    swept: Sweep, shown: npt.NDArray[np.int64], ax: Axes, names: list[str], first: int, style: Any
) -> list[tuple[str, str]]:
    """Measures that are distances, on an axis of their own on the right."""
    other = ax.twinx()
    entries = []
    for i, name in enumerate(names, first):
        colour = LINES[i % len(LINES)]
        values: FloatArray = swept.scores[name]
        other.plot(swept.thresholds[shown], values[shown], color=colour, lw=1.4, ls=":", drawstyle=style)
        at = swept.best_place(name)
        other.plot([swept.thresholds[at]], [values[at]], marker="o", ms=7, mfc="none", mew=1.6, color=colour)
        entries.append(
            (Names(0.7 * width_of(ax), 1)(f"{name}, right (best at {_called(swept, at)})"), colour)
        )
    other.set_ylabel("distance", fontsize=SMALL + 1)
    other.tick_params(labelsize=SMALL)
    other.spines["top"].set_visible(False)
    return entries


def _free(lost: float, named: FloatArray, curve: FloatArray, top: float) -> tuple[float, float] | None:
    """Where on the line of a loss its S_H can be written: off the curve, and right of no name; as shares of the top."""
    for share in (0.5, 0.62, 0.38, 0.74, 0.26, 0.86, 0.14):
        x, y = lost * share / top, lost * (1 - share) / top
        apart = np.hypot(curve[:, 0] - x, curve[:, 1] - y).min()
        right, up = x - named[:, 0], y - named[:, 1]
        if (
            max(x, y) < 0.97
            and apart > 0.05
            and not ((right > -0.04) & (right < 0.3) & (abs(up - 0.02) < 0.06)).any()
        ):
            return x * top, y * top
    return None


def _named_places(swept: Sweep, shown: npt.NDArray[np.int64], best: int, top: float) -> list[int]:
    """A few thresholds spread along the curve, by the way it goes, its ends included; none beside the best."""
    x, y = swept.parts.merge[shown], swept.parts.split[shown]
    way = np.concatenate([[0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    if way[-1] == 0:
        return []
    at = np.unique(np.searchsorted(way, np.linspace(0, way[-1], 7)))
    near = [int(shown[min(i, len(shown) - 1)]) for i in at]
    return [i for i in near if np.hypot(*_apart(swept, i, best)) > 0.06 * top]


def _apart(swept: Sweep, i: int, j: int) -> tuple[float, float]:
    return (
        float(swept.parts.merge[i] - swept.parts.merge[j]),
        float(swept.parts.split[i] - swept.parts.split[j]),
    )


def _name(ax: Axes, swept: Sweep, at: int, colour: str = GREY, before: str = "") -> None:
    x, y = float(swept.parts.merge[at]), float(swept.parts.split[at])
    ax.plot([x], [y], marker="o", ms=6, color=colour, zorder=3)
    ax.annotate(
        f"{before}{_called(swept, at)}", (x, y), (7, 5), textcoords="offset points", fontsize=SMALL, color=colour,
    )  # fmt: skip


def _called(swept: Sweep, at: int) -> str:
    return swept.called(at) if swept.over == "column" else f"{swept.thresholds[at]:.4g}"


def _title(swept: Sweep) -> str:
    return f"{count(swept.n)}, {count(len(swept), swept.what)}"
