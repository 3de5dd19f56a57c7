"""The paper's claims, as `clusterdiff paper` finds them, and the page that it writes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.meet.meet import Meet
from clusterdiff.paper.claims import least_n
from clusterdiff.paper.contents import CONTENTS
from clusterdiff.paper.graphs import (
    cells_are_sinks_and_sources,
    cells_have_one_pair_each,
    components_are_the_join,
)
from clusterdiff.paper.properties import PROPERTIES
from clusterdiff.paper.reproduction import Reproduction, reproduce
from tests.cases import cases

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found() -> Reproduction:
    """All claims, tried on all pairs of clusterings of up to six points."""
    return reproduce()


def fate(found: Reproduction, where: str) -> dict[str, bool]:
    return {claim.says: claim.holds for claim in found.claims if claim.where == where}


def test_propositions_4(found: Reproduction) -> None:
    """Components are the join; cells are sinks, sources and the meet; each has one pair. They stand."""
    assert [fate(found, f"proposition 4.{i}") for i in (1, 2, 3)] == [
        {"components are the clusters of the join": True},
        {"sinks of splits are sources of merges: the meet, within the component": True},
        {"every cell has one pair of subcomponents, and only one": True},
    ]


@pytest.mark.parametrize(
    "holds", [components_are_the_join, cells_are_sinks_and_sources, cells_have_one_pair_each]
)
def test_a_wrong_meet_would_be_noticed(holds: Callable[..., bool]) -> None:
    """None of the three holds for the meet of other clusterings."""
    true, pred = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 2])
    assert holds(true, pred, Meet.from_labels(true, pred))
    assert not holds(true, pred, Meet.from_labels(true, np.array([0, 1, 1, 2, 2])))


def test_table_1(found: Reproduction) -> None:
    """Every decomposition stands, and NMI has none."""
    claims = fate(found, "table 1")
    assert len(claims) == 8
    assert all(claims.values())


def test_table_2(found: Reproduction) -> None:
    """Every condition stands but those of N, whose bound is wrong, and of K, which cannot always be met."""
    claims = fate(found, "table 2")
    assert len(claims) == 8
    assert {says.partition(":")[0] for says, holds in claims.items() if not holds} == {"N", "K"}
    assert list(fate(found, "table 2 amended").values()) == [True]


@pytest.mark.parametrize("n", [3, 7, 8])
def test_the_least_value_of_n(n: int) -> None:
    """Where the paper's bound is wrong, the least value is that of the registry."""
    assert least_n(n) == pytest.approx(cd.measures["N"].bounds_at(n)[0])


def test_proposition_5_1(found: Reproduction) -> None:
    """It stands but for K, which is normalised only where k² divides n; a step of the proof is wrong."""
    assert [says for says, holds in fate(found, "proposition 5.1").items() if not holds] == [
        "K is normalised"
    ]
    proof = fate(found, "proof of proposition 5.1")
    assert [says for says, holds in proof.items() if not holds] == [
        "S*(𝕃, ⊥) ∈ (0, 1) for every 𝕃 ≠ ⊥",
        "K has no worst clustering for 𝕃 = {{1, 2}, {3}}, for which it is defined",
    ]


def test_the_papers_second_instance(found: Reproduction) -> None:
    """S_MSE lacks clauses 1 and 2 of property 4.3, and so is not conditionally normalised."""
    assert list(fate(found, "conclusion").values()) == [False]
    clauses = {says: holds for says, holds in fate(found, "4.3, 4.5").items() if "mean squared" in says}
    assert list(clauses.values()) == [False, False]


def test_meila_property_8(found: Reproduction) -> None:
    """Additivity of composition holds for the measures that are join-weighted."""
    for name in ("S_H", "N", "A", "K(k=2)", "VI"):
        assert found.checks[name].holds["composition_additive"], name


def test_the_meet_lies_between(found: Reproduction) -> None:
    """By VI, R and N the way through the meet is no detour; by S_H it is."""
    assert {name: found.checks[name].holds["meet_collinear"] for name in ("VI", "R", "N", "S_H", "nmi_max")} == {
        "VI": True, "R": True, "N": True, "S_H": False, "nmi_max": False,
    }  # fmt: skip
    through = found.checks["S_H"].counterexamples["meet_collinear"]
    assert through.text == "the distance is 1, but through the meet it is 0.6667 + 0.6667"


def test_proposition_5_2(found: Reproduction) -> None:
    """It stands."""
    claims = fate(found, "proposition 5.2")
    assert len(claims) == 16
    assert all(claims.values())


def test_instances_of_the_mean(found: Reproduction) -> None:
    """S' gives N with the largest share, and K with 1 − H/log k, not with the paper's log k²."""
    claims = fate(found, "4.4") | fate(found, "4.4 amended")
    assert {says: claims[says] for says in claims if "becomes" in says} == {
        "S' becomes N with s = max |L ∩ C| / |L|": True,
        "S' becomes K with s = 1 − H/log k²": False,
        "S' becomes K with s = 1 − H/log k": True,
    }


def test_the_experiment(found: Reproduction) -> None:
    """What section 6 says of its document is true of ours; that NMI falls strictly is not true of all."""
    assert list(fate(found, "6").values()) == [True] * 7
    general = fate(found, "6, generalised")
    assert [says.partition(" ")[0] for says, holds in general.items() if not holds] == ["nmi_max"]


def test_the_page_is_current(found: Reproduction) -> None:
    """docs/paper.md is what `clusterdiff paper -o docs/paper.md` writes."""
    assert (TOP / "docs" / "paper.md").read_text(encoding="utf-8") == found.to_markdown()


@cases(("item", "what", "code", "test"), CONTENTS)
def test_the_map_leads_somewhere(item: str, what: str, code: str, test: str) -> None:
    """Every name in the map of the paper exists, and every test it points to."""
    file, _, function = test.partition("::")
    assert f"def {function}(" in (TOP / "tests" / file).read_text(encoding="utf-8")
    known = {*PROPERTIES, *cd.check("entropy", 2).holds}
    for name in code.split(", "):
        plain = name.removeprefix("check: ")
        if plain in known:
            continue
        if plain.startswith("measures["):
            assert eval(f"cd.{plain}", {"cd": cd})
        elif plain.startswith("examples/"):
            assert (TOP / plain).exists()
        else:
            assert resolves(plain), plain


def resolves(name: str) -> bool:
    """Whether a dotted name is found in the package or one of its modules."""
    first, *rest = name.split(".")
    target = getattr(cd, first, None) or getattr(cd.types, first, None)
    if target is None or (rest and not hasattr(target, rest[0])):
        try:
            target = importlib.import_module("clusterdiff." + name.rpartition(".")[0])
            rest = [name.rpartition(".")[2]]
        except ImportError:
            target = importlib.import_module(f"clusterdiff.{first}")
    for part in rest:
        target = getattr(target, part)
    return target is not None
