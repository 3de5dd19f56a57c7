"""The worked cases of the CoNLL reference scorer, all 36, as files through the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cases import cases
from tests.formats.conftest import run
from tests.measures.test_coreference import CASES, Expected, f1, pr

#: Where the mentions of the cases A, M and N stand in their text; B overlaps b.
SPANS = {
    "a": (0, 1),
    "b": (3, 6),
    "B": (3, 5),
    "c": (9, 9),
    "x": (10, 10),
    "d": (11, 12),
    "z": (13, 13),
    "e": (14, 14),
    "y": (15, 15),
    "f": (16, 18),
}
WORDS = [
    "Old",
    "Ann",
    "and",
    "a",
    "boy",
    "who",
    "ran",
    ",",
    "then",
    "she",
    ".",
    "Two",
    "foxes",
    "met",
    "them",
    ":",
    "all",
    "lost",
    "sheep",
    ".",
]
#: Cases with repeated mentions, which the scorer removes: case A4 is left.
REPEATED = {"A7": "a bcxb dy z", "A8": "a bcx dy bz", "A9": "a bcx dy bbbbbbbbbbz"}


ALL: dict[str, tuple[str, str, Expected]] = {
    **{name.split()[0]: value for name, value in CASES.items()},
    **{case: (CASES["A4 both"][0], response, CASES["A4 both"][2]) for case, response in REPEATED.items()},
    "I1": ("ABCD", "AB CD", {"muc": pr("2/3", 1), "lea": pr("1/3", 1)}),
}


def in_sentences(entities: Sequence[str]) -> str:
    """Five columns, words and all, brackets without pipes; mentions of several words."""
    lines = ["#begin document (case);"]
    for i, word in enumerate(WORDS):
        # What is longest opens first and closes last.
        spans = [(SPANS[m], str(e)) for e, entity in enumerate(entities) for m in entity]
        opens = [f"({e}" for (a, b), e in sorted(spans, key=lambda s: -s[0][1]) if a == i < b]
        closes = [f"{e})" for (a, b), e in sorted(spans, key=lambda s: -s[0][0]) if a < b == i]
        alone = [f"({e})" for (a, b), e in spans if a == b == i]
        lines.append("\t".join(["case", "0", str(i), word, "".join([*closes, *opens, *alone]) or "-"]))
    return "\n".join([*lines, "#end document", ""])


def in_two_columns(entities: Sequence[str], letters: Sequence[str]) -> str:
    """The document's name and the brackets; every mention is a word of its own."""
    of = {m: str(e) for e, entity in enumerate(entities) for m in entity}
    lines = [f"case/0 {f'({of[m]})' if m in of else '-'}\ncase/0 -" for m in letters]
    return "\n".join(["#begin document (case/0); part 000", *lines, "", "#end document", ""])


def files(case: str, folder: Path) -> tuple[Path, Path]:
    key, response, _ = ALL[case]
    paths = folder / "key.conll", folder / "response.conll"
    letters = sorted({*key, *response} - {" "})
    for path, entities in zip(paths, (key.split(), response.split()), strict=True):
        path.write_text(in_sentences(entities) if case[0] in "AMN" else in_two_columns(entities, letters))
    return paths


def test_all_cases_are_there() -> None:
    """A1 to A13, B1 to L1, M1 to M6 and N1 to N6."""
    counted = {letter: sum(case[0] == letter for case in ALL) for letter in "ABCDEFGHIJKLMN"}
    assert counted == {**dict.fromkeys("BCDEFGHIJKL", 1), "A": 13, "M": 6, "N": 6}
    assert len(ALL) == 36


@cases("case", ALL)
def test_a_case_of_the_reference_scorer(case: str, tmp_path: Path) -> None:
    """What the command prints for the files of a case, exactly and as people see it."""
    paths = files(case, tmp_path)
    expected = ALL[case][2]
    repeated = ["--repeated", "first"] if case in REPEATED else []
    result = run("compare", *paths, *repeated, "--json")
    assert result.exit_code == 0, result.stderr
    scores = json.loads(result.stdout)["scores"]
    shown = run("compare", *paths, *repeated).stdout
    rows = {line.split()[0]: line.split()[1:] for line in shown.partition("\n\n")[0].splitlines()}
    headings = {"mentions": "mentions", "muc": "MUC", "b3": "B³", "ceaf_m": "CEAF-m", "ceaf_e": "CEAF-e"}
    for metric, (recall, precision, *rest) in expected.items():
        values = [float(recall), float(precision), float(rest[0] if rest else f1(recall, precision))]
        found = [scores[f"{metric}.{part}"] for part in ("recall", "precision", "f1")]
        assert found == pytest.approx(values, abs=1e-15)
        row = rows[headings.get(metric, metric.upper())]
        assert [float(cell) for cell in row] == pytest.approx([100 * value for value in values], abs=0.00501)


