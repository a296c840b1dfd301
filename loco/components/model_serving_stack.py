"""The component of a whole stack: a plan, transcribed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi

from loco import names
from loco.components.certificate import authority_of, certificate_data
from loco.components.cluster_memory import remembered_identifier
from loco.components.deletion_guard import guard
from loco.components.digests import digest_annotations, digest_key, text_digest
from loco.components.editions import with_editions
from loco.components.findings import refuse, warn
from loco.components.litellm_gateway import LiteLLMGateway
from loco.components.llm_inference_service import LLMInferenceService
from loco.components.namespaces import ask_for_namespaces
from loco.components.odd_values import warn_of_odd
from loco.components.provider import given_provider, make_provider, warn_of_foreign
from loco.components.reachability import obstacle, report_unreachable
from loco.components.reference_digest import reference_annotation
from loco.components.register import KubernetesObject, register
from loco.components.secret_values import existing_value, secret_value
from loco.model import CredentialUse, ManifestId
from loco.model.pod_templates import pod_templates
from loco.plan import Plan, plan_stack
from loco.spec import GATEWAY, SERVICE, StackSpec
from loco.spec.stack import Cluster
from loco.spec.tree import at
from loco.spec.validate import origin_of


class ModelServingStack(pulumi.ComponentResource):
    """Everything that a StackSpec asks for, on one cluster.

    Attributes:
        plan: what was planned.
        outputs: plain values for other projects: ``version``, ``models`` and ``gateways``; see docs/outputs.md.
    """

    plan: Plan
    outputs: Mapping[str, Any]

    def __init__(
        self,
        name: str,
        spec: StackSpec,
        credentials: Mapping[str, pulumi.Input[str]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Plans the spec and registers the result.

        Args:
            name: logical name; a change of it replaces nothing as long as an alias is given.
            spec: from ``loco.stack_from_config()`` or ``loco.read_stack()``.
            credentials: values by the names that ``credentials`` in the config has for its sources; by default the
                stack's secrets of these names.
            opts: options of the component. A Kubernetes provider among them is used instead of one that the config names.

        Raises:
            pulumi.RunError: the plan has errors, or the cluster can't be reached in an update. Nothing is registered
                then, so the engine leaves what exists alone.
        """
        given = given_provider(opts)
        if given is not None:
            spec = replace(spec, brings_provider=True)
        self.plan = plan_stack(spec)
        self.outputs = self.plan.outputs
        refuse(self.plan.findings)
        reached = given is None and self._reach(spec.config.cluster)
        super().__init__("loco:index:ModelServingStack", name, None, opts)
        warn(self.plan.findings, self)
        if given is not None:
            warn_of_foreign(given, self)
            if spec.config.cluster.identifier:
                self._identifier(spec)
        provider = given or self._own_provider(spec)
        if reached and pulumi.runtime.is_dry_run():
            ask_for_namespaces(self.plan, provider, self)
        self._transcribe(spec, provider, credentials)
        self.register_outputs(dict(self.outputs))

    def _reach(self, cluster: Cluster) -> bool:
        """Whether the cluster answers; if not, an update has ended here, and a preview goes on without it."""
        assert cluster.context is not None  # the plan refuses a stack without one
        if why := obstacle(cluster.context, _path(cluster.kubeconfig)):
            report_unreachable(why, cluster.context, self.plan.manifests, None)
        return why is None

    def _identifier(self, spec: StackSpec) -> pulumi.Output[str]:
        cluster = spec.config.cluster
        origin = origin_of(at(spec.config_tree, ("cluster", "identifier")), spec.config_tree.origin)
        inside = pulumi.ResourceOptions(parent=self)
        return remembered_identifier(
            f"{self._name}/cluster", cluster.identifier or str(cluster.context), origin, inside
        )

    def _own_provider(self, spec: StackSpec) -> pulumi.ProviderResource:
        cluster = spec.config.cluster
        assert cluster.context is not None
        identifier = self._identifier(spec)
        inside = pulumi.ResourceOptions(parent=self)
        return make_provider(
            f"{self._name}/kubernetes",
            context=cluster.context,
            identifier=identifier,
            kubeconfig=_path(cluster.kubeconfig),
            opts=inside,
        )

    def _transcribe(
        self, spec: StackSpec, provider: pulumi.ProviderResource, given: Mapping[str, pulumi.Input[str]] | None
    ) -> None:
        plan, inside = self.plan, pulumi.ResourceOptions(parent=self)
        components: dict[str, pulumi.Resource] = {}
        for service in plan.resolved:
            component: pulumi.Resource = LLMInferenceService(service.namespace, service.name, inside)
            components[names.owner(SERVICE, service.namespace, service.name)] = component
        for gateway in plan.gateways:
            component = LiteLLMGateway(gateway.namespace, gateway.name, inside)
            components[names.owner(GATEWAY, gateway.namespace, gateway.name)] = component

        values: dict[tuple[str, str, str], pulumi.Output[str]] = {}
        contents: dict[ManifestId, pulumi.Input[Mapping[str, pulumi.Input[str]]]] = {}
        signers: dict[ManifestId, pulumi.Output[str]] = {}
        owners = {manifest.id: components.get(manifest.component or "", self) for manifest in plan.manifests}
        for wanted in plan.secret_values:
            value = secret_value(wanted, given, owners[wanted.secret])
            values[wanted.secret.namespace, wanted.secret.name, wanted.key] = value
            contents[wanted.secret] = {**contents.get(wanted.secret, {}), wanted.key: value}  # type: ignore[dict-item]
        for certificate in plan.certificates:
            owner = owners[certificate.secret]
            contents[certificate.secret] = files = certificate_data(certificate, owner)
            signers[certificate.secret] = authority_of(files)
        trusted: dict[ManifestId, dict[str, pulumi.Output[str]]] = {}
        for authority in plan.authorities:
            signer = signers[authority.secret]
            contents[authority.config_map] = {**contents.get(authority.config_map, {}), authority.key: signer}  # type: ignore[dict-item]
            trusted.setdefault(authority.reader, {})[authority.key] = signer
        for use in plan.credential_uses:
            where = (use.namespace, use.secret, use.key)
            if not use.made_here and where not in values:
                values[where] = existing_value(use, self, provider)
            warn_of_odd(use, values[where], self)

        generated = {wanted.secret for wanted in plan.secret_values if wanted.config is None}
        key = digest_key(f"{self._name}/digest-key", self) if plan.credential_uses else None
        before: dict[ManifestId, list[ManifestId]] = {}
        for edge in plan.edges:
            before.setdefault(edge.after, []).append(edge.before)
        read: dict[ManifestId, list[CredentialUse]] = {}
        for use in plan.credential_uses:
            read.setdefault(use.reader, []).append(use)
        editions = {manifest.id for manifest in plan.manifests if manifest.editions}
        made: dict[ManifestId, KubernetesObject] = {}
        for manifest in plan.manifests:
            after = [made[earlier] for earlier in before.get(manifest.id, ())]
            uses = read.get(manifest.id, [])
            stated: dict[str, pulumi.Input[str]] = {}
            for _, template in pod_templates(manifest.data):
                stated |= template["metadata"].get("annotations", {})
            if manifest.id in trusted:
                stated[names.AUTHORITIES_DIGEST] = text_digest(trusted[manifest.id])
            # A namespace takes everybody's objects along when it goes, and a generated key is gone for good.
            irreplaceable = manifest.id.kind == "Namespace" or manifest.id in generated
            retain = irreplaceable and spec.deletion_protection
            # A claim of another storage class or mode is another one, and what the first holds is gone.
            protect = manifest.id.kind == "PersistentVolumeClaim" and spec.deletion_protection
            digests = digest_annotations(uses, values, stated, key) if uses and key is not None else None
            if digests and manifest.reference_digest is not None:
                digests[names.COMBINED_DIGEST] = reference_annotation(
                    manifest.reference_digest, manifest.namespace, values
                )
            named_there = {
                identity.name: made[identity] for identity in before.get(manifest.id, ()) if identity in editions
            }
            made[manifest.id] = register(
                replace(manifest, data=with_editions(manifest, named_there)),
                owners[manifest.id],
                provider,
                after,
                contents.get(manifest.id),
                digests,
                retain,
                protect,
            )
        guard(self._name, spec.deletion_protection, list(made.values()), self)


def _path(kubeconfig: str | None) -> Path | None:
    return Path(kubeconfig).expanduser() if kubeconfig else None
