"""Damage a file at random and read it: a clustering comes out, or an error of ours."""

from __future__ import annotations

import random
from pathlib import Path

import clusterdiff as cd
from tests.fuzz.corpus import CORPUS, SIGNS


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Content with one to eight changes: bytes flipped, cut, doubled, moved, or replaced by signs."""
    out = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at, to = sorted(chance.randrange(len(out) + 1) for _ in range(2))
        to = min(to, at + chance.choice((1, 4, 40)))
        match chance.randrange(6):
            case 0 if at < len(out):
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                del out[at:to]
            case 2:
                out[at:at] = out[at:to] * chance.choice((1, 3, 50))
            case 3:
                out[at:to] = chance.choice(SIGNS)
            case 4:
                other = chance.choice(list(CORPUS.values()))
                cut = chance.randrange(len(other))
                out[at:at] = other[cut : cut + 40]
            case _:
                out[at:to] = chance.randbytes(to - at)
    return bytes(out)


def attack(path: Path) -> bool:
    """Read a file; whether anything came out of it, which must then be a clustering that is like itself."""
    try:
        if path.suffix == ".patch":
            fixed = cd.Patch.read(path).apply({"a": "x", "b": "y", "c": "y", "d": "z"})
            return len(fixed) == 4
        kind = "labels" if path.name == "labels" else "spans" if path.name.startswith("spans") else None
        found = cd.read(path, format=kind, repeated="first" if kind == "spans" else None)
        if isinstance(found, cd.Corpus) or not len(found):
            return True
        score = cd.compare(found, found, missing="drop").score()
    except (cd.ClusterdiffError, MemoryError):  # a few bytes may stand for a picture of gigabytes
        return False
    assert score == 1.0, score
    return True
