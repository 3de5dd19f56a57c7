"""Connections of our own: one DuckDB, which each has to itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from clusterdiff.tables import duck
from clusterdiff.tables.sessions import open_session


def setting(con: duck.Connection, name: str) -> object:
    """What a database is set to."""
    (value,) = con.execute(f"SELECT current_setting('{name}')").fetchone() or ()
    return value


def test_connections_share_a_database_and_no_tables() -> None:
    """What one makes no other sees, and it is gone with the one that made it."""
    one, other = duck.connect(), duck.connect()
    one.execute("CREATE TEMP TABLE mine AS SELECT 1")
    with pytest.raises(duckdb.Error, match="mine"):
        other.execute("FROM mine")
    other.execute("CREATE TEMP TABLE mine AS SELECT 2")
    assert (one.execute("FROM mine").fetchall(), other.execute("FROM mine").fetchall()) == ([(1,)], [(2,)])
    one.execute("ATTACH ':memory:' AS seen_by_all")
    try:
        assert other.execute(
            "SELECT count(*) FROM duckdb_databases() WHERE database_name = 'seen_by_all'"
        ).fetchone() == (1,)
    finally:
        one.execute("DETACH seen_by_all")


def test_it_spills_to_the_temporary_folder_of_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever that is now."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert str(setting(duck.connect(), "temp_directory")).startswith(str(tmp_path))


def test_a_session_limits_itself_alone() -> None:
    """Its memory is its own: others keep theirs."""
    before = setting(duck.connect(), "memory_limit")
    with open_session("duckdb", memory="200MB") as session:
        assert setting(session._connection, "memory_limit") != before  # type: ignore[attr-defined]
        assert setting(duck.connect(), "memory_limit") == before


def test_a_database_that_answers_no_more_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB gives up for good when memory ends in the wrong place; the next connection finds another one."""
    folder = setting(duck.connect(), "temp_directory")
    gone = duckdb.connect()
    gone.close()
    monkeypatch.setitem(duck._shared, os.getpid(), (str(folder), gone))
    assert duck.connect().execute("SELECT 1").fetchone() == (1,)
    assert duck.connect().execute("SELECT 2").fetchone() == (2,)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks")
def test_a_child_has_a_database_of_its_own() -> None:
    """The threads of its parent's are not there."""
    script = """
import os, signal, warnings
from clusterdiff.tables.duck import connect
warnings.simplefilter("ignore")
connect().execute("SELECT sum(range) FROM range(1000000)").fetchone()
child = os.fork()
if not child:
    signal.alarm(60)
    (found,) = connect().execute("SELECT sum(range) FROM range(1000000)").fetchone()
    os._exit(0 if found == 499999500000 else 1)
raise SystemExit(os.waitpid(child, 0)[1] != 0)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode == 0
