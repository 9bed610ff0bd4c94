"""Find the server's address and token."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from dotenv import dotenv_values

from cli.errors import UsageError
from cli.words import t

DEFAULT_URL = "http://127.0.0.1:8000"
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a server that listens on all addresses is reached from this machine."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server's base URL without `/api`, and its token, if known."""

    url: str
    token: str | None = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        return is_loopback(self.url)

    def page(self, session_id: str | None = None) -> str:
        """The URL of the web UI, or of one session in it."""
        return f"{self.url}/s/{session_id}" if session_id else f"{self.url}/"

    def absolute(self, path: str) -> str:
        return self.url + path if path.startswith("/") else path


def find_address(url: str | None, token: str | None, folders: Iterable[Path] | None = None) -> Address:
    """The server selected by the options, by default that of these folders' `.env`. For a local server, a missing
    token is read from its files.

    A token read from a file is sent to loopback addresses only.
    """
    places = [Path.cwd(), Path(__file__).resolve().parents[2]] if folders is None else [*folders]
    base = normalise(url or find_url(os.environ, places))
    if not token and is_loopback(base):
        token = find_token(os.environ, places)
    return Address(base, token or None)


def find_url(environ: Mapping[str, str], folders: Iterable[Path]) -> str:
    """Where a server that is started in one of these folders listens: by `HOST` and `PORT`, read as it reads them."""
    for folder in folders:
        values = dotenv_values(folder / ".env")
        host, port = (environ.get(name) or values.get(name) for name in ("HOST", "PORT"))
        if host or port:
            name = _LOOPBACK_OF.get(host or "", host or "127.0.0.1")
            return f"http://{f'[{name}]' if ':' in name else name}:{port or 8000}"
    return DEFAULT_URL


def normalise(url: str) -> str:
    """Normalise a URL: `http://host:8000/` and `http://host:8000/api` become `http://host:8000`.

    Without a scheme, loopback hosts get http, others https. Raises UsageError if it is not a server's address.
    """
    if "://" not in url:
        url = ("http://" if is_loopback(f"http://{url}") else "https://") + url
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            t(
                "{url} is not an address of a server; give something like {example}.",
                url=url,
                example=DEFAULT_URL,
            )
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/api')}"


def is_loopback(url: str) -> bool:
    parts = _split(url)
    host = (parts and parts.hostname) or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _split(url: str) -> SplitResult | None:
    """Split a URL; None if it is invalid."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises ValueError if the port is not a number
    except ValueError:
        return None
    return parts


def find_token(environ: Mapping[str, str], folders: Iterable[Path]) -> str | None:
    """The token of the server in one of these folders: from its `.env`, or generated at its first start."""
    for folder in folders:
        values = dotenv_values(folder / ".env")
        if token := values.get("AUTH_TOKEN"):
            return token
        data_dir = environ.get("DATA_DIR") or values.get("DATA_DIR") or ".data"
        if token := _read(folder / data_dir / "auth_token"):
            return token
    return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
