"""Pictures: that they are drawn, labelled, and honest about what they leave out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import matplotlib
import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from clusterdiff.paper import story

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from clusterdiff.palette import PALETTE
from clusterdiff.show import plots
from clusterdiff.show.plots import registry
from clusterdiff.show.plots.canvas import KIND_COLOURS, LINES, MERGE, SPLIT, axes
from clusterdiff.show.plots.choice import Choice

HOSTILE = ["$x_1$", "</script>", "a\nb", "日本語" * 20, "x" * 10_000, "שלום", "\x1b[31m", "😀"]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    plt.close("all")  # what tests of other modules drew
    yield
    plt.close("all")


def large() -> cd.types.Comparison:
    """Twenty thousand points in one tangled component and thousands of small ones."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 6_000, 20_000)
    moved = rng.random(20_000) < 0.2
    return cd.compare(true, np.where(moved, rng.integers(0, 6_000, 20_000), true))


def scattered() -> cd.types.Comparison:
    """Thousands of small errors: whatever a picture shows of them is a small share of the loss."""
    true = np.arange(30_000) // 3
    return cd.compare(true, np.where(np.arange(30_000) % 10 == 0, 10_000 + np.arange(30_000), true))


EXAMPLES = {
    "customers": customers.compare,
    "story": story.compare,
    "large": large,
    "scattered": scattered,
    "dense": lambda: cd.compare(np.arange(10_000) % 100, np.arange(10_000) // 100),
    "same": lambda: cd.compare([0, 1, 1], [5, 6, 6]),
    "one point": lambda: cd.compare(["x"], [1]),
    "hostile": lambda: cd.compare(HOSTILE, [HOSTILE[0]] * 4 + [HOSTILE[-1]] * 4),
    "lost": lambda: cd.compare(
        {"a": 1, "b": 1, "c": 2, "d": 3}, {"a": 1, "b": 2, "c": 2, "e": 4}, missing="lost"
    ),
}


@cache
def compared(example: str) -> cd.types.Comparison:
    """One of the examples, for all the plots of it."""
    return EXAMPLES[example]()


#: What is drawn at both widths; of the others only the default one can matter. The story is much like the customers.
CROWDED = ("large", "hostile", "scattered")
DRAWN = [
    *((name, None) for name in EXAMPLES if name not in ("story", "scattered")),
    *((name, 85) for name in CROWDED),
]


def texts(ax: Axes) -> list[str]:
    """All text that a figure shows."""
    return [text.get_text() for text in ax.figure.findobj(matplotlib.text.Text) if text.get_text()]


@pytest.mark.parametrize("kind", plots.PLOTS)
@pytest.mark.parametrize(("example", "width"), DRAWN)
def test_every_plot_of_every_comparison(example: str, kind: str, width: float | None) -> None:
    """Each is drawn without a warning, as wide as wanted, no taller than a page, all of it inside, and readable."""
    ax = plots.plot(compared(example), kind, width=width)
    assert isinstance(ax, Axes)
    figure = ax.figure
    if width is not None:
        figure.set_dpi(72)  # with few dots letters are widest
    figure.draw_without_rendering()
    assert figure.get_figwidth() * 25.4 == pytest.approx(width or 170)
    assert figure.get_figheight() * 25.4 < 260
    drawn = figure.get_tightbbox()
    assert drawn.x0 > -0.03
    assert drawn.x1 < figure.get_figwidth() + 0.03
    assert drawn.y0 > -0.03
    assert drawn.y1 < figure.get_figheight() + 0.03
    assert len(ax.lines) + len(ax.patches) + len(ax.texts) < 500
    assert texts(ax)
    assert all(len(text) < 400 and text.isprintable() for line in texts(ax) for text in line.splitlines())


def test_labels_are_shown_as_text() -> None:
    """Dollar signs are no mathematics, long names are wrapped, and counted if cut; control characters are spelt out."""
    shown = texts(plots.flow(compared("hostile")))
    assert "2 names shortened" in shown
    long = "The quite long name of a cluster, which needs three lines"
    assert long in [" ".join(text.split()) for text in texts(plots.flow(cd.compare([long, "b"], [0, 0])))]
    assert any(text.startswith("$x_1$") for text in shown)
    assert any("…" in text for text in shown)
    assert not any("\x1b" in text for text in shown)


def test_what_is_left_out_is_said() -> None:
    """A cut component, components that do not fit, and those that are the same are counted below the picture."""
    note = " ".join(" ".join(texts(plots.bipartite(compared("large")))).split())
    assert "in part: 2" in note
    assert "cells; not shown: 612 components that differ" in note
    assert "components that differ" in note
    assert "that are the same" in note
    assert "not shown: 12 components that are the same" in texts(plots.flow(customers.compare()))
    many = cd.compare(np.repeat(np.arange(60), 2), np.arange(120))
    assert "not shown: 35 more components, with 58% of the loss" in texts(plots.loss(many))
    assert "not shown: 35 more clusters, with 58% of the loss" in texts(plots.clusters(many))
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


@pytest.mark.parametrize("kind", ["loss", "clusters"])
@pytest.mark.parametrize("example", ["customers", "story", "lost"])
def test_loss_bars_add_up(example: str, kind: str) -> None:
    """The bars' lengths are the losses of the components, or of the clusters of both sides: together the whole."""
    diff = EXAMPLES[example]()
    ax = plots.plot(diff, kind)
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(diff.loss.total)
    shares = [float(text[:-1]) for text in texts(ax) if text.startswith(" ") and text.endswith("%")]
    assert sum(shares) == pytest.approx(100, abs=0.6 * len(shares))


def test_loss_by_cluster_names_both_sides() -> None:
    """A split is a loss of the true cluster, a merge one of the predicted cluster."""
    ax = plots.clusters(cd.compare(list("aabc"), [1, 2, 3, 3]))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["true · a", "predicted · 3"]
    drawn = [(bar.get_width() > 0, bar.get_facecolor()) for bar in ax.patches]
    assert {colour for wide, colour in drawn if wide} == {
        matplotlib.colors.to_rgba(SPLIT),
        matplotlib.colors.to_rgba(MERGE),
    }


def test_the_heat_map_puts_matched_clusters_on_the_diagonal() -> None:
    """Renamed and shuffled clusters stand in the order of the matching."""
    true = np.repeat(np.arange(6), 10)
    pred = (true * 5 + 2) % 7
    pred[::10] = 99
    values = plots.heatmap(cd.compare(true, pred)).images[0].get_array().filled(0)
    assert (np.diag(values) == 0.9).all()


def test_the_heat_map_of_three_hundred_clusters_shows_them_all() -> None:
    """All are there, those that were confused side by side; the names that have no room are counted."""
    true = np.repeat(np.random.default_rng(0).permutation(300), 10)
    pred = true.copy()
    pred[::10] = (true[::10] + 1) % 300
    ax = plots.heatmap(cd.compare(true, pred))
    values = ax.images[0].get_array().filled(0)
    assert values.shape == (300, 300)
    row, column = np.nonzero(values)
    assert np.mean(np.abs(row - column) <= 3) > 0.95
    named = len(ax.get_xticklabels()) + len(ax.get_yticklabels())
    assert f"{600 - named} names left out" in texts(ax)


def boxes(ax: Axes) -> list[list[float]]:
    """The heights of the clusters of either side of a flow."""
    found = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Rectangle)]
    middle = np.mean(ax.get_xlim())
    return [[box.get_height() for box in found if (box.get_x() < middle) == left] for left in (True, False)]


