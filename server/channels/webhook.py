"""Sends a message to a webhook: JSON, signed."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable

import orjson

from server.browser.chromium.reach import Reach
from server.channels.checked_post import post
from server.channels.destination import SendFailed
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

SIGNATURE = "Pilothouse-Signature"


def sign(secret: str, body: bytes, moment: int) -> str:
    """The value of the signature's header: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`."""
    digest = hmac.new(secret.encode(), b"%d." % moment + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


async def send_webhook(
    url: str, secret: str, body: JsonObject, reach: Reach, clock: Callable[[], float] = time.time
) -> None:
    """POST the body; any 2xx takes it. Raises SendFailed."""
    data = orjson.dumps(body)
    headers = {"Content-Type": "application/json", SIGNATURE: sign(secret, data, int(clock()))}
    status, _ = await post(url, data, headers, reach)
    if not 200 <= status < 300:
        raise SendFailed(sentence("channel.status", status=status))
