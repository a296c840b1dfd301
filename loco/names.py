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

ENGINE_PORT = 8000
PART_OF = "llminferenceservice"


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
    """The Deployment that runs a single-node service."""
    return child_name(service, "-kserve")


def workload_service(service: str) -> str:
    """The Service in front of the engine pods."""
    return child_name(service, "-kserve-workload-svc")


def certificate_secret(service: str) -> str:
    """The Secret that holds the serving certificate."""
    return child_name(service, "-kserve-self-signed-certs")


def in_cluster_hosts(service: str, namespace: str) -> tuple[str, ...]:
    """The DNS names of a Service that its clients use, the fully qualified one first."""
    return (f"{service}.{namespace}.svc.cluster.local", f"{service}.{namespace}.svc")


def publisher_name(namespace: str, model: str) -> str:
    """The fully qualified served name of a model, the same in routes and engines."""
    return f"publishers/{namespace}/models/{model}"


# ---------------------------------------------------------------- labels
def workload_labels(service: str, role: str) -> dict[str, str]:
    """Labels of the main workload's object, pods and selector."""
    return {
        **service_labels(service),
        "kserve.io/component": "workload",
        "llm-d.ai/role": role,
    }


def service_labels(service: str) -> dict[str, str]:
    """Labels of what stands beside the workload: its Service, its Secret."""
    return {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": service,
        "app.kubernetes.io/part-of": PART_OF,
    }


def workload_selector(service: str) -> dict[str, str]:
    """What selects the pods that serve requests, of either role, and no LeaderWorkerSet workers."""
    return {
        "app.kubernetes.io/name": service,
        "app.kubernetes.io/part-of": PART_OF,
        "kserve.io/component": "workload",
    }


# ---------------------------------------------------------------- logical names
STACK_COMPONENT = "stack"


def component_name(namespace: str, name: str) -> str:
    """Logical name of the component of one document, unique within its type."""
    return f"{namespace}/{name}"


def logical_name(component: str | None, manifest: ManifestId) -> str:
    """Logical name of one object: ``<component>/<namespace>/<object>``, never with a content hash.

    Args:
        component: name of the owning document; None for what belongs to the stack as a whole.
        manifest: the object; a cluster-scoped one has the namespace ``-``.
    """
    owner = STACK_COMPONENT if component is None else component.rpartition("/")[2]
    return f"{owner}/{manifest.namespace or '-'}/{manifest.name}"
