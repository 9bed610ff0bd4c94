"""Pictures as terminals take them: each encoding is read back by the rules of its protocol."""

from __future__ import annotations

import base64
import re
from io import BytesIO

import pytest
from PIL import Image

from cli.screen.picture import CHUNK, encode, find_way


def jpeg(width: int, height: int) -> bytes:
    image = Image.effect_noise((width, height), 60).convert("RGB")
    data = BytesIO()
    image.save(data, "JPEG")
    return data.getvalue()


@pytest.mark.parametrize(
    ("environ", "way"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({}, None),
    ],
)
def test_the_environment_tells_what_the_terminal_can_show(environ: dict[str, str], way: str | None) -> None:
    assert find_way(environ) == way


def test_kitty_gets_a_png_in_pieces_of_its_size() -> None:
    pieces = re.findall(r"\x1b_G(.*?);(.*?)\x1b\\", encode(jpeg(900, 600), "kitty"))
    assert pieces[0][0].startswith("a=T,f=100")
    assert [head[-3:] for head, _ in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]
    assert all(len(part) <= CHUNK for _, part in pieces)
    png = Image.open(BytesIO(base64.b64decode("".join(part for _, part in pieces))))
    assert (png.format, png.size) == ("PNG", (640, 427))


def test_iterm_gets_one_inline_file() -> None:
    sequence = encode(jpeg(60, 40), "iterm")
    head, data = re.fullmatch(r"\x1b\]1337;File=(.*?):(.*)\x07", sequence).groups()  # type: ignore[union-attr]
    png = base64.b64decode(data)
    assert f"size={len(png)}" in head
    assert Image.open(BytesIO(png)).size == (60, 40)


def test_sixel_paints_every_pixel_once_in_its_colour() -> None:
    source = Image.new("RGB", (5, 8), (255, 0, 0))
    source.paste((0, 0, 255), (2, 3, 5, 8))
    data = BytesIO()
    source.save(data, "PNG")
    assert _paint(encode(data.getvalue(), "sixel")) == [
        source.getpixel((x, y)) for y in range(8) for x in range(5)
    ]


def _paint(sequence: str) -> list[tuple[int, ...]]:
    """A terminal's reading of a sixel picture: the pixels, row by row."""
    body = re.fullmatch(r"\x1bPq(.*)\x1b\\", sequence, re.S).group(1)  # type: ignore[union-attr]
    width, height = (int(part) for part in re.match(r'"1;1;(\d+);(\d+)', body).groups())  # type: ignore[union-attr]
    colours: dict[int, tuple[int, ...]] = {}
    pixels: dict[tuple[int, int], tuple[int, ...]] = {}
    x = band = colour = 0
    for define, choose, count, sign, move in re.findall(
        r"#(\d+;2;\d+;\d+;\d+)|#(\d+)|!(\d+)([?-~])|([$-])", body.partition("#")[1] + body.partition("#")[2]
    ):
        if define:
            number, _, *parts = (int(part) for part in define.split(";"))
            colours[number] = tuple(round(part * 2.55) for part in parts)
        elif choose:
            colour = int(choose)
        elif move:
            x, band = 0, band + (move == "-")
        else:
            for column in range(x, x + int(count)):
                for bit in range(6):
                    if (ord(sign) - 63) >> bit & 1:
                        assert (column, band * 6 + bit) not in pixels
                        pixels[column, band * 6 + bit] = colours[colour]
            x += int(count)
    return [pixels[x, y] for y in range(height) for x in range(width)]


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(OSError, match="cannot identify"):
        encode(b"<html>", "kitty")
