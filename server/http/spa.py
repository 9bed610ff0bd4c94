"""Serves the web UI's build from memory, so that no other file can be addressed."""

from __future__ import annotations

import gzip
import hashlib
import logging
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from server.ops.program_files import PROGRAM_FILES

logger = logging.getLogger(__name__)

PAGE = "/index.html"
DIST = PROGRAM_FILES / "web" / "dist"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
SECURITY = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NOT_BUILT = """<!doctype html><title>Pilothouse</title>
<p>The web UI is not here: <code>make setup</code> builds it. The API works without it."""
ASSET_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    bodies: dict[str, bytes]
    """By content encoding: "br", "gzip", and "" (identity) where there is no "gzip" to unpack for the few clients without."""
    tag: str
    media_type: str
    cache: str


class Spa:
    """An ASGI app. Unknown pages get index.html, for client-side routes; unknown assets and API paths 404."""

    def __init__(self, dist: Path = DIST, base_path: str = "") -> None:
        """`base_path`: where the web UI is served, such as `/pilot`; "" at the top."""
        self._assets = _load(dist, base_path) if dist.is_dir() else {}
        if not self._assets:
            logger.warning("the web UI is not here (%s): `make setup` builds it", dist)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        await self._respond(scope)(scope, receive, send)

    def _respond(self, scope: Scope) -> Response:
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            return Response(status_code=405, headers=SECURITY | {"allow": "GET, HEAD"})
        asset = self._find(scope["path"], headers.get("accept", ""))
        if asset is None and not self._assets:
            return HTMLResponse(NOT_BUILT, 503, SECURITY)
        if asset is None:
            return Response("Not found", 404, SECURITY | {"cache-control": "no-store"})
        return _serve(asset, headers)

    def _find(self, path: str, accept: str) -> Asset | None:
        asset = self._assets.get(PAGE if path == "/" else path)
        is_page = not path.startswith(("/api", "/assets/")) and "text/html" in accept
        return asset or (self._assets.get(PAGE) if is_page else None)


@cache
def _load(dist: Path, base_path: str) -> dict[str, Asset]:
    """Once in a process: a build does not change while it is served, and tests make hundreds of apps."""
    files = {"/" + path.relative_to(dist).as_posix(): path for path in dist.rglob("*") if path.is_file()}
    plain = {name: path for name, path in files.items() if path.suffix not in (".br", ".gz", ".map")}
    assets = {name: _read(name, path, files) for name, path in plain.items()}
    if page := plain.get(PAGE):
        assets[PAGE] = _placed(page.read_text(), base_path)
    return assets


def _placed(page: str, base_path: str) -> Asset:
    """The page with its first files below `base_path`: it stands for addresses of any depth, so that none is relative."""
    body = page.replace('"./', f'"{base_path}/').encode()
    tag = hashlib.sha256(body).hexdigest()[:16]
    return Asset({"gzip": gzip.compress(body, mtime=0)}, tag, "text/html", "no-cache")


def _read(name: str, path: Path, files: dict[str, Path]) -> Asset:
    body = path.read_bytes()
    bodies = {}
    for encoding, suffix in (("br", ".br"), ("gzip", ".gz")):
        if name + suffix in files:
            bodies[encoding] = files[name + suffix].read_bytes()
    if "gzip" not in bodies:
        bodies[""] = body
    media_type = (
        ASSET_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    )
    cache = "public, max-age=31536000, immutable" if name.startswith("/assets/") else "no-cache"
    return Asset(bodies, hashlib.sha256(body).hexdigest()[:16], media_type, cache)


def _serve(asset: Asset, headers: Headers) -> Response:
    encoding = _choose(asset, headers.get("accept-encoding", ""))
    etag = f'"{asset.tag}{"-" + encoding if encoding else ""}"'
    fields = SECURITY | {"cache-control": asset.cache, "etag": etag, "vary": "Accept-Encoding"}
    if encoding:
        fields["content-encoding"] = encoding
    known = [tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")]
    if etag in known:
        return Response(status_code=304, headers=fields)
    has_form = encoding in asset.bodies
    body = asset.bodies[encoding] if has_form else gzip.decompress(asset.bodies["gzip"])
    return Response(body, headers=fields, media_type=asset.media_type)


def _choose(asset: Asset, accepted: str) -> str:
    offers = {}
    for part in accepted.lower().split(","):
        name, _, parameters = part.strip().partition(";")
        offers[name.strip()] = parameters.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return next((name for name in ("br", "gzip") if name in asset.bodies and offers.get(name)), "")
