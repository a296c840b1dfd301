"""The pinned tools: built once per user from Go modules, because no registry has them built."""

from dev.toolchain.table import ALL_TOOLS, CLUSTER_TOOLS, GATEWAY_API, PROVIDER, PULUMI, Tool
from dev.toolchain.tools import Tools, ensure, link_bin, link_provider

__all__ = [
    "ALL_TOOLS",
    "CLUSTER_TOOLS",
    "GATEWAY_API",
    "PROVIDER",
    "PULUMI",
    "Tool",
    "Tools",
    "ensure",
    "link_bin",
    "link_provider",
]
