"""The comparisons whose reports are opened in a browser: small and large, trivial and strange."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.cli import main

TEXT = "the old man met Ann and her dog at the station , where he gave it to her"
WORDS = TEXT.split()
#: Entities by their spans of words: what is true, and what a system found.
KEY = {"1": [(0, 2), (13, 13)], "2": [(4, 4), (6, 6), (17, 17)], "3": [(6, 7), (15, 15)]}
RESPONSE = {"1": [(0, 2), (15, 15)], "2": [(4, 4), (13, 13), (17, 17)], "3": [(6, 7), (9, 10)]}


def _run(*arguments: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(list(arguments))


def _conll(path: Path, entities: dict[str, list[tuple[int, int]]]) -> str:
    """A file of four documents of the same text."""
    lines = []
    for document in ("1023_bleak_house", "1064_the_mask", "113_garden", "1155_adversary"):
        lines.append(f"#begin document ({document}_brat); part 0")
        for i, word in enumerate(WORDS):
            marks = [
                ("(" if i == first else "") + name + (")" if i == last else "")
                for name, spans in entities.items()
                for first, last in spans
                if i in (first, last)
            ]
            lines.append(f"{document} 0 {i} {word} {'|'.join(marks) or '-'}")
        lines.append("\n#end document")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def demo(folder: Path) -> None:
    """The bundled example, as the command writes it."""
    _run("demo", "--html", str(folder / "demo.html"))


def digits(folder: Path) -> None:
    """Handwritten digits and k-means: ten clusters on either side, all of which touch."""
    from sklearn.cluster import KMeans
    from sklearn.datasets import load_digits

    data, target = load_digits(return_X_y=True)
    diff = cd.compare(target, KMeans(10, n_init=1, random_state=0).fit_predict(data))
    diff.report(folder / "digits.html", measure="ari")


def corpus(folder: Path) -> None:
    """Mentions of a text, some of which a system did not find, or found where there are none."""
    files = [_conll(folder / "key.conll", KEY), _conll(folder / "response.conll", RESPONSE)]
    _run("compare", *files, "--html", str(folder / "corpus.html"))


def many(folder: Path) -> None:
    """Linked records: those with an initial are split off nearly always, others seldom; some clusters are merged."""
    rng = np.random.default_rng(1)
    n, k = 24_000, 8_000
    true = rng.integers(0, k, n)
    initial = rng.random(n) < 0.05
    name = np.where(initial, "A. Silva", np.array(["Ana Silva", "Bo Chen", "Eve Berg"])[true % 3])
    pred = np.where(true % 50 == 1, true - 1, true)
    left = rng.random(n) < np.where(initial, 0.9, 0.01)
    pred[left] = k + np.arange(left.sum())
    towns = np.array(["Norwich", "Leeds", "York"])[rng.integers(0, 3, n)]
    cd.compare(true, pred).report(folder / "many.html", attributes={"name": name, "town": towns})


def identical(folder: Path) -> None:
    """Nothing was lost."""
    cd.compare([0, 0, 1, 1, 2], ["a", "a", "b", "b", "c"]).report(folder / "identical.html")


def nothing(folder: Path) -> None:
    """The two sides do not have a single point in common."""
    true, pred = {f"a{i}": i // 3 for i in range(12)}, {f"b{i}": i // 3 for i in range(12)}
    cd.compare(true, pred, missing="lost").report(folder / "nothing.html")


def large(folder: Path) -> None:
    """One component of 5,000 clusters."""
    rng = np.random.default_rng(2)
    true = np.repeat(np.arange(5000), 6)
    pred = np.where(rng.random(len(true)) < 0.2, rng.integers(0, 5000, len(true)), true)
    pred[::6] = (true[::6] + 1) % 5000
    names = [f"person {cluster:04d}" for cluster in true], [f"C{cluster:04d}" for cluster in pred]
    cd.compare(*names).report(folder / "large.html")


def labels(folder: Path) -> None:
    """Labels of hundreds of letters, and some that are written from right to left."""
    called = [
        "a label that goes on and on, with many words, " * 8,
        "مرحبا بالعالم اليوم",
        "שלום עולם",
        "x" * 300,
    ]
    true = {f"p{i}": called[i % 4] for i in range(40)}
    pred = {f"p{i}": called[(i + (i % 5 == 0)) % 4] for i in range(40)}
    remarks = {point: {"remark": called[i % 3] * 9, called[1]: called[3]} for i, point in enumerate(true)}
    cd.compare(true, pred).report(folder / "labels.html", attributes=remarks, title=called[0])


def releases(folder: Path) -> None:
    """Two releases of a catalogue, as the command compares them."""
    old, new = folder / "old.csv", folder / "new.csv"
    old.write_text(
        "id,product\n" + "".join(f"o{i},{'teapot' if i < 4 else 'kettle'}\n" for i in range(9)),
        encoding="utf-8",
    )
    new.write_text(
        "id,product\n" + "".join(f"o{i},{'teapot' if i < 6 else 'jug'}\n" for i in range(9)), encoding="utf-8"
    )
    files = "--old", f"{old}:product", "--new", f"{new}:product"
    _run("compare", *files, "--html", str(folder / "releases.html"), "--title", "Two releases")


MAKERS: dict[str, Callable[[Path], None]] = {
    maker.__name__: maker
    for maker in (demo, digits, corpus, many, identical, nothing, large, labels, releases)
}
