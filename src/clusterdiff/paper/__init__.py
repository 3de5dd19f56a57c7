"""The paper: which properties hold, its experiment, its claims.

What is said of measures in general, rather than of two clusterings, may come in.
"""
