"""Files of pictures: sizes in millimetres, dots, and text that is text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.cli.main import main

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

LABELS = ["שלום", "日本語", "😀", "Straße $x_1$", "a b"]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def results() -> dict[str, object]:
    """One of every kind of result that can be drawn."""
    true, pred = np.arange(40) // 4, (np.arange(40) + 1) // 4
    runs = {
        f"data {i}": (true, {"a long name of a system that needs two lines": pred, "two": true})
        for i in range(6)
    }
    return {
        "comparison": cd.compare(true, pred),
        "series": cd.worsen(true),
        "sweep": cd.sweep(
            [0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3]), measures=["S_H", "ari", "vi", "b3.f1"]
        ),
        "matrix": cd.matrix({f"a long name of a run, number {i}": np.roll(true, i) for i in range(40)}),
        "ranking": cd.rank(runs, resamples=0),
    }


def fonts(data: bytes) -> list[str]:
    """The kinds of fonts that the pages of a PDF use, found by following its references from the root."""
    objects = {int(number): body for number, body in re.findall(rb"(?s)(\d+) 0 obj\n(.*?)\nendobj", data)}

    def follow(body: bytes, key: bytes) -> bytes:
        found = re.search(rb"/" + key + rb" (?:\[ )?(\d+) 0 R", body)
        return objects[int(found.group(1))] if found else b""

    root = objects[int(re.search(rb"/Root (\d+) 0 R", data).group(1))]  # type: ignore[union-attr]
    page = follow(follow(root, b"Pages"), b"Kids")
    used = follow(follow(page, b"Resources"), b"Font")
    kinds = []
    for number in re.findall(rb"/\S+ (\d+) 0 R", used):
        font = objects[int(number)]
        inside = follow(font, b"DescendantFonts") or font
        assert b"/FontFile2" in follow(inside, b"FontDescriptor"), "not embedded"
        kinds += [re.search(rb"/Subtype /(\w+)", part).group(1).decode() for part in (font, inside)]  # type: ignore[union-attr]
    return kinds


@pytest.mark.parametrize("kind", list(results()))
def test_every_result_is_as_wide_as_it_is_told(kind: str, tmp_path: Path) -> None:
    """A width in millimetres and dots per inch make a PNG of so many dots, with all inside; 300 if nothing is said."""
    result: object = results()[kind]
    for width, dpi, dots in ((120, 100, 472), (90, None, 1063)):
        ax = result.plot(width=width, dpi=dpi)  # type: ignore[attr-defined]
        ax.figure.savefig(tmp_path / "a.png")
        drawn = ax.figure.get_tightbbox()
        assert drawn.x0 > -0.03
        assert drawn.x1 < ax.figure.get_figwidth() + 0.03
        with Image.open(tmp_path / "a.png") as image:
            assert image.width == pytest.approx(dots, abs=1)
            assert image.info["dpi"][0] == pytest.approx(dpi or 300, abs=0.1)


def test_text_in_pdf_is_truetype_and_no_type_3(tmp_path: Path) -> None:
    """Journals refuse Type 3: every font of a page is embedded TrueType, whatever letters the labels have."""
    ax = cd.compare(LABELS, ["x"] * len(LABELS)).plot("flow")
    ax.figure.savefig(tmp_path / "a.pdf")
    found = fonts((tmp_path / "a.pdf").read_bytes())
    assert found
    assert set(found) <= {"Type0", "CIDFontType2", "TrueType"}
    # The same parser finds Type 3 where it is.
    figure, own = plt.subplots()
    own.set_title("text")
    figure.savefig(tmp_path / "b.pdf")
    assert "Type3" in re.findall(r"Type3", (tmp_path / "b.pdf").read_bytes().decode("latin1"))


def test_text_in_svg_is_text(tmp_path: Path) -> None:
    """Labels can be found, copied and read aloud, also those in letters that the font lacks."""
    ax = cd.compare(LABELS, ["x"] * len(LABELS)).plot("flow", width=100)
    ax.figure.savefig(tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = {"".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert set(LABELS) <= words
    assert float(root.get("width", "").removesuffix("pt")) == pytest.approx(100 / 25.4 * 72, abs=0.01)


def test_sizes_that_make_no_sense_are_refused() -> None:
    """A width of nothing, dots without end, and a size for Axes that have one."""
    diff = customers.compare()
    with pytest.raises(cd.ArgumentError, match="`width` must be from 60 to 1000 millimetres; got 5"):
        diff.plot(width=5)
    with pytest.raises(cd.ArgumentError, match="`dpi` must be from 30 to 2400 dots per inch; got '300'"):
        diff.plot(dpi="300")  # type: ignore[arg-type]
    _, ax = plt.subplots()
    with pytest.raises(cd.ArgumentError, match="`width` is for a new picture, and `ax` is part of one"):
        diff.plot(ax=ax, width=100)


def test_global_settings_stay_as_they_are(tmp_path: Path) -> None:
    """Drawing and saving leaves matplotlib's settings alone."""
    before = dict(matplotlib.rcParams)
    customers.compare().plot().figure.savefig(tmp_path / "a.pdf")
    assert dict(matplotlib.rcParams) == before


def test_the_command_takes_sizes(tmp_path: Path) -> None:
    """plot, worsen, sweep, matrix and rank have --width and --dpi, and refuse them where nothing is drawn."""
    runner = CliRunner()
    file = str(tmp_path / "a.png")
    done = runner.invoke(main, ["plot", "clusters", "-o", file, "--width", "90", "--dpi", "100"])
    assert done.exit_code == 0, done.output
    with Image.open(file) as image:
        assert image.width == pytest.approx(354, abs=1)
    done = runner.invoke(main, ["worsen", "--plot", file, "--width", "100"])
    assert done.exit_code == 0, done.output
    with Image.open(file) as image:
        assert image.width == pytest.approx(1181, abs=1)
    done = runner.invoke(main, ["worsen", "--dpi", "100"])
    assert done.exit_code == 2
    assert "--dpi is for a picture, and none is drawn" in done.output
    for command in ("sweep", "matrix", "rank", "plot", "worsen"):
        assert "--width MM" in runner.invoke(main, [command, "--help"]).output
