"""Small pieces of English, and the one way to write numbers, that everything for people shares."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from clusterdiff.table import WIDTH, shown


def name(label: object) -> str:
    """A user's label inside a sentence: text from right to left does not change the order of the words around it.

    What has a ``spoken`` form, as mentions of a text have, is called by that; programs see ``str``. A long one keeps
    its beginning and its end, since it may differ from others in either.

    >>> name("ann"), [hex(ord(sign)) for sign in name("\u05d0")]
    ('ann', ['0x2068', '0x5d0', '0x2069'])
    >>> name("https://example.org/catalogue/people/ann-smith-1907")
    'https://example.org/catal…ann-smith-1907'
    >>> name("  ")
    '␣␣'
    """
    if type(label) is int and abs(label) < 2**63:  # as most of those of a page of many clusters are
        return str(label)
    spoken = getattr(label, "spoken", None)
    text = str(label) if spoken is None else spoken
    if not text.isprintable():
        text = shown(text, len(text) * 10)  # with control characters spelt out
    if text and not text.strip(" "):
        return "␣" * len(text)  # blanks could not be seen
    if len(text) > WIDTH:
        text = f"{text[: 2 * WIDTH // 3 - 1]}…{text[-WIDTH // 3 :]}"
    leftward = not text.isascii() and any(
        unicodedata.bidirectional(letter) in {"R", "AL", "AN"} for letter in text
    )
    return f"\u2068{text}\u2069" if leftward else text


class Nouns(NamedTuple):
    """What people call the points of a comparison, their clusters, and what a score lacks."""

    point: str = "point"
    cluster: str = "cluster"
    loss: str = "loss"

    def between(self, sides: tuple[str, str]) -> Nouns:
        """The same for two sides of these names: what differs between two releases is a change, and no loss.

        >>> Nouns().between(("old", "new")).lost, Nouns().between(("true", "predicted")).lost
        ('changed', 'lost')
        """
        return self._replace(loss="change") if sides == ("old", "new") else self

    @property
    def lost(self) -> str:
        """What happened to the part of a score that is not there."""
        return "lost" if self.loss == "loss" else "changed"

    @property
    def was_lost(self) -> str:
        """The same as the verb of a sentence."""
        return "was lost" if self.loss == "loss" else "changed"

    @property
    def a_cluster(self) -> str:
        """One cluster, with its article.

        >>> Nouns().a_cluster, Nouns("mention", "entity").a_cluster
        ('a cluster', 'an entity')
        """
        return f"{'an' if self.cluster[0] in 'aeiou' else 'a'} {self.cluster}"


def count(number: int, noun: str = "point") -> str:
    """A number of things.

    >>> count(1), count(1200, "cluster"), count(2, "key entity")
    ('1 point', '1,200 clusters', '2 key entities')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Several of a thing.

    >>> plural("mention"), plural("entity"), plural("day")
    ('mentions', 'entities', 'days')
    """
    return f"{noun[:-1]}ies" if noun[-1:] == "y" and noun[-2:-1] not in "aeiou" else f"{noun}s"


def and_list(items: Sequence[str], limit: int = 4) -> str:
    """Items joined as in a sentence; the first ``limit`` of them, and how many more.

    >>> and_list(["a", "b", "c"]), and_list(["a", "b", "c", "d"], limit=2)
    ('a, b and c', 'a, b and 2 more')
    """
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit:,} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


# The page says the same numbers in JavaScript. Its digits agree with these: both round the exact value, ties to even
# (`roundingMode: "halfEven"` of `Intl.NumberFormat`).

#: What is this close to 0 or 1 differs by rounding only.
ROUNDING = 1e-12


def number(value: float, digits: int = 4) -> str:
    """A score, a loss or a distance: four decimals, and never 0 or 1 for what is neither.

    What four decimals would show as 0 has two significant digits, and what they would show as 1 has as many decimals as
    it needs. Whole numbers beyond 1 and numbers from 1,000 on have none.

    >>> number(0.64052), number(1.0), number(0.0), number(3.2e-8), number(0.99999991)
    ('0.6405', '1.0000', '0.0000', '3.2e-8', '0.9999999')
    >>> number(43.0), number(1.234567), number(1234567.8)
    ('43', '1.2346', '1,234,568')
    """
    value = _exact(value)
    size = abs(value)
    if size >= 1000 or (size > 1 and float(value).is_integer()):
        return f"{value:,.0f}"
    text = f"{value:.{digits}f}"
    if size and float(text) == 0:
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(power)}"
    while size != 1 and abs(float(text)) == 1 and digits < 17:
        digits += 1
        text = f"{value:.{digits}f}"
    return text


def change(value: float, digits: int = 4) -> str:
    """What a score gains or loses, with its sign.

    >>> change(0.3021), change(-0.25), change(3.2e-8), change(0.0)
    ('+0.3021', '-0.2500', '+3.2e-8', '0.0000')
    """
    text = number(value, digits)
    return f"+{text}" if _exact(value) > 0 else text


def _exact(value: float) -> float:
    """A value, without the rounding by which it misses 0 or 1; and 0 without a sign."""
    near = round(value) if abs(value) < 2 else value
    return near + 0.0 if abs(value - near) < ROUNDING else value


def percent(share: float) -> str:
    """A share with two significant digits, without claiming all or nothing by rounding.

    >>> percent(0.5), percent(0.043), percent(0.00032), percent(1.0), percent(0.0)
    ('50%', '4.3%', '0.032%', '100%', '0%')
    >>> percent(0.9999), percent(2e-8), percent(1 - 2e-8)
    ('99.99%', 'under 0.0001%', 'over 99.9999%')
    """
    share = _exact(share)
    if share in (0, 1):
        return f"{share:.0%}"
    text = ""
    for digits in range(5):
        text = f"{share:.{digits}%}"
        said = float(text[:-1])
        if said != 100 and abs(said) * 10**digits >= 10:
            return text
    if said in (0, 100):
        return "over 99.9999%" if said else "under 0.0001%"
    return text


#: What LaTeX would take for a command.
ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    # In LaTeX's own encoding of fonts these are other signs.
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def latex(text: str) -> str:
    r"""Text as LaTeX prints it.

    >>> print(latex("S_H"))
    S\_H
    """
    return text.translate(ESCAPES)
