"""Routes for channels, and for whether anybody looks at the web UI."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, Text
from server.api.schemas import (
    Channel,
    ChannelEvent,
    ChannelKind,
    ChannelList,
    ChannelMode,
    ChannelTested,
    Digest,
    NewlyAddedChannel,
    PushKey,
    QuietHours,
)
from server.channels.channels import ChannelAddress
from server.channels.quiet import QuietRefused, check_daily, check_quiet
from server.database.models import ChannelRow
from server.errors import BadRequest
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

router = APIRouter(prefix="/api")

AddressText = Annotated[Text, Field(min_length=8, max_length=2000)]
Events = Annotated[list[ChannelEvent], Field(min_length=1, max_length=10)]
Clock = Annotated[Text, Field(pattern=r"^\d\d:\d\d$")]
ALL_EVENTS: list[ChannelEvent] = ["question", "manual", "done", "failed", "needs_you", "budget"]


class Quiet(Body):
    model_config = ConfigDict(populate_by_name=True, extra="forbid")
    begin: Clock = Field(alias="from")
    end: Clock = Field(alias="to")
    zone: Annotated[Text, Field(max_length=64)]


class DigestBody(Body):
    """One of the two: `minutes` after the first end of a run, or `at` this time of each day in `zone`."""

    minutes: Annotated[int, Field(ge=5, le=1440)] | None = None
    at: Clock | None = None
    zone: Annotated[Text, Field(max_length=64)] | None = None


class DeviceKeys(Body):
    """Of a push subscription, base64url."""

    p256dh: Annotated[Text, Field(max_length=120)]
    auth: Annotated[Text, Field(max_length=40)]


class NewChannel(Body):
    kind: ChannelKind
    address: AddressText
    """The `endpoint` of a push subscription, for `push`."""
    keys: DeviceKeys | None = None
    name: Annotated[Text, Field(max_length=60)] = ""
    """What the device is called."""
    events: Events = ALL_EVENTS
    mode: ChannelMode = "always"
    quiet: Quiet | None = None
    digest: DigestBody | None = None
    """Send done and failed tasks together; null to send each at once."""
    links: bool = False
    """The links in its messages about questions need no login: each answers one question."""


class ChannelChange(Body):
    address: AddressText | None = None
    keys: DeviceKeys | None = None
    name: Annotated[Text, Field(max_length=60)] = ""
    events: Events | None = None
    mode: ChannelMode | None = None
    quiet: Quiet | None = None
    """null for none; left out, it stays as it is."""
    digest: DigestBody | None = None
    """As `quiet`."""
    links: bool | None = None


class VisiblePage(Body):
    page: Annotated[Text, Field(min_length=1, max_length=64)]
    visible: bool


@router.get("/channels")
async def list_channels(runtime: RuntimeDep) -> ChannelList:
    return ChannelList(items=[to_response(row) for row in await runtime.store.channels()])


@router.post("/channels", status_code=201)
async def add(body: NewChannel, runtime: RuntimeDep) -> NewlyAddedChannel:
    values: JsonObject = {
        "events": list(dict.fromkeys(body.events)), "mode": body.mode, "quiet": _read(body.quiet), "links": body.links,
        "digest": _read_digest(body.digest),
    }  # fmt: skip
    row, secret = await runtime.channels.add(body.kind, _address(body.address, body), values)
    return NewlyAddedChannel(**to_response(row).model_dump(), secret=secret)


@router.patch("/channels/{channel_id}")
async def change(channel_id: Text, body: ChannelChange, runtime: RuntimeDep) -> Channel:
    values: JsonObject = body.model_dump(include={"events", "mode", "links"}, exclude_none=True)
    if "quiet" in body.model_fields_set:
        values["quiet"] = _read(body.quiet)
    if "digest" in body.model_fields_set:
        values["digest"] = _read_digest(body.digest)
    address = _address(body.address, body) if body.address else None
    return to_response(await runtime.channels.change(channel_id, address, values))


@router.delete("/channels/{channel_id}", status_code=204)
async def remove(channel_id: Text, runtime: RuntimeDep) -> Response:
    await runtime.store.remove_channel(channel_id)
    return Response(status_code=204)


@router.post("/channels/{channel_id}/test")
async def send_test(channel_id: Text, runtime: RuntimeDep) -> ChannelTested:
    """Send a message now; return whether it was taken, and why not."""
    fault = await runtime.channels.test(channel_id)
    return ChannelTested(ok=fault is None, detail=fault or "The message was taken.")


@router.get("/push/key")
async def push_key(runtime: RuntimeDep) -> PushKey:
    """What a device subscribes with. The key pair is made at the first call."""
    return PushKey(public_key=await runtime.channels.push_keys.public_key())


@router.post("/presence", status_code=204)
async def note_presence(body: VisiblePage, runtime: RuntimeDep) -> Response:
    """A page says that it is visible, on change and every 45 s; channels with mode `away` wait while it does."""
    runtime.presence.report(body.page, is_visible=body.visible)
    return Response(status_code=204)


def to_response(row: ChannelRow) -> Channel:
    quiet = QuietHours.model_validate(row.quiet) if row.quiet else None
    digest = Digest.model_validate(row.digest, from_attributes=False) if row.digest else None
    return Channel(
        id=row.id, kind=row.kind, address=row.shown, device=row.device, events=row.events, mode=row.mode, quiet=quiet, digest=digest, links=row.links,
        failing=row.failing, last_delivery=row.last_delivery, created_at=row.created_at,
    )  # fmt: skip


def _address(url: str, body: NewChannel | ChannelChange) -> ChannelAddress:
    return ChannelAddress(url, body.keys.model_dump() if body.keys else None, body.name)


def _read(quiet: Quiet | None) -> JsonObject | None:
    try:
        return check_quiet(quiet.begin, quiet.end, quiet.zone) if quiet else None
    except QuietRefused as refused:
        raise BadRequest(sentence("field.quiet", why=refused.why), code="quiet_refused") from None


def _read_digest(digest: DigestBody | None) -> JsonObject | None:
    if digest is None:
        return None
    try:
        if digest.minutes is not None and (digest.at, digest.zone) == (None, None):
            return {"minutes": digest.minutes}
        if digest.minutes is None and digest.at and digest.zone:
            return check_daily(digest.at, digest.zone)
    except QuietRefused as refused:
        raise BadRequest(sentence("field.digest", why=refused.why), code="digest_refused") from None
    raise BadRequest(sentence("digest.which"), code="digest_refused")
