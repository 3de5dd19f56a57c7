"""The pictures of docs/: every plot of the bundled examples.

python examples/pictures.py docs/images    (needs matplotlib)
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import fcluster, linkage

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.paper import story
from clusterdiff.show import plots
from clusterdiff.show.plots import canvas


def runs() -> dict[str, tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Fourteen data sets, and five systems of which some err more than others."""
    rng = np.random.default_rng(0)
    out = {}
    for i in range(14):
        true = rng.integers(0, int(rng.integers(30, 60)), 600)
        shares = {"k-means": 0.2, "HDBSCAN": 0.22, "Ward": 0.3, "spectral": 0.31, "random": 0.6}
        out[f"data {i}"] = (
            true,
            {
                name: np.where(
                    rng.random(600) < share * rng.uniform(0.6, 1.4),
                    rng.integers(0, true.max() + 1, 600),
                    true,
                )
                for name, share in shares.items()
            },
        )
    return out


def groups() -> tuple[np.ndarray, np.ndarray]:
    """Four groups of points that touch, as in docs/sweep.md: which group each belongs to, and their dendrogram."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 0.9, (60, 2)) for centre in ((0, 0), (4, 0), (0, 4), (5, 5))])
    return np.repeat(["north", "south", "east", "west"], 60), linkage(points, "average")


def releases() -> dict[str, dict[int, int]]:
    """Eight releases of a catalogue: records come and go, and clusters are split and merged."""
    rng = np.random.default_rng(1)
    labels, out = np.repeat(np.arange(60), rng.integers(2, 12, 60)), {}
    there = rng.random(len(labels)) < 0.9
    for year in range(2018, 2026):
        to = np.arange(labels.max() + 1)
        to[rng.choice(60, 2)] = rng.choice(60, 2)
        labels = to[labels]
        off = (labels == rng.choice(labels)) & (rng.random(len(labels)) < 0.5)
        labels = np.where(off, labels.max() + 1, labels)
        there = np.where(rng.random(len(labels)) < 0.03, ~there, there)
        out[str(year)] = {i: int(labels[i]) for i in np.flatnonzero(there).tolist()}
    return out


def chance() -> Axes:
    """The scores of shuffled predictions, beside that of the prediction."""
    diff, rng = customers.compare(), np.random.default_rng(0)
    true, pred = (np.repeat(side, diff.meet.size) for side in (diff.meet.true, diff.meet.pred))
    ax = canvas.axes(None, canvas.WIDTH, 50)
    ax.hist([cd.score(true, rng.permutation(pred)) for _ in range(1000)], bins=20, color=canvas.KEPT)
    for x, what in ((diff.chance().mean, "chance level, exact"), (diff.score(), "score")):
        ax.axvline(x, color=canvas.BLACK, linewidth=1)
        canvas.write(ax, x + 0.01, ax.get_ylim()[1] * 0.9, f"{what}: {x:.3f}")
    ax.set(xlim=(0, 1), xlabel="S_H", ylabel="shuffled predictions")
    canvas.title(ax, "1,000 shuffled predictions")
    canvas.open_sides(ax)
    return ax


def main() -> None:
    """Write one PNG per plot to the folder named on the command line."""
    folder = Path(sys.argv[1])
    drawn = {kind: plots.plot(customers.compare(), kind) for kind in plots.PLOTS}
    drawn["series"] = cd.worsen(story.true()).plot()
    drawn["ranks"] = cd.rank(runs(), resamples=0).plot()
    drawn["chance"] = chance()
    drawn["story"] = plots.derivation(story.compare())
    true, tree = groups()
    swept = cd.sweep(true, tree, measures=["S_H", "ari"])
    drawn |= {kind: plots.plot_sweep(swept, kind) for kind in plots.SWEEPS}
    cuts = {f"{k} clusters": fcluster(tree, k, "maxclust") for k in (2, 3, 4, 6, 9, 14)}
    drawn |= {kind: plots.plot_matrix(cd.matrix(cuts, true=true), kind) for kind in plots.MATRICES}
    drawn["history"] = cd.history(releases()).plot()
    for name, ax in drawn.items():
        ax.figure.savefig(folder / f"{name}.png", dpi=150)
    plt.close("all")


if __name__ == "__main__":
    main()
