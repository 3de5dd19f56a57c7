"""The command `clusterdiff`: the only place that prints."""

from clusterdiff.cli.main import main

__all__ = ["main"]
