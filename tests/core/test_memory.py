"""Memory that the core keeps between calls."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from clusterdiff.caching import ahead, shared_memory


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
_core.keep_freed()
print(fresh, faults())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    fresh, kept = map(int, done.stdout.split())
    assert fresh >= 300  # ten times 64 MB, in pages of 2 MB at most
    assert kept < 30


@pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""), reason="nothing is kept there"
)
def test_arrays_of_numpy_can_share_memory_with_those_of_the_core() -> None:
    """Within the block they have what others left, filled with zeros if wanted; after it, theirs is as it was."""
    least = 4 << 20
    with shared_memory():
        places = set()
        for i in range(40):
            places.add(np.full(least + i, 1, dtype=np.uint8).ctypes.data)
            assert not np.zeros(least + i, dtype=np.uint8).any()
        assert len(places) < 5
        small = np.arange(10)
        grown = np.full(least, 7, dtype=np.uint8)
        grown.resize(3 * least, refcheck=False)
        shrunk = np.full(2 * least, 7, dtype=np.uint8)
        shrunk.resize(100, refcheck=False)
        kept = np.ones(least, dtype=np.uint8)
        assert (grown[:least] == 7).all()
        assert not grown[least:].any()
        assert (shrunk == 7).all()
        assert small.sum() == 45
        with ahead(iter([np.ones(least, dtype=np.uint8)]), much=True) as made:
            assert made()[0].all()
    outside = np.ones(least, dtype=np.uint8)
    # A block of the core begins with a page of 2 MB, and with what says that it is one.
    assert kept.ctypes.data % (2 << 20) == 64
    assert outside.ctypes.data % (2 << 20) != 64
    del kept, grown, outside
    with shared_memory(), pytest.raises(MemoryError):
        np.empty(1 << 60, dtype=np.uint8)
