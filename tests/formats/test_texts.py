"""Files of coreference as people have them: other columns, other words, repeats, several errors, other documents."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from tests.formats.conftest import run
from tests.formats.test_coreference import COREFUD, conll, conllu, spans

FOX = [("The", "(1"), ("fox", "1)"), ("saw", "-"), ("its", "(2|(1)"), ("tail", "2)"), ("it", "(1)")]


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def put(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return put


def silent(*sides: Any, **options: Any) -> cd.types.CorpusComparison:
    """A comparison that gives no notice but those about shares of points, which are not the subject here."""
    diff = cd.compare(*sides, **options)
    assert isinstance(diff, cd.types.CorpusComparison)
    assert diff.told == ()
    return diff


# ---- columns and brackets


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # The five columns of the scorers' own cases, and those of CoNLL-2012 and GUM, are told by their first line.
        ("#begin document d\nd\t0\t0\tthe\t(1\nd\t0\t1\tfox\t1)\n#end document\n", ("the", "fox")),
        (
            "#begin document d\nd 0 0 the DT * - - - - * (1\nd 0 1 fox NN * - - - - * 1)\n#end document\n",
            ("the", "fox"),
        ),
        ("# begin document d\n0\tthe\t(1\n1\tfox\t1)\n# end document\n", ("the", "fox")),
        ("#begin document d\n1 the the DT (1\n2 1990 1990 CD 1)\n#end document d\n", ("the", "1990")),
        ("#begin document x/d\nthe (1\nfox 1)\n#end document\n", ("the", "fox")),
        ("#begin document (x/d); part 000\nx/d (1\nx/d 1)\n#end document\n", None),
        ("#begin document d\n0 (1\n1 1)\n#end document\n", None),
        ("#begin document d\n(1\n1)\n#end document\n", None),
        ("#begin document d\nd 0 0 - (1\nd 0 1 - 1)\n#end document\n", None),
        (
            "#begin document d\nd 0 0 10\u00a0000 (1\nd 0 1 foxes 1)\n#end document\n",
            ("10\u00a0000", "foxes"),
        ),
    ],
)
def test_columns_of_every_kind(write: Any, text: str, words: tuple[str, ...] | None) -> None:
    """The mention is the same; the words are known if a column has them."""
    corpus = cd.read(write("key", text))
    assert isinstance(corpus, cd.Corpus)
    [name] = corpus
    assert spans(corpus) == {name: [{((0, 1),)}]}
    assert corpus.words.get(name) == words
    if words:
        assert [m.text for m in corpus[name].point_names()] == [" ".join(words)]  # type: ignore[attr-defined]


def test_documents_without_a_name_are_numbered(write: Any) -> None:
    """As those of OntoGUM, whose names are those of their files."""
    text = "# begin document \n0\tit\t(1)\n# end document\n"
    assert list(cd.read(write("k.conll", text * 2))) == ["document 1", "document 2"]  # type: ignore[call-overload]


def test_brackets_need_no_pipes(write: Any) -> None:
    """As GUM and the scorers' cases write them."""
    piped = write("a.conll", conll({"d": [("a", "(2|(1)"), ("b", "2)|(3"), ("c", "3)|(1)")]}))
    plain = write("b.conll", conll({"d": [("a", "(2(1)"), ("b", "2)(3"), ("c", "3)(1)")]}))
    found = {"d": [{((0, 0),), ((2, 2),)}, {((0, 1),)}, {((1, 2),)}]}
    assert spans(cd.read(piped)) == spans(cd.read(plain)) == found


# ---- words


def test_a_deleted_word_is_named(write: Any) -> None:
    """File, document, number and both words, instead of a score near 0."""
    key = write("key.conll", conll({"one": FOX, "two": FOX}))
    response = write("response.conll", conll({"one": FOX, "two": [*FOX[:2], *FOX[3:]]}))
    with pytest.raises(cd.LabelError) as caught:
        cd.compare(key, response)
    assert caught.value.message == (
        f"{key} and {response} do not have the same words in the document 'two': word 2 (counted from 0) is 'saw' in "
        f"{key}, which has 6 words, and 'its' in {response}, which has 5."
    )
    assert "same words" in str(caught.value.hint)
    result = run("compare", key, response)
    assert result.exit_code == 2
    assert "word 2 (counted from 0) is 'saw'" in result.stderr
    both = write("both.conll", conll({name: [(word, "-") for word, _ in FOX[1:]] for name in ("one", "two")}))
    with pytest.raises(cd.LabelError, match=r"'one': word 0 .* 1 more document differs too\."):
        cd.compare(key, both)


