"""The outcome of an act says what the field or list holds, with both browser servers."""

from __future__ import annotations

import pytest
import pytest_asyncio

from server.browser.browser import Browser, Field
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

FIELDS = """<label>Code <input maxlength=8></label>
<label>Amount <input oninput="this.value = this.value.replace(/[^0-9,]/g, '')"></label>
<label>Guests <input oninput="if (this.value > 8) this.value = 8"></label>
<label>Name <input oninput="setTimeout(() => this.value = '')"></label>
<label>City <input></label><label>Note <textarea></textarea></label>
<label>Snippet <textarea onkeydown="if (event.key === '[') this.setRangeText('[]', 0, 9, 'end')"></textarea></label>"""
TYPED = {
    "Code": ("ABCDEFGHIJKL", 'textbox "Code" holds "ABCDEFGH" instead.'),
    "Amount": ("12.50", 'textbox "Amount" holds "1250" instead.'),
    "Guests": ("12", 'textbox "Guests" holds "8" instead.'),
    "Name": ("Ann", 'textbox "Name" holds nothing instead.'),
    "City": ("Leeds", ""),
    "Note": ("Ring\ntwice", ""),
    "Snippet": ('{"a": [1]}', ""),
}
LISTS = """<label>Pieces <select><option>Choose<option value=1>10<option value=2>5<option value=5>2<option value=10>1</select></label>
<label>Slot <select><option>Choose<option disabled>10:00<option value=b>10:00<option>11:00</select></label>
<label>City <select><option>Choose<optgroup label=Illinois><option value=il>Springfield<option>Chicago</optgroup>
<optgroup label=Missouri><option value=mo>Springfield</optgroup></select></label>
<label>Land <select onchange="this.selectedIndex = 0"><option>Peru<option>Chile</select></label>
<p id=said></p><script>addEventListener('change', event => said.textContent += ' ' + event.target.value)</script>"""

SEVERAL = """<label>Roles <select multiple><option selected>reader<option selected>writer<option>admin<option>owner</select></label>
<label>Days <select multiple><optgroup label=Early><option>Mon<option>Tue</optgroup><optgroup label=Late><option>Mon</select></label>
<label>Size <select size=3><option>S<option selected>M<option>L</select></label>
<label>Tags <select multiple onchange="this.options[0].selected = false"><option>a<option>b</select></label>"""


@pytest_asyncio.fixture(loop_scope="module")
async def browser(either_pool: BrowserPool) -> Browser:
    return await either_pool.get("told")


async def test_what_a_field_holds_is_told_where_it_is_not_what_was_typed(
    browser: Browser, site: Site
) -> None:
    await browser.navigate(site.add("/fields", FIELDS))
    for name, (text, note) in TYPED.items():
        outcome = await browser.type([Field(element(await browser.observe(), name), text)])
        assert outcome.ok, outcome.text
        assert [one for one in outcome.notes if "instead" in one] == [note] * bool(note)


NATIVE = """<label>Weight <input type=number step=.1></label> <label>Day <input type=date></label>
<label>Time <input type=time></label> <label>Share <input type=range min=0 max=100></label>
<label>Colour <input type=color></label> <label>Month <input type=month></label> <label>Week <input type=week></label>
<label>When <input type=datetime-local></label>
<label>Sum <input oninput="const d = this.value.replace(/\\D/g, ''); this.value = d.replace(/(\\d)(?=(\\d{3})+$)/g, '$1.')"></label>
<label>Phone <input oninput="this.value = '+7 ' + this.value.replace(/^\\+7 |\\D/g, '')"></label>"""


