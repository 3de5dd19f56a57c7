"""How much memory there is, and how much of it a meet may take."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clusterdiff.errors import ArgumentError

UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}


def allowed(budget: int | str | None) -> int:
    """The bytes that a meet may take: as given, or a quarter of the machine's memory."""
    return memory() // 4 if budget is None else read_bytes(budget)


def read_bytes(size: int | str) -> int:
    """A number of bytes, also as text.

    >>> read_bytes("1.5 GB"), read_bytes("512MiB"), read_bytes(1000)
    (1500000000, 536870912, 1000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", str(size).lower())
    if match is None or match[2] not in UNITS:
        raise ArgumentError.must("budget", "be a number of bytes, such as 4000000000 or '4GB'", size)
    return int(float(match[1]) * UNITS[match[2]])


def memory() -> int:
    """The memory of this machine in bytes, or of the container that this runs in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(physical, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # no container, or one without a limit
        return physical
