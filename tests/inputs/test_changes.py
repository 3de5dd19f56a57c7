"""What was passed may be changed afterwards: no answer changes with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd

N = 300


def labels(kind: str, values: np.ndarray) -> Any:
    """Labels in a container that its owner can write to."""
    match kind:
        case "list":
            return [f"c{v}" for v in values.tolist()]
        case "text":
            return np.array([f"c{v}" for v in values.tolist()])
        case "objects":
            return np.array([f"c{v}" for v in values.tolist()], dtype=object)
        case "view":
            return np.repeat(values, 2)[::2]
        case "spread":
            return values.astype(np.int64) * 10**15
        case "masked":
            return np.ma.MaskedArray(values.copy(), mask=values == 0)
        case "pandas":
            return pd.Series(values.copy())
        case _:
            return values.astype(kind)


def spoil(data: Any) -> None:
    """Change every label in place."""
    if isinstance(data, list):
        data[:] = ["spoilt"] * len(data)
    elif isinstance(data, pd.Series):
        data.iloc[:] = 0
    elif data.dtype.kind in "UO":
        data[:] = "x"
    else:
        data[:] = 0


def answers(diff: cd.Comparison) -> list[Any]:
    """Everything that is read late."""
    return [
        diff.scores(["S_H", "ari", "A", "b3.f1"]),
        diff.true.to_dict(),
        diff.pred.to_dict(),
        [(c.true, c.pred, c.points) for c in diff.components],
        diff.by([i % 3 for i in range(N)]).to_dict(),
        diff.repairs().to_dict(),
        None if diff.policy.unshared else diff.patch().to_dict(),
        diff.meet.cell_of_point.tolist(),
    ]


@pytest.mark.parametrize(
    "kind",
    ["int64", "uint8", "list", "text", "objects", "view", "spread", "masked", "pandas"],
)
def test_changed_labels_change_nothing(kind: str) -> None:
    """Whatever is asked for the first time after the change is what it was before."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 9, N), rng.integers(0, 12, N)
    made = [labels(kind, side) for side in (true, pred)]
    expected = answers(cd.compare(*(labels(kind, side) for side in (true, pred)), missing="singleton"))
    diff = cd.compare(*made, missing="singleton")
    for side in made:
        spoil(side)
    assert answers(diff) == expected


def test_changed_weights_and_features_change_nothing() -> None:
    """Nor do the numbers of the points."""
    pytest.importorskip("ot")
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 4, 40), rng.integers(0, 4, 40)
    weights, features = rng.random(40), rng.normal(size=(40, 2))

    def asked(diff: cd.Comparison) -> list[Any]:
        return [diff.score(), diff.score("S_MSE"), diff.score("cdistance"), diff.by([0, 1] * 20).to_dict()]

    expected = asked(cd.compare(true, pred, features=features.copy()))
    diff = cd.compare(true, pred, features=features)
    features[:] = 0.0
    assert asked(diff) == expected
    heavy = cd.compare(true, pred, weights=weights)
    before = heavy.by([0, 1] * 20).to_dict(), heavy.score()
    again = cd.compare(true, pred, weights=weights)
    weights[:] = 1.0
    assert (again.by([0, 1] * 20).to_dict(), again.score()) == before
