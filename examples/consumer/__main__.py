"""The application: its key is read from the cluster, kept in a Secret of its own, and a new key starts new pods."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_kubernetes as kubernetes
from serving import entry, outputs_of

NAME = "chat"


def key_of(secret: Mapping[str, str], provider: pulumi.ProviderResource) -> pulumi.Output[str]:
    """The value of a key of a Secret in the cluster, read with this project's own rights; a secret output."""
    place = f"{secret['namespace']}/{secret['name']}"
    found = kubernetes.core.v1.Secret.get("gateway-key", place, opts=pulumi.ResourceOptions(provider=provider))

    def decoded(data: Mapping[str, str] | None) -> str:
        if not data or secret["key"] not in data:
            raise pulumi.RunError(f"the Secret {place} has no key {secret['key']}")
        return base64.b64decode(data[secret["key"]]).decode()

    return pulumi.Output.secret(found.data.apply(decoded))


def digest_of(value: pulumi.Output[str]) -> pulumi.Output[str]:
    """What changes with a secret value, and from which nobody can guess it: the key stays in this stack's state."""
    kept = pulumi.Stash(
        "digest-key",
        input=pulumi.Output.secret(secrets.token_hex(32)),
        opts=pulumi.ResourceOptions(ignore_changes=["input"]),
    )

    def keyed(both: Sequence[str]) -> str:
        return hmac.new(both[0].encode(), both[1].encode(), hashlib.sha256).hexdigest()[:16]

    return pulumi.Output.unsecret(pulumi.Output.all(pulumi.Output.secret(kept.output), value).apply(keyed))


async def main() -> None:
    config = pulumi.Config()
    serving, namespace = config.require("serving"), config.require("namespace")
    outputs = await outputs_of(serving)
    gateway = entry(serving, "gateways", outputs["gateways"], config.require("gateway"))
    model = entry(serving, "models", outputs["models"], config.require("model"))

    provider = kubernetes.Provider(
        "cluster",
        context=config.require("context"),
        cluster_identifier=config.require("clusterIdentifier"),
        enable_secret_mutable=True,  # a new key is written into the Secret; by default the Secret would be replaced
    )
    inside = pulumi.ResourceOptions(provider=provider)
    key = key_of(config.get_object("key") or gateway["masterKey"], provider)

    home = kubernetes.core.v1.Namespace(NAME, metadata={"name": namespace}, opts=inside)
    standing_there = pulumi.ResourceOptions(provider=provider, depends_on=[home])
    # Pods read Secrets of their own namespace only, so the key gets one here.
    secret = kubernetes.core.v1.Secret(
        NAME, metadata={"name": NAME, "namespace": namespace}, string_data={"key": key}, opts=standing_there
    )
    labels = {"app.kubernetes.io/name": NAME}
    environment = [
        {"name": "OPENAI_BASE_URL", "value": f"{gateway['url']}/v1"},
        {"name": "OPENAI_API_KEY", "valueFrom": {"secretKeyRef": {"name": NAME, "key": "key"}}},
        {"name": "MODEL", "value": model["servedNames"][0]},
    ]
    container = {
        "name": NAME,
        "image": config.require("image"),
        "env": environment,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    kubernetes.apps.v1.Deployment(
        NAME,
        metadata={"name": NAME, "namespace": namespace},
        spec={
            "replicas": config.get_int("replicas") or 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": {"example.com/digest.gateway-key": digest_of(key)}},
                "spec": {
                    "automountServiceAccountToken": False,
                    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                    "containers": [container],
                },
            },
        },
        opts=pulumi.ResourceOptions(provider=provider, depends_on=[home, secret]),
    )


pulumi.run(main)
