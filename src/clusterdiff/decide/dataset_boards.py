"""What tables show of a ranking over data sets: systems by mean rank, scores by data set, and data sets by pair."""

from __future__ import annotations

from itertools import count as count_from
from math import isnan
from string import ascii_lowercase
from typing import TYPE_CHECKING

from clusterdiff.decide.leaderboard import Board, Entry, best_of, number
from clusterdiff.decide.paired import ALPHA
from clusterdiff.decide.rank_tests import FEWEST
from clusterdiff.wording import count

if TYPE_CHECKING:
    from clusterdiff.decide.datasets import DatasetRanking

#: Of so many systems tables say on how many data sets every two of them are compared.
PAIRED = 30


def footnotes(ranking: DatasetRanking) -> list[str]:
    """What was averaged over what, and what was tested, in words."""
    told = []
    common, several = len(ranking.common), len(ranking.names) > 1
    if not ranking.complete:
        told.append(
            f"Means and mean ranks: over the {count(common, 'data set')} of {len(ranking.datasets):,} that all systems "
            "have. Tests and pairwise ranks: over the data sets that both systems have."
        )
    if any(ranking.intervals.values()):
        told.append(
            f"interval: {ranking.level:.0%}, Student's, of the mean rank over {count(common, 'data set')}; none where "
            "a rank never changes."
        )
    if ranking.repeated:
        told.append(
            "spread: standard deviation between runs, pooled over data sets. The score of a data set is the mean of "
            "the runs there."
        )
    return [*told, *_tests(ranking)] if several else told


def _tests(ranking: DatasetRanking) -> list[str]:
    shared = [n for n in ranking.pairs["datasets"].tolist() if n]
    untested = len(ranking.pairs) - len(shared)
    told = [_friedman(ranking)]
    if shared:
        low, high = min(shared), max(shared)
        told.append(
            f"Wilcoxon's signed-rank test over {'' if low == high else f'{low:,} to '}{count(high, 'data set')}, "
            f"two-sided, adjusted by Holm for {count(len(shared), 'pair')}. Null hypothesis: differences are "
            "symmetric around 0."
        )
    if untested:
        told.append(f"{count(untested, 'pair')} of systems without a data set in common: not tested.")
    letter = "letter" if len(ranking.cliques) <= len(ascii_lowercase) else "number"
    told.append(
        f"alike: systems that have a {letter} in common do not differ significantly."
        if ranking.cliques
        else "All differences are significant."
    )
    return told


def _friedman(ranking: DatasetRanking) -> str:
    found, common = ranking.friedman, len(ranking.common)
    if found is None:
        return (
            f"Friedman's test is not computed: it needs {FEWEST} data sets that all systems have, and there "
            f"{'is' if common == 1 else 'are'} {common}."
        )
    how = "exact" if found.exact else f"chi-squared with {count(len(ranking.names) - 1, 'degree')} of freedom"
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    verdict = "the systems differ" if found.p_value < ALPHA else "no difference between the systems is shown"
    return (
        f"Friedman's test over {count(common, 'data set')}: {found.statistic:.2f}, {p} ({how}): {verdict}. Null "
        "hypothesis: on each data set every order of the systems is equally likely."
    )


def groups(ranking: DatasetRanking) -> dict[str, str]:
    """The cliques of each system, by letters, or by numbers if there are too many."""
    many = len(ranking.cliques) > len(ascii_lowercase)
    letters = map(str, count_from(1)) if many else ascii_lowercase
    inside: dict[str, list[str]] = {name: [] for name in ranking.names}
    for letter, clique in zip(letters, ranking.cliques, strict=False):
        for name in clique:
            inside[name].append(letter)
    return {
        name: "–".join(dict.fromkeys([mine[0], mine[-1]])) if mine else "" for name, mine in inside.items()
    }


def boards(ranking: DatasetRanking, rows: int | None, across: int | None) -> list[Board]:
    """Systems by mean rank, the matrix of their scores, and where some are lacking how many each two share."""
    made = [_summary(ranking, rows), _matrix(ranking, rows, across)]
    return made if ranking.complete else [*made, _shared(ranking, rows, across)]


