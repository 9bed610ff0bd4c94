"""Why the browser could not open a page, in words for people instead of Chromium's codes. Pure."""

from __future__ import annotations

import re

_OTHER = "The page could not be opened."
_SENTENCES = {
    r"NAME_": "The page could not be opened: there is no site with this name.",
    r"(CONNECTION_)?TIMED_OUT": "The page could not be opened: the site did not answer in time.",
    r"INTERNET_DISCONNECTED|NETWORK_": "The page could not be opened: there is no network.",
    r"CONNECTION_(REFUSED|FAILED)|ADDRESS_|SOCKS_|TUNNEL_|PROXY_":
        "The page could not be opened: the site cannot be reached.",
    r"CERT_|SSL_|BAD_SSL_": "The page could not be opened: no secure connection to the site can be made.",
    r"TOO_MANY_REDIRECTS": "The page could not be opened: the site forwards without end.",
    r"CONNECTION_|EMPTY_RESPONSE|HTTP2_|QUIC_|INCOMPLETE_|CONTENT_LENGTH_":
        "The page could not be opened: the connection to the site broke off.",
    r"INVALID_RESPONSE|INVALID_HTTP_RESPONSE|RESPONSE_HEADERS_|HTTP_RESPONSE_CODE_FAILURE":
        "The page could not be opened: the site did not answer with a page.",
    r"ABORTED": "The page could not be opened: loading was stopped.",
    r"BLOCKED_BY_": "The page could not be opened: the browser blocked it.",
    r"UNSAFE_PORT": "The page could not be opened: browsers do not open this port.",
    r"INVALID_URL|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME": "The page could not be opened: the address is not valid.",
}  # fmt: skip
"""By the beginning of the code; the first that fits counts. The codes: Chromium, `net/base/net_error_list.h`."""


def opening_failure(code: str) -> str:
    """The sentence for a code without its `net::ERR_`, such as `NAME_NOT_RESOLVED`."""
    return next((said for begin, said in _SENTENCES.items() if re.match(begin, code)), _OTHER)
