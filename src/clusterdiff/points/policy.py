"""Policy: what the user chose for points without a cluster on one side and for noise, and how many it concerned."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from clusterdiff.errors import one_of
from clusterdiff.points.noise import Noise

Missing: TypeAlias = Literal["error", "drop", "singleton"]

MISSING = ("error", "drop", "singleton")
#: What to do about points that one side lacks, for the messages that refuse them.
MISSING_HINT = (
    'pass missing="drop" to leave them out, or missing="singleton" to give each a cluster of its own.'
)


@dataclass(frozen=True)
class Policy:
    """What to do with points that one side lacks and with noise, and to how many it was done.

    >>> Policy("drop", Noise.told(-1)).counted(missing=3).signature
    'missing:drop(3)|noise:true=-1→singleton(0),pred=-1→singleton(0)'
    """

    missing: Missing = "error"
    noise: Noise = field(default_factory=Noise)
    missing_points: int = 0

    def __post_init__(self) -> None:
        one_of("missing", self.missing, MISSING)

    def counted(self, missing: int = 0, noise: Noise | None = None) -> Policy:
        """The same, having been applied to so many points."""
        return replace(self, missing_points=missing, noise=noise or self.noise)

    @property
    def signature(self) -> str:
        """Its part of a comparison's signature."""
        missing = self.missing + (f"({self.missing_points})" if self.missing_points else "")
        return f"missing:{missing}|{self.noise.signature}"
