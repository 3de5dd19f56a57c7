"""Policy: what the user chose for points that one side lacks and for noise, and how many points that touched."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from clusterdiff.errors import one_of

Missing: TypeAlias = Literal["error", "drop", "singleton"]
NoiseAs: TypeAlias = Literal["singleton", "cluster", "drop"]

MISSING = ("error", "drop", "singleton")
NOISE_AS = ("singleton", "cluster", "drop")
#: What to do about points that one side lacks, for the messages that refuse them.
MISSING_HINT = (
    'pass missing="drop" to leave them out, or missing="singleton" to give each a cluster of its own.'
)


@dataclass(frozen=True)
class Policy:
    """What to do with points that one side lacks and with noise; ``…_points`` count the points touched.

    >>> Policy("drop", noise=-1).counted(missing=3, noise=1).signature
    'missing:drop(3)|noise:-1=singleton(1)'
    """

    missing: Missing = "error"
    noise: Hashable | None = None
    noise_as: NoiseAs = "singleton"
    missing_points: int = 0
    noise_points: int = 0

    def __post_init__(self) -> None:
        one_of("missing", self.missing, MISSING)
        one_of("noise_as", self.noise_as, NOISE_AS)

    def counted(self, missing: int = 0, noise: int = 0) -> Policy:
        """The same policy after it was applied to so many points."""
        return replace(self, missing_points=missing, noise_points=noise)

    @property
    def signature(self) -> str:
        """Its part of a comparison's signature."""
        missing = self.missing + (f"({self.missing_points})" if self.missing_points else "")
        noise = "-" if self.noise is None else f"{self.noise}={self.noise_as}({self.noise_points})"
        return f"missing:{missing}|noise:{noise}"
