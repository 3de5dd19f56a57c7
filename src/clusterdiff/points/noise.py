"""Noise: the labels that mean "in no cluster", on either side, and how many points had one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.messages import Message, joined
from clusterdiff.points.labels import kind
from clusterdiff.table import python
from clusterdiff.wording import count, percent

NoiseAs: TypeAlias = Literal["singleton", "cluster", "drop"]
#: A label, or a set of labels: a tuple, bytes or a string is one label.
NoiseLabels: TypeAlias = Hashable | set[Any] | frozenset[Any]

NOISE_AS = ("singleton", "cluster", "drop")
SIDES = ("true", "pred")
#: A policy that touches a larger share of the points says so.
MANY = 0.1
#: What a side's labels are: their kind, and one of them; None if it has no labels.
Example: TypeAlias = tuple[str, str] | None


@dataclass(frozen=True)
class Noise:
    """The labels of noise on either side, what becomes of it, and how many points it is.

    >>> Noise.told(-1).counted(3, 1).signature
    'noise:true=-1→singleton(3),pred=-1→singleton(1)'
    >>> Noise.told(true={0, 255}, treated="drop").counted(604, 0).signature
    'noise:true={0,255}→drop(604),pred=-'
    >>> Noise().signature
    'noise:-'
    """

    true: frozenset[Hashable] = frozenset()
    pred: frozenset[Hashable] = frozenset()
    treated: NoiseAs = "singleton"
    true_points: int = 0
    pred_points: int = 0
    points: int = 0
    of_points: int = 0

    def __post_init__(self) -> None:
        one_of("noise_as", self.treated, NOISE_AS)

    @classmethod
    def told(
        cls,
        both: NoiseLabels | None = None,
        true: NoiseLabels | None = None,
        pred: NoiseLabels | None = None,
        treated: NoiseAs = "singleton",
        own: tuple[Hashable | None, Hashable | None] = (None, None),
    ) -> Noise:
        """What the user said: a side's own argument takes the place of the one for both.

        ``own`` are labels that mean noise by the side's own documentation, such as DBSCAN's -1; they stand unless the
        user says otherwise for that very side.
        """
        if both is None and true is None and pred is None and own == (None, None) and treated == "singleton":
            return NOTHING  # the common case, and quick to tell
        shared = _labels("noise", both)
        sides = [
            shared | _labels("noise", known) if given is None else _labels(f"noise_{side}", given)
            for side, given, known in zip(SIDES, (true, pred), own, strict=True)
        ]
        refuse_without_noise(treated, (both, true, pred, *own) != (None,) * 5)
        return cls(sides[0], sides[1], treated)

    def __bool__(self) -> bool:
        return bool(self.true or self.pred)

    def labels(self, side: str) -> frozenset[Hashable]:
        """The labels of noise on a side."""
        return self.true if side == "true" else self.pred

    @property
    def drops(self) -> bool:
        """Whether points are left out."""
        return self.treated == "drop" and bool(self)

    @property
    def separates(self) -> bool:
        """Whether each point of noise gets a cluster of its own."""
        return self.treated == "singleton" and bool(self)

    def spelt(
        self, true: Callable[[Hashable], Hashable] | None, pred: Callable[[Hashable], Hashable] | None
    ) -> Noise:
        """The same with the labels as each side writes them; None for a side that takes them as they are."""
        sides = [
            self.labels(side) if spell is None else frozenset(map(spell, self.labels(side)))
            for side, spell in zip(SIDES, (true, pred), strict=True)
        ]
        return replace(self, true=sides[0], pred=sides[1])

    def possible(self, true: Example, pred: Example) -> Noise:
        """The same without labels whose type cannot occur on a side; each must be possible where it was named.

        A side whose points have no labels at all has room for any.
        """
        examples = {"true": true, "pred": pred}
        for side in SIDES:
            for label in self.labels(side):
                told = [other for other in SIDES if label in self.labels(other)]
                if not any(fits(label, examples[other]) for other in told):
                    raise _impossible(label, told, examples)
        sides = [
            frozenset(label for label in self.labels(side) if fits(label, examples[side])) for side in SIDES
        ]
        return replace(self, true=sides[0], pred=sides[1])

    def counted(self, true: int, pred: int, either: int = 0, points: int = 0) -> Noise:
        """The same, found in so many points of each side, and on ``either`` in so many of all ``points``."""
        return replace(self, true_points=true, pred_points=pred, points=either, of_points=points)

    def notices(self) -> Iterator[str]:
        """What users should know: that many points were left out."""
        if self.drops and self.points > MANY * self.of_points:
            share = (
                f"{self.points:,} of the {count(self.of_points)} ({percent(self.points / self.of_points)})"
            )
            verb = "is" if self.true_points == 1 else "are"
            yield Message(
                '`noise_as="drop"` leaves out {share}: {true:,} {verb} noise in `true`, {pred:,} in `pred`.',
                share=share,
                verb=verb,
                true=self.true_points,
                pred=self.pred_points,
            )

    @property
    def signature(self) -> str:
        """Its part of a comparison's signature: the labels, what became of them and how many, side by side."""
        if not self:
            return "noise:-"
        counts = {"true": self.true_points, "pred": self.pred_points}
        return "noise:" + ",".join(f"{side}={self._signed(side, counts[side])}" for side in SIDES)

    def _signed(self, side: str, points: int) -> str:
        labels = sorted(map(str, self.labels(side)))
        if not labels:
            return "-"
        shown = labels[0] if len(labels) == 1 else "{" + ",".join(labels) + "}"
        return f"{shown}→{self.treated}({points})"


