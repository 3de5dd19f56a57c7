"""The meet and its sums from a dictionary of pairs: slow, obvious, and exact where it can be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


def xlogx(m: int) -> float:
    return m * math.log(m)


class Oracle:
    """Every sum of the core, straight from the definitions."""

    def __init__(self, true: Sequence[Any], pred: Sequence[Any]) -> None:
        self.cells = Counter(zip(true, pred, strict=True))
        self.finish()

    @classmethod
    def from_cells(cls, cells: dict[tuple[Any, Any], int]) -> Oracle:
        self = cls.__new__(cls)
        self.cells = Counter(cells)
        self.finish()
        return self

    def finish(self) -> None:
        self.a: Counter[Any] = Counter()
        self.b: Counter[Any] = Counter()
        for (t, p), m in self.cells.items():
            self.a[t] += m
            self.b[p] += m
        self.n = sum(self.cells.values())

        self.sides = self.parts(0), self.parts(1)

    def parts(self, side: int) -> dict[Any, list[int]]:
        parts: dict[Any, list[int]] = {}
        for key, m in self.cells.items():
            parts.setdefault(key[side], []).append(m)
        return parts

    def scores(self, kind: str) -> tuple[dict[Any, float], dict[Any, float]]:
        # Python rounds a quotient of whole numbers once, however large they are.
        def entropy(parts: list[int]) -> float:
            whole = sum(parts)
            return math.fsum(map(xlogx, parts)) / xlogx(whole)

        def pairs(parts: list[int]) -> float:
            whole = sum(parts)
            return sum(m * (m - 1) for m in parts) / (whole * (whole - 1))

        def largest(parts: list[int]) -> float:
            return (max(parts) - 1) / (sum(parts) - 1)

        score = {"entropy": entropy, "pairs": pairs, "largest": largest}[kind]

        def guarded(parts: list[int]) -> float:
            return 1.0 if len(parts) == 1 else score(parts)

        true, pred = ({key: guarded(parts) for key, parts in side.items()} for side in self.sides)
        return true, pred

    def product_and_mean(self, kind: str) -> tuple[float, float]:
        s, t = self.scores(kind)
        product = math.fsum(m * s[x] * t[y] for (x, y), m in self.cells.items()) / self.n
        terms = [a * s[x] for x, a in self.a.items()] + [b * t[y] for y, b in self.b.items()]
        return product, math.fsum(terms) / (2 * self.n)

    def sums(self) -> dict[str, float | int]:
        n, cells, a, b = self.n, self.cells, self.a, self.b
        s_h, s_h_mean = self.product_and_mean("entropy")
        s_pairs, s_pairs_mean = self.product_and_mean("pairs")
        s_largest, s_largest_mean = self.product_and_mean("largest")
        return {
            "n": n,
            "cells": len(cells),
            "k_true": len(a),
            "k_pred": len(b),
            "mm": sum(m * m for m in cells.values()),
            "aa": sum(m * m for m in a.values()),
            "bb": sum(m * m for m in b.values()),
            "true_max": sum(max(p) for p in self.sides[0].values()),
            "pred_max": sum(max(p) for p in self.sides[1].values()),
            "s_h": s_h,
            "s_h_mean": s_h_mean,
            "b3_recall": math.fsum(m * m / a[x] for (x, _), m in cells.items()) / n,
            "b3_precision": math.fsum(m * m / b[y] for (_, y), m in cells.items()) / n,
            "element": math.fsum(m * m / max(a[x], b[y]) for (x, y), m in cells.items()) / n,
            "chi2": math.fsum([*(m * m / (a[x] * b[y]) for (x, y), m in cells.items()), -1]),
            "frobenius": math.fsum(
                [len(a), len(b), *(-2 * m * m / (a[x] * b[y]) for (x, y), m in cells.items())]
            ),
            "h_true": math.fsum(m * math.log(n / m) for m in a.values()) / n,
            "h_pred": math.fsum(m * math.log(n / m) for m in b.values()) / n,
            "h_joint": math.fsum(m * math.log(n / m) for m in cells.values()) / n,
            "split_info": math.fsum(m * math.log1p((a[x] - m) / m) for (x, _), m in cells.items()) / n,
            "merge_info": math.fsum(m * math.log1p((b[y] - m) / m) for (_, y), m in cells.items()) / n,
            "mutual": math.fsum(m * math.log(n * m / (a[x] * b[y])) for (x, y), m in cells.items()) / n,
            "s_pairs": s_pairs,
            "s_pairs_mean": s_pairs_mean,
            "s_largest": s_largest,
            "s_largest_mean": s_largest_mean,
        }
