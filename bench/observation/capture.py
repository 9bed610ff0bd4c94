"""Take real Playwright MCP snapshots, with boxes, of a folder of saved pages.

    python -m bench.observation.capture PAGES OUT

Every `*.html` below PAGES is served on loopback, opened in Chromium through @playwright/mcp and kept in
OUT as one JSON file: the raw reply, what `PAGE_SCRIPT` found, every visible control (tag, box) and every word in the
window by counts of our own, and the seconds that the bare snapshot took.
"""

import argparse
import asyncio
import functools
import json
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

from server.browser.observation.page_script import PAGE_SCRIPT

VIEWPORT = (1280, 720)
HOST = "pages.example"
"""Stands for the loopback address in what is kept, so that every run keeps the same."""
CLI = "node_modules/@playwright/mcp/cli.js"

# Records which elements listen to clicks, as DevTools does: no script of a page can query that.
LISTENERS = """(() => {
  const listening = globalThis.listening = new Set(), add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (/^(click|mousedown|mouseup|pointerdown|pointerup)$/.test(type) && this instanceof Element) listening.add(this);
    return add.call(this, type, ...rest);
  };
})()"""

# Counted without the accessibility tree, so that what the snapshot leaves out is missed too. A large element, a list or a
# form that listens does so for the controls in it. Of a field that style sheets draw its label counts, or the box around
# it; of a drawing with many shapes that listen the drawing. A select that is hidden next to its stand-in does not count.
CONTROLS = """() => {
  const found = [];
  const widget = 'a[href],button,input,select,textarea,summary,[contenteditable=""],[contenteditable=true],' +
    ['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem', 'option', 'switch', 'textbox', 'combobox']
      .map(role => `[role=${role}]`).join() + ',[onclick]';
  const isSmall = el => {
    const box = el.getBoundingClientRect();
    return box.width * box.height < innerWidth * innerHeight / 4;
  };
  const isTarget = el => el.matches(widget) || (listening.has(el) && isSmall(el) && !el.matches('label,form,ul,ol') && !repeats(el));
  // A cell around the link that it is for.
  const repeats = el => [...el.querySelectorAll(widget)].some(inner => inner.innerText.trim() === el.innerText.trim());
  const isHidden = el => {
    const box = el.getBoundingClientRect(), outer = el.parentElement?.closest('[role=combobox]');
    const isPointed = one => getComputedStyle(one).cursor === 'pointer';
    return (el.matches('select') && Math.min(box.width, box.height) <= 2) ||
      (outer && (isPointed(outer) || el.matches('[role=textbox]:not(input)'))) ||
      (el.matches('[role=combobox]') && el.querySelector('input') && !isPointed(el));
  };
  const targetOf = (el, root) => {
    const svg = el.ownerSVGElement;
    if (svg && [...svg.querySelectorAll('*')].filter(one => listening.has(one)).length > 5) return svg;
    if (!el.matches('input[type=checkbox],input[type=radio]')) return el;
    const box = el.getBoundingClientRect(), hit = root.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const isDrawn = box.width > 2 && box.height > 2 && el.checkVisibility({opacityProperty: true});
    const label = hit === el ? null : [...el.labels].find(one => !isDrawn || one.contains(hit));
    if (label) return hit !== label && label.contains(hit) && label.querySelector('a[href],button') ? hit : label;
    const isAround = hit && hit !== el && el.parentElement.contains(hit) && el.parentElement.offsetWidth < 60;
    return isAround ? el.parentElement : el;
  };
  const known = new Set();
  const visit = root => {
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) visit(one.shadowRoot);
      if (!isTarget(one) || isHidden(one)) continue;
      const el = targetOf(one, root);
      if (known.has(el)) continue;
      known.add(el);
      if (el.type === 'hidden' || el.matches('body,html')) continue;
      const box = el.getBoundingClientRect();
      if (box.width < 1 || box.height < 1 || !el.checkVisibility({visibilityProperty: true})) continue;
      if (getComputedStyle(el).pointerEvents === 'none') continue;
      found.push([el.tagName.toLowerCase(), ...[box.x, box.y, box.width, box.height].map(Math.round)]);
    }
  };
  visit(document);
  return found;
}"""

