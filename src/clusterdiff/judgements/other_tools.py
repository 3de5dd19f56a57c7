"""Findings that other tools keep in a form of their own: labels, training data, resolvers, tests, merged values."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import shown
from clusterdiff.judgements.judgement import Judgement, pair
from clusterdiff.judgements.rows import PairVerdict, Row, cell, key_parts, name_of, verdict
from clusterdiff.messages import Message
from clusterdiff.points.keys import Key

#: Assertions about which names belong together, in whatever case they are written; Babel has others.
TOGETHER, APART = "resolveswith", "doesnotresolvewith"
#: The tables of a download from matchbox.
MATCHBOX = ("judgements.parquet", "expansion.parquet")
#: A test as it stands in the text of an issue: {{BabelTest|ResolvesWith|A|B}}; and a block of several in YAML.
WIKI = re.compile(r"\{\{BabelTest\|(\w+)\|([^{}]+)\}\}", re.IGNORECASE)
BLOCK = re.compile(r"```ya?ml\s+babel_tests:\s*\n(.*?)```", re.DOTALL)
#: The same as a file of its own.
FILE = re.compile(r"^babel_tests:\s*\n(.*)", re.DOTALL | re.MULTILINE)
ASSERTION, FLOW = re.compile(r"\s*(\w+):\s*$"), re.compile(r"\s*-\s*\[(.*)\]\s*$")
FIRST, ITEM = re.compile(r"\s*-\s+-\s+(.+)$"), re.compile(r"\s*-\s+(.+)$")


# ---- tables


def splink(rows: Sequence[Row], columns: Sequence[str], path: str, key: Key | None) -> list[Judgement]:
    """Clerical labels: 1 is a match, 0 is none, and what is between is unsure.

    Points are called as splink calls them in clusters of several sources, source_dataset-__-unique_id, or by the key
    columns alone. The labelling tool lists each record beside itself, too, which says nothing.
    """
    named, file = _splink_key(columns, path, key), shown(path)
    source = key is None and {"source_dataset_l", "source_dataset_r"} <= {name.casefold() for name in columns}
    out = []
    for number, row in enumerate(rows, 2):
        place = f"{file}, line {number:,}"
        try:
            score = float(row["clerical_match_score"] or "")
        except ValueError:
            raise FileError(f"{place}: clerical_match_score must be a number.") from None
        ends = [name_of([cell(row, f"{column}_{side}", place) for column in named]) for side in "lr"]
        if source:
            sources = [cell(row, f"source_dataset_{side}", place) for side in "lr"]
            ends = [f"{data}-__-{end}" for data, end in zip(sources, ends, strict=True)]
        if ends[0] == ends[1]:
            continue
        said: PairVerdict = "match" if score == 1 else "no match" if score == 0 else "unsure"
        out.append(pair(ends[0], ends[1], said, id=f"line {number}", why=row.get("clerical_notes") or None))
    return out


def _splink_key(columns: Sequence[str], path: str, key: Key | None) -> list[str]:
    """The columns of the points, without _l or _r: as splink's settings call them, which a table does not tell."""
    names = {name.casefold() for name in columns}
    both = [
        name[:-2].casefold()
        for name in columns
        if name.casefold().endswith("_l") and f"{name[:-2]}_r".casefold() in names
    ]
    if key is not None and {part.casefold() for part in key_parts(key, both)}.issubset(both):
        return [part.casefold() for part in key_parts(key, both)]
    ids = [name for name in both if name != "source_dataset"]
    if key is None and ("unique_id" in ids or len(ids) == 1):
        return ["unique_id" if "unique_id" in ids else ids[0]]
    raise FileError(
        f"{shown(path)} does not show which column names the points: it has {listed(columns)}.",
        Message("name it with `key=`, without its _l or _r: {names}.", names=listed(both)),
    )


def zingg(rows: Sequence[Row], columns: Sequence[str], path: str, key: Key | None) -> list[Judgement]:
    """Marked training data: the records of a z_cluster, which match (1), do not (0), or are unsure (2)."""
    named = [part.casefold() for part in key_parts("z_zid" if key is None else key, columns)]
    known = {name.casefold() for name in columns}
    if unknown := [name for name in named if name not in known]:
        raise FileError(
            f"{shown(path)} has no column {unknown[0]!r} that names the points; it has {listed(columns)}.",
            Message("name the column that does with `key=`."),
        )
    clusters: dict[str, dict[int, Row]] = {}
    for number, row in enumerate(rows, 2):
        name = cell(row, "z_cluster", f"{shown(path)}, row {number:,}")
        clusters.setdefault(name, {})[number] = row
    out = []
    for name, held in clusters.items():
        place = f"{shown(path)}, z_cluster {name!r}"
        points = [name_of([cell(row, column, place) for column in named]) for row in held.values()]
        flags = [row["z_ismatch"] for row in held.values()]
        said, *others = {verdict(flag, place) for flag in flags}
        if others:
            raise FileError(f"{place}: its records must have one z_isMatch; got {listed(flags)}.")
        groups = [points] if said == "match" else [[point] for point in points]
        claim = {"unsure": points} if said == "unsure" else {"groups": groups}
        out.append(Judgement.from_dict(claim, name, place))
    return out


