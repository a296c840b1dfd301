"""The component of a whole stack: a plan, transcribed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi

from loco.components.certificate import certificate_data
from loco.components.cluster_memory import remembered_identifier
from loco.components.findings import refuse, warn
from loco.components.llm_inference_service import LLMInferenceService
from loco.components.provider import make_provider
from loco.components.reachability import obstacle, report_unreachable
from loco.components.register import KubernetesObject, register
from loco.model import ManifestId
from loco.plan import Plan, plan_stack
from loco.spec import StackSpec
from loco.spec.tree import at
from loco.spec.validate import origin_of


class ModelServingStack(pulumi.ComponentResource):
    """Everything that a StackSpec asks for, on one cluster.

    Attributes:
        plan: what was planned.
        outputs: plain values for other projects: ``version`` and ``models``; see docs/outputs.md.
    """

    plan: Plan
    outputs: Mapping[str, Any]

    def __init__(self, name: str, spec: StackSpec, opts: pulumi.ResourceOptions | None = None) -> None:
        """Plans the spec and registers the result.

        Args:
            name: logical name; a change of it replaces nothing as long as an alias is given.
            spec: from ``loco.stack_from_config()`` or ``loco.read_stack()``.
            opts: options of the component.

        Raises:
            pulumi.RunError: the plan has errors, or the cluster can't be reached in an update. Nothing is registered
                then, so the engine leaves what exists alone.
        """
        self.plan = plan_stack(spec)
        self.outputs = self.plan.outputs
        refuse(self.plan.findings)
        cluster = spec.config.cluster
        assert cluster.context is not None  # the plan refuses a stack without one
        kubeconfig = Path(cluster.kubeconfig).expanduser() if cluster.kubeconfig else None
        if why := obstacle(cluster.context, kubeconfig):
            report_unreachable(why, cluster.context, self.plan.manifests, None)

        super().__init__("loco:index:ModelServingStack", name, None, opts)
        warn(self.plan.findings, self)
        inside = pulumi.ResourceOptions(parent=self)
        origin = origin_of(at(spec.config_tree, ("cluster", "identifier")), spec.config_tree.origin)
        identifier = remembered_identifier("cluster", cluster.identifier or cluster.context, origin, inside)
        provider = make_provider(
            "kubernetes", context=cluster.context, identifier=identifier, kubeconfig=kubeconfig, opts=inside
        )
        components: dict[str, pulumi.Resource] = {}
        for service in self.plan.resolved:
            component = LLMInferenceService(service.namespace, service.name, inside)
            components[f"{service.namespace}/{service.name}"] = component
        certificates = {certificate.secret: certificate for certificate in self.plan.certificates}
        made: dict[ManifestId, KubernetesObject] = {}
        for manifest in self.plan.manifests:
            parent = components.get(manifest.component or "", self)
            certificate = certificates.get(manifest.id)
            data = certificate_data(certificate, parent, spec.deletion_protection) if certificate else None
            after = [made[edge.before] for edge in self.plan.edges if edge.after == manifest.id]
            made[manifest.id] = register(manifest, parent, provider, after, data)
        self.register_outputs(dict(self.outputs))
