"""An Observability's objects, as the engine gets them."""

from collections.abc import Callable
from typing import Any

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.recorder import Registration, record
from tests.gateway.observability.stacks import EVERYTHING, ROUTED, model, observability
from tests.plan.stacks import gateway

MakeStack = Callable[..., StackSpec]
PLATFORM = {"gateway": {"name": "shared", "internalURL": "http://inside"}}


def registered(make_stack: MakeStack, **config: Any) -> list[Registration]:
    documents = [model("one", ROUTED), gateway(), observability(EVERYTHING)]
    spec = make_stack(*documents, platform=PLATFORM, **config)
    return record(lambda: ModelServingStack("loco", spec, credentials={}))


def test_names(make_stack: MakeStack) -> None:
    """Never to change without an alias."""
    found = registered(make_stack, observability={"enabled": True})
    ours = sorted(each.urn_suffix for each in found if "observability-dev" in each.name)
    assert ours == [
        "kubernetes:core/v1:ConfigMap::observability-dev/llm/observability-dev-dashboard",
        "kubernetes:core/v1:Secret::observability-dev/llm/observability-dev-metrics-reader-token",
        "kubernetes:core/v1:ServiceAccount::observability-dev/llm/observability-dev-metrics-reader",
        "kubernetes:monitoring.coreos.com/v1:PodMonitor::observability-dev/llm/observability-dev-engine",
        "kubernetes:monitoring.coreos.com/v1:PodMonitor::observability-dev/llm/observability-dev-picker",
        "kubernetes:monitoring.coreos.com/v1:PrometheusRule::observability-dev/llm/observability-dev",
        "kubernetes:monitoring.coreos.com/v1:ServiceMonitor::observability-dev/llm/main-litellm",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole::observability-dev/-/llm-observability-dev-metrics-reader",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
        "::observability-dev/-/llm-observability-dev-metrics-reader",
        "loco:index:Observability::llm/observability-dev",
    ]


def test_off(make_stack: MakeStack) -> None:
    assert not [each for each in registered(make_stack) if "observability-dev" in each.name]


def test_the_token_is_kubernetes_to_fill(make_stack: MakeStack) -> None:
    """Neither a value nor the mark of Secrets that the stack has filled."""
    found = registered(make_stack, observability={"enabled": True})
    (secret,) = (each for each in found if each.name.endswith("-token"))
    assert not {"data", "stringData"} & secret.props.keys()
    assert "locostack.com/stack" not in secret.props["metadata"]["annotations"]
