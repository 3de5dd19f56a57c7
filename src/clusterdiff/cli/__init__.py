"""The command `clusterdiff`: the only place that prints, and the bundled examples.

What reads arguments or shows results in a terminal may come in; what it shows is computed in the rooms below.
"""

from clusterdiff.cli.main import main

__all__ = ["main"]
