"""The icon of a site, read by a real Chromium from where the page says it is."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from server.runs.site_icons import redrawn
from tests.support.browsers import open_pool
from tests.support.sites import Answer, Site, document

pytestmark = pytest.mark.timeout(120)


def picture(color: str, size: int = 64, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (size, size), color).save(out, kind)
    return out.getvalue()


def color_of(icon: bytes | None) -> object:
    assert icon is not None
    with Image.open(io.BytesIO(redrawn(icon) or b"")) as image:
        assert image.size == (32, 32)
        return image.convert("RGB").getpixel((16, 16))


async def test_it_is_the_one_that_the_page_names_else_that_of_the_site(tmp_path: Path) -> None:
    with Site() as site:
        site.pages["/favicon.ico"] = lambda _: Answer(picture("blue", kind="ICO"), type="image/x-icon")
        site.pages["/small.png"] = lambda _: Answer(picture("lime"), type="image/png")
        site.pages["/gone.png"] = lambda _: Answer(b"", 404, "image/png")
        icon = '<link rel="icon" type="image/svg+xml" href="/drawn.svg"><link rel="shortcut icon" href="{}">'
        site.add("/named", document("Named", "<h1>Named</h1>" + icon.format("/small.png")))
        site.add("/broken", document("Broken", "<h1>Broken</h1>" + icon.format("/gone.png")))
        site.add("/none", document("None", "<h1>None</h1>"))
        async with open_pool(tmp_path) as pool:
            browser = await pool.get("main")
            view = pool.live("main")
            colors = []
            for path in ("/named", "/broken", "/none"):
                await browser.navigate(site.url(path))
                colors.append(color_of(await view.icon()))
        assert colors == [(0, 255, 0), (0, 0, 255), (0, 0, 255)]
        assert "/drawn.svg" not in site.paths


async def test_a_site_without_one_and_a_person_at_the_wheel_give_none(tmp_path: Path) -> None:
    with Site() as site:
        site.pages["/favicon.ico"] = lambda _: Answer(b"", 404)
        async with open_pool(tmp_path) as pool:
            browser = await pool.get("main")
            view = pool.live("main")
            await browser.navigate(site.url("/form"))
            assert await view.icon() is None
            site.pages["/favicon.ico"] = lambda _: Answer(picture("blue"), type="image/png")
            viewer = view.join()
            await view.take(viewer)
            asked = site.paths.count("/favicon.ico")
            assert await view.icon() is None
            assert site.paths.count("/favicon.ico") == asked
            await view.hand_back(viewer)
            view.leave(viewer)
