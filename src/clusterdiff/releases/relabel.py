"""relabel: a new release with the names of the old one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from clusterdiff.diff.naming import inherit
from clusterdiff.errors import ArgumentError
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Labels, null
from clusterdiff.releases.overlay import lay, read_side


def relabel(new: object, *, like: object) -> Clustering:
    """The clusters of a new release under the names of an old one.

    The pair of clusters that shares most points comes first, then that of smaller clusters, then that of the least
    point, each cluster once; so a cluster that keeps more than half of both keeps its name. The rest keep their own
    names if no old cluster has them, or else get fresh ones: the next whole number, or the name with .2, .3, … No old
    name comes to mean something else, and neither the order of rows nor the numbers of the new run matter.

    Parameters
    ----------
    new
        A clustering in any form that :func:`compare` takes.
    like
        The old release; or a list of releases, oldest first: names are those of the last one, and none that an earlier
        one had comes back. A list of labels, sets, lists or arrays is one release.

    Returns
    -------
    Clustering
        The points and clusters of ``new``, in its order.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> cd.relabel({"a": 9, "b": 9, "c": 7, "d": 1}, like={"a": 1, "b": 1, "c": 2}).to_dict()
    {'a': 1, 'b': 1, 'c': 2, 'd': 3}
    >>> cd.relabel([{"a", "b"}, {"c"}], like=[{"a": "x", "b": "x"}, {"a": "y", "b": "y"}]).to_dict()["a"]
    'y'
    """
    releases = _releases(like)
    if not releases:
        raise ArgumentError.must("like", "be an old release, or a list of releases", got="an empty list")
    last = read_side(releases[-1], "like")
    found = read_side(new, "new")
    laid = lay([last, found], ["like", "new"])
    earlier = [read_side(release, "like").names for release in releases[:-1]]
    names = inherit(laid.labels[0], laid.labels[1], laid.points, earlier)
    codes = laid.labels[1].codes
    labels = Labels(codes, names, null(codes)).take(laid.places[1])
    return Clustering.of(labels, found.points, found.ordered)


def _releases(like: object) -> list[object]:
    """The releases of an argument: several, if it is a list of what can only be a clustering each."""
    if not isinstance(like, list | tuple):
        return [like]
    several = all(
        isinstance(one, Clustering | Mapping | os.PathLike) or hasattr(one, "columns") for one in like
    )
    return list(like) if several else [like]
