"""How the commands read their inputs: files with columns, standard input, pairs, formats; and what was guessed."""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import wraps
from typing import Any, NamedTuple

import click
import numpy as np

from clusterdiff.cli.options import Command, noise_as_option, noise_option, together
from clusterdiff.cli.output import error_console
from clusterdiff.diff.attributes import Lookup
from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import STDIN, is_pipe, read_bytes, shown
from clusterdiff.formats.catalogue import FORMATS
from clusterdiff.formats.source import Source, parse
from clusterdiff.points.policy import MISSING
from clusterdiff.tables.attributes import read_attributes
from clusterdiff.tables.engine_files import suited
from clusterdiff.tables.sessions import ENGINES, Session, open_session
from clusterdiff.wording import count

#: What is guessed alike of more files than this is counted.
ALIKE = 5
#: The options that say how inputs are read.
input_options = together(
    click.option(
        "--true", "true_column", metavar="COLUMN", help="Column of true clusters, when both are in one file."
    ),
    click.option(
        "--pred",
        "pred_column",
        metavar="COLUMN",
        help="Column of predicted clusters, when both are in one file.",
    ),
    click.option(
        "--point", metavar="COLUMN", help="Column that names the points; A,B if two columns do so together."
    ),
    click.option("--true-point", metavar="COLUMN", help="Column that names the points of TRUE."),
    click.option(
        "--pred-point",
        metavar="COLUMN",
        help="Column that names the points of PRED; with --pairs, the two ends of a pair: A,B.",
    ),
    click.option("--cluster", metavar="COLUMN", help="Column of clusters in both files."),
    click.option(
        "--format",
        "input_format",
        type=click.Choice(list(FORMATS)),
        metavar="FORMAT",
        help="Format of the files.",
    ),
    click.option(
        "--pairs",
        is_flag=True,
        help="PRED is a table of matched pairs: points that they connect are a cluster.",
    ),
    click.option("--true-pairs", is_flag=True, help="TRUE is a table of matched pairs."),
    click.option(
        "--threshold",
        type=float,
        metavar="SCORE",
        help="Lowest score at which a pair counts: of PRED, or of TRUE if only TRUE is pairs.",
    ),
    click.option(
        "--ignore",
        type=int,
        multiple=True,
        metavar="LABEL",
        help="Label whose points are not compared, if TRUE is an array or an image. May be repeated.",
    ),
    click.option("--ignore-pred", type=int, multiple=True, metavar="LABEL", help="The same for PRED."),
)


#: What becomes of points that one side lacks; which labels mean noise, and what becomes of it.
_policy_options = together(
    click.option(
        "--missing",
        type=click.Choice(MISSING),
        help="How to treat points on one side only.  [default: error; lost for documents]",
    ),
    noise_option,
    click.option(
        "--noise-true", multiple=True, metavar="LABEL", help="The same for TRUE, instead of --noise."
    ),
    click.option("--noise-pred", multiple=True, metavar="LABEL", help="The same for PRED."),
    noise_as_option,
)


def policy_options(command: Command) -> Command:
    """The options for missing points and noise, which reach the command as arguments of `cd.compare`."""

    @wraps(command)
    def gathered(*args: Any, missing: Any, noise_as: Any, **rest: Any) -> Any:
        labels = {name: frozenset(rest.pop(name)) or None for name in ("noise", "noise_true", "noise_pred")}
        return command(*args, policy={"missing": missing, "noise_as": noise_as, **labels}, **rest)

    decorated: Command = _policy_options(gathered)  # type: ignore[assignment]
    return decorated


class EngineOptions(NamedTuple):
    """The engine that was asked for."""

    name: str | None
    master: str | None
    memory: str | None

    def session(self, true: Source, pred: Source, others: bool, detail: bool) -> Session | None:
        """That engine, or the one that suits two files; None if they are compared in memory."""
        name = self.name or suited(true, pred, detail)
        if name == "memory":
            return None
        return open_session(name, memory=self.memory, master=self.master, others=others)


_engine_options = together(
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        help="Engine that joins and groups the points.  [default: memory, or duckdb for larger tables]",
    ),
    click.option(
        "--master", metavar="URL", help="The Spark cluster, such as spark://host:7077; default local."
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        help="Memory that DuckDB may take, such as 4GB; the rest goes to disk.",
    ),
)


def engine_options(command: Command) -> Command:
    """The options of engines, which reach the command as one ``engine``."""

    @wraps(command)
    def gathered(*args: Any, engine: str | None, master: str | None, memory: str | None, **rest: Any) -> Any:
        if master is not None and engine != "spark":
            raise ArgumentError("--master names a Spark cluster.", "pass --engine spark as well.")
        return command(*args, engine=EngineOptions(engine, master, memory), **rest)

    decorated: Command = _engine_options(gathered)  # type: ignore[assignment]
    return decorated


