"""CorefUD: CoNLL-U with mentions as brackets in MISC, which may nest, have gaps, and cover implied words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from clusterdiff.errors import FileError
from clusterdiff.files import read_lines, shown
from clusterdiff.formats.mentions import Document, Gathered, Repeated
from clusterdiff.points.corpus import Corpus

HEADER = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)\s*")
NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
#: An entity's part of a mention with gaps: e7[2/3] is the second part of three.
PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
#: A number that something in a sentence may have: none has so many parts that more digits are needed.
NUMBER = re.compile(r"\d{1,9}")
COLUMNS = 10


@dataclass
class Gapped:
    """A mention whose parts are still being gathered."""

    total: int
    line: int
    spans: list[tuple[Any, Any]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def read_conllu(path: str, repeated: Repeated = "error") -> Corpus:
    """All documents of a file.

    Spans are counted in words of the document, from 0; the k-th empty node after word w is (w, k), where w is -1
    before the first word. A mention may cross sentences. Mentions match if their spans are the same.
    """
    reader = _ConlluReader(path, repeated)
    for number, line in enumerate(read_lines(path), start=1):
        reader.line(line, number)
    return reader.finish()


class _ConlluReader:
    def __init__(self, path: str, repeated: Repeated) -> None:
        self.path = path
        self.gathered = Gathered(path, repeated)
        self.fields: list[str] | None = None
        self.begun = 0
        self.current: Document | None = None
        self.gapped: dict[str, list[Gapped]] = {}
        self.word = -1
        # After an error the lines up to the next document say nothing new.
        self.skipping = False

    @property
    def document(self) -> Document:
        assert self.current is not None
        return self.current

    def line(self, line: str, number: int) -> None:
        try:
            if line.startswith("#"):
                self._comment(line, number)
            elif line.strip() and not self.skipping:
                self._token(line.split("\t"), number)
            elif self.current is not None:
                self.current.end_sentence()
        except FileError as error:
            self._note(error)

    def finish(self) -> Corpus:
        if self.current is None and not self.gathered.errors:
            raise FileError(f"{shown(self.path)} has no words.")
        self._end_document()
        if self.fields is None and not self.gathered.errors:
            raise FileError(f"{shown(self.path)} has no line '# global.Entity = …', and so no mentions.")
        return self.gathered.corpus()

    def _note(self, error: FileError) -> None:
        self.gathered.errors.append(error)
        self.skipping = True

    def _comment(self, line: str, number: int) -> None:
        if header := HEADER.fullmatch(line):
            self.fields = header[1].split("-")
            if not {"eid", "GRP"} & set(self.fields):
                raise FileError(f"{shown(self.path)}, line {number:,}: global.Entity names no field 'eid'.")
        elif new := NEW_DOCUMENT.fullmatch(line.rstrip()):
            self._begin_document((new[1] or "").strip(), number)

    def _begin_document(self, name: str, number: int) -> None:
        self._end_document()
        self.begun += 1
        self.current = Document(self.path, name or f"document {self.begun}", number)
        self.word = -1
        self.gapped = {}
        self.skipping = False

    def _end_document(self) -> None:
        if self.current is None or self.skipping:
            return
        try:
            self.document.finish()
            for entity, unfinished in self.gapped.items():
                for mention in unfinished:
                    there = f"{mention.total} parts, but not all of them appear: {len(mention.spans)}"
                    raise self.document.error(mention.line, f"a mention of entity {entity!r} has {there}")
        except FileError as error:
            self._note(error)
        else:
            self.gathered.add(self.document)

    def _token(self, columns: list[str], number: int) -> None:
        if len(columns) != COLUMNS:
            raise FileError(
                f"{shown(self.path)}, line {number:,}: expected {COLUMNS} columns between tabs, "
                f"found {len(columns)}."
            )
        if self.current is None:
            self._begin_document("", number)
        node = columns[0]
        if "-" in node:  # a multiword token: its words follow, each on a line of its own
            return
        position: Any
        if "." in node:
            place = node.partition(".")[2]
            if not NUMBER.fullmatch(place):
                raise self.document.error(
                    number, f"{node[:40]!r} is not the number of an empty node, such as 3.1"
                )
            position = (self.word, int(place))
            self.document.unsaid.add(len(self.document.words))
        elif node.isdecimal():
            self.word += 1
            position = self.word
        else:
            raise self.document.error(number, f"{node!r} is not the number of a word")
        self.document.words.append(intern(columns[1]))
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
        if not (NUMBER.fullmatch(part[2]) and NUMBER.fullmatch(part[3])):
            raise self.document.error(number, f"{name[:40]!r} is not a part of a mention, such as e1[2/3]")
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
