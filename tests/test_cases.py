"""Cases within one test: all are tried, and the one that fails is named."""

from __future__ import annotations

import inspect

import pytest

from tests.cases import cases


def test_all_cases_are_tried_and_a_failure_names_its_own() -> None:
    """Decorators are loops within each other, and what is left over is a fixture."""
    tried = []

    @cases("x", [1, 2])
    @cases(("y", "z"), [("a", 0), ("b", 1)])
    def check(tmp_path: str, x: int, y: str, z: int) -> None:
        tried.append((tmp_path, x, y, z))
        assert (x, y) != (2, "b")

    assert list(inspect.signature(check).parameters) == ["tmp_path"]
    with pytest.raises(AssertionError) as failed:
        check(tmp_path="here")
    assert tried == [("here", 1, "a", 0), ("here", 1, "b", 1), ("here", 2, "a", 0), ("here", 2, "b", 1)]
    assert failed.value.__notes__ == ["in the case y='b', z=1", "in the case x=2"]


def test_cases_without_any_or_of_another_name_are_refused() -> None:
    """A test that tries nothing passes."""
    with pytest.raises(AssertionError, match="no cases of"):
        cases("x", [])
    with pytest.raises(AssertionError, match="does not take"):
        cases("y", [1])(lambda x: None)
