"""Files of judgements: our own two shapes, and what other tools store, each recognised by its content."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from clusterdiff.errors import FileError, listed
from clusterdiff.files import STDIN, from_json, read_text, shown, suffix
from clusterdiff.formats.catalogue import BY_SUFFIX, TABLES
from clusterdiff.judgements import other_tools
from clusterdiff.judgements.judgement import CLAIMS, Judgement, answered, checked, pair
from clusterdiff.judgements.references import CellNames, is_reference, refuse_reference
from clusterdiff.judgements.rows import VERDICTS, Row, cell, read_rows, rows_of_objects, verdict
from clusterdiff.points.keys import Key

#: Reads rows, with their columns, the name of the file and the columns of the points.
Reader: TypeAlias = Callable[[Sequence[Row], Sequence[str], str, Key | None], list[Judgement]]

#: Fields of a judgement that a table may have as columns.
FIELDS = (
    "id",
    "by",
    "at",
    "why",
    "source",
    "probability",
    "stratum",
    "x",
    "expect",
    "complete",
    "withdrawn",
    "answer",
    "verdict",
)


def read_judgements(
    path: str, key: Key | None = None, cells: CellNames | None = None
) -> tuple[list[Judgement], dict[str, Any] | None]:
    """The judgements of a file, and the header of a review, if it is one.

    ``key`` is the column, or several, that name the points where records stand in their place; ``cells`` are those of
    the comparison that references of a page refer to.
    """
    path = _files_of_folder(path)
    kind = "" if path == STDIN else suffix(path)
    if BY_SUFFIX.get(kind) in TABLES and kind not in (".jsonl", ".ndjson"):
        return _from_table(path, key), None
    if kind == ".zip":
        return other_tools.matchbox_download(path), None
    text = read_text(path)
    head = text.lstrip()[:1]
    if head not in ("{", "[") or text.lstrip().startswith("{{"):
        found = other_tools.babel_of_text(text, shown(path))
        if found:
            return found, None
        raise FileError(
            f"{shown(path)} holds no judgements: it starts with neither JSON nor a table that is known by its name.",
            "call a table .csv or .parquet, and JSON lines .jsonl.",
        )
    # No other line breaks: a name may hold those of Unicode.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip()[-1:] in ("}", "]"):
        return _from_lines(_parsed(lines, path), path, key, cells)
    data = from_json(text, path)
    if isinstance(data, list) and any(isinstance(one, dict) and "op" in one for one in data):
        return other_tools.openrefine(data, shown(path)), None
    if isinstance(data, list) and not (len(data) > 2 and isinstance(data[2], str)):
        return _from_lines(list(enumerate(data, 1)), path, key, cells)
    if isinstance(data, dict):
        if tests := other_tools.babel_of_json(data, shown(path)):
            return tests, None
        if {"match", "distinct"} <= data.keys():
            return list(other_tools.dedupe(data, path, key)), None
    return _from_lines([(lines[0][0], data)], path, key, cells)


def _files_of_folder(path: str) -> str:
    """A folder of files of one kind, such as Spark writes for a table, as a glob of them; anything else as it is."""
    if not os.path.isdir(path):
        return path
    kinds = {suffix(name) for name in os.listdir(path) if not name.startswith((".", "_"))}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return os.path.join(path, f"*{kind}") if BY_SUFFIX.get(kind) in TABLES else path


# ---- JSON


def _parsed(lines: Sequence[tuple[int, str]], path: str) -> list[tuple[int, Any]]:
    """What each line stands for: all at once, which is faster, or one by one, which tells the line of an error."""
    numbers = [number for number, _ in lines]
    try:
        found = json.loads(f"[{','.join(line for _, line in lines)}]")
    except (ValueError, RecursionError):
        found = []
    if len(found) == len(lines):
        return list(zip(numbers, found, strict=True))
    return [(number, from_json(line, path, number - 1)) for number, line in lines]


def _from_lines(
    lines: Sequence[tuple[int, Any]], path: str, key: Key | None, cells: CellNames | None
) -> tuple[list[Judgement], dict[str, Any] | None]:
    objects = [data for _, data in lines if isinstance(data, dict)]
    table = len(objects) == len(lines) and CLAIMS.isdisjoint(objects[0])
    if table and (reader := _shape(objects[0])):
        columns, rows = rows_of_objects(objects)
        return reader(rows, columns, path, key), None
    out: list[Judgement] = []
    header: dict[str, Any] | None = None
    file = shown(path)
    for number, data in lines:
        name, place = f"line {number}", f"{file}, line {number:,}"
        if isinstance(data, list):
            if (found := other_tools.nomenklatura(data, name, place)) is not None:
                out.append(found)
        elif not isinstance(data, dict) or "groups" in data:
            out.append(Judgement.from_dict(answered(data, header), name, place))
        elif "endorsed" in data:
            out.append(other_tools.matchbox(data, name, place))
        elif "review" in data:
            header = data  # it says how the review was drawn, and is no judgement
        elif is_reference(data):
            if cells is None:
                raise refuse_reference(place)
            out += [Judgement.from_dict(one, name, place) for one in cells.expand(data, place)]
        else:
            out.append(Judgement.from_dict(answered(data, header), name, place))
    return out, header


# ---- tables


def _from_table(path: str, key: Key | None) -> list[Judgement]:
    columns, rows = read_rows(path, _shape)
    if reader := _shape(columns):
        return reader(rows, columns, path, key)
    raise FileError(
        f"{shown(path)} is not a table of judgements: it has the columns {listed(columns)}.",
        "pairs have a, b and verdict; groups have judgement, group and point.",
    )


def _shape(columns: Iterable[str]) -> Reader | None:
    """What reads a table with such columns."""
    folded = {column.casefold() for column in columns}
    return next((reader for known, reader in SHAPES.items() if folded.issuperset(known)), None)


def _beside(columns: Sequence[str], claim: Collection[str], path: str) -> list[tuple[str, str]]:
    """The columns beside those of a claim, as they are written and in lower case."""
    found = [(column, key) for column in columns if (key := column.casefold()) not in claim]
    if taken := [column for column, key in found if key in ("groups", "unsure", "shown", "beyond")]:
        raise FileError(
            f"{shown(path)} has the column {taken[0]!r}, which only JSON lines can hold.",
            "rename the column, or leave it out.",
        )
    return found


def _fields(held: Mapping[int, Row], columns: Sequence[tuple[str, str]], path: str) -> dict[str, Any]:
    """What other columns say of a judgement; those that no field is called like are kept, by point if they differ.

    ``held`` are its rows by line. Empty cells leave it to the others.
    """
    out: dict[str, Any] = {}
    for column, key in columns:
        said = {line: value for line, row in held.items() if (value := row[key])}
        if not said:
            continue
        line, value = next(iter(said.items()))
        other = next((at for at in said if said[at] != value), None)
        if key not in FIELDS:
            out[column] = (
                value if other is None else {str(held[at]["point"]): told for at, told in said.items()}
            )
        elif other is not None:
            raise FileError(
                f"{shown(path)}, lines {line:,} and {other:,}: a judgement has one {key}; got {value!r} and "
                f"{said[other]!r}.",
                "use a name of its own for each judgement.",
            )
        else:
            out[key] = READ.get(key, _same)(value, key, f"{shown(path)}, line {line:,}")
    return out


def _same(value: str, key: str, place: str) -> object:
    return value


def _number(value: str, key: str, place: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise FileError(f"{place}: {key} must be a number; got {value!r}.") from None


def _flag(value: str, key: str, place: str) -> bool:
    found = VERDICTS.get(value.strip().casefold())
    if found not in ("match", "no match"):
        raise FileError(f"{place}: {key} must be true or false; got {value!r}.")
    return found == "match"


#: Columns that are more than text.
READ: dict[str, Callable[[str, str, str], object]] = {
    "probability": _number,
    "x": _number,
    "complete": _flag,
    "withdrawn": _flag,
}


def _pairs(rows: Sequence[Row], columns: Sequence[str], path: str, key: Key | None) -> list[Judgement]:
    out, file = [], shown(path)
    beside = _beside(columns, ("a", "b", "verdict"), path)
    for number, row in enumerate(rows, 2):
        name = f"line {number}"
        place = f"{file}, {name}"
        ends = cell(row, "a", place), cell(row, "b", place)
        if ends[0] == ends[1]:
            raise FileError(f"{place} judges {ends[0]!r} against itself.", "leave the row out.")
        fields = _fields({number: row}, beside, path)
        told = fields.pop("id", name)
        known = checked({field: fields.pop(field) for field in [*fields] if field in FIELDS}, place)
        out.append(pair(*ends, verdict(row["verdict"], place), id=told, other=fields, **known))
    return out


def _long(rows: Sequence[Row], columns: Sequence[str], path: str, key: Key | None) -> list[Judgement]:
    """A row per point: judgements in the order in which they appear."""
    file, beside = shown(path), _beside(columns, ("judgement", "group", "point", "id"), path)
    judgements: dict[str, dict[int, Row]] = {}
    for number, row in enumerate(rows, 2):
        judgements.setdefault(cell(row, "judgement", f"{file}, line {number:,}"), {})[number] = row
    out = []
    for name, held in judgements.items():
        place = f"{file}, judgement {name!r} (from line {min(held):,})"
        groups: dict[str, list[str]] = {}
        for number, row in held.items():
            groups.setdefault(row["group"] or "", []).append(cell(row, "point", f"{file}, line {number:,}"))
        fields = _fields(held, beside, path)
        unsure = "verdict" in fields and verdict(fields.pop("verdict"), place) == "unsure"
        claim = (
            {"unsure": [point for group in groups.values() for point in group]}
            if unsure
            else {"groups": list(groups.values())}
        )
        out.append(Judgement.from_dict(fields | claim, name, place))
    return out


#: Tables by the columns that tell what they hold.
SHAPES: dict[tuple[str, ...], Reader] = {
    ("clerical_match_score",): other_tools.splink,
    ("z_cluster", "z_ismatch"): other_tools.zingg,
    ("judgement", "group", "point"): _long,
    ("a", "b", "verdict"): _pairs,
}
