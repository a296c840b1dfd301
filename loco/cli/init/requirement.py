"""The line of requirements.txt that names loco: the very place that this one was installed from.

The name and version alone would fetch whatever the package index holds under that name.
"""

import json
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from typing import Any


@dataclass(frozen=True, slots=True)
class Requirement:
    """A line for pip.

    Attributes:
        caution: what must be done about it before others can use the project; empty where nothing.
    """

    line: str
    caution: str = ""


def own_requirement(installed: Distribution | None = None) -> Requirement:
    """What pip recorded when it installed loco: a commit, an archive, a folder, or a version of an index."""
    found = installed or distribution("loco")
    text = found.read_text("direct_url.json")  # absent where it came from an index
    if text is None:
        caution = "requirements.txt takes loco from your package index; on the public one the name is another project's"
        return Requirement(f"loco=={found.version}", caution)
    source: dict[str, Any] = json.loads(text)
    url, below = source["url"], source.get("subdirectory")
    fragment = f"#subdirectory={below}" if below else ""
    if vcs := source.get("vcs_info"):
        return Requirement(f"loco @ {vcs['vcs']}+{url}@{vcs['commit_id']}{fragment}")
    if "archive_info" in source and not url.startswith("file:"):
        hashes = source["archive_info"].get("hashes") or {}
        return Requirement(f"loco @ {url}" + (f"#sha256={hashes['sha256']}" if "sha256" in hashes else ""))
    caution = "requirements.txt names loco by a path of this machine; write the place where your team and CI get it"
    return Requirement(f"loco @ {url}", caution)
