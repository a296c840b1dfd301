"""The embedded cluster: etcd, three Kubernetes processes and kwok's fake nodes, on loopback."""

from dev.cluster.cluster import Cluster

__all__ = ["Cluster"]
