"""Which faults do the tests overlook? ``python -m tests.mutants [MUTANTS [SEED [JOBS]]]``.

Everything is kept in build/mutants: a copy of the project, which tests reach which lines, what became of each mutant.
A run that was interrupted goes on where it ended; ``make mutants`` after one that was finished starts again.
"""

from __future__ import annotations

import json
import queue
import random
import shutil
import signal
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from tests.mutants.mutations import Mutation, mutations
from tests.mutants.reach import NOTES, PACKAGE, ROOMS, noted
from tests.mutants.workshop import LEFT_OUT, TOP, Copy

#: The tests that are asked: what they say takes little time. Spark, PostgreSQL and Dask take more.
ASKED = (
    "explain", "framework", "lost", "measures", "inputs", "numbers", "formats", "decide", "engines", "golden",
    "judgements", "releases", "cli",
)  # fmt: skip
#: Tests of stopping never end where somebody traces them.
QUICK = "not spark and not postgres and not dask and not test_cluster and not test_stopping"
#: Seconds of tests, as long as they took when nothing was wrong, that a mutant is held against: the quickest first,
#: which see most of them, and for one that is left about all that reach it.
ENOUGH = (15.0, 300.0)
#: Seconds of the processor, beyond those, after which it hangs.
HANGS = 75


class Mutant(NamedTuple):
    """A mutation in a module."""

    module: str
    mutation: Mutation

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.mutation.old, self.mutation.new))
        return f"{self.module}:{self.mutation.line}: {self.mutation.kind}\n  - {old}\n  + {new}"


def sampled(package: Path, number: int, seed: int) -> list[Mutant]:
    """Mutants of one module after the other, at random in each, until there are enough."""
    paths = sorted(path for room in ROOMS for path in (package / room).rglob("*.py"))
    random.Random(seed).shuffle(paths)
    turns = zip_longest(*(_mutants(path, path.relative_to(package).as_posix(), seed) for path in paths))
    return list(islice((mutant for turn in turns for mutant in turn if mutant is not None), number))


def _mutants(path: Path, module: str, seed: int) -> Iterator[Mutant]:
    text = path.read_text(encoding="utf-8")
    found = mutations(text)
    random.Random(f"{seed}/{module}").shuffle(found)
    return (Mutant(module, mutation) for mutation in found if mutation.matters(text))


class Reached:
    """Which tests reach which lines, and how long they take."""

    def __init__(self, notes: Path) -> None:
        self.seconds: dict[str, float] = {}
        self.masks: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for note in noted(notes):
            self.seconds[note["test"]] = note["seconds"]
            for module, mask in note["reached"].items():
                self.masks[module].append((note["test"], int(mask, 16)))

    def tests(self, mutant: Mutant, enough: float = ENOUGH[0]) -> list[str]:
        """The tests that reach a mutant, one of each function in turn, the quickest first, until there are enough."""
        lines = (1 << mutant.mutation.last + 1) - (1 << mutant.mutation.first)
        functions: dict[str, list[str]] = defaultdict(list)
        for test, mask in self.masks[mutant.module]:
            if mask & lines:
                functions[test.partition("[")[0]].append(test)
        for tests in functions.values():
            tests.sort(key=self.seconds.__getitem__)
        left, chosen = enough, []
        for turn in zip_longest(*functions.values()):
            for test in sorted(filter(None, turn), key=self.seconds.__getitem__):
                left -= self.seconds[test]
                if left < 0 and chosen:
                    return chosen
                chosen.append(test)
        return chosen


class Run:
    """A run in a folder: what is known of it, and how to go on."""

    def __init__(self, folder: Path, number: int, seed: int) -> None:
        self.folder, self.results, self.notes = folder, folder / "results.jsonl", folder / "reach.jsonl"
        self.plan = {"mutants": number, "seed": seed}
        plan = folder / "plan.json"
        if not plan.exists() or json.loads(plan.read_text()) != self.plan or (folder / "report.txt").exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(TOP, folder / "source", ignore=LEFT_OUT)
            plan.write_text(json.dumps(self.plan))
        self.lock = threading.Lock()

    def reached(self) -> Reached:
        """Find out which tests reach which lines, in one run of them all."""
        done = self.folder / "reach.done"
        if not done.exists():
            copy = Copy(self.folder / "reach", self.folder / "source")
            status = copy.run(
                ["src", *(f"tests/{folder}" for folder in ASKED)],
                *("-p", "tests.mutants.reach", "-k", QUICK),
                **{PACKAGE: str(copy.package), NOTES: str(self.notes)},
            )
            if status not in (0, 1):  # a test that fails here is not asked
                raise SystemExit(f"the tests did not run: pytest ended with {status}")
            done.touch()
        return Reached(self.notes)

    def work(
        self, copy: Copy, waiting: queue.SimpleQueue[Mutant], reached: Reached, stop: threading.Event
    ) -> None:
        """One mutant after the other, in a copy of one's own."""
        while not stop.is_set():
            try:
                mutant = waiting.get_nowait()
            except queue.Empty:
                return
            fate, asked = "unreached", []
            for enough in ENOUGH:
                tests = [test for test in reached.tests(mutant, enough) if test not in asked]
                asked += tests
                if tests and not stop.is_set():
                    status = copy.killed(*mutant, tests, HANGS + int(enough))
                    fate = {0: "survived", None: "timed out"}.get(status, "killed")
                if fate != "survived":
                    break
            if stop.is_set():
                return
            with self.lock, self.results.open("a") as file:
                print(json.dumps({"mutant": str(mutant), "fate": fate, "tests": len(asked)}), file=file)
                if fate in ("survived", "unreached"):
                    print(f"{fate}: {mutant}", flush=True)

    def report(self) -> str:
        """Counts, and the mutants that no test saw."""
        known = noted(self.results)
        fates = Counter(result["fate"] for result in known)
        lines = [f"{len(known)} mutants: " + ", ".join(f"{n} {fate}" for fate, n in sorted(fates.items()))]
        lines += [f"{result['fate']}: {result['mutant']}" for result in known if result["fate"] != "killed"]
        return "\n".join(lines)


def main(number: int = 200, seed: int = 0, jobs: int = 1) -> None:
    """Sample mutants and try them."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    run = Run(TOP / "build" / "mutants", number, seed)
    reached = run.reached()
    known = {result["mutant"] for result in noted(run.results)}
    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in sampled(run.folder / "source" / "src" / "clusterdiff", number, seed):
        if str(mutant) not in known:
            waiting.put(mutant)
    stop = threading.Event()
    copies = [Copy(run.folder / f"copy-{place}", run.folder / "source") for place in range(jobs)]
    workers = [threading.Thread(target=run.work, args=(copy, waiting, reached, stop)) for copy in copies]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    finally:
        stop.set()
        for copy in copies:
            copy.stop()
    report = run.report()
    (run.folder / "report.txt").write_text(report + "\n", encoding="utf-8")
    print(report.partition("\n")[0])


if __name__ == "__main__":
    try:
        main(*map(int, sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on from here")
