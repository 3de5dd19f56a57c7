"""CoNLL-2012 and its kin (CoNLL-2011, SemEval-2010, GUM): one word per line, brackets in the last column."""

from __future__ import annotations

import re
from sys import intern

from clusterdiff.errors import FileError
from clusterdiff.files import read_lines, shown
from clusterdiff.formats.mentions import Document, Gathered, Repeated
from clusterdiff.points.corpus import Corpus

BEGIN = re.compile(r"#\s*begin document\b(.*)")
END = re.compile(r"#\s*end document\b")
NONE = {"-", "_", "*"}
#: Not any white space: a word may hold a no-break space.
BLANKS = re.compile(r"[ \t]+")
#: (12 opens a mention of entity 12, 12) closes one, (12) is a mention of one word.
BRACKET = re.compile(r"\([^()|]+\)?|[^()|]+\)")
#: The first word of a document is number 0 or 1.
FIRST = {"0", "1"}


def read_conll(path: str, repeated: Repeated = "error") -> Corpus:
    """All documents and parts of a file; spans are counted in words of the document, from 0."""
    reader = _ConllReader(path, repeated)
    for number, line in enumerate(read_lines(path), start=1):
        reader.line(line, number)
    return reader.finish()


class _ConllReader:
    def __init__(self, path: str, repeated: Repeated) -> None:
        self.path = path
        self.gathered = Gathered(path, repeated)
        self.begun = 0
        self.document: Document | None = None
        self.word_column: int | None = None
        # After an error the lines up to the next document say nothing new.
        self.skipping = False

    def line(self, line: str, number: int) -> None:
        try:
            if line.startswith("#"):
                self._mark(line, number)
            elif not self.skipping and (text := line.strip(" \t\r\n\f\v")):
                self._word(BLANKS.split(text), number)
            elif self.document is not None:
                self.document.end_sentence()
        except FileError as error:
            self.gathered.errors.append(error)
            self.skipping = True

    def finish(self) -> Corpus:
        if self.document is not None and not self.skipping:
            self.gathered.errors.append(self._endless(self.document))
        if not self.gathered.documents and not self.gathered.errors:
            raise FileError(
                f"{shown(self.path)} has no document.", "a document starts with '#begin document'."
            )
        return self.gathered.corpus()

    def _endless(self, document: Document) -> FileError:
        return FileError(
            f"{shown(self.path)}, line {document.line:,}: the document {document.name!r} has no '#end document'."
        )

    def _mark(self, line: str, number: int) -> None:
        """A line that starts with #: a document begins, or ends, or it is a comment."""
        if begin := BEGIN.match(line):
            before, broken = self.document, self.skipping
            self.begun += 1
            name = begin[1].strip() or f"document {self.begun}"
            self.document, self.skipping = Document(self.path, name, number), False
            self.word_column = None
            if before is not None and not broken:
                self.gathered.errors.append(
                    before.error(
                        number, f"a document begins before the one of line {before.line:,} has ended"
                    )
                )
        elif END.match(line):
            document, broken = self.document, self.skipping
            self.document, self.skipping = None, False
            if broken:
                return
            if document is None:
                raise FileError(
                    f"{shown(self.path)}, line {number:,}: '#end document' without '#begin document'.",
                    "a document starts with '#begin document'.",
                )
            document.finish()
            self.gathered.add(document)

    def _word(self, columns: list[str], number: int) -> None:
        document = self.document
        if document is None:
            raise FileError(
                f"{shown(self.path)}, line {number:,}: a word outside any document.",
                "a document starts with '#begin document'.",
            )
        if not document.words:
            self.word_column = _word_column(columns, document.name)
        at = self.word_column
        document.words.append(intern(columns[at]) if at is not None and at < len(columns) - 1 else "")
        if columns[-1] not in NONE:
            _brackets(document, columns[-1], number)


def _word_column(columns: list[str], document: str) -> int | None:
    """Which column of a document has the words, as its first line shows; None if none has."""
    if len(columns) > 4 and columns[1].isdecimal() and columns[2] in FIRST:
        return 3  # CoNLL-2011 and 2012, and the five columns of the scorers: document, part, number, word
    if len(columns) > 2 and columns[0] in FIRST:
        return 1  # SemEval-2010 and GUM: number, word
    if len(columns) == 2 and not columns[0].isdecimal() and columns[0] not in document:
        return 0
    return None


def _brackets(document: Document, column: str, line: int) -> None:
    """The brackets of a word, with pipes between them or without: (1|(2)|3) and (1(2)3) are the same."""
    word = len(document.words) - 1
    brackets = BRACKET.findall(column)
    if "".join(brackets) != column.replace("|", ""):
        raise document.error(line, f"{column!r} is not a list of brackets such as (1|(2)|3)")
    for bracket in brackets:
        entity = bracket.strip("()")
        if bracket.startswith("("):
            document.open(entity, word, line)
        if bracket.endswith(")"):
            start, _ = document.close(entity, line)
            text = " ".join(document.words[start : word + 1]).strip()
            document.add(entity, [(start, word)], line, text)
