"""Pictures of pages made smaller for a model, and compared at a point. CPU-bound: for a thread."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

from server.browser.browser import PagePicture

MODEL_QUALITY = 60
"""Of the JPEG that a model gets: text of a page stays legible."""
POINT_REACH = 24
"""CSS pixels around a point that belong to what is drawn there."""
_CELLS = 8
_MAX_DIFFERENCE = 40
"""Of a cell's colour, 0 to 255: a JPEG of the same drawing differs by a few, a button in another colour by more."""


def shrink(picture: PagePicture, long_side: int) -> tuple[bytes, str, tuple[int, int]]:
    """Bytes, MIME type and size of the picture with at most `long_side` pixels on its longer side.

    What is no image stays as it is.
    """
    from PIL import Image  # 3 MB, of use once there is a picture

    try:
        with Image.open(io.BytesIO(picture.data)) as image:
            shown = image.convert("RGB")
    except OSError:
        return picture.data, picture.mime, (picture.width, picture.height)
    shown.thumbnail((long_side, long_side), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=MODEL_QUALITY)
    return out.getvalue(), "image/jpeg", shown.size


def drawings_at(picture: PagePicture, points: Sequence[tuple[int, int]]) -> list[str]:
    """What is drawn around each point of the page, as a short text for `is_same_drawing`; "" if it is no image."""
    from PIL import Image

    wide, high = picture.window or (picture.width, picture.height)
    try:
        with Image.open(io.BytesIO(picture.data)) as image:
            shown = image.convert("RGB")
    except OSError:
        return [""] * len(points)
    across, down = shown.width / wide, shown.height / high
    boxes = [(x - POINT_REACH, y - POINT_REACH, x + POINT_REACH, y + POINT_REACH) for x, y in points]
    parts = [shown.crop((a * across, b * down, c * across, d * down)) for a, b, c, d in boxes]
    cells = [part.resize((_CELLS, _CELLS), Image.Resampling.BOX) for part in parts]
    return [base64.b64encode(one.tobytes()).decode() for one in cells]


def is_same_drawing(one: str, other: str) -> bool:
    """Whether two results of `drawings_at` show the same, but for the noise of their encoding."""
    pixels = base64.b64decode(one), base64.b64decode(other)
    if not one or len(pixels[0]) != len(pixels[1]):
        return False
    return all(abs(a - b) <= _MAX_DIFFERENCE for a, b in zip(*pixels, strict=True))
