"""Estimates: measures of a whole run from a sample of the truth, with standard errors, intervals and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from clusterdiff import notebook
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.table import Table
from clusterdiff.wording import latex, number


@dataclass(frozen=True)
class Estimate:
    """A measure of the whole run: its value, standard error and interval, and how many draws they rest on.

    ``effective`` is the number of equally important draws that would tell as much. Where the sample leaves the value
    open, ``value`` is None, and ``bounds`` are the least and the greatest value that fit it. ``adjusted`` is the value
    corrected for the bias of a ratio, where it is the ratio of two totals: mostly far less than the error.
    """

    measure: str
    value: float | None
    error: float | None
    low: float | None
    high: float | None
    draws: int
    effective: float
    bounds: tuple[float, float] | None = None
    adjusted: float | None = None

    def __repr__(self) -> str:
        return f"<Estimate {self.measure} {self.words}>"

    @property
    def words(self) -> str:
        """The value or its bounds, and the interval, in words."""
        between = "" if self.bounds is None else f"{number(self.bounds[0])} to {number(self.bounds[1])}"
        value = between if self.value is None else f"{number(self.value)}"
        error = "" if self.error is None else f" ± {number(self.error)}"
        if self.low is None or self.high is None:
            return f"{value}{error}"
        return f"{value}{error}, interval {number(self.low)} to {number(self.high)}"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self).strip("<>")))


class Estimates(Mapping[str, Estimate]):
    """Estimates by measure. Made by :func:`estimate`; ``warnings`` say where an interval cannot be trusted."""

    def __init__(
        self, found: Mapping[str, Estimate], level: float, signature: str, warnings: tuple[str, ...] = ()
    ) -> None:
        self._found = dict(found)
        self.level = level
        self.signature = signature
        self.warnings = warnings

    def __getitem__(self, measure: str) -> Estimate:
        if measure not in self._found:
            raise ArgumentError.about(
                "measure",
                f"must be one of {', '.join(self._found)}; got {measure!r}.",
                nearest(measure, self._found),
            )
        return self._found[measure]

    def __contains__(self, measure: object) -> bool:
        return measure in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def bounds(self, measure: str) -> tuple[float, float]:
        """The least and the greatest value that fit the sample; the same twice if it tells the value."""
        found = self[measure]
        if found.bounds is not None:
            return found.bounds
        assert found.value is not None
        return found.value, found.value

    @property
    def table(self) -> Table[Any]:
        """One row per measure."""
        rows = [asdict(one) for one in self._found.values()]
        columns = ("measure", "value", "error", "low", "high", "effective", "bounds")
        return Table({column: _column([row[column] for row in rows]) for column in columns})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "signature": self.signature,
            "level": self.level,
            "estimates": {name: asdict(one) for name, one in self._found.items()},
            "warnings": list(self.warnings),
        }

    def rows(self) -> list[list[str]]:
        """The cells of the table for people: measure, estimate, standard error, interval, effective draws, bounds."""
        out = []
        for name, one in self._found.items():
            bounds = "" if one.bounds is None else _written(*one.bounds)
            value = _written(one.value) if one.value is not None else bounds
            between = _written(one.low, one.high)
            out.append([name, value, _written(one.error), between, f"{one.effective:,.0f}"])
            if self._unsure:
                out[-1].append(bounds)
        return out

    @property
    def _unsure(self) -> bool:
        """Whether bounds are told beside a value, because some answers were unsure."""
        return any(one.value is not None and one.bounds is not None for one in self._found.values())

    @property
    def heads(self) -> list[str]:
        """What the columns of the table are called."""
        bounds = ["bounds"] if self._unsure else []
        return ["measure", "estimate", "error", f"{self.level:.0%} interval", "worth", *bounds]

    def to_markdown(self) -> str:
        """A table in Markdown, with its warnings and signature below."""
        lines = [f"| {' | '.join(self.heads)} |", f"| --- |{' ---: |' * (len(self.heads) - 1)}"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows()]
        notes = [f"\n- {warning}" for warning in self.warnings]
        return "\n".join(lines) + "\n" + "".join(notes) + f"\n\n{self.signature}\n"

    def to_latex(self) -> str:
        """A table in LaTeX, for booktabs, with its warnings and signature as comments below."""
        notes = [f"warning: {warning}" for warning in self.warnings]
        body = [f"{' & '.join(map(latex, row))} \\\\" for row in self.rows()]
        head = f"{' & '.join(map(latex, self.heads))} \\\\"
        return "\n".join(
            [
                f"\\begin{{tabular}}{{l{'r' * (len(self.heads) - 1)}}}",
                "\\toprule",
                head,
                "\\midrule",
                *body,
                "\\bottomrule",
                "\\end{tabular}",
                *(f"% {note}" for note in (*notes, self.signature)),
                "",
            ]
        )

    def __repr__(self) -> str:
        rows = [self.heads, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings), self.signature])

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, repr(self).splitlines()))


def _written(*values: float | None) -> str:
    """A number, or the two ends of an interval; nothing where there is none, as of a single draw.

    >>> _written(0.5, 1.0), _written(math.nan), _written(None)
    ('0.5000 to 1.0000', '', '')
    """
    known = [value for value in values if value is not None and not math.isnan(value)]
    return " to ".join(map(number, known)) if len(known) == len(values) else ""


def _column(values: list[Any]) -> Any:
    import numpy as np

    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
