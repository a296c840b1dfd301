"""A stack remembers its cluster: the identifier of its first update is kept in the state, and another is refused."""

import pulumi

from loco.model import Finding, Origin


def remembered_identifier(
    name: str, identifier: str, origin: Origin, opts: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """The cluster's identifier, as an output that fails where the stack remembers another.

    The provider takes its identifier from here, and every object its provider, so nothing is applied on a mismatch.
    """
    memory = pulumi.Stash(
        name,
        input=identifier,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=["input"])),
    )

    def same(remembered: str | None) -> str:
        if remembered in (None, identifier):
            return identifier
        finding = Finding(
            "LOCO-CLUSTER",
            "error",
            "cluster.identifier",
            f"this stack lives on the cluster {remembered}, and the config names {identifier}; nothing was applied",
            f"identifier: {remembered}, or use another stack for the other cluster",
            origin,
            value=identifier,
        )
        raise pulumi.RunError(str(finding))

    return memory.output.apply(same)
