"""One comparison: what was lost and where, explained, repaired, sliced and patched.

What reads an Analysis of the meet and a PointSource may come in; files, engines and pictures may not.
"""
