"""Whatever happens, the command says it in a message, with an exit code that means it, and never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl
import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.cli.commands import measures as a_command
from clusterdiff.formats.source import parse
from clusterdiff.tables import extent
from clusterdiff.tables.engine_files import suited
from tests.waiting import HANGS

COMMAND = [sys.executable, "-c", "from clusterdiff_command import main; main()"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def started(*arguments: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        text=True,
        timeout=HANGS,
        check=False,
        **{"stderr": subprocess.PIPE} | how,
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    true, pred = tmp_path / "true.csv", tmp_path / "pred.csv"
    true.write_text("id,cluster\na,1\nb,1\nc,2\n")
    pred.write_text("id,cluster\na,x\nb,y\nc,y\n")
    return true, pred


def refused(result: Result, message: str) -> None:
    """One message on standard error, nothing on standard output, exit code 2."""
    assert result.exit_code == 2, result.output
    assert re.search(message, result.stderr), result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


# ---- whatever a command raises


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (ZeroDivisionError("division by zero"), 2, "error: ZeroDivisionError: division by zero"),
        (RecursionError(), 2, "error: RecursionError: no reason given"),
        (EOFError("short"), 2, "error: EOFError: short"),
        (MemoryError(), 2, "error: memory ran out.\nhint: tables larger than memory"),
        (
            MemoryError("Unable to allocate 7.1 PiB"),
            2,
            "error: memory ran out: Unable to allocate 7.1 PiB.\n",
        ),
        (OSError(28, "No space left on device"), 2, "error: standard output: No space left on device.\n"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "error: x.csv: Permission denied.\n"),
        (cd.FileError("it is no file.", "try one."), 2, "error: it is no file.\nhint: try one.\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_whatever_is_raised_is_a_message(
    raised: BaseException, code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kind of the error decides the words and the code; the traceback is for those who ask for it."""

    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(a_command.command, "callback", fail)
    result = run("measures")
    assert result.exit_code == code
    assert result.stderr.startswith(told)
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("CLUSTERDIFF_DEBUG", "1")
    assert "Traceback" in run("measures").stderr


@pytest.mark.parametrize("name", [name for name in main.list_commands(click.Context(main)) if name != "demo"])
def test_no_command_shows_a_traceback_for_nonsense(name: str, tmp_path: Path) -> None:
    """Every command, given a file that is none of what it reads."""
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_bytes(b"\x93NUMPY\x01\x00{{{{" + bytes(range(256)))
    result = run(name, nonsense, nonsense)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert "should not happen" not in result.stderr


def _stopped_in_a_library(number: int) -> None:
    """What a C extension makes of Ctrl-C while it is being imported."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        raise ImportError("numpy._core.multiarray failed to import") from None


def _stopped_where_nothing_can_be_raised(number: int) -> None:
    """In a destructor Python prints and forgets whatever is raised."""

    class Last:
        def __del__(self) -> None:
            signal.raise_signal(number)

    Last()
    threading.Event().wait(HANGS)


@pytest.mark.parametrize("stop", [_stopped_in_a_library, _stopped_where_nothing_can_be_raised])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_stop_is_a_stop_whatever_a_library_makes_of_it(
    stop: Callable[[int], None], name: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One word and the exit code that shells expect; afterwards signals mean what they meant before."""
    number = getattr(signal, name)
    before = signal.signal(
        number, signal.default_int_handler
    )  # whoever started the tests may have it ignored
    try:
        monkeypatch.setattr(a_command.command, "callback", lambda **_: stop(number))
        result = run("measures")
        assert (result.exit_code, result.stderr) == (code, "interrupted\n")
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


