"""The page script, in a real Chromium."""

from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright

from server.browser.chromium.executables import find_chromium
from server.browser.observation.page_script import MOMENT_SCRIPT, PAGE_SCRIPT, Extra

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<!doctype html><body style="margin:0">
<div class="icon icon-trash" style="cursor:pointer;width:20px;height:20px"></div>
<button class="btn fa-search"></button> <button>Named</button> <a href="/x">Named link</a>
<span onclick="1">No pointer</span> <details><summary>More</summary>words</details>
<div contenteditable="true" aria-label="Letter">Dear <b>all</b></div>
<div style="cursor:pointer">Row <i class="star" style="display:inline-block;width:9px;height:9px"></i></div>
<div id="host"></div>
<form action="/go"><input type="password" value="S3cret"><input autocomplete="cc-number" value="4111">
<input name="city" value="Bern"><button>Send</button><button type="button">Help</button></form>
<iframe style="border:0;position:absolute;left:100px;top:400px" srcdoc="<input type=password value=inner>"></iframe>
<script>document.getElementById('host').attachShadow({mode: 'open'}).innerHTML =
  '<span class="x-close" style="cursor:pointer;display:inline-block;width:9px;height:9px"></span>'</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab() -> AsyncIterator[Page]:
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags.append("--disable-features=SpareRendererForSitePerProcess")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        yield await browser.new_page(viewport={"width": 1280, "height": 720})
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(tab: Page) -> Page:
    """A document of its own, in the tab of all tests: a tab of its own would cost a process."""
    await tab.goto("about:blank")
    await tab.set_content(PAGE)
    await tab.frames[-1].wait_for_load_state()
    return tab


async def test_it_finds_what_is_clickable_without_a_role_or_a_name(page: Page) -> None:
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [(found.tag, found.name) for found in extra.clickables] == [
        ("div", "trash"), ("button", "search"), ("span", "No pointer"), ("summary", "More"), ("editable", "Letter"),
        ("div", "Row"), ("i", "star"), ("span", "close"),
    ]  # fmt: skip


async def test_a_small_page_is_read_whole_however_slow_the_machine_is(page: Page) -> None:
    in_time = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    await page.evaluate("time => performance.now = () => time += 1000", 0)
    late = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    await page.evaluate("delete performance.now")
    assert late == in_time
    assert late.clickables
    assert late.all_texts


async def test_with_a_picture_it_tells_secrets_and_the_same_moment_and_looks_for_nothing_else(
    page: Page,
) -> None:
    whole = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    brief = Extra.model_validate(await page.evaluate(MOMENT_SCRIPT))
    assert brief == Extra(secrets=whole.secrets, moment=whole.moment)
    assert len(brief.secrets) == 3


async def test_its_targets_are_unique_and_lead_to_the_box_they_came_with(page: Page) -> None:
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    for found in extra.clickables:
        box = await page.locator(found.target).bounding_box()
        assert box is not None
        assert tuple(map(round, (box["x"], box["y"], box["width"], box["height"]))) == found.box


async def test_it_finds_secrets_in_frames_too_and_nothing_else(page: Page) -> None:
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [secret.value for secret in extra.secrets] == ["S3cret", "4111", "inner"]
    assert extra.secrets[2].box[0] > 100
    assert extra.secrets[2].box[1] > 400


async def test_it_knows_which_button_submits(page: Page) -> None:
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    send = await page.get_by_role("button", name="Send").bounding_box()
    assert send is not None
    assert [(box[0], box[1]) for box in extra.submits] == [(round(send["x"]), round(send["y"]))]


async def test_it_knows_where_forms_are_sent_whatever_their_fields_are_called(page: Page) -> None:
    await page.set_content("""<!doctype html><base href="https://base.example/shop/">
<form action="../pay"><input name="action"><input name="getAttribute"><button>Pay</button>
  <button formaction="https://bank.example/x">Bank</button><button type="button">Help</button></form>
<form><input name="own"></form><input name="loose">""")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    pay, here = "https://base.example/pay", page.url
    assert [sent.to for sent in extra.sent] == [pay, pay, pay, "https://bank.example/x", here]
    assert not any(sent.get for sent in extra.sent)


