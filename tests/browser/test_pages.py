"""Nine reports in a real browser: every way in is open to everybody, and every link leads somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import clusterdiff as cd
from tests.browser.pages import MAKERS

TABS = ("patterns", "components", "true-clusters", "pred-clusters", "heat", "repairs", "slices", "measures")
#: What the first tab is for each kind of data.
FIRST = {
    "digits": "heat",
    "corpus": "papers",
    "many": "patterns",
    "releases": "changelog",
    "large": "patterns",
}
#: Pages that have all the colours that others have: those of losses, of lost points, of everything.
COLOURED = ("demo", "nothing")
#: How high the strip and the tabs are together.
BARS = 96
#: The sides of a phone.
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The file of a report by name; each is made once, when it is first asked for."""
    folder = tmp_path_factory.mktemp("reports")

    def made(name: str) -> Path:
        path: Path = folder / f"{name}.html"
        if not path.exists():
            MAKERS[name](folder)
        return path

    return made


def data_of(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8").partition('<script type="application/json" id="data">')[2]
    data: dict[str, Any] = json.loads(text.partition("</script>")[0])
    return data


def show_all(page: Any) -> None:
    """Every tab drawn, and every panel open at once."""
    page.evaluate(
        """() => {
          document.querySelectorAll("#tabs a").forEach((tab) => tab.click());
          document.querySelectorAll("main > section").forEach((section) => { section.hidden = false; });
          document.querySelectorAll("details").forEach((details) => { details.open = true; });
        }"""
    )


def attributes(page: Any, selector: str, name: str, prefix: str = "") -> list[str]:
    """An attribute of all elements that match."""
    found = page.locator(selector).evaluate_all(
        "(nodes, name) => nodes.map((node) => node.getAttribute(name))", name
    )
    return [value.removeprefix(prefix) for value in found]


def shorten(page: Any) -> None:
    """Of every list and table two rows and the last: the others are made alike, and axe looks at each."""
    page.evaluate(
        """() => document.querySelectorAll("main tbody, main ol, main ul, main #list, main svg, main svg g")
          .forEach((box) => [...box.children].slice(2, -1).forEach((row) => row.remove()))"""
    )


def violations(page: Any, *only: str, but: tuple[str, ...] = ()) -> list[str]:
    """What axe finds by some of its rules, or by all but some."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    options |= {"runOnly": list(only)} if only else {"rules": {rule: {"enabled": False} for rule in but}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", MAKERS)
def test_everything_is_there_for_everybody(report: Any, open_page: Any, name: str) -> None:
    """Small files; the first tab in sight; links that lead somewhere; no fault that axe knows of."""
    path = report(name)
    assert path.stat().st_size < 2_000_000
    data = data_of(path)
    with open_page(path, reduced_motion="reduce") as page:
        # The strip, and beneath it the tab that answers the question of such data.
        strip = page.locator("#strip").bounding_box()
        assert strip["height"] == 56
        score = data["score"] if data["measure"] is None else data["measure"]["score"]
        assert page.locator("#score").get_attribute("data-value") == str(score)
        assert shown(page) == [FIRST.get(name, "components")]
        top = page.locator("#tabs").bounding_box()
        assert strip["y"] + 56 <= top["y"] < strip["y"] + 80
        first = page.locator("main > section:visible").bounding_box()
        assert top["y"] + top["height"] <= first["y"] < top["y"] + top["height"] + 30
        assert "+0.0000" not in page.locator("main").inner_text()
        # Every link leads to a section, or to a component that the file holds.
        held = {component["id"] for component in data["components"]}
        tabs = set(attributes(page, "#tabs a", "href", "#"))
        assert tabs >= set(TABS) - {"patterns", "repairs"}
        places = {place.partition("?")[0] for place in attributes(page, "a[href]", "href", "#")} - tabs
        assert places == {place for place in places if re.match(r"component-\d+", place)}
        assert {int(place.split("-")[1]) for place in places} <= held
        # All of it, for everybody: on a phone, in the light, and on a phone in the dark; contrasts take axe longest.
        show_all(page)
        large = page.viewport_size
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.set_viewport_size(large)
        shorten(page)
        assert violations(page, but=() if name in COLOURED else ("color-contrast",)) == []
        if name in COLOURED:
            page.set_viewport_size(PHONE)
            page.emulate_media(color_scheme="dark")
            assert violations(page, "color-contrast") == []


def shown(page: Any) -> list[str]:
    """The sections that can be seen."""
    sections = page.locator("main > section[role=tabpanel]").all()
    return [section.get_attribute("id") for section in sections if section.is_visible()]


def test_tabs_follow_the_keyboard_and_the_address(report: Any, open_page: Any) -> None:
    """Arrows go from tab to tab, the address says which, the way back leads back, and a link opens it at once."""
    path = report("demo")
    with open_page(path, reduced_motion="reduce") as page:
        assert shown(page) == ["components"]
        page.locator("#tab-components").focus()
        page.keyboard.press("ArrowRight")
        assert shown(page) == ["patterns"]
        assert page.evaluate("location.hash") == "#patterns"
        page.keyboard.press("End")
        assert shown(page) == ["measures"]
        page.keyboard.press("ArrowRight")
        assert shown(page) == ["components"]
        page.go_back()
        assert shown(page) == ["measures"]
        page.reload()
        assert shown(page) == ["measures"]
        page.locator("#tab-true-clusters").click()
        page.locator("#true-list a", has_text="Brightwater").click()
        assert shown(page) == ["components"]
        assert "Brightwater" in page.locator("#list .row.open").inner_text()


def test_the_theme_stays(report: Any, open_page: Any) -> None:
    """What was chosen is still there when the page is opened again."""
    with open_page(report("demo")) as page:
        page.locator("#theme").click()
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.reload()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
        assert page.locator("#theme").inner_text() == "Light"


def test_a_large_component_is_found_through_its_clusters(report: Any, open_page: Any) -> None:
    """Clusters by loss, found by name, each with its parts; no prose; a map of all of them that zooms."""
    path = report("large")
    (component,) = data_of(path)["components"]
    assert component["counts"][:2] == [5000, 5000]
    assert component["whole"] == 1
    with open_page(path, reduced_motion="reduce") as page:
        page.locator("#tabs a[href='#components']").click()
        assert page.locator("#list .row button").get_attribute("aria-expanded") == "true"
        detail = page.locator(".detail")
        losses = list(map(float, attributes(page, ".detail .pair > div:first-child .loss data", "value")))
        assert losses == sorted((cluster[3] for cluster in component["true"]), reverse=True)[:8]
        assert len(detail.inner_text()) < 6_000
        detail.get_by_label("Find a cluster").first.fill("person 1234")
        detail.get_by_role("link", name="T person 1234", exact=True).first.click()
        assert "person 1234" in detail.locator(".one-cluster h4").inner_text()
        at = [cluster[0] for cluster in component["true"]].index("person 1234")
        assert page.evaluate("location.hash") == f"#component-{component['id']}-true-{at}"
        parts = [cell for cell in component["cells"] if cell[0] == at]
        assert detail.locator(".one-cluster tbody tr").count() >= len(parts)
        page.reload()
        assert "person 1234" in page.locator(".one-cluster h4").inner_text()
        assert BARS <= page.locator(".one-cluster h4").bounding_box()["y"] < 500


def test_a_link_to_a_component_shows_where_its_sentences_begin(report: Any, open_page: Any) -> None:
    """Beneath the strip and the tabs: the browser does not scroll its row there."""
    with open_page(report("demo"), viewport={"width": 1280, "height": 720}, reduced_motion="reduce") as page:
        address = f"{page.url}#component-3"
        page.goto("about:blank")
        page.goto(address)
        assert "Brightwater" in page.locator(".detail").inner_text()
        assert BARS <= page.locator(".detail .story").first.bounding_box()["y"] < 500


@pytest.mark.parametrize("width", [700, 1000, 1280])
def test_figures_of_the_strip_do_not_overlap(report: Any, open_page: Any, width: int) -> None:
    """Also with four shares; where room is short, the last words go, or the strip scrolls."""
    with open_page(report("corpus"), viewport={"width": width, "height": 720}) as page:
        boxes = [figure.bounding_box() for figure in page.locator("#strip .figure").all()]
        ends = [box["x"] + box["width"] for box in boxes]
        assert all(end <= box["x"] for end, box in zip(ends, boxes[1:], strict=False))
        wide = "({ scrollWidth, clientWidth }) => scrollWidth - clientWidth"
        assert page.locator("#strip .shares").evaluate(wide) <= 0


def test_the_heat_map_starts_at_white_zooms_and_tells_each_cell(report: Any, open_page: Any) -> None:
    """Where no cell is there is no colour; keys go from cell to cell, zoom in, and open the component."""
    with open_page(report("large"), reduced_motion="reduce") as page:
        page.locator("#tab-heat").click()
        canvas, said = page.locator("#heat-map canvas"), page.locator("#heat-map .said")
        share = """(canvas) => {
          const pen = canvas.getContext("2d"), { width, height } = canvas;
          const { data } = pen.getImageData(0.3 * width, 0.3 * height, 0.6 * width, 0.6 * height);
          let white = 0;
          for (let i = 0; i < data.length; i += 4) white += data[i] + data[i + 1] + data[i + 2] === 765;
          return white / (data.length / 4);
        }"""
        assert 0.5 < canvas.evaluate(share) < 1
        canvas.focus()
        page.keyboard.press("ArrowRight")
        first = said.inner_text()
        assert re.match(r"\d points? of the 6 of T person \d{4} in P C\d{4}, which has \d+\.", first)
        page.keyboard.press("ArrowRight")
        assert said.inner_text() != first
        page.keyboard.press("ArrowLeft")
        assert said.inner_text() == first
        before = canvas.evaluate("(canvas) => canvas.toDataURL()")
        for _ in range(8):
            page.keyboard.press("+")
        assert canvas.evaluate("(canvas) => canvas.toDataURL()") != before
        page.keyboard.press("0")
        assert canvas.evaluate("(canvas) => canvas.toDataURL()") == before
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash").startswith("#component-")
        assert page.locator(".detail .one-cluster").is_visible()


@pytest.mark.parametrize("width", [390, 1000, 1120, 1280])
def test_tables_of_patterns_need_no_scrolling(report: Any, open_page: Any, width: int) -> None:
    """Who is hit and what to fix first are as wide as their boards, and the strip shows its last figure."""
    with open_page(report("many"), viewport={"width": width, "height": 720}) as page:
        for table in page.locator("#patterns .scroll").all():
            assert table.evaluate("({ scrollWidth, clientWidth }) => scrollWidth - clientWidth") <= 0
        last = page.locator("#strip .figure").last.bounding_box()
        assert width < 1000 or last["x"] + last["width"] <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_names_and_sizes_of_a_matrix_stay_inside_it(report: Any, open_page: Any, width: int) -> None:
    """Whatever the labels, no text of the map leaves its canvas, which a laptop shows whole."""
    seen = """() => {
      const drawn = [], { prototype } = CanvasRenderingContext2D, write = prototype.fillText;
      prototype.fillText = function (text, x, y) {
        const width = this.measureText(text).width, left = { left: 0, center: width / 2, right: width }[this.textAlign];
        const [from, to] = [x - left, x - left + width].map((x) => this.getTransform().transformPoint({ x, y }));
        drawn.push({ text, from: [from.x, from.y], to: [to.x, to.y] });
        write.call(this, text, x, y);
      };
      document.getElementById("theme").click();
      return new Promise((done) => requestAnimationFrame(() => done(drawn)));
    }"""
    with open_page(report("labels"), viewport={"width": width, "height": 720}) as page:
        page.locator("#tab-heat").click()
        drawn = page.evaluate(seen)
        canvas = page.locator("#heat-map canvas")
        wide, high = canvas.evaluate("({ width, height }) => [width, height]")
        assert len(drawn) > 16
        for one in drawn:
            for x, y in (one["from"], one["to"]):
                assert 0 <= x <= wide, one
                assert 0 <= y <= high, one
        assert canvas.bounding_box()["y"] + high <= (720 if width > 1000 else 1600)


def test_many_records_say_what_is_shown(report: Any, open_page: Any) -> None:
    """How much of it stands above the list, all of the first repairs are there, and so are the costliest clusters."""
    path = report("many")
    data = data_of(path)
    held = len(data["components"])
    total = held + data["rest"]["components"]
    assert 200 < held < total / 2
    assert sum(component["loss"][0] for component in data["components"]) + data["rest"][
        "loss"
    ] == pytest.approx(data["loss"][0])
    with open_page(path, reduced_motion="reduce") as page:
        assert re.match(
            rf"{held:,} of {total:,} components shown, [\d.]+% of the loss",
            page.locator("#shown").inner_text(),
        )
        page.locator("#tab-true-clusters").click()
        assert re.match(
            r"[\d,]+ of [\d,]{5} true clusters shown", page.locator("#true-list .found").inner_text()
        )


def test_mentions_are_called_by_their_words(report: Any, open_page: Any) -> None:
    """Entities by their first mention, points by their words with the sentence around, nothing by file and number."""
    with open_page(report("corpus")) as page:
        assert "of 32 mentions" in page.locator("#strip").inner_text()
        assert page.locator("#tab-true-clusters").inner_text() == "Key entities 12"
        page.locator("#tab-true-clusters").click()
        names = page.locator("#true-list .names a").all_inner_texts()
        assert set(names) == {"K “the old man”", "K “Ann”", "K “her dog”"}
        page.locator("#true-list .names a").first.click()
        detail = page.locator(".detail").inner_text()
        assert "the old man met [Ann] and her dog" in detail
        assert not re.search(r"part 0: ", page.locator("main").inner_text())


def test_costs_in_another_measure_are_those_of_gains(report: Any, open_page: Any) -> None:
    """--measure: the score, and what each component and cluster is worth."""
    path = report("digits")
    data = data_of(path)
    assert data["measure"]["name"] == "ari"
    (component,) = data["components"]
    assert component["cost"] == pytest.approx(1 - data["measure"]["score"], rel=1e-5)
    with open_page(path, reduced_motion="reduce") as page:
        page.locator("#tab-pred-clusters").click()
        costs = list(map(float, attributes(page, "#pred-list td:nth-child(5) data", "value")))
        assert costs == sorted(component["costs"][1], reverse=True)
        assert len(costs) == 10


def test_releases_are_called_old_and_new(report: Any, open_page: Any) -> None:
    """The files, the command and the title are on the first screen."""
    with open_page(report("releases")) as page:
        assert page.locator("h1").inner_text() == "Two releases"
        about = page.locator(".about").inner_text()
        assert re.search(r"old\s+\S*old.csv:product", about)
        assert re.search(r"command\s+clusterdiff compare --old", about)
        assert page.locator("#tab-pred-clusters").inner_text() == "New clusters 2"
        assert page.locator("#tabs").get_by_text("Review").count() == 0
        # A new release is no error, and nothing of it is lost.
        assert not re.search(r"\b(lost|loss)\b", page.locator("main").inner_text())
        page.locator("#tab-components").click()
        assert "points changed" in page.locator("#list thead").inner_text()
        for tab in ("true-clusters", "slices"):
            page.locator(f"#tab-{tab}").click()
            assert not re.search(r"\b(lost|loss|costliest)\b", page.locator(f"#{tab}").inner_text())
        # On paper every list is open.
        lists = page.locator("details.events")
        lists.evaluate_all("all => all.forEach((one, i) => { one.open = i % 2 === 1; })")
        are_open = lists.evaluate_all("all => all.map(one => one.open)")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert lists.evaluate_all("all => all.every(one => one.open)")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert lists.evaluate_all("all => all.map(one => one.open)") == are_open
        assert not all(are_open)


def test_full_holds_more(tmp_path: Path) -> None:
    """With ``full``, whatever did not fit: all components, cells and points."""
    true = [i // 4 for i in range(8_400)]
    pred = [i // 2 for i in range(8_400)]
    diff = cd.compare(true, pred)
    sizes = []
    for full in (False, True):
        diff.report(tmp_path / "page.html", full=full)
        data = data_of(tmp_path / "page.html")
        sizes.append(len(data["components"]))
        assert len(data["components"]) + data["rest"]["components"] == len(diff.components)
    assert sizes[0] < sizes[1] == len(diff.components)


def test_an_open_component_follows_the_review(report: Any, open_page: Any) -> None:
    """The lists of a large component show what accepted groups leave, and figures that stay are marked as before."""
    with open_page(report("digits")) as page:
        page.locator("#tab-components").click()
        losses = page.locator(".detail .pair td.loss data")
        assert "0%" not in losses.all_inner_texts()
        width = page.locator(".detail .graph svg").first.bounding_box()["width"]
        assert width > 0.9 * page.locator(".detail .graph").first.bounding_box()["width"]
        page.locator("#tab-repairs").click()
        page.locator("#review .accept-group").last.click()
        page.locator("#tab-components").click()
        assert set(losses.all_inner_texts()) == {"0%"}
        parts = page.locator(".detail .pair td.n:nth-child(3)").all_inner_texts()
        assert set(parts) == {"1"}
        label = page.locator("#strip .as-given > .label").first
        assert label.evaluate("(one) => getComputedStyle(one, '::after').content") == '" before"'
