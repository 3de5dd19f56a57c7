"""Systems ranked across data sets: means, mean ranks, and Wilcoxon's test between every two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from itertools import count as count_from
from math import floor, log2
from string import ascii_lowercase
from typing import Any

import numpy as np

from clusterdiff import views
from clusterdiff.caching import cached_property
from clusterdiff.decide.leaderboard import Board, Boards, Entry, best_of, csv_text, number, some
from clusterdiff.decide.paired import ALPHA, holm
from clusterdiff.decide.ranking import Ranking
from clusterdiff.diff.chance import expected
from clusterdiff.errors import ArgumentError, listed, nearest
from clusterdiff.measures import Measure
from clusterdiff.messages import joined
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import Table
from clusterdiff.wording import count

#: By how much the level of chance may differ between data sets before their mean says little.
FLOORS = 0.05
#: Up to so many differences all ways to sign them are counted if some are equal, as scipy does, which takes a second.
COUNTED = 13


class DatasetRanking(Boards):
    """Systems ranked by their mean rank over several data sets, best first. Made by :func:`rank`.

    ``rankings`` has the ranking of each data set. Ranks are those of the first measure; equal scores share their ranks.
    """

    def __init__(self, rankings: Mapping[str, Ranking]) -> None:
        self.rankings = dict(rankings)
        first = next(iter(self.rankings.values()))
        self.measures = [m for m in first.measures if all(m in r.measures for r in self.rankings.values())]
        _check(self.rankings)
        names = sorted(first.names)
        scores = np.array([[r.score(name) for name in names] for r in self.rankings.values()])
        order = np.argsort(mean_ranks(scores, self._similar), kind="stable")
        self.names = [names[i] for i in order]
        self._scores = scores[:, order]

    def measure(self, name: str) -> Measure:
        """One of the measures, by its name."""
        return next(iter(self.rankings.values())).measure(name)

    @property
    def _similar(self) -> bool:
        return self.measure(self.measures[0]).similarity

    @property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.rankings)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each system."""
        return dict(zip(self.names, mean_ranks(self._scores, self._similar).tolist(), strict=True))

    def mean(self, measure: str | None = None) -> dict[str, float]:
        """The mean score of each system, in the first measure unless told otherwise."""
        rankings = self.rankings.values()
        return {name: float(np.mean([r.score(name, measure) for r in rankings])) for name in self.names}

    @cached_property
    def scores(self) -> Table[Any]:
        """The matrix of scores: a row per data set, a column per system."""
        columns: dict[str, Any] = {"data": np.array(self.datasets, dtype=object)}
        return Table(columns | {name: self._scores[:, i] for i, name in enumerate(self.names)})

    # ---- tests

    def p_value(self, first: str, second: str) -> float:
        """Wilcoxon's signed-rank test of two systems over the data sets, two-sided and not adjusted.

        Its null hypothesis: the differences between the two are as often and as much in favour of one as of the other.
        """
        one, two = (self._scores[:, self._place(name)] for name in (first, second))
        return float(wilcoxon_p_values((one - two)[None])[0])

    def _place(self, name: str) -> int:
        if str(name) not in self.names:
            raise ArgumentError(f"{name!r} is not one of the systems.", nearest(str(name), self.names))
        return self.names.index(str(name))

    @cached_property
    def adjusted(self) -> dict[tuple[str, str], float]:
        """The p-values of all pairs of systems, the better one first, adjusted by Holm for their number."""
        pairs = list(combinations(self.names, 2))
        one, two = np.triu_indices(len(self.names), 1)
        p_values = wilcoxon_p_values(self._scores.T[one] - self._scores.T[two])
        return dict(zip(pairs, holm(p_values.tolist()), strict=True))

    @cached_property
    def cliques(self) -> list[list[str]]:
        """Runs of systems, in order of mean rank, of which no two differ significantly; none is part of another."""
        alike = [
            [
                i == j or self.adjusted[self.names[min(i, j)], self.names[max(i, j)]] >= ALPHA
                for j in range(len(self.names))
            ]
            for i in range(len(self.names))
        ]
        return [self.names[start:stop] for start, stop in cliques(alike)]

    # ---- for people and programs

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers."""
        told = some(
            [
                joined([data, notice], ": ")
                for data, ranking in self.rankings.items()
                for notice in ranking.comparison_notices
            ]
        )
        pairs = len(self.names) * (len(self.names) - 1) // 2
        needed = fewest(pairs)
        if len(self.rankings) < needed:
            told.append(
                f"{count(len(self.rankings), 'data set')}: with fewer than {needed} no difference can be significant, "
                f"since p is adjusted for {count(pairs, 'pair')} of systems."
            )
        lacking = int(np.isnan(self._scores).sum())
        if lacking:
            told.append(
                f"{count(lacking, 'score')} without a value: a system without one comes last there, and its tests "
                "leave that data set out."
            )
        return [*told, *self._floors]

    @cached_property
    def _floors(self) -> list[str]:
        """Whether scores of different data sets can be averaged: what chance reaches should be the same for all."""
        measure = self.measure(self.measures[0])
        if measure.baseline is not None:
            return []
        levels = []
        for ranking in self.rankings.values():
            margins = ranking.margins
            level = None if margins is None else expected(measure, margins)
            if level is None:
                return [
                    f"what {measure.name} comes to by chance depends on the data: means over data sets mix scores of "
                    "different worth; ari, ami and as_h are adjusted for it."
                ]
            levels.append(level)
        if max(levels) - min(levels) <= FLOORS:
            return []
        return [
            f"what {measure.name} comes to by chance depends on the data, from {min(levels):.2f} to {max(levels):.2f} "
            "here: means over data sets mix scores of different worth; as_h is adjusted for it."
        ]

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        version = next(iter(self.rankings.values())).signature.rpartition("|")[2]
        return (
            f"rank:{self.measures[0]}|data sets:{len(self.rankings)}|systems:{len(self.names)}|unit:data set|"
            f"test:wilcoxon,two-sided,holm|{version}"
        )

    @property
    def footnotes(self) -> list[str]:
        """What was tested, in words."""
        if len(self.names) < 2:
            return []
        letter = "letter" if len(self.cliques) <= len(ascii_lowercase) else "number"
        return [
            f"Wilcoxon's signed-rank test over {count(len(self.rankings), 'data set')}, two-sided, adjusted by Holm "
            f"for {count(len(self.adjusted), 'pair')}. Null hypothesis: differences are as often and as much in favour "
            "of one as of the other.",
            f"alike: systems that have a {letter} in common do not differ significantly."
            if self.cliques
            else "All differences are significant.",
        ]

    @property
    def groups(self) -> dict[str, str]:
        """The cliques of each system, by letters: "a" or, for several, "a–c". Numbers if there are too many."""
        many = len(self.cliques) > len(ascii_lowercase)
        letters = map(str, count_from(1)) if many else ascii_lowercase
        inside: dict[str, list[str]] = {name: [] for name in self.names}
        for letter, clique in zip(letters, self.cliques, strict=False):
            for name in clique:
                inside[name].append(letter)
        return {
            name: "–".join(dict.fromkeys([mine[0], mine[-1]])) if mine else ""
            for name, mine in inside.items()
        }

    @property
    def title(self) -> str:
        """What is ranked, by what, and where."""
        on = count(len(self.rankings), "data set")
        return f"{count(len(self.names), 'system')} by {self.measures[0]} on {on}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        means = {measure: self.mean(measure) for measure in self.measures}
        return {
            "signature": self.signature,
            "notices": self.notices,
            "measures": self.measures,
            "unit": "data set",
            "systems": [
                {
                    "system": name,
                    "mean_rank": rank,
                    "scores": {measure: mean[name] for measure, mean in means.items()},
                }
                for name, rank in self.mean_ranks.items()
            ],
            "scores": self.scores.to_dict(),
            "p_values": [{"first": a, "second": b, "p_value": p} for (a, b), p in self.adjusted.items()],
            "cliques": self.cliques,
            "data": {data: ranking.to_dict() for data, ranking in self.rankings.items()},
            "footnotes": self.footnotes,
        }

    def to_csv(self) -> str:
        """The matrix of scores as comma-separated values, with all digits."""
        return csv_text(self.scores)

    def plot(self, ax: Any = None, *, width: float | None = None, dpi: float | None = None) -> Any:
        """Draw the mean ranks on a line, with a bar over systems that do not differ significantly.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.mean_ranks(self, ax, width=width, dpi=dpi)

    def boards(self, rows: int | None = None, across: int | None = None) -> list[Board]:
        """Systems by mean rank, and the matrix of their scores."""
        ranks, means = self.mean_ranks, [self.mean(measure) for measure in self.measures]
        groups = self.groups
        grouped = bool(self.cliques)
        best = [
            best_of(list(mean.values()), self.measure(m).similarity)
            for m, mean in zip(self.measures, means, strict=True)
        ]
        lines = [
            [
                Entry(str(place)),
                Entry(name, best=place == 1),
                Entry(f"{ranks[name]:.2f}", best=place == 1),
                *[Entry(groups[name])] * grouped,
                *(number(mean[name], top) for mean, top in zip(means, best, strict=True)),
            ]
            for place, name in enumerate(self.names[:rows], 1)
        ]
        head = ["", "system", "mean rank", *["alike"] * grouped, *(f"mean {m}" for m in self.measures)]
        words = (1, 3) if grouped else (1,)
        left = len(self.names) - len(lines)
        summary = Board(head, lines, left, self.footnotes, notices=self.notices, words=words)
        matrix = []
        for data, row in zip(self.datasets[:rows], self._scores.tolist(), strict=False):
            top = best_of(row, self._similar)
            matrix.append([Entry(data), *(number(value, top) for value in row[:across])])
        left, names = len(self.datasets) - len(matrix), self.names[:across]
        told = (
            [f"The first {count(len(names), 'system')} of {len(self.names):,}; to_csv() has all."]
            if len(names) < len(self.names)
            else []
        )
        return [
            summary,
            Board([self.measures[0], *names], matrix, left, told, words=(0,), noun="data set"),
        ]


