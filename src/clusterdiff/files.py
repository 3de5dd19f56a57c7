"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from clusterdiff.errors import FileError


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[str]:
    """A temporary name beside ``path``, to be written; it takes its place once that is done."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp")
        os.close(handle)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        yield name
        # mkstemp makes files that only their owner may read; this one is meant to be like any other.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        Path(name).unlink(missing_ok=True)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write UTF-8 text, lines as they are."""
    with replacing(path) as name:
        Path(name).write_text(text, encoding="utf-8", newline="")