@pytest.mark.parametrize(
    ("form", "button", "get"),
    [("method=get", "", True), ("method=GET", "", True), ("method=get onsubmit=f()", "", False), ("", "", False),
     ("method=post", "", False), ("method=get", "formmethod=post", False), ("", "formmethod=get", True)],
)  # fmt: skip
async def test_a_form_is_sent_by_get_only_if_the_page_says_so(
    page: Page, form: str, button: str, get: bool
) -> None:
    await page.set_content(f"<form {form}><button {button}>Apply</button></form>")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [sent.get for sent in extra.sent] == [get]


async def test_it_knows_which_controls_say_that_they_open_something(page: Page) -> None:
    says = ("aria-haspopup=dialog", "aria-expanded=false", "aria-controls=host", "popovertarget=host")
    silent = ("aria-haspopup=false", "title=open", "data-open=1")
    await page.set_content("".join(f"<button {one}>Pay now</button><br>" for one in (*says, *silent)))
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT, []))
    boxes = [await one.bounding_box() for one in await page.query_selector_all("button")]
    assert [round(box["y"]) for box in boxes[: len(says)] if box] == [box[1] for box in extra.openers]


async def test_the_button_of_a_long_form_is_among_what_it_tells(page: Page) -> None:
    await page.set_content(f"<form action=https://a.example/x>{'<input>' * 500}<button>Send</button></form>")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert extra.submits == (extra.sent[-1].box,)


BOUNDS = [
    pytest.param("<form><button>Send</button></form>", 1001, "submits", 1000, False, id="buttons"),
    pytest.param("<form><input></form>", 201, "sent", 200, False, id="fields"),
    pytest.param("<iframe></iframe>", 21, "frames", 20, False, id="frames"),
    pytest.param("<iframe></iframe>", 201, "frames", 20, True, id="insides"),
    pytest.param("<input type=password>", 201, "secrets", 200, True, id="secrets"),
    pytest.param("<input type=password value=abcd>", 51, "secrets", 50, True, id="values"),
]


@pytest.mark.parametrize(("tag", "count", "kind", "most", "unknown"), BOUNDS)
async def test_of_each_kind_it_tells_a_bounded_number(
    page: Page, tag: str, count: int, kind: str, most: int, unknown: bool
) -> None:
    """If not all secret fields can be listed, the result says so."""
    await page.set_content(f"<!doctype html>{tag * count}")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert (len(getattr(extra, kind)), extra.unknown) == (most, unknown)


@pytest.mark.parametrize(
    ("tag", "kind"),
    [("<i onclick=1>x</i>", "clickables"), ("<button aria-label=Close>Delete</button>", "shown")],
)
async def test_what_is_looked_for_only_so_long_is_bounded_too(page: Page, tag: str, kind: str) -> None:
    await page.set_content(f"<!doctype html><body style='font-size:6px'>{tag * 300}")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert 0 < len(getattr(extra, kind)) <= 200


async def test_it_reads_what_style_sheets_write_and_names_that_a_snapshot_leaves_out(page: Page) -> None:
    await page.set_content(
        """<!doctype html><style>
#a::before { content: "Pay €500 now" } #b span::after { content: "Delete all" } #c::before { content: "\\e900" }</style>
<button id=a aria-label="Show more"></button><button id=b aria-label="Show more"><span>x</span></button>
<button id=c aria-label="Close">x</button><button id=d>Pay €500 now """
        + "and more " * 400
        + "</button>"
    )
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    texts = sorted(one.text for one in extra.shown)
    assert [text[:12] for text in texts] == ["Delete all x", "Pay €500 now", "Pay €500 now"]
    assert max(map(len, texts)) > 1_000


async def test_it_tells_fields_of_several_lines_and_those_that_take_no_text(page: Page) -> None:
    await page.set_content("""<!doctype html><textarea></textarea><input readonly value="Pay"><input>
<div contenteditable style="height:20px">x</div><div role=textbox aria-multiline=true style="height:20px">y</div>""")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [one.kind for one in extra.fields] == ["lines", "fixed", "lines", "lines"]


