"""Where to read a clustering from: a path, a format, and which part of the file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace

from clusterdiff.errors import ArgumentError, FileError, one_of
from clusterdiff.files import STDIN, first_bytes, first_line, held, shown, suffix
from clusterdiff.formats.catalogue import ARRAYS, BY_SUFFIX, DOCUMENTS, FORMATS, MAGIC, TABLES
from clusterdiff.formats.mentions import REPEATED, Repeated
from clusterdiff.messages import Message
from clusterdiff.points.keys import Key

POSTGRES = re.compile(r"postgres(?:ql)?://")
#: An address of the web or of a store; a letter before :// may be a drive.
ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://")


@dataclass(frozen=True)
class Source:
    """A clustering in a file or a database; see :func:`clusterdiff.read` for what the fields mean."""

    path: str
    point: Key | None = None
    cluster: str | None = None
    table: str | None = None
    format: str | None = None
    pairs: bool = False
    threshold: float | None = None
    ignore: int | Collection[int] | None = None
    repeated: Repeated | None = None

    @property
    def ignored(self) -> frozenset[int]:
        """The labels that are not compared."""
        if self.ignore is None:
            return frozenset()
        return frozenset([self.ignore] if isinstance(self.ignore, int) else self.ignore)

    def resolved(self) -> Source:
        """The same with its format: as given, or recognised by the suffix or the first bytes."""
        if self.threshold is not None and not self.pairs:
            raise ArgumentError(Message("`threshold` is for pairs; set `pairs=True` as well."))
        found = self._format()
        if self.pairs and found not in TABLES:
            raise ArgumentError(
                f"pairs are read from tables ({', '.join(TABLES)}); {shown(self.path)} is {found}."
            )
        if found in DOCUMENTS:
            self._refuse_in_documents(found)
        elif self.repeated is not None:
            raise ArgumentError.about(
                "repeated", f"is for documents of mentions; {shown(self.path)} is {found}."
            )
        if self.ignored and found not in ARRAYS:
            raise ArgumentError.about(
                "ignore",
                f"names labels of arrays and images ({', '.join(ARRAYS)}); {shown(self.path)} is {found}.",
                Message('name them with `noise_true=` or `noise_pred=`, and `noise_as="drop"`.'),
            )
        return replace(self, format=found)

    def _refuse_in_documents(self, found: str) -> None:
        """What says where points and clusters stand has no meaning in documents, whose format says it."""
        one_of("repeated", self.repeated or "error", REPEATED)
        given = {
            "point": self.point,
            "cluster": None if FORMATS[found].parts else self.cluster,
            "table": self.table,
            "ignore": self.ignored or None,
        }
        for argument, value in given.items():
            if value is not None:
                raise ArgumentError.about(
                    argument,
                    f"has no meaning for documents of mentions, which {shown(self.path)} holds ("
                    f"{found}); leave it out.",
                )

    def _format(self) -> str:
        if self.format is not None:
            one_of("format", self.format, FORMATS)
            if self.format != "postgres":
                _refuse_address(self.path)
            return self.format
        if POSTGRES.match(self.path):
            return "postgres"
        _refuse_address(self.path)
        found = BY_SUFFIX.get(suffix(self.path)) if self.path != STDIN else None
        if found == "jsonl" and not self.pairs and _has_clusters(self.path):
            return "spans"
        return found or sniff(self.path)


def _refuse_address(path: str) -> None:
    """Raise for https://… and its like: nothing is fetched from a network but tables of PostgreSQL."""
    address = ADDRESS.match(path)
    if address is None or os.path.exists(path):
        return
    if address["scheme"].lower() == "file":
        raise ArgumentError(f"{path} is an address, not a path.", "pass the path alone: /folder/file.csv.")
    raise ArgumentError(
        f"{path} is an address, and only files and databases (postgres://…) are read.",
        Message("fetch the file first, and pass its path; or pipe it in, with - and `format=`."),
    )


def sniff(path: str) -> str:
    """The format of a file whose name does not tell, by its first bytes and lines."""
    if path == STDIN:
        raise ArgumentError(
            "the format of standard input must be given.",
            Message("name it with `format=`: {formats}.", formats=", ".join(FORMATS)),
        )
    head = first_bytes(path, 4096)
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    if b"DUCK" in head[:16]:
        return "duckdb"
    text = head.decode("utf-8", errors="replace")
    if re.search(r"^#\s*begin document\b", text, re.MULTILINE):
        return "conll"
    if re.search(r"^#\s*(global\.Entity|newdoc|sent_id)\b", text, re.MULTILINE):
        return "conllu"
    if text.lstrip()[:1] in ("{", "["):
        return "json"
    if re.search(r"[\t,;]| \S", text):
        raise FileError(
            f"{shown(path)} may be a table, a list of labels or a list of clusters: its name does not say which.",
            Message("name it with `format=`: csv, tsv, labels or clusters."),
        )
    return "labels"


def _has_clusters(path: str) -> bool:
    """Whether the first line of a file of JSON lines is a document with clusters of spans."""
    try:
        data = json.loads(first_line(path))
    except (ValueError, RecursionError):  # FileError is a ValueError; the reader will tell
        return False
    return isinstance(data, dict) and any(
        field.endswith("clusters") and isinstance(value, list) for field, value in data.items()
    )


def parse(text: str) -> Source:
    """A source as the command takes it: ``path``, ``path:column``, ``database:table``, ``database:table:column``.

    A path that exists is that file, even with a colon in its name.

    >>> source = parse("gold.csv:entity_id")
    >>> source.path, source.cluster
    ('gold.csv', 'entity_id')
    >>> parse("postgres://ann@localhost:5432/people:gold:entity").table
    'gold'
    """
    if text == STDIN or os.path.exists(text):
        return Source(held(text))
    if POSTGRES.match(text):
        match = re.fullmatch(r"(?P<url>\w+://[^/]*/[^:?]*)(?::(?P<rest>[^?]*))?(?P<query>\?.*)?", text)
        if match is None:
            raise ArgumentError(
                f"{text!r} is not an address such as postgres://user@host:5432/database:table."
            )
        parts = (match["rest"] or "").split(":") if match["rest"] else []
        return _database(match["url"] + (match["query"] or ""), parts, text)
    if ADDRESS.match(text):
        return Source(text)
    head, *parts = text.split(":")
    if BY_SUFFIX.get(suffix(head)) in ("sqlite", "duckdb"):
        return _database(head, parts, text)
    path, colon, column = text.rpartition(":")
    return Source(held(path), cluster=column) if colon else Source(text)


def _database(path: str, parts: list[str], text: str) -> Source:
    if len(parts) > 2:
        raise ArgumentError(f"{text!r} names more than a table and a column: database:table:column.")
    table, cluster = (*parts, None, None)[:2]
    return Source(path, table=table, cluster=cluster)


def as_written(numbers: bool, untyped: bool) -> Callable[[Hashable], Hashable] | None:
    """How a label that is named stands in a file: a number where they are numbers, text where there is only text."""
    if numbers:
        return _as_number
    return _as_text if untyped else None


def _as_number(label: Hashable) -> Hashable:
    try:
        return int(label) if isinstance(label, str) else label
    except ValueError:
        return label


def _as_text(label: Hashable) -> Hashable:
    return str(label) if isinstance(label, int) and not isinstance(label, bool) else label
