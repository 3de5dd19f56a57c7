"""The house: rooms that say what they are for, modules that can be read in one go, and doors that stay shut."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.cases import cases

TOP = Path(__file__).resolve().parents[1]
PACKAGE = TOP / "src" / "clusterdiff"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]

#: A module longer than this has more than one job.
MOST_LINES = 500
#: Underscore names that are public all the same: of named tuples, of notebooks, and our two private modules.
PUBLIC = {"_asdict", "_replace", "_fields", "_make", "_field_defaults", "_repr_html_", "_core", "_version"}
#: Underscore names of others that have no public name for the same thing: Spark's handles on the JVM.
LIBRARIES = {"_jdf", "_jsparkSession"}


def named(path: Path) -> str:
    """A module as it is called below src/clusterdiff."""
    return path.relative_to(PACKAGE).as_posix()


@dataclass(frozen=True)
class Source:
    """What the tests look for in a module: each is parsed once, and its tree soon forgotten."""

    docstring: str
    classes: tuple[str, ...]
    foreign: tuple[tuple[int, str], ...]
    doors: tuple[str, ...]
    asks: tuple[int, ...]


@cache
def read(module: Path) -> Source:
    """Parse a module, and walk through it."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    classes = tuple(node.name for node in nodes if isinstance(node, ast.ClassDef))
    found = map(tuple, (foreign_names(nodes), through_the_front_door(nodes), asks(nodes)))
    return Source(ast.get_docstring(tree) or "", classes, *found)


@cases("room", ROOMS)
def test_a_room_says_what_lives_there_and_what_may_come_in(room: Path) -> None:
    """The docstring of every package has a sentence for each."""
    text = " ".join(read(room).docstring.split())
    sentences = re.findall(r"[^.!?]+[.!?](?=\s|$)", text)
    assert len(sentences) >= 2, text


@cases("module", [*MODULES, *sorted(PACKAGE.rglob("*.[ch]pp"))])
def test_a_module_can_be_read_in_one_go(module: Path) -> None:
    """None has more than 500 lines."""
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines:,} lines"


def test_a_class_name_has_one_meaning() -> None:
    """No two classes have the same name, wherever they are."""
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for name in read(module).classes:
            places.setdefault(name, []).append(named(module))
    assert not {name: where for name, where in places.items() if len(where) > 1}


def private(name: str) -> bool:
    """Whether a name belongs to its module alone."""
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC | LIBRARIES


