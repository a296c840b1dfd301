"""A stack with gateways whose secrets change: what was announced, whose pods were started anew, and all that was said."""

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, pods_by_deployment
from tests.e2e.conftest import Project

ANNOTATIONS = re.compile(r'spec\.template\.metadata\.annotations\["locostack\.com/(.*)"\]')


@dataclass
class World:
    """The stack, everything that was ever said about it, and every secret that it ever had."""

    project: Project
    cluster: Cluster
    namespace: str
    kept: dict[str, str]
    said: list[str] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)

    def give(self, **values: str) -> None:
        self.secrets |= set(values.values())
        self.project.set_secrets(**values)

    def write(self, secret: str, **values: str) -> None:
        """As somebody else would, past the engine."""
        self.secrets |= set(values.values())
        data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": secret}, "data": data}
        self.cluster.client().apply(f"/api/v1/namespaces/{self.namespace}/secrets/{secret}", json.dumps(body).encode())

    def write_kept(self, **values: str) -> None:
        self.kept |= values
        self.write("kept", **self.kept)

    def values(self) -> dict[tuple[str, str], str]:
        """What the cluster's Secrets hold."""
        return {
            (item["metadata"]["name"], key): base64.b64decode(value).decode()
            for item in objects(self.cluster, "v1", "Secret", self.namespace)
            for key, value in item.get("data", {}).items()
        }

    def pods(self) -> dict[str, set[str]]:
        return pods_by_deployment(self.cluster, self.namespace)

    def template(self, gateway: str) -> dict[str, Any]:
        [found] = [
            item
            for item in objects(self.cluster, "apps/v1", "Deployment", self.namespace)
            if item["metadata"]["name"] == f"{gateway}-litellm"
        ]
        return dict(found["spec"]["template"])

    def update(self, for_people: bool = False) -> "Change":
        """What the preview announced, and what came of it; ``for_people``: as they see it, too."""
        before, shown = self.pods(), self.project.preview("--json").stdout
        self.said += [shown, self.project.preview("--diff").stdout if for_people else ""]
        done = self.project.up()
        self.said.append(done.stdout + done.stderr)
        self.secrets |= set(self.values().values())
        steps = {
            step["urn"].rpartition("/")[2]: sorted(step.get("detailedDiff") or {})
            for step in json.loads(shown)["steps"]
            if step["op"] in ("update", "replace")
        }
        after = self.pods()
        assert after.keys() == before.keys()
        rolled = {name for name, uids in after.items() if not uids & before[name]}
        assert all(after[name] == before[name] for name in after.keys() - rolled)
        return Change(steps, rolled, done.stdout + done.stderr)


@dataclass(frozen=True)
class Change:
    steps: dict[str, list[str]]
    rolled: set[str]
    told: str

    def causes(self, deployment: str) -> set[str]:
        """The annotations of the pods that the preview announced, without loco's prefix; nothing else may be among it."""
        found = [ANNOTATIONS.fullmatch(path) for path in self.steps[deployment]]
        assert all(found), self.steps
        return {match[1] for match in found if match}
