"""The report: one HTML file to explore a comparison, without a network.

What the page shows may come in as plain values in `data`; how it looks and moves, in its template, style and script.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from os import PathLike
from typing import Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.files import write_text
from clusterdiff.show.report.data import Page, visible
from clusterdiff.wording import count, percent

__all__ = ["render", "write_report"]


def write_report(comparison: Comparison, path: str | PathLike[str], **options: Any) -> None:
    """Write the report of a comparison to a file; see :meth:`Comparison.report`."""
    write_text(path, render(comparison, **options))


def render(
    comparison: Comparison,
    *,
    attributes: object = None,
    by: Mapping[str, object] | None = None,
    title: str | None = None,
    sides: tuple[str, str] = ("true", "predicted"),
) -> str:
    """The report as the text of an HTML file."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("clusterdiff.show.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "visible": visible, "number": number, "counted": count}
    page = Page(comparison, attributes, by or {}, sides)
    style, script = _source("page.css"), _source("page.js")
    return environment.get_template("page.html").render(
        page=page,
        title=visible(title or f"{sides[0][:1].upper()}{sides[0][1:]} and {sides[1]} clusters"),
        style=style,
        script=script,
        data=_json(page.data),
        # Nothing may be loaded and nothing run but the very style and script of this page.
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def _source(name: str) -> str:
    return files("clusterdiff.show.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(data: object) -> str:
    """JSON that can stand inside a script element: no label can end it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def number(value: float) -> str:
    """A score or loss for people.

    >>> number(0.25), number(1e-7), number(1234567.0)
    ('0.2500', '1e-07', '1,234,567')
    """
    if value and abs(value) < 5e-5:
        return f"{value:.2g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4f}"
