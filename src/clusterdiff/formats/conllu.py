"""CorefUD: CoNLL-U with mentions as brackets in MISC, which may nest, have gaps, and cover implied words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from clusterdiff.errors import FileError
from clusterdiff.files import read_lines, shown
from clusterdiff.formats.mentions import Document, corpus
from clusterdiff.points.corpus import Corpus

HEADER = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)\s*")
NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
#: An entity's part of a mention with gaps: e7[2/3] is the second part of three.
PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
COLUMNS = 10


@dataclass
class Gapped:
    """A mention whose parts are still being gathered."""

    total: int
    line: int
    spans: list[tuple[Any, Any]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def read_conllu(path: str) -> Corpus:
    """All documents of a file.

    Spans are counted in words of the document, from 0; the k-th empty node after word w is (w, k), where w is -1
    before the first word. A mention may cross sentences. Mentions match if their spans are the same.
    """
    reader = _Reader(path)
    for number, line in enumerate(read_lines(path), start=1):
        reader.line(line, number)
    return reader.finish()


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.fields: list[str] | None = None
        self.documents: list[Document] = []
        self.gapped: dict[str, list[Gapped]] = {}
        self.word = -1

    @property
    def document(self) -> Document:
        return self.documents[-1]

    def line(self, line: str, number: int) -> None:
        if line.startswith("#"):
            self._comment(line, number)
        elif line.strip():
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise FileError(
                    f"{shown(self.path)}, line {number:,}: expected {COLUMNS} columns between tabs, "
                    f"found {len(columns)}."
                )
            self._token(columns, number)

    def finish(self) -> Corpus:
        if not self.documents:
            raise FileError(f"{shown(self.path)} has no words.")
        self._end_document()
        if self.fields is None:
            raise FileError(f"{shown(self.path)} has no line '# global.Entity = …', and so no mentions.")
        return corpus(self.path, self.documents)

    def _comment(self, line: str, number: int) -> None:
        if header := HEADER.fullmatch(line):
            self.fields = header[1].split("-")
            if not {"eid", "GRP"} & set(self.fields):
                raise FileError(f"{shown(self.path)}, line {number:,}: global.Entity names no field 'eid'.")
        elif new := NEW_DOCUMENT.fullmatch(line.rstrip()):
            self._begin_document((new[1] or "").strip() or f"document {len(self.documents) + 1}", number)

    def _begin_document(self, name: str, number: int) -> None:
        if self.documents:
            self._end_document()
        self.documents.append(Document(self.path, name, number))
        self.word = -1
        self.gapped = {}

    def _end_document(self) -> None:
        self.document.finish()
        for entity, unfinished in self.gapped.items():
            for mention in unfinished:
                raise self.document.error(
                    mention.line,
                    f"a mention of entity {entity!r} has {mention.total} parts, "
                    f"but not all of them appear: {len(mention.spans)}",
                )

    def _token(self, columns: list[str], number: int) -> None:
        if not self.documents:
            self._begin_document("document 1", number)
        node = columns[0]
        if "-" in node:  # a multiword token: its words follow, each on a line of its own
            return
        position: Any
        if "." in node:
            place = node.partition(".")[2]
            if not place.isdecimal():
                raise self.document.error(number, f"{node!r} is not the number of an empty node, such as 3.1")
            position = (self.word, int(place))
        elif node.isdecimal():
            self.word += 1
            position = self.word
        else:
            raise self.document.error(number, f"{node!r} is not the number of a word")
        self.document.words.append(columns[1])
        entity = next((part[7:] for part in columns[9].split("|") if part.startswith("Entity=")), None)
        if entity is not None:
            self._brackets(entity, position, number)

    def _brackets(self, text: str, position: Any, number: int) -> None:
        if self.fields is None:
            raise self.document.error(number, "Entity= comes before any line '# global.Entity = …'")
        brackets = BRACKET.findall(text)
        if "".join(brackets) != text:
            raise self.document.error(number, f"Entity={text} is not a list of brackets such as (e1(e2)e1)")
        for bracket in brackets:
            opens, closes = bracket.startswith("("), bracket.endswith(")")
            name = self._entity(bracket.strip("()"), opens)
            if opens:
                self.document.open(name, position, number)
            if closes:
                self._close(name, position, number)

    def _entity(self, text: str, opens: bool) -> str:
        """The entity of a bracket; one that opens has further fields, in the order of the header."""
        assert self.fields is not None
        if not opens:
            return text
        values = dict(zip(self.fields, text.split("-"), strict=False))
        return values.get("eid") or values.get("GRP") or text

    def _close(self, name: str, position: Any, number: int) -> None:
        start, first = self.document.close(name, number)
        # The word at which the mention opened is the last one read at that time.
        words = self.document.words[first - 1 :]
        part = PART.fullmatch(name)
        if part is None:
            self.document.add(name, [(start, position)], number, " ".join(words))
            return
        entity, index, total = part[1], int(part[2]), int(part[3])
        waiting = self.gapped.setdefault(entity, [])
        if index == 1:
            waiting.append(Gapped(total, number))
        mention = next((m for m in reversed(waiting) if m.total == total and len(m.spans) == index - 1), None)
        if mention is None or index > total:
            raise self.document.error(
                number, f"part {index} of {total} of a mention of {entity!r} has no part before it"
            )
        mention.spans.append((start, position))
        mention.words += words
        if index == total:
            waiting.remove(mention)
            self.document.add(entity, mention.spans, number, " ".join(mention.words))
