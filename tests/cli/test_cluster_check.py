"""What a cluster lacks of a plan: a table of objects on a pretended cluster."""

import pytest

from tests.cli.pretended_cluster import (
    CLAIM,
    GPUS,
    LLM,
    LWS,
    NODE,
    POLICY,
    PULL,
    SCALED,
    STORAGE,
    VOLUME,
    Case,
    account,
    assert_said,
    env,
    pod,
    secret,
)

CASES: dict[str, Case] = {
    "a namespace": (
        [pod()],
        [],
        "",
        [("LOCO-MISSING", "error", "no Namespace llm", "kubectl create namespace llm", "createNamespaces")],
    ),
    "a namespace on its way out": (
        [pod()],
        [LLM.replace("name: llm", "name: llm, deletionTimestamp: now")],
        "",
        [("LOCO-MISSING", "error", "Namespace llm is being deleted")],
    ),
    "another version of a kind": (
        [LWS],
        [LLM],
        "",
        [
            (
                "LOCO-MISSING",
                "error",
                "serves LeaderWorkerSet as v1alpha1, and not as v1",
                "kubectl apply",
                "LeaderWorkerSet",
            )
        ],
    ),
    "a kind of somebody's": (
        [SCALED],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "doesn't know the kind ScaledObject of keda.sh/v1alpha1", "those of KEDA")],
    ),
    "a kind of Kubernetes' own": (
        [POLICY],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "PodDisruptionBudget", "a cluster whose Kubernetes serves")],
    ),
    "kinds that may not be listed": (
        [SCALED],
        [LLM],
        "keda.sh",
        [("LOCO-UNCHECKED", "warning", "could not check the kinds of keda.sh ScaledObject: forbidden")],
    ),
    "a secret": (
        [pod(env("hf", "token")), pod(env("hf", "other")).replace("name: p,", "name: q,")],
        [LLM],
        "",
        [
            (
                "LOCO-MISSING",
                "error",
                "no Secret hf in llm (likewise for Pod/llm/q)",
                'kubectl create secret generic hf -n llm --from-literal=other="$(cat FILE)" --from-literal=token="$(cat FILE)"',
                "spec.containers[c].env[A].valueFrom.secretKeyRef",
            )
        ],
    ),
    "a key": (
        [pod(env("hf", "token"))],
        [LLM, secret("hf", "tokn", "b")],
        "",
        [("LOCO-MISSING", "error", "Secret hf in llm has no key token; it has b, tokn")],
    ),
    "a key of an empty secret": (
        [pod(env("hf", "token"))],
        [LLM, secret("hf")],
        "",
        [("LOCO-MISSING", "error", "has no key token; it is empty")],
    ),
    "a secret that the pod can do without": (
        [pod(env("hf", "token", "true"))],
        [LLM],
        "",
        [("LOCO-MISSING", "warning", "no Secret hf")],
    ),
    "a secret that only one of two can do without": (
        [pod(env("hf", "token", "true")), pod(env("hf", "token")).replace("name: p,", "name: q,")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "Pod/llm/q", "likewise for Pod/llm/p")],
    ),
    "secrets that may not be read, once for all": (
        [pod(f"{env('hf', 'token')}, envFrom: [{{secretRef: {{name: other}}}}]")],
        [LLM],
        "Secret",
        [
            (
                "LOCO-UNCHECKED",
                "warning",
                "could not check Secret hf, other in llm: forbidden",
                "kubectl auth can-i get secret -n llm",
            )
        ],
    ),
    "a config map": (
        [pod("envFrom: [{configMapRef: {name: m}}]")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no ConfigMap m in llm", "kubectl create configmap m -n llm")],
    ),
    "a claim": (
        [pod(more="volumes: [{name: v, persistentVolumeClaim: {claimName: models}}]")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no PersistentVolumeClaim models in llm")],
    ),
    "a kind of reference that the cluster doesn't know": (
        [pod(more="runtimeClassName: nvidia")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no RuntimeClass nvidia, nor the kind RuntimeClass")],
    ),
    "a pull secret": (
        [pod(more=PULL)],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no Secret pull", "kubectl create secret docker-registry pull -n llm")],
    ),
    "a pull secret of another type": (
        [pod(more=PULL)],
        [LLM, secret("pull", "password")],
        "",
        [("LOCO-MISSING", "error", "no key .dockerconfigjson or .dockercfg")],
    ),
    "a pull secret of the old type": ([pod(more=PULL)], [LLM, secret("pull", ".dockercfg")], "", []),
    "a service account": (
        [pod(more="serviceAccountName: acc")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no ServiceAccount acc in llm", "kubectl create serviceaccount acc -n llm")],
    ),
    "the pull secret of a service account": (
        [pod(more="serviceAccountName: acc")],
        [LLM, account("acc", f", {PULL}")],
        "",
        [("LOCO-MISSING", "warning", "no Secret pull in llm", "spec.serviceAccountName")],
    ),
    "the pull secret of the default account": (
        [pod()],
        [LLM, account("default", f", {PULL}")],
        "",
        [("LOCO-MISSING", "warning", "no Secret pull in llm")],
    ),
    "an account's pull secret that the pod's own replaces": (
        [pod(more="imagePullSecrets: [{name: mine}]")],
        [LLM, account("default", f", {PULL}"), secret("mine", ".dockerconfigjson")],
        "",
        [],
    ),
    "accounts that may not be read, the default one too": (
        [pod()],
        [LLM],
        "ServiceAccount",
        [("LOCO-UNCHECKED", "warning", "could not check ServiceAccount default in llm: forbidden")],
    ),
    "a storage class": (
        [CLAIM.replace("SPEC", "storageClassName: fast")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no StorageClass fast", "kubectl get storageclass")],
    ),
    "a default storage class": (
        [CLAIM.replace("SPEC", "a: 1")],
        [LLM, STORAGE.replace("NOTES", "")],
        "",
        [("LOCO-MISSING", "error", "names no StorageClass, and none is the default")],
    ),
    "storage classes that are there": (
        [CLAIM.replace("SPEC", "a: 1"), CLAIM.replace("SPEC", "storageClassName: fast").replace("name: c", "name: d")],
        [LLM, STORAGE.replace("NOTES", 'storageclass.kubernetes.io/is-default-class: "true"')],
        "",
        [],
    ),
    "a volume that somebody made, whose class is no object": (
        [CLAIM.replace("SPEC", "storageClassName: manual")],
        [LLM, VOLUME],
        "",
        [],
    ),
    "volumes that may not be read": (
        [CLAIM.replace("SPEC", "storageClassName: manual")],
        [LLM],
        "PersistentVolume",
        [("LOCO-UNCHECKED", "warning", "could not check PersistentVolume: forbidden", "list PersistentVolume")],
    ),
    "devices": (
        [pod(GPUS.replace("COUNT", "1"))],
        [LLM],
        "",
        [("LOCO-MISSING", "warning", "no node offers nvidia.com/gpu")],
    ),
    "enough devices": ([pod(GPUS.replace("COUNT", "8"))], [LLM, NODE], "", []),
    "more devices than a node has": (
        [pod(GPUS.replace("COUNT", "4")), pod(GPUS.replace("COUNT", "16")).replace("name: p,", "name: q,")],
        [LLM, NODE],
        "",
        [("LOCO-MISSING", "warning", "a pod asks for 16 nvidia.com/gpu, and no node offers more than 8", "Pod/llm/q")],
    ),
    "nodes that may not be read": (
        [pod(GPUS.replace("COUNT", "1"))],
        [LLM],
        "Node",
        [("LOCO-UNCHECKED", "warning", "could not check Node: forbidden", "list Node")],
    ),
    "nothing": ([LLM, secret("hf"), pod(env("hf", "token"))], [], "", []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str) -> None:
    assert_said(CASES[name])
