"""Clusterings over time: names that stay, a three-way merge, and the history of several releases.

What takes several clusterings of one catalogue and gives back a clustering, or tells how it became what it is, may
come in; what two of them have to do with each other is found by their comparison, in diff.
"""
