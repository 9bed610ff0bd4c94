"""Why the browser could not open a page, in words for people instead of Chromium's codes. Pure."""

from __future__ import annotations

import re

from wording.catalogue import Wording, sentence

_OTHER = sentence("open_failed")
_SENTENCES = {
    r"NAME_": sentence("open_failed.no_site"),
    r"(CONNECTION_)?TIMED_OUT": sentence("open_failed.no_answer"),
    r"INTERNET_DISCONNECTED|NETWORK_": sentence("open_failed.no_network"),
    r"CONNECTION_(REFUSED|FAILED)|ADDRESS_|SOCKS_|TUNNEL_|PROXY_":
        sentence("open_failed.unreachable"),
    r"CERT_|SSL_|BAD_SSL_": sentence("open_failed.insecure"),
    r"TOO_MANY_REDIRECTS": sentence("open_failed.redirects"),
    r"CONNECTION_|EMPTY_RESPONSE|HTTP2_|QUIC_|INCOMPLETE_|CONTENT_LENGTH_":
        sentence("open_failed.broke_off"),
    r"INVALID_RESPONSE|INVALID_HTTP_RESPONSE|RESPONSE_HEADERS_|HTTP_RESPONSE_CODE_FAILURE":
        sentence("open_failed.no_page"),
    r"ABORTED": sentence("open_failed.stopped"),
    r"BLOCKED_BY_": sentence("open_failed.blocked"),
    r"UNSAFE_PORT": sentence("open_failed.port"),
    r"INVALID_URL|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME": sentence("open_failed.bad_address"),
}  # fmt: skip
"""By the beginning of the code; the first that fits counts. The codes: Chromium, `net/base/net_error_list.h`."""


def opening_failure(code: str) -> Wording:
    """The sentence for a code without its `net::ERR_`, such as `NAME_NOT_RESOLVED`."""
    return next((said for begin, said in _SENTENCES.items() if re.match(begin, code)), _OTHER)
