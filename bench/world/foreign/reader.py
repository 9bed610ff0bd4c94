"""Reads an observers' stream with httpx-sse, is cut off after every event, and comes back with the last id.

    python reader.py ADDRESS TOKEN

Runs in an environment of its own. Prints `{"held": events, "missed": [what was lost, doubled or changed]}`.
"""

from __future__ import annotations

import json
import sys

import httpx
from httpx_sse import connect_sse

ADDRESS, HEADERS = sys.argv[1], {"Authorization": f"Bearer {sys.argv[2]}"}


def read(
    client: httpx.Client, path: str, last: str, after: str = "", limit: int = 10_000
) -> list[tuple[str, str, str]]:
    """Type, id and data of at most `limit` events, up to the first of type `last`."""
    found: list[tuple[str, str, str]] = []
    headers = {"Last-Event-ID": after} if after else {}
    with connect_sse(client, "GET", path, headers=headers) as source:
        for event in source.iter_sse():
            if not event.data:
                continue
            found.append((event.event, event.id, event.data))
            if event.event == last or len(found) == limit:
                break
    return found


def main() -> None:
    missed: list[str] = []
    held = 0
    with httpx.Client(base_url=ADDRESS, headers=HEADERS, timeout=60, trust_env=False) as client:
        for path, last in (("/events/{id}", "final"), ("/api/sessions/{id}/stream", "done")):
            session = client.post("/api/sessions", json={}).json()["id"]
            stream = path.format(id=session)
            client.post(
                f"/api/sessions/{session}/messages", json={"content": "this is a ping test \u2028 \ufeff"}
            )
            whole = read(client, stream, last)
            cut: list[tuple[str, str, str]] = []
            while not cut or cut[-1][0] != last:
                cut += read(client, stream, last, after=cut[-1][1] if cut else "", limit=1)
            whole = read(client, stream, last)  # again: the first may have come while the run went on
            held += len(cut)
            if cut != whole:
                missed.append(f"{path}: {len(cut)} events instead of {len(whole)}")
    print(json.dumps({"held": held, "missed": missed}))


main()
