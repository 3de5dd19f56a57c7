"""How `apply` tells judgements from a patch, and what it says of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from clusterdiff.cli.output import error_console
from clusterdiff.diff.patch import FORMAT
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.files import STDIN, first_bytes
from clusterdiff.formats.source import parse
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.contradictions import Contradiction
from clusterdiff.points.clustering import Clustering
from clusterdiff.tables.pairs import read_scored
from clusterdiff.wording import count


def is_patch(path: str) -> bool:
    """Whether a file is a patch: it begins by saying so. Judgements are not read from standard input."""
    return path == STDIN or f'"{FORMAT}"'.encode() in first_bytes(path, 200)


def told_contradictions(found: Sequence[Contradiction], top: int | None = None) -> None:
    """Say on standard error how judgements contradict each other, and what to do."""
    lines = [f"{count(len(found), 'contradiction')}: no run keeps all judgements"]
    lines += [f"  {one}" for one in found[:top]]
    if top is not None and len(found) > top:
        lines.append(f"  … {len(found) - top:,} more; clusterdiff judgements lists them")
    lines.append(
        "hint: correct or withdraw some, or let author and date decide: clusterdiff judgements --settle"
    )
    error_console().print("\n".join(lines), markup=False, soft_wrap=True, style="red")


def corrected(
    path: str, clustering: Clustering, scores: str | None = None, key: str | None = None
) -> Clustering:
    """A clustering with the judgements of a file applied; what was done is reported on standard error.

    ``scores`` is a table of scored pairs: where a cluster must be cut, it is cut at its weakest link. Judgements that
    contradict each other end the command.
    """
    if clustering.labels.absent is not None:
        raise ArgumentError(
            "the run has points without a cluster (null labels).",
            "give each a cluster of its own, or leave their rows out.",
        )
    links = None
    if scores is not None:
        pairs = read_scored(parse(scores).resolved())
        ends = (map(pairs.points.__getitem__, side.tolist()) for side in (pairs.left, pairs.right))
        links = zip(*ends, pairs.score.tolist(), strict=True)
    said = Judgements.read(path, key=key)
    if said.contradictions:
        told_contradictions(said.contradictions)
        sys.exit(1)
    found = said.apply(clustering, scores=links)
    say = error_console().print
    torn, joined = count(len(found.torn), "cluster"), count(len(found.joined), "join")
    say(f"{joined}, {torn} taken apart", markup=False, soft_wrap=True)
    if found.undetermined:
        say(
            f"undetermined: {count(len(found.undetermined))} could have gone elsewhere: "
            f"{listed(found.undetermined)}",
            markup=False,
            soft_wrap=True,
            style="yellow",
        )
    if found.absent:
        none = len(found.absent) == len({point for one in said for point in one.points})
        say(
            f"{'the run has no point of the judgements' if none else 'not in the run'}: {listed(found.absent)}",
            markup=False,
            soft_wrap=True,
            style="yellow" if none else "dim",
        )
    return found