@pytest.mark.skipif(sys.platform == "win32", reason="there, names are text")
def test_names_of_files_that_are_no_utf8_are_names(files: tuple[Path, Path]) -> None:
    """Files are read and written under them, and one that is read is not overwritten."""
    odd, out = (files[0].with_name(os.fsdecode(name)) for name in (b"na\xefve.csv", b"o\xef.csv"))
    odd.write_bytes(files[0].read_bytes())
    assert run("patch", odd, files[1], "-o", files[0].with_name("fix.json")).exit_code == 0
    result = run("apply", files[1], files[0].with_name("fix.json"), "-o", out)
    assert result.exit_code == 0, result.stderr
    assert cd.compare(odd, out).score() == 1.0
    result = run("apply", odd, files[0].with_name("fix.json"), "-o", odd)
    assert result.exit_code == 2
    assert odd.read_bytes() == files[0].read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "arguments"),
    [
        ("x.npz", b"PK\x03\x04" + bytes(80) + b"PK\x05\x06" + b"\1" * 18, ["sweep", "TRUE", "FILE"]),
        ("x.npy", b"\x93NUMPY\x01\x00\x06\x00{'a': ", ["sweep", "TRUE", "FILE"]),
        ("x.npy", b"\x93NUMPY\x01\x00\x06\x00{'a': ", ["compare", "TRUE", "PRED", "--distances", "FILE"]),
        ("x.npz", b"PK\x03\x04" + bytes(80), ["compare", "TRUE", "PRED", "--distances", "FILE"]),
        ("x.json", b"[" * 100_000, ["rank", "TRUE", "PRED", "--baseline", "FILE"]),
        ("x.csv", b"data," + b"x" * 200_000, ["rank", "--table", "FILE"]),
        (
            "x.csv.gz",
            gzip.compress(b"id,cluster\na,1\n", mtime=0)[:-9],
            ["compare", "TRUE", "FILE", "--engine", "polars"],
        ),
        ("x.parquet", b"PAR1" + bytes(50) + b"PAR1", ["compare", "TRUE", "FILE", "--engine", "polars"]),
    ],
)
def test_damaged_files_are_told_by_every_door(
    files: tuple[Path, Path], name: str, content: bytes, arguments: list[str]
) -> None:
    """Whoever reads the file may make anything of it; it becomes a message about the file."""
    path = files[0].with_name(name)
    path.write_bytes(content)
    known = {"TRUE": files[0], "PRED": files[1], "FILE": path}
    result = run(*(known.get(argument, argument) for argument in arguments))
    refused(result, f"error: {re.escape(str(path))}")
    assert "should not happen" not in result.stderr


def test_a_threshold_that_is_no_number_is_refused(files: tuple[Path, Path]) -> None:
    """No score is below nan: such a check would always pass."""
    refused(run("compare", *files, "--fail-under", "nan"), "--fail-under must be a number")


@pytest.mark.parametrize("wanted", ["v_measure(beta=x)", "K(k=0)", "vi(base=1)", "nmi(average=foo)", "S_H(("])
def test_a_bad_parameter_of_a_measure_is_refused(files: tuple[Path, Path], wanted: str) -> None:
    """The message is about the measure."""
    refused(run("compare", *files, "--measures", wanted, "--json"), "error: ")


