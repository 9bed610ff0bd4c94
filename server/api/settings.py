"""Routes for preferences, provider keys, and purging sessions."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Self

from fastapi import APIRouter
from pydantic import Field, model_validator
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, Text
from server.api.schemas import KeyTested, Purged
from server.events import now
from server.ops.json_types import JsonObject

router = APIRouter(prefix="/api")


Value = bool | int | float | Text | list[Text] | None
"""The value of a setting; `Settings` validates its type."""


class Key(Body):
    key: Annotated[Text, Field(min_length=8, max_length=500)]


class KeyTest(Body):
    model: Annotated[Text, Field(max_length=200)] | None = None


class Purge(Body):
    """Exactly one of the two: all sessions are deleted only with an explicit `all: true`."""

    all: bool = False
    older_than_days: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.all == (self.older_than_days is not None):
            raise ValueError("send either all: true or older_than_days")
        return self


@router.get("/settings")
async def read(runtime: RuntimeDep) -> JsonObject:
    preferences = runtime.preferences
    return {
        "values": preferences.values(preferences.chosen),
        "defaults": preferences.values(preferences.defaults),
        "keys": preferences.key_states(),
    }


@router.patch("/settings")
async def change(body: dict[Text, Value], runtime: RuntimeDep) -> JsonObject:
    if isinstance(model := body.get("agent_model"), str):
        runtime.models.check(model, "agent_model")
    await runtime.preferences.change(body)
    return await read(runtime)


@router.put("/settings/keys/{provider}", status_code=204)
async def set_key(provider: str, body: Key, runtime: RuntimeDep) -> Response:
    await runtime.preferences.set_key(provider, body.key)
    return Response(status_code=204)


@router.delete("/settings/keys/{provider}", status_code=204)
async def remove_key(provider: str, runtime: RuntimeDep) -> Response:
    await runtime.preferences.set_key(provider, None)
    return Response(status_code=204)


@router.post("/settings/keys/{provider}/test")
async def try_key(provider: str, runtime: RuntimeDep, body: KeyTest | None = None) -> KeyTested:
    """Make short model calls, to check that the provider's key works and what the model can do."""
    name = (body.model if body else None) or runtime.models.first_of(provider)
    try:
        abilities = await runtime.agents.abilities(name)
    except Exception as error:  # any error of the provider's client is returned as text
        return KeyTested(ok=False, detail=runtime.agents.failure(error)[1])
    return KeyTested(ok=True, detail=f"{name} answers.", abilities=abilities)


@router.post("/purge")
async def purge(runtime: RuntimeDep, body: Purge) -> Purged:
    """Delete sessions permanently: all, with all automations and grants, or the unpinned ones not changed for `older_than_days` days."""
    if body.older_than_days is None:
        await runtime.store.remove_automations()
        await runtime.store.remove_grants()
        session_ids = await runtime.store.session_ids()
    else:
        session_ids = await runtime.store.sessions_untouched_since(
            now() - timedelta(days=body.older_than_days)
        )
    await runtime.retention.purge(session_ids)
    return Purged(sessions=len(session_ids))
