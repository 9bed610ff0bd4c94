"""What the holder of a one-use link may do: see one question and answer it. The secret of the link is the login."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header
from pydantic import Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, Text
from server.api.files import PICTURE_HEADERS
from server.api.messages import Effects
from server.api.schemas import Decided, OpenQuestion
from server.api.sessions import question_of
from server.database.models import InterruptRow
from server.errors import BadRequest, NotFound
from server.events import Answer
from wording.catalogue import sentence

router = APIRouter(prefix="/api/links")

Secret = Annotated[Text, Header(alias="Pilothouse-Link", max_length=200)]
"""Without one, or with one that is not valid any more, 401."""


async def get_question(runtime: RuntimeDep, secret: Secret = "") -> tuple[InterruptRow, str]:
    """A dependency, so that it is refused before anything else of the request is looked at."""
    return await runtime.store.question_of_link(secret)


Linked = Annotated[tuple[InterruptRow, str], Depends(get_question)]
"""The open question of the link, and the title of its session."""


class LinkDecision(Body):
    confirmed: bool | None = None
    done: bool | None = None
    message: Annotated[Text, Field(max_length=4000)] | None = None
    effects: Effects | None = None
    """As in `POST /api/sessions/{id}/decision`."""


@router.get("/question")
async def question(linked: Linked) -> OpenQuestion:
    """The question of the link. It decides nothing and does not use the link up."""
    row, title = linked
    return OpenQuestion(**dict(question_of(row)), session_id=row.session_id, session_title=title)


@router.get("/question/picture", response_class=Response)
async def picture(linked: Linked, runtime: RuntimeDep) -> Response:
    row, _ = linked
    address = question_of(row).screenshot
    if address is None:
        raise NotFound(sentence("question.no_picture"), code="no_picture")
    data, media_type = await runtime.screenshots.read(row.session_id, address.rpartition("/")[2], None)
    return Response(data, media_type=media_type, headers=PICTURE_HEADERS)


@router.post("/question/decision", status_code=202)
async def decide(linked: Linked, body: LinkDecision, runtime: RuntimeDep) -> Decided:
    """Answer the question; only the first answer counts, and the link ends with it."""
    if body.confirmed is None and not body.done:
        raise BadRequest(sentence("decision.missing"), code="no_decision")
    row, _ = linked
    confirmed = bool(body.done) if body.confirmed is None else body.confirmed
    answer = Answer(
        reference=row.reference, confirmed=confirmed, message=body.message or "", effects=body.effects
    )
    await runtime.commands.decide(row.session_id, answer)
    return Decided(reference=row.reference, confirmed=confirmed)
