"""clusterdiff patch: write down what turns PRED into TRUE."""

from __future__ import annotations

from typing import Any

import click

from clusterdiff.cli.inputs import input_options, sources, told
from clusterdiff.cli.options import output_option
from clusterdiff.cli.output import error_console, print_data
from clusterdiff.cli.writing import refuse_overwriting
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.diff.patch import SplitOff
from clusterdiff.errors import ArgumentError
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count


@click.command(name="patch")
@click.argument("true", metavar="TRUE")
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@output_option()
def command(true: str, pred: str | None, output: str | None, **inputs: Any) -> None:
    """Write the split and merge operations that turn PRED into TRUE, as JSON.

    `clusterdiff apply PRED FILE` carries them out.
    """
    both = sources(true, pred, **inputs)
    refuse_overwriting([output], *both)
    with told():
        diff = compare(*both)
    if isinstance(diff, CorpusComparison):
        raise ArgumentError("a patch is for one clustering, not for documents of mentions.")
    patch = diff.patch()
    if output is None:
        print_data(patch.to_json())
        return
    patch.write(output)
    splits = sum(isinstance(operation, SplitOff) for operation in patch.operations)
    error_console().print(
        f"{output}: {count(splits, 'split')} and {count(len(patch) - splits, 'merge')}",
        markup=False,
        soft_wrap=True,
    )
