"""Writing results back: tables as CSV, TSV, JSON lines or Parquet, scores as JSON, Markdown or LaTeX."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from clusterdiff.decide.leaderboard import markdown_notices
from clusterdiff.decide.typesetting import latex_notices
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.meet.meet import Meet
from clusterdiff.points.clustering import Clustering
from clusterdiff.table import Table
from clusterdiff.wording import latex

Columns: TypeAlias = dict[str, list[Any]]
Scores: TypeAlias = Mapping[str, float] | Mapping[str, Mapping[str, float]]


def write(result: object, path: str | os.PathLike[str], *, notices: Sequence[str] = ()) -> None:
    r"""Write a result to a file in the format of its suffix; the file is there in full or not at all.

    Parameters
    ----------
    result
        A table (``diff.splits``, ``diff.merges``, ``diff.components``), a meet, a clustering, a list of repairs: to
        ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.json``. Scores by name, or such scores by system: to
        ``.json``, ``.md`` or ``.tex``.
    path
        Where to. A file that is there is replaced.
    notices
        What readers of the file should know first, such as ``diff.notices``: a truth that is a sample, points that were
        dropped. Scores begin with them (in JSON under the key ``"notices"``), Parquet has them in its metadata, as
        ``clusterdiff.notices``. Other tables have no place for them: they go to ``NAME.notices.txt`` beside the file.

    Examples
    --------
    >>> import clusterdiff as cd, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "meet.csv"
    >>> cd.write(cd.compare(["x", "x", "y"], [1, 2, 2]).meet, path)
    >>> path.read_text().splitlines()
    ['true,pred,size', 'x,1,1', 'x,2,1', 'y,2,1']
    """
    write_guarded(result, path, notices=notices)


def write_guarded(
    result: object, path: str | os.PathLike[str], *, safe: bool = False, notices: Sequence[str] = ()
) -> int:
    """Write a result; returns how many texts a spreadsheet would take for formulas, which ``safe`` turns into text."""
    from clusterdiff.tables.copying import copy, registered
    from clusterdiff.tables.duck import connect

    path = Path(path)
    end = path.suffix.lower()
    refuse_suffix(path, scores=isinstance(result, Mapping))
    if isinstance(result, Mapping):
        write_text(path, SCORES[end](result, notices))
        return 0
    if end != ".parquet":
        _write_beside(path, notices)
    columns = _columns(result)
    if end == ".json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        write_text(path, json.dumps(rows, ensure_ascii=False, indent=1, default=str) + "\n")
    elif not columns and end == ".parquet":
        raise ArgumentError.about(
            "result", "is an empty list, and a .parquet file must have columns.", "write .csv or .json."
        )
    elif not columns:
        write_text(path, "")
    else:
        con = connect()
        return copy(con, registered(con, columns), path, safe=safe, notices=notices)
    return 0


def _write_beside(path: Path, notices: Sequence[str]) -> None:
    """Notices of a table that has no place for them; those of a table that was there before go."""
    beside = path.with_name(f"{path.name}.notices.txt")
    if path.exists() and not path.is_file():  # a pipe has nothing beside it
        return
    if notices:
        write_text(beside, "".join(f"{' '.join(notice.split())}\n" for notice in notices))
    else:
        beside.unlink(missing_ok=True)


def refuse_suffix(path: str | os.PathLike[str], *, scores: bool) -> None:
    """Raise if scores, or else a table, cannot be written to a file of this name."""
    from clusterdiff.tables.copying import COPY

    path = Path(path)
    end = path.suffix.lower()
    if scores and end not in SCORES:
        raise ArgumentError(f"a file of scores must end in {', '.join(SCORES)}; got {path.name!r}.")
    if not scores and end not in (*COPY, ".json"):
        raise ArgumentError(f"a file of a table must end in {', '.join(COPY)} or .json; got {path.name!r}.")


def _columns(result: object) -> Columns:
    if isinstance(result, Meet):
        return result.table.to_dict()
    if isinstance(result, Clustering):
        return {"point": list(result.point_names()), "cluster": result.labels.to_list()}
    if isinstance(result, Table):
        columns = result.to_dict()
        for sides in (("true", "pred"), ("old", "new")):
            # Components and events know their clusters by name, which the table of numbers lacks.
            if len(result) and hasattr(result[0], sides[0]) and sides[0] not in columns:
                rows = list(result)
                columns |= {side: [getattr(row, side) for row in rows] for side in sides}
        return columns
    if (
        isinstance(result, Sequence)
        and not isinstance(result, str)
        and all(hasattr(row, "to_dict") for row in result)
    ):
        rows = [row.to_dict() for row in result]
        # Repairs have their columns even where there is nothing to repair.
        names = [*getattr(result, "fields", ()), *(key for row in rows for key in row)]
        return {name: [row.get(name) for row in rows] for name in dict.fromkeys(names)}
    raise ArgumentError.must(
        "result", "be a table, a meet, a clustering, a list of results or scores", got=type(result).__name__
    )


# ---- scores


def to_json(scores: Scores, notices: Sequence[str] = ()) -> str:
    """Scores as JSON, after ``"notices"`` if there are any."""
    told = {"notices": list(notices)} if notices else {}
    return json.dumps({**told, **scores}, ensure_ascii=False, indent=2) + "\n"


def to_markdown(scores: Scores, notices: Sequence[str] = ()) -> str:
    """Scores as a Markdown table, one row per measure, after the notices.

    >>> print(to_markdown({"S_H": 0.5, "b3.f1": 0.75}), end="")
    | measure | score |
    | --- | ---: |
    | S_H | 0.5000 |
    | b3.f1 | 0.7500 |
    """
    head, rows = _grid(scores)
    cells = [[name.replace("|", "\\|") for name in head], ["---", *["---:"] * (len(head) - 1)]]
    cells += [[row[0].replace("|", "\\|"), *row[1:]] for row in rows]
    return markdown_notices(notices) + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def to_latex(scores: Scores, notices: Sequence[str] = ()) -> str:
    r"""Scores as a LaTeX table, one row per measure; notices stand before it, as comments.

    >>> print(to_latex({"S_H": 0.5}), end="")
    \begin{tabular}{lr}
    \hline
    measure & score \\
    \hline
    S\_H & 0.5000 \\
    \hline
    \end{tabular}
    """
    head, rows = _grid(scores)
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", "\\hline", _latex_row(head), "\\hline"]
    lines += [_latex_row(row) for row in rows]
    return "\n".join([*latex_notices(notices), *lines, "\\hline", "\\end{tabular}"]) + "\n"


def _grid(scores: Scores) -> tuple[list[str], list[list[str]]]:
    systems: dict[str, Any] = dict(scores)
    if not any(isinstance(value, Mapping) for value in systems.values()):
        systems = {"score": systems}
    names = dict.fromkeys(name for column in systems.values() for name in column)
    rows = [[name, *(f"{c[name]:.4f}" if name in c else "" for c in systems.values())] for name in names]
    return ["measure", *systems], rows


def _latex_row(cells: list[str]) -> str:
    return " & ".join(map(latex, cells)) + r" \\"


SCORES: dict[str, Callable[[Scores, Sequence[str]], str]] = {
    ".json": to_json,
    ".md": to_markdown,
    ".tex": to_latex,
}
