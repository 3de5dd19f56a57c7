"""The palette is readable, and can be told apart by people who see colours in another way."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from rich.style import Style

from clusterdiff.meet.lattice import UNEVEN_KINDS
from clusterdiff.palette import KINDS, PALETTE, tint
from tests.cases import cases

THEMES = ("light", "dark")
GROUNDS = ("background", "panel", "hover")
Channels = npt.NDArray[np.float64]

#: Simulated colour vision, linear RGB to linear RGB at full severity (Machado, Oliveira and Fernandes 2009).
VISION = {
    "usual": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
#: Linear RGB to OKLab (Ottosson 2020), in which distances are about as large as they look.
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> Channels:
    """The channels of a colour as amounts of light."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines."""
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one: str, other: str, vision: str) -> float:
    """How far apart two colours look to somebody."""
    seen = [
        OKLAB @ np.cbrt(CONES @ np.clip(VISION[vision] @ linear(colour), 0, 1)) for colour in (one, other)
    ]
    return float(np.linalg.norm(seen[0] - seen[1]))


def test_the_rulers_measure() -> None:
    """Black on white is 21 to 1 and one apart; red and green, far apart to most, are close to some."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert distance("#000000", "#ffffff", "usual") == pytest.approx(1, abs=1e-3)
    red, green = "#a02000", "#506800"
    assert distance(red, green, "usual") > 3 * distance(red, green, "deutan")


@pytest.mark.parametrize("theme", THEMES)
def test_text_in_every_colour_is_readable_on_every_ground(theme: str) -> None:
    """4.5 to 1, as the guidelines ask of text."""
    for name in (*KINDS, "ink", "muted", "focus", "true"):
        for ground in GROUNDS:
            ratio = contrast(getattr(PALETTE[name], theme), getattr(PALETTE[ground], theme))
            assert ratio >= 4.5, f"{name} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize("theme", THEMES)
def test_ink_is_readable_on_every_tint(theme: str) -> None:
    """What stands behind text does not swallow it."""
    ink, ground = (getattr(PALETTE[name], theme) for name in ("ink", "background"))
    for name, colour in KINDS.items():
        assert contrast(ink, tint(getattr(colour, theme), ground)) >= 7, name


@cases("vision", VISION)
@cases("theme", THEMES)
def test_kinds_can_be_told_apart(theme: str, vision: str) -> None:
    """By any eyes, and so can what was kept from what was lost."""
    colours = {name: getattr(colour, theme) for name, colour in {**KINDS, "kept": PALETTE["kept"]}.items()}
    for (one, a), (other, b) in combinations(colours.items(), 2):
        assert distance(a, b, vision) >= 0.08, f"{one} and {other}: {distance(a, b, vision):.3f}"


def test_terminals_know_the_styles() -> None:
    """Every kind has a colour of its own, which can be read on white and on black; all others are the user's."""
    styles = [colour.terminal for colour in KINDS.values()]
    assert len(set(styles)) == len(styles)
    for colour in styles:
        assert min(contrast(colour, ground) for ground in ("#ffffff", "#000000")) >= 4.5, colour
    for name, colour in PALETTE.items():
        style = Style.parse(colour.terminal)
        own = style.color is None or style.color.is_default
        assert own or colour in KINDS.values(), name


def test_every_kind_has_a_colour() -> None:
    """In the order of the kinds."""
    assert tuple(KINDS) == UNEVEN_KINDS
