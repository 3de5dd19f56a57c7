"""Many comparisons in a row: the same numbers every time, and nothing that grows or stays behind."""