# ---- standard input and output


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_told(files: tuple[Path, Path]) -> None:
    """What could not be printed is an error, even if a command had another exit code in mind."""
    with open("/dev/full", "w") as full:
        done = started("compare", *files, "--fail-under", 1, stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: standard output: No space left on device."


@pytest.mark.parametrize(
    ("arguments", "code"), [(["measures", "--json"], 0), (["compare", "--fail-under", "1"], 1)]
)
def test_a_closed_pipe_is_no_failure(files: tuple[Path, Path], arguments: list[str], code: int) -> None:
    """Whoever reads has seen enough, as head has; the rest is done all the same, and the verdict given."""
    reading, writing = os.pipe()
    os.close(reading)
    name, *options = arguments
    done = started(name, *(files if name == "compare" else ()), *options, stdout=writing)
    os.close(writing)
    assert done.returncode == code
    assert "Broken" not in done.stderr
    assert "Traceback" not in done.stderr


def test_an_ascii_terminal_is_written_to_in_ascii(tmp_path: Path) -> None:
    """Our own signs are spelt out, letters of labels are numbered, and JSON is for programs and stays UTF-8."""
    (tmp_path / "t.txt").write_text("ż\nż\nb\n", encoding="utf-8")
    (tmp_path / "p.txt").write_text("1\n2\n2\n")
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = started("compare", tmp_path / "t.txt", tmp_path / "p.txt", stdout=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr
    assert "3 points - 2 true clusters - 2 predicted clusters" in done.stdout
    assert r"\u017c" in done.stdout


def test_half_a_character_in_a_label_can_be_printed(tmp_path: Path) -> None:
    """JSON can hold what UTF-8 cannot; a file of text cannot, and says so."""
    for name, labels in (("t.json", ["\ud800", "\ud800", "b"]), ("p.json", ["x", "y", "y"])):
        (tmp_path / name).write_text(json.dumps(labels))
    printed = run("compare", tmp_path / "t.json", tmp_path / "p.json", "--json")
    assert printed.exit_code == 0, printed.stderr
    assert "\ud800" in json.loads(printed.stdout)["components"][0]["true"]
    with pytest.raises(cd.FileError, match="half of a character"):
        cd.write(cd.compare(["a"], ["\ud800"]).meet, tmp_path / "x.json")


def test_closed_standard_input_is_told(files: tuple[Path, Path]) -> None:
    """`<&-` leaves nothing to read."""
    script = f"import sys; sys.stdin = None; {COMMAND[2]}"
    done = subprocess.run(
        [sys.executable, "-c", script, "compare", "-", str(files[1]), "--format", "csv"],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 2
    assert "error: standard input is closed." in done.stderr


# ---- pipes, devices and addresses


def fed(path: Path, content: bytes) -> threading.Thread:
    """A FIFO, and somebody who writes to it once it is read."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    return writer


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("t.csv", b"id,cluster,note\na,1,x\nb,1,y\nc,2,x\n", ["--by", "note"]),
        ("t.csv.gz", gzip.compress(b"id,cluster\na,1\nb,1\nc,2\n", mtime=0), []),
        ("t.jsonl", b'{"id":"a","cluster":1}\n{"id":"b","cluster":1}\n{"id":"c","cluster":2}\n', []),
        ("63", b'{"a": 1, "b": 1, "c": 2}', []),
    ],
)
def test_pipes_are_read(files: tuple[Path, Path], name: str, content: bytes, options: list[str]) -> None:
    """A FIFO, or what a shell makes of <(command), is a file like any other, though it can be read only once."""
    pipe = files[0].with_name(name)
    writer = fed(pipe, content)
    result = run("compare", pipe, files[1], "--json", *options)
    writer.join(HANGS)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["n"] == 3


def test_a_pipe_is_named_as_the_user_named_it(files: tuple[Path, Path]) -> None:
    """Messages say the pipe's name, not where its content was kept; one pipe cannot be both sides."""
    pipe = files[0].with_name("pipe.csv")
    writer = fed(pipe, b"id,cluster\na,1,1\n")
    refused(run("compare", pipe, files[1]), f"error: {pipe}, line 2: expected 2 fields, found 3")
    writer.join(HANGS)
    refused(run("compare", pipe, pipe), "can be read only once")


def test_devices_are_not_read() -> None:
    """What they give may never end."""
    with pytest.raises(cd.FileError, match="/dev/zero is a device, not a file"):
        cd.read("/dev/zero", format="labels")


def test_pipes_and_links_are_written_to_and_stay(files: tuple[Path, Path]) -> None:
    """A file takes the place of a regular file only: never of a device, a pipe or a link to elsewhere."""
    place = files[0].parent
    pipe, link, far = place / "out.json", place / "link.json", place / "far.json"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run("patch", *files, "-o", pipe).exit_code == 0
    reader.join(HANGS)
    assert json.loads(read[0])["format"] == "clusterdiff patch"
    assert pipe.is_fifo()
    far.write_text("old")
    link.symlink_to(far)
    assert run("patch", *files, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert far.read_bytes() == read[0]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://example.org/a.csv", "https://example.org/a.csv is an address, and only files"),
        ("s3://bucket/a.parquet:cluster", "is an address, and only files"),
        ("file:///data/a.csv", "is an address, not a path"),
    ],
)
def test_addresses_get_a_fitting_error(files: tuple[Path, Path], address: str, told: str) -> None:
    """Nothing is fetched, and the message says what to do instead."""
    refused(run("compare", address, files[1]), told)
    refused(run("compare", address, files[1], "--format", "csv"), told)
    with pytest.raises(cd.ArgumentError, match="is an address"):
        cd.read(address)


# ---- what is written


def test_what_is_read_is_not_overwritten(files: tuple[Path, Path], tmp_path: Path) -> None:
    """No command writes to a file that it reads, by whatever name, or to one file twice; the check comes first."""
    true, pred = files
    fix, link = tmp_path / "fix.json", tmp_path / "link.csv"
    assert run("patch", *files, "-o", fix).exit_code == 0
    link.symlink_to(true)
    before = true.read_bytes(), pred.read_bytes(), fix.read_bytes()
    for arguments in (
        ["compare", *files, "--html", true],
        ["compare", *files, "--write", f"meet={link}"],
        ["compare", f"{tmp_path}/t*e.csv", pred, "--write", f"meet={true}"],
        ["patch", *files, "-o", tmp_path / "." / "pred.csv"],
        ["apply", pred, fix, "-o", pred],
        ["plot", "flow", *files, "-o", pred],
        ["worsen", true, "--csv", true],
        ["rank", *files, "--html", pred],
        ["matrix", *files, "--csv", pred],
        ["sweep", f"{true}:cluster", pred, "--html", true],
    ):
        refused(run(*arguments), "is read, and would be overwritten")
    twice = ["--html", tmp_path / "x.csv", "--write", f"meet={tmp_path / 'x.csv'}"]
    refused(run("compare", *files, *twice), "would be written twice")
    assert (true.read_bytes(), pred.read_bytes(), fix.read_bytes()) == before


def test_folders_of_outputs_are_checked_first(tmp_path: Path) -> None:
    """A folder that does not exist is refused before the inputs are read, which do not exist either."""
    none, true, pred = tmp_path / "none" / "out", tmp_path / "true.csv", tmp_path / "pred.csv"
    for arguments in (
        ["compare", true, pred, "--html", f"{none}.html"],
        ["compare", true, pred, "--write", f"meet={none}.csv"],
        ["demo", "--html", f"{none}.html"],
        ["plot", "flow", "-o", f"{none}.svg"],
        ["plot", "flow", true, pred, "-o", f"{none}.svg"],
        ["patch", true, pred, "-o", f"{none}.json"],
        ["apply", pred, true, "-o", f"{none}.csv"],
        ["relabel", true, "--like", pred, "-o", f"{none}.csv"],
        ["merge", true, true, pred, "-o", f"{none}.csv"],
        ["worsen", true, "--csv", f"{none}.csv"],
        ["rank", true, pred, "--html", f"{none}.html"],
        ["matrix", true, pred, "--csv", f"{none}.csv"],
        ["sweep", true, pred, "--html", f"{none}.html"],
        ["plan", pred, "--draw", "2", "-o", f"{none}.csv"],
        ["judgements", true, "-o", f"{none}.jsonl"],
        ["history", true, pred, "--plot", f"{none}.svg"],
        ["paper", "-o", f"{none}.md"],
    ):
        refused(run(*arguments), r"cannot be written: the folder \S*none does not exist")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_what_is_written_for_spreadsheets_can_be_guarded(tmp_path: Path, suffix: str) -> None:
    """--write notes what a spreadsheet would run, as apply does, and --for-spreadsheet turns it into text."""
    (tmp_path / "t.txt").write_text("=1+1\n=1+1\n-b\n")
    (tmp_path / "p.txt").write_text("@x\ny\ny\n")
    out = tmp_path / f"meet{suffix}"
    arguments = [
        "compare",
        tmp_path / "t.txt",
        tmp_path / "p.txt",
        "--format",
        "labels",
        "--write",
        f"meet={out}",
    ]
    plain = run(*arguments)
    assert "notice: 4 values of" in plain.stderr
    assert "=1+1" in out.read_text().replace("\t", ",").split(",size\n")[1].split(",")
    safe = run(*arguments, "--for-spreadsheet")
    assert "note" not in safe.stderr
    cells = [cell for line in out.read_text().splitlines()[1:] for cell in re.split("[,\t]", line)]
    assert {"'=1+1", "'-b", "'@x", "y"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "-", "@"))]


