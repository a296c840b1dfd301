"""How a gateway's pods come to trust the stack's own models: their authorities, beside the public ones.

LiteLLM trusts one file. What a model's own ``ssl_verify`` names doesn't reach every kind of request, and a file of the
stack's authorities alone would cut off all external models. So an init container joins the image's public authorities
and the stack's into one file before LiteLLM starts. Another authority needs new pods; a digest on them sees to that.
"""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.model import Manifest, ManifestId, ServedModel, TrustedAuthority

_GIVEN, _JOINED = "/etc/litellm-authorities", "/etc/litellm-trust"
_BUNDLE = f"{_JOINED}/ca.crt"
_SCRIPT = f"""\
set -eu
public=$(python3 -c 'import certifi; print(certifi.where())')
for file in "$public" {_GIVEN}/*.crt; do
  cat "$file"
  echo
done > {_BUNDLE}
"""


def directly_served(reached: Sequence[tuple[ServedModel, str]]) -> list[tuple[ServedModel, ManifestId]]:
    """The models whose own certificate the gateway meets, each with the Secret that holds it."""
    return [
        (model, model.certificate)
        for model, url in reached
        if model.certificate is not None and url == model.service_url and url.startswith("https:")
    ]


def authorities_of(
    gateway: Gateway, component: str, direct: Sequence[tuple[ServedModel, ManifestId]], reader: ManifestId
) -> tuple[Manifest, list[TrustedAuthority]]:
    """The ConfigMap of the authorities, still without data, and what is to be filled into it.

    A copy, because pods can mount nothing from another namespace, and because the Secret holds a key too.
    """
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": names.gateway_authorities(gateway.name),
            "namespace": gateway.namespace,
            "labels": names.gateway_labels(gateway.name),
        },
    }
    config_map = Manifest(data, component, gateway.origin)
    held = [
        TrustedAuthority(config_map.id, f"{model.namespace}.{model.name}.crt", secret, reader)
        for model, secret in direct
    ]
    return config_map, held


def trust(template: dict[str, Any], config_map: str) -> None:
    """Makes the pods of a gateway's template trust the authorities of the ConfigMap."""
    pod = template["spec"]
    (container,) = pod["containers"]
    pod["initContainers"] = [
        {
            "name": "authorities",
            "image": container["image"],
            "imagePullPolicy": container["imagePullPolicy"],
            "command": ["/bin/sh", "-c", _SCRIPT],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            "securityContext": dict(container["securityContext"]),
            "terminationMessagePolicy": "FallbackToLogsOnError",
            "volumeMounts": [
                {"name": "authorities", "mountPath": _GIVEN, "readOnly": True},
                {"name": "trust", "mountPath": _JOINED},
            ],
        }
    ]
    container["env"].append({"name": "SSL_CERT_FILE", "value": _BUNDLE})
    container["volumeMounts"].append({"name": "trust", "mountPath": _JOINED, "readOnly": True})
    pod["volumes"] += [
        {"name": "authorities", "configMap": {"name": config_map}},
        {"name": "trust", "emptyDir": {"sizeLimit": "10Mi"}},
    ]
