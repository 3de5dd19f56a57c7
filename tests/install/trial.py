"""Runs inside a Python that lacks packages: the examples of every module, and every command.

Prints whatever went wrong, other than by naming the extra that is lacking, and which extras were named. It stands
alone, because pytest is not there either.
"""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click import Context
from click.testing import CliRunner

import clusterdiff
from clusterdiff.cli import main

#: A class of matplotlib's, made more precise: nobody imports it who has not asked for matplotlib before.
NEEDS_MORE = {"clusterdiff.show.plots.figure"}
FILES = {
    "true.csv": "id,cluster,city\na,1,x\nb,1,x\nc,1,y\nd,2,y\ne,2,x\nf,3,y\n",
    "pred.csv": "id,cluster\na,1\nb,1\nc,2\nd,2\ne,2\nf,3\n",
    "other.csv": "id,cluster\na,1\nb,2\nc,2\nd,2\ne,2\nf,3\n",
    "pairs.csv": "left,right,score\na,b,0.9\nb,c,0.4\nd,e,0.8\n",
    "said.jsonl": '{"groups": [["a", "b"], ["d"]]}\n',
}
#: Every command in the ways that could need a package, but for `paper`, which takes its time to do what `check` does.
LINES = [
    *(
        f"compare true.csv pred.csv {more}"
        for more in ("--html a.html", "--measures all", "--by city --explain")
    ),
    *(f"compare true.csv pred.csv --engine {name}" for name in ("duckdb", "polars", "spark")),
    *(f"compare true.csv pred.csv --write meet={name}" for name in ("m.csv", "m.parquet", "m.jsonl")),
    "compare true.feather pred.csv",
    "compare true.tif pred.tif",
    "compare postgres://nobody@127.0.0.1:1/none:t pred.csv",
    "compare --old true.csv --new pred.csv",
    *("patch true.csv pred.csv -o patch.json", "apply pred.csv patch.json", "apply pred.csv said.jsonl"),
    *("chance true.csv pred.csv", "check rand --points 4", "demo", "doctor", "history true.csv pred.csv"),
    *("judgements said.jsonl", "judge pred.csv said.jsonl", "estimate true.csv pred.csv --design clusters"),
    *("plan pred.csv --error 0.2", "merge true.csv pred.csv pred.csv", "relabel pred.csv --like true.csv"),
    *("matrix true.csv pred.csv", "matrix true.csv pred.csv --plot m.svg", "measures", "measures --where"),
    *("rank true.csv pred.csv other.csv --resamples 9", "sweep true.csv pairs.csv --html sweep.html"),
    *("sweep true.csv pairs.csv --plot thresholds=t.svg", "worsen true.csv", "worsen true.csv --plot w.svg"),
    *(f"plot {kind} true.csv pred.csv" for kind in ("bipartite", "clusters", "derivation", "flow")),
    *(f"plot {kind} true.csv pred.csv" for kind in ("heatmap", "loss", "sizes")),
]


