"""The Secret of the serving certificate, and the names that the certificate is for."""

from loco import names
from loco.layers import Resolved
from loco.model import Certificate, Manifest
from loco.pods.pool import picker_service_name
from loco.pods.serving import has_decode_service
from loco.spec.tree import at


def certificate_of(resolved: Resolved, component: str) -> tuple[Manifest, Certificate]:
    """The Secret, still without data, and what is to be filled into it."""
    data = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": names.certificate_secret(resolved.name),
            "namespace": resolved.namespace,
            "labels": names.service_labels(resolved.name),
        },
        "type": "kubernetes.io/tls",
    }
    secret = Manifest(data, component, resolved.origin)
    services = [names.workload_service(resolved.name)]
    if has_decode_service(resolved):
        services.append(names.decode_service(resolved.name))
    if picker := picker_service_name(resolved):
        services.append(picker)  # its pods mount the same certificate
        if at(resolved.tree, ("router", "scheduler", "tokenizer", "template")) is not None:
            services.append(names.tokenizer(resolved.name))  # and so do the tokenizer's
    hosts = [host for service in services for host in names.in_cluster_hosts(service, resolved.namespace)]
    return secret, Certificate(secret.id, tuple(sorted(("localhost", *hosts))), "loco")
