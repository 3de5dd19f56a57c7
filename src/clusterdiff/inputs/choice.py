"""Which kind an input is, which options have a meaning for two of them, and the comparison of the two."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, FileError, one_of
from clusterdiff.files import held, shown
from clusterdiff.formats.source import Source
from clusterdiff.inputs.base import COLUMNS, Asked, Input
from clusterdiff.inputs.files import ArrayFile, DocumentsFile, InFile, LabelsFile, PairsFile, TableFile
from clusterdiff.inputs.memory import ByPoint, CorpusInput, Frame, InOrder
from clusterdiff.messages import Message
from clusterdiff.points.corpus import SINGLETONS
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import Noise
from clusterdiff.points.policy import Policy

#: The kinds, in the order in which they are asked.
KINDS: tuple[type[Input], ...] = (
    CorpusInput, Frame, PairsFile, TableFile, LabelsFile, ArrayFile, DocumentsFile, ByPoint, InOrder,
)  # fmt: skip
#: Those that hold documents.
CORPORA = (CorpusInput, DocumentsFile)
#: What is in memory and needs no second look.
PLAIN = frozenset({np.ndarray, list, tuple, dict})


def recognise(data: object, argument: str) -> Input:
    """An input by its kind; a path is a file whose format is known."""
    if type(data) in PLAIN:
        return (ByPoint if ByPoint.holds(data) else InOrder)(data, argument)
    if isinstance(data, str | os.PathLike):
        try:
            data = Source(held(os.fspath(data))).resolved()
        except FileError as error:
            raise FileError(
                error.message, error.ways or "text is the path of a file; labels are a list, array or column."
            ) from None
    elif isinstance(data, Source):
        data = data.resolved()
    else:
        from clusterdiff.tables.frames import refuse_sqlframe

        refuse_sqlframe(data, argument)
    return next(found(data, argument) for found in KINDS if found.holds(data))


def compare_inputs(true: object, pred: object, asked: Asked) -> Comparison:
    """Compare two inputs of whatever kinds."""
    sides = recognise(true, "true"), recognise(pred, "pred")
    refuse_meaningless(sides, asked)
    noise = Noise.told(
        asked.noise, asked.noise_true, asked.noise_pred, asked.noise_as, (sides[0].noise, sides[1].noise)
    )
    policy = Policy(asked.missing or default_missing(sides, asked.documents is not None), noise)
    if not all(isinstance(side, InOrder) for side in sides):  # labels have no columns to be named
        left, right = (
            side.told(asked.column("point", i), asked.column("cluster", i)) for i, side in enumerate(sides)
        )
        return left.meet(right, asked, policy)
    return sides[0].meet(sides[1], asked, policy)


def default_missing(sides: Iterable[Input], within: bool = False) -> Missing:
    """What becomes of points that one side lacks, if the user does not say; ``within`` documents they are lost."""
    wanted = {side.missing for side in sides}
    return "lost" if within or "lost" in wanted else "drop" if "drop" in wanted else "error"


def refuse_meaningless(sides: Sequence[Input], asked: Asked) -> None:
    """Raise for sides that do not go together, and for options that have no meaning for them."""
    corpora = isinstance(sides[0], CORPORA)
    if corpora != isinstance(sides[1], CORPORA):
        raise _half_documents(sides)
    passed = asked.passed
    for option in passed:
        if option == "singletons":
            _check_singletons(asked, corpora)
        elif option not in COLUMNS:
            concerned = {"noise_true": sides[:1], "noise_pred": sides[1:]}.get(option, sides)
            for side in concerned:
                if not side.accepts(option, asked):
                    raise _meaningless(option, side)
    for option in COLUMNS:
        if option in passed or isinstance(sides[0], InFile) or isinstance(sides[1], InFile):
            refuse_columns(option, sides, asked)


def refuse_columns(option: str, sides: Sequence[Input], asked: Asked) -> None:
    """Raise if a column is named on a side that has none; what is said of both sides need count for one only."""
    named = [side.column(option) or asked.column(option, i) for i, side in enumerate(sides)]
    taken = [column for side, column in zip(sides, named, strict=True) if side.accepts(option, asked)]
    for side, column in zip(sides, named, strict=True):
        if column is not None and column not in taken:
            raise _meaningless(option, side)


def _meaningless(option: str, side: Input) -> ArgumentError:
    *others, last = [found.kind for found in KINDS if option in found.takes]
    meant = f"{', '.join(others)} and {last}" if others else last
    told = Message(
        "is for {meant}; `{argument}` holds {kind}.", meant=meant, argument=side.argument, kind=side.kind
    )
    with_engine = option == "budget" and isinstance(side, TableFile)
    ways = ["leave it out", "pass `engine=` as well"] if with_engine else ["leave it out."]
    return ArgumentError.about(option, told, map(Message, ways))


def _check_singletons(asked: Asked, corpora: bool) -> None:
    one_of("singletons", asked.singletons, SINGLETONS)
    if asked.documents is None and not corpora:
        raise ArgumentError.about(
            "singletons", "is for documents; leave it out.", Message("or pass `documents=`.")
        )


def _half_documents(sides: Sequence[Input]) -> ArgumentError | FileError:
    files = [shown(side.data.path) for side in sides if isinstance(side, InFile)]
    if len(files) == 2:
        return FileError(f"{' and '.join(files)} must both hold documents of mentions, or neither.")
    return ArgumentError(
        Message("`true` and `pred` must both be a Corpus of documents, or neither."),
        "only cd.Corpus and files of documents are corpora; a dict is points or clusters.",
    )
