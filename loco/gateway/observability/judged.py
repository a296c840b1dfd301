"""What is wrong with an Observability and the gateways that it is for."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from loco.gateway.database import DATABASES, misplaced_database
from loco.gateway.documents import External, Gateway, Observability
from loco.gateway.egress import outside_ports
from loco.gateway.idle_settings import idle_variables
from loco.gateway.observability.watched import Watched
from loco.gateway.plain_secrets import plain_secrets
from loco.gateway.pod import PORT
from loco.gateway.redis import other_redis
from loco.gateway.variables import taken_variables
from loco.model import Finding, Manifest, ScrapeTarget
from loco.model.pod_templates import pod_templates
from loco.spec.peer import Peer
from loco.spec.stack import CONFIG
from loco.spec.tree import Path

_OFF = "turn_off_message_logging"
_LISTS = ("success_callback", "failure_callback")
_RELEASE = re.compile(r":v?(\d+)\.(\d+)\.")
_FIRST_WITH_PORT = (1, 101)
# Variables without which a callback sends nothing: LiteLLM says so in its log alone, and serves on.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "azure_sentinel": (
        "AZURE_SENTINEL_DCR_IMMUTABLE_ID",
        "AZURE_SENTINEL_ENDPOINT",
        "AZURE_SENTINEL_TENANT_ID",
        "AZURE_SENTINEL_CLIENT_ID",
        "AZURE_SENTINEL_CLIENT_SECRET",
    ),
    "braintrust": ("BRAINTRUST_API_KEY",),
    "datadog": ("DD_API_KEY", "DD_SITE"),
    "datadog_llm_observability": ("DD_API_KEY", "DD_SITE"),
    "lago": ("LAGO_API_KEY", "LAGO_API_BASE", "LAGO_API_EVENT_CODE"),
    "langfuse": ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
    "langfuse_otel": ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
    "langsmith": ("LANGSMITH_API_KEY",),
    "langtrace": ("LANGTRACE_API_KEY",),
    "levo": ("LEVOAI_API_KEY", "LEVOAI_ORG_ID", "LEVOAI_WORKSPACE_ID", "LEVOAI_COLLECTOR_URL"),
    "logfire": ("LOGFIRE_TOKEN",),
    "openmeter": ("OPENMETER_API_KEY",),
    "posthog": ("POSTHOG_API_KEY",),
    "signoz": ("SIGNOZ_INGESTION_ENDPOINT",),
    "weave_otel": ("WANDB_API_KEY", "WANDB_PROJECT_ID"),
}


def judged(
    gateway: Gateway,
    observability: Observability | None,
    watched: Watched,
    taken: Collection[str],
    external: Sequence[External] = (),
) -> list[Finding]:
    """Findings where a gateway's own settings and what watches it get in each other's way.

    Args:
        taken: variables that loco itself gives the gateway.
        external: models that it calls elsewhere.
    """
    if observability is None:
        return []
    return [
        *taken_variables(observability, {*taken, *watched.of_traces} - DATABASES),
        *misplaced_database(observability),
        *other_redis(gateway, observability),
        *idle_variables(observability),
        *plain_secrets(observability),
        *_variables_twice(gateway, observability, watched),
        *_own_callbacks(gateway, observability, watched),
        *_own_content(gateway, observability, watched),
        *_without_credentials(gateway, observability, watched),
        *_too_old(gateway, watched),
        *_cut_off(gateway, observability, external),
    ]


def bad_port(observability: Observability) -> list[Finding]:
    """``LOCO-VALUE`` for a port of its own that is the main one."""
    metrics = observability.spec.metrics
    if metrics is None or metrics.gateway.port != PORT:
        return []
    path: Path = ("metrics", "gateway", "port")
    message, cure = (
        f"LiteLLM itself listens at {PORT}",
        "another port, such as 4001; or none, for metrics behind the key",
    )
    return [observability.finding(path, message, cure, value=PORT)]


def unseen(
    observability: Observability, gateways: Sequence[Gateway], targets: Sequence[ScrapeTarget], whole: bool = True
) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for what has nothing to watch, and for graphs and alerts of metrics that nobody collects.

    ``whole`` is whether ``gateways`` and ``targets`` are all that there is to watch.
    """
    spec = observability.spec
    findings = []
    for key, given in (("traces", spec.traces), ("callbacks", spec.callbacks), ("env", spec.env)):
        if given and not gateways and whole:
            message, cure = "only gateways send these, and the stack has none", "a LiteLLMGateway, or without it"
            findings.append(observability.finding((key,), message, cure, code="LOCO-NO-EFFECT", severity="warning"))
    if spec.env and not spec.callbacks and gateways:
        message, cure = "callbacks read these variables, and there are none", "callbacks: […], or env of the gateway"
        findings.append(observability.finding(("env",), message, cure, code="LOCO-NO-EFFECT", severity="warning"))
    if spec.content and not (spec.traces or spec.callbacks):
        message, cure = "neither traces nor callbacks take prompts", "traces: {endpoint: …}, or without it"
        findings.append(observability.finding(("content",), message, cure, code="LOCO-NO-EFFECT", severity="warning"))
    if spec.metrics is not None and not gateways and not targets and whole:
        message, cure = "the stack runs nothing that has metrics", "a service or gateway, or without it"
        findings.append(observability.finding(("metrics",), message, cure, code="LOCO-NO-EFFECT", severity="warning"))
    for key, section in (("dashboard", spec.dashboard), ("alerts", spec.alerts)):
        if section is not None and spec.metrics is None and gateways:
            message = "without metrics gateways have none, and what is shown of them stays empty"
            cure = "metrics: {} beside it; monitors without labels that your Prometheus selects change nothing there"
            findings.append(observability.finding((key,), message, cure, code="LOCO-NO-EFFECT", severity="warning"))
    return findings