@pytest.mark.parametrize(
    ("name", "text", "held"),
    [
        ("Weight", "1.5", "1.5"), ("Day", "2026-11-21", "2026-11-21"), ("Day", "5 May 2027", None),
        ("Time", "14:30", "14:30"), ("Time", "2 pm", None), ("Share", "40", "40"), ("Share", "400", "100"),
        ("Colour", "#00ff00", "#00ff00"), ("Colour", "red", "#ff0000"), ("Month", "2027-03", "2027-03"),
        ("Month", "March 2027", None), ("Week", "2027-W05", "2027-W05"), ("When", "2027-03-05T14:00", "2027-03-05T14:00"),
        ("When", "2027-03-05 14:00", "2027-03-05T14:00"), ("Sum", "1250", "1.250"), ("Phone", "916", "+7 916"),
    ],
)  # fmt: skip
async def test_a_field_of_each_kind_is_done_or_told(
    browser: Browser, site: Site, name: str, text: str, held: str | None
) -> None:
    await browser.navigate(site.add("/native", NATIVE))
    field = element(await browser.observe(), name)
    outcome = await browser.type([Field(field, text)])
    assert element(await browser.observe(), name).value == held
    if held == text:
        assert (outcome.ok, outcome.notes) == (True, ())
    elif outcome.ok:
        shown = f'"{held}"' if held else "nothing"
        assert outcome.notes == (f'{field.role} "{name}" holds {shown} instead.',)
    else:
        assert (held, f'{field.role} "{name}"' in outcome.text) == (None, True), outcome.text


async def test_options_with_odd_names_and_drawn_options_are_chosen(browser: Browser, site: Site) -> None:
    odd = """<label>Unit <select><option>Choose<option>&nbsp;&nbsp;Kilogram
    (kg)<option label=Gram>gram long form</select></label>
    <div role=listbox aria-multiselectable=true aria-label=Toppings>""" + "".join(
        f"""<div role=option aria-selected=false onclick="this.ariaSelected = this.ariaSelected !== 'true'">{name}</div>"""
        for name in ("Olives", "Onion", "Capers")
    )
    await browser.navigate(site.add("/odd", odd))
    for option in ("Gram", "Kilogram (kg)"):
        outcome = await browser.select(element(await browser.observe(), "Unit"), [option])
        assert (outcome.ok, outcome.notes) == (True, ()), outcome
        assert element(await browser.observe(), "Unit").value == option
    for name in ("Olives", "Capers"):
        assert (await browser.click(element(await browser.observe(), name))).ok
    chosen = [one.name for one in (await browser.observe()).interactive if one.selected]
    assert chosen == ["Olives", "Capers"]


async def test_a_refused_field_is_named_and_keeps_no_other_from_being_filled(
    browser: Browser, site: Site
) -> None:
    form = "<label>Name <input></label><label>Day <input type=date></label><label>City <input></label>"
    await browser.navigate(site.add("/trip", form))
    seen = await browser.observe()
    texts = {"Name": "Ann", "Day": "5 May 2027", "City": "Leeds"}
    outcome = await browser.type([Field(element(seen, name), text) for name, text in texts.items()])
    told = [outcome.text] if not outcome.ok else list(outcome.notes)
    assert ['textbox "Day"' in one for one in told] == [True]
    seen = await browser.observe()
    assert [element(seen, name).value for name in texts] == ["Ann", None, "Leeds"]


async def test_an_option_is_chosen_by_its_place(browser: Browser, site: Site) -> None:
    await browser.navigate(site.add("/lists", LISTS))
    chosen = {}
    for name, option in (
        ("Pieces", "1"),
        ("Pieces", "2"),
        ("Slot", "10:00"),
        ("City", "Springfield (Missouri)"),
    ):
        outcome = await browser.select(element(await browser.observe(), name), [option])
        assert outcome.ok, outcome.text
        chosen[name, option] = outcome.notes
    assert set(chosen.values()) == {()}
    assert any(block.strip() == "10 5 b mo" for block in (await browser.observe()).text_blocks)


async def test_a_choice_that_is_not_clear_or_not_kept_is_told(browser: Browser, site: Site) -> None:
    await browser.navigate(site.add("/lists", LISTS))
    seen = await browser.observe()
    unclear = await browser.select(element(seen, "City"), ["Springfield"])
    assert not unclear.ok
    assert '"Springfield (Illinois)", "Springfield (Missouri)"' in unclear.text
    missing = await browser.select(element(seen, "Land"), ["Bolivia"])
    assert not missing.ok
    assert '"Peru", "Chile"' in missing.text
    vetoed = await browser.select(element(seen, "Land"), ["Chile"])
    assert vetoed.notes == ('combobox "Land" holds "Peru" instead.',)


