"""Work for a while, and say what grew: ``python -m tests.soak SECONDS``."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.soak import stops
from tests.soak.work import held, round_of_work

#: Bytes that may be added per round once everything has been used: less than any result takes.
GROWTH = 2000


def main(seconds: float) -> int:
    """Whether anything grew or stayed behind, or a command did not stop when it was told to."""
    with tempfile.TemporaryDirectory() as folder:
        failed = stops.main(Path(folder), seconds / 3)
    return failed + worked(2 * seconds / 3)


def worked(seconds: float) -> int:
    """Whether anything grew or stayed behind."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder  # what is left behind is left here
        for seed in range(50):
            round_of_work(Path(folder), seed)
        before, rounds, end = held(), 0, time.monotonic() + seconds
        while time.monotonic() < end:
            rounds += 1
            round_of_work(Path(folder), 50 + rounds)
        after = held()
    grown = after.memory - before.memory
    print(
        f"{rounds:,} rounds: memory {grown / 1000:+,.0f} kB, open files {after.files - before.files:+}, "
        f"left behind {after.left - before.left:+}"
    )
    return int(grown > GROWTH * rounds + 20_000_000 or after.files > before.files or after.left > before.left)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
