"""Pictures: that they are drawn, labelled, and honest about what they leave out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.paper import story

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from clusterdiff.show import plots
from clusterdiff.show.plots import registry
from clusterdiff.show.plots.canvas import KIND_COLOURS, LINES, MERGE, SPLIT, axes

HOSTILE = ["$x_1$", "</script>", "a\nb", "日本語" * 20, "x" * 10_000, "שלום", "\x1b[31m", "😀"]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    plt.close("all")  # what tests of other modules drew
    yield
    plt.close("all")


def large() -> cd.Comparison:
    """A hundred thousand points in one tangled component and thousands of small ones."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 30_000, 100_000)
    moved = rng.random(100_000) < 0.2
    return cd.compare(true, np.where(moved, rng.integers(0, 30_000, 100_000), true))


EXAMPLES = {
    "customers": customers.compare,
    "story": story.compare,
    "large": large,
    "dense": lambda: cd.compare(np.arange(10_000) % 100, np.arange(10_000) // 100),
    "same": lambda: cd.compare([0, 1, 1], [5, 6, 6]),
    "one point": lambda: cd.compare(["x"], [1]),
    "hostile": lambda: cd.compare(HOSTILE, [HOSTILE[0]] * 4 + [HOSTILE[-1]] * 4),
}


def texts(ax: Axes) -> list[str]:
    """All text that a figure shows."""
    return [text.get_text() for text in ax.figure.findobj(matplotlib.text.Text) if text.get_text()]


@pytest.mark.parametrize("kind", plots.PLOTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_plot_of_every_comparison(example: str, kind: str) -> None:
    """Each is drawn without a warning, returns its Axes, and shows no more marks than people can read."""
    ax = plots.plot(EXAMPLES[example](), kind)
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    assert len(ax.lines) + len(ax.patches) + len(ax.texts) < 500
    assert texts(ax)
    assert all(len(text) < 400 and text.isprintable() for line in texts(ax) for text in line.splitlines())


def test_labels_are_shown_as_text() -> None:
    """Dollar signs are no mathematics, long names are cut, control characters are spelt out."""
    shown = texts(plots.flow(EXAMPLES["hostile"]()))
    assert any(text.startswith("$x_1$") for text in shown)
    assert any("…" in text for text in shown)
    assert not any("\x1b" in text for text in shown)


def test_what_is_left_out_is_said() -> None:
    """A cut component, components that do not fit, and those that are the same are counted below the picture."""
    note = " ".join(" ".join(texts(plots.bipartite(large()))).split())
    assert "in part: 10 of" in note
    assert "components that differ" in note
    assert "that are the same" in note
    assert "not shown: 12 that are the same" in texts(plots.flow(customers.compare()))
    many = cd.compare(np.repeat(np.arange(60), 2), np.arange(120))
    assert "not shown: 40 more components that differ, with 67% of the loss" in texts(plots.loss(many))
    assert "the two clusterings are the same: nothing was lost" in texts(
        plots.loss(cd.compare([0, 1], [0, 1]))
    )


def test_the_bipartite_graph_shows_clusters_and_cells() -> None:
    """One line per cell, one circle per cluster with its size inside, one frame per component."""
    diff = cd.compare(list("aaabbc"), [1, 1, 2, 2, 2, 3])
    ax = plots.bipartite(diff)
    assert len(ax.lines) == 3  # the component that differs has three cells
    assert len(ax.patches) == 1
    shown = texts(ax)
    assert {"a", "b", "1", "2", "true", "predicted"} <= set(shown)
    assert shown.count("3") == 2  # a and 2 have three points


def test_the_derivation_graph_has_three_rows() -> None:
    """Each cell has a line from its true cluster and one to its predicted cluster, coloured by what happened."""
    ax = plots.derivation(cd.compare(list("aaabbc"), [1, 1, 2, 2, 2, 3]))
    colours = [line.get_color() for line in ax.lines]
    assert colours.count(SPLIT) == 2
    assert colours.count(MERGE) == 2
    assert "meet" in texts(ax)


def test_loss_bars_add_up() -> None:
    """The bars' heights are the components' losses, and the line ends at the whole."""
    diff = customers.compare()
    ax = plots.loss(diff)
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(diff.loss.total)
    share = ax.figure.axes[1].lines[0].get_ydata()
    assert share[-1] == pytest.approx(1.0)


def test_the_heat_map_puts_matched_clusters_on_the_diagonal() -> None:
    """Renamed and shuffled clusters stand in the order of the matching."""
    true = np.repeat(np.arange(6), 10)
    pred = (true * 5 + 2) % 7
    pred[::10] = 99
    values = plots.heatmap(cd.compare(true, pred)).collections[0].get_array().filled(0)
    assert (np.diag(values) == 0.9).all()


def test_flow_shows_every_point_of_what_it_shows() -> None:
    """The boxes of either side have as many points as the components drawn."""
    diff = customers.compare()
    ax = plots.flow(diff)
    boxes = [patch for patch in ax.patches if patch.get_width() == pytest.approx(0.024)]
    left = sum(box.get_height() for box in boxes if box.get_x() < 0.5)
    right = sum(box.get_height() for box in boxes if box.get_x() > 0.5)
    assert left == right == sum(component.size for component in diff.components if component.kind != "same")


def test_sizes_count_all_clusters() -> None:
    """Marks stand for all true and all predicted clusters, few marks for many clusters."""
    diff = large()
    ax = plots.sizes(diff)
    assert sum(len(marks.get_offsets()) for marks in ax.collections) < 400
    assert any(text.startswith("the largest mark stands for") for text in texts(ax))


def test_series() -> None:
    """One named line per measure, ⊥ marked where the splits end."""
    ax = cd.worsen(story.true()).plot()
    shown = texts(ax)
    assert {"S_H", "R", "nmi_max", "V", "N", "A", "⊥ after 33", "operations"} <= set(shown)
    s_h = next(line for line in ax.lines if line.get_label() == "S_H")
    assert s_h.get_ydata()[0] == 1.0
    assert s_h.get_ydata()[-1] == 0.0
    assert plots.series(cd.worsen([0, 0, 1], how="shuffle")).get_xlabel() == "operations"


def test_axes_can_be_given() -> None:
    """A plot draws on the Axes it is given and makes no figure of its own."""
    _, row = plt.subplots(1, len(plots.PLOTS))
    for kind, ax in zip(plots.PLOTS, row, strict=True):
        assert customers.compare().plot(kind, ax) is ax
    assert len(plt.get_fignums()) == 1


def test_a_new_plot_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function marked as a picture is found by its name, and named where plots are listed."""
    monkeypatch.setattr(registry, "PLOTS", dict(plots.PLOTS))
    monkeypatch.setattr(plots, "PLOTS", registry.PLOTS)

    @plots.picture
    def pie(diff: cd.Comparison, ax: Axes | None = None) -> Axes:
        drawn = axes(ax, 4, 4)
        drawn.pie(list(diff.kinds.values()))
        return drawn

    assert isinstance(customers.compare().plot("pie"), Axes)
    with pytest.raises(cd.ArgumentError, match='"heatmap", "pie"'):
        customers.compare().plot("cake")


def test_colours_can_be_told_apart() -> None:
    """All colours are of Okabe and Ito's palette, black, or grey."""
    palette = {"#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#222222", "#767676"}
    assert {*LINES, *KIND_COLOURS.values()} <= palette


def test_unknown_plots_and_a_missing_library_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error lists the plots, or names the extra; importing the package does not import matplotlib."""
    with pytest.raises(cd.ArgumentError, match='`kind` must be one of "flow"'):
        customers.compare().plot("pie")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(cd.MissingExtraError, match="a plot needs matplotlib") as caught:
        customers.compare().plot()
    assert caught.value.hint == "pip install 'clusterdiff[plot]'"
    code = "import sys, clusterdiff, clusterdiff.show.plots; print('matplotlib' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )


def test_mean_ranks_are_drawn_with_bars_over_cliques() -> None:
    """A line for each system and a bar for each clique; names are literal, and the best stands at the left."""
    rng = np.random.default_rng(0)
    sets = {}
    for i in range(8):
        true = rng.integers(0, 40, 300)
        shares = {"$x_1$ alike": 0.1, "alike": 0.1, "a very long name that does not fit beside the line": 0.5}
        sets[f"data {i}"] = (
            true,
            {
                name: np.where(rng.random(300) < share, rng.integers(0, 40, 300), true)
                for name, share in shares.items()
            },
        )
    ranking = cd.rank(sets, resamples=0)
    ax = ranking.plot()
    ax.figure.canvas.draw()
    assert len(ranking.cliques) == 1
    assert len(ax.lines) == 3 + 1
    assert any("$x_1$ alike" in text.get_text() for text in ax.texts)
    assert ax.get_xlim() == (1.0, 3.0)
    plt.close(ax.figure)