async def test_it_leaves_the_page_as_it_was(page: Page) -> None:
    before = await page.content()
    await page.evaluate(PAGE_SCRIPT)
    assert await page.content() == before


async def test_it_lists_the_text_that_a_person_sees_in_the_window(page: Page) -> None:
    await page.set_content("""<!doctype html><style>div{height:20px}</style><p>One <b>two</b>, three</p>
<div style="display:none">none</div><div style="visibility:hidden">hidden <i style="visibility:visible">shown</i></div>
<div style="opacity:0">faint</div><div style="width:90px;overflow:hidden;position:relative">
  <span style="position:absolute;left:0">in</span><span style="position:absolute;left:200px">out</span></div>
<div style="overflow:hidden;width:9px"><span style="position:absolute;left:300px">free</span></div>
<div style="position:absolute;left:-999px">left</div><div style="width:1px;height:1px;overflow:hidden">tiny</div>
<button aria-label="Close">×</button><details><summary>More</summary>folded</details><x-a>slotted</x-a>
<select><option>chosen</select><textarea>typed</textarea><form><input name="firstChild">form</form>
<iframe srcdoc="<body style='margin:0'>framed" style="height:30px"></iframe><div style="height:3000px"></div>below
<script>document.querySelector('x-a').attachShadow({mode: 'open'}).innerHTML = '<b>before</b> <slot></slot>'</script>""")
    await page.frames[-1].wait_for_load_state()
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert extra.texts is not None
    assert [text.text for text in extra.texts] == [
        "One", "two", ", three", "shown", "in", "free", "×", "More", "before", "slotted", "form", "framed",
    ]  # fmt: skip
    assert [text.tight for text in extra.texts[:3]] == [False, False, True]
    assert extra.all_texts


UNPAINTED = (
    "font-size:0", "font-size:1px", "color:transparent", "color:#fff0", "background:red;color:red", "-webkit-text-fill-color:transparent",
    "clip-path:circle(0)", "clip-path:inset(50%)", "opacity:0", "visibility:hidden", "position:absolute;left:-999px",
    "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)", "display:inline-block;transform:scale(0)",
    "display:block;text-indent:-999px;overflow:hidden",
)  # fmt: skip
PAINTED = (
    "color:transparent;background:linear-gradient(red,blue);background-clip:text", "color:transparent;text-shadow:0 0 1px black",
    "background:white;color:black", "clip-path:circle(50%)", "font-size:9px", "color:rgba(0,0,0,0.5)",
)  # fmt: skip


@pytest.mark.parametrize("styles", [UNPAINTED, PAINTED], ids=["unpainted", "painted"])
async def test_text_that_the_page_does_not_paint_is_not_listed(page: Page, styles: tuple[str, ...]) -> None:
    await page.set_content("".join(f'<p><span style="{style}">{style}</span></p>' for style in styles))
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [text.text for text in extra.texts or ()] == (list(PAINTED) if styles is PAINTED else [])


async def test_of_a_long_text_it_lists_the_part_in_the_window(page: Page) -> None:
    words = " ".join(f"w{at}" for at in range(20_000))
    await page.set_content(f"<!doctype html><p>{words}</p>")
    await page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    told = " ".join(text.text for text in extra.texts or ())
    assert told in words
    assert 2_000 < len(told) < 30_000


async def test_the_text_it_lists_is_bounded(page: Page) -> None:
    await page.clock.install(time=0)
    await page.clock.pause_at(1000)  # the script's own limit of time would come first on a busy machine
    await page.set_content(f"<!doctype html><body style='font-size:2px'>{'<b>word</b> ' * 3000}")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert (len(extra.texts or ()), extra.all_texts) == (1000, False)


