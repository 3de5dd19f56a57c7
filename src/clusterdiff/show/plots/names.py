"""Names in pictures: wrapped to the room there is, literal, and counted where even that does not hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from clusterdiff.errors import MissingExtraError
from clusterdiff.table import shown
from clusterdiff.wording import count

#: The size of text in points, and the height of a line of it in millimetres.
SMALL = 7.0
LINE = SMALL * 1.2 * 25.4 / 72
#: No name needs more letters than this, of both ends, to be distinguished from others; the rest is not even measured.
LONGEST = 300
#: Where a line may end: after a space, and after signs that no number has inside.
BREAKS = re.compile(r"(?<=\s)(?=\S)|(?<=[/_;|+-])(?=\w)|(?<=[.,:])(?=[^\W\d])")


def library() -> Any:
    """Whatever draws, or an error that names the extra which brings it; the first thing that every picture asks for."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return plt


@cache
def _font(family: tuple[str, ...]) -> Any:
    from matplotlib import font_manager

    return font_manager.get_font(font_manager.findfont(font_manager.FontProperties(family=list(family))))


@cache
def _advance(letter: str, family: tuple[str, ...]) -> float:
    """How wide a letter is, as a share of the size of the font; one that the font lacks is a box."""
    font = _font(family)
    if ord(letter) not in font.get_charmap():
        return 1.15
    font.set_size(100, 72)
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 65536 / 100


def extent(text: str, size: float = SMALL) -> float:
    """How wide a line of text is, in millimetres."""
    family = tuple(library().rcParams["font.family"])
    return sum(_advance(letter, family) for letter in text) * size * 25.4 / 72


def _lines(text: str, width: float, size: float) -> list[str]:
    """Lines no wider than so many millimetres, broken after words and signs where possible."""
    out = [""]
    for word in BREAKS.split(text):
        if extent(out[-1] + word.rstrip(), size) <= width:
            out[-1] += word
            continue
        if out[-1]:
            out.append("")
        for letter in word:
            if out[-1] and extent(out[-1] + letter, size) > width:
                out.append("")
            out[-1] += letter
    return [line.strip() for line in out]


def wrap(text: str, width: float, size: float = SMALL) -> str:
    """All of a text, on lines no wider than so many millimetres."""
    return "\n".join(_lines(text, width, size))


def called(value: Any) -> str:
    """What people call a cluster: an entity by its first mention, anything else by its name."""
    spoken = getattr(value, "spoken", None)
    return spoken if isinstance(spoken, str) else str(value)


class Names:
    """How clusters are named in a picture: on a few lines of so many millimetres each; how many did not fit."""

    def __init__(self, width: float, lines: int = 3, size: float = SMALL) -> None:
        self.width = width
        self.lines = lines
        self.size = size
        self.cut: set[str] = set()

    def __call__(self, value: Any) -> str:
        r"""A name as it is drawn.

        >>> Names(20)("a longer name of a cluster")
        'a longer name\nof a cluster'
        """
        text = called(value)
        half = LONGEST // 2
        whole = shown(text if len(text) <= LONGEST else text[:half] + text[-half:], 10 * LONGEST)
        found = _lines(whole, self.width, self.size)
        if len(found) <= self.lines and len(text) <= LONGEST:
            return "\n".join(found)
        self.cut.add(str(value))
        # Names that begin alike often differ at their ends.
        head, tail = "\n".join(found[: self.lines - 1]), ""
        start = whole[: int(len(found[0]) / 2)].rstrip() if self.lines == 1 else ""
        for letter in reversed(whole):
            if extent(f"{start}…{letter}{tail}", self.size) > self.width:
                break
            tail = letter + tail
        return f"{head}\n…{tail}" if head else f"{start}…{tail.lstrip()}"

    @property
    def note(self) -> str:
        """What names lost, in words."""
        return f"{count(len(self.cut), 'name')} shortened" if self.cut else ""


def tall(text: str) -> float:
    """The height of a text of one or several lines, in millimetres."""
    return (text.count("\n") + 1) * LINE


def widest(texts: Iterable[str]) -> float:
    """The width of the widest line of some texts, in millimetres."""
    return max((extent(line) for text in texts for line in text.splitlines()), default=0.0)
