"""Which of two dates is the later one, where that decides between judgements."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any

from clusterdiff.errors import FileError, listed

#: A day before its month, or a month before its day: such texts do not sort by time.
YEAR_LAST = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|.*[^\W\d_]{3}", re.ASCII)


def order_of_times(times: Collection[str]) -> dict[str, int]:
    """The place of each time among others, the earliest first; the same moment, however written, has one place.

    >>> order_of_times({"2026-11-02T10:00+02:00", "2026-11-02T08:00Z", "2026-11-02"})["2026-11-02T08:00Z"]
    1
    >>> order_of_times({"9", "10"})["10"]
    1

    Dates are of ISO 8601, in UTC unless they name another zone; or numbers; or texts of one shape that begin with the
    year. Nothing else says which is later.
    """
    for read in (_moment, _number, _sortable(times)):
        try:
            found: dict[str, Any] = {time: read(time) for time in times}
        except ValueError:
            continue
        places = {value: i for i, value in enumerate(sorted(set(found.values())))}
        return {time: places[value] for time, value in found.items()}
    raise FileError(
        f"the dates of judgements do not say which is later: {listed(sorted(times))}.",
        'write all of them alike, the year first: "2026-11-02" or "2026-11-02T10:00:00Z".',
    )


def _moment(time: str) -> datetime:
    found = datetime.fromisoformat(time)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _number(time: str) -> float:
    found = float(time)
    if not math.isfinite(found):
        raise ValueError(time)
    return found


def _sortable(times: Collection[str]) -> Callable[[str], str]:
    alike = len({re.sub(r"\d", "0", time) for time in times}) == 1

    def read(time: str) -> str:
        if not alike or YEAR_LAST.match(time):
            raise ValueError(time)
        return time

    return read