def test_flow_shows_every_point_of_what_it_shows() -> None:
    """The clusters of either side are as tall as the components drawn have points."""
    diff = customers.compare()
    left, right = boxes(plots.flow(diff))
    assert sum(left) == pytest.approx(sum(right))
    assert len(left) + len(right) == sum(
        len(component.true) + len(component.pred) for component in diff.components if component.kind != "same"
    )
    taller = max(left) / min(left)
    assert taller == pytest.approx(5 / 2)  # Maria Garcia has five points, Wei Chen two


def test_the_colours_of_a_flow_say_what_was_lost() -> None:
    """The largest part stays; others were split off, merged in, or both; what a side lacks leads nowhere."""

    def legend(diff: cd.types.Comparison) -> list[str]:
        return [text.get_text() for text in plots.flow(diff).get_legend().get_texts()]

    assert legend(cd.compare(list("aab"), [1, 1, 2])) == ["stayed together"]
    assert legend(cd.compare(list("aaab"), [1, 1, 2, 3])) == ["stayed together", "split off"]
    assert legend(cd.compare(list("aab"), [1, 1, 1])) == ["stayed together", "merged in"]
    both = cd.compare(list("aaabbb"), [1, 1, 2, 2, 2, 2])
    assert legend(both) == ["stayed together", "split off and merged in"]
    # Of equal parts, that of the two clusters that continue each other stays.
    even = cd.compare({1: "a", 2: "a", 3: "b", 4: "b", 5: "b"}, {1: 1, 2: 2, 3: 1, 4: 1, 5: 1})
    assert legend(even) == ["stayed together", "split off and merged in"]
    assert legend(compared("lost"))[-2:] == ["missing", "spurious"]
    nothing = cd.compare({"a": 1}, {"b": 1}, missing="lost")
    assert legend(nothing) == ["missing", "spurious"]


