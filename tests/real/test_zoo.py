"""A part of the zoo (`bench.zoo`): a widget of each kind is seen and set, and what is said of it is true."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from bench.zoo.play import play, zoo_site
from bench.zoo.widgets import WIDGETS, Widget
from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import open_pool
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

PART = (
    "select2", "Choices", "Slim Select", "Virtual Select", "Shoelace select", "react-select", "react-select of several",
    "MUI Select", "Ant Design Select", "Headless UI Listbox", "Radix Select", "React Aria ComboBox", "flatpickr with typing",
    "vanillajs-datepicker", "Ant Design DatePicker", "React Aria DateField", "noUiSlider", "Ant Design Slider",
    "React Aria NumberField", "AutoNumeric", "input-otp", "Trix", "Jodit", "Headless UI Switch", "Radix ContextMenu",
    "jsTree with Ctrl", "AG Grid", "react-virtuoso", "SortableJS", "audio element", "FilePond",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SessionBrowser]:
    async with open_pool(tmp_path_factory.mktemp("data")) as pool:
        browser = await pool.get("zoo")
        assert isinstance(browser, SessionBrowser)
        browser.files.mkdir(parents=True, exist_ok=True)
        (browser.files / "a.txt").write_text("a")
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with zoo_site(tmp_path_factory.mktemp("bundled")) as site:
        yield site


@pytest.mark.parametrize("widget", [one for one in WIDGETS if one.name in PART], ids=lambda one: one.name)
async def test_a_widget_holds_what_was_meant(browser: SessionBrowser, site: Site, widget: Widget) -> None:
    played = await play(widget, browser, site)
    assert played.marks == ("right", "right", "right"), f"{played.held!r}\n{played.words}"


async def test_the_part_names_widgets_of_the_zoo() -> None:
    assert set(PART) <= {one.name for one in WIDGETS}
    assert len({one.name for one in WIDGETS}) == len(WIDGETS)
