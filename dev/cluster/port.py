"""A free port on loopback, the same one as last time if that is still free."""

import socket
from pathlib import Path


def choose(remembered: Path) -> int:
    """Pick a port and write it to `remembered`."""
    try:
        before = int(remembered.read_text())
    except (OSError, ValueError):
        before = 0
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", before))
        except OSError:
            listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    remembered.write_text(f"{port}\n")
    return port
