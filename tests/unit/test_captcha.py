"""Checks that a person is there are seen by general signs, in the page and in frames, and pages of them are poor."""

from __future__ import annotations

import pytest

from server.agent.operator.see.observing import is_poor
from server.browser.observation import Extra, observe_snapshot

PLAIN = '- heading "Welcome" [level=1] [ref=h1] [box=0,0,200,20]\n- button "Go" [ref=b1] [box=0,30,80,20]'
FRAME = f"{PLAIN}\n- iframe [ref=i1] [box=0,60,304,78]"


def kinds(snapshot: str, *frames: str) -> list[str]:
    seen = observe_snapshot(snapshot, url="https://a.example/", extra=Extra(frames=frames))
    assert is_poor(seen) == any(overlay.kind == "captcha" for overlay in seen.overlays)
    return [overlay.kind for overlay in seen.overlays]


@pytest.mark.parametrize(
    "line",
    ['- checkbox "I\'m not a robot" [ref=c1] [box=0,60,20,20]', '- img "captcha" [ref=c1] [box=0,60,120,40]',
     '- heading "Verify you are human" [level=2] [ref=c1] [box=0,60,200,20]', '- checkbox "Я не робот" [ref=c1] [box=0,60,20,20]',
     '- button "人机验证" [ref=c1] [box=0,60,80,20]'],
)  # fmt: skip
def test_a_captcha_in_the_page_is_seen(line: str) -> None:
    assert kinds(f"{PLAIN}\n{line}") == ["captcha"]


@pytest.mark.parametrize(
    "frame",
    ["reCAPTCHA   https://frames.example/anchor", "Widget containing checkbox for hCaptcha security challenge",
     "   https://checks.example/turnstile/widget"],
)  # fmt: skip
def test_a_captcha_in_a_frame_is_seen_by_what_the_frame_is_called(frame: str) -> None:
    assert kinds(FRAME, frame) == ["captcha"]


def test_other_frames_and_words_about_captchas_are_none() -> None:
    assert kinds(FRAME, "Map of the town   https://maps.example/embed") == []
    assert kinds(f'{PLAIN}\n- link "What is a captcha?" [ref=l1] [box=0,60,80,20]') == []
    assert kinds(f"{PLAIN}\n- paragraph [ref=p1] [box=0,60,80,20]: Captchas are old") == []
    assert kinds(f'{PLAIN}\n- checkbox "I\'m not a robot" [ref=c1] [box=0,9060,20,20]') == []
