"""The engine's own event order, and what its previews show."""

import json


def finished(events: list[dict[str, object]], operation: str) -> list[str]:
    """The URNs of an operation, in the order in which they ended."""
    done = []
    for event in events:
        step = event.get("resOutputsEvent")
        if isinstance(step, dict) and step["metadata"]["op"] == operation:
            done.append(step["metadata"]["urn"])
    return done


def index_of(urns: list[str], part: str) -> int:
    """Where the one URN that holds ``part``, or ends in it, stands; the shortest where several do."""
    found = sorted((len(urn), number) for number, urn in enumerate(urns) if part in urn)
    assert found, f"nothing of {part} among {urns}"
    return found[0][1]


def steps(preview: str) -> dict[str, set[str]]:
    """What a preview's JSON shows, by the last part of the resources' names, without what stays the same."""
    shown: dict[str, set[str]] = {}
    for step in json.loads(preview)["steps"]:
        if step["op"] != "same" and ":pulumi:Stack::" not in step["urn"]:
            shown.setdefault(step["urn"].rpartition("/")[2], set()).add(step["op"])
    return shown
