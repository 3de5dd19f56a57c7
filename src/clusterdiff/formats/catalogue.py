"""The formats of files: how each is recognised, what it holds, and who reads it. A new format is a new entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from clusterdiff.caching import all_kept
from clusterdiff.files import STAGE, shown

Holds = Literal["table", "clustering", "array", "documents"]


@dataclass(frozen=True)
class Format:
    """A format of files.

    ``holds`` says what comes out: a table of points and clusters (read in `tables`), a Clustering, an array of labels,
    or a Corpus of documents. ``reader`` is ``"module:function"`` in `formats`, a function of the path, imported when a
    file is read; if the file has ``parts``, the function takes the name of one as well (``cluster=`` of `cd.read`).
    A file is known by its suffix, before that of a compression, or by its first bytes, ``magic``. If the format is
    ``untyped``, all it knows is text: "7" may be a number.
    """

    holds: Holds
    suffixes: tuple[str, ...] = ()
    reader: str = ""
    magic: tuple[bytes, ...] = ()
    parts: bool = False
    untyped: bool = False

    def read(self, path: str, part: str | None = None, **options: Any) -> Any:
        """What the file holds; all readers of documents take the option ``repeated``."""
        module, _, function = self.reader.partition(":")
        STAGE.debug("reading %s", shown(path))
        read: Callable[..., Any] = getattr(import_module(f"clusterdiff.formats.{module}"), function)
        with all_kept():
            return read(path, part, **options) if self.parts else read(path, **options)


FORMATS = {
    "csv": Format("table", (".csv",), untyped=True),
    "tsv": Format("table", (".tsv", ".tab"), untyped=True),
    "jsonl": Format("table", (".jsonl", ".ndjson")),
    "parquet": Format("table", (".parquet", ".pq"), magic=(b"PAR1",)),
    "arrow": Format("table", (".arrow", ".feather", ".ipc"), magic=(b"ARROW1",)),
    "sqlite": Format("table", (".sqlite", ".sqlite3", ".db"), magic=(b"SQLite format 3\x00",)),
    "duckdb": Format("table", (".duckdb", ".ddb")),
    "postgres": Format("table"),
    "json": Format("clustering", (".json",), "lists:read_json"),
    "labels": Format("clustering", (), "lists:read_labels_by_line"),
    "clusters": Format("clustering", (".mcl", ".clusters"), "lists:read_clusters_by_line", untyped=True),
    "npy": Format(
        "array", (".npy", ".npz"), "arrays:load_numpy", magic=(b"\x93NUMPY", b"PK\x03\x04"), parts=True
    ),
    "tiff": Format("array", (".tif", ".tiff"), "arrays:load_tiff", magic=(b"II*\x00", b"MM\x00*")),
    "conll": Format(
        "documents",
        (".conll", ".v4_gold_conll", ".v4_auto_conll", ".gold_conll", ".auto_conll"),
        "conll:read_conll",
    ),
    "conllu": Format("documents", (".conllu",), "conllu:read_conllu"),
    "spans": Format("documents", (), "spans:read_spans", parts=True),
}
BY_SUFFIX = {end: name for name, one in FORMATS.items() for end in one.suffixes}
MAGIC = {magic: name for name, one in FORMATS.items() for magic in one.magic}


def holding(what: Holds) -> tuple[str, ...]:
    """The formats that hold something.

    >>> holding("array")
    ('npy', 'tiff')
    """
    return tuple(name for name, one in FORMATS.items() if one.holds == what)


TABLES, ARRAYS, DOCUMENTS = holding("table"), holding("array"), holding("documents")
UNTYPED = tuple(name for name, one in FORMATS.items() if one.untyped)
