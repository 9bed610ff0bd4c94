"""Masks the values of secret fields in texts and screenshots."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from server.browser.browser import PagePicture
from server.browser.observation.page_script import Box, SecretField
from server.browser.observation.snapshot import SECRET_MASK
from server.text import in_addresses

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

_MARGIN = 4
"""CSS pixels around a secret field that are blurred as well."""


def mask_text(text: str, secrets: Iterable[SecretField]) -> str:
    """Replace secret values everywhere; those of one or two characters only if they are a field's value."""
    forms = {form for secret in secrets for form in _spellings(secret.value)}
    for form in sorted((form for form in forms if len(form) > 2), key=len, reverse=True):
        text = text.replace(form, SECRET_MASK)
    short = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True) if len(form) <= 2)
    return re.sub(rf'(?m): "?(?:{short})"?$', f": {SECRET_MASK}", text) if short else text


def _spellings(value: str) -> set[str]:
    """Return the spellings of a value in a page, in YAML and in a URL."""
    collapsed = " ".join(value.split())
    forms = {
        value,
        collapsed,
        json.dumps(value, ensure_ascii=False)[1:-1],
        *in_addresses(value),
    }
    return {form for form in forms if form}


def make_picture(data: bytes, hidden: Sequence[Box]) -> PagePicture | None:
    """Return the image with its `hidden` boxes unreadable; None if the bytes are no image. CPU-bound."""
    from PIL import Image  # 3 MB, of use once there is a picture

    try:
        with Image.open(io.BytesIO(data)) as image:
            mime = Image.MIME.get(image.format or "", "image/jpeg")
            if not hidden:
                return PagePicture(data, mime, *image.size)
            shown = image.convert("RGB")
    except OSError:
        return None
    for box in hidden:
        _blur(shown, box)
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=85)
    return PagePicture(out.getvalue(), "image/jpeg", *shown.size)


def size_of_picture(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None if the bytes are no image."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except OSError:
        return None


def _blur(image: PillowImage, box: Box) -> None:
    from PIL import Image, ImageFilter

    x, y, width, height = box
    left, top = max(0, int(x) - _MARGIN), max(0, int(y) - _MARGIN)
    right = min(image.width, int(x + width) + _MARGIN + 1)
    bottom = min(image.height, int(y + height) + _MARGIN + 1)
    if right <= left or bottom <= top:
        return
    # A blur alone can be reversed; downscaling to four cells first keeps no letter.
    cells = image.crop((left, top, right, bottom)).resize((4, 1), Image.Resampling.BOX)
    patch = cells.resize((right - left, bottom - top), Image.Resampling.BILINEAR)
    image.paste(patch.filter(ImageFilter.GaussianBlur(6)), (left, top))
