"""Mentions in their sentences, and entities by their first mention."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import clusterdiff as cd
from clusterdiff.points.corpus import Entity, Mention
from clusterdiff.wording import name
from tests.formats.test_coreference import COREFUD

CONLL = """#begin document (a)
a 0 0 The (1
a 0 1 fox 1)
a 0 2 ran -
a 0 3 . -

a 0 0 It (1)
a 0 1 slept -
#end document
"""


def around(corpus: cd.Corpus, document: str) -> dict[str, tuple[str, str, str]]:
    """Each mention of a document with what stands around it."""
    text = corpus.text(document)
    assert text is not None
    return {str(mention): text.around(mention) for mention in corpus[document].point_names()}  # type: ignore[arg-type]


def test_sentences_end_at_empty_lines(tmp_path: Path) -> None:
    """In CoNLL-2012."""
    (tmp_path / "a.conll").write_text(CONLL)
    corpus = cd.read(tmp_path / "a.conll")
    assert isinstance(corpus, cd.Corpus)
    assert corpus.sentences == {"(a)": (0, 4)}
    assert around(corpus, "(a)") == {"The fox [0-1]": ("", "The fox", "ran ."), "It [4]": ("", "It", "slept")}


def test_words_that_are_only_implied_stand_between_others(tmp_path: Path) -> None:
    """In CorefUD: empty nodes, mentions with gaps, and mentions that end in a later sentence."""
    (tmp_path / "a.conllu").write_text(COREFUD)
    corpus = cd.read(tmp_path / "a.conllu")
    assert isinstance(corpus, cd.Corpus)
    assert around(corpus, "story") == {
        "The fox [0-1]": ("", "The fox", "saw its tail"),
        "_ [2.1]": ("The fox saw", "_", "its tail"),
        "its [3]": ("The fox saw", "its", "tail"),
        "its tail [3-4]": ("The fox saw", "its tail", ""),
        "_ [4.1]": ("", "_", "both crows did fly they"),
        "both crows fly [5-6, 8]": ("", "both crows did fly", "they"),
        "they [9]": ("both crows did fly", "they", ""),
        "they sang [9-10]": ("both crows did fly", "they sang", ""),
    }


def test_sentences_of_json_lines(tmp_path: Path) -> None:
    """Lists of words are sentences; spans may count within them. One list of words is one sentence."""
    line = {
        "doc_key": "d",
        "sentences": [["The", "fox", "ran"], ["It", "slept"]],
        "clusters": [[[0, 1], [3, 3]]],
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line))
    whole = {"The fox [0-1]": ("", "The fox", "ran"), "It [3]": ("", "It", "slept")}
    found = cd.read(path, format="spans")
    assert isinstance(found, cd.Corpus)
    assert around(found, "d") == whole
    text = found.text("d")
    assert text is not None
    assert text.around(Mention("d", ((1, 0, 0),))) == ("", "It", "slept")
    path.write_text(json.dumps({**line, "sentences": None, "tokens": ["The", "fox", "ran", "It", "slept"]}))
    flat = cd.read(path, format="spans")
    assert isinstance(flat, cd.Corpus)
    assert around(flat, "d")["It [3]"] == ("The fox ran", "It", "slept")


def test_entities_are_called_by_their_first_mention(tmp_path: Path) -> None:
    """First in the text, not in the file; programs see the name in the file, and pickling forgets nothing."""
    clusters = [[[3, 3], [0, 1]], [[4, 4]]]
    words = ["The", "fox", "ran", "It", "slept"]
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"doc_key": "d", "tokens": words, "clusters": clusters}))
    (tmp_path / "b.jsonl").write_text(
        json.dumps({"doc_key": "d", "tokens": words, "clusters": [clusters[0]]})
    )
    corpora = [cd.read(tmp_path / f"{side}.jsonl", format="spans") for side in "ab"]
    diff = cd.compare(*corpora)
    assert [(str(entity), name(entity)) for entity in diff.analysis.true] == [
        ("d: 0", "“The fox”"),
        ("d: 1", "“slept”"),
    ]
    for entity in pickle.loads(pickle.dumps(diff)).analysis.true:
        assert isinstance(entity, Entity)
        assert name(entity).startswith("“")
    assert diff.explain().unshared == ("1 mention was not found: “slept”.",)
    assert "add 1 mention (“slept”) of “slept” to an entity of its own" in diff.repairs()[0].sentence