@pytest.mark.parametrize("case", ["A8", "A9"])
def test_repeated_mentions_are_refused_unless_told(case: str, tmp_path: Path) -> None:
    """The mention, both entities, and the way out."""
    result = run("compare", *files(case, tmp_path))
    assert result.exit_code == 2
    assert (
        "response.conll, line 8: the mention a boy who ran [3-6] belongs to the entities '1'" in result.stderr
    )
    assert "and '3'" in result.stderr
    assert "--repeated first" in result.stderr


# ---- a corpus with missing, spurious and moved mentions, and documents that one file lacks

Spans = dict[str, dict[int, list[tuple[int, int]]]]
KEY: Spans = {
    "one": {1: [(0, 1), (4, 4), (8, 9)], 2: [(3, 5), (11, 11)], 3: [(12, 13)]},
    "two": {1: [(0, 0), (2, 2)], 2: [(5, 7), (9, 9), (10, 10), (12, 12)]},
    "three": {4: [(1, 2), (6, 6)]},
}
RESPONSE: Spans = {
    "one": {7: [(0, 1), (4, 4), (11, 11)], 8: [(3, 5), (8, 9), (6, 6)], 9: [(12, 12)]},
    "two": {1: [(0, 0), (2, 2), (5, 7)], 3: [(9, 9), (10, 10), (3, 4)]},
    "four": {1: [(0, 0), (1, 1)], 2: [(5, 6)]},
}
#: What scorer.pl 8.01 prints for the two, as fractions: recall and precision.
PERL = {
    "mentions": ("10/14", "10/13"),
    "muc": ("3/8", "3/8"),
    "b3": ("71/168", "16/39"),
    "ceaf_m": ("7/14", "7/13"),
    "ceaf_e": ("128/315", "256/525"),
    "blanc": ("47/152", "13/48"),
}
#: What coval says without the document "three", which the response lacks and which would stop it.
COVAL = {
    "mentions": ("10/12", "10/13"),
    "muc": ("3/7", "3/8"),
    "b3": ("71/144", "16/39"),
    "ceaf_e": ("256/525", "256/525"),
    "lea": ("11/36", "3/13"),
}


def in_conll(documents: Spans) -> str:
    """Five columns; no entity has nested mentions."""
    lines = []
    for name, entities in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        for i in range(14):
            marks = [f"({e})" for e, spans in entities.items() if (i, i) in spans]
            marks += [f"({e}" for e, spans in entities.items() if any(a == i < b for a, b in spans)]
            marks += [f"{e})" for e, spans in entities.items() if any(a < i == b for a, b in spans)]
            lines.append(f"{name}\t0\t{i}\tw{i}\t{'|'.join(marks) or '-'}")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("lacked", "expected"), [(None, PERL), ("three", COVAL)], ids=["scorer.pl", "coval"])
def test_a_perturbed_corpus(lacked: str | None, expected: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    """The document that only the response has does not count; the one that it lacks is not found."""
    key = {name: entities for name, entities in KEY.items() if name != lacked}
    (tmp_path / "key.conll").write_text(in_conll(key))
    (tmp_path / "response.conll").write_text(in_conll(RESPONSE))
    result = run("compare", tmp_path / "key.conll", tmp_path / "response.conll", "--json", "--by", "document")
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    for metric, both in expected.items():
        found = [data["scores"][f"{metric}.{part}"] for part in ("recall", "precision")]
        assert found == pytest.approx([float(Fraction(value)) for value in both], abs=1e-15)
    # For S_H the mentions of the response alone are spurious: its document scores 0, and weighs as its mentions do.
    assert data["documents"]["(four); part 000"]["scores"]["S_H"] == 0
    assert data["counts"]["spurious"] == 6
    documents = data["documents"].values()
    mean = sum(d["n"] * d["scores"]["S_H"] for d in documents) / sum(d["n"] for d in documents)
    assert data["scores"]["S_H"] == pytest.approx(mean, abs=1e-15)
