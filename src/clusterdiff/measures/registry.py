"""The registry: a measure is a function of the meet, and what is known about it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import ldexp
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property
from clusterdiff.errors import MeasureError, nearest
from clusterdiff.measures.formula import readable
from clusterdiff.measures.formulas import f_beta
from clusterdiff.measures.parameters import Beta, check_parameters
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import READS, Reads, Summed, refusal
from clusterdiff.meet.values import CORE_SUMS, NAMES, is_sum
from clusterdiff.messages import Message
from clusterdiff.table import record_html

#: A bound is a number, or a function of the number of points.
Bound: TypeAlias = float | Callable[[int], float]
Sizes: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Decomposition:
    """How a measure is made of its components (equation 1): Σ w(J, n)·S(𝕃_J, ℂ_J) + b(𝕁, n).

    ``weight`` takes the sizes of all components and n and returns each component's w; ``rest`` returns b.
    """

    weight: Callable[[Sizes, int], npt.NDArray[np.float64]]
    rest: Callable[[Sizes, int], float]


def _shares(sizes: Sizes, n: int) -> npt.NDArray[np.float64]:
    return sizes / n


def _ones(sizes: Sizes, n: int) -> npt.NDArray[np.float64]:
    return np.ones(len(sizes))


def _nothing(sizes: Sizes, n: int) -> float:
    return 0.0


#: w = |J|/n and b = 0: the measure is the mean over its components (property 4.1).
JOIN_WEIGHTED = Decomposition(_shares, _nothing)
#: w = 1 and b = 0: the measure is the sum over its components, as counts are.
SUMMED = Decomposition(_ones, _nothing)


@dataclass(frozen=True)
class Measure:
    """A measure: ``measure(meet)`` is a float, the rest says what that number means.

    Flags are True, False, or None where the question does not arise or the answer depends on parameters.
    ``reflexive`` says whether every clustering scores ``best`` with itself. Multiplying all weights by c multiplies
    the value by c to the ``degree``. With parameters set it is called ``stem``, if it has one.

    ``linear`` says that, the sizes of the clusters given, it is linear in what it reads: its mean over all ways to lay
    the two clusterings over the points is then its value for the mean sums. ``baseline`` is that mean, where it is the
    same for all sizes that leave anything to chance.

    ``reads`` says what of the meet it reads: ``"sums"``, ``"margins"``, ``"cells"``, ``"overlap"`` or ``"points"``,
    unless the sums named in ``terms`` are known already. ``needs`` names what has to be known of the points: features
    or distances. ``lost`` says whether it has a meaning where points that a side lacks count as lost
    (``missing="lost"``): True, or the reason why it has none. ``required`` are the parameters without which it has
    no value. ``repeats`` names a measure that orders all clusterings of the same points as this one does, if it is here
    only because other libraries print it. ``facts(**parameters)`` returns the facts that depend on parameters; it has
    their defaults as its own.

    A measure is a value: it can be hashed, compared, copied and pickled. Pickle keeps its function and its facts by
    reference, so functions among them must be found in a module.
    """

    name: str
    function: Callable[..., float] = field(repr=False)
    family: str = field(repr=False)
    symbol: str = field(repr=False)
    best: float = field(default=1.0, repr=False)
    bounds: tuple[Bound, Bound] = field(default=(0.0, 1.0), repr=False)
    symmetric: bool = field(default=True, repr=False)
    reflexive: bool = field(default=True, repr=False)
    normalised: bool | None = field(default=None, repr=False)
    conditionally_normalised: bool | None = field(default=None, repr=False)
    subcomponent_consistent: bool | None = field(default=None, repr=False)
    decomposition: Decomposition | None = field(default=None, repr=False)
    linear: bool = field(default=False, repr=False)
    baseline: float | None = field(default=None, repr=False)
    weighted: bool = field(default=True, repr=False)
    degree: int = field(default=0, repr=False)
    reads: Reads = field(default="cells", repr=False)
    lost: bool | str = field(default=False, repr=False)
    terms: tuple[str, ...] = field(default=(), repr=False)
    needs: str | None = field(default=None, repr=False)
    required: tuple[str, ...] = field(default=(), repr=False)
    aliases: tuple[str, ...] = field(default=(), repr=False)
    reference: str = field(default="", repr=False)
    repeats: str | None = field(default=None, repr=False)
    stem: str | None = field(default=None, repr=False)
    facts: Callable[..., dict[str, Any]] | None = field(default=None, repr=False)
    description: str | None = field(default=None, repr=False)
    bound: tuple[tuple[str, Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.reads not in READS:
            told = f"{self.name}: `reads` must be one of {', '.join(READS)}; got {self.reads!r}."
            raise MeasureError(told, nearest(str(self.reads), READS))
        for term in self.terms:
            if term != "sums" and not is_sum(term):
                told = f"{self.name}: `terms` must be names of terms; got {term!r}."
                raise MeasureError(told, nearest(str(term), sorted(NAMES)))

    def __call__(self, meet: Summed) -> float:
        """The measure's value for the two clusterings of ``meet``."""
        return self._weighed(meet) if meet.weighted else self._value(meet)

    def _weighed(self, meet: Summed) -> float:
        """Its value where points have weights: those without any change nothing, and the scale is the user's."""
        if not self.weighted:
            raise MeasureError(
                f"{self.name} is not defined for weighted points.",
                [Message("leave out `weights=`"), "choose another measure"],
            )
        value = self._value(meet.positive)
        if not meet.scale or not self.degree or not value:
            return value
        try:
            scaled = ldexp(value, meet.scale * self.degree)
        except OverflowError:
            scaled = 0.0
        if not scaled:
            raise MeasureError(
                f"{self.name} grows with {'the square of ' if self.degree > 1 else ''}the weights, and for these it is "
                "beyond what a double can hold.",
                "multiply all weights by the same number: their scale changes no other score.",
            )
        return scaled

    def _value(self, meet: Summed) -> float:
        """Its value in the units of the meet's masses."""
        if meet.uneven and self.lost is not True:
            self._refuse_lost()
        # Usually it is known; a closer look would cost a small comparison a tenth of its time.
        if self.reads not in meet.known:
            self._check(meet)
        return self.function(meet, **dict(self.bound)) if self.bound else self.function(meet)

    def _refuse_lost(self) -> NoReturn:
        why = self.lost or "its meaning there is not defined"
        raise MeasureError(
            f"{self.name} is not defined where a clustering lacks points that count as lost: {why}.",
            [Message('pass `missing="drop"` or `missing="singleton"`'), "choose another measure"],
        )

    def _check(self, meet: Summed) -> None:
        if (lack := self.lacks(meet)) is not None:
            raise refusal(self.name, lack, meet)

    def lacks(self, meet: Summed) -> Reads | None:
        """What it would read and ``meet`` does not know; None if it can be computed there."""
        known = self.reads in meet.known or (self.terms and meet.known.issuperset(self.terms))
        return None if known else self.reads

    @cached_property
    def counted(self) -> bool:
        """Whether it reads no more than the core sums up."""
        return self.reads == "sums" or (bool(self.terms) and CORE_SUMS.issuperset(self.terms))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are set."""
        return dict(self.bound)

    @property
    def similarity(self) -> bool:
        """Whether larger is more alike; otherwise it is a distance."""
        return self.best != 0.0

    @property
    def join_weighted(self) -> bool:
        """Whether it is the mean of its components' values, weighted by their sizes (property 4.1)."""
        return self.decomposition == JOIN_WEIGHTED

    def bounds_at(self, n: int) -> tuple[float, float]:
        """The least and the greatest value for n points; they hold with weights too, but for ``ari``, which says so."""
        low, high = (bound(n) if callable(bound) else bound for bound in self.bounds)
        return low, high

    @property
    def doc(self) -> str:
        """The whole description, as in the source."""
        return self.description or inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """What it tells, in a sentence."""
        return " ".join(self._paragraphs[0].split()) if self.doc else ""

    @property
    def formula(self) -> str:
        """The formula, in LaTeX."""
        math = (p for p in self._paragraphs if p.startswith(".. math::"))
        return " ".join(next(math, "").removeprefix(".. math::").split())

    @property
    def formula_text(self) -> str:
        """The formula in plain text."""
        return readable(self.formula)

    @property
    def notes(self) -> str:
        """Edge cases and their reasons."""
        rest = self._paragraphs[1:]
        return "\n\n".join(" ".join(p.split()) for p in rest if not p.startswith((".. math::", ">>>")))

    @property
    def example(self) -> str:
        """An example, as it looks in a Python session."""
        return "\n".join(p for p in self._paragraphs if p.startswith(">>>"))

    @property
    def _paragraphs(self) -> list[str]:
        return re.split(r"\n\s*\n", self.doc)

    @property
    def takes(self) -> dict[str, Any]:
        """The parameters that may stand in its name, with their defaults."""
        accepted = list(inspect.signature(self.function).parameters.values())[1:]
        known = self.parameters
        return {p.name: known.get(p.name, p.default) for p in accepted}

    def bind(self, parameters: Mapping[str, Any]) -> Measure:
        """The measure with some of its parameters set, which then stand in its name."""
        if not parameters:
            return self
        check_parameters(self.function, parameters)
        shown = ", ".join(
            str(value) if name == "s" else f"{name}={_word(value)}" for name, value in parameters.items()
        )
        base = self.stem or self.name.partition("(")[0]
        known = {**self.parameters, **parameters}
        facts = self.facts(**known) if self.facts is not None else {}
        return replace(self, name=f"{base}({shown})", bound=tuple(sorted(known.items())), **facts)

    def _repr_html_(self) -> str:
        return record_html(self.name, {"summary": self.summary, "formula": self.formula})


