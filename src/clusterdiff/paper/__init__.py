"""The paper: which properties hold, its experiment, its claims.

What is said about measures in general, rather than about two clusterings, may come in.
"""