NOTHING = Noise()


def refuse_without_noise(treated: NoiseAs, told: bool) -> None:
    """Raise where it is said what becomes of noise, and not which labels are noise."""
    if treated != "singleton" and not told:
        raise ArgumentError.about(
            "noise_as",
            "says what becomes of noise, and nothing says which label is noise.",
            [Message("name the label with `noise=`"), "leave it out"],
        )


def _labels(argument: str, given: object) -> frozenset[Hashable]:
    """The labels that an argument names: only a set means several, and an empty tuple means none."""
    if given is None or (isinstance(given, tuple) and not given):
        return frozenset()
    if isinstance(given, set | frozenset):
        return frozenset(map(python, given))
    if not isinstance(given, Hashable):
        raise ArgumentError.must(
            argument,
            "be a label or a set of labels",
            got=f"{type(given).__name__} {given!r}",
            hint="several labels are a set, such as {-1, 0}.",
        )
    return frozenset([python(given)])


def fits(label: Hashable, example: Example) -> bool:
    """Whether a label could stand among those of a side; whole floats are integers."""
    if example is None:
        return True
    mine = "int" if isinstance(label, float) and label.is_integer() else kind(label)
    theirs = "int" if example[0] == "float" else example[0]
    return mine == theirs


def _impossible(label: Hashable, told: list[str], examples: dict[str, Example]) -> ArgumentError:
    argument = "noise" if len(told) == 2 else f"noise_{told[0]}"
    found = {side: example for side in told if (example := examples[side]) is not None}
    alike = len(set(found.values())) == 1
    holds = [
        f"whose labels are {what}{f' such as {sample}' if sample else ''}" for what, sample in found.values()
    ]
    sides = [Message("`{side}`", side=side) for side in found]
    where = (
        joined([joined(sides, " or "), holds[0]], ", ")
        if alike
        else joined((joined(told, ", ") for told in zip(sides, holds, strict=True)), " or ")
    )
    return ArgumentError.must(
        argument,
        Message("be a label of {where}", where=where),
        got=f"{kind(label)} {label!r}",
        hint="give the noise label as it appears among the labels.",
    )
