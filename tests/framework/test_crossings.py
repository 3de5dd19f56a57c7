"""Where features cross: weights, noise, missing points and documents at once, and everything that can be asked then."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clusterdiff as cd

pytestmark = pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
LABELS = st.sampled_from([0, 1, 2, 3])
WEIGHTS = st.sampled_from([0.0, 1.0, 2.5, 1e-9, 1e12])
ASKED: dict[str, Callable[[cd.types.Comparison], Any]] = {
    "loss": lambda diff: (diff.loss, diff.loss_of("ari")),
    "tables": lambda diff: [list(t) for t in (diff.components, diff.splits, diff.merges, diff.cells)],
    "points": lambda diff: list(diff.by_point),
    "explain": lambda diff: (str(diff.explain()), str(diff.explain("ari"))),
    "repairs": lambda diff: (diff.repairs(), diff.repairs("ari"), diff.repairs("b3.f1")),
    "gains": lambda diff: [diff.gains(name) for name in ("S_H", "vi", "ari", "f_measure")],
    "by": lambda diff: (diff.by("size"), diff.by("kind")),
    "events": lambda diff: (diff.events, diff.fates, diff.origins, diff.redirects),
    "crosswalk": lambda diff: (diff.crosswalk, diff.reused, diff.cases, diff.changes),
    "patterns": lambda diff: str(diff.patterns()),
    "patch": lambda diff: diff.patch(),
    "words": lambda diff: (repr(diff), diff.signature, diff.notices),
}


@st.composite
def sides(draw: st.DrawFn) -> tuple[Any, Any, dict[str, Any]]:
    """Two clusterings of up to eight points, and options that go with them."""
    n = draw(st.integers(1, 8))
    true, pred = (draw(st.lists(LABELS, min_size=n, max_size=n)) for _ in range(2))
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["noise"] = draw(LABELS)
    if draw(st.booleans()):
        options["weights"] = draw(st.lists(WEIGHTS, min_size=n, max_size=n))
    if draw(st.booleans()):
        return true, pred, options
    names = [f"p{i}" for i in range(n)]
    known = [draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(2)]
    left, right = (
        {name: label for name, label, here in zip(names, side, there, strict=True) if here}
        for side, there in zip((true, pred), known, strict=True)
    )
    if "weights" in options:
        options["weights"] = dict(zip(names, options["weights"], strict=True))
    return left, right, options | {"missing": draw(st.sampled_from(["drop", "singleton", "lost"]))}


@settings(max_examples=100)
@given(sides())
@example(([0, 1], [2, 2], {"noise": 2}))
@example(({"p": 0}, {"q": 1}, {"missing": "lost"}))
@example(({}, {"q": 0}, {"missing": "lost"}))
@example(({"p": 0}, {"q": 1}, {"missing": "lost", "weights": {"p": 0.0, "q": 1.0}}))
def test_whatever_is_asked_is_answered_or_refused(drawn: tuple[Any, Any, dict[str, Any]]) -> None:
    """Nothing fails but with an error of ours."""
    true, pred, options = drawn
    try:
        diff = cd.compare(true, pred, **options)
    except cd.ClusterdiffError:
        return
    for ask in ASKED.values():
        with suppress(cd.ClusterdiffError):
            ask(diff)


def test_gains_where_true_clusters_weigh_nothing() -> None:
    """They are no part of any sum, so that nothing has to be recomputed."""
    diff = cd.compare([0, 1, 1, 2, 3], [0, 0, 0, 0, 0], weights=[0.0, 1.0, 1.0, 2.0, 0.0])
    gains = diff.gains("vi")
    assert gains.left_out == 0
    assert [row.gain for row in gains] == [pytest.approx(diff.score("vi"))]
