import ipaddress
from pathlib import Path

import pytest

from server.browser.reach import Reach
from server.settings import Settings

OPEN = Reach(private_network=True, own_ports=lambda: {8000})
CLOSED = Reach(private_network=False, own_ports=lambda: {8000})


def refused(reach: Reach, address: str, port: int = 80, host: str = "somewhere.example") -> str | None:
    return reach.refuse_address(host, ipaddress.ip_address(address), port)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.1.1",
        "fe80::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "::a9fe:a9fe",
        "224.0.0.1",
        "ff02::1",
        "255.255.255.255",
        "240.0.0.1",
    ],
)
def test_metadata_and_link_local_addresses_are_refused_even_where_private_ones_are_allowed(address: str):
    assert refused(OPEN, address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "::1",
        "::",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "fc00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
    ],
)
def test_private_addresses_are_refused_unless_allowed(address: str):
    assert refused(CLOSED, address)
    assert refused(OPEN, address) is None


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"]
)
def test_public_addresses_are_open(address: str):
    assert refused(CLOSED, address) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::ffff:127.0.0.1"])
def test_our_own_ports_are_refused_by_every_name_of_this_machine(address: str):
    assert refused(OPEN, address, 8000)
    assert refused(OPEN, address, 8001) is None


def test_a_private_host_can_be_allowed_by_name():
    reach = Reach(private_network=False, allowed_hosts=["intranet.example"])
    assert refused(reach, "10.0.0.5", host="wiki.intranet.example") is None
    assert refused(reach, "10.0.0.5", host="other.example")
    assert refused(reach, "169.254.169.254", host="intranet.example")


def test_lists_of_hosts_decide_by_name():
    reach = Reach(private_network=False, allowed_hosts=["example.com"], blocked_hosts=["ads.example.com"])
    assert reach.refuse_name("www.example.com", 443) is None
    assert reach.refuse_name("ads.example.com", 443)
    assert reach.refuse_name("example.org", 443)


def test_the_database_belongs_to_ourselves(tmp_path: Path):
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        host="127.0.0.1",
        port=8123,
        database_url="postgresql://u:p@db.internal:5433/x",
    )
    reach = Reach.of(settings, lambda: {9222})
    assert reach.refuse_name("db.internal", 5433)
    for port in (8123, 5433, 9222):
        assert refused(reach, "127.0.0.1", port)
    assert refused(reach, "127.0.0.1", 3000) is None
