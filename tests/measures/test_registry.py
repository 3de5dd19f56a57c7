"""Names, aliases and parameters; and that the catalogue follows the registry."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.measures.formula import readable
from clusterdiff.measures.groups import grouped
from clusterdiff.meet.enumeration import universe
from clusterdiff.meet.meet import Meet
from tests.cases import cases

TOP = Path(__file__).resolve().parents[2]
DIFF = cd.compare([0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 2, 2, 2, 2])


def test_other_libraries_names_are_known() -> None:
    """Users of scikit-learn, igraph, genieclust, CluSim and scikit-image find the names they know."""
    for alias, name in {
        "adjusted_rand_score": "ari",
        "rand_score": "rand",
        "normalized_mutual_info_score": "nmi",
        "adjusted_mutual_info_score": "ami",
        "mutual_info_score": "I",
        "homogeneity_score": "homogeneity",
        "completeness_score": "completeness",
        "v_measure_score": "v_measure",
        "fowlkes_mallows_score": "fowlkes_mallows",
        "split-join": "split_join",
        "normalized_clustering_accuracy": "nca",
        "pair_sets_index": "psi",
        "element_sim": "element_centric",
        "variation_of_information": "vi",
        "wallace.true": "pairs.recall",
        "wallace.pred": "pairs.precision",
        "b_cubed_precision": "b3.precision",
        "maximum_match": "A",
        "VI": "vi",
        "R": "rand",
    }.items():
        assert cd.measures[alias].name == name
        assert DIFF.score(alias) == DIFF.score(name)


def test_nmi_is_the_libraries_and_nmi_max_is_the_papers() -> None:
    """`nmi` averages the entropies, `nmi_max` takes the larger one; a parameter says which otherwise."""
    assert (
        DIFF.score("nmi")
        == DIFF.score("normalized_mutual_info_score")
        == DIFF.score("nmi(average=arithmetic)")
    )
    assert (
        DIFF.score("nmi_max")
        == DIFF.score("nmi(average=max)")
        < DIFF.score("nmi")
        < DIFF.score("nmi(average=min)")
    )


def test_parameters_stand_in_the_name() -> None:
    """Parameters are parsed, shown in the measure's name, and reach the function."""
    assert cd.measures["pairs.f(beta=2)"].name == cd.measures["pairs.f1(beta=2)"].name == "pairs.f(beta=2)"
    assert cd.measures["nmi( average = max )"].name == "nmi(average=max)"
    assert DIFF.score("vi(base=2)") == pytest.approx(DIFF.score("vi") / 0.6931471805599453)
    assert DIFF.score("v_measure(beta=0)") == pytest.approx(DIFF.score("homogeneity"))
    assert cd.measures["gmd"].takes == {"split": 1, "merge": 1}


@cases(
    ("name", "message", "hint"),
    [
        ("adjusted_rnd", "unknown measure 'adjusted_rnd'", "'adjusted_rand'"),
        ("muc.f2", "unknown measure 'muc.f2'", "'muc.f1'"),
        (
            "nmi(average=mx)",
            "`average` must be one of arithmetic, max, min, geometric, joint; got 'mx'",
            "'max'",
        ),
        ("ami(average=sum)", "`average` must be one of", None),
        ("vi(base=1)", "`base` must be a number above 0 other than 1; got 1", "bits"),
        ("vi(bas=2)", "vi does not take 'bas=2'; its parameters are base", "'base'"),
        ("b3.f(beta=-1)", "`beta` must be a number above 0; got -1", "recall"),
        ("v_measure(beta=x)", "`beta` must be a number of at least 0; got 'x'", None),
        ("gmd(split=produkt)", "product or entropy, or a function of two sizes; got", "'product'"),
        ("gmd(merge=-1)", "`merge` must be a number from 0 to 1e+100", None),
        ("rand(x=1)", "rand does not take 'x=1'; it has no parameters", None),
    ],
)
def test_wrong_names_and_parameters_are_explained(name: str, message: str, hint: str | None) -> None:
    """A wrong name or parameter gets a message that says what there is, and names what is near if anything is."""
    with pytest.raises(cd.MeasureError) as caught:
        DIFF.score(name)
    assert message in caught.value.message
    if hint is None:
        assert caught.value.hint is None
    else:
        assert caught.value.hint is not None
        assert hint in caught.value.hint


