"""What the agent sees of a page."""

import json
import re
import subprocess
import sys
import time

import pytest

from server.browser.observation import (
    PAGE_SCRIPT,
    Budget,
    Element,
    Extra,
    Observation,
    observe_snapshot,
    text_near,
)
from server.browser.observation.__main__ import answer
from server.browser.observation.page_script import Clickable, SecretField, Shown
from server.browser.observation.rendering import cost, meant_option
from tests.support.observations import load_shot, observe_shot, shot_names

LOGIN = """- generic [ref=e1] [box=0,0,1280,300]:
  - heading "Sign in" [level=1] [ref=e2] [box=0,0,300,30]
  - text: E-mail
  - textbox "E-mail" [active] [ref=e3] [box=0,40,200,20]: ann@mail.example
  - textbox "Password" [ref=e4] [box=0,70,200,20]: S3cret pass!
  - checkbox "Remember me" [checked] [ref=e5] [box=0,100,20,20]
  - combobox "Language" [ref=e6] [box=0,120,90,20]:
    - option "English" [box=0,0,0,0]
    - option "Deutsch" [selected] [box=0,0,0,0]
  - button "Sign in" [disabled] [ref=e7] [box=0,150,90,20]
"""


def lines_of(seen: Observation) -> list[str]:
    return seen.text().splitlines()


def far_texts(seen: Observation) -> list[str]:
    """The text blocks that are out of view."""
    starts = [seen.order.index(line) for line in ("Below:", "Above:") if line in seen.order]
    far = seen.order[min(starts, default=len(seen.order)) :]
    return [seen.text_blocks[int(key[1:])] for key in far if key.startswith("t")]


def by_name(seen: Observation, name: str) -> Element:
    return next(element for element in seen.interactive if element.name == name)


def test_a_form_is_told_in_short_lines_with_values_and_states() -> None:
    seen = observe_snapshot(LOGIN, url="http://mail.example/login", title="Mail")
    assert lines_of(seen) == [
        "URL: http://mail.example/login",
        "Title: Mail",
        'Overlay: login "Sign in"',
        "# Sign in",
        '[e1] textbox "E-mail" value="ann@mail.example"',
        '[e2] textbox "Password" secret filled',
        '[e3] checkbox "Remember me" checked',
        '[e4] combobox "Language" value="Deutsch" options=[English, Deutsch]',
        '[e5] button "Sign in" disabled',
    ]


def test_a_password_is_neither_in_the_observation_nor_anywhere_else() -> None:
    snapshot = LOGIN + '  - paragraph: You typed "S3cret pass!"\n'
    seen = observe_snapshot(
        snapshot, url="http://mail.example/?p=S3cret%20pass%21&q=S3cret+pass%21", title="S3cret pass!"
    )
    password = by_name(seen, "Password")
    assert (password.value, password.secret, password.filled) == (None, True, True)
    assert "S3cret" not in seen.model_dump_json() + seen.text() + text_near(snapshot, "e4")
    assert "S3cret" not in observe_snapshot(snapshot, around="e4").model_dump_json()


def test_a_password_is_not_told_by_what_only_the_page_script_saw() -> None:
    extra = Extra(
        secrets=(SecretField(box=(0, 0, 100, 20), value="S3cret pass!"),),
        clickables=(
            Clickable(box=(0, 60, 50, 20), tag="span", name="Copy S3cret pass!", target="css=#copy"),
        ),
        shown=(Shown(box=(0, 30, 50, 20), text="Hide S3cret pass!"),),
    )
    seen = observe_snapshot('- button "Eye" [ref=e2] [box=0,30,50,20]', extra=extra)
    assert "S3cret" not in seen.model_dump_json()
    assert by_name(seen, "Copy •••").role == "clickable"


@pytest.mark.parametrize("label", [
    "Passwort", "Mot de passe", "Пароль", "密码", "パスワード", "비밀번호", "كلمة المرور", "Şifre", "Card number",
    "Kartennummer", "CVC", "Código de verificación", "Код из СМС", "รหัสผ่าน", "Hasło", "Mật khẩu",
])  # fmt: skip
def test_secret_fields_are_known_in_many_languages(label: str) -> None:
    seen = observe_snapshot(f'- textbox "{label}" [ref=e1]: 12345678')
    assert (seen.interactive[0].secret, seen.interactive[0].value) == (True, None)


