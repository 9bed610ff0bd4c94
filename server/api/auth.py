"""Routes for the ways to log in, the devices that are logged in, and the password."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from server.api import schemas
from server.api.deps import Body, CallerOf, Text
from server.auth import (
    COOKIE_SECONDS,
    FLOW_SECONDS,
    Flow,
    Logins,
    NotLoggedIn,
    OpenIdLogin,
    StoredDevice,
    TrustedHeader,
    cookie_name,
    peer_of,
    read_cookies,
)
from server.errors import NotFound, TooMany, Unauthorized
from wording.catalogue import sentence

router = APIRouter(prefix="/api/auth")
logger = logging.getLogger(__name__)

OWN_PATH = re.compile(r"/(?![/\\])[^\s\\]*")
TIMES = ("created_at", "last_used_at", "expires_at")

Password = Annotated[Text, Field(max_length=1000)]


class Login(Body):
    password: Password


class PasswordChange(Body):
    current: Password
    new: Password


@router.get("/ways")
async def ways(request: Request) -> schemas.WaysToLogIn:
    header, provider = _header_of(request), _provider_of(request)
    return schemas.WaysToLogIn(proxy_user=header.named(request.headers), oidc=provider.host)


@router.post("/login", status_code=204)
async def log_in(body: Login, request: Request) -> Response:
    value = _logins_of(request).log_in(body.password, peer_of(request.scope), _agent_of(request))
    return _with_cookie(Response(status_code=204), request, value)


@router.post("/proxy", status_code=204)
async def log_in_by_proxy(request: Request) -> Response:
    name = _header_of(request).person(request.headers)
    value = _logins_of(request).admit("proxy", peer_of(request.scope), _agent_of(request))
    logger.info("%s logged in by a proxy", name)
    return _with_cookie(Response(status_code=204), request, value)


@router.get("/oidc", response_class=RedirectResponse, status_code=303)
async def begin_oidc(request: Request, next: Annotated[Text, Field(max_length=2000)] = "/") -> Response:
    """Sends the browser to the provider's page; `next` is a path of the web UI for afterwards."""
    provider = _provider_of(request)
    if provider.host is None:
        raise NotFound(sentence("login.no_oidc"))
    try:
        address, flow = await provider.begin(_callback_of(request), next if OWN_PATH.fullmatch(next) else "/")
    except NotLoggedIn as error:
        return _to_login_page(request, error)
    response = RedirectResponse(address, 303)
    response.set_cookie(
        _flow_cookie(request), _logins_of(request).seal(flow.model_dump(), FLOW_SECONDS), max_age=FLOW_SECONDS,
        path="/", httponly=True, samesite="lax", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


@router.get("/oidc/callback", response_class=RedirectResponse, status_code=303)
async def finish_oidc(request: Request) -> Response:
    """Where the provider sends the browser back to. A failure counts as a wrong password does."""
    logins, peer = _logins_of(request), peer_of(request.scope)
    try:
        logins.check_attempts(peer)
        flow = _flow_of(request)
        name = await _provider_of(request).finish(flow, request.query_params, _callback_of(request))
    except TooMany:
        response = _to_login_page(request, NotLoggedIn("too_many"))
    except NotLoggedIn as error:
        logins.note_failure(peer)
        response = _to_login_page(request, error)
    else:
        logger.info("%s logged in at OIDC_ISSUER", name)
        value = logins.admit("oidc", peer, _agent_of(request))
        response = _with_cookie(RedirectResponse(_base_of(request) + flow.next, 303), request, value)
    response.delete_cookie(_flow_cookie(request), path="/", httponly=True, samesite="lax")
    return response


@router.post("/logout", status_code=204)
async def log_out(request: Request, caller: CallerOf) -> Response:
    if caller.cookie:
        caller.logins.log_out(caller.cookie)
    response = Response(status_code=204)
    secure = request.url.scheme == "https"
    name = cookie_name(request.headers, caller.logins.cookie, secure=secure)
    response.delete_cookie(name, path="/", httponly=True, samesite="strict", secure=secure)
    return response


@router.get("/me")
async def me(caller: CallerOf) -> schemas.Me:
    if not caller.is_logged_in:
        raise Unauthorized(sentence("login.needed"))
    return schemas.Me(by="token" if caller.bearer else "cookie")


@router.get("/devices")
async def devices(caller: CallerOf) -> schemas.Devices:
    items = [_as_shown(device, caller.device_id) for device in caller.logins.devices.all()]
    return schemas.Devices(items=items, can_change_password=caller.logins.can_change_password)


@router.delete("/devices/{device_id}", status_code=204)
async def end_device(device_id: str, caller: CallerOf) -> Response:
    caller.logins.end_device(device_id)
    return Response(status_code=204)


@router.put("/password", status_code=204)
async def change_password(body: PasswordChange, request: Request, caller: CallerOf) -> Response:
    """Ends all logins but this browser's, which gets a new cookie; programs need the new password as their token."""
    caller.logins.change_password(body.current, body.new, peer_of(request.scope))
    response = Response(status_code=204)
    if caller.cookie is None:
        return response
    value = caller.logins.admit("password", peer_of(request.scope), _agent_of(request))
    return _with_cookie(response, request, value)


def _logins_of(request: Request) -> Logins:
    logins: Logins = request.app.state.logins
    return logins


def _header_of(request: Request) -> TrustedHeader:
    header: TrustedHeader = request.app.state.trusted_header
    return header


def _provider_of(request: Request) -> OpenIdLogin:
    provider: OpenIdLogin = request.app.state.openid
    return provider


def _agent_of(request: Request) -> str:
    return request.headers.get("user-agent", "")


def _base_of(request: Request) -> str:
    """The path below which the server is reached."""
    base_path: str = request.app.state.base_path
    return base_path


def _callback_of(request: Request) -> str:
    """On the host of the request, which the gate has checked: the cookie of the attempt belongs to it."""
    return f"{request.url.scheme}://{request.url.netloc}{_base_of(request)}/api/auth/oidc/callback"


def _flow_cookie(request: Request) -> str:
    secure = request.url.scheme == "https"
    return cookie_name(request.headers, f"{_logins_of(request).cookie}-oidc", secure=secure)


def _flow_of(request: Request) -> Flow:
    """The attempt that this browser began. Raises NotLoggedIn."""
    sealed = next(read_cookies(request.headers, _flow_cookie(request)), "")
    flow = _logins_of(request).unseal(sealed)
    if flow is None:
        raise NotLoggedIn("other_attempt")
    return Flow.model_validate(flow)


def _to_login_page(request: Request, error: NotLoggedIn) -> Response:
    return RedirectResponse(f"{_base_of(request)}/login?problem={error.code}", 303)


def _with_cookie(response: Response, request: Request, value: str) -> Response:
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie_name(request.headers, _logins_of(request).cookie, secure=secure), value, max_age=COOKIE_SECONDS,
        path="/", httponly=True, samesite="strict", secure=secure,
    )  # fmt: skip
    return response


def _as_shown(device: StoredDevice, here: str | None) -> schemas.Device:
    times = {name: datetime.fromtimestamp(getattr(device, name), UTC) for name in TIMES}
    return schemas.Device(
        id=device.id, way=device.way, browser=device.browser, address=device.address, is_here=device.id == here,
        **times,
    )  # fmt: skip
