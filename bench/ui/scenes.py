"""What the page is made to do: stream an answer, open a long history, show live pictures."""

from __future__ import annotations

import base64
import io
import random
from typing import Any

from PIL import Image
from playwright.sync_api import expect

from tests.e2e.live_stage import VIEWPORT
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage

TOKENS = 2000
STEP_EVERY = 66
PER_FRAME = 4
"""Tokens between two animation frames: 240 a second."""
PARAGRAPH = """\
## Part {n}

The **blue** kettle costs `€43.90`, holds 1.7 litres and [switches itself off](https://shop.example/{n}).

- It is made of *steel*
  - with a lid of glass
- and has two years of warranty

| kettle | price | litres |
|---|---:|---:|
| blue | 43.90 | 1.7 |
| amber | 39.50 | 1.2 |

```python
best = min(kettles, key=lambda kettle: kettle.price / kettle.litres)  # {n}
```

"""
PLAY = """async size => { for (let at = 0; at < window.script.length; at += size) {
    window.stage.play(window.script.slice(at, at + size)); await new Promise(requestAnimationFrame) } }"""


def pieces(count: int) -> list[str]:
    """Markdown in tokens of four characters."""
    text = "".join(PARAGRAPH.format(n=n) for n in range(count * 4 // len(PARAGRAPH) + 2))
    return [text[at : at + 4] for at in range(0, count * 4, 4)]


def answer(stage: Stage, tokens: int, *, with_steps: bool) -> list[dict[str, Any]]:
    """The events of an answer, in one piece or with a step after every 66 tokens."""
    events, part = [], 0
    for number, text in enumerate(pieces(tokens), 1):
        events.append(stage.event("token", message_id=f"answer{part}", text=text))
        if with_steps and number % STEP_EVERY == 0:
            part += 1
            call = {"call_id": f"call{part}", "name": "click"}
            end = {"ok": True, "summary": "Clicked", "duration_ms": 400, "url": "https://shop.example/"}
            events.append(stage.event("tool_start", args={"element": 'link "Next"'}, **call))
            events.append(stage.event("tool_end", **call, **end))
    return events


def learn(stage: Stage, events: list[dict[str, Any]]) -> None:
    """Brings the events to the page, so that playing them costs only what they cost."""
    stage.screen.page.evaluate("events => { window.script = events }", events)


def play(stage: Stage) -> None:
    stage.screen.page.evaluate(PLAY, PER_FRAME)


FRAMES = 60
LIVE_SOCKET = """
    const bytes = Uint8Array.from(atob('%s'), char => char.charCodeAt(0));
    const Real = WebSocket;
    window.painted = () => {};
    window.WebSocket = class extends EventTarget {
        static OPEN = 1;
        readyState = 1;
        constructor(url) { super(); window.live = this;
            setTimeout(() => { this.onopen(); this.tell({type: 'state', holder: 'none', held: false, browser: 'open',
                url: 'https://shop.example/', title: 'Shop', viewport: [1280, 720], tabs: [], dialog: null}) }) }
        tell(message) { this.onmessage({data: JSON.stringify(message)}) }
        show() { this.tell({type: 'frame', width: 1280, height: 720}); this.onmessage({data: new Blob([bytes])}) }
        send(text) { if (JSON.parse(text).type === 'ack') window.painted() }
        close() {}
    };
"""
SHOW_FRAMES = """async count => { for (let n = 0; n < count; n += 1) {
    await new Promise(done => { window.painted = done; window.live.show() });
    await new Promise(done => setTimeout(done, 60)) } }"""


def open_live(screen: Screen, session_id: str) -> None:
    """The browser panel of a session with a socket whose pictures cost the page nothing until they arrive; three have."""
    screen.page.add_init_script(LIVE_SOCKET % base64.b64encode(frame()).decode())
    screen.open(session_id)
    screen.page.get_by_role("tab", name="Browser").click()
    screen.page.wait_for_function("() => window.live?.onmessage")
    screen.page.evaluate(SHOW_FRAMES, 3)
    expect(screen.page.get_by_text("Live", exact=True)).to_be_visible()


def frame() -> bytes:
    """A JPEG as large as that of a real page: about 77 kB."""
    noise = Image.frombytes("L", (160, 90), random.Random(7).randbytes(160 * 90))
    data = io.BytesIO()
    noise.resize(VIEWPORT).convert("RGB").save(data, "JPEG", quality=80)
    return data.getvalue()


TIME_TO_ROW = """async () => {
    const seen = text => [...document.querySelectorAll('[role=article]')].some(row => row.textContent.includes(text))
    const start = performance.now()
    const enter = new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})
    document.getElementById('composer').dispatchEvent(enter)
    let row = 0, sign = 0
    while (!row || !sign) {
        await new Promise(requestAnimationFrame)
        row ||= seen('hello there') && performance.now() - start
        sign ||= document.querySelector('[data-run]') && performance.now() - start
    }
    return [row, sign] }"""
TIME_TO_STEP = """async () => {
    const start = performance.now()
    document.querySelector('#feed [aria-label^=Enlarge]').click()
    while (!document.querySelector('[role=dialog] img')) await new Promise(requestAnimationFrame)
    return performance.now() - start }"""
TIME_TO_HIT = """async word => {
    const box = document.querySelector('[role=combobox]'), start = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, word)
    box.dispatchEvent(new Event('input', {bubbles: true}))
    while (![...document.querySelectorAll('[role=option]')].some(one => one.textContent.includes(word)))
        await new Promise(requestAnimationFrame)
    return performance.now() - start }"""
TIME_TO_BOX = """async () => {
    const start = performance.now()
    const press = {key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true}
    document.body.dispatchEvent(new KeyboardEvent('keydown', press))
    await null
    while (document.activeElement?.role !== 'combobox') await new Promise(requestAnimationFrame)
    const focused = performance.now() - start
    await new Promise(requestAnimationFrame)
    return [focused, performance.now() - start] }"""
"""Milliseconds from a key or a click to what it shows; of the box, until it has the focus and until it is painted."""
