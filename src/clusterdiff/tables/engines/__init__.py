"""Clusterings in tables of any size: one relational pipeline, run by whatever engine the tables live in.

``native`` has what narwhals lacks for each engine, ``tables`` reads and checks the users' columns, ``cells`` joins
and groups them to the meet, ``sums`` computes the measures' sums over it, ``components`` its connected components,
and ``comparison`` holds the results.
"""