def unscraped(
    observability: Observability,
    gateways: Sequence[Gateway],
    targets: Sequence[ScrapeTarget],
    manifests: Iterable[Manifest],
    scrapers: Collection[Peer],
) -> list[Finding]:
    """``LOCO-NETWORK-POLICY`` where policies close pods to whoever scrapes, or an open port asks for no key."""
    metrics = observability.spec.metrics
    if metrics is None or scrapers:
        return []
    manifests = list(manifests)
    policies = [m for m in manifests if m.id.kind == "NetworkPolicy" and "Ingress" in m.data["spec"]["policyTypes"]]
    workloads = {target.workload for target in targets}
    closed = [m for m in manifests if m.id in workloads and any(_selects(policy, m) for policy in policies)]
    closed_gateways = [gateway for gateway in gateways if gateway.spec.clients]
    cure = "platform: {monitoring: {peers: [{namespace: WHERE PROMETHEUS RUNS}]}}"
    where, findings = "platform.monitoring.peers", []
    if closed or closed_gateways:
        message = "metrics are to be scraped, and the NetworkPolicies of the stack's pods let nobody do it"
        findings.append(Finding("LOCO-NETWORK-POLICY", "warning", where, message, cure, CONFIG, observability.subject))
    if metrics.gateway.port is not None and any(gateway.spec.clients is None for gateway in gateways):
        message = f"nobody says who scrapes, so every pod may read the gateways' metrics at {metrics.gateway.port}"
        findings.append(Finding("LOCO-NETWORK-POLICY", "warning", where, message, cure, CONFIG, observability.subject))
    return findings


def _selects(policy: Manifest, workload: Manifest) -> bool:
    if policy.namespace != workload.namespace:
        return False
    wanted = policy.data["spec"]["podSelector"].get("matchLabels", {})
    if policy.name == workload.name:
        return True
    return any(
        wanted.items() <= template["metadata"].get("labels", {}).items() for _, template in pod_templates(workload.data)
    )


