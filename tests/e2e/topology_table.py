"""Every shape that a stack's objects can have, as documents: what is held against a real API server."""

import json
from collections.abc import Mapping
from typing import Any

from loco.plan import Plan
from tests.plan.stacks import external, gateway, plan_of, service
from tests.workloads.topologies import TOPOLOGIES, engine, several_nodes

ROUTER: dict[str, Any] = {"route": {}, "gateway": {}, "scheduler": {}}
PLATFORM: dict[str, Any] = {
    "gateway": {
        "name": "shared",
        "namespace": "infra",
        "internalURL": "http://gw.infra.svc",
        "peers": [{"namespace": "envoy"}],
    },
    "monitoring": {"prometheus": "http://prometheus.monitoring:9090", "peers": [{"namespace": "monitoring"}]},
    "clients": [{"namespace": "apps", "podLabels": {"may": "call"}}, {"cidr": "10.0.0.0/8"}],
}
_TRIGGER = {"type": "prometheus", "metadata": {"serverAddress": "http://p:9090", "query": "q", "threshold": "5"}}
_DEVICES = {
    "serving.kserve.io/exp-dra-device-class": "gpu.example.com",
    "serving.kserve.io/exp-dra-device-count": "2",
    "serving.kserve.io/exp-dra-cel-selector": 'device.driver == "gpu.example.com"',
}
_DISK = {"fileSystem": {"emptyDir": {"size": "20Gi"}}}
_EPHEMERAL = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "50Gi"}}}
_ADAPTERS = [{"name": "sql", "uri": "hf://org/sql"}, {"name": "law", "uri": "pvc://adapters/law"}]


_SECRETS = {"openai": ("token",), "stores": ("URL", "PASSWORD"), "more": ("KEY",)}
_FROM_SECRET = {"secretRef": {"name": "stores", "key": "URL"}}
_BOTH_METRICS = {"cpuUtilization": 60, "requestsInFlight": 40}
_INGRESS = {"hostnames": ["b.example.com"], "ingress": {"className": "nginx", "tlsSecret": "certificate"}}
_IN_PRODUCTION: dict[str, Any] = {
    "database": {**_FROM_SECRET, "readReplica": _FROM_SECRET, "connectionLimit": 5},
    "redis": {"host": "redis.data.svc", "password": {"secretRef": {"name": "stores", "key": "PASSWORD"}}},
    "autoscaling": {
        "maxReplicas": 6,
        **_BOTH_METRICS,
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}},
        "keda": {"pollingInterval": 15, "fallback": {"failureThreshold": 3, "replicas": 4}, "triggers": [_TRIGGER]},
    },
    "service": {
        "type": "LoadBalancer",
        "annotations": {"example.com/internal": "true"},
        "labels": {"team": "a"},
        "loadBalancerClass": "example.com/internal",
        "loadBalancerSourceRanges": ["203.0.113.0/24"],
        "externalTrafficPolicy": "Local",
    },
    "expose": {
        "hostnames": ["a.example.com"],
        "scheme": "https",
        "gateway": {"name": "edge", "sectionName": "https"},
    },
    "clients": [{"namespace": "apps"}],
    "egress": {
        "database": {"peers": [{"namespace": "data"}]},
        "others": [{"peers": [{"cidr": "10.1.0.0/16"}], "ports": [443]}],
    },
    "envFrom": [{"prefix": "OWN_", "secretRef": {"name": "more"}}],
    "env": [{"name": "OTHER", "value": "text"}],
    "probes": {"startup": {"failureThreshold": 120}},
    "pod": {
        "labels": {"team": "a"},
        "annotations": {"example.com/scrape": "no"},
        "serviceAccountName": "gateway",
        "volumes": [{"name": "authority", "configMap": {"name": "company-ca"}}],
        "volumeMounts": [{"name": "authority", "mountPath": "/etc/company", "readOnly": True}],
        "initContainers": [{"name": "wait", "image": "registry.example/wait:1"}],
        "containers": [{"name": "beside", "image": "registry.example/beside:1"}],
    },
    "extraConfig": {"litellm_settings": {"callbacks": ["prometheus"]}},
}


def _scaled(**how: Any) -> dict[str, Any]:
    return {"scaling": {"minReplicas": 1, "maxReplicas": 4, **how}}


def _picker_config(*plugins: str) -> dict[str, Any]:
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": plugin} for plugin in plugins],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": plugin} for plugin in plugins]}],
    }


def _picker(*plugins: str) -> dict[str, Any]:
    """Routed by a picker with these plugins."""
    return {"router": {**ROUTER, "scheduler": {"config": {"inline": _picker_config(*plugins)}}}}


def _model(uri: str, **more: Any) -> dict[str, Any]:
    return {"model": {"uri": uri, "name": "tiny", **more}}


def _grouped(name: str, weight: int) -> dict[str, Any]:
    return service({"router": {**ROUTER, "route": {"group": "canary", "weight": weight}}}, name)


