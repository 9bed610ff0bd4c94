"""The optional second source of an observation: a small read-only script that runs in the page.

The accessibility snapshot lacks handlers on plain elements, icons that have only a class or a title, and
which fields are secret. `PAGE_SCRIPT` runs next to the page's own scripts; the JSON it returns is parsed as
`Extra`.
"""

from collections.abc import Callable
from typing import Literal, TypeVar

from pydantic import BaseModel

from server.browser.observation.box_groups import GROUPS_IN
from server.browser.observation.document_script import DOCUMENTS_IN
from server.browser.observation.editor_script import EDITORS_IN
from server.browser.scripts import script

Box = tuple[float, float, float, float]
"""x, y, width, height in CSS pixels of the viewport."""


class Clickable(BaseModel, frozen=True):
    """An element that looks clickable and has no role or no name."""

    box: Box
    tag: str
    """Lower case; `editable` for the root of an editable region, `draggable` for what can be dragged, `dropzone` for
    what holds such elements."""
    name: str = ""
    """A guess: label, title, alt text, svg title, else words of its class or id."""
    target: str
    """A selector that is unique in the page, used as the MCP server's `target`."""
    listens: bool = False
    """It has a listener for clicks of its own, can be dragged or dropped on: also if it contains other controls."""


class Takes(BaseModel, frozen=True):
    """An element that takes clicks in other manners than plainly."""

    box: Box
    ways: tuple[Literal["right", "double", "hold"], ...]


class Cover(BaseModel, frozen=True):
    """A check box or radio button that takes no click itself: something else is drawn in its place."""

    box: Box
    """Of the field; without area if it is not drawn at all."""
    by: Box
    """Of what is drawn and takes the click: its label, or the box around both."""
    target: str = ""
    """As `Clickable.target`; "" in a frame."""
    role: str
    name: str = ""
    checked: bool = False
    disabled: bool = False


class SecretField(BaseModel, frozen=True):
    """A password, card or one-time-code field and its value, so that the value can be masked everywhere."""

    box: Box
    value: str = ""


class Sent(BaseModel, frozen=True):
    """A control of a form, and the address it submits the form to."""

    box: Box
    to: str
    get: bool = False
    """Whether the page says that it is sent by GET, and no attribute says that a script sends it."""


class Shown(BaseModel, frozen=True):
    """A control whose accessible label differs from its visible text."""

    box: Box
    text: str


class Level(BaseModel, frozen=True):
    """The value of a slider or spin button that is no field, as its ARIA attributes give it."""

    box: Box
    value: str


class Placeholder(BaseModel, frozen=True):
    """What an empty field says it is for. A snapshot has it of plain text fields only."""

    box: Box
    text: str


class FieldKind(BaseModel, frozen=True):
    """A field that is not one line of text."""

    box: Box
    kind: Literal["lines", "fixed"]
    """As `Element.field`."""


class Editor(BaseModel, frozen=True):
    """What is typed into that is no form field, and holds no controls."""

    box: Box
    """Of all that shows its text."""
    own: Box
    """Of what takes the keys."""
    text: str


class BoxGroup(BaseModel, frozen=True):
    """Boxes that take one text together, such as the digits of a code."""

    boxes: tuple[Box, ...]
    value: str = ""
    """Of all of them; "" if it is secret."""
    filled: bool = False


class Verbatim(BaseModel, frozen=True):
    """A text whose line breaks and spaces show, such as code or the value of a text area; without controls in it."""

    box: Box
    text: str


class NativeList(BaseModel, frozen=True):
    """A select with groups or labels of options, or one that shows several of its options."""

    box: Box
    options: tuple[str, ...]
    """Equal names with that of their group."""
    chosen: tuple[int, ...] = ()
    several: bool = False
    """It takes several choices."""


class FrameInView(BaseModel, frozen=True):
    """A frame in or near the window, with its title, label or name."""

    box: Box
    name: str = ""
    url: str = ""
    waits: bool = False
    """It has no document yet: its site has not answered."""


class VisibleText(BaseModel, frozen=True):
    """A visible piece of text in the window."""

    box: Box
    text: str
    block: int
    """Number of its paragraph, cell or other box of lines. Pieces of one block are in one sentence or line."""
    tight: bool = False
    """It follows the piece before it in its block without a space."""


