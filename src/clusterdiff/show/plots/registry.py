"""The plots of a comparison, by name: a plot is a function that says so with ``@picture``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Draw = TypeVar("Draw", bound=Callable[..., Any])

#: Name → plot of a comparison, for ``Comparison.plot`` and the command.
PLOTS: dict[str, Callable[..., Any]] = {}


def picture(draw: Draw) -> Draw:
    """Make a function of a comparison and ``ax`` one of the plots, under its own name."""
    PLOTS[draw.__name__] = draw
    return draw