def test_a_component_that_is_too_large_is_drawn_around_its_costliest_cluster() -> None:
    """What is drawn hangs together, so that one sees who was confused with whom; the rest is counted."""
    # A chain: half of each cluster is with half of the next.
    chain = cd.compare(np.arange(4000) // 10, (np.arange(4000) + 5) // 10)
    choice = Choice(chain, 12)
    (block,) = choice.regions
    assert block.cut
    assert len(block.true) == len(block.pred) == 12
    assert np.ptp(block.true) == np.ptp(block.pred) == 11
    assert (
        "in part: 12 of 400 true clusters and 12 of 401 predicted, with 23 of their 800 cells" in choice.note
    )
    arrows = " ".join(" ".join(texts(plots.flow(chain, clusters=12))).split())
    assert "arrows: 10 points in cells that are not drawn" in arrows


def test_sizes_count_all_clusters() -> None:
    """Marks stand for all true and all predicted clusters, few marks for many clusters."""
    diff = compared("large")
    ax = plots.sizes(diff)
    assert sum(len(marks.get_offsets()) for marks in ax.collections) < 400
    assert any(text.startswith("the largest mark represents") for text in texts(ax))


def test_series() -> None:
    """One named line per measure, ⊥ marked where the splits end."""
    ax = cd.worsen(story.true()).plot()
    shown = texts(ax)
    assert {"S_H", "R", "nmi_max", "V", "N", "A", "⊥ after 33", "operations"} <= set(shown)
    s_h = next(line for line in ax.lines if line.get_label() == "S_H")
    assert s_h.get_ydata()[0] == 1.0
    assert s_h.get_ydata()[-1] == 0.0
    assert plots.series(cd.worsen([0, 0, 1], how="shuffle")).get_xlabel() == "operations"


def test_a_history_is_drawn_with_a_column_per_release() -> None:
    """Every record of a drawn cluster is in a ribbon, added or removed, and the title says what is not shown."""
    small = cd.history({"old": {"a": 1, "b": 1, "c": 2, "d": 2, "x": 3}, "mid": {"a": 1, "b": 2, "c": 2, "d": 2},
                        "new": {"a": 1, "b": 1, "c": 1, "e": 1}})  # fmt: skip
    ax = small.plot(width=120)
    shown = texts(ax)
    assert {"old", "mid", "new", "Clusters over 3 releases", "removed", "added"} <= set(shown)
    assert "not shown: 1 component in which no record moved" in shown
    # Ribbons a→a, c,d→c,d and b between the first two; a→, b,c→ after them. d leaves from 2 and e comes to 1.
    assert len(ax.collections) == 5
    bars = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Rectangle)]
    assert len(bars) == 5
    unit = bars[-1].get_height() / 4
    tall = [round(_height(ribbon) / unit) for ribbon in ax.collections]
    assert sorted(tall) == [1, 1, 1, 2, 2]
    stubs = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Polygon)]
    assert [round(np.ptp(stub.get_xy()[:, 1]) / unit) for stub in stubs] == [1, 1]
    with pytest.raises(cd.ArgumentError, match='"flow" for all releases'):
        small.plot("loss")
    with pytest.raises(cd.ArgumentError, match="one of the 2 steps"):
        small.plot(step=2)
    assert "From true to predicted clusters" in texts(small.plot(step=-1))


def _height(ribbon: Any) -> float:
    path = ribbon.get_paths()[0].vertices
    return float(np.ptp(path[path[:, 0] == path[:, 0].min(), 1]))


@pytest.mark.parametrize("releases", [2, 8])
def test_a_history_of_many_clusters_fits_a_page(releases: int) -> None:
    """One tangled component is drawn in part, many small ones as far as there is room; all that is missing is told."""
    rng = np.random.default_rng(0)
    tangled, apart = rng.integers(0, 300, 1000), np.repeat(np.arange(300), 3)
    for base, near in ((tangled, False), (apart, True)):
        labels, out = base, []
        for _ in range(releases):
            to = (
                10 * (base // 10) + rng.integers(0, 10, len(base))
                if near
                else rng.integers(0, 300, len(base))
            )
            labels = np.where(rng.random(len(base)) < 0.2, to, labels)
            out.append(labels)
        h = cd.history({f"{HOSTILE[i % 8]}{i}": release for i, release in enumerate(out)})
        ax = h.plot(width=170)
        ax.figure.draw_without_rendering()
        drawn = ax.figure.get_tightbbox()
        assert drawn.x0 > -0.03
        assert drawn.x1 < ax.figure.get_figwidth() + 0.03
        assert ax.figure.get_figheight() * 25.4 < 260
        told = " ".join(" ".join(texts(ax)).split())
        assert ("in part" in told) is not near
        changed = int((h.lineage.changed > 0).sum())
        assert f"of {changed} components that changed" in told or not near


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
    def pie(diff: cd.types.Comparison, ax: Axes | None = None, *, width: float = 80) -> Axes:
        drawn = axes(ax, width, 60)
        drawn.pie(list(diff.kinds.values()))
        return drawn

    assert isinstance(customers.compare().plot("pie"), Axes)
    with pytest.raises(cd.ArgumentError, match='"heatmap", "pie"'):
        customers.compare().plot("cake")


def test_colours_are_those_of_the_palette() -> None:
    """Pictures, pages and terminals mean the same by a colour, and no line looks like another."""
    assert {*LINES, *KIND_COLOURS.values()} <= {colour.light for colour in PALETTE.values()}
    assert len(set(LINES)) == len(LINES)


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
