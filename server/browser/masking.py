"""Keeps what a person typed into secret fields out of texts and pictures."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, quote_plus

from PIL import Image, ImageFilter

from server.browser.browser import Picture
from server.browser.page_script import Box, SecretField
from server.browser.secret_fields import hide_secrets
from server.browser.snapshot import MASK, parse_snapshot

_BOX = re.compile(r" \[box=[-\d.,]*\]")
_MARGIN = 4
"""CSS pixels around a secret field that are blurred with it."""


def mask_text(text: str, secrets: Iterable[SecretField]) -> str:
    """Replace secret values wherever they stand; very short ones only where they are a field's value."""
    for secret in secrets:
        for form in sorted(_spellings(secret.value), key=len, reverse=True):
            if len(form) > 2:
                text = text.replace(form, MASK)
            else:
                text = re.sub(rf"(?m): \"?{re.escape(form)}\"?$", f": {MASK}", text)
    return text


def mask_snapshot(snapshot: str, viewport: tuple[int, int], secrets: Sequence[SecretField]) -> str:
    """A snapshot taken with boxes as a model may read it: secret values masked, the boxes left out."""
    tree = parse_snapshot(snapshot, viewport)
    hide_secrets(tree, secrets)
    for ref in (node.ref for node in tree.nodes if node.secret and node.ref):
        snapshot = re.sub(rf"(?m)(\[ref={re.escape(ref)}\][^\n]*?\]): .+$", rf"\1: {MASK}", snapshot)
    return _BOX.sub("", mask_text(snapshot, secrets))


def _spellings(value: str) -> set[str]:
    """The ways one value is written in a page, in YAML or in an address."""
    collapsed = " ".join(value.split())
    forms = {
        value,
        collapsed,
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""),
        quote_plus(value),
    }
    return {form for form in forms if form}


def make_picture(data: bytes, hidden: Sequence[Box]) -> Picture | None:
    """The picture with its secret boxes made unreadable; None when the bytes are no picture. Takes CPU time."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            mime = Image.MIME.get(image.format or "", "image/jpeg")
            if not hidden:
                return Picture(data, mime, *image.size)
            shown = image.convert("RGB")
    except OSError:
        return None
    for box in hidden:
        _blur(shown, box)
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=85)
    return Picture(out.getvalue(), "image/jpeg", *shown.size)


def _blur(image: Image.Image, box: Box) -> None:
    x, y, width, height = box
    left, top = max(0, int(x) - _MARGIN), max(0, int(y) - _MARGIN)
    right = min(image.width, int(x + width) + _MARGIN + 1)
    bottom = min(image.height, int(y + height) + _MARGIN + 1)
    if right <= left or bottom <= top:
        return
    # A blur alone can be undone; a handful of coarse cells keeps no letter.
    cells = image.crop((left, top, right, bottom)).resize((4, 1), Image.Resampling.BOX)
    patch = cells.resize((right - left, bottom - top), Image.Resampling.BILINEAR)
    image.paste(patch.filter(ImageFilter.GaussianBlur(6)), (left, top))
