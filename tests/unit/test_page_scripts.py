"""The scripts of pages, with their parts put in, are what they are taken for: one expression each."""

from __future__ import annotations

import json
import subprocess

import pytest

from server.browser.chromium import page_messages, page_world, quiet, snapshots
from server.browser.chromium.executables import find_node
from server.browser.mcp import (
    current_page,
    drawn_lists,
    field_values,
    key_listeners,
    login_fields,
    sliders,
    targets,
    uploads,
)
from server.browser.observation.page_script import FRAME_SCRIPT, MOMENT_SCRIPT, PAGE_SCRIPT
from server.browser.observation.point_script import DRAWN_SCRIPT, POINT_SCRIPT
from server.browser.observation.viewport_script import MEASURE_SCRIPT, VIEWPORT_SCRIPT
from server.browser.reading.content_script import CONTENT_SCRIPT
from server.browser.scripts import SCRIPTS_FOLDER, script
from server.browser.takeover.handover import LOGIN_TRACK_SCRIPT, TRACK_SCRIPT

SCRIPTS = {
    "take_over": TRACK_SCRIPT, "sent_login": LOGIN_TRACK_SCRIPT,
    "page": PAGE_SCRIPT, "moment": MOMENT_SCRIPT, "frame": FRAME_SCRIPT, "point": POINT_SCRIPT, "drawn": DRAWN_SCRIPT,
    "page_weight": MEASURE_SCRIPT, "viewport": VIEWPORT_SCRIPT, "content": CONTENT_SCRIPT,
    "page_world": page_world._PAGE_WORLD_SCRIPT, "quiet": quiet.QUIET_SCRIPT, "said": page_messages._LISTEN_SCRIPT,
    "snapshot_reader": snapshots.reader_source(), "scrolled": current_page.SCROLLED_SCRIPT,
    "show_text": current_page._SHOW_TEXT, "feed_end": current_page._FEED_END, "hold_fields": field_values._HOLD_FIELDS, "read_fields": field_values._READ_FIELDS,
    "look_at_target": targets._LOOK, "aim_at_target": targets._AIM, "hold_row": targets._HOLD_ROW, "hold_upload": uploads._HOLD_UPLOAD,
    "drawn_list": drawn_lists._HOLD, "slider": sliders._STATE, "login_form": login_fields._LOGIN_FORM, "shown_values": login_fields._SHOWN_VALUES, "watch_typing": key_listeners._WATCH,
}  # fmt: skip
PARTS = {"box_groups", "documents", "editors", "point_helpers"}
WORDS = (
    "EDITORS_IN", "GROUPS_IN", "DOCUMENTS_IN", "POINT_HELPERS", "INJECTED_SCRIPT", "LIMIT", "SECRET_PATTERN", "CODE_PATTERN",
    "OPEN_PATTERN", "SENT_LOGIN", "LOGIN_FORM",
)  # fmt: skip


def test_each_file_is_a_script_or_a_part_of_one() -> None:
    assert {path.stem for path in SCRIPTS_FOLDER.glob("*.js")} == (SCRIPTS.keys() | PARTS) - {
        "moment",
        "frame",
    }


def test_each_script_is_one_expression() -> None:
    check = "for (const [name, source] of Object.entries(JSON.parse(require('fs').readFileSync(0)))) new Function(`return (${source})`)"
    node = find_node()
    assert node
    subprocess.run([node, "-e", check], input=json.dumps(SCRIPTS), text=True, check=True, timeout=60)


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_word_for_a_part_is_left(name: str) -> None:
    assert [word for word in WORDS if word in SCRIPTS[name]] == []


def test_a_part_that_is_an_expression_can_be_called_where_its_word_can() -> None:
    held = script("hold_fields", EDITORS_IN="(all) => []", GROUPS_IN="(all) => []")
    assert "...((all) => [])((css)" in held
