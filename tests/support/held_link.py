"""A link to a server that holds requests back, as a slow network does, until they are released or the client leaves.

with HeldLink(server.port, holds=b"POST /api/sessions/") as link:
    ...  # `link.url` is the server's address; such requests wait
    link.release()
"""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class HeldLink:
    """Forwards a local port. A request that begins with `holds` is lost if its client leaves before `release`."""

    def __init__(self, target: int, holds: bytes) -> None:
        self.held = threading.Event()
        """A request is held."""
        self._target = target
        self._holds = holds
        self._is_released = threading.Event()

    def __enter__(self) -> HeldLink:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_released.set()
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def release(self) -> None:
        self._is_released.set()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as server, suppress(OSError):
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65536)
                    if end is client and data.startswith(self._holds) and not self._wait_for_release(client):
                        return
                    if not data:
                        return
                    (server if end is client else client).sendall(data)

    def _wait_for_release(self, client: socket.socket) -> bool:
        """False if the client leaves first."""
        self.held.set()
        while not self._is_released.wait(0.02):
            if select.select([client], [], [], 0)[0] and not client.recv(1, socket.MSG_PEEK):
                return False
        return True
