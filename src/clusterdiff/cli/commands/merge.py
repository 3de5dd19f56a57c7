"""clusterdiff merge: three-way merge of clusterings, also as a merge driver of git."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, json_option, output_option, point_option
from clusterdiff.cli.output import error_console, print_data
from clusterdiff.cli.rewriting import PLAIN, Release, check_output
from clusterdiff.cli.writing import check_outputs, spreadsheet_option
from clusterdiff.errors import ArgumentError
from clusterdiff.files import from_json, read_text, write_text
from clusterdiff.formats.catalogue import BY_SUFFIX
from clusterdiff.formats.source import parse
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Labels
from clusterdiff.releases.merge import CHAINS, SIDES, ThreeWay, merge
from clusterdiff.show.conflicts import write_page
from clusterdiff.tables.copying import COPY
from clusterdiff.wording import count

#: How many conflicts are shown in full.
TOLD = 20


@click.command(name="merge")
@click.argument("base", metavar="BASE")
@click.argument("ours", metavar="OURS")
@click.argument("theirs", metavar="THEIRS")
@click.argument("path", metavar="[PATH]", required=False)
@click.option("--prefer", type=click.Choice(SIDES), help="The side whose clusters a conflict takes.")
@click.option(
    "--chain",
    type=click.Choice(CHAINS),
    default="conflict",
    show_default=True,
    help="How to treat points that both sides joined to different ones.",
)
@click.option(
    "--decisions", metavar="FILE", type=click.Path(), help="Conflicts, as --json prints them, with decisions."
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(),
    help="Write a page to decide conflicts; --decisions takes the file that it exports.",
)
@click.option(
    "--driver",
    is_flag=True,
    help="As a merge driver of git: merge --driver %O %A %B %P replaces %A, and writes %P.conflicts.json on conflict.",
)
@point_option
@cluster_option
@output_option("Where to write: .csv, .tsv, .jsonl or .parquet; CSV to standard output if not given.")
@spreadsheet_option
@json_option
def command(
    base: str,
    ours: str,
    theirs: str,
    path: str | None,
    prefer: Any,
    chain: Any,
    decisions: str | None,
    html: str | None,
    driver: bool,
    point: str | None,
    cluster: str | None,
    output: str | None,
    safe: bool,
    as_json: bool,
) -> None:
    """Merge the changes of OURS and THEIRS to BASE.

    Exits with 0 if the merge is clean, and with 1 if there are conflicts: they are listed, and nothing is written
    unless --prefer or --decisions resolves them. A table is written like OURS, with its other columns.
    """
    if driver != (path is not None):
        raise ArgumentError(
            "--driver needs PATH, the name that git gives the file: merge --driver %O %A %B %P."
        )
    end = Path(path or "").suffix.lower() if driver else check_output(output)
    if driver and end not in (*PLAIN, *COPY):
        raise ArgumentError(f"the driver is for {', '.join(COPY)}; got {path!r}.")
    if not driver:
        check_outputs([output, html], parse(base), ours, theirs)
    # git's temporary files have no suffix: the format is that of the path in the repository.
    given = BY_SUFFIX.get(end, "labels") if driver else None
    with told():
        mine = Release.named(ours, point, cluster, None, format=given)
        yours = Release.named(theirs, point, cluster, mine, format=given)
        # A file that both sides added has an empty ancestor.
        new = driver and os.path.getsize(base) == 0
        old = None if new else Release.named(base, point, cluster, mine, format=given)
    others = [yours] if old is None else [yours, old]
    found = merge(
        Clustering.of(Labels(np.empty(0, dtype=np.int64)), []) if old is None else old.clustering,
        mine.clustering,
        yours.clustering,
        prefer=prefer,
        chain=chain,
        decisions=None if decisions is None else from_json(read_text(decisions), decisions),
    )
    if as_json:
        print_data(_json(found))
    elif found.conflicts:
        _tell(found)
    if html is not None and found.conflicts:
        points = {str(point) for conflict in found.conflicts for point in conflict.points}
        records: dict[str, dict[str, Any]] = {}
        for release in [*reversed(others), mine]:
            records |= {} if release.table is None else release.table.records(points)
        write_page(found, html, records)
        error_console().print(f"{html}: open it in a browser", markup=False, soft_wrap=True)
    if not found.clean:
        if driver:
            write_text(f"{path}.conflicts.json", _json(found))
        sys.exit(1)
    if driver:
        mine.write(found.clustering, ours, safe, others, end=end)
    elif not as_json or output is not None:
        mine.write(found.clustering, output, safe, others)


def _json(found: ThreeWay) -> str:
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=1, default=str) + os.linesep


def _tell(found: ThreeWay) -> None:
    """The conflicts, on standard error: standard output may be the merged table."""
    lines = [str(conflict) for conflict in found.conflicts[:TOLD]]
    if len(found.conflicts) > TOLD:
        lines.append(f"… and {count(len(found.conflicts) - TOLD, 'more conflict')} (--json has all of them)")
    state = ", all resolved" if found.clean else "; nothing was written: see --prefer and --decisions"
    lines.append(f"{count(len(found.conflicts), 'conflict')}{state}")
    error_console().print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
