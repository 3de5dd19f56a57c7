"""How `apply` tells judgements from a patch, and what it says of them."""

from __future__ import annotations

from clusterdiff.cli.output import error_console
from clusterdiff.diff.patch import FORMAT
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.files import STDIN, first_bytes
from clusterdiff.formats.source import parse
from clusterdiff.judgements.collection import Judgements
from clusterdiff.points.clustering import Clustering
from clusterdiff.tables.pairs import read_scored
from clusterdiff.wording import count


def is_patch(path: str) -> bool:
    """Whether a file is a patch: it begins by saying so. Judgements are not read from standard input."""
    return path == STDIN or f'"{FORMAT}"'.encode() in first_bytes(path, 200)


def corrected(path: str, clustering: Clustering, scores: str | None = None) -> Clustering:
    """A clustering with the judgements of a file applied; what was done is told on standard error.

    ``scores`` is a table of scored pairs: where a cluster must be cut, it is cut at its weakest link.
    """
    if clustering.labels.absent is not None:
        raise ArgumentError("the clustering has points without a cluster (null labels).")
    links = None
    if scores is not None:
        pairs = read_scored(parse(scores).resolved())
        ends = (map(pairs.points.__getitem__, side.tolist()) for side in (pairs.left, pairs.right))
        links = zip(*ends, pairs.score.tolist(), strict=True)
    found = Judgements.read(path).apply(clustering, scores=links)
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
        say(f"not in the run: {listed(found.absent)}", markup=False, soft_wrap=True, style="dim")
    return found
