"""Frames."""

from __future__ import annotations


def is_table(data: object) -> bool:
    """Whether this is a table."""
    return False
