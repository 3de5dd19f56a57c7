"""The pictures of docs/: every plot of the bundled examples.

python examples/pictures.py docs/images    (needs matplotlib)
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.paper import story
from clusterdiff.show import plots


def main() -> None:
    """Write one PNG per plot to the folder named on the command line."""
    folder = Path(sys.argv[1])
    drawn = {kind: plots.plot(customers.compare(), kind) for kind in plots.PLOTS}
    drawn["series"] = cd.worsen(story.true()).plot()
    drawn["story"] = plots.derivation(story.compare())
    for name, ax in drawn.items():
        ax.figure.savefig(folder / f"{name}.png", dpi=100)
    plt.close("all")


if __name__ == "__main__":
    main()
