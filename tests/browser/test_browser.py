"""The report in a real browser, opened from disk with the network off."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.cli.examples import customers
from tests.hostile import HOSTILE, hostile_clusterings


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's report, as the command writes it."""
    path = tmp_path_factory.mktemp("report") / "diff.html"
    with pytest.raises(SystemExit, match="0"):
        main(["demo", "--html", str(path)])
    return path


def kinds(page: Any) -> list[str]:
    return list(page.locator("#list .row .kind").all_inner_texts())


def sizes(page: Any) -> list[int]:
    return [int(text) for text in page.locator("#list .row td:nth-child(3)").all_inner_texts()]


def values(page: Any, selector: str) -> list[float]:
    return [float(node.get_attribute("value")) for node in page.locator(selector).all()]


def test_the_numbers_on_the_page_are_those_of_the_json(demo: Path, open_page: Any) -> None:
    """Score, losses, signature, components and measures equal what --json prints."""
    wanted = ("S_H", "R", "nmi_max", "VI")
    program = "from clusterdiff_command import main; main()"
    arguments = [
        sys.executable,
        "-c",
        program,
        "demo",
        "--json",
        "--top",
        "100",
        "--measures",
        ",".join(wanted),
    ]
    printed = json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
    with open_page(demo) as page:
        assert float(page.locator("#score").get_attribute("data-value")) == printed["scores"]["S_H"]
        assert page.locator("#score").inner_text() == f"{printed['scores']['S_H']:.4f}"
        for part in ("split", "merge"):
            assert float(page.locator(f"#loss-{part}").get_attribute("data-value")) == printed["loss"][part]
        assert page.locator("#signature").inner_text() == printed["signature"]
        assert values(page, "#list .row .loss data") == [c["loss"]["total"] for c in printed["components"]]
        assert kinds(page) == [c["kind"] for c in printed["components"]]
        assert sizes(page) == [c["size"] for c in printed["components"]]
        measured = values(page, "#measures data")
        assert all(printed["scores"][name] in measured for name in wanted)
        assert page.locator("#found").inner_text() == "17 components"


def test_headings_sort(demo: Path, open_page: Any) -> None:
    """A click sorts, another turns the order round, and the heading tells which it is."""
    with open_page(demo) as page:
        heading = page.locator("#list th[data-key=size]")
        largest_first = sorted((c.size for c in customers.compare().components), reverse=True)
        heading.locator("button").click()
        assert sizes(page) == largest_first
        assert heading.get_attribute("aria-sort") == "descending"
        heading.locator("button").click()
        assert sizes(page) == largest_first[::-1]
        assert heading.get_attribute("aria-sort") == "ascending"
        assert page.locator("#list th[aria-sort]").count() == 1
        page.locator("#list th[data-key=names] button").click()
        names = page.locator("#list .row .names").all_inner_texts()
        assert names == sorted(names, key=str.lower)
        assert len(set(names)) == len(largest_first) == 17


def test_the_list_is_filtered_by_kind_cluster_size_point_and_attribute(demo: Path, open_page: Any) -> None:
    """Buttons, the search box and the bounds combine; Reset shows all again."""
    with open_page(demo) as page:
        page.locator("[data-kind=mixed]").click()
        assert kinds(page) == ["mixed"]
        page.locator("[data-kind=split]").click()
        assert kinds(page) == ["mixed", "split", "split"]
        assert page.locator("[data-kind=split]").get_attribute("aria-pressed") == "true"
        assert page.locator("[data-kind=merge]").get_attribute("aria-pressed") == "false"
        assert (
            page.locator("#found").inner_text() == "Only split or mixed: 3 of 17 components, 66% of the loss"
        )
        page.locator("#least").fill("5")
        assert kinds(page) == ["mixed", "split"]
        page.locator("#most").fill("5")
        assert kinds(page) == ["split"]
        page.get_by_role("button", name="Reset").click()
        page.locator("#found").get_by_text("17 components", exact=True).wait_for()
        assert len(kinds(page)) == 17
        for text, found in (
            ("robert miller", 1),
            ("c09", 1),
            ("r21", 1),
            ("norwich office", 1),
            ("nobody", 0),
        ):
            page.locator("#search").fill(text)
            assert len(kinds(page)) == found, text
        assert page.locator("#found").inner_text() == "No record has “nobody”."


