"""Ports that tests choose first and listen on later, while others look for ports, too."""

from __future__ import annotations

import socket

import pytest

from tests.support.ports import free_port


def test_a_free_port_is_kept_for_whoever_names_it() -> None:
    place = ("127.0.0.1", free_port())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(place)
    with socket.socket() as other, pytest.raises(OSError, match="Address already in use"):
        other.bind(place)
    for _ in range(2):  # a server and its restart
        with socket.create_server(place), socket.create_connection(place):
            pass
