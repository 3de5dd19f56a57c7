"""Views: the one place from which results reach the pictures and pages made of them, when somebody asks for one."""

from __future__ import annotations

from typing import Any


def plot(comparison: Any, kind: str, ax: Any) -> Any:
    """Draw a comparison."""
    from clusterdiff.show import plots

    return plots.plot(comparison, kind, ax)


def series(found: Any, ax: Any) -> Any:
    """Draw a series of ever worse clusterings."""
    from clusterdiff.show import plots

    return plots.series(found, ax=ax)


def report(comparison: Any, path: Any, **options: Any) -> None:
    """Write the page of a comparison."""
    from clusterdiff.show.report import write_report

    write_report(comparison, path, **options)