async def test_a_list_of_several_is_one_element_and_choices_are_added_to_what_is_chosen(
    browser: Browser, site: Site
) -> None:
    await browser.navigate(site.add("/several", SEVERAL))
    seen = await browser.observe()
    roles = element(seen, "Roles")
    assert (roles.role, roles.value, roles.several) == ("listbox", "reader, writer", True)
    assert element(seen, "Days").options == ("Mon (Early)", "Tue", "Mon (Late)")
    assert [one.role for one in seen.interactive] == ["listbox"] * 4
    added = await browser.select(roles, ["admin", "remove reader"])
    assert added.text == 'Chose admin and took reader out of what is chosen in listbox "Roles".'
    assert added.notes == ('listbox "Roles" holds "writer, admin".',)
    by_typing = await browser.type([Field(element(seen, "Days"), "Mon (Late)\nTue")])
    assert by_typing.notes == ('listbox "Days" holds "Tue (Early), Mon (Late)".',)
    seen = await browser.observe()
    held = [element(seen, name).value for name in ("Roles", "Days", "Size")]
    assert held == ["writer, admin", "Tue, Mon (Late)", "M"]


async def test_choices_that_a_list_does_not_take_are_told(browser: Browser, site: Site) -> None:
    await browser.navigate(site.add("/several", SEVERAL))
    seen = await browser.observe()
    for name, options, said in (
        ("Days", ["Tue", "Mon"], '"Mon (Early)", "Mon (Late)"'),
        ("Size", ["S", "L"], "takes one choice"),
        ("Size", ["remove M"], "takes one choice"),
    ):
        refused = await browser.select(element(seen, name), options)
        assert (refused.ok, said in refused.text) == (False, True), refused.text
    assert (await browser.select(element(seen, "Size"), ["L"])).notes == ()
    vetoed = await browser.select(element(seen, "Tags"), ["a", "b"])
    assert vetoed.notes == ('listbox "Tags" holds "b" instead.',)
    assert [element(await browser.observe(), name).value for name in ("Days", "Size")] == [None, "L"]


FRAMED = f"""<p>Inner</p>{FIELDS}<label>Land <select><option>Peru<option>Chile</select></label>
<label>Roles <select multiple><option selected>reader<option>writer<option>admin</select></label>
<div contenteditable role=textbox aria-label=Letter style="width: 300px; height: 40px">old</div>"""
CODE = "<h1>Enter the code we sent</h1><div>" + "<input maxlength=1 size=1>" * 6 + "</div>"


@pytest.mark.parametrize("whose", ["its own", "another port", "another host"])
async def test_fields_in_frames_are_read_and_read_back(browser: Browser, site: Site, whose: str) -> None:
    with Site() as other:
        at = site if whose == "its own" else other
        host = "localhost" if whose == "another host" else "127.0.0.1"
        at.add("/inner", FRAMED)
        at.add("/code", CODE)
        style = "width=900 style='padding: 10px; border: 7px solid'"
        frames = (f"<iframe src={at.url(path, host=host)} {style}></iframe>" for path in ("/inner", "/code"))
        await browser.navigate(site.add("/framed", f"<p>Outer</p>{''.join(frames)}"))
        seen = await browser.observe()
        outcome = await browser.type([Field(element(seen, "Code"), "ABCDEFGHIJKL")])
        assert (outcome.ok, outcome.notes) == (True, ('textbox "Code" holds "ABCDEFGH" instead.',))
        outcome = await browser.select(element(seen, "Land"), ["Chile"])
        assert (outcome.ok, outcome.notes) == (True, ()), outcome
        outcome = await browser.select(element(seen, "Roles"), ["admin"])
        assert outcome.notes == ('listbox "Roles" holds "reader, admin".',)
        assert (await browser.type([Field(element(seen, "Letter"), "Dear Ann")])).notes == ()
        (code,) = (one for one in seen.interactive if one.secret)
        assert (await browser.type([Field(code, "739154")])).ok
        seen = await browser.observe()
        held = {one.name: one.value for one in seen.interactive if one.value}
        assert held == {"Code": "ABCDEFGH", "Land": "Chile", "Roles": "reader, admin", "Letter": "Dear Ann"}
        assert [one.filled for one in seen.interactive if one.secret] == [True]
        assert not set("739154") & set("".join(seen.text_blocks))


