"""The stacks and rows of routes.yaml, and how a row is held against an Envoy."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from loco import names
from loco.plan import Plan
from tests.e2e.envoy_proxy import EnvoyProxy
from tests.plan.stacks import gateway, plan_of, service

TABLE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("routes.yaml").read_text())
WORLDS: dict[str, Any] = TABLE["worlds"]
ROWS: list[dict[str, Any]] = TABLE["rows"]
NAMESPACE = "llm"
HOST = "gateway"


def plan_of_world(name: str) -> Plan:
    world = WORLDS[name]
    documents = [_document(name, spec) for name, spec in world["services"].items()]
    documents += [gateway(world["litellm"])] if "litellm" in world else []
    plan = plan_of(*documents, platform=world["platform"])
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def rows_of(world: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["world"] == world]


def failing(rows: Iterable[Mapping[str, Any]], proxy: EnvoyProxy) -> list[str]:
    """What is told of the rows that don't hold."""
    told = []
    for row in rows:
        headers = {names.ROUTING_HEADER: _header(row["as"])} if "as" in row else {}
        answer = proxy.ask(row["ask"], headers, host=row.get("host", HOST))
        wanted = (_backend(row["reaches"]), row["sees"]) if "reaches" in row else (None, None)
        status = 200 if "reaches" in row else 404
        if (answer.backend, answer.path) != wanted or answer.status != status:
            told.append(f"{row}: {answer.status}, {answer.backend} saw {answer.path}")
    return told


def unreached(plan: Plan, proxy: EnvoyProxy) -> tuple[Counter[str], list[str]]:
    """Asks each advertised address of a Gateway once for each name; how many of each kind, and what goes wrong."""
    asked: Counter[str] = Counter()
    wrong = []
    for model, output in plan.outputs["models"].items():
        for address in output["addresses"]:
            if address["name"] == "service":
                continue
            url = urlsplit(address["url"])
            host = HOST if url.hostname == "inside" else str(url.hostname)
            for value in address.get("values", {"": None}).values():
                headers = {address["header"]: value} if value is not None else {}
                answer = proxy.ask(f"{url.path}/v1/chat/completions", headers, host=host)
                asked[address["name"]] += 1
                if answer.backend not in _backends_of(model) or answer.path != "/v1/chat/completions":
                    wrong.append(f"{model} {address['name']} {value}: {answer}")
    return asked, wrong


def _document(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    namespace, _, plain = name.rpartition("/")
    rest = {key: value for key, value in spec.items() if key not in ("model", "adapters")}
    model: dict[str, Any] = {"uri": "hf://org/tiny", "name": spec["model"]}
    if "adapters" in spec:
        numbers = range(1, spec["adapters"] + 1)
        model["lora"] = {"adapters": [{"name": f"{plain}-a{n}", "uri": "hf://org/adapter"} for n in numbers]}
    return service({**rest, "model": model}, plain, namespace or None)


def _header(text: str) -> str:
    return text[1:] if text.startswith("/") else names.publisher_name(NAMESPACE, text)


def _backend(text: str) -> str:
    if text.startswith("pool of "):
        text = names.inference_pool(text.removeprefix("pool of "))
    elif text.startswith("service of "):
        text = names.workload_service(text.removeprefix("service of "))
    return text if "/" in text else f"{NAMESPACE}/{text}"


def _backends_of(model: str) -> set[str]:
    """The backends that serve a model: its own, and those of its group."""
    namespace, _, name = model.partition("/")
    group = {"blue", "green", "grey"}
    members = group if name in group else {name}
    found = {f"{namespace}/{made(member)}" for member in members for made in _MADE}
    return {*found, _OF_OTHERS.get(name, "")}


_OF_OTHERS = {"lent": "llm/somebodys-pool", "borrower": "other/chat-kserve-workload-svc"}
_MADE = (names.inference_pool, names.workload_service, names.decode_service)
