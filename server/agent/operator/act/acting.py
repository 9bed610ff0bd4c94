"""Perform one action in the browser and describe it in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast, get_args
from urllib.parse import urljoin

from server.agent.actions import (
    Action,
    AimedAction,
    BackAction,
    ClickAction,
    DialogAction,
    DragAction,
    ElementAction,
    HoverAction,
    NavigateAction,
    PressAction,
    ReadFileAction,
    RecordAction,
    ScrollAction,
    SelectAction,
    SwitchTabAction,
    TypeAction,
    UploadAction,
    WaitAction,
)
from server.agent.gate.masking import MASK, masked
from server.agent.policy.address import is_no_address
from server.browser.browser import (
    HOLD_MS,
    MAX_HOLD_MS,
    Browser,
    Field,
    Manner,
    PagePoint,
    ToolOutcome,
)
from server.browser.observation import Element, Observation
from server.text import cut

FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "textarea", "input", "clickable", "slider"}
)
FORM_FIELDS = FIELDS - {"clickable"}
LISTS = frozenset({"combobox", "listbox", "select"})
TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
OVER = frozenset({"drag", "hover", "scroll", "focus", "read"})
"""What can be done to a column of cards as a whole: a click in its middle would be one on whatever is there."""
SCROLL_PIXELS = 600
WAIT_MS = 1000
MAX_WAIT_MS = 10_000
TEXT_CHARS = 60
DETAIL_CHARS = 120
MAX_SHOWN = 6
"""Maximum number of form fields named in an action's one-line description."""

Files = Mapping[str, Path]
"""The session's own files by name: the only ones that can be read or uploaded to a page."""


def files_in(folder: Path | None) -> Files:
    """The files in the folder and its direct subfolders, by name. Symlinks are skipped."""
    if folder is None or not folder.is_dir():
        return {}
    found = [*folder.glob("*"), *folder.glob("*/*")]
    return {path.name: path for path in found if path.is_file() and not path.is_symlink()}


def problem_of(action: Action, observation: Observation, files: Files) -> str | None:
    """Return why the action cannot be performed on this page, in one line that names it; None if it can."""
    kind = action.kind
    if missing := _missing_argument(action):
        return f"{kind} needs {missing}"
    if problem := _problem_of_argument(action, files):
        return f"{kind}: {problem}"
    for eid in action.eids:
        element = observation.find(eid)
        if element is None:
            return f"{kind}: there is no element [{cut(eid, 20)}] on this page"
        if problem := _problem_with(element, kind, has_files=bool(files)):
            return f"{kind}: [{eid}] {label(element)} {problem}"
    return None


def _problem_of_argument(action: Action, files: Files) -> str | None:
    match action:
        case NavigateAction(url=url) if is_no_address(url):
            return f"{cut(url, 60)!r} is no whole address such as https://example.com/"
        case UploadAction(file=file) | ReadFileAction(file=file) if file not in files:
            return f"there is no file {cut(file, 60)!r}, only: {', '.join(files) or 'none'}"
        case ClickAction(manner=manner) if manner not in get_args(Manner):
            return f"a click with {cut(manner, 60)} cannot be done: use other controls, or keys such as Shift+F10"
    return None


def _problem_with(element: Element, kind: str, *, has_files: bool) -> str | None:
    if element.disabled and kind != "scroll":
        return "is disabled"
    if element.role == "dropzone" and kind not in OVER:
        return "only takes what is dragged to it: act on what is in it"
    if kind == "click" and element.role == "file" and has_files:
        return "takes a file: upload(eid,file)"
    if kind in ("type", "login") and element.role not in FIELDS:
        return "cannot be typed into"
    return None


_NEEDED_TEXTS = {
    "select": "option", "press": "key", "navigate": "url", "upload": "file", "read_file": "file",
    "stop": "final_response", "call_tool": "tool",
}  # fmt: skip
"""By kind of action, the text that it cannot do without."""


def _missing_argument(action: Action) -> str | None:
    has_place = bool(action.eids or action.points)
    match action:
        case ScrollAction():
            return None
        case ElementAction() if not has_place:
            return "eid"
        case DragAction() if not has_place:
            return "`at` and `to`, or `eid` and `to_eid`"
        case TypeAction(fields=()):
            return "eid and text"
        case SwitchTabAction(tab=None):
            return "tab"
        case RecordAction(rows=()):
            return "rows"
    name = _NEEDED_TEXTS.get(action.kind)
    return name if name and not getattr(action, name).strip() else None


