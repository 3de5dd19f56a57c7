"""One word, one meaning: public names are made of the words of the glossary and of plain English."""

from __future__ import annotations

import re
from pathlib import Path

import clusterdiff as cd

CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
#: Words that mean in a name what they mean everywhere.
PLAIN = {
    *(
        "argument",
        "check",
        "clusterdiff",
        "column",
        "compare",
        "count",
        "error",
        "extra",
        "file",
        "friedman",
        "in",
        "index",
    ),
    *(
        "lazy",
        "member",
        "name",
        "noun",
        "off",
        "place",
        "read",
        "registry",
        "row",
        "rule",
        "share",
        "size",
        "source",
        "table",
    ),
    *("share", "size", "text", "type", "version", "warning", "worst", "write"),
}


def glossary() -> list[str]:
    """The words of the table, one by one."""
    text = CONTRIBUTING.read_text(encoding="utf-8").split("\n## Words\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z, ]+) \| .+ \|$", text, flags=re.MULTILINE)
    return [word for row in rows if row != "word" for word in row.split(", ")]


def singular(word: str) -> str:
    """A noun without its plural."""
    if word.endswith(("ss", "is", "us")) or word == "series":
        return word
    return word.removesuffix("es") if word.endswith("sses") else word.removesuffix("s")


def words(name: str) -> set[str]:
    """The words of a name, which capitals and underscores divide."""
    return {singular(word.lower()) for word in re.findall(r"[A-Z]?[a-z]+", name)}


def test_words_are_told_apart() -> None:
    """What the test below relies on."""
    assert words("CorpusComparison") == {"corpus", "comparison"}
    assert words("compare_columns") == {"compare", "column"}
    assert words("Losses") == words("loss") == {"loss"}
    assert words("Analysis") == {"analysis"}


def test_public_names_are_made_of_words_with_one_meaning() -> None:
    """Of the glossary, or of plain English, which has no word that no name uses."""
    known = glossary()
    used = set().union(*map(words, [*cd.__all__, *cd.types.__all__]))
    assert used - set(known) == PLAIN


def test_no_word_is_explained_twice() -> None:
    """One row per word, and none for what is plain."""
    known = glossary()
    assert len(known) == len(set(known)) > 50
    assert not PLAIN & set(known)
