"""What every picture is drawn with: Axes, distinct colours, literal text, notes and legends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from clusterdiff.errors import MissingExtraError
from clusterdiff.meet.lattice import UNEVEN_KINDS
from clusterdiff.table import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, RED, PURPLE = "#E69F00", "#D55E00", "#CC79A7"
BLACK, GREY, PALE = "#222222", "#767676", "#D9D9D9"
TRUE, PRED = BLUE, ORANGE
SPLIT, MERGE = ORANGE, PURPLE
MISSING, SPURIOUS = SKY, GREY
KIND_COLOURS = dict(zip(UNEVEN_KINDS, (GREEN, SPLIT, MERGE, RED, MISSING, SPURIOUS), strict=True))
LINES = (BLACK, BLUE, RED, GREEN, PURPLE, ORANGE, SKY, GREY)
MARKERS = "os^Dv<>P"


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return plt


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The Axes that were given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    _, new = _pyplot().subplots(figsize=(width, height), layout="constrained")
    return new  # type: ignore[no-any-return]


@cache
def _charmap(family: tuple[str, ...]) -> frozenset[int]:
    from matplotlib import font_manager

    found: set[int] = set()
    for name in family:
        path = font_manager.findfont(font_manager.FontProperties(family=[name]))
        found.update(font_manager.get_font(path).get_charmap())
    return frozenset(found)


def label(value: Any, width: int = 18) -> str:
    """A label as the font can draw it: short, on one line, with boxes for missing glyphs."""
    from matplotlib import rcParams

    known = _charmap(tuple(rcParams["font.family"]))
    return "".join(c if ord(c) in known else "□" for c in shown(str(value), width))


def write(ax: Axes, x: float, y: float, text: str, **style: Any) -> Any:
    """Literal text: dollar signs in labels do not start formulas."""
    return ax.text(x, y, text, parse_math=False, **style)


def note(ax: Axes, text: str) -> None:
    """A note below the picture on what it leaves out, wrapped to its width."""
    if text:
        ax.annotate(
            wrapped(ax, text),
            (0, 0),
            (0, -6),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=8,
            color=GREY,
            annotation_clip=False,
        )


def wrapped(ax: Axes, text: str) -> str:
    """Text wrapped to the width of the figure."""
    figure: Any = ax.figure
    return "\n".join(wrap(text, int(12 * figure.get_figwidth())))


def bare(ax: Axes) -> None:
    """Remove the frame and all ticks."""
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)


def open_sides(ax: Axes) -> None:
    """Remove the frame at the top and on the right."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def slanted(ax: Axes, at: npt.ArrayLike, texts: Sequence[str]) -> None:
    """Name places on the x axis, at a slant so that the names do not cover each other."""
    ax.set_xticks(at, texts, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)
    _as_they_stand(ax.get_xticklabels())


def level(ax: Axes, at: npt.ArrayLike, texts: Sequence[str]) -> None:
    """Name places on the y axis."""
    ax.set_yticks(at, texts, fontsize=8)
    _as_they_stand(ax.get_yticklabels())


def _as_they_stand(ticks: Iterable[Any]) -> None:
    for tick in ticks:
        tick.set_parse_math(False)


def legend(ax: Axes, entries: Sequence[tuple[str, str]], line: bool = False) -> None:
    """What each colour means, above the picture on the right."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], color=c, lw=3, label=t) if line else Patch(color=c, label=t) for t, c in entries
    ]
    # Above the axes, where no label can be.
    ax.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=len(handles),
        frameon=False,
        fontsize=8,
        borderaxespad=0.2,
    )


def kind_legend(ax: Axes, kinds: Iterable[str], line: bool = False) -> None:
    """The colours of those kinds of components that are in the picture."""
    present = set(kinds)
    legend(ax, [(kind, colour) for kind, colour in KIND_COLOURS.items() if kind in present], line)
