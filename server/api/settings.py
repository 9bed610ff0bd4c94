"""Routes for preferences, provider keys, and purging sessions."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Self

from fastapi import APIRouter
from pydantic import Field, model_validator
from starlette.responses import Response

from server.agent.models import connecting
from server.agent.models.catalog import usage_cost
from server.api.deps import Body, RuntimeDep, Text
from server.api.schemas import Connected, KeyTested, Purged, ServerModels
from server.events import now
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

router = APIRouter(prefix="/api")


TYPICAL_TASK = {"input_tokens": 20_000, "output_tokens": 2_000}
"""Tokens of a task of some twenty acts (docs/operator.md)."""

Value = bool | int | float | Text | list[Text] | None
"""The value of a setting; `Settings` validates its type."""


class Key(Body):
    key: Annotated[Text, Field(min_length=8, max_length=500)]


class KeyTest(Body):
    model: Annotated[Text, Field(max_length=200)] | None = None


class ModelAccess(Body):
    """How a model is reached; `key` may be left out if one is set, `model` where the provider's first one is meant."""

    provider: Annotated[Text, Field(max_length=40)]
    key: Annotated[Text, Field(min_length=8, max_length=500)] | None = None
    address: Annotated[Text, Field(max_length=500)] | None = None
    model: Annotated[Text, Field(max_length=180)] | None = None
    is_default: bool = True
    """Whether new sessions use the model."""


class Purge(Body):
    """Exactly one of the two: all sessions are deleted only with an explicit `all: true`."""

    all: bool = False
    older_than_days: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.all == (self.older_than_days is not None):
            raise ValueError(sentence("fault.all_or_days"))
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


@router.post("/settings/connect/models")
async def list_models(body: ModelAccess, runtime: RuntimeDep) -> ServerModels:
    """The models of an own server or Ollama, and the address at which it has them."""
    settings = runtime.preferences.with_provider(body.provider, body.key, body.address)
    address, names = await connecting.names_at(body.provider, settings)
    return ServerModels(address=address, names=names)


@router.post("/settings/connect")
async def connect(body: ModelAccess, runtime: RuntimeDep) -> Connected:
    """Try a provider's model with a tool call; key, address and model are kept only if it answers."""
    settings = runtime.preferences.with_provider(body.provider, body.key, body.address)
    name = f"{body.provider}:{body.model}" if body.model else runtime.models.first_of(body.provider)
    runtime.models.check(name, "model")
    try:
        calls = await connecting.try_model(name, settings)
    except Exception as error:  # any error of the provider's client is returned as text
        return Connected(ok=False, detail=runtime.agents.failure(error)[1], model=name)
    await runtime.preferences.keep_provider(
        body.provider, body.key, body.address, name if body.is_default else None
    )
    return Connected(
        ok=True, detail="", model=name, calls_tools=calls, task_cost=usage_cost(name, TYPICAL_TASK)
    )


@router.post("/purge")
async def purge(runtime: RuntimeDep, body: Purge) -> Purged:
    """Delete sessions permanently: all, with all automations, grants, notes and instructions, or the unpinned ones not changed for `older_than_days` days."""
    if body.older_than_days is None:
        await runtime.store.remove_automations()
        await runtime.store.remove_grants()
        await runtime.store.remove_notes()
        await runtime.store.set_instructions("")
        session_ids = await runtime.store.session_ids()
    else:
        session_ids = await runtime.store.sessions_untouched_since(
            now() - timedelta(days=body.older_than_days)
        )
    await runtime.retention.purge(session_ids)
    return Purged(sessions=len(session_ids))
