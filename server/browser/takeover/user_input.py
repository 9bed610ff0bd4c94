"""Wire format of the user's input through the live view.

The `repr` of a message shows only its type: its content may be a password.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, Field

MAX_TYPED_CHARS = 20_000

Coordinate = Annotated[float, Field(ge=-10_000, le=100_000, allow_inf_nan=False)]
"""CSS pixels of the page's viewport."""
Modifiers = Annotated[int, Field(ge=0, le=15)]
"""Bit set: Alt 1, Ctrl 2, Meta 4, Shift 8."""
Words = Annotated[str, Field(max_length=MAX_TYPED_CHARS)]
KeyName = Annotated[str, Field(max_length=40)]
Button = Literal["left", "middle", "right", "back", "forward"]


class Silent(BaseModel, frozen=True):
    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield "type", getattr(self, "type", None)


class Mouse(Silent):
    type: Literal["mouse"]
    kind: Literal["move", "down", "up"]
    x: Coordinate
    y: Coordinate
    button: Button | Annotated[int, Field(ge=-1, le=4)] = "left"
    """A name, or the number of a DOM MouseEvent's `button`."""
    clicks: Annotated[int, Field(ge=0, le=3)] = 1
    modifiers: Modifiers = 0


class Wheel(Silent):
    type: Literal["wheel"]
    x: Coordinate
    y: Coordinate
    dx: Coordinate = 0
    dy: Coordinate = 0
    modifiers: Modifiers = 0


class KeyPress(Silent):
    """A key event; `key` and `code` as in a DOM KeyboardEvent."""

    type: Literal["key"]
    kind: Literal["down", "up"]
    key: KeyName
    code: KeyName = ""
    text: KeyName | None = None
    modifiers: Modifiers = 0


class Text(Silent):
    """Text inserted as a whole: from an input method, a phone's keyboard or the clipboard."""

    type: Literal["text"]
    text: Words


class Resize(Silent):
    type: Literal["resize"]
    width: Annotated[int, Field(ge=320, le=2560)]
    height: Annotated[int, Field(ge=240, le=2560)]


class SwitchTab(Silent):
    type: Literal["tab"]
    index: Annotated[int, Field(ge=0, le=100)]


class Go(Silent):
    type: Literal["go"]
    url: Annotated[str, Field(max_length=4000)]


class Back(Silent):
    type: Literal["back"]


class Reload(Silent):
    type: Literal["reload"]


class AnswerDialog(Silent):
    type: Literal["dialog"]
    accept: bool
    text: Words | None = None


class ClickElement(Silent):
    """Click an element of the latest list."""

    type: Literal["click"]
    eid: Annotated[str, Field(max_length=24)]


class TypeInto(Silent):
    """Replace the content of a field of the latest list; in a select, choose the option."""

    type: Literal["type"]
    eid: Annotated[str, Field(max_length=24)]
    text: Words


class Choose(Silent):
    """Set the value of the field that has the focus, as its list or picker would; of a list, an option's place."""

    type: Literal["choose"]
    value: Annotated[str, Field(max_length=200)]


Stroke = Mouse | Wheel | KeyPress | Text
"""Low-level input, dispatched in order as fast as the page accepts it."""
Command = Resize | SwitchTab | Go | Back | Reload | AnswerDialog | ClickElement | TypeInto | Choose
"""Input that is executed after all strokes before it."""
Input = Stroke | Command