def test_a_short_secret_is_masked_in_its_field_and_in_addresses_only() -> None:
    page = """
- textbox "Card check" [ref=e1] [box=0,0,90,20]: "123"
- textbox "Pieces" [ref=e2] [box=0,40,90,20]: "123"
- textbox "Password" [ref=e3] [box=0,80,90,20]: hunter22
- text: 123 Main Street, hunter22
- link "Next" [ref=e4] [box=0,120,90,20]:
  - /url: /pay?check=123
"""
    secrets = (
        SecretField(box=(0, 0, 90, 20), value="123"),
        SecretField(box=(0, 80, 90, 20), value="hunter22"),
    )
    seen = observe_snapshot(page, url="http://shop.example/?check=123", extra=Extra(secrets=secrets))
    check, pieces, password, link = seen.interactive
    assert (check.secret, check.filled, check.value, password.value) == (True, True, None, None)
    assert (pieces.secret, pieces.value) == (False, "123")
    assert "123 Main Street, •••" in seen.text()
    assert ("123" in seen.page.url, "123" in (link.href or "")) == (False, False)


def test_the_page_script_marks_secrets_that_no_label_tells() -> None:
    snapshot = '- textbox "Answer" [ref=e1] [box=10,20,100,20]: hunter22\n- paragraph: hunter22 was typed'
    extra = Extra.model_validate({"secrets": [{"box": [10, 20, 100, 20], "value": "hunter22"}]})
    seen = observe_snapshot(snapshot, extra=extra)
    assert seen.interactive[0].secret
    assert "hunter22" not in seen.text()


def test_eids_are_dense_and_lead_to_their_targets() -> None:
    seen = observe_shot("shop")
    assert [element.eid for element in seen.interactive] == [
        f"e{at}" for at in range(1, len(seen.interactive) + 1)
    ]
    assert seen.find("e3") == seen.interactive[2]
    assert seen.find("e999") is None


@pytest.mark.parametrize("name", shot_names())
def test_nothing_in_view_is_missing(name: str) -> None:
    seen, shot = observe_shot(name), load_shot(name)
    boxes = [element.box for element in seen.interactive if element.box]
    width, height = shot["viewport"]
    for tag, x, y, w, h in shot["controls"]:
        if x < width and x + w > 0 and y < height and y + h > 0:
            near = any(max(abs(a - b) for a, b in zip((x, y, w, h), box, strict=True)) <= 2 for box in boxes)
            assert near, (tag, x, y, w, h)


@pytest.mark.parametrize("name", shot_names())
def test_every_page_keeps_its_budget(name: str) -> None:
    seen = observe_shot(name)
    assert len(seen.interactive) <= 160
    far = far_texts(seen)
    assert len(far) <= 30
    assert all(len(block) <= 242 for block in far)
    assert cost(lines_of(seen)) <= 3300


def test_a_bar_that_comes_last_in_the_document_is_kept_and_named() -> None:
    seen = observe_shot("shop")
    assert [overlay.kind for overlay in seen.overlays] == ["cookies"]
    assert by_name(seen, "Alle akzeptieren").visible
    assert by_name(seen, "Ablehnen").visible


def test_an_open_dialog_comes_first() -> None:
    seen = observe_shot("modal")
    assert [(overlay.kind, overlay.text) for overlay in seen.overlays] == [("dialog", "حذف الطلب؟")]
    assert [element.name for element in seen.interactive[:4]] == ["السبب", "حذف", "إلغاء", "close"]


def test_picture_and_title_of_one_thing_share_a_line() -> None:
    seen = observe_shot("shop")
    title = next(element for element in seen.interactive if element.href == "/p/0" and not element.same_as)
    picture = next(element for element in seen.interactive if element.same_as == title.eid)
    assert f'[{title.eid}] link "{title.name}" also={picture.eid}' in lines_of(seen)


def test_one_address_under_one_name_is_told_once_off_screen() -> None:
    snapshot = "\n".join(
        f'- link "Imprint" [ref=e{at}] [box=0,{at * 900},50,20]:\n  - /url: /imprint' for at in range(1, 6)
    )
    seen = observe_snapshot(snapshot)
    assert [element.ref for element in seen.interactive] == ["e1"]
    assert seen.truncated == 0


