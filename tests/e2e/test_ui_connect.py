"""Connecting a model: tried while one watches, what is refused is not kept, back to the task that was typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.axe import violations
from tests.e2e.played_model import screen_of
from tests.support.model_reply import Asked, Reply, call
from tests.support.model_server import KEY

NO_KEYS = {f"{name}_api_key": "" for name in ("anthropic", "openai", "openrouter", "google")}


def calls_the_tool(asked: Asked) -> Reply:
    return call("report", {"colour": "blue"})


@pytest.mark.timeout(120)
def test_a_key_is_pasted_tried_and_leads_back_to_the_task(chromium: Browser, tmp_path: Path) -> None:
    with screen_of(chromium, tmp_path, calls_the_tool, **NO_KEYS) as screen:
        screen.open()
        screen.composer.fill("Compare two kettles")
        screen.button("Connect a model").click()
        dialog = screen.page.get_by_role("dialog", name="Connect a model")
        expect(dialog.get_by_role("radio")).to_have_count(6)
        expect(dialog.get_by_role("link", name="Make a key at console.anthropic.com")).to_be_visible()
        assert violations(screen.page) == []

        refused = {"ok": False, "detail": "The model provider refused the key.", "model": "x"}
        screen.page.route("**/settings/connect", lambda route: route.fulfill(json=refused))
        dialog.get_by_label("Key").fill("sk-of-another-house")
        dialog.get_by_role("button", name="Try and connect").click()
        expect(dialog.get_by_text("refused the key")).to_be_visible()
        expect(dialog.get_by_label("Key")).to_have_value("sk-of-another-house")
        screen.page.unroute("**/settings/connect")

        dialog.get_by_label("Key").fill(KEY)
        dialog.get_by_role("button", name="Try and connect").click()
        expect(dialog.get_by_text("Connected: Claude Haiku 4.5")).to_be_visible()
        expect(dialog.get_by_text("about $0.03 for a typical task")).to_be_visible()
        dialog.get_by_role("button", name="Back to my task").click()
        expect(screen.composer).to_have_value("Compare two kettles")
        expect(screen.button(re.compile("^Model: Claude Haiku 4.5"))).to_be_visible()
        expect(screen.page.get_by_text("You are in the demo.")).to_have_count(0)


@pytest.mark.timeout(120)
def test_an_own_server_needs_an_address_and_a_model(chromium: Browser, tmp_path: Path) -> None:
    with screen_of(chromium, tmp_path, calls_the_tool, **NO_KEYS) as screen:
        screen.open()
        screen.button("Connect a model").click()
        dialog = screen.page.get_by_role("dialog", name="Connect a model")
        dialog.get_by_text("Own address", exact=True).click()
        found = {"address": "http://127.0.0.1:9/v1", "names": ["tiny", "qwen3:8b"]}
        screen.page.route("**/settings/connect/models", lambda route: route.fulfill(json=found))
        dialog.get_by_role("textbox", name="Address").fill("http://127.0.0.1:9")
        expect(dialog.get_by_role("button", name="Try and connect")).to_be_disabled()
        dialog.get_by_role("button", name="Show its models").click()
        expect(dialog.get_by_label("Model", exact=True)).to_have_value("tiny")
        expect(dialog.get_by_role("textbox", name="Address")).to_have_value("http://127.0.0.1:9/v1")
        expect(dialog.get_by_role("button", name="Try and connect")).to_be_enabled()
