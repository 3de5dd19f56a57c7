"""The report as a file: what it holds, how large it is, and that no label becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.points.labels import LazyNames
from clusterdiff.show.markdown import comparison_markdown
from clusterdiff.show.report import render
from clusterdiff.show.report.judging import refused
from tests.cases import cases
from tests.hostile import HOSTILE, hostile_clusterings


class Reader(HTMLParser):
    """The elements of a page, the text of some of them, and the attributes that could load something."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.loads: list[tuple[str, str]] = []
        self.inline: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append((tag, dict(attrs)))
        for name, value in attrs:
            if name in {"src", "href", "action", "data", "srcset", "poster"} and not (value or "").startswith(
                "#"
            ):
                self.loads.append((name, value or ""))
            if name == "style" or name.startswith("on"):
                self.inline.append(name)

    def handle_data(self, data: str) -> None:
        tag, attributes = self.open[-1] if self.open else ("", {})
        key = f"{tag}:{attributes.get('type')}" if tag == "script" else tag
        self.texts.setdefault(key, []).append(data)


def data_of(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def demo_page() -> str:
    rows = customers.rows()
    columns = {name: [row[name] for row in rows] for name in ("name", "email", "city", "source")}
    return render(customers.compare(), attributes=columns, by={"source": columns["source"]})


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    """No address outside the page, no inline handlers or styles, and a policy whose hashes are those of the page."""
    page = demo_page()
    reader = Reader(page)
    assert reader.loads == []
    assert reader.inline == []
    assert not re.search(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    allowed = policy[1].replace("&#39;", "'")
    assert allowed.startswith("default-src 'none'; ")
    assert "unsafe" not in allowed
    for element in ("style", "script"):
        source = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        assert source is not None
        digest = base64.b64encode(hashlib.sha256(source[1].encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in allowed


def test_the_numbers_are_the_comparisons() -> None:
    """Score, loss, components, cells and repairs in the page's data equal those of the comparison, bit for bit."""
    diff = customers.compare()
    page = demo_page()
    data = data_of(page)
    assert f'id="score" data-value="{diff.score()!r}"' in page
    assert f'id="loss-split" data-value="{diff.loss.split!r}"' in page
    assert f'id="loss-merge" data-value="{diff.loss.merge!r}"' in page
    assert diff.signature in page
    for entry, component in zip(data["components"], diff.components, strict=True):
        assert entry["id"] == component.component
        assert entry["kind"] == component.kind
        assert entry["loss"] == [component.loss, component.split_loss, component.merge_loss, 0.0, 0.0]
        assert [cluster[0] for cluster in entry["true"]] == component.true
        assert [cluster[0] for cluster in entry["pred"]] == component.pred
        assert sum(cell[2] for cell in entry["cells"]) == component.size
        for side in ("true", "pred"):
            assert sum(cluster[3] for cluster in entry[side]) == pytest.approx(component.loss, rel=1e-5)
        assert sorted(point[1] for point in entry["points"]) == component.points
    best = diff.repairs()[0]
    assert data["repairs"][0]["gain"] == best.gain
    assert data["repairs"][0]["component"] == best.component
    assert [point[1:] for point in data["components"][0]["points"]][3] == [
        "r14", "Robert Miller", "office@mill.example", "Norwich", "trade",
    ]  # fmt: skip


def test_the_chance_level_is_told_where_it_has_a_meaning() -> None:
    """Beside the score, with its p; not with weights, nor between releases."""
    diff = cd.compare(np.arange(10) % 2, np.arange(10) // 5)
    page = render(diff)
    assert f'chance <data value="{diff.chance_level!r}">0.3708</data>' in page
    assert "Mean score of shuffled labels; p = 1 (exact)" in page
    assert ">below 0.0001</data>" in render(cd.compare(*[np.arange(40_000) % 20_000] * 2))
    for silent in (
        render(cd.compare([0, 0, 1], [0, 1, 1], weights=[2, 1, 1])),
        render(cd.compare([0, 0, 1], [0, 1, 1]), sides=("old", "new")),
    ):
        assert 'id="by-chance"' not in silent


def test_lists_of_a_changelog_open_what_the_page_holds() -> None:
    """Every event of clusters that both releases have, and every reused name."""
    old = {point: point // 2 for point in range(80)}
    new = {point: point // 2 if point % 2 else 1_000 + point for point in old} | {79: 0, 1: 39}
    diff = cd.compare(old, new, missing="drop")
    page = (
        render(diff, sides=("old", "new")).partition('<section id="changelog"')[2].partition("</section>")[0]
    )
    rows = page.split("<tr>")[1:]
    assert diff.reused
    reused = {f"<bdi>{row.name}</bdi></a></th>" for row in diff.reused}
    assert all(any(link in row for row in rows) for link in reused)
    listed = [row for row in rows if "<td" in row]
    assert len(listed) == len(diff.reused) + len(diff.events)
    assert sum('href="#component-' in row for row in listed) == len(listed)


def test_clusters_that_were_born_or_vanished_open(tmp_path: Path) -> None:
    """With their first points and the columns of the table that has them, of files and of frames alike."""
    old = [f"r{i},{i // 4},Ann {i}" for i in range(40)]
    new = [f"r{i},{i // 4},Bob {i},{1900 + i}" for i in range(8, 36)] + [
        f"s{i},7000,<b>{i},{i}" for i in range(13)
    ]
    tables = []
    for name, head, rows in (("old", "id,product,name", old), ("new", "id,product,name,year", new)):
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
        tables.append(pd.read_csv(tmp_path / f"{name}.csv"))
    of_files = cd.compare(
        tmp_path / "old.csv", tmp_path / "new.csv", point="id", cluster="product", missing="drop"
    )
    of_frames = cd.compare(*tables, point="id", cluster="product", missing="drop")
    for diff in (of_files, of_frames):
        page = render(diff, sides=("old", "new"))
        details = re.findall(r'<details class="alone">.*?</details>', page, re.S)
        (born,) = [one for one in details if "7000" in one]
        assert len(details) == 1 + sum(event.kind == "vanished" for event in diff.events) == 4
        assert re.findall(r'<th scope="row"><bdi>(\w+)', born) == [f"s{i}" for i in range(10)]
        assert re.findall(r'scope="col">(?:<bdi>)?(\w+)', born) == ["point", "name", "year"]
        assert "<td><bdi>&lt;b&gt;3</bdi></td><td><bdi>3</bdi></td>" in born
        assert "13 points" in born
        assert "3 more points" in born
        (vanished,) = [one for one in details if "Ann 39" in one]
        assert re.findall(r"<bdi>(\w+)", vanished)[1:] == ["name"] + [
            text for i in range(36, 40) for text in (f"r{i}", "Ann")
        ]
        assert "more point" not in vanished


def test_points_of_clusters_without_a_component_are_bounded() -> None:
    """Of many clusters with many columns few points are shown, and few of the columns."""
    old = {i: i // 40 for i in range(8_000)}
    new = {i: i // 40 for i in range(7_960, 16_000)}
    points = pd.DataFrame({f"c{i}": ["x" * 500] * 8_000 for i in range(30)})
    first, second = (pd.DataFrame({"id": list(x), "k": list(x.values())}) for x in (old, new))
    diff = cd.compare(first.join(points), second.join(points), point="id", cluster="k", missing="drop")
    page = render(diff, sides=("old", "new"))
    details = re.findall(r'<details class="alone">.*?</details>', page, re.S)
    assert len(details) == 100
    assert {one.count("<tr>") for one in details} == {1 + 3}
    assert sum(map(len, details)) < 400_000
    assert len(page.encode()) < 2_000_000


def test_every_measure_is_shown_or_named_as_left_out() -> None:
    """The table of measures iterates the registry."""
    page = demo_page()
    diff = customers.compare()
    table = page.partition('<table class="measures">')[2].partition("</table>")[0]
    row = re.compile(r'<tr><th scope="row">(.*?)</th><td class="n"><data value="(.*?)">')
    shown = {unescape(name): value for name, value in row.findall(table)}
    note = re.search(
        r"Not computed [(]they need features or a parameter, or are too slow at this size[)]: (.*?)[.]</p>",
        page,
    )
    assert note is not None
    left_out = unescape(note[1]).split(", ")
    assert sorted([*shown, *left_out]) == sorted(cd.measures)
    assert left_out == ["S_MSE", "K", "cdistance"]
    assert shown == {name: repr(diff.score(name)) for name in shown}


def test_measures_that_take_long_are_left_out_of_large_pages() -> None:
    """A transport problem for every pair of clusters is solved for a thousand points, not for more."""
    for n, shown in ((12, True), (1_001, False)):
        labels = np.arange(n) // 3
        diff = cd.compare(labels, labels[::-1] % 2, features=np.eye(n, 2))
        note = re.search(r"Not computed [(].*?[)]: (.*?)[.]</p>", render(diff))
        assert note is not None
        assert ("cdistance" not in note[1].split(", ")) is shown


@pytest.mark.parametrize("sides", [("<i>gold</i>", "new"), ("old", "new")])
def test_no_label_becomes_markup(sides: tuple[str, str]) -> None:
    """Tags, quotes, templates, controls and 10,000 characters: the page has the same elements as with plain labels."""
    true, pred = hostile_clusterings()
    attributes = {point: {"</th><b>": label, "plain": point} for point, label in true.items()}
    page = render(
        cd.compare(true, pred),
        attributes=attributes,
        by={"</caption><img src=x>": true},
        title="</title><script>alert(1)</script>",
        sides=sides,
    )
    names = {label: f"label{i}" for i, label in enumerate(HOSTILE)}
    tame_true = {point: names[label] for point, label in true.items()}
    tame_pred = {point: names[label] for point, label in pred.items()}
    tame = render(
        cd.compare(tame_true, tame_pred),
        attributes={point: {"a": "b", "plain": "c"} for point in true},
        by={"column": tame_true},
        title="title",
        sides=(sides[0].replace("<i>", "").replace("</i>", ""), sides[1]),
    )
    assert sorted(Reader(page).tags) == sorted(Reader(tame).tags)
    assert Reader(page).loads == []
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\ud800-\udfff]", page)
    names = [cluster[0] for component in data_of(page)["components"] for cluster in component["true"]]
    shown = {tuple(name) if isinstance(name, list) else name for name in names}
    assert "</script><script>alert(1)</script>" in shown
    assert "\x00\x1b[31mred\x07" in shown
    assert ("x" * 2000, 0, 10_000) in shown


@cases("kind", ["dict", "rows", "pandas", "polars"])
def test_attributes_come_as_columns_rows_or_frames(kind: str) -> None:
    """All forms of the same attributes give the same page."""
    true, pred = {"c": 1, "a": 1, "b": 2}, {"a": 1, "b": 2, "c": 9}
    columns = {"age": [30, 10, 20], "town": ["Z", None, "Y"]}
    given: dict[str, Any] = {
        "dict": columns,
        "rows": {
            "a": {"age": 10, "town": None},
            "b": {"age": 20, "town": "Y"},
            "c": {"age": 30, "town": "Z"},
        },
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
    }
    data = data_of(render(cd.compare(true, pred), attributes=given[kind]))
    points = {p[1]: p[2:] for c in data["components"] for p in c["points"]}
    assert data["attributes"] == ["age", "town"]
    assert {name: values[0] for name, values in points.items()} == {"a": 10, "b": 20, "c": 30}
    assert points["c"] == [30, "Z"]


def test_bad_attributes_are_refused() -> None:
    """A wrong length or type is an error that names the column."""
    diff = cd.compare([0, 1], [0, 0])
    with pytest.raises(
        cd.ArgumentError, match=r"`attributes\['age'\]` must have a value for each of the 2 points"
    ):
        render(diff, attributes={"age": [1]})
    with pytest.raises(cd.ArgumentError, match="`attributes` must be a frame"):
        render(diff, attributes=3)


def test_identical_weighted_and_tiny_comparisons_have_pages_too() -> None:
    """No loss, one point, weights, and points without names."""
    for diff in (
        cd.compare([0], [0]),
        cd.compare([0, 1, 1], ["x", "y", "y"]),
        cd.compare([0, 0, 1], [0, 1, 1], weights=[0.5, 0, 3]),
        cd.compare([0, 0, 1], [0, 1, 1], weights=[2, 1, 1]),
    ):
        assert f'data-value="{diff.score()!r}"' in render(diff)


def test_a_report_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failing write leaves the old file and no other."""
    path = tmp_path / "diff.html"
    path.write_text("old")
    with pytest.raises(cd.ArgumentError):
        cd.compare([0, 1], [0, 0]).report(path, attributes={"age": [1]})
    assert path.read_text() == "old"
    with pytest.raises(cd.FileError, match="cannot be written"):
        cd.compare([0, 1], [0, 0]).report(tmp_path / "none" / "diff.html")
    cd.compare([0, 1], [0, 0]).report(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["diff.html"]


def many() -> cd.types.Comparison:
    """Components of all kinds, with lost points and weights, some of them large."""
    rng = np.random.default_rng(5)
    true = {i: int(c) for i, c in enumerate(rng.integers(0, 900, 3000))}
    pred = {
        i: c if rng.random() < 0.9 else int(rng.integers(0, 900))
        for i, c in true.items()
        if rng.random() < 0.97
    }
    return cd.compare(true, pred | {-i: i % 40 for i in range(1, 60)}, missing="lost")


def test_whatever_is_listed_is_there_by_its_place() -> None:
    """Every repair names clusters, cells and points that its component has, whatever the component's rank."""
    diff = many()
    data = data_of(render(diff))
    held = {component["id"]: component for component in data["components"]}
    ranks = [component["rank"] for component in data["components"]]
    assert ranks == sorted(set(ranks))
    assert [repair["gain"] for repair in data["repairs"]][:20] == diff.repairs().gain[:20].tolist()
    listed = diff.repairs()[:20]
    for repair, entry in zip(listed, data["repairs"], strict=False):
        component = held[entry["component"]]
        assert [component["pred"][place][0] for place in entry["clusters"]] == repair.clusters
        assert [component["true"][place][0] for place in entry["true"]] == repair.true
        sizes = [sum(component["cells"][cell][2] for cell in part) for part in entry["cells"]]
        assert sizes == (repair.sizes if repair.lost is None else [0])
        assert entry["affected"] == repair.affected
    for component in data["components"]:
        assert all(data["repairs"][place]["component"] == component["id"] for place in component["repairs"])


def test_what_is_embedded_makes_up_the_score() -> None:
    """S_H follows from the masses of cells and clusters alone, as the docstring of the data says."""
    for diff in (many(), cd.compare([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1], weights=[1, 2, 0.5, 3, 1, 0])):
        data = data_of(render(diff, full=True))
        unit, weighted = data["unit"], data["weighted"]

        def content(rows: list[list[float]], unit: float = unit) -> float:
            """Of points that are together; rows are number, mass and own of each part."""
            number, mass, own = (sum(column) for column in zip(*rows, strict=True))
            return mass * np.log(mass / unit) - own if number > 1 and mass > 0 else 0.0

        def bag(row: list[Any], at: int, weighted: bool = weighted) -> list[float]:
            return row[at : at + 3] if weighted else [row[at], row[at], 0.0]

        kept = 0.0
        for component in data["components"]:
            scores = []
            for side, place in (("true", 0), ("pred", 1)):
                scores.append([])
                for at, cluster in enumerate(component[side]):
                    parts = [bag(cell, 2) for cell in component["cells"] if cell[place] == at]
                    lost = [bag(cluster, 5)] if data["uneven"] else []
                    whole = content([*parts, *lost])
                    scores[-1].append(
                        sum(content([part]) for part in parts) / whole if whole > 1e-12 else 1.0
                    )
            kept += sum(
                bag(cell, 2)[1] * scores[0][cell[0]] * scores[1][cell[1]] for cell in component["cells"]
            )
        assert kept / data["total"] == pytest.approx(diff.score(), abs=1e-12)


@pytest.mark.parametrize("measure", ["ari", "vi", "b3.f1"])
def test_costs_in_another_measure_are_its_gains(measure: str) -> None:
    """What each component and each cluster would gain; what is right has nothing to gain."""
    true, pred = [0, 0, 0, 1, 1, 2, 3, 3], ["a", "a", "b", "b", "c", "c", "d", "d"]
    diff = cd.compare(true, pred)
    data = data_of(render(diff, measure=measure))
    assert data["measure"]["score"] == diff.score(measure)
    components = {row.component: row.gain for row in diff.gains(measure)}
    for component in data["components"]:
        assert component["cost"] == pytest.approx(components.get(component["id"], 0.0), rel=1e-5)
        for place, side in enumerate(("true", "pred")):
            gains = {row.cluster: row.gain for row in diff.gains(measure, by=side)}  # type: ignore[arg-type]
            names = [cluster[0] for cluster in component[side]]
            assert component["costs"][place] == pytest.approx(
                [gains.get(name, 0.0) for name in names], rel=1e-5
            )


def test_long_texts_do_not_crowd_out_components(tmp_path: Path) -> None:
    """Attributes of thousands of letters are cut where they would fill the page; the page stays small."""
    true = [i // 60 for i in range(6_000)]
    pred = [i // 30 for i in range(6_000)]
    texts = {f"column {k}": ["many words, " * 160] * 6_000 for k in range(4)}
    cd.compare(true, pred).report(tmp_path / "diff.html", attributes=texts)
    assert (tmp_path / "diff.html").stat().st_size < 2_000_000
    page = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert len(data_of(page)["components"]) >= 20


def test_a_truth_that_is_a_sample_is_told_first(tmp_path: Path) -> None:
    """The numbers travel with their notice: on the page, in Markdown and in JSON it comes before them."""
    true, pred = {i: i % 3 for i in range(10)}, {i: i % 3 for i in range(100)}
    with pytest.warns(cd.ClusterdiffWarning, match="has 10 of the 100 points"):
        diff = cd.compare(true, pred, missing="drop")
    known = [str(notice) for notice in diff.notices]
    assert len(known) == 2
    diff.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('<p class="notice"') == 2
    assert page.index("has 10 of the 100 points") < page.index("<main>")
    lines = comparison_markdown(diff).splitlines()
    assert lines[0].startswith("> **Notice:** ")
    assert "has 10 of the 100 points" in lines[2]
    assert lines[4].startswith("**S")
    assert list(diff.to_dict())[:2] == ["signature", "notices"]
    assert diff.to_dict()["notices"] == known
    cd.compare([0, 1], [0, 1]).report(tmp_path / "plain.html")
    assert '<p class="notice"' not in (tmp_path / "plain.html").read_text(encoding="utf-8")


def test_whether_names_in_files_are_ambiguous_is_known_before_they_are_read(tmp_path: Path) -> None:
    """By the type of their column, also for some of them, and for those of two files."""
    for ids, kind in ((range(6), int), ("abcdef", str)):
        for side, rows in (("true", slice(0, 5)), ("pred", slice(1, 6))):
            points = pl.DataFrame({"id": list(ids), "cluster": [1, 1, 2, 2, 3, 3]})[rows]
            points.write_parquet(tmp_path / f"{side}.parquet")
        for missing in ("drop", "singleton", "lost"):
            diff = cd.compare(tmp_path / "true.parquet", tmp_path / "pred.parquet", missing=missing)
            names = diff.source.names
            assert isinstance(names, LazyNames)
            assert refused(diff) is None
            assert "_names" not in names.__dict__
            assert {type(name) for name in names} == {names.kind} == {kind}
