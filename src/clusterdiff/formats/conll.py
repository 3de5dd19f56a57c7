"""CoNLL-2012 (and 2011, and SemEval-2010): one word per line, its mentions as brackets in the last column."""

from __future__ import annotations

import re

from clusterdiff.errors import FileError
from clusterdiff.files import read_lines, shown
from clusterdiff.formats.mentions import Document, corpus
from clusterdiff.points.corpus import Corpus

BEGIN = "#begin document"
END = "#end document"
NONE = {"-", "_", "*"}
#: (12 opens a mention of entity 12, 12) closes one, (12) is a mention of one word.
BRACKET = re.compile(r"(\()?([^()|\s]+)(\))?")
#: Which column of CoNLL-2012 holds the word; shorter lines of other tasks have it elsewhere, or nowhere.
WORD, LEAST = 3, 11


def read_conll(path: str) -> Corpus:
    """All documents and parts of a file; spans are counted in words of the document, from 0."""
    documents: list[Document] = []
    current: Document | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if not line or line.isspace():
            continue
        if line.startswith("#"):
            current = _mark(path, line, number, current, documents)
            continue
        if current is None:
            raise FileError(
                f"{shown(path)}, line {number:,}: a word outside any document.",
                f"a document starts with {BEGIN!r}.",
            )
        columns = line.split()
        current.words.append(columns[WORD] if len(columns) >= LEAST else "")
        if columns[-1] not in NONE:
            _brackets(current, columns[-1], number)
    if current is not None:
        raise FileError(
            f"{shown(path)}, line {current.line:,}: the document {current.name!r} has no {END!r}."
        )
    if not documents:
        raise FileError(f"{shown(path)} has no document.", f"a document starts with {BEGIN!r}.")
    return corpus(path, documents)


def _mark(
    path: str, line: str, number: int, current: Document | None, documents: list[Document]
) -> Document | None:
    """A line that starts with #: a document begins, or ends, or it is a comment."""
    if line.startswith(BEGIN):
        if current is not None:
            raise current.error(
                number, f"a document begins before the one of line {current.line:,} has ended"
            )
        return Document(path, line.removeprefix(BEGIN).strip(), number)
    if line.startswith(END):
        if current is None:
            raise FileError(f"{shown(path)}, line {number:,}: '#end document' without '#begin document'.")
        current.finish()
        documents.append(current)
        return None
    return current


def _brackets(document: Document, column: str, line: int) -> None:
    word = len(document.words) - 1
    for part in column.split("|"):
        match = BRACKET.fullmatch(part)
        if match is None or not (match[1] or match[3]):
            raise document.error(line, f"{column!r} is not a list of brackets such as (1|(2)|3)")
        entity = match[2]
        if match[1]:
            document.open(entity, word, line)
        if match[3]:
            start, _ = document.close(entity, line)
            text = " ".join(document.words[start : word + 1]).strip()
            document.add(entity, [(start, word)], line, text)
