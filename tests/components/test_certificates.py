"""What serving certificates are, and when one is made anew."""

import datetime
import json
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from cryptography import x509

from loco import ModelServingStack
from loco.components.certificate_making import days_left, make_authority, make_certificate
from loco.model import Certificate, ManifestId
from loco.spec import StackSpec
from tests.components.conftest import SERVICE
from tests.components.recorder import Registration, Secret, record

MakeStack = Callable[..., StackSpec]
SECRET = ManifestId("v1", "Secret", "llm", "tiny-certs")
CERTIFICATE = Certificate(SECRET, ("a.llm.svc", "localhost"), "loco")
GATEWAY = {"apiVersion": "locostack.com/v1alpha1", "kind": "LiteLLMGateway", "metadata": {"name": "main"}, "spec": {}}
TOKENIZED = {"model": {"uri": "hf://org/tiny"}, "replicas": 1, "router": {"scheduler": {"tokenizer": {}}}}


def registered(make_stack: MakeStack, *documents: dict[str, Any], **config: Any) -> list[Registration]:
    spec = make_stack(*documents, **{"platform": {"tls": True}, **config})
    return record(lambda: ModelServingStack("loco", spec))


def kept(registrations: list[Registration]) -> dict[str, str]:
    """The editions of the only service's authority and certificate."""
    names = [r.name.split("/") for r in registrations if r.name.startswith(("authority/", "certificate/"))]
    return {name[0]: name[-1] for name in names}


@pytest.mark.parametrize(
    ("documents", "config", "other"),
    [
        ([SERVICE], {}, set()),
        ([{**SERVICE, "spec": {**SERVICE["spec"], "replicas": 2}}], {}, set()),
        ([{**SERVICE, "spec": {**SERVICE["spec"], "router": {"scheduler": {}}}}], {}, {"certificate"}),
        ([{**SERVICE, "spec": TOKENIZED}], {}, {"certificate"}),
        ([SERVICE], {"rotation": {"certificates": "2026-12"}}, {"authority", "certificate"}),
        ([SERVICE], {"rotation": {}}, set()),
    ],
)
def test_what_asks_for_another(
    documents: list[Any], config: dict[str, Any], other: set[str], make_stack: MakeStack
) -> None:
    before, after = kept(registered(make_stack, SERVICE)), kept(registered(make_stack, *documents, **config))
    assert before.keys() == after.keys() == {"authority", "certificate"}
    assert {name for name in before if before[name] != after[name]} == other


def test_each_rotation_is_another(make_stack: MakeStack) -> None:
    seen = [kept(registered(make_stack, SERVICE, rotation={"certificates": text})) for text in ("1", 1, "2")]
    assert seen[0] == seen[1]
    assert seen[0]["authority"] != seen[2]["authority"]


def test_order_of_names_asks_for_nothing() -> None:
    turned = Certificate(SECRET, CERTIFICATE.dns_names[::-1], "loco")
    assert turned.edition == CERTIFICATE.edition


def test_what_is_kept_is_secret_and_no_key_of_an_authority_leaves_the_state(make_stack: MakeStack) -> None:
    everything = registered(make_stack, SERVICE)
    stashes = [r for r in everything if r.name.startswith(("authority/", "certificate/"))]
    for stash in stashes:
        assert isinstance(stash.props["input"], Secret)
        assert list(stash.request.ignoreChanges) == ["input"]
    (authority,) = [json.loads(r.props["input"].value) for r in stashes if r.name.startswith("authority/")]
    key = authority["ca.key"].splitlines()[1]
    assert key not in repr([r.props for r in everything if r.token.startswith("kubernetes:")])


def test_gateway_gets_the_authority_in_plain_text_and_starts_anew_with_another(make_stack: MakeStack) -> None:
    digests = []
    for _ in range(2):  # under mocks no state keeps the first one
        everything = registered(make_stack, SERVICE, GATEWAY)
        (copied,) = [r for r in everything if r.name == "main/llm/main-litellm-authorities"]
        assert list(copied.props["data"]) == ["llm.tiny.crt"]
        assert copied.props["data"]["llm.tiny.crt"].startswith("-----BEGIN CERTIFICATE-----")
        (secret,) = [r for r in everything if r.name == "tiny/llm/tiny-kserve-self-signed-certs"]
        assert secret.props["stringData"].value["ca.crt"] == copied.props["data"]["llm.tiny.crt"]
        (front,) = [r for r in everything if r.name == "main/llm/main-litellm" and r.token.endswith(":Deployment")]
        annotations = front.props["spec"]["template"]["metadata"]["annotations"]
        digests.append([annotations[f"locostack.com/{name}"] for name in ("digest.authorities", "configHash")])
    assert digests[0][0] != digests[1][0]
    assert digests[0][1] != digests[1][1]
    assert all(isinstance(digest, str) for pair in digests for digest in pair), "plain, so a diff shows them"


def test_strict_clients_accept_it(tmp_path: Path) -> None:
    """As Python's default is from 3.13 on."""
    files: dict[str, str] = json.loads(make_certificate(CERTIFICATE, make_authority(CERTIFICATE)))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    calling = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
    calling.verify_flags |= ssl.VERIFY_X509_STRICT
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(10)

        def answer() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                try:
                    serving.wrap_socket(connection, server_side=True).close()
                except (ssl.SSLError, OSError):
                    connection.close()

        answering = threading.Thread(target=answer)
        answering.start()
        where = listening.getsockname()
        with calling.wrap_socket(socket.create_connection(where, 10), server_hostname="a.llm.svc") as secure:
            assert secure.version() == "TLSv1.3"
        with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
            calling.wrap_socket(socket.create_connection(where, 10), server_hostname="b.llm.svc")
        answering.join()


def test_another_certificate_of_an_authority_is_trusted_by_whoever_trusts_that() -> None:
    authority = make_authority(CERTIFICATE)
    more = Certificate(SECRET, (*CERTIFICATE.dns_names, "b.llm.svc"), "loco")
    first, second = (json.loads(make_certificate(each, authority)) for each in (CERTIFICATE, more))
    assert first["ca.crt"] == second["ca.crt"]
    assert first["tls.key"] != second["tls.key"]
    issuer, leaf = (x509.load_pem_x509_certificate(second[name].encode()) for name in ("ca.crt", "tls.crt"))
    leaf.verify_directly_issued_by(issuer)
    assert leaf.not_valid_after_utc <= issuer.not_valid_after_utc
    hosts = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)
    assert tuple(hosts) == more.dns_names


@pytest.mark.parametrize(("days", "told"), [(3650, False), (91, False), (89, True), (-3, True)])
def test_one_that_runs_out_is_told(
    days: int, told: bool, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    monkeypatch.setattr("loco.components.certificate_making.VALID_DAYS", days)
    monkeypatch.setattr("loco.components.certificate_making._CLOCKS", datetime.timedelta(days=10))
    registered(make_stack, SERVICE)
    warnings = [text for text in said if "LOCO-CERTIFICATE" in text]
    assert bool(warnings) is told
    assert all("tiny-kserve-self-signed-certs runs out in" in text for text in warnings)


def test_days_left() -> None:
    assert days_left(json.loads(make_authority(CERTIFICATE))["ca.crt"]) == 3649
