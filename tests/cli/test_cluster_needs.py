"""What a plan counts on: a table of manifests."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.cli.cluster.need import Account, Extended, Kind, Need, Parent, StorageClass
from loco.cli.cluster.needs import needs_of
from loco.model import Manifest
from loco.model.origin import DERIVED

CASES = yaml.safe_load((Path(__file__).parent / "cluster_needs.yaml").read_text())


def shown(need: Need) -> str:
    what = need.what
    match what:
        case Kind():
            text = f"Kind {'/'.join(filter(None, (what.group, what.version)))} {what.name}"
        case Account():
            text = f"Account {what.name} in {what.namespace}{' with its pull secrets' if what.pulls else ''}"
        case StorageClass():
            text = f"StorageClass {what.name or 'by default'}"
        case Extended():
            text = f"{what.amount} {what.resource}"
        case Parent():
            text = f"Gateway {what.namespace}/{what.name} {what.section} {what.port} for {what.route_kind} "
            text += f"of {what.route_namespace} at {', '.join(what.hostnames)}"
        case _:
            text = f"{what}{f' key {chr(124).join(need.keys)}' if need.keys else ''}"
    return f"{'?' if need.optional else ''}{need.path}: {text}"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_needs(case: dict[str, Any]) -> None:
    found = [shown(need) for need in needs_of(Manifest(data, None, DERIVED) for data in case["manifests"])]
    if not any(line.startswith(("apiVersion:", "metadata.")) for line in case["needs"]):
        found = [line for line in found if not line.startswith(("apiVersion:", "metadata."))]
    assert found == case["needs"]


def test_a_need_says_whose_it_is() -> None:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "llm"}}
    assert {(need.subject, need.origin) for need in needs_of([Manifest(data, None, DERIVED)])} == {
        ("ConfigMap/llm/a", DERIVED)
    }
