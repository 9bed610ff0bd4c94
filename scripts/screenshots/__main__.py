"""Pictures of the web UI in all its states, both themes, wide and narrow: docs/screenshots/.

    python -m scripts.screenshots [--only approval,files] [--out docs/screenshots]

A server in mock mode and the built UI in a real Chromium; what mock mode does not do is staged as in tests/e2e.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from PIL import Image

from scripts.screenshots.states import STATES
from scripts.screenshots.world import World
from scripts.shell import ROOT
from tests.e2e.studio import Studio, open_studio

THEMES = ("light", "dark")
WIDTHS = {1440: 900, 360: 740}
"""Width to height of the window."""
QUALITY = 72
SETTLE = 350
"""Milliseconds for fades to end and pictures to be decoded."""
PICTURES_ARE_THERE = "() => [...document.images].every(one => one.complete)"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(STATES), help="names of states")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/screenshots")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with open_studio() as studio:
        for name, picture in take_all(studio, options.only.split(",")):
            picture.save(options.out / f"{name}.webp", "WEBP", quality=QUALITY, method=6)
            print(name)


def take_all(studio: Studio, states: list[str]) -> Iterator[tuple[str, Image.Image]]:
    world = World.on(studio.api)
    for state, theme, width in product(states, THEMES, WIDTHS):
        yield f"{state}-{theme}-{width}", take(studio, world, state, theme, width)


def take(studio: Studio, world: World, state: str, theme: str, width: int) -> Image.Image:
    is_phone = width < 768
    window = {"width": width, "height": WIDTHS[width]}
    touch = {"has_touch": is_phone, "is_mobile": is_phone}
    with studio.screen(viewport=window, color_scheme=theme, reduced_motion="reduce", **touch) as screen:
        STATES[state](screen, world)
        screen.page.wait_for_function(PICTURES_ARE_THERE)
        screen.page.wait_for_timeout(SETTLE)
        return Image.open(io.BytesIO(screen.page.screenshot())).convert("RGB")


if __name__ == "__main__":
    main()