def test_other_spellings_are_noticed(write: Any) -> None:
    """As many words, so the numbers mean the same; case does not matter."""
    key = write("key.conll", conll({"d": FOX}))
    other = write("other.conll", conll({"d": [("the", "(1"), ("vixen", "1)"), *FOX[2:]]}))
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"spell the document 'd' .* word 1 .* 'fox' and 'vixen'\."
    ):
        diff = cd.compare(key, other)
    assert diff.score() == 1.0
    assert len(diff.notices) == 1
    silent(key, write("lower.conll", conll({"d": [(word.upper(), mark) for word, mark in FOX]})))


def test_a_text_that_ends_early_is_noticed(write: Any) -> None:
    """Models cut long documents; what is there lines up."""
    key = write("key.conll", conll({"d": FOX}))
    short = write("short.conll", conll({"d": FOX[:5]}))
    diff = cd.compare(key, short)
    assert f"{short} has only the first 5 of the 6 words that {key} has of the document 'd'." in diff.notices
    assert diff.score("mentions.recall") == 3 / 4
    assert "has only the first 5 of the 6 words" in run("compare", short, key).stderr


def test_words_are_compared_across_formats(write: Any) -> None:
    """CoNLL with JSON lines; a file without words is compared without."""
    key = write("key.conll", conll({"d": FOX}))
    line = {
        "doc_key": "d",
        "sentences": [["The", "fox", "saw"], ["its", "tail", "it"]],
        "clusters": [[[0, 1]]],
    }
    silent(key, write("same.jsonl", json.dumps(line)))
    silent(key, write("none.jsonl", json.dumps({"doc_key": "d", "clusters": [[[0, 1]]]})))
    silent(key, write("text.jsonl", json.dumps(line | {"sentences": ["The fox saw.", "its tail it"]})))
    line["sentences"] = [["The", "fo", "##x", "saw"], ["its", "tail", "it"]]
    with pytest.raises(cd.LabelError, match=r"word 1 \(counted from 0\) is 'fox' in .* and 'fo' in"):
        cd.compare(key, write("pieces.jsonl", json.dumps(line)))


def test_empty_nodes_are_no_words(write: Any) -> None:
    """Systems predict empty nodes: those that only one file has do not shift the words of CorefUD."""
    key = write("key.conllu", COREFUD)
    without = "".join(line for line in COREFUD.splitlines(keepends=True) if not re.match(r"\d+\.", line))
    diff = silent(key, write("response.conllu", without))
    assert diff.counts == cd.types.Counts(9, 7, 5, 5, 7, 2, 0)
    corpus = cd.read(key)
    assert isinstance(corpus, cd.Corpus)
    assert corpus.words["other"] == ("Rain",)
    assert corpus.words["story"][:4] == ("The", "fox", "saw", "its")
    cut = without.replace("3\tsaw", "3\tsat")
    assert (
        "word 2 (counted from 0) is 'saw' and 'sat'" in run("compare", key, write("cut.conllu", cut)).stderr
    )


# ---- mentions in two entities


REPEATS = conll(
    {
        "one": [("a", "(1)|(2)"), ("b", "(2)")],
        "two": [("c", "(5|(4"), ("d", "4)|5)"), ("e", "(4)"), ("f", "(5)")],
    }
)