def members(nodes: Iterable[ast.AST]) -> set[str]:
    """The attributes that the classes of a module define: methods, fields, slots, and what they set on themselves."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                match part:
                    case (
                        ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name)
                    ):
                        found.add(name)
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        found.add(name)
                    case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=slots)):
                        found.update(str(slot.value) for slot in slots if isinstance(slot, ast.Constant))
                    case ast.Assign(targets=targets):
                        found.update(target.id for target in targets if isinstance(target, ast.Name))
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store(), value=ast.Name(id="self" | "cls")):
                found.add(name)
    return found


def foreign_names(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and text of every use of an underscore name that the module does not define itself."""
    own = members(nodes)
    for node in nodes:
        match node:
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    if private(alias.name):
                        yield node.lineno, f"from {module} import {alias.name}"
                if module and any(map(private, module.split("."))):
                    yield node.lineno, f"from {module}"
            case ast.Import(names=names):
                for alias in names:
                    if any(map(private, alias.name.split("."))):
                        yield node.lineno, f"import {alias.name}"
            case ast.Attribute(attr=name, value=value) if private(name) and name not in own:
                yield node.lineno, f"{ast.unparse(value)}.{name}"
            case ast.Call(
                func=ast.Name(id="getattr" | "setattr" | "hasattr" | "delattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ) if private(name) and name not in own:
                yield node.lineno, ast.unparse(node)
            case ast.Subscript(value=ast.Attribute(attr="__dict__"), ctx=ast.Store()):
                yield node.lineno, ast.unparse(node)
            case ast.Call(
                func=ast.Attribute(attr="update" | "setdefault" | "pop", value=ast.Attribute(attr="__dict__"))
            ):
                yield node.lineno, ast.unparse(node)


def test_underscore_names_stay_in_their_module() -> None:
    """No module imports, reads or writes an underscore name of another one, be it through an object or a subclass."""
    found = [
        f"{named(module)}: {text} (line {line})" for module in MODULES for line, text in read(module).foreign
    ]
    assert not found, "\n".join(["not theirs:", *found])


@cases(
    ("code", "offences"),
    [
        ("from clusterdiff.diff.loss import _share", ["from clusterdiff.diff.loss import _share"]),
        ("from clusterdiff import _core\nfrom clusterdiff._version import __version__", []),
        ("import clusterdiff.diff.loss as loss\nloss._share()", ["loss._share"]),
        ("def f(diff):\n    return diff._meet", ["diff._meet"]),
        ("class A(B):\n    def f(self):\n        return self._of_b", ["self._of_b"]),
        (
            "class A:\n    def __init__(self):\n        self._x = 1\n    def g(self, other):\n        other._x",
            [],
        ),
        ("class A:\n    _x: int\ndef f(a: A):\n    return a._x, a._replace(), a.__dict__", []),
        ("def _x(): ...\ndef f(diff):\n    return diff._x", ["diff._x"]),
        ("def f(diff):\n    return getattr(diff, '_meet')", ["getattr(diff, '_meet')"]),
        ("def f(diff):\n    diff.__dict__['meet'] = 1", ["diff.__dict__['meet']"]),
        ("def f(diff):\n    diff.__dict__.update(meet=1)", ["diff.__dict__.update(meet=1)"]),
    ],
)
def test_the_test_of_underscore_names_sees_them(code: str, offences: list[str]) -> None:
    """What counts as another module's name, and what does not."""
    assert [text for _, text in foreign_names(list(ast.walk(ast.parse(code))))] == offences


def test_imports_go_downwards_types_included() -> None:
    """The linter's contract covers type-checking imports and every room, and views is its only way up."""
    settings = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert not settings.get("exclude_type_checking_imports")
    (contract,) = settings["contracts"]
    assert contract["ignore_imports"] == [
        "clusterdiff.** -> clusterdiff",
        "clusterdiff.views -> clusterdiff.show.**",
    ]
    layers = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    rooms = {
        f"clusterdiff.{path.stem}"
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"
    }
    assert layers == rooms


def through_the_front_door(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What a module takes from the package itself, other than modules of it."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "clusterdiff":
            for alias in node.names:
                there = (
                    PACKAGE / f"{alias.name}.py",
                    PACKAGE / alias.name / "__init__.py",
                    PACKAGE / alias.name,
                )
                if not any(path.exists() for path in there):
                    yield alias.name
        elif isinstance(node, ast.Import) and "clusterdiff" in {alias.name for alias in node.names}:
            yield f"line {node.lineno}"


@cases("module", MODULES[1:])
def test_nothing_is_imported_from_the_front_door(module: Path) -> None:
    """`from clusterdiff import x` takes modules, which the linter sees, and never a public name from above."""
    assert read(module).doors == ()


#: How often the rooms above the meet may ask whether points of it are lost; everywhere else one way serves both kinds.
MOST_ASKED = 15


def asks(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The lines where a module reads ``.uneven``, or looks whether something is an ``UnevenMeet``."""
    for node in nodes:
        match node:
            case ast.Attribute(attr="uneven", ctx=ast.Load()):
                yield node.lineno
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]) if "UnevenMeet" in ast.unparse(
                kinds
            ):
                yield node.lineno


def test_few_ask_which_kind_of_meet_they_have() -> None:
    """Whoever reads a meet reads even ones and those with lost points alike, but for some who have to know."""
    above = [module for module in MODULES if not named(module).startswith("meet/")]
    places = [f"{named(module)}:{line}" for module in above for line in read(module).asks]
    assert places, "nobody asks: is it called otherwise now?"
    assert len(places) <= MOST_ASKED, places
