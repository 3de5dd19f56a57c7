"""clusterdiff apply: carry out a patch, or what judgements ask for."""

from __future__ import annotations

import click

from clusterdiff.cli.commands.judgements import key_option
from clusterdiff.cli.corrections import corrected, is_patch
from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, output_option, point_option
from clusterdiff.cli.output import error_console
from clusterdiff.cli.rewriting import Release, check_output
from clusterdiff.cli.writing import check_outputs, spreadsheet_option
from clusterdiff.diff.patch import Patch
from clusterdiff.errors import ArgumentError
from clusterdiff.formats.source import parse
from clusterdiff.points.clustering import Clustering
from clusterdiff.wording import count

#: How many operations that were skipped are shown in full.
TOLD = 20


@click.command(name="apply")
@click.argument("pred", metavar="RUN")
@click.argument("patch", metavar="PATCH", type=click.Path())
@point_option
@cluster_option
@click.option("--skip-stale", is_flag=True, help="Skip operations of a patch that do not fit, and list them.")
@click.option(
    "--scores", metavar="FILE", help="Scored pairs, for judgements: a cluster is cut at its weakest link."
)
@key_option
@output_option("Where to write: .csv, .tsv, .jsonl or .parquet; CSV to standard output if not given.")
@spreadsheet_option
def command(
    pred: str,
    patch: str,
    point: str | None,
    cluster: str | None,
    skip_stale: bool,
    scores: str | None,
    key: str | None,
    output: str | None,
    safe: bool,
) -> None:
    """Apply a patch or judgements to RUN, and write the result.

    PATCH is a patch, or a file of judgements: then the result is the smallest change that satisfies them, and
    undetermined points are listed. Apply the whole file of judgements to each new run.

    A table keeps its other columns, their names and the order of its rows. Other formats become a table with the
    columns point and cluster; if the points have no names, one label per line, in order. A patch that does not fit is
    refused as a whole, unless --skip-stale is given.
    """
    check_output(output)
    check_outputs([output], parse(pred), patch)
    with told():
        run = Release.named(pred, point, cluster)
    if is_patch(patch):
        for option, given in (("--scores", scores), ("--key", key)):
            if given is not None:
                raise ArgumentError(f"{option} is for judgements.", "leave it out for a patch.")
        fixed = _patched(patch, run.clustering, skip_stale)
    elif skip_stale:
        raise ArgumentError("--skip-stale is for patches.", "judgements fit every run; leave it out.")
    else:
        fixed = corrected(patch, run.clustering, scores, key)
    run.write(fixed, output, safe)


def _patched(path: str, clustering: Clustering, skip_stale: bool) -> Clustering:
    """The clustering after a patch; operations that were skipped are listed on standard error."""
    patch = Patch.read(path)
    fixed = patch.apply(clustering, skip_stale=skip_stale)
    stale = patch.stale(clustering) if skip_stale else []
    if stale:
        lines = [f"skipped: {operation}" for operation in stale[:TOLD]]
        more = len(stale) - TOLD
        lines += [f"… and {count(more, 'more operation')}"] if more > 0 else []
        lines.append(f"{count(len(stale), 'operation')} of {len(patch):,} did not fit")
        error_console().print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
    return fixed
