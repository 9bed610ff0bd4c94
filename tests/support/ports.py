"""Free TCP ports on loopback."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port that no process listens on, and that no other process is given while this one lives.

    The socket stays bound and does not listen: who names the port can listen on it, as servers set `SO_REUSEADDR`, and
    the system does not choose it for anyone else.
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    port = int(keeper.getsockname()[1])
    keeper.detach()  # closed with the process
    return port
