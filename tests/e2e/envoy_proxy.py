"""A real Envoy with the routes of a plan, translated by Envoy Gateway, in front of stand-in backends.

InferencePools are unknown to the translation without their extension, so each becomes a Service of the same name in
its input. It reads no labels of namespaces either, so a listener's selector of namespaces is judged here. All else is
as planned.
"""

import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from tests.e2e.stand_in_backends import Backends

CLASS = "envoy"
_GATEWAY_API = "gateway.networking.k8s.io/v1"
_START_SECONDS = 30

Object = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came back: ``backend`` is ``namespace/name`` of the Service reached, None where none was."""

    status: int
    backend: str | None
    path: str | None
    headers: Mapping[str, str]


class EnvoyProxy:
    """Envoy, started and stopped by the ``with``; ``refused`` says which routes the translation didn't take, and why."""

    def __init__(self, objects: Iterable[Mapping[str, Any]], egctl: Path, envoy: Path, folder: Path) -> None:
        self._objects = with_services(objects)
        self._egctl, self._envoy, self._folder = egctl, envoy, folder
        services = [each for each in self._objects if each["kind"] == "Service"]
        self._of_address = {s["spec"]["clusterIP"]: _key(s) for s in services}
        self._backends = Backends(_key(service) for service in services)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.refused: dict[str, str] = {}

    def __enter__(self) -> Self:
        translated = self._translate()
        self._backends.__enter__()
        try:
            self._start(translated)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._backends.__exit__(kind, raised, at)

    def ask(
        self, path: str, headers: Mapping[str, str] | None = None, method: str = "POST", host: str = "gateway"
    ) -> Answer:
        """One request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            body = b'{"model": "any"}' if method == "POST" else None
            connection.request(method, path, body, {"Host": host, **(headers or {})})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != 200:
            return Answer(response.status, None, None, {})
        seen = json.loads(text)
        return Answer(200, seen["backend"], seen["path"], seen["headers"])

    def arrivals(self, path: str) -> list[float]:
        """Seconds after which the pieces of a streamed answer came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            begin = time.monotonic()
            connection.request("POST", path, b'{"stream": true}', {"Host": "gateway"})
            response = connection.getresponse()
            assert response.status == 200
            times = []
            while response.read1(100):
                times.append(time.monotonic() - begin)
        finally:
            connection.close()
        return times

    def _translate(self) -> Object:
        source = self._folder / "objects.yaml"
        source.write_text(yaml.safe_dump_all(self._objects))
        command = [str(self._egctl), "x", "translate", "--from", "gateway-api", "--to", "gateway-api,xds"]
        done = subprocess.run(
            [*command, "--type", "all", "-f", str(source), "-o", "json"], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        result: Object = json.loads(done.stdout)
        for route in result.get("httpRoutes") or []:
            for parent in (route.get("status") or {}).get("parents") or []:
                for condition in parent.get("conditions") or []:
                    if condition["type"] in ("Accepted", "ResolvedRefs") and condition["status"] != "True":
                        self.refused[route["metadata"]["name"]] = f"{condition['reason']}: {condition.get('message')}"
        return result

    def _start(self, translated: Object) -> None:
        self.port = _free_port()
        config = self._folder / "envoy.json"
        config.write_text(json.dumps(self._bootstrap(translated)))
        log = (self._folder / "envoy.log").open("wb")
        with log:
            command = [
                str(self._envoy),
                "-c",
                str(config),
                "--disable-hot-restart",
                "--concurrency",
                "1",
                "-l",
                "error",
            ]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"Envoy doesn't listen:\n{(self._folder / 'envoy.log').read_text()[-3000:]}")

    def _bootstrap(self, translated: Object) -> Object:
        """Envoy's whole configuration in one file: what it would have been sent piece by piece."""
        dumps = [dump for gateway in translated["xds"].values() for dump in gateway["configs"]]
        routes = {
            c["name"]: c for d in dumps for each in d.get("dynamicRouteConfigs", []) for c in [each["routeConfig"]]
        }
        endpoints = {
            e["endpointConfig"]["clusterName"]: e["endpointConfig"]
            for d in dumps
            for e in d.get("dynamicEndpointConfigs", [])
        }
        listeners = [each["activeState"]["listener"] for d in dumps for each in d.get("dynamicListeners", [])]
        (listener,) = (each for each in listeners if "ready" not in each["name"])
        listener["address"]["socketAddress"] = {"address": "127.0.0.1", "portValue": self.port}
        _put_inline(listener, routes)
        clusters = [self._static(c["cluster"], endpoints) for d in dumps for c in d.get("dynamicActiveClusters", [])]
        return {"staticResources": {"listeners": [_plain(listener)], "clusters": clusters}}

    def _static(self, cluster: Object, endpoints: Mapping[str, Object]) -> Object:
        """The cluster with its endpoints, each at the port of the stand-in for the Service that it stands for."""
        assignment = _plain(endpoints[cluster["edsClusterConfig"]["serviceName"]])
        for locality in assignment.get("endpoints", []):
            for each in locality.get("lbEndpoints", []):
                address = each["endpoint"]["address"]["socketAddress"]
                port = self._backends.ports[self._of_address[address["address"]]]
                address |= {"address": "127.0.0.1", "portValue": port}
        found = {key: value for key, value in _plain(cluster).items() if key != "edsClusterConfig"}
        return {**found, "type": "STATIC", "loadAssignment": assignment}


