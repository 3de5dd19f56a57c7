"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from os import PathLike
from pathlib import Path

from clusterdiff.errors import FileError


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write UTF-8 text under a temporary name in the same folder, then rename it to ``path``."""
    target = Path(path)
    temporary = None
    try:
        number, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp"
        )
        with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files that only their owner may read; this one is meant to be like any other.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    except BaseException:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise
