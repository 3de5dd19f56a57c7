"""Pictures from the command: how wide, how many dots, and where they are written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from clusterdiff.cli.options import together
from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.files import replacing
from clusterdiff.show.plots.canvas import DPI, FEWEST, MOST, NARROWEST, WIDEST, WIDTH

#: How large a picture is; it reaches the command as ``width`` and ``dpi``, None if not given.
picture_options = together(
    click.option(
        "--width",
        type=click.FloatRange(NARROWEST, WIDEST),
        metavar="MM",
        help=f"Width of a picture in millimetres; text keeps its size.  [default: {WIDTH:.0f}]",
    ),
    click.option(
        "--dpi",
        type=click.FloatRange(FEWEST, MOST),
        metavar="DOTS",
        help=f"Dots per inch of a .png.  [default: {DPI:.0f}]",
    ),
)


def refuse_sizes(width: float | None, dpi: float | None, pictures: Iterable[str | None]) -> None:
    """Raise if a size is given, and no picture that could have it."""
    if not any(pictures) and (width is not None or dpi is not None):
        raise ArgumentError(
            f"--{'width' if width is not None else 'dpi'} is for a picture, and none is drawn.",
            "name a file for one, or leave it out.",
        )


def save_picture(ax: Any, path: str) -> None:
    """Write the picture that Axes are part of; the suffix says how."""
    try:
        with replacing(path) as name:
            ax.figure.savefig(name, format=Path(path).suffix[1:].lower() or None)
    except FileError:
        raise
    except ValueError as error:  # matplotlib knows which formats there are
        raise FileError(f"{path} cannot be drawn: {error}.") from None
