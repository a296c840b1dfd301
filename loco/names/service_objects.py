"""Names of the objects of an LLMInferenceService; its route, pool and endpoint picker are among them."""

from loco.names.child_names import LONGEST, child_name, md5

# The pods of a LeaderWorkerSet's group belong to a StatefulSet <name>-<group>, whose revisions <name>-<group>-<hash of
# ten> are the value of a label: this leaves room for 1000 groups.
_LONGEST_GROUPS = LONGEST - len("-999") - len("-0123456789")
_POOL_GROUPS = {"v1": "inference.networking.k8s.io", "v1alpha2": "inference.networking.x-k8s.io"}


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
    digest = f"-{md5(service)[:10]}{suffix}"
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
