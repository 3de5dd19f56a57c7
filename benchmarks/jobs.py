"""What people wait for: whole jobs, from files or arrays to an answer, each beside a yardstick of the same run.

python benchmarks/jobs.py              all rows; writes the table of docs/performance.md
python benchmarks/jobs.py --large      two Parquet files of 10^8 rows, without the page; prints only
python benchmarks/jobs.py --quick      small sizes, nothing written: does everything run?
python benchmarks/jobs.py --steps      each step of an explanation as a multiple of the score; prints only

Every contender runs in a process of its own, one after the other, round by round; what counts is the least of the
rounds. Seconds have imports in them where files are read: whoever waits for files waits for these, too. SQL by hand is
S_H and nothing else, in DuckDB; clusterdiff adds the loss and the components.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import tables

#: How many clusterings of how many clusters are compared each with each; a table of k × k takes the peer long.
MATRICES = {10: 100, 100: 100, 1000: 20}

#: Records in clusters of about three, of which the prediction gets one in ten wrong; ids from all over 2^63.
RECORDS = """
    SELECT i, CAST(hash(i) // 2 AS BIGINT) AS number, hash(i) % ({n} // 3) AS t,
           hash(i) % ({n} // 3) + CASE WHEN hash(i + {n}) % 10 = 0 THEN 1 ELSE 0 END AS p
    FROM range({n}) r(i)
"""
BY_HAND = """
    WITH cells AS (
        SELECT t.cluster AS a, p.cluster AS b, count(*)::DOUBLE AS m
        FROM '{true}' t JOIN '{pred}' p USING (id) GROUP BY ALL
    ),
    split AS (SELECT a, coalesce(sum(m * ln(m)) / nullif(sum(m) * ln(sum(m)), 0), 1) AS s FROM cells GROUP BY a),
    merged AS (SELECT b, coalesce(sum(m * ln(m)) / nullif(sum(m) * ln(sum(m)), 0), 1) AS s FROM cells GROUP BY b)
    SELECT sum(m * split.s * merged.s) / sum(m) FROM cells JOIN split USING (a) JOIN merged USING (b)
"""


def make(folder: Path, n: int, kinds: list[str]) -> None:
    """The files of some kinds: either side in a random order of its own."""
    import duckdb

    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = true")
    for side, order in (("true", "hash(7 * i + 1)"), ("pred", "hash(5 * i + 3)")):
        gone = "WHERE hash(11 * i) % 1000 >= 26" if side == "pred" else ""
        numbers, texts = f"number AS id, CAST({side[0]} AS BIGINT)", f"'r' || i AS id, 'c' || {side[0]}"
        contents = {
            "int.parquet": (numbers, ""),
            "gone.parquet": (numbers, gone),
            "text.parquet": (texts, ""),
            "text.csv": (texts, ""),
        }
        for kind in kinds:
            what, where = contents[kind]
            query = f"SELECT {what} AS cluster FROM ({RECORDS.format(n=n)}) {where} ORDER BY {order}"
            con.execute(f"COPY ({query}) TO '{folder}/{side}.{kind}'")


# ---- what runs in a process of its own


def of_files(true: str, pred: str, missing: str = "error") -> float:
    """Files to score, loss and components."""
    import clusterdiff as cd

    diff = cd.compare(true, pred, missing=missing)  # type: ignore[arg-type]
    assert diff.loss.total >= 0
    assert len(diff.components) > 0
    return diff.score()


def of_command(true: str, pred: str, *options: str) -> float:
    """Files to what the command prints: scores, losses, components, and the costliest of these as a diff."""
    from clusterdiff.cli.main import main

    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), suppress(SystemExit):
        main(["compare", true, pred, *options])
    return 0.0


def of_page(true: str, pred: str) -> float:
    """The same with the report; the size of the page in MB."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        of_command(true, pred, "--html", str(page))
        return page.stat().st_size / 1e6


def by_hand(true: str, pred: str) -> float:
    """Files to S_H."""
    import duckdb

    return float(duckdb.connect().execute(BY_HAND.format(true=true, pred=pred)).fetchall()[0][0])


def arrays(n: int) -> Any:
    """Labels of linked records."""
    import data

    return data.make("k ≈ n/3, linked records", n)


def least(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of each, a call at a time or many if they are short."""
    best: dict[str, float] = {}
    for name, work in list(works.items()) * rounds:
        start = time.process_time()
        work()
        taken = time.process_time() - start
        if taken < 1e-3:
            start = time.process_time()
            for _ in range(1000):
                work()
            taken = (time.process_time() - start) / 1000
        best[name] = min(taken, best.get(name, taken))
    return best


def clusterings(k: int, count: int, random: Any) -> list[Any]:
    """Runs of one method over 10^4 points: three in ten of these are where no other run has them."""
    import numpy as np

    n = 10_000
    base = random.integers(0, k, n)
    return [np.where(random.random(n) < 0.3, random.integers(0, k, n), base) for _ in range(count)]


def each_with_each(peer: Callable[..., float], found: list[Any]) -> list[float]:
    """What a loop over pairs of clusterings does."""
    return [peer(one, other) for i, one in enumerate(found) for other in found[:i]]


def steps(n: int, rounds: int) -> None:
    """The CPU seconds of each step of an explanation, all on one comparison; the least of the rounds."""
    import clusterdiff as cd

    true, pred = arrays(n)
    page = Path(tempfile.mkdtemp()) / "page.html"
    best: dict[str, float] = {}
    for _ in range(rounds):
        diff = cd.compare(true, pred)
        works: dict[str, Callable[[], Any]] = {
            "score": lambda: cd.score(true, pred),
            "loss, components, splits, merges": lambda diff=diff: (
                diff.loss,
                diff.components,
                diff.splits,
                diff.merges,
            ),
            "explain": diff.explain,
            "repairs": diff.repairs,
            "report": lambda diff=diff: diff.report(page),
            'scores("all")': lambda: cd.compare(true, pred).scores("all"),
            "events": lambda: cd.compare(true, pred).events,
            "patch": lambda: cd.compare(true, pred).patch(),
        }
        for name, seconds in least(works, 1).items():
            best[name] = min(seconds, best.get(name, seconds))
    print(
        f"{n:,} linked records, load {os.getloadavg()[0]:.0f}, peak {peak():.2f} GB, page {page.stat().st_size:,} bytes"
    )
    for name, seconds in best.items():
        print(f"  {name:<34} {seconds:8.3f} s  {seconds / best['score']:6.1f} ×")
    together = sum(best[name] for name in ("explain", "repairs", "report"))
    print(f"  {'explain, repairs, report':<34} {together:8.3f} s  {together / best['score']:6.1f} ×")


def in_memory(n: int, rounds: int) -> dict[str, float]:
    """Explanations beside scores, all from labels in memory; and small inputs beside genieclust."""
    import genieclust
    import numpy as np
    import pandas as pd

    import clusterdiff as cd

    true, pred = arrays(n)
    peer = genieclust.compare_partitions.adjusted_rand_score
    random = np.random.default_rng(0)
    a, b = random.integers(0, 10, (2, 100))
    runs = {k: clusterings(k, count, random) for k, count in MATRICES.items()}
    size = n // 10
    ids = random.permutation(np.arange(size) * 982_451_653 % (1 << 62))
    frames = [
        pd.DataFrame({"id": ids, "cluster": true[:size]}),
        pd.DataFrame({"id": ids[::-1], "cluster": pred[:size][::-1]}),
    ]

    def explained() -> None:
        diff = cd.compare(true, pred)
        _ = diff.loss, diff.components, diff.splits, diff.merges

    page = Path(tempfile.mkdtemp()) / "page.html"

    def reported() -> None:
        diff = cd.compare(true, pred)
        _ = diff.explain(), diff.repairs()
        diff.report(page)

    def hand() -> Any:
        import duckdb

        con = duckdb.connect()
        con.register("t_frame", frames[0])
        con.register("p_frame", frames[1])
        return con.execute(BY_HAND.replace("'{true}'", "t_frame").replace("'{pred}'", "p_frame")).fetchall()

    return least(
        {
            "score": lambda: cd.score(true, pred),
            "explained": explained,
            "reported": reported,
            "all": lambda: cd.compare(true, pred).scores("all"),
            "100 points, S_H": lambda: cd.score(a, b),
            "100 points, ari": lambda: cd.score(a, b, "ari"),
            "100 points, genieclust": lambda: peer(a, b),
            **{f"matrix {k}": partial(cd.matrix, found, "ari") for k, found in runs.items()},
            **{f"matrix {k}, genieclust": partial(each_with_each, peer, found) for k, found in runs.items()},
            "frames": lambda: cd.compare(*frames).score(),
            "frames, by hand": hand,
        },
        rounds,
    )


WORKS: dict[str, Callable[..., Any]] = {
    "files": of_files,
    "command": of_command,
    "page": of_page,
    "by hand": by_hand,
    "memory": lambda n, rounds: in_memory(int(n), int(rounds)),
}


def one(name: str, *arguments: str) -> None:
    """Do a piece of work and print what it took."""
    start = time.perf_counter()
    found = WORKS[name](*arguments)
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    print(json.dumps({"found": found, "seconds": seconds, "cpu": cpu, "peak": peak()}))


def peak() -> float:
    """The most memory that this process had, in GB; what getrusage says includes that of the process it came from."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 2**20


def apart(name: str, *arguments: str) -> dict[str, Any]:
    """The same in a process of its own, which finds modules compiled, as in any installation, or compiles them once."""
    command = [sys.executable, __file__, "--one", name, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    found: dict[str, Any] = json.loads(out)
    return found


# ---- rows


def files_table(n: int, rounds: int, kinds: list[str], page: bool = True) -> list[str]:
    """Rows of files: ours, with the page or without, and SQL by hand."""
    titles = {
        "int.parquet": "Parquet, integer ids",
        "text.parquet": "Parquet, text ids and clusters",
        "text.csv": "CSV, text ids and clusters",
    }
    best: dict[tuple[str, ...], dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), n, kinds)
        runs: list[tuple[str, ...]] = []
        for kind in kinds:
            if kind == "gone.parquet":
                runs += [("files", kind, missing) for missing in ("drop", "singleton", "lost")]
            else:
                runs += [("files", kind), ("by hand", kind)]
            if kind == "int.parquet":
                runs += [("command", kind), *([("page", kind)] if page else [])]
        for run in runs * rounds:
            work, kind, *rest = run
            taken = apart(work, f"{folder}/true.{kind}", f"{folder}/pred.{kind}", *rest)
            print(f"  {' '.join(run):<32}", {name: round(x, 2) for name, x in taken.items()}, flush=True)
            before = best.get(run, taken)
            best[run] = {name: min(taken[name], before[name]) for name in ("seconds", "cpu", "peak", "found")}
    rows = []
    for kind in titles:
        if kind in kinds:
            mine, hand = best["files", kind], best["by hand", kind]
            assert abs(mine["found"] - hand["found"]) < 1e-9, kind
            rows.append(row(f"{titles[kind]} → score, loss, components", n, mine, "S_H by hand", hand))
            if ("command", kind) in best:
                command = best["command", kind]
                rows.append(row(f"{titles[kind]} → `clusterdiff compare`", n, command, "S_H by hand", hand))
            if ("page", kind) in best:
                made = best["page", kind]
                what = f"{titles[kind]} → `clusterdiff compare --html`, a page of {made['found']:.2f} MB"
                rows.append(row(what, n, made, "S_H by hand", hand))
    if "gone.parquet" in kinds:
        for missing in ("drop", "singleton", "lost"):
            mine, equal = best["files", "gone.parquet", missing], best["files", "int.parquet"]
            rows.append(
                row(
                    f'integer ids, 2.6% of `pred` gone, `missing="{missing}"`', n, mine, "nothing gone", equal
                )
            )
    return rows


def row(what: str, n: int, mine: dict[str, float], yardstick: str, other: dict[str, float]) -> str:
    """A line of the table."""
    names = ("seconds", "cpu", "peak")
    numbers = [f"{side[name]:.2f}" for side in (mine, other) for name in names]
    ratios = [f"{mine[name] / other[name]:.2f}" for name in names]
    cells = [what, f"{n:,}", *numbers[:3], yardstick, *numbers[3:], " / ".join(ratios)]
    return f"| {' | '.join(cells)} |"


def memory_table(n: int, rounds: int) -> list[str]:
    """Rows of labels in memory."""
    taken = apart("memory", str(n), str(rounds))["found"]
    rows = []
    for what, size, mine, yardstick, other in (
        ("loss, components, splits and merges", n, "explained", "score", "score"),
        ("explanation, repairs and report", n, "reported", "score", "score"),
        ('`diff.scores("all")`', n, "all", "score", "score"),
        ("two pandas frames, integer ids → score", n // 10, "frames", "S_H by hand", "frames, by hand"),
        *(
            (
                f"{count} clusterings, k = {k:,}, each with each, ari",
                10_000,
                f"matrix {k}",
                "genieclust in a loop",
                f"matrix {k}, genieclust",
            )
            for k, count in MATRICES.items()
        ),
        ("`cd.score`, S_H", 100, "100 points, S_H", "genieclust's ARI", "100 points, genieclust"),
        ("`cd.score`, ari", 100, "100 points, ari", "genieclust's ARI", "100 points, genieclust"),
    ):
        cells = [what, f"{size:,}", "", spelt(taken[mine]), "", yardstick, "", spelt(taken[other]), ""]
        rows.append(f"| {' | '.join(cells)} | {taken[mine] / taken[other]:.2f} |")
        print(rows[-1], flush=True)
    return rows


def spelt(seconds: float) -> str:
    """Seconds, or microseconds if they are few."""
    return f"{seconds:.2f}" if seconds > 0.01 else f"{seconds * 1e6:.1f} µs"


def table(rows: list[str], n: int, rounds: int) -> str:
    """The table, with how it came about."""
    load = os.getloadavg()[0]
    head = (
        f"Measured by `python benchmarks/jobs.py --rows {n}` on {os.cpu_count()} cores; minimum of rounds: {rounds}. "
        f"The load of the machine was {load:.0f}. Memory is the peak, in GB. Ratios are those of seconds, CPU seconds "
        "and memory, or of CPU seconds alone.\n\n"
        "| job | points | seconds | CPU | memory | baseline | seconds | CPU | memory | ratio |\n"
        "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n"
    )
    return head + "\n".join(rows) + "\n"


def summary(rows: list[str]) -> str:
    """The README's table: seconds, or CPU seconds of jobs in memory, without those that take next to none."""
    lines = ["| job | points | clusterdiff | baseline | |", "| --- | ---: | ---: | --- | ---: |"]
    for line in rows:
        what, n, seconds, cpu, _, beside, others, others_cpu, *_ = map(str.strip, line.split("|")[1:])
        if "µs" not in cpu + others_cpu:
            lines.append(f"| {what} | {n} | {seconds or cpu} s | {beside} | {others or others_cpu} s |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="10^8 rows, integer ids only")
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    parser.add_argument("--steps", action="store_true", help="the steps of an explanation; nothing written")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(*options.one)
        return
    if options.steps:
        steps(30_000 if options.quick else 3 * options.rows // 10, options.rounds)
        return
    if options.large:
        print("\n".join(files_table(10**8, 1, ["int.parquet"], page=False)))
        return
    n = 30_000 if options.quick else options.rows
    rounds = 1 if options.quick else options.rounds
    rows = files_table(n, rounds, ["int.parquet", "gone.parquet", "text.parquet", "text.csv"])
    rows += memory_table(3 * n // 10, max(3, rounds))
    told = table(rows, n, rounds)
    print(told)
    if not options.quick:
        tables.write("docs/performance.md", "jobs", told)
        tables.write("README.md", "jobs", summary(rows))


if __name__ == "__main__":
    main()
