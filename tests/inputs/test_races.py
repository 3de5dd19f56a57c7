"""Arrays that another thread writes to during a call: the answer is that of some state, or an error; never a crash."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import clusterdiff as cd

#: Runs in a process of its own, which a crash would end. Every call sees labels that are being replaced by others; each
#: kind is read by another algorithm.
SCRIPT = """
import threading, warnings
import numpy as np
import pyarrow as pa
import clusterdiff as cd

warnings.simplefilter("ignore")
n, rng = 60_000, np.random.default_rng(0)
few, many = rng.integers(0, 50, n), rng.integers(0, n // 3, n)
wide = rng.integers(-2**62, 2**62, n // 3)[many]
text = np.char.add("the label of number ", (many % 5000).astype(str))
KINDS = {
    "few": (few, few + 40),
    "ranges": (many, many * 4 + 7),
    "few or many": (few, many),
    "wide": (wide, -wide),
    "wide or few": (wide, few),
    "range or wide": (many, wide),
    "bytes": (few.astype(np.int8), (many % 127).astype(np.int8)),
    "wide but few": (few * 2**55, (few + 3) * 2**50),
    "text": (text, text[::-1].copy()),
    "objects": (text.astype(object), text[::-1].astype(object)),
}

def tried(one, other, rounds):
    x, weights, features, stop = one.copy(), np.ones(n), np.ones((n, 2)), threading.Event()

    def change():
        while not stop.is_set():
            x[n // 3 :] = other[n // 3 :]
            weights[:], features[:] = 3, 1e300
            x[:] = one
            weights[:] = 1e-300

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for pair in ((x, many), (many, x), (x, x)) * rounds:
            for ask in (
                lambda: cd.score(*pair),
                lambda: len(cd.compare(*pair).components),
                lambda: cd.compare(*pair, weights=weights, features=features).score("S_MSE"),
                lambda: len(cd.Clustering(x)),
            ):
                try:
                    assert 0 <= ask() <= n
                except cd.LabelError as error:
                    assert "changed while" in str(error), error
    finally:
        stop.set()
        thread.join()
    assert cd.score(one, one) == 1.0

def arrow(kind):  # texts whose places are overwritten with some outside of their memory
    column = pa.array(text[:20_000].tolist()).cast(kind)
    buffers = [None if part is None else bytearray(part) for part in column.buffers()]
    shared = pa.Array.from_buffers(kind, len(column), [part and pa.py_buffer(part) for part in buffers])
    places = np.frombuffer(buffers[1], np.int32)
    good, bad, stop = places.copy(), np.full_like(places, 2**31 - 8), threading.Event()

    def change():
        while not stop.is_set():
            places[:], places[:] = bad, good

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(12):
            try:
                assert len(cd.Clustering(shared)) == len(column)
                assert 0 <= cd.score(shared, many[:20_000]) <= 1
            except cd.LabelError as error:
                assert "changed while" in str(error), error
    finally:
        stop.set()
        thread.join()

for kind in (pa.string(), pa.large_string(), pa.string_view()):
    print(kind, flush=True)
    arrow(kind)
for name, states in KINDS.items():
    print(name, flush=True)
    tried(*states, 1 if name in ("text", "objects") else 3)
print("alive")
"""

#: What else may be changed by another thread, for as long as each is asked about. The core is asked itself where it
#: reads what the caller holds; elsewhere a copy is read.
OTHERS = """
import threading, time, warnings
import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
import clusterdiff as cd
from clusterdiff import _core

warnings.simplefilter("ignore")
n, rng = 3000, np.random.default_rng(0)
few, many = rng.integers(0, 50, n), rng.integers(0, n // 3, n)

def attacked(name, arrays, spoilt, *asks, seconds=0.1):
    print(name, flush=True)
    good, stop = [array.copy() for array in arrays], threading.Event()

    def change():
        while not stop.is_set():
            for value in spoilt:
                for array, known in zip(arrays, good):
                    array[len(array) // 2 :] = value
                    array[:] = known
            time.sleep(2e-4)

    thread, end = threading.Thread(target=change), time.monotonic() + seconds
    thread.start()
    try:
        while time.monotonic() < end:
            for ask in asks:
                try:
                    ask()
                except (cd.ClusterdiffError, OverflowError):
                    pass
                except ValueError:  # of the core itself
                    assert name.startswith("core")
    finally:
        stop.set()
        thread.join()
    for ask in asks:
        ask()

rows = sparse.random(20_000, 50, density=0.2, format="csr", random_state=0)
groups = (np.arange(20_000) % 7).astype("i4")
moments = lambda: _core.moments_sparse(groups, 7, rows.indptr, rows.indices, rows.data, 50)
attacked("core: columns", [rows.indices], [2**30, -(2**30)], moments, seconds=0.4)
attacked("core: rows", [rows.indptr], [2**30], moments, seconds=0.4)
attacked("core: groups", [groups], [2**30, 3], lambda: _core.group_members(groups, 7), seconds=0.2)
points = dict(enumerate(few.tolist())), dict(list(enumerate(many.tolist()))[5:])
for kind in ("csr", "csc", "coo"):
    x = sparse.random(n, 40, density=0.05, format=kind, random_state=1)
    places = [x.row, x.col] if kind == "coo" else [x.indices, x.indptr]
    asks = lambda: cd.compare(few, many, features=x), lambda: cd.compare(*points, features=x, missing="lost")
    attacked(kind, places, [2**30, -9], *asks)
square = sparse.random(300, 300, density=0.05, format="csr", random_state=2)
square = (square + square.T).tocsr()
square.setdiag(0)
condensed = rng.random(300 * 299 // 2)
distant = lambda d: cd.compare(few[:300], many[:300], distances=d).score("S*(distance)")
asks = lambda: distant(square), lambda: distant(condensed)
attacked("links", [square.indices, square.indptr, condensed], [2**30, -1], *asks)
tree = linkage(rng.random((n, 2)), "single")
left, right, score = rng.integers(0, n, 9000), rng.integers(0, n, 9000), rng.random(9000)
attacked("tree", [tree], [1e18, -5, np.nan, 3], lambda: cd.sweep(few, tree).best())
pairs = lambda: cd.sweep(points[0], pairs=(left, right, score), missing="singleton").best()
attacked("pairs", [left, right, score], [2**50, -7], pairs)
preds = [rng.integers(0, 9, 400) for _ in range(200)]
asks = lambda: cd.rank(few[:400], dict(enumerate(preds)), resamples=0), lambda: cd.matrix(preds[:20])
attacked("rank", preds, [2**60, -1], *asks)
weights, names = np.ones(n), [f"name {i % 70}" for i in range(n)]
weighed = lambda: cd.compare(few, many, weights=weights).scores(["S_H", "ari"])
attacked("weights", [weights], [np.nan, -1, 1e308, 5e-324], weighed)

known, stop = list(names), threading.Event()

def resize():
    while not stop.is_set():
        names[:], names[:] = known[:10], known
        names.clear()
        names.extend(known)

thread = threading.Thread(target=resize)
thread.start()
try:
    for _ in range(40):
        try:
            list(cd.compare(names, many).splits)
        except cd.ClusterdiffError:
            pass
finally:
    stop.set()
    thread.join()
print("alive")
"""


def test_labels_that_change_meanwhile_never_crash() -> None:
    """Whatever the algorithm that reads them; afterwards all is as before."""
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split("\n")[-2]) == (0, "alive"), run.stdout + run.stderr[-500:]


def test_whatever_else_changes_meanwhile_never_crashes() -> None:
    """Sparse matrices, distances, trees, pairs, predictions to rank, weights, lists that grow and shrink."""
    run = subprocess.run([sys.executable, "-c", OTHERS], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split("\n")[-2]) == (0, "alive"), run.stdout + run.stderr[-2500:]


def test_a_sparse_matrix_whose_rows_are_not_sound_is_refused() -> None:
    """Also where SciPy does not look: it takes one without entries for sound."""
    rows = sparse.csr_array(np.eye(4))
    rows.indptr[-1] = -9
    with pytest.raises(cd.ArgumentError, match="`features` is not a valid sparse matrix: indptr must be"):
        cd.compare([0, 0, 1, 1], [0, 1, 1, 1], features=rows)
