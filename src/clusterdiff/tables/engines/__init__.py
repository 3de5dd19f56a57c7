"""Clusterings in tables of any size: one relational pipeline, run by whatever engine the tables live in.

``native`` has what narwhals lacks for each engine, ``tables`` reads and checks the users' columns, ``cells`` joins
and groups them to the meet, ``terms`` computes every term that ``meet.terms`` declares over its rows, ``summed`` is
what measures read of them, ``components`` finds its connected components, and ``comparison`` holds the results.
"""
