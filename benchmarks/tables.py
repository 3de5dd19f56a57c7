"""Tables in documents that a benchmark writes: they stand between two marks."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent


def write(page: str, mark: str, text: str) -> None:
    """Replaces what a page has between the marks of a table."""
    path, begin, end = ROOT / page, f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(f"{before}{begin}{text.rstrip()}\n{end}{rest.split(end)[1]}", encoding="utf-8")
