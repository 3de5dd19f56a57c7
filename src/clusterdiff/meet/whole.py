"""What measures read of an uneven meet: sums over its shared cells, in clusters with the points that one side lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clusterdiff.meet.uneven import UnevenMeet


class Whole:
    """The sums over the shared cells of an uneven meet in whole clusters, each computed when it is asked for."""

    def __init__(self, meet: UnevenMeet) -> None:
        self._meet = meet

    @property
    def true(self) -> Any:
        """All points of the true clustering."""
        return self._meet.true_mass.sum().item()

    @property
    def pred(self) -> Any:
        """All points of the predicted clustering."""
        return self._meet.pred_mass.sum().item()

    @property
    def lost(self) -> Any:
        """The points that only one of the two has."""
        return self._meet.missing.total + self._meet.spurious.total

    @property
    def alone(self) -> int:
        """How many these are, whatever they weigh."""
        return len(self._meet.missing) + len(self._meet.spurious)

    @property
    def recall(self) -> float:
        """Σ m²/a."""
        return self._over(self._meet.true_mass[self._meet.true])

    @property
    def precision(self) -> float:
        """Σ m²/b."""
        return self._over(self._meet.pred_mass[self._meet.pred])

    @property
    def element(self) -> float:
        """Σ m²/max(a, b)."""
        meet = self._meet
        return self._over(np.maximum(meet.true_mass[meet.true], meet.pred_mass[meet.pred]))

    def _over(self, size: npt.NDArray[Any]) -> float:
        """Σ m²/size; cells without weight add nothing."""
        mass = self._meet.mass.astype(float)
        return float(np.sum(np.divide(mass * mass, size, out=np.zeros(len(mass)), where=mass > 0)))
