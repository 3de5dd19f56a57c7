"""The review of repairs in a real browser: what the page promises is what `clusterdiff apply` brings."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.show.report import data, embed
from tests.hostile import hostile_clusterings


@pytest.fixture(autouse=True)
def few_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about the other measures, which take most of the time that a page takes."""
    monkeypatch.setattr(data, "measures", {"S_H": cd.measures["S_H"]})


def run(*arguments: object) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([str(argument) for argument in arguments])


def now(page: Any) -> float:
    return float(page.locator("#score-now").get_attribute("data-value"))


def told(diff: cd.types.Comparison) -> list[str]:
    """The repairs as the page tells them, where chips say which clusters are true."""
    return [f"{repair.sentence} +{repair.gain:.4f}".replace("true cluster ", "") for repair in diff.repairs()]


def to_decide(page: Any) -> list[str]:
    """What is left, as Python tells it: without the letters of the sides, and with gains of the score."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll("#to-decide .asked p:first-child")].map((line) => {
              const told = line.cloneNode(true);
              for (const letter of told.querySelectorAll(".chip > b")) {
                letter.nextSibling.remove();
                letter.remove();
              }
              const gain = told.querySelector("data");
              gain.textContent = `+${Number(gain.value).toFixed(4)}`;
              return told.textContent.trim();
            })"""
        )
    )


def listed(page: Any, side: str) -> dict[str, tuple[int, float]]:
    """The clusters of a side as their tab lists them: in how many parts, and what they lost."""
    page.locator(f"#tab-{side}-clusters").click()
    rows = page.evaluate(
        """(side) => [...document.querySelectorAll(`#${side}-list tbody tr`)].map((row) =>
          [row.querySelector("bdi"), row.children[2], row.querySelector(".loss data")]
            .map((one) => one.value ?? one.textContent)
        )""",
        side,
    )
    return {name: (int(parts), float(lost)) for name, parts, lost in rows}


def downloaded(page: Any, button: str, path: Path) -> Path:
    """By keyboard: where the machine is full, a button can move between the press and the release of a mouse."""
    with page.expect_download() as download:
        page.locator(button).press("Enter")
    download.value.save_as(path)
    return path


def table(path: Path, clustering: dict[Any, Any]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("record", "cluster"), *clustering.items()])
    return path


