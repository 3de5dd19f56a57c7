"""Files: finding and opening them (globs, compression, pipes), and writing them whole or not at all."""

from __future__ import annotations

import atexit
import bz2
import glob
import gzip
import io
import json
import logging
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

from clusterdiff.errors import FileError

#: Whoever does something that may take long says so here; a command shows it on a terminal.
STAGE = logging.getLogger("clusterdiff.stage")
STAGE.propagate = False

#: The path that stands for standard input.
STDIN = "-"

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
COMPRESSED = (*OPENERS, ".zst")
BROKEN = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError)


#: Where the content of a pipe lies → what the user calls the pipe.
_PIPES: dict[str, str] = {}


def shown(path: str) -> str:
    """A path as messages show it; bytes that are no text are spelt out, since messages may go anywhere."""
    if path == STDIN:
        return "standard input"
    return os.fsencode(_PIPES.get(path, path)).decode(errors="backslashreplace")


def is_pipe(path: str) -> bool:
    """Whether a path is a FIFO or what a shell makes of ``<(command)``: it can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def held(path: str) -> str:
    """A path that every reader can open, and more than once, until the process ends.

    What comes out of a pipe is kept in a file; a file whose name is no UTF-8, as DuckDB wants it, gets another name.
    """
    if path == STDIN or not (is_pipe(path) or (_utf8(path) != path and os.path.exists(path))):
        return path
    folder = tempfile.TemporaryDirectory(prefix="clusterdiff-")
    copy = os.path.join(folder.name, _utf8(os.path.basename(path)))
    try:
        if is_pipe(path):
            with open(path, "rb") as pipe, open(copy, "wb") as out:
                shutil.copyfileobj(pipe, out)
        else:
            os.symlink(os.path.abspath(path), copy)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from None
    _PIPES[copy] = path
    atexit.register(folder.cleanup)
    return copy


def _utf8(name: str) -> str:
    """A name with an underscore for every byte that is no UTF-8, which Python holds as half a character."""
    return re.sub("[\ud800-\udfff]", "_", name)


def standard_input() -> IO[bytes]:
    """The bytes of standard input, which must be open."""
    if sys.stdin is None:
        raise FileError("standard input is closed.", "pipe a file into the command, or name the file.")
    return sys.stdin.buffer


def suffix(path: str) -> str:
    """The suffix that tells the format, in lower case; a suffix of compression does not count.

    >>> suffix("gold.CSV.gz"), suffix("labels")
    ('.csv', '')
    """
    inner = Path(path)
    if inner.suffix.lower() in COMPRESSED:
        inner = inner.with_suffix("")
    return inner.suffix.lower()


def find(path: str) -> list[str]:
    """The files that a path or a glob stands for, each of them readable and not empty."""
    if not os.path.exists(path) and glob.has_magic(path):
        found = sorted(p for p in glob.glob(path, recursive=True) if os.path.isfile(p))
        if not found:
            raise FileError(f"no file matches {path!r}.")
    else:
        found = [path]
    for one in found:
        _refuse_unreadable(one)
    return found


def find_one(path: str) -> str:
    """The one file that a path stands for."""
    found = find(path)
    if len(found) > 1:
        raise FileError(
            f"{path!r} matches {len(found):,} files, but this format is read from a single file.",
            "name one file.",
        )
    return found[0]


def _refuse_unreadable(path: str) -> None:
    name = shown(path)
    if os.path.isdir(path):
        raise FileError(
            f"{name} is a folder, not a file.",
            f"name a file in it, or a glob of files of one kind: '{name}/*.csv'.",
        )
    if not os.path.exists(path):
        raise FileError(f"{name} does not exist.")
    try:
        if not os.path.isfile(path):  # what a device gives may never end
            raise FileError(f"{name} is a device, not a file.", f"standard input is called {STDIN}.")
        with open(path, "rb") as file:
            if not file.read(1):
                raise FileError(f"{name} is empty.")
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}.") from None


def is_packed(path: str) -> bool:
    """Whether a file is compressed, by its name."""
    return Path(path).suffix.lower() in COMPRESSED


def is_plain(path: str) -> bool:
    """Whether a file can be read where it is, any number of times."""
    return path != STDIN and Path(path).suffix.lower() not in (".bz2", ".xz")


@contextmanager
def spooled(path: str) -> Iterator[str]:
    """The path of a plain file with the same content: standard input and what DuckDB cannot unpack are copied."""
    if is_plain(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="clusterdiff-") as folder:
        copy = os.path.join(folder, "input" + suffix(path))
        with open(copy, "wb") as out:
            if path == STDIN:
                shutil.copyfileobj(standard_input(), out)
            else:
                try:
                    with open_bytes(path) as packed:
                        shutil.copyfileobj(packed, out)
                except BROKEN as error:
                    raise _broken(path, error) from None
        if os.path.getsize(copy) == 0:
            raise FileError(f"{shown(path)} is empty.")
        yield copy


def open_bytes(path: str) -> IO[bytes]:
    """A file's bytes, unpacked."""
    if path == STDIN:
        return io.BytesIO(standard_input().read())
    path = find_one(path)
    end = Path(path).suffix.lower()
    if end == ".zst":
        raise FileError(
            f"{path} is compressed with zstd, which is read for tables only.", "unpack it first: zstd -d."
        )
    opened: IO[bytes] = OPENERS.get(end, open)(path, "rb")
    return opened


