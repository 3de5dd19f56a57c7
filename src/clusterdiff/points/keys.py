"""Keys: points named by several columns at once, such as a source and the number of a record in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

#: The column that names the points, or several that do so together.
Key: TypeAlias = str | list[str]

_PART = re.compile(r"((?:[^\\,]|\\.)*)(?:,|$)", re.DOTALL)


def key_columns(key: Key) -> list[str]:
    """The columns of a key."""
    return [key] if isinstance(key, str) else list(key)


def joined(parts: Sequence[str]) -> str:
    r"""The parts of a name as one text; a comma within a part is marked, so that no two names look alike.

    >>> joined(["CUSTOMERS", "1001"])
    'CUSTOMERS,1001'
    >>> joined(["a,b", "c"])
    'a\\,b,c'
    """
    return ",".join(part.replace("\\", "\\\\").replace(",", "\\,") for part in parts)


def joined_sql(expressions: Sequence[str]) -> str:
    """The same as an SQL expression over texts; null if a part is null."""
    marked = (f"replace(replace({text}, '\\', '\\\\'), ',', '\\,')" for text in expressions)
    return " || ',' || ".join(marked)


def parts_of(name: str) -> tuple[str, ...]:
    r"""The parts of a joined name.

    >>> parts_of(joined(["a,b", "c\\", ""]))
    ('a,b', 'c\\', '')
    """
    found, at = [], 0
    while True:
        match = _PART.match(name, at)
        assert match is not None
        found.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
        if match.end() == match.end(1):
            return tuple(found)
        at = match.end()
