"""Documents of mentions: CoNLL-2012, CorefUD and JSON lines; and corpora of them."""

from __future__ import annotations

import gc
import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.caching import all_kept
from clusterdiff.formats.conll import OTHER_BLANKS, read_conll
from tests.formats.conftest import run

#: What the rows of the table are called.
ROWS = {
    "mentions": "mentions",
    "muc": "MUC",
    "b3": "B³",
    "ceaf_m": "CEAF-m",
    "ceaf_e": "CEAF-e",
    "blanc": "BLANC",
    "lea": "LEA",
}
COREFERENCE = [f"{m}.{p}" for m in ROWS for p in ("recall", "precision", "f1")]


def conll(documents: dict[str, list[tuple[str, str]]]) -> str:
    """Words with their brackets as a CoNLL-2012 file."""
    out = []
    for name, words in documents.items():
        out.append(f"#begin document {name}")
        for i, (word, brackets) in enumerate(words):
            out.append("\t".join(["doc", "0", str(i), word, *["-"] * 7, brackets]))
        out += ["", "#end document"]
    return "\n".join(out) + "\n"


KEY = conll(
    {
        "(fox); part 000": [
            ("The", "(1"),
            ("fox", "1)"),
            ("saw", "-"),
            ("its", "(2|(1)"),
            ("tail", "2)"),
            ("it", "(1)"),
        ],
        "(fox); part 001": [("Crows", "(1)"), ("fly", "-"), ("they", "(1)"), ("rain", "(7)")],
        "(empty); part 000": [("Nothing", "-")],
    }
)
RESPONSE = conll(
    {
        "(fox); part 000": [
            ("The", "(9"),
            ("fox", "9)"),
            ("saw", "(3)"),
            ("its", "(9)"),
            ("tail", "-"),
            ("it", "(3)"),
        ],
        "(fox); part 001": [("Crows", "(4)"), ("fly", "-"), ("they", "(4)"), ("rain", "-")],
        "(empty); part 000": [("Nothing", "-")],
    }
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "key.conll").write_text(KEY)
    (tmp_path / "response.conll").write_text(RESPONSE)
    return tmp_path / "key.conll", tmp_path / "response.conll"


def corpora(true: Any, pred: Any, **options: Any) -> cd.types.CorpusComparison:
    """The comparison of two corpora given as dicts of documents."""
    diff = cd.compare(cd.Corpus(true), cd.Corpus(pred), **options)
    assert isinstance(diff, cd.types.CorpusComparison)
    return diff


def spans(corpus: Any) -> dict[str, list[set[Any]]]:
    """Document → its clusters as sets of spans."""
    return {
        name: sorted(
            ({m.spans for m in cluster} for cluster in corpus[name].to_sets()), key=lambda c: min(map(str, c))
        )
        for name in corpus
        if name in corpus.filled
    }


# ---- CoNLL-2012


def test_conll_brackets_nest_and_share_words(files: tuple[Path, Path]) -> None:
    """Spans are counted in words of the document; parts are documents; a document may have no mentions."""
    corpus = cd.read(files[0])
    assert isinstance(corpus, cd.Corpus)
    assert list(corpus) == ["(fox); part 000", "(fox); part 001", "(empty); part 000"]
    assert spans(corpus) == {
        "(fox); part 000": [{((0, 1),), ((3, 3),), ((5, 5),)}, {((3, 4),)}],
        "(fox); part 001": [{((0, 0),), ((2, 2),)}, {((3, 3),)}],
    }
    texts = {m.text for m in corpus["(fox); part 000"].point_names()}  # type: ignore[union-attr]
    assert texts == {"The fox", "its", "its tail", "it"}
    with pytest.raises(cd.LabelError, match=r"'\(empty\); part 000' has no points"):
        corpus["(empty); part 000"]


