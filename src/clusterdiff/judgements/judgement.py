"""Judgement: groups of points, together within and apart between, and who found so, when and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from clusterdiff import notebook
from clusterdiff.errors import FileError, listed
from clusterdiff.points.texts import text, texts
from clusterdiff.table import python

Group: TypeAlias = tuple[str, ...]
Expect: TypeAlias = Literal["pass", "fail"]
#: What a reviewer of a difference may answer.
ANSWERS = ("old", "new", "own", "neither", "unsure", "1", "2")
#: Fields that hold one text or nothing, in the order in which they are written.
TEXTS = ("by", "at", "why", "source", "stratum", "answer")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A partial clustering: points of one group are together, of different groups apart; of others nothing is said.

    Points are known by their text. See docs/judgements.md for what each field means.

    Examples
    --------
    >>> match = Judgement((("ann", "anna"),), id="r1", by="eva")
    >>> match.points, match.claims
    (('ann', 'anna'), True)
    >>> Judgement((("ann",), ("bob",)), id="r2")  # no match
    <Judgement r2: ann | bob>
    """

    groups: tuple[Group, ...] = ()
    #: Points that somebody looked at without finding anything.
    unsure: Group = ()
    id: str = ""
    by: str | None = None
    at: str | None = None
    why: str | None = None
    source: str | None = None
    probability: float | None = None
    stratum: str | None = None
    x: float | None = None
    complete: bool = False
    beyond: tuple[int, ...] | None = None
    expect: Expect = "pass"
    withdrawn: bool = False
    answer: str | None = None
    shown: Any = None
    #: Whatever else stands in the file, as it is.
    other: Mapping[str, Any] = field(default_factory=dict)

    @property
    def points(self) -> Group:
        """All points that it names."""
        return tuple(point for group in self.groups for point in group) + self.unsure

    @property
    def claims(self) -> bool:
        """Whether it says anything: it was not taken back, and somebody was sure."""
        return bool(self.groups) and not self.withdrawn

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str, place: str = "the judgement") -> Judgement:
        """A judgement from plain values; ``name`` is its id unless it has one, and ``place`` is for messages."""
        if not isinstance(data, Mapping):
            raise FileError(f"{place} must be an object; got {_short(data)}.")
        rest = {key: value for key, value in data.items() if value is not None}
        told = rest.pop("id", name)
        place = f"{place} ({told})" if "id" in data else place
        if "groups" in rest and "unsure" in rest:
            raise FileError(f'{place} has "groups" and "unsure"; it must have one of them.')
        answer = rest.get("answer")
        if CLAIMS.isdisjoint(rest) and answer not in ("neither", "unsure"):
            raise FileError(f'{place} must have "groups", lists of points, or "unsure", a list of points.')
        if answer is not None and answer not in ANSWERS:
            raise FileError(f'{place}: "answer" must be one of {", ".join(ANSWERS)}; got {_short(answer)}.')
        # Most judgements have few of the fields, and there may be many judgements.
        read = checked({key: rest.pop(key) for key in [*rest] if key in FIELDS}, place)
        if "groups" in read or "beyond" in rest:
            read["groups"], read["beyond"] = _ordered(read.get("groups", []), rest.pop("beyond", None), place)
        return cls(**read, id=str(told), other=rest)

    def to_dict(self) -> dict[str, Any]:
        """As a line of a file holds it: what is as usual is left out."""
        out: dict[str, Any] = {"id": self.id}
        if self.groups or not self.unsure:
            out["groups"] = [list(group) for group in self.groups]
        else:
            out["unsure"] = list(self.unsure)
        if not self.groups and not self.unsure and (self.answer or self.shown is not None):
            del out["groups"]
        out |= {key: value for key in TEXTS if (value := getattr(self, key)) is not None}
        for key, usual in (("probability", None), ("x", None), ("complete", False), ("expect", "pass")):
            if getattr(self, key) != usual:
                out[key] = getattr(self, key)
        if self.beyond is not None:
            out["beyond"] = list(self.beyond)
        if self.withdrawn:
            out["withdrawn"] = True
        if self.shown is not None:
            out["shown"] = self.shown
        return out | dict(self.other)

    def __repr__(self) -> str:
        groups = " | ".join(" ".join(group) for group in self.groups) or f"unsure {' '.join(self.unsure)}"
        groups = groups if len(groups) <= 80 else groups[:79] + "…"
        return f"<Judgement {self.id}: {groups}{' (withdrawn)' if self.withdrawn else ''}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self).strip("<>")))


