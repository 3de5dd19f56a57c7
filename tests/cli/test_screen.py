"""What people see on a screen: at any width, with progress, and with mentions in their sentences."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging import DEBUG
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

import clusterdiff as cd
from clusterdiff.cli import main, output
from clusterdiff.cli import progress as shown_progress
from clusterdiff.cli.examples import customers
from clusterdiff.cli.presentation import How, as_text, print_all
from clusterdiff.files import STAGE
from tests.cases import cases
from tests.hostile import hostile_clusterings

WIDTHS = (40, 50, 80, 120, 200)
EXAMPLES = Path(customers.__file__).parent
CORPUS = (str(EXAMPLES / "key.conll"), str(EXAMPLES / "response.conll"))


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


def screen(monkeypatch: pytest.MonkeyPatch, width: int, *arguments: object) -> str:
    """What a command prints on a terminal of some width, without its colours."""

    def console() -> Console:
        return Console(width=width, highlight=False, force_terminal=True, color_system=None)

    for module in ("cli.presentation", "cli.coreference", "cli.output"):
        monkeypatch.setattr(f"clusterdiff.{module}.console", console)
    return run(*arguments).stdout


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["demo", "--stat", "--by", "source"],
        ["demo", "--explain"],
        ["demo", "--measure", "vi"],
        ["compare", *CORPUS, "--by", "document", "--by", "kind"],
        ["compare", *CORPUS, "--explain", "--measures", "split_join"],
    ],
    ids=" ".join,
)
def test_nothing_is_wider_than_the_screen(
    monkeypatch: pytest.MonkeyPatch, width: int, arguments: list[str]
) -> None:
    """And no word is lost on a narrow one: it says the same as on a wide one, but for columns that it names."""
    shown = screen(monkeypatch, width, *arguments)
    assert max(map(cell_len, shown.splitlines())) <= width
    if "no room for" not in shown and "--stat" not in arguments and CORPUS[0] not in arguments:
        wide = screen(monkeypatch, 400, *arguments)
        assert "".join(shown.replace("@@", "").split()) == "".join(wide.replace("@@", "").split())


@cases("width", WIDTHS)
def test_hostile_labels_fit_too(width: int) -> None:
    """Whatever labels are like, there is something to read, and nothing but text."""
    out = Console(width=width, file=io.StringIO(), highlight=False, force_terminal=True, color_system=None)
    diff = cd.compare(*hostile_clusterings())
    for how in (How(["S_H"], 10, False), How(["S_H"], 10, False, stat=True)):
        for part in as_text(diff, how, None, out):
            lines = part.wrap(out, width) if isinstance(part, Text) else []
            assert not any(ord(sign) < 32 for line in lines for sign in line.plain)
            assert all(cell_len(line.plain.rstrip()) <= width for line in lines)


def test_a_narrow_table_names_clusters_below_their_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room they stand beside it."""
    narrow = screen(monkeypatch, 50, "demo", "--stat").splitlines()
    row = next(i for i, line in enumerate(narrow) if line.startswith("merge       4"))
    assert narrow[row + 1] == "  Wei Chen and Wei Cheng → C09"
    wide = screen(monkeypatch, 120, "demo", "--stat").splitlines()
    assert "merge 4 0.0417 17% 0.5000 Wei Chen and Wei Cheng C09" in [" ".join(line.split()) for line in wide]


def test_columns_that_do_not_fit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss stays, its parts go first."""
    shown = screen(monkeypatch, 40, "demo", "--by", "source", "--top", "0")
    assert "source      points   score    loss\n" in shown
    assert "(no room for to splits and to merges)" in shown
    assert "no room" not in screen(monkeypatch, 80, "demo", "--by", "source", "--top", "0")


def test_mentions_stand_in_their_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entities are called by their first mention; what fits of a sentence is shown around the mention."""
    shown = screen(monkeypatch, 80, "compare", *CORPUS)
    assert "@@ mixed · 5 mentions · 39% of the loss @@\n  in (tales/fox); part 000\n" in shown
    assert "  “The fox” (2) → “The fox” (1)\n" in shown
    assert "-   1 split off to “a crow”\n      [It] praised her , and it fell .\n" in shown
    assert "-   1 not found\n      The fox saw a crow with [its cheese] .\n" in shown
    assert "+   1 spurious\n      The fox saw a crow with its [cheese] .\n" in shown
    assert "      … : it fed the fox , [who] left .\n" in screen(monkeypatch, 40, "compare", *CORPUS)
    assert screen(monkeypatch, 80, "compare", *CORPUS, "--top", "1").count("@@ ") == 1
    told = screen(monkeypatch, 200, "compare", *CORPUS, "--explain")
    assert "key entity “a crow” (3 mentions: “a crow”, “its”, “her”) was merged with “The fox”" in told
    assert "2 mentions were not found: “its cheese”, “who”.\n1 mention is spurious: “cheese”.\n" in told
    # Programs get the names of the file.
    data = json.loads(run("compare", *CORPUS, "--json").stdout)
    assert data["components"][0]["true"] == ["(tales/fox); part 000: 1", "(tales/fox); part 000: 2"]