def test_apply_keeps_the_table(tmp_path: Path) -> None:
    """Other columns, their names, their order and their types stay; the suffix says how the table is written."""
    pred = pl.DataFrame(
        {"name": ["Ann", "Ann", "Bo"], "key": [1, 2, 3], "ent": [7, 7, 8], "w": [0.5, None, 2.0]},
        schema_overrides={"ent": pl.Int32},
    )
    pred.write_parquet(tmp_path / "pred.parquet")
    pred.with_columns(ent=pl.Series([1, 2, 2])).write_parquet(tmp_path / "true.parquet")
    columns = ["--point", "key", "--cluster", "ent"]
    fix = tmp_path / "fix.json"
    assert (
        run("patch", tmp_path / "true.parquet", tmp_path / "pred.parquet", *columns, "-o", fix).exit_code == 0
    )
    expected = pred.with_columns(ent=pl.Series([7, 8, 8]))
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        "fixed.parquet": pl.read_parquet,
        "fixed.csv": pl.read_csv,
        "fixed.jsonl": pl.read_ndjson,
    }
    for name, reader in readers.items():
        result = run("apply", tmp_path / "pred.parquet", fix, *columns, "-o", tmp_path / name)
        assert result.exit_code == 0, result.stderr
        assert reader(tmp_path / name).equals(expected, null_equal=True), name
    assert pl.read_parquet(tmp_path / "fixed.parquet").schema == pred.schema
    refused(
        run("apply", tmp_path / "pred.parquet", fix, *columns, "-o", tmp_path / "x.xlsx"),
        "--output must end in .csv",
    )


