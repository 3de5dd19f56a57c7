"""Files of judgements: what other tools store is read as it is, and what cannot be meant is refused by name."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

import clusterdiff as cd
from tests.cases import cases


def read(tmp_path: Path, name: str, text: str, **how: Any) -> cd.Judgements:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return cd.Judgements.read(path, **how)


def claims(judgements: cd.Judgements) -> list[Any]:
    return [[list(group) for group in one.groups] or ["unsure", *one.unsure] for one in judgements]


def test_matchbox_endorses_groups(tmp_path: Path) -> None:
    """A list of judgements, or a line for each; unknown keys stay."""
    said = [{"user_name": "ann", "shown": 10, "endorsed": [[1, 2], [3]], "tag": "round 1"}]
    found = read(tmp_path, "m.json", json.dumps(said))
    assert claims(found) == [[["1", "2"], ["3"]]]
    assert (found[0].by, found[0].shown, found[0].other) == ("ann", 10, {"tag": "round 1"})


def test_matchbox_downloads_are_read_as_they_come(tmp_path: Path) -> None:
    """Two tables in a zip: which parts were endorsed of what was shown, and the points of both.

    A part of one point is called by that point, and the same cluster may be judged twice.
    """
    endorsed = [("alice", 11, 10), ("alice", 12, 10), ("bob", 10, 10), ("bob", 4, 20), ("bob", 5, 20)]
    points = {10: [1, 2, 3], 11: [1], 12: [2, 3], 20: [4, 5]}

    def download(rows: list[tuple[str, int, int]], *names: str) -> Path:
        for name, data in zip(
            names,
            (
                f"FROM (VALUES {', '.join(map(str, rows))}) AS t(user_name, endorsed, shown)",
                f"FROM (VALUES {', '.join(map(str, points.items()))}) AS t(root, leaves)",
            ),
            strict=False,
        ):
            duckdb.sql(f"COPY ({data}) TO '{tmp_path / name}' (FORMAT parquet)")
        with zipfile.ZipFile(tmp_path / "judgements.zip", "w") as archive:
            for name in names:
                archive.write(tmp_path / name, name)
        return tmp_path / "judgements.zip"

    both = ("judgements.parquet", "expansion.parquet")
    found = cd.Judgements.read(download(endorsed, *both))
    assert claims(found) == [[["1"], ["2", "3"]], [["1", "2", "3"]], [["4"], ["5"]]]
    assert [one.by for one in found] == ["alice", "bob", "bob"]
    between = [
        ("alice", 11, 10),
        ("bob", 1, 10),
        ("alice", 4, 20),
        ("bob", 12, 10),
        *endorsed[1:2],
        ("alice", 5, 20),
    ]
    found = cd.Judgements.read(download(between, *both))
    assert [(one.by, one.groups) for one in found] == [
        ("bob", (("1",), ("2", "3"))),
        ("alice", (("1",), ("2", "3"))),
        ("alice", (("4",), ("5",))),
    ]
    with pytest.raises(cd.FileError, match="ends before all parts of cluster 10 are endorsed by alice"):
        cd.Judgements.read(download(endorsed[:1], *both))
    for odd in (("alice", 1, 10), ("alice", 4, 10)):  # endorsed already; not shown
        with pytest.raises(
            cd.FileError, match="row 2: the parts that alice endorsed are not those of cluster 10"
        ):
            cd.Judgements.read(download([endorsed[0], odd], *both))
    with pytest.raises(cd.FileError, match="is not a download of matchbox, which holds"):
        cd.Judgements.read(download(endorsed, both[0]))


def test_splink_labels_as_its_labelling_tool_writes_them(tmp_path: Path) -> None:
    """Columns are called as the settings call them; notes say why, and a record beside itself says nothing."""
    head = "match_probability,match_weight,clerical_match_score,clerical_notes,original_record_unique_id"
    rows = f"rec_l,rec_r,{head}\n0,0,0.99,16.7,0,,0\n0,3,0.5,1.7,1,same mail,0\n0,4,0.1,-2.1,0.35,,0\n"
    found = read(tmp_path, "labels_0.csv", rows)
    assert claims(found) == [[["0", "3"]], ["unsure", "0", "4"]]
    assert [(one.id, one.why) for one in found] == [("line 3", "same mail"), ("line 4", None)]
    rows = "unique_id_l,source_dataset_l,unique_id_r,source_dataset_r,clerical_match_score\n0,f,1,f,1.0\n"
    assert claims(read(tmp_path, "l.csv", rows)) == [[["f-__-0", "f-__-1"]]]
    assert claims(read(tmp_path, "l.csv", rows, key="unique_id")) == [[["0", "1"]]]
    rows = "name_l,name_r,id_l,id_r,clerical_match_score\nann,anna,1,2,1\n"
    with pytest.raises(cd.FileError, match="does not show which column names the points") as caught:
        read(tmp_path, "l.csv", rows)
    assert caught.value.hint == "name it with key=, without its _l or _r: 'name', 'id'."
    assert claims(read(tmp_path, "l.csv", rows, key="ID")) == [[["1", "2"]]]


def test_points_of_several_columns(tmp_path: Path) -> None:
    """They are called as in a run whose points have such a key, whatever file they stand in."""
    run = tmp_path / "run.csv"
    run.write_text("source_dataset,unique_id,cluster_id\nx,1,1\ny,2,1\nx,2,2\n", encoding="utf-8")
    keys = ["source_dataset", "unique_id"]
    labels = "unique_id_l,source_dataset_l,unique_id_r,source_dataset_r,clerical_match_score\n1,x,2,y,1\n1,x,2,x,0\n"
    zingg = "z_cluster,z_isMatch,source_dataset,unique_id\nc,1,x,1\nc,1,y,2\nd,0,x,1\nd,0,x,2\n"
    records = [
        {"source_dataset": source, "unique_id": number} for source, number in (("x", 1), ("y", 2), ("x", 2))
    ]
    trained = json.dumps({"match": [records[:2]], "distinct": [records[::2]]})
    named = [[['["x", "1"]', '["y", "2"]']], [['["x", "1"]'], ['["x", "2"]']]]
    for name, text in (("l.csv", labels), ("z.csv", zingg), ("t.json", trained)):
        for key in (keys, ",".join(keys)):
            found = read(tmp_path, name, text, key=key)
            assert claims(found) == named
            assert found.judge(run, point=keys).kept == 2
    assert claims(cd.Judgements([{"groups": [[("x", 1), ("y", 2)]]}])) == named[:1]
    with pytest.raises(cd.FileError, match="must be text or a number; got \\('x', None\\)"):
        cd.Judgements([{"groups": [[("x", None)]]}])


def test_babel_tests_in_json_and_in_issues(tmp_path: Path) -> None:
    """What resolves together, and what does not."""
    text = "See {{BabelTest|ResolvesWith|A:1|B:2}} and\n{{BabelTest|DoesNotResolveWith|A:1|C:3}}"
    text += "; {{BabelTest|HasLabel|A:1|x}}"
    assert claims(read(tmp_path, "issue.txt", text)) == [[["A:1", "B:2"]], [["A:1"], ["C:3"]]]
    text = "{{babeltest|resolveswith|A:1|B:2}}\n```yaml\nbabel_tests:\n  DoesNotResolveWith:\n    - [A:1, 'C:3']\n"
    text += "  HasLabel:\n  - x\n```"
    assert claims(read(tmp_path, "issue.txt", text)) == [
        [["A:1", "B:2"]],
        [["A:1"], ["C:3"]],
    ]
    text = "```yaml\nbabel_tests:\n  ResolvesWith:\n  # the same water\n  - - A:1\n    - 'B:2'\n  - - C:3\n    - D:4\n"
    assert claims(read(tmp_path, "issue.txt", text + "  DoesNotResolveWith:\n  - [A:1, A:1, C:3]\n```")) == [
        [["A:1", "B:2"]],
        [["C:3", "D:4"]],
        [["A:1"], ["C:3"]],
    ]
    text = "babel_tests:\n  ResolvesWith:\n    - [A:1, B:2]\n"
    assert claims(read(tmp_path, "tests.yaml", text)) == [[["A:1", "B:2"]]]
    for name, text in (
        ("b.json", '{"ResolvesWith": ["A:1", "B:2"]}'),
        ("i.md", "{{BabelTest|ResolvesWith|A:1}}"),
    ):
        with pytest.raises(cd.FileError, match="must have lists of two or more names; got 'A:1'"):
            read(tmp_path, name, text)
    three = read(tmp_path, "issue.txt", "{{BabelTest|DoesNotResolveWith|A|B|C}}")[0]
    assert three.why == "not all the same in Babel, read as all apart"
    text = json.dumps({"babel_tests": {"ResolvesWith": [["A:1", "B:2"]]}})
    assert claims(read(tmp_path, "b.json", text)) == [[["A:1", "B:2"]]]


def test_openrefine_merges_values(tmp_path: Path) -> None:
    """The history of operations: what was edited to one value is a group, and other operations are passed over."""
    history = [
        {"op": "core/column-removal", "columnName": "x"},
        {
            "op": "core/mass-edit",
            "engineConfig": {"facets": [], "mode": "row-based"},
            "columnName": "town",
            "expression": "value",
            "edits": [
                {"from": ["Leds", "leeds"], "fromBlank": False, "fromError": False, "to": "Leeds"},
                {"from": ["York"], "fromBlank": False, "fromError": False, "to": "York"},
            ],
        },
    ]
    found = read(tmp_path, "history.json", json.dumps(history))
    assert claims(found) == [[["Leds", "Leeds", "leeds"]]]
    assert found[0].id == "town: Leeds"
    with pytest.raises(cd.FileError, match="none of them merges values"):
        read(tmp_path, "history.json", json.dumps(history[:1]))


def test_zingg_labels_by_cluster(tmp_path: Path) -> None:
    """1 match, 0 no match, 2 unsure; the key column names the points."""
    rows = (
        "z_zid,z_cluster,z_isMatch,recid\n0,c1,1,r1\n1,c1,1,r2\n2,c2,0,r3\n3,c2,0,r4\n4,c3,2,r5\n5,c3,2,r6\n"
    )
    assert claims(read(tmp_path, "z.csv", rows, key="recid")) == [
        [["r1", "r2"]],
        [["r3"], ["r4"]],
        ["unsure", "r5", "r6"],
    ]
    assert claims(read(tmp_path, "z.csv", rows))[0] == [["0", "1"]]
    with pytest.raises(cd.FileError, match="has no column 'name' that names the points"):
        read(tmp_path, "z.csv", rows, key="name")
    with pytest.raises(cd.FileError, match="'c1': its records must have one z_isMatch; got '1', '0'"):
        read(tmp_path, "z.csv", rows.replace("1,c1,1", "1,c1,0"))
    with pytest.raises(cd.FileError, match="row 3 has no z_cluster"):
        read(tmp_path, "z.csv", rows.replace("1,c1,1", "1,,1"))
    folder = tmp_path / "marked"  # as Spark writes it
    folder.mkdir()
    for name, text in {"_SUCCESS": "", ".part-0.csv.crc": "x", "part-0.csv": rows}.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert len(cd.Judgements.read(folder)) == 3


def test_dedupe_needs_a_key(tmp_path: Path) -> None:
    """Its training data holds records, not ids."""
    record = {"id": "1", "name": "Ann"}, {"id": "2", "name": "Anna"}
    text = json.dumps(
        {"match": [{"__class__": "tuple", "__value__": list(record)}], "distinct": [[record[0], {"id": "3"}]]}
    )
    assert claims(read(tmp_path, "t.json", text, key="id")) == [[["1", "2"]], [["1"], ["3"]]]
    with pytest.raises(cd.FileError, match="does not say which points they are") as caught:
        read(tmp_path, "t.json", text)
    assert caught.value.hint == "name the field that does with key=: 'id', 'name'."
    with pytest.raises(cd.ArgumentError, match="`key` must be a field of the records"):
        read(tmp_path, "t.json", text, key="ssn")
    for records, wrong in (
        ([{"id": 1}, {"id": 1}], "match 1: both records have the same id, 1"),
        ([{"id": None}, {"id": 1}], "match 1: id must be text or a number; got None"),
    ):
        with pytest.raises(cd.FileError, match=wrong):
            read(tmp_path, "t.json", json.dumps({"match": [records], "distinct": []}), key="id")


def test_nomenklatura_withdraws_what_is_deleted(tmp_path: Path) -> None:
    """deleted_at is the seventh field."""
    lines = '["a","b","positive",null,"ann","2026-01-01","2026-02-01"]\n'
    lines += '["a","c","unsure",null,"ann","2026-01-01",null]\n'
    found = read(tmp_path, "resolver.ijson", lines)
    assert [one.withdrawn for one in found] == [True, False]
    assert not found.facts.blocks


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Every field, and keys that are not ours."""
    said: list[dict[str, Any]] = [
        {"id": "1", "groups": [["b", "a"], ["c"]], "by": "ann", "at": "2026", "why": "x", "source": "s"},
        {"id": "2", "unsure": ["d", "e"], "probability": 0.25, "stratum": "0", "x": 2.5},
        {"id": "3", "groups": [["z"], ["a", "b"]], "beyond": [3, 0], "complete": True, "expect": "fail"},
        {
            "id": "4",
            "groups": [["a", 7]],
            "withdrawn": True,
            "answer": "own",
            "shown": {"1": [["a"]]},
            "own": [1],
        },
        {"id": "5", "answer": "neither", "probability": 1.0},
    ]
    first = cd.Judgements(said)
    assert first[2].beyond == (0, 3)  # groups are in the order of their points, and their counts with them
    assert first[3].points == ("7", "a")
    first = cd.Judgements([*first, {"id": "6", "groups": [["line\u2028break", "next\x85line"]]}])
    first.write(tmp_path / "j.jsonl")
    again = cd.Judgements.read(tmp_path / "j.jsonl")
    assert list(again) == list(first)
    assert again.to_jsonl() == first.to_jsonl()


