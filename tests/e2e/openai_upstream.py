"""A stand-in for everybody's model servers: answers as OpenAI's API does, and remembers what it was asked.

The first parts of a path say how a server behaves, so that one process stands for many: ``/fail/500/…`` and
``/fail/429/…`` refuse with this status, ``/slow/SECONDS/…`` waits first. Answers name the path up to ``/v1`` or the method.
"""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]  # names in small letters
    body: Mapping[str, Any]


@dataclass
class Upstream:
    url: str
    requests: list[Request] = field(default_factory=list)

    def asked(self, part: str) -> list[Request]:
        """The requests whose path holds ``part``."""
        return [request for request in self.requests if part in request.path]


@contextmanager
def running_upstream() -> Iterator[Upstream]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.upstream = Upstream(f"http://127.0.0.1:{server.server_port}")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.upstream  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: pytest's output is for the tests."""

    def do_POST(self) -> None:
        raw = self._raw()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {"bytes": len(raw)}
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.upstream.requests.append(Request(self.path, headers, body))  # type: ignore[attr-defined]
        parts = self.path.partition("?")[0].strip("/").split("/")
        if parts[0] == "fail":
            self._json({"error": {"message": "refused", "type": "server_error", "code": int(parts[1])}}, int(parts[1]))
            return
        if parts[0] == "slow":
            time.sleep(float(parts[1]))
        base, method = "/".join(parts).partition("/v1")[0], "/".join(parts[-2:])
        if method.endswith("speech"):
            self._bytes(b"ID3x", "audio/mpeg")
        elif body.get("stream"):
            self._stream(body, base)
        else:
            self._json(_answer(method, body, base))

    def _raw(self) -> bytes:
        if (self.headers.get("transfer-encoding") or "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _json(self, value: Any, status: int = 200) -> None:
        self._bytes(json.dumps(value).encode(), "application/json", status)

    def _bytes(self, content: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        with suppress(BrokenPipeError):  # whoever asked did not wait
            self.wfile.write(content)

    def _stream(self, body: Mapping[str, Any], base: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        deltas: list[tuple[dict[str, str], str | None]] = [
            *(({"role": "assistant", "content": piece}, None) for piece in ("hello ", "from ", base)),
            ({}, "stop"),
        ]
        for delta, reason in deltas:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
            self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _answer(method: str, body: Mapping[str, Any], base: str) -> dict[str, Any]:
    model, text = body.get("model", ""), f"hello from {base}"
    last = method.rpartition("/")[2]
    if method == "chat/completions":
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return _object("chat.completion", model, choices=[choice], usage=_USAGE)
    if last == "completions":
        choice = {"index": 0, "finish_reason": "stop", "text": text}
        return _object("text_completion", model, choices=[choice], usage=_USAGE)
    if last == "embeddings":
        given = body.get("input")
        count = len(given) if isinstance(given, list) else 1
        data = [{"object": "embedding", "index": index, "embedding": [0.1, 0.2]} for index in range(count)]
        return _object("list", model, data=data, usage=_USAGE)
    if last == "rerank":
        results = [{"index": index, "relevance_score": 1 / (index + 1)} for index in range(len(body["documents"]))]
        return {"id": "r", "model": model, "results": results, "usage": {"total_tokens": 5}}
    if last == "transcriptions":
        return {"text": text}
    if last == "generations":
        return {"created": 1, "data": [{"b64_json": "aGk="}]}
    if last == "responses":
        content = [{"type": "output_text", "annotations": [], "text": text}]
        message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5, **details}
        more = {"created_at": 1, "status": "completed", "parallel_tool_calls": True, "tools": [], "tool_choice": "auto"}
        return _object("response", model, output=[message], usage=usage, **more)
    if last == "messages":
        content = [{"type": "text", "text": text}]
        end = {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2}}
        return {"id": "m", "type": "message", "role": "assistant", "model": model, "content": content, **end}
    raise ValueError(f"the stand-in doesn't know {method}")


def _object(kind: str, model: str, **more: Any) -> dict[str, Any]:
    return {"id": "c", "object": kind, "created": 1, "model": model, **more}
