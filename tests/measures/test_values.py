"""Measures are values: hashed, compared, copied and pickled, also into processes that never registered them."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from tests.cases import cases

NAMES = [*cd.measures, "S*(pairs)", "I(base=2)", "pairs.f(beta=2)", "gmd(split=product, merge=2)", "K(k=5)"]
DIFF = cd.compare(
    [0, 0, 1, 1, 2, 2, 2],
    [0, 0, 1, 2, 2, 2, 2],
    features=np.arange(14.0).reshape(7, 2),
    distances=1 - np.eye(7),
)


def survivors(sizes: Any) -> float:
    return float((sizes.max() - 1) / (sizes.sum() - 1)) if sizes.sum() > 1 else 1.0


def least(split: Any, merge: Any) -> Any:
    return np.minimum(split, merge)


@cases("name", NAMES)
@pytest.mark.filterwarnings("ignore:K\\(k=5\\)")
def test_every_measure_is_a_value(name: str) -> None:
    """Copies and pickles are equal, hash alike, give the same number and take the same parameters."""
    measure = cd.measures[name]
    for other in (pickle.loads(pickle.dumps(measure)), copy.deepcopy(measure), copy.copy(measure)):
        assert other == measure
        assert hash(other) == hash(measure)
        assert other.takes == measure.takes
        assert other.doc == measure.doc
        assert other.join_weighted == measure.join_weighted
        if name != "K":
            assert other(DIFF.meet) == measure(DIFF.meet)
    assert len({cd.measures[name] for name in NAMES} | {measure}) == len(NAMES)


def test_parameters_are_part_of_the_value() -> None:
    """The same parameters in another order are the same measure; other parameters are another one."""
    one, other = cd.measures["gmd(split=2, merge=3)"], cd.measures["gmd(merge=3, split=2)"]
    assert one.parameters == other.parameters == {"split": 2, "merge": 3}
    assert one.bound == other.bound
    assert cd.measures["gmd(split=2)"] != cd.measures["gmd(split=3)"] != cd.measures["gmd"]


def test_the_framework_with_functions_of_a_module_pickles() -> None:
    """split_merge keeps s and σ by reference."""
    for measure in (cd.split_merge(survivors), cd.split_merge("entropy", least), cd.split_merge("pairs")):
        again = pickle.loads(pickle.dumps(measure))
        assert again == measure
        assert hash(again) == hash(measure)
        assert DIFF.score(again) == DIFF.score(measure)
    assert cd.split_merge(lambda members: 1.0).reads == "points"
    assert cd.split_merge(survivors).reads == "cells"


def test_a_users_measure_survives_a_process_that_never_registered_it(tmp_path: Path) -> None:
    """The function travels by reference and the facts along with it; the registry there need not know the name."""
    (tmp_path / "mine.py").write_text(
        "def cells_left(meet, factor=1):\n    return float(factor * len(meet))\n"
    )
    send = """
        import pickle, sys
        import clusterdiff as cd, mine
        cd.measure("cells_left", family="own", best=0.0, bounds=(1.0, 9.0), reads="sums")(mine.cells_left)
        sys.stdout.buffer.write(pickle.dumps(cd.measures["cells_left(factor=2)"]))
    """
    take = """
        import pickle, sys
        import clusterdiff as cd
        measure = pickle.loads(sys.stdin.buffer.read())
        assert "cells_left" not in cd.measures
        print(cd.score([0, 0, 1], [0, 1, 1], measure), measure.best, measure.reads, measure.name)
    """
    run = {"cwd": tmp_path, "capture_output": True, "check": True}
    sent = subprocess.run([sys.executable, "-c", textwrap.dedent(send)], **run)  # type: ignore[call-overload]
    got = subprocess.run([sys.executable, "-c", textwrap.dedent(take)], input=sent.stdout, **run)  # type: ignore[call-overload]
    assert got.stdout.decode().split() == ["6.0", "0.0", "sums", "cells_left(factor=2)"]


def test_mcnemar_of_sums_that_are_rounded() -> None:
    """Without some units sums are left with rounding: as many pairs on both sides as in both, but for the last bit."""
    left = SimpleNamespace(pairs=(0.30000000000000004, 0.3, 0.3, 10.0))
    assert cd.measures["mcnemar"].function(left) == 0.0
