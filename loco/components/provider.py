"""The one Kubernetes provider of a stack, with the flags that loco's rollouts rely on."""

from collections.abc import Mapping
from pathlib import Path

import pulumi

PROVIDER_VERSION = "4.25.0"  # also the plugin's: the pair that loco is tested with


class KubernetesProvider(pulumi.ProviderResource):
    """The provider, registered as data like everything else.

    The class of pulumi_kubernetes would copy this machine's KUBECONFIG into the state, a change on every other machine.
    """

    def __init__(self, name: str, props: dict[str, pulumi.Input[str] | None], opts: pulumi.ResourceOptions) -> None:
        super().__init__("kubernetes", name, props, opts)


def make_provider(
    name: str,
    *,
    context: str,
    identifier: pulumi.Input[str] | None = None,
    kubeconfig: Path | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> KubernetesProvider:
    """A Kubernetes provider for a ModelServingStack.

    Args:
        name: logical name.
        context: context of the kubeconfig. There is no default: the current context is nobody's choice.
        identifier: names the cluster for good; while it stays, a renamed context replaces nothing.
        kubeconfig: path of the kubeconfig; by default what ``KUBECONFIG`` names, or ``~/.kube/config``.
        opts: further options, such as a parent or aliases; a ``version`` among them replaces the tested one.

    Returns:
        The provider, for ``opts.provider`` of ModelServingStack and of anything else on that cluster. Whether the
        cluster answers is seen when the first object is made.

    Secrets and ConfigMaps are updated in place. By default the provider would replace them, and with them whatever
    takes their name from an output.
    """
    props: dict[str, pulumi.Input[str] | None] = {
        "context": context,
        "clusterIdentifier": identifier if identifier is not None else context,
        "kubeconfig": str(kubeconfig) if kubeconfig is not None else None,
        "enableSecretMutable": "true",
        "enableConfigMapMutable": "true",
    }
    merged = pulumi.ResourceOptions.merge(pulumi.ResourceOptions(version=PROVIDER_VERSION), opts)
    return KubernetesProvider(name, props, merged)


def given_provider(opts: pulumi.ResourceOptions | None) -> pulumi.ProviderResource | None:
    """The Kubernetes provider among a component's options, if there is one."""
    if opts is None:
        return None
    several = opts.providers or []
    found = [opts.provider, *(several.values() if isinstance(several, Mapping) else several)]
    return next((provider for provider in found if provider is not None and provider.package == "kubernetes"), None)


def warn_of_foreign(provider: pulumi.ProviderResource, resource: pulumi.Resource) -> None:
    """A provider that loco has not made may lack the flags that its rollouts rely on; nobody can look into it."""
    if not isinstance(provider, KubernetesProvider):
        pulumi.log.warn(
            "[LOCO-PROVIDER]: this stack's provider was made elsewhere\n"
            "  without enable_secret_mutable and enable_config_map_mutable a changed Secret or ConfigMap is deleted and "
            "made anew\n  write provider = loco.make_provider(…), or set the two flags",
            resource,
        )
