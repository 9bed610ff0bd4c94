"""The server's side of a WebSocket, on a visit of a small site."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from tests.support.sites import Visit

_MASK, _CLOSE = 4, 8


def messages(visit: Visit) -> Iterator[str]:
    """Accept the socket, and yield each short message of the page until it is closed."""
    key = f"{visit.headers['Sec-WebSocket-Key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()
    accept = base64.b64encode(hashlib.sha1(key, usedforsecurity=False).digest()).decode()
    visit.wfile.write(
        "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    while len(head := visit.rfile.read(2)) == 2 and head[0] & 15 != _CLOSE:
        mask = visit.rfile.read(_MASK)
        body = visit.rfile.read(head[1] & 127)
        yield bytes(byte ^ mask[at % _MASK] for at, byte in enumerate(body)).decode("utf-8", "replace")
