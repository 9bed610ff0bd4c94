"""Gives files to a page over DevTools: to the field that an element is, has or labels, or to what takes dropped files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from server.browser.browser import ToolOutcome
from server.browser.mcp.tool_calls import ToolCalls, name_of
from server.browser.observation import Element
from server.browser.scripts import script
from wording.catalogue import sentence

# Found by its box, as the observation has it. A zone without a field gets its files by way of one that is in no page.
_HOLD_UPLOAD = script("hold_upload")
_DROP = """() => {
  const zone = globalThis.pilothouseZone, {x, y, width, height} = zone.getBoundingClientRect();
  const dataTransfer = new DataTransfer();
  for (const file of globalThis.pilothouseUpload.files) dataTransfer.items.add(file);
  const at = {clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true, composed: true, dataTransfer};
  return ['dragenter', 'dragover', 'drop'].map(kind => !zone.dispatchEvent(new DragEvent(kind, at))).slice(1).every(Boolean);
}"""


async def give(calls: ToolCalls, element: Element, paths: Sequence[Path]) -> ToolOutcome | None:
    """Give the files; None if the element is no field for them and takes none that are dropped."""
    here, names, name = calls.here, ", ".join(path.name for path in paths), name_of(element)
    script = f"listening => ({_HOLD_UPLOAD})({json.dumps(element.box or (0, 0, 0, 0))}, listening)"
    kind = await here.run_with_listeners(script, {"drop"})
    if kind not in ("field", "zone"):
        return None
    async with here.until_quiet(typed=False):
        is_given = await here.give_files("globalThis.pilothouseUpload", [str(path) for path in paths])
        if is_given and kind == "zone":
            is_given = await here.run(_DROP) is True
    if not is_given:
        refused = (
            sentence("field.takes_no_such_file", target=name)
            if kind == "field"
            else sentence("field.takes_no_drop", target=name)
        )
        return calls.outcome(False, refused)
    did = (
        sentence("did.gave_file", file=names, target=name)
        if kind == "field"
        else sentence("did.dropped_file", file=names, target=name)
    )
    return calls.outcome(True, did)