def may_commit(aimed: AimedAction) -> bool:
    """Whether the action could have an effect if the page had changed since it was observed.

    Typing into a control that is not a text field clicks it first; accepting a dialog presses its button.
    """
    match aimed.action:
        case ClickAction() | SelectAction() | PressAction() | UploadAction() | DragAction():
            return True
        case DialogAction(accept=accept):
            return bool(accept)
        case TypeAction(submit=submit):
            return submit or not all(element.role in TEXT_FIELDS for element in aimed.targets)
    return False


def with_whole_address(action: Action, page_url: str) -> Action:
    """Resolve a relative URL such as `/cart`, `?page=2` or `#top` against the current page."""
    if not isinstance(action, NavigateAction):
        return action
    url = action.url.strip()
    if not url.startswith(("/", "?", "#", "./", "../")) or url.startswith("//"):
        return action
    return action.model_copy(update={"url": urljoin(page_url, url)})


async def perform(browser: Browser, aimed: AimedAction, files: Files) -> ToolOutcome:
    """Make the tool call of a validated and allowed action. Raises ValueError if it is none."""
    targets = aimed.targets
    where: Sequence[Element | PagePoint] = [PagePoint(hit.x, hit.y, hit.key) for hit in aimed.hits] or targets
    match aimed.action:
        case ClickAction() as click:
            manner = "double" if click.double else cast(Manner, click.manner)
            held = min(max(click.ms or HOLD_MS, 0), MAX_HOLD_MS)
            return await browser.click(where[0], manner=manner, hold_ms=held)
        case DragAction():
            return await browser.drag(where[0], where[-1])
        case ScrollAction(query=query) as action:
            at = [PagePoint(point.x, point.y) for point in action.points] or targets
            over = at[0] if at else None
            if query.strip():
                return await browser.scroll_to(query, action.direction or "down", over)
            return await browser.scroll(action.direction or "down", action.amount or SCROLL_PIXELS, over)
        case TypeAction(fields=fields, submit=submit, append=append):
            pairs = zip(targets, fields, strict=True)
            typed = [Field(element, field.text, append) for element, field in pairs]
            return await browser.type(typed, submit=submit)
        case SelectAction() as choice:
            return await browser.select(targets[0], choice.options)
        case HoverAction():
            return await browser.hover(where[0])
        case UploadAction(file=file):
            return await browser.upload(targets[0], [files[file]])
        case action:
            return await _perform_untargeted(browser, action)


async def _perform_untargeted(browser: Browser, action: Action) -> ToolOutcome:
    match action:
        case NavigateAction():
            return await browser.navigate(action.url)
        case BackAction():
            return await browser.back()
        case PressAction():
            return await browser.press(action.key)
        case WaitAction():
            return await browser.wait(max(0, min(action.ms or WAIT_MS, MAX_WAIT_MS)))
        case SwitchTabAction(tab=int(tab)):
            return await browser.switch_tab(tab)
        case DialogAction():
            return await browser.answer_dialog(bool(action.accept), action.text)
    raise ValueError(f"not a tool call: {action.kind}")


def label(element: Element) -> str:
    return f'{element.role} "{element.name[:60]}"' if element.name else element.role


def describe(aimed: AimedAction) -> str:
    """One line that stays valid after the page: no eids, secrets masked, long values truncated."""
    action = aimed.action
    if isinstance(action, TypeAction):
        shown_fields = masked(aimed)
        assert isinstance(shown_fields, TypeAction)
        verb = "add" if action.append else "type"
        return f"{verb} {_filled(shown_fields, aimed.targets)}{' and submit' if action.submit else ''}"
    named = " to ".join(map(label, aimed.targets if isinstance(action, DragAction) else aimed.targets[:1]))
    shown = masked(aimed).to_json()
    details = [
        cut(", ".join(str(shown[name]).split("\n")), DETAIL_CHARS) for name in _DETAILS if name in shown
    ]
    places = " to ".join("[{}, {}]".format(*point.given) for point in action.points)
    at = f"at {places} of the picture:" if places else ""
    if isinstance(action, ScrollAction) and named and not places:
        named = f"over {named}"
    return " ".join(filter(None, (action.name, *details, at, named)))


def _filled(action: TypeAction, targets: Sequence[Element]) -> str:
    pairs = list(zip(action.fields, targets, strict=False))
    named = [f"{_shown(field.text)} into {label(element)}" for field, element in pairs[:MAX_SHOWN]]
    return ", ".join([*named, *([f"{len(pairs) - MAX_SHOWN} more"] if len(pairs) > MAX_SHOWN else [])])


_DETAILS = (
    "manner",
    "url",
    "option",
    "key",
    "direction",
    "amount",
    "ms",
    "tab",
    "file",
    "page",
    "query",
    "accept",
    "args",
)


def _shown(text: str) -> str:
    return MASK if text == MASK else f'"{cut(text, TEXT_CHARS)}"'
