"""The only maker of object names, logical names and labels.

Object names follow KServe's rule (knative's child names): parent and suffix joined, and where that is longer than a
DNS label allows, the parent is cut and its MD5 stands in for the rest, so that a long name stays unique and the
suffix stays readable. Logical names are the engine's; a rename of one is a replacement unless it is aliased.
"""

import hashlib

from loco.model import ManifestId

LONGEST = 63  # a DNS label
_HASH = 32  # MD5 as hexadecimal
_HEAD = LONGEST - _HASH
# The pods of a LeaderWorkerSet's group belong to a StatefulSet <name>-<group>, whose revisions <name>-<group>-<hash of
# ten> are the value of a label: this leaves room for 1000 groups.
_LONGEST_GROUPS = LONGEST - len("-999") - len("-0123456789")

ENGINE_PORT = 8000
DECODE_ENGINE_PORT = 8001  # behind a routing sidecar, which takes the requests at ENGINE_PORT
ROUTING_HEADER = "X-Gateway-Model-Name"  # by which a gateway routes on the model
PART_OF = "llminferenceservice"
_POOL_GROUPS = {"v1": "inference.networking.k8s.io", "v1alpha2": "inference.networking.x-k8s.io"}


def child_name(parent: str, suffix: str) -> str:
    """Name of an object that belongs to ``parent``, at most 63 bytes long.

    Args:
        parent: the owner's name.
        suffix: starts with its own dash, such as ``-kserve``.

    The hash covers the parent alone, except where the suffix by itself fills the place that the hash leaves:
    then it covers both, and the result is padded with the suffix's first characters.
    """
    if len(parent) + len(suffix) <= LONGEST:
        return parent + suffix
    if len(suffix) < _HEAD:
        return parent[: _HEAD - len(suffix)] + _md5(parent) + suffix
    name = parent[:_HEAD] + _md5(parent + suffix)
    name += suffix[: LONGEST - len(name)]
    while name and not name[-1].isalnum():
        name = name[:-1]
    return name


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


# ---------------------------------------------------------------- objects of an LLMInferenceService
def workload(service: str) -> str:
    """The Deployment of the main workload, and the account of its pods where a routing sidecar needs one."""
    return child_name(service, "-kserve")


def prefill_workload(service: str) -> str:
    """The Deployment of the prefill workload."""
    return child_name(service, "-kserve-prefill")


def groups(service: str) -> str:
    """The LeaderWorkerSet of the main workload."""
    return _groups(service, "-kserve-mn")


def prefill_groups(service: str) -> str:
    """The LeaderWorkerSet of the prefill workload."""
    return _groups(service, "-kserve-mn-prefill")


def _groups(service: str, suffix: str) -> str:
    """Like ``child_name``, with room for what the controller appends, and a hash that leaves some of the name."""
    if len(service) + len(suffix) <= _LONGEST_GROUPS:
        return service + suffix
    digest = f"-{_md5(service)[:10]}{suffix}"
    return service[: _LONGEST_GROUPS - len(digest)].rstrip("-") + digest


def groups_account(service: str) -> str:
    """The account of the main LeaderWorkerSet's pods."""
    return child_name(service, "-kserve-mn")


def prefill_groups_account(service: str) -> str:
    """The account of the prefill LeaderWorkerSet's pods."""
    return child_name(service, "-kserve-mn-prefill")


def sidecar_role(service: str, multi_node: bool) -> str:
    """The Role of the routing sidecar."""
    return child_name(service, "-kserve-mn-role" if multi_node else "-kserve-role")


def sidecar_role_binding(service: str, multi_node: bool) -> str:
    """The binding of that Role."""
    return child_name(service, "-kserve-mn-rb" if multi_node else "-kserve-rb")


def workload_service(service: str) -> str:
    """The Service in front of the engine pods."""
    return child_name(service, "-kserve-workload-svc")


def decode_service(service: str) -> str:
    """The Service in front of the decode pods alone."""
    return child_name(service, "-kserve-decode-svc")


def certificate_secret(service: str) -> str:
    """The Secret that holds the serving certificate."""
    return child_name(service, "-kserve-self-signed-certs")


def device_claims(service: str) -> str:
    """The ResourceClaimTemplate of devices that engines claim."""
    return child_name(service, "-managed-dra")


def autoscaler(service: str, prefill: bool) -> str:
    """The HorizontalPodAutoscaler of a workload."""
    return child_name(service, "-kserve-prefill-hpa" if prefill else "-kserve-hpa")


