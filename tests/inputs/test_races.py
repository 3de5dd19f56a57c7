"""Arrays that another thread writes to during a call: the answer is that of some state, or an error; never a crash."""

from __future__ import annotations

import subprocess
import sys

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


def test_labels_that_change_meanwhile_never_crash() -> None:
    """Whatever the algorithm that reads them; afterwards all is as before."""
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split("\n")[-2]) == (0, "alive"), run.stdout + run.stderr[-500:]
