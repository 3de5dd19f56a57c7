"""How fast: clusterdiff against the limit and against every peer.

python benchmarks/speed.py             all tables; writes results.json, docs/performance.md, its picture, the README
python benchmarks/speed.py --growth    how the cost grows from n = 10^3 to 10^8 (clusterdiff and the limit)
python benchmarks/speed.py --quick     small sizes, nothing written: does everything run?

Everything is measured in one process, interleaved, the minimum of several rounds. The limit is a streaming read of both
label arrays with the same number of threads. A peer that fails, or needs more than two minutes, is shown as such: what
promises to be slow is tried in a process of its own first.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import data
import peers
import tables

import clusterdiff as cd
from clusterdiff import _core

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
ROOT = HERE.parent
TOO_LONG = 120.0  # seconds
#: The two regimes that differ most, for the picture and for growth.
SHOWN = ("k = 100", "k ≈ n/3, linked records")
MOST_MEMORY = 12 << 30
Time = float | str  # seconds, or why there is none


def ours(true: Any, pred: Any) -> Callable[[], Any]:
    """What is measured: labels in, S_H out."""
    return lambda: cd.score(true, pred)


def once(work: Callable[[], Any]) -> float:
    """Seconds of one call, without the time to free the result."""
    start = time.perf_counter()
    result = work()
    taken = time.perf_counter() - start
    del result
    return taken


def interleaved(
    works: dict[str, Callable[[], Any]], rounds: int = 7, budget: float = 20.0
) -> dict[str, Time]:
    """The minimum of several rounds of each, in seconds per call.

    What is over in a moment is called many times per round; what is slow gets fewer rounds, as the budget allows.
    """
    best: dict[str, Time] = {}
    calls: dict[str, int] = {}
    spent = dict.fromkeys(works, 0.0)
    for turn in range(rounds):
        for name, work in works.items():
            if isinstance(best.get(name), str) or (turn >= 1 and spent[name] * (1 + 1 / turn) > budget):
                continue
            try:
                if name not in calls:
                    first = once(work)
                    calls[name] = 1 if first > 0.1 else max(1, min(2000, int(0.005 / max(once(work), 1e-7))))
                taken = sum(once(work) for _ in range(calls[name]))
            except Exception as error:  # a peer's failure is a result
                best[name] = f"fails: {type(error).__name__}"
                continue
            spent[name] += taken
            taken /= calls[name]
            best[name] = min(taken, best.get(name, taken))  # type: ignore[type-var]
    return best


def probe(peer: str, regime: str, n: int) -> Time:
    """One call in a process of its own, which is stopped after two minutes (making the data not counted)."""
    command = [sys.executable, __file__, "--probe", peer, regime, str(n)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    ready = child.stdout.readline().strip()
    if ready != "ready":
        child.wait()
        return f"fails: {ready or 'killed'}"
    try:
        output, _ = child.communicate(timeout=TOO_LONG)
        return float(output)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return "over two minutes"
    except ValueError:
        return f"fails: {output.strip() or 'killed'}"


def run_probe(peer: str, regime: str, n: int) -> None:
    """The other side of `probe`. A dense table of all pairs of clusters must not take the machine down."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        work = peers.PEERS[peer](*data.make(regime, n))
        print("ready", flush=True)
        print(once(work), flush=True)
    except BaseException as error:
        print(type(error).__name__, flush=True)


def prepare(
    regime: str, n: int, slow: dict[str, Time]
) -> tuple[data.Pair, dict[str, Callable[[], Any]], dict[str, Time]]:
    """The works of a regime, and the times of the peers that were not let in. `slow` holds what smaller n took."""
    pair = data.make(regime, n)
    works: dict[str, Callable[[], Any]] = {"limit": lambda: _core.stream(*pair), "clusterdiff": ours(*pair)}
    known: dict[str, Time] = {}
    for name, peer in peers.PEERS.items():
        if name not in slow:  # nobody knows yet: it is tried where it can be stopped
            first = probe(name, regime, n)
            if isinstance(first, str) or first > TOO_LONG / 20:
                known[name] = first
                continue
        before = slow.get(name, 0.0)
        if isinstance(before, str):
            known[name] = before  # what failed or took too long for fewer points is not tried again
        elif before * 10 > 2 * TOO_LONG:
            known[name] = "over two minutes"  # a tenth of the points took more than a fifth of that
        elif before * 12 > TOO_LONG / 4:
            known[name] = probe(name, regime, n)
        else:
            try:
                works[name] = peer(*pair)
            except Exception as error:
                known[name] = f"fails: {type(error).__name__}"
    return pair, works, known


