"""The compiled core: pure functions on arrays.

Inputs are read through the buffer protocol: read-only and strided arrays are fine, integers of any width and booleans
are never widened as a whole, nothing is modified. Heavy work releases the GIL and stops at a keyboard interrupt.
``CLUSTERDIFF_THREADS`` sets the number of threads; the result has the same bits whatever it is.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

class Codes(NamedTuple):
    """Codes by first appearance."""

    codes: NDArray[np.int32]
    first: NDArray[np.int64]
    """Position of each code's first occurrence."""

class ObjectCodes(NamedTuple):
    """Codes of Python objects."""

    codes: NDArray[np.int32]
    first: NDArray[np.int64]
    types: list[tuple[type, int]]
    """The types met, nulls excluded, and where each was met first."""

class Matched(NamedTuple):
    """Rows of two sides, matched by the ids in them. Where an id is in several rows of a side, the first counts."""

    place: NDArray[np.int32] | NDArray[np.int64]
    """For each row of `true` the row of `pred`; -1 where there is none, and in repeats."""
    extra: NDArray[np.int64]
    """Rows of `pred` that `true` lacks, ascending."""
    true_repeats: NDArray[np.int64]
    """Rows whose id stands in an earlier one, ascending."""
    pred_repeats: NDArray[np.int64]

class StreamLabels(NamedTuple):
    """Labels by row: integers or booleans as they are, or codes of texts by first appearance."""

    values: NDArray[Any]
    """Codes are -1 for null; integers have 32 bits if all of them fit."""
    absent: NDArray[np.bool_] | None
    """Where integers or booleans are null, if any is."""
    ends: NDArray[np.int64] | None
    """Of texts: where that of each code ends; it begins where the one before ends."""
    bytes: NDArray[np.uint8] | None

class Transposed(NamedTuple):
    """A table the other way round."""

    cells: Cells
    order: NDArray[np.int64]
    """Index of each of its cells in the table it was made from."""

class CellMembers(NamedTuple):
    """The points of some cells: those of the i-th are ``members[indptr[i]:indptr[i + 1]]``, ascending."""

    indptr: NDArray[np.int64]
    members: NDArray[np.int64]

class CellLosses(NamedTuple):
    """What each cell lost to splits and to merges."""

    split: NDArray[np.float64]
    merge: NDArray[np.float64]

class SideLosses(NamedTuple):
    """What each cell lost within its cluster, and to points which the other side lacks; None if it lacks none."""

    inner: NDArray[np.float64]
    kept: NDArray[np.float64] | None

class Charges(NamedTuple):
    """How far each cell is off its cluster, and what it is charged of the cluster's loss."""

    off: NDArray[np.float64]
    charged: NDArray[np.float64]

class TwoSums(NamedTuple):
    """The sums of two columns by group."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]

class Join(NamedTuple):
    """The connected components of the cells, numbered by first true cluster."""

    of_true: NDArray[np.int32]
    of_pred: NDArray[np.int32]
    count: int  # type: ignore[assignment]  # a field, where other tuples have a method

class Looks(NamedTuple):
    """What texts look like: a bit for each question, the length in characters, the first one as a capital (0: none)."""

    flags: NDArray[np.uint32]
    length: NDArray[np.int64]
    first: NDArray[np.uint8]

class Members(NamedTuple):
    """The points of each group, ascending: those of group g are ``members[indptr[g]:indptr[g + 1]]``."""

    indptr: NDArray[np.int64]
    members: NDArray[np.int64]

class Contents(NamedTuple):
    """What there is to lose in taking groups of masses apart; nothing cancels in it."""

    pairs: NDArray[np.float64]  # Σ m·m' over the pairs in each group
    entropy: NDArray[np.float64]  # Σ m·log(M/m) in each group, M being its mass
    heavy: NDArray[np.int64]  # how many masses are not 0

class Weighed(NamedTuple):
    """What masses m of cells come to beside those of all around: a and b of their clusters, W of all."""

    true_only: float  # Σ m(a − m)/2
    pred_only: float  # Σ m(b − m)/2
    apart: float  # Σ m(W − a − b + m)/2
    mutual: float  # I
    chi2: float  # χ²/W
    frobenius: float  # Σ m(b − m)/ab + m(a − m)/ab

class DenseMoments(NamedTuple):
    """Weighted mean [k, d] of each group, what rounding took from it, and its sum of squared deviations [k]."""

    centres: NDArray[np.float64]
    low: NDArray[np.float64]
    within: NDArray[np.float64]

class SparseMoments(NamedTuple):
    """The same, the means as compressed rows."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    low: NDArray[np.float64]
    within: NDArray[np.float64]