def _check(rankings: Mapping[str, Ranking]) -> None:
    everyone = dict.fromkeys(name for ranking in rankings.values() for name in ranking.names)
    for data, ranking in rankings.items():
        lacking = [name for name in everyone if name not in ranking.names]
        if lacking:
            raise ArgumentError(
                f"every data set must have the same systems; {data!r} lacks {listed(lacking)}.",
                "leave those systems out, or that data set.",
            )


def fewest(pairs: int) -> int:
    """How many data sets there must be for the p-value of one of so many pairs to fall below 0.05.

    The least p-value of Wilcoxon's test is 2 of all 2ⁿ ways to sign n differences.

    >>> fewest(0), fewest(1), fewest(3), fewest(435)
    (0, 6, 7, 15)
    """
    return floor(log2(2 * pairs / ALPHA)) + 1 if pairs else 0


def mean_ranks(scores: FloatArray, similar: bool) -> FloatArray:
    """The mean rank of each column over the rows; equal scores share the mean of their ranks, and no score is the last.

    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]]), similar=True).tolist()
    [2.0, 1.75, 2.25]
    """
    from scipy.stats import rankdata

    cost = np.where(np.isnan(scores), np.inf, -scores if similar else scores)
    means: FloatArray = rankdata(cost, axis=1).mean(axis=0)
    return means