def labels_table(sizes: list[int]) -> list[dict[str, Any]]:
    """Every regime at every size, smaller ones first to learn which peers can be let in."""
    rows = []
    for regime in data.REGIMES:
        slow: dict[str, Time] = {}
        for n in sizes:
            _, works, known = prepare(regime, n, slow)
            times = interleaved(works) | known
            slow = {name: times[name] for name in peers.PEERS}
            rows.append({"regime": regime, "n": n, "times": times})
            print_row(rows[-1])
    return rows


def print_row(row: dict[str, Any]) -> None:
    """One line of the terminal's table."""
    times = row["times"]
    mine, limit = times["clusterdiff"], times.get("limit")
    parts = [f"{mine / row['n'] * 1e9:8.2f} ns per point"]
    if limit:
        parts.append(f"{mine / limit:6.1f} × the limit")
    parts += [
        f"{name} {ratio(value, mine)}"
        for name, value in times.items()
        if name not in ("clusterdiff", "limit")
    ]
    print(f"{row['regime']:<36} n = {row['n']:<10,}", "  ".join(parts), flush=True)


def ratio(value: Time, mine: float) -> str:
    """How many times longer a peer takes, or why nobody knows."""
    if isinstance(value, str):
        return value
    times = value / mine
    return f"{times:.1f} ×" if times < 20 else f"{times:,.0f} ×"


def small_table() -> list[dict[str, Any]]:
    """Microseconds a call for small inputs."""
    rows = []
    for n in (100, 1000):
        pair = data.noisy(n, 10, np.random.default_rng(n))
        works = {"clusterdiff": ours(*pair)} | {
            name: peers.PEERS[name](*pair)
            for name in ("scikit-learn", "genieclust", "igraph", "CluSim", "pandas", "polars", "DuckDB")
        }
        times = interleaved(works)
        rows.append({"regime": "small, k = 10", "n": n, "times": times})
        print_row(rows[-1])
    return rows


def text_table(n: int) -> list[dict[str, Any]]:
    """Labels that are text: NumPy, a list, Arrow."""
    import pyarrow as pa

    rows = []
    for regime in ("k = 10,000", "k ≈ n/3, linked records"):
        arrays = [data.words(x) for x in data.make(regime, n)]
        lists = [x.tolist() for x in arrays]
        arrow = [pa.array(x) for x in lists]
        inputs = {"Arrow": arrow, "NumPy": arrays, "list": lists}
        works: dict[str, Callable[[], Any]] = {
            f"clusterdiff, {kind}": ours(*sides) for kind, sides in inputs.items()
        }
        for name, peer in peers.TEXT_PEERS.items():
            works[name] = peer(*(arrays if name == "scikit-learn" else arrow if name != "pandas" else lists))
        times = interleaved(works, rounds=5)
        for kind in inputs:
            others = {name: times[name] for name in peers.TEXT_PEERS}
            rows.append(
                {
                    "regime": f"text ({kind}), {regime}",
                    "n": n,
                    "times": {"clusterdiff": times[f"clusterdiff, {kind}"]} | others,
                }
            )
            print_row(rows[-1])
    return rows


def feature_table(n: int, d: int = 50, k: int = 10_000) -> list[dict[str, Any]]:
    """Centres and squared deviations of k groups: the core, and the shortest NumPy and SciPy that do it."""
    import scipy.sparse

    rng = np.random.default_rng(1)
    groups = rng.integers(0, k, n).astype(np.int32)
    rows = []
    indicator = scipy.sparse.csr_array((np.ones(n), (groups, np.arange(n))), shape=(k, n))
    counts = np.bincount(groups, minlength=k)[:, None]

    def by_numpy(x: np.ndarray) -> Any:
        centres = (indicator @ x) / counts
        return centres, np.bincount(groups, ((x - centres[groups]) ** 2).sum(axis=1), k)

    for dtype in ("float32", "float64"):
        x = rng.standard_normal((n, d), dtype=dtype)  # type: ignore[arg-type]
        works = {
            "limit": lambda x=x: x.sum(),
            "clusterdiff": lambda x=x: _core.moments_dense(groups, k, x),
            "NumPy + SciPy": lambda x=x: by_numpy(x),
        }
        rows.append({"regime": f"moments, {dtype}, d = {d}", "n": n, "times": interleaved(works, rounds=5)})
        print_row(rows[-1])
    sparse = scipy.sparse.random_array((n, 1000), density=0.01, format="csr", rng=rng)
    works = {
        "limit": lambda: sparse.data.sum() + sparse.indices.sum(),
        "clusterdiff": lambda: _core.moments_sparse(
            groups, k, sparse.indptr, sparse.indices, sparse.data, 1000
        ),
        "SciPy, centres only": lambda: (indicator @ sparse) / counts,
    }
    rows.append({"regime": "moments, CSR, 10 of 1,000", "n": n, "times": interleaved(works, rounds=5)})
    print_row(rows[-1])
    return rows


