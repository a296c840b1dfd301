"""Serving certificates and their authorities: made once, kept in the stack's state as secrets while their editions last.

The logical name of what is kept ends in its edition, a short digest of what it was made for. So another edition is a
new resource with new contents, made in the same update, and the engine deletes the old one afterwards.
"""

import json
from collections.abc import Mapping
from functools import partial

import pulumi

from loco.components.certificate_making import days_left, make_authority, make_certificate
from loco.components.findings import warn
from loco.components.kept import kept_secret
from loco.model import Certificate, Finding

_DAYS_OF_WARNING = 90


def certificate_data(certificate: Certificate, parent: pulumi.Resource) -> pulumi.Output[Mapping[str, str]]:
    """``tls.crt``, ``tls.key`` and ``ca.crt``, the same at every update until the certificate's edition changes."""
    where = f"{certificate.secret.namespace}/{certificate.secret.name}"
    authority = kept_secret(
        f"authority/{where}/{certificate.authority_edition}", make_authority(certificate), parent
    ).apply(str)
    fresh = authority.apply(partial(make_certificate, certificate))
    kept = kept_secret(f"certificate/{where}/{certificate.edition}", fresh, parent)
    return kept.apply(partial(_read, certificate, parent))


def authority_of(data: pulumi.Output[Mapping[str, str]]) -> pulumi.Output[str]:
    """The authority's certificate, which is public, out of ``certificate_data``."""
    return pulumi.Output.unsecret(data.apply(lambda files: files.get("ca.crt", "")))


def _read(certificate: Certificate, parent: pulumi.Resource, text: object) -> dict[str, str]:
    """Whoever is told in time can choose the hour of the change."""
    files: dict[str, str] = json.loads(str(text)) if text else {}
    if files and (days := days_left(files["tls.crt"])) < _DAYS_OF_WARNING:
        message = f"the certificate in {certificate.secret} runs out in {days} days"
        cure = "rotation: {certificates: TEXT} in the stack config, any text that it doesn't have now"
        warn([Finding("LOCO-CERTIFICATE", "warning", "rotation.certificates", message, cure)], parent)
    return files
