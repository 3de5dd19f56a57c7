"""The figure that a picture is drawn on: its files have text as text, and dots enough for print."""

from __future__ import annotations

import warnings
from typing import Any

from matplotlib import rc_context
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

#: Text stays text in SVG, and fonts are TrueType in PDF and PostScript: journals refuse Type 3.
JOURNAL: dict[Any, Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}


class Picture(Figure):
    """A figure as journals take it, however it is saved; on the screen it is like any other."""

    #: Dots per inch of files that are made of dots, unless ``savefig`` is given others.
    dots: float = 300

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the picture to a file; the suffix says how."""
        with rc_context(JOURNAL):
            super().savefig(fname, **{"dpi": self.dots} | options)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it. Letters that the font lacks are boxes here, and in SVG, where the reader has fonts, letters."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
            layout = self.get_layout_engine()
            if layout is not None and any(ax.get_aspect() != "auto" for ax in self.axes):
                # Before matplotlib 3.11 axes that keep their shape find their place the second time only.
                layout.execute(self)
            super().draw(renderer)
