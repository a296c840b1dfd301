"""The Job that brings a gateway's database to what its LiteLLM expects, before any of its pods is replaced.

A Job's template can't be changed, so each content is a Job of its own (``editions``): the image, the reference to the
URL and the digest of its value. Another config file makes no new one. It has ended before the Deployment is touched,
and where it fails the pods of before go on. A finished one is never deleted by Kubernetes itself: the engine would
make it again.
"""

from typing import Any

from loco import names
from loco.gateway.additions import mounted_volumes
from loco.gateway.database import PRISMA, URL, database_variables, migration_variable
from loco.gateway.documents import Gateway
from loco.gateway.pod import CONTAINER_SECURITY, ENVIRONMENT, POD_SECURITY, chosen_placement, from_secret, image_of
from loco.gateway.variables import Variable
from loco.model import Manifest, Wait

_RESOURCES = {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}}
_SPARE_SECONDS = 60  # for Kubernetes to call it failed after its deadline
_UNUSED = ("GRACEFUL_SHUTDOWN_TIMEOUT",)


def url_of_migration(gateway: Gateway) -> Variable:
    """The variable that the Job reads: its own URL, else that of the servers."""
    return migration_variable(gateway) or next(database_variables(gateway))


def migration(gateway: Gateway, component: str) -> Manifest:
    """The Job of a gateway that has a database, without the digest of its URL.

    It has the servers' image, account, security and placement, and their volumes, of which one may hold the authority
    of the database. It hasn't their labels and annotations: a mesh's proxy beside it would never end.
    """
    database, labels = gateway.spec.database, names.migration_labels(gateway.name)
    assert database is not None
    volumes, mounts = mounted_volumes(gateway)
    volumes = [{"name": "tmp", "emptyDir": {"sizeLimit": "500Mi"}}, *volumes]
    there = {volume["name"] for volume in volumes}  # the servers have others, such as their config
    environment = {key: value for key, value in ENVIRONMENT.items() if key not in _UNUSED}
    environment |= {**PRISMA, "LITELLM_MIGRATION_DIR": "/tmp/migrations"}  # it copies them there to work on them
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in environment.items()]
    container = {
        "name": "migrate",
        "image": image_of(gateway),
        "imagePullPolicy": "IfNotPresent",
        "args": ["--skip_server_startup"],
        "env": [*env, from_secret(URL, url_of_migration(gateway).source)],
        "resources": dict(database.migration.resources or _RESOURCES),
        "securityContext": dict(CONTAINER_SECURITY),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, *(each for each in mounts if each["name"] in there)],
    }
    pod: dict[str, Any] = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",  # each try is a pod of its own, whose log stays
        "securityContext": dict(POD_SECURITY),
        "containers": [container],
        "volumes": volumes,
        **chosen_placement(gateway),
    }
    data = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": names.gateway_migration(gateway.name),
            "namespace": gateway.namespace,
            "labels": labels,
        },
        "spec": {
            "backoffLimit": database.migration.backoff_limit,
            "activeDeadlineSeconds": database.migration.active_deadline_seconds,
            "template": {"metadata": {"labels": dict(labels)}, "spec": pod},
        },
    }
    patience = database.migration.active_deadline_seconds + _SPARE_SECONDS
    return Manifest(data, component, gateway.origin, wait=Wait(timeout_seconds=patience), editions=True)
