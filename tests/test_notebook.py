"""What notebooks show: every result has a view, which is escaped, aligned, and has no colour of its own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.table import Table

HOSTILE = "<script>alert(1)</script>"
TRUE, PRED = [HOSTILE, HOSTILE, "b", "c", "שלום"], [1, 2, 2, 3, 3]


def diff() -> cd.types.Comparison:
    """Two clusterings, one of them with a name that would run if it were not escaped."""
    return cd.compare(TRUE, PRED)


def corpora() -> cd.types.CorpusComparison:
    """Two documents, of which a mention was not found."""
    true = cd.Corpus({"one": [["a", "b"], ["c"]], HOSTILE: [["d"]]})
    found = cd.compare(true, cd.Corpus({"one": [["a"], ["b", "c"]], HOSTILE: [["e"]]}))
    assert isinstance(found, cd.types.CorpusComparison)
    return found


def ranking() -> cd.types.Ranking:
    """Two systems."""
    found = cd.rank(TRUE, {HOSTILE: PRED, "other": TRUE}, resamples=20)
    assert isinstance(found, cd.types.Ranking)
    return found


def datasets() -> Any:
    """Two systems on some data sets."""
    return cd.rank({f"{i}": (TRUE, {"one": PRED, HOSTILE: TRUE}) for i in range(6)}, resamples=0)


def merged() -> cd.types.ThreeWay:
    """A three-way merge with a conflict."""
    return cd.merge({HOSTILE: 1, "b": 2, "c": 3}, {HOSTILE: 1, "b": 1, "c": 3}, {HOSTILE: 1, "b": 3, "c": 3})


def lives() -> cd.types.History:
    """Two releases."""
    return cd.history({HOSTILE: {"b": 1, "c": 1}, "next": {"b": 1, "c": 2}}, names={"b": HOSTILE})


def swept() -> cd.types.Sweep:
    """Every threshold of three points."""
    return cd.sweep([HOSTILE, HOSTILE, "b"], pairs=([0, 1], [1, 2], [0.9, 0.3]))


def table() -> cd.types.Comparison:
    """A comparison of columns of a frame, whose cells were loaded."""
    import pandas as pd

    frame = pd.DataFrame({"id": range(5), "cluster": TRUE})
    return cd.compare(frame, frame.assign(cluster=PRED), point="id", cluster="cluster")


def judgements() -> cd.Judgements:
    """Two that contradict each other, and one that is violated."""
    said = [{"id": HOSTILE, "groups": [["0", "1"]]}, {"id": "2", "groups": [["0"], ["1"]]}]
    return cd.Judgements([*said, {"id": "3", "groups": [["2"], ["1", "3"]]}])


def difference() -> cd.types.Difference:
    """Two runs, of which a review knows the truth."""
    review = cd.plan(old=TRUE, new=PRED, draw=9).review
    assert review is not None
    said = [one.to_dict() | {"answer": "1"} for one in review]
    lines = [one | {"groups": one["shown"]["1"]} for one in said]
    return cd.estimate(old=TRUE, new=PRED, judgements=cd.Judgements(lines, review.header))


def patterns() -> cd.types.Patterns:
    """Few points, and a column that says nothing of them."""
    return diff().patterns(attributes={HOSTILE: TRUE})


def hits() -> cd.types.Hits:
    """Points with one value are split off."""
    true = [i // 4 for i in range(400)]
    value = [HOSTILE if i % 4 == 0 and i % 12 else "other" for i in range(400)]
    found = cd.compare(true, [-1 - i if value[i] == HOSTILE else true[i] for i in range(400)])
    hits = found.patterns(attributes={HOSTILE: value}).hits
    assert hits is not None
    return hits


def hit() -> cd.types.Hit:
    """The first of them."""
    return hits().rows[0]


RESULTS: dict[str, Callable[[], Any]] = {
    "Analysis": lambda: diff().analysis,
    "Aside": lambda: judgements().settle().aside[0],
    "Contradiction": lambda: judgements().contradictions[0],
    "Corrected": lambda: judgements()[2:].apply(PRED),
    "Difference": difference,
    "Estimate": lambda: cd.estimate([[0, 1]], PRED, design="clusters")["b3.recall"],
    "Estimates": lambda: cd.estimate([[0, 1]], PRED, design="clusters"),
    "Facts": lambda: judgements()[:1].facts,
    "Judgement": lambda: judgements()[0],
    "Judgements": judgements,
    "Outcome": lambda: judgements().judge(PRED).table[0],
    "Plan": lambda: cd.plan(PRED),
    "SampleRanking": lambda: cd.rank([[0, 1]], {"a": PRED, "b": TRUE}, design="clusters"),
    "Lead": lambda: cd.rank([[0, 1]], {"a": PRED, "b": TRUE}, design="clusters").leads["b"],
    "Settled": lambda: judgements().settle(),
    "Shift": lambda: difference()["improved"],
    "Torn": lambda: judgements()[2:].apply(PRED).torn[0],
    "Verdicts": lambda: judgements().judge(PRED),
    "ClusterCase": lambda: diff().cases[0],
    "PointChange": lambda: diff().changes[0],
    "ChangedValue": lambda: diff().changed_values({0: HOSTILE}, {0: "b"})[0],
    "Cell": lambda: diff().cells[0],
    "Chance": lambda: diff().chance(draws=20),
    "Check": lambda: cd.check("S_H", 3),
    "ClusterGain": lambda: diff().gains("ari", by="true")[0],
    "Clustering": lambda: cd.Clustering(TRUE),
    "Comparison": diff,
    "Component": lambda: diff().components[0],
    "ComponentGain": lambda: diff().gains("ari")[0],
    "Conflict": lambda: merged().conflicts[0],
    "Corpus": lambda: cd.Corpus({HOSTILE: [["a"]]}),
    "CorpusComparison": corpora,
    "Counterexample": lambda: next(iter(cd.check("R", 3).counterexamples.values())),
    "Counts": lambda: corpora().counts,
    "Crossing": lambda: diff().crosswalk[0],
    "DatasetRanking": datasets,
    "Documents": lambda: corpora().documents,
    "Edge": lambda: cd.matrix({"one": TRUE, "two": PRED}).tree[0],
    "Event": lambda: diff().events[0],
    "Explanation": lambda: diff().explain(),
    "Extremes": lambda: cd.extremes(TRUE, "R"),
    "Fate": lambda: diff().fates[0],
    "Gains": lambda: diff().gains("ari"),
    "History": lambda: lives(),
    "InDocument": lambda: corpora().splits[0].cluster,
    "Interval": lambda: diff().interval(),
    "Loss": lambda: diff().loss,
    "Matrix": lambda: cd.matrix({HOSTILE: TRUE, "two": PRED}),
    "Measure": lambda: cd.measures["ari"],
    "Meet": lambda: diff().meet,
    "Mention": lambda: cd.types.Mention("story", ((4, 5),), HOSTILE),
    "Merge": lambda: diff().merges[0],
    "ClusterOrigin": lambda: diff().origins[0],
    "Paired": lambda: ranking().paired(HOSTILE, "other"),
    "Patch": lambda: diff().patch(),
    "Patterns": lambda: patterns(),
    "Shape": lambda: patterns().shapes[0],
    "SizeShare": lambda: cd.types.SizeShare("1", 3, 0.5),
    "Confusion": lambda: patterns().confusions[0],
    "Hits": lambda: patterns().hits,
    "Hit": lambda: hit(),
    "Excess": lambda: hit().excess,
    "BaseRate": lambda: hits().base["left"],
    "Group": lambda: patterns().groups[0],
    "PointLoss": lambda: diff().by_point[0],
    "PointSource": lambda: diff().source,
    "Policy": lambda: diff().policy,
    "Ranking": ranking,
    "Redirect": lambda: diff().redirects[0],
    "Lineage": lambda: lives().lineage,
    "ReleaseStatistics": lambda: lives().statistics[0],
    "Sighting": lambda: lives().record("b")[0],
    "Stage": lambda: lives().life(1)[0],
    "Trace": lambda: lives().trace("b", "c")[0],
    "Repair": lambda: diff().repairs()[0],
    "Repairs": lambda: diff().repairs(),
    "Reuse": lambda: cd.compare([1, 2], [2, 1]).reused[0],
    "Row": lambda: Table({"cluster": [HOSTILE], "size": [3]})[0],
    "Scorer": lambda: cd.scorer("ari"),
    "Series": lambda: cd.worsen(TRUE),
    "Slice": lambda: diff().by(TRUE)[0],
    "Split": lambda: diff().splits[0],
    "Stability": lambda: cd.matrix({"one": TRUE, "two": PRED}).stability,
    "StableCluster": lambda: cd.matrix({"one": TRUE, "two": PRED}).clusters[0],
    "Story": lambda: diff().explain().stories[0],
    "Subcomponent": lambda: cd.subcomponents["entropy"],
    "Succession": lambda: diff().succession,
    "Sweep": swept,
    "SweepLoss": lambda: swept().losses[0],
    "Table": lambda: diff().components,
    "TableComparison": table,
    "ThreeWay": lambda: merged(),
    "WorstMerge": lambda: swept().worst_merges(-1.0)[0],
}
#: Its tables are an engine's; it inherits the view of a comparison, which tests/engines look at.
ELSEWHERE = {"EngineComparison"}
#: What results are made of, and nobody looks at by itself.
PARTS = {
    "Add", "Anchor", "Board", "CellLoss", "Choices", "Components", "Cuts", "Decomposition", "Finding",
    "Friedman", "Handed", "Index", "Labels", "LazyNames", "Losses", "Margins", "Members", "MissingRule",
    "Named", "Noise", "Nouns", "Overlap", "Pairs", "Place", "Pool", "Registry", "ReleaseStep", "Remove",
    "Resolutions", "Scored", "SplitOff", "Steps", "Summed", "Sums", "Text", "UnevenMeet", "Unite",
    "Weighed",
}  # fmt: skip


class Reader(HTMLParser):
    """Checks that elements nest, and collects what could reach beyond them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_public_class_has_a_view() -> None:
    """A notebook can show whatever class is public, be it made or given, but for errors and mere parts of results."""
    public = {name: getattr(cd, name) for name in cd.__all__}
    public |= {name: getattr(cd.types, name) for name in cd.types.__all__}
    classes = {
        name
        for name, value in public.items()
        if inspect.isclass(value) and not issubclass(value, BaseException)
    }
    assert classes == RESULTS.keys() | ELSEWHERE | PARTS
    assert not [name for name in classes - PARTS if not callable(getattr(public[name], "_repr_html_", None))]


