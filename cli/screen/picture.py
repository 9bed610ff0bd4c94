"""Images in the terminal, with Kitty's protocol, iTerm2's, or sixel."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import groupby
from typing import Literal

from PIL import Image

Way = Literal["kitty", "iterm", "sixel"]
CHUNK = 4096
WIDTH = 640
"""Maximum width in pixels of the preview; the full image is linked."""
COLOURS = 64


def find_way(environ: Mapping[str, str]) -> Way | None:
    """The image protocol of this terminal, from its environment variables. None inside tmux and screen."""
    if environ.get("TMUX") or environ.get("STY"):
        return None
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    if environ.get("KITTY_WINDOW_ID") or "kitty" in term or program == "ghostty" or "ghostty" in term:
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "vscode") or environ.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    if "sixel" in term or term.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return None


def encode(data: bytes, way: Way) -> str:
    """Encode a JPEG or PNG as an escape sequence that draws it. Raises OSError if it is not an image."""
    with Image.open(BytesIO(data)) as opened:
        image = opened.convert("RGB")
    image.thumbnail((WIDTH, WIDTH * 2))
    if way == "sixel":
        return _sixel(image)
    png = BytesIO()
    image.save(png, "PNG")
    text = base64.b64encode(png.getvalue()).decode()
    if way == "iterm":
        return f"\x1b]1337;File=inline=1;size={png.tell()};width={image.width}px:{text}\x07"
    return "".join(_kitty(text))


def _kitty(text: str) -> Iterator[str]:
    """Yield the image in chunks. Only the first has the format keys; `m=0` marks the last."""
    for start in range(0, len(text), CHUNK):
        head = "a=T,f=100,q=2," if start == 0 else ""
        more = int(start + CHUNK < len(text))
        yield f"\x1b_G{head}m={more};{text[start : start + CHUNK]}\x1b\\"


def _sixel(image: Image.Image) -> str:
    """Encode as sixel: bands of six pixel rows, one pass per colour in a band, run-length encoded."""
    indexed = image.quantize(COLOURS)
    palette = indexed.getpalette() or []
    colours = [palette[at : at + 3] for at in range(0, len(palette), 3)]
    levels = "".join(
        f"#{index};2;{';'.join(str(round(part / 2.55)) for part in colour)}"
        for index, colour in enumerate(colours)
    )
    pixels = indexed.tobytes()
    rows = [pixels[at : at + indexed.width] for at in range(0, len(pixels), indexed.width)]
    bands = "-".join(
        "$".join(f"#{colour}{_runs(band, colour)}" for colour in sorted(set().union(*band)))
        for band in (rows[at : at + 6] for at in range(0, len(rows), 6))
    )
    return f'\x1bPq"1;1;{indexed.width};{indexed.height}{levels}{bands}\x1b\\'


def _runs(rows: list[bytes], colour: int) -> str:
    patterns = (
        sum((pixel == colour) << bit for bit, pixel in enumerate(column))
        for column in zip(*rows, strict=True)
    )
    return "".join(f"!{len(list(run))}{chr(63 + pattern)}" for pattern, run in groupby(patterns))