def _variables_twice(gateway: Gateway, observability: Observability, watched: Watched) -> list[Finding]:
    findings = []
    for index, variable in enumerate(gateway.spec.env or []):
        if variable.name in watched.taken:
            message = f"{observability.name} sets {variable.name} for all gateways, or what stands for the same"
            cure = f"{variable.name} in one of the two documents"
            findings.append(
                gateway.finding(("env", index, "name"), message, cure, code="LOCO-DUPLICATE", value=variable.name)
            )
    return findings


def _own_callbacks(gateway: Gateway, observability: Observability, watched: Watched) -> list[Finding]:
    """LiteLLM would call one that stands in two lists twice."""
    findings = []
    for key in _LISTS:
        listed = _settings(gateway).get(key)
        for name in [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []:
            if name in watched.callbacks:
                message = f"{observability.name} has the callback {name} called for every request, and this once more"
                cure = f"{key} without {name}"
                path: Path = ("extraConfig", "litellm_settings", key)
                findings.append(gateway.finding(path, message, cure, code="LOCO-DUPLICATE", value=name))
    return findings


def _own_content(gateway: Gateway, observability: Observability, watched: Watched) -> list[Finding]:
    own, settings = _settings(gateway), watched.settings or {}
    if not watched.callbacks or _OFF not in own or own[_OFF] == settings.get(_OFF, False):
        return []
    message = f"{observability.name} says content: {str(observability.spec.content).lower()}, and this the contrary"
    cure = f"content in {observability.name}, and extraConfig without {_OFF}"
    return [gateway.finding(("extraConfig", "litellm_settings", _OFF), message, cure, value=own[_OFF])]


def _without_credentials(gateway: Gateway, observability: Observability, watched: Watched) -> list[Finding]:
    known = {variable.name for variable in (*(observability.spec.env or []), *(gateway.spec.env or []))}
    findings = []
    for index, name in enumerate(observability.spec.callbacks or []):
        if missing := [each for each in NEEDED.get(name, ()) if each not in known]:
            message = f"the callback {name} needs {' and '.join(missing)}, which {gateway.subject} doesn't have"
            cure = f"env: [{{name: {missing[0]}, valueFrom: {{secretKeyRef: {{name: SECRET, key: KEY}}}}}}]"
            findings.append(
                observability.finding(("callbacks", index), message, cure, code="LOCO-REFERENCE", value=name)
            )
    return findings


def _too_old(gateway: Gateway, watched: Watched) -> list[Finding]:
    found = _RELEASE.search(gateway.spec.image or "")
    if watched.port is None or found is None or (int(found[1]), int(found[2])) >= _FIRST_WITH_PORT:
        return []
    message = "LiteLLM has a port of its own for metrics from 1.101 on"
    cure = "a newer image, or metrics: {gateway: {}} for metrics behind the key"
    return [gateway.finding(("image",), message, cure, value=gateway.spec.image)]


def _cut_off(gateway: Gateway, observability: Observability, external: Sequence[External]) -> list[Finding]:
    """A policy on what the pods call, which lets them call models outside at their ports, and says nothing of others."""
    spec, egress = observability.spec, gateway.spec.egress
    if egress is None or egress.others:
        return []
    open_ports = outside_ports(gateway, [model.spec.url for model in external]) or ({443} if egress.external else set())
    messages = []
    if spec.traces is not None:
        called = outside_ports(gateway, [spec.traces.endpoint])
        if not called or called - open_ports:
            who = f"who could be the collector {spec.traces.endpoint}"
            messages.append(f"the gateway's egress names nobody {who}, so no span leaves")
    if spec.callbacks and 443 not in open_ports:
        messages.append(f"the gateway's egress lets {', '.join(spec.callbacks)} call nobody, at 443 or elsewhere")
    cure = "egress: {others: [{peers: [{namespace: WHERE IT RUNS}]}]}, or {cidr: RANGE} for one outside of the cluster"
    return [
        gateway.finding(("egress",), each, cure, code="LOCO-NETWORK-POLICY", severity="warning") for each in messages
    ]


def _settings(gateway: Gateway) -> Mapping[str, object]:
    settings = (gateway.spec.extra_config or {}).get("litellm_settings")
    return settings if isinstance(settings, Mapping) else {}