@pytest.mark.parametrize("name", RESULTS)
def test_views_stay_inside_and_take_their_colours_from_the_notebook(name: str) -> None:
    """Elements nest; labels are escaped; nothing styles the page, and no colour is fixed but a see-through grey."""
    result = RESULTS[name]()
    assert type(result).__name__ == name or name == "InDocument"
    page = result._repr_html_()
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    assert reader.text.strip()
    assert reader.tags <= {"div", "p", "b", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert reader.attributes <= {"style", "dir"}
    colours = set(re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\([^)]*\)", re.sub(r">[^<]*<", "><", page)))
    assert colours <= {"rgba(128,128,128,.4)"}


def test_numbers_are_aligned_and_words_are_not() -> None:
    """Columns of numbers end below each other, in digits of one width; words start where they are read from."""
    page = Table({"cluster": ["x", "שלום"], "loss": np.array([0.5, 12.25])})._repr_html_()
    assert "tabular-nums" in page
    cells = re.findall(r"<td ([^>]*)>([^<]*)</td>", page)
    assert [text for shape, text in cells if "text-align:right" in shape] == ["0.5000", "12.2500"]
    assert [text for shape, text in cells if 'dir="auto"' in shape] == ["x", "שלום"]


def test_long_results_say_what_they_leave_out() -> None:
    """A thousand rows, repairs or operations are not dumped on the page."""
    long = cd.compare(np.arange(4000) // 4, np.arange(4000) // 3)
    for result in (long.splits, long.repairs(), long.patch(), cd.Clustering(np.arange(4000))):
        page = result._repr_html_()
        assert re.search(r"… [\d,]+ more", page)
        assert len(page) < 20_000
