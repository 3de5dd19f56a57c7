"""clusterdiff judge: hold a run against judgements, as tests for its clusters."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from clusterdiff.cli.commands.judgements import key_option, top_option
from clusterdiff.cli.corrections import told_contradictions
from clusterdiff.cli.inputs import told
from clusterdiff.cli.limits import fail_if_option, limits
from clusterdiff.cli.options import cluster_option, json_option, point_option
from clusterdiff.cli.output import console, error_console, plain_table, print_json
from clusterdiff.cli.spelling import call
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.formats.catalogue import FORMATS
from clusterdiff.formats.source import Source, parse
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.verdicts import STATES, Outcome, Verdicts, summary
from clusterdiff.wording import count

#: What is not printed line by line: nothing is to be done about it.
QUIET = ("kept", "undecided")


@click.command(name="judge")
@click.argument("files", metavar="[RUN] JUDGEMENTS...", nargs=-1, required=True)
@click.option(
    "--old", metavar="FILE", help="With --new: an older run, to list judgements that were fixed or regressed."
)
@click.option("--new", metavar="FILE", help="With --old: the run that is judged, instead of RUN.")
@point_option
@cluster_option
@click.option(
    "--format", "input_format", type=click.Choice(list(FORMATS)), metavar="FORMAT", help="Format of the run."
)
@key_option
@click.option(
    "--strict", is_flag=True, help="Exit with 1, too, if a judgement that is expected to fail is kept."
)
@fail_if_option("'violated>0', 'kept<0.98' or 'largest>5000'")
@top_option
@json_option
def command(
    files: tuple[str, ...],
    old: str | None,
    new: str | None,
    point: str | None,
    cluster: str | None,
    input_format: str | None,
    key: str | None,
    strict: bool,
    fail_if: tuple[str, ...],
    top: int,
    as_json: bool,
) -> None:
    """Check RUN against judgements: which it keeps and which it violates, costliest first.

    Exits with 1 if one is violated. The cost of a judgement is the number of pairs of points that would have to be
    joined or separated to keep it. Limits can be set for the counts (violated, extended, undecided, expected,
    unexpected, fixed, regressed), for the share kept, and for the largest cluster.
    """
    run, paths = (new, files) if new is not None else (files[0], files[1:])
    if (old is None) != (new is None):
        raise ArgumentError("--old and --new go together, and take the place of RUN.")
    if run is None or not paths:
        raise ArgumentError("there are no judgements to check the run against.", "pass RUN JUDGEMENTS…")
    wanted = limits(fail_if, [*STATES, "largest", "fixed", "regressed"])
    for limit in wanted:
        if old is None and limit.name in ("fixed", "regressed"):
            raise ArgumentError(f"--fail-if {limit.name!r} is about two runs.", "pass --old and --new.")

    def source(text: str) -> Source:
        named = parse(text)
        return replace(named, point=point, cluster=named.cluster or cluster, format=input_format)

    call(run="RUN")
    judgements = Judgements.read(*paths, key=key)
    with told():
        verdicts = judgements.judge(source(run), old=None if old is None else source(old))
    if verdicts.points and len(verdicts.absent) == verdicts.points:
        raise ArgumentError(
            f"{parse(run).path} has none of the {count(verdicts.points)} that the judgements name: "
            f"{listed(verdicts.absent)}.",
            "check how both call the points; --point names the column of the run, --key that of the judgements.",
        )
    if as_json:
        print_json(verdicts.to_dict())
    else:
        _print(verdicts, top)
    if judgements.contradictions:
        told_contradictions(judgements.contradictions, top)
    crossed = [said for limit in wanted if (said := limit.crossed(verdicts.values))]
    for said in crossed:
        error_console().print(said, style="red", markup=False)
    failed = verdicts.violated > 0 or (strict and verdicts.unexpected > 0)
    if crossed or (failed and not wanted):
        sys.exit(1)


def _print(verdicts: Verdicts, top: int) -> None:
    out = console()
    out.print(summary(verdicts), markup=False, soft_wrap=True)
    if verdicts.before is not None:
        for word, names in (("regressed", verdicts.regressed), ("fixed", verdicts.fixed)):
            shown = ", ".join(names[:top]) + (f" and {len(names) - top:,} more" if len(names) > top else "")
            if names:
                out.print(f"{word}: {shown}", markup=False, soft_wrap=True)
    rows = [row for row in verdicts.table if row.state not in QUIET]
    if rows:
        out.print()
        table = plain_table("", "judgement", "says", right=["violated", "cost"])
        for row in rows[:top]:
            table.add_row(
                row.state, row.id, _short(row), f"{row.violated:,} of {row.pairs:,}", f"{row.cost:,}"
            )
        out.print(table)
    if len(rows) > top:
        out.print(
            f"… {count(len(rows) - top, 'more judgement')}; --top shows more", style="dim", markup=False
        )
    if verdicts.absent:
        out.print(f"not in the run: {listed(verdicts.absent)}", style="dim", markup=False, soft_wrap=True)


def _short(row: Outcome, width: int = 48) -> str:
    """What a judgement says, and why; as much as a line of a table holds."""
    said = row.groups if len(row.groups) <= width else row.groups[: width - 1] + "…"
    by = ", ".join(part for part in (row.by, row.why) if part)
    return f"{said} ({by})" if by else said
