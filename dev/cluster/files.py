"""The state folder of one cluster, and the secrets in it that are made once."""

import base64
import os
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

CERTIFICATE_DAYS = 300  # the API server's own certificate lasts 365 days


@dataclass(frozen=True)
class Files:
    folder: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def tokens(self) -> Path:
        return self.folder / "tokens.csv"

    @property
    def signing_key(self) -> Path:
        return self.folder / "service-account.key"

    @property
    def certificates(self) -> Path:
        return self.folder / "certificates"

    @property
    def authority(self) -> Path:
        """The API server writes it when it first starts: its certificate with the signer's."""
        return self.certificates / "apiserver.crt"

    @property
    def etcd_data(self) -> Path:
        return self.folder / "etcd"

    @property
    def port(self) -> Path:
        return self.folder / "port"

    def log(self, part: str) -> Path:
        return self.folder / "logs" / f"{part}.log"

    def prepare(self) -> str:
        """Make what is missing and return the administrator's token."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        (self.folder / "logs").mkdir(exist_ok=True)
        age = time.time() - self.authority.stat().st_mtime if self.authority.exists() else 0
        if age > CERTIFICATE_DAYS * 86400:
            shutil.rmtree(self.certificates)
        if not self.signing_key.exists():
            write_private(self.signing_key, new_signing_key())
        if not self.tokens.exists():
            token = secrets.token_urlsafe(32)
            write_private(self.tokens, f'{token},admin,admin,"system:masters"\n')
        return self.token()

    def token(self) -> str:
        return self.tokens.read_text().partition(",")[0]


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as output:
        output.write(text)
    os.replace(draft, path)


def new_signing_key() -> str:
    """Make a P-256 key for service account tokens.

    The standard library has no key generation, but a key on this curve is any 32 random bytes
    (below the curve's order, which starts with 32 one bits, hence the cleared first bit) in a
    fixed SEC 1 frame; the reader computes the public half.
    """
    number = bytearray(secrets.token_bytes(32))
    number[0] &= 0x7F
    frame = bytes.fromhex("30310201010420"), bytes.fromhex("a00a06082a8648ce3d030107")
    body = base64.encodebytes(frame[0] + bytes(number) + frame[1]).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}-----END EC PRIVATE KEY-----\n"
