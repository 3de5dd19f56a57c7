"""Lines divided by the core: held to Python's split, and given up where they are not plain."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases

#: No line is longer.
LONGEST = 1 << 18


def oracle(data: bytes, delimiter: str, fields: int) -> list[list[str]] | None:
    """The rows of a file; None if it is not plain."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    header, end, _ = text.partition("\n")
    breaks = "\r\n" if end and header.endswith("\r") else "\n"
    lines = text.split(breaks)[1:]
    if lines and not lines[-1]:
        lines.pop()
    rows = [line.split(delimiter) for line in lines]
    plain = not set('"\r\n\0') & set(text.replace(breaks, "")) and all(lines)
    return rows if plain and all(len(row) == fields for row in rows) else None


def read(path: Path, delimiter: str, fields: int, point: int = 0, cluster: int = 1) -> Any:
    """The labels, and the place of each point among those of the same file."""
    matching = _core.Matching(path.stat().st_size // 8)
    for _ in range(2):
        with path.open("rb") as file:
            found = matching.read_lines(file.fileno(), delimiter, fields, point, cluster)
            if found is None:
                return None
    return found, matching.match()


def check(data: bytes, delimiter: str, fields: int, point: int = 0, cluster: int = 1) -> None:
    rows = oracle(data, delimiter, fields)
    with TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        path.write_bytes(data)
        if rows is not None and "" in (names := [row[point] for row in rows]):
            with pytest.raises(ValueError, match=f"^true has no id in row {names.index('')}$"):
                read(path, delimiter, fields, point, cluster)
            return
        got = read(path, delimiter, fields, point, cluster)
    assert (got is None) == (rows is None)
    if rows is None:
        return
    found, matched = got
    codes: dict[str, int] = {}
    labels = [row[cluster] for row in rows]
    assert found.values.tolist() == [codes.setdefault(x, len(codes)) if x else -1 for x in labels]
    text = found.bytes.tobytes()
    assert [text[begin:end].decode() for begin, end in pairwise([0, *found.ends.tolist()])] == list(codes)
    firsts: dict[str, int] = {}
    places = [i if firsts.setdefault(row[point], i) == i else -1 for i, row in enumerate(rows)]
    assert matched.place.tolist() == places


FIELDS = st.text(st.sampled_from("ab0 ä\ud7ff\uffff😀'"), max_size=4) | st.sampled_from(
    ["", "a" * 11, "a" * 12, "a" * 13, "ä" * 7]
)
#: What makes a file another than a plain one, as a rule.
ODD = st.sampled_from([b'"', b"\r\n", b"\r", b"\0", b"\n\n", b"\n", b",", b"\xef\xbb\xbf"]) | st.sampled_from(
    [
        *map(
            bytes.fromhex,
            ("ff", "c3", "c080", "c1bf", "e09fbf", "eda080", "f08fbfbf", "f4908080", "f5808080", "e282"),
        )
    ]
)


@given(
    st.lists(st.tuples(FIELDS, FIELDS, FIELDS), max_size=12),
    st.sampled_from(",;\t|"),
    st.permutations(range(3)),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.none() | st.tuples(ODD, st.integers(0, 200)),
)
@example(rows=[("é", "ü", "")], delimiter=",", order=[0, 1, 2], ended=False, breaks="\n", odd=None)
@example(
    rows=[("a", "b", "c")] * 2,
    delimiter=",",
    order=[0, 1, 2],
    ended=True,
    breaks="\r\n",
    odd=(b"\r", 18),
)
def test_lines_are_divided_as_python_splits_them(
    rows: list[tuple[str, ...]],
    delimiter: str,
    order: list[int],
    ended: bool,
    breaks: str,
    odd: tuple[bytes, int] | None,
) -> None:
    text = breaks.join(map(delimiter.join, [("id", "other", "cluster"), *rows])) + breaks * ended
    data = text.encode()
    if odd is not None:
        what, at = odd
        data = data[:at] + what + data[at:]
    check(data, delimiter, 3, *order[:2])


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
@pytest.mark.parametrize("ended", [False, True])
def test_lines_go_on_from_one_piece_to_the_next(
    ended: bool, breaks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is at the end of a piece, and whoever reads it."""
    random = np.random.default_rng(0)
    names = [f"{'é' * int(size)}{i}" for i, size in enumerate(random.integers(0, 30, 40_000))]
    clusters = [f"c{i}" if i % 7 else "" for i in random.integers(0, 9_000, len(names))]
    text = (
        f"id;cluster{breaks}"
        + breaks.join(f"{name};{cluster}" for name, cluster in zip(names, clusters, strict=True))
        + breaks * ended
    )
    assert len(text.encode()) > 4 * LONGEST
    for threads in (1, 3):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", str(threads))
        check(text.encode(), ";", 2)
    for odd in ("\r", "\n"):  # at last
        check((text + odd + odd).encode(), ";", 2)


@cases("size", [LONGEST - 4, LONGEST - 3, LONGEST - 2, LONGEST, 3 * LONGEST])
def test_a_line_may_be_as_long_as_a_piece(size: int) -> None:
    """A longer one is given up, unless it is the last and has no end."""
    data = f"id,cluster\nb,x\na,{'x' * size}\nc,x\n".encode()
    with TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        path.write_bytes(data)
        got = read(path, ",", 2)
    assert (got is None) == (size + 3 > LONGEST)
    if got is not None:
        assert got[0].values.tolist() == [0, 1, 0]


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("id,cluster\na,1\n")
    with path.open("ab") as file, pytest.raises(RuntimeError, match="Bad file descriptor"):
        _core.Matching(1).read_lines(file.fileno(), ",", 2, 0, 1)
    with path.open("rb") as file:
        with pytest.raises(ValueError, match="the delimiter must be one byte"):
            _core.Matching(1).read_lines(file.fileno(), "::", 2, 0, 1)
        with pytest.raises(ValueError, match="a column that is wanted must be one of the file's"):
            _core.Matching(1).read_lines(file.fileno(), ",", 2, 0, 2)
