"""What patterns cost, and whether they find what was planted.

python benchmarks/patterns.py [who | shapes | planted | typing] [--n N]

who      10^6 records with 20 columns and two causes: records whose name has an initial are split off 88% of the time,
         and others before 2005 two and a half times as often as later
shapes   10^7 points without columns, next to what their comparison and its components take
planted  one cause at a time, of many kinds, and none at all: how often it comes first, and how often anything is shown
typing   records with typing errors as FEBRL's generator makes them, linked by a rule on exact keys: a check, since the
         columns of the rule are known

Seconds of processor time over all threads, which depend little on what else the machine does.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.shapes import Shapes
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


def shapes(n: int) -> None:
    """Time shapes, next to the comparison and its components."""
    rng = np.random.default_rng(1)
    true = clusters(rng, n)
    for what, pred in (
        ("many small components", errors(rng, true, 0.05, 0.02)),
        ("one tangle", np.where(rng.random(n) < 0.25, true[rng.integers(0, n, n)], true)),
    ):
        times, before = [time.process_time()], peak()
        diff = cd.compare(true, pred)
        diff.score()
        times.append(time.process_time())
        len(diff.components)
        times.append(time.process_time())
        rows = Shapes(Blame(diff.analysis)).rows
        times.append(time.process_time())
        score, components, told = np.diff(times)
        print(
            f"{what}, {count(n)}: score {score:.2f} s, components {components:.2f} s, shapes {told:.2f} s of CPU, ",
            end="",
        )
        print(f"{before:.2f} to {peak():.2f} GB; {count(len(rows), 'shape')}, first {rows[0].shape}")


def causes(rng: Rng, table: dict[str, Any], true: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    """A harm, the column that is to be found, and the records, or clusters, that are hit."""
    name = table["name"].astype(str)
    missing = np.array([value is None for value in table["email"]])
    first = np.unique(true, return_index=True)[1]
    for column, mask in (
        ("name", initial(table)),
        ("name", np.char.isupper(name)),
        ("source", table["source"] == "partner A"),
        ("source", table["source"] == "web"),
        ("year", table["year"] <= 2004),
        ("year", table["year"] >= 2020),
        ("email", missing),
        ("amount", table["amount"] > np.quantile(table["amount"], 0.9)),
        ("age", np.isnan(table["age"])),
        ("date", table["date"].astype(str) < "2010"),
        ("flag", np.asarray(table["flag"])),
        ("note", table["note"] == "MIGRATED"),
        ("weekday", table["weekday"] == "Sun"),
        ("batch", table["batch"] == 7),
    ):
        yield "left", column, mask
    for column, value in (("country", "BR"), ("segment", "A"), ("lang", "fr"), ("city", "City 7")):
        yield "merged", column, (table[column] == value)[first]


def planted(n: int) -> None:
    """How often a cause comes first, and how often something is shown where there is none."""
    for times in (3, 5):
        found: dict[str, list[bool]] = {"left": [], "merged": []}
        for seed in range(2):
            rng = np.random.default_rng(100 * times + seed)
            true = clusters(rng, n)
            table = columns(rng, true)
            for harm, column, mask in causes(rng, table, true):
                leaves, merges = (0.03, 0.02) if harm == "left" else (0.02, 0.02)
                rates = np.where(mask, times, 1)
                pred = (
                    errors(rng, true, leaves * rates, merges)
                    if harm == "left"
                    else errors(rng, true, leaves, merges * rates)
                )
                rows = shown(cd.compare(true, pred), table)
                right = bool(rows) and (rows[0].harm, rows[0].column) == (harm, column)
                found[harm].append(right)
                if not right:
                    print(
                        f"  × {times}, seed {seed}: {harm} by {column} is not first: {[row.words for row in rows]}"
                    )
        for harm, right in found.items():
            print(f"× {times}, {count(n, 'record')}: {harm} first in {sum(right)} of {len(right)}")
    for size in (3_000, 20_000):
        shows = 0
        for seed in range(20):
            rng = np.random.default_rng(10_000 + seed)
            true = clusters(rng, size)
            shows += bool(shown(cd.compare(true, errors(rng, true, 0.05, 0.03)), columns(rng, true)))
        print(f"no cause, {count(size, 'record')}: something shown in {shows} of 20")


def shown(diff: cd.types.Comparison, table: dict[str, Any]) -> list[cd.types.Hit]:
    """The rows of who is hit."""
    hits = diff.patterns(attributes=table).hits
    return [] if hits is None else hits.rows


def typing(n: int) -> None:
    """Records with typing errors, linked where two of three keys are the same."""
    rng = np.random.default_rng(7)
    true = clusters(rng, n)
    k = int(true.max()) + 1
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(word) for word in letters[rng.integers(0, 26, (5_000, 7))]], dtype=object)
    keys = {
        "given_name": words[rng.integers(0, 900, k)],
        "surname": words[rng.integers(0, 5_000, k)],
        "born": rng.integers(19_300_101, 20_101_231, k).astype(str).astype(object),
    }
    table: dict[str, Any] = {}
    for (column, values), share in zip(keys.items(), (0.15, 0.1, 0.05), strict=True):
        mine = values[true].copy()
        wrong = np.flatnonzero(rng.random(n) < share)
        places, new = rng.integers(0, 7, len(wrong)), letters[rng.integers(0, 26, len(wrong))]
        mine[wrong] = [
            text[:p] + c + text[p + 1 :] for text, p, c in zip(mine[wrong], places, new, strict=True)
        ]
        mine[rng.random(n) < 0.02] = None
        table[column] = mine
    exact = np.ones(n, dtype=bool)
    for column in ("given_name", "surname"):
        exact &= table[column] == keys[column][true]
    pred = np.where(exact, true, k + np.arange(n))
    table |= {"state": words[rng.integers(0, 8, n)], "age": rng.integers(18, 90, n)}
    print(cd.compare(true, pred).patterns(attributes=table))


def peak() -> float:
    """The most memory that there was, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    runs: dict[str, tuple[Callable[[int], None], int]] = {
        "who": (who, 10**6),
        "shapes": (shapes, 10**7),
        "planted": (planted, 20_000),
        "typing": (typing, 20_000),
    }
    parser.add_argument("what", nargs="?", default="who", choices=runs)
    parser.add_argument("--n", type=int)
    given = parser.parse_args()
    run, usual = runs[given.what]
    run(given.n or usual)


if __name__ == "__main__":
    main()
