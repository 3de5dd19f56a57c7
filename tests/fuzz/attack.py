"""Damage a file at random and read it: a clustering comes out, or an error of ours."""

from __future__ import annotations

import random
import re
from importlib import import_module
from pathlib import Path

from click.testing import CliRunner

import clusterdiff as cd
from tests.fuzz.corpus import BESIDE, COMMANDS, CORPUS, SIGNS

#: What a text is made of: something between quotes, a word or a number.
WORD = re.compile(rb'"[^"]*"|[\w.+-]+')


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Content with a few words exchanged, which readers look at closely, or with bytes changed, which most refuse."""
    return _other_words(content, chance) if chance.random() < 0.5 else _other_bytes(content, chance)


def _other_words(content: bytes, chance: random.Random) -> bytes:
    """One to three words replaced by others of the same file, or by signs."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        words = list(WORD.finditer(content))
        if not words:
            break
        word = chance.choice(words)
        other = chance.choice(SIGNS) if chance.random() < 0.6 else chance.choice(words)[0]
        content = content[: word.start()] + other + content[word.end() :]
    return content


def _other_bytes(content: bytes, chance: random.Random) -> bytes:
    """One to eight changes: bytes flipped, cut, doubled, moved, or replaced by signs."""
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
        if path.name in COMMANDS:
            return _run(path)
        if path.suffix == ".patch":
            return len(cd.Patch.read(path).apply({"a": "x", "b": "y", "c": "y", "d": "z"})) == 4
        kind = "labels" if path.name == "labels" else "spans" if path.name.startswith("spans") else None
        found = cd.read(
            path, format=kind, repeated="first" if kind == "spans" else None, pairs=path.name == "pairs.csv"
        )
        if isinstance(found, cd.Corpus) or not len(found):
            return True
        score = cd.compare(found, found, missing="drop").score()
    except (cd.ClusterdiffError, MemoryError):  # a few bytes may stand for a picture of gigabytes
        return False
    assert score == 1.0, score
    return True


def _run(path: Path) -> bool:
    """Let a command read a file; what it raises is raised here, before it becomes a message."""
    for name, content in BESIDE.items():
        if not (beside := path.with_name(name)).exists():
            beside.write_bytes(content)
    names = {name: str(path.with_name(name)) for name in BESIDE}
    command, *arguments = (names.get(word, word) for word in COMMANDS[path.name])
    module = import_module(f"clusterdiff.cli.commands.{command}")
    result = CliRunner().invoke(module.command, [*arguments, str(path)], standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        if isinstance(result.exception, OSError) and result.exception.strerror:
            return False  # the name of a file that is not there: the command says so
        raise result.exception
    return True
