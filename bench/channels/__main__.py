"""How long after a question was committed its message arrives at local receivers.

    python -m bench.channels [--questions 50]

A server in mock mode as a process; a push service, a webhook and an ntfy server on loopback. The time of the question is its row's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from datetime import datetime
from pathlib import Path
from statistics import quantiles

import httpx

from tests.support.eventually import eventually
from tests.support.push_service import push_service
from tests.support.receivers import Receiver, receiving
from tests.support.server import Server, serving

TARGET = 1.0
"""Seconds, for 95 of 100 messages."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), drain_timeout="0") as server:
        found = asyncio.run(measure(server, options.questions))
    print(f"{options.questions} questions, seconds from the commit to the request")
    for kind, seconds in found.items():
        cuts = quantiles(seconds, n=20)
        print(
            f"{kind:8} p50 {cuts[9]:.3f}  p95 {cuts[18]:.3f}  max {max(seconds):.3f}  "
            f"{'ok' if cuts[18] <= TARGET else 'MISSED'}"
        )


async def measure(server: Server, questions: int) -> dict[str, list[float]]:
    async with (
        receiving() as webhook,
        receiving() as ntfy,
        push_service() as service,
        httpx.AsyncClient(base_url=server.api, headers=server.headers, trust_env=False, timeout=60) as client,
    ):
        await add(client, "webhook", f"{webhook.url}/hook")
        await add(client, "apprise", f"ntfy://{ntfy.url.removeprefix('http://')}/bench")
        device = service.subscribe(str((await client.get("/push/key")).json()["public_key"]))
        await add(client, "push", device.endpoint, keys=device.keys)
        asked: dict[str, datetime] = {}
        for _ in range(questions):
            session_id = str((await client.post("/sessions", json={})).json()["id"])
            await client.post(f"/sessions/{session_id}/messages", json={"content": "shop for a kettle"})
            question = await question_of(client, session_id)
            asked[session_id] = datetime.fromisoformat(question["created_at"])
            await arrived(webhook, len(asked))
            await arrived(ntfy, len(asked))
            await eventually(lambda: len(device.received) > len(asked), message="the device has it")
        return {
            "push": [
                one.at - asked[one.body["session_id"]].timestamp() for one in device.received
                if one.body["type"] == "question"
            ],
            "webhook": [one.at - asked[json.loads(one.body)["session_id"]].timestamp() for one in webhook.received],
            "ntfy": [
                one.at - asked[json.loads(one.body)["message"].rpartition("/s/")[2]].timestamp()
                for one in ntfy.received
            ],
        }  # fmt: skip


async def add(client: httpx.AsyncClient, kind: str, address: str, **more: object) -> None:
    body = {"kind": kind, "address": address, "events": ["question"], **more}
    channel = (await client.post("/channels", json=body)).raise_for_status().json()
    # The first message of a service waits for its library to be loaded.
    (await client.post(f"/channels/{channel['id']}/test")).raise_for_status()


async def question_of(client: httpx.AsyncClient, session_id: str) -> dict[str, str]:
    async def read() -> dict[str, str] | None:
        session = (await client.get(f"/sessions/{session_id}")).json()
        return next(iter(session["interrupts"]), None)

    found = await eventually(read, message="the session asks")
    assert found
    return found


async def arrived(receiver: Receiver, count: int) -> None:
    """Until this many questions have come. The test message is taken out."""
    receiver.received = [one for one in receiver.received if not is_test(one.body)]
    await eventually(lambda: len(receiver.received) >= count, message=f"{count} messages have come")


def is_test(body: bytes) -> bool:
    told = json.loads(body)
    return told.get("type") == "test" or "Test message" in str(told.get("title"))


if __name__ == "__main__":
    main()