@pytest.mark.parametrize(
    "stopped", [KeyboardInterrupt(), OSError(28, "No space left on device"), MemoryError()]
)
@pytest.mark.parametrize("part", ["html", "write", "patch", "apply", "plot"])
def test_files_are_whole_or_absent(
    files: tuple[Path, Path],
    tmp_path: Path,
    part: str,
    stopped: BaseException,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stopped at the last moment, a command leaves the old file as it was, and nothing beside it."""
    run("patch", *files, "-o", tmp_path / "fix.json")
    place = tmp_path / "place"
    place.mkdir()
    target = place / ("x.svg" if part == "plot" else "x.csv")
    target.write_text("old")
    arguments: list[object] = {
        "html": ["compare", *files, "--html", target],
        "write": ["compare", *files, "--write", f"meet={target}"],
        "patch": ["patch", *files, "-o", target],
        "apply": ["apply", files[1], tmp_path / "fix.json", "-o", target],
        "plot": ["plot", "flow", *files, "-o", target],
    }[part]

    def stop(*_: object) -> None:
        raise stopped

    with monkeypatch.context() as patch:
        patch.setattr("clusterdiff.files.os.replace", stop)
        assert run(*arguments).exit_code == (130 if isinstance(stopped, KeyboardInterrupt) else 2)
    assert target.read_text() == "old"
    assert list(place.iterdir()) == [target]
    assert run(*arguments).exit_code == 0
    assert target.read_text() != "old"


# ---- sizes and memory


def test_the_engine_is_chosen_by_the_unpacked_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file that unpacks to a large table is a large table."""
    rows = b"".join(b"%d,1\n" % i for i in range(20_000))
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(b"id,cluster\n" + rows))
    pl.DataFrame({"id": range(20_000), "cluster": 1}).write_parquet(tmp_path / "t.parquet")
    for path in (packed, tmp_path / "t.parquet"):
        limit = 20_000 * extent.PER_ROW
        assert path.stat().st_size < limit // 20
        assert extent.needed(str(path), path.name.split(".")[1], limit - 1, extent.PER_ROW) >= limit
    both = parse(str(packed)), parse(str(packed))
    for memory, expected, detailed in (
        (2 * limit, "duckdb", "duckdb"),
        (4 * limit, "memory", "duckdb"),
        (8 * limit, "memory", "memory"),
    ):
        monkeypatch.setattr("clusterdiff.tables.engines.budget.memory", lambda memory=memory: memory)
        assert (suited(*both, detail=False), suited(*both, detail=True)) == (expected, detailed)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold to RLIMIT_AS")
