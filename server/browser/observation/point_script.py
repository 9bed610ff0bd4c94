"""Scripts that read what is drawn in the window and what is at a point of it. Both only read."""

from __future__ import annotations

from server.browser.scripts import script

_POINT_HELPERS = script("point_helpers")

POINT_SCRIPT = script("point", POINT_HELPERS=_POINT_HELPERS)
"""What is at `__X__, __Y__` of the window: the elements from the innermost one outwards, as in `Layers`."""

DRAWN_SCRIPT = script("drawn", POINT_HELPERS=_POINT_HELPERS)
"""How much of the window shows something drawn that no name describes: `{share: 0 to 1, width, height}`."""


def point_script(x: float, y: float) -> str:
    """`POINT_SCRIPT` for one point, in CSS pixels of the window that the script runs in."""
    return POINT_SCRIPT.replace("__X__", repr(float(x))).replace("__Y__", repr(float(y)))