# ---- JSON


def nomenklatura(data: list[Any], name: str, place: str) -> Judgement | None:
    """A line of a resolver: target, source, judgement, score, user, created_at, and maybe deleted_at."""
    if len(data) < 6 or not isinstance(data[2], str):
        raise FileError(
            f"{place} must be a judgement, or a line of a resolver of nomenklatura: target, source, judgement, score, "
            f"user, time."
        )
    target, source, said, _, user, at, *deleted = data
    if said == "no_judgement":
        return None
    gone = bool(deleted and deleted[0])
    return pair(target, source, verdict(said, place), id=name, by=user, at=at, withdrawn=gone)


def matchbox(data: Mapping[str, Any], name: str, place: str) -> Judgement:
    """A judgement of matchbox: the groups that a user endorsed of a cluster that was shown."""
    fields = {"groups": data["endorsed"], "by": data.get("user_name", data.get("user_id", data.get("user")))}
    rest = {k: v for k, v in data.items() if k not in ("endorsed", "user_name", "user_id", "user")}
    return Judgement.from_dict(fields | rest, name, place)


def matchbox_download(path: str) -> list[Judgement]:
    """What matchbox gives out: who endorsed which part of what was shown, and the points of both, as two tables.

    The parts of a judgement are all that was shown; those of different users or clusters may stand between them.
    """
    endorsed, leaves = _matchbox_tables(path)
    out: list[Judgement] = []
    open_groups: dict[tuple[str, int], list[list[int]]] = {}
    for number, (user, part, whole) in enumerate(endorsed, 1):
        groups = open_groups.setdefault((user, whole), [])
        groups.append(leaves.get(part, [part]))
        points = [point for group in groups for point in group]
        here = set(leaves.get(whole, [whole]))
        if len(set(points)) < len(points) or not here.issuperset(points):
            raise FileError(
                f"{shown(path)}, row {number:,}: the parts that {user} endorsed are not those of cluster {whole}."
            )
        if len(points) == len(here):
            fields = {"groups": open_groups.pop((user, whole)), "by": user, "shown": whole}
            out.append(
                Judgement.from_dict(fields, f"judgement {len(out) + 1}", f"{shown(path)}, row {number:,}")
            )
    for user, whole in open_groups:
        raise FileError(f"{shown(path)} ends before all parts of cluster {whole} are endorsed by {user}.")
    return out


def _matchbox_tables(path: str) -> tuple[list[tuple[str, int, int]], dict[int, list[int]]]:
    from clusterdiff.tables.duck import connect

    with tempfile.TemporaryDirectory(prefix="clusterdiff-") as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                for name in MATCHBOX:
                    archive.extract(name, folder)
        except (KeyError, zipfile.BadZipFile):
            raise FileError(
                f"{shown(path)} is not a download of matchbox, which holds {listed(MATCHBOX)}."
            ) from None
        con = connect()
        first, second = (os.path.join(folder, name) for name in MATCHBOX)
        endorsed = con.execute("SELECT user_name, endorsed, shown FROM read_parquet(?)", [first]).fetchall()
        leaves = con.execute("SELECT root, leaves FROM read_parquet(?)", [second]).fetchall()
    return endorsed, dict(leaves)


def dedupe(data: Mapping[str, Any], path: str, key: Key | None) -> Iterator[Judgement]:
    """Training data of dedupe: pairs of records, which the key tells apart."""
    verdicts: dict[str, PairVerdict] = {"match": "match", "distinct": "no match"}
    for kind, said in verdicts.items():
        for number, entry in enumerate(data[kind], 1):
            records = entry.get("__value__", entry) if isinstance(entry, dict) else entry
            name, place = f"{kind} {number}", f"{shown(path)}, {kind} {number:,}"
            if not isinstance(records, list) or len(records) != 2:
                raise FileError(f"{place} must be two records.")
            one, two = (_key(record, key, place) for record in records)
            if one == two:
                raise FileError(
                    f"{place}: both records have the same {key}, {one!r}.",
                    Message("name a field that identifies records with `key=`."),
                )
            yield pair(one, two, said, id=name)


