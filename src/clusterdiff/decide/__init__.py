"""Several comparisons, to choose between them.

What reads more than one comparison, or makes many, may come in.
"""
