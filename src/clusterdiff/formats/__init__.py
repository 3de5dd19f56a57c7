"""Readers: a file becomes a Clustering."""

from clusterdiff.formats.tables import read_clustering, read_columns

__all__ = ["read_clustering", "read_columns"]
