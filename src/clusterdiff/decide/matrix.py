"""matrix: many clusterings of the same points, each against each: how stable they are, and what is always there."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core, notebook, views
from clusterdiff._version import __version__
from clusterdiff.caching import cached_property
from clusterdiff.decide.resolutions import Edge, edges_between, read_columns
from clusterdiff.decide.truth import read_side
from clusterdiff.diff.comparison import AnyMeasure
from clusterdiff.errors import ArgumentError, ClusterdiffWarning, one_of
from clusterdiff.inputs.base import Input, with_text
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.plain import OF_SQUARES
from clusterdiff.measures.subcomponents import Scored, subcomponent
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus
from clusterdiff.points.labels import FloatArray, Int64Array, kind
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import NOISE_AS, Noise, NoiseAs, NoiseLabels, fits, refuse_without_noise
from clusterdiff.table import Table, plain, record_html, shown
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count

#: A notebook shows so many clusterings, each against each.
SQUARE = 20
#: Squares of more points need not fit 64 bits.
MOST_SQUARED = 2**31 - 1


class StableCluster(NamedTuple):
    """A cluster of the reference, and what the other clusterings make of it.

    ``kept`` is the mean of its S_H, ``jaccard`` the mean over the others of the largest Jaccard index that it has with
    one of their clusters, and ``least`` the smallest of these. ``there`` is the share of them that have this very
    cluster.
    """

    cluster: Any
    size: int
    kept: float
    jaccard: float
    least: float
    there: float

    def _repr_html_(self) -> str:
        return record_html("StableCluster", self._asdict())


class Stability(NamedTuple):
    """How alike clusterings are, over all pairs of them: mean, standard deviation, least and greatest value."""

    mean: float
    spread: float
    least: float
    greatest: float

    def _repr_html_(self) -> str:
        return record_html("Stability", self._asdict())


class Pool:
    """Clusterings that were read once, and can be met two at a time."""

    def __init__(
        self,
        clusterings: dict[str, Any],
        missing: Missing | None,
        noise: NoiseLabels | None,
        noise_as: NoiseAs,
    ) -> None:
        #: What users should know of a pair, and the last pair that it was said of.
        self.notices: dict[str, str] = {}
        self.sides: dict[str, Clustering | Corpus] = {}
        #: The labels of noise of each; a fitted DBSCAN has its own.
        self.noise: dict[str, frozenset[Hashable]] = {}
        told = Noise.told(noise)
        untyped = set()
        for name, given in clusterings.items():
            if isinstance(given, Corpus):
                self.sides[name], self.noise[name] = given, told.true
                continue
            side, read = read_side(given, name)
            self.sides[name] = _own(read)
            self.noise[name] = _noise_of(side, read, noise)
            if side.untyped:
                untyped.add(name)
        one_of("noise_as", noise_as, NOISE_AS)
        refuse_without_noise(noise_as, noise is not None or any(self.noise.values()))
        known = {str(label) for labels in self.noise.values() for label in labels}
        lost = sorted({str(label) for label in told.true} - known)
        if lost:
            raise ArgumentError.about(
                "noise",
                f"must be a label of the clusterings; none can have {', '.join(lost)}.",
                "give the noise label as it appears among the labels.",
            )
        self._match_text(untyped)
        corpora = any(isinstance(side, Corpus) for side in self.sides.values())
        self.options = {"missing": missing or ("lost" if corpora else "error"), "noise_as": noise_as}
        # Labels in one order, with nothing to decide, need not be laid over each other again for every pair.
        plain_sides = [side for side in self.sides.values() if isinstance(side, Clustering)]
        self._in_order = (
            len(plain_sides) == len(self.sides)
            and len({len(side) for side in plain_sides}) == 1
            and all(
                side.points is None and side.index is None and side.labels.absent is None
                for side in plain_sides
            )
            and not any(self.noise.values())
        )

    def _match_text(self, untyped: set[str]) -> None:
        """Where a file knows only text, the points of all others are matched as text."""
        for name, side in self.sides.items():
            if untyped and name not in untyped and isinstance(side, Clustering) and side.points is not None:
                self.sides[name] = with_text(side)

    def meet(self, true: str, pred: str) -> Meet:
        """The meet of two of them, by name."""
        left, right = self.sides[true], self.sides[pred]
        if self._in_order and isinstance(left, Clustering) and isinstance(right, Clustering):
            return Meet.of_points(
                left.labels.values, right.labels.values, left.labels.lexicon, right.labels.lexicon
            )
        options: dict[str, Any] = dict(self.options)
        if self.noise[true] or self.noise[pred]:
            options |= {"noise_true": self.noise[true], "noise_pred": self.noise[pred]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusterdiffWarning)  # said once for all pairs
            diff = compare(left, right, **options)
        self.notices |= dict.fromkeys(diff.notices, f"{true} and {pred}")
        return diff.meet

    def squares(self) -> tuple[int, list[list[int]]] | None:
        """How many points there are, and the sums of squares of the cells of every two; None if a policy decides."""
        sides = [side.labels.values for side in self.sides.values() if isinstance(side, Clustering)]
        if not self._in_order or len(sides[0]) > MOST_SQUARED:
            return None
        return len(sides[0]), _core.squares(sides).tolist()

    @property
    def signature(self) -> str:
        """What was decided about missing points and noise."""
        labels = sorted({str(label) for told in self.noise.values() for label in told})
        noise = f"{','.join(labels)}→{self.options['noise_as']}" if labels else "-"
        return f"missing:{self.options['missing']}|noise:{noise}"


@dataclass(frozen=True, eq=False)
class Matrix:
    """Many clusterings, each against each. Made by :func:`matrix`.

    ``values[i, j]`` is the measure with ``names[i]`` as the true clustering and ``names[j]`` as the predicted one, and
    ``points[i, j]`` the number of points that the two were compared on, which a policy may make differ.
    """

    names: list[str]
    measure: Measure
    values: FloatArray = field(repr=False)
    points: Int64Array = field(repr=False)
    reference: str | None
    pool: Pool = field(repr=False)

    def __len__(self) -> int:
        """The number of clusterings."""
        return len(self.names)

    @property
    def shared(self) -> tuple[int, int]:
        """The fewest and the most points that two of them were compared on.

        >>> import clusterdiff as cd
        >>> cd.matrix([[0, 0, 1, 1], [0, 0, 1, None], [0, None, None, 1]], missing="drop").shared
        (1, 3)
        """
        apart = self.points[~np.eye(len(self), dtype=bool)]
        return int(apart.min()), int(apart.max())

    @property
    def extent(self) -> str:
        """How many clusterings of how many points these are."""
        least, most = self.shared
        points = count(most) if least == most else f"{least:,} to {count(most)} by pair"
        return f"{count(len(self), 'clustering')} of {points}"

    @property
    def stability(self) -> Stability:
        """How alike they are over all pairs: for runs with different seeds, how stable the method is.

        >>> import clusterdiff as cd
        >>> cd.matrix([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2]]).stability.least
        0.5
        """
        apart = self._others
        if not len(apart):
            return Stability(*[float("nan")] * 4)
        return Stability(*(float(f(apart)) for f in (np.mean, np.std, np.min, np.max)))

    @property
    def _others(self) -> FloatArray:
        """The values of all pairs but those of a clustering with itself, and without the reference."""
        inside = np.array([name != self.reference for name in self.names])
        values = self.values[np.ix_(inside, inside)]
        apart: FloatArray = values[~np.eye(len(values), dtype=bool)]
        return apart

    @property
    def mean(self) -> dict[str, float]:
        """How alike each is to the others but the true one, on average, in both directions.

        >>> import clusterdiff as cd
        >>> cd.matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 0, 1, 2]}).mean
        {'a': 0.75, 'b': 0.75, 'c': 0.5}
        """
        both = (self.values + self.values.T) / 2
        others = np.array([name != self.reference for name in self.names]) & ~np.eye(len(self), dtype=bool)
        mean = np.where(others, both, 0.0).sum(1) / np.maximum(1, others.sum(1))
        return dict(zip(self.names, mean.tolist(), strict=True))

    @property
    def medoid(self) -> str:
        """The clustering that is most like the others; of several the first.

        >>> import clusterdiff as cd
        >>> cd.matrix({"a": [0, 0, 1, 1], "b": [0, 1, 2, 3], "c": [0, 0, 1, 1]}).medoid
        'a'
        """
        mean = {name: value for name, value in self.mean.items() if name != self.reference}
        return (max if self.measure.similarity else min)(mean, key=lambda name: mean[name])

    @cached_property
    def order(self) -> Int64Array:
        """An order in which clusterings that are alike stand together: that of the leaves of their own dendrogram."""
        if len(self) < 3:
            return np.arange(len(self))
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        both = (self.values + self.values.T) / 2
        apart = np.nanmax(both) - both if self.measure.similarity else both - np.nanmin(both)
        apart = np.where(np.isnan(apart), 0.0, apart)
        np.fill_diagonal(apart, 0)
        tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
        return np.asarray(leaves_list(tree), dtype=np.int64)

    @cached_property
    def clusters(self) -> Table[StableCluster]:
        """What the others make of each cluster of the reference, the most stable first: those that are always there.

        The reference is the true clustering if there is one, else the medoid.

        >>> import clusterdiff as cd
        >>> stable = cd.matrix([["a", "a", "b", "b"], [1, 1, 2, 2], [1, 1, 2, 3]]).clusters
        >>> [(row.cluster, row.there) for row in stable]
        [('a', 1.0), ('b', 0.5)]
        """
        chosen = self.reference or self.medoid
        side = self.pool.sides[chosen]
        if isinstance(side, Corpus):
            raise ArgumentError(
                "clusters of documents are not followed from one corpus to the next.",
                "compare two corpora to see their documents.",
            )
        names, sizes = side.names, side.sizes
        place = {name: i for i, name in enumerate(names.tolist())}
        found = np.array(
            [_kept(self.pool.meet(chosen, name), place) for name in self.names if name != chosen]
        )
        # Noise is no cluster, and whatever was dropped from all pairs is not there to be followed.
        seen = ~np.isnan(found[:, 0]).all(axis=0)
        names, sizes, (kept, jaccard, there) = names[seen], sizes[seen], found[:, :, seen].transpose(1, 0, 2)
        rows: dict[str, Any] = {
            "cluster": names,
            "size": sizes,
            "kept": np.nanmean(kept, axis=0),
            "jaccard": np.nanmean(jaccard, axis=0),
            "least": np.nanmin(jaccard, axis=0, initial=1.0),
            "there": np.nanmean(there, axis=0),
        }
        order = np.lexsort((-sizes, -rows["jaccard"], -rows["there"]))
        return Table({name: column[order] for name, column in rows.items()}, StableCluster)

    @cached_property
    def tree(self) -> Table[Edge]:
        """From each clustering to the next: which cluster hands how many points to which, and what that loses.

        An edge is a cell of the two; its losses are those of S_H between them, and add up to 1 − S_H for each step.
        Where clusters are only divided further, as resolution grows, nothing is lost to merges.

        >>> import clusterdiff as cd
        >>> tree = cd.matrix({"coarse": [0, 0, 0, 0], "fine": [0, 0, 1, 1]}).tree
        >>> [(edge.source, edge.target, edge.size, edge.merge_loss) for edge in tree]
        [(0, 0, 2, 0.0), (0, 1, 2, 0.0)]
        """
        inside = [name for name in self.names if name != self.reference]
        return edges_between(inside, self.pool.meet)

    @property
    def table(self) -> Table[Any]:
        """One row per pair of clusterings."""
        rows, columns = np.indices(self.values.shape).reshape(2, -1)
        names = np.array(self.names, dtype=object)
        pairs = {"true": names[rows], "pred": names[columns], "points": self.points.ravel()}
        return Table({**pairs, self.measure.name: self.values.ravel()})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "signature": self.signature,
            "measure": self.measure.name,
            "names": self.names,
            "values": self.values.tolist(),
            "points": self.points.tolist(),
            "order": [self.names[i] for i in self.order],
            "stability": self.stability._asdict(),
            "medoid": self.medoid,
            "reference": self.reference or self.medoid,
            "clusters": [
                {name: plain(value) for name, value in row._asdict().items()} for row in self.clusters
            ],
        }

    def to_csv(self) -> str:
        """The matrix as CSV, with the names as first row and first column."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["", *self.names])
        writer.writerows([name, *row] for name, row in zip(self.names, self.values.tolist(), strict=True))
        return out.getvalue()

    def plot(
        self, kind: str = "matrix", ax: Any = None, *, width: float | None = None, dpi: float | None = None
    ) -> Any:
        """Draw it: ``"matrix"``, a heat map in which those that are alike stand together, or ``"tree"``.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.matrix(self, kind, ax, width=width, dpi=dpi)

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        least, most = self.shared
        n = str(most) if least == most else f"{least}–{most}"
        made = f"matrix:{self.measure.name}|clusterings:{len(self)}|n:{n}"
        return f"{made}|{self.pool.signature}|v:{__version__}"

    def _sentences(self) -> Iterator[str]:
        yield f"{self.extent}, each against each by {self.measure.name}"
        mean, spread, least, greatest = self.stability
        yield f"mean {mean:.4f} ± {spread:.4f}, from {least:.4f} to {greatest:.4f}; medoid {self.medoid}"

    def __repr__(self) -> str:
        return "\n".join([*self._sentences(), self.signature])

    def _repr_html_(self) -> str:
        first, *rest = self._sentences()
        order = self.order[:SQUARE].tolist()
        rows = [[shown(self.names[i]), *(f"{self.values[i, j]:.4f}" for j in order)] for i in order]
        head = ["", *(shown(self.names[i], 16) for i in order)]
        left = len(self) - len(order)
        return notebook.view(
            notebook.line(first, strong=True),
            *map(notebook.line, rest),
            notebook.table(head, rows, [False] + [True] * len(order)),
            notebook.line(f"… and {count(left, 'more clustering')}" if left else "", quiet=True),
            notebook.signature(self.signature),
        )


def matrix(
    clusterings: object,
    measure: AnyMeasure = "S_H",
    *,
    true: object = None,
    missing: Missing | None = None,
    noise: NoiseLabels | None = None,
    noise_as: NoiseAs = "singleton",
) -> Matrix:
    """Compare many clusterings of the same points, each with each: seeds, resolutions, parameters, methods.

    Parameters
    ----------
    clusterings
        A dict from name to clustering, a list, or a frame with one clustering per column; each in any form that
        :func:`compare` takes.
    measure
        By name, or a function of the meet. One that is not symmetric is computed in both directions.
    true
        The true clustering, if it is known: a row and a column of its own, called ``"true"``, and the reference of
        ``clusters``.
    missing, noise, noise_as
        As for :func:`compare`.

    Returns
    -------
    Matrix
        ``values``, ``stability`` (mean and spread over all pairs), ``medoid``, ``clusters`` (which clusters of the
        reference are always there), ``tree`` (from each clustering to the next), ``plot()``.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> runs = {"seed 0": [0, 0, 1, 1, 2], "seed 1": [0, 0, 1, 1, 1], "seed 2": [2, 2, 1, 1, 0]}
    >>> found = cd.matrix(runs)
    >>> found.values.round(3)
    array([[1.   , 0.652, 1.   ],
           [0.652, 1.   , 0.652],
           [1.   , 0.652, 1.   ]])
    >>> found.medoid
    'seed 0'
    """
    if isinstance(clusterings, np.ndarray) and clusterings.ndim == 2:
        raise ArgumentError.about(
            "clusterings",
            "has two dimensions, and does not say whether its rows or its columns are clusterings.",
            Message("pass `list(array)` if each row is a clustering, `list(array.T)` if each column is."),
        )
    found = read_columns(clusterings, "clusterings")
    if true is not None:
        if "true" in found:
            raise ArgumentError(
                Message('`clusterings` has one that is called "true", and `true` was given as well.'),
                ["give it another name", Message("leave out `true=`")],
            )
        found = {"true": true, **found}
    if len(found) < 2:
        raise ArgumentError.must("clusterings", "hold at least two clusterings to be compared", got="one")
    pool = Pool(found, missing, noise, noise_as)
    names, wanted = list(found), resolve(measure)
    values = np.empty((len(names), len(names)))
    points = np.empty(values.shape, dtype=np.int64)
    glance = OF_SQUARES.get(measure) if isinstance(measure, str) else None
    if glance is not None and (known := pool.squares()) is not None:
        n, squares = known
        points.fill(n)
        for i, row in enumerate(squares):
            for j in range(i, len(row)):
                values[i, j] = values[j, i] = glance(n, row[j], row[i], squares[j][j])
        return Matrix(names, wanted, values, points, "true" if true is not None else None, pool)
    for i, one in enumerate(names):
        for j in range(i, len(names)):
            meet = pool.meet(one, names[j])
            points[i, j] = points[j, i] = meet.n
            values[i, j] = wanted(meet)
            values[j, i] = values[i, j] if wanted.symmetric or i == j else wanted(pool.meet(names[j], one))
    if pool.notices:
        notice, pair = next(iter(pool.notices.items()))
        more = f" (and {count(len(pool.notices) - 1, 'more notice')})" if len(pool.notices) > 1 else ""
        told = Message("{pair}: {notice}{more}", pair=pair, notice=notice, more=more)
        warnings.warn(told, ClusterdiffWarning, stacklevel=2)
    return Matrix(names, wanted, values, points, "true" if true is not None else None, pool)


def _noise_of(side: Input, read: Clustering, noise: NoiseLabels | None) -> frozenset[Hashable]:
    """The labels of noise that a clustering can have, as it writes them."""
    example = read.labels.example
    told = Noise.told(noise, own=(side.noise, None)).spelt(side.spelling(read), None)
    known = None if example is None else (kind(example), repr(example))
    return frozenset(label for label in told.true if fits(label, known))


def _own(side: Clustering) -> Clustering:
    """The same, whatever the caller does to what was passed."""
    own = Clustering.of(side.labels.detach(), side.points, side.ordered)
    own.index = side.index
    return own


def _kept(meet: Meet, place: dict[Any, int]) -> FloatArray:
    """For each cluster of the reference: its S_H, its largest Jaccard index, and whether it is there as it is.

    Not a number for clusters that are not in the meet.
    """
    over = meet.overlap
    jaccard = over.size / (over.true_size[over.true] + over.pred_size[over.pred] - over.size)
    split, merge = Scored(meet, subcomponent("entropy")).pair
    best, score = np.zeros(len(over.true_size)), np.zeros(len(over.true_size))
    np.maximum.at(best, over.true, jaccard)
    np.add.at(score, over.true, over.size * split * merge)
    at = np.array([place.get(name, -1) for name in meet.true_names.tolist()])
    known = at >= 0
    out = np.full((3, len(place)), np.nan)
    out[:, at[known]] = np.array([score / over.true_size, best, best == 1.0])[:, known]
    return out
