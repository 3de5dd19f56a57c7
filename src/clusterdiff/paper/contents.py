"""The paper item by item: what each is, where it is in the code, and which test shows it."""

ORACLE = "framework/test_oracle.py::test_every_pair_of_clusterings_scores_as_the_definitions_say"
LATTICE, LAWS, COMPARISON = (f"framework/test_{name}.py::" for name in ("lattice", "laws", "comparison"))
CLAIMS = "paper/test_claims.py::"
#: Item of the paper, what it is, where it is in the code, and the test that shows it (file::function).
CONTENTS = (
    (
        "section 2",
        "⊤, ⊥, refines, meet, join",
        "lattice.top, lattice.bottom, lattice.refines, lattice.meet, lattice.join",
        LATTICE + "test_meet_join_and_refinement_are_those_of_the_definitions",
    ),
    ("section 3.1", "R", 'measures["R"]', ORACLE),
    ("section 3.2", "N, A", 'measures["N"], measures["A"]', ORACLE),
    (
        "section 3.3",
        "I, NMI, VI, V, K",
        'measures["I"], measures["nmi_max"], measures["VI"], measures["V"], measures["K"]',
        ORACLE,
    ),
    (
        "definition 4.1",
        "bipartite graph",
        "lattice.bipartite, lattice.to_networkx",
        LATTICE + "test_the_graphs_have_the_papers_edges",
    ),
    (
        "definitions 4.2, 4.3",
        "induced clustering, induced subgraph",
        "lattice.induced, Meet.restrict",
        LATTICE + "test_induced_clusterings_keep_only_the_chosen_points",
    ),
    (
        "proposition 4.1",
        "components are the clusters of the join",
        "lattice.Components, Comparison.components",
        CLAIMS + "test_propositions_4",
    ),
    (
        "equation 1, table 1",
        "decomposition over components",
        "measures.registry.Decomposition, check: decomposition",
        CLAIMS + "test_table_1",
    ),
    ("property 4.1, equation 2", "join-weighted", "check: join_weighted", CLAIMS + "test_proposition_5_2"),
    (
        "definitions 4.4, 4.5",
        "split and merge subcomponents",
        "Comparison.splits, Comparison.merges",
        COMPARISON + "test_splits_and_merges_tell_what_became_of_each_cluster",
    ),
    (
        "proposition 4.2",
        "sinks of splits are sources of merges: the meet",
        "meet.meet.Meet, Comparison.splits, Comparison.merges",
        CLAIMS + "test_propositions_4",
    ),
    (
        "definition 4.6",
        "derivation graph",
        "lattice.derivation, lattice.to_networkx",
        LATTICE + "test_the_graphs_have_the_papers_edges",
    ),
    (
        "property 4.2",
        "monotonically decreasing",
        "check: falls_with_parts, falls_with_evenness",
        "paper/test_check.py::test_subcomponent_measures",
    ),
    (
        "property 4.3",
        "subcomponent-normalisation",
        "check: one_if_whole, zero_if_singletons, between",
        LAWS + "test_subcomponent_measures_are_normalised",
    ),
    (
        "property 4.4",
        "subcomponent-consistency",
        "check: subcomponent_consistent",
        LAWS + "test_subcomponents_score_the_same_as_clusterings",
    ),
    (
        "definition 4.7, proposition 4.3",
        "subcomponent pairs: one per cell",
        "measures.subcomponents.Scored.pair",
        LAWS + "test_meet_weighted_decomposition",
    ),
    (
        "property 4.5, equation 3",
        "meet-weighted",
        "measures.subcomponents.Scored.combine, check: meet_weighted",
        LAWS + "test_meet_weighted_decomposition",
    ),
    ("equation 4", "S*", 'measures["S*"], split_merge', ORACLE),
    ("equation 5", "S'; N and K as instances", 'measures["S\'"]', CLAIMS + "test_instances_of_the_mean"),
    ("section 4.5", "S_H", 'measures["S_H"]', ORACLE),
    (
        "section 4.5",
        "S_MSE",
        'measures["S_MSE"]',
        "framework/test_oracle.py::test_features_score_as_the_mean_squared_error_says",
    ),
    (
        "section 4.5",
        "the hybrid of Coen et al. and its cost",
        'measures["cdistance"], examples/transport.py',
        "paper/test_transport.py::test_cdistance_by_hand",
    ),
    (
        "property 5.1",
        "conditional normalisation",
        "check: conditionally_normalised",
        CLAIMS + "test_proposition_5_1",
    ),
    (
        "section 5.1",
        "normalisation given the truth (Luo et al.)",
        "extremes, Comparison.normalised",
        "paper/test_normalise.py::test_closed_forms_are_what_search_finds",
    ),
    ("table 2", "where measures are least", "check: lower_bound", CLAIMS + "test_table_2"),
    (
        "proposition 5.1",
        "which measures are normalised",
        "paper.reproduction.reproduce",
        CLAIMS + "test_proposition_5_1",
    ),
    (
        "proposition 5.2",
        "which measures are join-weighted and consistent",
        "paper.reproduction.reproduce",
        CLAIMS + "test_proposition_5_2",
    ),
    (
        "section 6",
        "the series",
        "worsen",
        "paper/test_series.py::test_the_story_behaves_as_the_papers_document",
    ),
    (
        "figure 1",
        "bipartite graph, drawn",
        "show.plots.bipartite",
        "plots/test_plots.py::test_every_plot_of_every_comparison",
    ),
    (
        "figure 2",
        "derivation graph, drawn",
        "show.plots.derivation",
        "plots/test_plots.py::test_every_plot_of_every_comparison",
    ),
    ("figure 3", "scores as the clustering worsens", "show.plots.series", "plots/test_plots.py::test_series"),
)
