"""Which addresses the policy lets an agent open, however they are written."""

from __future__ import annotations

import pytest

from server.agent.policy import Subject, Verdict, assess
from server.agent.policy.address import find_effect, find_evidence, is_listed, is_no_address, read_address

HIDDEN_SCHEMES = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "java\tscript:1",
    "\x01javascript:alert(1)", "javascript\u200b:alert(1)", "ｊavascript:alert(1)", "view-source:https://bank.example",
    "data:text/html,<script>1</script>", "file:///etc/passwd", "FILE:///C:/x", "chrome://version", "devtools://devtools",
    "blob:https://bank.example/1", "ftp://files.example/x", "about:srcdoc", "about:config", "vbscript:x", "ws://a.example",
    "wss://a.example", "intent://x", "chrome-extension://abc/x", "filesystem:https://a.example/x", "mailto:a@b.example",
    "tel:112", "http://", "https://", "view-source:view-source:http://a.example",
]  # fmt: skip
SAME_HOST = [
    "https://bank.example/", "HTTPS://BANK.EXAMPLE/x", "https://bank.example./", "https://bank.example:8443/",
    "https://user:secret@bank.example/", "https://good.example@bank.example/", "https://good.example%40x@bank.example/",
    "//bank.example/x", "bank.example/x", "https:bank.example", "https:/bank.example", "https:\\\\bank.example\\x",
    "https://b\tank.exa\nmple/", "https://ｂank.example/", "https://b%61nk.example/", "https://bank。example/",
    "https://www.bank.example/", "https://a.b.bank.example/", "  https://bank.example/  ", "https:///bank.example/",
]  # fmt: skip
OTHER_HOSTS = [
    "https://bank.example.evil.example/", "https://notbank.example/", "https://bank-example.example/",
    "https://evil.example/bank.example", "https://evil.example/?u=https://bank.example/", "https://evil.example#bank.example",
    "https://bank.example\\@evil.example/".replace("bank.example\\@", "good.example/@"), "https://bаnk.example/",
    "https://bank.exаmple/", "https://xn--bnk-5cd.example/",
]  # fmt: skip
METADATA = "169.254.169.254"
ODD_NUMBERS = [
    "http://169.254.169.254/latest/", "http://2852039166/", "http://0xa9fea9fe/", "http://0xa9.0xfe.0xa9.0xfe/",
    "http://0251.0376.0251.0376/", "http://169.254.43518/", "http://169.254.169.254.:80/", "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:169.254.169.254]/", "http://[0:0:0:0:0:ffff:a9fe:a9fe]:80/", "http://１６９.254.169.254/",
]  # fmt: skip


def opening(url: str, **lists: list[str]) -> Verdict:
    return assess(Subject("navigate", url="https://shop.example/", target_url=url), **lists).verdict


@pytest.mark.parametrize("url", HIDDEN_SCHEMES)
def test_nothing_but_web_pages_is_opened_in_whatever_spelling(url: str) -> None:
    assert opening(url) is Verdict.DENY


@pytest.mark.parametrize(
    ("url", "named"),
    [("file:///etc/passwd", "file"), ("java\nscript:alert(1)", "javascript"), ("/inbox", "this")],
)
def test_the_refusal_names_the_kind_of_address(url: str, named: str) -> None:
    assert assess(Subject("navigate", target_url=url)).reason.endswith(f", not {named}")


@pytest.mark.parametrize(
    "url", ["https://shop.example/", "http://shop.example:8080/a?b#c", "about:blank", "shop.example"]
)
def test_web_pages_and_the_empty_page_are_opened(url: str) -> None:
    assert opening(url) is Verdict.ALLOW


@pytest.mark.parametrize("url", SAME_HOST)
def test_a_blocked_host_is_known_in_every_writing(url: str) -> None:
    assert opening(url, blocked_hosts=["bank.example"]) is Verdict.DENY
    assert opening(url, allowed_hosts=["bank.example"]) is Verdict.ALLOW


@pytest.mark.parametrize("url", OTHER_HOSTS)
def test_a_look_alike_is_another_host(url: str) -> None:
    assert opening(url, blocked_hosts=["bank.example"]) is Verdict.ALLOW
    assert opening(url, allowed_hosts=["bank.example"]) is Verdict.DENY


@pytest.mark.parametrize("url", ODD_NUMBERS)
def test_an_address_in_numbers_is_the_same_in_every_notation(url: str) -> None:
    assert read_address(url).host == METADATA
    assert opening(url, blocked_hosts=[METADATA]) is Verdict.DENY


@pytest.mark.parametrize(
    "url", ["http://[::1]/", "http://[0:0:0:0:0:0:0:1]:9000/", "http://[0000::0001]/", "http://[::1%25lo]/"]
)
def test_loopback_of_the_sixth_version_too(url: str) -> None:
    assert opening(url, blocked_hosts=["[::1]"]) is Verdict.DENY


