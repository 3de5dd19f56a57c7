"""Policy: what the user chose for points that one side lacks and for noise, and how many points that touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clusterdiff import notebook
from clusterdiff.errors import one_of
from clusterdiff.messages import Message, joined
from clusterdiff.points.missing import RULES, SAMPLE_HINT, Missing, MissingRule
from clusterdiff.points.noise import MANY, NOTHING, Noise
from clusterdiff.table import record_html
from clusterdiff.wording import count, percent

MISSING = tuple(RULES)


@dataclass(frozen=True)
class Policy:
    """What to do with points that one side lacks and with noise, and to how many it was done.

    ``points`` are the points that either side has. ``missing_points`` are those that only `true` has,
    ``spurious_points`` those that only `pred` has.

    >>> Policy("drop").counted(points=9, missing=3).signature
    'missing:drop(3)|noise:-'
    """

    missing: Missing = "error"
    noise: Noise = NOTHING
    points: int = 0
    missing_points: int = 0
    spurious_points: int = 0

    def __post_init__(self) -> None:
        one_of("missing", self.missing, RULES)

    def counted(
        self, points: int = 0, missing: int = 0, spurious: int = 0, noise: Noise | None = None
    ) -> Policy:
        """The same policy after it was applied to so many points."""
        return replace(
            self,
            points=points,
            missing_points=missing,
            spurious_points=spurious,
            noise=self.noise if noise is None else noise,
        )

    @property
    def rule(self) -> MissingRule:
        """What becomes of points that one side lacks."""
        return RULES[self.missing]

    @property
    def unshared(self) -> int:
        """How many points only one side has."""
        return self.missing_points + self.spurious_points

    @property
    def keeps_spurious(self) -> bool:
        """Whether points that only `pred` has are among those compared."""
        return self.spurious_points > 0 and self.rule.keeps(False, True)

    @property
    def signature(self) -> str:
        """Its part of a comparison's signature."""
        lacking = self.rule.lacking(self.missing_points, self.spurious_points)
        missing = self.missing + (f"({lacking})" if self.unshared else "")
        return f"missing:{missing}|{self.noise.signature}"

    @property
    def notices(self) -> list[str]:
        """What users should know about what was done to their points: a sentence or two for each thing."""
        return [*self.noise.notices(), *self._missing_notices()]

    def _missing_notices(self) -> Iterator[str]:
        rule = self.rule
        if rule.means and self.unshared > MANY * self.points:
            share = f"{self.unshared:,} of the {count(self.points)} ({percent(self.unshared / self.points)})"
            told = 'only one side has {share}: `missing="{missing}"` {means}.'
            yield Message(told, share=share, missing=self.missing, means=rule.means)
        shared = self.points - self.unshared
        for side, other, lacked, means in (
            ("true", "pred", self.spurious_points, rule.partly_true),
            ("pred", "true", self.missing_points, rule.partly_pred),
        ):
            if lacked > shared:
                yield Message(
                    "`{side}` has {shared:,} of the {points:,} points of `{other}`: {means}.{sample}",
                    sample=joined(["", SAMPLE_HINT]) if side == "true" else "",
                    side=side,
                    shared=shared,
                    points=shared + lacked,
                    other=other,
                    means=means,
                )

    @property
    def partial_truth(self) -> str:
        """A sentence on a `true` that has far fewer points than `pred`, where there is room for one; or nothing."""
        shared = self.points - self.unshared
        if self.spurious_points <= shared:
            return ""
        told = "`true` has {shared:,} of the {points:,} points of `pred`. {hint}"
        return Message(told, shared=shared, points=shared + self.spurious_points, hint=SAMPLE_HINT)

    def _repr_html_(self) -> str:
        facts = {
            "missing": self.missing,
            "points": self.points,
            "missing_points": self.missing_points,
            "spurious_points": self.spurious_points,
            "noise": self.noise.signature,
        }
        return record_html("Policy", facts, *map(notebook.line, self.notices))
