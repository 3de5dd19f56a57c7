"""How likely chance is at least as good as a value: p, and what kind of statement that is."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, lgamma, log, log10
from typing import Literal, TypeAlias

import numpy as np

from clusterdiff.diff.orders import ChanceMoments, deviations
from clusterdiff.measures.tables import Tables
from clusterdiff.meet.margins import Margins
from clusterdiff.points.labels import FloatArray

PKind: TypeAlias = Literal["certain", "exact", "bound", "approximate", "drawn"]

#: A bound is worth telling from here on; a larger p is drawn.
BOUND = 1e-4
#: So many draws that reach the value fix p (Besag & Clifford 1991).
ENOUGH = 20
#: From this number on a share is no longer told as one over it.
ONE_OVER = 1_000_000


@dataclass(frozen=True)
class P:
    """A p-value, its kind, and its logarithm to base 10, which is a number where p itself is too small to be one."""

    value: float
    kind: PKind
    log10: float

    @classmethod
    def of(cls, value: float, kind: PKind) -> P:
        """From a p that is large enough to be a number."""
        value = min(1.0, float(value))
        return cls(value, kind, log10(value) if value > 0 else -inf)


CERTAIN = P(1.0, "certain", 0.0)


def told(value: float, kind: PKind | None, logarithm: float) -> str:
    """A p-value with its kind.

    >>> told(1 / 280, "exact", -2.447), told(0.0, "exact", -5065.3), told(2.6e-8, "approximate", -7.6)
    ('p = 1/280 (exact)', 'p = 10^-5,065 (exact)', 'p ≤ 2.6e-8 (approximate)')
    >>> told(0.25, "drawn", -0.6), told(0.0000312, "bound", -4.5), told(1.0, "certain", 0.0)
    ('p = 0.25', 'p ≤ 3.1e-5', 'p = 1 (shuffling changes nothing)')
    """
    match kind:
        case None:
            return "p not known"
        case "certain":
            return "p = 1 (shuffling changes nothing)"
        case "bound" | "approximate":
            return f"p ≤ {_number(value, logarithm)}{' (approximate)' if kind == 'approximate' else ''}"
        case "exact":
            over = 1 / value if value > 0 else inf
            if 1.5 < over < ONE_OVER and abs(over - round(over)) < 1e-9 * over:
                return f"p = 1/{round(over):,} (exact)"
            return f"p = {_number(value, logarithm)} (exact)"
    return f"p = {_number(value, logarithm)}"


def _number(value: float, logarithm: float) -> str:
    # Far from any draw, digits say nothing that the power of ten does not.
    return f"{value:.2g}".replace("e-0", "e-") if logarithm > -16 else f"10^{logarithm:,.0f}"


def slack(value: float) -> float:
    """By how much equal values may differ, since sums are added up in another order."""
    return 1e-12 * max(1.0, abs(value))


def identical(margins: Margins) -> P:
    """How likely labels fall on the very same clusters: Π a! Π_k (clusters of k points)! / n!."""
    side = margins.true
    logs = sum(
        count * lgamma(size + 1) + lgamma(count + 1)
        for size, count in zip(side.sizes.tolist(), side.counts.tolist(), strict=True)
    )
    logarithm = min(0.0, (logs - lgamma(margins.n + 1)) / log(10))
    return P(10**logarithm, "exact", logarithm)


def among(tables: Tables, values: FloatArray, value: float) -> P:
    """How likely tables are whose values are at least this one."""
    return P.of(float(np.sum(tables.weights[values >= value - slack(value)])), "exact")


def bound(moments: ChanceMoments, value: float) -> P | None:
    """What p cannot exceed for a sum that is never negative, if that is little: by Markov and by Cantelli.

    Cantelli's inequality needs the variance; if that is known but about, so is the bound.
    """
    if value <= moments.mean:
        return None
    bounds = [P.of(moments.mean / value, "bound")]
    z = deviations(moments, value)
    if z is not None:
        bounds.append(P.of(1 / (1 + z * z), "bound" if moments.exact else "approximate"))
    small = [found for found in bounds if found.value <= BOUND]
    # What is certain goes before what is about.
    return min(small, key=lambda found: (found.kind != "bound", found.value), default=None)


class Count:
    """Draws that reach a value, counted until they are enough."""

    def __init__(self) -> None:
        self.draws = self.reached = 0

    @property
    def enough(self) -> bool:
        """Whether p is fixed."""
        return self.reached == ENOUGH

    def add(self, reached: bool) -> None:
        """One more draw; what comes after enough of them changes nothing."""
        if not self.enough:
            self.draws += 1
            self.reached += reached

    @property
    def p(self) -> P:
        """The share of draws it took to reach the value often enough; or that of all draws, the value being one."""
        if self.enough:
            return P.of(self.reached / self.draws, "drawn")
        return P.of((1 + self.reached) / (1 + self.draws), "drawn")
