import pytest

from server.browser.addresses import (
    AddressRefused,
    has_scheme,
    host_matches,
    is_near,
    normal_url,
    without_login,
)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        " file:///etc/passwd",
        "fi\tle:///etc/passwd",
        "\x01file:///x",
        "chrome://version",
        "devtools://devtools",
        "view-source:http://example.com",
        "data:text/html,x",
        "javascript:alert(1)",
        "JaVa\nScRiPt:alert(1)",
        "\u0000javascript:alert(1)",
        "blob:http://example.com/1",
        "ftp://example.com",
        "about:crash",
        "about:srcdoc",
        "ws://example.com",
        "mailto:a@b",
        "chrome-extension://x",
        "filesystem:http://x",
        "intent://x",
        "",
        "  ",
        "http://",
        "https:///",
        "http://127.0.0.1:8080article.html",
        "http://example.com:99999/",
        "example.com:port/x",
        "http://[::1/",
        "http://:80/",
        "http://two words/",
        "http://example.com:0/",
    ],
)
def test_only_web_addresses_are_opened(url: str):
    with pytest.raises(AddressRefused):
        normal_url(url)


@pytest.mark.parametrize("url", ["", " ", "\n"])
def test_an_empty_address_is_called_so(url: str):
    with pytest.raises(AddressRefused, match="empty"):
        normal_url(url)


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://example.com/wow!", "http://example.com/wow!"),
        ("http://example.com/a?b#c", "http://example.com/a?b#c"),
        ("HTTPS://Example.com", "HTTPS://Example.com"),
        ("example.com", "https://example.com"),
        ("example.com/path", "https://example.com/path"),
        ("//example.com/x", "https://example.com/x"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("example.com:8443", "https://example.com:8443"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("about:blank", "about:blank"),
        (" About:Blank ", "about:blank"),
        ("пример.рф", "https://пример.рф"),
        ("http:example.com", "http:example.com"),
        ("http:\\\\example.com\\x", "http:\\\\example.com\\x"),
        ("http://example.com:/x", "http://example.com:/x"),
        ("http://user:word@example.com/", "http://user:word@example.com/"),
    ],
)
def test_addresses_are_read_as_a_browser_would(url: str, normal: str):
    assert normal_url(url) == normal


@pytest.mark.parametrize(
    ("host", "pattern", "matches"),
    [
        ("example.com", "example.com", True),
        ("www.example.com", "example.com", True),
        ("EXAMPLE.com.", "example.com", True),
        ("badexample.com", "example.com", False),
        ("example.com.evil.net", "example.com", False),
        ("example.com", "*.example.com", False),
        ("a.example.com", "*.example.com", True),
        ("x", "", False),
    ],
)
def test_a_host_pattern_names_a_host_and_what_is_below_it(host: str, pattern: str, matches: bool):
    assert host_matches(host, [pattern]) == matches


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://ann:s3cret@a.example/x?to=b@c.example", "http://a.example/x?to=b@c.example"),
        ("net::ERR_FAILED at HTTPS://ann:p%40ss:@[::1]:8/, retry", "net::ERR_FAILED at HTTPS://[::1]:8/, retry"),
        ("https://token@a.example", "https://a.example"), ("mail ann@a.example", "mail ann@a.example"),
    ],
)  # fmt: skip
def test_a_login_in_an_address_is_not_told(text: str, told: str):
    assert without_login(text) == told


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "nas", "nas.local", "router.lan"])
def test_near_hosts_may_have_no_certificate(host: str) -> None:
    assert is_near(host)
    assert not is_near(f"{host}.example.com".replace(":", ""))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("https://a.example", True), ("nas:8080/x", False), ("127.0.0.1:8791/x", False), ("a.example", False)],
)
def test_a_port_is_no_scheme(text: str, expected: bool) -> None:
    assert has_scheme(text) is expected
