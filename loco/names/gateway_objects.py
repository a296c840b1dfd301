"""Names of the objects of a LiteLLMGateway."""

from loco.names.child_names import child_name


def gateway(name: str) -> str:
    """The gateway's Deployment and Service."""
    return child_name(name, "-litellm")


def gateway_secret(name: str) -> str:
    """The Secret with its master key."""
    return child_name(name, "-litellm-master-key")


def gateway_salt_secret(name: str) -> str:
    """The Secret with its salt key."""
    return child_name(name, "-litellm-salt-key")


def gateway_scaled_object(name: str) -> str:
    """KEDA's ScaledObject of its Deployment. Another name than an autoscaler's: the engine tells them apart by it."""
    return child_name(name, "-litellm-keda")


def gateway_migration(name: str) -> str:
    """The Job that migrates its database."""
    return child_name(name, "-litellm-migrate")


def gateway_authorities(name: str) -> str:
    """The ConfigMap with the authorities whose certificates it trusts beside the public ones."""
    return child_name(name, "-litellm-authorities")


def gateway_config(name: str) -> str:
    """The ConfigMap with its config file."""
    return child_name(name, "-litellm-config")
