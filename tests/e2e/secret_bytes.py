"""Whether anything of a secret stands where anybody may read: as it is, or as a part of something in base64."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping

from dev.cluster import Cluster

_LEAST = 12  # characters; fewer may stand anywhere by chance


def forms(value: str) -> Iterator[str]:
    """What to look for: the value, and what base64 makes of it behind any number of other bytes.

    Whatever stands before shifts it by none, one or two bytes; what its neighbours have a part in is left away.
    """
    raw = value.encode()
    yield value
    if value.startswith("sk-"):
        yield value.removeprefix("sk-")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            text = encode(b"\0" * shift + raw).decode().rstrip("=")
            begin, end = (0, 2, 3)[shift], len(text) - bool((shift + len(raw)) % 3)
            yield text[begin:end]


def told_of(values: Iterable[str], places: Mapping[str, str]) -> list[str]:
    """The places that hold one of the values in one of its forms. AssertionError for a value too short to be found."""
    found = []
    for value in values:
        assert len(value) >= _LEAST, "by chance it could be anywhere"
        found += [place for place, text in places.items() if any(form in text for form in set(forms(value)))]
    return found


def plain_objects(cluster: Cluster, namespace: str) -> str:
    """Every object of a namespace of whatever kind, of Secrets all but their data, and the events."""
    client = cluster.client()
    groups = [f"/apis/{group['preferredVersion']['groupVersion']}" for group in client.get("/apis")["groups"]]
    found = []
    for root in ["/api/v1", *groups]:
        for resource in client.get(root)["resources"]:
            if resource["namespaced"] and "/" not in resource["name"] and "list" in resource["verbs"]:
                for item in client.get(f"{root}/namespaces/{namespace}/{resource['name']}")["items"]:
                    if resource["kind"] == "Secret":
                        item.pop("data", None)
                    found.append(json.dumps({"kind": resource["kind"], **item}))
    return "\n".join(found)
