"""What the environment of a model's download holds: credentials, endpoints, tuning; no value of a Secret among it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_annotation

STORAGE_SECRET = "serving.kserve.io/storageSecretName"
# Read once, to download the weights: a new value is of use to the next start, and worth no restart.
DOWNLOAD_ONLY = frozenset(
    {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
)
# Of a storage Secret, the keys that the storage initializer knows as variables.
_OF_S3 = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
    "AWS_DEFAULT_REGION",
    "AWS_CA_BUNDLE",
    "S3_ENDPOINT",
    "S3_VERIFY_SSL",
    "S3_USER_VIRTUAL_BUCKET",
    "S3_USE_ACCELERATE",
    "awsAnonymousCredential",
)
_KNOWN_KEYS = ("HF_TOKEN", *_OF_S3)
_CA_CONFIG_MAP = "AWS_CA_BUNDLE_CONFIGMAP"
_SHARED = frozenset(
    {
        *DOWNLOAD_ONLY,
        *_KNOWN_KEYS,
        _CA_CONFIG_MAP,
        "S3_USE_HTTPS",
        "AWS_REGION",
        "AWS_ENDPOINT_URL_S3",
        "HF_ENDPOINT",
        *(name for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY") for name in (proxy, proxy.lower())),
    }
)
# Tuning of the download; a value that the user wrote stays.
HF_TUNING = (
    {"name": "HF_HUB_ENABLE_HF_TRANSFER", "value": "1"},
    {"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"},
    {"name": "HF_XET_NUM_CONCURRENT_RANGE_GETS", "value": "8"},
)


def storage_secret(resolved: Resolved) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Variables from the Secret that the service's annotation names.

    What a Secret holds is unknown to a plan, so the stack's ``credentials`` must declare its keys. Its annotations,
    by which KServe sets an endpoint and a region, aren't read: they are keys, or variables of the init container.
    """
    secret = resolved.annotations.get(STORAGE_SECRET)
    if secret is None:
        return [], []
    keys = [key for key in _KNOWN_KEYS if key in resolved.credentials.get(secret, {})]
    if keys:
        return [*(_from_secret(key, secret, key) for key in keys), *_endpoint(keys)], []
    known = secret in resolved.credentials
    message = (
        f"of the Secret {secret}, none of the declared keys is one that a download knows"
        if known
        else f"the stack says nothing of the Secret {secret}, so which of its keys a download needs is unknown"
    )
    source = "{existing: true}"
    cure = (
        f"credentials: {{{secret}: {{AWS_ACCESS_KEY_ID: {source}, AWS_SECRET_ACCESS_KEY: {source}}}}} in the stack "
        f"config; the keys may be {', '.join(_KNOWN_KEYS)}"
    )
    return [], [in_annotation(resolved, STORAGE_SECRET, message, cure, code="LOCO-CREDENTIAL", value=secret)]


def shared_environment(container: Mapping[str, Any], resolved: Resolved) -> list[dict[str, Any]]:
    """Variables of the engine that its download needs too: tokens, endpoints and proxies, however they get a value.

    A token that is known to the engine alone leaves a gated model's download with 401.
    """
    if resolved.profile.settings.download_environment != "engines":
        return []
    written = [dict(variable) for variable in container.get("env") or [] if variable.get("name") in _SHARED]
    names = {variable["name"] for variable in written}
    shared = [
        variable
        for variable in written
        # A path within the engine means nothing elsewhere, unless the ConfigMap is named that is mounted there.
        if variable["name"] != "AWS_CA_BUNDLE" or _CA_CONFIG_MAP in names
    ]
    return [*shared, *(item for item in _of_whole_secrets(container, resolved) if item["name"] not in names)]


def ca_bundle(initializer: Mapping[str, Any], resolved: Resolved) -> tuple[str, str] | None:
    """The ConfigMap of certificate authorities for a download and where it is mounted, None where there is none.

    A variable of the init container names another one than the platform's.
    """
    literal = {item["name"]: item["value"] for item in initializer.get("env") or [] if item.get("value")}
    platform = resolved.ca_bundle
    name = literal.get(_CA_CONFIG_MAP) or (platform.config_map if platform else None)
    if name is None:
        return None
    path = platform.mount_path if platform else "/etc/ssl/custom-certs"
    if file := literal.get("AWS_CA_BUNDLE"):
        path = file.rpartition("/")[0] or path
    return name, path


def _endpoint(keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A URL of the host that alone is declared: the download reads the URL only."""
    if "S3_ENDPOINT" in keys and "AWS_ENDPOINT_URL" not in keys:
        # Kubernetes puts the variable's value in the place of $(…).
        yield {"name": "AWS_ENDPOINT_URL", "value": "https://$(S3_ENDPOINT)"}


def _of_whole_secrets(container: Mapping[str, Any], resolved: Resolved) -> Iterator[dict[str, Any]]:
    """Variables that come with a Secret that the engine takes as a whole, as far as its keys are declared."""
    for source in container.get("envFrom") or []:
        name = str((source.get("secretRef") or {}).get("name"))
        for key in resolved.credentials.get(name, {}):
            variable = f"{source.get('prefix') or ''}{key}"
            if variable in _SHARED:
                yield _from_secret(variable, name, key)


def _from_secret(variable: str, secret: str, key: str) -> dict[str, Any]:
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