def scaled_object(service: str, prefill: bool) -> str:
    """KEDA's ScaledObject of a workload."""
    return child_name(service, "-kserve-prefill-keda" if prefill else "-kserve-keda")


def in_cluster_hosts(service: str, namespace: str) -> tuple[str, ...]:
    """The DNS names of a Service that its clients use, the fully qualified one first."""
    return (f"{service}.{namespace}.svc.cluster.local", f"{service}.{namespace}.svc")


def publisher_name(namespace: str, model: str) -> str:
    """The fully qualified served name of a model, the same in routes and engines."""
    return f"publishers/{namespace}/models/{model}"


def route(service: str) -> str:
    """The HTTPRoute."""
    return child_name(service, "-kserve-route")


def further_route(service: str, number: int) -> str:
    """Another HTTPRoute of a service, for what the first can't hold; ``number`` counts from 1."""
    return child_name(service, f"-kserve-route-{number}")


def reference_grant(kind: str, namespace: str, number: int) -> str:
    """The ReferenceGrant for what objects of a kind and namespace refer to; ``number`` counts from 0."""
    return child_name(namespace, f"-{kind.lower()}s" + (f"-{number}" if number else ""))


def pool_group(version: str) -> str:
    """The API group in which InferencePool has this version, ``v1`` or ``v1alpha2``."""
    return _POOL_GROUPS[version]


def inference_pool(service: str) -> str:
    """The InferencePool."""
    return child_name(service, "-inference-pool")


def picker(service: str) -> str:
    """The endpoint picker's Deployment."""
    return child_name(service, "-kserve-router-scheduler")


def picker_service(service: str) -> str:
    """The endpoint picker's Service, where the pool names no other."""
    return child_name(service, "-epp-service")


def picker_account(service: str) -> str:
    """The endpoint picker's ServiceAccount."""
    return child_name(service, "-epp-sa")


def picker_role(service: str) -> str:
    """The endpoint picker's Role."""
    return child_name(service, "-epp-role")


def picker_role_binding(service: str) -> str:
    """The binding of that Role."""
    return child_name(service, "-epp-rb")


def picker_auth_binding(namespace: str, service: str) -> str:
    """The cluster-wide binding that lets the picker ask who scrapes its metrics; its name holds the namespace."""
    return child_name(namespace, f"-{service}-epp-auth-rb")


def tokenizer(service: str) -> str:
    """The tokenizer's Deployment and Service."""
    return child_name(service, "-tokenizer")


def served_names(namespace: str, model: str) -> tuple[str, str]:
    """What a request may give as ``model``: the plain name, then the fully qualified one."""
    return (model, publisher_name(namespace, model))


# ---------------------------------------------------------------- objects of a LiteLLMGateway
def gateway(name: str) -> str:
    """The gateway's Deployment and Service."""
    return child_name(name, "-litellm")


def gateway_secret(name: str) -> str:
    """The Secret with its master key."""
    return child_name(name, "-litellm-master-key")


def gateway_salt_secret(name: str) -> str:
    """The Secret with its salt key."""
    return child_name(name, "-litellm-salt-key")


def gateway_authorities(name: str) -> str:
    """The ConfigMap with the authorities whose certificates it trusts beside the public ones."""
    return child_name(name, "-litellm-authorities")


def gateway_config(name: str) -> str:
    """The ConfigMap with its config file."""
    return child_name(name, "-litellm-config")


# ---------------------------------------------------------------- labels
_SERVING = {"kserve.io/component": "workload"}  # by which the workload Service and the pool find pods
ROLE = "llm-d.ai/role"


def workload_labels(service: str, role: str) -> dict[str, str]:
    """Labels of a single-node workload's object, pods and selector; ``role`` is both, decode or prefill."""
    return {**_of_component(service, "", role), **_SERVING, ROLE: role}


def leader_labels(service: str, role: str) -> dict[str, str]:
    """Labels of the pods that lead the groups of a LeaderWorkerSet; they take the requests."""
    return {**_of_component(service, "-leader", role), **_SERVING, ROLE: role}


def worker_labels(service: str, role: str, leads: bool) -> dict[str, str]:
    """Labels of a LeaderWorkerSet and its worker pods; ``leads``: the first of each group serves as its leader."""
    labels = _of_component(service, "-worker", role)
    # The reference calls a main workload's pods decode here, whatever the service has.
    return {**labels, **_SERVING, ROLE: "prefill" if role == "prefill" else "decode"} if leads else labels


