"""The script of the bench's model provider: it sends what the prompt requests, every token with the time it was sent.

`bulk N` is N tokens as fast as they go, `paced R N` N tokens at R a second, anything else one word. A token is
`<unix time> ` with microseconds, so that any reader on this machine can measure how late it is. The operator is answered
by a call of its tool, with the same text in it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from tests.support.model_reply import Asked, Reply, call, say

_BULK = re.compile(r"bulk (\d+)")
_PACED = re.compile(r"paced (\d+) (\d+)")
OPERATOR_TOOL = "act"
STAMP = re.compile(r"(\d{10}\.\d{6}) ")


def stamped(count: int) -> Iterator[str]:
    for _ in range(count):
        yield f"{time.time():.6f} "


def script(asked: Asked) -> Reply:
    if OPERATOR_TOOL in asked.tools:
        found = _BULK.search(str(asked.messages))
        text = "".join(stamped(int(found[1]))) if found else "Harbour"
        return call(OPERATOR_TOOL, {"action": "stop", "final_response": text})
    if found := _BULK.search(asked.last_text):
        return say(stamped(int(found[1])))
    if found := _PACED.search(asked.last_text):
        return say(stamped(int(found[2])), delay=1 / int(found[1]))
    return say("Harbour")
