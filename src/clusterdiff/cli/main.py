"""The group of commands, and the one place where whatever happens becomes a message and an exit code."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Any, NoReturn

import click

from clusterdiff._version import __version__
from clusterdiff.cli import commands
from clusterdiff.cli.help import with_examples, write_commands
from clusterdiff.cli.spelling import COMMAND, spelled, spelled_hint
from clusterdiff.cli.stopping import exit_code, stoppable, stopped
from clusterdiff.cli.streams import LINE, heard, hush, spell_out, visible
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning


class Commands(click.Group):
    """The modules of ``clusterdiff.cli.commands``, each imported only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands by name."""
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command's object from its module."""
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{commands.__name__}.{name}").command
        return with_examples(command, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, by what people want."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        write_commands({name: command for name, command in found.items() if command is not None}, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments; an option that takes one value may stand once."""
        ctx.meta[LINE] = shlex.join(["clusterdiff", *args])
        known = self.list_commands(ctx)
        if args[0] not in known and (like := get_close_matches(args[0], known, 1)):
            ctx.fail(f"No such command {args[0]!r}. (Did you mean {like[0]!r}?)")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            ctx.meta[COMMAND] = command
            _refuse_repeats(click.Context(command, info_name=name, parent=ctx), rest)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; warnings become messages."""
        # What a command raises is answered here, before click has its own word on some of it.
        with _answering(), warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = _warn
            return super().invoke(ctx)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run the command line, and exit: 0, what a command says, 2 for errors, 130 or 143 if it was stopped."""
        with _answering(), stoppable():
            try:
                spell_out()
                code = super().main(*args, **extra | {"standalone_mode": False})
            finally:  # a disk may be full, and nobody would hear of it later
                with heard():
                    if sys.stdout is not None:
                        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _answering() -> Iterator[None]:
    """Whatever is raised, as one message and an exit code; CLUSTERDIFF_DEBUG=1 shows where it came from."""
    try:
        yield
    except (SystemExit, click.exceptions.Exit):
        raise
    except BaseException as error:
        code = _answer(error)
        if code and os.environ.get("CLUSTERDIFF_DEBUG"):
            click.echo(visible("".join(traceback.format_exception(error))), err=True)
        sys.exit(code)


def _answer(error: BaseException) -> int:
    """Tell what happened; the exit code that it means."""
    if stopped() or isinstance(error, KeyboardInterrupt | click.Abort):
        _tell("interrupted")
        return exit_code()
    if isinstance(error, BrokenPipeError) and hush():
        return 0  # whoever reads our output has seen enough, as head has
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _print(error.ctx.get_help())  # the command alone asks what there is
        return error.exit_code
    if isinstance(error, click.ClickException):
        _tell(*_refusal(error))
        return error.exit_code
    if isinstance(error, ClusterdiffError):
        _tell(f"error: {spelled(error.message)}", spelled_hint(error))
        return 2
    reason = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        reason = f"memory ran out{f': {reason}' if reason else ''}"
        _tell(
            f"error: {reason.rstrip('.')}.",
            "tables larger than memory: clusterdiff compare --engine duckdb --memory 4GB.",
        )
    elif isinstance(error, OSError) and error.strerror:
        where = "standard output" if error.filename is None else error.filename
        _tell(f"error: {where}: {error.strerror}.")
        hush(always=error.filename is None)
    else:
        _tell(
            f"error: {type(error).__name__}: {reason[:300] or 'no reason given'}",
            "this should not happen. CLUSTERDIFF_DEBUG=1 shows where it came from; please report it.",
        )
    return 2


def _refusal(error: click.ClickException) -> tuple[str, str | None]:
    """The error and the hint that stand for what click says of a command line."""
    reason, _, like = error.format_message().partition("Did you mean ")
    ctx = getattr(error, "ctx", None)
    like = like.removeprefix("one of: ").rstrip("?)")
    hint = f"did you mean {like}?" if like else ctx and f"see {ctx.command_path} --help."
    return f"error: {reason[:1].lower()}{reason[1:].rstrip(' (.')}.", hint


def _tell(message: str, hint: str | None = None) -> None:
    with suppress(OSError):  # nobody listens; the exit code says it
        _print(message, style="red")
        if hint:
            _print(f"hint: {hint}")


def _print(text: str, style: str = "") -> None:
    """A line on standard error; what prints in colours is loaded only where there is something to say."""
    from clusterdiff.cli.output import error_console

    error_console().print(visible(text), markup=False, style=style, soft_wrap=True)


def _refuse_repeats(ctx: click.Context, args: list[str]) -> None:
    """Raise if an option that takes one value is given twice: the first would be forgotten silently."""
    if any(arg in ctx.help_option_names for arg in args):
        return
    _, _, order = ctx.command.make_parser(ctx).parse_args(list(args))
    for option in order:
        single = isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count)
        if single and order.count(option) > 1:
            raise click.UsageError(
                f"{option.opts[-1]} takes one value, and was given {order.count(option)} times.", ctx
            )


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    word = "notice" if issubclass(category, ClusterdiffWarning) else "warning"
    told = message.message if isinstance(message, ClusterdiffWarning) else str(message)
    _print(f"{word}: {spelled(told)}", style="yellow")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clusterdiff")
def main() -> None:
    """A diff for clusterings: how alike two are, what was split, what was merged, and what each cost."""
