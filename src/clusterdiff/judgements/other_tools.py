"""Findings that other tools keep in a form of their own: Babel's tests, and what OpenRefine merged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clusterdiff.errors import FileError
from clusterdiff.judgements.judgement import Judgement

#: Assertions about which names belong together, in whatever case they are written; Babel has others.
TOGETHER, APART = "resolveswith", "doesnotresolvewith"
#: A test as it stands in the text of an issue: {{BabelTest|ResolvesWith|A|B}}; and a block of several in YAML.
WIKI = re.compile(r"\{\{BabelTest\|(\w+)\|([^{}]+)\}\}", re.IGNORECASE)
BLOCK = re.compile(r"```yaml\s+babel_tests:\s*\n(.*?)```", re.DOTALL)
ASSERTION, FLOW = re.compile(r"\s*(\w+):\s*$"), re.compile(r"\s*-\s*\[(.*)\]\s*$")


def babel_of_text(text: str, place: str) -> list[Judgement]:
    """The tests in the text of an issue."""
    found = [(kind, [point.strip() for point in points.split("|")]) for kind, points in WIKI.findall(text)]
    for block in BLOCK.findall(text):
        found += _yaml(block, place)
    return [one for kind, points in found if (one := _babel(kind, points, place)) is not None]


def babel_of_json(data: Mapping[str, Any], place: str) -> list[Judgement]:
    """The tests of a JSON object: lists of names by assertion."""
    tests = data.get("babel_tests", data)
    if not isinstance(tests, Mapping):
        return []
    known = [(kind, lists) for kind, lists in tests.items() if str(kind).casefold() in (TOGETHER, APART)]
    return [
        one
        for kind, lists in known
        for points in lists or []
        if (one := _babel(kind, points if isinstance(points, list) else [points], place)) is not None
    ]


def _yaml(block: str, place: str) -> Iterator[tuple[str, list[str]]]:
    """The lists of names in a block of YAML, one per line: - [A, B]."""
    kind = ""
    for line in filter(str.strip, block.splitlines()):
        if match := ASSERTION.match(line):
            kind = match[1]
        elif match := FLOW.match(line):
            yield kind, [part.strip().strip("'\"") for part in match[1].split(",")]
        elif kind.casefold() in (TOGETHER, APART):
            raise FileError(
                f"{place}: the names of {kind} must be a list per line, - [A, B]; got {line.strip()!r}."
            )


def _babel(kind: str, points: Sequence[Any], place: str) -> Judgement | None:
    texts = list(map(str, points))
    name = f"{kind} {' '.join(texts)}"
    if kind.casefold() == TOGETHER:
        return Judgement.from_dict({"groups": [texts]}, name, place)
    if kind.casefold() != APART:
        return None
    return Judgement.from_dict({"groups": [[point] for point in texts]}, name, place)


def openrefine(operations: Sequence[Any], place: str) -> list[Judgement]:
    """What OpenRefine merged, from the history of its operations: a group for each value that others became."""
    out = []
    for number, operation in enumerate(operations, 1):
        if not isinstance(operation, Mapping) or operation.get("op") != "core/mass-edit":
            continue
        for edit in operation.get("edits") or []:
            if not isinstance(edit, Mapping) or not isinstance(edit.get("from"), list):
                raise FileError(
                    f'{place}, operation {number:,}: an edit must have "from", a list of values, and "to".'
                )
            values = sorted(
                {str(value) for value in (*edit["from"], edit.get("to")) if value not in (None, "")}
            )
            if len(values) > 1:
                name = f"{operation.get('columnName', 'edit')}: {edit.get('to')}"
                out.append(Judgement.from_dict({"groups": [values]}, name, place))
    if not out:
        raise FileError(f"{place} holds operations of OpenRefine, and none of them merges values.")
    return out
