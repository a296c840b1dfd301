"""What to write instead of something that a cluster lacks: mostly one command."""

import shlex
from collections.abc import Collection

from loco.cli.cluster.need import PULL_KEYS, Thing

# Who makes the custom resources of a group.
_MAKERS = {
    "cert-manager.io": "cert-manager",
    "gateway.networking.k8s.io": "the Gateway API",
    "inference.networking.k8s.io": "the Gateway API Inference Extension",
    "inference.networking.x-k8s.io": "the Gateway API Inference Extension",
    "keda.sh": "KEDA",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet",
    "monitoring.coreos.com": "the Prometheus Operator",
}


def maker_of(group: str) -> str:
    """Whose custom resources a group's kinds are, as far as loco knows."""
    return _MAKERS.get(group, group)


def is_builtin(group: str) -> bool:
    """Whether Kubernetes itself serves the group: such kinds come with a version, not with CRDs."""
    return "." not in group or (group.endswith(".k8s.io") and group.count(".") == 2 and group not in _MAKERS)


def for_object(thing: Thing, keys: Collection[str] = ()) -> str:
    """How to make an object that isn't there.

    Args:
        thing: the object.
        keys: what is read of a Secret or ConfigMap; values are to come from files, not from a shell's history.
    """
    name, option = shlex.quote(thing.name), f" -n {shlex.quote(thing.namespace)}" if thing.namespace else ""
    if thing.group:
        return _any_other(thing)
    if thing.kind == "Secret":
        if set(keys) == set(PULL_KEYS):
            return f"kubectl create secret docker-registry {name}{option} --docker-server=HOST …"
        return f"kubectl create secret generic {name}{option} {_values(keys)}"
    if thing.kind == "ConfigMap":
        return f"kubectl create configmap {name}{option} {_files(keys)}"
    if thing.kind == "ServiceAccount":
        return f"kubectl create serviceaccount {name}{option}"
    if thing.kind == "Namespace":
        return f"kubectl create namespace {name}, or cluster: {{createNamespaces: true}} in the stack config"
    return _any_other(thing)


def _any_other(thing: Thing) -> str:
    option = f" -n {shlex.quote(thing.namespace)}" if thing.namespace else ""
    kind = f"{thing.kind.lower()}.{thing.group}" if thing.group else thing.kind.lower()
    return f"the name of one that is there (kubectl get {kind}{option}), or make {thing.kind} {thing.name} first"


def _values(keys: Collection[str]) -> str:
    """Of a Secret: what $(…) hands over has no newline at its end, which an editor leaves there and a key must not have."""
    return " ".join(f'--from-literal={shlex.quote(key)}="$(cat FILE)"' for key in sorted(keys)) or "--from-file=FOLDER"


def _files(keys: Collection[str]) -> str:
    return " ".join(f"--from-file={shlex.quote(key)}=FILE" for key in sorted(keys)) or "--from-file=FOLDER"