def _of_component(service: str, part: str, role: str) -> dict[str, str]:
    component = f"llminferenceservice-workload{part}{'-prefill' if role == 'prefill' else ''}"
    return {**service_labels(service), "app.kubernetes.io/component": component}


def service_labels(service: str) -> dict[str, str]:
    """Labels of what stands beside the workload: its Service, its Secret."""
    return {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": service,
        "app.kubernetes.io/part-of": PART_OF,
    }


def picker_labels(service: str) -> dict[str, str]:
    """Labels of the endpoint picker's objects, pods and selector."""
    return {**service_labels(service), "app.kubernetes.io/component": "llminferenceservice-router-scheduler"}


def tokenizer_labels(service: str) -> dict[str, str]:
    """Labels of the tokenizer's objects, pods and selector."""
    return {**service_labels(service), "app.kubernetes.io/component": "tokenizer"}


def route_labels(service: str) -> dict[str, str]:
    """Labels of the HTTPRoute."""
    return {**service_labels(service), "app.kubernetes.io/component": "llminferenceservice-router"}


def gateway_labels(name: str) -> dict[str, str]:
    """Labels of a LiteLLM gateway's objects, pods and selector."""
    return {
        "app.kubernetes.io/component": "litellm-gateway",
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "loco",
    }


def account_labels(service: str) -> dict[str, str]:
    """Labels of the accounts and rights of a LeaderWorkerSet's pods."""
    return {"app.kubernetes.io/name": service, "app.kubernetes.io/part-of": PART_OF}


def workload_selector(service: str) -> dict[str, str]:
    """What selects the pods that serve requests, of either role, and no LeaderWorkerSet workers."""
    return {"app.kubernetes.io/name": service, "app.kubernetes.io/part-of": PART_OF, **_SERVING}


def decode_selector(service: str) -> dict[str, str]:
    """What selects the pods that serve whole requests where prefill has pods of its own."""
    return {**workload_selector(service), ROLE: "decode"}


# ---------------------------------------------------------------- annotations
MADE_BY = "locostack.com/stack"  # project and stack, on Secrets that a stack has filled
DIGEST_PREFIX = "locostack.com/digest."  # one for each source that the pods read
CONFIG_DIGEST = f"{DIGEST_PREFIX}config"
AUTHORITIES_DIGEST = f"{DIGEST_PREFIX}authorities"
CERTIFICATE_DIGEST = f"{DIGEST_PREFIX}certificate"  # of the stack's rotation, on pods that read certificates once
COMBINED_DIGEST = "locostack.com/configHash"  # all of them in one
_OTHER_DIGESTS = ("authorities", "certificate", "config", "master-key", "salt-key")


def credential_digest(secret: str) -> str:
    """How the digest of a Secret is called behind ``DIGEST_PREFIX``: its name, as far as that is free and fits."""
    if secret in _OTHER_DIGESTS:
        return f"Secret-{secret}"  # no Secret's name has a capital
    longest = LONGEST - len(DIGEST_PREFIX.rpartition("/")[2])
    return secret if len(secret) <= longest else f"{secret[: longest - _HASH - 1]}-{_md5(secret)}"


def config_map_digest(config_map: str) -> str:
    """The annotation of the pods that read one of the stack's ConfigMaps."""
    return f"{DIGEST_PREFIX}{credential_digest(f'ConfigMap-{config_map}')}"  # no Secret's name has a capital


# ---------------------------------------------------------------- logical names
STACK_COMPONENT = "stack"


def component_name(namespace: str, name: str) -> str:
    """Logical name of the component of one document, unique within its type."""
    return f"{namespace}/{name}"


def owner(kind: str, namespace: str, name: str) -> str:
    """How a manifest names the document that it belongs to; documents of two kinds may share a name."""
    return f"{kind}/{namespace}/{name}"


def logical_name(component: str | None, manifest: ManifestId) -> str:
    """Logical name of one object: ``<component>/<namespace>/<object>``, never with a content hash.

    Args:
        component: the owning document, as ``owner`` names it; None for what belongs to the stack as a whole.
        manifest: the object; a cluster-scoped one has the namespace ``-``.
    """
    owner = STACK_COMPONENT if component is None else component.rpartition("/")[2]
    return f"{owner}/{manifest.namespace or '-'}/{manifest.name}"


def edition_name(manifest: ManifestId) -> str:
    """Logical name of an object of which each content has a name of its own: those names begin with it.

    So it is one that Kubernetes accepts; neither part has a dot.
    """
    return f"{manifest.name}.{manifest.namespace}"
