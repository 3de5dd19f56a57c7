"""Stop the command at random moments: it ends at once, with a word and no traceback, and files are whole or absent."""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

COMMAND = [sys.executable, "-c", "from clusterdiff_command import main; main()"]
#: Seconds of work that a stopped command may still do; waiting for others on a busy machine does not count.
AT_ONCE = 0.15
COMMANDS = {
    "compare": ["compare", "true.csv", "pred.csv", "--measures", "all"],
    "html": ["compare", "true.csv", "pred.csv", "--html", "out.html"],
    "write": ["compare", "true.csv", "pred.csv", "--write", "meet=out.csv", "--write", "scores=out.json"],
    "patch": ["patch", "true.csv", "pred.csv", "-o", "out.json"],
    "apply": ["apply", "pred.csv", "fix.json", "-o", "out.csv"],
    "duckdb": ["compare", "true.csv", "pred.csv", "--engine", "duckdb", "--memory", "300MB"],
    "polars": ["compare", "true.csv", "pred.csv", "--engine", "polars"],
    "rank": ["rank", "true.csv", "pred.csv", "other.csv", "--html", "out.html"],
    "sweep": ["sweep", "true.csv", "pairs.csv", "--csv", "out.csv", "--html", "out.html"],
    "matrix": ["matrix", "true.csv", "pred.csv", "other.csv"],
}


def prepare(place: Path, n: int = 100_000) -> None:
    """Three clusterings of the same points, scored pairs of them, and a patch."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, n // 10, n)
    pred = np.where(rng.random(n) < 0.2, rng.integers(0, n // 10, n), true)
    for name, labels in (("true", true), ("pred", pred), ("other", rng.permutation(pred))):
        rows = "".join(f"p{i},c{c}\n" for i, c in enumerate(labels))
        (place / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    ends = zip(rng.integers(0, n, n), rng.integers(0, n, n), rng.random(n), strict=True)
    pairs = "".join(f"p{a},p{b},{score}\n" for a, b, score in ends)
    (place / "pairs.csv").write_text(f"left,right,score\n{pairs}")
    whole(place, "patch")
    (place / "out.json").rename(place / "fix.json")


def whole(place: Path, name: str) -> tuple[float, dict[str, bytes]]:
    """How long a command takes, and the files that it writes."""
    start = time.monotonic()
    subprocess.run([*COMMAND, *COMMANDS[name]], cwd=place, check=True, capture_output=True)
    return time.monotonic() - start, written(place)


def written(place: Path) -> dict[str, bytes]:
    """What a command has written so far, under its own or another name."""
    return {
        path.name: path.read_bytes() for path in place.iterdir() if path.name.lstrip(".").startswith("out.")
    }


def stopped(place: Path, name: str, after: float, finished: dict[str, bytes]) -> list[str]:
    """What went wrong with a command that was stopped after so many seconds."""
    for path in written(place):
        (place / path).unlink()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.Popen(
        [*COMMAND, *COMMANDS[name]], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(after)
    used = sum(map(int, Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    run.send_signal(signal.SIGINT)
    _, told = run.communicate()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    more = (spent.ru_utime + spent.ru_stime) - (before.ru_utime + before.ru_stime)
    more -= used / os.sysconf("SC_CLK_TCK")
    wrong = []
    # In its first and its last moments the signal itself ends Python, or what Python says about its own modules.
    ours = re.search('File "[^"]*/src/clusterdiff', told) is not None
    if run.returncode not in (0, 130, -signal.SIGINT) and (ours or "KeyboardInterrupt" not in told):
        wrong.append(f"exit code {run.returncode}")
    if ours:
        wrong.append("a traceback")
    if more > AT_ONCE:
        wrong.append(f"{more:.2f} s more")
    if any(finished.get(path) != text for path, text in written(place).items()):
        wrong.append(f"left {sorted(written(place))}")
    return [f"{name}, stopped after {after:.2f} s: {', '.join(wrong)}\n{told}"] if wrong else []


def main(place: Path, seconds: float, seed: int = 0) -> int:
    """Stop commands for a while, and say what went wrong."""
    chance = random.Random(seed)
    prepare(place)
    finished = {name: whole(place, name) for name in COMMANDS}
    end = time.monotonic() + seconds  # what comes before may take longer than that on a busy machine
    wrong, stops = [], 0
    while time.monotonic() < end:
        name = chance.choice(list(COMMANDS))
        takes, files = finished[name]
        wrong += stopped(place, name, chance.uniform(0, takes), files)
        stops += 1
    print(*wrong, f"{stops:,} stops: {len(wrong):,} went wrong", sep="\n")
    return int(bool(wrong) or not stops)
