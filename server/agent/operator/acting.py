"""Perform one action in the browser and describe it in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urljoin

from server.agent.gate.approval import MASK, Action, eids_of, masked, targets_of
from server.agent.operator.facts import cut
from server.agent.policy.address import is_no_address
from server.browser.browser import Browser, Field, ToolOutcome
from server.browser.observation import Element, Observation

TARGETED = frozenset({"click", "select", "hover", "focus", "read", "upload"})
FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "textarea", "input", "clickable"})
TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
LOOKS = frozenset({"focus", "read"})
"""Read-only actions: the last screenshot stays valid unless the page changed by itself."""
SCROLL_PIXELS = 600
WAIT_MS = 1000
MOST_WAIT_MS = 10_000
TEXT_CHARS = 60
DETAIL_CHARS = 120
MOST_SHOWN = 6
"""Maximum number of form fields named in an action's one-line description."""

Files = Mapping[str, Path]
"""The session's own files by name: the only ones that can be uploaded to a page."""


def files_in(folder: Path | None) -> Files:
    """The files in the folder and its direct subfolders, by name. Symlinks are skipped."""
    if folder is None or not folder.is_dir():
        return {}
    found = [*folder.glob("*"), *folder.glob("*/*")]
    return {path.name: path for path in found if path.is_file() and not path.is_symlink()}


def problem_of(action: Action, observation: Observation, files: Files) -> str | None:
    """Return why the action cannot be performed on this page, in one line that names it; None if it can."""
    kind = action["kind"]
    if missing := _missing_argument(action):
        return f"{kind} needs {missing}"
    if kind == "navigate" and is_no_address(action["url"]):
        return f"{kind}: {cut(action['url'], 60)!r} is no whole address such as https://example.com/"
    if kind == "upload" and action["file"] not in files:
        return f"{kind}: there is no file {cut(action['file'], 60)!r}, only: {', '.join(files) or 'none'}"
    for eid in eids_of(action):
        element = observation.find(eid)
        if element is None:
            return f"{kind}: there is no element [{cut(eid, 20)}] on this page"
        if element.disabled:
            return f"{kind}: [{eid}] {label(element)} is disabled"
        if kind == "type" and element.role not in FIELDS:
            return f"{kind}: [{eid}] {label(element)} cannot be typed into"
    return None


def may_commit(action: Action, observation: Observation) -> bool:
    """Whether the action could have an effect if the page had changed since it was observed.

    Typing into a control that is not a text field clicks it first; accepting a dialog presses its button.
    """
    match action["kind"]:
        case "click" | "select" | "press" | "upload":
            return True
        case "dialog":
            return bool(action.get("accept"))
        case "type":
            plain = all(element.role in TEXT_FIELDS for element in targets_of(action, observation))
            return bool(action.get("submit")) or not plain
    return False


def _missing_argument(action: Action) -> str | None:
    kind = action["kind"]
    needs = {
        "type": "fields", "select": "option", "press": "key", "navigate": "url", "switch_tab": "tab",
        "upload": "file", "stop": "final_response",
    }  # fmt: skip
    if kind in TARGETED and not action.get("eid"):
        return "eid"
    name = needs.get(kind)
    is_given = name is None or (action.get(name) is not None and str(action[name]).strip())
    return None if is_given else ("eid and text" if name == "fields" else name)


def with_whole_address(action: Action, page_url: str) -> Action:
    """Resolve a relative URL such as `/cart`, `?page=2` or `#top` against the current page."""
    url = str(action.get("url", "")).strip()
    if not url.startswith(("/", "?", "#", "./", "../")) or url.startswith("//"):
        return action
    return action | {"url": urljoin(page_url, url)}


async def perform(browser: Browser, action: Action, observation: Observation, files: Files) -> ToolOutcome:
    """Make the tool call of a validated and allowed action. Raises ValueError if its kind is unknown."""
    targets = targets_of(action, observation)
    match action["kind"]:
        case "click":
            return await browser.click(targets[0])
        case "type":
            texts = [field["text"] for field in action["fields"]]
            fields = [Field(element, text) for element, text in zip(targets, texts, strict=True)]
            return await browser.type(fields, submit=action.get("submit", False))
        case "select":
            return await browser.select(targets[0], [action["option"]])
        case "hover":
            return await browser.hover(targets[0])
        case "upload":
            return await browser.upload(targets[0], [files[action["file"]]])
        case _:
            return await _perform_untargeted(browser, action)


async def _perform_untargeted(browser: Browser, action: Action) -> ToolOutcome:
    match action["kind"]:
        case "navigate":
            return await browser.navigate(action["url"])
        case "back":
            return await browser.back()
        case "press":
            return await browser.press(action["key"])
        case "scroll":
            return await browser.scroll(action["direction"], action.get("amount") or SCROLL_PIXELS)
        case "wait":
            return await browser.wait(max(0, min(action.get("ms") or WAIT_MS, MOST_WAIT_MS)))
        case "switch_tab":
            return await browser.switch_tab(action["tab"])
        case "dialog":
            return await browser.answer_dialog(action["accept"], action.get("text"))
    raise ValueError(f"no such action: {action['kind']}")


def label(element: Element) -> str:
    return f'{element.role} "{element.name[:60]}"' if element.name else element.role


def describe(action: Action, targets: list[Element]) -> str:
    """One line that stays valid after the page: no eids, secrets masked, long values truncated."""
    kind = action["kind"]
    if kind == "type":
        return f"type {_filled(action, targets)}{' and submit' if action.get('submit') else ''}"
    named = label(targets[0]) if targets else ""
    shown = masked(action, targets)
    details = [cut(str(shown[name]), DETAIL_CHARS) for name in _DETAILS if name in shown]
    return " ".join(part for part in (kind, *details, named) if part)


def _filled(action: Action, targets: list[Element]) -> str:
    pairs = list(zip(action.get("fields", []), targets, strict=False))
    named = [
        f"{_shown(field['text'], element)} into {label(element)}" for field, element in pairs[:MOST_SHOWN]
    ]
    return ", ".join([*named, *([f"{len(pairs) - MOST_SHOWN} more"] if len(pairs) > MOST_SHOWN else [])])


_DETAILS = ("url", "option", "key", "direction", "amount", "ms", "tab", "file", "accept")


def _shown(text: str, element: Element) -> str:
    return MASK if element.secret else f'"{cut(text, TEXT_CHARS)}"'
