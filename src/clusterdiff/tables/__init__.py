"""Points in tables of any size: files, databases and frames, joined and grouped by an engine.

What turns rows of points into a meet may come in; measures and results live below.
"""
