"""Names that are imported when somebody asks for them: so that a package can offer much and load little."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attribute_of(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: a name from the module of this package that ``places`` tells, kept once it is there.

    A name that its module does not define means that module itself.
    """

    def attribute(name: str) -> Any:
        if name not in places:
            raise AttributeError(
                f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module]
            )
        found = import_module(f"clusterdiff.{places[name]}")
        value = vars(found).get(name, found)
        setattr(sys.modules[module], name, value)
        return value

    return attribute
