"""The palette: what each colour means, with one value for light pages, one for dark pages and one for terminals.

Splits, merges, mixed, missing, spurious and same can be distinguished without colour vision of the usual kind, and are
readable as text on their background. Colour never stands alone all the same: a word or a sign says what it says.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Theme = Literal["light", "dark"]


class Colour(NamedTuple):
    """A colour by what it means. ``terminal`` is a style as rich spells it, of the same hue, for black and white."""

    light: str
    dark: str
    terminal: str


SAME = Colour("#125017", "#a2e896", "#438342")
SPLIT = Colour("#b05300", "#f5791c", "#bc5905")
MERGE = Colour("#1d46be", "#78b9fd", "#4072d6")
MIXED = Colour("#88108a", "#cc66f2", "#b245ca")
MISSING = Colour("#00788e", "#5f9d9b", "#178191")
SPURIOUS = Colour("#5e5757", "#bcb8b2", "#7a7472")

#: What can become of a component, and what a loss is made of.
KINDS = {
    "same": SAME,
    "split": SPLIT,
    "merge": MERGE,
    "mixed": MIXED,
    "missing": MISSING,
    "spurious": SPURIOUS,
}

#: Every colour that there is. ``kept`` fills what nothing happened to; ``true`` and ``pred`` are the two sides.
PALETTE = {
    **KINDS,
    "background": Colour("#faf9f6", "#14171a", "default"),
    "panel": Colour("#ffffff", "#1b1f24", "default"),
    "hover": Colour("#f3f1ec", "#22272d", "default"),
    "line": Colour("#e5e2db", "#2d333a", "dim"),
    "ink": Colour("#1c2126", "#e6e8ea", "default"),
    "muted": Colour("#5b6670", "#9ba6b1", "dim"),
    "focus": MERGE,
    "kept": Colour("#c9d3cd", "#40504a", "default"),
    "true": Colour("#39424b", "#d5dbe1", "default"),
    "pred": Colour("#7c8894", "#8793a0", "default"),
}


def variables(theme: Theme) -> str:
    """The palette as CSS custom properties, the declarations of a rule.

    >>> variables("dark")[:35]
    '--same: #a2e896; --split: #f5791c; '
    """
    return " ".join(f"--{name}: {getattr(colour, theme)};" for name, colour in PALETTE.items())


def tint(colour: str, background: str, share: float = 0.2) -> str:
    """A colour laid thinly over a background, for what stands behind text.

    >>> tint("#000000", "#ffffff", 0.5), tint(SPLIT.light, PALETTE["panel"].light)
    ('#808080', '#efddcc')
    """
    pairs = zip(_channels(colour), _channels(background), strict=True)
    return "#" + "".join(f"{round(share * above + (1 - share) * below):02x}" for above, below in pairs)


def _channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