def _word(value: object) -> str:
    return str(getattr(value, "__name__", value))


CALL = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<arguments>.*)\))?\s*")


class Registry(Mapping[str, Measure]):
    """All measures by name. Names may carry parameters: ``measures["K(k=5)"]``, ``measures["S*(mse)"]``."""

    def __init__(self) -> None:
        self._measures: dict[str, Measure] = {}
        self._aliases: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._parsed: dict[str, Measure] = {}

    def add(self, measure: Measure) -> None:
        """Register a measure under its name, its symbol and its aliases."""
        for name in (measure.name, *measure.aliases):
            if name in self._measures or name in self._aliases:
                raise MeasureError(f"there is a measure named {name!r} already.")
        self._measures[measure.name] = measure
        self._aliases.update(dict.fromkeys(measure.aliases, measure.name))

    def refuse(self, name: str, hint: str) -> None:
        """Refuse a name that people take for different measures; ``hint`` says which ones."""
        self._refused[name] = hint

    def remove(self, name: str) -> None:
        """Take a measure out again."""
        measure = self._measures.pop(name)
        self._aliases = {alias: to for alias, to in self._aliases.items() if to != measure.name}
        self._parsed.clear()

    def __getitem__(self, name: str) -> Measure:
        found = self._parsed.get(name)
        if found is None:
            found = self._parsed[name] = self._parse(name)
        return found

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self[name] is not None
        except MeasureError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def names(self) -> list[str]:
        """Every name by which a measure can be asked for."""
        return [*self._measures, *self._aliases]

    def _parse(self, text: str) -> Measure:
        match = CALL.fullmatch(text.strip())
        name = match["name"].strip() if match else text
        measure = self._measures.get(self._aliases.get(name, name))
        if name in self._refused:
            raise MeasureError(f"{name!r} means different measures to different people.", self._refused[name])
        if match is None or measure is None:
            raise MeasureError(
                f"unknown measure {text!r}.",
                nearest(name, self.names()) or "`clusterdiff measures` lists them all.",
            )
        return measure.bind(_arguments(match["arguments"], measure))


