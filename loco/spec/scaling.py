"""Autoscaling of a workload, and what KEDA's ScaledObject (``keda.sh/v1alpha1``, release 2.18) knows of it."""

from pydantic import Field

from loco.spec.base import KubernetesObject, NotNegative, Positive, Spec


class HPA(Spec):
    """A HorizontalPodAutoscaler."""

    behavior: KubernetesObject | None = Field(None, description="How fast it scales up and down.")


class Fallback(Spec):
    """What to do when a metric can't be read."""

    failure_threshold: NotNegative | None = None
    replicas: NotNegative | None = None
    behavior: str | None = None


class AutoscalerConfig(Spec):
    """Of the HorizontalPodAutoscaler that KEDA makes."""

    name: str | None = None
    behavior: KubernetesObject | None = None


class ScalingModifiers(Spec):
    """One metric made of several."""

    formula: str | None = None
    target: str | None = None
    activation_target: str | None = None
    metric_type: str | None = None


class Advanced(Spec):
    restore_to_original_replica_count: bool | None = None
    horizontal_pod_autoscaler_config: AutoscalerConfig | None = None
    scaling_modifiers: ScalingModifiers | None = None


class AuthenticationRef(Spec):
    name: str | None = None
    kind: str | None = None


class Trigger(Spec):
    """One source of a metric."""

    type: str | None = None
    name: str | None = None
    metadata: dict[str, str] | None = None
    metric_type: str | None = None
    use_cached_metrics: bool | None = None
    authentication_ref: AuthenticationRef | None = None


class KEDA(Spec):
    """A ScaledObject whose trigger is the variant autoscaler's own metric."""

    polling_interval: Positive | None = Field(None, description="Seconds between two looks at the metrics.")
    cooldown_period: NotNegative | None = Field(None, description="Seconds until an idle workload goes to its least.")
    initial_cooldown_period: NotNegative | None = None
    idle_replica_count: NotNegative | None = Field(None, description="Replicas while nothing is to do.")
    fallback: Fallback | None = None
    advanced: Advanced | None = None


class DirectKEDA(KEDA):
    """A ScaledObject with triggers of one's own."""

    triggers: list[Trigger] | None = None


class WVA(Spec):
    """Scaled by the metric of the workload variant autoscaler, through one of the two."""

    hpa: HPA | None = None
    keda: KEDA | None = None
    variant_cost: str | None = Field(None, description="What one replica costs, a decimal; 10.0 by default.")


class Scaling(Spec):
    """Autoscaling; exclusive with replicas."""

    min_replicas: Positive | None = Field(None, description="1 by default.")
    max_replicas: Positive | None = None
    wva: WVA | None = None
    keda: DirectKEDA | None = None
