"""reproduce: every claim of the paper tested, and its experiment run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clusterdiff.paper import story
from clusterdiff.paper.check import Check, check
from clusterdiff.paper.claims import (
    Claim,
    conclusion,
    proposition_5_1,
    proposition_5_2,
    propositions_4,
    section_6,
    sections_3_and_4,
    table_1,
    table_2,
)
from clusterdiff.paper.page import page
from clusterdiff.paper.series import FIGURE_3, Series, worsen

#: The paper's measures; K needs a k, and 2 is the only one with k ≤ √n for the n that can be enumerated.
MEASURES = (
    "R",
    "N",
    "A",
    "I",
    "nmi_max",
    "VI",
    "V",
    "K(k=2)",
    "S_H",
    "S*(pairs)",
    "S*(largest)",
    "S'(entropy)",
)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Reproduction:
    """All that :func:`reproduce` found."""

    points: int
    checks: dict[str, Check]
    claims: list[Claim]
    experiment: Series

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "points": self.points,
            "claims": [claim.to_dict() for claim in self.claims],
            "checks": {name: one.to_dict() for name, one in self.checks.items()},
            "experiment": self.experiment.to_dict(),
        }

    def to_markdown(self) -> str:
        """The page docs/paper.md."""
        return "\n".join(page(self.points, self.checks, self.claims, self.experiment)) + "\n"


def reproduce(points: int = 6, progress: Progress | None = None) -> Reproduction:
    """Test every claim of the paper on all pairs of clusterings of up to ``points`` points (at least 5)."""
    say = progress or (lambda _: None)
    checks = {name: check(name, points, progress=say) for name in MEASURES}
    checks |= {name: check(name) for name in ("entropy", "mse")}
    say("the experiment")
    experiment = worsen(story.true(), FIGURE_3, seed=0)
    claims = [
        *propositions_4(points),
        *sections_3_and_4(checks, points),
        *table_1(checks),
        *table_2(checks, points),
        *proposition_5_1(checks, points),
        *proposition_5_2(checks),
        *conclusion(),
        *section_6(experiment),
    ]
    return Reproduction(points, checks, claims, experiment)
