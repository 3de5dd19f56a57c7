"""Keys: points named by several columns at once, such as a source and the number of a record in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

#: The column that names the points, or several that do so together.
Key: TypeAlias = str | list[str]

#: How a part is read from its text.
READ: dict[str, Callable[[str], Hashable]] = {"int": int, "bool": lambda text: text.casefold() == "true"}
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


def parts_of(name: str, kinds: Sequence[str] = ()) -> tuple[Hashable, ...]:
    r"""The parts of a joined name, of the given kinds: "int", "bool", or anything else for text.

    >>> parts_of(joined(["a,b", "c\\", ""]))
    ('a,b', 'c\\', '')
    >>> parts_of("CUSTOMERS,1001", ["text", "int"])
    ('CUSTOMERS', 1001)
    """
    parts = _texts(name)
    return (
        tuple(READ.get(kind, str)(part) for kind, part in zip(kinds, parts, strict=True)) if kinds else parts
    )


def kind_of_key(kinds: Sequence[str]) -> str:
    """What names hold, by what the columns do that they are made of; :func:`key_kinds` takes it apart again.

    >>> kind_of_key(["int"]), kind_of_key(["text", "int"]), key_kinds("key(text,int)"), key_kinds("int")
    ('int', 'key(text,int)', ('text', 'int'), ())
    """
    return kinds[0] if len(kinds) == 1 else f"key({','.join(kinds)})"


def key_kinds(kind: str) -> tuple[str, ...]:
    """What the parts of names of several columns hold; nothing for names of one column."""
    return tuple(kind[len("key(") : -1].split(",")) if kind.startswith("key(") else ()


def shared_kinds(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """What the parts of names are on both sides: text, if a part is of one kind here and of another there."""
    return tuple(a if a == b else "text" for a, b in zip(one, other, strict=True))


def _texts(name: str) -> tuple[str, ...]:
    found, at = [], 0
    while True:
        match = _PART.match(name, at)
        assert match is not None
        found.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
        if match.end() == match.end(1):
            return tuple(found)
        at = match.end()
