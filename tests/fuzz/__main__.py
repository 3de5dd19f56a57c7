"""Attack the readers for a while: ``python -m tests.fuzz SECONDS [SEED]``. What breaks them is kept in build/fuzz."""

from __future__ import annotations

import logging
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from tests.fuzz.attack import attack, damaged
from tests.fuzz.corpus import CORPUS

#: Seconds after which a reader hangs.
HANGS = 30
#: Memory beyond which a reader believes what a header says.
LIMIT = 4 << 30


def _hangs(*_: object) -> None:
    raise TimeoutError(f"nothing came out in {HANGS} seconds")


def main(seconds: float, seed: int) -> int:
    """Attack until the time is over; how many attacks broke something."""
    warnings.simplefilter("ignore")
    logging.disable()  # tifffile tells of every tag that it cannot read
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    signal.signal(signal.SIGALRM, _hangs)
    kept = Path("build/fuzz")
    kept.mkdir(parents=True, exist_ok=True)
    end, tried, read = time.monotonic() + seconds, 0, 0
    spent = dict.fromkeys(
        CORPUS, 0.0
    )  # all get the same time: some are read a hundred times as quickly as others
    broken: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            chance = random.Random(f"{seed}/{tried}")
            name = min(spent, key=lambda name: spent[name])
            content = damaged(CORPUS[name], chance)
            path = Path(folder, name)
            path.write_bytes(content)
            (kept / "last").write_bytes(content)  # in case that the whole process goes
            tried += 1
            start = time.monotonic()
            signal.alarm(HANGS)
            try:
                read += attack(path)
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{name}: {type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}"
                if what not in broken:
                    broken[what] = f"{seed}-{tried}-{name}"
                    (kept / broken[what]).write_bytes(content)
                    print(f"{what}: {str(error)[:200]} (build/fuzz/{broken[what]})", flush=True)
            spent[name] += time.monotonic() - start
    signal.alarm(0)
    print(f"{tried:,} damaged files: {read:,} read, {tried - read:,} refused or broken; {len(broken)} faults")
    return len(broken)


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    sys.exit(min(main(float(sys.argv[1]), seed), 1))
