"""The short form of `make mutants`: what is changed, who is asked, and that copies alone are touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import cases
from tests.mutants.__main__ import Mutant, Reached, sampled
from tests.mutants.mutations import mutations
from tests.mutants.workshop import Copy


def changes(text: str) -> set[tuple[str, str]]:
    """What a text becomes, without the brackets around it."""
    return {(m.old, m.new[1:-1] if m.new[:1] == "(" else m.new) for m in mutations(text) if m.matters(text)}


@cases(
    ("text", "new"),
    [
        ("a < b", {"a <= b"}),
        ("a is not b", {"a is b"}),
        ("a <= b == c", {"a < b == c", "a <= b != c"}),
        ("a - b", {"a + b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("-a", {"a"}),
        ("f(3)", {"4", "2", "pass"}),
        ("f(True)", {"False", "pass"}),
        ("a if b else c", {"a if not b else c"}),
        ("a[b:c]", {"a[:c]", "a[b:]"}),
        ("x = max(a)", {"min(a)"}),
        ("x = f(a, b, c=d)", {"f(b, a, c=d)", "f(a, b)"}),
        ("x = min(a, b)", {"max(a, b)"}),
        ("if a:\n    return", {"not (a)", "pass"}),
        ("for a in b:\n    continue", {"pass"}),
        ("a[b] = c", {"pass"}),
        ("raise a", {"pass"}),
        ("x = f'SELECT {a} WHERE b IS NULL'", {" IS NOT NULL"}),
        ("def f(a=1): pass", {"2", "0"}),
    ],
)
def test_what_is_changed(text: str, new: set[str]) -> None:
    """Each kind of change, and no other."""
    assert {after for _, after in changes(text)} == new


@cases(
    "text",
    [
        '"""More than 3 and fewer than 5 AND so on."""',
        "import a",
        "assert a < b",
        "x: Literal[1]",
        "def f(a: int | None) -> dict[str, 3]: pass",
        "Number = int | float",
        "x = f'{a + 1}'",
        "__all__ = [a + b]",
    ],
)
def test_what_only_readers_see_is_left_alone(text: str) -> None:
    """Docstrings, types, assertions and names that are exported."""
    assert not changes(text)


def test_only_the_place_is_changed() -> None:
    """Whatever letters come before it in the line."""
    text = 'x = "ä→", a < b\ny = a < b\n'
    first, second = (m for m in mutations(text) if m.kind == "comparison")
    assert first.applied(text) == 'x = "ä→", (a <= b)\ny = a < b\n'
    assert second.applied(text) == 'x = "ä→", a < b\ny = (a <= b)\n'


def test_whom_a_change_concerns() -> None:
    """The lines of its statement; of its function, class or module for what is computed on import."""
    text = "A = 1\n@d(2)\ndef f(a=3):\n    if a > (\n        4\n    ):\n        b(5)\n    c(6)\nclass B:\n    d = 7\n"
    lines = {m.old: (m.first, m.last) for m in mutations(text) if m.kind == "constant"}
    assert lines == {
        "1": (1, 11),
        "2": (4, 8),
        "3": (4, 8),
        "4": (4, 6),
        "5": (7, 7),
        "6": (8, 8),
        "7": (9, 10),
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two modules and two tests, of which one reaches nothing."""
    rooms = tmp_path / "project" / "src" / "clusterdiff"
    for room in ("diff", "points"):
        (rooms / room).mkdir(parents=True)
        (rooms / room / "__init__.py").touch()
        (rooms / room / "sign.py").write_text("def sign(a):\n    return 1 if a > 0 else -1\n")
    (rooms / "__init__.py").touch()
    tests = tmp_path / "project" / "tests"
    tests.mkdir()
    (tests / "test_sign.py").write_text(
        "from clusterdiff.diff.sign import sign\n"
        "def test_sign():\n    assert (sign(3), sign(-3)) == (1, -1)\n"
        "def test_nothing():\n    pass\n"
    )
    return tmp_path / "project"


def test_mutants_are_sampled_evenly_and_again(project: Path) -> None:
    """As many of one module as of the other, and the same with the same seed."""
    package = project / "src" / "clusterdiff"
    chosen = sampled(package, 6, 0)
    assert sorted(mutant.module for mutant in chosen) == ["diff/sign.py"] * 3 + ["points/sign.py"] * 3
    assert chosen == sampled(package, 6, 0) != sampled(package, 6, 1)


def test_mutants_live_and_die_in_a_copy(project: Path, tmp_path: Path) -> None:
    """A test fails for one and not for the other; nothing is left of either."""
    copy = Copy(tmp_path / "copy", project)
    before = (project / "src/clusterdiff/diff/sign.py").read_text()
    tests = ["tests/test_sign.py"]
    found = {m.new: m for m in mutations(before)}
    assert copy.killed("diff/sign.py", found["(1 if not a > 0 else -1)"], tests, 100) == 1
    assert copy.killed("diff/sign.py", found["(a >= 0)"], tests, 100) == 0
    assert (copy.package / "diff/sign.py").read_text() == before
    assert (project / "src/clusterdiff/diff/sign.py").read_text() == before


def test_the_quickest_of_each_function_are_asked_first(tmp_path: Path) -> None:
    """Of the tests that reach a line; the others are not asked."""
    notes = tmp_path / "reach.jsonl"
    seconds = {"t::f[1]": 2.0, "t::f[2]": 1.0, "t::g": 1.5, "t::far": 0.1, "t::long": 99.0}
    reached = {test: 1 << (9 if test == "t::far" else 2) for test in seconds}
    notes.write_text(
        "".join(
            json.dumps({"test": test, "seconds": took, "reached": {"a.py": f"{reached[test]:x}"}}) + "\n"
            for test, took in seconds.items()
        )
    )
    (mutation, *_) = mutations("def f(a):\n    return a < 0\n")
    assert Reached(notes).tests(Mutant("a.py", mutation)) == ["t::f[2]", "t::g"]
    assert not Reached(notes).tests(Mutant("b.py", mutation))


def test_whatever_computes_for_ever_is_ended(project: Path, tmp_path: Path) -> None:
    """It has so many seconds of the processor."""
    (project / "tests" / "test_sign.py").write_text("def test_sign():\n    while True:\n        pass\n")
    assert Copy(tmp_path / "copy", project).run(["tests/test_sign.py"], limit=2) is None
