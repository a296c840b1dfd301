"""Serving certificates: made once, kept in the stack's state as a secret for as long as the plan asks for them."""

import datetime
import json
from collections.abc import Mapping

import pulumi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from loco.components.kept import kept_secret
from loco.model import Certificate

_VALID_DAYS = 3650


def certificate_data(certificate: Certificate, parent: pulumi.Resource) -> pulumi.Output[Mapping[str, str]]:
    """``tls.crt``, ``tls.key`` and ``ca.crt`` (the certificate is its own authority), the same at every update."""
    name = f"certificate/{certificate.secret.namespace}/{certificate.secret.name}"
    kept = kept_secret(name, json.dumps(_make(certificate)), parent)
    return kept.apply(lambda text: json.loads(str(text)) if text else {})


def _make(certificate: Certificate) -> dict[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, certificate.organization)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))  # clocks of a cluster are never quite equal
        .not_valid_after(now + datetime.timedelta(days=_VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in certificate.dns_names]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(key, hashes.SHA256())
    )
    chain = signed.public_bytes(serialization.Encoding.PEM).decode()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return {"tls.crt": chain, "tls.key": secret, "ca.crt": chain}
