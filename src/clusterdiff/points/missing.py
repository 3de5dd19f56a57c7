"""What becomes of points that one side lacks: one class for each value of ``missing=``.

A rule answers in terms of which side has a point. What it is asked with are masks in memory and expressions in an
engine: both know ``&`` and ``|``, so that one answer holds wherever the points are.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from clusterdiff.messages import Message, joined

Missing: TypeAlias = Literal["error", "drop", "singleton", "lost"]


class MissingRule:
    """What becomes of points that one side lacks; a new rule is a subclass, and its name in ``RULES``."""

    #: Whether such a point is an error.
    refuses = False
    #: Whether it becomes a cluster of its own on the side that lacks it.
    separates = False
    #: Whether it counts as what it is: not found, or spurious. A side may then have no points at all.
    loses = False
    #: What the rule does to such points, unless it counts them as what they are; the same beside counts of points.
    means = ""
    brief = ""
    #: What that does to precision, recall and the loss if `true` (or `pred`) has less than half of the other's points.
    partly_true: str = ""
    partly_pred: str = ""
    #: What becomes of documents that only `true` has, and of those that only `pred` has.
    documents: tuple[str, str] = ("", "")

    def known(self, true: Any, pred: Any) -> Any:
        """Which points count as points, by who has a cluster for them; None if all do."""
        return None

    def compared(self, true: Any, pred: Any) -> Any:
        """Which of those are compared; None if all are."""
        return None

    def keeps(self, true: bool, pred: bool) -> bool:
        """Whether a point is compared that only these sides have.

        >>> RULES["drop"].keeps(True, False), RULES["lost"].keeps(True, False)
        (False, True)
        """
        return all(kept is None or kept for kept in (self.known(true, pred), self.compared(true, pred)))

    def lacking(self, missing: int, spurious: int) -> str:
        """How many points it touched, as the signature says it."""
        return str(missing + spurious)


class Refused(MissingRule):
    """Both sides must have every point."""

    refuses = True

    def compared(self, true: Any, pred: Any) -> Any:
        """Those that both sides have, which are all."""
        return true & pred


class Dropped(MissingRule):
    """As if they had never been there."""

    means = "leaves them out of every measure"
    brief = "points on one side only are left out (--missing)"
    partly_true = Message(
        "points that were wrongly merged with others outside `true` are left out with them, so that precision looks "
        "too high and the loss to merges too low"
    )
    partly_pred = Message(
        "points that `pred` did not find are left out, so that recall looks too high and the loss to splits too low"
    )

    def compared(self, true: Any, pred: Any) -> Any:
        """Those that both sides have."""
        return true & pred


class Separated(MissingRule):
    """Each a cluster of its own on the side that lacks it."""

    separates = True
    means = "makes each a cluster of its own on the side that lacks it"
    brief = "points on one side only have {} of their own on the other (--missing)"
    partly_true = (
        "all others count as true singletons, so that precision looks too low and the loss to merges too high if they "
        "are merely unlabelled"
    )
    partly_pred = "all others count as predicted singletons, so that recall is low and precision says little"
    documents = ("", "The coreference measures leave these documents out, as the reference scorers do.")


class Lost(MissingRule):
    """Not found, or spurious; a point that neither side has a cluster for is no point of either."""

    loses = True
    partly_true = (
        "all others count as spurious, so that precision looks too low if they are merely unlabelled"
    )
    partly_pred = "all others count as not found, so that recall is low and precision rests on few points"
    documents = (
        "Their points count as not found.",
        "Their points are spurious for S_H; the coreference measures leave these documents out, as the reference "
        "scorers do.",
    )

    def known(self, true: Any, pred: Any) -> Any:
        """Those that either side has."""
        return true | pred

    def lacking(self, missing: int, spurious: int) -> str:
        """Which side lacks how many."""
        return f"{missing} missing, {spurious} spurious"


#: The rules by the value of ``missing=``.
RULES: dict[str, MissingRule] = {
    "error": Refused(),
    "drop": Dropped(),
    "singleton": Separated(),
    "lost": Lost(),
}
#: What to do about points that one side lacks, for the messages that refuse them.
MISSING_HINT = Message(
    'pass `missing="drop"` to leave them out, `missing="singleton"` to give each a cluster of its own, or '
    '`missing="lost"` to count them as not found or spurious.'
)
#: What helps if `true` has far fewer points than `pred`.
SAMPLE_HINT = Message("If `true` is a sample, use `estimate()` for the scores of all points.")


def missing_hint(lacked: int, points: int) -> Message:
    """What to do if `true` lacks so many of the points of `pred`."""
    return joined([SAMPLE_HINT, "Otherwise", MISSING_HINT]) if 2 * lacked > points else MISSING_HINT
