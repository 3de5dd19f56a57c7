"""Files compared in an engine that reads them; which engine, if nobody says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, EngineError
from clusterdiff.files import STDIN
from clusterdiff.formats.catalogue import UNTYPED
from clusterdiff.formats.source import Source, as_written
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.keys import shared_kinds
from clusterdiff.points.policy import Policy
from clusterdiff.tables.frames import column_name, column_names, compare_columns, compare_frames
from clusterdiff.tables.sessions import LARGE, AskedColumns, Scanned, Session


def suited(true: Source, pred: Source, detail: bool) -> str:
    """The engine for two files if nobody names one: DuckDB for tables that memory would not hold.

    ``detail``: more is wanted of each point than its clusters.
    """
    tables = {source.path: str(source.resolved().format) for source in (true, pred) if source.path != STDIN}
    if not all(Path(path).is_file() and found in LARGE for path, found in tables.items()):
        return "memory"
    from clusterdiff.tables.engines import budget
    from clusterdiff.tables.extent import PER_DETAIL, PER_ROW, needed

    limit, per_row = budget.memory() // 2, PER_DETAIL if detail else PER_ROW
    large = any(needed(path, found, limit, per_row) > limit for path, found in tables.items())
    return "duckdb" if large else "memory"


def compare_in(
    session: Session,
    true: Source,
    pred: Source,
    policy: Policy,
    *,
    weights: object = None,
    features: object = None,
    documents: object = None,
    singletons: Singletons = "keep",
    budget: int | str | None = None,
) -> Comparison:
    """Compare two tables in files, or two columns of one, in an engine that reads them."""
    columns = AskedColumns(
        column_name(documents, "documents"),
        column_name(weights, "weights"),
        column_names(features, "features"),
    )
    if budget is None and session.memory is not None:
        budget = session.memory // 4
    rules: dict[str, Any] = {
        "documents": columns.documents,
        "singletons": singletons,
        "budget": budget,
        "weights": columns.weights,
        "features": columns.features or None,
    }
    before = _state(true), _state(pred)
    diff = _compare(session, true, pred, policy, columns, rules)
    if (_state(true), _state(pred)) != before:
        raise EngineError(
            f"{true.path} or {pred.path} changed while it was read.",
            "run it again when nothing is writing to the file.",
        )
    return diff


def _compare(
    session: Session, true: Source, pred: Source, policy: Policy, columns: AskedColumns, rules: dict[str, Any]
) -> Comparison:
    if (true.path, true.table) == (pred.path, pred.table) and true.cluster and pred.cluster:
        one = session.scan(true, (true.cluster, pred.cluster), columns)
        return compare_columns(
            one.frame,
            true=true.cluster,
            pred=pred.cluster,
            point=one.point,
            policy=_with_labels(policy, one, one, true.format in UNTYPED),
            keys=one.keys,
            **rules,
        )
    left, right = session.scan(true, (), columns), session.scan(pred, (), columns)
    untyped = true.format in UNTYPED or pred.format in UNTYPED
    if (true.format in UNTYPED) != (pred.format in UNTYPED):
        # If one file knows only text, its names are matched with the other's as they are written.
        left, right = _as_text(left, columns), _as_text(right, columns)
    assert left.point is not None
    assert right.point is not None
    return compare_frames(
        left.frame,
        right.frame,
        point=(left.point, right.point),
        cluster=(left.clusters[0], right.clusters[0]),
        policy=_with_labels(policy, left, right, untyped),
        keys=_keys(left, right),
        bring=False,
        **rules,
    )


def _keys(left: Scanned, right: Scanned) -> tuple[str, ...]:
    """What the parts of names are in both tables."""
    if len(left.keys) != len(right.keys):
        raise ArgumentError(
            f"points must be named by the same number of columns on both sides; got {max(1, len(left.keys))} and "
            f"{max(1, len(right.keys))}."
        )
    return shared_kinds(left.keys, right.keys)


def _as_text(table: Scanned, columns: AskedColumns) -> Scanned:
    import narwhals.stable.v2 as nw

    names = [name for name in (table.point, *table.clusters, columns.documents) if name is not None]
    frame = nw.from_native(table.frame).with_columns(nw.col(*dict.fromkeys(names)).cast(nw.String))
    return table._replace(frame=frame.to_native())


def _with_labels(policy: Policy, left: Scanned, right: Scanned, untyped: bool) -> Policy:
    """The policy with the noise labels as the columns have them: numbers, or text where a file knows text only."""
    if not policy.noise:
        return policy
    import narwhals.stable.v2 as nw

    def numbers(table: Scanned, column: str) -> bool:
        return bool(nw.from_native(table.frame).collect_schema()[column].is_integer())

    true, pred = numbers(left, left.clusters[0]), numbers(right, right.clusters[-1])
    return replace(policy, noise=policy.noise.spelt(as_written(true, untyped), as_written(pred, untyped)))


def _state(source: Source) -> list[tuple[str, int, int, int]]:
    """What changes when a file is written to; for a folder of parts, the same for every file in it."""
    path = Path(source.path)
    files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
    try:
        return [(str(f), s.st_size, s.st_mtime_ns, s.st_ino) for f in files for s in [f.stat()]]
    except OSError as error:
        raise EngineError(f"{source.path} disappeared while it was read: {error.strerror}.") from None
