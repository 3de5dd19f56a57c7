"""The page's script writes numbers and labels as Python does."""

from __future__ import annotations

import random
from importlib.resources import files
from typing import Any

import pytest

from clusterdiff.show.pages import visible
from clusterdiff.wording import change, number, percent
from tests.hostile import HOSTILE

VALUES = [
    *(
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        0.25,
        43.0,
        1e-300,
        5e-324,
        4.9e-5,
        5e-5,
        5.1e-5,
        0.99994,
        0.99995,
        0.999951,
    ),
    *(1 - 1e-9, 1 - 2**-53, 1 + 2**-52, 999.5, 999.99996, 1000.0, 1000.5, 1001.5, 1234567.8, 2.5, 1.00005),
    *(k / 2**m for m in range(1, 12) for k in (1, 3, 5, 7, 2**m - 1, 2**m + 1)),  # exact ties among them
    *(0.005, 0.015, 0.025, 0.045, 0.995, 0.9999949, 0.99999951, 2e-8, 1e-6, 9.5e-7),
]


@pytest.fixture(scope="module")
def run(browser: Any) -> Any:
    """Call one of the functions that every page has on each of many values."""
    common = files("clusterdiff.show.common")
    source = "\n".join(
        common.joinpath(name).read_text(encoding="utf-8") for name in ("numbers.js", "values.js")
    )
    page = browser.new_context(offline=True).new_page()
    return lambda name, values: page.evaluate(
        f"(values) => {{ {source}\nreturn values.map((v) => {name}(v)); }}", values
    )


@pytest.mark.parametrize("function", [number, change, percent], ids=lambda function: function.__name__)
def test_numbers_read_the_same(run: Any, function: Any) -> None:
    """Ties, tiny and large values, values next to 1, and many at random."""
    rng = random.Random(4)
    values = [*VALUES, *(-value for value in VALUES), *(10 ** rng.uniform(-9, 7) for _ in range(2_000))]
    if function is percent:
        values = [value for value in values if 0 <= value <= 1]
    values += [rng.random() for _ in range(2_000)]
    assert dict(zip(values, run(function.__name__, values), strict=True)) == {v: function(v) for v in values}


def test_labels_read_the_same(run: Any) -> None:
    """What cannot be seen is spelt out, and long text is cut, in the same way."""
    labels = [
        label
        for label in [*HOSTILE, "tab\tline\nend", "\xa0\xad\u2066x", "\U0001f600", "\U000e0001"]
        if label != "\ud800"
    ]
    assert run("shown", labels) == [visible(label) for label in labels]
