"""clusterdiff patch: write down what turns PRED into TRUE."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from clusterdiff.cli.inputs import input_options, policy_options, sources, told
from clusterdiff.cli.options import output_option
from clusterdiff.cli.output import error_console, print_data
from clusterdiff.cli.writing import check_outputs
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count


@click.command(name="patch")
@click.argument("true", metavar="TRUE")
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@policy_options
@click.option("--text", is_flag=True, help="Write it in words, for people.")
@output_option()
def command(
    true: str, pred: str | None, policy: dict[str, Any], text: bool, output: str | None, **inputs: Any
) -> None:
    """Write the operations that turn PRED into TRUE, as JSON.

    `clusterdiff apply RUN FILE` applies them to PRED or to a later run. With --missing drop, points on one side only
    are left unchanged, so that a truth that is a sample can patch the whole run. With --missing lost they are added or
    removed.
    """
    both = sources(true, pred, **inputs)
    check_outputs([output], *both)
    with told():
        diff = compare(*both, **policy)
    if isinstance(diff, CorpusComparison):
        raise ArgumentError("a patch is for one clustering, not for documents of mentions.")
    patch = diff.patch()
    written = f"{patch}\n" if text else patch.to_json()
    if output is None:
        print_data(written)
        return
    write_text(output, written)
    kinds = Counter(next(iter(operation.to_dict())) for operation in patch.operations)
    told_kinds = ", ".join(
        count(kinds[kind], kind) for kind in ("remove", "split", "merge", "add") if kinds[kind]
    )
    error_console().print(f"{output}: {told_kinds or 'nothing to change'}", markup=False, soft_wrap=True)
