"""Messages of the library as a command spells them: Python's arguments become the command's options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import click

from clusterdiff.errors import ClusterdiffError, ways_out
from clusterdiff.messages import Argument, Code, Message, Part, Setting, Verb

#: Where the command that runs is kept.
COMMAND = "clusterdiff.command"
#: Where it is kept what arguments are called otherwise this time.
CALLED = "clusterdiff.called"
#: Arguments that commands call otherwise.
OTHERWISE = {
    "budget": "memory",
    "clusterings": "files",
    "format": "input_format",
    "pred": "preds",
    "tree": "pred",
}


class Speller:
    """Spells the parts of messages as one command has them.

    >>> from clusterdiff.cli.commands.compare import command
    >>> told = Message('`missing="lost"` needs memory, and `weights` must be in `true`, not in {it}', it="`pred`")
    >>> print(Speller(command).text(told))
    --missing lost needs memory, and --weight must be in TRUE, not in `pred`
    """

    def __init__(self, command: click.Command, called: Mapping[str, str] | None = None) -> None:
        self.command = command
        self.known = {
            str(param.name): max(param.opts, key=len)
            if isinstance(param, click.Option)
            else (param.metavar or str(param.name).upper()).strip("[].…")
            for param in command.params
        }
        others = {name: self.known[other] for name, other in OTHERWISE.items() if other in self.known}
        self.known = others | self.known
        self.known |= called or {}

    def text(self, message: str) -> str:
        """A message with options in place of arguments; text without parts stays as it is."""
        return message.spelled(self._part) if isinstance(message, Message) else message

    def hint(self, error: ClusterdiffError) -> str | None:
        """What to do: of the ways out those that the command has, and else what Python can do.

        >>> from clusterdiff.cli.commands.compare import command
        >>> from clusterdiff.errors import ArgumentError
        >>> ways = [Message("allow a larger `budget=`"), "ask for another measure", Message("look at `.costliest`")]
        >>> Speller(command).hint(ArgumentError("too large.", ways))
        'allow a larger --memory, or ask for another measure.'
        >>> Speller(command).hint(ArgumentError("no names.", Message("pass `points=[…]`, the name of each leaf.")))
        'clusterdiff compare has no option for it. In Python: pass points=[…], the name of each leaf.'
        """
        ours = [way for way in error.ways if all(map(self._has, way.code))]
        if error.ways and not ours:
            return f"clusterdiff {self.command.name} has no option for it. In Python: {error.hint}"
        told = ways_out(ours)
        if told is None:
            return None
        return self.text(told) if len(ours) > 1 or len(error.ways) == 1 else f"{self.text(told)}."

    def _has(self, part: Part) -> bool:
        return part.name in self.known if isinstance(part, Setting) else not isinstance(part, Code)

    def _part(self, part: Part) -> str:
        match part:
            case Argument(name) if name in self.known:
                return self.known[name]
            case Setting(name, value) if name in self.known:
                word = value.replace("_", "") if value[:1].isdigit() else value.strip("'\"")
                return self.known[name] if word in ("", "True") else f"{self.known[name]} {shlex.quote(word)}"
            case Verb(name):
                return f"clusterdiff {name}"
        return str(part)


def spelled(message: str) -> str:
    """A message as the command that runs spells it."""
    speller = _speller()
    return message if speller is None else speller.text(message)


def spelled_hint(error: ClusterdiffError) -> str | None:
    """What to do about an error, as the command that runs can do it."""
    speller = _speller()
    return error.hint if speller is None else speller.hint(error)


def _speller() -> Speller | None:
    context = click.get_current_context(silent=True)
    command = None if context is None else context.meta.get(COMMAND)
    return None if context is None or command is None else Speller(command, context.meta.get(CALLED))


def call(**arguments: str) -> None:
    """Have messages call arguments otherwise as long as the command runs: `true` is ``--old`` for two releases."""
    click.get_current_context().meta[CALLED] = arguments
