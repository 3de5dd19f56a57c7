"""Documents of mentions as they are read: brackets that open and close, and where in the file they are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from clusterdiff.errors import FileError
from clusterdiff.files import shown
from clusterdiff.points.corpus import Corpus, Mention

log = logging.getLogger("clusterdiff")


class Document:
    """A document under construction: mentions by entity, and the brackets that are still open."""

    def __init__(self, path: str, name: str, line: int) -> None:
        self.path = path
        self.name = name
        self.line = line
        self.words: list[str] = []
        self.entities: dict[str, list[Mention]] = {}
        self._open: dict[str, list[tuple[Any, int, int]]] = {}
        self._seen: dict[Mention, tuple[str, int]] = {}

    def open(self, entity: str, position: Any, line: int) -> None:
        """A mention of ``entity`` begins at a position."""
        self._open.setdefault(entity, []).append((position, len(self.words), line))

    def close(self, entity: str, line: int) -> tuple[Any, int]:
        """The mention of ``entity`` that was opened last ends: where it began, and at which word."""
        stack = self._open.get(entity)
        if not stack:
            raise self.error(line, f"a mention of entity {entity!r} is closed but was not opened")
        position, word, _ = stack.pop()
        return position, word

    def add(self, entity: str, spans: Sequence[tuple[Any, ...]], line: int, text: str = "") -> None:
        """A whole mention of ``entity``."""
        mention = Mention(self.name, tuple(spans), text)
        before = self._seen.setdefault(mention, (entity, line))
        if before != (entity, line) or mention in self.entities.get(entity, ()):
            if before[0] != entity:
                raise self.error(
                    line,
                    f"the mention {mention} belongs to the entities {before[0]!r} (line {before[1]:,}) and {entity!r}",
                    "a mention belongs to one entity; remove it from all but one.",
                )
            log.info(
                "%s, line %d: the mention %s of entity %r is repeated",
                shown(self.path),
                line,
                mention,
                entity,
            )
            return
        self.entities.setdefault(entity, []).append(mention)

    def finish(self) -> None:
        """The document ends: nothing may be open."""
        for entity, stack in self._open.items():
            if stack:
                raise self.error(stack[-1][2], f"a mention of entity {entity!r} is opened and never closed")

    def error(self, line: int, message: str, hint: str | None = None) -> FileError:
        """An error at a line of the file."""
        return FileError(f"{shown(self.path)}, line {line:,}: {message} (document {self.name!r}).", hint)


def corpus(path: str, documents: Sequence[Document]) -> Corpus:
    """The corpus of all documents of a file."""
    named: dict[str, Document] = {}
    for document in documents:
        if document.name in named:
            raise FileError(
                f"{shown(path)}, line {document.line:,}: the document {document.name!r} is in the file twice, "
                f"first at line {named[document.name].line:,}."
            )
        named[document.name] = document
    return Corpus({name: document.entities for name, document in named.items()})
