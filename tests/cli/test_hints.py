"""What the command says to do can be done there: hints name options that the command has."""

from __future__ import annotations

import re
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from clusterdiff.cli.main import main
from clusterdiff.cli.speaking import ARGUMENT, PYTHON, hint_in_options, in_options, options_of

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
    "patch a.csv b.csv": "clusterdiff patch has no option for it. In Python: pass missing=",
    "patch both.csv --true a --pred b --point id": "clusterdiff patch has no option for it. In Python: ",
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
    command = main.get_command(click.Context(main), line.split()[0])
    assert command is not None
    known = {spelling for option in command.params for spelling in option.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", told)) <= known


def test_every_way_out_is_kept_that_the_command_has() -> None:
    """Of several things to do those remain that can be done; what people typed stays as it is."""
    command = main.get_command(click.Context(main), "compare")
    assert command is not None
    assert options_of(command)["budget"] == "--memory"
    told = "allow a larger budget=, or ask for K(k=5), or look at .costliest."
    assert hint_in_options(told, command) == "allow a larger --memory, or ask for K(k=5)."
    assert in_options("`true` lacks 1 of `weights`", command) == "TRUE lacks 1 of --weight"
    assert in_options("--write scores=FILE.tex, `nobody` and x=1", command) == (
        "--write scores=FILE.tex, `nobody` and x=1"
    )
    assert hint_in_options("pass missing= as told.", None) == "pass missing= as told."  # no command runs
