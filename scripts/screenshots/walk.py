"""The walk of a newcomer, in three languages, on a desktop and on a phone: docs/screenshots/walk-*.webp.

    python -m scripts.screenshots.walk [--only de] [--out docs/screenshots]

The server as it is after its first start, with the demo model, the sample site and real browsers; no internet.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect

from scripts.screenshots.__main__ import PICTURES_ARE_THERE, QUALITY, SETTLE
from scripts.shell import ROOT
from tests.e2e.screen import Screen
from tests.e2e.studio import Studio, open_studio

FRESH = {"agent_mode": "real", "browser_headless": "true", "anthropic_api_key": "", "openai_api_key": "",
         "openrouter_api_key": "", "google_api_key": ""}  # fmt: skip
DEVICES: dict[str, dict[str, object]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@dataclass(frozen=True)
class Words:
    """What the walk presses, in a language of the page."""

    locale: str
    buy: str
    approve: str
    connect: str
    daily: str


LANGUAGES = {
    "en": Words("en-US", "Watch me buy a kettle", "Approve", "Connect a model", "Every morning at eight"),
    "de": Words("de-DE", "Zusehen, wie ich", "Erlauben", "Modell verbinden", "Jeden Morgen um acht"),
    "ru": Words("ru-RU", "Посмотрите, как я куплю", "Разрешить", "Подключить модель", "Каждое утро в восемь"),
}
ANSWER_SECONDS = 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(LANGUAGES), help="languages")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/screenshots")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for language in options.only.split(","):
        for device in DEVICES:
            with open_studio(**FRESH) as studio:
                walk(studio, language, device, options.out)


def walk(studio: Studio, language: str, device: str, out: Path) -> None:
    words = LANGUAGES[language]
    with studio.screen(locale=words.locale, reduced_motion="reduce", **DEVICES[device]) as screen:

        def keep(place: str) -> None:
            screen.page.wait_for_function(PICTURES_ARE_THERE)
            screen.page.wait_for_timeout(SETTLE)
            name = f"walk-{language}-{place}-{device}"
            picture = Image.open(io.BytesIO(screen.page.screenshot())).convert("RGB")
            picture.save(out / f"{name}.webp", "WEBP", quality=QUALITY, method=6)
            print(name, flush=True)

        go(screen, words, keep)


def go(screen: Screen, words: Words, keep: Callable[[str], None]) -> None:
    page = screen.page
    page.goto("/")
    expect(page.get_by_role("button", name=words.buy)).to_be_visible()
    keep("1-start")
    page.get_by_role("button", name=words.connect).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    keep("2-connect")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=words.daily).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    keep("3-automation")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=words.buy).click()
    approve = page.get_by_role("button", name=words.approve).first
    expect(approve).to_be_enabled(timeout=1000 * ANSWER_SECONDS)
    keep("4-question")
    approve.click()
    expect(screen.feed.get_by_role("row")).to_have_count(4, timeout=1000 * ANSWER_SECONDS)
    keep("5-answer")
    page.goto(f"{page.url.partition('?')[0]}?view=takeover")
    expect(page.locator("[data-page-controls]")).to_be_visible()
    keep("6-takeover")
    for number, place in enumerate(("inbox", "automations", "knowledge", "settings/models"), 7):
        page.goto(f"/{place}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        keep(f"{number}-{place.partition('/')[0]}")


if __name__ == "__main__":
    main()
