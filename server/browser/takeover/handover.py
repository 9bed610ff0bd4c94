"""Describes to the agent what changed in a page during a takeover, without any typed value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from pydantic import BaseModel

from server.browser.scripts import script
from wording.catalogue import sentence

NAMES_LISTED = 6
CONTROL_NAME_CHARS = 60

BINDING, COPIED_BINDING, FOCUSED_BINDING = "pilothouseField", "pilothouseCopied", "pilothouseFocused"
LOGIN_BINDING = "pilothouseSentLogin"
WORLD = "pilothouse-takeover"

TRACK_SCRIPT = script("take_over", SENT_LOGIN="")
"""Runs in an isolated world. Reports the names of fields that the user changes, each once, what the user copies, and the
field that has the focus; sets the value that the user chose for that one."""
LOGIN_TRACK_SCRIPT = script("take_over", SENT_LOGIN=script("sent_login", LOGIN_FORM=script("login_form")))
"""Reports the login that the user has sent, too."""

SCENE_SCRIPT = r"""() => {
  const clean = text => (text || '').replace(/\s+/g, ' ').trim().slice(0, 60);
  const shown = el => { const r = el.getBoundingClientRect(); return r.width > 1 && r.height > 1 };
  const texts = selector => [...document.querySelectorAll(selector)].filter(shown).slice(0, 40)
    .map(el => clean(el.getAttribute('aria-label') || el.innerText)).filter(Boolean);
  return {headings: texts('h1,h2,h3,[role=heading]'), dialogs: texts('dialog[open],[role=dialog],[role=alertdialog]'),
    alerts: texts('[role=alert],[role=status]')};
}"""


class PageMoment(BaseModel, frozen=True):
    """The state of a page that is compared before and after a takeover."""

    url: str = ""
    title: str = ""
    tabs: int = 1
    headings: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()

    def mapped(self, change: Callable[[str], str]) -> PageMoment:
        """Return a copy with `change` applied to every text."""
        lists = {name: tuple(map(change, getattr(self, name))) for name in ("headings", "dialogs", "alerts")}
        return self.model_copy(update={"url": change(self.url), "title": change(self.title), **lists})


def describe_changes(before: PageMoment | None, after: PageMoment | None, fields: Sequence[str]) -> str:
    """Return a few English sentences. URLs are cut at `?` and `#`: a form may have put values there."""
    if after is None:
        return sentence("browser.closed")
    lines = []
    if before is None or address_of(before.url) != address_of(after.url):
        lines.append(f"The page is now {address_of(after.url)}.")
    if after.title and (before is None or before.title != after.title):
        lines.append(f"Its title is {_quote(after.title)}.")
    before = before or PageMoment()
    if before.tabs != after.tabs:
        lines.append(f"{after.tabs} tabs are open, {before.tabs} were.")
    for what, old, new in (
        ("dialog", before.dialogs, after.dialogs), ("message", before.alerts, after.alerts),
        ("heading", before.headings, after.headings),
    ):  # fmt: skip
        if appeared := [name for name in dict.fromkeys(new) if name not in old]:
            lines.append(f"Appeared: {what} {_list(appeared)}.")
    if names := list(dict.fromkeys(fields)):
        lines.append(f"{'A value was' if len(names) == 1 else 'Values were'} entered in {_list(names)}.")
    return " ".join(lines) or "No change can be seen."


def address_of(url: str) -> str:
    """The URL without its user, `?` and `#`: a form may have put values there."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else url.partition("?")[0].partition("#")[0]


def _list(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - NAMES_LISTED} more" if len(names) > NAMES_LISTED else ""
    return ", ".join(_quote(name) for name in names[:NAMES_LISTED]) + more


def _quote(text: str) -> str:
    text = " ".join(text.split()).replace('"', "'")
    return f'"{text[:CONTROL_NAME_CHARS]}"'