class Runner(doctest.DocTestRunner):
    """Notes whatever is raised, but for what an example imports itself, and errors that name an extra."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.wrong: list[str] = []
        self.named: set[str] = set()

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """An example's own import may fail, and what it could not make is then not there."""
        kind, value, _ = exc_info
        if kind is clusterdiff.MissingExtraError:
            self.named.add(value.hint)
        elif not (kind is NameError or (kind is ModuleNotFoundError and "import " in example.source)):
            self.wrong.append(f"{test.name}: {example.source.strip()}\n    {kind.__name__}: {value}")

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Another answer than with all packages."""
        self.wrong.append(f"{test.name}: {example.source.strip()}\n    gave {got}")


def run_examples() -> Runner:
    """The examples of every module."""
    runner, finder = Runner(), doctest.DocTestFinder()
    names = {module.name for module in pkgutil.walk_packages(clusterdiff.__path__, "clusterdiff.")}
    for name in sorted(names - NEEDS_MORE - {"clusterdiff.__main__"}):
        for test in finder.find(importlib.import_module(name)):
            if test.examples:  # a run looks after every source that was ever read, whatever there is to run
                runner.run(test, out=lambda _: None)
    return runner


def run_commands() -> tuple[list[str], set[str]]:
    """What went wrong, and which extras were named."""
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("true.feather").write_bytes(b"ARROW1")
    Path("true.tif").write_bytes(b"II*\0")
    Path("pred.tif").write_bytes(b"II*\0")
    wrong, named = [], set()
    for line in LINES:
        done = CliRunner().invoke(main, line.split())
        hint = done.stderr.partition("hint: pip install ")[2].strip()
        if hint:
            named.add(f"pip install {hint}")
        elif done.exit_code not in (0, 1) and "tif" not in line:
            wrong.append(f"clusterdiff {line}\n    {done.stderr}")
        if "should not happen" in done.stderr:
            wrong.append(f"clusterdiff {line}\n    {done.stderr}")
    for call in (lambda: clusterdiff.lattice.to_networkx(diff().meet), diff().components.to_frame):
        try:
            call()
        except clusterdiff.MissingExtraError as error:
            named.add(str(error.hint))
    untried = set(main.list_commands(Context(main))) - {line.split()[0] for line in LINES} - {"paper"}
    return wrong + [f"clusterdiff {name} is not tried" for name in sorted(untried)], named


#: Results from which whatever else is public can be reached.
ROOTS: dict[str, Callable[[], Any]] = {
    "compare": lambda: diff(),
    "lost": lambda: clusterdiff.compare({"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 2, "d": 2}, missing="lost"),
    "files": lambda: clusterdiff.compare("true.csv", "pred.csv"),
    "corpus": lambda: clusterdiff.compare(
        clusterdiff.Corpus({"d": [0, 0, 1]}), clusterdiff.Corpus({"d": [0, 1, 1]})
    ),
    "chance": lambda: clusterdiff.chance([0, 0, 1, 1], [0, 1, 1, 1]),
    "rank": lambda: clusterdiff.rank(RANKED[0], RANKED[1], resamples=9),
    "datasets": lambda: clusterdiff.rank(dict.fromkeys("xyz", RANKED), resamples=9),
    "sweep": lambda: clusterdiff.sweep("true.csv", pairs="pairs.csv"),
    "matrix": lambda: clusterdiff.matrix([[0, 0, 1], [0, 1, 1], [0, 1, 2]]),
    "history": lambda: clusterdiff.history({"one": {"a": 1, "b": 1}, "two": {"a": 1, "b": 2}}),
    "merge": lambda: clusterdiff.merge({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 1}),
    "estimate": lambda: clusterdiff.estimate("true.csv", "pred.csv", design="clusters"),
    "plan": lambda: clusterdiff.plan("pred.csv", error=0.2),
    "judged": lambda: clusterdiff.Judgements.read("said.jsonl").judge("pred.csv"),
    "applied": lambda: clusterdiff.Judgements.read("said.jsonl").apply("pred.csv"),
    "worsen": lambda: clusterdiff.worsen([0, 0, 1, 1, 2]),
    "check": lambda: clusterdiff.check("rand", points=3),
    "extremes": lambda: clusterdiff.extremes([0, 0, 1], "S_H"),
    "clustering": lambda: clusterdiff.Clustering([0, 0, 1]),
    "measures": lambda: clusterdiff.measures,
    "subcomponents": lambda: clusterdiff.subcomponents,
}
RANKED = ([0, 0, 1, 1, 2, 2], {"a": [0, 0, 1, 1, 1, 2], "b": [0, 1, 2, 3, 4, 5]})


def walk() -> tuple[list[str], set[str], int]:
    """What lacks a package without naming its extra: every property, and every method that asks for nothing.

    One object of each class, beginning with the roots; what refuses for another reason is of no concern here.
    """
    wrong: list[str] = []
    named: set[str] = set()
    seen: set[type] = set()
    tried = 0

    def tell(name: str, ask: Callable[[], Any]) -> Any:
        nonlocal tried
        tried += 1
        try:
            return ask()
        except clusterdiff.MissingExtraError as error:
            named.add(str(error.hint))
        except ImportError as error:
            wrong.append(f"{name}\n    {type(error).__name__}: {error}")
        except Exception:
            return None
        return None

    waiting = [(name, root()) for name, root in ROOTS.items()]
    while waiting:
        name, value = waiting.pop(0)
        if type(value) in seen or not type(value).__module__.startswith("clusterdiff"):
            continue
        seen.add(type(value))
        for own in dir(value):
            if own.startswith("_"):
                continue
            found = tell(f"{name}.{own}", lambda value=value, own=own: getattr(value, own))
            if callable(found) and not isinstance(found, type):
                found = tell(f"{name}.{own}()", found)
            waiting.append((f"{name}.{own}", found))
            first = tell(f"{name}.{own}[0]", lambda found=found: next(iter(found)))
            waiting.append((f"{name}.{own}[0]", first))
    return wrong, named, tried


def draw() -> None:
    """A plot, to a file."""
    diff().plot("flow").figure.savefig("flow.svg")


def diff() -> Any:
    """A comparison."""
    return clusterdiff.compare([0, 0, 1, 1], [0, 1, 1, 1])


def columns(module: Any, frame: Any) -> None:
    """Two columns of a frame, and a result that becomes one."""
    table = frame({"x": [0, 0, 1, 1], "y": [0, 1, 1, 1]})
    assert clusterdiff.compare_columns(table, true="x", pred="y").score() == diff().score()
    assert len(diff().components.to_frame(module.__name__))


def image() -> None:
    """Two TIFF images."""
    tifffile = importlib.import_module("tifffile")
    numpy = importlib.import_module("numpy")
    for name in ("x.tif", "y.tif"):
        tifffile.imwrite(name, numpy.eye(4, dtype="uint8"))
    assert clusterdiff.compare("x.tif", "y.tif").score() == 1


def feather() -> None:
    """Frames of pyarrow, and their files."""
    pa = importlib.import_module("pyarrow")
    columns(pa, pa.table)
    importlib.import_module("pyarrow.feather").write_feather(
        pa.table({"id": ["a"], "cluster": [1]}), "x.feather"
    )
    assert clusterdiff.compare("x.feather", "x.feather").score() == 1


def dask() -> None:
    """A table of dask."""
    frames, pandas = importlib.import_module("dask.dataframe"), importlib.import_module("pandas")
    table = frames.from_pandas(pandas.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 1, 1]}), npartitions=1)
    assert clusterdiff.compare_columns(table, true="x", pred="y").score() == diff().score()


def frames(library: str) -> None:
    """Frames of pandas or polars."""
    module = importlib.import_module(library)
    columns(module, module.DataFrame)


def postgres() -> None:
    """A server that is not there is told by who would have asked it."""
    try:
        clusterdiff.read("postgres://nobody@127.0.0.1:1/none:t")
    except clusterdiff.MissingExtraError:
        raise
    except clusterdiff.FileError:
        return
    raise AssertionError("nobody was asked")


def spark() -> None:
    """A session begins without another package; the Java machine that it starts takes too long for this."""
    importlib.import_module("pyspark.sql.functions")
    importlib.import_module("pyspark.sql.pandas.types")
    importlib.import_module("pyarrow")


def transport() -> None:
    """The one measure that moves earth."""
    assert clusterdiff.compare([0, 0, 1], [0, 1, 1], features=[[0.0], [1.0], [2.0]]).score("cdistance") > 0


#: What each extra is for.
ALONE = {
    "arrow": feather,
    "dask": dask,
    "graph": lambda: clusterdiff.lattice.to_networkx(diff().meet),
    "image": image,
    "pandas": lambda: frames("pandas"),
    "plot": draw,
    "polars": lambda: frames("polars"),
    "postgres": postgres,
    "spark": spark,
    "transport": transport,
}


def run_alone(extra: str, site: str) -> str:
    """What an extra is for, in a process that has the packages of the base and its own."""
    sys.stdout.flush()
    read, write = os.pipe()
    if not (child := os.fork()):
        said = "works"
        try:
            sys.path.insert(1, site)
            importlib.invalidate_caches()
            ALONE[extra]()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read, encoding="utf-8") as end:
        return end.read()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # First, while no library has threads that a process would lose when it forks.
    alone = {extra: run_alone(extra, site) for extra, _, site in (arg.partition("=") for arg in sys.argv[1:])}
    wrong, named = run_commands()
    examples = run_examples()
    walked, reached, steps = walk()
    json.dump(
        {
            "alone": alone,
            "wrong": wrong + examples.wrong + walked,
            "named": sorted(named | examples.named | reached),
            "tried": examples.tries,
            "walked": steps,
        },
        sys.stdout,
    )
