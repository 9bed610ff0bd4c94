"""Which TCP ports processes listen on, from /proc."""

from __future__ import annotations

import ipaddress
import os
import struct
from dataclasses import dataclass
from pathlib import Path

_LISTEN = "0A"


@dataclass(frozen=True, slots=True)
class Listening:
    """A place that a process listens at."""

    address: str
    port: int

    @property
    def is_loopback(self) -> bool:
        address = ipaddress.ip_address(self.address)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback


def listening_of(pid: int) -> list[Listening]:
    places = _by_inode()
    return [places[inode] for inode in _sockets_of(pid) if inode in places]


def tcp_ports() -> set[int]:
    """All that anybody listens on."""
    return {place.port for place in _by_inode().values()}


def group_of(leader: int) -> list[int]:
    """The living processes of a process group."""
    return [pid for pid, (_, group) in _processes().items() if group == leader]


def descendants_of(pid: int) -> list[int]:
    processes = _processes()
    children = [child for child, (parent, _) in processes.items() if parent == pid]
    return children + [one for child in children for one in descendants_of(child)]


def _processes() -> dict[int, tuple[int, int]]:
    """Parent and group of each process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        found[int(folder.name)] = int(fields[1]), int(fields[2])
    return found


def _sockets_of(pid: int) -> set[int]:
    inodes = set()
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return set()
    for descriptor in descriptors:
        try:
            name = os.readlink(descriptor)
        except OSError:
            continue
        if name.startswith("socket:["):
            inodes.add(int(name[8:-1]))
    return inodes


def _by_inode() -> dict[int, Listening]:
    places = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == _LISTEN:
                address, _, port = local.partition(":")
                places[int(rest[5])] = Listening(_address_of(address), int(port, 16))
    return places


def _address_of(text: str) -> str:
    """The kernel writes each group of four bytes as one number in its own byte order."""
    data = bytes.fromhex(text)
    words = struct.unpack(f">{len(data) // 4}I", data)
    return str(ipaddress.ip_address(struct.pack(f"={len(words)}I", *words)))
