"""Why some measures have no value where points that a side lacks count as lost."""

from __future__ import annotations

#: Why measures of information have no value where points are lost.
INFORMATION = (
    "a point that one side lacks is in none of that side's clusters, so its information would be infinite, and "
    "inventing a cluster for it would make lost singletons cost nothing"
)
#: Why those that are corrected for chance have none.
CHANCE = "the chance level is known only for two clusterings of the same points"
#: Why those of the table of cells have none.
TABLE = "a point that one side lacks is in no row, or in no column, of the table of cells"