def _arguments(text: str | None, measure: Measure) -> dict[str, Any]:
    """The parameters in a measure's name; values are numbers or bare words."""
    if not text or not text.strip():
        return {}
    accepted = list(measure.takes)
    out: dict[str, Any] = {}
    for position, part in enumerate(text.split(",")):
        key, equals, value = part.partition("=")
        name = key.strip() if equals else (accepted[position] if position < len(accepted) else "")
        if name not in accepted:
            raise MeasureError(
                f"{measure.name} does not take {part.strip()!r}; "
                + (f"its parameters are {', '.join(accepted)}." if accepted else "it has no parameters."),
                nearest(key.strip(), accepted),
            )
        word = (value if equals else key).strip()
        try:
            out[name] = ast.literal_eval(word)
        except (ValueError, SyntaxError):
            out[name] = word
    return out


#: The one registry.
measures = Registry()


def measure(
    name: str, *, family: str, symbol: str | None = None, **facts: Any
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register a function of the meet as a measure; see :class:`Measure` for the facts it may state.

    Examples
    --------
    >>> @measure("cells", family="own", best=0.0, bounds=(1.0, float("inf")))
    ... def cells(meet):
    ...     '''Number of cells.'''
    ...     return float(len(meet))
    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1], [0, 1, 1], "cells")
    3.0
    >>> measures.remove("cells")
    """

    def register(function: Callable[..., float]) -> Callable[..., float]:
        measures.add(Measure(name, function, family, symbol or name, **facts))
        return function

    return register


#: A measure's precision and recall.
PrecisionRecall: TypeAlias = tuple[float, float]
F_BETA = r"F_\beta = \frac{(1 + \beta^2)\, P\, R}{\beta^2 P + R}"


def precision_recall(
    name: str,
    *,
    precision: tuple[str, str],
    recall: tuple[str, str],
    aliases: Mapping[str, tuple[str, ...]] | None = None,
    f1_facts: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Callable[[Callable[[Any], PrecisionRecall]], Callable[[Any], PrecisionRecall]]:
    """Register ``name.precision``, ``name.recall`` and ``name.f1`` from one function that returns the first two.

    Each is described by a sentence and a formula of its own, followed by what the function's docstring says of all.
    ``name.f(beta=2)`` is F with another weight of recall.
    """

    def register(function: Callable[[Any], PrecisionRecall]) -> Callable[[Any], PrecisionRecall]:
        title, _, shared = (inspect.getdoc(function) or "").partition("\n\n")
        harmonic = f"{title.rstrip('.')}: the harmonic mean of precision and recall."
        parts: tuple[tuple[str, Callable[[Any], Callable[..., float]], tuple[str, str]], ...] = (
            ("precision", partial(Part, index=0), precision),
            ("recall", partial(Part, index=1), recall),
            ("f1", FScore, (harmonic, F_BETA)),
        )
        for part, make, (sentence, formula) in parts:
            known = {"normalised": True, "conditionally_normalised": False, **facts}
            known |= {"symmetric": part == "f1", "aliases": (aliases or {}).get(part, ())}
            known["description"] = f"{sentence}\n\n.. math:: {formula}\n\n{shared}"
            if part == "f1":
                # A mean of ratios is no mean over components, even if each ratio is.
                known |= {"decomposition": None, "stem": f"{name}.f", "facts": _f_facts, **(f1_facts or {})}
                known["aliases"] = (f"{name}.f", *known["aliases"])
            measure(f"{name}.{part}", **known)(make(function))
        return function

    return register


@dataclass(frozen=True)
class Part:
    """The precision or the recall of a function that returns both."""

    function: Callable[[Any], PrecisionRecall]
    index: int

    def __call__(self, meet: Summed) -> float:
        """One of the two."""
        return self.function(meet)[self.index]


@dataclass(frozen=True)
class FScore:
    """F of a function that returns precision and recall."""

    function: Callable[[Any], PrecisionRecall]

    def __call__(self, meet: Summed, beta: Beta = 1.0) -> float:
        """Their weighted harmonic mean."""
        return f_beta(*self.function(meet), beta)


def _f_facts(beta: float = 1.0) -> dict[str, Any]:
    return {"symmetric": beta == 1}


def resolve(wanted: str | Measure | Callable[[Meet], float]) -> Measure:
    """A measure from its name, a Measure, or any function of the meet."""
    if isinstance(wanted, Measure):
        return wanted
    if isinstance(wanted, str):
        return measures[wanted]
    if callable(wanted):
        name = str(getattr(wanted, "__name__", "own"))
        return Measure(name, wanted, "own", name)
    raise MeasureError(f"a measure is a name or a function of the meet; got {type(wanted).__name__}.")


def applicable(source: Summed) -> list[Measure]:
    """Every measure that can be computed there: it reads what is there, takes weights if there are any, needs no more.

    What needs a parameter, as K does, is left out.
    """
    known = {"features": "moments", "distances": "links"}
    return [
        measure
        for measure in measures.values()
        if measure.lacks(source) is None
        and (measure.weighted or not source.weighted)
        and (measure.needs is None or getattr(source, known[measure.needs], None) is not None)
        and all(name in measure.parameters for name in measure.required)
    ]


def resolve_all(
    wanted: str | Measure | Callable[[Meet], float] | Iterable[str | Measure | Callable[[Meet], float]],
) -> dict[str, Measure]:
    """Measures by the name they were asked for; different ones get different names.

    >>> list(resolve_all(["R", "vi(base=2)", lambda meet: meet.n, lambda meet: meet.k_true]))
    ['R', 'vi(base=2)', '<lambda>', '<lambda> 2']
    """
    if isinstance(wanted, str | Measure) or callable(wanted):
        wanted = [wanted]
    out: dict[str, Measure] = {}
    for one in wanted:
        found = resolve(one)
        name = base = one if isinstance(one, str) else found.name
        number = 1
        while name in out and out[name] != found:
            number += 1
            name = f"{base} {number}"
        out[name] = found
    return out
