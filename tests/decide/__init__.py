"""Several comparisons: rankings, intervals, tests between systems, and the guard."""
