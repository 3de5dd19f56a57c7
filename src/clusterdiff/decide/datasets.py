"""Systems ranked across data sets, some of which a system may lack: means, mean ranks, and tests between systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from clusterdiff import views
from clusterdiff.caching import cached_property
from clusterdiff.decide import dataset_boards
from clusterdiff.decide.leaderboard import Board, Boards, csv_text, some
from clusterdiff.decide.paired import ALPHA, holm
from clusterdiff.decide.rank_tests import (
    FEWEST,
    Friedman,
    cliques,
    fewest,
    friedman,
    mean_intervals,
    pairwise_ranks,
    ranks_of,
    wilcoxon_p_values,
)
from clusterdiff.decide.ranking import Ranking
from clusterdiff.decide.runs import Run
from clusterdiff.diff.chance import expected
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.measures import Measure
from clusterdiff.messages import joined
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray
from clusterdiff.table import Table
from clusterdiff.wording import and_list, count

#: By how much the level of chance may differ between data sets before their mean says little.
FLOORS = 0.05


class DatasetRanking(Boards):
    """Systems ranked by their mean rank over several data sets, best first. Made by :func:`rank`.

    ``rankings`` has the ranking of each data set. Ranks are those of the first measure; equal scores share their ranks.
    Where a system has several runs on a data set, its score there is their mean. Where systems lack data sets, means
    and mean ranks are over the data sets that all systems have (``common``), and tests over those that both have.
    """

    def __init__(
        self, rankings: Mapping[str, Ranking], runs: Mapping[str, Mapping[str, Run]], level: float
    ) -> None:
        self.rankings = dict(rankings)
        self.level = level
        self._runs = runs
        self._made: dict[str, dict[str, list[str]]] = {data: {} for data in self.rankings}
        for data, by_system in self._made.items():
            for name, run in runs[data].items():
                by_system.setdefault(run.system, []).append(name)
        first = next(iter(self.rankings.values()))
        self.measures = [m for m in first.measures if all(m in r.measures for r in self.rankings.values())]
        self.names = sorted({system for by_system in self._made.values() for system in by_system})
        made = [[self._of_runs(data, name) for name in self.names] for data in self.datasets]
        counts = np.array([[len(scores) for scores in row] for row in made])
        scores = np.array([[_mean(scores) for scores in row] for row in made])
        spreads = np.array([[_spread(scores) for scores in row] for row in made])
        common: BoolArray = np.array((counts > 0).all(axis=1))
        if common.any():
            worth = ranks_of(scores[common], self._similar).mean(axis=0)
        else:
            worth = pairwise_ranks(scores, counts > 0, self._similar)
        order = np.argsort(worth, kind="stable")
        self.names = [self.names[i] for i in order]
        self._scores, self._counts, self._spreads = (of[:, order] for of in (scores, counts, spreads))
        self._common = common

    def measure(self, name: str) -> Measure:
        """One of the measures, by its name."""
        return next(iter(self.rankings.values())).measure(name)

    @property
    def _similar(self) -> bool:
        return self.measure(self.measures[0]).similarity

    # ---- data sets and runs

    @property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.rankings)

    @property
    def common(self) -> list[str]:
        """The data sets that all systems have, over which means and mean ranks are taken."""
        return [self.datasets[i] for i in np.flatnonzero(self._common)]

    @property
    def complete(self) -> bool:
        """Whether every system has every data set."""
        return bool(self._common.all())

    @property
    def repeated(self) -> bool:
        """Whether any system has several runs on a data set."""
        return bool((self._counts > 1).any())

    @cached_property
    def runs(self) -> Table[Any]:
        """How many runs there are: a row per data set, a column per system. 0 where a system lacks the data set."""
        return self._by_data(self._counts)

    @cached_property
    def scores(self) -> Table[Any]:
        """The matrix of scores, means of runs: a row per data set, a column per system."""
        return self._by_data(self._scores)

    @cached_property
    def spreads(self) -> Table[Any]:
        """The standard deviations of the scores between runs, in the same shape; nan for a single run."""
        return self._by_data(self._spreads)

    def _by_data(self, values: AnyArray) -> Table[Any]:
        columns: dict[str, Any] = {"data": np.array(self.datasets, dtype=object)}
        return Table(columns | {name: values[:, i] for i, name in enumerate(self.names)})

    @property
    def spread(self) -> dict[str, float]:
        """The standard deviation of each system's score between runs, pooled over data sets; nan without several."""
        more = np.maximum(self._counts - 1, 0)
        squares = np.where(more > 0, np.nan_to_num(self._spreads) ** 2 * more, 0.0).sum(axis=0)
        total = more.sum(axis=0)
        pooled = np.sqrt(squares / np.where(total > 0, total, np.nan))
        return dict(zip(self.names, pooled.tolist(), strict=True))

    def score(self, data: str, name: str, measure: str | None = None) -> float:
        """A system's score on a data set, the mean of its runs; nan if it has none there."""
        if data not in self.rankings:
            raise ArgumentError(f"{data!r} is not one of the data sets.", nearest(data, self.datasets))
        return _mean(self._of_runs(data, self.names[self._place(name)], measure))

    def has(self, data: str, name: str) -> bool:
        """Whether a system has a prediction of a data set."""
        return name in self._made[data]

    def _of_runs(self, data: str, system: str, measure: str | None = None) -> list[float]:
        return [self.rankings[data].score(name, measure) for name in self._made[data].get(system, ())]

    # ---- means and ranks

    @cached_property
    def _ranks(self) -> FloatArray:
        """The ranks within each data set that all systems have."""
        return ranks_of(self._scores[self._common], self._similar)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each system over the data sets that all systems have; nan if there are none."""
        means = self._ranks.mean(axis=0).tolist() if self.common else [float("nan")] * len(self.names)
        return dict(zip(self.names, means, strict=True))

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """Where each mean rank would come out on other data sets like these; None where nothing tells."""
        return dict(zip(self.names, mean_intervals(self._ranks, self.level), strict=True))

    @property
    def pairwise_ranks(self) -> dict[str, float]:
        """1, and for each other system on which share of the data sets that both have it is the better one.

        That is the mean rank if no system lacks a data set, and the next best if some do.
        """
        ranks = pairwise_ranks(self._scores, self._counts > 0, self._similar)
        return dict(zip(self.names, ranks.tolist(), strict=True))

    def mean(self, measure: str | None = None) -> dict[str, float]:
        """The mean score of each system over the data sets that all have; in the first measure, by default."""
        return {name: _mean([self.score(data, name, measure) for data in self.common]) for name in self.names}

    # ---- tests

    @cached_property
    def friedman(self) -> Friedman | None:
        """Friedman's test over the data sets that all systems have: whether any differs from the others.

        None with fewer than five data sets or two systems.
        """
        return friedman(self._ranks)

    def p_value(self, first: str, second: str) -> float:
        """Wilcoxon's signed-rank test of two systems over the data sets that both have, two-sided and not adjusted.

        Its null hypothesis: the differences between the two are as often and as much in favour of one as of the other.
        nan if they share no data set.
        """
        one, two = self._place(first), self._place(second)
        if not self.shared[one, two]:
            return float("nan")
        return float(wilcoxon_p_values((self._scores[:, one] - self._scores[:, two])[None])[0])

    def _place(self, name: str) -> int:
        if str(name) not in self.names:
            raise ArgumentError(f"{name!r} is not one of the systems.", nearest(str(name), self.names))
        return self.names.index(str(name))

    @cached_property
    def shared(self) -> AnyArray:
        """On how many data sets every two systems can be compared, in the order of ``names``."""
        has = (self._counts > 0).astype(np.int64)
        return has.T @ has

    @cached_property
    def pairs(self) -> Table[Any]:
        """Every two systems, the better one first: how many data sets both have, and p before and after Holm's way."""
        one, two = np.triu_indices(len(self.names), 1)
        shared = self.shared[one, two]
        p_values = wilcoxon_p_values(self._scores.T[one] - self._scores.T[two])
        p_values[shared == 0] = np.nan
        adjusted = np.full(len(p_values), np.nan)
        adjusted[shared > 0] = holm(p_values[shared > 0].tolist())
        first, second = (np.array(self.names, dtype=object)[at] for at in (one, two))
        columns = {"first": first, "second": second, "datasets": shared}
        return Table(columns | {"p_value": p_values, "adjusted": adjusted})

    @cached_property
    def adjusted(self) -> dict[tuple[str, str], float]:
        """The p-values of all pairs of systems, the better one first, adjusted by Holm for their number."""
        return dict(zip(combinations(self.names, 2), self.pairs["adjusted"].tolist(), strict=True))

    @cached_property
    def cliques(self) -> list[list[str]]:
        """Runs of systems, in order of mean rank, of which no two differ significantly; none is part of another."""
        alike = np.ones((len(self.names), len(self.names)), dtype=bool)
        one, two = np.triu_indices(len(self.names), 1)
        alike[one, two] = alike[two, one] = ~(self.pairs["adjusted"] < ALPHA)
        return [self.names[start:stop] for start, stop in cliques(alike.tolist())]

    # ---- for people and programs

    @property
    def groups(self) -> dict[str, str]:
        """The cliques of each system, by letters: "a" or, for several, "a–c". Numbers if there are too many."""
        return dataset_boards.groups(self)

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
        tested = self.pairs["datasets"][self.pairs["datasets"] > 0]
        needed, most = fewest(len(tested)), int(max(tested, default=0))
        if most < needed:
            told.append(
                f"{count(most, 'data set')}: with fewer than {needed} no difference can be significant, "
                f"since p is adjusted for {count(len(tested), 'pair')} of systems."
            )
        lacking = int((np.isnan(self._scores) & (self._counts > 0)).sum())
        if lacking:
            told.append(
                f"{count(lacking, 'score')} without a value: a system without one comes last there, and its tests "
                "leave that data set out."
            )
        return [*told, *self._gaps, *self._floors]

    @property
    def _gaps(self) -> list[str]:
        """Whether so many data sets lack a system that mean ranks say little."""
        common = len(self.common)
        if self.complete or common >= FEWEST:
            return []
        has = (self._counts > 0).sum(axis=0)
        rare = [self.names[i] for i in np.argsort(has, kind="stable") if has[i] < len(self.datasets)]
        told = (
            f"only {count(common, 'data set')} of {len(self.datasets):,} {'has' if common == 1 else 'have'} all systems"
            if common
            else (
                f"none of {count(len(self.datasets), 'data set')} has all systems, so there are no mean ranks, and "
                "systems are ordered by their pairwise ranks"
            )
        )
        return [f"{told}: leave out those with the fewest, such as {and_list(rare[:3])}."]

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
                    f"the chance level of {measure.name} depends on the data: means over data sets mix scores "
                    "that are not comparable; ari, ami and as_h are adjusted for chance."
                ]
            levels.append(level)
        if max(levels) - min(levels) <= FLOORS:
            return []
        return [
            f"the chance level of {measure.name} depends on the data, from {min(levels):.2f} to {max(levels):.2f} "
            "here: means over data sets mix scores that are not comparable; as_h is adjusted for chance."
        ]

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        version = next(iter(self.rankings.values())).signature.rpartition("|")[2]
        common = "" if self.complete else f"|common:{len(self.common)}"
        return (
            f"rank:{self.measures[0]}|data sets:{len(self.rankings)}{common}|systems:{len(self.names)}|unit:data set|"
            f"test:wilcoxon,two-sided,holm|{version}"
        )

    @property
    def footnotes(self) -> list[str]:
        """What was averaged over what, and what was tested, in words."""
        return dataset_boards.footnotes(self)

    @property
    def title(self) -> str:
        """What is ranked, by what, and where."""
        on = count(len(self.rankings), "data set")
        return f"{count(len(self.names), 'system')} by {self.measures[0]} on {on}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what a system lacks has no value, and 0 runs."""
        means = {measure: self.mean(measure) for measure in self.measures}
        ranks, pairwise, intervals, spread = self.mean_ranks, self.pairwise_ranks, self.intervals, self.spread
        return {
            "signature": self.signature,
            "notices": self.notices,
            "measures": self.measures,
            "unit": "data set",
            "systems": [
                {
                    "system": name,
                    "mean_rank": ranks[name],
                    "interval": intervals[name],
                    "pairwise_rank": pairwise[name],
                    "scores": {measure: mean[name] for measure, mean in means.items()},
                    "datasets": int(self.shared[i, i]),
                    "spread": spread[name],
                }
                for i, name in enumerate(self.names)
            ],
            "common": self.common,
            "scores": self.scores.to_dict(),
            "runs": self.runs.to_dict(),
            "spreads": self.spreads.to_dict(),
            "friedman": None if self.friedman is None else asdict(self.friedman),
            "p_values": [
                {"first": first, "second": second, "datasets": datasets, "p_value": p}
                for first, second, datasets, _, p in zip(*self.pairs.to_dict().values(), strict=True)
            ],
            "cliques": self.cliques,
            "data": {data: self._told(data) for data in self.datasets},
            "footnotes": self.footnotes,
        }

    def _told(self, data: str) -> dict[str, Any]:
        """The ranking of a data set as plain values, which say who made each prediction."""
        told = self.rankings[data].to_dict()
        runs = {name: run for name, run in self._runs[data].items() if run.run is not None}
        told["systems"] = [
            row | runs[row["system"]]._asdict() if row["system"] in runs else row for row in told["systems"]
        ]
        return told

    def to_csv(self) -> str:
        """The matrix of scores as comma-separated values, with all digits; of several runs also the spreads."""
        if not self.repeated:
            return csv_text(self.scores)
        columns = {name: self.scores[name] for name in self.scores.columns}
        for kind, table in (("spread", self.spreads), ("runs", self.runs)):
            for name in self.names:
                heading = f"{name} {kind}"
                while heading in columns:
                    heading += "'"
                columns[heading] = table[name]
        return csv_text(Table(columns))

    def plot(self, ax: Any = None, *, width: float | None = None, dpi: float | None = None) -> Any:
        """Draw the mean ranks on a line, with a bar over systems that do not differ significantly.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.mean_ranks(self, ax, width=width, dpi=dpi)

    def boards(self, rows: int | None = None, across: int | None = None) -> list[Board]:
        """Systems by mean rank, the matrix of their scores, and where some are lacking how many each two share."""
        return dataset_boards.boards(self, rows, across)


def _mean(scores: Sequence[float]) -> float:
    return float(np.mean(scores)) if scores else float("nan")


def _spread(scores: Sequence[float]) -> float:
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else float("nan")