class Repairs(NamedTuple):
    """Operations that bring pred closer to true, one per entry."""

    operation: NDArray[np.int32]
    """0 splits predicted cluster ``at``; 1 merges the predicted clusters inside true cluster ``at``; 2 moves cell
    ``at`` to another of its true cluster."""
    at: NDArray[np.int64]
    to: NDArray[np.int64]
    """Merge: the cell whose cluster, which has points of others too, takes part, or -1. Move: the cell to join."""
    gain: NDArray[np.float64]
    """Of S_H."""

class RepairSteps(NamedTuple):
    """A sequence of operations; step i takes ``cell[indptr[i]:indptr[i + 1]]`` from ``source`` to ``target``.

    The parts that a split makes are numbered from ``k_pred`` on, but for the largest, which keeps its cluster's number.
    """

    operation: NDArray[np.int32]
    true: NDArray[np.int32]
    """The true cluster concerned, or -1."""
    gain: NDArray[np.float64]
    indptr: NDArray[np.int64]
    cell: NDArray[np.int32]
    source: NDArray[np.int32]
    target: NDArray[np.int32]

class Counted(NamedTuple):
    """Distinct values, ascending, and how often each comes."""

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

class Kept(NamedTuple):
    """What is left of S_H, and what was lost, in points."""

    kept: NDArray[np.float64]
    """Of each true cluster, the sum of m·s·t over its cells."""
    split: float
    """What all cells lost to splits."""
    merge: float

class ExpectedInformation(NamedTuple):
    """What is expected of clusterings with given cluster sizes, in nats."""

    mutual: float
    split_info: float
    """H(pred | true)."""
    merge_info: float
    """H(true | pred)."""
    split_loss: float
    """What the mean split score of the points lacks to 1, by entropy."""
    merge_loss: float
    """Likewise of the merge scores."""

class ExpectedS(NamedTuple):
    """A mean, and what it took."""

    value: float
    terms: int
    """How many terms of hypergeometric sums were added up."""

class Merges(NamedTuple):
    """Merges in the order in which they happen: merge k makes node ``points + k`` of ``left[k]`` and ``right[k]``."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    height: NDArray[np.float64]
    link: NDArray[np.int64]
    """The link that each merge comes from."""

class Pruned(NamedTuple):
    """The merges of a tree of some of the points."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    merges: NDArray[np.int64]
    """Which of the whole tree's merges they are."""

class Leaves(NamedTuple):
    """The points in an order in which node x is the run ``order[start[x]:start[x] + size[x]]``."""

    order: NDArray[np.int32]
    start: NDArray[np.int32]
    size: NDArray[np.int32]

class Levels(NamedTuple):
    """What measures read after so many merges, one entry per level; names as in ``Sums``."""

    s_h: NDArray[np.float64]
    split: NDArray[np.float64]
    """The mean split score of the points."""
    merge: NDArray[np.float64]
    """The mean merge score of the points."""
    h_pred: NDArray[np.float64]
    split_info: NDArray[np.float64]
    merge_info: NDArray[np.float64]
    b3_recall: NDArray[np.float64]
    b3_precision: NDArray[np.float64]
    mm: NDArray[np.int64]
    bb: NDArray[np.int64]
    true_max: NDArray[np.int64]
    pred_max: NDArray[np.int64]
    cells: NDArray[np.int64]
    clusters: NDArray[np.int64]
    change: NDArray[np.float64]
    """What each merge did to S_H, if that was asked for."""

