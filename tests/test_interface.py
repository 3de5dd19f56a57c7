"""Promises about the package itself: what is public, what is imported, and what documents say."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import clusterdiff as cd
from clusterdiff.table import FRAMES

TOP = Path(__file__).resolve().parents[1]

EXTRAS = (
    "duckdb",
    "jinja2",
    "matplotlib",
    "narwhals",
    "networkx",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
)

#: Parts of results whose own parts are not promised.
INNERMOST = {"Board", "Cuts", "Margins", "UnevenMeet"}


def test_everything_public_is_there_and_documented() -> None:
    """__all__ is sorted, complete, and every class, function and module in it has a docstring of its own."""
    assert list(cd.__all__) == sorted(cd.__all__) == dir(cd)
    public = {
        name
        for name, value in vars(cd).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public <= set(cd.__all__)
    values = {name: getattr(cd, name) for name in cd.__all__}
    plain = {name for name, value in values.items() if not hasattr(value, "__name__")}
    assert plain == {"__version__", "measures", "subcomponents"}
    values |= {name: getattr(cd.types, name) for name in cd.types.__all__}
    for name in values.keys() - plain:
        own = vars(values[name]).get("__doc__") or (
            not inspect.isclass(values[name]) and values[name].__doc__
        )
        assert own, name
        # What dataclasses and named tuples make up when there is no docstring.
        assert not own.startswith(f"{name}(") or values[name].__module__ == "clusterdiff._core", name


def test_every_public_name_stands_in_the_documents() -> None:
    """docs/reference.md lists the names of the front door and the classes of clusterdiff.types, each once."""
    text = (TOP / "docs" / "reference.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])]
    assert sorted(named) == sorted([*(f"cd.{name}" for name in cd.__all__), *cd.types.__all__])


def test_every_public_name_has_an_example_that_runs() -> None:
    """In its docstring, in that of something in it, or on the page with an example of every class."""
    blocks = re.findall(
        r"^```python\n(.*?)^```", (TOP / "docs" / "classes.md").read_text("utf-8"), re.M | re.S
    )
    shown = set(re.findall(r"\w+", "".join(blocks)))
    for module in (cd, cd.types):
        for name in set(module.__all__) - shown - {"__version__"}:
            value = getattr(module, name)
            inside = vars(value).values() if inspect.isclass(value) or inspect.ismodule(value) else ()
            assert any(">>>" in (inspect.getdoc(one) or "") for one in (value, *inside)), name


@pytest.mark.parametrize("module", [cd, cd.types], ids=lambda module: module.__name__)
def test_type_checkers_see_every_name_where_it_is(module: Any) -> None:
    """What is imported for them is what is imported when somebody asks: the same names from the same modules."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    (block,) = (
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Attribute)
    )
    seen = {}
    for node in block.body:
        for alias in node.names:
            assert alias.asname == alias.name, f"{alias.name} is not exported"
            seen[alias.name] = getattr(importlib.import_module(node.module), alias.name)
    assert seen.keys() == set(module.__all__) - {"__version__", "measures"}
    assert all(getattr(module, name) is value for name, value in seen.items())


def test_a_name_that_moved_says_where_it_is() -> None:
    """A class of results is asked for in vain at the front door, and the error names its place; no alias stays."""
    assert not set(cd.__all__) & set(cd.types.__all__)
    with pytest.raises(AttributeError, match=r"^clusterdiff.Story is now clusterdiff.types.Story$"):
        cd.Story  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'clusterdiff' has no attribute 'compre'$"):
        cd.compre  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'clusterdiff.types' has no attribute 'Stories'$"):
        cd.types.Stories  # noqa: B018
    assert not hasattr(cd, "Story")


def test_measures_are_the_registry_whatever_is_imported_first() -> None:
    """The room of the same name never takes its place."""
    code = "import clusterdiff.measures.pairs, clusterdiff as cd; print(type(cd.measures).__name__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "Registry"


def returned(value: object) -> Iterator[tuple[str, object]]:
    """What the functions, methods, properties and fields of something public are annotated to give."""
    if inspect.isclass(value):
        yield from (pair for pair in get_type_hints(value).items() if not pair[0].startswith("_"))
    members = [("", value)] if inspect.isfunction(value) else inspect.getmembers_static(value)
    for name, member in members:
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        member = getattr(member, "fget", None) or getattr(member, "func", None) or member
        own = not inspect.ismodule(value) or getattr(member, "__module__", None) == value.__name__
        if inspect.isfunction(member) and own and not name.startswith("_"):
            yield name, get_type_hints(member).get("return")


def classes_in(annotation: object) -> Iterator[type]:
    """The classes of this package that an annotation names."""
    if inspect.isclass(annotation) and annotation.__module__.startswith("clusterdiff"):
        yield annotation
    for part in get_args(annotation):
        yield from classes_in(part)