def test_all_repeated_mentions_are_listed(write: Any) -> None:
    """In the error, and in the notice of those who keep the first."""
    path = write("k.conll", REPEATS)
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert caught.value.message == (
        f"{path} has 2 mentions in more than one entity:\n"
        "  line 2: the mention a [0] belongs to the entities '1' (line 2) and '2' (document 'one').\n"
        "  line 8: the mention c d [0-1] belongs to the entities '5' (line 8) and '4' (document 'two')."
    )
    assert 'repeated="first"' in str(caught.value.hint)
    with pytest.warns(cd.ClusterdiffWarning, match="(?s)2 mentions in more than one entity.*names first"):
        corpus = cd.read(path, repeated="first")
    # Entity 5 opened first, although 4 closed first.
    assert spans(corpus) == {
        "one": [{((0, 0),)}, {((1, 1),)}],
        "two": [{((0, 1),), ((3, 3),)}, {((2, 2),)}],
    }
    diff = cd.compare(corpus, corpus)
    assert sum("more than one entity" in notice for notice in diff.notices) == 2
    assert run("compare", path, path).exit_code == 2
    result = run("compare", path, path, "--repeated", "first")
    assert result.exit_code == 0
    assert "the mention c d [0-1] belongs to the entities" in result.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "k.conllu",
            "# newdoc id = d\n# global.Entity = eid\n"
            + conllu(("1", "a", "Entity=(e1)(e2)"), ("2", "b", "Entity=(e2)"), ("", "", "")),
        ),
        ("k.jsonl", '{"id": "d", "clusters": [[[0, 0]], [[0, 0], [1, 1]]]}\n'),
    ],
)
def test_repeated_mentions_in_other_formats(write: Any, name: str, text: str) -> None:
    """The same rule."""
    path = write(name, text)
    with pytest.raises(cd.FileError, match="belongs to the entities"):
        cd.read(path)
    with pytest.warns(cd.ClusterdiffWarning, match="belongs to the entities"):
        corpus = cd.read(path, repeated="first")
    assert spans(corpus) == {"d": [{((0, 0),)}, {((1, 1),)}]}


def test_repeated_is_for_documents(write: Any) -> None:
    """And one of two words."""
    table = write("t.csv", "id,cluster\n1,2\n")
    with pytest.raises(cd.ArgumentError, match="`repeated` is for documents of mentions"):
        cd.read(table, repeated="first")
    with pytest.raises(cd.ArgumentError, match='`repeated` must be one of "error", "first"'):
        cd.read(write("k.conll", REPEATS), repeated="last")  # type: ignore[arg-type]
    assert run("compare", table, table, "--repeated", "first").exit_code == 2


# ---- several errors


def test_one_broken_document_does_not_hide_the_others(write: Any) -> None:
    """The first error of each, the first five of all."""
    broken = {f"d{i}": [("a", "(1"), ("b", "2)"), ("c", "3)")] for i in range(7)}
    path = write("k.conll", conll({"fine": FOX, **broken}))
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    first, *rest = caught.value.message.splitlines()
    assert first == f"{path} has 7 errors:"
    told = "a mention of entity '2' is closed but was not opened"
    assert rest[:2] == [f"  line 12: {told} (document 'd0').", f"  line 18: {told} (document 'd1')."]
    assert rest[5:] == ["  and 2 more."]


def test_errors_of_every_kind_are_gathered(write: Any) -> None:
    """A word outside, documents that do not end or begin, and what is wrong inside."""
    text = (
        "x (1)\ny (1)\n#begin document a\nx (1\n#end document\n#begin document b\nx (1)\n#begin document c\n"
        "x (1)\n#end document\n#end document\n#begin document c\nx (1)\n#end document\n#begin document d\nx -\n"
    )
    with pytest.raises(cd.FileError) as caught:
        cd.read(write("k.conll", text))
    lines = [line.split(":")[0].strip() for line in caught.value.message.splitlines()[1:]]
    assert lines == ["line 1", "line 4", "line 8", "line 11", "line 12", "and 1 more."]