def all_sums_table(n: int) -> list[dict[str, Any]]:
    """What all sums together cost next to S_H alone, from the labels."""
    rows = []
    for regime in data.REGIMES:
        pair = data.make(regime, n)

        def everything(pair: data.Pair = pair) -> float:
            sums = _core.meet(*pair).sums()
            return sums.s_h + sums.mutual

        times = interleaved({"S_H": lambda pair=pair: _core.meet(*pair).sums().s_h, "all sums": everything})
        rows.append({"regime": regime, "n": n, "times": times})
        print(
            f"{regime:<36} n = {n:<10,} all sums {times['all sums'] / times['S_H']:.2f} × S_H alone",
            flush=True,
        )  # type: ignore[operator]
    return rows


CHILD = """
import sys, time
import numpy as np
import clusterdiff as cd
true, pred = np.load(sys.argv[1]), np.load(sys.argv[2])
true.sum(), pred.sum()
def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")
before = status("VmRSS")
times = []
for _ in range(int(sys.argv[3])):
    start = time.perf_counter(); cd.score(true, pred); times.append(time.perf_counter() - start)
    if len(times) == 1:
        peak = status("VmHWM") - before
print(times[0], min(times), peak / (true.nbytes + pred.nbytes))
"""


def fresh_process(regime: str, n: int, calls: int) -> dict[str, Any]:
    """First call, best call, and peak memory beyond the two arrays as a multiple of them, in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("true.npy", "pred.npy")]
        for path, labels in zip(paths, data.make(regime, n), strict=True):
            np.save(path, labels)
        command = [sys.executable, "-c", CHILD, *map(str, paths), str(calls)]
        first, best, memory = map(
            float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        )
    print(
        f"{regime:<36} n = {n:<10,} first call {first:.4f} s, best {best:.4f} s, memory {memory:.3f} × the arrays",
        flush=True,
    )
    return {"regime": regime, "n": n, "first": first, "best": best, "memory": memory}


def growth_table(sizes: list[int]) -> list[dict[str, Any]]:
    """How the cost grows with n in the two regimes that differ most, for clusterdiff and the limit alone."""
    rows = []
    for regime in SHOWN:
        for n in sizes:
            _, works, _ = prepare(regime, n, dict.fromkeys(peers.PEERS, "left out"))
            rows.append({"regime": regime, "n": n, "times": interleaved(works, rounds=7 if n < 10**7 else 3)})
            print_row(rows[-1])
    return rows


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Time against n, log-log, the limit as a dashed line."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "clusterdiff"
    figure, axes = plt.subplots(1, len(SHOWN), figsize=(11, 4.6), sharey=True, layout="constrained")
    styles = {
        "limit": {"label": "streaming read", "color": "black", "linestyle": "--"},
        "clusterdiff": {"label": "clusterdiff", "color": "crimson", "linewidth": 3, "marker": "o"},
    } | {
        name: {"label": name, "color": f"C{i}", "marker": ".", "alpha": 0.8}
        for i, name in zip((2, 1, 4, 5, 6, 7, 8, 9), peers.PEERS, strict=True)  # C3 is too much like crimson
    }
    for axis, regime in zip(axes, SHOWN, strict=True):
        mine = [row for row in rows if row["regime"] == regime]
        for name, style in styles.items():
            points = [
                (row["n"], row["times"][name]) for row in mine if isinstance(row["times"].get(name), float)
            ]
            if points:
                axis.loglog(*zip(*points, strict=True), **style)
        axis.set_title(regime)
        axis.set_xlabel("points")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def markdown(results: dict[str, Any]) -> str:
    """The tables of docs/performance.md."""

    def table(rows: list[dict[str, Any]], unit: str) -> list[str]:
        names = list(
            dict.fromkeys(
                name for row in rows for name in row["times"] if name not in ("limit", "clusterdiff")
            )
        )
        limit = any("limit" in row["times"] for row in rows)
        head = [
            "regime",
            "n",
            f"clusterdiff, {unit}",
            *(["against the streaming read"] if limit else []),
            *names,
        ]
        lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
        for row in rows:
            times = row["times"]
            mine = times["clusterdiff"]
            value = f"{mine * 1e6:.1f}" if unit.startswith("µs") else f"{mine / row['n'] * 1e9:.2f}"
            cells = [row["regime"], f"{row['n']:,}", value]
            if limit:
                cells.append(f"{mine / times['limit']:.1f} ×")
            cells += [ratio(times[name], mine) if name in times else "–" for name in names]
            lines.append("| " + " | ".join(cells) + " |")
        return [*lines, ""]

    machine, dates = results["machine"], results["dates"]
    newest = max(dates.values())
    older = "".join(f"; {part}: {date}" for part, date in dates.items() if date != newest)
    lines = [
        f"Measured by `python benchmarks/speed.py` on {machine['processor']}, {machine['threads']} threads, Python "
        f"{machine['python']}, NumPy {machine['numpy']}, {newest}{older}. A peer's column says how many times "
        "longer it takes.",
        "",
    ]
    if "labels" in results:
        alt = "Time against the number of points, log-log: clusterdiff, its peers, and the streaming read"
        lines += [f"![{alt}](images/speed.svg)", ""]
    for part, title, unit in (
        ("labels", "Integer labels:", "ns per point"),
        ("small", "Small inputs:", "µs per call"),
        ("text", "Text:", "ns per point"),
        ("features", "Moments of features (the limit is one read of the data):", "ns per point"),
    ):
        if part in results:
            lines += [title, "", *table(results[part], unit)]
    if "sums" in results:
        lines += [
            "All sums of the cells together, against S_H alone, both from the labels:",
            "",
            "| regime | n | cost |",
            "| --- | --- | --- |",
            *(
                f"| {r['regime']} | {r['n']:,} | {r['times']['all sums'] / r['times']['S_H']:.2f} × |"
                for r in results["sums"]
            ),
            "",
        ]
    if "growth" in results:
        lines += ["How the cost grows:", "", *table(results["growth"], "ns per point")]
    if "fresh" in results:
        lines += [
            "In a new process: the first call includes the cost of fresh memory, the best of several does not. "
            "Memory is the peak beyond the two arrays, as a multiple of them.",
            "",
            "| regime | n | first call | best call | memory |",
            "| --- | --- | --- | --- | --- |",
            *(
                f"| {r['regime']} | {r['n']:,} | {r['first']:.4f} s | {r['best']:.4f} s | {r['memory']:.3f} × |"
                for r in results["fresh"]
            ),
        ]
    return "\n".join(lines)


def summary(results: dict[str, Any]) -> str:
    """The README's table: the largest inputs, in milliseconds."""
    rows = results["labels"]
    largest = max(row["n"] for row in rows)
    machine = results["machine"]
    names = list(peers.PEERS)
    head = ["labels", "clusterdiff", "streaming read", *names]
    lines = [
        f"{largest:,} points on {machine['threads']} cores of {machine['processor']}: labels in, S_H out. Peers "
        "compute their adjusted Rand index, or (pandas, polars, DuckDB) only count the cells; a peer's column says "
        "how many times longer it takes. Reading both label arrays once is the lower limit.",
        "",
        "| " + " | ".join(head) + " |",
        "| --- " * len(head) + "|",
    ]
    for row in rows:
        if row["n"] == largest:
            times = row["times"]
            mine, limit = times["clusterdiff"], times["limit"]
            cells = [
                row["regime"],
                f"{mine * 1e3:.1f} ms",
                f"{limit * 1e3:.1f} ms",
                *(ratio(times[name], mine) for name in names),
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_docs(results: dict[str, Any]) -> None:
    """Puts the tables into docs/performance.md and the README."""
    tables.write("docs/performance.md", "figures", markdown(results))
    if "labels" in results:
        tables.write("README.md", "figures", summary(results))


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        processor = next(
            (
                line.split(":")[1].strip()
                for line in info.read_text().splitlines()
                if line.startswith("model name")
            ),
            processor,
        )
    return {
        "processor": processor,
        "threads": _core.threads(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--growth", action="store_true", help="cost from n = 10^3 to 10^8")
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=("small", "text", "features", "sums", "fresh", "labels", "growth"),
        help="only these",
    )
    parser.add_argument("--probe", nargs=3, metavar=("PEER", "REGIME", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        run_probe(options.probe[0], options.probe[1], int(options.probe[2]))
        return
    quick = options.quick
    if quick:
        global TOO_LONG
        TOO_LONG = 5.0
    top = 10**5 if quick else 10**7
    big = top if quick else 10**8
    few, linked = SHOWN
    parts: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "small": small_table,
        "text": lambda: text_table(top // 10),
        "features": lambda: feature_table(top // 10, k=100 if quick else 10_000),
        "sums": lambda: all_sums_table(top),
        "fresh": lambda: [
            *(fresh_process(regime, top, 5) for regime in (few, "k = 10,000", linked)),
            *(fresh_process(regime, big, 1) for regime in (few, linked)),
        ],
        "labels": lambda: labels_table([top // 100, top // 10, top]),
        "growth": lambda: growth_table([10**e for e in range(3, 6 if quick else 9)]),
    }
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for part in ["growth"] if options.growth else options.parts or parts:
        rows = parts[part]()
        if quick:
            continue
        # Written after each part, so that a long run that is interrupted has not been in vain.
        dates = results.get("dates", {}) | {part: time.strftime("%Y-%m-%d")}
        results |= {"machine": machine(), "dates": dates, part: rows}
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        write_docs(results)
        if part == "labels":
            picture(rows, ROOT / "docs" / "images" / "speed.svg")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
