"""When do S_MSE and S_H rank clusterings differently, and why? On scikit-learn's digits.

python examples/digits.py    (needs scikit-learn)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import AgglomerativeClustering, Birch, KMeans
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

import clusterdiff as cd

Labels = npt.NDArray[np.int64]


def algorithms(x: npt.NDArray[np.float64]) -> dict[str, Labels]:
    """Clusterings that real algorithms make of the digits."""
    made = {f"k-means, k = {k}": KMeans(k, n_init=4, random_state=0).fit_predict(x) for k in (5, 10, 20, 40)}
    for linkage in ("ward", "average", "complete"):
        made[f"agglomerative, {linkage}"] = AgglomerativeClustering(10, linkage=linkage).fit_predict(x)
    made["birch"] = Birch(n_clusters=10).fit_predict(x)
    made["Gaussian mixture"] = GaussianMixture(10, covariance_type="diag", random_state=0).fit_predict(x)
    return made


def edits(x: npt.NDArray[np.float64], true: Labels) -> dict[str, Labels]:
    """The true clustering with one kind of mistake each: the same sizes, in different places of the space."""
    rng = np.random.default_rng(0)
    random_halves = true * 2 + rng.integers(0, 2, len(true))
    along = true * 2
    for digit in range(10):
        inside = true == digit
        centred = x[inside] - x[inside].mean(axis=0)
        axis = np.linalg.svd(centred, full_matrices=False)[2][0]
        along[inside] += (centred @ axis > 0).astype(int)
    centres = np.stack([x[true == digit].mean(axis=0) for digit in range(10)])
    gap = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    near = divmod(int(np.argmin(gap + 1e9 * np.eye(10))), 10)
    far = divmod(int(np.argmax(gap)), 10)
    return {
        "each digit cut at random": random_halves,
        "each digit cut along its longest axis": along,
        f"the two nearest digits merged ({near[0]}, {near[1]})": np.where(true == near[1], near[0], true),
        f"the two farthest digits merged ({far[0]}, {far[1]})": np.where(true == far[1], far[0], true),
    }


def scores() -> dict[str, dict[str, float]]:
    """S_H and S_MSE of every clustering, and the share of clusters' spread that is between their parts."""
    x, digits = load_digits(return_X_y=True)
    made = {**edits(x, digits), **algorithms(x)}
    return {
        name: cd.compare(digits, pred, features=x).scores(["S_H", "S_MSE"]) for name, pred in made.items()
    }


def main() -> None:
    """Print the table, best S_H first, with the rank that S_MSE gives."""
    found = scores()
    by_mse = sorted(found, key=lambda name: -found[name]["S_MSE"])
    print("| clustering | S_H | S_MSE | rank by S_H | rank by S_MSE |")
    print("| --- | --- | --- | --- | --- |")
    for rank, name in enumerate(sorted(found, key=lambda name: -found[name]["S_H"]), 1):
        row = found[name]
        print(f"| {name} | {row['S_H']:.4f} | {row['S_MSE']:.4f} | {rank} | {by_mse.index(name) + 1} |")


if __name__ == "__main__":
    main()
