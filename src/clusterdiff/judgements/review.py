"""Reviews: files of what to look at, drawn with known probabilities, and the answers that come back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.changed import KINDS, ChangedComponents
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.drawing import Probabilities
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.texts import texts
from clusterdiff.wording import count

#: What a stratum is called that is drawn with certainty.
CERTAIN = "certain"


def digest(sizes: Iterable[int], n: int) -> str:
    """What tells a run from another, whatever its clusters are called: its points and the sizes of its clusters."""
    text = f"{n}:{','.join(map(str, sorted(sizes)))}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digests(diff: Comparison) -> list[str]:
    """Those of an old and a new run, over the points that both have."""
    return [digest(sizes.tolist(), int(diff.meet.n)) for sizes in (diff.meet.true_size, diff.meet.pred_size)]


def review_of(
    diff: Comparison, changed: ChangedComponents, found: Probabilities, units: Sequence[int], seed: int
) -> Judgements:
    """A review of drawn components: both versions of each, in random order, and how it was drawn."""
    rng = np.random.default_rng([seed, 1])
    x = changed.x
    lines, sides = [], {}
    for number, unit in enumerate(rng.permutation(np.asarray(units, dtype=np.int64)).tolist(), 1):
        name = f"c{number}"
        old, new = versions(diff, int(changed.component[unit]))
        sides[name] = "1" if rng.random() < 0.5 else "2"
        first, second = (old, new) if sides[name] == "1" else (new, old)
        certain = bool(found.certain[unit])
        lines.append(
            Judgement(
                id=name,
                shown={"1": first, "2": second},
                stratum=CERTAIN if certain else KINDS[changed.kind[unit]],
                x=float(x[unit]),
                probability=1.0 if certain else float(found.probability[unit]),
                other={"kind": KINDS[changed.kind[unit]]},
            )
        )
    rest = ~found.certain
    totals = {kind: float(x[rest & (changed.kind == i)].sum()) for i, kind in enumerate(KINDS)}
    header = {
        "review": 1,
        "n": changed.n,
        "seed": seed,
        "components": len(changed),
        "unshared": diff.policy.unshared,
        "totals": totals | {CERTAIN: float(x[found.certain].sum())},
        "changed": {"torn": float(changed.torn.sum()), "joined": float(changed.joined.sum())},
        "pairs": list(changed.pairs),
        "digests": digests(diff),
        "sides": sides,
    }
    return Judgements(lines, header)


def versions(diff: Comparison, component: int) -> tuple[list[list[str]], list[list[str]]]:
    """The points of a component, by old and by new cluster."""
    cells = diff.analysis.cells_of_component(component)
    points = diff.source.points_of_each(cells)
    out = []
    for codes in (diff.meet.true[cells], diff.meet.pred[cells]):
        groups: dict[int, list[str]] = {}
        for code, held in zip(codes.tolist(), points, strict=True):
            groups.setdefault(code, []).extend(texts(held))
        out.append(sorted(sorted(group) for group in groups.values()))
    return out[0], out[1]


def shows(review: Judgements, side: str, run: Indexed) -> bool:
    """Whether a review shows the clusters of a run as its "old" or "new" side: each group is of one cluster."""
    sides = (review.header or {}).get("sides", {})
    groups = []
    for one in review:
        place = sides.get(one.id, "1")
        groups += one.shown[place if side == "old" else {"1": "2", "2": "1"}[place]]
    places = run.find(texts(point for group in groups for point in group))
    if (places < 0).any():
        return False
    of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    clusters = run.cluster[places]
    return len(np.unique(np.stack([of, clusters]), axis=1).T) == len(groups) == len(np.unique(clusters))


def shows_two(one: Judgement) -> bool:
    """Whether a judgement answers a review of a difference: it shows two versions of the same points."""
    return isinstance(one.shown, Mapping) and {"1", "2"} <= one.shown.keys()


def review_points(run: Indexed, draws: int, seed: int) -> Judgements:
    """A review of random points: the predicted cluster of each, to be completed with its true cluster."""
    rng = np.random.default_rng(seed)
    placed = np.flatnonzero(run.cluster >= 0)
    if draws > len(placed):
        raise ArgumentError.must("draw", f"be at most {len(placed):,}, the number of points", draws)
    chosen = rng.choice(placed, draws, replace=False)
    members = run.members(np.unique(run.cluster[chosen]))
    lines = []
    for number, place in enumerate(chosen.tolist(), 1):
        shown = sorted(map(run.text, members[int(run.cluster[place])]))
        lines.append(
            Judgement(
                id=f"p{number}",
                shown={"1": [shown]},
                probability=draws / len(placed),
                other={"point": run.text(place)},
            )
        )
    header = {
        "review": 1,
        "design": "points",
        "n": len(placed),
        "seed": seed,
        "digests": [digest(run.sizes.tolist(), len(placed))],
    }
    return Judgements(lines, header)


def reviews_points(sample: Judgements) -> bool:
    """Whether judgements answer reviews of random points, each of which names its point."""
    if changed := next((one.id for one in sample if shows_two(one)), None):
        raise ArgumentError.about(
            "sample",
            f"has {changed!r}, which answers a review of a difference: it was drawn from what changed alone.",
            "such answers estimate the difference of their two runs: `clusterdiff estimate --old A --new B`.",
        )
    named = sum("point" in one.other for one in sample)
    if 0 < named < len(sample):
        raise ArgumentError.about(
            "sample",
            f"has {count(named, 'draw')} of a review of points among {count(len(sample), 'judgement')}.",
            "pass the answers to the review alone: other judgements were not drawn like them.",
        )
    return named > 0


def answered_points(review: Judgements) -> tuple[list[list[str]], list[str], list[list[str]]]:
    """The true cluster of each drawn point that has an answer, these points, and all clusters that were completed."""
    draws, drawn = [], []
    answered = [one for one in review if one.groups]
    for one in answered:
        point = str(one.other.get("point"))
        mine = [group for group in one.groups if point in group]
        if not mine:
            raise ArgumentError.about("sample", f"has {one.id!r}, whose groups lack its point {point!r}.")
        draws.append(list(mine[0]))
        drawn.append(point)
    if not draws:
        raise ArgumentError.about("sample", "has no answers yet.")
    return (
        draws,
        drawn,
        [list(group) for group in sorted({group for one in answered for group in one.groups})],
    )