# Word by word: of a paragraph that the window cuts, only the lines in it count.
WORDS = r"""() => {
  const found = [], EACH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu;
  const clips = el => !/^(visible|unset)$/.test(getComputedStyle(el).overflowX) || getComputedStyle(el).clip !== 'auto';
  const up = el => el.assignedSlot || el.parentElement || el.getRootNode().host || null;
  const inWindow = (rect, el, dx, dy) => {
    let box = {left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom};
    const cut = (left, top, right, bottom) => {
      box = {left: Math.max(box.left, left), top: Math.max(box.top, top), right: Math.min(box.right, right), bottom: Math.min(box.bottom, bottom)};
    };
    for (let at = el; at && at !== at.ownerDocument.body; at = up(at)) {
      if (!clips(at)) continue;
      const around = at.getBoundingClientRect();
      cut(around.left, around.top, around.right, around.bottom);
    }
    cut(-dx, -dy, innerWidth - dx, innerHeight - dy);
    return box.right - box.left >= 2 && box.bottom - box.top >= 2;
  };
  const isShown = el => el.checkVisibility({visibilityProperty: true, opacityProperty: true});
  const visit = (root, dx, dy) => {
    const walker = (root.ownerDocument || root).createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.nodeType === 3) {
        const el = node.parentElement || node.parentNode.host;
        if (!node.data.trim() || !el || !isShown(el) || el.closest('select,textarea,noscript,style,script')) continue;
        const range = node.ownerDocument.createRange();
        for (const word of node.data.matchAll(EACH)) {
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          if ([...range.getClientRects()].some(rect => inWindow(rect, el, dx, dy))) found.push(word[0]);
        }
        continue;
      }
      if (node.shadowRoot) visit(node.shadowRoot, dx, dy);
      if (node.matches('iframe') && node.contentDocument && isShown(node)) {
        const at = node.getBoundingClientRect();
        visit(node.contentDocument, dx + at.x, dy + at.y);
      }
      if (!node.matches('input,textarea,select') || /^(hidden|password|checkbox|radio|file|range|color|image)$/.test(node.type)) continue;
      if (!isShown(node) || !inWindow(node.getBoundingClientRect(), node, dx, dy)) continue;
      const shown = node.matches('select') ? node.selectedOptions[0]?.text : node.value || node.placeholder;
      found.push(...(shown || '').match(EACH) || []);
    }
  };
  visit(document, 0, 0);
  return found;
}"""


@asynccontextmanager
async def open_browser(cli: str, chromium: str) -> AsyncIterator[ClientSession]:
    """An MCP session on a headless Chromium that reaches nothing but loopback."""
    with tempfile.TemporaryDirectory() as folder:
        size = "x".join(map(str, VIEWPORT))
        flags = ["--isolated", "--viewport-size", size, "--snapshot-mode", "none", "--output-dir", folder]
        config = write_config(Path(folder), chromium)
        (Path(folder) / "listeners.js").write_text(LISTENERS)
        flags += ["--init-script", f"{folder}/listeners.js"]
        server = StdioServerParameters(command="node", args=[cli, "--config", config, *flags])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            yield session


def write_config(folder: Path, chromium: str) -> str:
    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    launch = {"executablePath": chromium, "headless": True, "chromiumSandbox": False, "args": [rules]}
    config = folder / "config.json"
    config.write_text(json.dumps({"browser": {"launchOptions": launch}}))
    return str(config)


async def call(session: ClientSession, name: str, **arguments: Any) -> str:
    reply = await session.call_tool(name, arguments)
    return "".join(part.text for part in reply.content if isinstance(part, TextContent))


def read_result(reply: str) -> Any:
    """The JSON that `browser_evaluate` printed, or None."""
    _, _, body = reply.partition("### Result\n")
    try:
        return json.JSONDecoder().raw_decode(body)[0]
    except ValueError:
        return None


async def capture(session: ClientSession, url: str) -> dict[str, Any]:
    await call(session, "browser_navigate", url=url)
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        snapshot = await call(session, "browser_snapshot", boxes=True)
        seconds.append(time.perf_counter() - started)
    script = f"() => ({PAGE_SCRIPT})([...listening])"
    extra, controls, words = [
        read_result(await call(session, "browser_evaluate", function=function))
        for function in (script, CONTROLS, WORDS)
    ]
    return {
        "snapshot": snapshot,
        "viewport": VIEWPORT,
        "extra": extra,
        "controls": controls,
        "words": words,
        "seconds": min(seconds),
    }


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serve(pages: Path) -> Iterator[str]:
    """The folder on loopback; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(pages)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def capture_all(pages: Path, names: list[str], out: Path, cli: str, chromium: str) -> None:
    with serve(pages) as base:
        async with open_browser(cli, chromium) as session:
            for name in names:
                try:
                    async with asyncio.timeout(90):
                        shot = await capture(session, f"{base}/{name}")
                except TimeoutError:
                    print(f"{name}: no snapshot within 90 s")
                    continue
                shot["snapshot"] = shot["snapshot"].replace(base, f"http://{HOST}")
                (out / f"{name.replace('/', '__')}.json").write_text(json.dumps(shot, ensure_ascii=False))
                print(f"{name}: {len(shot['snapshot']):,} characters, {shot['seconds'] * 1000:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cli", default=CLI)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names = sorted(page.relative_to(options.pages).as_posix() for page in options.pages.rglob("*.html"))
    asyncio.run(capture_all(options.pages, names, options.out, options.cli, options.chromium))
