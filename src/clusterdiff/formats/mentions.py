"""Documents of mentions as they are read: brackets that open and close, and all that is wrong with a file."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff.errors import FileError
from clusterdiff.files import shown
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus, Mention
from clusterdiff.points.labels import Labels

log = logging.getLogger("clusterdiff")

Repeated: TypeAlias = Literal["error", "first"]
REPEATED = ("error", "first")
#: How many errors a message tells; and how many repeated mentions, all of which people want to see.
ERRORS, REPEATS = 5, 100


class Document:
    """A document under construction: mentions by entity, and the brackets that are still open.

    ``words`` are all that mentions may cover. ``unsaid`` are the positions of those among them that stand in the
    annotation only (the empty nodes of CoNLL-U): another file of the same text need not have them. ``starts`` are the
    numbers, among the others, of those that start a sentence.
    """

    def __init__(self, path: str, name: str, line: int) -> None:
        self.path = path
        self.name = name
        self.line = line
        self.words: list[str] = []
        self.unsaid: set[int] = set()
        self.starts: list[int] = []
        # In the order in which the document names them first; each mention with the line on which it was complete.
        self._entities: dict[str, list[tuple[Mention, int]]] = {}
        self._open: dict[str, list[tuple[Any, int, int]]] = {}

    def end_sentence(self) -> None:
        """Whatever follows is another sentence."""
        said = len(self.words) - len(self.unsaid)
        if said > (self.starts or [0])[-1]:
            self.starts.append(said)

    def open(self, entity: str, position: Any, line: int) -> None:
        """A mention of ``entity`` begins at a position."""
        self._entities.setdefault(entity, [])
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
        self._entities.setdefault(entity, []).append((mention, line))

    def finish(self) -> None:
        """The document ends: nothing may be open."""
        for entity, stack in self._open.items():
            if stack:
                raise self.error(stack[-1][2], f"a mention of entity {entity!r} is opened and never closed")

    def clustering(self, repeats: list[FileError]) -> Clustering | None:
        """Its mentions by entity, if any. One that several have stays in the first, and is added to ``repeats``."""
        entities = self._distinct(repeats)
        if not entities:
            return None
        names = np.empty(len(entities), dtype=object)
        names[:] = list(entities)
        codes = np.repeat(np.arange(len(entities)), list(map(len, entities.values())))
        # Each mention is there once, so nobody has to look for repeats again.
        return Clustering.of(Labels(codes, names), list(chain.from_iterable(entities.values())))

    def _distinct(self, repeats: list[FileError]) -> dict[str, list[Mention]]:
        owner: dict[tuple[tuple[Any, ...], ...], tuple[str, int]] = {}
        out: dict[str, list[Mention]] = {}
        told: set[tuple[Mention, str]] = set()
        for entity, found in self._entities.items():
            for mention, line in found:
                mine = entity, line
                first = owner.setdefault(mention.spans, mine)
                if first is mine:
                    out.setdefault(entity, []).append(mention)
                elif first[0] == entity:
                    place = f"{shown(self.path)}, line {line:,}"
                    log.info("%s: the mention %s of entity %r is repeated", place, mention, entity)
                elif (mention, entity) not in told:
                    told.add((mention, entity))
                    earlier = "{!r} (line {:,})".format(*first)
                    repeats.append(
                        self.error(
                            line, f"the mention {mention} belongs to the entities {earlier} and {entity!r}"
                        )
                    )
        return out

    def error(self, line: int, message: str, hint: str | None = None) -> FileError:
        """An error at a line of the file."""
        return FileError(f"{shown(self.path)}, line {line:,}: {message} (document {self.name!r}).", hint)


class Gathered:
    """The documents of a file, and what is wrong with it: one broken document does not hide what is wrong elsewhere."""

    def __init__(self, path: str, repeated: Repeated) -> None:
        self.path = path
        self.repeated = repeated
        self.documents: dict[str, Document] = {}
        self.errors: list[FileError] = []

    def add(self, document: Document) -> None:
        """A document that was read to its end."""
        first = self.documents.setdefault(document.name, document)
        if first is not document:
            self.errors.append(
                FileError(
                    f"{shown(self.path)}, line {document.line:,}: the document {document.name!r} is in the file "
                    f"twice, first at line {first.line:,}."
                )
            )

    def corpus(self) -> Corpus:
        """The corpus of all documents, or one error that tells what is wrong with them."""
        if self.errors:
            raise told_together(self.path, self.errors, "errors", ERRORS)
        repeats: list[FileError] = []
        notices: list[str] = []
        entities = {name: document.clustering(repeats) or () for name, document in self.documents.items()}
        if repeats:
            told = told_together(self.path, repeats, "mentions in more than one entity", REPEATS)
            if self.repeated == "error":
                one = "a mention belongs to one entity: remove it from all but one"
                raise FileError(told.message, [one, Message('keep the first with `repeated="first"`')])
            kept = "Each stays in the entity that the document names first."
            notices = [f"{told.message}{' ' if len(repeats) == 1 else chr(10)}{kept}"]
        words = {name: _words(document) for name, document in self.documents.items()}
        known = {name: spelt for name, spelt in words.items() if spelt}
        starts = {name: [0, *document.starts] for name, document in self.documents.items() if document.starts}
        return Corpus(entities, words=known, sentences=starts, origin=shown(self.path), notices=notices)


def _words(document: Document) -> list[str]:
    """The words of the text itself, if the file has them."""
    words = document.words
    if document.unsaid:
        words = [word for i, word in enumerate(words) if i not in document.unsaid]
    # A column that says the same on every line (a dash, the name of the document) does not hold words.
    return words if len(set(words)) > 1 or (len(words) == 1 and words[0]) else []


def told_together(path: str, errors: Sequence[FileError], what: str, limit: int) -> FileError:
    """Several errors of one file as one, which tells the first few; a single one as it is."""
    if len(errors) == 1:
        return errors[0]
    lines = [error.message.removeprefix(f"{shown(path)}, ") for error in errors[:limit]]
    if len(errors) > limit:
        lines.append(f"and {len(errors) - limit:,} more.")
    hints = {error.ways for error in errors}
    return FileError(
        f"{shown(path)} has {len(errors):,} {what}:\n  " + "\n  ".join(lines),
        hints.pop() if len(hints) == 1 else None,
    )
