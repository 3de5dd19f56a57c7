"""Memory that the core keeps between calls."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest


@pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""), reason="nothing is kept there"
)
def test_a_call_that_is_repeated_works_in_the_memory_of_the_one_before() -> None:
    """Where most of the room for the worst case is never written, too: each call mapped 14 MB of fresh pages once.

    Another process, because what other tests have left to be used again would hide it.
    """
    script = """
import resource
from pathlib import Path
import numpy as np
import clusterdiff as cd
rng, n = np.random.default_rng(0), 1_000_000
true = np.arange(n) // 3
pred = np.where(rng.random(n) < 0.1, rng.integers(0, n // 3, n), true)
def mapped():
    cd.score(true, pred)
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
few = [mapped() for _ in range(4)]
many = [mapped() for _ in range(8)]
print(many[-1] - few[-1])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 32 << 20


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="nothing is kept there",
)
def test_what_is_freed_can_be_kept_for_other_arrays() -> None:
    """A process that asks for it clears the pages of an array that comes and goes once."""
    script = """
import resource
import numpy as np
from clusterdiff import _core
def faults():
    np.ones(8_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.ones(8_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
fresh = faults()
_core.share_blocks()
print(fresh, faults())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    fresh, kept = map(int, done.stdout.split())
    assert fresh >= 300  # ten times 64 MB, in pages of 2 MB at most
    assert kept < 30
