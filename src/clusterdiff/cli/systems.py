"""Which systems `rank` ranks: files, columns of a table, the files of a folder, or those that a table lists."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clusterdiff.cli.inputs import sources
from clusterdiff.decide.runs import Run, read_files
from clusterdiff.errors import ArgumentError, FileError, listed
from clusterdiff.files import COMPRESSED
from clusterdiff.formats.catalogue import BY_SUFFIX
from clusterdiff.formats.source import Source, parse


class Watched(Mapping[Any, Source]):
    """Systems by name, or runs of systems, which tell when they are read."""

    def __init__(self, systems: Mapping[Any, Source], tell: Callable[[str], None]) -> None:
        self._systems: dict[Any, Source] = dict(systems)
        self._place = {name: place for place, name in enumerate(self._systems, 1)}
        self._tell = tell

    def __getitem__(self, name: Any) -> Source:
        self._tell(f"{self._place[name]:,} of {len(self):,}: {name}")
        return self._systems[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)


def systems_of(
    true: str, preds: Sequence[str], inputs: Mapping[str, Any]
) -> tuple[Source, dict[str, Source]]:
    """The truth and the systems that the arguments name."""
    if not preds:
        return _columns(true, inputs)
    texts = [file for pred in preds for file in files_of(pred, true)]
    pairs = [sources(true, text, **inputs) for text in texts]
    return pairs[0][0], dict(zip(named(texts), (pred for _, pred in pairs), strict=True))


def named(texts: Sequence[str]) -> list[str]:
    """What files and columns are called: the column, or the file without its suffix; those that are alike as written.

    >>> named(["run/leiden_0.5.csv.gz", "all.csv:ward"]), named(["a/x.csv", "b/x.csv"])
    (['leiden_0.5', 'ward'], ['a/x.csv', 'b/x.csv'])
    """
    twice = [text for text, times in Counter(texts).items() if times > 1]
    if twice:
        verb = "is" if len(twice) == 1 else "are"
        raise ArgumentError(f"{listed(twice)} {verb} named twice.", "name each file or column once.")
    names = [_name(text) for text in texts]
    shared = {name for name, times in Counter(names).items() if times > 1}
    return [text if name in shared else name for text, name in zip(texts, names, strict=True)]


def _name(text: str) -> str:
    source = parse(text)
    if source.cluster is not None:
        return source.cluster
    name = Path(source.path).name
    for suffixes in (COMPRESSED, (*BY_SUFFIX, ".txt")):
        end = Path(name).suffix
        name = name.removesuffix(end) if end.lower() in suffixes else name
    return name or source.path


def files_of(pred: str, true: str | None = None) -> list[str]:
    """A file as it is; of a folder all files but hidden ones and the truth."""
    if not os.path.isdir(pred):
        return [pred]
    inside = [
        path for path in sorted(Path(pred).iterdir()) if path.is_file() and not path.name.startswith(".")
    ]
    there = true is not None and os.path.exists(true)
    found = [str(path) for path in inside if not there or not os.path.samefile(path, str(true))]
    if not found:
        raise FileError(f"{pred} has no files.")
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


def runs_of(path: str, inputs: Mapping[str, Any]) -> dict[str, tuple[Source, dict[Run, Source]]]:
    """The data sets that a table lists, read as the options say."""
    out = {}
    for data, (truth, systems) in read_files(path).items():
        pairs = {run: sources(truth, file, **inputs) for run, file in systems.items()}
        out[data] = next(iter(pairs.values()))[0], {run: pred for run, (_, pred) in pairs.items()}
    return out
