"""Pages whose targets are drawn: a board, sliders, drag and drop, a map, a payment.

They report by POST what counts as an effect, and by GET what only changes the page. Everything is at a
fixed place of a window of 1280 x 720 CSS pixels.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.support.sites import Answer, Effect, Site, Visit

TELL = """<script>
const tell = (name, fields) => fetch('/' + name, {method: 'POST', body: new URLSearchParams(fields)})
const show = (name, fields) => fetch('/' + name + '?' + new URLSearchParams(fields))
</script>"""

STYLE = """<style>body { margin: 0 } body > * { position: absolute; margin: 0 }</style>"""

BOARD = f"""<title>Board</title>{STYLE}{TELL}<h1 style="left: 40px; top: 20px">Board</h1>
<canvas id=board width=600 height=400 aria-label="Game board" style="left: 100px; top: 100px"></canvas>
<script>
const draw = (text, x, color) => {{
  const pen = board.getContext('2d')
  pen.fillStyle = color; pen.fillRect(x, 100, 120, 60)
  pen.fillStyle = 'white'; pen.font = '24px sans-serif'; pen.fillText(text, x + 30, 140)
}}
draw('Red', 100, 'darkred'); draw('Blue', 350, 'darkblue')
for (const kind of ['click', 'dblclick']) board.addEventListener(kind, event => {{
  const name = event.offsetX < 300 ? 'red' : 'blue'
  tell(kind, {{name, x: event.offsetX, y: event.offsetY}})
  if (kind === 'click') draw('Done', name === 'red' ? 100 : 350, 'green')
}})
</script>"""
RED, BLUE = (260, 230), (510, 230)
"""The middles of what is drawn on the board."""

MAP = f"""<title>Map</title>{STYLE}{TELL}
<canvas id=map width=1000 height=500 aria-label="Map" style="left: 100px; top: 100px"></canvas>
<script>
let x = 0, zoom = 1
const paint = () => {{
  const pen = map.getContext('2d'); pen.setTransform(zoom, 0, 0, zoom, x, 0)
  for (let at = -20; at < 40; at++) {{ pen.fillStyle = at % 2 ? 'lightgreen' : 'tan'; pen.fillRect(at * 60, 0, 60, 500) }}
}}
let from = null
map.addEventListener('pointerdown', event => {{ from = event.clientX }})
map.addEventListener('pointermove', event => {{ if (from !== null) {{ x += event.clientX - from; from = event.clientX; paint() }} }})
addEventListener('pointerup', () => {{ if (from !== null) show('pan', {{x}}); from = null }})
map.addEventListener('wheel', event => {{ event.preventDefault(); zoom *= event.deltaY < 0 ? 2 : 0.5; paint(); show('zoom', {{zoom}}) }})
paint()
</script>"""

SLIDER = f"""<title>Light</title>{STYLE}{TELL}<h1 style="left: 40px; top: 20px">Brightness</h1>
<div id=track style="left: 100px; top: 200px; width: 400px; height: 20px; background: silver"></div>
<div id=thumb role=slider tabindex=0 aria-label=Brightness aria-valuenow=0 aria-valuemin=0 aria-valuemax=400
  style="left: 90px; top: 190px; width: 40px; height: 40px; background: navy"></div>
<script>
let held = false
thumb.addEventListener('pointerdown', event => {{ held = true; thumb.setPointerCapture(event.pointerId) }})
thumb.addEventListener('pointermove', event => {{ if (held) thumb.style.left = event.clientX - 20 + 'px' }})
thumb.addEventListener('pointerup', event => {{ held = false; show('bright', {{value: event.clientX - 100}}) }})
</script>"""

DROP = f"""<title>Tasks</title>{STYLE}{TELL}<h1 style="left: 40px; top: 20px">Tasks</h1>
<div id=card draggable=true style="left: 100px; top: 150px; width: 160px; height: 60px; background: gold">Write</div>
<div id=done style="left: 500px; top: 120px; width: 300px; height: 300px; background: honeydew">Done</div>
<script>
card.addEventListener('dragstart', event => event.dataTransfer.setData('text', 'Write'))
done.addEventListener('dragover', event => event.preventDefault())
done.addEventListener('drop', event => {{ event.preventDefault(); tell('drop', {{card: event.dataTransfer.getData('text')}}) }})
</script>"""

POINTERS = f"""<title>Pieces</title>{STYLE}{TELL}
<div id=piece style="left: 100px; top: 150px; width: 80px; height: 80px; background: plum"></div>
<script>
let held = null
piece.addEventListener('pointerdown', event => {{ held = [event.offsetX, event.offsetY] }})
addEventListener('pointermove', event => {{
  if (held) {{ piece.style.left = event.clientX - held[0] + 'px'; piece.style.top = event.clientY - held[1] + 'px' }}
}})
addEventListener('pointerup', event => {{ if (held) tell('put', {{x: event.clientX, y: event.clientY}}); held = null }})
</script>"""

PAY = f"""<title>Checkout</title>{STYLE}{TELL}<h1 style="left: 40px; top: 20px">Checkout</h1>
<p style="left: 40px; top: 90px">Total: 39.50 EUR</p>
<button id=pay style="left: 100px; top: 200px; width: 200px; height: 60px" onclick="tell('pay', {{}})"><span>Pay now</span></button>
<button id=more style="left: 100px; top: 400px; width: 200px; height: 60px" onclick="show('more', {{}})">Show details</button>"""

SHADOW = """<title>Checkout</title><body style="margin: 0"><h1>Checkout</h1><p>Total: 39.50 EUR</p>
<div id=host style="position: absolute; left: 100px; top: 200px"></div>
<script>
const inner = host.attachShadow({mode: 'open'})
inner.innerHTML = '<button style="width: 200px; height: 60px">Pay now</button>'
inner.querySelector('button').onclick = () => fetch('/pay', {method: 'POST'})
</script>"""

FRAMED = """<title>Shop</title><body style="margin: 0"><h1>Shop</h1>
<iframe src="%s" style="position: absolute; left: 80px; top: 60px; width: 700px; height: 500px; border: 5px solid"></iframe>"""


EFFECTS = ("click", "dblclick", "drop", "pay", "put")
"""What the pages send, each as a POST."""
VIEWS = ("bright", "more", "pan", "zoom")
"""What they report by GET."""


def open_drawn(site: Site) -> None:
    """Add the pages; `site.effects` has the views, too."""

    def view(visit: Visit) -> Answer:
        site.effects.append(Effect(urlsplit(visit.path).path[1:], visit.query))
        return Answer(status=204)

    pages = {
        "board": BOARD,
        "map": MAP,
        "light": SLIDER,
        "tasks": DROP,
        "pieces": POINTERS,
        "pay": PAY,
        "shadow": SHADOW,
    }
    for name, page in pages.items():
        site.add(f"/{name}-page", page)
    for effect in EFFECTS:
        site.pages[f"/{effect}"] = lambda _: Answer(status=204)
    for name in VIEWS:
        site.pages[f"/{name}"] = view
