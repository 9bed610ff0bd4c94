"""What a step's line says of fields is what the page holds, on forms made at random.

`RANDOM_FORMS=1000` makes as many forms as that.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter

import pytest
import pytest_asyncio

from server.browser.browser import Browser, Field
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element
from server.browser.pool import BrowserPool
from server.ops.json_types import Json
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(3600)]

FORMS = int(os.environ.get("RANDOM_FORMS", "30"))
FORMS_A_PAGE, FIELDS_A_FORM = 10, 3
LABELS = ("Name", "City", "Amount", "holds", "Code instead", 'Say "x"', "Größe", "数量", "Name", "12")
WORDS = (
    "Ann",
    "12.50",
    "Name",
    "a b  c",
    "ÄÖ ß",
    "holds nothing instead.",
    "x" * 90,
    "0012",
    "<b>",
    "日本 語",
)
EDITS = (
    "", "", "", "this.value = this.value.toUpperCase()", "this.value = this.value.replace(/[^0-9,]/g, '')",
    "if (this.value.length > 4) this.value = this.value.slice(0, 4)", "this.value = ''",
    "setTimeout(() => this.value = 'reset')", "this.value = 'Name'", "if (+this.value > 8) this.value = 8",
)  # fmt: skip
BOXES = ("checkbox", "radio")
KINDS = (
    "text", "text", "search", "tel", "url", "email", "lines", "number", "date", "time", "list", "several", "editor",
    "range", "color", "month", "week", "datetime-local", *BOXES,
)  # fmt: skip
TEXTS = {
    "number": ("5", "12.5", "99"), "date": ("2027-03-05", "1999-12-31"), "time": ("14:30", "00:05"),
    "range": ("0", "7", "41", "400"), "color": ("#00ff00", "red"), "month": ("2027-03",), "week": ("2027-W05",),
    "datetime-local": ("2027-03-05T14:30", "2027-03-05 14:00"),
}  # fmt: skip
OPTIONS = ("Choose", "10", "2", "1", "Name", "Springfield")


def make_field(chance: random.Random, key: str) -> tuple[str, str]:
    """The markup of a field and the text for it."""
    attributes = f'id={key} oninput="{chance.choice(EDITS)}" {chance.choice(["", "", "maxlength=5"])}'
    kind = chance.choice(KINDS)
    if kind in BOXES:
        veto = chance.choice(["", "", "return false", "setTimeout(() => this.checked = !this.checked, 20)"])
        return (
            f'<input type={kind} name={key} id={key} onclick="{veto}" {chance.choice(["", "checked"])}>',
            "",
        )
    if kind == "several":
        veto = chance.choice(["", "", "this.options[1].selected = false", "for (const one of this.options) one.selected = false"])  # fmt: skip
        options = "".join(f"<option {chance.choice(['', 'selected'])}>{name}" for name in OPTIONS)
        some = "\n".join(chance.sample(OPTIONS, 2))
        return f'<select multiple size=2 id={key} onchange="{veto}">{options}</select>', some
    if kind == "lines":
        return f"<textarea rows=1 {attributes}></textarea>", "\n".join(chance.sample(WORDS, 2))
    if kind == "list":
        veto = chance.choice(["", "", "this.selectedIndex = 0"])
        options = "".join(
            f"<option value={at}>{name}" for at, name in enumerate(chance.sample(OPTIONS, len(OPTIONS)))
        )
        return f'<select id={key} onchange="{veto}">{options}</select>', chance.choice(OPTIONS)
    if kind == "editor":
        edit = chance.choice(["", "this.textContent = this.textContent.slice(0, 3)"])
        return f'<span id={key} contenteditable role=textbox oninput="{edit}" style="display:inline-block;width:80px">old</span>', chance.choice([*WORDS[:3], WORDS[4]])  # fmt: skip
    return f"<input type={kind} {attributes}>", chance.choice(TEXTS.get(kind, WORDS))


def make_page(seed: int) -> tuple[str, dict[str, str]]:
    """A page of forms, and the text for each field by its id."""
    chance, parts, texts = random.Random(seed), list[str](), dict[str, str]()
    for form in range(FORMS_A_PAGE):
        fields = []
        for at in range(FIELDS_A_FORM):
            key = f"f{form}x{at}"
            field, texts[key] = make_field(chance, key)
            label = chance.choice(LABELS)
            fields.append(f"<label for={key}>{label}</label>{field.replace('<span', f'<span aria-label={json.dumps(label)}') if chr(34) not in label else field}")  # fmt: skip
        parts.append(f"<form onsubmit='return false'>{' '.join(fields)}</form>")
    style = "<style>form{height:40px;display:flex;gap:9px;overflow:hidden}input,textarea,select{width:90px;height:20px}</style>"
    return style + "".join(parts), texts


PLACES = """() => Object.fromEntries([...document.querySelectorAll('[id]')].map(one => {
  const r = one.getBoundingClientRect();
  return [one.id, [r.x, r.y, r.width, r.height].map(Math.round)];
}))"""
HELD = """() => Object.fromEntries([...document.querySelectorAll('[id]')].map(one =>
  [one.id, /checkbox|radio/.test(one.type) ? one.checked : one.selectedOptions
    ? [...one.selectedOptions].map(one => one.text).join(one.multiple ? ', ' : '') : one.value ?? one.innerText]))"""


def is_meant(typed: str, held: str) -> bool:
    """But for spaces, and for how one number is written."""
    lines = [["".join(line.split()) for line in text.split("\n") if line.strip()] for text in (typed, held)]
    numbers = [one[0] for one in lines if len(one) == 1 and re.fullmatch(r"-?\d+(\.\d+)?", one[0])]
    return lines[0] == lines[1] or (len(numbers) == 2 and float(numbers[0]) == float(numbers[1]))


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> Browser:
    return await pool.get("forms")


@pytest.mark.parametrize("seed", range(FORMS // FORMS_A_PAGE))
async def test_what_is_said_of_each_field_is_what_the_page_holds(
    browser: SessionBrowser, site: Site, seed: int
) -> None:
    page, texts = make_page(seed)
    await browser.navigate(site.add("/forms", page))
    places = await browser._calls.here.run(PLACES)
    assert isinstance(places, dict)
    found = {tuple(map(round, one.box or ())): one for one in (await browser.observe()).interactive}
    keys = [key for key in texts if tuple(places[key]) in found]
    assert len(keys) > len(texts) * 0.9
    boxes = [key for key in keys if not texts[key]]
    keys = [key for key in keys if texts[key]]
    fields = [Field(found[tuple(places[key])], texts[key]) for key in keys]
    outcome = await browser.type(fields)
    assert outcome.ok, outcome.text
    held = await read(browser)
    expected = Counter(
        filter(None, (note_of(field, str(held[key])) for key, field in zip(keys, fields, strict=True)))
    )
    assert Counter(note for note in outcome.notes if " holds " in note) == expected
    for key in boxes:
        before = (await read(browser))[key]
        outcome = await browser.click(found[tuple(places[key])])
        assert outcome.ok, outcome.text
        now = (await read(browser))[key]
        assert outcome.notes == told_of_click(found[tuple(places[key])], bool(before), bool(now))


async def read(browser: SessionBrowser) -> dict[str, Json]:
    held = await browser._calls.here.run(HELD)
    assert isinstance(held, dict)
    return held


def name_of(element: Element) -> str:
    return f'{element.role} "{element.name[:60]}"' if element.name else f"a {element.role} without a name"


def told_of_click(element: Element, before: bool, now: bool) -> tuple[str, ...]:
    if before is not now or (element.role == "radio" and now):
        return ()
    return (f"{name_of(element)} is still {'' if now else 'not '}checked.",)


def note_of(field: Field, held: str) -> str:
    """What the outcome says of a field; "" if it holds what was typed."""
    shown = held if len(held) <= 80 else f"{held[:79]}…"
    quoted = f'"{shown}"' if held.strip() else "nothing"
    said = f"{name_of(field.element)} holds {quoted}"
    if field.element.several:
        chosen = set(filter(None, held.split(", ")))
        return f"{said}." if set(field.text.split("\n")) <= chosen else f"{said} instead."
    return "" if is_meant(field.text, held) else f"{said} instead."
