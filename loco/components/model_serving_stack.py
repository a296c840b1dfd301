"""The component of a whole stack: a plan, transcribed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi

from loco import names
from loco.components.awaited_outputs import not_awaited
from loco.components.certificate import authority_of, certificate_data
from loco.components.cluster_memory import remembered_identifier
from loco.components.deletion_guard import guard
from loco.components.digests import digest_annotations, digest_key, text_digest
from loco.components.editions import with_editions
from loco.components.findings import refuse, warn
from loco.components.litellm_gateway import LiteLLMGateway
from loco.components.llm_inference_service import LLMInferenceService
from loco.components.namespaces import ask_for_namespaces
from loco.components.observability import Observability
from loco.components.odd_values import warn_of_odd
from loco.components.provider import given_provider, make_provider, warn_of_foreign
from loco.components.reachability import obstacle, report_unreachable
from loco.components.reference_digest import reference_annotation
from loco.components.register import KubernetesObject, register
from loco.components.secret_values import check_given, existing_value, secret_value
from loco.components.stop_before_removal import stop_before_removal
from loco.model import CredentialUse, ManifestId
from loco.model.pod_templates import pod_templates
from loco.plan import Plan, plan_stack
from loco.spec import GATEWAY, OBSERVABILITY, SERVICE, StackSpec
from loco.spec.stack import Cluster
from loco.spec.tree import at
from loco.spec.validate import origin_of


class ModelServingStack(pulumi.ComponentResource):
    """Everything that a StackSpec asks for, on one cluster.

    Attributes:
        plan: what was planned.
        outputs: for ``pulumi.export`` and other projects: ``version``, ``models`` and ``gateways``, none of them secret;
            see docs/outputs.md. They are known once everything stands, so an update that fails leaves those of the
            last one. ``plan.outputs`` has the same as plain values.
    """

    plan: Plan
    outputs: Mapping[str, pulumi.Output[Any]]

    def __init__(
        self,
        name: str,
        spec: StackSpec,
        credentials: Mapping[str, pulumi.Input[str]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Plans the spec and registers the result.

        Args:
            name: logical name, at which those of its own resources begin (``<name>/digest-key``). With the old one in
                ``opts.aliases`` a change of it replaces nothing.
            spec: from ``loco.stack_from_config()`` or ``loco.read_stack()``. Its ``name`` should be the running stack's,
                since protection is off in ``dev``.
            credentials: values by the names that ``credentials`` in the config has for its sources, each treated as a
                secret; by default the stack's secrets of these names.
            opts: options of the component. A Kubernetes provider among them is used instead of one that the config names.

        Raises:
            pulumi.RunError: the plan has errors, ``credentials`` lacks a value, or the cluster can't be reached in an
                update. Nothing is registered then, so the engine leaves what exists alone.

        Preview and update fail later, before any object is touched, where the stack lives on another cluster
        (``LOCO-CLUSTER``) or would lose the document of what still runs under protection (``LOCO-PROTECTED``).
        """
        given = given_provider(opts)
        if given is not None:
            spec = replace(spec, brings_provider=True)
        self.plan = plan_stack(spec)
        findings = [*self.plan.findings, *not_awaited(spec)]
        findings += check_given(self.plan.secret_values, credentials, spec.secrets)
        refuse(findings)
        reached = given is None and self._reach(spec.config.cluster)
        super().__init__("loco:index:ModelServingStack", name, None, opts)
        warn(findings, self)
        memory = stop_before_removal(self._name, self.plan.running, spec.deletion_protection, self)
        remembered: pulumi.Input[str | None] = None
        if given is not None:
            warn_of_foreign(given, self)
            if spec.config.cluster.identifier:
                remembered = self._identifier(spec, memory)
        provider = given or self._own_provider(spec, memory)
        if reached and pulumi.runtime.is_dry_run():
            ask_for_namespaces(self.plan, provider, self)
        done = pulumi.Output.all(remembered, self._transcribe(spec, provider, credentials, memory))
        self.outputs = {key: _after(done, value) for key, value in self.plan.outputs.items()}
        self.register_outputs(dict(self.outputs))

    def _reach(self, cluster: Cluster) -> bool:
        """Whether the cluster answers; if not, an update has ended here, and a preview goes on without it."""
        assert cluster.context is not None  # the plan refuses a stack without one
        if why := obstacle(cluster.context, _path(cluster.kubeconfig)):
            report_unreachable(why, cluster.context, self.plan.manifests, None)
        return why is None

    def _identifier(self, spec: StackSpec, memory: pulumi.Output[pulumi.Resource]) -> pulumi.Output[str]:
        cluster = spec.config.cluster
        origin = origin_of(at(spec.config_tree, ("cluster", "identifier")), spec.config_tree.origin)
        inside = pulumi.ResourceOptions(parent=self, depends_on=[memory])
        return remembered_identifier(
            f"{self._name}/cluster", cluster.identifier or str(cluster.context), origin, inside
        )

    def _own_provider(self, spec: StackSpec, memory: pulumi.Output[pulumi.Resource]) -> pulumi.ProviderResource:
        cluster = spec.config.cluster
        assert cluster.context is not None
        identifier = self._identifier(spec, memory)
        inside = pulumi.ResourceOptions(parent=self)
        return make_provider(
            f"{self._name}/kubernetes",
            context=cluster.context,
            identifier=identifier,
            kubeconfig=_path(cluster.kubeconfig),
            opts=inside,
        )

    def _transcribe(
        self,
        spec: StackSpec,
        provider: pulumi.ProviderResource,
        given: Mapping[str, pulumi.Input[str]] | None,
        memory: pulumi.Output[pulumi.Resource],
    ) -> pulumi.Output[Any]:
        plan = self.plan
        inside = pulumi.ResourceOptions(parent=self, depends_on=[memory])
        components: dict[str, pulumi.Resource] = {}
        for service in plan.resolved:
            component: pulumi.Resource = LLMInferenceService(service.namespace, service.name, inside)
            components[names.owner(SERVICE, service.namespace, service.name)] = component
        for gateway in plan.gateways:
            component = LiteLLMGateway(gateway.namespace, gateway.name, inside)
            components[names.owner(GATEWAY, gateway.namespace, gateway.name)] = component
        if (watching := plan.observability) is not None:
            component = Observability(watching.namespace, watching.name, inside)
            components[names.owner(OBSERVABILITY, watching.namespace, watching.name)] = component

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
                values[where] = existing_value(use, self, provider, memory)
            values[where] = warn_of_odd(use, _after(memory, values[where]), self)

        generated = {wanted.secret for wanted in plan.secret_values if wanted.config is None}
        salt_keys = {wanted.secret for wanted in plan.secret_values if wanted.generated == "salt-key"}
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
            after: list[pulumi.Input[pulumi.Resource]] = [memory]
            after += (made[earlier] for earlier in before.get(manifest.id, ()))
            uses = read.get(manifest.id, [])
            stated: dict[str, pulumi.Input[str]] = {}
            for _, template in pod_templates(manifest.data):
                stated |= template["metadata"].get("annotations", {})
            if manifest.id in trusted:
                stated[names.AUTHORITIES_DIGEST] = text_digest(trusted[manifest.id])
            # A namespace takes everybody's objects along when it goes, and a generated key is gone for good.
            irreplaceable = manifest.id.kind == "Namespace" or manifest.id in generated
            # A claim of another storage class or mode is another one, and what the first holds is gone; so is what a
            # database holds without its salt key, and a Secret that stays would get another one from the next gateway.
            precious = manifest.id.kind == "PersistentVolumeClaim" or manifest.id in salt_keys
            protect = precious and spec.deletion_protection
            retain = irreplaceable and not precious and spec.deletion_protection
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
        return guard(self._name, spec.deletion_protection, list(made.values()), self)


def _path(kubeconfig: str | None) -> Path | None:
    return Path(kubeconfig).expanduser() if kubeconfig else None


def _after(done: pulumi.Output[Any], value: Any) -> pulumi.Output[Any]:
    return done.apply(lambda _: value)