def test_controls_of_one_name_are_told_apart_by_their_row() -> None:
    rows = "\n".join(
        f'  - row [ref=r{at}]:\n    - cell "Order {at}" [ref=c{at}]\n    - cell [ref=d{at}]:\n'
        f'      - button "Delete" [ref=b{at}]'
        for at in (7, 8)
    )
    seen = observe_snapshot(f"- table [ref=t]:\n{rows}")
    assert [line for line in lines_of(seen) if "button" in line] == [
        '[e1] button "Delete" (Order 7)',
        '[e2] button "Delete" (Order 8)',
    ]
    assert len({element.group for element in seen.interactive}) == 2


def test_twins_with_nothing_to_tell_them_apart_are_counted() -> None:
    seen = observe_snapshot('- button "Next" [ref=e1]\n- button "Next" [ref=e2]')
    assert lines_of(seen)[-2:] == ['[e1] button "Next"', '[e2] button "Next" (#2)']


def test_icons_without_a_name_get_one_from_the_page_script() -> None:
    names = [element.name for element in observe_shot("mail").interactive if element.role == "clickable"]
    assert {"archive", "spam", "trash", "Undo"} <= set(names)


def test_a_clickable_thing_that_the_snapshot_does_not_list_gets_an_eid() -> None:
    extra = Extra.model_validate(
        {"clickables": [{"box": [500, 5, 20, 20], "tag": "i", "name": "close", "target": "css=#x > i"}]}
    )
    snapshot = '- button "Top" [ref=e1] [box=0,0,50,20]\n- button "Low" [ref=e2] [box=0,90,50,20]'
    seen = observe_snapshot(snapshot, extra=extra)
    assert [(element.name, element.ref) for element in seen.interactive] == [
        ("Top", "e1"), ("close", "css=#x > i"), ("Low", "e2"),
    ]  # fmt: skip
    assert observe_snapshot(snapshot, around="css=#x > i", extra=extra).mode == "focused"