class Sums:
    """What measures need to know of the cells: m is the size of a cell, a and b those of its true and pred cluster."""

    def __init__(self, cells: Cells) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def cells(self) -> int: ...
    @property
    def k_true(self) -> int: ...
    @property
    def k_pred(self) -> int: ...
    @property
    def squares(self) -> tuple[int, int, int, int]:
        """n, and the three sums of squares that follow; of few cells without the logarithms of all other sums."""
    @property
    def exact(self) -> int:
        """How many cells are all of both their clusters; counted when it is asked for."""
    @property
    def mm(self) -> int:
        """Sum of m² over cells, exact."""
    @property
    def aa(self) -> int:
        """Sum of a² over true clusters, exact."""
    @property
    def bb(self) -> int:
        """Sum of b² over predicted clusters, exact."""
    @property
    def true_max(self) -> int:
        """Sum over true clusters of their largest cell."""
    @property
    def pred_max(self) -> int:
        """Sum over predicted clusters of their largest cell."""
    @property
    def s_h(self) -> float:
        """S_H, the product form of the entropy instance."""
    @property
    def s_h_mean(self) -> float:
        """S'(entropy)."""
    @property
    def b3_recall(self) -> float: ...
    @property
    def b3_precision(self) -> float: ...
    @property
    def chi2(self) -> float:
        """χ²/n."""
    @property
    def frobenius(self) -> float:
        """|L| + |C| − 2 Σ m²/ab."""
    @property
    def element(self) -> float:
        """Element-centric similarity, sum of m² / max(a, b) over n."""
    @property
    def h_true(self) -> float: ...
    @property
    def h_pred(self) -> float: ...
    @property
    def h_joint(self) -> float: ...
    @property
    def split_info(self) -> float:
        """Conditional entropy of pred given true; exactly 0.0 when nothing is split."""
    @property
    def merge_info(self) -> float:
        """Conditional entropy of true given pred; exactly 0.0 when nothing is merged."""
    @property
    def mutual(self) -> float:
        """Mutual information, accurate near independence too."""
    @property
    def s_pairs(self) -> float: ...
    @property
    def s_pairs_mean(self) -> float: ...
    @property
    def s_largest(self) -> float: ...
    @property
    def s_largest_mean(self) -> float: ...

