"""Help: commands by what people want, options under headings, examples that run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner, Result

from clusterdiff.cli import main
from clusterdiff.cli.help import SECTIONS, examples

NAMES = main.list_commands(click.Context(main))


def run(line: str) -> Result:
    """What is typed after `clusterdiff`."""
    return CliRunner().invoke(main, shlex.split(line))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder with all files that the examples name."""
    at = tmp_path_factory.mktemp("examples")
    true = [f"r{i},{i // 3},{'Bonn' if i % 2 else 'Graz'}" for i in range(30)]
    runs = {
        "pred": [i // 3 if i % 7 else 90 + i for i in range(30)],
        "other": [i // 4 for i in range(30)],
        "old": [i // 3 for i in range(30)],
        "new": [i // 3 if i > 4 else 50 for i in range(30)],
        "base": [i // 3 for i in range(30)],
        "ours": [i // 3 if i > 5 else 50 for i in range(30)],
        "theirs": [i // 3 if i < 27 else 60 + i for i in range(30)],
    }
    (at / "true.csv").write_text("\n".join(["id,cluster,city", *true]))
    (at / "sample.csv").write_text("\n".join(["id,cluster", *(f"r{i},{i // 3}" for i in range(24))]))
    for name, labels in runs.items():
        rows = [f"r{i},{label}" for i, label in enumerate(labels)]
        (at / f"{name}.csv").write_text("\n".join(["id,cluster", *rows]))
    pairs = [f"r{i},r{i + 1},{0.9 if i % 3 < 2 else 0.2}" for i in range(29)]
    (at / "pairs.csv").write_text("\n".join(["a,b,score", *pairs]))
    (at / "judgements.csv").write_text("a,b,verdict\nr1,r2,match\nr0,r5,no match\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(at)
        (at / "patch.json").write_text(run("patch true.csv pred.csv").stdout)
        yield


@pytest.mark.parametrize("command", NAMES)
@pytest.mark.usefixtures("files")
def test_the_examples_of_a_command_run(command: str) -> None:
    """Both of them; 1 is what a command says of its data, and 2 would be an error."""
    assert len(examples(command)) == 2
    shown = run(f"{command} --help").output
    for example in examples(command):
        assert f"    {example}\n" in shown
        if command == "paper":  # which takes long, and runs in tests of its own
            found = main.get_command(click.Context(main), command)
            assert found is not None
            found.make_context(command, shlex.split(example)[2:])
            continue
        result = run(example.removeprefix("clusterdiff "))
        assert result.exit_code in ((0, 1) if command == "judge" else (0,)), f"{example}\n{result.output}"


def test_commands_are_listed_by_what_people_want() -> None:
    """Every command once, with its whole first sentence."""
    told = run("--help").output
    placed = [name for section in SECTIONS for name in section.commands]
    assert sorted(placed) == NAMES
    assert all(f"{section.heading}:" in told for section in SECTIONS)
    assert "..." not in told.partition("\n")[2]
    assert told.index("  compare") < told.index("  rank") < told.index("  history")


def test_the_options_of_compare_stand_under_headings() -> None:
    """Each once; an option that nobody placed would be under "Other options"."""
    told = run("compare --help").output
    headings = [line for line in told.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Points and clusters:", "Missing points and noise:", "Documents of mentions:", "What to print:",
        "What to write:", "Engine:", "Other options:",
    ]  # fmt: skip
    assert told.partition("Other options:")[2].split()[0] == "-h,"
    for option in main.get_command(click.Context(main), "compare").params:  # type: ignore[union-attr]
        if isinstance(option, click.Option):
            assert any(
                line.strip().startswith((f"{option.opts[-1]} ", option.opts[0])) for line in told.splitlines()
            )
