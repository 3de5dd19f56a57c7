"""The points of the report as a diff, and the search for records, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.show.report import data


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "diff.html"
    columns = ("name", "email", "city", "source")
    rows = customers.rows()
    customers.compare().report(path, attributes={name: [row[name] for row in rows] for name in columns})
    return path


@pytest.fixture(autouse=True)
def few_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about the other measures, which take most of the time that a page takes."""
    monkeypatch.setattr(data, "measures", {"S_H": cd.measures["S_H"]})


def parts(page: Any) -> list[tuple[str, str, list[str]]]:
    """What each part of a predicted cluster says, its kind, and its points."""
    return page.evaluate(
        """() => {
          const out = [];
          for (const row of document.querySelectorAll('.detail .points tbody tr')) {
            if (row.classList.contains('cluster')) out.push([row.innerText.trim(), 'cluster', []]);
            else if (row.classList.contains('part')) out.push([row.innerText.trim(), row.classList[1], []]);
            else out.at(-1)[2].push(row.cells[0].innerText);
          }
          return out;
        }"""
    )


def test_points_stand_by_predicted_cluster_and_strays_by_true_one(demo: Path, open_page: Any) -> None:
    """What stayed, what was merged in and what was split off can be told apart, and where it belongs."""
    with open_page(demo) as page:
        page.locator("#list .row button").first.click()
        assert parts(page) == [
            ["P C04 · 3 points", "cluster", []],
            ["3 points of T Robert Miller", "own", ["r11", "r12", "r13"]],
            ["P C05 · 3 points", "cluster", []],
            ["2 points of T Robert Miller Jr", "own", ["r15", "r16"]],
            ["1 point of T Robert Miller; most of it is in P C04", "merge", ["r14"]],
            ["P C06 · 1 point", "cluster", []],
            ["1 point of T Robert Miller Jr; most of it is in P C05", "split", ["r17"]],
        ]
        # The name is of the same words but another one; the address is the same; the source is new.
        stray = page.locator(".detail .points tr.merge:not(.part) .differs").all_inner_texts()
        assert stray == ["Robert Miller", "trade"]
        back = "getComputedStyle(document.querySelector('.detail .points tr.%s td')).backgroundColor"
        tints = {page.evaluate(back % kind) for kind in ("own", "merge", "split")}
        assert len(tints) == 3


def test_long_values_unfold(tmp_path: Path, open_page: Any) -> None:
    """A long value is cut until it is asked for; a hit in the part that is cut unfolds it."""
    path = tmp_path / "long.html"
    text = "word " * 40 + "needle"
    cd.compare([0, 0, 1], [0, 1, 1]).report(path, attributes={"abstract": [text, "short", None]})
    with open_page(path) as page:
        page.locator("#list .row button").first.click()
        button = page.locator(".detail .unfold")
        assert "needle" not in page.locator(".detail .points").inner_text()
        assert button.inner_text() == "126 more"
        button.press("Enter")
        assert "needle" in page.locator(".detail .points").inner_text()
        assert button.get_attribute("aria-expanded") == "true"
        button.click()
        page.locator("#search").fill("needle")
        assert page.locator(".detail mark").all_inner_texts() == ["needle"]
        assert page.locator(".detail .absent").count() == 1


def test_search_is_for_records(demo: Path, open_page: Any) -> None:
    """Both words must be in one record; hits are marked; what is not there is said to be not there."""
    with open_page(demo) as page:
        search, found = page.locator("#search"), page.locator("#found")
        search.fill("bob mill.example")
        assert found.inner_text() == "1 record with “bob” and “mill.example” in 1 component"
        page.locator("#list .row button").first.click()
        assert set(page.locator(".detail mark").all_inner_texts()) == {"Bob", "mill.example"}
        search.fill("bob garcia")  # each is in this file, but not in one record
        assert found.inner_text() == "No record has “bob” and “garcia”."
        search.fill("garcia")
        page.locator("[data-kind=mixed]").click()
        assert "the filters hide 1 component that has it" in found.inner_text()


def test_search_tells_what_is_not_in_this_file(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that does not hold all says how much it holds where it finds nothing."""
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(points=200, names=50))
    true = [i // 600 for i in range(1_200)]
    path = tmp_path / "some.html"
    cd.compare(true, [0, *true[1:-1], 0]).report(path)
    with open_page(path) as page:
        page.keyboard.press("/")
        page.locator("#search").fill("nowhere")
        said = page.locator("#found").inner_text()
        assert said.startswith("No record of this file, which holds all components and ")
        assert said.endswith(" of 1,200 points, has “nowhere”.")


def test_the_address_has_the_state(demo: Path, open_page: Any) -> None:
    """Search, filters, order and the open component are in the address, and come back from it."""
    with open_page(demo) as page:
        page.locator("#search").fill("miller")
        page.locator("[data-kind=mixed]").click()
        page.locator("#least").fill("5")
        page.locator("#list th[data-key=size] button").click()
        hash_ = page.evaluate("location.hash")
        assert "q=miller&kind=mixed&from=5&sort=-size" in hash_
        page.goto("about:blank")
        page.goto(demo.resolve().as_uri() + "#component-2?q=miller&kind=mixed")
        assert page.locator("#search").input_value() == "miller"
        assert page.locator("[data-kind=mixed]").get_attribute("aria-pressed") == "true"
        assert page.locator("#list .row").count() == page.locator("#list .row.open").count() == 1
        page.get_by_role("button", name="Reset").click()
        page.locator("#found").get_by_text("17 components", exact=True).wait_for()
        assert "?" not in page.evaluate("location.hash")
