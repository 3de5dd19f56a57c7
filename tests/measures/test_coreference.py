"""The worked cases of the CoNLL reference scorer's test suite, as clusters of letters with exact fractions.

A case is a key, a response and, per metric, recall, precision and (where it is not their harmonic mean) F1. A letter is
a mention; B overlaps b without being it. Cases A7 to A9 repeat mentions in the response, which the scorer removes:
they are case A4 then, and repeats are an error here. All 36 cases, as files, are in tests/formats/test_scorer_cases.py.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import clusterdiff as cd
from tests.cases import cases

KEY_A = "a bc def"
BAGGA = "12345 67 89ABC"
Expected = dict[str, tuple[Fraction, Fraction] | tuple[Fraction, Fraction, Fraction]]


def pr(recall: str | int, precision: str | int) -> tuple[Fraction, Fraction]:
    return Fraction(recall), Fraction(precision)


def blanc(
    together: tuple[str, str] | None, apart: tuple[str, str] | None
) -> tuple[Fraction, Fraction, Fraction]:
    """Recall, precision and F1 from those of links within and between entities; None for links the key lacks."""
    kinds = [
        (Fraction(r), Fraction(p), f1(Fraction(r), Fraction(p))) for r, p in filter(None, (together, apart))
    ]
    recall, precision, harmonic = (sum(column) / Fraction(len(kinds)) for column in zip(*kinds, strict=True))
    return recall, precision, harmonic


def f1(recall: Fraction, precision: Fraction) -> Fraction:
    return 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)


CASES: dict[str, tuple[str, str, Expected]] = {
    "A1 perfect": (
        KEY_A,
        "a bc def",
        {
            "muc": pr(1, 1),
            "b3": pr(1, 1),
            "ceaf_m": pr(1, 1),
            "ceaf_e": pr(1, 1),
            "blanc": blanc(("1", "1"), ("1", "1")),
            "lea": pr(1, 1),
        },
    ),
    "A2 mentions missing": (
        KEY_A,
        "a de",
        {
            "muc": pr("1/3", 1),
            "b3": pr("7/18", 1),
            "ceaf_m": pr("1/2", 1),
            "ceaf_e": pr("3/5", "9/10"),
            "blanc": blanc(("1/4", "1"), ("2/11", "1")),
            "lea": pr("1/3", 1),
            "mentions": pr("1/2", 1),
        },
    ),
    "A3 mentions spurious": (
        KEY_A,
        "a bcx defy z",
        {
            "muc": pr(1, "3/5"),
            "b3": pr(1, "55/108"),
            "ceaf_m": pr(1, "2/3"),
            "ceaf_e": pr("31/35", "93/140"),
            "blanc": blanc(("1", "4/9"), ("1", "11/27")),
            "lea": pr(1, "4/9"),
            "mentions": pr(1, "2/3"),
        },
    ),
    "A4 both": (
        KEY_A,
        "a bcx dy z",
        {
            "muc": pr("1/3", "1/3"),
            "b3": pr("5/9", "17/42"),
            "ceaf_m": pr("2/3", "4/7"),
            "ceaf_e": pr("11/15", "11/20"),
            "blanc": blanc(("1/4", "1/4"), ("5/11", "5/17")),
            "lea": pr("1/2", "2/7"),
        },
    ),
    "A5 overlapping mention in the aligned entity": (
        KEY_A,
        "a bcxB dy z",
        {
            "muc": pr("1/3", "1/4"),
            "b3": pr("5/9", "5/16"),
            "ceaf_m": pr("2/3", "1/2"),
            "ceaf_e": pr("31/45", "31/60"),
            "blanc": blanc(("1/4", "1/7"), ("5/11", "5/21")),
            "lea": pr("1/2", "5/24"),
        },
    ),
    "A6 overlapping mention in another entity": (
        KEY_A,
        "a bcx dy Bz",
        {
            "muc": pr("1/3", "1/4"),
            "b3": pr("5/9", "17/48"),
            "ceaf_m": pr("2/3", "1/2"),
            "ceaf_e": pr("11/15", "11/20"),
            "blanc": blanc(("1/4", "1/5"), ("5/11", "5/23")),
            "lea": pr("1/2", "1/4"),
        },
    ),
    "A10 singletons only": (
        KEY_A,
        "a b c d e f",
        {
            "muc": pr(0, 0),
            "b3": pr("1/2", 1),
            "blanc": blanc(("0", "0"), ("1", "11/15")),
            "lea": pr("1/6", "1/6"),
        },
    ),
    "A11 all in one": (
        KEY_A,
        "abcdef",
        {
            "muc": pr(1, "3/5"),
            "b3": pr(1, "7/18"),
            "blanc": blanc(("1", "4/15"), ("0", "0")),
            "lea": pr("5/6", "4/15"),
        },
    ),
    "A12 system mentions, singletons only": (
        KEY_A,
        "a x y c d e z",
        {
            "muc": pr(0, 0),
            "b3": pr("13/36", "4/7"),
            "blanc": blanc(("0", "0"), ("5/11", "5/21")),
            "lea": pr("1/6", "1/7"),
        },
    ),
    "A13 system mentions, all in one": (
        KEY_A,
        "axycdez",
        {
            "muc": pr("1/3", "1/6"),
            "b3": pr("17/36", "6/49"),
            "blanc": blanc(("1/4", "1/21"), ("0", "0")),
            "lea": pr("1/6", "1/21"),
        },
    ),
    "B1 spurious x, missing a": (
        "ab cde",
        "bcx de",
        {"blanc": blanc(("1/4", "1/4"), ("1/3", "1/3")), "lea": pr("1/5", "2/5")},
    ),
    "C1 the same and one entity more": (
        "ab cde fg",
        "bcx de fg",
        {"blanc": blanc(("2/5", "2/5"), ("5/8", "5/8")), "lea": pr("3/7", "4/7")},
    ),
    "D1 a small cluster joins a big one": (
        BAGGA,
        "12345 6789ABC",
        {"muc": pr(1, "9/10"), "b3": pr(1, "16/21"), "lea": pr(1, "13/18")},
    ),
    "E1 two big clusters join": (
        BAGGA,
        "1234589ABC 67",
        {"muc": pr(1, "9/10"), "b3": pr(1, "7/12"), "lea": pr(1, "29/54")},
    ),
    "F1": ("ABCD", "AB CD", {"muc": pr("2/3", 1), "lea": pr("1/3", 1)}),
    "G1": ("AB CD", "ABCD", {"muc": pr(1, "2/3"), "lea": pr(1, "1/3")}),
    "H1": ("ABCD", "ABCD", {"muc": pr(1, 1), "lea": pr(1, 1)}),
    "J1": ("ABC", "AC", {"muc": pr("1/2", 1), "lea": pr("1/3", 1)}),
    "K1": ("BCDEGHJ", "ABC DEF GHI", {"muc": pr("1/2", "1/2"), "lea": pr("1/7", "1/3")}),
    "L1": ("ABC DEFG", "AB CD FGH", {"muc": pr("2/5", "1/2"), "lea": pr("5/21", "3/7")}),
    "M1 one entity, found": (
        "abcdef",
        "abcdef",
        {
            "muc": pr(1, 1),
            "b3": pr(1, 1),
            "ceaf_m": pr(1, 1),
            "ceaf_e": pr(1, 1),
            "blanc": blanc(("1", "1"), None),
            "lea": pr(1, 1),
        },
    ),
    "M2": ("abcdef", "a b c d e f", {"muc": pr(0, 0), "blanc": blanc(("0", "0"), None), "lea": pr(0, 0)}),
    "M3": ("abcdef", "ab cde f", {"blanc": blanc(("4/15", "1"), None), "lea": pr("4/15", "5/6")}),
    "M4": ("abcdef", "abcxyz", {"blanc": blanc(("1/5", "1/5"), None), "lea": pr("1/5", "1/5")}),
    "M5": ("abcdef", "a b c x y z", {"muc": pr(0, 0), "blanc": blanc(("0", "0"), None), "lea": pr(0, 0)}),
    "M6": ("abcdef", "ab cxy z", {"blanc": blanc(("1/15", "1/4"), None), "lea": pr("1/15", "1/3")}),
    "N1 singletons, found": (
        "a b c d e f",
        "a b c d e f",
        {
            "muc": pr(0, 0),
            "b3": pr(1, 1),
            "ceaf_m": pr(1, 1),
            "ceaf_e": pr(1, 1),
            "blanc": blanc(None, ("1", "1")),
            "lea": pr(1, 1),
        },
    ),
    "N2": ("a b c d e f", "abcdef", {"muc": pr(0, 0), "blanc": blanc(None, ("0", "0")), "lea": pr(0, 0)}),
    "N3": ("a b c d e f", "ab cde f", {"blanc": blanc(None, ("11/15", "1")), "lea": pr("1/6", "1/6")}),
    "N4": (
        "a b c d e f",
        "a b c x y z",
        {"muc": pr(0, 0), "blanc": blanc(None, ("1/5", "1/5")), "lea": pr("1/2", "1/2")},
    ),
    "N5": ("a b c d e f", "abcxyz", {"blanc": blanc(None, ("0", "0")), "lea": pr(0, 0)}),
    "N6": ("a b c d e f", "ab cxy z", {"blanc": blanc(None, ("2/15", "2/11")), "lea": pr(0, 0)}),
}


@cases("case", CASES)
def test_worked_cases_of_the_reference_scorer(case: str) -> None:
    """Recall, precision and F1 of every metric are the reference scorer's where lost mentions count as lost."""
    diff = compared(case, "lost")
    for metric, (recall, precision, *rest) in CASES[case][2].items():
        harmonic = rest[0] if rest else f1(recall, precision)
        scores = diff.scores([f"{metric}.recall", f"{metric}.precision", f"{metric}.f1"])
        assert list(scores.values()) == pytest.approx(
            [float(recall), float(precision), float(harmonic)], abs=1e-15
        )


