"""The short forms of `make soak` and `make sanitize`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.work import held, round_of_work
from tests.waiting import HANGS

TOP = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read from /proc")
@pytest.mark.filterwarnings("ignore")
def test_nothing_stays_open_or_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a few rounds of everything, as many files are open as after the first, and none is left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    round_of_work(tmp_path, 0)
    before = held()
    for seed in range(1, 3):
        round_of_work(tmp_path, seed)
    after = held()
    assert after.files <= before.files
    assert after.left <= before.left


SCORES = """
import sys, clusterdiff as cd
from tests.conftest import random_pair
for n, k in ((1, 1), (7, 3), (1000, 40), (5000, 5000)):
    true, pred = random_pair(n, k, 0)
    diff = cd.compare(true, pred)
    texts = cd.compare(list(map(str, true)), list(map(str, pred)))
    print(diff.score(), texts.score("ari"), diff.components[0].loss, len(diff.repairs()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="this is the allocator of Linux")
def test_the_core_reads_no_memory_that_it_did_not_write() -> None:
    """With memory filled when it is given and when it is freed, the numbers are the same."""
    checked = {"MALLOC_PERTURB_": "165", "PYTHONMALLOC": "debug"}
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCORES],
            cwd=TOP,
            env=os.environ | more,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=True,
        ).stdout
        for more in ({}, checked)
    ]
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == 4


HELD = """
import threading, time, clusterdiff as cd
diff = cd.compare([0, 0, 1], [0, 1, 1])
threading.Thread(target=lambda held: time.sleep(3600), args=(diff,), daemon=True).start()
"""


def test_a_thread_may_hold_a_result_to_the_end() -> None:
    """Whoever ends a process with a thread that holds a result hears nothing of it: no memory is lost."""
    done = subprocess.run(
        [sys.executable, "-c", HELD], cwd=TOP, capture_output=True, text=True, timeout=HANGS, check=True
    )
    assert done.stderr == ""
