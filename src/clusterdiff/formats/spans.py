"""JSON lines of documents with clusters of spans, as coreference models write them."""

from __future__ import annotations

import json
from typing import Any

from clusterdiff.errors import FileError, listed, nearest
from clusterdiff.files import read_lines, shown
from clusterdiff.formats.mentions import Document, corpus
from clusterdiff.points.corpus import Corpus

NAMES = ("doc_key", "doc_id", "document_id", "document", "id", "name")
CLUSTERS = "clusters"


def read_spans(path: str, clusters: str | None = None) -> Corpus:
    """One document per line: an object with ``clusters``, a list of lists of spans [first, last].

    ``clusters`` names another field, such as ``predicted_clusters``. Spans of three numbers [sentence, first, last]
    are used as they are. A document is named by its ``doc_key``, ``doc_id``, ``document_id``, ``document``, ``id``
    or ``name``, or else by its number.
    """
    wanted = clusters or CLUSTERS
    documents = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except json.JSONDecodeError as error:
            raise FileError(f"{shown(path)}, line {number:,}, column {error.colno:,}: {error.msg}.") from None
        if not isinstance(data, dict) or wanted not in data:
            fields = list(data) if isinstance(data, dict) else []
            raise FileError(
                f"{shown(path)}, line {number:,}: the document has no field {wanted!r}; "
                f"it has {listed(fields) or 'none'}.",
                nearest(wanted, fields),
            )
        name = next((str(data[field]) for field in NAMES if field in data), f"document {number}")
        document = Document(path, name, number)
        document.words = _words(data)
        _fill(document, data[wanted], number)
        documents.append(document)
    return corpus(path, documents)


def _words(data: dict[str, Any]) -> list[str]:
    words = data.get("tokens") or data.get("sentences") or []
    if words and isinstance(words[0], list):
        words = [word for sentence in words for word in sentence]
    return words if all(isinstance(word, str) for word in words) else []


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
            text = " ".join(document.words[span[0] : span[1] + 1]) if len(span) == 2 else ""
            document.add(str(index), [tuple(span)], number, text)


def _is_span(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) in (2, 3)
        and all(isinstance(x, int) and not isinstance(x, bool) for x in span)
        and 0 <= span[-2] <= span[-1]
    )