def checked(fields: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Values of fields as a judgement holds them; ``place`` is for messages."""
    return {key: FIELDS[key](value, key, place) for key, value in fields.items()}


def pair(a: object, b: object, verdict: Literal["match", "no match", "unsure"], **fields: Any) -> Judgement:
    """What is judged of two points.

    >>> pair("b", "a", "match", id="r1"), pair("a", "b", "unsure", id="r2").claims
    (<Judgement r1: a b>, False)
    """
    one, two = sorted((text(a), text(b)))
    if one == two:
        raise FileError(f"{fields.get('id', 'a pair')} judges {one!r} against itself.", "leave the row out.")
    if verdict == "match":
        return Judgement(((one, two),), **fields)
    if verdict == "no match":
        return Judgement(((one,), (two,)), **fields)
    return Judgement(unsure=(one, two), **fields)


def _groups(data: object, key: str, place: str) -> list[Group]:
    if not isinstance(data, list | tuple):
        raise FileError(f'{place}: "groups" must be a list of lists of points; got {_short(data)}.')
    groups = [_group(group, key, place) for group in data]
    if not all(groups):
        raise FileError(f"{place} has an empty group.", "a group has at least one point.")
    points = [point for group in groups for point in group]
    if len(set(points)) < len(points):
        twice = [point for point, times in Counter(points).items() if times > 1]
        raise FileError(
            f"{place} names {listed(twice)} twice.",
            "a point is in one group of a judgement; different findings are different judgements.",
        )
    return groups


def _group(data: object, key: str, place: str) -> Group:
    if not isinstance(data, list | tuple | set | frozenset):
        raise FileError(f'{place}: "{key}" must hold lists of points; got {_short(data)}.')
    if set(map(type, data)) <= {str}:
        return tuple(sorted(data))
    for point in data:
        for part in point if isinstance(point, tuple) and point else (point,):  # of several columns
            if not isinstance(python(part), str | int | float) or part != part:
                raise FileError(f'{place}: a point in "{key}" must be text or a number; got {_short(point)}.')
    return tuple(sorted(set(texts(data)) if isinstance(data, set | frozenset) else texts(data)))


def _ordered(
    groups: Sequence[Group], beyond: object, place: str
) -> tuple[tuple[Group, ...], tuple[int, ...] | None]:
    """Groups in the order of their points, and how many members of each are not listed."""
    if beyond is None:
        return tuple(sorted(groups)), None
    numbers = list(beyond) if isinstance(beyond, list | tuple) else []
    counts = all(type(number) is int and number >= 0 for number in numbers)
    if not counts or len(numbers) != len(groups):
        raise FileError(
            f'{place}: "beyond" must be a list of counts, one per group; got {_short(beyond)}.',
            "it says how many members of each group are not listed.",
        )
    order = sorted(range(len(groups)), key=lambda i: groups[i])
    return tuple(groups[i] for i in order), tuple(numbers[i] for i in order)


def _text(value: object, key: str, place: str) -> str:
    return str(value)


def _expect(value: object, key: str, place: str) -> object:
    if value not in ("pass", "fail"):
        raise FileError(f'{place}: "expect" must be "pass" or "fail"; got {_short(value)}.')
    return value


def _flag(value: object, key: str, place: str) -> bool:
    if not isinstance(value, bool):
        raise FileError(f'{place}: "{key}" must be true or false; got {_short(value)}.')
    return value


def _positive(value: object, key: str, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise FileError(f'{place}: "{key}" must be a number above 0; got {_short(value)}.')
    return float(value)


def _probability(value: object, key: str, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise FileError(f'{place}: "{key}" must be a number above 0, and at most 1; got {_short(value)}.')
    return float(value)


def _as_it_is(value: object, key: str, place: str) -> object:
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


#: What says something of points; a judgement has one of these.
CLAIMS = frozenset(("groups", "unsure", "shown"))
#: How the value of each key becomes a field. Keys that are not here are kept as they are, but for beyond, which is read
#: with the groups.
FIELDS: dict[str, Callable[[Any, str, str], Any]] = {
    "groups": _groups,
    "unsure": _group,
    **dict.fromkeys(TEXTS, _text),
    "probability": _probability,
    "x": _positive,
    "complete": _flag,
    "expect": _expect,
    "withdrawn": _flag,
    "shown": _as_it_is,
}


def answered(data: Any, header: Mapping[str, Any] | None) -> Any:
    """A line of a review, with the groups of the side that the answer names: "1" or "2" as shown, or old or new."""
    if not isinstance(data, dict) or not isinstance(data.get("shown"), dict) or data.get("groups"):
        return data
    old = (header or {}).get("sides", {}).get(data.get("id"))
    sides = {
        "1": "1",
        "2": "2",
        **({"old": old, "new": {"1": "2", "2": "1"}[old]} if old in ("1", "2") else {}),
    }
    side = sides.get(str(data.get("answer")))
    return data if side is None else data | {"groups": data["shown"].get(side)}
