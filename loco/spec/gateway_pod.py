"""More of a LiteLLM gateway's pods: probes, account, metadata, volumes and containers of one's own."""

from typing import Annotated

from pydantic import AfterValidator, Field

from loco.spec.base import KubernetesObject, Positive, Spec
from loco.spec.texts import Annotations, Labels, ObjectName

_OWN_LABELS = ("app.kubernetes.io/component", "app.kubernetes.io/name", "app.kubernetes.io/part-of")
_OWN_ANNOTATIONS = "locostack.com/"


def _no_selector(labels: dict[str, str]) -> dict[str, str]:
    if taken := sorted(set(_OWN_LABELS) & set(labels)):
        raise ValueError(f"labels without {', '.join(taken)}, by which the gateway's objects are found")
    return labels


def _not_ours(annotations: dict[str, str]) -> dict[str, str]:
    if any(key.startswith(_OWN_ANNOTATIONS) for key in annotations):
        raise ValueError(f"annotations without {_OWN_ANNOTATIONS}, which are loco's")
    return annotations


MoreLabels = Annotated[Labels, AfterValidator(_no_selector)]
MoreAnnotations = Annotated[Annotations, AfterValidator(_not_ours)]


class Probe(Spec):
    """How patient one probe is; what it asks stays."""

    period_seconds: Positive | None = None
    timeout_seconds: Positive | None = None
    failure_threshold: Positive | None = None


class Probes(Spec):
    startup: Probe | None = None
    readiness: Probe | None = None
    liveness: Probe | None = None


class PodAdditions(Spec):
    """What is added to the pods of loco's making."""

    labels: MoreLabels | None = None
    annotations: MoreAnnotations | None = None
    service_account_name: ObjectName | None = Field(None, description="Of the servers' pods and the migration's.")
    volumes: list[KubernetesObject] | None = None
    volume_mounts: list[KubernetesObject] | None = Field(None, description="Of LiteLLM's container.")
    init_containers: list[KubernetesObject] | None = None
    containers: list[KubernetesObject] | None = Field(None, description="Beside LiteLLM's.")


class SecretName(Spec):
    name: ObjectName


class WholeSecret(Spec):
    """Every key of a Secret that ``credentials`` declare, each a variable."""

    prefix: Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")] | None = Field(None, description="Before each key.")
    secret_ref: SecretName
