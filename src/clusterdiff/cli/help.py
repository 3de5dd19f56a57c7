"""Help: commands by what people want, options under headings, and two examples of each command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Section(NamedTuple):
    """Commands that belong together; each with two examples, which a test runs."""

    heading: str
    commands: dict[str, tuple[str, str]]


#: The commands by what people want.
SECTIONS = (
    Section(
        "Compare two clusterings",
        {
            "compare": (
                "true.csv pred.csv --html diff.html",
                "true.csv pred.csv --missing drop --by city --json",
            ),
            "demo": ("--html diff.html", "--measure ari --explain"),
            "chance": ("true.csv pred.csv", "true.csv pred.csv --measure ari --json"),
        },
    ),
    Section(
        "Explain what went wrong",
        {
            "plot": ("patterns true.csv pred.csv -o patterns.svg", "flow -o flow.png --width 120"),
            "patch": ("true.csv pred.csv", "true.csv pred.csv -o fix.json"),
            "apply": ("pred.csv patch.json -o fixed.csv", "pred.csv judgements.csv -o fixed.csv"),
        },
    ),
    Section(
        "Decide between clusterings",
        {
            "rank": ("true.csv pred.csv other.csv", "true.csv pred.csv other.csv --markdown"),
            "sweep": ("true.csv pairs.csv", "true.csv pairs.csv --json"),
            "matrix": ("pred.csv other.csv", "pred.csv other.csv --true true.csv --json"),
        },
    ),
    Section(
        "Judge with partial truth",
        {
            "judge": ("pred.csv judgements.csv", "pred.csv judgements.csv --json"),
            "judgements": ("judgements.csv", "judgements.csv --json"),
            "plan": ("pred.csv --error 0.05", "pred.csv --draw 5 -o review.jsonl"),
            "estimate": (
                "sample.csv pred.csv --design clusters",
                "sample.csv pred.csv --design points --json",
            ),
        },
    ),
    Section(
        "Follow clusters over time",
        {
            "relabel": ("new.csv --like old.csv", "new.csv --like old.csv -o named.csv"),
            "merge": (
                "base.csv ours.csv theirs.csv",
                "base.csv ours.csv theirs.csv -o merged.csv --prefer ours",
            ),
            "history": ("old.csv new.csv", "old.csv new.csv --json"),
        },
    ),
    Section(
        "Inspect measures and the installation",
        {
            "doctor": ("", "--json"),
            "measures": ("", "S_H"),
            "check": ("S_H --points 4", "ari vi --points 4 --json"),
            "worsen": ("true.csv --how splits", "true.csv --measures S_H,ari --json"),
            "paper": ("--points 5", "--points 5 -o paper.md"),
        },
    ),
)


def examples(command: str) -> list[str]:
    """The examples of a command, as they are typed."""
    found = next((section.commands[command] for section in SECTIONS if command in section.commands), ())
    return [f"clusterdiff {command} {arguments}".rstrip() for arguments in found]


def with_examples(command: click.Command, name: str) -> click.Command:
    """A command whose help ends with its examples."""
    lines = "\n".join(f"  {example}" for example in examples(name))
    command.epilog = f"\b\nExamples:\n{lines}" if lines else None
    return command


def write_commands(commands: dict[str, click.Command], formatter: click.HelpFormatter) -> None:
    """The commands under their headings, each with its whole first sentence."""
    told = {name: command.get_short_help_str(limit=500) for name, command in commands.items()}
    width = max(map(len, commands))
    for section in SECTIONS:
        rows = [(name.ljust(width), told.pop(name)) for name in section.commands if name in told]
        with formatter.section(section.heading):
            formatter.write_dl(rows)
    if told:
        with formatter.section("More"):
            formatter.write_dl([(name.ljust(width), text) for name, text in told.items()])


#: What an option is listed under.
HEADING = "heading"


def under(heading: str, *options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, which `--help` lists under a heading."""

    def add(command: Command) -> Command:
        before = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            command = option(command)
        for parameter in getattr(command, "__click_params__", ())[before:]:
            setattr(parameter, HEADING, heading)
        return command

    return add


class Headed(click.Command):
    """A command whose options are listed under headings; those without one come last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by heading, in the order in which they were declared."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                sections.setdefault(getattr(parameter, HEADING, "Other options"), []).append(record)
        last = sections.pop("Other options", [])
        for heading, rows in [*sections.items(), ("Other options", last)]:
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
