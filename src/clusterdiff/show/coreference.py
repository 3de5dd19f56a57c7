"""The table of coreference scores as papers print it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from clusterdiff.decide.typesetting import latex_notices
from clusterdiff.measures import resolve
from clusterdiff.wording import latex, number

#: Measures with a recall, a precision and an F1, and what they are called in tables for the eye.
ROWS = {
    "mentions": "mentions",
    "muc": "MUC",
    "b3": "B³",
    "ceaf_m": "CEAF-m",
    "ceaf_e": "CEAF-e",
    "blanc": "BLANC",
    "lea": "LEA",
}
#: Measures of which papers give precision, recall and F1, and their headings.
GROUPS = {"muc": "MUC", "b3": r"B$^3$", "ceaf_e": r"CEAF$_{\phi_4}$", "lea": "LEA"}
PARTS = {"precision": "P", "recall": "R", "f1": "F1"}
SINGLE = {"conll": "CoNLL", "S_H": "$S_H$"}


def told_score(measure: str, value: float, n: int) -> str:
    """A score of ``n`` points: per cent, as usual for coreference, if it lies between 0 and 1 by definition.

    >>> told_score("conll", 0.65014, 12), told_score("split_join", 43.0, 12), told_score("ari", 0.5, 12)
    ('65.01', '43', '0.5000')
    """
    low, high = resolve(measure).bounds_at(n)
    if low >= 0 and high <= 1:
        return f"{100 * value:.2f}"
    return f"{value:,.0f}" if value.is_integer() else number(value)


def coreference_table(
    systems: Mapping[str, Mapping[str, float]],
    further: Sequence[str] = (),
    n: int = 0,
    notices: Sequence[str] = (),
) -> str:
    r"""A LaTeX table (it needs the package booktabs) with a line for each system.

    ``systems`` gives the scores of each by the names of measures; ``further`` names measures for columns of their own,
    and ``n`` is the number of points. ``notices`` stand before it, as comments.

    >>> names = [f"{group}.{part}" for group in GROUPS for part in PARTS] + list(SINGLE)
    >>> print(coreference_table({"ours": dict.fromkeys(names, 0.5)}), end="")
    \begin{tabular}{lrrrrrrrrrrrrrr}
    \toprule
     & \multicolumn{3}{c}{MUC} & \multicolumn{3}{c}{B$^3$} & \multicolumn{3}{c}{CEAF$_{\phi_4}$} & \multicolumn{3}{c}{LEA} & CoNLL & $S_H$ \\
    \cmidrule(lr){2-4} \cmidrule(lr){5-7} \cmidrule(lr){8-10} \cmidrule(lr){11-13}
     & P & R & F1 & P & R & F1 & P & R & F1 & P & R & F1 & F1 & \\
    \midrule
    ours & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 & 50.00 \\
    \bottomrule
    \end{tabular}
    """  # noqa: E501
    single = {**SINGLE, **{name: latex(name) for name in further if name not in SINGLE}}
    columns = [f"{group}.{part}" for group in GROUPS for part in PARTS] + list(single)
    groups = [rf"\multicolumn{{{len(PARTS)}}}{{c}}{{{heading}}}" for heading in GROUPS.values()]
    ends = [2 + len(PARTS) * i for i in range(len(GROUPS) + 1)]
    rules = [rf"\cmidrule(lr){{{a}-{b - 1}}}" for a, b in pairwise(ends)]
    below = [*list(PARTS.values()) * len(GROUPS), *("F1" if name == "conll" else "" for name in single)]
    lines = [
        *latex_notices(notices),
        rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\toprule",
        _row(["", *groups, *single.values()]),
        " ".join(rules),
        _row(["", *below]),
        r"\midrule",
    ]
    for system, scores in systems.items():
        lines.append(_row([latex(system), *(told_score(name, scores[name], n) for name in columns)]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells).rstrip(' ')} " + r"\\"
