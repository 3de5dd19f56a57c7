"""What texts look like, how values agree with those of their groups, and sums by code."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterdiff import _core
from clusterdiff.diff.features import LOOKS

#: The questions in plain Python, about one text.
ASKED = {
    "has an initial": lambda t: (
        any(
            len(word) == 1 and word.isascii() and word.isalpha()
            for word in "".join(c if c.isalnum() or c == "'" or ord(c) > 127 else " " for c in t).split(" ")
        )
        and len([word for word in t.split(" ") if word]) > 1
    ),
    "is one letter": lambda t: len(t.replace(".", "")) == 1 and t.replace(".", "").isalpha(),
    "has a digit": lambda t: any(c.isdigit() for c in t),
    "is only digits": lambda t: t.isdigit(),
    "is not ASCII": lambda t: not t.isascii(),
    "is all capitals": lambda t: sum("A" <= c <= "Z" for c in t) > 1 and not any("a" <= c <= "z" for c in t),
    "is all lower case": lambda t: (
        sum("a" <= c <= "z" for c in t) > 1 and not any("A" <= c <= "Z" for c in t)
    ),
    "is one word": lambda t: len([word for word in t.split(" ") if word]) == 1,
    "has three words or more": lambda t: len([word for word in t.split(" ") if word]) >= 3,
    "has a hyphen": lambda t: "-" in t,
    "has a full stop": lambda t: "." in t,
    "has a comma": lambda t: "," in t,
    "has an apostrophe": lambda t: "'" in t,
    "has a bracket": lambda t: "(" in t or "[" in t,
    "has a slash": lambda t: "/" in t,
    "has an ampersand": lambda t: "&" in t,
    "has extra spaces": lambda t: t != t.strip(" ") or "  " in t,
    "is empty": lambda t: not t.strip(" "),
}
TEXT = st.text(alphabet="aBcZ19 .,'-([/&é", max_size=7)


@settings(max_examples=60)
@given(st.lists(TEXT, min_size=1, max_size=12))
def test_texts_are_asked_what_they_look_like(texts: list[str]) -> None:
    """Each bit answers its question; letters beyond ASCII have two bytes, and count as one."""
    found = _core.looks(np.frombuffer("".join(f"{t}\n" for t in texts).encode(), np.uint8), len(texts))
    assert list(ASKED) == list(LOOKS)
    for bit, (look, holds) in enumerate(ASKED.items()):
        if look == "is one letter":  # of one byte
            expected = [t.isascii() and holds(t) for t in texts]
        else:
            expected = [bool(holds(t)) for t in texts]
        assert (found.flags >> bit & 1).astype(bool).tolist() == expected, look
    assert found.length.tolist() == [len(t) for t in texts]
    firsts = [t[0].upper() if t and t[0].isascii() else "\0" for t in texts]
    assert [chr(first) for first in found.first] == firsts


def test_texts_must_be_as_many_as_said() -> None:
    for n in (1, 3):
        with pytest.raises(ValueError, match="text"):
            _core.looks(np.frombuffer(b"a\nb\n", np.uint8), n)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20), st.booleans())
def test_values_agree_with_their_group_or_not(points: list[tuple[int, int]], narrow: bool) -> None:
    """1: another value is commoner in the group; 2: there are several. Group 3 is none, and so is value 3."""
    groups = np.array([g for g, _ in points], np.int64)
    codes = np.array([c for _, c in points], np.int32 if narrow else np.int64)
    indptr, members = _core.group_members(groups, 4)
    expected = []
    for group, code in points:
        values = Counter(c for g, c in points if g == group and c != 3)
        several = group != 3 and len(values) > 1
        expected.append(2 * several + (several and code != 3 and values[code] < max(values.values())))
    assert _core.agreement(indptr[:-1], members[: indptr[3]], codes, 3).tolist() == expected


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=20),
    st.sampled_from([np.int32, np.int64]),
)
def test_sums_by_code(points: list[tuple[int, int]], kind: type) -> None:
    """Each point brings the numbers of its row."""
    rows = np.array([[1.0, 5.0], [1.0, -2.0], [0.0, 0.5]])
    codes, of = np.array([code for code, _ in points], kind), np.array([row for _, row in points], np.int32)
    found = _core.code_sums(codes, 5, of, rows.ravel(), 2)
    for code in range(5):
        assert (
            found[code].tolist() == sum((rows[row] for c, row in points if c == code), np.zeros(2)).tolist()
        )


def test_codes_and_positions_out_of_range_are_refused() -> None:
    one, none = np.ones(1), np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="codes must lie"):
        _core.code_sums(np.array([7]), 5, none, one, 1)
    with pytest.raises(ValueError, match="rows must lie"):
        _core.code_sums(np.array([0]), 5, none + 1, one, 1)
    with pytest.raises(ValueError, match="rows must have"):
        _core.code_sums(np.array([0]), 5, none, one, 2)
    with pytest.raises(ValueError, match="one row per point"):
        _core.code_sums(np.array([0, 0]), 5, none, one, 1)
    with pytest.raises(ValueError, match="positions must lie"):
        _core.agreement(np.array([0, 1]), np.array([9]), np.array([0]), 5)
    with pytest.raises(ValueError, match="decrease"):
        _core.agreement(np.array([0, 2, 1]), np.array([0, 1]), np.array([0, 1]), 5)
