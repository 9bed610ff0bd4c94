"""Routes for what a user points at: the elements of a picture, or of the page as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from server.agent.pointing.pointer import Pointer, SeenPage, seen_page, to_json
from server.api.browser import free_browser, note_private
from server.api.deps import Body, RuntimeDep, SessionId, Text
from server.api.schemas import PointedElement, PointedPage
from server.browser.browser import PagePoint
from server.browser.observation import VIEWPORT
from server.errors import BadRequest, Conflict, NotFound
from server.files.screenshots import PICTURE_NAME
from server.ops.json_types import JsonObject
from server.runtime import Runtime
from wording.catalogue import sentence

router = APIRouter(prefix="/api/sessions/{session_id}")

MAX_POINTERS, POINTER_NOTE_CHARS = 10, 300
Percent = Annotated[float, Field(ge=0, le=100)]


class PointBody(Body):
    """A place of the window."""

    x: Percent
    y: Percent


class PointerBody(Body):
    """A mark as a client gives it: the server knows what the element is."""

    n: Annotated[int, Field(ge=1, le=99)]
    picture: Annotated[Text, Field(max_length=500)]
    """Address of the picture that it is on."""
    element: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")] | None = None
    """The id of an element of the picture; null for a place."""
    box: Annotated[list[Percent], Field(min_length=4, max_length=4)]
    """Of a place: left, top, width and height in percent of the picture."""
    note: Annotated[Text, Field(max_length=POINTER_NOTE_CHARS)] = ""


Pointers = Annotated[list[PointerBody], Field(max_length=MAX_POINTERS)]


@router.get("/pictures/{name}")
async def seen(
    session_id: SessionId, name: Annotated[str, Path(pattern=PICTURE_NAME.pattern)], runtime: RuntimeDep
) -> PointedPage:
    """What a kept picture shows; no elements where only the picture is kept."""
    await runtime.store.session(session_id)
    address = runtime.screenshots.address_in(session_id, name)
    return _shown(address, await _kept(address, runtime))


@router.post("/browser/point")
async def point(session_id: SessionId, runtime: RuntimeDep, body: PointBody | None = None) -> PointedPage:
    """The page as it is now, with its picture, and what is at a place of it.

    Raises Conflict while a run acts with the browser or the user has taken it over.
    """
    browser = await free_browser(session_id, runtime)
    wide, high = VIEWPORT
    places = [PagePoint(round(body.x * wide / 100), round(body.y * high / 100))] if body else []
    page = await browser.observe((), places)
    note_private(session_id, page, runtime)
    if (picture := await browser.screenshot()) is None:
        raise Conflict(sentence("pointer.unseen"), code="no_picture")
    address = await runtime.screenshots.keep(session_id, picture.data, picture.mime)
    kept = seen_page(page, address, (picture.width, picture.height))
    await runtime.screenshots.keep_page(address, kept.model_dump_json(exclude_defaults=True).encode())
    hit = page.at(places[0].x, places[0].y) if places else None
    at = (one.id for one in kept.elements if hit and hit.is_element and one.ref == hit.element.ref)
    return _shown(address, kept, next(at, None))


async def read_pointers(given: Sequence[PointerBody], session_id: str, runtime: Runtime) -> list[JsonObject]:
    """The pointers as they are stored. Raises BadRequest for a number given twice and for what no picture shows."""
    pointers = [await _read(one, session_id, runtime) for one in given]
    for at, one in enumerate(given):
        if one.n in (other.n for other in given[:at]):
            raise _unknown(one)
    return to_json(pointers)


async def _read(given: PointerBody, session_id: str, runtime: Runtime) -> Pointer:
    address = runtime.screenshots.address_in(session_id, given.picture)
    try:
        page = await _kept(address, runtime)
    except NotFound:
        raise _unknown(given) from None
    left, top, wide, high = given.box
    place = Pointer(
        n=given.n,
        url=page.url,
        picture=address,
        box=(left, top, wide, high),
        note=" ".join(given.note.split()),
        view=page.view,
    )
    if given.element is None:
        return place
    if (element := page.find(given.element)) is None:
        raise _unknown(given)
    return place.model_copy(
        update={
            "box": element.box, "target": element.target, "ref": element.ref, "alone": element.alone,
        }
    )  # fmt: skip


def _unknown(given: PointerBody) -> BadRequest:
    return BadRequest(sentence("pointer.unknown", n=given.n), code="pointer_unknown")


async def _kept(address: str, runtime: Runtime) -> SeenPage:
    """Raises NotFound if the session has no such picture."""
    page = await runtime.screenshots.page_of(address)
    return SeenPage.model_validate_json(page) if page else SeenPage(url="")


def _shown(address: str, page: SeenPage, at: str | None = None) -> PointedPage:
    elements = [
        PointedElement(
            id=one.id, role=one.target.role, name=one.target.name, near=list(one.target.near), box=one.box
        )
        for one in page.elements
    ]
    return PointedPage(picture=address, url=page.url, elements=elements, at=at)
