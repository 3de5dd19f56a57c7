"""Numbers for people never say nothing, or all, of what is neither."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from clusterdiff.wording import ROUNDING, change, number, percent

shares = st.floats(0, 1)
values = st.floats(-1e12, 1e12, allow_nan=False)


@given(values)
def test_a_number_is_0_or_1_only_if_it_is(value: float) -> None:
    """And it is the number that was meant, to the digits that are shown."""
    said = float(number(value).replace(",", ""))
    assert (said == 0) == (abs(value) < ROUNDING)
    if abs(value) <= 1:
        assert (abs(said) == 1) == (1 - abs(value) < ROUNDING)
    least = 0.51 if abs(value) >= 999 else 5.1e-5 if abs(value) >= 5e-5 else 0.051 * abs(value) + ROUNDING
    assert abs(said - value) <= least


@given(values)
def test_a_change_has_a_sign_if_it_is_one(value: float) -> None:
    """A gain has a plus, a loss a minus."""
    assert change(value)[0] == ("+" if value >= ROUNDING else "-" if value <= -ROUNDING else "0")


@given(shares)
def test_a_share_claims_all_or_nothing_only_if_it_is(share: float) -> None:
    """Two significant digits otherwise, or a bound."""
    text = percent(share)
    assert (text == "0%") == (share < ROUNDING)
    assert (text == "100%") == (1 - share < ROUNDING)
    if text.startswith(("under ", "over ")):
        assert share < 1e-6 or share > 1 - 1e-6
    else:
        assert re.fullmatch(r"\d+(\.\d+)?%", text)
        assert abs(float(text[:-1]) / 100 - share) <= max(0.051 * share, 5.1e-7)