def test_tables_may_be_objects_of_json(tmp_path: Path) -> None:
    """In lines or a list; a missing value is empty, and numbers name the points that they name elsewhere."""
    rows = [{"a": 1, "b": 2.0, "verdict": True}, {"b": "x", "a": "y", "verdict": "no match", "by": "ann"}]
    for name, text in (("t.json", json.dumps(rows)), ("t.jsonl", "\n".join(map(json.dumps, rows)))):
        found = read(tmp_path, name, text)
        assert claims(found) == [[["1", "2"]], [["x"], ["y"]]]
        assert [one.by for one in found] == [None, "ann"]
    with pytest.raises(cd.FileError, match="line 3 has no b"):
        read(tmp_path, "t.json", json.dumps([rows[0], {"a": 1, "verdict": 1}]))
    assert read(tmp_path, "t.json", json.dumps([{**rows[0], "groups": [[1]]}]))[0].groups == (("1",),)


def test_floats_of_a_table_name_the_points_of_a_run(tmp_path: Path) -> None:
    """A column of numbers with gaps becomes one of floats in pandas, in the run and in the judgements."""
    for name, columns in (("run", "1.0::DOUBLE, 'x'), (2.0, 'x'"), ("said", "1.0::DOUBLE, 2.0::DOUBLE")):
        heads = "id, cluster" if name == "run" else "a, b"
        more = "" if name == "run" else ", 'match' AS verdict, 0.5 AS probability"
        duckdb.sql(
            f"COPY (SELECT *{more} FROM (VALUES ({columns})) AS t({heads})) TO '{tmp_path / name}.parquet'"
        )
    (said,) = found = cd.Judgements.read(tmp_path / "said.parquet")
    assert (said.groups, said.probability) == ((("1", "2"),), 0.5)
    assert found.judge(tmp_path / "run.parquet").kept == 1


