"""Files of judgements: our own two shapes, and what other tools store, each told by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import from_json, read_text, shown
from clusterdiff.formats.catalogue import BY_SUFFIX, TABLES
from clusterdiff.formats.source import Source
from clusterdiff.judgements.judgement import Judgement, pair
from clusterdiff.judgements.other_tools import babel_of_json, babel_of_text, openrefine
from clusterdiff.judgements.references import CellNames, is_reference, refuse_reference
from clusterdiff.messages import Message

PairVerdict = Literal["match", "no match", "unsure"]
Rows = Sequence[Mapping[str, str | None]]

#: How the verdict on a pair is written, here and elsewhere.
VERDICTS: dict[str, PairVerdict] = {
    **dict.fromkeys(("match", "positive", "yes", "y", "true", "1", "1.0"), "match"),
    **dict.fromkeys(("no match", "negative", "distinct", "no", "n", "false", "0", "0.0"), "no match"),
    **dict.fromkeys(("unsure", "uncertain", "2", "2.0", "-1"), "unsure"),
}
#: Fields of a judgement that a table may have as columns.
FIELDS = ("id", "by", "at", "why", "source", "probability", "stratum", "x", "expect", "complete", "withdrawn")


def read_judgements(
    path: str, key: str | None = None, cells: CellNames | None = None
) -> tuple[list[Judgement], dict[str, Any] | None]:
    """The judgements of a file, and the header of a review, if it is one.

    ``key`` is the column that names the points where records stand in their place; ``cells`` are those of the
    comparison that references of a page refer to.
    """
    if BY_SUFFIX.get(_suffix(path)) in TABLES and _suffix(path) not in (".jsonl", ".ndjson"):
        return _from_table(path, key), None
    text = read_text(path)
    head = text.lstrip()[:1]
    if head not in ("{", "[") or text.lstrip().startswith("{{"):
        found = babel_of_text(text, shown(path))
        if found:
            return found, None
        raise FileError(
            f"{shown(path)} holds no judgements: it starts with neither JSON nor a table that is known by its name.",
            "call a table .csv or .parquet, and JSON lines .jsonl.",
        )
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip()[-1:] in ("}", "]"):
        return _from_lines(
            [(number, from_json(line, path, number - 1)) for number, line in lines], path, cells
        )
    data = from_json(text, path)
    if isinstance(data, list) and any(isinstance(one, dict) and "op" in one for one in data):
        return openrefine(data, shown(path)), None
    if isinstance(data, list) and not (len(data) > 2 and isinstance(data[2], str)):
        return _from_lines(list(enumerate(data, 1)), path, cells)
    if isinstance(data, dict):
        if tests := babel_of_json(data, shown(path)):
            return tests, None
        if {"match", "distinct"} <= data.keys():
            return list(_dedupe(data, path, key)), None
    return _from_lines([(1, data)], path, cells)


def _suffix(path: str) -> str:
    from clusterdiff.files import STDIN, suffix

    return "" if path == STDIN else suffix(path)


# ---- JSON


def _from_lines(
    lines: Sequence[tuple[int, Any]], path: str, cells: CellNames | None
) -> tuple[list[Judgement], dict[str, Any] | None]:
    out: list[Judgement] = []
    header: dict[str, Any] | None = None
    for number, data in lines:
        name, place = f"line {number}", f"{shown(path)}, line {number:,}"
        if isinstance(data, list):
            found = _nomenklatura(data, name, place)
        elif isinstance(data, dict) and "endorsed" in data:
            found = _matchbox(data, name, place)
        elif isinstance(data, dict) and "review" in data:
            header, found = data, None  # it says how the review was drawn, and is no judgement
        elif is_reference(data):
            if cells is None:
                raise refuse_reference(place)
            out += [Judgement.from_dict(one, name, place) for one in cells.expand(data, place)]
            continue
        else:
            found = Judgement.from_dict(_answered(data, header), name, place)
        if found is not None:
            out.append(found)
    return out, header


def _answered(data: Any, header: dict[str, Any] | None) -> Any:
    """A line of a review, with the groups of the side that the answer names: "1" or "2" as shown, or old or new."""
    if not isinstance(data, dict) or not isinstance(data.get("shown"), dict) or data.get("groups"):
        return data
    old = (header or {}).get("sides", {}).get(data.get("id"))
    sides = {
        "1": "1",
        "2": "2",
        **({"old": old, "new": {"1": "2", "2": "1"}[old]} if old in ("1", "2") else {}),
    }
    side = sides.get(str(data.get("answer")))
    return data if side is None else data | {"groups": data["shown"].get(side)}


def _nomenklatura(data: list[Any], name: str, place: str) -> Judgement | None:
    """A line of a resolver: target, source, judgement, score, user, created_at, and maybe deleted_at."""
    if len(data) < 6 or not isinstance(data[2], str):
        raise FileError(
            f"{place} must be a judgement, or a line of a resolver of nomenklatura: target, source, judgement, score, "
            f"user, time."
        )
    target, source, verdict, _, user, at, *deleted = data
    if verdict == "no_judgement":
        return None
    gone = bool(deleted and deleted[0])
    return pair(target, source, _verdict(verdict, place), id=name, by=user, at=at, withdrawn=gone)


def _matchbox(data: dict[str, Any], name: str, place: str) -> Judgement:
    """A judgement of matchbox: the groups that a user endorsed of a cluster that was shown."""
    fields = {"groups": data["endorsed"], "by": data.get("user_name", data.get("user_id", data.get("user")))}
    rest = {k: v for k, v in data.items() if k not in ("endorsed", "user_name", "user_id", "user")}
    return Judgement.from_dict(fields | rest, name, place)


def _dedupe(data: dict[str, Any], path: str, key: str | None) -> Iterator[Judgement]:
    """Training data of dedupe: pairs of records, which the key tells apart."""
    verdicts: dict[str, PairVerdict] = {"match": "match", "distinct": "no match"}
    number = 0
    for kind, verdict in verdicts.items():
        for entry in data[kind]:
            number += 1
            records = entry.get("__value__", entry) if isinstance(entry, dict) else entry
            name, place = f"{kind} {number}", f"{shown(path)}, {kind} {number:,}"
            if not isinstance(records, list) or len(records) != 2:
                raise FileError(f"{place} must be two records.")
            one, two = (_key(record, key, place) for record in records)
            yield pair(one, two, verdict, id=name)


def _key(record: Any, key: str | None, place: str) -> Any:
    names = list(record) if isinstance(record, dict) else []
    if key is None:
        raise FileError(
            f"{place} holds the content of records, which does not say which points they are.",
            Message("name the field that does with `key=`: {fields}.", fields=listed(names)),
        )
    if key not in names:
        raise ArgumentError.about("key", f"must be a field of the records; {place} has {listed(names)}.")
    return record[key]


# ---- tables


def _from_table(path: str, key: str | None) -> list[Judgement]:
    columns, rows = _read_rows(path)
    folded = {column.casefold(): column for column in columns}
    for known, reader in SHAPES.items():
        if all(name in folded for name in known):
            return reader([{k: row[c] for k, c in folded.items()} for row in rows], path, key)
    raise FileError(
        f"{shown(path)} is no table of judgements: it has the columns {listed(columns)}.",
        "pairs have a, b and verdict; groups have judgement, group and point.",
    )


def _read_rows(path: str) -> tuple[list[str], list[dict[str, str | None]]]:
    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.files import open_table

    con = connect()
    with open_table(con, Source(path).resolved(), loose=True) as scan:
        columns = list(scan.columns)
        text, parameters = scan.relation(columns)
        chosen = ", ".join(f"CAST({quoted(column)} AS VARCHAR)" for column in columns)
        found = con.execute(f"SELECT {chosen} FROM {text}", list(parameters)).fetchall()
    return columns, [dict(zip(columns, row, strict=True)) for row in found]


def _fields(row: Mapping[str, str | None], path: str, name: str) -> dict[str, Any]:
    """What columns say of a judgement beside its claim."""
    out: dict[str, Any] = {key: row[key] for key in FIELDS if row.get(key) not in (None, "")}
    for key in ("probability", "x"):
        if key in out:
            try:
                out[key] = float(out[key])
            except ValueError:
                raise FileError(f"{shown(path)}, {name}: {key} must be a number; got {out[key]!r}.") from None
    for key in ("complete", "withdrawn"):
        if key in out:
            out[key] = VERDICTS.get(str(out[key]).casefold()) == "match"
    return out


def _pairs(rows: Rows, path: str, key: str | None) -> list[Judgement]:
    out = []
    for number, row in enumerate(rows, 2):
        name = f"line {number}"
        place = f"{shown(path)}, {name}"
        fields = {"id": name} | _fields(row, path, name)
        checked = Judgement.from_dict(fields | {"unsure": []}, name, place)
        judged = pair(_end(row, "a", place), _end(row, "b", place), _verdict(row["verdict"], place))
        out.append(Judgement.from_dict(checked.to_dict() | _claim(judged), name, place))
    return out


def _claim(judged: Judgement) -> dict[str, Any]:
    groups = [list(group) for group in judged.groups]
    return {"groups": groups or None, "unsure": list(judged.unsure) or None}


def _long(rows: Rows, path: str, key: str | None) -> list[Judgement]:
    """A row per point: judgements in the order in which they appear."""
    judgements: dict[str, list[Mapping[str, str | None]]] = {}
    for number, row in enumerate(rows, 2):
        judgements.setdefault(_end(row, "judgement", f"{shown(path)}, line {number:,}"), []).append(row)
    out = []
    for name, held in judgements.items():
        place = f"{shown(path)}, judgement {name!r}"
        groups: dict[str, list[str]] = {}
        for row in held:
            groups.setdefault(row["group"] or "", []).append(_end(row, "point", place))
        fields = _fields(held[0], path, name) | {"id": name}
        unsure = _verdict(held[0]["verdict"], place) == "unsure" if held[0].get("verdict") else False
        claim = (
            {"unsure": [p for group in groups.values() for p in group]}
            if unsure
            else {"groups": list(groups.values())}
        )
        out.append(Judgement.from_dict(fields | claim, name, place))
    return out


def _splink(rows: Rows, path: str, key: str | None) -> list[Judgement]:
    """Clerical labels: 1 is a match, 0 is none, and what is between is unsure."""
    out = []
    for number, row in enumerate(rows, 2):
        place = f"{shown(path)}, line {number:,}"
        try:
            score = float(row["clerical_match_score"] or "")
        except ValueError:
            raise FileError(f"{place}: clerical_match_score must be a number.") from None
        ends = []
        for side in ("l", "r"):
            data, unique = row.get(f"source_dataset_{side}"), _end(row, f"unique_id_{side}", place)
            ends.append(f"{data}-__-{unique}" if data else unique)
        verdict: PairVerdict = "match" if score == 1 else "no match" if score == 0 else "unsure"
        out.append(pair(ends[0], ends[1], verdict, id=f"line {number}"))
    return out


def _zingg(rows: Rows, path: str, key: str | None) -> list[Judgement]:
    """Marked training data: the records of a z_cluster, which match (1), do not (0), or are unsure (2)."""
    column = key.casefold() if key is not None else "z_zid"
    if rows and column not in rows[0]:
        raise FileError(
            f"{shown(path)} has no column {key or 'z_zid'!r} that names the points; it has {listed(rows[0])}.",
            Message("name the column that does with `key=`."),
        )
    clusters: dict[str, list[Mapping[str, str | None]]] = {}
    for row in rows:
        clusters.setdefault(row["z_cluster"] or "", []).append(row)
    out = []
    for name, held in clusters.items():
        place = f"{shown(path)}, z_cluster {name!r}"
        points = [_end(row, column, place) for row in held]
        verdict = _verdict(held[0]["z_ismatch"], place)
        groups = [points] if verdict == "match" else [[point] for point in points]
        claim = {"unsure": points} if verdict == "unsure" else {"groups": groups}
        out.append(Judgement.from_dict(claim, name, place))
    return out


def _end(row: Mapping[str, str | None], column: str, place: str) -> str:
    value = row[column]
    if value is None or value == "":
        raise FileError(f"{place} has no {column}.")
    return value


def _verdict(value: object, place: str) -> PairVerdict:
    found = VERDICTS.get(str(value).strip().casefold())
    if found is None:
        raise FileError(f'{place}: the verdict must be "match", "no match" or "unsure"; got {value!r}.')
    return found


#: Tables by the columns that tell what they hold.
SHAPES: dict[tuple[str, ...], Callable[[Rows, str, str | None], list[Judgement]]] = {
    ("unique_id_l", "unique_id_r", "clerical_match_score"): _splink,
    ("z_cluster", "z_ismatch"): _zingg,
    ("judgement", "group", "point"): _long,
    ("a", "b", "verdict"): _pairs,
}