def with_services(objects: Iterable[Mapping[str, Any]]) -> list[Object]:
    """The input of a translation: class, Gateways, routes, and for each backend a Service with an address of its own."""
    kept = [
        json.loads(json.dumps(each)) for each in objects if each["kind"] in ("HTTPRoute", "Gateway", "ReferenceGrant")
    ]
    routes = [each for each in kept if each["kind"] == "HTTPRoute"]
    ports: dict[tuple[str, str], int] = {}
    for route in routes:
        for rule in route["spec"].get("rules", []):
            for backend in rule.get("backendRefs", []):
                if backend.get("kind") == "InferencePool":
                    backend.pop("group", None)
                    backend["kind"] = "Service"
                place = backend.get("namespace", route["metadata"]["namespace"])
                ports[place, backend["name"]] = backend["port"]
    for gateway in (each for each in kept if each["kind"] == "Gateway"):
        for listener in gateway["spec"]["listeners"]:
            _judge_selector(listener["allowedRoutes"]["namespaces"], {r["metadata"]["namespace"] for r in routes})
    made = {(g["metadata"].get("namespace"), g["metadata"]["name"]) for g in kept if g["kind"] == "Gateway"}
    parents = {
        (parent.get("namespace", route["metadata"]["namespace"]), parent["name"])
        for route in routes
        for parent in route["spec"]["parentRefs"]
    }
    return [
        {
            "apiVersion": _GATEWAY_API,
            "kind": "GatewayClass",
            "metadata": {"name": CLASS},
            "spec": {"controllerName": "gateway.envoyproxy.io/gatewayclass-controller"},
        },
        *(_gateway(namespace, name) for namespace, name in sorted(parents - made)),
        *(_service(place, name, port, number) for number, ((place, name), port) in enumerate(sorted(ports.items()))),
        *(_namespace(name) for name in sorted({place for place, _ in ports} | {place for place, _ in parents})),
        *kept,
    ]


def _judge_selector(allowed: Object, namespaces: set[str]) -> None:
    """From everywhere where the selector takes all of these namespaces, else from none but the Gateway's own."""
    if allowed["from"] == "Selector":
        (expression,) = allowed.pop("selector")["matchExpressions"]
        assert (expression["key"], expression["operator"]) == ("kubernetes.io/metadata.name", "In")
        allowed["from"] = "All" if namespaces <= set(expression["values"]) else "Same"


def _gateway(namespace: str, name: str) -> Object:
    listener = {"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": "All"}}}
    spec = {"gatewayClassName": CLASS, "listeners": [listener]}
    return {
        "apiVersion": _GATEWAY_API,
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def _service(namespace: str, name: str, port: int, number: int) -> Object:
    spec = {
        "clusterIP": f"10.{100 + number // 65536}.{number // 256 % 256}.{number % 256}",
        "ports": [{"name": "http", "port": port, "targetPort": port, "protocol": "TCP"}],
        "selector": {"app": name},
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def _namespace(name: str) -> Object:
    labels = {"kubernetes.io/metadata.name": name}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _key(service: Mapping[str, Any]) -> str:
    return f"{service['metadata']['namespace']}/{service['metadata']['name']}"


def _put_inline(node: Any, routes: Mapping[str, Object]) -> None:
    """Each reference to a route configuration becomes the configuration itself; access logs go."""
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _put_inline(child, routes)
    if isinstance(node, dict):
        node.pop("accessLog", None)
        if "rds" in node:
            node["routeConfig"] = _plain(routes[node.pop("rds")["routeConfigName"]])


def _plain(message: Mapping[str, Any]) -> Object:
    return {key: value for key, value in message.items() if key != "@type"}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
