"""Which tools there are, in which version, and how each one is built.

Each has a Go module of its own in `dev/tools/NAME`, because their dependencies conflict; the
exact versions are pinned by that module's committed go.mod and go.sum.
"""

from dataclasses import dataclass
from pathlib import Path

MODULE_FILES = Path(__file__).resolve().parent.parent / "tools"

GO_AT_LEAST = (1, 26, 6)  # what the modules ask for; without Go, this release comes from PyPI
PROVIDER_VERSION = "4.25.0"


@dataclass(frozen=True)
class Copy:
    """Files that are taken out of a dependency's folder instead of being compiled."""

    module: str
    files: tuple[str, ...]  # glob patterns inside the module
    into: str  # folder inside the built tool


@dataclass(frozen=True)
class Tool:
    name: str  # also the folder in dev/tools
    version: str
    usually: str  # how long the first build takes on two cores
    programs: tuple[tuple[str, str], ...] = ()  # (name of the executable, Go package)
    stamps: tuple[str, ...] = ()  # linker variables that carry the version
    embeds: tuple[Copy, ...] = ()  # needed beside the source to compile
    data: tuple[Copy, ...] = ()  # shipped beside the executable

    @property
    def linker_flags(self) -> str:
        return " ".join(["-s", "-w", *(f"-X {stamp}" for stamp in self.stamps)])


PULUMI = Tool(
    name="pulumi",
    version="3.274.1",
    usually="4 minutes",
    programs=(("pulumi", "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"),),
    stamps=("github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=3.274.1",),
)

PROVIDER = Tool(
    name="kubernetes-provider",
    version=PROVIDER_VERSION,
    usually="11 minutes",
    programs=(("pulumi-resource-kubernetes", "."),),
    stamps=(f"main.version={PROVIDER_VERSION}",),
    embeds=(
        Copy(
            "github.com/pulumi/pulumi-kubernetes/provider/v4",
            (
                "cmd/pulumi-resource-kubernetes/schema.json",
                "cmd/pulumi-resource-kubernetes/terraform-mapping.json",
            ),
            ".",
        ),
    ),
)

ETCD = Tool(
    name="etcd",
    version="3.6.16",
    usually="1 minute",
    programs=(("etcd", "go.etcd.io/etcd/server/v3"),),
)

KUBERNETES = Tool(
    name="kubernetes",
    version="1.35.4",
    usually="7 minutes",
    programs=tuple(
        (program, f"k8s.io/kubernetes/cmd/{program}")
        for program in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
    ),
    stamps=(  # clients parse these
        "k8s.io/component-base/version.gitVersion=v1.35.4",
        "k8s.io/component-base/version.gitMajor=1",
        "k8s.io/component-base/version.gitMinor=35",
        "k8s.io/client-go/pkg/version.gitVersion=v1.35.4",
    ),
)

KWOK = Tool(
    name="kwok",
    version="0.8.0",
    usually="2 minutes",
    programs=(("kwok", "sigs.k8s.io/kwok/cmd/kwok"),),
    data=(
        Copy(
            "sigs.k8s.io/kwok",
            (
                "kustomize/stage/node/fast/node-initialize.yaml",
                "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
                "kustomize/stage/pod/fast/pod-ready.yaml",
                "kustomize/stage/pod/fast/pod-complete.yaml",
                "kustomize/stage/pod/fast/pod-delete.yaml",
            ),
            "kwok-stages",
        ),
    ),
)

GATEWAY_API = Tool(
    name="gateway-api",
    version="1.6.1",
    usually="a few seconds",
    data=(Copy("sigs.k8s.io/gateway-api", ("config/crd/standard/*.yaml",), "gateway-api-crds"),),
)

EGCTL = Tool(  # Envoy Gateway's own translation of routes, for tests that send requests through Envoy
    name="egctl",
    version="1.9.0",
    usually="4 minutes",
    programs=(("egctl", "github.com/envoyproxy/gateway/cmd/egctl"),),
)

PULUMI_YAML = Tool(  # the host of programs in Pulumi's YAML: a second language, for tests of the component package
    name="pulumi-yaml",
    version="1.25.0",
    usually="2 minutes",
    programs=(("pulumi-language-yaml", "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"),),
)

CLUSTER_TOOLS = (ETCD, KUBERNETES, KWOK, GATEWAY_API)
ALL_TOOLS = (PULUMI, *CLUSTER_TOOLS, PROVIDER)