def test_a_port_in_a_pattern_counts_and_none_means_all() -> None:
    assert is_listed("localhost", ["localhost:9222"], "9222")
    assert not is_listed("localhost", ["localhost:9222"], "8000")
    assert is_listed("localhost", ["localhost"], "9222")
    assert is_listed("a.example", ["*.example"])
    assert not is_listed("example.org", ["", "*."])


def test_a_pattern_may_be_a_whole_address() -> None:
    assert is_listed("bank.example", ["https://bank.example/login"])
    assert not is_listed("bank.example", ["https://other.example/bank.example"])


def test_a_host_with_a_port_needs_no_scheme() -> None:
    address = read_address("shop.example:8080/a")
    assert (address.scheme, address.host, address.port, address.path) == (
        "https",
        "shop.example",
        "8080",
        "/a",
    )
    assert opening("shop.example:8080/a", blocked_hosts=["shop.example"]) is Verdict.DENY


@pytest.mark.parametrize("url", ["/checkout/now", "?page=2", "#top", "./a"])
def test_a_relative_address_has_no_host(url: str) -> None:
    assert read_address(url).host == ""
    assert is_no_address(url)


@pytest.mark.parametrize(
    ("url", "is_none"),
    [("", True), ("https://", True), ("https://a.example/", False), ("a.example", False), ("about:blank", False),
     ("mailto:a@b.example", False)],
)  # fmt: skip
def test_what_a_browser_could_not_open_is_no_address(url: str, is_none: bool) -> None:
    assert is_no_address(url) is is_none


def test_only_blanks_and_control_characters_are_cut_from_an_address() -> None:
    assert read_address("\x00\x1f https://a.example/ ").host == "a.example"
    assert read_address("!a.example/").host == "!a.example"


@pytest.mark.parametrize(
    ("path", "evidence"),
    [
        ("shop/checkout", [("url.pay", 2)]), ("review-order/", [("url.order", 2)]),
        ("items/7/delete", [("url.delete", 2)]), ("inbox/3", [("url.send", 1)]), ("posts", [("url.publish", 1)]),
        ("account/settings", [("url.account", 1)]), ("servers?x=1", [("url.system", 1)]),
        ("visa.html", [("url.legal", 1)]), ("checkout/delete", [("url.delete", 2), ("url.pay", 2)]), ("about/us", []),
    ],
)  # fmt: skip
def test_the_path_of_a_page_is_evidence_of_what_is_done_there(
    path: str, evidence: list[tuple[str, int]]
) -> None:
    assert find_evidence(f"https://a.example/{path}") == evidence


def test_after_a_redirect_to_a_blocked_site_nothing_is_done_there() -> None:
    lands = Subject("click", role="button", name="Next", url="https://bank.example/welcome")
    assert assess(lands, blocked_hosts=["bank.example"]).verdict is Verdict.DENY
    assert assess(lands, allowed_hosts=["shop.example"]).verdict is Verdict.DENY
    look = Subject("observe", url="https://bank.example/welcome")
    assert assess(look, blocked_hosts=["bank.example"]).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "href", ["javascript:pay()", "data:text/html,x", "https://bank.example/", "//bank.example/"]
)
def test_a_link_is_judged_by_where_it_leads(href: str) -> None:
    link = Subject("click", role="link", name="Read more", url="https://shop.example/", href=href)
    assert assess(link, blocked_hosts=["bank.example"]).verdict is Verdict.DENY


def test_a_link_with_idle_script_is_a_plain_button() -> None:
    idle = Subject("click", role="link", name="More", href="javascript:void(0)")
    assert assess(idle).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://a.example/post/7/delete", "delete"), ("https://a.example/delete.php?id=7", "delete"),
        ("https://a.example/cart?action=buy", "pay"), ("https://a.example/users/3/%64elete", "delete"),
        ("https://a.example/unsubscribe?u=3", "end"), ("https://a.example/docs/delete", ""),
        ("https://a.example/help/how-to-delete?x=1", ""), ("https://a.example/search?q=shoes", ""),
    ],
)  # fmt: skip
def test_an_address_that_does_something_by_itself_is_asked_about(url: str, kind: str) -> None:
    assert find_effect(url) == kind
    assert opening(url) is (Verdict.ASK if kind else Verdict.ALLOW)


@pytest.mark.parametrize("href", ["mailto:a@b.example", "tel:112", "sms:112"])
def test_a_link_that_calls_or_writes_is_asked_about(href: str) -> None:
    assert assess(Subject("click", role="link", name="Contact", href=href)).verdict is Verdict.ASK