def test_costs_of_splits_and_merges_may_be_functions() -> None:
    """The generalised merge distance takes a function of the two sizes, and shows its name."""

    def cut(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x * y

    measure = cd.measures["gmd"].bind({"split": cut, "merge": 0})
    assert measure.name == "gmd(split=cut, merge=0)"
    assert cd.compare([0] * 7, [0, 0, 0, 0, 1, 1, 2]).score(measure) == 4 * 2 + 4 * 1 + 2 * 1


MODULE = '''
"""A family of its own, in one file."""
from clusterdiff import Meet, measure

@measure("half_cells", family="mine", best=0.0, bounds=(0.5, float("inf")), reflexive=False, reference="None.")
def half_cells(meet: Meet, factor: float = 1.0) -> float:
    r"""Half the number of cells.

    .. math:: \\frac{|M|}{2}

    One cluster on both sides gives 1/2.
    """
    return factor * len(meet) / 2
'''


def test_adding_a_measure_touches_one_file(tmp_path: Path) -> None:
    """A file that registers a function is all it takes: scores, parameters, the command and the catalogue know it."""
    path = tmp_path / "mine.py"
    path.write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mine", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        assert cd.score([0, 0, 1], [0, 1, 1], "half_cells") == 1.5
        assert cd.score([0, 0, 1], [0, 1, 1], "half_cells(factor=2)") == 3.0
        table = tmp_path / "table.csv"
        table.write_text("a,b\n0,0\n0,1\n1,1\n", encoding="utf-8")
        run = CliRunner().invoke
        command = ["compare", str(table), "--true", "a", "--pred", "b", "--measures", "half_cells"]
        assert "half_cells  1.5000" in run(main, command).output
        assert "Half the number of cells" in run(main, ["measures"]).output
        assert "|M|/2" in run(main, ["measures", "half_cells"]).output
        assert "### `half_cells`" in run(main, ["measures", "--markdown"]).output
        with pytest.raises(cd.MeasureError) as caught:
            cd.score([0], [0], "half_cels")
        assert "'half_cells'" in (caught.value.hint or "")
    finally:
        cd.measures.remove("half_cells")
        sys.modules.pop("mine", None)


def test_formulas_are_readable_text() -> None:
    """Every formula renders without a trace of LaTeX, and keeps its words and symbols."""
    for name, measure in cd.measures.items():
        assert measure.formula, name
        assert not re.search(r"[\\{}]", measure.formula_text), (name, measure.formula_text)
        assert not re.search(
            r"\b(frac|sum|binom|text|quad|gamma|pi|tau|chi|Phi|prod|sim)(?![a-zA-Z])", measure.formula_text
        ), (
            name,
            measure.formula_text,
        )
    assert readable(r"G^+ = \frac{1}{\pi} \prod_L a!, i \sim_L j") == "G⁺ = 1/π Π_L a!, i ~_L j"
    assert readable(r"V_\beta = \frac{(1 + \beta)\, h\, c}{\beta h + c}") == "V_β = ((1 + β) h c) / (β h + c)"
    assert readable(r"\unknown{x} \frac{a") == "unknownx a/()"
    assert readable(r"\frac1n \sum_{LC} m^2 \sqrt{x}") == "1/n Σ_LC m² √(x)"


def test_every_entry_is_complete() -> None:
    """Each measure states its edge cases, its reference, and an example."""
    for name, measure in cd.measures.items():
        assert re.search(
            r"[Ii]dentical|[Oo]ne cluster|if and only if|[Ww]ithout any|same points|exactly", measure.notes
        ), name
        assert measure.reference.endswith("."), name
        assert ">>>" in measure.example, name
        low, high = measure.bounds_at(10)
        assert low < high, name


def test_counts_in_documents_are_current() -> None:
    """Wherever a document says how many measures there are, it is as many as are registered; the catalogue does."""
    told = []
    for path in (TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))):
        told += [
            (path.name, int(count))
            for count in re.findall(r"(?<![\d.])(\d+) measures\b", path.read_text(encoding="utf-8"))
        ]
    assert "measures.md" in dict(told)
    assert told == [(name, len(cd.measures)) for name, _ in told]


