"""Policy: what the user chose for points that one side lacks and for noise, and how many points that touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from clusterdiff import notebook
from clusterdiff.errors import one_of
from clusterdiff.points.noise import MANY, NOTHING, Noise
from clusterdiff.table import record_html
from clusterdiff.wording import count, percent

Missing: TypeAlias = Literal["error", "drop", "singleton", "lost"]

MISSING = ("error", "drop", "singleton", "lost")
#: What to do about points that one side lacks, for the messages that refuse them.
MISSING_HINT = (
    'pass missing="drop" to leave them out, missing="singleton" to give each a cluster of its own, or missing="lost" '
    "to count them as not found or spurious."
)
#: What each policy does to points that one side lacks, if it does not count them as what they are.
MEANS: dict[str, str] = {
    "drop": "leaves them out of every measure",
    "singleton": "makes each a cluster of its own on the side that lacks it",
}
#: What it does to precision, recall and the loss if `true` (or `pred`) has less than half of the other's points.
PARTLY_TRUE: dict[str, str] = {
    "error": "",
    "drop": "points that were wrongly merged with others outside `true` are left out with them, so that precision "
    "looks too high and the loss to merges too low",
    "singleton": "all others count as true singletons, so that precision looks too low and the loss to "
    "merges too high if they are merely unlabelled",
    "lost": "all others count as spurious, so that precision looks too low if they are merely unlabelled",
}
PARTLY_PRED: dict[str, str] = {
    "error": "",
    "drop": "what `pred` did not find is left out, so that recall looks too high and the loss to splits too low",
    "singleton": "all others count as predicted singletons, so that recall is low and precision says little",
    "lost": "all others count as not found, so that recall is low and precision rests on few points",
}


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
        one_of("missing", self.missing, MISSING)

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
    def unshared(self) -> int:
        """How many points only one side has."""
        return self.missing_points + self.spurious_points

    @property
    def signature(self) -> str:
        """Its part of a comparison's signature."""
        told = f"{self.missing_points} missing, {self.spurious_points} spurious"
        lacking = told if self.missing == "lost" else str(self.unshared)
        missing = self.missing + (f"({lacking})" if self.unshared else "")
        return f"missing:{missing}|{self.noise.signature}"

    @property
    def notices(self) -> list[str]:
        """What users should know about what was done to their points: a sentence or two for each thing."""
        return [*self.noise.notices(), *self._missing_notices()]

    def _missing_notices(self) -> Iterator[str]:
        if self.missing in MEANS and self.unshared > MANY * self.points:
            share = f"{self.unshared:,} of the {count(self.points)} ({percent(self.unshared / self.points)})"
            yield f'only one side has {share}: missing="{self.missing}" {MEANS[self.missing]}.'
        shared = self.points - self.unshared
        for side, other, lacked, means in (
            ("true", "pred", self.spurious_points, PARTLY_TRUE),
            ("pred", "true", self.missing_points, PARTLY_PRED),
        ):
            if lacked > shared:
                covered = f"`{side}` has {shared:,} of the {shared + lacked:,} points of `{other}`"
                yield f"{covered}: {means[self.missing]}."

    def _repr_html_(self) -> str:
        facts = {
            "missing": self.missing,
            "points": self.points,
            "missing_points": self.missing_points,
            "spurious_points": self.spurious_points,
            "noise": self.noise.signature,
        }
        return record_html("Policy", facts, *map(notebook.line, self.notices))
