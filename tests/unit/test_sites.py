"""Which hosts are one site: what a stored login may be used on."""

from __future__ import annotations

import pytest

from server.browser.sites import fits, origin_host, site_of_host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Shop.Example./login", "shop.example"),
        ("https://shop.example:443/", "shop.example"),
        ("http://shop.example:443/", "shop.example:443"),
        ("https://shop.example:8443/", "shop.example:8443"),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example"),
        ("https://sh\u043ep.example/", "xn--shp-ted.example"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("https://user:pw@shop.example@evil.example/", "evil.example"),
        ("about:blank", ""), ("data:text/html,x", ""), ("blob:https://shop.example/1", ""), ("https://", ""), ("https://a:x/", ""),
    ],
)  # fmt: skip
def test_a_host_is_written_as_the_browser_writes_it(url: str, host: str) -> None:
    assert origin_host(url) == host


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("login.shop.example", "shop.example"),
        ("www.shop.co.uk", "shop.co.uk"),
        ("a.github.io", "a.github.io"),
        ("x.a.github.io", "a.github.io"),
        ("192.168.1.5", "192.168.1.5"),
        ("[::1]:8000", "[::1]:8000"),
        ("localhost", "localhost"),
        ("intranet", "intranet"),
        ("shop.example:8443", "shop.example:8443"),
        ("co.uk", "co.uk"),
    ],
)
def test_the_site_of_a_host(host: str, site: str) -> None:
    assert site_of_host(host) == site


@pytest.mark.parametrize(
    ("host", "is_exact", "may"),
    [
        ("shop.example", True, True),
        ("login.shop.example", False, True),
        ("login.shop.example", True, False),
        ("shop-example.com", False, False),
        ("shop.example.evil.io", False, False),
        ("evilshop.example", False, False),
        ("xn--shp-ted.example", False, False),
        ("shop.example:8443", False, False),
        ("example", False, False),
        ("", False, False),
    ],
)
def test_a_login_fits_its_own_site_only(host: str, is_exact: bool, may: bool) -> None:
    assert fits(host, ("shop.example",), exact=is_exact) is may


def test_an_added_host_fits_alone_without_its_site() -> None:
    hosts = ("www.shop.example", "pay.other.example")
    assert fits("pay.other.example", hosts)
    assert fits("shop.example", hosts)
    assert not fits("other.example", hosts)
    assert not fits("x.pay.other.example", hosts)


def test_hosts_under_a_shared_suffix_and_neighbouring_addresses_are_strangers() -> None:
    assert not fits("b.github.io", ("a.github.io",))
    assert not fits("192.168.2.5", ("192.168.1.5",))
    assert not fits("192.168.1.5:81", ("192.168.1.5",))