def test_tables_keep_what_else_they_say(tmp_path: Path) -> None:
    """Columns that are not ours are kept as they are written: by point, where rows of a judgement differ."""
    pairs = read(tmp_path, "p.csv", "a,b,verdict,Team,withdrawn\nx,y,match,red,\nx,z,no match,,yes\n")
    assert [one.other for one in pairs] == [{"Team": "red"}, {}]
    assert [one.withdrawn for one in pairs] == [False, True]
    rows = (
        "judgement,group,point,by,at,Name,team\nj,1,x,,2026,Ann,red\nj,1,y,eva,,Anna,red\nj,2,z,eva,,,red\n"
    )
    (long,) = read(tmp_path, "l.csv", rows)
    assert (long.by, long.at, long.groups) == ("eva", "2026", (("x", "y"), ("z",)))
    assert long.other == {"Name": {"x": "Ann", "y": "Anna"}, "team": "red"}
    cd.Judgements([long]).write(tmp_path / "l.jsonl")
    assert list(cd.Judgements.read(tmp_path / "l.jsonl")) == [long]


@pytest.mark.parametrize("name", ["j.csv", "j.parquet", "j.jsonl.gz", "j.zip"])
def test_judgements_are_not_written_to_what_reads_otherwise(name: str, tmp_path: Path) -> None:
    """A name that says table or compressed file would be read as one."""
    with pytest.raises(cd.FileError, match="is no name for judgements, which are written as JSON lines"):
        cd.Judgements([{"groups": [["a", "b"]]}]).write(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_several_files_tell_their_lines_apart(tmp_path: Path) -> None:
    """The number of a line is prefixed with the file's name; ids are left alone."""
    (tmp_path / "a.csv").write_text("a,b,verdict\nx,y,match\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"id":"q","groups":[["x"],["y"]]}\n', encoding="utf-8")
    found = cd.Judgements.read(tmp_path / "a.csv", tmp_path / "b.jsonl")
    assert [one.id for one in found] == ["a.csv line 2", "q"]
    assert str(found.contradictions[0]) == "x ≠ y (q), but x = y (a.csv line 2)"


@cases(
    ("line", "wrong"),
    [
        ('{"groups": [["a"], ["a", "b"]]}', "line 1 names 'a' twice"),
        ('{"id": "r", "groups": [[]]}', r"line 1 \(r\) has an empty group"),
        ('{"groups": "ab"}', '"groups" must be a list of lists of points'),
        ('{"groups": [[null]]}', "must be text or a number"),
        ('{"by": "ann"}', 'must have "groups", lists of points, or "unsure"'),
        ('{"groups": [["a"]], "unsure": ["b"]}', 'has "groups" and "unsure"'),
        (
            '{"groups": [["a", "b"]], "probability": 0}',
            '"probability" must be a number above 0, and at most 1',
        ),
        ('{"groups": [["a", "b"]], "expect": "maybe"}', '"expect" must be "pass" or "fail"'),
        ('{"groups": [["a", "b"]], "beyond": [1, 2]}', '"beyond" must be a list of counts, one per group'),
        ('{"groups": [["a", "b"]], "complete": 1}', '"complete" must be true or false'),
        ('["a", "b", "positive"]', "line 1 must be a judgement, or a line of a resolver"),
        ('{"nodes": []}', 'line 1 must have "groups"'),
        ('["a", "b"]', "line 1 must be an object; got 'a'"),
        ("x y", "holds no judgements: it starts with neither JSON nor a table"),
    ],
)
def test_what_cannot_be_meant_is_refused(line: str, wrong: str, tmp_path: Path) -> None:
    """With the file, the line and the field."""
    with pytest.raises(cd.FileError, match=wrong):
        read(tmp_path, "j.jsonl" if line[0] in "[{" else "j.txt", line + "\n")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a,b,verdict\nx,y,perhaps\n", "line 2: the verdict must be"),
        ("a,b,verdict\nx,x,match\n", "judges 'x' against itself"),
        ("a,b,verdict\nx,,match\n", "line 2 has no b"),
        ("a,b,verdict,probability\nx,y,match,often\n", "probability must be a number; got 'often'"),
        (
            "a,b,verdict,complete\nx,y,match,perhaps\n",
            "line 2: complete must be true or false; got 'perhaps'",
        ),
        ("a,b,verdict,groups\nx,y,match,1\n", "has the column 'groups', which only JSON lines can hold"),
        (
            "judgement,group,point,by\nj,1,x,ann\nj,1,y,bob\n",
            "lines 2 and 3: a judgement has one by; got 'ann'",
        ),
        ("judgement,group,point\ni,1,x\nj,1,\n", "line 3 has no point"),
        ("judgement,group,point\ni,1,x\nj,1,y\nj,2,y\n", r"'j' \(from line 3\) names 'y' twice"),
        ("a,b,verdict\nx,y,match\nx,match\n", "line 3: expected 3 fields, found 2"),
        ("left,right\nx,y\n", "is not a table of judgements: it has the columns 'left', 'right'"),
    ],
)
def test_tables_that_hold_no_judgements_are_refused(text: str, wrong: str, tmp_path: Path) -> None:
    """By line."""
    with pytest.raises(cd.FileError, match=wrong):
        read(tmp_path, "j.csv", text)


