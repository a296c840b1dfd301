"""LLMInferenceService as its users write it (``serving.kserve.io/v1alpha2``).

The same tree serves LLMInferenceServiceConfig, whose spec is of the same type. Pod specs and other Kubernetes
shapes stay mappings here; they are held against the Kubernetes tables. Fields are all optional: a layer is a partial
document, and what must be there is judged on the merged spec.
"""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from loco.spec.base import KubernetesObject, NotNegative, Positive
from loco.spec.base import Spec as Spec
from loco.spec.scaling import KEDA as KEDA
from loco.spec.scaling import DirectKEDA as DirectKEDA
from loco.spec.scaling import Scaling as Scaling

PodSpec = dict[str, Any]
IntOrString = Annotated[int | str, Field(union_mode="left_to_right")]


class LoRA(Spec):
    """LoRA adapters of a model."""

    adapters: list["Model"] | None = Field(None, description="Adapters, each with its own name and uri.")
    max_rank: Positive | None = Field(None, description="Highest rank that the engine accepts.")
    max_adapters: Positive | None = Field(None, description="Adapters held on the GPU at once.")
    max_cpu_adapters: Positive | None = Field(None, description="Adapters held in CPU memory.")


class Confidential(Spec):
    """Weights that are decrypted inside a trusted environment."""

    enabled: bool | None = None
    resource_id: str | None = Field(None, description="kbs:///repository/type/tag of the key.")


class Model(Spec):
    """What is served."""

    uri: str | None = Field(None, description="hf://, s3://, pvc://claim/path, oci:// or oci+native://.")
    name: str | None = Field(None, description="Served name; by default the service's own.")
    lora: LoRA | None = None
    confidential: Confidential | None = None


LoRA.model_rebuild()  # it names Model, which exists only now


class Parallelism(Spec):
    """How one replica is spread over GPUs and pods."""

    tensor: Positive | None = Field(None, description="GPUs that share each layer.")
    pipeline: Positive | None = Field(None, description="Stages; one pod each.")
    data: Positive | None = Field(None, description="Data-parallel ranks in one replica.")
    data_local: Positive | None = Field(None, description="Data-parallel ranks in one pod.")
    data_rpc_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(None, alias="dataRPCPort")
    expert: bool | None = Field(None, description="Spread experts over the ranks.")


class EmptyDirTier(Spec):
    size: str | int | None = None


class PVCReference(Spec):
    name: str | None = None
    path: str | None = None


class PVCTier(Spec):
    spec: KubernetesObject | None = None
    ref: PVCReference | None = None


class FileSystemTier(Spec):
    empty_dir: EmptyDirTier | None = None
    pvc: PVCTier | None = None


class SecondaryTier(Spec):
    file_system: FileSystemTier | None = None


class KVCacheOffloading(Spec):
    """Tiers that hold KV blocks which no longer fit on the GPU."""

    cpu: str | int | None = Field(None, description="Bytes of CPU memory, a quantity such as 10Gi.")
    eviction_policy: str | None = Field(None, description="lru or arc.")
    secondary: list[SecondaryTier] | None = None


class RolloutStrategy(Spec):
    """Deployment's rolling update."""

    max_unavailable: IntOrString | None = None
    max_surge: IntOrString | None = None


class Workload(Spec):
    """Fields of a workload: at the top of a spec (main or decode) and under ``prefill``."""

    replicas: NotNegative | None = Field(None, description="Unset: left to an autoscaler.")
    scaling: Scaling | None = None
    parallelism: Parallelism | None = None
    labels: dict[str, str] | None = Field(None, description="Added to the pods and the workload Service.")
    annotations: dict[str, str] | None = Field(None, description="Added to the pods and the workload Service.")
    template: PodSpec | None = Field(None, description="The engine pod; with worker, the leader.")
    worker: PodSpec | None = Field(None, description="Worker pods of a multi-node replica.")
    kv_cache_offloading: KVCacheOffloading | None = Field(None, alias="kvCacheOffloading")
    rollout_strategy: RolloutStrategy | None = None


class Named(Spec):
    name: str | None = None


class Loose(Spec):
    """Base of shapes that another project defines: what loco reads of them is checked, all else is passed on."""

    model_config = ConfigDict(extra="allow")


class RouteParent(Loose):
    name: str | None = None
    namespace: str | None = None


class RouteHeader(Loose):
    name: str | None = None


class RouteMatch(Loose):
    headers: list[RouteHeader] | None = None


class RouteBackend(Loose):
    group: str | None = None
    kind: str | None = None
    name: str | None = None


class RouteRule(Loose):
    matches: list[RouteMatch] | None = None
    backend_refs: list[RouteBackend] | None = None


class RouteSpec(Loose):
    """Spec of an HTTPRoute (``gateway.networking.k8s.io/v1``)."""

    hostnames: list[str] | None = None
    parent_refs: list[RouteParent] | None = None
    rules: list[RouteRule] | None = None


class PickerPort(Loose):
    number: Annotated[int, Field(ge=1, le=65535)] | None = None


class PickerReference(Loose):
    kind: str | None = None
    name: str | None = None
    port: PickerPort | None = None


class PoolSelector(Loose):
    match_labels: dict[str, str] | None = None


class PoolSpec(Loose):
    """Spec of an InferencePool (``inference.networking.k8s.io/v1``)."""

    selector: PoolSelector | None = None
    target_ports: list[PickerPort] | None = None
    endpoint_picker_ref: PickerReference | None = None


class GatewayReference(Spec):
    name: str | None = None
    namespace: str | None = None
    section_name: str | None = None


class IngressReference(Spec):
    name: str | None = None
    namespace: str | None = None


class HTTP(Spec):
    refs: list[Named] | None = None
    spec: RouteSpec | None = None


class Route(Spec):
    http: HTTP | None = None
    group: str | None = None
    weight: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class Gateway(Spec):
    refs: list[GatewayReference] | None = None


class Ingress(Spec):
    refs: list[IngressReference] | None = None


class Pool(Spec):
    spec: PoolSpec | None = None
    ref: Named | None = None


class ConfigMapReference(Spec):
    name: str | None = None
    key: str | None = None


class SchedulerConfig(Spec):
    inline: KubernetesObject | None = None
    ref: ConfigMapReference | None = None


class Tokenizer(Spec):
    template: PodSpec | None = None


class Scheduler(Spec):
    """The endpoint picker."""

    pool: Pool | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    template: PodSpec | None = None
    config: SchedulerConfig | None = None
    replicas: Positive | None = None
    tokenizer: Tokenizer | None = None


class Router(Spec):
    """How requests reach the service. An empty object of a part asks for its managed default."""

    route: Route | None = None
    gateway: Gateway | None = None
    ingress: Ingress | None = None
    scheduler: Scheduler | None = None


class Tracing(Spec):
    exporter_endpoint: str | None = None
    sampler: str | None = None
    sampler_arg: str | None = None
    exporter: str | None = None


class StorageInitializer(Spec):
    enabled: bool | None = Field(None, description="False: nothing is attached for the model.")


class LLMInferenceServiceSpec(Workload):
    """The whole spec of one LLM service."""

    model: Model | None = None
    storage_initializer: StorageInitializer | None = None
    router: Router | None = None
    prefill: Workload | None = None
    tracing: Tracing | None = None
    base_refs: list[Named] | None = None

    @property
    def adapters(self) -> list[Model]:
        """The model's LoRA adapters; none where it has none."""
        lora = self.model.lora if self.model is not None else None
        return (lora.adapters if lora is not None else None) or []
