"""Nothing that is printed does anything to a terminal: names of files, columns, points and words are spelt out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from clusterdiff.cli.main import main
from clusterdiff.cli.streams import visible

#: Clears the screen, reverses what follows, rings, and begins a sequence in one letter.
BAD = "\x1b[2J\u202e\x07\x9b"
#: Control characters but line breaks and tabs, and whatever turns text around but what isolates a name.
HARM = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028\u2029\u202a-\u202e\u2066\u2067]")
TRUE, PRED, DOCUMENTS, OTHERS = f"t{BAD}.csv", f"p{BAD}.csv", f"d{BAD}.conll", f"e{BAD}.conll"
#: Every command, with what people read.
LINES = {
    "compare": ["compare", TRUE, PRED, "--explain", "--stat", "--by", f"city{BAD}", "--top", "9"],
    "gains": ["compare", TRUE, PRED, "--measures", "ari", "--explain"],
    "documents": ["compare", DOCUMENTS, OTHERS, "--explain", "--singletons", "keep"],
    "markdown": ["compare", TRUE, PRED, "--markdown"],
    "rank": ["rank", TRUE, PRED, TRUE, "--resamples", "0"],
    "matrix": ["matrix", TRUE, PRED],
    "chance": ["chance", TRUE, PRED, "--draws", "0"],
    "sweep": ["sweep", TRUE, "--columns", f"cluster,city{BAD}", TRUE],
    "worsen": ["worsen", TRUE],
    "patch": ["patch", TRUE, PRED, "-o", f"o{BAD}.json"],
    "plot": ["plot", "flow", TRUE, PRED, "-o", f"o{BAD}.svg"],
    "an unknown file": ["compare", f"{BAD}.csv", PRED],
    "an unknown column": ["compare", TRUE, PRED, "--weight", BAD],
    "unknown points": ["compare", TRUE, f"few{BAD}.csv"],
    "an unknown command": [f"compar{BAD}"],
    "an unknown option": ["compare", f"--miss{BAD}"],
    "a bad file": ["compare", f"bad{BAD}.csv", PRED],
    "an unknown measure": ["compare", TRUE, PRED, "--measures", BAD],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files with hostile names that hold hostile names."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"{i}{BAD}", f"{'xy'[i // 3]}{BAD}", f"{'ab'[i % 2]}{BAD}") for i in range(6)]
    (tmp_path / TRUE).write_text(f"id,cluster,city{BAD}\n" + "".join(f"{','.join(row)}\n" for row in rows))
    (tmp_path / PRED).write_text("id,cluster\n" + "".join(f"{row[0]},{row[2]}\n" for row in rows))
    (tmp_path / f"few{BAD}.csv").write_text("id,cluster\n" + "".join(f"{row[0]},z\n" for row in rows[:3]))
    (tmp_path / f"bad{BAD}.csv").write_text(f"id,cluster\n1{BAD},x,{BAD},{BAD}\n")
    words = [f"word{BAD}{i}" for i in range(6)]
    for name, entities in ((DOCUMENTS, "112233"), (OTHERS, "111223")):
        lines = [
            f"d{BAD} 0 {i} {word} ({entity})"
            for i, (word, entity) in enumerate(zip(words, entities, strict=True))
        ]
        text = "\n".join(lines).replace(" ", "\t")
        (tmp_path / name).write_text(f"#begin document (d{BAD}); part 000\n{text}\n#end document\n")
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_what_is_printed_does_nothing_to_a_terminal(place: Path, line: str) -> None:
    """In tables, hunks, errors, notices and hints, whatever is read is text."""
    answer = CliRunner().invoke(main, LINES[line])
    assert answer.exit_code in (0, 2), answer.exception
    assert (answer.exit_code == 2) == line.startswith(("a ", "an ", "unknown")), answer.output
    said = answer.stdout + answer.stderr
    assert said
    assert not HARM.search(said), repr(said[max(0, HARM.search(said).start() - 60) :][:120])  # type: ignore[union-attr]


def test_data_for_programs_are_as_they_are(place: Path) -> None:
    """JSON says exactly what the file says, where no terminal shows it."""
    answer = CliRunner().invoke(main, ["compare", TRUE, PRED, "--json", "--explain"])
    assert answer.exit_code == 0, answer.output
    assert f"x{BAD}" in repr_of(json.loads(answer.stdout))


def repr_of(data: object) -> str:
    """Data as text, with every letter as it is."""
    if isinstance(data, dict):
        return " ".join(map(repr_of, [*data, *data.values()]))
    return " ".join(map(repr_of, data)) if isinstance(data, list) else str(data)


def test_letters_stay_as_they_are() -> None:
    """Text of any script, its joiners, breaks and the isolation of names are shown; the rest is spelt."""
    kept = "été 名前 \u05d0 e\u0301 👩\u200d💻 \u2068\u05d0\u2069\tx\n\u00a0"
    assert visible(kept) == kept
    assert visible("a\rb\x00\u202e") == r"a\rb\x00\u202e"


def test_the_command_alone_shows_its_help() -> None:
    """As `git` does: the help on standard error, not as an error with a hint to see the help."""
    ran = CliRunner().invoke(main, [], prog_name="clusterdiff")
    asked = CliRunner().invoke(main, ["--help"], prog_name="clusterdiff")
    assert (ran.stderr, ran.exit_code) == (asked.stdout, 2)


def test_a_command_with_a_slip_is_guessed() -> None:
    """What click refuses looks like every other error, and names the command or the option that was meant."""
    for line, error, hint in (
        (["compre", "a", "b"], "no such command 'compre'.", "did you mean 'compare'?"),
        (["zzz"], "no such command 'zzz'.", "see clusterdiff --help."),
        (["compare", "--misisng"], "no such option '--misisng'.", "did you mean '--missing'?"),
        (["merge", "a", "b"], "missing argument 'THEIRS'.", "see clusterdiff merge --help."),
    ):
        ran = CliRunner().invoke(main, line, prog_name="clusterdiff")
        assert (ran.stderr, ran.exit_code) == (f"error: {error}\nhint: {hint}\n", 2)
    for option in ("--mising", "--measur"):  # like one, and like three
        said = CliRunner().invoke(main, ["compare", option]).stderr
        assert said.startswith("error: no such option")
        assert "hint: did you mean '--m" in said
