"""A stand-in for a collector of traces: takes OTLP over HTTP and over gRPC, and keeps what it gets."""

import gzip
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


@dataclass(frozen=True)
class Span:
    """One span, with the attributes of what sent it."""

    name: str
    trace: str
    resource: Mapping[str, str]
    attributes: Mapping[str, str]


@dataclass
class Collector:
    """What has come in.

    Attributes:
        url, grpc_url: where it listens.
        headers: of every export, names in small letters.
        raw: every message as it came.
    """

    url: str = ""
    grpc_url: str = ""
    spans: list[Span] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def take(self, message: bytes, headers: Mapping[str, str]) -> None:
        request = trace_service_pb2.ExportTraceServiceRequest.FromString(message)
        self.raw.append(message)
        self.headers.append(headers)
        for group in request.resource_spans:
            resource = {each.key: each.value.string_value for each in group.resource.attributes}
            for scope in group.scope_spans:
                self.spans += [
                    Span(
                        span.name,
                        span.trace_id.hex(),
                        resource,
                        {each.key: str(each.value) for each in span.attributes},
                    )
                    for span in scope.spans
                ]

    def holds(self, text: str) -> bool:
        """Whether the text stands anywhere in what came."""
        return any(text.encode() in message for message in self.raw)


@contextmanager
def running_collector() -> Iterator[Collector]:
    collector = Collector()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.collector = collector  # type: ignore[attr-defined]
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    remote = grpc.server(ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(_Servicer(collector), remote)
    collector.grpc_url = f"http://127.0.0.1:{remote.add_insecure_port('127.0.0.1:0')}"
    remote.start()
    try:
        yield collector
    finally:
        remote.stop(None).wait()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: pytest's output is for the tests."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        known = self.path == "/v1/traces"
        if known:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.collector.take(body, headers)  # type: ignore[attr-defined]
        self.send_response(200 if known else 404)
        self.send_header("content-length", "0")
        self.end_headers()


class _Servicer(trace_service_pb2_grpc.TraceServiceServicer):  # type: ignore[misc]
    def __init__(self, collector: Collector) -> None:
        self.collector = collector

    def Export(self, request: Any, context: Any) -> Any:
        headers = {str(key).lower(): str(value) for key, value in context.invocation_metadata()}
        self.collector.take(request.SerializeToString(), headers)
        return trace_service_pb2.ExportTraceServiceResponse()
