"""Label arrays, images and volumes: .npy, .npz and TIFF. A pixel or voxel is a point."""

from __future__ import annotations

import io
import struct
from collections.abc import Collection
from typing import Any

import numpy as np

from clusterdiff.errors import FileError, LabelError, MissingExtraError, listed, nearest
from clusterdiff.files import find_one, read_bytes, shown
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import AnyArray
from clusterdiff.points.reading import read_labels


def load_numpy(path: str, key: str | None = None) -> AnyArray:
    """The array in a .npy file, or one of those in a .npz file."""
    try:
        loaded: Any = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = str(error).partition(".")[0]
        if "allow_pickle" in str(error):
            reason = "it holds pickled objects, which could run code"
        raise FileError(f"{shown(path)} cannot be read: {reason}.", "is the file complete?") from None
    if isinstance(loaded, np.ndarray):
        if key is not None:
            raise FileError(f"{shown(path)} holds one array, and none is called {key!r}.")
        return loaded
    names = loaded.files
    if key is None and len(names) != 1:
        raise FileError(
            f"{shown(path)} holds {len(names)} arrays: {listed(names)}.",
            f"name one: {path}:{names[0]}" if names else None,
        )
    key = names[0] if key is None else key
    if key not in names:
        raise FileError(f"{shown(path)} has no array {key!r}; it has {listed(names)}.", nearest(key, names))
    try:
        array: AnyArray = loaded[key]
    except (ValueError, OSError, EOFError) as error:
        raise FileError(f"{shown(path)}, array {key!r} cannot be read: {error}.") from None
    return array


def load_tiff(path: str) -> AnyArray:
    """A label image or a stack of them."""
    try:
        import tifffile
    except ImportError:
        raise MissingExtraError("tifffile", "image", "reading TIFF images") from None
    try:
        return np.asarray(tifffile.imread(find_one(path)))
    except (tifffile.TiffFileError, struct.error, ValueError, OSError, KeyError) as error:
        raise FileError(f"{path} cannot be read: {error}.", "is the file complete?") from None


def flat(array: AnyArray, path: str, ignored: Collection[int] = ()) -> Clustering:
    """The labels of an array of any shape, in C order; those ``ignored`` are points without a cluster."""
    if array.size == 0:
        raise FileError(f"{shown(path)} holds an empty array of shape {array.shape}.")
    try:
        labels = read_labels(array.reshape(-1), shown(path))
    except LabelError as error:
        raise FileError(error.message, error.hint) from None
    if ignored:
        if labels.lexicon is not None:
            raise FileError(
                f"{shown(path)} holds {array.dtype}; `ignore` is a label of an array of integers."
            )
        labels = labels.hidden(labels.among(ignored))
    return Clustering.of(labels, None)