def _summary(ranking: DatasetRanking, rows: int | None) -> Board:
    names = ranking.names[:rows]
    columns: list[tuple[str, list[Entry]]] = [
        ("", [Entry(str(place)) for place in range(1, len(names) + 1)]),
        ("system", [Entry(name, best=place == 0) for place, name in enumerate(names)]),
    ]

    def texts(heading: str, values: list[str]) -> None:
        columns.append((heading, list(map(Entry, values))))

    intervals = ranking.intervals
    if ranking.common:
        ranks = ranking.mean_ranks
        means = [f"{ranks[name]:.2f}" for name in names]
        columns.append(("mean rank", [Entry(text, best=i == 0) for i, text in enumerate(means)]))
        if any(intervals.values()):
            ends = [intervals[name] for name in names]
            texts("interval", ["" if end is None else f"{end[0]:.2f}–{end[1]:.2f}" for end in ends])
    if not ranking.complete:
        pairwise = ranking.pairwise_ranks
        texts("pairwise", ["" if isnan(pairwise[name]) else f"{pairwise[name]:.2f}" for name in names])
    if ranking.cliques:
        alike = groups(ranking)
        texts("alike", [alike[name] for name in names])
    for measure in ranking.measures if ranking.common else ():
        mean = ranking.mean(measure)
        top = best_of(list(mean.values()), ranking.measure(measure).similarity)
        columns.append((f"mean {measure}", [number(mean[name], top) for name in names]))
    if ranking.repeated:
        spread = ranking.spread
        texts("spread", ["" if isnan(spread[name]) else f"{spread[name]:.4f}" for name in names])
    if not ranking.complete:
        texts("data sets", [f"{ranking.shared[i, i]:,}" for i in range(len(names))])
    head = [heading for heading, _ in columns]
    words = tuple(i for i, heading in enumerate(head) if heading in ("system", "alike"))
    lines = [list(cells) for cells in zip(*(cells for _, cells in columns), strict=True)]
    left = len(ranking.names) - len(lines)
    return Board(head, lines, left, ranking.footnotes, notices=ranking.notices, words=words)


def _matrix(ranking: DatasetRanking, rows: int | None, across: int | None) -> Board:
    names = ranking.names[:across]
    similar = ranking.measure(ranking.measures[0]).similarity
    every = [ranking.scores[name].tolist() for name in ranking.names]
    runs, spreads = ([table[name].tolist() for name in names] for table in (ranking.runs, ranking.spreads))
    lines = []
    for i, data in enumerate(ranking.datasets[:rows]):
        top = best_of([column[i] for column in every], similar)
        cells = [_cell(number(every[j][i], top), runs[j][i], spreads[j][i]) for j in range(len(names))]
        lines.append([Entry(data), *cells])
    told = []
    if ranking.repeated:
        told.append("±: standard deviation between runs.")
    if not ranking.complete:
        told.append("Empty: the system has no prediction for this data set.")
    if len(names) < len(ranking.names):
        told.append(f"The first {count(len(names), 'system')} of {len(ranking.names):,}; to_csv() has all.")
    left = len(ranking.datasets) - len(lines)
    return Board([ranking.measures[0], *names], lines, left, told, words=(0,), noun="data set")


def _cell(score: Entry, runs: int, spread: float) -> Entry:
    if not runs:
        return Entry("")
    return score if isnan(spread) else Entry(f"{score.text} ±{spread:.4f}", score.best)


def _shared(ranking: DatasetRanking, rows: int | None, across: int | None) -> Board:
    tall, wide = (PAIRED if most is None else min(most, PAIRED) for most in (rows, across))
    names = ranking.names[:wide]
    lines = [
        [Entry(name), *(Entry(f"{n:,}") for n in ranking.shared[i, : len(names)].tolist())]
        for i, name in enumerate(ranking.names[:tall])
    ]
    told = ["How many data sets both systems have."]
    if len(names) < len(ranking.names):
        told.append(f"The first {count(len(names), 'system')} of {len(ranking.names):,}; pairs has all.")
    return Board(["data sets", *names], lines, len(ranking.names) - len(lines), told, words=(0,))
