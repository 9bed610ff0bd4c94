"""Lines of JSON in, observations out: `{snapshot, viewport?, mode?, target?, extra?}` -> `{text, targets, truncated}`.

`--page-script` prints the script whose result goes into `extra`.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Literal

from pydantic import BaseModel, ValidationError

from server.browser.observation import PAGE_SCRIPT, VIEWPORT, Extra, Observation, observe_snapshot
from server.ops.json_types import JsonObject


class Request(BaseModel):
    """One input line. `target` is an eid of the main view, or a ref."""

    snapshot: str = ""
    viewport: tuple[int, int] = VIEWPORT
    mode: Literal["main", "focused"] = "main"
    target: str = ""
    extra: Extra | None = None


def answer(line: str) -> JsonObject:
    """The result for one line: text, targets and truncated, or an error. Never raises."""
    try:
        given = json.loads(line)
        if not isinstance(given, dict):
            raise ValueError("the line is no JSON object")
        request = Request.model_validate({name: _whole(it) for name, it in given.items() if it is not None})
    except ValidationError as error:
        return {"error": "; ".join(f"{item['loc'][0]}: {item['msg']}" for item in error.errors())}
    except (ValueError, RecursionError) as error:
        return {"error": str(error)}
    seen = _seen(request)
    targets = {element.eid: element.ref for element in seen.interactive}
    return {"text": seen.text(), "targets": targets, "truncated": seen.truncated}


def _whole(value: object) -> object:
    """Replace lone surrogates, as left by text cut in the middle of a character."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _seen(request: Request) -> Observation:
    page, viewport, extra = request.snapshot, request.viewport, request.extra
    seen = observe_snapshot(page, viewport=viewport, extra=extra)
    if request.mode == "main" or not request.target:
        return seen
    element = seen.find(request.target)
    around = element.ref if element else request.target
    return observe_snapshot(page, viewport=viewport, extra=extra, around=around)


def main() -> None:
    """Read standard input to its end and print one result per line."""
    parser = argparse.ArgumentParser(prog="python -m server.browser.observation", description=__doc__)
    parser.add_argument("--page-script", action="store_true", help="print the page script and exit")
    if parser.parse_args().page_script:
        print(PAGE_SCRIPT)
        return
    sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")  # type: ignore[union-attr]
    for line in filter(str.strip, sys.stdin):
        print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
