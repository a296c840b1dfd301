"""Namespaces that a plan counts on and doesn't make, asked for in a preview, where nobody else would miss them."""

from functools import partial

import pulumi

from loco.components.findings import warn
from loco.components.provider import PROVIDER_VERSION
from loco.components.register import token_of
from loco.model import Finding
from loco.plan import Plan


def ask_for_namespaces(plan: Plan, provider: pulumi.ProviderResource, parent: pulumi.Resource) -> None:
    """Warns of each that isn't there: the update would fail half-way, at the first object that stands in it."""
    made = {manifest.name for manifest in plan.manifests if manifest.id.kind == "Namespace"}
    options = pulumi.ResourceOptions(parent=parent, provider=provider, version=PROVIDER_VERSION)
    for namespace in sorted({manifest.namespace for manifest in plan.manifests} - made - {""}):
        there = pulumi.runtime.exists_resource(None, token_of("v1", "Namespace"), namespace, {}, options)
        there.apply(partial(_warn, namespace, parent))


def _warn(namespace: str, parent: pulumi.Resource, there: bool) -> None:
    if not there:
        message = f"there is no namespace {namespace}, and objects of this stack are to stand in it"
        cure = "cluster: {createNamespaces: true}, or make the namespace before this stack"
        warn([Finding("LOCO-MISSING", "warning", "", message, cure)], parent)
