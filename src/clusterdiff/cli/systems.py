"""Which systems `rank` ranks: files, columns of a table, the files of a folder, or those that a table lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clusterdiff.cli.inputs import sources
from clusterdiff.decide.runs import read_runs
from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.formats.source import Source


class Watched(Mapping[str, Source]):
    """Systems by name, which tell when they are read."""

    def __init__(self, systems: Mapping[str, Source], tell: Callable[[str], None]) -> None:
        self._systems = dict(systems)
        self._tell = tell

    def __getitem__(self, name: str) -> Source:
        self._tell(f"{list(self._systems).index(name) + 1:,} of {len(self):,}: {name}")
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)


def systems_of(
    true: str, preds: Sequence[str], inputs: Mapping[str, Any]
) -> tuple[Source, dict[str, Source]]:
    """The truth and the systems that the arguments name."""
    if not preds:
        return _columns(true, inputs)
    found: dict[str, Source] = {}
    truth = None
    for text in (file for pred in preds for file in _files(pred, true)):
        truth, source = sources(true, text, **inputs)
        column = source.cluster if text.endswith(f":{source.cluster}") else None
        name = column or Path(source.path).name.partition(".")[0] or source.path
        _add(found, name if name not in found else text, source)
    assert truth is not None  # every argument is a file, or a folder with some
    return truth, found


def _add(found: dict[str, Source], name: str, source: Source) -> None:
    if name in found:
        raise ArgumentError(f"there are two systems called {name!r}.", "give their files different names.")
    found[name] = source


def _files(pred: str, true: str) -> list[str]:
    """A file as it is; of a folder all files but hidden ones and the truth."""
    if not os.path.isdir(pred):
        return [pred]
    inside = [
        path for path in sorted(Path(pred).iterdir()) if path.is_file() and not path.name.startswith(".")
    ]
    found = [str(path) for path in inside if not os.path.exists(true) or not os.path.samefile(path, true)]
    if not found:
        raise FileError(f"{pred} has no files to rank.")
    return found


def _columns(true: str, inputs: Mapping[str, Any]) -> tuple[Source, dict[str, Source]]:
    """Columns of one table: those that --pred names, or all but the points and the truth."""
    truth, told = inputs.get("true_column"), inputs.get("pred_column")
    if truth is None:
        raise ArgumentError(
            "one file needs --true to name its column of true clusters.",
            "or pass the files of predictions: TRUE PRED…",
        )
    rest = {name: value for name, value in inputs.items() if name != "pred_column"}
    if told is not None:
        names = [name.strip() for name in told.split(",") if name.strip()]
    else:
        from clusterdiff.tables.files import columns_of, recognised

        source, _ = sources(true, None, **rest, pred_column=truth)
        columns = columns_of(source)
        point = source.point or recognised(columns, "point", taken=[truth])
        names = [name for name in columns if name not in (truth, point)]
    if not names:
        raise ArgumentError(f"{true} has no columns to rank.", "name them with --pred A,B,C.")
    pairs = {name: sources(true, None, **rest, pred_column=name) for name in names}
    return next(iter(pairs.values()))[0], {name: pred for name, (_, pred) in pairs.items()}


def runs_of(path: str, inputs: Mapping[str, Any]) -> dict[str, tuple[Source, dict[str, Source]]]:
    """The data sets that a table lists, read as the options say."""
    out = {}
    for data, (truth, systems) in read_runs(path).items():
        pairs = {name: sources(truth, file, **inputs) for name, file in systems.items()}
        out[data] = next(iter(pairs.values()))[0], {name: pred for name, (_, pred) in pairs.items()}
    return out
