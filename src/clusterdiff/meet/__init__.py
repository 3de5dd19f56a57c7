"""The waist: the meet of two clusterings, its sums, and the lattice it lives in.

What can be computed from cells without knowing a measure may come in.
"""
