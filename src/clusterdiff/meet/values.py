"""The sums of a comparison by name, as measures read them: the core's where it has them, all others from terms."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.meet.declarations import TERMS
from clusterdiff.meet.parts import Pairs
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import READS, Even, Sums
from clusterdiff.meet.terms import SCORE_SUMS

if TYPE_CHECKING:
    from clusterdiff.meet.meet import Meet

#: Sums that measures read as means, and the mass that they are means over.
MEANS = {
    "b3_recall": "mass_true",
    "b3_precision": "mass_pred",
    **dict.fromkeys(("element", "h_true", "h_pred", "h_joint", "split_info", "merge_info"), "total"),
}
#: S* and S' that the core sums up along with the rest.
CORE_SCORES = frozenset(name for name in SCORE_SUMS if hasattr(_core.Sums, name))
#: Whatever the core sums up.
CORE_SUMS = frozenset(
    name for name in (*TERMS, *SCORE_SUMS, "chi2") if hasattr(_core.Sums, name)
) - frozenset(READS)
#: What can be read where terms are known; what a measure may read of cells and points is more than their number.
OF_TERMS = frozenset({*TERMS, "mutual", "chi2"}) - frozenset(READS)
#: What is known in some places besides: S* and S' by spread, the values of best one-to-one matchings, and the sum
#: ``f_true`` with the β that is asked for.
NAMES = OF_TERMS | {"s_mse", "s_mse_mean", "matched", "ceaf_m", "ceaf_e", "f_beta"}


def is_sum(name: str) -> bool:
    """Whether a sum of this name is known anywhere."""
    return name in NAMES or name in SCORE_SUMS


class Terms(Protocol):
    """Whoever evaluates terms: rows in memory or in an engine, sums over units."""

    def __getitem__(self, name: str) -> Any:
        """A term."""


class TermSums:
    """The sums that measures read, made of terms; any other term as it is declared.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> sums = TermSums(Rows.of(cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).meet))
    >>> sums.mm, sums.b3_recall, sums.s_h, sums.exact
    (6, 0.75, 0.5, 1)
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_" or not (is_sum(name) or name in MEANS or name in TERMS):
            raise AttributeError(f"no sum is called {name!r}")
        terms = self._terms
        if name in MEANS:
            return self._share(terms[name], self._mass(MEANS[name]))
        if name in SCORE_SUMS:
            imperfect, perfect = SCORE_SUMS[name]
            return self._share(terms[imperfect] + terms[perfect], terms["total"])
        return terms[name]

    def _mass(self, name: str) -> Any:
        """What a mean is over: the mass of a side, or of all points."""
        return self._terms[name]

    @staticmethod
    def _share(part: Any, whole: Any) -> float:
        """A term as a share; of a side without any points it is 0."""
        return float(part / whole) if whole else 0.0

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""
        return self._share(self._terms["gain"] + self._uncovered, self._terms["total"])

    @property
    def chi2(self) -> float:
        """χ²/n."""
        return self._share(self._terms["chi2_cells"] + self._uncovered, self._terms["total"])

    @property
    def _uncovered(self) -> float:
        """What independence would put where there is no cell."""
        terms = self._terms
        if terms["cells"] == terms["k_true"] * terms["k_pred"]:
            return 0.0
        return max(0.0, self._share(self._empty, terms["total"]))

    @property
    def _empty(self) -> Any:
        """Σ a·b over true and predicted clusters that share no cell."""
        return self._terms["total"] ** 2 - self._terms["covered"]


class CoreTerms(TermSums):
    """All terms of cells, where all points weigh the same and none is lost; of what cancels, the core's."""

    def __init__(self, cells: _core.Cells) -> None:
        self._cells = cells

    @cached_property
    def _terms(self) -> Terms:  # made when a sum is asked for that the core has not
        return Rows.of_cells(self._cells)

    @property
    def exact(self) -> int:
        """How many clusters both sides have."""
        return self._cells.sums().exact

    @property
    def chi2(self) -> float:
        """χ²/n."""
        return self._cells.sums().chi2

    @property
    def frobenius(self) -> float:
        """|L| + |C| − 2 Σ m²/ab."""
        return self._cells.sums().frobenius


class WeightedSums(TermSums):
    """The sums over weighted points; where light masses would be lost beside heavy ones, the core's."""

    def __init__(self, meet: Meet) -> None:
        self._meet = meet.scratch()  # a meet keeps its sums: they would keep each other

    @cached_property
    def _terms(self) -> Terms:
        return Rows.of(self._meet)

    def _mass(self, name: str) -> Any:
        return self._meet.total  # both sides have all points

    def _entropy(self, mass: npt.NDArray[Any], groups: npt.NDArray[Any] | None = None, k: int = 1) -> float:
        """The entropy of masses within their groups, in all; nothing cancels, however heavy one of them is."""
        groups = np.zeros(len(mass), dtype=np.int32) if groups is None else groups
        return float(_core.contents(groups, k, mass).entropy.sum()) / self._meet.total

    @cached_property
    def h_true(self) -> float:
        """H(𝕃)."""
        return self._entropy(self._meet.true_mass)

    @cached_property
    def h_pred(self) -> float:
        """H(ℂ)."""
        return self._entropy(self._meet.pred_mass)

    @cached_property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""
        return self._entropy(self._meet.mass)

    @cached_property
    def split_info(self) -> float:
        """H(ℂ|𝕃)."""
        return self._entropy(self._meet.mass, self._meet.true, self._meet.k_true)

    @cached_property
    def merge_info(self) -> float:
        """H(𝕃|ℂ)."""
        return self._entropy(self._meet.mass, self._meet.pred, self._meet.k_pred)

    @cached_property
    def weighed(self) -> _core.Weighed:
        """What masses come to beside those of all around them."""
        return self._meet.cells.weighed(self._meet.mass.astype(np.float64, copy=False))

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""
        return self.weighed.mutual

    @property
    def chi2(self) -> float:
        """χ²/n."""
        return self.weighed.chi2

    @property
    def frobenius(self) -> float:
        """|L| + |C| − 2 Σ m²/ab."""
        return self.weighed.frobenius


def weighed(meet: Meet) -> _core.Weighed:
    """What masses come to beside those of all around them; of points with weights, once."""
    sums = meet.sums
    if isinstance(sums, WeightedSums):
        return sums.weighed
    return meet.cells.weighed(meet.mass.astype(np.float64))


class Counted(Even):
    """What a level of a sweep and a step of a series know; with what they offer, a :class:`Summed`."""

    weighted = False
    scale = 0
    sums: Sums
    k_true: int
    k_pred: int

    def __init__(self, n: int, k_true: int, k_pred: int, cells: int, sums: Sums) -> None:
        self.n = n
        self.total = n
        self.k_true = k_true
        self.k_pred = k_pred
        self.sums = sums
        self._cells = cells
        self._made = {}

    def __len__(self) -> int:
        """Number of cells."""
        return self._cells

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        return Pairs.counted(self.sums, self.n, self.n)

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.n)


class CoreCounted(Counted):
    """What the core sums up of two arrays of labels; a :class:`Summed`."""

    known = CORE_SUMS | {"sums"}
    lacking = ("only the sums of these labels are known", None)

    def __init__(self, sums: _core.Sums) -> None:
        super().__init__(sums.n, sums.k_true, sums.k_pred, sums.cells, sums)

    @property
    def terms(self) -> Sums:
        """Those that are known are among the sums."""
        return self.sums
