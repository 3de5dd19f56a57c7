"""Messages are made of parts: what is ours is known as such, and what users wrote is never taken for it."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import clusterdiff as cd
from clusterdiff.errors import MissingExtraError
from clusterdiff.messages import Argument, Code, Message, Setting, Verb, joined
from tests.cases import cases

SOURCES = sorted(Path(cd.__file__).parent.rglob("*.py"))
ERRORS = {"ArgumentError", "FileError", "LabelError", "MeasureError", "PatchError", "EngineError"}
VERBS = (cd.compare, cd.rank, cd.sweep, cd.matrix, cd.read)
#: What Python calls its arguments, and one that is set: `missing="drop"`, `weights=`.
ARGUMENTS = {name for verb in VERBS for name in inspect.signature(verb).parameters}
SET = re.compile(rf'(?<![\w(.=-])({"|".join(sorted(ARGUMENTS))})=("|True|\d|(?=[\s,.;:)]|$))')


def test_a_template_is_taken_apart_before_values_are_put_in() -> None:
    """Values that look like our own words are text, and messages within messages keep their parts."""
    inner = Message("`true` and {it}", it="`pred`")
    told = Message(
        '{inner}: `{name}`, `{name}="drop"`, `.x({it})`, `rank()` {it!r}', inner=inner, name="noise", it="`a`"
    )
    assert told == "`true` and `pred`: `noise`, noise=\"drop\", .x(`a`), rank() '`a`'"
    assert told.code == (
        Argument("true"), Argument("noise"), Setting("noise", '"drop"'), Code(".x(`a`)"), Verb("rank"),
    )  # fmt: skip
    assert Message("braces {stay} without values").parts == ("braces {stay} without values",)
    assert Message("`clusterdiff measures` {n}", n=1).code == ()  # a command is the same in Python
    assert str(Setting("documents", "", "compare")) == "documents= to compare()"
    assert joined(["`true`", inner], "; ").renamed({"true": "tree"}) == "`true`; `tree` and `pred`"


def test_plain_text_has_no_parts() -> None:
    """An error or a notice of plain text is shown as it is."""
    text = 'a point called `noise` has missing="drop" {x}'
    assert cd.LabelError(text, text).message.code == ()
    assert cd.LabelError(text, text).ways[0].code == ()
    assert cd.ClusterdiffWarning(text).message.code == ()


def failures() -> Iterator[cd.ClusterdiffError]:
    """Errors as they are raised."""
    for call in (
        lambda: cd.compare([0], [0], missing="none"),  # type: ignore[arg-type]
        lambda: cd.compare([0, 0], [0, 0]).interval(level=95),
        lambda: cd.compare({"a": 1, "b": 1}, {"a": 1}),
        lambda: cd.compare([0, 1], [0, 1], missing=lambda: 0),  # type: ignore[arg-type]
    ):
        with pytest.raises(cd.ClusterdiffError) as caught:
            call()
        yield caught.value
    yield MissingExtraError("POT", "transport", "cdistance")


@cases("error", list(failures()))
def test_errors_pickle_and_copy(error: cd.ClusterdiffError) -> None:
    """With all their parts; a value that cannot leave its process leaves as text."""
    error.add_note("a note")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert (str(again), again.args, again.__notes__) == (str(error), error.args, ["a note"])
        assert (again.message.parts, again.ways) == (error.message.parts, error.ways)
        assert (again.argument, again.expected) == (error.argument, error.expected)
        assert again.value == error.value or again.value == repr(error.value)


def test_an_error_knows_what_is_wrong() -> None:
    """The argument, the value, what was expected and what to do."""
    wrong, level, lacking, *_ = failures()
    assert (wrong.argument, wrong.value) == ("missing", "none")
    assert wrong.expected == 'one of "error", "drop", "singleton", "lost"'
    assert (level.argument, level.value, level.expected, level.hint) == (
        "level",
        95,
        "between 0 and 1",
        "0.95 is usual.",
    )
    assert (lacking.argument, lacking.value, lacking.expected) == ("pred", None, None)
    assert str(lacking).endswith(f"\nHint: {lacking.hint}")
    plain = cd.ArgumentError("no way.", ["one", Message("`missing=`")])
    assert (plain.argument, plain.hint, str(plain)) == (
        None,
        "one, or missing=.",
        "no way.\nHint: one, or missing=.",
    )


def test_notices_know_their_options() -> None:
    """A notice is text in Python, and parts for the command."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        diff = cd.compare(dict.fromkeys(range(9), 0), {0: 0}, missing="drop")
    assert [str(warning.message) for warning in caught] == diff.notices
    assert Setting("missing", '"drop"') in caught[0].message.message.code  # type: ignore[union-attr]


@cases("path", SOURCES)
def test_templates_are_written_out_and_options_are_parts(path: Path) -> None:
    """A template made at run time may hold what a user wrote; plain text that names an option is not spelt."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _called(call) == "Message" and isinstance(call.func, ast.Name):
            made = [
                part
                for part in ast.walk(call.args[0])
                if isinstance(part, ast.JoinedStr | ast.BinOp | ast.Call)
            ]
            assert not made, f"line {call.lineno}: a template is a string, and values are named in it"
        elif _called(call) in ERRORS:
            for line, text in _plain(call):
                named = set(re.findall(r"`(\w+)`", text)) & ARGUMENTS
                assert not named, f"line {line}: `{named.pop()}` must be part of a Message"
                assert not SET.search(text), f"line {line}: {text!r} must be a Message"


def _called(call: ast.Call) -> str:
    """What is called: a class, or one of its class methods."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return owner.id if isinstance(owner, ast.Name) else ""


def _plain(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in a call that are no templates."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _called(child) == "Message":
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        yield from _plain(child)
