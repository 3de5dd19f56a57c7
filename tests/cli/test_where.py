"""Where measures work is promised: in memory, in an engine, and as sums over units."""

from __future__ import annotations

import json

from click.testing import CliRunner

from clusterdiff.cli.commands.measures import command
from clusterdiff.measures import measures
from tests.schemas import misfit

#: How many of all measures work for points that are even, weighted, lost, and lost and weighted.
MEMORY = [108, 61, 64, 36]
INTERVAL = [102, 61, 64, 36]
AT_LEAST_IN_ENGINES = [91, 57, 54, 33]


def test_no_measure_works_in_fewer_places_than_promised() -> None:
    """A measure that is added works where it says; none is lost anywhere."""
    shown = CliRunner().invoke(command, ["--where", "--json"])
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.output)
    assert misfit("measures", found) is None
    works = {place: [len(names) for names in kinds.values()] for place, kinds in found.items()}
    assert len(measures) == MEMORY[0]
    assert works["memory"] == MEMORY
    assert works["interval"] == INTERVAL
    assert all(now >= then for now, then in zip(works["engine"], AT_LEAST_IN_ENGINES, strict=True))


def test_the_table_has_a_line_for_each_measure_and_the_totals() -> None:
    """As text, one measure after the other."""
    shown = CliRunner().invoke(command, ["b3.recall", "--where"], env={"COLUMNS": "200"})
    lines = shown.output.splitlines()
    row = next(line for line in lines if line.startswith("b3.recall"))
    assert row.count("•") == 12
    assert next(line for line in lines if line.startswith("in all")).split()[2:] == ["1"] * 12
