"""What every picture is drawn with: Axes in millimetres, distinct colours, literal text, notes and legends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message
from clusterdiff.palette import KINDS, PALETTE, tint
from clusterdiff.show.plots.names import SMALL, extent, library, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What colours mean, on paper.
KIND_COLOURS = {kind: colour.light for kind, colour in KINDS.items()}
SAME, SPLIT, MERGE, MIXED, MISSING, SPURIOUS = KIND_COLOURS.values()
BLACK, GREY, PALE, KEPT, TRUE, PRED = (
    PALETTE[name].light for name in ("ink", "muted", "line", "kept", "true", "pred")
)
#: Lines that mean a measure each; those that mean a loss beside them come last.
LINES = (BLACK, SAME, MIXED, MISSING, SPURIOUS, MERGE, SPLIT, GREY)
MARKERS = "os^Dv<>P"

#: Millimetres: how wide a picture is by default (a journal's page), how wide it may be, and how tall it
#: may grow.
WIDTH, NARROWEST, WIDEST, TALLEST = 170.0, 60.0, 1000.0, 225.0
INCH = 25.4
#: Dots per inch, and how many there may be.
DPI, FEWEST, MOST = 300.0, 30.0, 2400.0


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The Axes that were given, or those of a new figure of this size in millimetres."""
    if ax is not None:
        return ax
    plt = library()
    from clusterdiff.show.plots.figure import Picture

    size = width / INCH, height / INCH
    figure, new = plt.subplots(FigureClass=Picture, figsize=size, layout="constrained")
    figure.get_layout_engine().set(w_pad=1.5 / INCH, h_pad=1.5 / INCH)
    new.tick_params(labelsize=SMALL)
    for axis in (new.xaxis, new.yaxis):
        axis.label.set_size(SMALL + 1)
        axis.get_offset_text().set_size(SMALL)
    return new  # type: ignore[no-any-return]


def sized(draw: Any, result: Any, ax: Axes | None, width: float | None, dpi: float | None) -> Any:
    """A picture as wide as it is wanted, which will be saved with as many dots; Axes that are given have their size."""
    library()
    for name, value, low, high in (("width", width, NARROWEST, WIDEST), ("dpi", dpi, FEWEST, MOST)):
        if value is None:
            continue
        if ax is not None:
            raise ArgumentError(
                Message("`{name}` is for a new picture, and `ax` is part of one.", name=name),
                Message("leave `{name}` out.", name=name),
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            unit = "millimetres" if name == "width" else "dots per inch"
            raise ArgumentError.must(name, f"be from {low:.0f} to {high:.0f} {unit}", value)
    drawn = draw(result, ax=ax, **({} if width is None else {"width": float(width)}))
    if dpi is not None:
        drawn.figure.dots = float(dpi)
    return drawn


def width_of(ax: Axes) -> float:
    """The width of the figure that Axes are part of, in millimetres."""
    figure: Any = ax.figure
    return float(figure.get_figwidth()) * INCH


def write(ax: Axes, x: float, y: float, text: str, **style: Any) -> Any:
    """Literal text: dollar signs in labels do not start formulas."""
    return ax.text(x, y, text, parse_math=False, **{"fontsize": SMALL} | style)


def title(ax: Axes, text: str, over: int = 0, **style: Any) -> None:
    """What the picture shows, above it on the left, and over so many lines of what its colours mean."""
    usual: dict[str, Any] = {"fontsize": SMALL + 2, "pad": 4 + 1.7 * SMALL * over}
    look = usual | style
    ax.set_title(
        headed(text, width_of(ax), look["fontsize"]), loc="left", linespacing=1, parse_math=False, **look
    )


def headed(text: str, width: float, size: float = SMALL + 2) -> str:
    """A title on lines that fit a picture of this width: it begins where the axes do, to the right of names."""
    return wrap(text, 0.72 * width, size)


def note(ax: Axes, text: str) -> None:
    """A note below the picture on what it leaves out, wrapped to its width."""
    if not text:
        return
    figure: Any = ax.figure
    style: dict[str, Any] = {"ha": "left", "fontsize": SMALL, "color": GREY, "parse_math": False}
    # With few dots letters are wider: each begins at a whole one.
    wrapped = wrap(text, 0.94 * width_of(ax) - 4)
    if hasattr(figure, "dots"):
        figure.supxlabel(wrapped, x=2 / width_of(ax), **style)
    else:  # Axes of somebody else's figure
        box = ax.get_tightbbox()
        below = 6.0 if box is None else (ax.bbox.y0 - box.y0) * 72 / figure.dpi + 6
        place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top"}
        ax.annotate(wrapped, (0, 0), (0, -below), annotation_clip=False, **place, **style)


def add_note(ax: Axes, text: str) -> None:
    """A note that goes before the one that a picture has."""
    figure: Any = ax.figure
    if text and hasattr(figure, "dots"):
        note(ax, f"{text} {' '.join(figure.get_supxlabel().split())}".rstrip())
    else:
        note(ax, text)


def shades(lightest: float = 0.15) -> Any:
    """Colours from little to much: from a shade that is distinguished from white to almost black."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = tint(MERGE, "#ffffff", lightest), tint(MERGE, "#000000", 0.4)
    return LinearSegmentedColormap.from_list("shades", [ends[0], MERGE, ends[1]])


def readable(image: Any, value: float) -> str:
    """The colour of text on the shade of a value."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.55 else BLACK


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


def slanted(ax: Axes, at: npt.ArrayLike, texts: Sequence[str], angle: float = 40) -> None:
    """Name places on the x axis, at a slant so that the names do not cover each other."""
    ax.set_xticks(
        at, texts, rotation=angle, ha="right", va="center_baseline", rotation_mode="anchor", fontsize=SMALL
    )
    _as_they_stand(ax.get_xticklabels())


def level(ax: Axes, at: npt.ArrayLike, texts: Sequence[str]) -> None:
    """Name places on the y axis."""
    ax.set_yticks(at, texts, fontsize=SMALL)
    _as_they_stand(ax.get_yticklabels())


def _as_they_stand(ticks: Iterable[Any]) -> None:
    for tick in ticks:
        tick.set_parse_math(False)


def legend(ax: Axes, entries: Sequence[tuple[str, str]], line: bool = False, **style: Any) -> int:
    """What each colour means, above the picture on the left; returns how many lines that takes."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], color=c, lw=3, label=t) if line else Patch(color=c, label=t) for t, c in entries
    ]
    # Above the axes, where no label can be.
    widest = max((extent(text) for text, _ in entries), default=0.0) + 9
    columns = max(1, min(len(handles), int((width_of(ax) - 5) / widest)))
    usual: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": columns}
    look: dict[str, Any] = {"borderaxespad": 0.2, "columnspacing": 1.2, "handlelength": 1.4}
    ax.legend(handles=handles, frameon=False, fontsize=SMALL, **usual | look | style)
    return -(-len(entries) // columns)


def kind_legend(ax: Axes, kinds: Iterable[str], line: bool = False) -> int:
    """The colours of those kinds of components that are in the picture; returns how many lines that takes."""
    present = set(kinds)
    return legend(ax, [(kind, colour) for kind, colour in KIND_COLOURS.items() if kind in present], line)
