"""The data types of an observation. `rendering.py` renders them as text."""

from typing import Literal

from pydantic import BaseModel

from server.browser.observation.page_script import Box


class Page(BaseModel, frozen=True):
    url: str
    title: str


class Element(BaseModel, frozen=True):
    eid: str
    """`e1`, `e2`, ...: valid only in the observation it comes from."""
    ref: str
    """The target that the MCP server accepts: a snapshot ref, a unique selector or an index."""
    full_name: str = ""
    """The whole name, up to 1,000 characters, where `name` is cut; else ""."""
    role: str
    """The ARIA role; `clickable` for an element without one that reacts to clicks, `file` for one that takes a file."""
    name: str = ""
    value: str | None = None
    """None for elements without a value, and always for secret fields."""
    placeholder: str | None = None
    disabled: bool = False
    visible: bool = True
    """Whether it intersects the viewport; True if the snapshot has no boxes."""
    checked: bool | None = None
    expanded: bool | None = None
    selected: bool | None = None
    options: tuple[str, ...] = ()
    """The first 250 options of a select, in order."""
    several: bool = False
    """It is a list that takes several choices; `value` are those that are chosen."""
    options_shown: int = 12
    """How many of the options its line lists."""
    href: str | None = None
    box: Box | None = None
    """x, y, width, height in CSS pixels of the viewport."""
    secret: bool = False
    """A password, card or one-time-code field."""
    filled: bool = False
    """A secret field that is not empty."""
    context: str = ""
    """Its surroundings in at most 120 characters: row or card, form or dialog, heading. The part that
    distinguishes it from similar elements comes first. Parts are separated by ` · `."""
    group: str = ""
    """Key of the enclosing form, dialog or list row, shared by all its elements; "" if there is none."""
    form: str = ""
    """The name of its form or dialog; "" if it has none."""
    frame: str = ""
    """Name and address, without query, of the frame that it is in; "" in the page itself."""
    alike: int = 1
    """How many elements of the whole page have its role and name, before the budget left any out."""
    field: Literal["", "lines", "fixed"] = ""
    """`lines` for a field of several lines, `fixed` for one that takes no text: a button in the looks of a field."""
    submits: bool = False
    """Whether it is a button that submits a form, as far as the page shows."""
    sends_to: str = ""
    """The address its form is submitted to by this button, or by Enter in this field; "" if unknown."""
    by_get: bool = False
    """Whether the page says that its form is sent by GET."""
    opens: bool = False
    """Whether it says by an attribute that it opens or shows a part of the page."""
    takes: tuple[str, ...] = ()
    """Of `right`, `double` and `hold`: the manners of clicks that it listens to, besides plain ones."""
    shows: str = ""
    """The visible text on it, if that differs from its name."""
    same_as: str = ""
    """The eid of the element with the same link address whose line it shares."""


class Overlay(BaseModel, frozen=True):
    kind: Literal["dialog", "cookies", "permission", "login", "captcha"]
    text: str


class Budget(BaseModel, frozen=True):
    """Limits of one observation: element and block counts, characters, tokens of the o200k vocabulary."""

    elements: int = 200
    blocks: int = 30
    block_chars: int = 240
    tokens: int = 3500
    """Hard limit by the estimate, which may be a tenth below the real count of lines full of numbers. Above `fill`, only
    what is in view, in an open dialog or in the active form is added."""
    fill: int = 1280
    """Up to this limit the rest of the page is added too."""
    names_targets: bool = False
    """Count tokens for lines that begin with `Element.ref`, which may be longer than an eid."""