def compared(case: str, missing: Any) -> cd.types.Comparison:
    key, response, _ = CASES[case]
    return cd.compare([set(e) for e in key.split()], [set(e) for e in response.split()], missing=missing)


@cases("case", CASES)
def test_other_policies_change_the_clusterings_first(case: str) -> None:
    """Dropped mentions were never there; singletons are there on both sides; then the measures are as ever."""
    key, response = ([set(e) for e in side.split()] for side in CASES[case][:2])
    points = set().union(*key), set().union(*response)
    shared = points[0] & points[1]
    dropped = [[e & shared for e in side if e & shared] for side in (key, response)]
    alone = [
        side + [{m} for m in sorted(points[0] ^ points[1]) if m not in mine]
        for side, mine in zip((key, response), points, strict=True)
    ]
    metrics = ("mentions", "muc", "b3", "ceaf_m", "ceaf_e", "blanc", "lea")
    names = [f"{metric}.{part}" for metric in metrics for part in ("recall", "precision", "f1")]
    for missing, by_hand in (("drop", dropped), ("singleton", alone)):
        expected = cd.compare(*by_hand).scores(names)
        assert compared(case, missing).scores(names) == pytest.approx(expected, abs=1e-15)


def test_the_conll_average() -> None:
    """CoNLL is the mean of three F1, as computed by hand for case A4."""
    expected = CASES["A4 both"][2]
    mean = sum(f1(*expected[m][:2]) for m in ("muc", "b3", "ceaf_e")) / 3
    assert compared("A4 both", "lost").score("conll") == pytest.approx(float(mean), abs=1e-15)