def test_conll_entities_nest_in_themselves(tmp_path: Path) -> None:
    """The bracket opened last is closed first, also of one entity."""
    (tmp_path / "k.conll").write_text(conll({"d": [("a", "(1"), ("b", "(1"), ("c", "1)|1)")]}))
    assert spans(cd.read(tmp_path / "k.conll")) == {"d": [{((0, 2),), ((1, 2),)}]}


def test_only_blanks_and_tabs_divide_columns(tmp_path: Path) -> None:
    """The words may hold any other white space; lines without any are divided in a quicker way."""
    plain = "".join(
        char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace() and char not in " \t\n"
    )
    assert plain == OTHER_BLANKS
    for blank in "x", *plain:
        path = tmp_path / "key.conll"
        lines = [f"d 0  0\ta{blank}b - (1)", "d\t0 1 c   (2", "  ", "d 0 2 d 2)"]
        text = "\n".join(["#begin document d", *lines, "#end document", ""])
        path.write_bytes(text.encode())
        corpus = cd.read(path)
        assert corpus.words == {"d": (f"a{blank}b", "c", "d")}
        assert corpus.sentences == {"d": (0, 2)}
        assert [str(point) for point in corpus["d"].points] == [f"a{blank}b [0]", "c d [1-2]"]


def test_conll_of_any_name_is_known_by_its_first_line(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Suffixes vary; compression is unpacked; words may stand anywhere, the last column counts."""
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "k.v4_gold_conll.gz").write_bytes(gzip.compress(KEY.encode()))
    (tmp_path / "few.conll").write_text("#begin document x\n# a comment\n1 the (1\n2 fox 1)\n#end document\n")
    assert (
        spans(cd.read(tmp_path / "key"))
        == spans(cd.read(files[0]))
        == spans(cd.read(tmp_path / "k.v4_gold_conll.gz"))
    )
    assert spans(cd.read(tmp_path / "few.conll")) == {"x": [{((0, 1),)}]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "#begin document a\nx 1)\n#end document\n",
            "line 2: a mention of entity '1' is closed but was not opened",
        ),
        (
            "#begin document a\nx (1\ny -\n#end document\n",
            "line 2: a mention of entity '1' is opened and never closed",
        ),
        ("#begin document a\nx (1)\n", "line 1: the document 'a' has no '#end document'"),
        ("x (1)\n#end document\n", "line 1: a word outside any document"),
        (
            "#begin document a\n#begin document b\n",
            "line 2: a document begins before the one of line 1 has ended",
        ),
        ("# none\n#end document\n", "line 2: '#end document' without '#begin document'"),
        ("#begin document a\nx 1\n#end document\n", "line 2: '1' is not a list of brackets"),
        ("#begin document a\nx ((1)\n#end document\n", r"line 2: '((1)' is not a list of brackets"),
        (
            "#begin document a\nx (1)|(2)\n#end document\n",
            "line 2: the mention x [0] belongs to the entities '1' (line 2) and '2'",
        ),
        (
            "#begin document a\nx (1)\n#end document\n#begin document a\nx (1)\n#end document\n",
            "line 4: the document 'a' is in the file twice, first at line 1",
        ),
        ("# only a comment\n", "has no document"),
    ],
)
def test_broken_conll_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    """File, line, and what is wrong there."""
    path = tmp_path / "k.conll"
    path.write_text(text)
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert str(caught.value.message).startswith(str(path))
    assert told in caught.value.message


def test_a_mention_repeated_in_its_entity_counts_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The repetition is said and changes nothing."""
    (tmp_path / "k.conll").write_text("#begin document a\nx (1)|(1)\ny (1)\n#end document\n")
    with caplog.at_level("INFO", "clusterdiff"):
        assert spans(cd.read(tmp_path / "k.conll")) == {"a": [{((0, 0),), ((1, 1),)}]}
    assert "is repeated" in caplog.text


# ---- CorefUD


def conllu(*lines: tuple[str, str, str]) -> str:
    """Words (id, form, misc) as CoNLL-U, with a blank line where the id is empty."""
    return "".join("\t".join([i, form, *["_"] * 7, misc]) + "\n" if i else "\n" for i, form, misc in lines)


COREFUD = (
    "# newdoc id = story\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n# text = The fox saw its tail\n"
    + conllu(
        ("1", "The", "Entity=(e1-animal-2-new"),
        ("2", "fox", "Entity=e1)|SpaceAfter=No"),
        ("3-4", "sawit", "_"),
        ("3", "saw", "_"),
        ("3.1", "_", "Entity=(e1-animal-1-zero)"),
        ("4", "its", "Entity=(e2-thing-2-(e1-animal-1-)"),
        ("5", "tail", "Entity=e2)"),
        ("", "", ""),
    )
    + "# sent_id = 2\n"
    + conllu(
        ("0.1", "_", "Entity=(e2-thing-1-)"),
        ("1", "both", "Entity=(e3[1/2]-animal-1-"),
        ("2", "crows", "Entity=e3[1/2])"),
        ("3", "did", "_"),
        ("4", "fly", "Entity=(e3[2/2]-animal-1-)"),
        ("5", "they", "Entity=(e3-animal-1-)(e4-event-1-"),
        ("", "", ""),
        ("1", "sang", "Entity=e4)"),
        ("", "", ""),
    )
    + "# newdoc id = other\n"
    + conllu(("1", "Rain", "Entity=(e1-thing-1-)"), ("", "", ""))
)


def test_corefud_nests_has_gaps_and_zeros(tmp_path: Path) -> None:
    """Nested, discontinuous and empty mentions, and one that ends in the next sentence."""
    (tmp_path / "k.conllu").write_text(COREFUD)
    corpus = cd.read(tmp_path / "k.conllu")
    assert spans(corpus) == {
        "story": [
            {((0, 1),), (((2, 1), (2, 1)),), ((3, 3),)},
            {((3, 4),), (((4, 1), (4, 1)),)},
            {((5, 6), (8, 8)), ((9, 9),)},
            {((9, 10),)},
        ],
        "other": [{((0, 0),)}],
    }
    assert isinstance(corpus, cd.Corpus)
    texts = {str(m) for m in corpus["story"].point_names()}
    assert {"The fox [0-1]", "_ [2.1]", "both crows fly [5-6, 8]", "they sang [9-10]"} <= texts


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_corefud_agrees_with_udapi(tmp_path: Path) -> None:
    """The entities that udapi finds are those we find (it knows no mentions across sentences)."""
    core = pytest.importorskip("udapi.core.document")
    text = COREFUD.replace("(e4-event-1-", "").replace("Entity=e4)", "_")
    (tmp_path / "k.conllu").write_text(text)
    document = core.Document(str(tmp_path / "k.conllu"))
    theirs = []
    for entity in document.coref_entities:
        theirs.append(sorted(" ".join(word.form for word in mention.words) for mention in entity.mentions))
    corpus = cd.read(tmp_path / "k.conllu")
    assert isinstance(corpus, cd.Corpus)
    ours = [sorted(m.text for m in c) for name in corpus for c in corpus[name].to_sets()]  # type: ignore[attr-defined]
    # udapi names entities over the whole file, so the two documents share e1.
    merged = sorted([*ours[0], *ours[-1]])
    assert sorted([merged, *ours[1:-1]]) == sorted(theirs)


def test_corefud_words_are_those_of_conllu(tmp_path: Path) -> None:
    """The conllu package counts the same words and empty nodes in the same order."""
    library = pytest.importorskip("conllu")
    (tmp_path / "k.conllu").write_text(COREFUD)
    corpus = cd.read(tmp_path / "k.conllu")
    assert isinstance(corpus, cd.Corpus)
    sentences = library.parse(COREFUD)
    words = [t["form"] for s in sentences[:3] for t in s if isinstance(t["id"], int)]
    texts = {}
    for mention in corpus["story"].point_names():
        found = []
        for start, end in mention.spans:  # type: ignore[attr-defined]
            found += words[start : end + 1] if isinstance(start, int) else ["_"]
        texts[mention.text] = " ".join(found)  # type: ignore[attr-defined]
    assert texts == {text: text for text in texts}
    assert set(texts) == {"The fox", "_", "its", "its tail", "both crows fly", "they", "they sang"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1\tx\n", "line 1: expected 10 columns between tabs, found 2"),
        (conllu(("1", "x", "Entity=(e1)")), "line 1: Entity= comes before any line '# global.Entity"),
        ("# global.Entity = etype\n", "line 1: global.Entity names no field 'eid'"),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", "Entity=e1)")),
            "line 2: a mention of entity 'e1' is closed",
        ),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", "Entity=(e1")),
            "line 2: a mention of entity 'e1' is opened and",
        ),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", "Entity=e1")),
            "line 2: Entity=e1 is not a list of brackets",
        ),
        ("# global.Entity = eid\n" + conllu(("x", "x", "_")), "line 2: 'x' is not the number of a word"),
        (
            "# global.Entity = eid\n" + conllu(("1.x", "x", "_")),
            "line 2: '1.x' is not the number of an empty node",
        ),
        (  # more digits than Python makes a number of
            "# global.Entity = eid\n" + conllu((f"1.{'9' * 5000}", "x", "_")),
            f"line 2: '1.{'9' * 38}' is not the number of an empty node",
        ),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", f"Entity=(e1[1/{'9' * 5000}])")),
            f"line 2: 'e1[1/{'9' * 35}' is not a part of a mention, such as e1[2/3]",
        ),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", "Entity=(e1[1/2])")),
            "line 2: a mention of entity 'e1' has 2 parts, but not all of them appear: 1",
        ),
        (
            "# global.Entity = eid\n" + conllu(("1", "x", "Entity=(e1[2/2])")),
            "line 2: part 2 of 2 of a mention of 'e1' has no part before it",
        ),
        (conllu(("1", "x", "_")), "has no line '# global.Entity"),
        ("# a comment\n", "has no words"),
    ],
)
def test_broken_corefud_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    """File, line, and what is wrong there."""
    path = tmp_path / "k.conllu"
    path.write_text(text)
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert str(caught.value.message).startswith(str(path))
    assert told in caught.value.message


