"""The gateway's Deployment: LiteLLM as an unprivileged process with a read-only root, one worker, a slow goodbye."""

from collections.abc import Mapping, Sequence
from typing import Any

from loco import names
from loco.gateway.config import MASTER_KEY, SALT_KEY
from loco.gateway.database import OWNED, database_environment
from loco.gateway.documents import Gateway
from loco.gateway.variables import Variable
from loco.spec.external_model import SecretKey
from loco.spec.gateway_pod import Probe, Probes
from loco.spec.litellm_gateway import Placement

IMAGE = "ghcr.io/berriai/litellm-non_root:v1.108.7"
PORT = 4000
CONFIG_FILE = "config.yaml"
_CONFIG_PATH = "/etc/litellm"
_USER = 65534
_PRE_STOP_SECONDS = 10  # LiteLLM stops listening at once, before every endpoint list has lost the pod
_MEBIBYTES = (512, 1024)  # asked for, and at most
# With Prisma's query engine, and what LiteLLM keeps in memory of keys and spending.
_MEBIBYTES_WITH_DATABASE = (1024, 2048)
TRUST = "SSL_CERT_FILE"
_DRAIN_SECONDS = 120  # how long a stream may still run
# It would fetch its price list at start, read a .env file, and take worker counts or ports from the environment.
ENVIRONMENT = {
    "GRACEFUL_SHUTDOWN_TIMEOUT": str(_DRAIN_SECONDS),
    "HOME": "/tmp",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "INFO",
    "LITELLM_MODE": "PRODUCTION",
    "PYTHONDONTWRITEBYTECODE": "1",
}
CONTAINER_SECURITY: Mapping[str, Any] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}
POD_SECURITY: Mapping[str, Any] = {
    "runAsNonRoot": True,
    "runAsUser": _USER,
    "runAsGroup": _USER,
    "fsGroup": _USER,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod_template(
    gateway: Gateway, config_map: str, config_digest: str, variables: Sequence[Variable]
) -> dict[str, Any]:
    """The template, without the digests of secrets; those are added where secrets may be read.

    Args:
        gateway: the gateway.
        config_map: the plan's name of its config.
        config_digest: of the config's text.
        variables: those from Secrets, but for the gateway's own keys and ``env``.
    """
    labels = names.gateway_labels(gateway.name)
    placement = gateway.spec.placement or Placement()
    probes = gateway.spec.probes or Probes()
    container = {
        "name": "litellm",
        "image": image_of(gateway),
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "--config",
            f"{_CONFIG_PATH}/{CONFIG_FILE}",
            "--host",
            "0.0.0.0",
            "--port",
            str(PORT),
            "--num_workers",
            "1",
        ],
        "env": _env(gateway, variables),
        "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
        "resources": resources_of(gateway),
        "securityContext": dict(CONTAINER_SECURITY),
        "startupProbe": _probe("/health/readiness", 5, 60, probes.startup),
        "readinessProbe": _probe("/health/readiness", 10, 3, probes.readiness),
        "livenessProbe": _probe("/health/liveliness", 15, 6, probes.liveness),
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/sleep", str(_PRE_STOP_SECONDS)]}}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "config", "mountPath": _CONFIG_PATH, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},
        ],
    }
    pod: dict[str, Any] = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,  # a Service called redis or port would set variables that LiteLLM reads
        "securityContext": dict(POD_SECURITY),
        "topologySpreadConstraints": placement.topology_spread_constraints or _spread(labels),
        "terminationGracePeriodSeconds": _PRE_STOP_SECONDS + _DRAIN_SECONDS + 10,
        "containers": [container],
        "volumes": [
            {"name": "config", "configMap": {"name": config_map}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "500Mi"}},
        ],
        **chosen_placement(gateway),
    }
    metadata = {"labels": dict(labels), "annotations": {names.CONFIG_DIGEST: config_digest}}
    return {"metadata": metadata, "spec": pod}


def set_variables() -> set[str]:
    """Names of the variables that a user's own must leave alone."""
    return {*ENVIRONMENT, *OWNED, MASTER_KEY, SALT_KEY, TRUST}


def resources_of(gateway: Gateway, beside: int = 0) -> dict[str, Any]:
    """What the spec says of them; by default what LiteLLM needs, and so many MiB for another process beside it."""
    placement = gateway.spec.placement
    if placement is not None and placement.resources:
        return dict(placement.resources)
    request, limit = _MEBIBYTES if gateway.spec.database is None else _MEBIBYTES_WITH_DATABASE
    return {
        "requests": {"cpu": "500m", "memory": _memory(request + beside)},
        "limits": {"memory": _memory(limit + beside)},
    }


def _memory(mebibytes: int) -> str:
    return f"{mebibytes}Mi" if mebibytes % 1024 else f"{mebibytes // 1024}Gi"


def image_of(gateway: Gateway) -> str:
    """LiteLLM's image; the same for the servers and what prepares the database for them."""
    return gateway.spec.image or IMAGE


def chosen_placement(gateway: Gateway) -> dict[str, Any]:
    """Where the spec wants pods to run and as whom, as fields of a pod."""
    placement, more = gateway.spec.placement or Placement(), gateway.spec.pod
    chosen = {
        "nodeSelector": placement.node_selector,
        "tolerations": placement.tolerations,
        "affinity": placement.affinity,
        "priorityClassName": placement.priority_class_name,
        "serviceAccountName": more.service_account_name if more else None,
    }
    return {field: value for field, value in chosen.items() if value}


def from_secret(name: str, source: SecretKey, *, optional: bool = False) -> dict[str, Any]:
    """A variable whose value is a Secret's."""
    reference = {"name": source.name, "key": source.key, **({"optional": True} if optional else {})}
    return {"name": name, "valueFrom": {"secretKeyRef": reference}}


def _env(gateway: Gateway, variables: Sequence[Variable]) -> list[dict[str, Any]]:
    """Model credentials are optional: one that is missing must not keep the others from being served."""
    environment = {**ENVIRONMENT, **database_environment(gateway)}
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in environment.items()]
    env.append(from_secret(MASTER_KEY, gateway.master_key))
    if gateway.salt_key is not None:
        env.append(from_secret(SALT_KEY, gateway.salt_key))
    env += [from_secret(variable.name, variable.source, optional=not variable.required) for variable in variables]
    for own in gateway.spec.env or []:
        source = own.value_from
        literal = {"name": own.name, "value": own.value}
        env.append(literal if source is None else from_secret(own.name, source.secret_key_ref, optional=True))
    return env


def _spread(labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Over nodes and zones as far as that can be had: a pod in an odd place is better than none."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": dict(labels)},
        }
        for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone")
    ]


def _probe(path: str, period: int, failures: int, chosen: Probe | None) -> dict[str, Any]:
    """With more than Kubernetes' one second: the probe waits in line with the requests."""
    chosen = chosen or Probe()
    return {
        "httpGet": {"path": path, "port": PORT},
        "timeoutSeconds": chosen.timeout_seconds or 10,
        "periodSeconds": chosen.period_seconds or period,
        "failureThreshold": chosen.failure_threshold or failures,
    }
