"""JSON lines of documents with clusters of spans, as coreference models write them."""

from __future__ import annotations

from sys import intern
from typing import Any

from clusterdiff.errors import FileError, listed, nearest
from clusterdiff.files import from_json, read_lines, shown
from clusterdiff.formats.mentions import Document, Gathered, Repeated
from clusterdiff.points.corpus import Corpus

NAMES = ("doc_key", "doc_id", "document_id", "document", "id", "name")
CLUSTERS = "clusters"


def read_spans(path: str, clusters: str | None = None, repeated: Repeated = "error") -> Corpus:
    """One document per line: an object with ``clusters``, a list of lists of spans [first, last].

    ``clusters`` names another field, such as ``predicted_clusters``. Spans of three numbers [sentence, first, last]
    are used as they are. A document is named by its ``doc_key``, ``doc_id``, ``document_id``, ``document``, ``id``
    or ``name``, or else by its number. Its words, if it has them, are its ``tokens`` or its ``sentences``.
    """
    gathered = Gathered(path, repeated)
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                gathered.add(_document(path, line, number, clusters or CLUSTERS))
            except FileError as error:
                gathered.errors.append(error)
    return gathered.corpus()


def _document(path: str, line: str, number: int, wanted: str) -> Document:
    data = from_json(line, path, number - 1)
    if not isinstance(data, dict) or wanted not in data:
        fields = list(data) if isinstance(data, dict) else []
        raise FileError(
            f"{shown(path)}, line {number:,}: the document has no field {wanted!r}; "
            f"it has {listed(fields) or 'none'}.",
            nearest(wanted, fields),
        )
    name = next((str(data[field]) for field in NAMES if field in data), f"document {number}")
    document = Document(path, name, number)
    for sentence in _sentences(data):
        document.words += map(intern, sentence)
        document.end_sentence()
    _fill(document, data[wanted], number)
    return document


def _sentences(data: dict[str, Any]) -> list[list[str]]:
    """The words: a list of them, or a list of sentences that are lists. Sentences of plain text are not words."""
    tokens: Any = data.get("tokens")
    sentences: Any = data.get("sentences")
    if _are_words(tokens):
        return [tokens]
    for nested in (tokens, sentences):
        if isinstance(nested, list) and all(map(_are_words, nested)):
            return nested
    return []


def _are_words(words: Any) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _fill(document: Document, clusters: Any, number: int) -> None:
    if not isinstance(clusters, list):
        raise document.error(
            number, f"the clusters must be a list of lists of spans; got {type(clusters).__name__}"
        )
    for index, cluster in enumerate(clusters):
        for span in cluster if isinstance(cluster, list) else [cluster]:
            if not _is_span(span):
                raise document.error(
                    number, f"cluster {index} holds {span!r}, which is not a span such as [3, 5]"
                )
            if document.words and len(span) == 2 and span[1] >= len(document.words):
                words = f"the document has {len(document.words):,} words, numbered from 0"
                raise document.error(number, f"cluster {index} holds {span!r}, but {words}")
            text = " ".join(document.words[span[0] : span[1] + 1]) if len(span) == 2 else ""
            document.add(str(index), [tuple(span)], number, text)


def _is_span(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) in (2, 3)
        and all(isinstance(x, int) and not isinstance(x, bool) for x in span)
        and 0 <= span[-2] <= span[-1]
    )
