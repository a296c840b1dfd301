"""HTTP servers in place of Services and pools: each says who it is and which path and headers it saw."""

import asyncio
import json
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

CHUNKS = 4
SECONDS_BETWEEN_CHUNKS = 0.15


class Backends:
    """One server for each name, on a port of its own of the loopback; all of them gone at the end of the ``with``.

    A body that asks for ``"stream": true`` gets its answer in pieces, with time between them.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.ports: dict[str, int] = {}
        self._names = sorted(names)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="backends", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)
        self._loop.close()

    def _stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_soon(self._loop.stop)

    async def _listen(self) -> None:
        for name in self._names:

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str = name) -> None:
                await _serve(name, reader, writer)

            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            self.ports[name] = server.sockets[0].getsockname()[1]


async def _serve(name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while line := await reader.readline():
            _, path, _ = line.decode().split(" ", 2)
            headers = {}
            while (header := (await reader.readline()).decode().strip()) != "":
                key, _, value = header.partition(":")
                headers[key.lower()] = value.strip()
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            if b'"stream": true' in body:
                await _stream(writer)
            else:
                answer = json.dumps({"backend": name, "path": path, "headers": headers}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(answer), answer))
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ValueError):
        pass
    finally:
        writer.close()


async def _stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for number in range(CHUNKS):
        piece = b"data: %d\n\n" % number
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
        await asyncio.sleep(SECONDS_BETWEEN_CHUNKS)
    writer.write(b"0\r\n\r\n")
