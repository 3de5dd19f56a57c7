"""Formulas for people at a terminal: the LaTeX of the docstrings as one line of plain text."""

from __future__ import annotations

import re

SYMBOLS = {
    "sum": "Σ", "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "in": "∈", "cap": "∩", "binom": "binom", "quad": "  ",
    "infty": "∞", "mid": "|", "phi": "φ", "alpha": "α", "beta": "β", "sigma": "σ", "ne": "≠", "to": "→",
    "gamma": "γ", "pi": "π", "tau": "τ", "chi": "χ", "Phi": "Φ", "prod": "Π", "sim": "~",
}  # fmt: skip
#: Names that LaTeX sets upright; plain text just spells them.
WORDS = ("log", "max", "min")
SIZES = re.compile(r"\\(?:[bB]ig+[lr]?|left|right)(?![a-zA-Z])")
TOKEN = re.compile(r"\\([a-zA-Z]+)|\\(.)|([{}_^])|([^\\{}_^]+)")
SUPERSCRIPT = str.maketrans("0123456789*+", "⁰¹²³⁴⁵⁶⁷⁸⁹*⁺")


def readable(latex: str) -> str:
    r"""A formula as plain text; it knows the few commands that the docstrings use, and spells out others.

    >>> readable(r"R = 1 - \frac{P(L) + P(C)}{\binom n2}")
    'R = 1 − (P(L) + P(C)) / C(n, 2)'
    >>> readable(r"\sum_{LC} \frac{m}{n} \log \frac{n\,m}{a\,b}")
    'Σ_LC m/n log (n m)/(a b)'
    """
    text = _FormulaReader(SIZES.sub("", latex)).all()
    text = re.sub(r"\s+", " ", text.replace(" - ", " − ")).strip()
    return re.sub(r"\s+([,;)])", r"\1", text)


class _FormulaReader:
    """Reads LaTeX left to right: a group in braces is one argument, so is a lone character or command."""

    def __init__(self, latex: str) -> None:
        self.rest = latex

    def all(self) -> str:
        out = ""
        while self.rest and self.rest[0] != "}":
            out += self.piece()
        return out

    def piece(self) -> str:
        match = TOKEN.match(self.rest)
        if match is None:  # a lone backslash at the end
            self.rest = ""
            return ""
        self.rest = self.rest[match.end() :]
        command, sign, special, text = match.groups()
        if command:
            return self.command(command)
        if sign:
            # \, and the like are spaces; \{ and \| stand for themselves.
            return sign if sign in "{}|" else " "
        if special == "{":
            inner = self.all()
            self.rest = self.rest[1:]
            return inner
        if special == "_":
            return "_" + self.script()
        if special == "^":
            return self.script().translate(SUPERSCRIPT)
        return text or ""

    def script(self) -> str:
        inner = self.argument()
        return inner if re.fullmatch(r"\w+|[*+]", inner) else f"({inner})"

    def argument(self) -> str:
        self.rest = self.rest.lstrip()
        if self.rest[:1] in ("{", "\\"):
            return self.piece().strip()
        first, self.rest = self.rest[:1], self.rest[1:]
        return first

    def command(self, name: str) -> str:
        if name == "frac":
            return _quotient(self.argument(), self.argument())
        if name == "binom":
            return f"C({self.argument()}, {self.argument()})"
        if name == "sqrt":
            return f"√({self.argument()})"
        if name == "text":
            return self.argument()
        if name in WORDS:
            return name if self.rest[:1] in "_({ " else name + " "
        return SYMBOLS.get(name, name)


def _quotient(above: str, below: str) -> str:
    # A number, a name or a size needs no brackets, nor does one bracket or function call.
    bare = re.compile(r"\d+|[A-Za-zα-ω]\w*|\|\w+\||\w*\([^()]*\)")
    sides = [side if bare.fullmatch(side) else f"({side})" for side in (above, below)]
    tight = all(len(side) < 12 for side in sides)
    return ("/" if tight else " / ").join(sides)
