"""CoNLL-2012 and its kin (CoNLL-2011, SemEval-2010, GUM): one word per line, brackets in the last column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, pairwise
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
#: The white space that does not stand between columns, but at which ``str.split`` would divide them.
OTHER_BLANKS = (
    "\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
#: (12 opens a mention of entity 12, 12) closes one, (12) is a mention of one word.
BRACKET = re.compile(r"\([^()|]+\)?|[^()|]+\)")
#: The first word of a document is number 0 or 1.
FIRST = {"0", "1"}


def read_conll(path: str, repeated: Repeated = "error") -> Corpus:
    """All documents and parts of a file; spans are counted in words of the document, from 0."""
    reader = _ConllReader(path, repeated)
    lines = read_lines(path)
    marks = [i for i, line in enumerate(lines) if line and line[0] == "#"]
    for mark, following in pairwise([-1, *marks, len(lines)]):
        if mark >= 0:
            reader.mark(lines[mark], mark + 1)
        reader.words(lines[mark + 1 : following], mark + 2)
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
        # The same brackets stand in many lines.
        self.parsed: dict[str, list[tuple[str, bool, bool]] | None] = {}

    def mark(self, line: str, number: int) -> None:
        """A line that starts with #: a document begins, or ends, or it is a comment."""
        with self._noted():
            self._mark(line, number)

    def words(self, lines: list[str], number: int) -> None:
        """The lines between two marks; ``number`` is that of the first."""
        with self._noted():
            if not self.skipping:
                self._words(_columns(lines), number)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
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

    def _words(self, rows: Iterator[list[str]], number: int) -> None:
        if self.document is None:
            self._refuse_words(rows, number)
            return
        for filled, group in groupby(rows, bool):
            lines = list(group)
            if filled:
                self._sentence(self.document, lines, number)
            else:
                self.document.end_sentence()
            number += len(lines)

    def _refuse_words(self, rows: Iterator[list[str]], number: int) -> None:
        """Raise if there is a word."""
        for line, columns in enumerate(rows, start=number):
            if columns:
                raise FileError(
                    f"{shown(self.path)}, line {line:,}: a word outside any document.",
                    "a document starts with '#begin document'.",
                )

    def _sentence(self, document: Document, rows: list[list[str]], number: int) -> None:
        """The words of some lines, and the mentions that begin or end there."""
        words, parsed = document.words, self.parsed
        before = len(words)
        if not words:
            self.word_column = _word_column(rows[0], document.name)
        at = self.word_column
        # The last column is never that of the words.
        words += [intern(row[at]) if at is not None and at + 1 < len(row) else "" for row in rows]
        for place, column in [(i, row[-1]) for i, row in enumerate(rows) if row[-1] not in NONE]:
            word, line = before + place, number + place
            if column not in parsed:
                parsed[column] = _parse(column)
            if (brackets := parsed[column]) is None:
                raise document.error(line, f"{column!r} is not a list of brackets such as (1|(2)|3)")
            for entity, opens, closes in brackets:
                if not closes:
                    document.open(entity, word, line)
                    continue
                start = word if opens else document.close(entity, line)[0]
                text = words[word] if opens else " ".join(words[start : word + 1])
                document.add(entity, ((start, word),), line, text.strip())


def _columns(lines: list[str]) -> Iterator[list[str]]:
    """The columns of some lines, which blanks and tabs divide; an empty line has none."""
    text = "\n".join(lines)
    if not any(blank in text for blank in OTHER_BLANKS):
        return map(str.split, lines)
    stripped = (line.strip(" \t\r\n\f\v") for line in lines)
    return (BLANKS.split(line) if line else [] for line in stripped)


def _word_column(columns: list[str], document: str) -> int | None:
    """Which column of a document has the words, as its first line shows; None if none has."""
    if len(columns) > 4 and columns[1].isdecimal() and columns[2] in FIRST:
        return 3  # CoNLL-2011 and 2012, and the five columns of the scorers: document, part, number, word
    if len(columns) > 2 and columns[0] in FIRST:
        return 1  # SemEval-2010 and GUM: number, word
    if len(columns) == 2 and not columns[0].isdecimal() and columns[0] not in document:
        return 0
    return None


def _parse(column: str) -> list[tuple[str, bool, bool]] | None:
    """Entities, and whether a mention of them begins and ends here; None if this is no list of brackets.

    There may be pipes between them: (1|(2)|3) and (1(2)3) are the same.
    """
    brackets = BRACKET.findall(column)
    if "".join(brackets) != column.replace("|", ""):
        return None
    return [(bracket.strip("()"), bracket[0] == "(", bracket[-1] == ")") for bracket in brackets]
