"""Hints as they are meant in a shell: arguments of Python as the options that stand for them."""

from __future__ import annotations

import re

#: Arguments whose option has another name than they have.
OTHERWISE = {"weights": "weight", "budget": "memory"}
ARGUMENTS = (
    "missing", "noise", "noise_true", "noise_pred", "noise_as", "point", "features", "documents", "distances",
    "unit", "thresholds", "resamples", "draws", *OTHERWISE,
)  # fmt: skip
ARGUMENT = re.compile(rf"(?<![\w.])({'|'.join(ARGUMENTS)})=(?:\"(\w+)\"|(\d[\d_]*))?( to compare\(\))?")


def option(argument: str) -> str:
    """The option of an argument.

    >>> option("noise_as"), option("weights")
    ('--noise-as', '--weight')
    """
    return f"--{OTHERWISE.get(argument, argument).replace('_', '-')}"


def in_shell(hint: str) -> str:
    """A hint with options in the place of arguments.

    >>> in_shell('pass missing="drop" to leave them out, or features= to compare().')
    'pass --missing drop to leave them out, or --features.'
    """
    return ARGUMENT.sub(
        lambda found: " ".join(filter(None, (option(found[1]), found[2], (found[3] or "").replace("_", "")))),
        hint,
    )
