"""What the command says to do can be done there: hints name options that the command has."""

from __future__ import annotations

import re
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from clusterdiff.cli.main import main
from clusterdiff.cli.spelling import Speller
from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message

#: What only Python has: an argument, `missing="drop"` or `weights=`, and whatever is called.
ARGUMENT = re.compile(r'(?<![\w(.=-])([a-z_]+)=("[^"]*"|True|[\d_]+(?!\w)|(?=[\s,.;:)]|$))')
PYTHON = re.compile(r"\(…|\.\w+\(|\.(costliest|components)\b|[a-z_]+=\[")

FILES = {
    "a.csv": "id,cluster,w,doc\n1,x,1,d\n2,x,1,d\n3,y,1,d\n4,y,-1,d\n",
    "b.csv": "id,cluster\n1,p\n2,p\n3,p\n",
    "c.csv": "id,cluster\n1,p\n2,p\n3,q\n4,q\n",
    "both.csv": "id,a,b\n1,x,p\n2,x,p\n3,y,\n",
    "one.txt": "1\n1\n",
    "few.txt": "1\n1\n2\n",
    "many.txt": "1\n1\n2\n2\n",
    "pairs.csv": "left,right,score\n1,2,0.9\n2,9,0.5\n",
}
#: What was typed, and what the answer tells to do.
LINES = {
    "compare a.csv b.csv": "pass --missing drop to leave them out, --missing singleton",
    "compare a.csv b.csv --engine polars": "pass --missing drop to leave them out, --missing singleton",
    "compare a.csv b.csv --missing lost --measures ari": "pass --missing drop or --missing singleton",
    "compare a.csv c.csv --measures S_MSE": "pass --features.",
    "compare a.csv c.csv --weight w": "a weight says how much a point counts",
    "compare c.csv c.csv --weight id --measures muc.f1": "leave out --weight, or choose another measure",
    "compare few.txt many.txt": "--missing says what to do",
    "compare c.csv c.csv --ignore 1": "name them with --noise-true or --noise-pred, and --noise-as drop",
    "compare c.csv c.csv --threshold 1": "--threshold is for pairs; set --pairs as well",
    "compare c.csv c.csv --singletons drop": "or pass --documents.",
    "rank a.csv b.csv c.csv": "pass --missing drop to leave them out, --missing singleton",
    "rank a.csv c.csv --unit document": "pass --documents, or another unit",
    "rank a.csv b.csv --missing lost --measures ari": "pass --missing drop or --missing singleton",
    "sweep a.csv pairs.csv": "pass --missing drop to leave them out, or --missing singleton",
    "compare c.csv pairs.csv": "name it with --cluster.",
    "sweep many.txt tree.npy --point id": None,
    "matrix a.csv b.csv": "pass --missing drop to leave them out, --missing singleton",
    "chance a.csv b.csv": "pass --missing drop to leave them out, --missing singleton",
    "chance a.csv b.csv --missing lost": "pass --missing drop or --missing singleton",
    "chance a.csv c.csv --draws -1": "--draws must be a whole number",
    "patch a.csv b.csv": "pass --missing drop to leave them out",
    "patch both.csv --true a --pred b --point id": "--missing singleton to give each a cluster of its own",
    "apply c.csv few.txt": None,
    "plot flow a.csv b.csv -o flow.svg": "pass --missing drop to leave them out, --missing singleton",
    "worsen one.txt --how moves": "--how moves needs a true clustering",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that fit together badly."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    np.save(tmp_path / "tree.npy", np.array([[0.0, 1.0, 0.5, 2.0]]))
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_a_hint_names_options_that_the_command_has(place: Path, line: str) -> None:
    """Arguments of Python are spelt as options; where there is none, that is said."""
    answer = CliRunner().invoke(main, line.split())
    assert answer.exit_code == 2, answer.output
    said = answer.stderr[answer.stderr.index("rror: ") :]
    assert (LINES[line] or "") in said
    told, _, python = said.partition("In Python: ")
    assert not ARGUMENT.search(told), told
    assert not PYTHON.search(told), told
    assert not python or ARGUMENT.search(python) or PYTHON.search(python)
    known = {spelling for option in _command(line.split()[0]).params for spelling in option.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", told)) <= known


def test_every_way_out_is_kept_that_the_command_has() -> None:
    """Of several things to do those remain that can be done; what only Python can do is said as such."""
    speller = Speller(_command("compare"))
    larger, other, look = (
        Message("allow a larger `budget=`"),
        "ask for K(k=5)",
        Message("look at `.costliest`"),
    )
    assert (
        speller.hint(ArgumentError("", [larger, other, look]))
        == "allow a larger --memory, or ask for K(k=5)."
    )
    assert speller.hint(ArgumentError("", [larger, look])) == "allow a larger --memory."
    told = ArgumentError("", [look, Message("pass `nobody=1`")])
    assert told.hint == "look at .costliest, or pass nobody=1."
    assert speller.hint(told) == f"clusterdiff compare has no option for it. In Python: {told.hint}"
    assert speller.hint(ArgumentError("", "is it `true`?")) == "is it `true`?"
    assert speller.hint(ArgumentError("")) is None


def test_parts_are_spelt_and_text_is_not() -> None:
    """Options, arguments in capitals and commands take the place of Python's words; values stay as they are."""
    text = Speller(_command("compare")).text
    assert (
        text(Message("`true` lacks 1 of `weights`, `nobody` more"))
        == "TRUE lacks 1 of --weight, `nobody` more"
    )
    assert text(Message('`missing="drop"`, `documents= to compare()`')) == "--missing drop, --documents"
    assert (
        text(Message("`pairs=True` for `rank()` and `budget=4_000`"))
        == "--pairs for clusterdiff rank and --memory 4000"
    )
    assert text(Message("`missing={it!r}`", it="a b")) == "--missing 'a b'"
    assert text(Message("{it} and `pred`", it="`true` missing=drop")) == "`true` missing=drop and PRED"
    assert text('`true` and missing="drop"') == '`true` and missing="drop"'  # text without parts


#: What was typed, with names that look like our own words; and what must come back unchanged.
TYPED = {
    "compare weights=.csv c.csv": "weights=.csv does not exist.",
    "compare `weights` c.csv --format csv": "`weights` does not exist.",
    'compare missing="drop" c.csv --format csv': 'missing="drop" does not exist.',
    "compare named.csv c.csv": "PRED lacks 3 of the 3 points of TRUE: 'noise=5', '`weights`', 'missing=\"drop\"'",
    "compare c.csv c.csv --weight noise=5": "has a column 'noise=5'",
    "compare c.csv c.csv --point `true`": "has no column '`true`'",
    "compare c.csv c.csv --measures `true`": "unknown measure '`true`'.",
    "compare weights c.csv": "`weights` must hold whole numbers if it holds floats; got 0.5.",
}


@pytest.mark.parametrize("line", TYPED)
def test_what_was_typed_is_never_rewritten(place: Path, line: str) -> None:
    """Files, columns, points and measures are shown as they are, whatever they are called."""
    (place / "named.csv").write_text('id,cluster\nnoise=5,x\n`weights`,x\n"missing=""drop""",y\n')
    with (place / "weights").open("wb") as file:
        np.save(file, np.array([0.5, 1.0]))
    answer = CliRunner().invoke(main, line.split())
    assert answer.exit_code == 2, answer.output
    assert TYPED[line] in answer.stderr


def _command(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command