def records(names: str, clusters: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Two clusterings of some points, which are called by numbers or by text."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 9, 60)
    pred = np.where(rng.random(60) < 0.25, rng.integers(0, 9, 60), true)
    called = [i * 7 if names == "numbers" else f'"r{i}", é' for i in range(60)]
    label = int if clusters == "numbers" else lambda code: f"c.{code}"
    return dict(zip(called, map(label, true), strict=True)), dict(zip(called, map(label, pred), strict=True))


@pytest.mark.parametrize(("names", "clusters"), [("numbers", "numbers"), ("text", "text")])
def test_what_the_page_promises_is_what_apply_brings(
    names: str, clusters: str, tmp_path: Path, open_page: Any
) -> None:
    """Repairs are accepted by keys; the patch makes a clustering with the very score that the page told."""
    sides = [
        table(tmp_path / f"{s}.csv", c)
        for s, c in zip(("true", "pred"), records(names, clusters), strict=True)
    ]
    run("compare", *sides, "--html", tmp_path / "diff.html")
    for presses in ("aajarka", "a" * 200):
        with open_page(tmp_path / "diff.html") as page:
            page.goto(page.url + "#repairs")
            for key in presses:
                page.keyboard.press(key)
                if not page.locator("#to-decide > li").count():
                    break
            promised = now(page)
            patch = downloaded(page, "#as-patch", tmp_path / "review.json")
        fixed = tmp_path / f"fixed-{len(presses)}.csv"
        run("apply", sides[1], patch, "-o", fixed)
        assert cd.compare(str(sides[0]), str(fixed)).score() == pytest.approx(promised, abs=1e-12)
        assert promised > cd.compare(*map(str, sides)).score()
    assert promised == 1.0


def test_hostile_names_leave_as_they_are(tmp_path: Path, open_page: Any) -> None:
    """What is spelt out on the page is itself in the patch."""
    true, pred = hostile_clusterings()
    short = [p for p in true if max(len(str(name)) for name in (p, true[p], pred[p])) < 2_000]
    true, pred = ({point: side[point] for point in short} for side in (true, pred))
    path = tmp_path / "hostile.html"
    cd.compare(true, pred).report(path)
    with open_page(path) as page:
        page.goto(page.url + "#repairs")
        for _ in range(3):
            page.keyboard.press("a")
        promised = now(page)
        patch = cd.Patch.read(downloaded(page, "#as-patch", tmp_path / "review.json"))
    assert cd.compare(true, patch.apply(pred)).score() == pytest.approx(promised, abs=1e-12)


def test_score_loss_and_list_follow_at_once_and_back(tmp_path: Path, open_page: Any) -> None:
    """Accept, reject, undo and put back; a reload changes nothing, and everything is announced."""
    true, pred = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 3]
    path = tmp_path / "diff.html"
    diff = cd.compare(true, pred)
    diff.report(path)
    with open_page(path) as page:
        page.goto(page.url + "#repairs")
        first = to_decide(page)
        page.locator("#only-with").fill("MERGE 2")
        assert to_decide(page) == [text for text in first if text.startswith("merge 2")]
        page.locator("#only-with").fill("nothing")
        assert page.locator("#nothing-to-decide").inner_text() == "No remaining repair has these words."
        page.locator("#only-with").fill("")
        assert sorted(first) == sorted(told(diff))
        page.get_by_role("button", name=f"Accept: {diff.repairs()[0].sentence}").click()
        moved = cd.compare(true, [0, 0, 0, 1, 1, 2, 3])
        assert now(page) == pytest.approx(moved.score(), abs=1e-12)
        for part in ("split", "merge"):
            lost = float(page.locator(f"#loss-now [data-part={part}]").get_attribute("data-value"))
            assert lost == pytest.approx(getattr(moved.loss, part), abs=1e-12)
        assert to_decide(page) == told(moved)
        said = page.locator("#review-said")
        assert said.get_attribute("aria-live") == "polite"
        assert said.inner_text() == (
            f"Accepted: {diff.repairs()[0].sentence}. S_H is now {moved.score():.4f}. 1 repair left."
        )
        assert page.evaluate("document.activeElement.className") == "accept"
        faults = [Axe().run(page).response["violations"]]
        for side, rows in (("true", moved.splits), ("pred", moved.merges)):
            expected = {str(row.cluster): (row.parts, row.loss) for row in rows}
            assert listed(page, side) == {
                name: (parts, pytest.approx(lost, abs=1e-6)) for name, (parts, lost) in expected.items()
            }
            assert page.locator("#after-review").inner_text().startswith("With 1 decision accepted, ")
        page.locator("#tab-repairs").click()
        page.locator("#to-decide .accept").first.focus()
        page.keyboard.press("r")
        assert to_decide(page) == []
        assert now(page) == pytest.approx(moved.score(), abs=1e-12)
        page.reload()
        assert page.locator("#progress").inner_text() == "1 accepted, 1 rejected, 0 left to decide."
        assert now(page) == pytest.approx(moved.score(), abs=1e-12)
        page.locator("#decided summary").click()
        page.emulate_media(color_scheme="dark")
        assert [*faults, Axe().run(page).response["violations"]] == [[], []]
        page.get_by_role("button", name="Put back").click()
        assert len(to_decide(page)) == 1
        page.keyboard.press("u")
        assert to_decide(page) == first
        assert now(page) == pytest.approx(diff.score(), abs=1e-12)
        assert page.locator("#undo").is_disabled()
        page.reload()
        assert to_decide(page) == first


def test_a_component_can_be_repaired_where_it_is_opened(tmp_path: Path, open_page: Any) -> None:
    """Its repairs have the same buttons, and its points follow."""
    path = tmp_path / "diff.html"
    cd.compare({"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}, {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2}).report(
        path
    )
    with open_page(path) as page:
        page.locator("#list .row button").first.click()
        page.locator(".detail .accept").first.click()
        assert "after 1 accepted repair" in page.locator(".detail .tints").inner_text()
        assert page.locator(".detail .points .merge").count() == 0
        assert "None is left" in page.locator(".detail").inner_text()
        assert page.evaluate("document.activeElement.closest('.row') !== null")
        page.locator("#tab-repairs").click()
        assert now(page) == 1.0


def test_csv_and_words(tmp_path: Path, open_page: Any) -> None:
    """A row for every point that comes into another cluster, and sentences on the clipboard."""
    path = tmp_path / "diff.html"
    true = {"a": "x", "b,": "x", "c": "x", "d": "y", "e": "y"}
    cd.compare(true, {"a": 1, "b,": 1, "c": 2, "d": 2, "e": 2}).report(path)
    with open_page(path, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(page.url + "#repairs")
        page.keyboard.press("a")
        rows = list(csv.DictReader(StringIO(downloaded(page, "#as-csv", tmp_path / "r.csv").read_text())))
        assert [(row["point"], row["true"], row["from"], row["to"], row["points"]) for row in rows] == [
            ("c", "x", "2", "1", "1")
        ]
        page.locator("#as-words").click()
        page.locator("#review-said").get_by_text("1 repair copied.").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert "1. move 1 point of x (c) from 2 to 1 (+" in copied
        assert page.evaluate("document.activeElement.id") == "as-words"


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda: cd.compare([0, 0, 1, 1], [0, -1, 1, 0], noise_pred=-1), "1 point of this side is in none"),
        (
            lambda: cd.compare(cd.Corpus({"d": [{1, 2}, {3}]}), cd.Corpus({"d": [{1}, {2, 3}]})),
            "not for documents",
        ),
    ],
    ids=["noise", "corpus"],
)
def test_where_a_patch_cannot_be_made_the_page_says_why(
    made: Any, reason: str, tmp_path: Path, open_page: Any
) -> None:
    """CSV still has what was accepted, and the score is exact all the same."""
    path = tmp_path / "diff.html"
    diff = made()
    diff.report(path)
    with open_page(path) as page:
        page.goto(page.url + "#repairs")
        assert reason in page.locator("#no-patch").inner_text()
        page.keyboard.press("a")
        assert page.locator("#as-patch").is_disabled()
        rows = list(csv.DictReader(StringIO(downloaded(page, "#as-csv", tmp_path / "r.csv").read_text())))
        assert rows
        assert now(page) == pytest.approx(diff.score() + float(rows[0]["gain"]), abs=1e-12)
        assert float(rows[0]["gain"]) == pytest.approx(diff.repairs()[0].gain, abs=1e-12)


