"""A rule for missing points is one class: whoever lays points over each other asks it, and nobody knows it by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import duckdb
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.points.missing import RULES, Lost, Missing, MissingRule, Separated

SOURCE = Path(cd.__file__).parent
TRUE = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2}
PRED = {"a": 0, "b": 0, "c": 0, "d": 1, "x": 1, "y": 2}


class OnlyTrue(Lost):
    """Points that `true` lacks are no points; those that `pred` lacks are lost."""

    def known(self, true: Any, pred: Any) -> Any:
        return true


class TrueOrAlone(Separated):
    """Points that `true` lacks are left out; those that `pred` lacks are clusters of their own."""

    def compared(self, true: Any, pred: Any) -> Any:
        return true


def test_the_names_are_those_of_the_annotation() -> None:
    assert get_args(Missing) == tuple(RULES)


def test_nobody_but_the_rules_asks_for_a_rule_by_name() -> None:
    """The seam: what is done to missing points is what the rule answers."""
    asked = re.compile(r"\.missing\s*(==|!=|in\b|not in\b)")
    assert [str(path) for path in SOURCE.rglob("*.py") if asked.search(path.read_text())] == []


def pairs(folder: Path) -> dict[str, tuple[Any, Any]]:
    """The same two clusterings in memory, in files and in engines."""
    frames = [pl.DataFrame({"id": list(side), "cluster": list(side.values())}) for side in (TRUE, PRED)]
    paths = [str(folder / "true.parquet"), str(folder / "pred.parquet")]
    for frame, path in zip(frames, paths, strict=True):
        frame.write_parquet(path)
    con = duckdb.connect()
    relations = [con.sql(f"SELECT * FROM '{path}'") for path in paths]
    lazy = [frame.lazy() for frame in frames]
    return {"memory": (TRUE, PRED), "files": tuple(paths), "duckdb": tuple(relations), "polars": tuple(lazy)}  # type: ignore[dict-item]


@pytest.mark.parametrize("where", ["memory", "files", "duckdb", "polars"])
@pytest.mark.parametrize(
    ("rule", "by_hand"),
    [
        (OnlyTrue(), {"pred": {p: c for p, c in PRED.items() if p in TRUE}, "missing": "lost"}),
        (TrueOrAlone(), {"pred": {p: c for p, c in PRED.items() if p in TRUE}, "missing": "singleton"}),
    ],
    ids=["lost", "singleton"],
)
def test_a_new_rule_is_one_class(
    rule: MissingRule, by_hand: dict[str, Any], where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Memory, files and engines do what the class says, without having heard of it."""
    monkeypatch.setitem(RULES, "new", rule)
    expected = cd.compare(TRUE, by_hand["pred"], missing=by_hand["missing"])
    diff = cd.compare(*pairs(tmp_path)[where], missing="new")  # type: ignore[arg-type]
    assert diff.n == expected.n
    assert diff.score() == pytest.approx(expected.score(), abs=1e-15)
    assert diff.loss == pytest.approx(expected.loss)
    assert sorted(diff.by_point["point"].tolist()) == sorted(expected.by_point["point"].tolist())
    assert "missing:new" in diff.signature