# ---- JSON lines


def test_json_lines_of_documents(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Clusters of spans, as resolvers write them, compare with CoNLL files word by word."""
    lines = [
        {
            "doc_key": "(fox); part 000",
            "sentences": [["The", "fox", "saw"], ["its", "tail", "it"]],
            "clusters": [[[0, 1], [3, 3], [5, 5]], [[3, 4]]],
            "predicted_clusters": [],
        },
        {
            "doc_key": "(fox); part 001",
            "clusters": [[[0, 0], [2, 2]], [[3, 3]]],
            "predicted_clusters": [[[0, 0]]],
        },
        {"doc_key": "(empty); part 000", "clusters": [], "predicted_clusters": []},
    ]
    path = tmp_path / "k.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    corpus = cd.read(path)
    assert spans(corpus) == spans(cd.read(files[0]))
    assert isinstance(corpus, cd.Corpus)
    assert {m.text for m in corpus["(fox); part 000"].point_names()} == {"The fox", "its", "its tail", "it"}  # type: ignore[attr-defined]
    assert cd.compare(files[0], path).score() == 1.0
    assert spans(cd.read(path, cluster="predicted_clusters")) == {"(fox); part 001": [{((0, 0),)}]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"clusters": []}\n{"clusters": [[[1, 0]]]}\n',
            "line 2: cluster 0 holds [1, 0], which is not a span",
        ),
        ('{"clusters": [[1, 2]]}\n', "line 1: cluster 0 holds 1, which is not a span"),
        ('{"clusters": [[["a", "b"]]]}\n', "which is not a span"),
        (
            '{"clusters": []}\n{"cluster": []}\n',
            "line 2: the document has no field 'clusters'; it has 'cluster'",
        ),
        ('{"clusters": []}\n{"clusters": [\n', "line 2, column "),
        (
            '{"clusters": []}\n{"clusters": 7}\n',
            "line 2: the clusters must be a list of lists of spans; got int",
        ),
        (
            '{"id": 1, "clusters": []}\n{"id": 1, "clusters": []}\n',
            "line 2: the document '1' is in the file twice",
        ),
        (
            '{"clusters": [[[0, 1]], [[0, 1]]]}\n',
            "line 1: the mention [0-1] belongs to the entities '0' (line 1) and '1'",
        ),
    ],
)
def test_broken_spans_are_told_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    """File, line, and what is wrong there."""
    path = tmp_path / "k.jsonl"
    path.write_text(text)
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert str(caught.value.message).startswith(str(path))
    assert told in caught.value.message


# ---- corpora

documents = st.dictionaries(
    st.sampled_from(["d1", "d2", "d3"]),
    st.dictionaries(st.integers(0, 7), st.sampled_from("abc"), max_size=8),
    min_size=1,
)


@given(documents, documents)
def test_s_star_is_the_mean_of_documents(true: Any, pred: Any) -> None:
    """Pooled S* is the documents' S*, weighted by their points, exactly."""
    assume(set(true) & set(pred) and any(map(len, [*true.values(), *pred.values()])))
    diff = corpora(true, pred)
    for measure in ("S_H", "S*(pairs)", "S'"):
        parts = [(d.n, d.score(measure)) for d in diff.documents.values()]
        mean = sum(n * s for n, s in parts) / sum(n for n, _ in parts)
        assert diff.score(measure) == pytest.approx(mean, abs=1e-12)
    assert diff.n == sum(d.n for d in diff.documents.values())
    assert diff.loss.total == pytest.approx(1 - diff.score(), abs=1e-12)


def reference(true: Any, pred: Any) -> dict[str, float]:
    """B-cubed, MUC, LEA and BLANC of a corpus the slow, obvious way: sums over documents, then ratios."""
    sums = dict.fromkeys(["b3", "muc", "lea"], (0.0, 0.0, 0.0, 0.0))
    links = [[0, 0, 0], [0, 0, 0]]
    for name in true:
        key, response = (clusters(side.get(name, {})) for side in (true, pred))
        for measure, part in (("b3", b3), ("muc", muc), ("lea", lea)):
            values = (*part(key, response), *part(response, key))
            sums[measure] = tuple(x + y for x, y in zip(sums[measure], values, strict=True))  # type: ignore[assignment]
        for kind in (0, 1):
            sides = [pairs_of(side)[kind] for side in (key, response)]
            for i, found in enumerate((sides[0] & sides[1], *sides)):
                links[kind][i] += len(found)
    out = {}
    for measure, (r, rd, p, pd) in sums.items():
        recall, precision = r / rd if rd else 0.0, p / pd if pd else 0.0
        out |= {f"{measure}.recall": recall, f"{measure}.precision": precision}
    kinds = [(right / true_, right / pred_ if pred_ else 0.0) for right, true_, pred_ in links if true_]
    out["blanc.recall"] = sum(r for r, _ in kinds) / len(kinds) if kinds else 0.0
    out["blanc.precision"] = sum(p for _, p in kinds) / len(kinds) if kinds else 0.0
    return out


def clusters(assigned: dict[Any, Any]) -> list[set[Any]]:
    return [{p for p, c in assigned.items() if c == name} for name in dict.fromkeys(assigned.values())]


def b3(key: Any, response: Any) -> tuple[float, float]:
    return sum(len(k & r) ** 2 / len(k) for k in key for r in response), sum(map(len, key))


def muc(key: Any, response: Any) -> tuple[float, float]:
    total = 0
    for k in key:
        parts = sum(bool(k & r) for r in response) + len(k - set().union(*response))
        total += len(k) - parts
    return total, sum(len(k) - 1 for k in key)


def lea(key: Any, response: Any) -> tuple[float, float]:
    def links(n: int) -> int:
        return n * (n - 1) // 2

    total = 0.0
    for k in key:
        if len(k) == 1:
            total += k in response
        else:
            total += len(k) * sum(links(len(k & r)) for r in response) / links(len(k))
    return total, sum(map(len, key))


def pairs_of(sets: list[set[Any]]) -> tuple[set[Any], set[Any]]:
    where = {m: i for i, c in enumerate(sets) for m in c}
    found = [(a, b) for a in where for b in where if a < b]
    return {p for p in found if where[p[0]] == where[p[1]]}, {p for p in found if where[p[0]] != where[p[1]]}


@given(documents, documents, st.sampled_from(["drop", "lost"]))
def test_coreference_measures_add_up_over_documents(true: Any, pred: Any, missing: Any) -> None:
    """Sums over documents and then ratios; with "drop", as if only the shared mentions had been there."""
    shared = {d: set(true.get(d, ())) & set(pred.get(d, ())) for d in {*true, *pred}}
    assume(
        set(true) & set(pred) and (missing != "drop" or any(shared.values())) and any(map(len, true.values()))
    )
    diff = corpora(true, pred, missing=missing)
    if missing == "drop":
        true, pred = (
            {d: {m: c for m, c in clusters.items() if m in shared[d]} for d, clusters in side.items()}
            for side in (true, pred)
        )
    expected = reference(true, pred)
    assert diff.scores(list(expected)) == pytest.approx(expected, abs=1e-12)


def test_singletons_are_kept_or_left_out() -> None:
    """Left out on both sides before all else, and said in the signature."""
    true = {"d": {"a": [1, 2, 3], "b": [4]}}
    pred = {"d": {"x": [1, 2], "y": [3], "z": [4]}}
    kept, dropped = corpora(true, pred), corpora(true, pred, singletons="drop")
    assert "|singletons:keep|" in kept.signature
    assert "|singletons:drop|" in dropped.signature
    assert (kept.n, kept.policy.missing_points) == (4, 0)
    assert (dropped.n, dropped.policy.missing_points) == (3, 1)
    assert dropped.score("b3.recall") == pytest.approx(4 / 3 / 3)
    with pytest.raises(cd.ArgumentError, match="`singletons` must be one of"):
        corpora(true, pred, singletons="some")  # type: ignore[arg-type]


def test_documents_are_matched_by_name() -> None:
    """Documents of one side only are an error if missing= is, and always if none is shared."""
    true, pred = {"a": [[1, 2]], "b": [[1]]}, {"a": [[1, 2]], "c": [[1]]}
    assert list(corpora(true, pred).documents) == ["a", "b", "c"]
    with pytest.raises(
        cd.LabelError,
        match=r"`pred` lacks 1 of the 2 documents of `true`: 'b'. `true` lacks 1 of the 2 documents of `pred`",
    ):
        corpora(true, pred, missing="error")
    with pytest.raises(cd.LabelError, match="`pred` lacks 1 of the 1 document of `true`: 'a'"):
        corpora({"a": [[1]]}, {"b": [[1]]})
    with pytest.raises(cd.LabelError, match="no document has any points"):
        corpora({"a": []}, {"a": []})
    with pytest.raises(cd.LabelError, match="at least one document"):
        corpora({}, {})
    with pytest.raises(cd.LabelError, match="lacks 1 of the 2 points"):
        corpora({"a": [[1, 2]]}, {"a": [[1]]}, missing="error")


def test_the_order_of_documents_does_not_matter() -> None:
    """Documents of a response may stand in another order than those of the key."""
    rng = random.Random(5)
    true = {f"d{i}": {m: rng.randrange(3) for m in range(6)} for i in range(5)}
    pred = {f"d{i}": {m: rng.randrange(3) for m in range(6)} for i in range(5)}
    back = dict(reversed(pred.items()))
    assert corpora(true, back).scores(COREFERENCE) == pytest.approx(
        corpora(true, pred).scores(COREFERENCE), abs=1e-15
    )


def test_only_shares_are_shown_in_percent(files: tuple[Path, Path]) -> None:
    """A count stays a count, in the table of scores and in that of the documents."""
    shown = run("compare", *files, "--measures", "edits.moves,R", "--by", "document", "--top", "0").stdout
    moves = cd.compare(*files).score("edits.moves")
    rows = {line.split()[0]: line.split()[1:] for line in shown.partition("\n\n")[0].splitlines()}
    assert rows["edits.moves"] == [f"{moves:.6g}"]
    assert rows["R"] == [f"{100 * cd.compare(*files).score('R'):.2f}"]
    second = cd.compare(*files).documents["(fox); part 001"]  # type: ignore[attr-defined]
    line = next(line for line in shown.splitlines() if "part 001" in line)
    assert line.split()[-2:] == [f"{second.score('edits.moves'):.6g}", f"{100 * second.score('R'):.2f}"]


def test_the_table_that_coreference_people_expect(files: tuple[Path, Path]) -> None:
    """Mentions, MUC, B³, CEAF, BLANC, LEA and CoNLL beside S_H, each document on a line of its own if wanted."""
    result = run("compare", *files)
    assert result.exit_code == 0, result.stderr
    diff = cd.compare(*files)
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.partition("\n\n")[0].splitlines()}
    for name, row in ROWS.items():
        scores = [diff.score(f"{name}.{part}") for part in ("recall", "precision", "f1")]
        assert rows[row] == [f"{100 * score:.2f}" for score in scores]
    assert rows["CoNLL"] == [f"{100 * diff.score('conll'):.2f}"]
    assert rows["S_H"] == [f"{100 * diff.score():.2f}"]
    assert "2 documents · key: 7 mentions in 4 entities · response: 6 mentions in 3 entities" in result.stdout
    assert "mentions: 5 found, 2 not found, 1 spurious" in result.stdout
    assert "documents:2|singletons:keep" in result.stdout
    assert "part 001" not in run("compare", *files, "--top", "0").stdout
    by = run("compare", *files, "--by", "document", "--top", "0").stdout
    line = next(line for line in by.splitlines() if "part 001" in line)
    second = diff.documents["(fox); part 001"]
    assert line.split()[3:] == [
        "3",
        *(f"{100 * second.score(m):.2f}" for m in ("muc.f1", "b3.f1", "ceaf_e.f1", "lea.f1", "conll", "S_H")),
    ]
    data = json.loads(run("compare", *files, "--by", "document", "--json", "--measures", "R").stdout)
    assert data["documents"]["(fox); part 001"]["scores"]["S_H"] == second.score()
    assert set(data["scores"]) >= {"muc.f1", "conll", "S_H", "R"}
    assert run("compare", *files, "--missing", "error").exit_code == 2
    assert run("compare", *files, "--by", "city").exit_code == 2
    dropped = run("compare", *files, "--missing", "drop", "--singletons", "drop")
    assert dropped.exit_code == 0
    assert "singletons:drop" in dropped.stdout
    assert "missing:drop(" in dropped.stdout


def test_the_collector_of_garbage_is_as_it_was(
    monkeypatch: pytest.MonkeyPatch, files: tuple[Path, Path]
) -> None:
    """It rests while documents are read, and goes on afterwards, also after an error; what turned it off still does."""
    seen: list[bool] = []

    def read(path: str, **options: Any) -> cd.Corpus:
        seen.append(gc.isenabled())
        if len(seen) == 4:
            raise cd.FileError("broken")
        return read_conll(path, **options)

    monkeypatch.setattr("clusterdiff.formats.conll.read_conll", read)
    paths = list(map(str, files))
    cd.compare(*paths)
    assert gc.isenabled()
    with all_kept(), pytest.raises(cd.FileError, match="broken"):
        cd.compare(*paths)
    assert gc.isenabled()
    with all_kept():
        cd.read(paths[0])
        assert not gc.isenabled()
    assert seen == [False] * 5
    assert gc.isenabled()
