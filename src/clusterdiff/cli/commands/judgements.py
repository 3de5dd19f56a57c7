"""clusterdiff judgements: what is claimed, by whom, and where claims contradict each other."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click

from clusterdiff.cli.inputs import policy_options, read_columns, sources, told
from clusterdiff.cli.options import (
    AT_LEAST_NONE,
    cluster_option,
    json_option,
    output_option,
    point_option,
    split_names,
)
from clusterdiff.cli.output import console, error_console, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import check_outputs
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.precedence import Aside
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count

top_option = click.option(
    "--top", type=AT_LEAST_NONE, default=10, show_default=True, help="How many rows to show."
)
key_option = click.option(
    "--key",
    metavar="COLUMN",
    help="Names the points where a file has more than one column: dedupe, Zingg, splink; or several, with commas.",
)


@click.command(name="judgements")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--expand",
    nargs=2,
    metavar="TRUE PRED",
    help="The two files whose page refers to cells or groups, of which it did not hold all points.",
)
@click.option(
    "--attributes",
    metavar="FILE",
    help="With --expand: the table that the page had more columns from; see --key.",
)
@point_option
@cluster_option
@policy_options
@click.option("--settle", is_flag=True, help="Let author and date decide contradictions.")
@click.option(
    "--authors", metavar="NAMES", help="With --settle: authors, the most trusted first, separated by commas."
)
@key_option
@output_option("Write the judgements that stand, as JSON lines.")
@top_option
@json_option
def command(
    files: tuple[str, ...],
    expand: tuple[str, str] | None,
    attributes: str | None,
    point: str | None,
    cluster: str | None,
    policy: dict[str, Any],
    settle: bool,
    authors: str | None,
    key: str | None,
    output: str | None,
    top: int,
    as_json: bool,
) -> None:
    """Summarise judgements: what they claim, by whom, and where they contradict each other.

    FILE is JSON lines or CSV of judgements, or a file of splink, nomenklatura, matchbox, Babel, Zingg or dedupe.
    Contradictions are shown with the shortest path, and make the command exit with 1. --settle decides by author and
    date, and lists the judgements set aside. --expand compares TRUE and PRED as for the page on which the judgements
    were made, and replaces its references by points.
    """
    if authors is not None and not settle:
        raise ArgumentError("--authors says whom to trust, and needs --settle.")
    check_outputs([output], *files)
    if attributes is not None and expand is None:
        raise ArgumentError("--attributes names the table whose columns the page used, and needs --expand.")
    compared = _compared(expand, point, cluster, policy)
    more = (
        read_columns(attributes, key, *sources(*expand, point=point, cluster=cluster))
        if attributes and expand
        else None
    )
    found = Judgements.read(*files, key=key, comparison=compared, attributes=more)
    before = found.contradictions
    aside: tuple[Aside, ...] = ()
    if settle:
        settled = found.settle(split_names(authors or ""))
        found, aside = settled.judgements, settled.aside
    left = found.contradictions
    if as_json:
        print_json(_told(found, aside) | {"contradictions": [one.to_dict() for one in before]})
    else:
        _print(
            found, len(before), [str(one) for one in aside] if settle else [str(one) for one in before], top
        )
    if output is not None and not left:
        found.write(output)
        error_console().print(f"{output}: {count(len(found), 'judgement')}", markup=False, soft_wrap=True)
    if left:
        if output is not None:
            error_console().print(
                "nothing is written while judgements contradict each other; --settle lets author and date decide",
                style="red",
                soft_wrap=True,
            )
        sys.exit(1)


def _compared(
    files: tuple[str, str] | None, point: str | None, cluster: str | None, policy: dict[str, Any]
) -> Comparison | None:
    """The comparison whose cells a page refers to."""
    if files is None:
        said = {
            "--point": point,
            "--cluster": cluster,
            "--missing": policy["missing"],
            "--noise": policy["noise"],
        }
        for option in (name for name, value in said.items() if value is not None):
            raise ArgumentError(f"{option} says how TRUE and PRED are compared, and needs --expand.")
        return None
    with told(), progress("comparing"):
        found = compare(*sources(*files, point=point, cluster=cluster), **policy)
    if isinstance(found, CorpusComparison):
        raise ArgumentError("--expand is for one clustering, not for documents of mentions.")
    return found


def _told(found: Judgements, aside: tuple[Aside, ...]) -> dict[str, Any]:
    """What is claimed, in numbers."""
    claims = [one for one in found if one.claims]
    out: dict[str, Any] = {
        "judgements": len(found),
        "points": len({point for one in found for point in one.points}),
        "authors": dict(Counter(one.by for one in found if one.by is not None).most_common()),
        "together": sum(len(group) * (len(group) - 1) // 2 for one in claims for group in one.groups),
        "apart": sum(_apart([len(group) for group in one.groups]) for one in claims),
        "unsure": sum(not one.groups for one in found),
        "withdrawn": sum(one.withdrawn for one in found),
        "drawn": sum(one.probability is not None for one in found),
    }
    if not found.contradictions:
        out |= {"blocks": len(found.facts.blocks), "blocks_apart": found.facts.pairs_apart}
    out["aside"] = [
        {"judgement": one.judgement.id, "contradiction": one.contradiction.to_dict()} for one in aside
    ]
    return out


def _apart(sizes: list[int]) -> int:
    return (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2


def _print(found: Judgements, contradictions: int, lines: list[str], top: int) -> None:
    told = _told(found, ())
    out = console()

    def say(text: str, style: str = "") -> None:
        out.print(text, style=style, markup=False, soft_wrap=True)

    authors = ", ".join(f"{name} {number:,}" for name, number in list(told["authors"].items())[:top])
    if len(told["authors"]) > top:
        authors += f" and {count(len(told['authors']) - top, 'other')}"
    say(
        f"{count(told['judgements'], 'judgement')} about {count(told['points'])}{f' by {authors}' if authors else ''}"
    )
    say(f"{count(told['together'], 'pair')} together, {told['apart']:,} apart")
    others = {word: told[word] for word in ("unsure", "withdrawn", "drawn") if told[word]}
    if others:
        said = {"drawn": "drawn with a known probability"}
        say(", ".join(f"{number:,} {said.get(word, word)}" for word, number in others.items()))
    if "blocks" in told:
        blocks, apart = count(told["blocks"], "block"), count(told["blocks_apart"], "pair")
        say(f"they make {blocks} of points that belong together, and set {apart} of blocks or points apart")
    if contradictions:
        say(
            f"\n{count(contradictions, 'contradiction')}"
            + (", shortest first" if contradictions > 1 else ""),
            "red",
        )
        for line in lines[:top]:
            say(f"  {line}")
        if len(lines) > top:
            say(f"  … {count(len(lines) - top, 'more line')}; --top shows more", "dim")
