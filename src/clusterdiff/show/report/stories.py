"""Stories for the page: sentences in which its script finds the names of clusters, and marks them with their side."""

from __future__ import annotations

from typing import Any

from clusterdiff.diff.explain import Narrator

#: Before a name of either side, and after it: signs for private use, which no name has, as names are spelt out.
TRUE, PRED, END = "\ue000", "\ue001", "\ue002"


class Teller(Narrator):
    """Tells what happened to components; the names of clusters are between signs."""

    def true(self, code: Any) -> str:
        """What a true cluster is called."""
        return f"{TRUE}{super().true(code)}{END}"

    def pred(self, code: Any) -> str:
        """What a predicted cluster is called."""
        return f"{PRED}{super().pred(code)}{END}"