def test_only_what_lies_between_0_and_1_is_in_per_cent() -> None:
    """A distance of two points is 2, in the table and in the one for papers."""
    options = ("--missing", "drop", "--top", "0")
    shown = run("compare", *CORPUS, "--measures", "split_join,ari", *options).stdout
    rows = {line.split()[0]: line.split()[1:] for line in shown.partition("\n\n")[0].splitlines()}
    diff = cd.compare(*CORPUS, missing="drop")
    assert rows["split_join"] == [f"{diff.score('split_join'):.0f}"] == ["2"]
    assert rows["ari"] == [f"{diff.score('ari'):.4f}"]
    assert rows["S_H"] == [f"{100 * diff.score():.2f}"]
    assert " & 2 \\\\" in run("compare", *CORPUS, "--measures", "split_join", "--latex", *options).stdout


def test_components_are_told_in_any_measure() -> None:
    """By what setting each right would gain, for people and for programs."""
    gains = customers.compare().gains("vi")
    whole = customers.compare().explain("vi").lost
    shown = run("demo", "--measure", "vi", "--top", "2").stdout
    assert shown.startswith("vi   0.3713\nS_H  0.7501")
    for row in gains[:2]:
        assert (
            f"@@ {row.kind} · {row.size} points · vi +{row.gain:.4f}, {row.gain / whole:.0%} of the loss @@"
            in shown
        )
    data = json.loads(run("demo", "--measure", "vi", "--json", "--top", "2").stdout)
    assert data["gains"]["component"]["rows"] == gains.to_dict(2)["gains"]
    repairs = customers.compare().repairs("vi")
    assert f"+{repairs[0].gain:.4f}" in run("demo", "--measure", "vi", "--explain").stdout
    failed = CliRunner().invoke(main, ["demo", "--measure", "vii"])
    assert failed.exit_code == 2


# ---- progress


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard error is a terminal, which can be read at the other end."""
    there, here = pty.openpty()
    os.set_blocking(there, False)
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(here, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        yield there
    os.close(there)


def seen(end: int) -> str:
    """What has arrived at a terminal so far."""
    try:
        return os.read(end, 1 << 16).decode()
    except BlockingIOError:
        return ""


def test_progress_is_shown_to_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage that is going on, also if it is told from within; and nothing of it stays."""
    monkeypatch.setattr(shown_progress, "PATIENCE", 0.0)
    with terminal(monkeypatch) as end:
        with shown_progress.progress("reading") as say:
            text = ""
            for told in ("comparing", "writing"):
                (say if told == "writing" else STAGE.debug)(told)
                until = time.monotonic() + 20
                while told not in text and time.monotonic() < until:
                    text += seen(end)
                assert told in text
        assert not STAGE.isEnabledFor(DEBUG)
        assert (text + seen(end)).endswith("\x1b[2K")  # the line is erased


def test_progress_waits_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done before says nothing."""
    monkeypatch.setattr(shown_progress, "PATIENCE", 600.0)
    with terminal(monkeypatch) as end:
        with shown_progress.progress("reading") as say:
            say("writing")
        assert seen(end) == ""


def test_nothing_is_said_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a file, even if colours are forced."""
    monkeypatch.setattr(shown_progress, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with shown_progress.progress("reading") as say:
        say("writing")
        assert not STAGE.isEnabledFor(DEBUG)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_text_in_a_pipe_is_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    """Programs such as grep see whole lines."""
    assert not output.console().is_terminal
    print_all([Text("word " * 100)])
    assert capsys.readouterr().out == "word " * 100 + "\n"