LISTS = """<ul id="menu"><li>Overview</li><li>Prices</li><li>Contact</li></ul>
<div id="prose"><p>One</p><p>Two</p></div><ul id="mixed"><li>Same</li><li>Same</li></ul>
<h2>Seat plan</h2><div><canvas width="50" height="50"></canvas></div>
<section><canvas width="40" height="40" aria-label="Hall"></canvas></section>
<x-tile></x-tile><script>
customElements.define('x-tile', class extends HTMLElement { connectedCallback() { this.style.cursor = 'pointer';
  this.attachShadow({mode: 'open'}).innerHTML = '<b id=inner>Tile</b>'; } })</script>"""


async def test_items_of_a_list_that_listens_a_canvas_and_a_host_are_one_control_each(page: Page) -> None:
    await page.set_content(LISTS)
    heard = (
        "[...document.querySelectorAll('#menu, canvas, x-tile, #mixed'), "
        "document.querySelector('x-tile').shadowRoot.getElementById('inner')]"
    )
    extra = Extra.model_validate(await page.evaluate(f"({PAGE_SCRIPT})({heard})"))
    assert [(found.tag, found.name) for found in extra.clickables] == [
        ("li", "Overview"), ("li", "Prices"), ("li", "Contact"), ("ul", "Same Same"), ("canvas", "Seat plan"),
        ("canvas", "Hall"), ("x-tile", "Tile"),
    ]  # fmt: skip
    assert all(found.listens for found in extra.clickables)


async def test_what_listens_to_clicks_is_clickable_unless_it_repeats_what_is_in_it(page: Page) -> None:
    await page.set_content("""<!doctype html><body style="margin:0"><div id=row>Letter <i class="ic-trash"
  style="display:inline-block;width:9px;height:9px"></i></div><table><tr><td id=cell><a href="#">7</a></td></tr></table>
<a class="ui-prev" title="Prev">‹</a> <a name="top">Top</a> <canvas id="plan" width="50" height="50"></canvas>
<ul id=tabs><li><a href="#">One</a></li><li><a href="#">Two</a> of these</li></ul>
<div id=all style="height:600px">everything</div>""")
    heard = "[...document.querySelectorAll('#row, .ic-trash, #cell, canvas, #tabs, #all')]"
    extra = Extra.model_validate(await page.evaluate(f"() => ({PAGE_SCRIPT})({heard})"))
    assert [(found.tag, found.name, found.listens) for found in extra.clickables] == [
        ("div", "Letter", True), ("i", "trash", True), ("a", "‹", True), ("canvas", "plan", True),
    ]  # fmt: skip


async def test_what_listens_for_the_controls_in_it_is_no_control(page: Page) -> None:
    await page.set_content("""<!doctype html><body style="margin:0">
<div id=tools><button>Bold</button><button><svg width=9 height=9></svg></button></div>
<div id=spans><span style="cursor:pointer">Zoom in</span><span style="cursor:pointer">Zoom out</span></div>
<div id=labelled role=toolbar>Format: <button>Bold</button><button>Italic</button></div>
<table><tbody><tr id=keys><td><button>1</button></td><td><button>2</button></td></tr></tbody></table>
<div id=card><h3>Kettle</h3>Boils <a href="/k">Details</a> <button>Like</button></div>
<div id=one><button>Only</button> one</div>
<div id=board><canvas width=50 height=50></canvas><button>Undo</button><button>Redo</button></div>""")
    heard = "[...document.querySelectorAll('div[id], tr')]"
    extra = Extra.model_validate(await page.evaluate(f"() => ({PAGE_SCRIPT})({heard})"))
    assert [found.target for found in extra.clickables if found.listens] == [
        "css=#card", "css=#one", "css=#board",
    ]  # fmt: skip


async def test_a_menu_that_opens_under_the_pointer_is_clickable_while_it_is_shut(page: Page) -> None:
    """Where something in it can be clicked without it, and where style sheets change looks only, nothing is added."""
    await page.set_content("""<!doctype html><style>ul ul{display:none} .nav li:hover > ul{display:block}
  .tools{visibility:hidden} tr:hover .tools{visibility:visible} .card:hover b{color:red}</style>
<ul class=nav><li><span>Tools</span><ul><li><a href="/spades">Spades</a></li></ul></li></ul>
<table><tr><td><a href="/mail">Mail</a></td><td class=tools><button>Delete</button></td></tr></table>
<div class=card>Card <b>one</b></div><form name=styleSheets></form>""")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [(found.tag, found.name) for found in extra.clickables] == [("li", "Tools")]


