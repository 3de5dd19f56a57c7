"""Runs held against judgements: verdicts, limits, exit codes, and corrections that last."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli.main import main

RUN = {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "f": 2}


def command(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run.csv").write_text(
        "id,name,cluster\n" + "".join(f"{p},n{p},{c}\n" for p, c in RUN.items()), encoding="utf-8"
    )
    said: list[dict[str, Any]] = [
        {"id": "1", "groups": [["a", "d"]], "by": "ann"},
        {"id": "2", "groups": [["a", "b"]]},
        {"id": "3", "groups": [["e"], ["f"]]},
        {"id": "4", "groups": [["b", "f"]], "expect": "fail", "why": "known"},
    ]
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    return tmp_path


def test_a_pair_that_its_author_took_back_is_not_violated() -> None:
    """Superseded pairs count neither as pairs nor as violations."""
    said = cd.Judgements(
        [
            {"id": "1", "groups": [["a", "b", "d"]], "by": "ann", "at": "2026-01-01"},
            {"id": "2", "groups": [["a"], ["d"]], "by": "ann", "at": "2026-02-01"},
            {"id": "3", "groups": [["e", "f"]], "by": "ann", "at": "2026-01-01"},
            {"id": "4", "unsure": ["e", "f"], "by": "ann", "at": "2026-02-01"},
        ]
    )
    rows = {row.id: row for row in said.judge(RUN).table}
    assert (rows["1"].pairs, rows["1"].violated) == (2, 1)  # b and d are still apart in the run
    assert rows["2"].state == "kept"
    assert (rows["3"].state, rows["3"].pairs) == ("undecided", 0)


def test_two_runs_tell_what_was_fixed_and_what_regressed() -> None:
    """By judgement, not by count."""
    said = cd.Judgements([{"id": "1", "groups": [["a", "b"]]}, {"id": "2", "groups": [["a"], ["c"]]}])
    verdicts = said.judge({"a": 1, "b": 2, "c": 3}, old={"a": 1, "b": 1, "c": 1})
    assert (verdicts.fixed, verdicts.regressed) == (["2"], ["1"])
    assert verdicts.values["regressed"] == 1
    again = pickle.loads(pickle.dumps(verdicts))
    assert again.to_dict() == verdicts.to_dict()


def test_judgements_with_one_id_are_compared_one_by_one() -> None:
    """Two reviewers number their findings alike: each is fixed or not for itself."""
    said = cd.Judgements([{"id": "1", "groups": [["a", "b"]]}, {"id": "1", "groups": [["c", "d"]]}])
    old, new = [["a", "b"], ["c"], ["d"]], [["a"], ["b"], ["c", "d"]]
    verdicts = said.judge(new, old=old)
    assert (verdicts.fixed, verdicts.regressed) == (["1"], ["1"])


def test_exit_codes_of_judge(files: Path) -> None:
    """1 for a violation; limits, once given, decide alone; --strict minds what is kept against expectation."""
    run, said = files / "run.csv", files / "j.jsonl"
    out = command("judge", run, said)
    assert out.exit_code == 1
    assert "4 judgements: 1 violated, 1 expected, 2 kept (67%)" in out.output
    assert command("judge", run, said, "--fail-if", "violated>1").exit_code == 0
    assert command("judge", run, said, "--fail-if", "violated>1", "--fail-if", "largest>2").exit_code == 1
    assert command("judge", run, said, "--fail-if", "kept<0.6").exit_code == 0
    assert command("judge", run, said, "--fail-if", "kept<0.98").exit_code == 1
    assert "violated is 1\n" in command("judge", run, said, "--fail-if", "violated>0").output
    assert command("judge", run, said, "--fail-if", "kept").exit_code == 2
    assert "did you mean 'kept'?" in command("judge", run, said, "--fail-if", "kep<1").output
    assert command("judge", run).exit_code == 2
    assert command("judge", said, "--new", run).exit_code == 2
    told = json.loads(command("judge", run, said, "--json").stdout)
    assert (told["violated"], told["expected"], told["largest"]) == (1, 1, 3)
    assert [row["id"] for row in told["judgements"]] == ["1", "4", "2", "3"]
    kept = files / "kept.jsonl"
    kept.write_text('{"id":"9","groups":[["a","b"]],"expect":"fail"}\n', encoding="utf-8")
    assert command("judge", run, kept).exit_code == 0
    assert command("judge", run, kept, "--strict").exit_code == 1


def test_a_run_without_any_judged_point_is_no_success(files: Path) -> None:
    """Names that changed their form must not pass as a test that was kept; some that are gone are told."""
    said = files / "gone.jsonl"
    said.write_text('{"groups":[["A","B"]]}\n', encoding="utf-8")
    out = command("judge", files / "run.csv", said)
    assert out.exit_code == 2
    assert "run.csv has none of the 2 points that the judgements name: 'A', 'B'" in out.output
    done = command("apply", files / "run.csv", said, "-o", files / "out.csv")
    assert (done.exit_code, "the run has no point of the judgements: 'A', 'B'" in done.output) == (0, True)
    said.write_text('{"groups":[["a","b","B"]]}\n', encoding="utf-8")
    out = command("judge", files / "run.csv", said)
    assert (out.exit_code, "not in the run: 'B'" in out.output) == (0, True)


def test_contradictions_stop_apply_and_are_told_by_judge(files: Path) -> None:
    """All are listed, exit code 1, nothing is written; no run keeps them, whatever limits are set."""
    said, out = files / "against.jsonl", files / "out.csv"
    lines = ['{"id":"1","groups":[["a","b"]]}', '{"id":"2","groups":[["a"],["b"]]}']
    lines += ['{"id":"3","groups":[["d","e"]]}', '{"id":"4","groups":[["d"],["e"]]}']
    said.write_text("\n".join(lines), encoding="utf-8")
    told = "2 contradictions: no run keeps all judgements\n  a ≠ b (2), but a = b (1)\n  d ≠ e (4), but d = e (3)"
    done = command("apply", files / "run.csv", said, "-o", out)
    assert (done.exit_code, out.exists()) == (1, False)
    assert told in done.output
    assert told in command("judge", files / "run.csv", said, "--fail-if", "violated>9").output
    assert "  … 1 more" in command("judge", files / "run.csv", said, "--top", "1").output


def test_apply_tells_judgements_from_a_patch(files: Path) -> None:
    """The same command; the table keeps its columns, names stay, and applying again changes nothing."""
    out, again = files / "out.csv", files / "again.csv"
    said = files / "j.jsonl"
    done = command("apply", files / "run.csv", said, "-o", out)
    assert done.exit_code == 0
    assert "1 join, 1 cluster taken apart" in done.output
    rows = out.read_text(encoding="utf-8").splitlines()
    assert rows[0] == "id,name,cluster"
    assert [row.split(",")[2] for row in rows[1:]] == ["0", "0", "0", "0", "1", "0"]
    assert command("apply", out, said, "-o", again).exit_code == 0
    assert again.read_text(encoding="utf-8") == out.read_text(encoding="utf-8")
    patch = files / "p.json"
    assert command("patch", out, files / "run.csv", "-o", patch).exit_code == 0
    assert command("apply", files / "run.csv", patch).output.splitlines()[1:] != []
    assert "--key is for judgements" in command("apply", files / "run.csv", patch, "--key", "id").output


def test_what_judgements_leave_open_is_listed(files: Path) -> None:
    """Points that could have gone elsewhere are named, and so are points that the run lacks."""
    said = files / "open.jsonl"
    said.write_text('{"groups":[["a"],["b"]]}\n{"groups":[["y","z"]]}\n', encoding="utf-8")
    done = command("apply", files / "run.csv", said)
    assert (
        "undetermined: 3 points could have gone elsewhere: 'a', 'b', 'c'" in done.output
        or "'c'" in done.output
    )
    assert "not in the run: 'y', 'z'" in done.output
    found = cd.Judgements.read(said).apply(RUN)
    assert found.chosen == 1
    assert (found.torn[0].cluster, found.torn[0].parts) == (0, (("a", "c"), ("b",)))
    assert "c" in found.undetermined
    assert pickle.loads(pickle.dumps(found)).torn == found.torn


def test_the_command_lists_contradictions_and_settles_them(files: Path) -> None:
    """Exit 1 while there are any; --settle writes what stands."""
    one, two = files / "one.csv", files / "two.csv"
    one.write_text(
        "a,b,verdict,by,at\na,b,match,ann,2026-01-01\nb,c,match,ann,2026-01-01\n", encoding="utf-8"
    )
    two.write_text("a,b,verdict,by,at\na,c,no match,bob,2026-02-01\n", encoding="utf-8")
    told = command("judgements", one, two)
    assert told.exit_code == 1
    assert "a ≠ c (two.csv line 2), but a = b (one.csv line 2) = c (one.csv line 3)" in told.output
    assert command("apply", files / "run.csv", one).exit_code == 0
    out = files / "stands.jsonl"
    assert command("judgements", one, two, "-o", out).exit_code == 1
    assert not out.exists()
    assert command("judgements", one, two, "--settle", "-o", out).exit_code == 0
    assert [json.loads(line)["by"] for line in out.read_text(encoding="utf-8").splitlines()] == ["bob"]
    assert command("judgements", one, two, "--settle", "--authors", "ann,bob", "-o", out).exit_code == 0
    assert [json.loads(line)["by"] for line in out.read_text(encoding="utf-8").splitlines()] == ["ann", "ann"]
    assert command("judgements", one, "--authors", "ann").exit_code == 2
    data = json.loads(command("judgements", one, two, "--json").stdout)
    assert (data["judgements"], data["together"], data["apart"]) == (3, 2, 1)
    assert data["contradictions"][0]["path"] == ["a", "b", "c"]


def test_scored_pairs_say_where_to_cut(tmp_path: Path) -> None:
    """At the weakest link; without scores, points that nobody judged stay with the larger part."""
    (tmp_path / "run.csv").write_text("id,cluster\na,1\nb,1\nc,1\nd,1\n", encoding="utf-8")
    (tmp_path / "j.csv").write_text("a,b,verdict\na,d,no match\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("left,right,score\na,b,0.9\nb,c,0.4\nc,d,0.8\n", encoding="utf-8")
    args = ("apply", tmp_path / "run.csv", tmp_path / "j.csv", "-o", tmp_path / "out.csv")
    for more, wanted in (((), "1112"), (("--scores", tmp_path / "s.csv"), "1122")):
        assert command(*args, *more).exit_code == 0
        rows = (tmp_path / "out.csv").read_text(encoding="utf-8").split()[1:]
        assert "".join(row[-1] for row in rows) == wanted


def test_limits_of_two_runs_need_two_runs(files: Path) -> None:
    """What regressed is unknown without an older run: no success."""
    run, said = files / "run.csv", files / "j.jsonl"
    out = command("judge", run, said, "--fail-if", "regressed>0")
    assert (out.exit_code, "--fail-if 'regressed' is about two runs" in out.output) == (2, True)
    assert command("judge", "--old", run, "--new", run, said, "--fail-if", "regressed>0").exit_code == 0
