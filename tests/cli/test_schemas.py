"""What --json prints is what the schemas say; a key that they do not know is an error."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from clusterdiff.cli import main
from clusterdiff.cli.examples import customers
from tests.cases import cases
from tests.schemas import SCHEMAS, misfit

EXAMPLES = Path(customers.__file__).parent
KEY, RESPONSE = EXAMPLES / "key.conll", EXAMPLES / "response.conll"
#: Files that are no answer to --json, and what commands share.
OTHERS = {"common", "judgement", "patch"}
CONTEXT = click.Context(main)
COMMANDS = {name: main.get_command(CONTEXT, name) for name in main.list_commands(CONTEXT)}
WITH_JSON = {
    name for name, command in COMMANDS.items() if command and any(p.name == "as_json" for p in command.params)
}
#: What is run, by schema; --json is added.
RUNS = {
    "compare": [
        "compare true.csv pred.csv",
        "compare true.csv pred.csv --explain --by city --by size --by kind --top 1",
        "compare true.csv pred.csv --measure ari --explain --measures ari,vi,partition_distance",
        "compare true.csv pred.csv --weight weight --explain --measure b3.f1",
        "compare true.csv part.csv --missing lost --explain --by city",
        "compare true.csv part.csv --missing drop",
        "compare true.csv pred.csv --engine duckdb",
        "compare true.csv true.csv --explain",
        "compare true.csv true.csv --true city --pred cluster --explain",
        "compare --old old.csv --new new.csv --explain",
        f"compare '{KEY}' '{RESPONSE}' --by document --by size --explain",
        "compare big.csv --true cluster --pred pred --documents city --explain --measure ari",
        "compare big.csv --true cluster --pred pred --explain",
        "compare big.csv:cluster part.csv:cluster --missing lost --explain",
        "demo --explain --by source",
    ],
    "chance": [
        "chance true.csv pred.csv --draws 50",
        "chance true.csv pred.csv --measure ari --measure mi --model all1 --draws 50",
    ],
    "rank": [
        "rank true.csv pred.csv other.csv --resamples 50",
        "rank true.csv pred.csv other.csv --baseline baseline.json --measures as_h --resamples 50",
        "rank true.csv pred.csv --resamples 0",
        "rank --table runs.csv --resamples 0",
        "rank sample.csv pred.csv other.csv --design clusters",
    ],
    "sweep": [
        "sweep true.csv pairs.csv --measures S_H,ari",
        "sweep true.csv pairs.csv --at 0.1",
        "sweep true.csv wide.csv --columns 'res_*'",
    ],
    "matrix": ["matrix pred.csv other.csv", "matrix pred.csv other.csv --true true.csv --measure vi"],
    "judge": ["judge pred.csv judgements.csv", "judge --old pred.csv --new other.csv judgements.csv"],
    "judgements": [
        "judgements judgements.csv",
        "judgements judgements.csv contrary.csv",
        "judgements judgements.csv contrary.csv --settle --authors eva",
    ],
    "plan": ["plan pred.csv --error 0.05", "plan --old old.csv --new new.csv"],
    "estimate": [
        "estimate sample.csv pred.csv --design points",
        "estimate review.jsonl --old old.csv --new new.csv",
    ],
    "merge": ["merge base.csv ours.csv theirs.csv", "merge base.csv pred.csv other.csv"],
    "history": [
        "history old.csv new.csv pred.csv part.csv",
        "history old.csv new.csv part.csv --life 1 --record r2 --trace r1 r2",
        "history old.csv new.csv true.csv --name city",
    ],
    "measures": ["measures"],
    "check": ["check ari --points 3", "check S_H entropy --points 3"],
    "worsen": ["worsen true.csv --how paper", "worsen true.csv --how shuffle --steps 3 --measures S_H"],
    "doctor": ["doctor"],
}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder with the files that the commands name."""
    at = tmp_path_factory.mktemp("schemas")
    n = 30
    true = [f"r{i},{i // 3},{'Bonn' if i % 2 else 'Graz'},{1 + i % 3}" for i in range(n)]
    (at / "true.csv").write_text("\n".join(["id,cluster,city,weight", *true]))
    runs = {
        "pred": [i // 3 if i % 7 else 90 + i for i in range(n)],
        "other": [i // 4 for i in range(n)],
        "old": [i // 3 for i in range(n)],
        "new": [50, *((i // 3 + 1) % 10 for i in range(1, n))],
        "base": [i // 3 for i in range(n)],
        "ours": [i // 3 if i > 5 else 50 for i in range(n)],
        "theirs": [i // 3 if i < 27 else 60 + i for i in range(n)],
        "part": [i // 5 for i in range(n - 4)],
        "sample": [i // 3 for i in range(24)],
    }
    for name, labels in runs.items():
        rows = [f"r{i},{label}" for i, label in enumerate(labels)]
        (at / f"{name}.csv").write_text("\n".join(["id,cluster", *rows]))
    pairs = [f"r{i},r{i + 1},{0.9 if i % 3 < 2 else 0.2}" for i in range(n - 1)]
    (at / "pairs.csv").write_text("\n".join(["a,b,score", *pairs]))
    wide = [f"r{i},{i // 2},{i // 6}" for i in range(n)]
    (at / "wide.csv").write_text("\n".join(["id,res_0.5,res_1.0", *wide]))
    (at / "judgements.csv").write_text("a,b,verdict,by\nr1,r2,match,eva\nr0,r5,no match,eva\nr0,r1,match,\n")
    (at / "contrary.csv").write_text("a,b,verdict,by\nr2,r5,match,bob\n")
    # Most of Bonn is on its own, and every eighth cluster is a tangle with the next.
    big = [
        f"r{i},{i // 5},{90_000 + i if i % 3 == 0 else i // 5 + (i % 5 == 1 and i // 5 % 8 < 4)},"
        f"{'Bonn' if i % 3 == 0 else 'Graz'}"
        for i in range(900)
    ]
    (at / "big.csv").write_text("\n".join(["id,cluster,pred,city", *big]))
    made = [("true", ""), ("pred", "a"), ("pred", "b"), ("other", "")]
    listed = [f"{data},{system},{run},{system}.csv" for data in ("one", "two") for system, run in made]
    (at / "runs.csv").write_text("\n".join(["data,system,run,file", *listed]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(at)
        (at / "baseline.json").write_text(run("rank true.csv pred.csv other.csv --resamples 0 --json"))
        run("plan --old old.csv --new new.csv --draw 2 -o drawn.jsonl")
        header, *drawn = map(json.loads, (at / "drawn.jsonl").read_text().splitlines())
        answered = [header, *(line | {"answer": "1"} for line in drawn)]
        (at / "review.jsonl").write_text("\n".join(map(json.dumps, answered)))
        yield


def run(line: str) -> str:
    """What a command prints; 1 is what it says of its data, and 2 would be an error."""
    result = CliRunner().invoke(main, shlex.split(line))
    assert result.exit_code in (0, 1), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.stdout


@cases("name", RUNS)
def test_what_a_command_prints_is_what_its_schema_says(name: str) -> None:
    """In its main variants."""
    for line in RUNS[name]:
        assert misfit(name, json.loads(run(f"{line} --json"))) is None, f"clusterdiff {line} --json"


def test_patches_and_judgements_are_what_their_schemas_say() -> None:
    """Files that commands write."""
    for line in (
        "patch true.csv pred.csv",
        "patch true.csv part.csv --missing lost",
        "patch true.csv true.csv",
    ):
        assert misfit("patch", json.loads(run(line))) is None, line
    run("judgements judgements.csv -o written.jsonl")
    written = [json.loads(line) for line in Path("written.jsonl").read_text("utf-8").splitlines()]
    reviewed = [json.loads(line) for line in Path("review.jsonl").read_text("utf-8").splitlines()][1:]
    assert len(written) == 3
    for judgement in [*written, *reviewed, {"unsure": ["a", "b"]}]:
        assert misfit("judgement", judgement) is None
    assert misfit("judgement", {"groups": [["a"]], "unsure": ["b"]}) is not None


def test_every_command_with_json_has_a_schema_and_is_run() -> None:
    """And there is no schema that nothing prints. What the paper's claims take long for is validated with them."""
    assert {line.split()[0] for lines in RUNS.values() for line in lines} == WITH_JSON - {"paper"}
    assert set(SCHEMAS) == (WITH_JSON - {"demo"}) | OTHERS


def parts(schema: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """All schemas inside a schema, and where they stand."""
    if isinstance(schema, list):
        for i, one in enumerate(schema):
            yield from parts(one, f"{at}/{i}")
    elif isinstance(schema, dict):
        yield at, schema
        for key in ("$defs", "properties"):
            for name, one in schema.get(key, {}).items():
                yield from parts(one, f"{at}/{key}/{name}")
        for key in ("items", "additionalProperties", "anyOf", "oneOf"):
            yield from parts(schema.get(key), f"{at}/{key}")


@cases("name", SCHEMAS)
def test_schemas_know_all_keys_and_describe_them(name: str) -> None:
    """A key that no schema knows fails: in a judgement alone there may be others, and a sweep has measures."""
    Draft202012Validator.check_schema(SCHEMAS[name])
    for at, schema in parts(SCHEMAS[name]):
        if "properties" in schema and (name, at) != ("judgement", ""):
            assert schema["additionalProperties"] is False or "items" in schema["additionalProperties"], at
        for key, one in schema.get("properties", {}).items():
            assert "description" in one or "$ref" in one, f"{at}/{key}"


def test_the_page_of_schemas_lists_them_all() -> None:
    """With a link to each."""
    page = (Path(__file__).parents[2] / "docs" / "schemas.md").read_text("utf-8")
    listed = re.findall(r"\(\.\./src/clusterdiff/schemas/(\w+)\.json\)", page)
    assert sorted(listed) == sorted(SCHEMAS)
