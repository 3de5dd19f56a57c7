"""Parameters of measures: what is out of range is an error that names the parameter, whatever the measure."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.parameters import allowed
from tests.cases import cases

PARAMETERS = [(name, parameter) for name, measure in cd.measures.items() for parameter in measure.takes]
VALUES: list[Any] = [
    math.nan, math.inf, -math.inf, -1, -1e-300, -0.0, 0, 0.5, 1, 1.5, 2, 7, 1e-320, 1e-200, 1e200, 1e308, 10**400,
    -(10**400), "x", "nan", "", None, True, False, [1], (), {}, 1j, np.float64(0.25), np.int64(3), np.float64("nan"),
]  # fmt: skip


@cases(("name", "parameter"), PARAMETERS)
def test_every_parameter_says_what_it_may_be(name: str, parameter: str) -> None:
    """The registry has no parameter that is not checked."""
    assert parameter in allowed(cd.measures[name].function)


@pytest.mark.filterwarnings("ignore:K")
@cases(("name", "parameter"), PARAMETERS)
@cases("value", VALUES)
def test_a_value_is_refused_by_name_or_gives_a_score(name: str, parameter: str, value: Any) -> None:
    """Nothing else happens: no other exception, no nan, no score outside of the bounds."""
    pairs = ([0], [0]), ([0, 0, 1], [0, 1, 1]), ([0, 0, 1, 1, 2], [0, 0, 1, 2, 2])
    named = parameter == "s" and isinstance(value, str)  # of which the registry of those knows none
    if named or not allowed(cd.measures[name].function)[parameter].accepts(value):
        with pytest.raises(cd.MeasureError, match=rf"`{parameter}` must be|unknown subcomponent measure"):
            cd.measures[name].bind({parameter: value})
        return
    measure = cd.measures[name].bind({parameter: value})
    for pair in pairs[: 0 if value is None else 2 if parameter == "k" else 3]:
        score = cd.compare(*pair).score(measure)
        low, high = measure.bounds_at(len(pair[0]))
        assert low - 1e-12 * abs(low) - 1e-12 <= score <= high + 1e-12 * abs(high) + 1e-12


@cases(
    "text",
    [
        "pairs.f(beta=-1)", "pairs.f(beta=x)", "f_measure(beta=-1)", "f_measure(beta=0)", "v_measure(beta=nan)",
        "adapted_rand_error(alpha=7)", "tversky(alpha=nan)", "tversky(beta=-0.1)", "I(base=0)", "vi(base=[2])",
        "K(k=0)", "K(k=2.5)", "gmd(split=-1)", "gmd(merge=None)", "S*(5)", "S'(s=None)", "ami(average=None)",
        "b3.f(beta=True)",
    ],
)  # fmt: skip
def test_a_bad_parameter_in_a_name_is_an_error(text: str) -> None:
    """As users write them, in Python and at the command."""
    with pytest.raises(cd.MeasureError, match=r"`\w+` must be .*; got"):
        cd.score([0, 0, 1], [0, 1, 1], text)


def test_the_limits_of_f_are_precision_and_recall() -> None:
    """However large or small β is."""
    diff = cd.compare([0, 0, 1, 1, 1], [0, 0, 0, 1, 2])
    precision, recall = diff.score("pairs.precision"), diff.score("pairs.recall")
    assert diff.score("pairs.f(beta=1e200)") == pytest.approx(recall, rel=1e-15)
    assert diff.score("pairs.f(beta=1e-200)") == pytest.approx(precision, rel=1e-15)
    assert diff.score("pairs.f(beta=2)") == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_a_fraction_is_a_number() -> None:
    """Also in measures of arrays."""
    diff = cd.compare([0, 0, 1, 1, 2], [0, 1, 1, 1, 2])
    for name in ("f_measure", "pairs.f1", "v_measure"):
        bound = [cd.measures[name].bind({"beta": beta}) for beta in (Fraction(1, 4), 0.25)]
        assert diff.score(bound[0]) == pytest.approx(diff.score(bound[1]), rel=1e-15)
