"""The five processes of the cluster and the flags they get."""

from dataclasses import dataclass

from dev.cluster.files import Files
from dev.toolchain import Tools

# File names in the state folder, where etcd and the API server run; they must look like host:port.
CLIENT_SOCKET = "unix://etcd-client:0"
PEER_SOCKET = "unix://etcd-peer:0"

# In the order of starting; ended in the reverse order.
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
STORAGE, SERVER, *CONTROLLERS = PROGRAMS

FAKE_NODE = ("kwok.x-k8s.io/node", "fake")  # the annotation by which kwok knows its nodes


@dataclass(frozen=True)
class Part:
    name: str
    command: list[str]


def storage(tools: Tools, files: Files) -> Part:
    """etcd on Unix sockets in the state folder, because it asks nobody for a password."""
    return Part(
        STORAGE,
        [
            str(tools.program(STORAGE)),
            f"--data-dir={files.etcd_data}",
            "--unsafe-no-fsync",  # twice as fast, and losing a development cluster is no loss
            f"--listen-client-urls={CLIENT_SOCKET}",
            f"--advertise-client-urls={CLIENT_SOCKET}",
            f"--listen-peer-urls={PEER_SOCKET}",
            f"--initial-advertise-peer-urls={PEER_SOCKET}",
            f"--initial-cluster=default={PEER_SOCKET}",
            "--log-level=warn",
        ],
    )


def server(tools: Tools, files: Files, port: int) -> Part:
    return Part(
        SERVER,
        [
            str(tools.program(SERVER)),
            f"--etcd-servers={CLIENT_SOCKET}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={files.certificates}",
            f"--token-auth-file={files.tokens}",
            "--anonymous-auth=false",
            "--authorization-mode=RBAC",
            "--allow-privileged=true",
            "--endpoint-reconciler-type=none",  # nothing inside the cluster could reach loopback
            "--service-cluster-ip-range=10.96.0.0/16",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={files.signing_key}",
            f"--service-account-signing-key-file={files.signing_key}",
        ],
    )


def controllers(tools: Tools, files: Files) -> list[Part]:
    kubeconfig = f"--kubeconfig={files.kubeconfig}"
    manager, scheduler, kwok = CONTROLLERS
    alone = ["--leader-elect=false", "--secure-port=0"]
    stages = sorted(tools.data_folder("kwok-stages").glob("*.yaml"))
    return [
        Part(
            manager,
            [
                str(tools.program(manager)),
                kubeconfig,
                f"--service-account-private-key-file={files.signing_key}",
                f"--root-ca-file={files.authority}",
                *alone,
            ],
        ),
        Part(scheduler, [str(tools.program(scheduler)), kubeconfig, *alone]),
        Part(
            kwok,
            [
                str(tools.program(kwok)),
                kubeconfig,
                "--manage-all-nodes=false",
                f"--manage-nodes-with-annotation-selector={'='.join(FAKE_NODE)}",
                "--node-lease-duration-seconds=40",
                *(f"--config={stage}" for stage in stages),
            ],
        ),
    ]