async def test_it_tells_the_placeholders_of_empty_fields(page: Page) -> None:
    await page.set_content("""<!doctype html><input type=number placeholder=18><input type=search placeholder=Teams>
<input type=search placeholder=Teams value=Red><input><input style="display: none" placeholder=Hidden>""")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [one.text for one in extra.placeholders] == ["18", "Teams"]


async def test_it_tells_the_value_of_sliders_that_are_no_fields(page: Page) -> None:
    await page.set_content("""<!doctype html><div role=slider aria-valuenow=17 aria-valuetext="17 °C">x</div>
<div role=spinbutton aria-valuenow=4>x</div><div role=slider>x</div><input type=range value=3>""")
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [level.value for level in extra.levels] == ["17 °C", "4"]


ICONS = """<style>.fas::before { content: "\\f00d" }</style>
<button class="btn nav-link"><i class="fas fa-trash-alt"></i></button><a href="#" class="nav-link"><i class="fas fa-bell"></i> <b>15</b></a>
<button class="btn icon drop"><i class="fas fa-chevron-left"></i></button><button class="btn"><i class="fas fa-chevron-right"></i></button>
<a href="#" class="nav-link" data-widget="control-sidebar"><i class="fas fa-lg"></i></a><button>&#xf00d;</button>
<button title="Collapse"><i class="fas fa-minus"></i></button><button data-original-title="Forward"><i class="fas fa-share"></i></button>
<button><svg class="feather feather-x" width=9 height=9></svg></button>
<button aria-label="Said"><i class="fas fa-share"></i></button><button>12</button><div class="head"><h3>Sales</h3></div><div id="wrap" style="width:1200px;height:400px;position:relative">
<canvas width="900" height="200"></canvas><div id="over" style="position:absolute;inset:0 300px 200px 0"></div></div>"""


async def test_icons_are_named_by_what_they_are_called_and_a_drawing_by_its_heading(page: Page) -> None:
    await page.set_content(ICONS)
    extra = Extra.model_validate(
        await page.evaluate(
            f"({PAGE_SCRIPT})([document.getElementById('wrap'), document.getElementById('over')])"
        )
    )
    assert [found.name for found in extra.clickables] == [
        "trash alt", "bell 15", "chevron left", "chevron right", "control sidebar", "", "Collapse",
        "Forward", "close", "Sales",
    ]  # fmt: skip


MAP = """<!doctype html><style>path{cursor:pointer}</style><h2>Visitors</h2><div><svg id=m width=400 height=100>%s
<path aria-label="Capital" d="M0 50h9v9z"/><g style="cursor:pointer"><title>Legend</title><rect width=9 height=9 /></g></svg></div>
<svg width=90 height=20><path class=zoom d="M0 0h9v9z"/></svg>"""


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        ("css-1q2w3e", ""), ("sc-bdVaJa hvKqWx", ""), ("_3xKpQz", ""), ("jsx-3021844 xkcdq", ""),
        ("MuiButton-root MuiIconButton-root css-1a9b2c", ""), ("styles_archive__bGhTyu", "archive"),
        ("flex items-center p-2 rounded-full hover:bg-gray-100", ""), ("flex items-center p-2 basket", "basket"),
        ("addToCart", "add cart"), ("photo12", "photo"), ("toTop", "top"), ("border", "border"),
    ],
)  # fmt: skip
async def test_classes_that_a_build_has_made_name_nothing(page: Page, classes: str, name: str) -> None:
    await page.set_content(f'<button class="{classes}" style="width:20px;height:20px"></button>')
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    assert [found.name for found in extra.clickables] == [name]


