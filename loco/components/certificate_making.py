"""Key pairs and certificates themselves: an authority for each service, and what it signs.

Both hold what strict clients ask for (Python from 3.13 on): key usage, and key identifiers that match.
"""

import datetime
import json
from collections.abc import Mapping

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from loco.model import Certificate

VALID_DAYS = 3650
AUTHORITY_CERTIFICATE, AUTHORITY_KEY = "ca.crt", "ca.key"
_CLOCKS = datetime.timedelta(minutes=5)  # clocks of a cluster are never quite equal


def make_authority(certificate: Certificate) -> str:
    """An authority that signs for one service alone: JSON text with its certificate and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(certificate, f"{certificate.secret.namespace}/{certificate.secret.name}")
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        _builder(name, name, key, key)
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(_usage(signs_certificates=True), True)
        .sign(key, hashes.SHA256())
    )
    return json.dumps({AUTHORITY_CERTIFICATE: _pem(signed), AUTHORITY_KEY: _private(key)})


def make_certificate(certificate: Certificate, authority: str) -> str:
    """``tls.crt``, ``tls.key`` and ``ca.crt`` as JSON text, signed by the authority of ``make_authority``."""
    held: Mapping[str, str] = json.loads(authority)
    issuer = x509.load_pem_x509_certificate(held[AUTHORITY_CERTIFICATE].encode())
    issuer_key = serialization.load_pem_private_key(held[AUTHORITY_KEY].encode(), None)
    assert isinstance(issuer_key, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        _builder(_name(certificate, None), issuer.subject, key, issuer_key)
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(min(now + datetime.timedelta(days=VALID_DAYS), issuer.not_valid_after_utc))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in certificate.dns_names]), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(_usage(signs_certificates=False), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(issuer_key, hashes.SHA256())
    )
    chain = _pem(signed) + held[AUTHORITY_CERTIFICATE]
    return json.dumps({"tls.crt": chain, "tls.key": _private(key), "ca.crt": held[AUTHORITY_CERTIFICATE]})


def days_left(pem: str) -> int:
    """How many days the first certificate of a text is still valid."""
    last = x509.load_pem_x509_certificate(pem.encode()).not_valid_after_utc
    return (last - datetime.datetime.now(datetime.UTC)).days


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False)
    )


def _name(certificate: Certificate, common: str | None) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, certificate.organization)]
    if common is not None:
        parts.append(x509.NameAttribute(NameOID.COMMON_NAME, common[:64]))  # all that the attribute may hold
    return x509.Name(parts)


def _usage(signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _private(key: ec.EllipticCurvePrivateKey) -> str:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode()