def test_points_that_the_page_does_not_hold_are_no_patch(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of many points cannot be named by a page that has few of them; --full has all."""
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(points=20, names=30))
    rng = np.random.default_rng(1)
    true = np.repeat([0, 1], 200)
    pred = np.where(rng.random(400) < 0.3, 1 - true, true)
    diff = cd.compare(true, pred)
    for full, text in ((False, "A page written with --full has more."), (True, "")):
        path = tmp_path / f"full-{full}.html"
        diff.report(path, full=full)
        with open_page(path) as page:
            page.goto(page.url + "#repairs")
            page.keyboard.press("a")
            assert text in page.locator("#no-patch").inner_text()
            assert page.locator("#as-patch").is_disabled() != full
            promised = now(page)
            if full:
                patch = cd.Patch.read(downloaded(page, "#as-patch", tmp_path / "big.json"))
                assert cd.compare(true, patch.apply(pred)).score() == pytest.approx(promised, abs=1e-12)


def partly() -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    """Two large clusters in halves, one of which has strays; the page has few of their points."""
    true = {f"r{i}": i // 100 for i in range(200)}
    pred = {point: 2 * cluster + int(point[1:]) % 2 for point, cluster in true.items()}
    return true, pred | {"r1": 3, "r5": 3, "r7": 0}, {}


def incomplete(missing: str) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    """Two clusterings of which each has points that the other lacks."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 8, 80)
    moved = np.where(rng.random(80) < 0.3, rng.integers(0, 8, 80), labels)
    true, pred = (
        {f"r{i}": label for i, label in enumerate(side.tolist()) if i % 10 != skip}
        for side, skip in ((labels, 3), (moved, 7))
    )
    return true, pred, {"missing": missing}


@pytest.mark.parametrize(
    "made",
    [partly, lambda: incomplete("lost"), lambda: incomplete("drop")],
    ids=["in part", "lost", "drop"],
)
def test_a_patch_holds_what_the_page_does_not(
    made: Any, tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clusters of which the page has not all points are named by the command that wrote it; points come and go."""
    true, pred, policy = made()
    if not policy:
        monkeypatch.setattr(data, "USUAL", data.USUAL._replace(points=20, names=5))
    diff = cd.compare(true, pred, **policy)
    diff.report(tmp_path / "diff.html")
    with open_page(tmp_path / "diff.html") as page:
        page.goto(page.url + "#repairs")
        for _ in range(100):
            page.keyboard.press("a")
            if not page.locator("#to-decide > li").count():
                break
        promised = now(page)
        patch = cd.Patch.read(downloaded(page, "#as-patch", tmp_path / "review.json"))
    fixed = patch.apply(pred)
    assert promised == pytest.approx(1.0, abs=1e-12)
    assert cd.compare(true, fixed, **policy).score() == pytest.approx(1.0, abs=1e-12)
    assert len(patch) > 2
    if "missing" in policy:  # what only the prediction has is removed, or stays
        assert ("r3" in fixed.to_dict()) is (policy["missing"] == "drop")


def test_a_component_that_is_there_in_part_is_exact(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large component the page has some cells, and sums over the others: what it promises still holds."""
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(cells=50, excerpt=90, points=600))
    monkeypatch.setattr(embed, "LARGE_REPAIRS", 8)
    rng = np.random.default_rng(3)
    true = rng.integers(0, 30, 600)
    pred = np.where(rng.random(600) < 0.3, rng.integers(0, 30, 600), true)
    weights = rng.integers(1, 5, 600)
    diff = cd.compare(true, pred, weights=weights)
    diff.report(tmp_path / "diff.html")
    with open_page(tmp_path / "diff.html") as page:
        assert (
            page.evaluate("JSON.parse(document.getElementById('data').textContent).components[0].whole") == 0
        )
        page.goto(page.url + "#repairs")
        gains = [float(node.get_attribute("value")) for node in page.locator("#to-decide data").all()]
        assert all(np.isclose(gain, diff.repairs().gain, rtol=0, atol=1e-13).any() for gain in gains)
        for _ in range(3):
            page.keyboard.press("a")
        while page.locator("#more-to-decide").is_visible():
            page.locator("#more-to-decide").click()
        for operation in ("move", "split"):  # on true and on predicted clusters of which all is there
            page.locator("#to-decide .accept").and_(page.get_by_label(f"Accept: {operation}")).first.click()
        promised = now(page)
        lost = [float(node.get_attribute("data-value")) for node in page.locator("#loss-now output").all()]
        patch = cd.Patch.read(downloaded(page, "#as-patch", tmp_path / "review.json"))
    fixed = cd.compare(true, patch.apply(pred), weights=weights)
    assert fixed.score() == pytest.approx(promised, abs=1e-12)
    assert [fixed.loss.split, fixed.loss.merge] == pytest.approx(lost, abs=1e-12)


@pytest.mark.parametrize("case", ["even", "weighted", "lost", "ari"])
def test_confusions_follow_the_review(case: str, tmp_path: Path, open_page: Any) -> None:
    """Beside the matrix stands what is left, as Python tells it of the patched clustering; an undo brings it back."""
    rng = np.random.default_rng(11)
    names = [f"r{i}" for i in range(600)]
    true = rng.integers(0, 7, 600)
    pred = np.where(rng.random(600) < 0.3, rng.integers(0, 7, 600), true)
    sides = [dict(zip(names, side.tolist(), strict=True)) for side in (true, pred)]
    options: dict[str, Any] = {}
    if case == "weighted":
        options["weights"] = dict(zip(names, rng.integers(1, 5, 600).tolist(), strict=True))
    if case == "lost":
        options["missing"] = "lost"
        sides = [
            {name: side[name] for name in names[cut:][:570]} for side, cut in zip(sides, (0, 30), strict=True)
        ]
    diff = cd.compare(*sides, **options)
    assert diff.patterns().regime == "few"
    diff.report(tmp_path / "diff.html", measure="ari" if case == "ari" else "S_H")

    def shown(page: Any) -> list[tuple[float, str]]:
        page.locator("#tab-heat").click()
        lines = [" ".join(line.split()) for line in page.locator(".confusions li").all_inner_texts()]
        return [(float(line.split("%")[0]), line.split("% ")[1]) for line in lines]

    def decide(page: Any, keys: str) -> None:
        page.locator("#tab-repairs").click()
        page.keyboard.type(keys)

    with open_page(tmp_path / "diff.html") as page:
        before, more = shown(page), page.locator(".more").inner_text()
        decide(page, "aaaa")
        patch = cd.Patch.read(downloaded(page, "#as-patch", tmp_path / "review.json"))
        after, left = shown(page), page.locator(".more").inner_text()
        decide(page, "u")
        assert shown(page) != after
        decide(page, "uuu")
        assert (shown(page), page.locator(".more").inner_text()) == (before, more)
        decide(page, "a" * len(diff.repairs(measure="ari" if case == "ari" else "S_H")))
        assert page.locator("#to-decide > li").count() == 0
        assert {share for share, _ in shown(page)} == {0}
    now = cd.compare(sides[0], patch.apply(sides[1]), **options)
    assert before != after
    if case == "ari":  # the shares of another measure follow in proportion, and still add up to what is left
        rest = float(left.split("%")[0]) + sum(share for share, _ in after)
        lost = (1 - now.score("ari")) / (1 - diff.score("ari"))
        assert rest == pytest.approx(100 * lost, abs=1)
        return
    rows = now.patterns().confusions
    shares = [100 * row.share * now.loss.total / diff.loss.total for row in rows]
    for (share, words), row, expected in zip(after, rows, shares, strict=False):
        assert share == pytest.approx(expected, rel=0.06)
        assert words.startswith(f"{row.points} of {row.of} points of T {row.true} are in P")
    number = len(rows) - len(after)
    assert left.endswith(f"% {number} more confusions.")
    assert float(left.split("%")[0]) == pytest.approx(sum(shares[len(after) :]), abs=1)