def test_every_class_that_is_returned_is_public() -> None:
    """From the front door, or from clusterdiff.types; engines offer what a class there says."""
    doors = [getattr(cd, name) for name in cd.__all__ if name != "types"]
    doors += [getattr(cd.types, name) for name in cd.types.__all__ if name not in INNERMOST]
    public = {*filter(inspect.isclass, doors), *(getattr(cd.types, name) for name in INNERMOST)}
    hidden = {
        f"{getattr(door, '__name__', door)}.{name} gives {found.__name__}"
        for door in doors
        for name, annotation in returned(door)
        for found in classes_in(annotation)
        if found not in public and not found.__module__.startswith("clusterdiff.tables.engines")
    }
    assert not hidden, "\n".join(sorted(hidden))


def test_the_version_is_the_distributions() -> None:
    """__version__ and the installed metadata agree."""
    assert metadata.version("clusterdiff") == cd.__version__


def loaded(code: str, *command: str) -> set[str]:
    """The modules that a fresh Python has loaded after some code."""
    code = f"{code}\nimport sys\nsys.stderr.write(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return set(run.stderr.split())


#: What nobody waits for who wants no more than a number, and which modules of a room a number needs all the same: those
#: that tell a path from labels.
SPARED = {"cli": set(), "show": set(), "paper": set(), "decide": set(), "tables": set()}
SPARED |= {"formats": {"catalogue", "source", "mentions"}}


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("import clusterdiff", 50),
        ("import clusterdiff as cd; cd.score([0, 0, 1], [0, 1, 1])", 120),
        (
            "import clusterdiff as cd, numpy as np; cd.score(np.array([0, 0, 1]), np.array([0, 1, 1]), 'ari')",
            120,
        ),
    ],
)
def test_a_number_loads_what_a_number_needs(code: str, most: int) -> None:
    """Of 250 modules; neither the rooms that do something else, nor what prints, draws, or speaks to engines."""
    modules = loaded(code)
    assert not modules & {*EXTRAS, "rich", "click"}
    own = {module.removeprefix("clusterdiff.") for module in modules if module.startswith("clusterdiff.")}
    for room, needed in SPARED.items():
        assert not {name for name in own if name.startswith(f"{room}.")} - {
            f"{room}.{name}" for name in needed
        }
    assert len(own) <= most


def test_the_version_is_told_without_what_prints_results() -> None:
    """`clusterdiff --version` loads the group of commands, and none of them."""
    code = "import sys; from clusterdiff_command import main\ntry: main()\nexcept SystemExit: pass"
    modules = loaded(code, "--version")
    assert "click" in modules
    assert not modules & {*EXTRAS, "rich"}
    assert not {name for name in modules if re.match(r"clusterdiff\.(diff|verbs|show|cli\.commands\.)", name)}


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an optional library is absent, the error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(
        cd.MissingExtraError, match="a networkx graph needs networkx, which is not installed"
    ) as caught:
        cd.lattice.to_networkx(cd.compare([0], [0]).meet)
    assert caught.value.hint == "pip install 'clusterdiff[graph]'"


def test_extras_that_errors_name_exist() -> None:
    """Every extra that an error tells people to install is one of the distribution's."""
    source = "".join(path.read_text(encoding="utf-8") for path in Path(cd.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'MissingExtraError\(\s*"[^"]+",\s*"([^"]+)"', source)) | set(FRAMES.values())
    assert len(named) > 5
    assert named <= set(metadata.metadata("clusterdiff").get_all("Provides-Extra") or ())


def test_every_measure_is_described() -> None:
    """Each registry entry has a summary, a formula, a reference and an example that the doctests run."""
    for name, measure in cd.measures.items():
        assert measure.summary.endswith((".", "…")), name
        assert measure.formula, name
        assert measure.reference, name
        assert ">>>" in measure.doc, name


def test_a_new_measure_is_one_function() -> None:
    """Registering a function makes it known to scores, aliases and parameters, and nothing else is touched."""

    @cd.measure("largest_cell", family="own", aliases=("biggest",))
    def largest_cell(meet: cd.Meet, scale: float = 1.0) -> float:
        """Share of the points in the largest cell."""
        return scale * float(meet.size.max() / meet.n)

    try:
        diff = cd.compare([0, 0, 0, 1], [0, 0, 1, 1])
        assert diff.scores(["largest_cell", "biggest", "largest_cell(scale=2)"]) == {
            "largest_cell": 0.5,
            "biggest": 0.5,
            "largest_cell(scale=2)": 1.0,
        }
        assert cd.measures["biggest(scale=3)"].name == "largest_cell(scale=3)"
        with pytest.raises(cd.MeasureError, match="there is a measure named 'biggest' already"):
            cd.measure("biggest", family="own")(largest_cell)
    finally:
        cd.measures.remove("largest_cell")
    assert "largest_cell" not in cd.measures
    assert "biggest" not in cd.measures


def test_functions_of_the_meet_are_measures_too() -> None:
    """score() takes a plain function of the meet."""
    assert cd.score([0, 0, 1], [0, 1, 1], lambda meet: len(meet) / 4) == 0.75
    assert cd.compare([0, 0, 1], [0, 1, 1]).scores([len]) == {"len": 3.0}