class Extra(BaseModel, frozen=True):
    clickables: tuple[Clickable, ...] = ()
    secrets: tuple[SecretField, ...] = ()
    submits: tuple[Box, ...] = ()
    """Boxes of the buttons that submit a form."""
    openers: tuple[Box, ...] = ()
    """Boxes of the controls that say by an attribute that they open or show a part of the page."""
    takes: tuple[Takes, ...] = ()
    uploads: tuple[Box, ...] = ()
    """Boxes of the fields that take a file, and of their labels."""
    shown: tuple[Shown, ...] = ()
    levels: tuple[Level, ...] = ()
    placeholders: tuple[Placeholder, ...] = ()
    covers: tuple[Cover, ...] = ()
    fields: tuple[FieldKind, ...] = ()
    editors: tuple[Editor, ...] = ()
    lists: tuple[NativeList, ...] = ()
    verbatim: tuple[Verbatim, ...] = ()
    groups: tuple[BoxGroup, ...] = ()
    sent: tuple[Sent, ...] = ()
    unknown: bool = False
    """`secrets` may be incomplete. Every field then counts as secret."""
    deaf: bool = False
    """Which elements listen to clicks could not be read."""
    frames: tuple[str, ...] = ()
    """Title, label, name and address of each frame in view, in one line; a snapshot has none of them."""
    framed: tuple[FrameInView, ...] = ()
    """The same frames with their boxes."""
    documents: tuple[str, ...] = ()
    """Names of the PDF files that the page shows in it."""
    texts: tuple[VisibleText, ...] | None = None
    """The text in the window, in document order; None if unknown."""
    all_texts: bool = False
    """`texts` is complete, except for frames of other sites."""
    moment: str = ""
    """`<document>:<view>:<state>`: equal for two runs on one document if content, fields and scroll position are.
    `<view>` is the size of the window and the scroll position."""

    def masked(self, mask: Callable[[str], str]) -> "Extra":
        """A copy with `mask` applied to names, texts and addresses."""

        def hidden(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
            return mask(value) if isinstance(value, str) else tuple(map(mask, value))

        masked = {
            field: tuple(
                one.model_copy(update={name: hidden(getattr(one, name)) for name in names})
                for one in getattr(self, field) or ()
            )
            for field, names in _MASKED_FIELDS.items()
        }
        return self.model_copy(update=masked | ({} if self.texts else {"texts": self.texts}))

    def with_frame(self, inner: "Extra", dx: float, dy: float) -> "Extra":
        """A copy with what a frame of another site has, moved to where it is in the page. Its texts and elements without
        a role are in the snapshot, as far as they are known."""

        def moved(box: Box) -> Box:
            return box[0] + dx, box[1] + dy, *box[2:]

        def placed(one: _Boxed) -> _Boxed:
            if isinstance(one, BoxGroup):
                return one.model_copy(update={"boxes": tuple(map(moved, one.boxes))})
            sides = [name for name in ("box", "by", "own") if hasattr(one, name)]
            return one.model_copy(update={name: moved(getattr(one, name)) for name in sides})

        added = {name: (*getattr(self, name), *map(placed, getattr(inner, name))) for name in _FRAMED_FIELDS}
        added |= {
            name: (*getattr(self, name), *map(moved, getattr(inner, name)))
            for name in ("submits", "openers", "uploads")
        }
        return self.model_copy(update={**added, "unknown": self.unknown or inner.unknown})


_Boxed = TypeVar("_Boxed", bound=BaseModel)
_MASKED_FIELDS = {
    "clickables": ("name",), "shown": ("text",), "sent": ("to",), "levels": ("value",), "covers": ("name",),
    "texts": ("text",), "lists": ("options",), "framed": ("name", "url"), "placeholders": ("text",),
}  # fmt: skip
_FRAMED_FIELDS = (
    "secrets", "shown", "levels", "placeholders", "covers", "fields", "editors", "lists", "verbatim", "groups",
    "sent",
)  # fmt: skip
"""What is read in frames of other sites, too."""

PAGE_SCRIPT = script("page", EDITORS_IN=EDITORS_IN, GROUPS_IN=GROUPS_IN, DOCUMENTS_IN=DOCUMENTS_IN)
"""Takes a list of the elements that listen to clicks, as far as DevTools reports them (`frames.py`). A page's world
is not the script's, so that it cannot ask for them itself."""

MOMENT_SCRIPT = f"() => {{ const {{secrets, unknown, moment}} = ({PAGE_SCRIPT})('moment'); return {{secrets, unknown, moment}}; }}"
"""Returns only `secrets`, `unknown` and `moment`, without looking for controls and text: the part needed with a picture
and from frames inside a page."""

FRAME_SCRIPT = f"""() => {{
  let isReachable = false;
  try {{ isReachable = Boolean(frameElement); }} catch {{}}
  return isReachable ? null : {{...({PAGE_SCRIPT})([]), clickables: [], texts: null, framed: [], frames: []}};
}}"""
"""`PAGE_SCRIPT` in a frame that the script of the page itself cannot reach, since it is of another site; null in others."""
