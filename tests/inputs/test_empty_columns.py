"""Columns of categories without any row: refused like any other side without points."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from tests.cases import cases

EMPTY: dict[str, Any] = {
    "list": [],
    "polars": pl.Series([], dtype=pl.Categorical),
    "pandas": pd.Series([], dtype="category"),
    "pyarrow": pa.array([], pa.string()).dictionary_encode(),
}


@cases("kind", EMPTY)
def test_no_categories_are_no_points(kind: str) -> None:
    """In words that name the side, whatever holds nothing."""
    with pytest.raises(cd.LabelError, match="empty"):
        cd.compare(EMPTY[kind], EMPTY[kind])
    with pytest.raises(cd.LabelError, match="pred"):
        cd.compare(["a", "b"], EMPTY[kind])