def test_repeated_mentions_are_refused() -> None:
    """A response that names a mention twice is an error, where the reference scorer drops the repeat."""
    with pytest.raises(cd.LabelError, match="'b'"):
        cd.compare(
            [set("a"), set("bc"), set("def")],
            [["a"], ["b", "c", "x"], ["d", "y"], ["b", "z"]],
            missing="lost",
        )


def test_every_measure_follows_the_policy_for_missing_points() -> None:
    """Dropping leaves points out, singletons are entities of their own, and lost mentions count in whole entities."""
    key, response = [set("abc"), set("de")], [set("ab"), set("dex")]
    drop, single, lost = (cd.compare(key, response, missing=how) for how in ("drop", "singleton", "lost"))
    assert (drop.n, single.n, lost.n) == (4, 6, 6)
    assert drop.score("A") == drop.score("ceaf_m.recall") == drop.score("b3.precision") == 1.0
    assert single.score("A") == single.score("ceaf_m.recall") == pytest.approx(4 / 6)
    assert lost.score("A") == pytest.approx(4 / 6)
    assert lost.score("ceaf_m.recall") == lost.score("ceaf_m.precision") == pytest.approx(4 / 5)
    assert lost.meet.transpose().overlap.true_size.sum() == 5


def test_weights_count_in_b_cubed_of_lost_points() -> None:
    """A point that one side lacks counts with its weight in its cluster and in its side's mean."""
    weights = {"a": 2, "b": 1, "c": 4}
    diff = cd.compare({"a": 1, "b": 1}, {"a": 1, "c": 2}, missing="lost", weights=weights)
    assert diff.score("b3.recall") == pytest.approx(4 / 3 / 3)
    assert diff.score("b3.precision") == pytest.approx(2 / 6)


def test_null_labels_are_missing_mentions() -> None:
    """A null label is a mention that the side lacks."""
    diff = cd.compare(["x", "x", None, "y"], [1, 1, 1, None], missing="lost")
    assert diff.score("mentions.recall") == pytest.approx(2 / 3)
    assert diff.score("muc.precision") == 0.5