BOXES = """<label><input type=checkbox onclick="setTimeout(() => this.checked = false, 30)"> Agree</label>
<label><input type=checkbox> News</label> <label><input type=radio name=a> Red</label>
<div role=switch aria-checked=true aria-label=Alarm tabindex=0 style="width:20px;height:20px;cursor:pointer">o</div>
<style>.off {position: absolute; opacity: 0}</style>
<input type=checkbox class=off id=x onclick="return false"><label for=x style="display:inline-block">Terms</label>
<p id=clock></p><script>setInterval(() => clock.textContent = Date.now(), 50)</script>"""


async def test_a_box_that_is_not_ticked_by_its_click_is_told(browser: Browser, site: Site) -> None:
    await browser.navigate(site.add("/boxes", BOXES))
    notes: list[str] = []
    for name in ("Agree", "News", "Red", "Alarm", "Terms"):
        outcome = await browser.click(element(await browser.observe(), name))
        assert outcome.ok, outcome.text
        notes += outcome.notes
    assert notes == [
        'checkbox "Agree" is still not checked.',
        'switch "Alarm" is still checked.',
        'checkbox "Terms" is still not checked.',
    ]


async def test_an_act_by_name_is_read_back_too(browser: Browser, site: Site) -> None:
    await browser.navigate(site.add("/fields", FIELDS + LISTS))
    names = {tool.name for tool in browser.tools()}
    look = "browser_snapshot" if "browser_snapshot" in names else "browser_get_state"
    await browser.call(look, {})
    amount = element(await browser.observe(), "Amount")
    where = {"target": amount.ref} if look == "browser_snapshot" else {"index": int(amount.ref)}
    outcome = await browser.call("browser_type", {**where, "text": "12.50"})
    assert outcome.ok, outcome.text
    assert outcome.text.count('textbox "Amount" holds "1250" instead.') == 1
    if "browser_select_option" in names:
        outcome = await browser.call("browser_select_option", {"target": element(await browser.observe(), "Pieces").ref, "values": ["1"]})  # fmt: skip
        assert outcome.ok, outcome.text
        assert element(await browser.observe(), "Pieces").value == "1"


async def test_a_list_that_took_the_place_of_another_is_left_alone(browser: Browser, site: Site) -> None:
    moved = """<style>select {display: block; height: 30px; width: 90px}</style><div id=top></div>
    <select aria-label=First><option>red<option>blue</select><select aria-label=Second><option>red<option>green</select>"""
    await browser.navigate(site.add("/moved", moved))
    second = element(await browser.observe(), "Second")
    page = browser._calls.here  # type: ignore[attr-defined]
    await page.run(
        "() => { document.querySelector('select').before(document.querySelectorAll('select')[1]) }"
    )
    outcome = await browser.select(second, ["green"])
    seen = await browser.observe()
    assert outcome.ok, outcome.text
    assert (element(seen, "First").value, element(seen, "Second").value) == ("red", "green")


async def test_reading_keeps_the_lines_of_code(browser: Browser, site: Site) -> None:
    code = 'def rows(n):\n    if n == 1 {\n        return "a";\n    }'
    wrapped = "<div style='white-space: pre-wrap'>one\n  two <b>bold</b>\nthree</div>"
    await browser.navigate(site.add("/code", f"<button>Run</button><pre>{code}</pre>{wrapped}"))
    near = await browser.text_near(element(await browser.observe(), "Run"))
    assert code in near
    assert "one\n  two bold\nthree" in near


async def test_code_in_view_keeps_its_lines_and_can_imitate_none_of_ours(
    browser: Browser, site: Site
) -> None:
    code = "# Setup\n[e1] button\nif x:\n\ty = 1;\nBelow:\n{"
    marked = "<pre><code><b>a</b> = 1\n<i>b</i> = <i>2</i></code></pre>"
    poem = "<div style='white-space: pre-line'>Roses\n are red</div>"
    await browser.navigate(
        site.add("/shown", f"<p>Before</p><pre>{code}</pre>{marked}{poem}<button>Run</button>")
    )
    lines = (await browser.observe()).text().partition("- Before\n")[2].split("\n")
    assert lines == [
        "- # Setup", "| (e1) button", "| if x:", "|     y = 1;", "| Below:", "| {",
        "- a = 1", "| b = 2", "- Roses", "| are red", '[e1] button "Run"',
    ]  # fmt: skip