def test_no_two_names_differ_in_case_or_underscores_only() -> None:
    """Names that look alike mean the same measure."""
    meant: dict[str, str] = {}
    for name in cd.measures.names():
        plain = re.sub(r"[_-]", "", name).casefold()
        assert meant.setdefault(plain, cd.measures[name].name) == cd.measures[name].name, name


def test_a_name_with_two_meanings_is_refused() -> None:
    """NMI is one number to the paper and another to everybody else; fmeasure looked like f_measure."""
    with pytest.raises(cd.MeasureError, match="'NMI' means different measures") as caught:
        DIFF.score("NMI")
    assert "nmi_max" in (caught.value.hint or "")
    assert re.search(r"\bnmi\b", caught.value.hint or "")
    assert "NMI" not in cd.measures
    with pytest.raises(cd.MeasureError, match="unknown measure 'fmeasure'"):
        DIFF.score("fmeasure")


def test_facts_follow_parameters() -> None:
    """What depends on parameters is stated again when they are set."""
    for name in ("v_measure", "pairs.f", "b3.f", "adapted_rand_error", "gmd"):
        assert cd.measures[name].symmetric
    for name in (
        "v_measure(beta=2)",
        "pairs.f(beta=2)",
        "b3.f(beta=0.5)",
        "adapted_rand_error(alpha=0.2)",
        "gmd(split=2)",
    ):
        assert not cd.measures[name].symmetric
    assert cd.measures["gmd(split=2, merge=2)"].symmetric
    assert cd.measures["I(base=2)"].bounds_at(8) == (0.0, 3.0)
    assert cd.measures["vi(base=2)"].bounds_at(8) == (0.0, 3.0)
    assert cd.measures["gmd(split=product, merge=product)"].bounds_at(4) == (0.0, 6.0)
    assert cd.measures["S*(mse)"].needs == cd.measures["S'(mse)"].needs == "features"
    assert cd.measures["S*(distance)"].needs == "distances"
    assert cd.measures["S*(distance)"].terms == ()
    assert cd.measures["S'(pairs)"].terms == ("s_pairs_mean",)
    with pytest.raises(cd.MeasureError, match="unknown subcomponent measure 'entropi'"):
        cd.measures["S*(entropi)"]


def test_what_repeats_a_measure_orders_clusterings_alike() -> None:
    """On all pairs of five points, strictly; and lists have them last, under a heading of their own."""
    omega = universe(5)
    meets = [
        Meet.from_labels(*omega.labels[[t, p]].astype(int)) for t, p in zip(*omega.pairs[:2], strict=True)
    ]
    repeating = [measure for measure in cd.measures.values() if measure.repeats]
    assert {measure.name for measure in repeating} == {
        "gamma", "g_plus", "rogers_tanimoto", "sokal_sneath_2", "mirkin",
    }  # fmt: skip
    for measure in repeating:
        other = cd.measures[measure.repeats or ""]
        values = sorted({(round(other(meet), 9), round(measure(meet), 9)) for meet in meets})
        steps = np.diff(np.array(values), axis=0)
        assert (steps[:, 0] > 0).all()
        assert (np.sign(steps[:, 1]) == (1 if measure.similarity else -1)).all()
    *_, last = grouped(cd.measures.values()).items()
    assert last == ("for other libraries' numbers", repeating)


def test_the_catalogue_is_current() -> None:
    """docs/measures.md is what `clusterdiff measures --markdown` prints."""
    printed = CliRunner().invoke(main, ["measures", "--markdown"]).output
    assert (TOP / "docs" / "measures.md").read_text(encoding="utf-8") == printed, (
        "docs/measures.md is out of date: clusterdiff measures --markdown > docs/measures.md"
    )


@cases("other", [5, None, ("S_H",), ["S_H"], "no such"])
def test_whatever_names_no_measure_is_not_among_them(other: object) -> None:
    """Asking is no error, whatever is asked for."""
    assert other not in cd.measures
