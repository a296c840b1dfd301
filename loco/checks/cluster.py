"""A stack that is to be applied names its cluster."""

from loco.model import Finding
from loco.spec import StackSpec
from loco.spec.tree import at
from loco.spec.validate import origin_of


def check_cluster(stack: StackSpec) -> list[Finding]:
    """``LOCO-CONFIG`` for a missing context, and outside the stack dev for a missing identifier.

    Without an identifier a renamed context may replace the provider, and with it every GPU pod.
    """
    if stack.name is None or stack.brings_provider:
        return []
    findings = []
    origin = origin_of(at(stack.config_tree, ("cluster",)), stack.config_tree.origin)
    if not stack.config.cluster.context:
        message = "the stack names no cluster, and loco never takes the kubeconfig's current context"
        cure = "cluster: {context: NAME}, a context of your kubeconfig (pulumi config set --path cluster.context NAME)"
        findings.append(Finding("LOCO-CONFIG", "error", "cluster.context", message, cure, origin))
    if not stack.config.cluster.identifier and stack.name != "dev":
        message = "outside the stack dev a cluster has an identifier, which stays when its context is renamed"
        cure = "cluster: {identifier: NAME}, any name that stays the cluster's own"
        findings.append(Finding("LOCO-CONFIG", "error", "cluster.identifier", message, cure, origin))
    return findings
