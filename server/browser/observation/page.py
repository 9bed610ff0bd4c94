"""What an observation is made of. `rendering.py` writes it as text."""

from typing import Literal

from pydantic import BaseModel

from server.browser.observation.page_script import Box


class Page(BaseModel, frozen=True):
    url: str
    title: str


class Element(BaseModel, frozen=True):
    eid: str
    """`e1`, `e2`, ...: valid only in the observation it came from."""
    ref: str
    """The MCP server's own target: a snapshot ref, a unique selector or an index."""
    role: str
    """The ARIA role; `clickable` for what reacts to clicks without one."""
    name: str = ""
    value: str | None = None
    """None for what holds no value, and always for secret fields."""
    placeholder: str | None = None
    disabled: bool = False
    visible: bool = True
    """It intersects the viewport; True when the snapshot has no boxes."""
    checked: bool | None = None
    expanded: bool | None = None
    selected: bool | None = None
    options: tuple[str, ...] = ()
    """Of a select, in order: the first 250."""
    options_told: int = 12
    """How many of them its line tells."""
    href: str | None = None
    box: Box | None = None
    """x, y, width, height in CSS pixels of the viewport."""
    secret: bool = False
    """A password, card or one-time-code field."""
    filled: bool = False
    """A secret field that is not empty."""
    context: str = ""
    """At most 120 characters of what stands around it: row or card, form or dialog, heading. What tells it
    from its twins comes first, parts are separated by ` · `."""
    group: str = ""
    """Key of the enclosing form, dialog or list row, the same for all its elements; "" if there is none."""
    submits: bool = False
    """A button that sends a form, as far as can be seen."""
    sends_to: str = ""
    """The address that its form is sent to, by this button or by Enter in this field; "" where that is not known."""
    shows: str = ""
    """The words that a person sees on it, where its name is something else."""
    same_as: str = ""
    """The eid of an element that leads to the same place and shares its line."""


class Overlay(BaseModel, frozen=True):
    kind: Literal["dialog", "cookies", "permission", "login", "captcha"]
    text: str


class Budget(BaseModel, frozen=True):
    """Limits of one observation: element and block counts, characters, tokens of the o200k vocabulary."""

    elements: int = 160
    blocks: int = 30
    block_chars: int = 240
    tokens: int = 3300
    """Never passed. Filled only by what is in view, in an open dialog or in the form at hand."""
    fill: int = 1280
    """Up to here there is room for the rest of the page, too."""
    names_targets: bool = False
    """Lines begin with the server's own targets, which may be longer than eids, and are priced so."""
