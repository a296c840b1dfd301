"""Every reference of a plan by name, and every selector, so that a test can ask whether each finds what it is meant for."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from loco.model import Manifest
from loco.model.pod_templates import pod_templates
from loco.plan import Plan

Reference = tuple[str, str, str]  # kind, namespace, name
_FLAGS = {"--pool-name": "InferencePool", "--inference-pool": "InferencePool"}


def references(plan: Plan) -> Iterator[tuple[str, Reference]]:
    """What refers, and to what; a gateway or Secret of somebody else's is left out."""
    for manifest in plan.manifests:
        for reference in _of_object(manifest):
            yield str(manifest.id), reference
        for _, template in pod_templates(manifest.data):
            for reference in _of_pod(template["spec"], manifest.namespace):
                yield str(manifest.id), reference
    for certificate in plan.certificates:
        yield "certificate", ("Secret", certificate.secret.namespace, certificate.secret.name)
        for host in certificate.dns_names:
            if found := _service_of(host):
                yield "certificate", found
    for model in plan.outputs["models"].values():
        namespace = model["namespace"]
        for key, kind in (("service", "Service"), ("pool", "InferencePool")):
            if name := model["workloads"].get(key):
                yield "outputs", (kind, namespace, name)
        for key in ("primary", "prefill", "scheduler"):
            if workload := model["workloads"].get(key):
                yield "outputs", (workload["kind"], namespace, workload["name"])
        for address in model["addresses"]:
            if address["name"] == "service" and (found := _service_of(urlsplit(address["url"]).hostname or "")):
                yield "outputs", found


def selectors(plan: Plan) -> Iterator[tuple[Manifest, dict[str, str]]]:
    """Each object that finds pods by labels, and the labels."""
    for manifest in plan.manifests:
        spec: Mapping[str, Any] = manifest.data.get("spec") or {}
        kind = manifest.id.kind
        if kind == "Service":
            yield manifest, spec["selector"]
        elif kind in ("Deployment", "InferencePool", "PodDisruptionBudget"):
            yield manifest, spec["selector"]["matchLabels"]
        elif kind == "NetworkPolicy":
            yield manifest, spec["podSelector"]["matchLabels"]


def pods(plan: Plan) -> Iterator[tuple[Manifest, str, dict[str, str]]]:
    """Workload, which of its templates, and the labels that its pods have once they run."""
    for manifest in plan.manifests:
        for path, template in pod_templates(manifest.data):
            labels = dict(template["metadata"]["labels"])
            if manifest.id.kind == "LeaderWorkerSet":  # its controller adds this
                labels["leaderworkerset.sigs.k8s.io/name"] = manifest.name
            yield manifest, path[-1], labels


def _of_object(manifest: Manifest) -> Iterator[Reference]:
    spec: Any = manifest.data.get("spec") or {}
    namespace = manifest.namespace
    if manifest.id.kind == "HTTPRoute":
        for rule in spec["rules"]:
            for backend in rule["backendRefs"]:
                yield backend.get("kind", "Service"), backend.get("namespace", namespace), backend["name"]
    elif manifest.id.kind == "InferencePool":
        yield spec["endpointPickerRef"].get("kind", "Service"), namespace, spec["endpointPickerRef"]["name"]
    elif manifest.id.kind in ("HorizontalPodAutoscaler", "ScaledObject"):
        yield spec["scaleTargetRef"]["kind"], namespace, spec["scaleTargetRef"]["name"]
    elif manifest.id.kind in ("RoleBinding", "ClusterRoleBinding"):
        for subject in manifest.data["subjects"]:
            yield subject["kind"], subject["namespace"], subject["name"]
        if manifest.data["roleRef"]["kind"] == "Role":
            yield "Role", namespace, manifest.data["roleRef"]["name"]


def _of_pod(pod: Mapping[str, Any], namespace: str) -> Iterator[Reference]:
    if account := pod.get("serviceAccountName"):
        yield "ServiceAccount", namespace, account
    for claim in pod.get("resourceClaims") or []:
        yield "ResourceClaimTemplate", namespace, claim["resourceClaimTemplateName"]
    for volume in pod.get("volumes") or []:
        if secret := volume.get("secret"):
            yield "Secret", namespace, secret["secretName"]
        if config_map := volume.get("configMap"):
            yield "ConfigMap", namespace, config_map["name"]
    for container in (*(pod.get("initContainers") or []), *pod["containers"]):
        for variable in container.get("env") or []:
            if variable["name"] == "INFERENCE_POOL_NAME":
                yield "InferencePool", namespace, variable["value"]
        words = [str(word) for word in (*(container.get("command") or []), *(container.get("args") or []))]
        for index, word in enumerate(words):
            flag, equals, value = word.partition("=")
            if flag in _FLAGS:
                place, _, name = (value if equals else words[index + 1]).rpartition("/")
                yield _FLAGS[flag], place or namespace, name
            for text in word.split():
                if found := _service_of(urlsplit(text.strip("'\",")).hostname or "") if "://" in text else None:
                    yield found


def _service_of(host: str) -> Reference | None:
    name, _, rest = host.partition(".")
    namespace, _, domain = rest.partition(".")
    return ("Service", namespace, name) if domain in ("svc", "svc.cluster.local") else None