def wilcoxon_p_values(differences: FloatArray) -> FloatArray:
    """Wilcoxon's signed-rank test of the differences in each row, two-sided, as scipy has it.

    Zeros are left out, and so is what has no value; without anything else p is 1.

    >>> wilcoxon_p_values(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0] * 6])).tolist()
    [0.03125, 1.0]
    """
    from scipy.stats import wilcoxon

    out = np.ones(len(differences))
    size = np.sort(np.abs(differences), axis=1)
    zeros, tied = (size == 0).any(axis=1), (np.diff(size, axis=1) == 0).any(axis=1)
    gaps = np.isnan(size).any(axis=1)
    some = (size > 0).any(axis=1)
    # Rows for which scipy takes the same way are tested at once.
    alone = some & (gaps | ((zeros | tied) & (differences.shape[1] <= COUNTED)))
    for rows in (~zeros & ~tied, ~zeros & tied, zeros):
        at = np.flatnonzero(some & rows & ~alone)
        if len(at):
            out[at] = wilcoxon(differences[at], axis=1).pvalue
    for row in np.flatnonzero(alone).tolist():
        known = differences[row][~np.isnan(differences[row])]
        out[row] = _counted(known) if len(known) <= COUNTED else wilcoxon(known).pvalue
    return out


def _counted(differences: FloatArray) -> float:
    """The same for a few differences, some of which may be equal: how many ways to sign them lead as far."""
    from scipy.stats import rankdata

    left = differences[differences != 0]
    twice = np.rint(2 * rankdata(np.abs(left))).astype(np.int64)  # equal ones share a rank, maybe a half one
    ways = np.ones(1)
    for rank in twice.tolist():
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    here = int(twice[left > 0].sum())
    return float(min(1.0, 2 * min(ways[: here + 1].sum(), ways[here:].sum()) / ways.sum()))


def cliques(alike: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """The longest runs of several places in which every two are alike, as (start, stop); none is part of another.

    >>> cliques([[True, True, False], [True, True, True], [False, True, True]])
    [(0, 2), (1, 3)]
    """
    found: list[tuple[int, int]] = []
    stop = 0
    for start in range(len(alike)):
        end = start + 1
        while end < len(alike) and all(alike[i][end] for i in range(start, end)):
            end += 1
        if end - start > 1 and end > stop:
            found.append((start, end))
            stop = end
    return found
