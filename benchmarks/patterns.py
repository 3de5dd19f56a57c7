"""What patterns cost, and whether they find what was planted.

python benchmarks/patterns.py [who | shapes | planted | febrl]

who      10^6 records with 20 columns and two causes: records whose name has an initial are split off 88% of the time
         against 1%, and twice and a half as often before 2005
shapes   10^7 points without columns, next to what `clusterdiff compare` spends on the same points
planted  one cause at a time, of many kinds, and none at all: how often it comes first, and how often anything is shown
febrl    typing errors as FEBRL's generator makes them, linked by a rule on exact keys

Seconds of processor time over all threads, which depend little on what else the machine does.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.wording import count

Rng = np.random.Generator
FIRST = np.array(
    ["Maria", "John", "Robert", "Anna", "Wei", "Fatima", "Olga", "Juan", "Priya", "Liam", "Zoë", "José"]
)
LAST = np.array(
    ["Garcia", "Smith", "Miller", "Chen", "Patel", "Nguyen", "Silva", "Novak", "Müller", "O'Neil"]
)
SOURCES = np.array(["crm", "web", "import", "partner A", "partner B"])
NOTES = np.array(["", "", "", "checked by hand", "see ticket 12", "ok", "MIGRATED"])


def clusters(rng: Rng, n: int) -> np.ndarray:
    """True clusters of three records in the mean."""
    sizes = rng.geometric(0.35, n)
    return np.repeat(np.arange(n), sizes)[:n]


def columns(rng: Rng, true: np.ndarray) -> dict[str, Any]:
    """Twenty columns as customer tables have them: names, codes, numbers, dates, texts, with gaps."""
    n, k = len(true), int(true.max()) + 1

    def each(values: np.ndarray) -> np.ndarray:
        """A value for each entity."""
        return values[rng.integers(0, len(values), k)][true]

    def some(values: np.ndarray) -> np.ndarray:
        """A value for each record."""
        return values[rng.integers(0, len(values), n)]

    def gaps(values: np.ndarray, share: float) -> np.ndarray:
        return np.where(rng.random(n) < share, None, values.astype(object))

    first, last = each(np.arange(len(FIRST))), each(np.arange(len(LAST)))
    initials = np.array([f"{name[0]}." for name in FIRST])
    given = np.where(rng.random(n) < 0.06, initials[first], FIRST[first]).astype(object)
    named = given + " " + LAST[last]
    loud = rng.random(n) < 0.05
    named[loud] = [text.upper() for text in named[loud]]
    days = np.arange("2005-01-01", "2026-01-01", dtype="datetime64[D]").astype(str)
    ages = each(np.arange(18, 95)).astype(float)
    ages[rng.random(n) < 0.1] = np.nan
    return {
        "name": named,
        "source": rng.choice(SOURCES, n, p=[0.4, 0.3, 0.15, 0.1, 0.05]).astype(object),
        "year": rng.integers(1998, 2026, n),
        "city": each(np.array([f"City {i}" for i in range(200)], dtype=object)),
        "country": each(np.array(["DE", "DE", "DE", "US", "US", "FR", "CN", "BR", "IN"], dtype=object)),
        "email": gaps(np.char.add(each(np.arange(k)).astype(str), "@example.org"), 0.25),
        "phone": np.char.add("+49 ", rng.integers(10**6, 10**7, n).astype(str)).astype(object),
        "amount": np.round(rng.lognormal(4, 1.5, n), 2),
        "age": ages,
        "date": some(days).astype(object),
        "street": each(
            np.array([f"{a} {i}" for a in ("Main St", "Rue X", "Königsallee") for i in range(99)], object)
        ),
        "zip": each(np.arange(10_000, 99_999)),
        "lang": each(np.array(["en", "de", "fr"], dtype=object)),
        "flag": rng.random(n) < 0.1,
        "note": some(NOTES).astype(object),
        "score": rng.random(n),
        "batch": rng.integers(0, 40, n),
        "segment": each(np.array(list("ABCDEFGH"), dtype=object)),
        "key": np.char.add("r", np.arange(n).astype(str)).astype(object),
        "weekday": some(np.array(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], dtype=object)),
    }


def errors(rng: Rng, true: np.ndarray, leaves: Any, merges: Any = 0.01) -> np.ndarray:
    """Records leave their cluster with a probability each, and clusters join one nearby with another."""
    n, k = len(true), int(true.max()) + 1
    target = np.arange(k)
    joins = np.flatnonzero(rng.random(k) < merges)
    target[joins] = np.maximum(0, joins - rng.integers(1, 30, len(joins)))
    pred = target[true]
    gone = np.flatnonzero(rng.random(n) < leaves)
    pred[gone] = k + np.arange(len(gone))
    return pred


def initial(table: dict[str, Any]) -> np.ndarray:
    """Whose name has an initial."""
    return np.char.find(table["name"].astype(str), ".") >= 0


def who(n: int) -> None:
    """Time patterns with columns, and show what they say."""
    rng = np.random.default_rng(1)
    true = clusters(rng, n)
    table = columns(rng, true)
    leaves = np.where(initial(table), 0.88, np.where(table["year"] < 2005, 0.018, 0.007))
    diff = cd.compare(true, errors(rng, true, leaves))
    start, before = time.process_time(), peak()
    found = diff.patterns(attributes=table)
    spent = time.process_time() - start
    print(found)
    tests = 0 if found.hits is None else found.hits.tests
    print(
        f"{count(n, 'record')}, {count(len(table), 'column')}, {count(tests, 'question')}: {spent:.2f} s of CPU, ",
        end="",
    )
    print(f"{peak():.2f} GB at the most, {before:.2f} GB of it before")


def peak() -> float:
    """The most memory that there was, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="who")
    parser.add_argument("--n", type=int, default=10**6)
    given = parser.parse_args()
    {"who": who}[given.what](given.n)


if __name__ == "__main__":
    main()