class Cells:
    """The sparse table of non-empty intersections, true-major (CSR). Immutable, owns its memory; pickles."""

    def __init__(
        self,
        indptr: NDArray[np.int64],
        cols: NDArray[np.int32],
        sizes: NDArray[np.int64],
        k_pred: int,
        true_labels: NDArray[np.int64] | NDArray[np.uint64] | None = None,
        pred_labels: NDArray[np.int64] | NDArray[np.uint64] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def k_true(self) -> int: ...
    @property
    def k_pred(self) -> int: ...
    @property
    def indptr(self) -> NDArray[np.int64]: ...
    @property
    def rows(self) -> NDArray[np.int32]: ...
    @property
    def cols(self) -> NDArray[np.int32]: ...
    @property
    def sizes(self) -> NDArray[np.int64]: ...
    @property
    def true_sizes(self) -> NDArray[np.int64]: ...
    @property
    def pred_sizes(self) -> NDArray[np.int64]: ...
    @property
    def true_labels(self) -> NDArray[np.int64] | NDArray[np.uint64] | None:
        """The distinct labels in code order; None for a table made by hand without them."""
    @property
    def pred_labels(self) -> NDArray[np.int64] | NDArray[np.uint64] | None: ...
    def sums(self) -> Sums: ...
    def weighed(self, mass: NDArray[np.float64]) -> Weighed:
        """Sums over cells of these masses, exact until the last rounding, however far apart they lie."""
    def transpose(self) -> Transposed:
        """Pred-major cells, and for each of them its index in this table."""
    def join(self) -> Join:
        """Component of each true and of each pred cluster, numbered by first true cluster, and their number."""
    def entropy_scores(self) -> NDArray[np.float64]:
        """The score of each true cluster by entropy."""
    def pred_entropy_scores(self) -> NDArray[np.float64]:
        """That of each predicted cluster: the same bits as from the transposed table, for less memory."""
    def losses(
        self,
        split: NDArray[np.float64],
        merge: NDArray[np.float64],
        total: float,
        mass: NDArray[np.float64] | None = None,
    ) -> CellLosses:
        """What each cell lost in the product of its clusters' scores, as a share of the whole score."""
    def side_losses(
        self,
        inner: NDArray[np.float64],
        kept: NDArray[np.float64] | None,
        others: NDArray[np.float64],
        total: float,
        mass: NDArray[np.float64] | None = None,
        *,
        pred: bool = False,
    ) -> SideLosses:
        """The same on one side, whose scores are products: what was lost to either factor."""
    def assign(self, values: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]:
        """The cells, ascending, of the one-to-one matching of clusters with the greatest total of values >= 0."""
    def kept_by_true(self) -> Kept:
        """What each true cluster keeps of S_H, and what was lost to splits and merges."""
    def locate(self, true: Any, pred: Any) -> NDArray[np.int32] | NDArray[np.int64]:
        """Index of each point's cell, for the arrays the table was built from."""
    def members(self, true: Any, pred: Any, cells: NDArray[np.int64]) -> CellMembers:
        """The points of some different cells, for the same arrays: one look at every point, and no array of them."""

def meet(true: Any, pred: Any) -> Cells:
    """The meet of two arrays of integer or boolean labels of equal length n >= 1."""

def sums(true: Any, pred: Any) -> Sums | None:
    """The sums of the meet of two such arrays; None for anything else, and for arrays of different lengths."""

def s_h(true: Any, pred: Any) -> float | None:
    """Of these sums, only S_H."""

def meets(true: Any, preds: list[Any]) -> list[Cells]:
    """The meet of one array with each of several, on several threads."""

def squares(sides: list[Any]) -> NDArray[np.int64]:
    """Sums of m² over the cells of every two of several such arrays, and of a² over the clusters of each, [i, j].

    Of up to 2^31 - 1 points.
    """

def counted(x: NDArray[np.int64]) -> Counted:
    """The distinct values of numbers that are not negative, ascending, and how often each comes."""

def sum_squares(x: Any) -> int:
    """Exact sum of squares of integers."""

def group_sum(groups: Any, k: int, values: Any) -> NDArray[Any]:
    """Sum of the values of each group: exact int64 for integers, compensated float64 for floats."""

def group_sums(groups: Any, k: int, first: NDArray[np.float64], second: NDArray[np.float64]) -> TwoSums:
    """Compensated sums of two columns at once."""

def group_max(groups: Any, k: int, values: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[Any]:
    """The greatest value of each group; 0 if it has none that is greater."""

def charges(
    indptr: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    mass: NDArray[np.float64],
    lost: NDArray[np.float64],
) -> Charges:
    """What clusters lost, charged to the cells that left them: of each, ``order[indptr[c]:indptr[c + 1]]``."""

def descending(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The places of values, the largest first, equal ones in order, NaN last."""

def contents(groups: Any, k: int, masses: Any) -> Contents:
    """The contents of each group of masses."""

def group_members(groups: Any, k: int) -> Members:
    """The points of each group."""

def looks(text: NDArray[np.uint8], n: int) -> Looks:
    """What ``n`` texts look like, in UTF-8, each of which ends with a line break."""

def agreement(
    indptr: NDArray[np.int64], members: NDArray[np.int64], codes: NDArray[Any], none: int
) -> NDArray[np.uint8]:
    """By point: 1 if another value is commoner in its group, 2 if that has several; code ``none`` is no value."""

def code_sums(
    codes: NDArray[Any], k: int, of: NDArray[np.int32], rows: NDArray[np.float64], width: int
) -> NDArray[np.float64]:
    """For each code, the sums of the rows of its points: row ``of[i]`` has ``width`` of the numbers ``rows``."""

def text_ranks(texts: Sequence[str] | Sequence[bytes] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each text stands in their order, equal ones as they come: a list of strings or bytes; or whole numbers."""

def encode_integers(x: Any) -> Codes:
    """Codes of integers or booleans."""

def encode_fixed(x: NDArray[np.uint8], unit: int = 1) -> Codes:
    """Codes of the rows of a 2-D view of text in fields padded with zeros, 1 or 4 bytes a character."""

def encode_text(
    offsets: NDArray[np.int32] | NDArray[np.int64],
    data: NDArray[np.uint8],
    validity: NDArray[np.uint8] | None = None,
    bit_offset: int = 0,
) -> Codes:
    """Codes of an Arrow string array; null is -1."""

def encode_views(
    views: NDArray[np.uint8],
    buffers: Sequence[NDArray[np.uint8]],
    validity: NDArray[np.uint8] | None = None,
    bit_offset: int = 0,
) -> Codes:
    """Codes of an Arrow string-view array, its views as [n, 16] bytes; null is -1."""

def encode_objects(objects: Any) -> ObjectCodes:
    """Codes of a list, tuple or object array by Python's equality; null is -1."""

def encode_lists(lists: list[list[Any]]) -> ObjectCodes:
    """The same of several lists, one after the other."""

class Matching:
    """Points of two sides, matched by their ids.

    ``rows`` is about how many the larger side has; it decides how the work is cut, and on nothing that comes out.
    """

    def __init__(self, rows: int) -> None: ...
    def read(self, side: Any) -> StreamLabels | None:
        """Read a side, first `true`, then `pred`: an Arrow stream, in ``__arrow_c_stream__``.

        It has a column of ids, and maybe a second one of labels, which are returned. Ids are integers of any width,
        booleans, or text, which is compared by its bytes; none is null. A side that could not be read, here or below,
        can be read again.
        """

    def read_lines(
        self, file: int, delimiter: str, fields: int, point: int, cluster: int
    ) -> StreamLabels | None:
        """Read a side from an open file, by its descriptor: fields between delimiters, of which empty ones are null.

        Its first line names so many ``fields``; ``point`` and ``cluster`` are the places of two of them. None if the
        file is anything but plain UTF-8: has quotes, empty lines, lines of another length, or lines of more than 256
        KiB. Read the side in another way then.
        """

    def read_parquet(self, file: int, fields: int, point: int, cluster: int) -> StreamLabels | None:
        """Read a side from an open Parquet file, by its descriptor: its rows have so many ``fields``.

        ``point`` and ``cluster`` are the places of two of them. None if these are anything but 64- or 32-bit integers
        or UTF-8 text, packed by Snappy or not at all, plainly or by a dictionary, in row groups of up to two million
        rows and 64 MB a column; or if the file is damaged. Read the side in another way then.
        """

    def match(self) -> Matched:
        """Match what was read; once."""

def take(values: NDArray[Any], places: Any) -> NDArray[Any]:
    """Integers at some places of an array, each from 0 on, in all threads; 0 at place -1."""

def read_labels(labels: Any, rows: int) -> StreamLabels:
    """The labels of an Arrow stream of one column, in ``__arrow_c_stream__``; ``rows`` is about how many there are."""

def moments_dense(
    groups: Any,
    k: int,
    x: Any,
    weights: NDArray[np.float64] | None = None,
    low: NDArray[np.float64] | None = None,
) -> DenseMoments:
    """Weighted mean [k, d] of each group and its sum of squared deviations [k]; integers count as float64.

    ``low`` has what rounding took from each entry of x, row by row.
    """

def moments_sparse(
    groups: Any,
    k: int,
    indptr: Any,
    indices: Any,
    data: Any,
    d: int,
    weights: NDArray[np.float64] | None = None,
    low: NDArray[np.float64] | None = None,
) -> SparseMoments:
    """The same for CSR rows, no column twice in a row."""

def link_sums_square(
    group_indptr: Any, members: Any, d: Any, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Sum of w_i w_j d_ij over the pairs i < j of each group, from a square matrix."""

def link_sums_condensed(
    group_indptr: Any, members: Any, condensed: Any, n: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The same from a condensed vector of n (n - 1) / 2 entries."""

def one_to_one(
    true: Any, pred: Any, size: NDArray[np.int64], least: Callable[[NDArray[np.int64]], Any]
) -> NDArray[np.int64]:
    """The places of cells that match clusters one to one: those that share most first, then those of smaller clusters.

    ``least`` gives a number for each of some cells that nothing else tells from another one of their clusters.
    """

def repairs(
    cells: Cells,
    mass: NDArray[np.float64] | None = None,
    entropy: NDArray[np.float64] | None = None,
    unit: float = 1.0,
    missing: tuple[NDArray[np.int64], NDArray[np.float64] | None] | None = None,
    spurious: tuple[NDArray[np.int64], NDArray[np.float64] | None] | None = None,
) -> Repairs:
    """Every operation that brings pred closer to true, and what each alone would gain.

    Lost points are the cluster of each, and its weight where the cells have weights.
    """

def repair_steps(
    cells: Cells,
    mass: NDArray[np.float64] | None = None,
    entropy: NDArray[np.float64] | None = None,
    unit: float = 1.0,
    missing: tuple[NDArray[np.int64], NDArray[np.float64] | None] | None = None,
    spurious: tuple[NDArray[np.int64], NDArray[np.float64] | None] | None = None,
) -> RepairSteps:
    """The greedy sequence until pred equals true; lost points stand among the cells, after them."""

def expected_information(
    true_sizes: NDArray[np.int64],
    true_counts: NDArray[np.int64] | NDArray[np.float64],
    pred_sizes: NDArray[np.int64],
    pred_counts: NDArray[np.int64] | NDArray[np.float64],
) -> ExpectedInformation:
    """I, H(pred | true) and H(true | pred) expected of clusterings with these distinct sizes, each with its count.

    Where sizes are left to chance too, counts are those on average.
    """

def expected_s_h(
    true_sizes: NDArray[np.int64],
    true_counts: NDArray[np.int64],
    pred_sizes: NDArray[np.int64],
    pred_counts: NDArray[np.int64],
    lost: bool,
) -> ExpectedS:
    """S_H expected of clusterings with these distinct sizes (ascending), or if ``lost`` 1 - S_H, to the last digits."""

def sample_cells(
    true_sizes: NDArray[np.int64], pred_sizes: NDArray[np.int64], seed: int, first: int, count: int
) -> list[Cells]:
    """Random tables with these margins: draws first, first + 1, … of the stream that the seed starts."""

#: Units are drawn block by block, so many at a time.
RESAMPLE_BLOCK: int

def resample(
    values: NDArray[np.float64], width: int, drawn: NDArray[np.int64], seed: int
) -> NDArray[np.float64]:
    """Sums over units drawn with replacement, a row per resample.

    ``values`` has a row of ``width`` numbers per unit, one after the other; ``drawn`` says for each resample how many
    units of each block it draws.
    """

def toss(values: NDArray[np.float64], width: int, draws: int, seed: int) -> NDArray[np.float64]:
    """Sums over units that are picked by a fair coin each, a row per draw; ``values`` as for :func:`resample`."""

def assemble(
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    scopes: tuple[NDArray[np.int64], NDArray[np.int64]],
    k_scopes: int,
    least: NDArray[np.int64],
    cluster_least: NDArray[np.int64],
    cluster_size: NDArray[np.int64],
    links: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None = None,
) -> NDArray[np.int64]:
    """Atoms of clusters united where no scope holds them apart: the class of each, by one of its atoms.

    ``cells`` has the clusters and points of each atom, as (indptr, cluster, points), ``scopes`` its scopes. Ranks of
    least points and sizes of clusters decide the order. ``links`` are (atom, atom, cluster, score), strongest first.
    """

def points_apart(
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    scopes: tuple[NDArray[np.int64], NDArray[np.int64]],
    k_scopes: int,
    k_clusters: int,
) -> NDArray[np.int64]:
    """For each cell of atoms, how many points of its cluster are in atoms with a scope in common."""

def dendrogram(left: NDArray[np.int64], right: NDArray[np.int64], height: NDArray[np.float64]) -> Merges:
    """The tree of a dendrogram, each merge at the greatest height below it; ValueError if it is none."""

def spanning(
    left: NDArray[np.int32], right: NDArray[np.int32], score: NDArray[np.float64], points: int
) -> Merges:
    """The tree of scored pairs of points, the highest score first, equal ones as they come."""

def pruned(left: NDArray[np.int32], right: NDArray[np.int32], keep: NDArray[np.bool_]) -> Pruned:
    """The tree of some of the points."""

def cut(left: NDArray[np.int32], right: NDArray[np.int32], points: int, count: int) -> NDArray[np.int32]:
    """The cluster of each point after the first ``count`` merges, numbered by first appearance."""

def leaves(left: NDArray[np.int32], right: NDArray[np.int32], points: int) -> Leaves:
    """The points in an order in which every node is a run."""

def sweep(
    truth: NDArray[np.int32],
    rows: int,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    ends: NDArray[np.int64],
    changes: bool = False,
) -> Levels:
    """What measures read after each of ``ends`` merges, for points with the true clusters ``truth``."""

def stream(true: Any, pred: Any) -> int:
    """Read both arrays once and do nothing else: the limit that benchmarks compare with."""

def threads() -> int:
    """The number of threads large inputs use."""

def set_array_memory(before: Any = None) -> Any:
    """Have large arrays of NumPy that this context makes share the memory of the core's; returns how it was before.

    Given that, it is as before again. Arrays that are there stay where they are.
    """

def keep_freed() -> None:
    """Have the memory of arrays that are gone stay with this process, for those to come, where the system lets it."""

def set_pause(milliseconds: int) -> None:
    """How long a call may go on before it looks for signals again: 50 ms, unless tests say 0."""

class WrittenPatch(NamedTuple):
    """Operations of a patch as JSON; operation i is ``text[start[i]:end[i]]``."""

    text: str
    start: NDArray[np.int64]
    end: NDArray[np.int64]

def write_patch(
    texts: Sequence[str] | Sequence[bytes] | NDArray[np.int64],
    removed: Any,
    cells: Any,
    splits: Any,
    merges: Any,
    merge_adds: Any,
    adds: Any,
    targets: Any,
    separator: str,
) -> WrittenPatch:
    """A patch: what to remove, split, merge and add, each kind in the order of the least points concerned.

    All but ``merge_adds`` are lists (indptr, items): ``removed``, ``cells`` and ``adds`` of points by their place in
    ``texts``, ``splits``, ``merges`` and ``targets`` of cells. ``merge_adds`` has for each merge the addition to the
    same cluster, or -1; ``targets`` has for each addition the cells of its cluster. Text is a list of strings, or of
    bytes if UTF-8 lacks some of it (single surrogates), or an array of whole numbers.
    """

def sha256_heads(text: bytes) -> tuple[int, int]:
    """The first 64 bits of the SHA-256 of a text: as patches are digested here, and as on any processor."""
