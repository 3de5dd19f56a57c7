"""Corpus: documents by name, each a clustering of its own points, such as the mentions of a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from clusterdiff import notebook
from clusterdiff.errors import LabelError
from clusterdiff.points.clustering import Clustering
from clusterdiff.table import Table, record_html
from clusterdiff.wording import count

Singletons: TypeAlias = Literal["keep", "drop"]
SINGLETONS = ("keep", "drop")


@dataclass(frozen=True)
class Mention:
    """A mention: the words of a document from the first to the last of each span, both included.

    Mentions are the same if their document and spans are; ``text`` is for people.

    >>> Mention("story", ((4, 5),), "the fox") == Mention("story", ((4, 5),))
    True
    >>> print(Mention("story", ((4, 5), (9, 9)), "the fox"))
    the fox [4-5, 9]
    """

    document: str
    spans: tuple[tuple[Any, ...], ...]
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        spans = ", ".join("-".join(_position(p) for p in dict.fromkeys(span)) for span in self.spans)
        return f"{self.text} [{spans}]" if self.text else f"[{spans}]"

    def _repr_html_(self) -> str:
        return record_html("Mention", {"document": self.document, "": str(self)})

    @property
    def place(self) -> tuple[int, ...]:
        """Where it starts; it comes before what starts later, and before longer ones that start there too."""
        *sentence, first, last = self.spans[0]
        return (*sentence, *_numbers(first), *_numbers(last))

    @property
    def spoken(self) -> str:
        """What people call it: its words, if they are known."""
        return f"“{self.text}”" if self.text else str(self)


def _position(position: object) -> str:
    return ".".join(map(str, position)) if isinstance(position, tuple) else str(position)


def _numbers(position: Any) -> tuple[int, int]:
    """A word, or one that is only implied after it: (3, 1) comes between 3 and 4."""
    return position if isinstance(position, tuple) else (position, 0)


class InDocument(NamedTuple):
    """A point or a cluster together with its document, for comparing all documents as one."""

    document: str
    name: Any

    def __str__(self) -> str:
        return f"{self.document}: {self.name}"

    def _repr_html_(self) -> str:
        return record_html("InDocument", self._asdict())

    @property
    def spoken(self) -> str:
        """What people call it: a mention by its words, and anything else together with its document."""
        return self.name.spoken if isinstance(self.name, Mention) else str(self)


class Entity(InDocument):
    """A cluster of ``mentions`` in a document, which people call by the first of them."""

    mentions: Sequence[Mention]

    @classmethod
    def of(cls, document: str, name: Any, mentions: Sequence[Mention]) -> Entity:
        """An entity by its name in the file, and its mentions."""
        entity = cls(document, name)
        entity.mentions = mentions
        return entity

    @property
    def spoken(self) -> str:
        """The words of its first mention in the text, if they are known."""
        first = min(self.mentions, key=lambda mention: mention.place)
        return first.spoken if first.text else str(self)


class Text(NamedTuple):
    """A document's words, and which of them start a sentence, by their numbers.

    >>> text = Text(("The", "fox", "left", ".", "It", "slept", "."), (0, 4))
    >>> text.around(Mention("story", ((4, 4),), "It"))
    ('', 'It', 'slept .')
    """

    words: tuple[str, ...]
    starts: tuple[int, ...] = ()

    def around(self, mention: Mention) -> tuple[str, str, str]:
        """The words before a mention, from the start of its sentence; its own; and those after it, to the end."""
        first, last = self.place(mention)
        begin = bisect_right(self.starts, first)
        start = self.starts[begin - 1] if begin else 0
        after = bisect_right(self.starts, max(first, last))
        end = self.starts[after] if after < len(self.starts) else len(self.words)
        said = self.words[first : last + 1]
        return (
            " ".join(self.words[start:first]),
            " ".join(said) or mention.text,
            " ".join(self.words[last + 1 : end]),
        )

    def place(self, mention: Mention) -> tuple[int, int]:
        """The numbers of its first and of its last word."""
        return self._word(mention.spans[0], 0), self._word(mention.spans[-1], -1)

    def _word(self, span: tuple[Any, ...], end: int) -> int:
        """The number of the first (0) or last (-1) word of a span; what is only implied lies between two words."""
        *sentence, first, last = span
        offset = self.starts[sentence[0]] if sentence and sentence[0] < len(self.starts) else 0
        position = last if end else first
        if isinstance(position, tuple):
            return int(position[0]) + (0 if end else 1)
        return offset + int(position)


class Corpus(Mapping[str, Clustering]):
    """Documents by name, each a clustering of its own points, such as the mentions of entities.

    Parameters
    ----------
    documents
        Document → its clusters (cluster → points, a list of clusters, or anything that is a clustering). A document
        may have none.
    words
        Document → the words of its text, where they are known. Two corpora that both know the words of a document
        are compared only if these line up: see :func:`clusterdiff.compare`.
    sentences
        Document → the numbers of the words that start a sentence, where they are known.
    origin
        Where the documents come from, for messages.
    notices
        What one should know about them; a comparison has it among its own ``notices``.

    Examples
    --------
    >>> corpus = Corpus({"one": {"she": [1, 2]}, "two": {}})
    >>> corpus
    <Corpus of 2 documents, 2 points in 1 cluster>
    >>> corpus["one"].to_sets()
    [{1, 2}]
    """

    def __init__(
        self,
        documents: Mapping[str, Any],
        *,
        words: Mapping[str, Sequence[str]] | None = None,
        sentences: Mapping[str, Sequence[int]] | None = None,
        origin: str = "",
        notices: Sequence[str] = (),
    ) -> None:
        self._documents = {
            name: Clustering.reading(data, name) if _has_points(data) else None
            for name, data in documents.items()
        }
        if not self._documents:
            raise LabelError("a corpus needs at least one document.")
        self.words = {name: tuple(spelt) for name, spelt in (words or {}).items() if name in self._documents}
        self.sentences = {name: tuple(at) for name, at in (sentences or {}).items() if name in self.words}
        self.origin = origin
        self.notices = tuple(notices)

    def only(self, names: Iterable[str]) -> Corpus:
        """Some of the documents, in the order of the corpus; names that it does not have are left out.

        >>> list(Corpus({"one": [["a"]], "two": [["b"]]}).only(["two", "three"]))
        ['two']
        """
        wanted = set(names)
        kept = {name: document or () for name, document in self._documents.items() if name in wanted}
        return Corpus(
            kept, words=self.words, sentences=self.sentences, origin=self.origin, notices=self.notices
        )

    def __getitem__(self, name: str) -> Clustering:
        found = self._documents[name]
        if found is None:
            raise LabelError(f"the document {name!r} has no points, and so no clustering.")
        return found

    def text(self, name: str) -> Text | None:
        """The words of a document, if they are known."""
        words = self.words.get(name)
        return None if words is None else Text(words, self.sentences.get(name, ()))

    @property
    def filled(self) -> dict[str, Clustering]:
        """The documents that have points."""
        return {name: document for name, document in self._documents.items() if document is not None}

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, name: object) -> bool:
        return name in self._documents

    def __repr__(self) -> str:
        found = self.filled.values()
        points, clusters = sum(map(len, found)), sum(len(document.names) for document in found)
        parts = count(len(self), "document"), count(points), count(clusters, "cluster")
        return f"<Corpus of {parts[0]}, {parts[1]} in {parts[2]}>"

    def _repr_html_(self) -> str:
        found = [(name, self._documents[name]) for name in self]
        documents: Table[Any] = Table(
            {
                "document": [name for name, _ in found],
                "points": [0 if document is None else len(document) for _, document in found],
                "clusters": [0 if document is None else len(document.names) for _, document in found],
            }
        )
        return notebook.view(notebook.line(repr(self).strip("<>"), strong=True), documents.html())


def _has_points(data: Any) -> bool:
    return isinstance(data, Clustering) or len(data) > 0
