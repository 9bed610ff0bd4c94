"""The lines that a model reads, and what they cost.

One line for an element, `[e12] button "Submit" disabled`; page text has a mark before it (`- ` or `# `) and
loses what could make it look like a line of ours. docs/observation.md describes the form.
"""

import re
from collections import Counter
from collections.abc import Iterable

from server.browser.page import Element, Overlay, Page

NAME_CHARS = 100
SUFFIX_CHARS = 40
URL_CHARS = 160

_SPACE = re.compile(r"[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_ODD = re.compile(r"[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|\s\s|[^\S ]")
_EID = re.compile(r"[\[［【](\s*e\s*\d+\s*)[\]］】]")
_QUOTES = str.maketrans({'"': "'"})


def clean(text: str) -> str:
    """One line without control characters, and nothing that reads as an eid of ours."""
    if _ODD.search(text):
        text = _SPACE.sub(" ", text.encode("utf-8", "replace").decode())
    if "e" in text:
        text = _EID.sub(r"(\1)", text)
    return text.strip()


def cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


def quote(text: str) -> str:
    return f'"{text.translate(_QUOTES)}"'


def page_lines(page: Page, notes: Iterable[str], overlays: Iterable[Overlay]) -> list[str]:
    lines = [f"URL: {cut(clean(page.url), URL_CHARS)}"]
    if page.title:
        lines.append(f"Title: {cut(clean(page.title), NAME_CHARS)}")
    lines += [f"Note: {clean(note)}" for note in notes]
    lines += [f"Overlay: {overlay.kind} {quote(overlay.text)}" for overlay in overlays]
    return lines


def text_line(block: str) -> str:
    return block if block.startswith("# ") else f"- {block}"


def element_line(element: Element, suffix: str = "", also: Iterable[str] = ()) -> str:
    """`suffix` tells it from its twins; `also` are the eids that share the line."""
    parts = [f"[{element.eid}] {element.role} {quote(element.name)}"]
    if suffix:
        parts.append(f"({suffix})")
    if element.value:
        parts.append(f"value={quote(element.value)}")
    elif element.placeholder:
        parts.append(f"placeholder={quote(element.placeholder)}")
    parts += [word for word, holds in _states(element) if holds]
    if element.options:
        parts.append("options=[" + ", ".join(option.translate(_BRACKETS) for option in element.options) + "]")
    parts += [f"also={eid}" for eid in also]
    return " ".join(parts)


_BRACKETS = str.maketrans({"[": "(", "]": ")", '"': "'"})


def _states(element: Element) -> tuple[tuple[str, bool | None], ...]:
    return (
        ("secret", element.secret),
        ("checked", element.checked),
        ("selected", element.selected),
        ("expanded", element.expanded),
        ("disabled", element.disabled),
    )


def element_lines(elements: Iterable[Element]) -> list[str]:
    """A line for each element that does not share one; twins carry what tells them apart."""
    elements = list(elements)
    also: dict[str, list[str]] = {}
    for element in elements:
        if element.same_as:
            also.setdefault(element.same_as, []).append(element.eid)
    shown = [element for element in elements if not element.same_as]
    kinds = Counter((element.role, element.name) for element in shown)
    seen: Counter[tuple[str, str, str]] = Counter()
    lines = []
    for element in shown:
        suffix = ""
        if not element.name or kinds[element.role, element.name] > 1:
            suffix = suffix_of(element)
            seen[element.role, element.name, suffix] += 1
            nth = seen[element.role, element.name, suffix]
            suffix = f"{suffix} #{nth}".strip() if nth > 1 else suffix
        lines.append(element_line(element, suffix, also.get(element.eid, ())))
    return lines


def suffix_of(element: Element) -> str:
    return cut(element.context.partition(" · ")[0], SUFFIX_CHARS)
