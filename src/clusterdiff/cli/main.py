"""The group of commands, and how errors reach people: one message with a hint, no traceback, exit 2."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from typing import Any

import click

from clusterdiff._version import __version__
from clusterdiff.cli import commands
from clusterdiff.cli.output import error_console
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
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments; an option that takes one value may stand once."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeats(click.Context(command, info_name=name, parent=ctx), rest)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; errors of ours and warnings become messages."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default", UserWarning)
                warnings.showwarning = _warn
                return super().invoke(ctx)
        except ClusterdiffError as error:
            console = error_console()
            console.print(f"error: {error.message}", markup=False, style="red", soft_wrap=True)
            if error.hint:
                console.print(f"hint: {error.hint}", markup=False, soft_wrap=True)
            sys.exit(2)
        except KeyboardInterrupt:
            error_console().print("interrupted", style="red")
            sys.exit(130)


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
    error_console().print(f"{word}: {message}", markup=False, style="yellow", soft_wrap=True)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clusterdiff")
def main() -> None:
    """A diff for clusterings: how alike two are, what was split, what was merged, and what each cost."""
