"""Small files of everything that is read, what commands read them, and signs that their readers look for."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import tifffile

import clusterdiff as cd

TABLE = 'id,cluster,note\na,1,x\n"b,b",1,"y ""z"""\nc,2,\nż,2,\n'
CONLL = (
    "#begin document (d); part 000\nd 0 0 Ann - (1\nd 0 1 Lee - 1)\nd 0 2 saw - -\nd 0 3 her - (1)|(2\n"
    "d 0 4 dog - 2)\n#end document\n"
)
CONLLU = (
    "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n"
    "1\tAnn\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1-person-1-\n1.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)(e2[1/2]-x-1-)\n"
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo\t_\t_\t_\t_\t1\tdep\t_\t_\n"
    "3\tnot\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e2[2/2]-x-1-)\n\n"
)
SPANS = '{"doc_key": "d", "tokens": ["Ann", "saw", "her"], "clusters": [[[0, 0], [2, 2]], [[0, 1]]]}\n'


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


TRUE = {"a": 1, "b": 1, "c": 2, "d": 2}
PRED = {"a": "x", "b": "y", "c": "y", "d": "z"}


def _patch() -> bytes:
    return cd.compare(TRUE, PRED).patch().to_json().encode()


def _database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE points (id TEXT, cluster INTEGER)")
        connection.executemany("INSERT INTO points VALUES (?, ?)", [("a", 1), ("b", 1), ("c", 2)])
        return connection.serialize()


def _baseline(*systems: str) -> dict[str, object]:
    scores = {"S_H": 0.9, "as_h": 0.8}
    rows = [{"system": name, "place": 1, "scores": scores} for name in systems]
    return {"signature": "S_H|n:4|v:1", "measures": ["S_H", "as_h"], "systems": rows}


ARROW = pa.table({"id": ["a", "b", "c"], "cluster": [1, 1, 2]})
LINKAGE = np.array([[0, 1, 0.5, 2], [2, 3, 0.25, 2], [4, 5, 1.5, 4]])
LABELS = np.array([[0, 0, 1], [2, 1, 1]], dtype=np.int32)

#: File name → content.
CORPUS: dict[str, bytes] = {
    "t.csv": TABLE.encode(),
    "t.tsv": TABLE.replace(",", "\t").encode(),
    "t.csv.gz": gzip.compress(TABLE.encode(), mtime=0),
    "t.csv.bz2": bz2.compress(TABLE.encode()),
    "t.csv.xz": lzma.compress(TABLE.encode()),
    "t.jsonl": b'{"id": "a", "cluster": 1}\n{"id": "b", "cluster": 1}\n{"id": "c", "cluster": 2}\n',
    "t.json": json.dumps({"x": ["a", "b"], "y": ["c", 1.5, None]}).encode(),
    "u.json": b'[1, "1", null, true, [2, 3], 1e3]',
    "labels": "a\nb\n\nż\na\n".encode(),
    "t.mcl": b"a\tb\tc\nd\te\n\nf\n",
    "t.npy": _bytes(lambda out: np.save(out, LABELS)),
    "t.npz": _bytes(lambda out: np.savez_compressed(out, labels=LABELS)),
    "t.tif": _bytes(lambda out: tifffile.imwrite(out, LABELS)),
    "t.conll": CONLL.encode(),
    "t.conllu": CONLLU.encode(),
    "spans.jsonl": SPANS.encode(),
    "fix.patch": _patch(),
    "t.parquet": _bytes(lambda out: pa.parquet.write_table(ARROW, out)),
    "t.arrow": _bytes(lambda out: pa.feather.write_feather(ARROW, out)),
    "t.sqlite": _database(),
    "pairs.csv": b"left,right,score\na,b,0.9\nc,d,0.4\n",
    "scored.csv": b"left,right,score\na,b,0.9\nb,c,0.4\nc,d,1e-3\n",
    "tree.npy": _bytes(lambda out: np.save(out, LINKAGE)),
    "tree.npz": _bytes(lambda out: np.savez(out, LINKAGE)),
    "tree.txt": _bytes(lambda out: np.savetxt(out, LINKAGE, "%g")),
    "score.json": json.dumps({"scores": {"S_H": 0.9}, "signature": "S_H|n:4|v:1"}).encode(),
    "ranking.json": json.dumps(_baseline("found")).encode(),
    "rankings.json": json.dumps(_baseline("pred") | {"data": {"one": _baseline("pred")}}).encode(),
    "runs.csv": b"data,system,file\none,true,true.json\none,pred,pred.json\ntwo,true,pred.json\ntwo,pred,true.json\n",
    "response.conll": CONLL.replace("(1)|(2", "(2").encode(),
}

#: What lies beside a file that a command reads.
BESIDE = {
    "true.json": json.dumps(TRUE).encode(),
    "pred.json": json.dumps(PRED).encode(),
    # Enough clusters for an interval.
    "known.json": json.dumps([i // 2 for i in range(60)]).encode(),
    "found.json": json.dumps([i // 2 + i % 2 * (i % 7 == 1) for i in range(60)]).encode(),
    "key.conll": CONLL.encode(),
    "runs": CORPUS["runs.csv"],
}

_GUARD = ("rank", "true.json", "pred.json", "--resamples", "20", "--fail-if-worse", "--baseline")
#: Files that only a command reads, as its last argument.
COMMANDS: dict[str, tuple[str, ...]] = {
    "scored.csv": ("sweep", "true.json"),
    "tree.npy": ("sweep", "true.json"),
    "tree.npz": ("sweep", "true.json"),
    "tree.txt": ("sweep", "true.json"),
    "score.json": _GUARD,
    "ranking.json": ("rank", "known.json", "found.json", *_GUARD[3:-1], "--significant", "--baseline"),
    "rankings.json": ("rank", "--table", "runs", *_GUARD[3:]),
    "runs.csv": ("rank", "--resamples", "20", "--table"),
    "response.conll": ("compare", "key.conll"),
}

#: What readers look for, and what they may trip over.
SIGNS = [
    b'"', b"'", b",", b"\t", b"\n", b"\r", b"\r\n", b"(", b")", b"|", b"[", b"]", b"{", b"}", b":", b"#", b"\\",
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"-1", b"0", b"1e999", b"NaN", b"null", b"9" * 30, b"9" * 5000,
    b"\\ud800", b"[" * 3000, b"(" * 500, b"#begin document", b"#end document", b"# newdoc", b"Entity=(", b"split",
    b"merge", b"\x80\x00\x00\x00", b"\x7f\xff\xff\xff", b"=1+1", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"ARROW1",
    b"true", b'"x"', b'"S_H"', b"{}", b"[]", b"", b"a", b"../", b"inf", b"-0.0", b"1e308", b"0.5", b"-2", b"7",
]  # fmt: skip
