"""Which properties a measure has, found by trying every pair of clusterings of a few points."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clusterdiff import notebook
from clusterdiff.errors import ArgumentError
from clusterdiff.measures import Measure, measures, resolve
from clusterdiff.measures.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.paper.findings import Counterexample, Finding
from clusterdiff.paper.properties import PROPERTIES, measure_findings
from clusterdiff.paper.subcomponents import SUBCOMPONENT_PROPERTIES, subcomponent_findings
from clusterdiff.paper.trial import PointData, Trial
from clusterdiff.table import Table

#: All pairs of clusterings of more points than this are too many.
MOST_POINTS = 8


@dataclass(frozen=True)
class Check:
    """What :func:`check` found, property by property.

    ``tried`` counts the pairs of clusterings (for a subcomponent measure, the ways to part a cluster).
    """

    name: str
    points: int
    tried: int
    findings: Mapping[str, Finding] = field(repr=False)
    described: Mapping[str, str] = field(repr=False)

    @property
    def holds(self) -> dict[str, bool | None]:
        """Property → whether it holds; None where the question does not arise."""
        return {name: finding.holds for name, finding in self.findings.items()}

    @property
    def counterexamples(self) -> dict[str, Counterexample]:
        """Property that fails → the smallest example of it."""
        return {name: f.counterexample for name, f in self.findings.items() if f.counterexample is not None}

    @property
    def table(self) -> Table[Any]:
        """One row per property."""
        found = self.findings.items()
        return Table(
            {
                "property": [name for name, _ in found],
                "holds": ["-" if f.holds is None else "yes" if f.holds else "no" for _, f in found],
                "because": [f.counterexample.text if f.counterexample else f.note for _, f in found],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "name": self.name,
            "points": self.points,
            "tried": self.tried,
            "holds": self.holds,
            "properties": [
                {
                    "property": name,
                    "meaning": self.described[name],
                    "holds": finding.holds,
                    "note": finding.note,
                    "counterexample": finding.counterexample and finding.counterexample.to_dict(),
                }
                for name, finding in self.findings.items()
            ],
        }

    def __repr__(self) -> str:
        width = max(map(len, self.findings))
        what = "pairs of clusterings" if "symmetric" in self.findings else "ways to part a cluster"
        lines = [f"{self.name}, all {self.tried:,} {what} of up to {self.points} points"]
        for name, finding in self.findings.items():
            mark = "-" if finding.holds is None else "holds" if finding.holds else "fails"
            lines.append(f"  {name:<{width}}  {mark:<5}  {self.described[name]}")
            why = str(finding.counterexample or finding.note)
            lines.extend(" " * (width + 11) + line for line in why.splitlines())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        told = repr(self).splitlines()[0]
        return notebook.view(notebook.line(told, strong=True), self.table.html(len(self.findings)))


def check(
    measure: str | Measure | Subcomponent | Callable[..., Any],
    points: int | None = None,
    *,
    s: str | Subcomponent | Callable[..., Any] | None = None,
    features: object = None,
    distances: object = None,
    progress: Callable[[str], None] | None = None,
) -> Check:
    """Try a measure on all pairs of clusterings of a few points, and say which properties it has.

    "Holds" means that no pair of clusterings of up to ``points`` points speaks against it; "fails" comes with
    the smallest pair that does.

    Parameters
    ----------
    measure
        A measure by name, a function of the meet, or a subcomponent measure: by name, from
        :func:`clusterdiff.subcomponent`, or a function of ``sizes`` or ``members``.
    points
        The largest number of points, 2 to 8. By default 6, and 5 for measures that need features or distances:
        their value depends on which points they are, so that no two pairs stand for one another.
    s
        The subcomponent measure that yours is made of, for property 4.4. Known for the paper's own.
    features, distances
        The points' features or distances, for measures that need them; drawn at random if not given.
    progress
        A function that is given what is being looked at.

    Notes
    -----
    A pair for which the measure raises a ``MeasureError``, or warns, is outside its domain and left out: K is
    defined for clusterings of at most k clusters, and k ≤ √n.

    Type-II bias (of shuffled predictions, those with certain sizes of clusters come out best more often; Romano et al.,
    2016) is not asked: at four points no measure is free of it, so that trying a few points cannot tell.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> found = cd.check("nmi_max", points=4)
    >>> found.holds["normalised"], found.holds["conditionally_normalised"]
    (True, False)
    >>> print(found.counterexamples["join_weighted"])
    true  0 1 | 2
    pred  0 | 1 | 2
    nmi_max = 0.5794, but the mean over components is 0.3333
    """
    wanted = _wanted(measure)
    needs = wanted.needs
    if points is None:
        points = 6 if needs is None else 5
    if not isinstance(points, int) or not 2 <= points <= MOST_POINTS:
        raise ArgumentError.must(
            "points",
            f"be from 2 to {MOST_POINTS}",
            points,
            "there are 17 million pairs of clusterings of 8 points, and 447 million of 9.",
        )
    data = PointData(needs, points, features, distances)
    if isinstance(wanted, Subcomponent):
        tried, findings = subcomponent_findings(wanted, points, data)
        return Check(wanted.name, points, tried, findings, SUBCOMPONENT_PROPERTIES)
    if isinstance(measure, str):
        wanted = replace(wanted, name=measure)  # as it was asked for: an alias, a symbol
    trial = Trial(wanted, points, data, s, progress or (lambda _: None))
    return Check(trial.name, points, trial.counted, measure_findings(trial), PROPERTIES)


def _wanted(measure: Any) -> Measure | Subcomponent:
    if isinstance(measure, Subcomponent | Measure):
        return measure
    if isinstance(measure, str):
        return (
            subcomponents[measure]
            if measure in subcomponents and measure not in measures
            else resolve(measure)
        )
    if callable(measure):
        names = list(inspect.signature(measure).parameters)
        if names in (["sizes"], ["members"]):
            return subcomponent(measure)
    return resolve(measure)