def test_errors_are_gathered_in_other_formats(write: Any) -> None:
    """Documents of CorefUD and lines of JSON."""
    head = "# newdoc id = {}\n# global.Entity = eid\n"
    bad = conllu(("1", "a", "Entity=e1)"), ("2", "b", "Entity=e2)"), ("", "", ""))
    text = (
        head.format("a")
        + bad
        + head.format("b")
        + conllu(("1", "a", "Entity=(e1"), ("", "", ""))
        + "# newdoc\n1\tx\n"
    )
    with pytest.raises(cd.FileError) as caught:
        cd.read(write("k.conllu", text))
    lines = [line.split(":")[0].strip() for line in caught.value.message.splitlines()[1:]]
    assert lines == ["line 3", "line 8", "line 11"]
    text = '{"clusters": [[[1, 0]]]}\n{"clusters": []}\n{"clusters": [[[0, 3]]], "tokens": ["a", "b"]}\n{\n'
    with pytest.raises(cd.FileError) as caught:
        cd.read(write("k.jsonl", text), format="spans")
    assert caught.value.message.splitlines()[1:] == [
        "  line 1: cluster 0 holds [1, 0], which is not a span such as [3, 5] (document 'document 1').",
        "  line 3: cluster 0 holds [0, 3], but the document has 2 words, numbered from 0 (document 'document 3').",
        "  line 4, column 2: Expecting property name enclosed in double quotes.",
    ]


# ---- documents that one file lacks


def test_documents_of_the_response_alone_do_not_count_for_the_scorers(write: Any) -> None:
    """The reference scorers go through the key: 100, 100, 100. For S_H the other mentions are spurious."""
    key = write("key.conll", conll({"one": FOX}))
    response = write("response.conll", conll({"one": FOX, "two": FOX, "three": FOX}))
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"lacks 2 of the 3 documents of .*: 'two', 'three'\. Their points"
    ):
        diff = cd.compare(key, response)
    metrics = ("mentions", "muc", "b3", "ceaf_m", "ceaf_e", "blanc", "lea")
    names = [f"{metric}.{part}" for metric in metrics for part in ("recall", "precision", "f1")]
    assert diff.scores([*names, "conll"]) == dict.fromkeys([*names, "conll"], 1.0)
    assert isinstance(diff, cd.types.CorpusComparison)
    assert diff.n == 12
    assert diff.counts == cd.types.Counts(4, 12, 2, 6, 4, 0, 8)
    assert "reference scorers do" in run("compare", key, response).stderr


def test_documents_that_the_response_lacks_are_not_found(write: Any) -> None:
    """As in the reference scorer: they count for recall."""
    key = write("key.conll", conll({"one": FOX, "two": FOX}))
    response = write("response.conll", conll({"one": FOX}))
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"lacks 1 of the 2 documents of .*: 'two'\. Their points count as"
    ):
        diff = cd.compare(key, response)
    assert diff.scores(["b3.recall", "b3.precision", "muc.recall"]) == {
        "b3.recall": 0.5,
        "b3.precision": 1.0,
        "muc.recall": 0.5,
    }


def test_an_empty_document_of_the_key_counts(write: Any) -> None:
    """A document without mentions is still one that the scorers go through."""
    key = write("key.conll", conll({"one": FOX, "two": [(word, "-") for word, _ in FOX]}))
    response = write("response.conll", conll({"one": FOX, "two": FOX}))
    assert silent(key, response).scores(["b3.precision", "mentions.precision"]) == {
        "b3.precision": 0.5,
        "mentions.precision": 0.5,
    }


# ---- the command


def test_the_table_of_papers(write: Any) -> None:
    """One line for the system, precision before recall, and further measures at the end."""
    key = write("key.conll", conll({"one": FOX}))
    response = write("my_system.out.conll", conll({"one": [*FOX[:5], ("it", "-")]}))
    result = run("compare", key, response, "--latex", "--measures", "S_H,ceaf_m.f1")
    lines = result.stdout.splitlines()
    scores = cd.compare(key, response).scores(
        [f"{m}.{p}" for m in ("muc", "b3", "ceaf_e", "lea") for p in ("precision", "recall", "f1")]
        + ["conll", "S_H", "ceaf_m.f1"]
    )
    row = " & ".join(f"{100 * score:.2f}" for score in scores.values())
    assert rf"my\_system & {row} \\" in lines
    assert (lines[1], lines[5], lines[-2]) == (r"\toprule", r"\midrule", r"\bottomrule")
    assert lines[0].count("r") == 1 + len(scores)  # one in \begin{tabular}
    assert {line.count("&") for line in (lines[4], lines[6])} == {len(scores)}
    assert run("compare", key, response, "--latex", "--json").exit_code == 2


