"""Estimates of a run that stays in its engine."""

from __future__ import annotations

from typing import Any

import pytest

import clusterdiff as cd


@pytest.mark.parametrize("named", ["text", "whole"])
def test_an_engine_estimates_what_memory_does(named: str, frame: Any) -> None:
    """By names and by numbers; a number that no column can hold is no point of the run."""
    names: list[Any] = [f"p{i}" if named == "text" else i for i in range(60)]
    label = [i // 3 if i % 7 else 90 + i % 4 for i in range(60)]
    run = frame({"record": names, "cluster": label})
    draws = [[names[i] for i in range(start, start + 4)] for start in (0, 8, 20, 36, 48)]
    wanted = cd.estimate(draws, dict(zip(names, label, strict=True)), design="clusters")
    assert cd.estimate(draws, run, design="clusters").to_dict() == wanted.to_dict()
    if named == "whole":
        with pytest.raises(cd.LabelError, match="lacks 3 points of the sample"):
            cd.estimate([[10**30, "x", "07"]], run, design="clusters")