def test_labelled_pairs_are_not_links(tmp_path: Path) -> None:
    """Read as links they are refused, and the way out is named; read as judgements they say what they say."""
    path = tmp_path / "labels.csv"
    path.write_text(
        "unique_id_l,unique_id_r,clerical_match_score\n1,2,1.0\n1,3,0.0\n2,3,0.5\n", encoding="utf-8"
    )
    with pytest.raises(cd.FileError, match="not every pair is a link") as caught:
        cd.read(path, pairs=True)
    assert "clusterdiff judge RUN FILE" in str(caught.value.hint)
    assert claims(cd.Judgements.read(path)) == [[["1", "2"]], [["1"], ["3"]], ["unsure", "2", "3"]]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,verdict\nx,y,no match\n",
        "judgement,group,point\ni,1,x\nj,1,y\n",
        "z_cluster,z_isMatch,z_zid\n0,1,x\n",
    ],
)
def test_judgements_are_not_read_as_clusters(text: str, tmp_path: Path) -> None:
    """A group has a number of its own in each judgement, so it is no cluster; the way out is named."""
    (tmp_path / "j.csv").write_text(text, encoding="utf-8")
    with pytest.raises(cd.FileError) as error:
        cd.compare(tmp_path / "j.csv", {"x": 1, "y": 2}, missing="drop")
    assert "`clusterdiff judge` checks a run against them" in str(error.value.hint)


def test_points_of_one_text_are_refused() -> None:
    """1 and "1" cannot be told apart by judgements."""
    said = cd.Judgements([{"groups": [["1", "2"]]}])
    with pytest.raises(cd.LabelError, match="`run` mixes points of different types"):
        said.judge({1: "a", "1": "b", 2: "a"})
    assert said.judge({1: "a", 2: "a"}).kept == 1
    assert said.judge([0, 0, 0]).kept == 1  # points without names are called by their positions
