"""Files of coreference to scores: clusterdiff beside coval, on documents of the shape of LitBank's.

python benchmarks/coreference.py --coval FOLDER     FOLDER: a checkout of github.com/ns-moosavi/coval
python benchmarks/coreference.py --key A --response B --coval FOLDER      files of your own

100 documents of about 2,000 words, 290 mentions and 80 entities each; the response misses one mention in twenty, has as
many that are spurious, and gives one in ten to another entity. Each contender is a process of its own, imports and all;
what counts is the least CPU time of the rounds, and that both print the same scores.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

#: A mention: its first and its last word, and its entity.
Mention = tuple[int, int, int]

#: coval's own scorer, run where it lies, and ours with the same output.
PEER = """
import runpy, sys
sys.path.insert(0, {folder!r})
runpy.run_path({folder!r} + "/scorer.py", run_name="__main__")
"""
OURS = """
import sys
import clusterdiff as cd
rows, parts = ("mentions", "muc", "b3", "ceaf_e", "lea"), ("recall", "precision", "f1")
scores = cd.compare(*sys.argv[1:]).scores([f"{row}.{part}" for row in rows for part in parts])
print(*(f"{100 * score:.2f}" for score in scores.values()))
"""


def write(folder: Path, documents: int) -> tuple[Path, Path]:
    """A key and a response."""
    draw = random.Random(0)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(1, 9))) for _ in range(8_000)]
    paths = folder / "key.conll", folder / "response.conll"
    with paths[0].open("w", encoding="utf-8") as key, paths[1].open("w", encoding="utf-8") as response:
        for number in range(documents):
            lengths = [draw.randint(10, 40) for _ in range(draw.randint(75, 95))]
            words = [vocabulary[int(len(vocabulary) * draw.random() ** 3)] for _ in range(sum(lengths))]
            true = _mentions(lengths, draw)
            name = f"({number}_novel); part 0"
            key.write(_document(name, words, lengths, true))
            response.write(_document(name, words, lengths, _worse(true, draw)))
    return paths


def _mentions(lengths: list[int], draw: random.Random) -> list[Mention]:
    """About one mention in seven words; some are around two others."""
    found: list[Mention] = []
    first = 0
    for length in lengths:
        starts = sorted(draw.sample(range(length), max(1, length // 7)))
        spans = []
        for start, limit in zip(starts, [*starts[1:], length], strict=True):
            spans.append((first + start, first + min(limit, start + draw.choice((1, 1, 1, 2, 3))) - 1))
        if len(spans) > 1 and draw.random() < 0.5:
            spans.append((spans[0][0], spans[1][1]))
        # Most entities are mentioned once; the characters are mentioned all the time.
        found += [(*span, draw.choice((draw.randrange(20), draw.randrange(20, 120)))) for span in spans]
        first += length
    return found


def _worse(true: list[Mention], draw: random.Random) -> list[Mention]:
    """Mentions that a model would find."""
    entities = sorted({entity for _, _, entity in true})
    taken = {(first, last) for first, last, _ in true}
    out = []
    for first, last, entity in true:
        fate = draw.random()
        if fate >= 0.05:
            out.append((first, last, draw.choice(entities) if fate < 0.15 else entity))
        if fate > 0.95 and (first, first) not in taken:
            out.append((first, first, 1000 + first))
            taken.add((first, first))
    return out


def _document(name: str, words: list[str], lengths: list[int], mentions: list[Mention]) -> str:
    """A document of CoNLL-2012: twelve columns, brackets in the last, an empty line after each sentence."""
    opened: dict[int, list[Mention]] = {}
    closed: dict[int, list[Mention]] = {}
    for mention in mentions:
        opened.setdefault(mention[0], []).append(mention)
        closed.setdefault(mention[1], []).append(mention)
    lines = [f"#begin document {name}"]
    word = 0
    for length in lengths:
        for place in range(length):
            begin = sorted(opened.get(word, ()), key=lambda mention: -mention[1])
            marks = [f"({entity}" if last > word else f"({entity})" for _, last, entity in begin]
            marks += [f"{entity})" for first, _, entity in closed.get(word, ()) if first < word]
            columns = [
                name.split(")")[0][1:],
                "0",
                str(place),
                words[word],
                *["_"] * 8,
                "|".join(marks) or "_",
            ]
            lines.append("\t".join(columns))
            word += 1
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def cpu(code: str, *arguments: str) -> tuple[float, list[str]]:
    """The CPU seconds of a process, and the numbers that it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, re.findall(r"\d+\.\d\d", out.stdout)


def main() -> None:
    """Measure in turns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--coval", help="where coval lies; without it, only clusterdiff is measured")
    parser.add_argument("--key")
    parser.add_argument("--response")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [options.key, options.response]
        if not options.key:
            paths = list(map(str, write(Path(folder), options.documents)))
        contenders = {"clusterdiff": OURS}
        if options.coval:
            contenders["coval"] = PEER.format(folder=os.path.abspath(options.coval))
        best: dict[str, float] = {}
        printed: dict[str, list[str]] = {}
        for name, code in list(contenders.items()) * options.rounds:
            taken, scores = cpu(code, *paths)
            printed[name] = scores[:15]
            best[name] = min(taken, best.get(name, taken))
    assert all(scores == printed["clusterdiff"] for scores in printed.values()), printed
    for name, taken in best.items():
        print(f"{name:<12} {taken:.2f} CPU s  {taken / best[list(best)[-1]]:.2f} ×")
    print(f"load {os.getloadavg()[0]:.1f}; minimum of {options.rounds} rounds; both print the same scores:")
    print(*printed["clusterdiff"])


if __name__ == "__main__":
    main()
