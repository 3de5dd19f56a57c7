"""The guard of a pipeline: is a system worse than it was, and is that more than chance?"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite, isnan, nan
from statistics import fmean as mean
from typing import Any

import numpy as np

from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.decide.paired import ALPHA
from clusterdiff.decide.rank_tests import wilcoxon_p_values
from clusterdiff.decide.ranking import Ranking
from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import from_json, read_text
from clusterdiff.wording import change, count, number

#: Scores that differ by less are the same: files keep all digits, but sums may be added up in another order.
SLACK = 1e-12


@dataclass(frozen=True)
class Change:
    """How a system's score changed against the baseline. ``significant`` is None if nothing tells."""

    system: str
    measure: str
    old: float
    new: float
    worse: bool
    significant: bool | None
    why: str

    def __str__(self) -> str:
        old, new = number(self.old, 6), number(self.new, 6)
        went = f"{self.measure} went from {old} to {new}"
        if isfinite(self.new - self.old):
            went += f" ({change(self.new - self.old, 6)})"
        return f"{self.system}: {went}{f'; {self.why}' if self.why else ''}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Baseline:
    """Scores of the past: by system, or of the one system of a comparison, which has no name.

    ``data`` has the scores of each data set, if there were several.
    """

    path: str
    scores: Mapping[str | None, Mapping[str, float]]
    signature: str
    data: Mapping[str, Mapping[str, Mapping[str, float]]]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Baseline:
        """From what ``clusterdiff compare --json`` or ``clusterdiff rank --json`` printed."""
        name = os.fspath(path)
        text = read_text(name)
        try:
            told = from_json(text, name)
        except FileError as error:
            raise FileError(error.message, error.ways or HINT) from None
        try:
            data = {key: _scores(value) for key, value in told.get("data", {}).items()}
            scores: Mapping[Any, Any] = (
                _scores(told) if "systems" in told else {None: _numbers(told["scores"])}
            )
            if not scores:
                raise ValueError("no systems")
            return cls(name, scores, str(told["signature"]), data)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise FileError(f"{name} holds no scores that could be a baseline.", HINT) from None

    def changes(self, ranking: Ranking | DatasetRanking) -> list[Change]:
        """How each system that the baseline has too changed in the first measure."""
        names = self._names(ranking)
        return [self._change(ranking, name, was) for name, was in names.items()]

    def notices(self, ranking: Ranking | DatasetRanking) -> list[str]:
        """What makes the baseline a poor measure: other points, or other systems."""
        told = []
        then, now = (re.search(r"\|n:([^|]+)", text) for text in (self.signature, ranking.signature))
        if then and now and then[1] != now[1]:
            told.append(
                f"{self.path} was made from {then[1]} points, and now there are {now[1]}: not the same test."
            )
        before, after = _policy(self.signature), _policy(ranking.signature)
        told += [
            f"{self.path} was made with {part}:{before[part]}, and now it is {part}:{after[part]}: not the same test."
            for part in before.keys() & after.keys()
            if before[part] != after[part]
        ]
        if None not in self.scores:
            gone = [name for name in self.scores if name not in ranking.names]
            new = [name for name in ranking.names if name not in self.scores]
            told += [f"{self.path} has systems that are not ranked now: {listed(gone)}."] if gone else []
            told += [f"{self.path} has no scores of {listed(new)}."] if new else []
        if isinstance(ranking, DatasetRanking):
            told += self._vanished(ranking)
        return told

    def _vanished(self, ranking: DatasetRanking) -> list[str]:
        """Data sets on which a system has no prediction any more: a run that failed must not pass for a good one."""
        gone = [
            f"{name} on {data}"
            for data, systems in self.data.items()
            for name in systems
            if name in ranking.names and (data not in ranking.rankings or not ranking.has(data, name))
        ]
        return [f"{self.path} has scores that are missing now: {listed(gone)}."] if gone else []

    def _shared(self, ranking: DatasetRanking, name: str) -> tuple[list[float], list[float]]:
        """Old and new scores of a system in the first measure, on the data sets for which both are there."""
        measure = ranking.measures[0]
        then = {data: scores.get(name, {}).get(measure, nan) for data, scores in self.data.items()}
        shared = [
            data for data in ranking.datasets if isfinite(then.get(data, nan)) and ranking.has(data, name)
        ]
        return [then[data] for data in shared], [ranking.score(data, name) for data in shared]

    def _names(self, ranking: Ranking | DatasetRanking) -> dict[str, Mapping[str, float]]:
        if None in self.scores:
            if len(ranking.names) > 1:
                raise ArgumentError(
                    f"{self.path} has the score of one comparison, and {len(ranking.names)} systems are ranked.",
                    "rank one system, or make the baseline with `clusterdiff rank --json`.",
                )
            return {ranking.names[0]: self.scores[None]}
        both: dict[str, Mapping[str, float]] = {
            name: self.scores[name] for name in ranking.names if name in self.scores
        }
        if not both:
            raise ArgumentError(
                f"{self.path} has none of the systems ranked; it has {listed(self.scores)}.",
                "systems are matched by the names of their files or columns.",
            )
        return both

    def _change(self, ranking: Ranking | DatasetRanking, name: str, was: Mapping[str, float]) -> Change:
        measure = ranking.measures[0]
        if measure not in was:
            raise ArgumentError(
                f"{self.path} lacks {measure}; it has {', '.join(was)}.",
                "choose one of them with --measures.",
            )
        sign = 1 if ranking.measure(measure).similarity else -1
        old = was[measure]
        if isinstance(ranking, Ranking):
            new = ranking.score(name)
        else:
            then, now = self._shared(ranking, name)
            old, new = (mean(then), mean(now)) if then else (old, ranking.mean()[name])
        if isnan(old):
            raise ArgumentError(
                f"{self.path} has no value of {measure} for {name}.",
                "choose another measure with --measures.",
            )
        worse = isnan(new) or sign * (new - old) < -SLACK
        significant, why = (None, "") if not worse else self._significant(ranking, name, old, new, sign)
        return Change(name, measure, old, new, worse, significant, why)

    def _significant(
        self, ranking: Ranking | DatasetRanking, name: str, old: float, new: float, sign: int
    ) -> tuple[bool | None, str]:
        """Whether a loss is more than chance, and why: the old score lies outside the interval of the new one.

        Over several data sets Wilcoxon's test compares old and new scores.
        """
        if isnan(new):
            return True, "it has no value now"
        if isinstance(ranking, Ranking):
            if not ranking.has_intervals:
                return None, ""
            found = ranking.interval(name)
            if found.low is None or found.high is None:
                return None, f"no interval: {found.reason}"
            low, high = found.low, found.high
            outside = high < old if sign > 0 else low > old
            where = "outside" if outside else "inside"
            return outside, f"the old score is {where} the interval {number(low, 6)} to {number(high, 6)}"
        then, now = self._shared(ranking, name)
        if not then:
            return None, ""
        p = float(wilcoxon_p_values((np.array(now) - np.array(then))[None])[0])
        return p < ALPHA, f"Wilcoxon p = {p:.3g} over {count(len(then), 'data set')}"


HINT = "a baseline is the output of `clusterdiff compare --json` or `clusterdiff rank --json`."


def _scores(ranking: Mapping[str, Any]) -> dict[str, Mapping[str, float]]:
    """The scores of each system; the mean, if it had several runs."""
    runs: dict[str, list[dict[str, float]]] = {}
    for row in ranking["systems"]:
        runs.setdefault(str(row["system"]), []).append(_numbers(row["scores"]))
    return {
        system: {measure: mean([scores[measure] for scores in of]) for measure in of[0]}
        for system, of in runs.items()
    }


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    """Scores as numbers; what has no value is null in JSON."""
    if not all(value is None or isinstance(value, float | int) for value in scores.values()):
        raise TypeError("a score is a number")
    return {name: nan if value is None else float(value) for name, value in scores.items()}


def _policy(signature: str) -> dict[str, str]:
    """What a signature says about missing points, noise and weights, without how many points that touched."""
    parts = re.findall(r"\|(missing|noise|weights):([^|]*)", signature)
    return {name: re.sub(r"\([^)]*\)", "", value) for name, value in parts}
