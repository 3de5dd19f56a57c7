"""Every predicted cluster takes the true cluster that it shares most points with: NF1 and its parts."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from clusterdiff.measures.bounds import LeastF, one_in_n
from clusterdiff.measures.registry import measure
from clusterdiff.meet.meet import Meet

ROSSETTI = (
    "Rossetti, G., Pappalardo, L. & Rinzivillo, S. (2016). A novel approach to evaluate community detection algorithms "
    "on ground truth. Complex Networks VII."
)
#: Clusters are counted, not points.
closest = partial(
    measure,
    terms=("chosen_f1", "chosen", "chosen_true"),
    family="matching",
    symmetric=False,
    weighted=False,
    normalised=False,
    conditionally_normalised=False,
    lost="a predicted cluster without a point of the truth is closest to no true cluster",
    reference=ROSSETTI,
)


class Matches(NamedTuple):
    """The mean F1 of the matches, and how many true clusters were matched."""

    f1: float
    matched: int


def _matches(meet: Meet) -> Matches:
    terms = meet.terms  # clusters that share equally many points are all chosen
    return Matches(terms.chosen_f1 / terms.chosen, terms.chosen_true)


@closest("nf1", bounds=(0.0, 2.0), aliases=("NF1", "normalised_f1"))
def nf1(meet: Meet) -> float:
    r"""How well predicted clusters fit their closest true clusters, how many true ones are matched, and by how few.

    .. math:: NF1 = \frac{\text{mean } F_1 \cdot \text{coverage}}{\text{redundancy}}

    A predicted cluster is matched with the true cluster that it shares most points with, or with all of them if there
    are several. Coverage is the share of the true clusters that were matched, redundancy the number of predicted
    clusters per matched one. Identical clusterings give 1; it is always above 0, since something is always matched.
    Where predicted clusters are matched with several true ones redundancy is below 1, and NF1 can exceed 1 (but never
    reaches 2).

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "nf1"), 12)
    0.518518518519
    """
    found = meet.once(_matches)
    return found.f1 * (found.matched / meet.k_true) * (found.matched / meet.k_pred)


@closest("nf1.f1", bounds=(LeastF(), 1.0), aliases=("best_match_f1",))
def mean_f1(meet: Meet) -> float:
    r"""Mean F1 of the predicted clusters with the true clusters that they share most points with.

    .. math:: F_1 = \text{mean over matches of } \frac{2 m}{a + b}

    Identical clusterings give 1; the least value, 2/(n + 1), is that of one cluster against all singletons.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "nf1.f1"), 12)
    0.777777777778
    """
    return meet.once(_matches).f1


@closest("nf1.coverage", bounds=(one_in_n, 1.0))
def coverage(meet: Meet) -> float:
    r"""Share of the true clusters that some predicted cluster shares most points with.

    .. math:: \frac{\text{matched true clusters}}{|L|}

    Identical clusterings give 1, and so do all singletons.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 0, 0, 0], "nf1.coverage")
    0.6666666666666666
    """
    return meet.once(_matches).matched / meet.k_true
