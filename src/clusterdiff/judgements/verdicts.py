"""Verdicts: judgements held against a run, costliest violation first; and what changed since an older run."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.labels import AnyArray, BoolArray, Int64Array
from clusterdiff.table import Table, record_html
from clusterdiff.wording import count, percent

State = Literal["violated", "unexpected", "expected", "extended", "undecided", "kept"]
#: States in the order in which they are shown.
STATES: tuple[State, ...] = ("violated", "unexpected", "expected", "extended", "undecided", "kept")


class Outcome(NamedTuple):
    """One judgement held against a run.

    ``pairs`` of its points are in the run, and the run has ``violated`` of them otherwise. ``cost`` is how many pairs
    of points would have to be joined or parted to keep it. ``extra`` counts members of a complete group that the
    judgement does not know, and ``absent`` points that the run does not have.
    """

    id: str
    state: str
    pairs: int
    violated: int
    cost: int
    extra: int
    absent: int
    by: str | None
    why: str | None
    groups: str

    def _repr_html_(self) -> str:
        return record_html("Outcome", self._asdict())


class Verdicts:
    """What a run makes of judgements. Made by :meth:`Judgements.judge`.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> said = cd.Judgements([{"id": "r1", "groups": [["ann", "anna"]]}, {"id": "r2", "groups": [["ann"], ["bob"]]}])
    >>> verdicts = said.judge({"ann": 1, "anna": 2, "bob": 3})
    >>> verdicts
    <Verdicts: 1 violated, 1 kept (50%)>
    >>> verdicts.table[0].id, verdicts.table[0].cost
    ('r1', 1)
    """

    def __init__(
        self,
        table: Table[Outcome],
        order: Int64Array,
        largest: int,
        points: int,
        absent: tuple[str, ...] = (),
    ) -> None:
        self.table = table
        self._order = order  # which judgement each row is about: their ids need not differ
        self.largest = largest
        #: How many points the judgements name, and those that the run does not have.
        self.points, self.absent = points, absent
        self.before: Verdicts | None = None
        self._counts = Counter(table["state"].tolist())

    @property
    def violated(self) -> int:
        """How many judgements the run violates."""
        return self._counts["violated"]

    @property
    def kept(self) -> int:
        """How many it keeps; those that it merely extends are kept, too."""
        return self._counts["kept"] + self._counts["extended"]

    @property
    def extended(self) -> int:
        """How many complete groups have members in the run that the judgement does not know."""
        return self._counts["extended"]

    @property
    def undecided(self) -> int:
        """How many say nothing of this run: unsure, or fewer than two of their points are in it."""
        return self._counts["undecided"]

    @property
    def expected(self) -> int:
        """How many fail that were expected to."""
        return self._counts["expected"]

    @property
    def unexpected(self) -> int:
        """How many were expected to fail, and are kept."""
        return self._counts["unexpected"]

    @property
    def share(self) -> float:
        """Judgements kept, as a share of those kept or violated; 1 if there are none."""
        decided = self.kept + self.violated
        return self.kept / decided if decided else 1.0

    @property
    def fixed(self) -> list[str]:
        """What the older run violates, and this one keeps."""
        return self._moved(("violated", "expected"), ("kept", "extended", "unexpected"))

    @property
    def regressed(self) -> list[str]:
        """What the older run keeps, and this one violates: the costliest first."""
        return self._moved(("kept", "extended", "unexpected"), ("violated", "expected"))

    def _moved(self, was: tuple[str, ...], now: tuple[str, ...]) -> list[str]:
        if self.before is None:
            return []
        old = dict(zip(self.before._order.tolist(), self.before.table["state"].tolist(), strict=True))
        rows = zip(self.table["id"].tolist(), self.table["state"].tolist(), self._order.tolist(), strict=True)
        return [name for name, state, number in rows if state in now and old[number] in was]

    @property
    def values(self) -> dict[str, float]:
        """What limits can be set for: counts, the largest cluster, and ``kept`` as a share."""
        out: dict[str, float] = {state: self._counts[state] for state in STATES} | {"kept": self.share}
        out |= {"largest": self.largest, "fixed": len(self.fixed), "regressed": len(self.regressed)}
        return out

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        told: dict[str, Any] = {state: self._counts[state] for state in STATES} | {"kept_share": self.share}
        told |= {"largest": self.largest, "absent": list(self.absent)}
        if self.before is not None:
            told |= {"fixed": self.fixed, "regressed": self.regressed}
        return told | {"judgements": [row._asdict() for row in self.table]}

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<Verdicts: {self.words}>"

    @property
    def words(self) -> str:
        """The counts in words."""
        told = [f"{self._counts[state]:,} {state}" for state in STATES if self._counts[state]]
        share = f" ({percent(self.share)})" if self.kept else ""
        return f"{', '.join(told) or 'nothing judged'}{share}"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def judge(entries: Entries, run: Indexed) -> Verdicts:
    """Each judgement against a run, on the points that the run has."""
    judgements = entries.judgements
    k = len(judgements)
    at = run.find(entries.names)
    present = at[entries.point] >= 0
    rows = np.flatnonzero(present)
    cluster = run.cluster[at[entries.point[rows]]].astype(np.int64)
    of, group = entries.judgement[rows], entries.group[rows]
    clusters = len(run.sizes)
    in_group = np.bincount(group, minlength=len(entries.group_judgement))
    all_pairs = _two(np.bincount(of, minlength=k))
    # Pairs of a judgement by whether it puts them together, and whether the run does.
    together = np.bincount(entries.group_judgement, _two(in_group), minlength=k)
    both = _by(group * clusters + cluster, entries.group_judgement[group], k)
    met = _by(of * clusters + cluster, of, k)
    violated = (together - both) + (met - both)
    dropped = entries.dropped
    if len(dropped):
        gone = (at[dropped.p] >= 0) & (at[dropped.q] >= 0)
        which, p, q = dropped.judgement[gone], at[dropped.p[gone]], at[dropped.q[gone]]
        said = _grouped(entries, dropped.judgement[gone], dropped.p[gone], dropped.q[gone])
        np.subtract.at(all_pairs, which, 1)
        np.subtract.at(violated, which, (said != (run.cluster[p] == run.cluster[q])).astype(float))
    touched = np.unique(of * clusters + cluster)
    members = np.bincount(touched // clusters, run.sizes[touched % clusters], minlength=k)
    complete = np.array([judgement.complete for judgement in judgements], dtype=bool)
    extra = np.where(complete, members - np.bincount(of, minlength=k), 0).astype(np.int64)
    absent = np.bincount(entries.judgement, ~present, minlength=k).astype(np.int64)
    bad = (violated > 0) & entries.claims
    costs = _costs(entries, run, at, bad)
    shown = [i for i in range(k) if not judgements[i].withdrawn]
    states = [_state(judgements[i], int(all_pairs[i]), bool(bad[i]), int(extra[i])) for i in shown]
    order = sorted(
        range(len(shown)),
        key=lambda j: (
            STATES.index(states[j]),
            -costs[shown[j]],
            -extra[shown[j]],
            judgements[shown[j]].id,
        ),
    )
    picked = np.array([shown[j] for j in order], dtype=np.int64)
    claims = entries.claims[picked]
    table = Table(
        {
            "id": _objects([judgements[i].id for i in picked]),
            "state": _objects([states[j] for j in order]),
            "pairs": np.where(claims, all_pairs[picked], 0).astype(np.int64),
            "violated": np.where(claims, violated[picked], 0).astype(np.int64),
            "cost": costs[picked],
            "extra": np.where(claims, extra[picked], 0),
            "absent": absent[picked],
            "by": _objects([judgements[i].by for i in picked]),
            "why": _objects([judgements[i].why for i in picked]),
            "groups": _objects([_said(judgements[i]) for i in picked]),
        },
        Outcome,
    )
    missing = tuple(entries.names[i] for i in np.flatnonzero(at < 0).tolist())
    return Verdicts(table, picked, int(run.sizes.max(initial=0)), len(entries.names), missing)


def _objects(values: list[Any]) -> AnyArray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _said(judgement: Judgement) -> str:
    """The claim in one line: groups apart from each other, the points of each together."""
    groups = judgement.groups or tuple((point,) for point in judgement.unsure)
    return " | ".join(" ".join(group) for group in groups)


def _state(judgement: Judgement, pairs: int, bad: bool, extra: int) -> State:
    if not judgement.claims or not (pairs or (judgement.complete and extra)):
        return "undecided"
    if judgement.expect == "fail":
        return "expected" if bad else "unexpected"
    return "violated" if bad else "extended" if extra else "kept"


def _two(counts: Any) -> Any:
    return counts * (counts - 1) / 2


def _by(keys: Int64Array, of: Int64Array, k: int) -> Any:
    """Pairs of rows with the same key, added up by judgement."""
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return np.bincount(of[first], _two(counts), minlength=k)


def _grouped(entries: Entries, judgement: Int64Array, p: Int64Array, q: Int64Array) -> Any:
    """Whether judgements have two of their points in one group."""
    n = len(entries.names)
    keys = entries.judgement * n + entries.point
    order = np.argsort(keys)
    sides = [entries.group[order[np.searchsorted(keys, judgement * n + end, sorter=order)]] for end in (p, q)]
    return sides[0] == sides[1]


def _costs(entries: Entries, run: Indexed, at: Int64Array, violated: BoolArray) -> Int64Array:
    """The pairs that applying a single judgement would flip, of each that is violated.

    Its groups are apart from each other, so the free points of a cluster can follow one of them: the largest that lies
    in this cluster alone, or else the one with most of its points here; among equals, that of the least point.
    """
    wanted = np.flatnonzero(violated[entries.judgement] & (at[entries.point] >= 0))
    point, group, clusters = entries.point[wanted], entries.group[wanted], len(run.sizes)
    cluster = run.cluster[at[point]].astype(np.int64)
    cells, judged = np.unique(group * clusters + cluster, return_counts=True)
    group_of, cluster_of = cells // clusters, cells % clusters
    least = np.full(len(entries.group_judgement), len(entries.names))
    np.minimum.at(least, group, point)
    spans = np.bincount(group_of)[group_of] > 1 if len(cells) else np.empty(0, dtype=bool)
    judgement = entries.group_judgement[group_of]
    # The cells of one judgement in one cluster, the one that free points follow first.
    order = np.lexsort((least[group_of], -judged, spans, cluster_of, judgement))
    where = (judgement * clusters + cluster_of)[order]
    first = np.flatnonzero(np.r_[True, where[1:] != where[:-1]]) if len(cells) else order
    sizes, owners = run.sizes[cluster_of[order[first]]], order[first]
    held = judged.copy()
    held[owners] += sizes - (np.add.reduceat(judged[order], first) if len(cells) else 0)
    parts = np.bincount(group_of, held, minlength=len(least)).astype(np.int64)
    costs = np.zeros(len(violated), dtype=np.int64)
    np.add.at(costs, judgement[owners], sizes * (sizes - 1))
    np.add.at(costs, entries.group_judgement, parts * (parts - 1))
    np.subtract.at(costs, judgement, 2 * held * (held - 1))
    return costs // 2


def judged(entries: Entries, run: Indexed, old: Indexed | None) -> Verdicts:
    """Verdicts on a run, and on an older one if there is one."""
    found = judge(entries, run)
    if old is not None:
        found.before = judge(entries, old)
    return found


def summary(verdicts: Verdicts) -> str:
    """One sentence on a run, or on the change from an older one."""
    told = f"{count(len(verdicts), 'judgement')}: {verdicts.words}"
    if verdicts.before is not None:
        told += f"; {len(verdicts.fixed):,} fixed, {len(verdicts.regressed):,} regressed"
    return told
