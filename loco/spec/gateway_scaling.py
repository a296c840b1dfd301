"""What scales a LiteLLM gateway: a HorizontalPodAutoscaler, or KEDA's ScaledObject (``keda.sh/v1alpha1``)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from loco.spec.base import KubernetesObject, NotNegative, Positive, Spec, misplaced
from loco.spec.texts import ObjectName

IN_FLIGHT_TRIGGER = "requests-in-flight"  # the name of the one that requestsInFlight makes


class TriggerAuthentication(Spec):
    name: ObjectName
    kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"] | None = None


class GatewayTrigger(Spec):
    """One source of a metric, in KEDA's own words."""

    type: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1)] | None = None
    metadata: dict[str, str]
    metric_type: Literal["AverageValue", "Value", "Utilization"] | None = None
    use_cached_metrics: bool | None = None
    authentication_ref: TriggerAuthentication | None = None


class ReplicaFallback(Spec):
    """How many replicas there are while a metric can't be read."""

    failure_threshold: NotNegative
    replicas: Positive


class GatewayKEDA(Spec):
    """A ScaledObject in place of the HorizontalPodAutoscaler."""

    polling_interval: Positive | None = Field(None, description="Seconds between two looks at the metrics.")
    fallback: ReplicaFallback | None = None
    triggers: list[GatewayTrigger] | None = Field(None, description="More of them.")


class Autoscaling(Spec):
    """What scales the gateway; exclusive with replicas."""

    min_replicas: Positive = 2
    max_replicas: Positive
    cpu_utilization: Annotated[int, Field(ge=1, le=100)] | None = Field(
        None, description="Percent of the CPU requests; 70 where no other metric is named."
    )
    requests_in_flight: Positive | None = Field(
        None, description="Of one pod, on average. Needs a metrics adapter for litellm_in_flight_requests, or keda."
    )
    behavior: KubernetesObject | None = Field(None, description="How fast it scales up and down.")
    keda: GatewayKEDA | None = Field(None, description="KEDA scales it in place of a HorizontalPodAutoscaler.")

    @model_validator(mode="after")
    def _ordered(self) -> "Autoscaling":
        if self.min_replicas > self.max_replicas:
            raise misplaced(f"maxReplicas at least minReplicas, which is {self.min_replicas}", "maxReplicas")
        return self

    @model_validator(mode="after")
    def _as_keda_takes_it(self) -> "Autoscaling":
        """KEDA refuses two triggers of a name, and falls back for no metric that Kubernetes itself collects."""
        if self.keda is None:
            return self
        triggers = self.keda.triggers or []
        names = [trigger.name for trigger in triggers if trigger.name]
        if self.requests_in_flight is not None:
            names.append(IN_FLIGHT_TRIGGER)
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise misplaced(f"triggers of different names; {', '.join(twice)} stands there twice", "keda", "triggers")
        external = any(trigger.type not in ("cpu", "memory") for trigger in triggers)
        if self.keda.fallback is not None and self.requests_in_flight is None and not external:
            raise misplaced(
                "requestsInFlight or a trigger besides cpu and memory, for which alone there is a fallback",
                *("keda", "fallback"),
            )
        if self.keda.fallback is not None and self.keda.fallback.replicas > self.max_replicas:
            most = f"fallback: {{replicas: …}} of at most maxReplicas, which is {self.max_replicas}"
            raise misplaced(most, "keda", "fallback", "replicas")
        return self
