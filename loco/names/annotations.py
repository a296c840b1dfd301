"""Names of loco's own annotations; most of them carry the digest of what a pod reads."""

from loco.names.child_names import HASH, LONGEST, md5

MADE_BY = "locostack.com/stack"  # project and stack, on Secrets that a stack has filled
DIGEST_PREFIX = "locostack.com/digest."  # one for each source that the pods read
CONFIG_DIGEST = f"{DIGEST_PREFIX}config"
AUTHORITIES_DIGEST = f"{DIGEST_PREFIX}authorities"
CERTIFICATE_DIGEST = f"{DIGEST_PREFIX}certificate"  # of the stack's rotation, on pods that read certificates once
COMBINED_DIGEST = "locostack.com/configHash"  # all of them in one
_OTHER_DIGESTS = ("authorities", "certificate", "config", "master-key", "salt-key")


def made_by(project: str, stack: str) -> str:
    """The value of ``MADE_BY``: how an object says which stack has made it."""
    return f"{project}/{stack}"


def credential_digest(secret: str) -> str:
    """How the digest of a Secret is called behind ``DIGEST_PREFIX``: its name, as far as that is free and fits."""
    if secret in _OTHER_DIGESTS:
        return f"Secret-{secret}"  # no Secret's name has a capital
    longest = LONGEST - len(DIGEST_PREFIX.rpartition("/")[2])
    return secret if len(secret) <= longest else f"{secret[: longest - HASH - 1]}-{md5(secret)}"


def config_map_digest(config_map: str) -> str:
    """The annotation of the pods that read one of the stack's ConfigMaps."""
    return f"{DIGEST_PREFIX}{credential_digest(f'ConfigMap-{config_map}')}"  # no Secret's name has a capital