@pytest.mark.parametrize(
    ("many", "kinds", "has_region"), [(5, 1, False), (6, 1, True), (40, 40, False), (41, 41, True)]
)
async def test_many_shapes_without_a_name_are_one_control(
    page: Page, many: int, kinds: int, has_region: bool
) -> None:
    names = [f"region{chr(97 + at % kinds // 26)}{chr(97 + at % kinds % 26)}" for at in range(many)]
    shapes = "".join(f'<path class="{name}" d="M{9 * at} 0h8v8z"/>' for at, name in enumerate(names))
    await page.set_content(MAP % shapes)
    extra = Extra.model_validate(await page.evaluate(PAGE_SCRIPT))
    region = [("svg", f"Visitors, {many} shapes, 400 x 100 px")]
    others = [("path", "Capital"), ("g", "Legend"), ("path", "zoom")]
    assert Counter((one.tag, one.name) for one in extra.clickables) == Counter(
        [*(region if has_region else [("path", name) for name in names]), *others]
    )


PARTS = """<!doctype html><style>li,a,.btn{cursor:pointer} i{display:inline-block;width:9px;height:9px}</style>
<ul><li><a id=menu><i class="ic-home"></i> Home <i class="ic-chevron"></i></a></li></ul>
<a id=rate><i class="ic-one"></i><i class="ic-two"></i><i class="ic-three"></i></a>
<div class=btn><a href="/code">Source code</a></div>
<a id=other><i class="ic-trash"></i> Letter</a><div class=btn><i class="ic-search"></i></div>"""


async def test_an_icon_belongs_to_the_control_that_it_is_in_unless_it_listens(page: Page) -> None:
    await page.set_content(PARTS)
    heard = "[...document.querySelectorAll('#menu,#rate,#other,.ic-trash')]"
    extra = Extra.model_validate(await page.evaluate(f"({PAGE_SCRIPT})({heard})"))
    assert [one.name for one in extra.clickables] == [
        "Home", "one", "one", "two", "three", "Letter", "trash", "search",
    ]  # fmt: skip


CHOICES = """<!doctype html><style>input{margin:0} .far{margin-top:900px} .up,.box{position:relative} .up input,.box input{opacity:0;position:absolute}
.up label,.up span{display:inline-block;width:30px;height:22px;position:relative} ins{position:absolute;inset:0}
.up .wide{width:auto} .box{width:20px;height:20px} .none{display:none}</style>
<p class=up><input type=checkbox><label></label></p><p class=box><input type=checkbox checked><ins></ins></p>
<p><input type=radio class=none id=r><label for=r>Express</label></p>
<p class=up><label class=wide><input type=checkbox disabled> <span></span> I read <a href="/terms">the terms of this shop</a></label></p>
<p class=up><label class=wide><input type=checkbox style="z-index:-1"> I read all of the <a href="/terms">terms</a></label></p>
<p><input type=checkbox id=c><label for=c>Plain</label></p><p class="up far"><input type=checkbox><label></label></p>"""


async def test_what_is_drawn_over_a_check_box_takes_its_click(page: Page) -> None:
    await page.set_content(CHOICES)
    await page.evaluate(
        "document.querySelectorAll('.up > input').forEach((one, at) => { one.id = `n${at}`; one.nextSibling.htmlFor = one.id; })"
    )
    extra = Extra.model_validate(
        await page.evaluate(f"({PAGE_SCRIPT})([...document.querySelectorAll('ins')])")
    )
    assert extra.clickables == ()
    tags = [await page.locator(one.target).evaluate("el => el.localName") for one in extra.covers]
    assert list(zip(tags, [(one.role, one.name) for one in extra.covers], strict=True)) == [
        ("label", ("checkbox", "")), ("p", ("checkbox", "")), ("label", ("radio", "Express")),
        ("span", ("checkbox", "")), ("label", ("checkbox", "I read all of the terms")), ("label", ("checkbox", "")),
    ]  # fmt: skip
    assert [(one.checked, one.disabled) for one in extra.covers[1:4]] == [
        (True, False), (False, False), (False, True),
    ]  # fmt: skip
    await page.locator(extra.covers[0].target).click(timeout=5000)
    await page.locator(extra.covers[2].target).click(timeout=5000)
    assert await page.evaluate("document.querySelectorAll(':checked').length") == 3