attribute_options = together(
    click.option(
        "--attributes",
        metavar="FILE",
        help="A table of more columns, for --explain, --by, --show and --html; one row per point.",
    ),
    click.option(
        "--key",
        metavar="COLUMN",
        help="Column of --attributes that names the points; A,B if two do so together.",
    ),
)


def read_columns(path: str | None, key: str | None, *sides: Source) -> dict[str, Lookup] | None:
    """The columns of --attributes, by point; None if it is not given."""
    if path is None:
        if key is not None:
            raise ArgumentError("--key names a column of --attributes.", "pass --attributes FILE as well.")
        return None
    texts = any(side.resolved().format in ("csv", "tsv") for side in sides)
    return read_attributes(parse(path).resolved(), key, as_text=texts)


def read_distances(path: str) -> Any:
    """The link weights between points in a file of NumPy's or SciPy's: a matrix or a condensed vector."""
    data = read_bytes(path)
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        from scipy.sparse import load_npz

        return load_npz(io.BytesIO(data))
    except Exception as error:  # of damaged bytes, whatever reads them may make anything
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise FileError(
            f"{shown(path)} must hold distances as NumPy (.npy) or SciPy (.npz, sparse) write them: {reason}."
        ) from None


def sources(
    true: str,
    pred: str | None,
    *,
    true_column: str | None = None,
    pred_column: str | None = None,
    point: str | None = None,
    true_point: str | None = None,
    pred_point: str | None = None,
    cluster: str | None = None,
    input_format: str | None = None,
    pairs: bool = False,
    true_pairs: bool = False,
    threshold: float | None = None,
    ignore: Sequence[int] = (),
    ignore_pred: Sequence[int] = (),
) -> tuple[Source, Source]:
    """The two sources that the arguments of a command name."""
    if pred is None and (true_column is None or pred_column is None):
        raise ArgumentError(
            "one file needs --true and --pred to name its two columns.", "or pass two files: TRUE PRED."
        )
    if true == pred and (true == STDIN or is_pipe(true)):
        raise ArgumentError(f"{shown(true)} can be read only once.", "pass a file for TRUE or PRED.")
    left = parse(true)
    right = left if pred is None else parse(pred)
    left = replace(
        left,
        point=true_point or (point if true_pairs or not pairs else None),
        cluster=left.cluster or true_column or cluster,
        format=input_format,
        pairs=true_pairs,
        threshold=threshold if true_pairs and not pairs else None,
        ignore=tuple(ignore),
    )
    right = replace(
        right,
        point=pred_point or (point if pairs or not true_pairs else None),
        cluster=right.cluster or pred_column or cluster,
        format=input_format,
        pairs=pairs,
        threshold=threshold if pairs or not true_pairs else None,
        ignore=tuple(ignore_pred),
    )
    return left, right


def named_columns(file: str, columns: str, point: str | None) -> dict[str, Source]:
    """The columns of a file by name; a name may be a pattern."""
    source = parse(file)
    names: Sequence[str] = [name.strip() for name in columns.split(",") if name.strip()]
    if any(sign in columns for sign in "*?["):
        from clusterdiff.tables.duck import connect
        from clusterdiff.tables.files import open_table

        with open_table(connect(), source.resolved()) as scan:
            names = [column for column in scan.columns if any(fnmatchcase(column, name) for name in names)]
        if not names:
            raise ArgumentError(f"no column of {file} matches {columns!r}; it has {listed(scan.columns)}.")
    return {name: replace(source, point=point, cluster=name) for name in names}


@contextmanager
def told() -> Iterator[None]:
    """Print what readers guess, such as which columns were meant, to standard error."""
    logger = logging.getLogger("clusterdiff")
    handler = _Teller()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        handler.count()
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Teller(logging.Handler):
    """Prints every message once: a ranking reads the same truth again and again.

    What is the same of very many files is said of the first few, and counted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: set[str] = set()
        self._alike: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message in self._told:
            return
        self._told.add(message)
        said = message.partition(": ")[2]
        self._alike[said] += 1
        if self._alike[said] <= ALIKE:
            self._print(message)

    def count(self) -> None:
        """Say of how many more files the same holds."""
        for said, files in self._alike.items():
            if files > ALIKE:
                self._print(f"… and {count(files - ALIKE, 'more file')}: {said}")

    def _print(self, text: str) -> None:
        error_console().print(text, markup=False, style="dim", soft_wrap=True)
