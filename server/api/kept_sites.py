"""Routes for the sites that stay signed in for all sessions. No answer holds a cookie's value."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, SessionId
from server.api.schemas import KeptSite, KeptSiteList
from server.browser.site_cookies import cookie_site
from server.errors import Conflict
from wording.catalogue import sentence

router = APIRouter(prefix="/api/kept-sites")
of_session = APIRouter(prefix="/api/sessions/{session_id}/browser")
"""Below `browser`: the process that has the session's browser answers."""


class Keep(Body):
    days: Annotated[int, Field(ge=1, le=365)] = 30


@of_session.post("/keep", status_code=201)
async def keep(session_id: SessionId, body: Keep, runtime: RuntimeDep) -> KeptSite:
    """Stay signed in at the site of the open page. 409 if no page of a site is open, or it has no cookies."""
    await runtime.store.session(session_id)
    state = runtime.browsers.peek(session_id)
    site = cookie_site(state.url or "") if state and state.status == "open" else ""
    if not site:
        raise Conflict(sentence("kept_site.no_page"), code="no_page")
    cookies = await runtime.browsers.site_cookies(session_id, site)
    return KeptSite.model_validate(await runtime.kept_sites.keep(session_id, site, cookies, body.days))


@router.get("")
async def listed(runtime: RuntimeDep) -> KeptSiteList:
    rows = await runtime.kept_sites.store.all()
    return KeptSiteList(items=[KeptSite.model_validate(row) for row in rows])


@router.delete("/{kept_id}", status_code=204)
async def remove(kept_id: str, runtime: RuntimeDep) -> Response:
    await runtime.kept_sites.store.remove(kept_id)
    return Response(status_code=204)