def test_chosen_documents(write: Any) -> None:
    """One or several by name; a name that nobody has is an error."""
    key = write("key.conll", conll({"one": FOX, "two": FOX, "three": FOX}))
    response = write("response.conll", conll({"one": [*FOX[:5], ("it", "-")], "two": FOX, "four": FOX}))
    data = json.loads(run("compare", key, response, "--document", "two", "--json").stdout)
    assert (data["scores"]["S_H"], data["counts"]["true_points"], data["notices"]) == (1.0, 4, [])
    data = json.loads(
        run("compare", key, response, "--document", "two", "--document", "one", "--json").stdout
    )
    assert data["counts"] == {
        "true_points": 8,
        "pred_points": 7,
        "true_clusters": 4,
        "pred_clusters": 4,
        "found": 7,
        "missing": 1,
        "spurious": 0,
    }
    wrong = run("compare", key, response, "--document", "tow")
    assert (wrong.exit_code, "none has 'tow'" in wrong.stderr, "'two'" in wrong.stderr) == (2, True, True)
    lacks = run("compare", key, response, "--document", "three")
    assert (lacks.exit_code, f"{response} has no document 'three'" in lacks.stderr) == (2, True)
    assert (
        "lacks 1 of the 2 documents"
        in run("compare", key, response, "--document", "one", "--document", "three").stderr
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--noise", "1"],
        ["--engine", "duckdb"],
        ["--memory", "1GB"],
        ["--master", "local"],
        ["--by", "city"],
        ["--point", "x"],
        ["--cluster", "x"],
        ["--true", "x", "--pred", "y"],
        ["--pairs"],
        ["--ignore", "0"],
        ["--documents", "x"],
        ["--write", "sums=x.csv"],
    ],
)
def test_what_has_no_meaning_for_documents_is_refused(write: Any, options: list[str]) -> None:
    """Never ignored."""
    key = write("key.conll", conll({"one": FOX}))
    result = run("compare", key, key, *options)
    assert result.exit_code == 2
    assert "error: " in result.stderr


def test_old_and_new_are_no_documents(write: Any) -> None:
    """Releases are tables."""
    key = write("key.conll", conll({"one": FOX}))
    result = run("compare", "--old", key, "--new", key)
    assert (result.exit_code, "--old/--new has no meaning for documents" in result.stderr) == (2, True)


def test_what_is_for_documents_is_refused_for_tables(write: Any) -> None:
    """--document, --latex and --singletons too."""
    table = write("t.csv", "id,cluster\n1,2\n2,2\n")
    for options in (["--document", "x"], ["--latex"], ["--singletons", "drop"]):
        result = run("compare", table, table, *options)
        assert (result.exit_code, "document" in result.stderr) == (2, True)
        assert run("compare", table, table, *options, "--engine", "polars").exit_code == 2


def test_what_works_for_documents(write: Any, tmp_path: Path) -> None:
    """Slices, explanations and written parts."""
    key = write("key.conll", conll({"one": FOX}))
    response = write("response.conll", conll({"one": [*FOX[:5], ("it", "(2)")]}))
    assert "size" in run("compare", key, response, "--by", "size").stdout
    assert "what to fix first" in run("compare", key, response, "--explain").stdout
    assert {"explanation", "repairs"} <= set(
        json.loads(run("compare", key, response, "--explain", "--json").stdout)
    )
    for part in ("meet", "components", "splits", "merges", "repairs"):
        path = tmp_path / f"{part}.csv"
        assert run("compare", key, response, "--write", f"{part}={path}").exit_code == 0
        assert path.stat().st_size
    assert run("compare", key, response, "--write", f"scores={tmp_path / 's.json'}").exit_code == 0
    assert {"muc.f1", "blanc.f1", "conll", "S_H"} <= set(json.loads((tmp_path / "s.json").read_text()))


def test_reading_gives_no_other_warnings(write: Any) -> None:
    """A plain file is read in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cd.read(write("k.conll", conll({"one": FOX})))
