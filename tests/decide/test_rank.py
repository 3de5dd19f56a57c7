"""cd.rank: best first, from whatever compare takes, with intervals and tests between systems."""

from __future__ import annotations

import csv
import io
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.decide import systems
from clusterdiff.decide.paired import holm
from tests.cases import cases


def blurred(true: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A prediction in which this share of the points went anywhere."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(true)) < share, rng.integers(0, true.max() + 1, len(true)), true)


TRUE = np.arange(400) // 4
PREDS = {"rough": blurred(TRUE, 0.3, 1), "fine": blurred(TRUE, 0.05, 2), "fair": blurred(TRUE, 0.08, 3)}


def test_scores_losses_and_ranks_are_those_of_the_comparisons() -> None:
    """Best first; every number is what compare gives for that prediction."""
    found = cd.rank(TRUE, PREDS, measures=["S_H", "as_h", "ari", "VI"])
    assert found.names == ["fine", "fair", "rough"]
    for name, pred in PREDS.items():
        diff = cd.compare(TRUE, pred)
        for measure in found.measures:
            assert found.score(name, measure) == pytest.approx(diff.score(measure), abs=1e-12)
        assert found.loss(name) == pytest.approx(diff.loss, abs=1e-12)
    assert [found.rank(name) for name in found.names] == [1, 2, 3]


def test_a_distance_ranks_upwards_and_equal_scores_share_their_rank() -> None:
    """Less VI is better; the same prediction under two names has one rank."""
    found = cd.rank(TRUE, {**PREDS, "twin": PREDS["fine"]}, measures="VI")
    assert found.names == ["fine", "twin", "fair", "rough"]
    assert [row["rank"] for row in found.to_dict()["systems"]] == [1, 1, 3, 4]
    assert found.p_value("fine", "twin") == 1.0


def test_the_interval_is_that_of_the_comparison() -> None:
    """Of one system, the units are those of its own comparison."""
    found = cd.rank(TRUE, PREDS).interval("fair")
    expected = cd.compare(TRUE, PREDS["fair"]).interval()
    assert tuple(found) == pytest.approx(tuple(expected))
    assert (found.units, found.worth) == (expected.units, pytest.approx(expected.worth))


def assert_same(one: cd.types.Ranking, other: cd.types.Ranking) -> None:
    """The same rows, up to rounding."""
    for name, column in one.table.to_dict().items():
        expected = other.table.to_dict()[name]
        assert column == (expected if name == "system" else pytest.approx(expected, nan_ok=True)), name


INPUTS: dict[str, Any] = {
    "arrays": lambda labels: labels,
    "lists": lambda labels: labels.tolist(),
    "text": lambda labels: [f"c{label}" for label in labels],
    "dicts": lambda labels: {f"p{i}": int(label) for i, label in enumerate(labels)},
    "clusterings": lambda labels: cd.Clustering(labels.tolist()),
}


@cases("kind", INPUTS)
def test_any_form_gives_the_same_ranking(kind: str) -> None:
    """Scores, intervals and p-values do not depend on how the clusterings are held."""
    make = INPUTS[kind]
    found = cd.rank(make(TRUE), {name: make(pred) for name, pred in PREDS.items()}, resamples=500)
    plain = cd.rank(TRUE, PREDS, resamples=500)
    assert found.names == plain.names
    assert_same(found, plain)


def test_the_test_against_the_best_is_adjusted_for_the_number_of_systems() -> None:
    """By Holm; the raw p-values are there for any two systems, either way round."""
    found = cd.rank(TRUE, PREDS)
    raw = [found.p_value("fine", name) for name in ("fair", "rough")]
    assert list(found.against_best.values()) == holm(raw)
    assert found.p_value("rough", "fine") == raw[1] < 0.001
    together = found.paired("fine", "rough")
    assert together.low < together.difference < together.high
    assert together.difference == pytest.approx(found.score("fine") - found.score("rough"))
    assert together.p_value == raw[1]
    assert found.paired("rough", "fine").difference == -together.difference


def test_holm_against_its_definition() -> None:
    """The i-th smallest of m is multiplied by m − i + 1, never falls below the one before, and never exceeds 1."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = rng.random(6).round(2).tolist()
        expected = [min(1.0, max((len(p) - sorted(p).index(q)) * q for q in p if q <= one)) for one in p]
        assert holm(p) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_systems_with_other_points_are_matched_by_true_cluster() -> None:
    """Under missing="drop" and "lost" systems need not have the same points; units are told by the cluster's name."""
    true = {i: i // 4 for i in range(200)}
    whole = {i: i // 4 for i in range(200)}
    partly = {i: i // 2 for i in range(100, 200)} | {1000 + i: 500 + i // 3 for i in range(6)}
    lost = cd.rank(true, {"partly": partly, "whole": whole}, missing="lost", resamples=500)
    assert lost.names == ["whole", "partly"]
    assert lost.measures == ["S_H"]  # the adjusted form has no meaning there
    assert lost.p_value("whole", "partly") == pytest.approx(1 / 501)
    parts = lost.loss("partly")
    assert (parts.missing > 0, parts.spurious > 0) == (True, True)
    dropped = cd.rank(true, {"whole": whole, "partly": partly}, missing="drop", resamples=500)
    assert dropped.score("partly") == pytest.approx(cd.score(true, partly, missing="drop"))
    assert 0 < dropped.p_value("whole", "partly") < 0.01
    assert (
        "not the same points were left out for all systems (100 to 200 are compared)" in dropped.notices[-1]
    )
    assert not any("left out, not the same" in notice for notice in lost.notices)


def corpus(errors: float, seed: int) -> cd.Corpus:
    """Thirty documents of mentions, some of them in the wrong entity."""
    rng, same = np.random.default_rng(seed), np.random.default_rng(0)
    out = {}
    for document in range(30):
        entities = same.integers(0, 6, 25)
        out[f"d{document}"] = dict(
            enumerate(np.where(rng.random(25) < errors, rng.integers(0, 6, 25), entities).tolist())
        )
    return cd.Corpus(out)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_a_truth_without_points_ranks_systems_of_spurious_points() -> None:
    """Every unit is then a predicted cluster; the test tells nothing, and the interval says why there is none."""
    ranking = cd.rank({}, {"one": {"x": 0, "y": 0}, "two": {"x": 1, "z": 0}}, missing="lost")
    assert [ranking.score(name) for name in ("one", "two")] == [0.0, 0.0]
    assert ranking.p_value("one", "two") == 1.0
    assert ranking.interval("one").reason


def test_corpora_are_ranked_over_documents() -> None:
    """Documents are the units, for coreference measures too."""
    systems = {"a": corpus(0.1, 1), "b": corpus(0.3, 2)}
    found = cd.rank(corpus(0, 0), systems, measures=["conll", "S_H"], resamples=1000)
    assert (found.unit, found.interval("a").units, found.names) == ("document", 30, ["a", "b"])
    assert found.score("a") == cd.compare(corpus(0, 0), systems["a"]).score("conll")
    assert found.p_value("a", "b") < 0.01
    assert found.footnotes[0] == "conll: 95% intervals (jackknife) over documents."
    drawn = cd.rank(corpus(0, 0), systems, measures="conll", method="percentile", resamples=1000)
    assert "1,000 resamples of 30 documents" in repr(drawn.interval("a"))
    together = drawn.paired("a", "b")
    assert together.low < together.difference < together.high


def test_what_was_drawn_and_tested_stands_in_words() -> None:
    """The unit and the null hypothesis under the table, the unit in the signature."""
    found = cd.rank(TRUE, PREDS)
    text = " ".join(repr(found).split())
    assert (
        "95% intervals (jackknife) over components: points that errors connect are left out together." in text
    )
    null = "Null hypothesis: the two systems' results are exchangeable within each unit."
    assert null in text
    assert null in found.to_markdown()
    assert found.signature.startswith(
        "rank:S_H|systems:3|unit:component(100)|jackknife:0.95|resamples:10000|seed:0|n:400|"
    )
    few = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}
    with pytest.warns(cd.ClusterdiffWarning, match="no interval: 2.0 clusters' worth"):
        cd.rank([0, 0, 1, 1], few)


def spread(meet: Any) -> float:
    """A measure of somebody's own: how many cells there are."""
    return float(len(meet))


@pytest.mark.parametrize("measure", ["rmi", spread])
def test_a_measure_that_cannot_be_drawn_again_ranks_all_the_same(measure: Any) -> None:
    """A notice says that there are no intervals and tests, and who asks for one is told why."""
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"is not a function of sums .*, so there are no intervals and no tests"
    ):
        found = cd.rank(TRUE, PREDS, measures=[measure, "ari"])
    assert found.names == sorted(PREDS, key=lambda name: -cd.score(TRUE, PREDS[name], measure))
    assert found.to_dict()["systems"][0]["interval"] is None
    with pytest.raises(cd.MeasureError, match="only such sums can be computed without some of them"):
        found.interval("fine")


def test_systems_may_be_numbers_or_columns_and_so_may_the_seed_be_numpys() -> None:
    """A dict from parameters to predictions, a frame with a column per system, a seed from an array."""
    pandas = pytest.importorskip("pandas")
    found = cd.rank(
        TRUE, {2: PREDS["rough"], 3: PREDS["fine"]}, seed=np.arange(4)[3], resamples=np.int64(100)
    )
    assert found.names == ["3", "2"]
    assert found.interval(3) == found.interval("3")  # type: ignore[arg-type]
    assert found.p_value(2, 3) == found.p_value("3", "2")  # type: ignore[arg-type]
    assert "|seed:3|" in found.signature
    assert cd.rank(TRUE, pandas.DataFrame(PREDS), resamples=0).names == ["fine", "fair", "rough"]


def test_systems_without_a_value_come_last_and_share_their_rank() -> None:
    """A measure that is not a number for some systems."""
    found = cd.rank(TRUE, PREDS, measures=lambda meet: 1.0 if len(meet) < 150 else float("nan"), resamples=0)
    assert [row["rank"] for row in found.to_dict()["systems"]] == [1, 1, 3]
    nothing = cd.rank(TRUE, PREDS, measures=lambda meet: float("nan"), resamples=0)
    assert [row["rank"] for row in nothing.to_dict()["systems"]] == [1, 1, 1]


def test_nothing_is_drawn_unless_it_is_asked_for() -> None:
    """resamples=0 leaves out intervals and tests, and says so when somebody wants them."""
    found = cd.rank(TRUE, PREDS, resamples=0)
    assert found.to_dict()["systems"][0]["interval"] is None
    assert "interval" not in repr(found)
    with pytest.raises(cd.ArgumentError, match="`resamples` is 0"):
        found.interval("fine")


def test_cells_that_stay_in_an_engine_are_ranked_without_intervals() -> None:
    """Scores and losses come from the engine; units cannot be drawn from there, and who asks is told."""
    con = duckdb.connect()

    def table(labels: np.ndarray) -> Any:
        return con.from_arrow(pa.table({"point": [f"p{i}" for i in range(len(labels))], "cluster": labels}))

    found = cd.rank(table(TRUE), {name: table(pred) for name, pred in PREDS.items()}, budget=1000)
    assert found.names == ["fine", "fair", "rough"]
    assert found.score("fair") == pytest.approx(cd.score(TRUE, PREDS["fair"]))
    assert found.to_dict()["systems"][0]["interval"] is None
    with pytest.raises(cd.ArgumentError, match="the cells of fair stayed in the engine"):
        found.interval("fair")


def test_thousands_of_systems_show_the_first_ones() -> None:
    """Tables have tests of a hundred and intervals of a thousand; text shows twenty; Markdown keeps its limit."""
    preds = {f"system {i:04} with a rather long name to fill the page": PREDS["fine"] for i in range(1500)}
    found = cd.rank(TRUE, preds, resamples=20)
    rows = found.to_dict()["systems"]
    assert [row["interval"] is None for row in rows] == [False] * 1000 + [True] * 500
    assert [row["p_value"] is None for row in rows] == [True] + [False] * 99 + [True] * 1400
    assert [row["scores"]["as_h"] is None for row in rows] == [False] * 1000 + [True] * 500
    assert found.footnotes[2:] == [
        "With 20 flips and 99 tests no p can fall below 0.05: pass more resamples.",
        "Only the first 100 systems are tested here.",
        "Only the first 1,000 systems have intervals here.",
    ]
    named = cd.rank(TRUE, preds, measures=["S_H", "as_h"], resamples=0)
    assert named.to_dict()["systems"][-1]["scores"]["as_h"] == found.score(found.names[-1], "as_h")
    assert "… and 1,480 more systems" in repr(found)
    assert 50_000 < len(found.to_markdown()) < 60_000
    assert "more systems" in found.to_markdown()


class Tags(HTMLParser):
    """Which tags are open at the end, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_form_of_the_table_is_safe_and_complete() -> None:
    """Hostile names come out literally in Markdown, LaTeX, HTML and CSV; the best is in bold."""
    name = "<script>|*_{}&\\%"
    found = cd.rank(TRUE, {name: PREDS["fine"], "b\nc": PREDS["fair"]}, resamples=200)
    markdown, latex, page = found.to_markdown(), found.to_latex(), found.to_html()
    assert r"| **\<script\>\|\*\_{}&\\%** |" in markdown
    assert all(line.count("|") - line.count(r"\|") == 9 for line in markdown.splitlines()[:4])
    assert r"\textbf{\textless{}script\textgreater{}\textbar{}*\_\{\}\&\textbackslash{}\%}" in latex
    tables = latex.split("\\noindent\n")[1:]
    assert [table.splitlines()[0] for table in tables] == [
        "\\begin{tabular}{rlrrr}"
    ] * 2  # an article is no wider
    heads = [table.splitlines()[2].removesuffix(r" \\").split(" & ")[2:] for table in tables]
    assert heads == [[r"S\_H", "interval", r"as\_h"], ["split", "merge", "p"]]
    tags = Tags(page)
    assert not tags.open
    assert name in tags.text
    assert "<script>|" not in page
    assert "<h1><bdi>2 systems by S<sub>H</sub></bdi></h1>" in page
    assert found.signature in tags.text
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["system"] for row in rows] == [name, "b\nc"]
    assert float(rows[0]["S_H"]) == found.score(name)
    assert rows[0]["p_value"] == ""


def test_long_names_that_begin_alike_can_be_told_apart() -> None:
    """Where room is scarce they keep both ends, or all of them if those are alike; many notices are counted."""
    long = {
        f"HDBSCAN with min_cluster_size=15, epsilon=0.25 and seed {i}": PREDS["fine"][:300] for i in range(9)
    }
    middle = [f"HDBSCAN with min_cluster_size={size}, epsilon=0.25 and seed 0" for size in (5, 15)]
    found = cd.rank(TRUE[:300], long, resamples=0)
    assert len({line.split("  ")[1] for line in repr(found).splitlines()[1:10]}) == 9
    assert all(name in found.to_html() for name in long)
    assert len(set(re.findall(r"HDBSCAN[^}&]*\\ldots\{\} seed \d", found.to_latex()))) == 9
    alike = cd.rank(TRUE[:300], dict.fromkeys(middle, PREDS["fine"][:300]), resamples=0).to_latex()
    assert all(name in alike.replace("\\_", "_") for name in middle)
    with pytest.warns(cd.ClusterdiffWarning):
        partly = cd.rank(
            list(TRUE), {name: dict.fromkeys(range(50), 0) for name in long}, missing="drop", resamples=0
        )
    assert partly.notices[5] == "… and 13 more notices of this kind."


def test_a_ranking_is_a_value() -> None:
    """It pickles with all it knows, and does not change with what was passed."""
    true, pred = TRUE.copy(), PREDS["fair"].copy()
    found = cd.rank(true, {"a": pred, "b": PREDS["fine"]}, resamples=200)
    before = found.to_dict()
    true[:], pred[:] = 0, 0
    assert found.to_dict() == before
    assert pickle.loads(pickle.dumps(found)).to_dict() == before


def test_files_are_ranked_like_arrays(tmp_path: Path) -> None:
    """Paths on both sides, and a mapping that opens them one by one."""
    for name, labels in {"true": TRUE, **PREDS}.items():
        lines = "".join(f"p{i},{label}\n" for i, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text(f"point,cluster\n{lines}")
    found = cd.rank(tmp_path / "true.csv", {name: tmp_path / f"{name}.csv" for name in PREDS}, resamples=300)
    plain = cd.rank(TRUE, PREDS, resamples=300)
    assert_same(found, plain)


@cases(
    ("arguments", "message"),
    [
        (([0, 1], {}), "`preds` has no systems"),
        (
            ([0, 1], [[0, 1]]),
            "`preds` must be a dict from the name of each system to its prediction, or a frame .* got list",
        ),
        (([0, 1], {"short": [0]}), "short: "),
        (([0, 1], {1: [0, 1], "1": [0, 0]}), "`preds` has several systems called '1'"),
        (({},), "without `preds`, the first argument must be a dict"),
        (({"d": [0, 1]},), "a data set must be a pair"),
    ],
)
def test_bad_input_names_the_argument(arguments: tuple[Any, ...], message: str) -> None:
    """And the system, or the data set, that is to blame."""
    with pytest.raises(cd.ClusterdiffError, match=message):
        cd.rank(*arguments[:2], **({"measures": arguments[2]} if len(arguments) > 2 else {}))


def test_unknown_names_are_refused_with_the_nearest() -> None:
    """Systems, measures and units."""
    found = cd.rank(TRUE, PREDS, resamples=10)
    with pytest.raises(cd.ArgumentError, match="'fin' is not one of the systems") as caught:
        found.interval("fin")
    assert "'fine'" in str(caught.value.hint)
    with pytest.raises(cd.MeasureError, match="'ari' is not among the measures ranked"):
        found.score("fine", "ari")
    with pytest.raises(cd.ArgumentError, match='`unit` must be one of "component", "document", "point"'):
        cd.rank(TRUE, PREDS, unit="true")  # type: ignore[call-overload]


def test_a_truth_that_can_be_read_once_is_read_once() -> None:
    """An iterator of labels, as of lines in a file, serves all systems."""
    r = cd.rank(iter(TRUE.tolist()), {"a": TRUE, "b": TRUE}, resamples=0)
    assert [r.score(name) for name in r.names] == [1.0, 1.0]


@pytest.mark.parametrize("form", ["U", "O", "int32", "float", "list"])
def test_plain_labels_of_any_type_are_met_at_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has a label for every point needs no comparison of its own, and ranks as the integers do."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 900, 5000)
    preds = {
        str(i): np.where(rng.random(5000) < 0.1 * i, rng.integers(-5, 900, 5000), true) for i in range(3)
    }

    def spelt(labels: np.ndarray) -> Any:
        return labels.astype(str).tolist() if form == "list" else labels.astype(form)

    expected = cd.rank(true, preds)
    monkeypatch.setattr(systems, "compare", None)
    found = cd.rank(spelt(true), {name: spelt(pred) for name, pred in preds.items()})
    for name in preds:
        assert found.score(name) == pytest.approx(expected.score(name), abs=1e-14)
        assert found.score(name, "as_h") == pytest.approx(expected.score(name, "as_h"), abs=1e-12)
        assert found.p_value("0", name) == pytest.approx(expected.p_value("0", name), rel=1e-6)
