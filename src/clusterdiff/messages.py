"""Messages made of parts: our own words, what users wrote, and what Python and the command spell differently.

Plain text is shown as it is. A message that names arguments is written as a template, in which Python stands between
backticks, and values in braces::

    Message("`weights` must be at least {least}; pass `missing=` as well.", least=0)

The template is taken apart before the values are put in, so nothing that a user wrote is ever taken for ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument by its name, `` `weights` ``."""

    name: str

    def __str__(self) -> str:
        return f"`{self.name}`"


@dataclass(frozen=True, slots=True)
class Setting:
    """An argument with a value, ``missing="drop"``, or without, ``weights=``; and which verb takes it, if that matters.

    ``value`` is as Python writes it.
    """

    name: str
    value: str = ""
    verb: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}{f' to {self.verb}()' if self.verb else ''}"


@dataclass(frozen=True, slots=True)
class Verb:
    """One of the functions that commands are called after, ``rank()``."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}()"


@dataclass(frozen=True, slots=True)
class Code:
    """What can be done in Python alone, such as ``.to_numpy()``."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = Argument | Setting | Verb | Code

#: How Python between backticks is distinguished, before values are put in: braces may stand for any of it.
NAME = re.compile(r"\w+|\{\w+\}")
SETTING = re.compile(r'(\w+|\{\w+\})=("[^"]*"|True|[\d_]+|\{[^{}]+\}|)(?: to (\w+)\(\))?')
VERB = re.compile(r"(\w+)\(\)")


class Message(str):
    """Text as Python says it, which remembers the parts that it is made of.

    Without values a template may have braces of its own. A value that is a message keeps its parts.

    >>> told = Message('`{argument}` must be {what}; pass `missing="drop"`.', argument="true", what="`short`")
    >>> print(told)
    `true` must be `short`; pass missing="drop".
    >>> print(told.spelled(lambda part: part.name.upper()))
    TRUE must be `short`; pass MISSING.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Part, ...]

    def __new__(cls, template: str, /, **values: object) -> Message:
        """The message that a template makes with these values."""
        return template if isinstance(template, Message) else cls.of(_parts(template, values))

    @classmethod
    def of(cls, parts: Iterable[str | Part]) -> Message:
        """The message that consists of these parts."""
        parts = tuple(parts)
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = parts
        return message

    @classmethod
    def literally(cls, text: str) -> Message:
        """Text that is no template."""
        return text if isinstance(text, Message) else cls.of((text,))

    def __reduce__(self) -> tuple[Any, ...]:
        return Message.of, (self.parts,)

    @property
    def code(self) -> tuple[Part, ...]:
        """The parts that are not plain text."""
        return tuple(part for part in self.parts if not isinstance(part, str))

    def spelled(self, spell: Callable[[Part], str]) -> str:
        """The message with another spelling of Python's parts."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.parts)

    def renamed(self, names: Mapping[str, str]) -> Message:
        """The same about arguments that are called otherwise."""
        return Message.of(
            replace(part, name=names.get(part.name, part.name))
            if isinstance(part, Argument | Setting)
            else part
            for part in self.parts
        )


def joined(messages: Iterable[str], by: str = " ") -> Message:
    """Several messages as one.

    >>> joined([Message("`true` lacks 1."), "So it is."]).parts
    (Argument(name='true'), ' lacks 1.', ' ', 'So it is.')
    """
    parts: list[str | Part] = []
    for message in messages:
        parts += [*([by] if parts else []), *Message.literally(message).parts]
    return Message.of(parts)


def _parts(template: str, values: Mapping[str, object]) -> Iterator[str | Part]:
    """The parts of a template, with the values put in."""
    for place, piece in enumerate(template.split("`")):
        if place % 2:
            yield from _code(piece, values)
        elif piece:
            yield from _filled(piece, values)


def _code(piece: str, values: Mapping[str, object]) -> Iterator[str | Part]:
    def fill(text: str | None) -> str:
        return "".join(map(str, _filled(text or "", values)))

    if piece.startswith("clusterdiff "):  # a command, in Python as well
        yield f"`{fill(piece)}`"
    elif NAME.fullmatch(piece):
        yield Argument(fill(piece))
    elif setting := SETTING.fullmatch(piece):
        yield Setting(fill(setting[1]), fill(setting[2]), fill(setting[3]))
    elif verb := VERB.fullmatch(piece):
        yield Verb(verb[1])
    else:
        yield Code(fill(piece))


def _filled(piece: str, values: Mapping[str, object]) -> Iterator[str | Part]:
    """A piece of a template with its values: messages as parts, all others as text."""
    if not values:
        yield piece
        return
    formatter = Formatter()
    for text, field, how, conversion in formatter.parse(piece):
        if text:
            yield text
        if field is not None:
            value = values[field]
            if isinstance(value, Message) and not conversion:
                yield from value.parts
            else:
                yield format(formatter.convert_field(value, conversion), how or "")