def test_icons_of_rows_below_the_window_are_named_by_their_own_row() -> None:
    rows = "\n".join(
        f"- generic [ref=r{at}] [cursor=pointer] [box=0,{at * 40},900,30]:\n"
        f"  - generic [ref=w{at}] [box=40,{at * 40},200,20]: Person {at}\n"
        f"  - generic [ref=d{at}] [box=300,{at * 40},90,20]: {at + 1} May"
        for at in range(24)
    )
    icons = tuple(
        Clickable(box=(x, at * 40 + 4, 18, 18), tag="i", name=name, target=f"css=#{name}{at}")
        for at in range(24)
        for x, name in ((10, "star"), (800, "trash"))
    )
    lines = lines_of(observe_snapshot(rows, extra=Extra(clickables=icons)))
    shown = [line.partition("] ")[2] for line in lines if "star" in line or "trash" in line]
    assert shown[:48] == [
        f'clickable "{name}" (Person {at})' for at in range(len(shown) // 2) for name in ("star", "trash")
    ]
    assert len(shown) > 2 * 20


def test_the_placeholder_of_a_field_that_the_snapshot_has_none_of_is_told() -> None:
    snapshot = """- spinbutton "Age" [ref=e1] [box=0,0,90,20]
- searchbox "Search" [ref=e2] [box=0,30,90,20]: "tea"
- textbox "Name" [ref=e3] [box=0,60,90,20]:
  - /placeholder: Ada
- combobox "18 or more" [ref=e4] [box=0,90,90,20]"""
    placeholders = ({"box": (0, at, 90, 20), "text": "18 or more"} for at in (0, 30, 60, 90))
    seen = observe_snapshot(snapshot, extra=Extra.model_validate({"placeholders": tuple(placeholders)}))
    assert seen.text().splitlines()[1:] == [
        '[e1] spinbutton "Age" placeholder="18 or more"', '[e2] searchbox "Search" value="tea"',
        '[e3] textbox "Name" placeholder="Ada"', '[e4] combobox "18 or more"',
    ]  # fmt: skip


def test_the_value_of_a_slider_that_is_no_field_is_told() -> None:
    snapshot = """- slider "Bedroom" [ref=e1] [box=0,0,20,20]
- slider "Volume" [ref=e2] [box=0,30,90,20]: "3"
- button "Save" [ref=e3] [box=0,60,50,20]"""
    levels = ({"box": (0, at, 20, 20), "value": "17 °C"} for at in (0, 60))
    seen = observe_snapshot(snapshot, extra=Extra.model_validate({"levels": tuple(levels)}))
    assert lines_of(seen)[1:] == [
        '[e1] slider "Bedroom" value="17 °C"', '[e2] slider "Volume" value="3"', '[e3] button "Save"',
    ]  # fmt: skip


def test_a_styled_checkbox_is_told_by_its_label() -> None:
    seen = observe_snapshot(
        '- generic [ref=e1]:\n  - radio "Express" [checked] [box=0,0,0,0]\n  - text: Express'
    )
    assert [(e.role, e.name, e.checked, e.ref) for e in seen.interactive] == [
        ("radio", "Express", True, "e1")
    ]


def test_the_label_around_a_field_is_not_a_second_element() -> None:
    snapshot = '- generic [ref=e1] [cursor=pointer]:\n  - checkbox "I agree" [ref=e2]\n  - text: I agree'
    assert [element.ref for element in observe_snapshot(snapshot).interactive] == ["e2"]


def test_a_check_box_that_a_label_is_drawn_over_is_clicked_at_the_label() -> None:
    snapshot = """- generic [ref=e1] [box=0,0,200,24]:
  - checkbox "Custom" [ref=e2] [box=4,4,16,16]
  - generic [ref=e3] [cursor=pointer] [box=0,0,90,24]: Custom
- paragraph [ref=e4] [box=0,30,300,24]:
  - generic [ref=e5] [cursor=pointer] [box=0,30,20,20]:
    - radio [checked] [ref=e6] [box=4,34,13,13]
    - insertion [ref=e7] [cursor=pointer] [box=0,30,20,20]
  - text: Skiing
- generic [ref=e8] [box=0,60,300,24]: Express"""
    covers = (
        {"box": (4, 4, 16, 16), "by": (0, 0, 90, 24), "role": "checkbox", "target": "css=#a", "name": "Custom"},
        {"box": (4, 34, 13, 13), "by": (0, 30, 20, 20), "role": "radio", "checked": True},
        {"box": (0, 0, 0, 0), "by": (0, 62, 90, 20), "role": "switch", "target": "css=#x", "name": "Express", "checked": True},
    )  # fmt: skip
    parts = (
        {"box": (0, 30, 20, 20), "tag": "ins", "target": "css=ins"},
        {"box": (5, 2, 60, 20), "tag": "span", "name": "Custom", "target": "css=span"},
    )
    seen = observe_snapshot(snapshot, extra=Extra.model_validate({"covers": covers, "clickables": parts}))
    assert [(one.role, one.name, one.ref, one.checked) for one in seen.interactive] == [
        ("checkbox", "Custom", "e3", False), ("radio", "Skiing", "e5", True), ("switch", "Express", "css=#x", True),
    ]  # fmt: skip
    assert [one.box for one in seen.interactive] == [(0, 0, 90, 24), (0, 30, 20, 20), (0, 62, 90, 20)]


def test_what_stands_in_for_a_hidden_select_is_its_one_control() -> None:
    snapshot = """- generic [ref=e1] [box=0,0,300,60]:
  - generic [ref=e2] [box=0,0,60,20]: State
  - combobox [aria-hidden] [ref=e3] [box=0,20,1,1]
  - combobox [ref=e4] [cursor=pointer] [box=0,20,200,30]:
    - textbox "Alabama" [ref=e5] [box=5,22,180,26]
- generic [ref=e6] [box=0,60,300,60]:
  - generic [ref=e7] [box=0,60,60,20]: Tags
  - listbox [aria-hidden] [ref=e8] [box=0,80,1,1]:
    - option "Red" [ref=e9] [box=0,80,4,20]
    - option "Blue" [ref=e10] [box=0,100,4,20]
  - combobox [ref=e11] [box=0,80,200,30]:
    - searchbox "Choose" [ref=e12] [box=5,82,180,26]
- generic [ref=e13] [box=0,120,200,60]:
  - combobox "Size" [ref=e14] [box=50,130,1,1]
  - button "Small" [ref=e15] [box=0,120,200,30]
- combobox "Alone" [ref=e16] [box=0,180,1,1]
- textbox "Note" [ref=e17] [box=0,200,90,20]
- combobox "Hidden" [ref=e18] [box=0,230,1,1]
- button "Save" [ref=e19] [box=0,250,90,20]"""
    lines = lines_of(observe_snapshot(snapshot))
    assert [line for line in lines if "[e" in line] == [
        '[e1] combobox "State" value="Alabama"', '[e2] searchbox "Tags"', '[e3] button "Size" shows="Small"',
        '[e4] combobox "Alone"', '[e5] textbox "Note"', '[e6] combobox "Hidden"', '[e7] button "Save"',
    ]  # fmt: skip


def test_a_container_is_not_told_beside_the_control_in_it_that_says_the_same() -> None:
    snapshot = """- listitem [ref=e1] [cursor=pointer] [box=0,0,200,90]:
  - generic [ref=e2] [box=0,0,180,30]: Forms
- listitem [ref=e3] [cursor=pointer] [box=0,100,200,30]:
  - generic [ref=e4] [box=0,100,180,30]: Tables
- listitem [ref=e5] [cursor=pointer] [box=0,140,200,60]:
  - generic [ref=e6] [box=0,140,180,30]: Charts
- generic [ref=e7] [cursor=pointer] [box=0,210,20,20]"""
    found = (
        {"box": (0, 0, 180, 30), "tag": "a", "name": "Forms", "target": "css=#forms", "listens": True},
        {"box": (0, 100, 200, 30), "tag": "li", "name": "Tables", "target": "css=#li", "listens": True},
        {"box": (0, 100, 180, 30), "tag": "a", "name": "Tables", "target": "css=#tables", "listens": True},
        {"box": (0, 140, 40, 30), "tag": "i", "name": "trash", "target": "css=#trash"},
        {"box": (0, 205, 90, 30), "tag": "a", "name": "Settings", "target": "css=#settings", "listens": True},
    )
    seen = observe_snapshot(snapshot, extra=Extra.model_validate({"clickables": found}))
    assert [(one.name, one.ref) for one in seen.interactive] == [
        ("Forms", "e2"), ("Tables", "e3"), ("Tables", "e4"), ("Charts", "e5"), ("trash", "css=#trash"),
        ("Settings", "css=#settings"),
    ]  # fmt: skip


def test_what_a_full_list_of_the_page_script_may_lack_stays_a_control() -> None:
    snapshot = """- generic [ref=e1] [box=0,0,300,30]:
  - link "Letter" [ref=e2] [box=0,0,300,30]
  - generic [ref=e3] [cursor=pointer] [box=200,5,20,20]"""
    found = [
        Clickable(box=(0, 900 + at, 9, 9), tag="i", name=f"Far {at}", target=f"css=#i{at}")
        for at in range(200)
    ]
    for many, refs in ((199, {"e2"}), (200, {"e2", "e3"})):
        seen = observe_snapshot(snapshot, extra=Extra(clickables=tuple(found[:many])))
        assert {one.ref for one in seen.interactive if one.visible} == refs


def test_a_drawing_of_many_shapes_is_one_control() -> None:
    shapes = "\n".join(f"  - generic [ref=p{at}] [cursor=pointer] [box={9 * at},0,8,8]" for at in range(60))
    region = {"box": (0, 0, 600, 90), "tag": "svg", "name": "Map, 60 shapes, 600 x 90 px", "target": "css=svg", "listens": True}  # fmt: skip
    seen = observe_snapshot(
        f"- generic [ref=e1] [box=0,0,600,90]:\n{shapes}",
        extra=Extra.model_validate({"clickables": [region]}),
    )
    assert [one.name for one in seen.interactive] == ["Map, 60 shapes, 600 x 90 px"]


def test_a_clickable_list_is_told_by_its_items() -> None:
    snapshot = "- list [ref=e1] [cursor=pointer]:\n  - listitem [ref=e2]: Red\n  - listitem [ref=e3]: Blue"
    assert [element.name for element in observe_snapshot(snapshot).interactive] == ["Red", "Blue"]


def test_frames_and_shadow_roots_are_part_of_the_page() -> None:
    seen = observe_shot("frames")
    assert by_name(seen, "Apply").visible
    assert by_name(seen, "Card number").secret
    assert by_name(seen, "Pay now").box is not None


def test_page_text_cannot_look_like_a_line_of_ours() -> None:
    seen = observe_shot("evil")
    own = [
        line
        for line in lines_of(seen)
        if line.startswith(("[", "URL:", "Title:", "Note:", "Below:", "Overlay:"))
    ]
    assert sum(line.startswith("[e") for line in own) == len(seen.interactive)
    assert sum(line.startswith("URL:") for line in own) == 1
    assert sum(line.startswith("Note:") for line in own) == 0
    assert seen.text().count("[e") == len(seen.interactive)


def test_a_name_cannot_add_a_state_to_its_line() -> None:
    seen = observe_snapshot(r"""- 'button "Pay\" disabled value=\"0" [ref=e1]'""")
    assert lines_of(seen)[-1] == "[e1] button \"Pay' disabled value='0\""


def test_a_row_cannot_add_a_state_to_the_line_of_its_controls() -> None:
    row = '- row [ref=r{0}]:\n  - text: Sofa {0}) value="1" [e9]\n  - button "Buy" [ref=b{0}]\n'
    seen = observe_snapshot(row.format(1) + row.format(2))
    assert lines_of(seen)[-1] == """[e2] button "Buy" (Sofa 2 value='1' e9)"""


def test_lone_surrogates_do_no_harm() -> None:
    seen = observe_snapshot(
        '- link "\ud800x" [ref=e1]:\n  - /url: /\ud800\n- paragraph: \ud83d', title="\udfff"
    )
    assert seen.model_dump_json()
    assert seen.text().encode()


def test_an_option_is_found_by_how_it_was_told_and_in_any_case_unless_it_may_be_another() -> None:
    whole = "United Kingdom of Great Britain [and Northern Ireland]"
    names = [
        "Red",
        "red",
        "Blue",
        whole,
        "A very long option name that goes on: 1",
        "A very long option name that goes on: 1, 2",
    ]
    listed = "\n".join(f'  - option "{name}"' for name in names)
    (select,) = observe_snapshot(f'- combobox "Choice" [ref=e1]:\n{listed}').interactive
    told = "United Kingdom of Great Britain (and No…"
    assert told in observe_snapshot(f'- combobox "Choice" [ref=e1]:\n{listed}').text()
    for written, meant in (
        (told, whole),
        ("BLUE ", "Blue"),
        ("red", "red"),
        ("RED", "RED"),
        ("Green", "Green"),
    ):
        assert meant_option(select, written) == meant


def test_a_long_select_tells_some_options_and_knows_all() -> None:
    options = "\n".join(f'  - option "Land {at}"' for at in range(200))
    seen = observe_snapshot(f'- combobox "Country" [ref=e1]:\n{options}')
    assert len(seen.interactive[0].options) == 200
    assert lines_of(seen)[-1].endswith("Land 10, Land 11, 188 more]")


def test_of_a_select_at_most_250_options_are_known() -> None:
    options = "\n".join(f'  - option "Land {at}"' for at in range(400))
    seen = observe_snapshot(f'- combobox "Country" [ref=e1]:\n{options}')
    assert seen.interactive[0].options == tuple(f"Land {at}" for at in range(250))


def test_the_options_of_all_selects_together_are_bounded() -> None:
    options = "\n".join(f'  - option "{at:0200}"' for at in range(200))
    selects = "\n".join(f'- combobox "S{at}" [ref=e{at}]:\n{options}' for at in range(4))
    seen = observe_snapshot(selects)
    assert [len(one.options) for one in seen.interactive] == [200, 200, 100, 0]


def test_words_that_name_a_field_are_not_told_again() -> None:
    seen = observe_snapshot('- text: "E-mail:"\n- textbox "E-mail" [ref=e1]\n- paragraph: We never share it.')
    assert seen.text_blocks == ("We never share it.",)


def test_text_stands_between_the_elements_that_it_stands_between_on_the_page() -> None:
    seen = observe_snapshot('- button "A" [ref=e1]\n- paragraph: "12,90 €"\n- button "B" [ref=e2]')
    assert lines_of(seen)[1:] == ['[e1] button "A"', "- 12,90 €", '[e2] button "B"']


def test_what_is_off_screen_comes_after_its_headline() -> None:
    snapshot = (
        '- button "Gone" [ref=e1] [box=0,-300,50,20]\n- button "Here" [ref=e2] [box=0,10,50,20]\n'
        '- button "Later" [ref=e3] [box=0,900,50,20]'
    )
    seen = observe_snapshot(snapshot)
    assert lines_of(seen)[1:] == [
        '[e1] button "Here"',
        "Below:",
        '[e2] button "Later"',
        "Above:",
        '[e3] button "Gone"',
    ]
    assert [element.visible for element in seen.interactive] == [True, False, False]


def test_what_does_not_fit_is_cut_from_the_far_end_and_counted() -> None:
    snapshot = "\n".join(f'- button "Number {at}" [ref=e{at}] [box=0,{at * 30},50,20]' for at in range(400))
    seen = observe_snapshot(snapshot)
    assert [element.name for element in seen.interactive[:24]] == [f"Number {at}" for at in range(24)]
    assert seen.truncated == 400 - len(seen.interactive) > 0
    assert seen.notes == (
        f"truncated, {seen.truncated} more elements: scroll to them; read_page has all text",
    )


def test_text_that_is_left_out_is_counted_too() -> None:
    """Rows below the window keep their controls; that their words are missing must be known."""
    text = "".join(
        f"- paragraph [ref=e{at}] [box=0,{at * 90},900,80]: {'word ' * 40}{at}\n" for at in range(60)
    )
    seen = observe_snapshot(text)
    missing = 60 - len(seen.text_blocks)
    assert missing > 0
    assert seen.notes == (f"truncated, {missing} more texts: scroll to them; read_page has all text",)
    assert seen.truncated == 0


def test_the_form_at_hand_is_kept_whole() -> None:
    links = "\n".join(f'- link "News {at}" [ref=l{at}] [box=0,{at % 20 * 30},50,20]' for at in range(150))
    fields = "\n".join(
        f'  - textbox "Field {at}" [ref=f{at}] [box=600,{600 + at * 40},50,20]' for at in range(30)
    )
    seen = observe_snapshot(
        f'{links}\n- form "Order" [ref=e1]:\n{fields}\n  - button "Send" [ref=s] [box=600,1900,50,20]'
    )
    names = {element.name for element in seen.interactive}
    assert {f"Field {at}" for at in range(30)} | {"Send"} <= names
    assert by_name(seen, "Send").submits


def test_names_get_shorter_before_anything_in_view_goes() -> None:
    snapshot = "\n".join(
        f'- link "{at} {"very long words of a headline " * 6}" [ref=e{at}] [box=0,{at * 4},50,20]'
        for at in range(150)
    )
    seen = observe_snapshot(snapshot)
    assert len(seen.interactive) == 150
    assert cost(lines_of(seen)) <= 3300


def test_the_digest_changes_with_the_page_and_only_with_it() -> None:
    again = LOGIN.replace("ref=e", "ref=f2e").replace("box=0,", "box=7,")
    assert observe_snapshot(LOGIN).digest() == observe_snapshot(again).digest()
    assert observe_snapshot(LOGIN).digest() != observe_snapshot(LOGIN.replace(" [checked]", "")).digest()


def test_notes_are_told_in_one_line_each() -> None:
    seen = observe_snapshot("- paragraph: x", notes=["a new tab was opened:\n  Bank", "HTTP status: 500"])
    assert lines_of(seen)[1:3] == ["Note: a new tab was opened: Bank", "Note: HTTP status: 500"]


def test_a_focused_observation_tells_all_of_one_part_and_none_of_the_rest() -> None:
    options = "\n".join(f'      - option "Land {at}" [box=0,0,0,0]' for at in range(50))
    snapshot = (
        '- dialog "Address" [ref=e1]:\n  - generic [ref=e2]:\n    - combobox "Country" [ref=e3]:\n'
        + options
        + '\n  - button "Save" [ref=e4]\n'
        + "\n".join(f'- link "L{at}" [ref=l{at}]' for at in range(40))
    )
    seen = observe_snapshot(snapshot, around="e3")
    assert seen.mode == "focused"
    assert [element.name for element in seen.interactive] == ["Country", "Save"]
    assert len(seen.interactive[0].options) == 50
    assert "around e1" in seen.notes


def test_a_focus_on_something_gone_says_so() -> None:
    seen = observe_snapshot(LOGIN, around="e99")
    assert seen.mode == "main"
    assert seen.notes == ("the element is not on the page any more",)


def test_text_near_an_element_is_its_card() -> None:
    near = text_near(
        load_shot("shop")["snapshot"], by_name(observe_shot("shop"), "In den Warenkorb").ref, chars=200
    )
    assert "€" in near
    assert len(near) <= 200
    assert text_near(LOGIN, "nope") == ""


def test_a_budget_limits_elements_blocks_and_tokens() -> None:
    shot = load_shot("shop")["snapshot"]
    seen = observe_snapshot(shot, budget=Budget(elements=12, blocks=3, block_chars=40, tokens=400))
    assert len(seen.interactive) <= 12
    assert len(far_texts(seen)) <= 3
    assert all(len(block) <= 42 for block in far_texts(seen))
    assert cost(lines_of(seen)) <= 400


def test_fifty_thousand_links_are_observed_in_time() -> None:
    snapshot = "\n".join(
        f'- link "Link {at}" [ref=e{at}] [cursor=pointer] [box=0,{at * 20},90,18]:\n  - /url: /x/{at}'
        for at in range(50_000)
    )
    started = time.process_time()
    seen = observe_snapshot(snapshot)
    assert time.process_time() - started < 8
    assert seen.truncated + len(seen.interactive) == 50_000
    assert len(seen.text()) < 14_000


def test_the_command_line_answers_each_line_with_text_and_targets() -> None:
    requests = [
        {"snapshot": LOGIN, "viewport": [1280, 720], "mode": "main"},
        {"snapshot": LOGIN, "viewport": [1280, 720], "mode": "focused", "target": "e5"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "server.browser.observation"], check=True, capture_output=True, text=True,
        input="\n".join(map(json.dumps, requests)),
    )  # fmt: skip
    main, focused = map(json.loads, done.stdout.splitlines())
    assert main["text"] == observe_snapshot(LOGIN).text()
    assert main["targets"] == {"e1": "e3", "e2": "e4", "e3": "e5", "e4": "e6", "e5": "e7"}
    assert main["truncated"] == 0
    assert "e7" in focused["targets"].values()


def test_the_command_line_prints_the_script_whose_result_is_extra() -> None:
    command = [sys.executable, "-m", "server.browser.observation", "--page-script"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.stdout == f"{PAGE_SCRIPT}\n"


ODD_LINES = [
    "{", "[]", "null", "7", '"x"', "[" * 100_000, '{"snapshot": 5}', '{"viewport": [1280]}', '{"viewport": "wide"}',
    '{"viewport": [1280, "tall"]}', '{"mode": "whole"}', '{"target": ["e1"]}', '{"extra": {"clickables": 1}}',
]  # fmt: skip


@pytest.mark.parametrize("line", ODD_LINES)
def test_a_line_that_cannot_be_read_is_answered_with_what_is_wrong(line: str) -> None:
    assert list(answer(line)) == ["error"]


def test_the_command_line_goes_on_after_a_bad_line() -> None:
    lines = [
        "{",
        "",
        json.dumps({"snapshot": LOGIN, "mode": None, "viewport": None}),
        '{"snapshot": "\\ud83d"}',
        "{}",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "server.browser.observation"], check=True, capture_output=True, text=True,
        input="\ufeff" + "\n".join(lines),
    )  # fmt: skip
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [sorted(reply) for reply in told] == [["error"], *[["targets", "text", "truncated"]] * 3]
    assert told[1]["text"] == observe_snapshot(LOGIN).text()


# With the server's targets, for a model that calls its tools


def test_elements_are_named_by_targets_and_the_rest_is_the_same() -> None:
    seen = observe_snapshot(LOGIN, url="https://mail.example/", title="Mail", notes=["a note"])
    heads = ("URL: ", "Title: ", "Note: ")
    plain = [line for line in seen.text().splitlines() if not line.startswith(heads)]
    refs = {element.eid: element.ref for element in seen.interactive}
    plain = [re.sub(r"^\[(\w+)\]", lambda found: f"[{refs[found[1]]}]", line) for line in plain]
    assert seen.text_with_targets().splitlines() == plain
    assert '[e3] textbox "E-mail" value="ann@mail.example"' in plain


@pytest.mark.parametrize("name", shot_names())
def test_every_page_keeps_its_budget_with_targets(name: str) -> None:
    shot = load_shot(name)
    extra = Extra.model_validate(shot["extra"])
    seen = observe_snapshot(shot["snapshot"], budget=Budget(names_targets=True), extra=extra)
    assert cost(seen.text_with_targets().splitlines()) <= 3300
    assert seen.text_with_targets().count("\n[") > 2


@pytest.mark.parametrize("fake", ["[e7]", "[f1e7]", "【f12e3】"])
def test_words_of_a_page_cannot_pass_for_a_target(fake: str) -> None:
    seen = observe_snapshot(f'- paragraph [ref=e1]: {fake} button "Buy"\n- link "{fake} Buy" [ref=e2]')
    assert fake not in seen.text_with_targets().replace('[e2] link "', "")


def test_links_that_share_a_line_are_named_by_their_targets() -> None:
    seen = observe_snapshot(
        '- link "Kettle" [ref=e1]:\n  - /url: /kettle\n- link [ref=e2]:\n  - /url: /kettle\n  - img "Kettle" [ref=e3]'
    )
    assert "also=e2" in seen.text_with_targets() or "also=e1" in seen.text_with_targets()
