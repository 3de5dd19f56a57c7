"""Label arrays, images and volumes: .npy, .npz and TIFF. A pixel or voxel is a point."""

from __future__ import annotations

import io
import logging
import os
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from clusterdiff.errors import FileError, LabelError, MissingExtraError, listed, nearest
from clusterdiff.files import find_one, read_bytes, shown
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import AnyArray
from clusterdiff.points.reading import read_labels


def load_numpy(path: str, key: str | None = None) -> AnyArray:
    """The array in a .npy file, or one of those in a .npz file."""
    data = io.BytesIO(read_bytes(path))
    try:
        loaded: Any = np.load(data, allow_pickle=False)
    except Exception as error:  # of damaged bytes, whatever reads them may make anything
        raise _damaged(shown(path), error) from None
    if isinstance(loaded, np.ndarray):
        if key is not None:
            raise FileError(f"{shown(path)} holds one array, and none is called {key!r}.")
        return loaded
    names = loaded.files
    if key is None and len(names) != 1:
        raise FileError(
            f"{shown(path)} holds {len(names)} arrays: {listed(names)}."
            if names
            else f"{shown(path)} holds no array.",
            f"name one: {path}:{names[0]}" if names else None,
        )
    key = names[0] if key is None else key
    if key not in names:
        raise FileError(f"{shown(path)} has no array {key!r}; it has {listed(names)}.", nearest(key, names))
    try:
        array: AnyArray = loaded[key]
    except Exception as error:
        raise _damaged(f"{shown(path)}, array {key!r}", error) from None
    return array


def _damaged(name: str, error: Exception) -> FileError:
    reason = str(error).partition("\n")[0].rstrip(".")[:200] or type(error).__name__
    if "allow_pickle" in reason:
        reason = "it holds pickled objects, which could run code"
    return FileError(f"{name} cannot be read: {reason}.", "is the file complete?")


def load_tiff(path: str) -> AnyArray:
    """A label image or a stack of them."""
    try:
        import tifffile
    except ImportError:
        raise MissingExtraError("tifffile", "image", "reading TIFF images") from None
    file = find_one(path)
    try:
        _refuse_loops(file)
        with _silent("tifffile"):  # what it finds wrong is in the error
            return np.asarray(tifffile.imread(file))
    except Exception as error:
        raise _damaged(shown(path), error) from None


@contextmanager
def _silent(library: str) -> Iterator[None]:
    """Within, a library logs nothing."""
    logger = logging.getLogger(library)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


#: Version of TIFF → how it writes the place of a page, how many tags a page has, and the bytes that a tag takes.
TIFF_VERSIONS = {42: ("I", "H", 12), 43: ("Q", "Q", 20)}


def _refuse_loops(file: str) -> None:
    """Raise if the pages of a TIFF file, each of which says where the next one is, lead back to one before."""
    with open(file, "rb") as tiff:
        order = "<" if tiff.read(2) == b"II" else ">"

        def number(kind: str) -> int:
            data = tiff.read(struct.calcsize(order + kind))
            return (
                int(struct.unpack(order + kind, data)[0]) if len(data) == struct.calcsize(order + kind) else 0
            )

        version = number("H")
        if version not in TIFF_VERSIONS:
            return  # whoever reads it will tell
        place, tags, size = TIFF_VERSIONS[version]
        tiff.seek(8 if version == 43 else 4)
        seen: set[int] = set()
        while page := number(place):
            if page in seen:
                raise ValueError(f"its pages never end: after page {len(seen):,} comes an earlier one")
            seen.add(page)
            tiff.seek(page)
            tiff.seek(number(tags) * size, os.SEEK_CUR)


def flat(array: AnyArray, path: str, ignored: Collection[int] = ()) -> Clustering:
    """The labels of an array of any shape, in C order; those ``ignored`` are points without a cluster."""
    if array.size == 0:
        raise FileError(f"{shown(path)} holds an empty array of shape {array.shape}.")
    try:
        labels = read_labels(array.reshape(-1), shown(path))
    except LabelError as error:
        raise FileError(str(error.message), error.ways) from None  # a file is no argument
    if ignored:
        if labels.lexicon is not None:
            raise FileError(
                Message(
                    "{path} holds {kind}; `ignore` is a label of an array of integers.",
                    path=shown(path),
                    kind=array.dtype,
                )
            )
        labels = labels.hidden(labels.among(ignored))
    return Clustering.of(labels, None)
