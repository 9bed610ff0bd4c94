"""Record the events of runs in mock mode, as the server publishes them, for the tests of the web UI's store."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from scripts.shell import ROOT
from server.main import create_app
from server.settings import Settings

FOLDER = ROOT / "web/src/test/fixtures"
PASSWORD = "recorded"
RUNS: dict[str, dict[str, Any]] = {
    "shop": {"content": "shop for a kettle"},
    "thinking": {"content": "think about boats", "agent": "assistant"},
    "stopped": {"content": "slow story"},
    "failed": {"content": "error please"},
    "limit": {"content": "steps and steps", "max_tool_steps": 3},
}


async def record(client: httpx.AsyncClient, name: str, content: str, **session: Any) -> None:
    """One run from its message to its end: its events a line each, and the session as it is read afterwards."""
    path = f"/api/sessions/fixture-{name}"
    await client.post("/api/sessions", json={"id": f"fixture-{name}", **session})
    await client.post(f"{path}/messages", json={"content": content, "client_id": f"client-{name}"})
    if name == "stopped":
        await see_text(client, path)
        await client.post(f"{path}/cancel")
    await see_to_question(client, path)
    stream = (await client.get(f"{path}/stream")).text
    blocks = [block.split("\n") for block in stream.split("\n\n") if block.startswith("event: ")]
    events = [{"type": kind[7:], **json.loads(data[6:])} for kind, _, data in blocks]
    lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events]
    write(f"{name}.events.jsonl", "\n".join(lines) + "\n")
    write(
        f"{name}.session.json",
        json.dumps((await client.get(path)).json(), indent=1, ensure_ascii=False) + "\n",
    )


async def see_text(client: httpx.AsyncClient, path: str) -> None:
    """Wait until some of the answer is published."""
    text = ""
    while len(text) < 200:
        await asyncio.sleep(0.05)
        live = (await client.get(path)).json()["live"]
        text = live["text"] if live else ""


async def see_to_question(client: httpx.AsyncClient, path: str) -> None:
    """Wait until the run has ended; say yes to what it asks."""
    while not (session := (await client.get(path)).json())["run"]["finished_at"]:
        if pending := session["pending"]:
            answer = {"reference": pending["reference"], "confirmed": True}
            await client.post(f"{path}/decision", json=answer)
        await asyncio.sleep(0.05)


def write(name: str, text: str) -> None:
    (FOLDER / name).write_text(text)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        chosen = {
            "agent_mode": "mock",
            "data_dir": Path(folder),
            "auth_token": PASSWORD,
            "drain_timeout": 0.0,
        }
        app = create_app(Settings.model_validate(chosen))
        headers = {"authorization": f"Bearer {PASSWORD}"}
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8000", headers=headers
            ) as client,
        ):
            for name, run in RUNS.items():
                await record(client, name, **run)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