def test_where_memory_ends_there_is_an_error_and_then_work_again() -> None:
    """Under a limit of memory every step gives MemoryError; once the limit is gone, the numbers are right.

    Also where DuckDB has been loaded, which has errors of its own for memory that runs out.
    """
    script = """
import resource, duckdb, numpy as np, clusterdiff as cd
duckdb.connect().execute("SELECT 1")
true, pred = np.arange(3_000_000) // 3, np.arange(3_000_000) // 4
expected = cd.compare(true[:12], pred[:12]).score()
cd.rank(true[:12], {"a": pred[:12]}), cd.matrix({"a": true[:12], "b": pred[:12]})  # so that all modules are there
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), -1))
for attempt in (
    lambda: cd.score(true, pred),
    lambda: cd.compare(true, pred).components,
    lambda: cd.rank(true, {"a": pred}),
    lambda: cd.matrix({"a": true, "b": pred}),
    true.tolist,
):
    try:
        attempt()
    except MemoryError:
        print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
assert cd.compare(true[:12], pred[:12]).score() == expected
print(cd.score(true, true))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=HANGS, check=False
    )
    assert done.stdout.split() == [*["MemoryError"] * 5, "1.0"], done.stderr


def test_duckdb_without_memory_is_a_memory_error(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not an error of the file, for which nobody is to blame; and an interrupted query is an interrupt."""
    import duckdb

    from clusterdiff.tables import joins

    for raised, told, code in (
        (
            duckdb.OutOfMemoryException("Out of Memory Error: Allocation failure\nmore"),
            "error: memory ran out: A",
            2,
        ),
        (RuntimeError("Out of Memory Error: Allocation failure\nmore"), "error: memory ran out: A", 2),
        (RuntimeError("Query interrupted"), "interrupted", 130),
    ):

        def fail(*_: object, raised: BaseException = raised, **__: object) -> None:
            raise raised

        monkeypatch.setattr(joins, "load_source", fail)
        result = run("compare", *files)
        assert result.exit_code == code
        assert told in result.stderr


def test_sigterm_ends_in_an_orderly_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code says that it was terminated, and whatever has to be cleaned up is."""
    cleaned = []

    def wait(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            cleaned.append(True)

    monkeypatch.setattr(a_command.command, "callback", wait)
    assert run("measures").exit_code == 128 + signal.SIGTERM
    assert cleaned == [True]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("after", [1, 40, 150, 300, 450])
def test_a_command_can_be_stopped_while_it_starts(files: tuple[Path, Path], after: int) -> None:
    """Whatever is being imported, Ctrl-C is a word and an exit code, and no traceback."""
    starting = [
        COMMAND[0],
        "-X",
        "importtime",
        *COMMAND[1:],
        "compare",
        *map(str, files),
        "--html",
        "out.html",
    ]
    with subprocess.Popen(starting, stderr=subprocess.PIPE, cwd=files[0].parent, text=True) as run:
        assert run.stderr is not None
        lines = (line for line in run.stderr if line.startswith("import time:"))
        next(line for line in lines if "clusterdiff_command" in line)
        for _ in range(after):
            next(lines)
        run.send_signal(signal.SIGINT)
        told = [line for line in run.stderr if not line.startswith("import time:")]
    assert (run.returncode, told) == (130, ["interrupted\n"])
    assert not (files[0].parent / "out.html").exists()
