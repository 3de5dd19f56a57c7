"""--html: the report of a comparison, and what is said at its top."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from clusterdiff import _core, views
from clusterdiff.cli.options import Command, together
from clusterdiff.cli.output import error_console
from clusterdiff.cli.progress import progress
from clusterdiff.cli.spelling import spelled
from clusterdiff.cli.streams import LINE
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.slices import BUILT_IN
from clusterdiff.errors import ArgumentError
from clusterdiff.files import shown
from clusterdiff.formats.source import Source


@dataclass(frozen=True)
class Report:
    """The report that was asked for; none, if there is no ``path``."""

    path: str | None = None
    title: str | None = None
    full: bool = False
    judgements: tuple[str, ...] = ()

    def write(
        self,
        diff: Comparison,
        *,
        quiet: bool,
        by: Mapping[str, object],
        files: Sequence[str] = (),
        title: str | None = None,
        measure: str = "S_H",
        **options: Any,
    ) -> None:
        """Write it, if it was asked for, and say where unless the output is for programs.

        It always has the built-in slices. ``files`` are what the two sides are called; ``title`` stands above if nobody
        chose another.
        """
        if self.path is None:
            return
        by = {name: column for name, column in by.items() if name not in BUILT_IN}
        sides = options.get("sides", ("true", "predicted"))
        about = dict(zip(sides, map(_secret, files), strict=False)) | {"command": command_line()}
        # A page takes hundreds of arrays that are soon gone: fresh memory for each would cost more than they do.
        _core.keep_freed()
        with progress(f"writing {self.path}", stages=False):
            views.report(
                diff,
                self.path,
                by=by,
                title=self.title or title,
                measure=measure,
                full=self.full,
                about=about,
                judgements=_read(self.judgements),
                spell=spelled,
                **options,
            )
        if not quiet:
            error_console().print(f"report: {self.path}", markup=False, soft_wrap=True)


NONE = Report()


def _read(paths: Sequence[str]) -> object:
    """The judgements of some files; None if there are none."""
    if not paths:
        return None
    from clusterdiff.judgements.collection import Judgements

    return Judgements.read(*paths)


def file_name(file: Source) -> str:
    """A file as people see it: with the column if that was named, and without a password."""
    return _secret(shown(file.path) + (f":{file.cluster}" if file.cluster else ""))


def command_line() -> str:
    """What was typed, for whoever wants to do it again; without passwords."""
    context = click.get_current_context(silent=True)
    return _secret(context.meta.get(LINE, "")) if context is not None else ""


def _secret(text: str) -> str:
    """Addresses without their passwords.

    >>> _secret("postgres://ann:secret@db.example/people")
    'postgres://ann@db.example/people'
    """
    return re.sub(r"(://[^/\s:@]*):[^\s@]*@", r"\1@", text)


_options = together(
    click.option("--html", type=click.Path(), metavar="FILE", help="Write a report to explore in a browser."),
    click.option("--title", metavar="TEXT", help="The heading of the report."),
    click.option("--full", is_flag=True, help="Let the report hold more than fits into 2 MB."),
    click.option(
        "--judgements",
        multiple=True,
        metavar="FILE",
        help="Earlier decisions: the report does not propose them again. May be repeated.",
    ),
)


def report_options(command: Command) -> Command:
    """The options of a report, which reach the command as one ``report``."""

    @wraps(command)
    def gathered(
        *args: Any,
        html: str | None,
        title: str | None,
        full: bool,
        judgements: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        given = {"--title": title, "--full": full or None, "--judgements": judgements or None}
        for option, value in given.items() if html is None else ():
            if value is not None:
                raise ArgumentError(f"{option} is for the report.", "pass --html FILE as well.")
        return command(*args, report=Report(html, title, full, judgements), **rest)

    decorated: Command = _options(gathered)  # type: ignore[assignment]
    return decorated
