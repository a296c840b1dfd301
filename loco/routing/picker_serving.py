"""Whether the endpoint picker serves as the platform says: with the service's certificate where there is TLS."""

from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import place_of
from loco.pods.certificate import MOUNT_PATH
from loco.pods.reading import PICKER_TEMPLATE, in_template
from loco.routing.picker_flags import has_flag, last_value_of
from loco.spec.tree import Path

CODE = "LOCO-CERTIFICATE"
_OFF = ("0", "f", "false")


def serving_findings(picker: Mapping[str, Any], number: int, resolved: Resolved) -> Iterator[Finding]:
    """Of a finished picker, which is container ``number`` of its pod: flags that contradict ``platform.tls``.

    An error for the service's certificate where nothing mounts it, without which the picker doesn't start.
    """
    certificate, secure = _last(picker, "cert-path"), _last(picker, "secure-serving")
    plain = secure is not None and secure[0].lower() in _OFF
    tls = f"platform.tls is {str(resolved.tls).lower()}"
    if certificate is not None and certificate[0] and not plain:
        path, where = certificate
        if not any(_holds(mount, path) for mount in picker.get("volumeMounts") or []):
            message = f"the picker reads its certificate from {path}, where nothing is mounted ({tls})"
            cure = "platform: {tls: true}; or the picker without --cert-path and --secure-serving"
            if _holds({"mountPath": MOUNT_PATH}, path):
                yield _at(resolved, number, where, message, cure, value=path)
            else:  # the image may have one there
                yield _at(resolved, number, where, message, cure, code=CODE, severity="warning", value=path)
            return
    if resolved.tls and plain and secure is not None:
        message = f"the picker speaks without TLS, and {tls}"
        cure = "the picker without --secure-serving=false, or platform: {tls: false}"
        yield _at(resolved, number, secure[1], message, cure, code=CODE, severity="warning")
    elif resolved.tls and certificate is None:
        message = f"{tls}, and the picker isn't told where its certificate is, so it serves with one of its own making"
        cure = f"--cert-path={MOUNT_PATH} among the picker's arguments"
        yield _at(resolved, number, ("command",), message, cure, code=CODE, severity="warning")
    elif not resolved.tls and certificate is None and secure is not None and not plain:
        message = f"the picker serves with a certificate of its own making, and {tls}"
        cure = "the picker without --secure-serving, or platform: {tls: true}"
        yield _at(resolved, number, secure[1], message, cure, code=CODE, severity="warning")


def _last(picker: Mapping[str, Any], flag: str) -> tuple[str, Path] | None:
    """The value that counts, "true" for a bare flag, and where it stands within the container."""
    for field in ("args", "command"):
        words = [str(word) for word in picker.get(field) or []]
        if found := last_value_of(words, flag):
            value, index = found
            bare = "=" not in words[index] and value.startswith("-")
            return ("true" if bare else value), (field, index)
        if has_flag(words, flag):  # bare, and the last word
            return "true", (field, len(words) - 1)
    return None


def _holds(mount: Mapping[str, Any], path: str) -> bool:
    folder = place_of(mount)
    return f"{normpath(path)}/".startswith(f"{folder.rstrip('/')}/")


def _at(resolved: Resolved, number: int, where: Path, message: str, cure: str, **more: Any) -> Finding:
    return in_template(resolved, ("containers", number, *where), message, cure, place=PICKER_TEMPLATE, **more)
