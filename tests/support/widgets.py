"""Pages with other people's editors and fields, from npm (tests/widgets), served by a `Site`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.node_packages import WIDGETS
from scripts.shell import ROOT
from tests.support.sites import Site

_PAGE = """<!doctype html><meta charset=utf-8><title>Config</title><h1>Config</h1>{head}
<div id=place style="height:240px;width:700px;border:1px solid"></div>
<script>var place = document.getElementById('place'), old = {old}</script>{script}"""
_BUNDLED = "<script type=module src=/bundled/{name}.js></script>"
_PACKED = {
    "ace": (
        "<script src=/npm/ace-builds/src-min-noconflict/ace.js></script>",
        """<script>const editor = ace.edit(place, {mode: 'ace/mode/json', value: old})
        window.held = () => editor.getValue()</script>""",
    ),
    "monaco": (
        "<script src=/npm/monaco-editor/min/vs/loader.js></script>",
        """<script>require.config({paths: {vs: '/npm/monaco-editor/min/vs'}})
        require(['vs/editor/editor.main'], () => {
          const options = {value: old, language: 'json', editContext: EDIT_CONTEXT}
          const editor = monaco.editor.create(place, options)
          window.held = () => editor.getValue()
        })</script>""",
    ),
}
_STYLES = {"cm5": "<link rel=stylesheet href=/npm/codemirror5/lib/codemirror.css>"}
_PLAIN = """<script>
place.contentEditable = true
place.innerHTML = old.split('\\n').map(line => `<div>${line}</div>`).join('')
window.held = () => place.innerText</script>"""


@contextmanager
def widget_site(folder: Path) -> Iterator[Site]:
    """A site that serves the packages, and their sources bundled into `folder`."""
    sources = sorted(map(str, (WIDGETS / "src").rglob("*.js")))
    tool = ROOT / "web" / "node_modules" / ".bin" / "rolldown"
    subprocess.run([tool, *sources, "--dir", folder, "--format", "esm"], cwd=WIDGETS, check=True, capture_output=True)  # fmt: skip
    with Site() as site:
        site.folders = {"/npm/": WIDGETS / "node_modules", "/bundled/": folder}
        yield site


def add_widget(site: Site, name: str, old: str = "") -> str:
    """Serve a page that has the widget with this content; returns its address. `held()` in it returns its content."""
    kind, _, variant = name.partition("-")
    head, script = _PACKED.get(
        kind, (_STYLES.get(kind, ""), _PLAIN if kind == "plain" else _BUNDLED.format(name=kind))
    )
    script = script.replace("EDIT_CONTEXT", json.dumps(variant != "old"))
    return site.add(f"/{name}", _PAGE.format(head=head, old=json.dumps(old), script=script))
