"""Where results reach their pictures and pages: the only import upwards, made when somebody asks to see one.

Results lie below `show`, which reads them; so that ``result.plot()`` and ``result.report()`` still work, they call
these functions, and those import what draws.
"""

from __future__ import annotations

from os import PathLike
from typing import Any


def plot(comparison: Any, kind: str = "flow", ax: Any = None, **size: Any) -> Any:
    """Draw one of the plots of a comparison, by name; returns the Axes."""
    from clusterdiff.show import plots

    return plots.plot(comparison, kind, ax, **size)


def series(worsened: Any, ax: Any = None, **size: Any) -> Any:
    """Draw the scores of a series against the number of operations; returns the Axes."""
    from clusterdiff.show import plots

    return plots.sized(plots.series, worsened, ax, **size)


def mean_ranks(ranking: Any, ax: Any = None, **size: Any) -> Any:
    """Draw the mean ranks of systems over data sets, and which of them do not differ; returns the Axes."""
    from clusterdiff.show import plots

    return plots.sized(plots.mean_ranks, ranking, ax, **size)


def history(found: Any, ax: Any = None, width: float | None = None, dpi: float | None = None) -> Any:
    """Draw the flow of records through the clusters of several releases; returns the Axes."""
    from clusterdiff.show import plots

    return plots.sized(plots.history, found, ax, width, dpi)


def sweep(swept: Any, kind: str = "thresholds", ax: Any = None, **size: Any) -> Any:
    """Draw one of the plots of a sweep, by name; returns the Axes."""
    from clusterdiff.show import plots

    return plots.plot_sweep(swept, kind, ax, **size)


def matrix(found: Any, kind: str = "matrix", ax: Any = None, **size: Any) -> Any:
    """Draw one of the plots of many clusterings, by name; returns the Axes."""
    from clusterdiff.show import plots

    return plots.plot_matrix(found, kind, ax, **size)


def sweep_report(swept: Any, path: str | PathLike[str], title: str | None = None) -> None:
    """Write the page of a sweep to a file."""
    from clusterdiff.show.sweep import write_page

    write_page(swept, path, title)


def ranking_page(found: Any) -> str:
    """The page of a ranking, as text."""
    from clusterdiff.show.ranking import render

    return render(found)


def report(comparison: Any, path: str | PathLike[str], **options: Any) -> None:
    """Write the report of a comparison to a file."""
    from clusterdiff.show.report import write_report

    write_report(comparison, path, **options)