def test_a_component_opens_with_its_graph_points_and_repair(demo: Path, open_page: Any) -> None:
    """A click shows the derivation drawn, every point with its attributes, and the repair with its gain."""
    diff = customers.compare()
    with open_page(demo) as page:
        button = page.locator("#list .row button").first
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        detail = page.locator(".detail")
        # 2 true clusters, 4 cells, 3 predicted clusters; two ribbons per cell, and what left is tinted
        assert detail.locator(".graph .node").count() == 5
        assert detail.locator(".graph .cell").count() == 4
        assert detail.locator(".graph .ribbon").count() == 8
        assert detail.locator(".graph .ribbon.split").count() == 2
        assert detail.locator(".graph .ribbon.merge").count() == 1
        heights = [box["y"] for box in (n.bounding_box() for n in detail.locator(".graph rect").all())]
        cells, nodes = heights[:4], heights[4:]
        assert max(nodes[:2]) < min(cells) <= max(cells) < min(nodes[2:])
        widths = [n.bounding_box()["width"] for n in detail.locator(".graph .cell").all()]
        assert widths[0] == max(widths)
        assert detail.locator(".graph text").filter(has_text="T Robert Miller Jr").count() == 1
        first = detail.locator(".story").first
        assert "True cluster T Robert Miller Jr (3 points)" in first.inner_text()
        assert first.locator(".chip").all_inner_texts() == [
            "T Robert Miller Jr",
            "T Robert Miller",
            "P C05",
            "P C06",
        ]
        assert detail.locator("tbody tr:not(.cluster):not(.part)").count() == 7
        assert "office@mill.example" in detail.inner_text()
        told = "move 2 points of T Robert Miller Jr (r15, r16) from P C05 to P C06 +2.6 points"
        assert told in detail.inner_text()
        gain = float(detail.locator(".fix data").first.get_attribute("value"))
        assert gain == pytest.approx(diff.repairs()[0].gain, abs=1e-15)
        # Where there is room, one is always open beside the list; elsewhere it opens in the list, and closes.
        button.click()
        assert detail.count() == 1
        assert detail.bounding_box()["x"] > page.locator("#list").bounding_box()["width"]
        page.set_viewport_size({"width": 900, "height": 900})
        page.locator("#list .detail").wait_for()
        assert detail.count() == 1
        page.locator("#list .row button").first.click()
        assert detail.count() == 0


def test_the_keyboard_alone_is_enough(demo: Path, open_page: Any) -> None:
    """/ searches, arrows walk the rows, Enter opens, Escape closes; the focus is always somewhere visible."""
    with open_page(demo, viewport={"width": 900, "height": 900}) as page:
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("miller")
        assert len(kinds(page)) == 1
        page.locator("#search").fill("")
        page.locator("#list .row button").first.focus()
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        opened = page.locator("#list .row.open")
        assert opened.count() == 1
        assert "Maria Garcia" in opened.inner_text()
        page.keyboard.press("Escape")
        assert page.locator("#list .row.open").count() == 0
        assert page.evaluate("document.activeElement.closest('.row') !== null")
        page.keyboard.press("ArrowUp")
        page.keyboard.press(" ")
        assert "Robert Miller" in page.locator("#list .row.open").inner_text()


