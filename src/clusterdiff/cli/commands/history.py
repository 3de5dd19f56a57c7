"""clusterdiff history: several releases of one catalogue."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click
from rich.console import RenderableType
from rich.text import Text

from clusterdiff.cli.inputs import named_columns, told
from clusterdiff.cli.options import cluster_option, json_option, point_option
from clusterdiff.cli.output import console, print_json
from clusterdiff.cli.pictures import picture_options, refuse_sizes, save_picture
from clusterdiff.cli.presentation import print_all
from clusterdiff.cli.progress import progress
from clusterdiff.cli.report import file_name
from clusterdiff.cli.screen import fitting
from clusterdiff.cli.writing import check_outputs
from clusterdiff.errors import ArgumentError
from clusterdiff.formats.source import Source, parse
from clusterdiff.releases.history import History, history
from clusterdiff.table import Table, plain, shown
from clusterdiff.tables.columns import FileColumns, Origin
from clusterdiff.verbs.read import read_source


@click.command(name="history")
@click.argument("releases", metavar="RELEASE…", nargs=-1, required=True)
@click.option("--columns", metavar="COLUMNS", help="Columns of one file, oldest first, separated by commas.")
@point_option
@cluster_option
@click.option(
    "--life", metavar="CLUSTER", help="The life of a cluster, by its name in the first release with it."
)
@click.option("--record", metavar="POINT", help="Where a record was in every release.")
@click.option(
    "--trace", nargs=2, metavar="POINT POINT", help="Which release joined or separated two records."
)
@click.option(
    "--name", metavar="COLUMN", help="Column of the last release that names records, for statistics."
)
@click.option("--plot", "picture", metavar="FILE", help="Draw the flow of records: .svg, .png or .pdf.")
@picture_options
@json_option
def command(
    releases: tuple[str, ...],
    columns: str | None,
    point: str | None,
    cluster: str | None,
    life: str | None,
    record: str | None,
    trace: tuple[str, str] | None,
    name: str | None,
    picture: str | None,
    width: float | None,
    dpi: float | None,
    as_json: bool,
) -> None:
    """Summarise several releases, oldest first: what happened to their clusters.

    RELEASE is a file or FILE:COLUMN. With --columns, one file has a column of clusters for each release.
    """
    if columns is not None and len(releases) != 1:
        raise ArgumentError("--columns names columns of one file.", "pass one file, or no --columns.")
    refuse_sizes(width, dpi, [picture])
    check_outputs([picture], *map(parse, releases))
    with told(), progress("reading"):
        named: dict[str, Source] = (
            _files(releases, point, cluster)
            if columns is None
            else named_columns(releases[0], columns, point)
        )
        found = {called: read_source(source.resolved()) for called, source in named.items()}
        names = None if name is None else _names(list(named.values())[-1], name, list(found.values())[-1])
    h = history(found, names=names)
    tables: dict[str, Table[Any]] = {}
    with progress("comparing"):
        if life is not None:
            tables["life"] = h.life(life)
        if record is not None:
            tables["record"] = h.record(record)
        if trace is not None:
            tables["trace"] = h.trace(*trace)
        if not tables:
            tables = {"events": h.events, "statistics": h.statistics}
        if picture is not None:
            save_picture(h.plot(width=width, dpi=dpi), picture)
    if as_json:
        print_json({key: [_plain(row, table.columns) for row in table] for key, table in tables.items()})
    else:
        print_all(_told(h, tables))


def _plain(row: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    return {column: plain(value) for column, value in zip(columns, row, strict=True)}


def _files(releases: tuple[str, ...], point: str | None, cluster: str | None) -> dict[str, Source]:
    out: dict[str, Source] = {}
    for release in releases:
        source = parse(release)
        source = replace(source, point=point, cluster=source.cluster or cluster)
        called = os.path.basename(file_name(source))
        out[called if called not in out else release] = source
    if len(out) < len(releases):
        raise ArgumentError("the same release is named twice.")
    return out


def _names(source: Source, column: str, release: Any) -> dict[Any, Any]:
    """The names of the records: a column of the last release."""
    values = FileColumns(Origin(source.resolved()), [column]).read(column)
    return dict(zip(release.point_names(), values, strict=True))


def _told(h: History, tables: dict[str, Table[Any]]) -> Iterator[RenderableType]:
    yield Text(repr(h).strip("<>"), "bold")
    for table in tables.values():
        yield Text()
        rows = [["–" if value is None else shown(value) for value in row] for row in table]
        yield from fitting(list(table.columns), rows, console(), list(table.columns)[:1:-1])
