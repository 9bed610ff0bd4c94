"""One table of pages that answer acts in their own way: after each act, its outcome says what the page holds.

Each page is a file of tests/pages/acts, or is written here. Of each act the outcome is ok and has no notes, unless the
row says what else it says.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from server.browser.browser import Field, Manner, ToolOutcome
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element
from tests.support.act_pages import PAPER, act_pages, forget, received
from tests.support.browsers import open_pool
from tests.support.eventually import eventually
from tests.support.operator_tasks import task
from tests.support.scripted_model import act as move
from tests.support.scripted_model import click as click_on
from tests.support.scripted_model import navigate, stop
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

ZONE = "Asia/Tokyo"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SessionBrowser]:
    async with open_pool(tmp_path_factory.mktemp("data"), time_zone=ZONE) as pool:
        browser = await pool.get("acts")
        assert isinstance(browser, SessionBrowser)
        browser.files.mkdir(parents=True, exist_ok=True)
        for name in ("a.txt", "b.txt"):
            (browser.files / name).write_text(name)
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with act_pages(tmp_path_factory.mktemp("bundled")) as site:
        yield site


@dataclass(frozen=True)
class Act:
    do: Callable[[SessionBrowser], Awaitable[ToolOutcome]]
    says: str | None = None
    """A part of what it says, where it is more than that it is done."""
    ok: bool = True
    most: float = 6
    """Seconds that it may take."""


@dataclass(frozen=True)
class Row:
    kind: str
    page: str
    """A file, with a query; or markup."""
    acts: tuple[Act, ...] = ()
    sent: dict[str, str] | None = None
    """What the page sends after the last act; empty if it must send nothing."""
    shows: tuple[str, ...] = ()
    """Parts of the observation after the last act."""
    lacks: tuple[str, ...] = ()


async def find(browser: SessionBrowser, name: str) -> Element:
    """The element with this name, which may come late."""
    for _ in range(40):
        seen = await browser.observe()
        if found := [one for one in seen.interactive if one.name == name and (name or one.role == "textbox")]:
            return found[0]
        await browser.wait(100)
    raise AssertionError(f"no {name!r} in:\n{seen.text()}")


def click(
    name: str, says: str | None = None, *, ok: bool = True, manner: Manner = "", most: float = 6
) -> Act:
    async def do(browser: SessionBrowser) -> ToolOutcome:
        return await browser.click(await find(browser, name), manner=manner, hold_ms=1_200)

    return Act(do, says, ok, most)


def enter(texts: dict[str, str], says: str | None = None, *, ok: bool = True, submit: bool = False, most: float = 6) -> Act:  # fmt: skip
    async def do(browser: SessionBrowser) -> ToolOutcome:
        fields = [Field(await find(browser, name), text) for name, text in texts.items()]
        return await browser.type(fields, submit=submit)

    return Act(do, says, ok, most)


def add(texts: dict[str, str], says: str | None = None, *, ok: bool = True) -> Act:
    """Add the texts to what the fields hold."""

    async def do(browser: SessionBrowser) -> ToolOutcome:
        fields = [Field(await find(browser, name), text, adds=True) for name, text in texts.items()]
        return await browser.type(fields)

    return Act(do, says, ok)


def choose(name: str, *options: str, says: str | None = None, ok: bool = True) -> Act:
    async def do(browser: SessionBrowser) -> ToolOutcome:
        return await browser.select(await find(browser, name), options)

    return Act(do, says, ok)


def upload(name: str, *files: str, says: str | None = None, ok: bool = True, most: float = 6) -> Act:
    async def do(browser: SessionBrowser) -> ToolOutcome:
        return await browser.upload(await find(browser, name), [browser.files / file for file in files])

    return Act(do, says, ok, most)


def tab(index: int) -> Act:
    return Act(lambda browser: browser.switch_tab(index))


def scroll_to(words: str, says: str | None = None, *, ok: bool = True) -> Act:
    return Act(lambda browser: browser.scroll_to(words), says, ok, most=20)


def read(says: str, *, ok: bool = True) -> Act:
    async def do(browser: SessionBrowser) -> ToolOutcome:
        reading = await browser.read_page()
        return ToolOutcome(reading.ok, f"{reading.about} {reading.text}")

    return Act(do, says, ok)


def near(name: str, says: str) -> Act:
    """Read what is around it."""

    async def do(browser: SessionBrowser) -> ToolOutcome:
        return ToolOutcome(True, await browser.text_near(await find(browser, name)))

    return Act(do, says)


def another_document() -> Act:
    """Wait until the page has loaded again."""

    async def do(browser: SessionBrowser) -> ToolOutcome:
        before = (await browser.observe()).moment.partition(":")[0]
        for _ in range(80):
            if (await browser.observe()).moment.partition(":")[0] != before:
                return ToolOutcome(True, "")
            await browser.wait(50)
        return ToolOutcome(False, "The page has not loaded again.")

    return Act(do)


def wait(milliseconds: int) -> Act:
    return Act(lambda browser: browser.wait(milliseconds))


LETTER = "First one.\n\nSecond one.\n\nThird one."
JSON = '{"a": [\n  1,\n  2\n]}'
CODE = "739154"

LISTENS = (
    "<p id=o>not logged in</p><script>onmessage = new BroadcastChannel('x').onmessage = event => {"
    " o.textContent = 'logged in as ' + event.data }</script>"
)


def opens(page: str, features: str = "") -> str:
    """A page that opens this one in a window, and listens for who logs in there."""
    return f"{LISTENS}<button onclick=\"window.open('/p/{page}', '_blank', '{features}')\">Log in</button>"


ROWS = [
    Row("the page's clock is in the person's zone (A1)", "A1_now.html", (enter({"Date": "2027-03-05"}),), shows=("GMT+0900", ZONE, 'value="2027-03-05"')),
    Row("the zone of a page's formats is the person's (A1)", "<p id=o></p><script>o.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone + ' ' + new Date(2027, 0, 1).getTimezoneOffset()</script>", shows=(f"{ZONE} -540",)),
    Row("the clock of a frame is in the person's zone (A1)", "<iframe srcdoc=\"<p id=o></p><script>o.textContent = 'offset ' + new Date().getTimezoneOffset()</script>\"></iframe>", shows=("offset -540",)),
    Row("several of a list are chosen (A3)", "A3_days.html", (choose("Days", "Tue", says='holds "Tue"'), choose("Days", "Thu", says='holds "Tue, Thu"'), click("Save")), sent={"day": "Tue, Thu"}),
    Row("options drawn by the page are ticked (A3)", "A3_listbox.html", (click("Olives"), click("Capers")), sent={"A3c": "['Olives', 'Capers']"}, shows=('option "Olives" selected', 'option "Capers" selected')),
    Row("one of two equal options is not guessed (A3)", "A3_same.html", (choose("City", "Springfield", says='"Springfield (Illinois)", "Springfield (Missouri)"', ok=False), choose("City", "Springfield (Missouri)"), click("Save")), sent={"city": "mo"}),
    Row("the whole of CodeMirror is replaced (A4)", "A4_cm6.html?n=3", (wait(500), enter({"": JSON}),), sent={"value": JSON, "length": "19"}),
    Row("the whole of 2,000 lines is replaced (A4)", "A4_cm6.html?n=2000", (wait(500), enter({"": JSON}),), sent={"value": JSON, "length": "19"}),
    Row("the whole of Monaco is replaced (A4)", "A4_monaco.html", (wait(1500), enter({"Editor content": JSON}),), sent={"value": JSON, "length": "19"}),
    Row("the whole of Lexical is replaced (A4)", "A4_lexical.html", (wait(300), enter({"Letter": LETTER}),), shows=("First one.", "Third one."), lacks=("Old text",)),
    Row("the whole of Quill is replaced (A4)", "A4_quill.html", (wait(300), enter({"": LETTER}),), lacks=("Old text",)),
    Row("the whole of ProseMirror is replaced (A4)", "A4_prosemirror.html", (wait(300), enter({"": LETTER}),), lacks=("Old text",)),
    Row("the whole of an editable part is replaced (A4)", "A4_plain_ce.html", (enter({"Note": LETTER}),), lacks=("Old text", "Second old")),
    Row("a style sheet never comes (A6)", "A6_css.html", (click("Count", most=3.5), click("Count", most=3.5)), shows=("- 2",)),
    Row("a font never comes (A6)", "A6_font.html", (click("Count", most=3.5), click("Count", most=3.5)), shows=("- 2",)),
    Row("a picture never comes (A6)", "A6_image.html", (click("Count", most=3.5), click("Count", most=3.5)), shows=("- 2",)),
    Row("a video never comes (A6)", "<video src=/never?img width=50></video><button onclick='n.textContent = +n.textContent + 1'>Count</button><p id=n>0</p>", (click("Count", most=3.5), click("Count", most=3.5)), shows=("- 2",)),
    Row("a script that may come late never comes (A6)", "<script async src=/never?img></script><button onclick='n.textContent = +n.textContent + 1'>Count</button><p id=n>0</p>", (click("Count", most=3.5), click("Count", most=3.5)), shows=("- 2",)),
    Row("a drop zone with a field of its own takes a file (A7)", "A7_dropzone.html", (upload("Drop files here to upload", "a.txt"),), sent={"A7": "a.txt"}),
    Row("a label is the button of a tiny field (A7)", "A7_label_block.html", (upload("Choose a document", "a.txt"),), sent={"A7": "a.txt"}),
    Row("a menu's item asks for the file (A7)", "A7_two_stage.html", (click("Attach"), upload("From this computer", "a.txt")), sent={"A7": "a.txt"}),
    Row("a zone that takes drops only (A7)", "A7_drop.html", (upload("Drop your file here", "a.txt"),), sent={"A7": "a.txt"}),
    Row("a label of a hidden field (A7)", "A7_hidden.html", (upload("Choose a document", "a.txt"),), sent={"A7": "a.txt"}),
    Row("a chooser that comes late (A7)", "A7_late.html", (upload("Upload", "a.txt"),), sent={"A7": "a.txt"}),
    Row("a picker of files that takes none from us (A7)", "A7_picker.html", (upload("Open a file", "a.txt", says="a picker of its own", ok=False, most=9),)),
    Row("a label around a field that is not drawn (H3)", "<label style='padding:9px'>Add photo <input type=file style='display:none' onchange='o.textContent=`got `+this.files[0].name'></label><p id=o></p>", (upload("Add photo", "a.txt"),), shows=("got a.txt",)),
    Row("a large field over a button (D3)", "<div style='position:relative;overflow:hidden;width:120px;height:30px'><span>Add files</span><input type=file style='position:absolute;right:0;top:0;font-size:200px;opacity:0' onchange='o.textContent=`got `+this.files[0].name'></div><p id=o></p>", (upload("Choose File", "a.txt"),), shows=("got a.txt",)),
    Row("a field under a label that covers it (A7)", "<link rel=stylesheet href=/vendor/filepond/dist/filepond.css><input type=file id=f><script src=/vendor/filepond/dist/filepond.js></script><script>FilePond.create(f)</script>", (wait(300), upload("Drag & Drop your files or Browse", "a.txt"), wait(300)), shows=("a.txt",)),
    Row("what takes no file says so (A7)", "<button>Nothing</button>", (upload("Nothing", "a.txt", says="did not ask for a file", ok=False, most=9),)),
    Row("a button that pulses (A5)", "A5_pulse.html", (click("See the offer"),), sent={"A5": "pressed"}),
    Row("a button that bounces (A5)", "A5_bounce.html", (click("Open chat"),), sent={"A5": "chat"}),
    Row("a clear layer over all (X30)", "X30_shield.html", (click("Continue", "cover", ok=False, most=5),)),
    Row("a ticker that runs (A5)", "<style>@keyframes m {to {transform: translateX(-600px)}} #t {animation: m 9s linear infinite; white-space: nowrap; margin-left: 500px}</style><div id=t><button onclick='o.textContent=`deal shown`'>Deal of the day</button> <button onclick='o.textContent=`wrong`'>Old deals</button></div><p id=o></p>", (click("Deal of the day"),), shows=("deal shown",)),
    Row("what a script moves in each frame (A5)", "<button id=b style='position:absolute' onclick='o.textContent=`caught`'>Claim now</button><p id=o></p><script>let t = 0; const f = () => { t += 0.03; b.style.left = 300 + 80 * Math.sin(t) + 'px'; b.style.top = 200 + 30 * Math.cos(t) + 'px'; requestAnimationFrame(f) }; f()</script>", (click("Claim now"),), shows=("caught",)),
    Row("what covers a button is named with its way out (H12)", "<button>Continue</button><div style='position:fixed;inset:0;background:#fffc'><p>Our newsletter</p><button onclick='this.parentElement.remove()'>No, thanks</button></div>", (click("Continue", '"Our newsletter No, thanks" covers it, with "No, thanks" in it', ok=False, most=5), click("No, thanks"), click("Continue"))),
    Row("a cover that goes by itself (X30)", "<button onclick='o.textContent=`pressed`'>Continue</button><p id=o></p><div id=s style='position:fixed;inset:0'></div><script>setTimeout(() => s.remove(), 900)</script>", (click("Continue"),), shows=("pressed",)),
    Row("a consent in a closed shadow root (A9)", "A9_closed.html", (click("Accept"), click("Read on")), sent={"A9": "read"}, shows=()),
    Row("a page prints (A11)", "A11_print.html", (click("Print", "The page wanted to print: Ticket.pdf was put into the files"),), sent={"A11": "print"}),
    Row("a passkey is refused (A12)", "A12_passkey.html", (click("Another way"),), sent={"A12": "other"}, shows=("Use a code",)),
    Row("a form in a closed shadow root (A9)", "<x-form></x-form><script>customElements.define('x-form', class extends HTMLElement { connectedCallback() { const r = this.attachShadow({mode: 'closed'}); r.innerHTML = '<label>Town <input></label><p>Sent at once</p>'; document.title = String(this.shadowRoot) } })</script>", (enter({"Town": "Leeds"}),), shows=('textbox "Town" value="Leeds"', "Sent at once", "Title: null")),
    Row("a page asks for a passkey (X22)", "X22_prompts.html?ask=passkey", (click("Ask passkey", "The page asked for a passkey"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a passkey (X22)", "X22_prompts.html?ask=newpasskey", (click("Ask newpasskey", "The page asked for a passkey"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a code from a phone (X22)", "X22_prompts.html?ask=otp", (click("Ask otp", "The page asked for a code from a phone"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a USB device (X22)", "X22_prompts.html?ask=usb", (click("Ask usb", "The page asked for a USB device"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a serial device (X22)", "X22_prompts.html?ask=serial", (click("Ask serial", "The page asked for a serial device"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a view of the screen (X22)", "X22_prompts.html?ask=screen", (click("Ask screen", "The page asked for a view of the screen"),), shows=("refused NotAllowedError",)),
    Row("a page asks for a colour of the screen (X22)", "X22_prompts.html?ask=eyedropper", (click("Ask eyedropper", "The page asked for a colour of the screen"),), shows=("refused NotAllowedError",)),
    Row("a feed that loads more (A20)", "A20_feed.html", (scroll_to("marzipan", "the page goes on", ok=False), scroll_to("marzipan", "Scrolled to that text")), shows=("marzipan",)),
    Row("an address that is a download (A21)", "A21_start.html", (Act(lambda b: b.navigate(str(b.url).replace("p/A21_start.html", "report.csv")), "report.csv"),)),
    Row("terms that are scrolled to their end (X33)", "X33_terms.html", (scroll_to("End of terms", "Scrolled to that text"), click("I agree")), sent={"X33": "agreed"}),
    Row("a spinner (X34)", "X34_spinner.html", (click("Search", "it still loads", most=5),)),
    Row("a text that is not there at all (A20)", "<p>One</p><div style='height:3000px'></div><p>End</p>", (scroll_to("marzipan", "There is no such text", ok=False),)),
    Row("a text in a box in a box (X33)", "<div style='height:200px;overflow:auto'><div style='height:900px'>Top</div><div style='height:120px;overflow:auto'><div style='height:700px'>Middle</div>The very end</div></div>", (scroll_to("The very end", "Scrolled to that text"),), shows=("- The very end",)),
    Row("a PDF made in the page is read (A8)", "A8_blobtab.html", (click("Show invoice", "A new tab was opened: 1"), tab(1), read(PAPER))),
    Row("a PDF in an embed is read (A8)", "A8_embed.html", (read(PAPER),), shows=("x.pdf",)),
    Row("a PDF in a frame is read (A8)", "A8_frame.html", (read(PAPER),), shows=("x.pdf",)),
    Row("a PDF in an object is read (A8)", "A8_object.html", (read(PAPER),), shows=("x.pdf",)),
    Row("what has a menu of the right button is listed (A16)", "A16_context.html", (click("report.txt"),), shows=('clickable "report.txt"', "no menu")),
    Row("several files for one field (A7)", "A7_two_files.html", (upload("Photos", "a.txt", "b.txt"),), sent={"A7m": "['a.txt', 'b.txt']"}),
    Row("a file made in the page is downloaded (A8)", "A8_blobdown.html", (click("Export PDF", "invoice.pdf"),)),
    Row("a consent in a frame of another site is answered (A9)", "A9_frame.html", (click("Accept all"), click("Read on")), sent={"A9": "read"}),
    Row("a consent in a sandboxed frame is answered (A9)", "A9_sandbox.html", (click("Agree"), click("Read on")), sent={"A9": "read"}),
    Row("a login in a window of its own (A13)", "A13_popup.html", (click("Log in with Ident", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(300)), sent={"A13": "Ann"}, shows=("logged in as Ann",)),
    Row("a login in a window without opener (A13)", "A13_noopener.html", (click("Log in with Ident", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(300)), sent={"A13": "Ann"}, shows=("logged in as Ann",)),
    Row("a window that is blank at first (A13)", "A13_blank_then.html", (click("Open bank", "A new tab was opened: 1"), wait(2000), tab(1), click("Continue as Ann"), wait(300)), sent={"A13": "Ann"}, shows=("bank says Ann",)),
    Row("a login page tells the page that opened it and closes (A13)", opens("A13_login.html"), (click("Log in", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(300)), shows=("logged in as Ann",)),
    Row("a login page tells by a channel and closes itself (A13)", opens("A13_self.html", "noopener"), (click("Log in", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(400)), shows=("logged in as Ann",)),
    Row("a login page that a link opens (A13)", LISTENS + "<a href=/p/A13_login.html target=_blank rel=opener>Log in</a>", (click("Log in", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(300)), shows=("logged in as Ann",)),
    Row("a login page that a form opens (A13)", LISTENS + "<form action=/p/A13_self.html target=_blank><button>Log in</button></form>", (click("Log in", "A new tab was opened: 1"), tab(1), click("Continue as Ann"), wait(400)), shows=("logged in as Ann",)),
    Row("a list to which rows are added holds its rows (A15)", "A15_insert.html", (click("Delete"),)),
    Row("a double click edits a cell (A16)", "A16_dbl.html", (click("Price 12", manner="double"),), sent={"A16": "dbl"}, shows=('textbox "New price" value="12"',)),
    Row("a mask of numbers and of a phone (A17)", "A17_mask.html", (enter({"Amount": "1250,5", "Phone": "9161234567"}, '"Amount" holds "1.250,5" instead'),), shows=('value="1.250,5"', 'value="+7 (916) 123-45-67"')),
    Row("what a field made of the text is told (A17)", "A17_number.html", (
        enter({"Price": "12.50"}, 'textbox "Price" holds "1250" instead.'), enter({"Code": "ABCDEFGHIJKL"}, 'holds "ABCDEFGH" instead'),
        enter({"Weight": "1,5"}, 'spinbutton "Weight" takes another form of value, such as 12.5', ok=False), enter({"Colour": "red"}, 'holds "#ff0000" instead'), enter({"Time": "2 pm"}, '"Time"', ok=False),
        enter({"When": "2027-03-05 14:00"}, 'holds "2027-03-05T14:00" instead')),
        shows=('"Price" value="1250"', '"Code" value="ABCDEFGH"')),
    Row("words in invisible signs are left out (A18)", "A18_tags.html", shows=("A kettle.", 'button "Buy"', 'textbox "Size" value="5"'), lacks=("\U000e0069", "\U000e0073")),
    Row("signs without width stand in no name (A18)", "<button>B\u200bu\u2060y\ufeff</button><p>A ket\u00adtle\u200d.</p>", shows=('button "Buy"', "A kettle."), lacks=("\u200b", "\u2060", "\u00ad")),
    Row("signs that turn the order of letters stand in no text (A18)", "<p>Pay \u202e001\u202c EUR</p><input aria-label='Si\u2066ze\u2069' value=5>", shows=('textbox "Size"',), lacks=("\u202e", "\u2066")),
    Row("a list and a field that put themselves back are told (A24)", "A24_reset.html", (choose("Country", "Chile", says='"Country" holds "Austria" instead'), enter({"Name": "Ann"}, '"Name" holds nothing instead'))),
    Row("a field and a box that keep their state are told (A24)", "A24_react.html", (enter({"Name": "Ann"}, '"Name" holds nothing instead'), click("Agree", '"Agree" is still not checked'))),
    Row("a code in boxes is one secret field (A25)", "A25_code.html", (enter({"Digit": CODE}), click("Verify")), sent={"A25": CODE}, shows=("secret filled",), lacks=('value="',)),
    Row("an act behind a tab that it opened (X1)", "X1_newtab.html", (click("First result", "A new tab was opened"), tab(0), click("Show filters"), click("Second result", "A new tab was opened"), tab(0), enter({"Search": "Ann"})), sent={"X1": "filters"}, shows=('"Search" value="Ann"',)),
    Row("a frame that never answers (X3)", "X3_frames.html", (click("Start"),), shows=("Home of the shop", 'button "Start"')),
    Row("options whose values are others' names (X7)", "X7_values.html", (choose("Pieces", "1"), click("Save")), sent={"pieces": "10"}),
    Row("an option with spaces and a line end in its name (X7)", "X7_spaces.html", (choose("Unit", "Kilogram (kg)"), click("Save")), sent={"unit": "kg"}),
    Row("one refused field of three (X8)", "X8_batch.html", (enter({"Name": "Ann", "Day": "5 May 2027", "City": "Leeds"}, 'textbox "Day"', ok=False), enter({"Day": "2027-05-05"}), click("Send")), sent={"n": "Ann", "d": "2027-05-05", "c": "Leeds"}),
    Row("a button between two bars (X14)", "X14_sticky.html", (click("Middle button"),), sent={"X14": "pressed"}),
    Row("a page that reloads itself (X32)", "X32_reload.html", (click("Acknowledge"), another_document(), click("Acknowledge"), another_document()), sent={"X32": "pressed"}),
    Row("Enter sends a text of three paragraphs (X36)", "X36_enter_sends.html", (enter({"Message": LETTER}, submit=True),)),
    Row("a field that closes brackets (X37)", "X37_code_auto.html", (enter({"Code": '{"a": [1]}'}),), sent={"X37": '{"a": [1]}'}),
    Row("a list that opens on keyup (A2)", "A2_keyup.html", (enter({"City": "Lis"}), click("Go")), sent={"A2": "Lis"}),
    Row("a sum on change (A2)", "A2_change_only.html", (enter({"Net": "10"}),), shows=("Gross: 12",)),
    Row("a total of keydown (A2)", "A2_keydown.html", (enter({"Amount": "12"}),), shows=("Total: 12",)),
    Row("two fields that listen to keyup (A2)", "A2_two.html", (enter({"From": "Rome", "To": "Oslo"}), click("Go")), sent={"A2": "Rome-Oslo"}),
    Row("a field that opens a calendar (X20)", "X20_readonly.html", (enter({"Arrival": "3 May"}, "read-only", ok=False, most=5), click("Arrival"), click("3 May")), sent={"X20": "3 May"}),
    Row("a list that opens some time after keyup (A2)", "<label>City <input id=q></label><ul id=l></ul><script>let t; q.addEventListener('keyup', () => { clearTimeout(t); t = setTimeout(() => { l.innerHTML = '<li>Lisbon<li>Lille' }, 300) })</script>", (enter({"City": "Li"}),), shows=("Lisbon",)),
    Row("a total of keypress (A2)", "<label>Amount <input id=q></label><p>Total: <b id=sum>0</b></p><script>let s = ''; q.onkeypress = e => { s += e.key; sum.textContent = s }</script>", (enter({"Amount": "12.5"}),), shows=("Total: 12.5",)),
    Row("keys that are heard around the fields (A2)", "<form onsubmit='return false'><label>From <input></label><label>To <input></label><button id=go disabled>Go</button></form><script>const ok = new Set(); document.forms[0].onkeyup = e => { ok.add(e.target); go.disabled = ok.size < 2 }</script>", (enter({"From": "Rome", "To": "Oslo"}), click("Go"))),
    Row("a button that is on when the field is left (A2)", "<label>Mail <input id=q></label><button id=go disabled>Continue</button><script>q.onblur = () => { go.disabled = !q.value.includes('@') }</script>", (enter({"Mail": "ann@x.org"}), click("Continue"))),
    Row("a calculator of keys in a number field (A2)", "<label>Net <input type=number id=q></label><p id=o></p><script>q.onkeyup = () => { o.textContent = 'Gross ' + q.value * 2 }</script>", (enter({"Net": "12.5"}),), shows=("Gross 25",)),
    Row("a text area that counts on keyup (A2)", "<label>Note <textarea id=q></textarea></label><p id=o></p><script>q.onkeyup = () => { o.textContent = q.value.length + ' signs' }</script>", (enter({"Note": "one\ntwo"}),), shows=("7 signs",)),
    Row("a list of places that listens to keys (X31)", "<label>From <input id=q role=combobox aria-expanded=false></label><div role=listbox id=l></div><script>q.onkeydown = e => { setTimeout(() => { q.ariaExpanded = 'true'; l.innerHTML = q.value.startsWith('Lis') ? '<div role=option onclick=\"q.value=this.textContent\">Lisbon</div>' : '' }, 50) }</script>", (enter({"From": "Lisb"}), click("Lisbon")), shows=('value="Lisbon"',)),
    Row("one more in a list where some are chosen (A3)", "<form action=/got><label>Roles <select name=role multiple><option selected>reader<option selected>writer<option>admin</select></label><button>Save</button></form>", (choose("Roles", "admin", says='holds "reader, writer, admin"'), click("Save")), sent={"role": "reader, writer, admin"}),
    Row("one is taken out of a list of several (A3)", "<form action=/got><label>Tags <select name=tag multiple><option selected>red<option selected>blue</select></label><button>Save</button></form>", (choose("Tags", "remove red", says='holds "blue"'), click("Save")), sent={"tag": "blue"}),
    Row("a mask of a plate and of a date (A17)", "<label>Plate <input id=a></label><label>Day <input id=b></label><script src=/vendor/imask/dist/imask.min.js></script><script>IMask(a,{mask:'aa-000',prepareChar:x=>x.toUpperCase()});IMask(b,{mask:Date})</script>", (enter({"Plate": "kr123"}, 'holds "KR-123" instead'), enter({"Day": "05.03.2027"}), enter({"Day": "99.99.2027"}, "instead")), shows=('"Plate" value="KR-123"',)),
    Row("a mask that drops the sign of parts (A17)", "<label>Price <input id=a></label><script src=/vendor/imask/dist/imask.min.js></script><script>IMask(a,{mask:Number,scale:0,thousandsSeparator:' '})</script>", (enter({"Price": "12.50"}, "instead"),)),
    Row("a field that is clamped (X28)", "<label>Guests <input oninput='if (this.value > 8) this.value = 8'></label>", (enter({"Guests": "12"}, '"Guests" holds "8" instead'),)),
    Row("a voucher in four boxes (X29)", "<h1>Redeem a voucher</h1><div>" + "".join(f"<input aria-label='Voucher part {at}' maxlength=4 size=4>" for at in range(1, 5)) + "</div><button onclick='fetch(`/said`,{method:`POST`,body:JSON.stringify({X29:[...document.querySelectorAll(`input`)].map(x=>x.value).join(`-`)})})'>Redeem</button>", (enter({"Voucher part": "ABCD-EFGH-1234-5678"}), click("Redeem")), sent={"X29": "ABCD-EFGH-1234-5678"}),
    Row("the first of two equal options is off (X7)", "<form action=/got><label>Slot <select name=slot><option>Choose<option value=a disabled>10:00<option value=b>10:00</select></label><button>Save</button></form>", (choose("Slot", "10:00"), click("Save")), sent={"slot": "b"}),
    Row("invisible signs in a name (X35)", "<button aria-label='Open the list\U000e0068\U000e0069'>Go</button>", (click("Open the list"),), lacks=("\U000e0068",)),
    Row("the value of a text area keeps its lines (D1)", "<label>Note <textarea rows=5>one\n  two = {\n\nthree</textarea></label>", (near("Note", "one\n  two = {\n\nthree"),), shows=('[e1] textbox "Note" value="one\n|   two = {\n| \n| three"',)),
    Row("a long value says that it is a part (D1)", "<label>Note <textarea>" + "\n".join(f"line {at} of the note" for at in range(90)) + "</textarea></label>", (near("Note", "line 88 of the note\nline 89 of the note"),), shows=("| line 9 of the note\n", "… (a part: 1789 characters in all)")),
    Row("a table's row is read with repeated values (D1)", "<table><tr><td>4<td>Oak<td>4.7<td>1921</tr><tr><td>5<td>Plane<td>19.2<td>1991<td><button>Edit</button></tr><tr><td>6<td>Lime<td>19.2</tr></table>", (near("Edit", "4 | Oak | 4.7 | 1921\n5 | Plane | 19.2 | 1991\nEdit\n\n6 | Lime | 19.2"),)),
    Row("two links with one address keep their names (D4)", "<a href=/p/A13_leaf.html>Home</a> <a href=/p/A13_leaf.html onclick='fetch(`/said`,{method:`POST`,body:`{`+`\"D4\":\"children\"}`});return false'>View child pages of 'Home'</a>", (click("View child pages of 'Home'"),), sent={"D4": "children"}, shows=('link "Home"',)),
    Row("a field in a row is named by its column (D6)", "<table><tr><th>Name<th>Pieces</tr><tr><td>Oak<td><input value=3></tr></table>", shows=('textbox "Pieces"',)),
    Row("a bar covers what is scrolled just into view (D9)", "<div style='height:1500px'></div><button onclick='fetch(`/said`,{method:`POST`,body:`{`+`\"D9\":\"pressed\"}`})'>Order list</button><div style='height:900px'></div><div style='position:fixed;bottom:0;left:0;right:0;height:160px;background:#ddd'>Chat</div>", (click("Order list", most=5),), sent={"D9": "pressed"}),
    Row("a window that a script opens (X1)", "<button onclick='window.open(`/p/A13_leaf.html`)'>Open chapter</button><button onclick='fetch(`/said`,{method:`POST`,body:`{`+`\"X1\":\"next\"}`})'>Next</button>", (click("Open chapter", "A new tab was opened: 1"), tab(0), click("Next", most=5)), sent={"X1": "next"}),
    Row("a window that closes at the press (A13)", "<button onclick='window.open(`/p/closing_window.html`)'>Open bank</button>", (click("Open bank", "A new tab was opened: 1"), tab(1), click("Done")), shows=('button "Open bank"',)),
    Row("two frames of which one never answers (X3)", "<h1>Home</h1><iframe src=/never></iframe><iframe src=/p/A9_inner.html></iframe><button>Start</button>", (click("Start"),), shows=("# Home", 'button "Accept all"')),
    Row("what waits for a request that nobody reads (H2)", "<button onclick='fetch(`/never`,{method:`POST`});o.textContent=`Saved`'>Save it</button><p id=o></p>", (click("Save it", most=4),), shows=("Saved",)),
    Row("a calendar that takes what was typed when the field is left (A2)", "<label>Day <input id=q></label><div id=c hidden><button>1</button><button>2</button></div><p id=o></p><script>q.onfocus = q.oninput = () => { c.hidden = false }; q.onblur = () => { c.hidden = true; o.textContent = 'Day ' + q.value }</script>", (enter({"Day": "2027-03-05"}),), shows=("Day 2027-03-05",)),
    Row("a calendar that takes what was typed at Tab (A2)", "<label>Day <input id=q></label><div id=c hidden><button>1</button></div><p id=o></p><script>q.oninput = () => { c.hidden = false }; q.onkeydown = e => { if (e.key === 'Tab') { c.hidden = true; o.textContent = 'Day ' + q.value } }</script>", (enter({"Day": "2027-03-05"}),), shows=("Day 2027-03-05",)),
    Row("suggestions stay open after typing (A2)", "<label>Town <input id=q></label><div id=l></div><script>q.oninput = () => { l.innerHTML = '<div>Leeds, Yorkshire</div><div>Leek</div>' }; q.onblur = () => { l.innerHTML = '' }</script>", (enter({"Town": "Lee"}),), shows=("Leeds, Yorkshire",)),
    Row("a number that the page groups is as it was typed (A17)", "<label>Sum <input onblur='this.value = `€ ` + Number(this.value).toLocaleString(`en`, {minimumFractionDigits: 2})'></label>", (enter({"Sum": "1234.5"}),), shows=('value="€ 1,234.50"',)),
    Row("a list is searched where the page does not scroll (H6)", "<style>body{margin:0;height:100vh;overflow:hidden}</style><div style='height:90px'>Head</div><div id=l style='height:200px;width:300px;overflow:auto'></div><script>l.innerHTML = Array.from({length: 150}, (_, n) => `<p>Person ${n + 1}</p>`).join('')</script>", (scroll_to("Person 97", "Scrolled to that text"),), shows=("Person 97",)),
    Row("a slider whose text is longer than its value (D8)", "<div id=s role=slider tabindex=0 aria-label=Speed aria-valuemin=0 aria-valuemax=9 aria-valuenow=3 aria-valuetext='3.00 km/h' style='width:20px;height:20px;background:#888'></div><script>s.onkeydown = e => { s.ariaValueNow = +s.ariaValueNow + ({ArrowRight: 1, ArrowLeft: -1}[e.key] || 0); s.ariaValueText = s.ariaValueNow + '.00 km/h' }</script>", (enter({"Speed": "7"}),), shows=('slider "Speed" value="7.00 km/h"',)),
    Row("a menu of the right button (A16)", "A16_context.html", (click("report.txt", manner="right"), click("Rename")), sent={"A16": "rename"}, shows=('clickable "report.txt" takes=right',)),
    Row("a button that is held (A16)", "A16_hold.html", (click("Hold to confirm", manner="hold"),), sent={"A16": "held"}, shows=('"Hold to confirm" takes=hold',)),
    Row("a range of a list by Shift (A16)", "A16_shift.html", (click("Mail 1"), click("Mail 4", manner="shift")), sent={"sel": "4 selected"}),
    Row("several entries by Ctrl (A16)", "<ul id=l role=listbox aria-multiselectable=true><li role=option tabindex=-1>red<li role=option tabindex=-1>green<li role=option tabindex=-1>blue</ul><p id=o></p><script>l.onclick = e => { for (const li of l.children) { if (!e.ctrlKey && !e.metaKey) li.ariaSelected = null; if (li === e.target) li.ariaSelected = 'true' } o.textContent = [...l.children].filter(x => x.ariaSelected).map(x => x.textContent).join('+') }</script>", (click("red"), click("blue", manner="ctrl")), shows=("red+blue",)),
    Row("a double click by its element (A16)", "<div id=d style='padding:9px;width:90px'>notes.txt</div><p id=o></p><script>d.ondblclick = () => { o.textContent = 'opened' }</script>", (click("notes.txt", manner="double"),), shows=("opened", "takes=double")),
    Row("a native slider is set (D8)", "<label>Volume <input type=range min=0 max=200 step=5 value=20 oninput='o.textContent=this.value'></label><p id=o></p>", (enter({"Volume": "150"}), enter({"Volume": "152"}, 'holds "150" instead')), shows=("- 150",)),
    Row("a drawn slider is set by its keys (D8)", "<div id=s role=slider tabindex=0 aria-label=Rating aria-valuemin=0 aria-valuemax=50 aria-valuenow=3 style='width:20px;height:20px;background:#888'></div><script>s.onkeydown = e => { const d = {ArrowRight: 1, ArrowLeft: -1}[e.key] || 0; s.ariaValueNow = Math.min(50, Math.max(0, +s.ariaValueNow + d)) }</script>", (enter({"Rating": "37"}), enter({"Rating": "80"}, 'holds "50" instead'), enter({"Rating": "high"}, "takes a number", ok=False), enter({"Rating": "12"})), shows=('slider "Rating" value="12"',)),
    Row("a drawn slider is set by the mouse (D8)", "<div style='width:300px;height:20px;background:#ccc;position:relative;margin:20px'><div id=s role=slider aria-label=Price aria-valuemin=0 aria-valuemax=1000 aria-valuenow=0 style='width:20px;height:20px;background:#888;position:absolute;left:0'></div></div><script>let on = 0; s.onmousedown = e => { on = e.clientX - s.offsetLeft; e.preventDefault() }; onmouseup = () => { on = 0 }; onmousemove = e => { if (!on) return; const x = Math.min(280, Math.max(0, e.clientX - on)); s.style.left = x + 'px'; s.ariaValueNow = Math.round(x / 2.8 / 5) * 50 }</script>", (enter({"Price": "650"}),), shows=('slider "Price" value="650"',)),
    Row("a list of other elements (H13)", "<button id=b role=combobox aria-haspopup=listbox aria-expanded=false aria-label=Colour>Red</button><p id=o></p><script>b.onclick = () => { if (document.querySelector('#l')) return; document.body.insertAdjacentHTML('beforeend', '<ul id=l role=listbox style=\"position:fixed;top:80px\"><li role=option>Red<li role=option>Dark red<li role=option aria-disabled=true>Grey</ul>'); b.ariaExpanded = 'true'; l.onclick = e => { b.textContent = o.textContent = e.target.textContent; l.remove(); b.ariaExpanded = 'false' } }; document.onkeydown = e => { if (e.key === 'Escape') { document.querySelector('#l')?.remove(); b.ariaExpanded = 'false' } }</script>", (choose("Colour", "Dark red"), choose("Colour", "Green", says='only: "Red", "Dark red"', ok=False), choose("Colour", "Grey", says="only", ok=False)), shows=("- Dark red",)),
    Row("a list that is filtered by what is typed (D11)", "<label>City <input id=q role=combobox aria-expanded=false aria-controls=l></label><div id=l role=listbox></div><script>const all = ['Leeds', 'Lisbon', 'Lille', 'Oslo']; const show = () => { l.innerHTML = all.filter(x => q.value.length > 1 && x.toLowerCase().startsWith(q.value.toLowerCase())).map(x => `<div role=option>${x}</div>`).join(''); q.ariaExpanded = String(!!l.innerHTML) }; q.oninput = () => setTimeout(show, 200); l.onclick = e => { q.value = e.target.textContent; l.innerHTML = ''; q.ariaExpanded = 'false' }</script>", (choose("City", "Lisbon"), choose("City", "Paris", says="no such option", ok=False)), shows=()),
    Row("a choice that the page takes back (H13)", "<button id=b role=combobox aria-haspopup=listbox aria-label=Plan>Free</button><script>b.onclick = () => { document.body.insertAdjacentHTML('beforeend', '<ul id=l role=listbox><li role=option>Free<li role=option>Gold</ul>'); l.onclick = () => l.remove() }</script>", (choose("Plan", "Gold", says='holds "Free" instead'),)),
    Row("an editor in a frame beside a hidden text area (D2)", "<div class=editor style='width:400px;font-family:monospace'><textarea hidden></textarea><iframe title=Text style='width:400px;border:0' srcdoc=\"<textarea placeholder='Type the text'></textarea>\"></iframe></div>", (enter({"Type the text": "High water at noon."}),), shows=("High water at noon.",)),
    Row("a line in a frame beside a text area without a box (D2)", "<div class=editor style='width:400px;font-family:monospace'><textarea style='display:none' name=sql>old</textarea><iframe title=Text style='width:400px;border:0' srcdoc=\"<input placeholder='Type the text'>\"></iframe></div>", (enter({"Type the text": "High water at noon."}),), shows=("High water at noon.",)),
    Row("a text is added to a note (D12)", "<label>Note <textarea rows=4>one</textarea></label>", (add({"Note": "\ntwo"}), add({"Note": "\nthree"})), shows=('value="one\n| two\n| three"',)),
    Row("a text is added in an editor (D12)", "A4_quill.html", (wait(300), add({"": "And more."})), shows=("Old text", "And more.")),
    Row("a film is started and stopped (H7)", "<video controls muted aria-label=Tour width=300 src=/tone.wav></video><audio controls aria-label=Tone src=/tone.wav></audio>", (click("Tour, paused", "Started"), click("Tour, playing", "Paused"), click("Tone, paused", "Started")), shows=('media "Tone, playing"',)),
    Row("a message that is shown for a moment is kept (H2)", "<button onclick='o.textContent=`Order 77 placed`;setTimeout(()=>o.remove(),400)'>Place</button><p id=o role=status></p>", (click("Place"),), shows=("Order 77 placed",)),
    Row("a message that goes before the page is read is kept (H2)", "<button onclick='o.textContent=`Order 77 placed`;setTimeout(()=>o.remove(),1200)'>Place</button><p id=o role=status></p>", (click("Place"), wait(1500)), shows=("Order 77 placed",)),
]  # fmt: skip


async def perform(browser: SessionBrowser, row: Row) -> None:
    for act in row.acts:
        began = monotonic()
        outcome = await act.do(browser)
        said = "\n".join((outcome.text, *outcome.notes))
        assert outcome.ok is act.ok, said
        assert act.says is None or act.says in said, said
        assert act.says or not outcome.notes, said
        assert monotonic() - began < act.most, said


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
async def test_an_outcome_says_what_the_page_holds(browser: SessionBrowser, pages: Site, row: Row) -> None:
    for extra in reversed((await browser.tabs())[1:]):
        await browser.call("browser_tabs", {"action": "close", "index": extra.index})
    forget(pages)
    address = pages.add("/p/own", row.page) if row.page.startswith("<") else pages.url(f"/p/{row.page}")
    opened = await browser.navigate(address)
    assert opened.ok, opened.text
    await perform(browser, row)
    if row.sent is not None:
        await eventually(
            lambda: received(pages), lambda it: it == row.sent, timeout=3, message=f"{row.sent} is sent"
        )
    text = (await browser.observe()).text()
    for part in row.shows:
        assert part in text, text
    for part in row.lacks:
        assert part not in text, text


@dataclass(frozen=True)
class Run:
    """What the operator does with a model that plays these moves."""

    kind: str
    page: str
    presses: tuple[str, ...]
    most: int
    """Presses that are done."""
    sent: tuple[str, ...] = ()
    """What the page sends at them."""
    says: str = ""
    """A part of what the model reads at the end."""


MONTHS = ("January", "February", "March", "April")
NO_EFFECT = "done 2 times on this very page without effect; change the plan"
RUNS = [
    Run("a menu is opened for each of four choices (A14)", "A14_menu.html", tuple(name for month in MONTHS for name in ("Export", month)), 8, MONTHS),
    Run("a calendar is turned by six months (A14)", "A14_month.html", ("Next month",) * 6, 6, tuple("123456")),
    Run("a dead button (A24)", "A24_dead.html", ("Apply filters",) * 4, 2, says=NO_EFFECT),
    Run("a dead button beside a clock (A14)", "A14_clock.html", ("Refresh list",) * 4, 3, says=NO_EFFECT),
    Run("a dead button beside a counter (A14)", "A14_counter.html", ("Show details",) * 4, 3, says=NO_EFFECT),
]  # fmt: skip


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.kind)
async def test_the_operator_repeats_what_has_an_effect_only(
    browser: SessionBrowser, pages: Site, run: Run
) -> None:
    moves = (navigate(pages.url(f"/p/{run.page}")), *map(click_on, run.presses), stop("Done."))
    forget(pages)
    async with task(browser, *moves, max_tool_steps=40) as it:
        it.grants.kinds.add((f"127.0.0.1:{pages.port}", "unknown_submit"))
        await it.say("look after it")
        while it.question and it.question["kind"] == "confirm":
            await it.answer(True)
        said = it.options["server"].requests[-1].text
    done = [one["summary"] for one in it.of("tool_end") if one["ok"] and "Opened" not in one["summary"]]
    assert len(done) <= run.most, done
    assert [list(one.fields.values())[-1] for one in pages.effects if one.name == "said"] == [*run.sent]
    assert run.says in said, said


ROW_7 = re.compile(r'\[(e\d+)\] button "Delete" \((?:[^)]*\s)?Row 7\)')
MOVING = {
    "rows that are filled with others": "A15_rows.html",
    "rows that are pushed down": "A15_insert.html",
    "rows that are sorted anew": "<h1>Queue</h1><ul id=l></ul><script>for (let n = 1; n < 10; n++) { const li = document.createElement('li');"
    " li.innerHTML = `<span>Row ${n}</span> <button>Delete</button>`; li.lastChild.onclick = () => fetch('/said', {method: 'POST', body:"
    " JSON.stringify({deleted: li.firstChild.textContent})}); l.append(li) }; setInterval(() => l.prepend(l.lastChild), 600)</script>",
    "rows drawn anew": "<h1>Queue</h1><div id=l></div><script>let first = 1; const draw = () => { l.innerHTML = Array.from({length: 9}, (_, at) =>"
    ' `<p>Row ${first + at} <button onclick=\'fetch("/said", {method: "POST", body: JSON.stringify({deleted: "Row ${first + at}"})})\'>Delete'
    "</button></p>`).join('') }; draw(); setInterval(() => { first = first % 5 + 1; draw() }, 700)</script>",
}


@pytest.mark.parametrize("kind", MOVING)
async def test_a_yes_to_a_row_never_deletes_another_one(
    browser: SessionBrowser, pages: Site, kind: str
) -> None:
    page = MOVING[kind]
    address = pages.add("/p/own", page) if page.startswith("<") else pages.url(f"/p/{page}")

    def delete(prompt: str) -> Any:
        found = ROW_7.findall(prompt)
        return move("click", eid=found[-1]) if found else move("wait", ms=300)

    forget(pages)
    async with task(browser, navigate(address), delete, delete, delete, stop("Done.")) as it:
        await it.say("delete row 7")
        asked = 0
        while it.question and it.question["kind"] == "confirm" and asked < 6:
            asked += 1
            await it.answer(True)
        prompts = it.options["server"].requests
    assert asked, prompts[-1].text
    deleted = {one.fields["deleted"] for one in pages.effects if one.name == "said"}
    assert deleted <= {"Row 7"}