def test_screen_readers_get_names_for_everything(demo: Path, open_page: Any) -> None:
    """Every control and picture has a name, every table its headings, and the headings are in order."""
    with open_page(demo) as page:
        page.locator("#list .row button").first.click()
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('button, input, a, [role=img]')].filter((e) =>
                 !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim()))
                 .map((e) => e.outerHTML)"""
        )
        assert nameless == []
        assert page.locator("button").count() > 10
        assert page.locator("[role=img]").count() > 0
        assert page.locator("table").count() >= 4
        assert page.locator("table:not(:has(thead th))").count() == 0
        assert page.locator("h1").count() == 1
        levels = [
            int(tag[1])
            for tag in page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => h.tagName)")
        ]
        assert levels[0] == 1
        assert len(levels) > 4
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.locator("#found").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_readable_and_can_be_changed(demo: Path, open_page: Any, scheme: str) -> None:
    """The page follows the system, a button changes it, and text stands out by 4.5 to 1 in both."""
    contrast = """(selector) => {
      const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
      const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
      const node = document.querySelector(selector);
      const back = (e) => parse(getComputedStyle(e).backgroundColor);
      let behind = node;
      while (behind !== document.body && back(behind)[3] === 0) behind = behind.parentElement;
      const [a, b] = [light(parse(getComputedStyle(node).color)), light(back(behind))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }"""
    selectors = (
        "body",
        ".note",
        ".label",
        "#strip .part.split b",
        "#strip .part.merge b",
        ".k-same",
        ".k-mixed",
        ".repairs data",
        "nav a",
    )
    with open_page(demo, color_scheme=scheme) as page:
        brightness = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
        assert (page.evaluate(brightness) < 100) == (scheme == "dark")
        for _ in range(2):
            for selector in selectors:
                assert page.evaluate(contrast, selector) >= 4.5, selector
            before = page.evaluate(brightness)
            page.locator("#theme").click()
            assert (page.evaluate(brightness) < 100) != (before < 100)


def test_a_phone_shows_it_all_without_scrolling_sideways(demo: Path, open_page: Any) -> None:
    """At 390 pixels nothing sticks out of the page, open components included."""
    with open_page(demo, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#list .row").first.tap()
        assert page.locator(".detail .graph svg").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator(".detail").bounding_box()["width"] <= 390


def test_it_prints(demo: Path, open_page: Any) -> None:
    """On paper the tools are gone and the content stays."""
    with open_page(demo) as page:
        page.emulate_media(media="print")
        assert not page.locator("#tools").is_visible()
        assert page.locator("#list").is_visible()
        assert page.locator("#measures").is_visible()
        assert len(page.pdf()) > 10_000


def test_links_open_components_even_behind_a_filter(demo: Path, open_page: Any) -> None:
    """A repair leads to its component, whatever the list shows."""
    with open_page(demo) as page:
        page.locator("#search").fill("nobody")
        page.locator("#tab-repairs").click()
        page.locator("#to-decide .op").first.click()
        page.locator("#list .row.open").wait_for()
        assert "Robert Miller" in page.locator("#list .row.open").inner_text()
        address = page.url
    assert "#component-" in address


def test_hostile_labels_are_text(tmp_path: Path, open_page: Any) -> None:
    """Tags do not become elements, scripts do not run, and every label can be read and searched for."""
    true, pred = hostile_clusterings()
    path = tmp_path / "hostile.html"
    cd.compare(true, pred).report(
        path,
        title=HOSTILE[0],
        attributes={point: {HOSTILE[1]: label} for point, label in true.items()},
        by={HOSTILE[0]: true},
    )
    with open_page(path) as page:
        assert page.locator("img, iframe, object, embed, link").count() == 0
        assert page.locator("script").count() == 2
        assert page.locator("h1").inner_text() == HOSTILE[0]
        page.locator("#list .row button").first.click()
        detail = page.locator(".detail").inner_text()
        for label in (
            "</script><script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "مرحبا بالعالم",
            "&lt;b&gt;",
        ):
            assert label in detail
        assert "\\x00\\x1b[31mred\\x07" in detail
        assert "\\u202eevil" in detail
        page.locator(".detail .unfold").first.click()
        assert "x" * 200 + "… (10,000 characters)" in page.locator(".detail .points").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1200
        page.locator("#search").fill("<img src=x")
        assert len(kinds(page)) == 1


def test_a_large_report_is_usable(tmp_path: Path, open_page: Any) -> None:
    """Thousands of components: a page at a time, more on demand, and it says what is left out."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 20_000, 60_000)
    pred = np.where(rng.random(60_000) < 0.06, rng.integers(0, 20_000, 60_000), true)
    path = tmp_path / "large.html"
    diff = cd.compare(true, pred)
    diff.report(path)
    with open_page(path) as page:
        page.locator("#tab-components").click()
        assert page.locator("#list .row").count() == 100
        page.locator("#more").click()
        assert page.locator("#list .row").count() == 200
        assert "components shown, " in page.locator("#shown").inner_text()
        page.locator("#least").fill("12")
        assert min(sizes(page)) >= 12
        page.locator("#list .row button").first.click()
        assert page.locator(".detail .graph svg").count() == 1
