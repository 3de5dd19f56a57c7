"""Judgements: a collection of them, from files or from memory, and what can be asked of it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, overload

from clusterdiff import notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.files import COMPRESSED, held, suffix, write_text
from clusterdiff.inputs.base import Column, PointColumn
from clusterdiff.judgements.contradictions import Contradiction, ContradictionError, contradictions
from clusterdiff.judgements.corrections import Corrected, apply
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.judgement import Judgement, answered
from clusterdiff.judgements.precedence import Aside, settle
from clusterdiff.judgements.readers import read_judgements
from clusterdiff.judgements.references import CellNames
from clusterdiff.judgements.runs import Indexed, named_columns
from clusterdiff.judgements.verdicts import Verdicts, judged
from clusterdiff.points.keys import Key
from clusterdiff.table import SHOWN
from clusterdiff.wording import count

#: How files are called that judgements can be written to; a name without a suffix will do as well.
WRITTEN = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True)
class Settled:
    """What stands of judgements that contradicted each other, and what was set aside, with the reason."""

    judgements: Judgements
    aside: tuple[Aside, ...]

    def __repr__(self) -> str:
        return f"<Settled: {len(self.judgements):,} stand, {len(self.aside):,} set aside>"

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, [repr(self).strip("<>"), *map(str, self.aside[:SHOWN])]))


class Judgements(Sequence[Judgement]):
    """Judgements about some points: which are together, which are apart, and who said so.

    Parameters
    ----------
    judgements
        :class:`Judgement` objects, or dicts with the keys of a line of a file: ``groups`` or ``unsure``, and maybe
        ``id``, ``by``, ``at``, ``why``, … See docs/judgements.md.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> said = cd.Judgements([{"groups": [["ann", "anna"], ["bob"]], "by": "eva"}])
    >>> said
    <Judgements: 1 judgement about 3 points by eva>
    >>> said.apply({"ann": 1, "anna": 2, "bob": 1}).to_dict()
    {'ann': 2, 'anna': 2, 'bob': 1}
    """

    #: How a review was drawn, if these are its answers: the first line of its file.
    header: Mapping[str, Any] | None

    def __init__(
        self, judgements: Iterable[Judgement | dict[str, Any]], header: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(judgements, Iterable) or isinstance(judgements, str | Mapping):
            raise ArgumentError.must(
                "judgements",
                "be a list of judgements",
                judgements,
                "Judgements.read() reads them from files.",
            )
        self.header = header
        self._judgements = [
            one
            if isinstance(one, Judgement)
            else Judgement.from_dict(answered(one, header), f"judgement {i}", f"judgement {i}")
            for i, one in enumerate(judgements, 1)
        ]

    @classmethod
    def read(
        cls,
        *paths: str | PathLike[str],
        key: Key | None = None,
        comparison: Comparison | None = None,
        attributes: object = None,
    ) -> Judgements:
        """Judgements from files: our own, and those of splink, nomenklatura, matchbox and other tools.

        Babel's tests, Zingg's labels, dedupe's training data and OpenRefine's operations are read, too.

        ``key`` names the points where a file holds whole records: a field of dedupe's training data, or a column of
        Zingg's and splink's labels; or a list of them, if they name points together. ``comparison`` is the one whose
        page refers to cells or groups, where it did not hold all of their points, and ``attributes`` are those that the
        page was made with.
        """
        if not paths:
            raise ArgumentError.about("paths", "is empty; name at least one file.")
        for odd in (path for path in paths if not isinstance(path, str | PathLike)):
            raise ArgumentError.must("paths", "be names of files", odd)
        out, headers = [], []
        cells = None if comparison is None else CellNames(comparison, attributes)
        for path in paths:
            found, header = read_judgements(held(os.fspath(path)), key, cells)
            headers += [] if header is None else [header]
            place = os.path.basename(os.fspath(path))
            # The number of a line is no name among several files.
            out += [
                replace(one, id=f"{place} {one.id}") if len(paths) > 1 and one.id.startswith("line ") else one
                for one in found
            ]
        return cls(out, headers[0] if len(headers) == 1 else None)

    # ---- a sequence

    def __len__(self) -> int:
        return len(self._judgements)

    @overload
    def __getitem__(self, index: int) -> Judgement: ...
    @overload
    def __getitem__(self, index: slice) -> Judgements: ...
    def __getitem__(self, index: int | slice) -> Judgement | Judgements:
        return Judgements(self._judgements[index]) if isinstance(index, slice) else self._judgements[index]

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self._judgements)

    def __repr__(self) -> str:
        by = Counter(judgement.by for judgement in self if judgement.by is not None)
        who = f" by {', '.join(name for name, _ in by.most_common(3))}" if by else ""
        more = f" and {count(len(by) - 3, 'other')}" if len(by) > 3 else ""
        return f"<Judgements: {count(len(self), 'judgement')} about {count(len(self._entries.names))}{who}{more}>"

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, [repr(self).strip("<>"), *map(repr, self[:SHOWN])]))

    # ---- what they say

    @cached_property
    def _entries(self) -> Entries:
        return Entries(self._judgements)

    @cached_property
    def _facts(self) -> Facts:
        return Facts(self._entries)

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Points that are set apart and, through other judgements, put together: the shortest path first.

        >>> import clusterdiff as cd
        >>> said = [{"id": "1", "groups": [["a", "b"]]}, {"id": "2", "groups": [["b", "c"]]}]
        >>> print(cd.Judgements([*said, {"id": "3", "groups": [["a"], ["c"]]}]).contradictions[0])
        a ≠ c (3), but a = b (1) = c (2)
        """
        return contradictions(self._entries, self._facts)

    @property
    def facts(self) -> Facts:
        """What follows from them; an error if they contradict each other."""
        if self._facts.clashes:
            raise ContradictionError.of(self.contradictions)
        return self._facts

    def settle(self, authors: Sequence[str] = ()) -> Settled:
        """What stands if authors and dates decide: ``authors``, the most trusted first, then later dates.

        Nothing is guessed among equals: judgements of the same precedence that contradict each other are all set aside.
        """
        if isinstance(authors, str):
            raise ArgumentError.must("authors", "be a list of names, the most trusted first", authors)
        accepted, aside = settle(self._judgements, authors)
        return Settled(Judgements(accepted), tuple(aside))

    # ---- against a run

    def judge(
        self,
        run: object,
        *,
        old: object = None,
        point: PointColumn | None = None,
        cluster: Column | None = None,
    ) -> Verdicts:
        """Which judgements a run keeps, and which it violates; with ``old``, what was fixed since and what regressed.

        ``run`` and ``old`` are whatever :func:`compare` takes, but for documents. ``point`` and ``cluster`` name the
        columns of tables, for both or as a pair, the old run's first.
        """
        new = named_columns(run, "run", point, cluster, 1)
        if old is None:
            return judged(self._entries, Indexed(new), None)
        return judged(
            self._entries, Indexed(new), Indexed(named_columns(old, "old", point, cluster, 0), "old")
        )

    def apply(
        self,
        run: object,
        *,
        scores: Iterable[tuple[Any, Any, float]] | None = None,
        point: Key | None = None,
        cluster: str | None = None,
    ) -> Corrected:
        """The least change of a run that satisfies all judgements.

        Apply the whole file to each new run, never in instalments. ``scores`` of pairs (point, point, score) say which
        link of a cluster is the weakest where one must be cut. ``point`` and ``cluster`` name the columns of a table.
        """
        return apply(self.facts, Indexed(named_columns(run, "run", point, cluster)), scores)

    # ---- files

    def to_jsonl(self) -> str:
        """The text of a file, one judgement per line."""
        head = [] if self.header is None else [json.dumps(self.header, ensure_ascii=False)]
        lines = [*head, *(json.dumps(judgement.to_dict(), ensure_ascii=False) for judgement in self)]
        return "".join(f"{line}\n" for line in lines)

    def write(self, path: str | PathLike[str]) -> None:
        """Write them as JSON lines; the file appears whole or not at all."""
        name = os.fspath(path)
        if (suffix(name) and suffix(name) not in WRITTEN) or name.lower().endswith(COMPRESSED):
            raise FileError(
                f"{name} is no name for judgements, which are written as JSON lines.", "call it .jsonl."
            )
        write_text(path, self.to_jsonl())
