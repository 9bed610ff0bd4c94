"""An X display of its own, as a machine with a screen has one, and what is seen on it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

_HEADER = struct.Struct(">25I")
"""Of the XWD file format, in which Xvfb keeps its screen."""


@dataclass(frozen=True, slots=True)
class XDisplay:
    name: str
    """As in DISPLAY."""
    screen: Path

    def picture(self) -> Image.Image:
        """The whole screen as it is now."""
        data = self.screen.read_bytes()
        fields = _HEADER.unpack_from(data)
        header_size, width, height, bytes_per_line, colours = (fields[at] for at in (0, 4, 5, 12, 19))
        start = header_size + colours * 12
        pixels = data[start : start + bytes_per_line * height]
        return Image.frombytes("RGB", (width, height), pixels, "raw", "BGRX", bytes_per_line)

    def share_of(self, colour: tuple[int, int, int]) -> float:
        """How much of the screen has this colour, from 0 to 1."""
        picture = self.picture()
        found = picture.getcolors(picture.width * picture.height) or []
        return sum(count for count, one in found if one == colour) / (picture.width * picture.height)


@contextmanager
def x_display(folder: Path) -> Iterator[XDisplay]:
    """Run Xvfb on a free display number until the block is left."""
    program = shutil.which("Xvfb")
    assert program, "Xvfb is missing: python3 -m scripts.setup test"
    read, write = os.pipe()
    server = subprocess.Popen(
        (program, "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-fbdir", str(folder), "-nolisten", "tcp"),
        pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        yield XDisplay(f":{number}", folder / "Xvfb_screen0")
    finally:
        server.terminate()
        server.wait(10)
