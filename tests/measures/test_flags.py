"""The registry's flags are true: each is checked by trying all pairs of clusterings of a few points."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.meet.enumeration import universe
from tests.cases import cases
from tests.conftest import random_pair

NAMES = [name for name, measure in cd.measures.items() if measure.needs is None and name != "K"]
VARIANTS = [
    "nmi(average=min)",
    "nmi(average=joint)",
    "ami(average=max)",
    "ami(average=geometric)",
    "v_measure(beta=2)",
    "vi(base=2)",
    "S*(pairs)",
    "S*(largest)",
    "gmd(split=product, merge=product)",
    "gmd(split=2)",
    "gmd(split=entropy, merge=entropy)",
    "gmd(split=entropy, merge=3)",
    "I(base=2)",
    "pairs.f(beta=2)",
    "f_measure(beta=2)",
    "adapted_rand_error(alpha=0.2)",
    "ami(average=joint)",
    "gmd(split=3, merge=0.5)",
    "gmd(split=0)",
    "f_measure(beta=0.5)",
    "S'(pairs)",
    "S'(largest)",
    "K(k=5)",
    "tversky(alpha=0.25, beta=2)",
    "tversky(alpha=0.5, beta=0.5)",
]
#: Everything that is said of these holds of the measure with its parameters.
EVERY = [*NAMES, *VARIANTS]
#: The two sides only differ in these when they do not have the same points.
UNEVEN = {"mentions.precision", "mentions.recall", "ceaf_m.precision", "ceaf_m.recall"}
SIZES = (1, 2, 3, 4, 5)


@cache
def scores(n: int) -> dict[str, np.ndarray]:
    """Every measure for every pair of clusterings of n points, as a square table.

    Pairs that differ in the order of points and clusters only are tried once: that it does not matter is a law of its
    own (test_laws.py).
    """
    omega = universe(n)
    meets = [
        cd.Meet.from_labels(omega.labels[t], omega.labels[p]) for t, p in zip(*omega.pairs[:2], strict=True)
    ]
    place, start = [], 0
    for first, inverse in omega.classes:
        place.append(start + inverse)
        start += len(first)
    standing = np.stack([place[kind][omega.moved(i)] for i, kind in enumerate(omega.kind.tolist())])
    return {name: np.array([cd.measures[name](meet) for meet in meets])[standing] for name in EVERY}


@cases("name", EVERY)
def test_bounds_and_identity(name: str) -> None:
    """No value leaves the stated bounds; identical clusterings are exactly best if and only if it says so."""
    measure = cd.measures[name]
    perfect = True
    for n in SIZES:
        table = scores(n)[name]
        low, high = measure.bounds_at(n)
        assert table.min() >= low - 1e-12
        assert table.max() <= high + 1e-12
        perfect &= bool((table.diagonal() == measure.best).all())
    assert perfect == measure.reflexive


#: Bounds that are the extremes themselves, for every number of points.
TIGHT = [
    *(
        "edits",
        "edits.splits",
        "edits.merges",
        "edits.moves",
        "gmd",
        "gmd(split=2)",
        "gmd(split=3, merge=0.5)",
    ),
    *("gmd(split=product, merge=product)", "gmd(split=entropy, merge=entropy)", "split_join", "mirkin", "vi"),
    *(
        "f_measure",
        "f_measure(beta=2)",
        "f_measure(beta=0.5)",
        "N",
        "purity",
        "inverse_purity",
        "I",
        "I(base=2)",
    ),
]


@cases("name", TIGHT)
def test_bounds_are_reached(name: str) -> None:
    """These bounds cannot be narrowed."""
    measure = cd.measures[name]
    for n in SIZES:
        low, high = measure.bounds_at(n)
        assert scores(n)[name].min() == pytest.approx(low, abs=1e-12)
        assert scores(n)[name].max() == pytest.approx(high, abs=1e-12)


@cases("name", EVERY)
def test_decomposition(name: str) -> None:
    """A measure that says how its components make it up is made up of them so."""
    measure = cd.measures[name]
    if measure.decomposition is None:
        return
    for labels in ([0, 0, 1, 1, 2, 2, 2, 3], [0, 0, 0, 1, 1, 2, 3, 3]):
        diff = cd.compare(labels, [0, 1, 1, 1, 2, 2, 3, 3])
        sizes = diff.components["size"]
        parts = [
            cd.compare(
                [labels[point] for point in part.points],
                [[0, 1, 1, 1, 2, 2, 3, 3][point] for point in part.points],
            ).score(name)
            for part in diff.components
        ]
        weights, rest = measure.decomposition.weight(sizes, diff.n), measure.decomposition.rest(sizes, diff.n)
        assert diff.score(name) == pytest.approx(float(np.dot(weights, parts)) + rest, abs=1e-12)


@cases("name", EVERY)
def test_symmetry(name: str) -> None:
    """A measure that says it is symmetric is, and one that says it is not has an example to show."""
    holds = all(np.allclose(scores(n)[name], scores(n)[name].T, atol=1e-12) for n in SIZES)
    if name in UNEVEN:  # what tells the two sides apart is a point that one of them lacks
        assert holds
        true, pred = {0: 0, 1: 0}, {1: 0, 2: 0, 3: 0}
        one = cd.compare(true, pred, missing="lost").score(name)
        holds = one == cd.compare(pred, true, missing="lost").score(name)
    assert holds == cd.measures[name].symmetric


@cases("name", [name for name in EVERY if cd.measures[name].normalised is not None])
def test_normalisation(name: str) -> None:
    """Normalised: from 2 points on, 0 and 1 are the extremes, and both are reached."""
    extremes = [(scores(n)[name].min(), scores(n)[name].max()) for n in SIZES[1:]]
    holds = np.allclose(extremes, [(0.0, 1.0)] * len(extremes), atol=1e-12)
    assert holds == cd.measures[name].normalised


@cases(
    "name",
    [name for name in EVERY if cd.measures[name].conditionally_normalised and cd.measures[name].similarity],
)
def test_conditional_normalisation(name: str) -> None:
    """Property 5.1: given any truth, only the truth scores 1, some prediction 0, and others lie between."""
    for n in SIZES[1:]:
        table = scores(n)[name]
        assert ((table == 1.0) == np.eye(len(table), dtype=bool)).all()
        assert (table.min(axis=1) == 0.0).all()
        if n > 2:
            assert ((table > 0) & (table < 1)).any(axis=1).all()


@cases(
    "name",
    [
        name
        for name in EVERY
        if cd.measures[name].similarity and not cd.measures[name].conditionally_normalised
    ],
)
def test_what_is_not_conditionally_normalised_shows_it(name: str) -> None:
    """A similarity that does not claim property 5.1 breaks one of its clauses within 5 points."""
    broken = False
    for n in SIZES[2:]:
        table = scores(n)[name]
        one, zero = np.isclose(table, 1.0, atol=1e-12), np.isclose(table, 0.0, atol=1e-12)
        broken |= not (one == np.eye(len(table), dtype=bool)).all()
        broken |= not zero.any(axis=1).all() or bool((one | zero).all(axis=1).any()) or table.min() < 0
    assert broken


@cases("name", [name for name in EVERY if not cd.measures[name].similarity])
def test_distances_do_not_claim_to_be_normalised_given_the_truth(name: str) -> None:
    """Property 5.1 is about similarities: given any truth, a distance is best at 0, where they are at 1."""
    assert not cd.measures[name].conditionally_normalised
    for n in SIZES[1:]:
        table = np.abs(scores(n)[name])  # McNemar's has a sign
        assert (table.min(axis=1) == table.diagonal()).all()


@cases("name", [name for name in NAMES if name.endswith(".precision")])
def test_precision_is_recall_the_other_way_round(name: str) -> None:
    """Exchanging the clusterings exchanges precision and recall; not so BLANC's, which looks at the truth's links."""
    precision, recall = cd.measures[name], cd.measures[name.replace("precision", "recall")]
    exchanged = []
    for omega in map(universe, SIZES):
        for t, p in zip(omega.labels[omega.pairs[0]], omega.labels[omega.pairs[1]], strict=True):
            there, back = cd.Meet.from_labels(t, p), cd.Meet.from_labels(p, t)
            exchanged.append(precision(there) == recall(back))
    if name == "blanc.precision":
        assert not all(exchanged)
    else:
        assert all(exchanged)


@cases("name", ["vi", "nid", "nvi", "mirkin", "split_join", "edits.moves", "classification_error"])
def test_metrics_satisfy_the_triangle_inequality(name: str) -> None:
    """Those called metrics are: no detour is shorter."""
    for n in SIZES:
        d = scores(n)[name]
        assert (d[:, :, None] + d[None, :, :] >= d[:, None, :] - 1e-12).all()


@cases("name", NAMES)
def test_weights_are_taken_or_refused(name: str) -> None:
    """A measure takes weights, so that they change it, or says clearly that it is not defined for them."""
    true, pred = random_pair(50, 4, seed=1)
    diff = cd.compare(true, pred, weights=np.arange(1.0, 51.0))
    if cd.measures[name].weighted:
        assert np.isfinite(diff.score(name))
        assert diff.score(name) != pytest.approx(cd.score(true, pred, name), rel=1e-4)
    else:
        with pytest.raises(
            cd.MeasureError, match=f"^{name.replace('.', '[.]')} is not defined for weighted points"
        ):
            diff.score(name)


@cases(
    "name",
    [
        *(
            "purity",
            "inverse_purity",
            "geometric_accuracy",
            "f_measure",
            "b3.f1",
            "element_centric",
            "A",
            "npa",
        ),
        *("nmi", "homogeneity", "completeness", "v_measure", "vi", "vi.split", "vi.merge", "nid", "nvi", "I"),
        *("split_join", "edits.moves", "entropy.true", "entropy.joint"),
    ],
)
def test_measures_linear_in_mass_take_a_weight_as_copies(name: str) -> None:
    """For measures of mass a point of weight 3 is three points; pairs and S_H know better."""
    true, pred = random_pair(60, 5, seed=2)
    weights = np.random.default_rng(0).integers(1, 5, 60)
    weighted = cd.compare(true, pred, weights=weights).score(name)
    copied = cd.score(np.repeat(true, weights), np.repeat(pred, weights), name)
    assert weighted == pytest.approx(copied, abs=1e-11)


def test_weighted_pair_measures_count_products() -> None:
    """With weights, pair measures are those of pairs drawn with the product of their points' weights."""
    true, pred = random_pair(30, 3, seed=3)
    w = np.random.default_rng(1).random(30)
    i, j = np.triu_indices(30, 1)
    link, a, b = w[i] * w[j], true[i] == true[j], pred[i] == pred[j]
    diff = cd.compare(true, pred, weights=w)
    assert diff.score("rand") == pytest.approx(link[a == b].sum() / link.sum(), rel=1e-12)
    assert diff.score("pairs.precision") == pytest.approx(link[a & b].sum() / link[b].sum(), rel=1e-12)
    assert diff.score("jaccard") == pytest.approx(link[a & b].sum() / link[a | b].sum(), rel=1e-12)
    chance = link[a].sum() * link[b].sum() / link.sum()
    kappa = (link[a & b].sum() - chance) / ((link[a].sum() + link[b].sum()) / 2 - chance)
    assert diff.score("ari") == pytest.approx(kappa, rel=1e-11)