def first_bytes(path: str, size: int) -> bytes:
    """The first bytes of a file, unpacked."""
    try:
        with open_bytes(path) as file:
            return file.read(size)
    except BROKEN as error:
        raise _broken(path, error) from None


def read_bytes(path: str) -> bytes:
    """All bytes of a file, unpacked."""
    try:
        with open_bytes(path) as file:
            data = file.read()
    except BROKEN as error:
        raise _broken(path, error) from None
    if not data:
        raise FileError(f"{shown(path)} is empty.")
    return data


def read_text(path: str) -> str:
    """All text of a file, which must be UTF-8."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{shown(path)}, line {line:,} is not UTF-8 text ({error.reason}).",
            "convert it, for example: iconv -f latin1 -t utf-8.",
        ) from None


def from_json(text: str, path: str, line: int = 0, **options: Any) -> Any:
    """The values that JSON stands for; ``line`` is the number of lines before it, for the message if it is not JSON."""
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as error:
        place = f"line {line + error.lineno:,}, column {error.colno:,}"
        raise FileError(f"{shown(path)}, {place}: {error.msg}.") from None
    except RecursionError:
        reason = "the JSON is nested too deeply"
    except FileError:
        raise
    except ValueError:  # Python refuses to read more digits, since that takes quadratic time
        reason = f"the JSON has a number of more than {sys.get_int_max_str_digits():,} digits"
    raise FileError(f"{shown(path)}{f', line {line + 1:,}' if line else ''}: {reason}.")


def read_lines(path: str) -> list[str]:
    """The lines of a text file; a line break at the end does not start another line."""
    text = read_text(path)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def first_line(path: str, limit: int = -1) -> str:
    """The first line of a text file, without its line break; no more bytes than ``limit``, if that is given."""
    if Path(path).suffix.lower() == ".zst":
        return _first_line_of_zstd(path)
    try:
        with open_bytes(path) as file:
            line = file.readline(limit)
        # A limit may cut a character in two.
        return line.decode("utf-8-sig", "ignore" if len(line) == limit else "strict").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FileError(f"{shown(path)}, line 1 is not UTF-8 text ({error.reason}).") from None
    except BROKEN as error:
        raise _broken(path, error) from None


def longest_line(path: str) -> tuple[int, int]:
    """The number of the longest line of a file, and how many bytes it has; read piece by piece."""
    longest, number, length = (0, 0), 1, 0
    try:
        with open_bytes(path) as file:
            while piece := file.read(1 << 20):
                *ended, rest = piece.split(b"\n")
                for part in ended:
                    longest = max(longest, (length + len(part), -number))
                    number, length = number + 1, 0
                length += len(rest)
    except (FileError, *BROKEN):  # nothing is known of a file that does not unpack
        return 0, 0
    size, place = max(longest, (length, -number))
    return -place, size


def _first_line_of_zstd(path: str) -> str:
    """DuckDB unpacks zstd, Python before 3.14 does not: read the file as a table of lines."""
    import duckdb

    options = (
        "auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, "
        "delim = '\x01', quote = '', escape = ''"
    )
    try:
        row = (
            duckdb.connect()
            .execute(f"SELECT line FROM read_csv(?, {options}) LIMIT 1", [find_one(path)])
            .fetchone()
        )
    except duckdb.Error as error:
        raise _broken(path, str(error).partition("\n")[0]) from None
    return row[0] if row and row[0] else ""


def _broken(path: str, error: Any) -> FileError:
    reason = getattr(error, "strerror", None) or str(error)
    return FileError(f"{shown(path)} cannot be unpacked or read: {reason}.", "is the file complete?")


# ---- writing


def refuse_unwritable(path: str | PathLike[str]) -> None:
    """Raise if a path is a folder, or if its folder does not exist or is closed to us."""
    name, folder = shown(os.fspath(path)), os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise FileError(f"{name} cannot be written: it is a folder.", "name a file in it.")
    if os.path.exists(path) and not os.path.isfile(path):
        return  # a device or a pipe
    if not os.path.isdir(folder):
        raise FileError(
            f"{name} cannot be written: the folder {shown(folder)} does not exist.", "make it first."
        )
    if not os.access(folder, os.W_OK):
        raise FileError(
            f"{name} cannot be written: the folder {shown(folder)} is read-only.", "name another folder."
        )


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[str]:
    """A temporary name to write to; the file takes the place of ``path`` once it is complete.

    A link stays, and the file that it leads to is replaced. A device or a pipe stays too: it is written to.
    """
    refuse_unwritable(path)
    target = Path(path)
    through = target.exists() and not target.is_file()
    if not through:
        target = Path(os.path.realpath(target))
    name = None
    try:
        folder = tempfile.gettempdir() if through else target.parent
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{_utf8(target.name[:100])}.", suffix=".tmp")
        os.close(handle)
        yield name
        if through:
            with open(name, "rb") as whole, open(target, "wb") as out:
                shutil.copyfileobj(whole, out)
        else:
            # mkstemp makes files that only their owner may read; this one is meant to be like any other.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, target)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        if name is not None:
            Path(name).unlink(missing_ok=True)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write UTF-8 text, lines as they are."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise FileError(
            f"{path} cannot be written: {text[error.start]!r} is half of a character, which UTF-8 cannot hold."
        ) from None
    with replacing(path) as name:
        Path(name).write_bytes(data)
