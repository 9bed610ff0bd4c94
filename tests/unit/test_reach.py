import ipaddress
import resource
from pathlib import Path

import pytest

from server.browser.chromium.reach import Reach
from server.settings import Settings

OPEN = Reach(private_network="always", own_ports=lambda: {8000})
CLOSED = Reach(private_network="never", own_ports=lambda: {8000})


def refused(reach: Reach, address: str, port: int = 80, host: str = "somewhere.example") -> str | None:
    return reach.refuse_address(host, ipaddress.ip_address(address), port)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.1.1",
        "fe80::1",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
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
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2001:0:53aa:64c:0:7a2f:80ff:fffe",  # Teredo, of 127.0.0.1
        "::7f00:1",
        "0.1.2.3",
        "198.18.0.1",
        "198.19.255.255",
        "192.0.2.1",
        "192.88.99.1",
        "203.0.113.9",
        "100.127.255.255",
        "fec0::1",
        "feff::1",
        "fd12:3456::1",
        "100::1",
        "2001:db8::1",
        "3fff::1",
        "5f00::1",
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


def test_a_port_number_of_ours_is_open_on_other_machines():
    assert refused(OPEN, "192.0.2.1", 8000) is None


def test_a_port_number_of_ours_is_refused_where_it_cannot_be_found_out_whose_address_it_is():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))  # no socket can be made
    try:
        told = refused(OPEN, "192.0.2.1", 8000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert told == "the port belongs to Pilothouse itself"


def test_a_private_host_can_be_allowed_by_name():
    reach = Reach(private_network="never", allowed_hosts=["intranet.example"])
    assert refused(reach, "10.0.0.5", host="wiki.intranet.example") is None
    assert refused(reach, "10.0.0.5", host="other.example")
    assert refused(reach, "169.254.169.254", host="intranet.example")


@pytest.mark.parametrize(
    ("host", "may"),
    [
        ("localhost", True),
        ("app.localhost", True),
        ("printer.local", True),
        ("nas", True),
        ("wiki.corp", True),
        ("router.home.arpa", True),
        ("host.docker.internal", True),
        ("127.0.0.1", True),
        ("192.168.1.20", True),
        ("2130706433", True),
        ("0x7f.1", True),
        ("::1", True),
        ("evil.example", False),
        ("127.0.0.1.nip.example", False),
        ("localhost.example.com", False),
        ("local", True),
        ("notlocal.example", False),
        ("evillocalhost.com", False),
        ("127-0-0-1.example", False),
    ],
)
def test_by_default_only_names_that_nobody_can_register_lead_to_private_addresses(host: str, may: bool):
    reach = Reach.of(Settings(_env_file=None, host="127.0.0.1"), lambda: ())
    for address in ("127.0.0.1", "192.168.1.1", "::ffff:10.0.0.1", "fec0::1"):
        assert (refused(reach, address, 3000, host) is None) == may, address
    assert refused(reach, "93.184.215.14", 443, host) is None


@pytest.mark.parametrize(
    ("bind", "chosen", "kind"),
    [
        ("127.0.0.1", None, "by name"),
        ("0.0.0.0", None, "never"),
        ("127.0.0.1", False, "never"),
        ("0.0.0.0", True, "always"),
    ],
)
def test_the_default_for_private_addresses_follows_the_bind(bind: str, chosen: bool | None, kind: str):
    settings = Settings(_env_file=None, host=bind, allow_private_network=chosen)
    assert settings.private_network == kind


def test_lists_of_hosts_decide_by_name():
    reach = Reach(private_network="never", allowed_hosts=["example.com"], blocked_hosts=["ads.example.com"])
    assert reach.refuse_name("www.example.com", 443) is None
    assert reach.refuse_name("ads.example.com", 443)
    assert reach.refuse_name("example.org", 443)


@pytest.mark.parametrize(("place", "port"), [("db.internal:5433", 5433), ("db.internal", 5432)])
def test_the_database_belongs_to_ourselves(tmp_path: Path, place: str, port: int):
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        host="127.0.0.1",
        port=8123,
        database_url=f"postgresql://u:p@{place}/x",
    )
    reach = Reach.of(settings, lambda: {9222})
    assert reach.refuse_name("db.internal", port)
    assert reach.refuse_name("db.internal", port + 7) is None
    for own in (8123, port, 9222):
        assert refused(reach, "127.0.0.1", own, host="localhost")
    assert refused(reach, "127.0.0.1", 3000, host="localhost") is None


def test_redis_and_browser_hosts_belong_to_ourselves():
    settings = Settings(
        _env_file=None, database_url="postgresql://u:p@db.internal/x", redis_url="redis://cache.internal/0",
        auth_token="t" * 16, browser_pool="http://browser-1:9200,https://browser-2,http://browser-3", browser_secret="s" * 16,
    )  # fmt: skip
    reach = Reach.of(settings, lambda: ())
    for host, port in (("cache.internal", 6379), ("browser-1", 9200), ("browser-2", 443), ("browser-3", 80)):
        assert reach.refuse_name(host, port), host
        assert reach.refuse_name(host, port + 1) is None
    assert not {80, 443} & set(reach.own_ports())
    for port in (5432, 6379, 9200):  # by any other name or address of them that a page uses
        assert refused(reach, "10.0.0.5", port, host="10.0.0.5") == "the port belongs to Pilothouse itself"
        assert refused(reach, "93.184.215.14", port) is None
    for port in (80, 443):
        assert refused(reach, "10.0.0.5", port, host="10.0.0.5") is None


@pytest.mark.parametrize("host", ["update.googleapis.com", "cf.browser-use.com"])
def test_the_browser_does_not_call_home_even_where_everything_is_allowed(host: str):
    reach = Reach(private_network="always", allowed_hosts=[host])
    assert reach.refuse_name(host, 443) == "the browser does not call home"
    assert Reach(private_network="always").refuse_name(f"www.{host}", 443) is None
