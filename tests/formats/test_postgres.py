"""PostgreSQL, against a real server on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import clusterdiff as cd
from clusterdiff.formats.source import Source, parse
from tests.formats.conftest import PRED, TRUE, as_dict, run

psycopg = pytest.importorskip("psycopg")


def server_programs() -> Path | None:
    """Where initdb and postgres are; Debian keeps them out of PATH."""
    places = [
        Path(found).resolve().parent for found in (shutil.which("initdb"), shutil.which("postgres")) if found
    ]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A fresh database on a free port of loopback."""
    programs = server_programs()
    if programs is None:
        pytest.skip(
            "NO POSTGRESQL SERVER: install it (apt-get install postgresql) to test postgres:// addresses"
        )
    as_user: list[str] = []
    folder = tmp_path_factory.mktemp("postgres")
    if os.geteuid() == 0:  # the server refuses to run as root
        if shutil.which("runuser") is None:
            pytest.skip("POSTGRESQL NOT TESTED: it does not run as root, and there is no runuser")
        as_user = ["runuser", "-u", "nobody", "--"]
        shutil.chown(folder, "nobody")
        for parent in (folder, *folder.parents[:3]):
            parent.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    quiet = {"check": True, "capture_output": True, "cwd": "/"}
    subprocess.run([*as_user, programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-N"], **quiet)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [*as_user, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "data" / "log"]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    try:
        address = f"postgres://tester:secret@127.0.0.1:{port}/postgres"
        with psycopg.connect(address) as con:
            for name, rows in (("gold", TRUE), ('pr"ed', PRED)):
                identifier = psycopg.sql.Identifier(name)
                con.execute(
                    psycopg.sql.SQL("CREATE TABLE {} (id text, cluster text, size int)").format(identifier)
                )
                insert = psycopg.sql.SQL("INSERT INTO {} VALUES (%s, %s, 1)").format(identifier)
                con.cursor().executemany(insert, [(row["id"], row["cluster"]) for row in rows])
            con.execute("CREATE SCHEMA other CREATE TABLE numbers (id bigint, cluster int)")
            con.execute("INSERT INTO other.numbers VALUES (1, 5), (2, NULL)")
        yield address
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)


def test_tables_of_a_server(url: str) -> None:
    """Text comes through with its quotes, commas and line breaks; integers stay integers, null stays null."""
    assert cd.read(url, table="gold") == cd.Clustering(as_dict(TRUE))
    diff = cd.compare(Source(url, table="gold"), Source(url, table='pr"ed'))
    assert diff.score() == cd.score(as_dict(TRUE), as_dict(PRED))
    numbers = cd.read(url, table="other.numbers")
    assert isinstance(numbers, cd.Clustering)
    assert list(numbers.points or ()) == [1, 2]
    assert numbers.labels.absent is not None


def test_addresses_on_the_command_line(url: str) -> None:
    """postgres://…/database:table:column; the password is never shown."""
    result = run("compare", f"{url}:gold:cluster", f"{url}:gold", "--json")
    assert result.exit_code == 0, result.stderr
    assert '"S_H": 1.0' in result.stdout
    for arguments in ((url, url), (f"{url}:golf", f"{url}:gold"), (f"{url}x:gold", f"{url}:gold")):
        failed = run("compare", *arguments)
        assert failed.exit_code == 2
        assert "postgres://tester@127.0.0.1" in failed.stderr
        assert "secret" not in failed.stderr
    assert "has 3 tables" in run("compare", url, url).stderr


def test_a_server_that_is_not_there() -> None:
    """One message, in time."""
    with pytest.raises(cd.FileError, match=r"postgres://nobody@127.0.0.1:1/none cannot be read:"):
        cd.read("postgres://nobody:pw@127.0.0.1:1/none", table="t")


def test_addresses_are_taken_apart() -> None:
    """Ports, queries and user names have colons of their own."""
    source = parse("postgresql://a:b@h:5432/d:t:c?sslmode=disable")
    assert (source.path, source.table, source.cluster) == (
        "postgresql://a:b@h:5432/d?sslmode=disable",
        "t",
        "c",
    )
    assert parse("postgres://h:1/d").table is None
    with pytest.raises(cd.ArgumentError, match="is not an address such as"):
        parse("postgres://nowhere")
