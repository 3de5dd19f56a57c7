"""What the library says, in the words of a command: the arguments of Python become the command's options."""

from __future__ import annotations

import re
import shlex

import click

#: Where the command that runs is kept.
COMMAND = "clusterdiff.command"
#: Arguments that commands call otherwise.
OTHERWISE = {"budget": "memory", "clusterings": "files", "tree": "pred"}
#: An argument as Python has it, `missing="drop"` or `weights=`; not one of a call, such as K(k=5).
ARGUMENT = re.compile(r'(?<![\w(.=-])([a-z_]+)=("[^"]*"|True|[\d_]+(?!\w)|(?=[\s,.;:)]|$))')
#: The same by its name alone.
NAME = re.compile(r"`([a-z_]+)`")
#: Verbs of ours that commands are called after, as functions.
VERB = re.compile(r"( to)? (compare|rank|sweep|matrix)\(\)|^(compare|rank|sweep|matrix)\(\)")
#: An option, said once more for those who read of Python's argument.
AGAIN = re.compile(r"(--[\w-]+) \(\1 on the command line\)")
#: What only Python has: what is called, and what a comparison in an engine offers.
PYTHON = re.compile(r"\(…|\.\w+\(|\.(costliest|components)\b|[a-z_]+=\[")


def options_of(command: click.Command) -> dict[str, str]:
    """The options of a command, and its arguments in capitals, by what Python calls them."""
    found = {
        str(param.name): max(param.opts, key=len)
        if isinstance(param, click.Option)
        else str(param.name).upper()
        for param in command.params
    }
    return found | {name: found[other] for name, other in OTHERWISE.items() if other in found}


def in_options(text: str, command: click.Command | None = None) -> str:
    """A message with the command's options in place of Python's arguments.

    >>> from clusterdiff.cli.commands.compare import command
    >>> in_options('missing="lost" needs memory, and `weights` must be in `true`', command)
    '--missing lost needs memory, and --weight must be in TRUE'
    """
    command = command or running()
    known = {} if command is None else options_of(command)

    def spelt(argument: re.Match[str]) -> str:
        name, value = argument[1], argument[2]
        if name not in known:
            return argument[0]
        word = value.replace("_", "") if value[:1].isdigit() else value.strip('"')
        return known[name] if word in ("", "True") else f"{known[name]} {shlex.quote(word)}"

    return NAME.sub(lambda name: known.get(name[1], name[0]), ARGUMENT.sub(spelt, text))


def hint_in_options(hint: str, command: click.Command | None = None) -> str:
    """A hint with the command's options; of its alternatives those that the command has.

    >>> from clusterdiff.cli.commands.compare import command
    >>> hint_in_options("allow a larger budget=, or ask for another measure, or look at .costliest.", command)
    'allow a larger --memory, or ask for another measure.'
    >>> hint_in_options("pass points=[…], the name of each leaf.", command)
    'clusterdiff compare has no option for it. In Python: pass points=[…], the name of each leaf.'
    """
    command = command or running()
    if command is None:
        return hint
    said = VERB.sub(lambda verb: "" if verb[1] else f"{' ' if verb[2] else ''}{verb[2] or verb[3]}", hint)
    known = options_of(command)
    ways = said.split(", or ")
    ours = [way for way in ways if _possible(way, known)]
    if not ours:
        return f"clusterdiff {command.name} has no option for it. In Python: {hint}"
    said = said if len(ours) == len(ways) else f"{', or '.join(ours).rstrip('.')}."
    return AGAIN.sub(r"\1", in_options(said, command))


def _possible(way: str, known: dict[str, str]) -> bool:
    """Whether a command can do what one of the alternatives of a hint says."""
    return not PYTHON.search(way) and all(argument[1] in known for argument in ARGUMENT.finditer(way))


def running() -> click.Command | None:
    """The command that runs, if one does."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(COMMAND)
