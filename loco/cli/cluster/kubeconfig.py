"""A context of a kubeconfig to a Reader of its cluster, by the official client: it knows exec plugins and proxies."""

import os
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException
from kubernetes.config.kube_config import ConfigNode, KubeConfigLoader, KubeConfigMerger
from urllib3.util.ssl_ import create_urllib3_context

from loco.cli.cluster.client import ClusterReader
from loco.cli.cluster.reader import Found, Unreachable, Unreadable
from loco.cli.cluster.shapes import Data, mapping

_DIRECT = "localhost,127.0.0.0/8,::1"  # what kubectl never sends through a proxy of the environment
# What the client raises for a kubeconfig that is YAML and nothing that it expects.
_ODD = (ConfigException, AttributeError, IndexError, KeyError, TypeError, ValueError, yaml.YAMLError, OSError)


def open_cluster(context: str, kubeconfig: Path | None) -> ClusterReader:
    """The cluster of a context, which has answered once.

    Args:
        context: there is no default; the kubeconfig's current context is nobody's choice.
        kubeconfig: by default what ``KUBECONFIG`` names, or ``~/.kube/config``.

    Raises:
        Unreachable: no such context, or nothing behind it that answers as Kubernetes does.
    """
    files = str(kubeconfig) if kubeconfig else os.environ.get("KUBECONFIG") or "~/.kube/config"
    try:
        client, user = _client(context, files)
    except _ODD as error:
        # Its text stays unsaid: the client puts whole entries into it, tokens too.
        why = f"the kubeconfig {files} can't be used ({type(error).__name__})"
        raise Unreachable(why, f"a kubeconfig with which kubectl --context {context} works") from None
    reader = ClusterReader(client, list(_impersonation(user)))
    core = reader.kinds("", "v1")
    if not isinstance(core, Found) or "Namespace" not in core.data:
        why = core.why if isinstance(core, Unreadable) else "it answers, and not as Kubernetes does"
        raise Unreachable(f"{client.configuration.host}: {why}", "a context whose cluster is up and lets this user in")
    return reader


def _client(context: str, files: str) -> tuple[ApiClient, Data]:
    """A client for the context, and the entry of its user."""
    merged = KubeConfigMerger(files).config  # type: ignore[no-untyped-call]
    if merged is None:
        raise Unreachable(f"there is no kubeconfig at {files}", "--kubeconfig PATH, or KUBECONFIG in the environment")
    contexts = _entries(merged, "contexts", "context")
    if context not in contexts:
        known = ", ".join(sorted(contexts))
        cure = f"one of the contexts {known}" if known else "a kubeconfig that has contexts"
        raise Unreachable(f"no context is called {context} in {files}", cure)
    cluster = _entries(merged, "clusters", "cluster")[contexts[context]["cluster"]]
    if not cluster.get("server"):  # the client would go to http://localhost, with the token
        raise Unreachable(f"the context {context} names no server", "a context of a cluster with a server")
    configuration = Configuration()
    configuration.retries = False  # an answer soon, if only a refusal
    loader = KubeConfigLoader(merged, context, config_base_path=None)  # type: ignore[no-untyped-call]
    loader.load_and_set(configuration)  # type: ignore[no-untyped-call]
    if not cluster.get("proxy-url"):
        configuration.no_proxy = ",".join(filter(None, (configuration.no_proxy, _DIRECT)))
    client = ApiClient(configuration)
    client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = _lenient(configuration)
    user = _entries(merged, "users", "user").get(str(contexts[context].get("user")), {})
    return client, user


def _entries(merged: ConfigNode, kind: str, entry: str) -> dict[str, Data]:
    """By name, the entries of one kind; the client has merged the files."""
    items = [item.value if isinstance(item, ConfigNode) else item for item in merged.value.get(kind) or []]
    return {str(item["name"]): mapping(item.get(entry)) for item in items}


def _lenient(configuration: Configuration) -> ssl.SSLContext:
    """Checks certificates as kubectl does. From Python 3.13 on the default asks for extensions that many clusters lack."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if configuration.verify_ssl else ssl.CERT_NONE)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if configuration.verify_ssl and not configuration.ssl_ca_cert:
        context.load_default_certs()
    return context


def _impersonation(user: Data) -> Iterator[tuple[str, str]]:
    """The headers of ``as:`` and its relatives, which the client overlooks: it would act with more rights than asked."""
    for field, header in (("as", "Impersonate-User"), ("as-uid", "Impersonate-Uid")):
        if user.get(field):
            yield header, str(user[field])
    for group in user.get("as-groups") or []:
        yield "Impersonate-Group", str(group)
    extra: dict[str, Any] = dict(mapping(user.get("as-user-extra")))
    for key, values in extra.items():
        for value in values or []:
            yield f"Impersonate-Extra-{quote(key, safe='')}", str(value)