def _key(record: Any, key: Key | None, place: str) -> Any:
    names = list(record) if isinstance(record, dict) else []
    if key is None:
        raise FileError(
            f"{place} holds the content of records, which does not say which points they are.",
            Message("name the field that does with `key=`: {fields}.", fields=listed(names)),
        )
    named = key_parts(key, names)
    if not set(named).issubset(names):
        raise ArgumentError.about("key", f"must be a field of the records; {place} has {listed(names)}.")
    for name in named:
        if not isinstance(record[name], str | int | float):
            raise FileError(f"{place}: {name} must be text or a number; got {record[name]!r}.")
    return record[named[0]] if len(named) == 1 else tuple(record[name] for name in named)


# ---- Babel


def babel_of_text(text: str, place: str) -> list[Judgement]:
    """The tests in the text of an issue, or in a file of YAML."""
    found = [(kind, [point.strip() for point in points.split("|")]) for kind, points in WIKI.findall(text)]
    for block in BLOCK.findall(text) or FILE.findall(text):
        found += _yaml(block, place)
    return [one for kind, points in found if (one := _babel(kind, points, place)) is not None]


def babel_of_json(data: Mapping[str, Any], place: str) -> list[Judgement]:
    """The tests of a JSON object: lists of names by assertion."""
    tests = data.get("babel_tests", data)
    if not isinstance(tests, Mapping):
        return []
    known = [(kind, lists) for kind, lists in tests.items() if str(kind).casefold() in (TOGETHER, APART)]
    return [
        one
        for kind, lists in known
        for points in lists or []
        if (one := _babel(kind, points if isinstance(points, list) else [points], place)) is not None
    ]


def _yaml(block: str, place: str) -> Iterator[tuple[str, list[str]]]:
    """The lists of names in a block of YAML: - [A, B] on a line, or - - A with - B on the next."""
    kind = ""
    names: list[str] | None = None
    for line in (line for line in block.splitlines() if line.strip() and line.strip()[0] != "#"):
        first, flow, more = FIRST.match(line), FLOW.match(line), ITEM.match(line)
        if names is not None and more and not first and not flow:
            names.append(_plain(more[1]))
            continue
        if names is not None:
            yield kind, names
            names = None
        if match := ASSERTION.match(line):
            kind = match[1]
        elif flow:
            yield kind, list(map(_plain, flow[1].split(",")))
        elif first:
            names = [_plain(first[1])]
        elif kind.casefold() in (TOGETHER, APART):
            raise FileError(f"{place}: the names of {kind} must be lists, - [A, B]; got {line.strip()!r}.")
    if names is not None:
        yield kind, names


def _plain(text: str) -> str:
    return text.strip().strip("'\"")


def _babel(kind: str, points: Sequence[Any], place: str) -> Judgement | None:
    if kind.casefold() not in (TOGETHER, APART):
        return None
    texts = list(dict.fromkeys(map(str, points)))
    name = f"{kind} {' '.join(texts)}"
    if len(texts) < 2:
        raise FileError(f"{place}: {kind} must have lists of two or more names; got {listed(texts)}.")
    if kind.casefold() == TOGETHER:
        return Judgement.from_dict({"groups": [texts]}, name, place)
    # Babel asks of three or more names only that they are not all the same, which no judgement can say.
    why = {"why": "not all the same in Babel, read as all apart"} if len(texts) > 2 else {}
    return Judgement.from_dict({"groups": [[point] for point in texts]} | why, name, place)


# ---- OpenRefine


def openrefine(operations: Sequence[Any], place: str) -> list[Judgement]:
    """What OpenRefine merged, from the history of its operations: a group for each value that others became."""
    out = []
    for number, operation in enumerate(operations, 1):
        if not isinstance(operation, Mapping) or operation.get("op") != "core/mass-edit":
            continue
        for edit in operation.get("edits") or []:
            if not isinstance(edit, Mapping) or not isinstance(edit.get("from"), list):
                raise FileError(
                    f'{place}, operation {number:,}: an edit must have "from", a list of values, and "to".'
                )
            values = sorted(
                {str(value) for value in (*edit["from"], edit.get("to")) if value not in (None, "")}
            )
            if len(values) > 1:
                name = f"{operation.get('columnName', 'edit')}: {edit.get('to')}"
                out.append(Judgement.from_dict({"groups": [values]}, name, place))
    if not out:
        raise FileError(f"{place} holds operations of OpenRefine, and none of them merges values.")
    return out
