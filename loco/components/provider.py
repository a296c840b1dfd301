"""The one Kubernetes provider of a stack, with the flags that loco's rollouts rely on."""

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
        opts: further options.

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
