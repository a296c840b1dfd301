"""Manifests in an order that respects the edges."""

import heapq
from collections.abc import Iterable, Sequence

from loco.model.edge import Edge
from loco.model.manifest import Manifest


def ordered(manifests: Sequence[Manifest], edges: Iterable[Edge]) -> list[Manifest]:
    """The manifests so that each comes after all that its edges name, and otherwise as they stood.

    Raises:
        ValueError: the edges form a circle.
    """
    position = {manifest.id: index for index, manifest in enumerate(manifests)}
    waiting = [0] * len(manifests)
    followers: dict[int, list[int]] = {}
    for edge in edges:
        followers.setdefault(position[edge.before], []).append(position[edge.after])
        waiting[position[edge.after]] += 1
    free = [index for index, count in enumerate(waiting) if count == 0]
    heapq.heapify(free)
    result = []
    while free:
        index = heapq.heappop(free)
        result.append(manifests[index])
        for follower in followers.get(index, ()):
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(free, follower)
    if len(result) < len(manifests):
        stuck = [str(manifests[index].id) for index, count in enumerate(waiting) if count]
        raise ValueError(f"objects wait for each other in a circle: {', '.join(stuck)}")
    return result