SPECS: dict[str, dict[str, Any]] = {
    **{name: {**spec, "router": ROUTER} for name, (spec, _) in TOPOLOGIES.items()},
    "pipeline": {"parallelism": {"pipeline": 2, "tensor": 4}, "template": engine(4), "worker": engine(4)},
    "pipeline prefill": {"prefill": {"parallelism": {"pipeline": 2}, "worker": {}}},
    "several groups": several_nodes(replicas=2),
    "groups of GPUs": several_nodes(
        replicas=2,
        template=engine(2),
        worker=engine(2),
        rolloutStrategy={"maxSurge": 1},
        prefill=several_nodes(template=engine(2), worker=engine(2)),
    ),
    "pair of GPUs": {"template": engine(1), "replicas": 2, "prefill": {"template": engine(2), "replicas": 3}},
    "no router": {"replicas": 0},
    "route alone": {"router": {"route": {}, "gateway": {}}},
    "scheduler alone": {"router": {"scheduler": {"replicas": 2}}},
    "pool of others": {"router": {**ROUTER, "scheduler": {"pool": {"ref": {"name": "theirs"}}}}},
    "pool of one's own": {
        "router": {
            **ROUTER,
            "scheduler": {
                "pool": {
                    "spec": {
                        "selector": {"matchLabels": {"app": "mine"}},
                        "targetPorts": [{"number": 8000}],
                        "endpointPickerRef": {"name": "my-picker"},
                    }
                }
            },
        }
    },
    "tokenizer": {"router": {**ROUTER, "scheduler": {"tokenizer": {}}}},
    "tokenizer by its plugin": _picker("queue-scorer", "precise-prefix-cache-scorer"),
    "latency predictor": _picker("queue-scorer", "predicted-latency-producer"),
    "LoRA": _model("hf://org/tiny", lora={"adapters": _ADAPTERS, "maxRank": 64}),
    "LoRA in groups": {**several_nodes(), **_model("hf://org/tiny", lora={"adapters": _ADAPTERS})},
    "KV tiers": {"kvCacheOffloading": {"cpu": "10Gi", "evictionPolicy": "lru", "secondary": [_DISK]}},
    "KV tiers on claims": {
        "kvCacheOffloading": {
            "cpu": "10Gi",
            "secondary": [
                {"fileSystem": {"pvc": {"spec": _EPHEMERAL}}},
                {"fileSystem": {"pvc": {"ref": {"name": "cache", "path": "kv"}}}},
            ],
        }
    },
    "KV tiers in groups": several_nodes(
        kvCacheOffloading={"cpu": "10Gi"}, prefill=several_nodes(kvCacheOffloading={"cpu": "1Gi"})
    ),
    "tracing": {"tracing": {"exporterEndpoint": "http://otel:4317", "samplerArg": "0.1"}, "router": ROUTER},
    "hpa": _scaled(wva={"hpa": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}}}}),
    "keda": _scaled(keda={"triggers": [_TRIGGER], "pollingInterval": 15}),
    "wva keda": _scaled(wva={"keda": {"cooldownPeriod": 60}}),
    "groups scaled apart": several_nodes(
        **_scaled(wva={"keda": {}}), prefill=several_nodes(**_scaled(wva={"keda": {"pollingInterval": 5}}))
    ),
    "s3": _model("s3://bucket/tiny"),
    "pvc": _model("pvc://weights/tiny"),
    "oci": _model("oci://registry.example/tiny:1"),
    "oci+native": _model("oci+native://registry.example/tiny:1"),
    "oci in groups": {**several_nodes(prefill=several_nodes()), **_model("oci://registry.example/tiny:1")},
    "storage off": {"storageInitializer": {"enabled": False}},
    "labels": {"labels": {"team": "a"}, "annotations": {"note": "b"}, "router": ROUTER},
}
# Devices aren't asked for by the spec.
DOCUMENTS: dict[str, list[dict[str, Any]]] = {
    **{name: [service(spec)] for name, spec in SPECS.items()},
    "devices": [service({"parallelism": {"tensor": 2}}, annotations=_DEVICES)],
    "devices in groups": [service(several_nodes(prefill=several_nodes()), annotations=_DEVICES)],
    "picker's config in a ConfigMap": [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "picker"},
            "data": {"config": json.dumps(_picker_config("queue-scorer"))},
        },
        service({"router": {**ROUTER, "scheduler": {"config": {"ref": {"name": "picker", "key": "config"}}}}}),
    ],
    "traffic group": [_grouped("stable", 9), _grouped("canary", 1)],
    "long names": [
        service({**spec, "router": ROUTER}, name[:1] + str(number) + "x" * 61)
        for number, (name, (spec, _)) in enumerate(TOPOLOGIES.items())
    ],
    "behind a gateway": [
        service({"router": ROUTER}),
        service(several_nodes(prefill={}), "second"),
        external({"auth": {"apiKey": {"secretRef": {"name": "openai", "key": "token"}}}}),
        gateway({"replicas": 2, "fallbacks": [{"gpt": ["tiny"]}]}),
    ],
    "gateway in production": [
        service({"router": ROUTER}),
        external({"auth": {"apiKey": {"secretRef": {"name": "openai", "key": "token"}}}}),
        gateway(_IN_PRODUCTION),
        gateway({"database": _IN_PRODUCTION["database"], "autoscaling": {"maxReplicas": 3, **_BOTH_METRICS}}, "second"),
        gateway({"service": {"type": "NodePort"}, "expose": _INGRESS, "redis": {"url": _FROM_SECRET}}, "third"),
    ],
    "companions": [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}},
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "weights"},
            "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
        },
        service({**_model("pvc://weights/tiny"), "template": {"serviceAccountName": "reader"}}),
    ],
}
PROFILES = ("safe", "kserve")
# Since a gateway can't mount the certificate of a model that it reaches directly.
WITHOUT_TLS = frozenset({"behind a gateway", "gateway in production"})


def plan_for(name: str, profile: str = "safe", tls: bool = False, **config: Any) -> Plan:
    """The plan of one row of the table, which must be without errors."""
    credentials = {"openai": {"token": {"existing": True}}} if "gateway" in name else {}
    if name == "gateway in production":
        credentials = {secret: {key: {"existing": True} for key in keys} for secret, keys in _SECRETS.items()}
    settings: Mapping[str, Any] = {"platform": {**PLATFORM, "tls": tls}, "credentials": credentials, **config}
    plan = plan_of(*DOCUMENTS[name], profile=profile, **settings)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan
