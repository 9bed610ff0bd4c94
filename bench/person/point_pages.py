"""Sixty pages on which a person points at one control, and what happens to the page before the agent acts.

Each control calls `hit(WORDS)` with words of its own when it is pressed, also from frames and shadow roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Fate = Literal["act", "ask"]


@dataclass(frozen=True)
class PointPage:
    """`at` finds the pointed element in the page's world: JavaScript of an element, or of `[x, y]` in the window.

    `before` runs before the person points, `then` between that and the run. `leave`: the run begins on this other page.
    `must` is "ask" where nothing on the page can say which control was meant.
    """

    name: str
    kind: str
    body: str
    at: str
    want: str
    before: str = ""
    then: str = ""
    leave: str = ""
    must: Fate = "act"
    title: str = "Page"


def _button(words: str, label: str = "Compare", more: str = "") -> str:
    return f"<button {more} onclick=\"hit('{words}')\">{label}</button>"


def _rows(names: Sequence[str], label: str = "Compare", tag: str = "li") -> str:
    return "".join(f"<{tag} data-n='{name}'>{name} kettle {_button(name, label)}</{tag}>" for name in names)


NAMES = ("Blue", "Red", "Green", "Steel")
MANY = tuple(f"No {number}" for number in range(1, 61))
LIST = f"<ul id=list>{_rows(NAMES)}</ul>"
BARE = "".join(f"<div class=cell>{_button(name)}</div>" for name in NAMES)
RED = "document.querySelector('[data-n=Red] button')"
SECOND = "document.querySelectorAll('button')[1]"
FIRST_ROW_LAST = "list.append(list.firstElementChild)"
RELOAD = "location.reload()"
TABLE = "<table><tr><th>Name<th>Price<th></tr>" + "".join(
    f"<tr data-n={name}><td>{name} kettle<td>{price} EUR<td>{_button(name, 'Details')}</tr>"
    for name, price in zip(NAMES, (20, 20, 25, 30), strict=True)
) + "</table>"  # fmt: skip
DRAWN = """<canvas id=c width=600 height=300></canvas><script>
const names = ['Blue', 'Red', 'Green'], g = c.getContext('2d');
names.forEach((n, i) => {{ g.fillStyle = n.toLowerCase(); g.fillRect(20 + i * 200, 60, 150, 150) }});
c.onclick = e => {{ const r = c.getBoundingClientRect(), i = Math.floor((e.clientX - r.left) / 200);
  hit(names[i] ?? 'beyond') }}</script>"""
DRAWN = DRAWN.replace("{{", "{").replace("}}", "}")
RED_DRAWN = "(r => [r.left + 295, r.top + 135])(document.querySelector('canvas').getBoundingClientRect())"
SHADOW = """<script>
const hosts = (mode, names, label = 'Compare') => names.forEach(n => { const h = document.body.appendChild(
  Object.assign(document.createElement('div'), {className: 'host', title: ''})); h.dataset.n = n;
  const root = h.attachShadow({mode}); (window.roots ??= {})[n] = root;
  root.innerHTML = `<p>${n} kettle <button>${label}</button></p>`;
  root.querySelector('button').onclick = () => hit(n) });
"""
RED_SHADOW = "roots.Red.querySelector('button')"


def _frame(content: str, more: str = "") -> str:
    inner = f"<script>const hit = n => top.postMessage({{hit: n}}, '*')</script>{content}"
    return f'<iframe {more} srcdoc="{inner.replace("&", "&amp;").replace(chr(34), "&quot;")}"></iframe>'


OTHER_SITE = "{other}"
"""Where a page has it, the runner puts an address of `PLACED` on another origin."""
PLACED = "".join(
    f"<button style='position:absolute;left:100px;top:{40 + 60 * at}px;width:120px;height:40px' onclick=\"hit('{name}')\">"
    f"{name}</button>"
    for at, name in enumerate(NAMES)
)


IN_FRAME = "((f, b) => (r => [f.left + r.left + r.width / 2, f.top + r.top + r.height / 2])(b.getBoundingClientRect()))"
RED_IN_FRAME = (
    f"{IN_FRAME}((d => ({{left: d.left + document.querySelector('iframe').clientLeft,"
    " top: d.top + document.querySelector('iframe').clientTop}))"
    "(document.querySelector('iframe').getBoundingClientRect()),"
    " document.querySelector('iframe').contentDocument.querySelector('[data-n=Red] button'))"
)
PHONE = "<style>body{width:360px;margin:0}button{min-height:44px}</style>"


def _twins() -> list[PointPage]:
    def page(name: str, body: str = LIST, at: str = RED, want: str = "Red", **more: str) -> PointPage:
        return PointPage(name, "twins", body, at, want, **more)  # type: ignore[arg-type]

    return [
        page("rows"),
        page("rows in another order", then=FIRST_ROW_LAST),
        page("a row before them", then="list.insertAdjacentHTML('afterbegin', list.lastElementChild.outerHTML"
             ".replaceAll('Steel', 'Iron'))"),
        page("its row gone", then="document.querySelector('[data-n=Red]').remove()", must="ask"),
        page("rows after a reload", then=RELOAD),
        page("without words", BARE, SECOND),
        page("without words, after a reload", BARE, SECOND, then=RELOAD, must="ask"),
        page("without words, one before them", BARE, SECOND, then="document.body.insertAdjacentHTML('afterbegin',"
             " document.querySelector('.cell').outerHTML)"),
        page("links with addresses", "".join(f'<p><a href="#{n}" onclick="hit(\'{n}\')">Details</a></p>' for n in NAMES),
             "document.querySelectorAll('a')[1]"),
        page("in a table with equal prices", TABLE),
        page("checkboxes", "".join(f"<p data-n={n}><label><input type=checkbox onclick=\"hit('{n}')\"> Choose</label> {n}"
             for n in NAMES), "document.querySelector('[data-n=Red] input')"),
        page("two forms", "".join(f"<form aria-label={n} onsubmit='return false'><input aria-label=Code>"
             f"{_button(n, 'Check')}</form>" for n in NAMES), SECOND),
    ]  # fmt: skip


def _lists() -> list[PointPage]:
    def page(name: str, body: str, at: str, want: str = "Red", **more: str) -> PointPage:
        return PointPage(name, "lists", body, at, want, **more)  # type: ignore[arg-type]

    options = "".join(f"<li role=option tabindex=0 data-n={n} onclick=\"hit('{n}')\">{n}</li>" for n in NAMES)
    tree = "".join(f"<li role=treeitem tabindex=0 onclick=\"hit('{n}')\">{n}</li>" for n in NAMES)
    recycled = """<div id=box></div><script>let at = 0; const draw = () => { for (let i = 0; i < 4; i++) {
      const row = box.children[i] ?? box.appendChild(document.createElement('div'));
      if (!row.firstChild) row.innerHTML = '<span></span> <button>Compare</button>';
      row.dataset.n = `No ${at + i}`; row.querySelector('span').textContent = `No ${at + i} kettle`;
      row.querySelector('button').onclick = () => hit(row.dataset.n) } }; draw()</script>"""
    red = "document.querySelector('[data-n=Red]')"
    return [
        page("options", f"<ul role=listbox aria-label=Colour>{options}</ul>", red),
        page("a tree", f"<ul role=tree>{tree}</ul>", "document.querySelectorAll('[role=treeitem]')[1]"),
        page("links of a menu", "<nav>" + "".join(f'<a href="#{n}" onclick="hit(\'{n}\')">{n}</a> ' for n in NAMES)
             + "</nav>", "document.querySelectorAll('a')[1]"),
        page("rows that show others", recycled, "document.querySelector('[data-n=\"No 1\"] button')", "No 1",
             then="at = 1; draw()"),
        page("rows that show others, it among none", recycled, "document.querySelector('[data-n=\"No 0\"] button')",
             "No 0", then="at = 2; draw()", must="ask"),
        page("drawn again", LIST, RED, then="list.innerHTML = list.innerHTML"),
        page("longer at its end", LIST, RED, then="list.insertAdjacentHTML('beforeend', "
             "list.innerHTML.replaceAll('kettle', 'pan').replaceAll('Red', 'Rose').replaceAll('Blue', 'Sky'))"),
        page("cards that a script can press", "".join(f"<div class=card style='cursor:pointer;padding:9px' data-n={n}"
             f" onclick=\"hit('{n}')\"><h3>{n} kettle</h3><p>20 EUR</p></div>" for n in NAMES), red),
        page("a second row with its words", LIST, RED, then="list.append(document.querySelector('[data-n=Red]')"
             ".cloneNode(true))"),
    ]  # fmt: skip


def _frames() -> list[PointPage]:
    def page(name: str, body: str, at: str = RED_IN_FRAME, want: str = "Red", **more: str) -> PointPage:
        return PointPage(name, "frames", body, at, want, **more)  # type: ignore[arg-type]

    rows = f"<ul id=list>{_rows(NAMES)}</ul>"
    big = "width=600 height=300"
    inner = "document.querySelector('iframe').contentDocument"
    both = "".join(
        f"<h2>{side}</h2>{_frame(f'<p>{side}</p>' + _button(side), 'width=400 height=120')}"
        for side in ("Left", "Right")
    )
    return [
        page("a list in a frame", _frame(rows, big)),
        page("its rows in another order", _frame(rows, big), then=f"{inner}.getElementById('list').append("
             f"{inner}.getElementById('list').firstElementChild)"),
        page("a frame of another site", f"<iframe {big} src='{OTHER_SITE}'></iframe>",
             "(r => [r.left + 2 + 160, r.top + 2 + 120])(document.querySelector('iframe').getBoundingClientRect())"),
        page("the same button in two frames", both,
             f"{IN_FRAME}(document.querySelectorAll('iframe')[1].getBoundingClientRect(),"
             " document.querySelectorAll('iframe')[1].contentDocument.querySelector('button'))", "Right"),
        page("a frame that is loaded again", _frame(rows, big), then=f"(f => f.srcdoc = f.srcdoc)({inner}.defaultView"
             ".frameElement)"),
        page("a frame that is taken away", _frame(rows, big) + "<p>Text</p>", then="document.querySelector('iframe')"
             ".remove()", must="ask"),
        page("a frame in a frame", _frame(_frame(rows, "width=500 height=250"), "width=600 height=320"),
             f"((o, i) => {IN_FRAME}((a => ({{left: o.left + a.left + 4, top: o.top + a.top + 4}}))(i.getBoundingClientRect()),"
             " i.contentDocument.querySelector('[data-n=Red] button')))(document.querySelector('iframe')"
             f".getBoundingClientRect(), {inner}.querySelector('iframe'))"),
    ]  # fmt: skip


def _shadow() -> list[PointPage]:
    def page(name: str, script: str, at: str = RED_SHADOW, **more: str) -> PointPage:
        return PointPage(name, "shadow", f"{SHADOW}{script}</script>", at, "Red", **more)  # type: ignore[arg-type]

    names = "['Blue', 'Red', 'Green']"
    return [
        page("open roots", f"hosts('open', {names})"),
        page("closed roots", f"hosts('closed', {names})"),
        page("in another order", f"hosts('open', {names})",
             then="document.body.append(document.querySelector('.host'))"),
        page("drawn again", f"hosts('open', {names})", then="document.querySelectorAll('.host').forEach(h => h.remove());"
             f" hosts('open', {names})"),
        page("a root in a root", "hosts('open', ['Outer']); const inner = roots.Outer.appendChild("
             "document.createElement('div')); document.body.appendChild = e => inner.appendChild(e);"
             f" hosts('open', {names})"),
        page("its host gone", f"hosts('open', {names})", then="document.querySelector('[data-n=Red]').remove()",
             must="ask"),
    ]  # fmt: skip


def _canvas() -> list[PointPage]:
    def page(name: str, body: str = DRAWN, at: str = RED_DRAWN, **more: str) -> PointPage:
        return PointPage(name, "canvas", body, at, "Red", **more)  # type: ignore[arg-type]

    shapes = "".join(f"<rect x={20 + 200 * at} y=20 width=150 height=150 fill={n.lower()} onclick=\"hit('{n}')\" />"
                     for at, n in enumerate(NAMES[:3]))  # fmt: skip
    areas = "".join(f'<area shape=rect coords="{200 * at},0,{200 * at + 180},200" href="#" alt={n} onclick="hit(\'{n}\')">'
                    for at, n in enumerate(NAMES[:3]))  # fmt: skip
    return [
        page("a shape that is drawn"),
        page("a button on a canvas", f"<div style=position:relative>{DRAWN}<div style=position:absolute;top:9px>"
             f"{LIST}</div></div>", RED),
        page("a shape of an svg", f"<svg width=600 height=200>{shapes}</svg>",
             "document.querySelectorAll('rect')[1]"),
        page("an area of a picture", f"<img usemap=#m width=600 height=200 alt=Kettles src=data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22600%22%20height=%22200%22/%3E><map name=m>{areas}</map>",
             "(r => [r.left + 290, r.top + 90])(document.querySelector('img').getBoundingClientRect())"),
        page("a canvas further down", f"<div style=height:1500px>Text</div>{DRAWN}<div style=height:900px></div>",
             before="scrollTo(0, 1400)"),
        page("a canvas further down, back at the top",
             f"<div style=height:1500px>Text</div>{DRAWN}<div style=height:900px></div>",
             before="scrollTo(0, 1400)", then="scrollTo(0, 0)", must="ask"),
    ]  # fmt: skip


def _scrolled() -> list[PointPage]:
    def page(name: str, body: str, at: str, want: str, **more: str) -> PointPage:
        return PointPage(name, "scrolled", body, at, want, **more)  # type: ignore[arg-type]

    long = f"<ul id=list>{_rows(MANY)}</ul>"
    inner = f"<div id=box style='height:200px;overflow:auto'>{long}</div><p>After</p>"
    wide = "<div id=box style='width:600px;overflow:auto;white-space:nowrap'>" + "".join(
        f"<span data-n='{n}' style='display:inline-block;width:200px'>{n} {_button(n)}</span>" for n in MANY[:20]
    ) + "</div>"  # fmt: skip
    of = "document.querySelector('[data-n=\"No {}\"] button')"
    far = "document.querySelector('[data-n=\"No 50\"]').scrollIntoView()"
    return [
        page("far down", long, of.format(51), "No 51", before=far),
        page("far down, then at the top", long, of.format(51), "No 51", before=far, then="scrollTo(0, 0)"),
        page("at the top, then far down", long, of.format(3), "No 3", then="scrollTo(0, 1e6)"),
        page("far down, after a reload", long, of.format(51), "No 51", before=far, then=RELOAD),
        page("in a box", inner, of.format(35), "No 35", before="document.querySelector('[data-n=\"No 35\"]')"
             ".scrollIntoView()"),
        page("in a box that is scrolled back", inner, of.format(35), "No 35",
             before="document.querySelector('[data-n=\"No 35\"]').scrollIntoView()", then="box.scrollTop = 0"),
        page("in a wide box", wide, of.format(15), "No 15", before="document.querySelector('[data-n=\"No 15\"]')"
             ".scrollIntoView()", then="box.scrollLeft = 0"),
        page("under a head that stays", f"<header style='position:sticky;top:0;background:#eee'>{_button('Head')}</header>"
             + long, of.format(31), "No 31", before="document.querySelector('[data-n=\"No 30\"]').scrollIntoView()"),
    ]  # fmt: skip


def _phone() -> list[PointPage]:
    def page(name: str, body: str, at: str = RED, want: str = "Red", **more: str) -> PointPage:
        return PointPage(name, "phone", PHONE + body, at, want, **more)  # type: ignore[arg-type]

    bar = "".join(
        f"<button style=flex:1 aria-label={n} onclick=\"hit('{n}')\">●</button>"
        for n in ("Home", "Red", "Me")
    )
    cards = "".join(
        f"<section data-n={n} style='padding:24px'><h2>{n} kettle</h2>{_button(n)}</section>" for n in NAMES
    )
    sheet = f"<p>Text</p><div role=dialog aria-label=Colours style='position:fixed;bottom:0;width:360px'>{LIST}</div>"
    swiped = "<div id=box style='width:360px;overflow:auto;display:flex'>" + "".join(
        f"<div data-n={n} style='flex:0 0 360px'><h2>{n} kettle</h2>{_button(n)}</div>" for n in NAMES) + "</div>"  # fmt: skip
    return [
        page("a bar at the bottom", f"<p>Text</p><nav style='position:fixed;bottom:0;width:360px;display:flex'>{bar}</nav>",
             "document.querySelector('[aria-label=Red]')"),
        page("cards", cards),
        page("a sheet from below", sheet),
        page("a sheet that is closed", sheet, then="document.querySelector('[role=dialog]').remove()", must="ask"),
        page("cards that are swiped", swiped, before="box.scrollLeft = 360"),
        page("cards that are swiped back", swiped, before="box.scrollLeft = 360", then="box.scrollLeft = 0"),
    ]  # fmt: skip


def _others() -> list[PointPage]:
    def page(name: str, body: str = LIST, at: str = RED, want: str = "Red", **more: str) -> PointPage:
        return PointPage(name, "changed", body, at, want, **more)  # type: ignore[arg-type]

    pay = _button("Red", "Compare all", "id=one type=button")
    return [
        page("another page with the same rows", leave=LIST, must="ask"),
        page("a part of its page", then="location.hash = 'more'"),
        page("its name with another count", f"<form aria-label=Mine>{_button('Red', 'Seen (2)', 'type=button')}</form>",
             "document.querySelector('button')", then="document.querySelector('button').textContent = 'Seen (3)'"),
        page("its name is another's now", LIST, RED, then="document.querySelector('[data-n=Red] button').textContent ="
             " 'Sold out'", must="ask"),
        page("its row has another's words", LIST, RED, then="document.querySelector('[data-n=Red]').firstChild.data ="
             " 'Black kettle '", must="ask"),
        page("one alone, with other words around it", f"<form aria-label=Mine><p id=t>5 found</p>{pay}</form>",
             "one", then="t.textContent = '9 found'"),
    ]  # fmt: skip


POINT_PAGES: list[PointPage] = [
    *_twins(), *_lists(), *_frames(), *_shadow(), *_canvas(), *_scrolled(), *_phone(), *_others(),
]  # fmt: skip
