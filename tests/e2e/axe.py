"""What holds for every page: nothing that axe finds, nothing that runs out at the side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from scripts.shell import ROOT

AXE = Path(ROOT, "web/node_modules/axe-core/axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


AT_REST = """() => document.getAnimations().every(
    it => it.playState !== 'running' || it.effect.getComputedTiming().endTime === Infinity)"""
"""Whether no transition is on its way; what turns for ever does not count."""
RUN = """async rules => {
    const still = new CSSStyleSheet()
    still.replaceSync('* { transition: none !important }')
    document.adoptedStyleSheets.push(still)
    try {
        return await axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})
    } finally {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter(it => it !== still)
    }
}"""
"""What changes while axe reads the page changes at once: a card's buttons are enabled half a second after it appears."""


def violations(page: Page) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    page.wait_for_function(AT_REST)  # colours on their way have no contrast yet
    found: dict[str, Any] = page.evaluate(RUN, RULES)
    return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]


def fits(page: Page) -> bool:
    """Does nothing scroll sideways?"""
    script = (
        "() => document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth"
    )
    return bool(page.evaluate(script))
