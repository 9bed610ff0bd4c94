"""What an agent can do in the browser: one closed union of actions, and an action on one page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from server.browser.browser import Direction
from server.browser.observation import Element, Observation
from server.ops.json_types import JsonObject

Effect = Literal[
    "pay", "order", "send", "publish", "delete", "end", "account", "legal", "system", "approve"
]  # fmt: skip
"""Effects of a step outside the browser, in the policy's terms."""


class FieldText(BaseModel):
    """One form field, by its eid, and the text that is typed into it."""

    model_config = ConfigDict(frozen=True)
    eid: str
    text: str


class BaseAction(BaseModel):
    """Base of all actions. An eid names an element of one observation; "" if the model gave none."""

    model_config = ConfigDict(frozen=True)
    kind: str
    id: str = ""
    """Identifies the step in events."""
    reason: str = ""
    """The model's words about it."""
    commits: Effect | None = None
    """The model's own claim that this very step has an effect; it can only add a question."""

    @property
    def name(self) -> str:
        """As named in events and questions."""
        return self.kind

    @property
    def eids(self) -> tuple[str, ...]:
        """The elements that it acts on, in order."""
        return ()

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        """The same action on other elements: one for each of `eids`."""
        return self

    def to_json(self) -> JsonObject:
        """As stored and shown: `{kind, <what was given>}`."""
        return {"kind": self.kind, **self.model_dump(mode="json", exclude_defaults=True)}


class ElementAction(BaseAction):
    eid: str = ""

    @property
    def eids(self) -> tuple[str, ...]:
        return (self.eid,) if self.eid else ()

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        return self.model_copy(update={"eid": eids[0]}) if eids else self


class ClickAction(ElementAction):
    kind: Literal["click"] = "click"


class TypeAction(BaseAction):
    kind: Literal["type"] = "type"
    fields: tuple[FieldText, ...] = ()
    submit: bool = False
    """Press Enter in the last field."""

    @property
    def eids(self) -> tuple[str, ...]:
        return tuple(field.eid for field in self.fields)

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        pairs = zip(self.fields, eids, strict=True)
        return self.with_fields(field.model_copy(update={"eid": eid}) for field, eid in pairs)

    def with_fields(self, fields: Iterable[FieldText]) -> Self:
        return self.model_copy(update={"fields": tuple(fields)})


class SelectAction(ElementAction):
    kind: Literal["select"] = "select"
    option: str = ""


class PressAction(BaseAction):
    """Presses a key, which goes to the focused element."""

    kind: Literal["press"] = "press"
    key: str = ""


class HoverAction(ElementAction):
    kind: Literal["hover"] = "hover"


class FocusAction(ElementAction):
    """Observes the surroundings of one element."""

    kind: Literal["focus"] = "focus"


class ReadAction(ElementAction):
    """Reads the text around one element."""

    kind: Literal["read"] = "read"


class ReadPageAction(BaseAction):
    """Reads the whole text of the page, part by part."""

    kind: Literal["read_page"] = "read_page"
    page: int = 1
    """Number of the part, from 1."""
    query: str = ""
    """Read only the passages that match; "" for the part `page`."""


class ReadFileAction(BaseAction):
    """Reads one of the session's own files, part by part."""

    kind: Literal["read_file"] = "read_file"
    file: str = ""
    """The file's name."""
    page: int = 1
    query: str = ""


class DragAction(BaseAction):
    kind: Literal["drag"] = "drag"
    start: str
    end: str
    """Eids of the dragged element and its drop target."""

    @property
    def eids(self) -> tuple[str, ...]:
        return (self.start, self.end)

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        return self.model_copy(update={"start": eids[0], "end": eids[-1]})


class ScrollAction(BaseAction):
    kind: Literal["scroll"] = "scroll"
    direction: Direction | None = None
    amount: int | None = None
    """CSS pixels."""


class WaitAction(BaseAction):
    kind: Literal["wait"] = "wait"
    ms: int | None = None


class NavigateAction(BaseAction):
    kind: Literal["navigate"] = "navigate"
    url: str = ""


class BackAction(BaseAction):
    kind: Literal["back"] = "back"


class ScreenshotAction(BaseAction):
    """Shows the model a picture of the page."""

    kind: Literal["screenshot"] = "screenshot"


class SwitchTabAction(BaseAction):
    kind: Literal["switch_tab"] = "switch_tab"
    tab: int | None = None


class UploadAction(ElementAction):
    kind: Literal["upload"] = "upload"
    file: str = ""
    """The name of one of the session's own files."""


class DialogAction(BaseAction):
    """Answers a dialog of the page's script; `text` is the input of a prompt."""

    kind: Literal["dialog"] = "dialog"
    accept: bool | None = None
    text: str | None = None


class AskUserAction(BaseAction):
    """Asks the user for a manual step, described in `reason`."""

    kind: Literal["need_user"] = "need_user"


class StopAction(BaseAction):
    """Ends the run with the answer."""

    kind: Literal["stop"] = "stop"
    final_response: str = ""


class ToolAction(BaseAction):
    """A call of a tool that the policy knows nothing about."""

    kind: Literal["tool"] = "tool"
    tool: str
    args: JsonObject = {}

    @property
    def name(self) -> str:
        return self.tool

    def to_json(self) -> JsonObject:
        return {**({"id": self.id} if self.id else {}), **self.args, "kind": self.tool}


Action = Annotated[
    ClickAction
    | TypeAction
    | SelectAction
    | PressAction
    | HoverAction
    | FocusAction
    | ReadAction
    | ReadPageAction
    | ReadFileAction
    | DragAction
    | ScrollAction
    | WaitAction
    | NavigateAction
    | BackAction
    | ScreenshotAction
    | SwitchTabAction
    | UploadAction
    | DialogAction
    | AskUserAction
    | StopAction
    | ToolAction,
    Field(discriminator="kind"),
]
_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def read_action(stored: JsonObject) -> Action:
    """The inverse of `to_json`. Raises pydantic.ValidationError."""
    return _ACTION.validate_python(stored)


@dataclass(frozen=True, slots=True)
class AimedAction:
    """An action on one observation of the page, with the elements that it acts on."""

    action: Action
    observation: Observation
    targets: tuple[Element, ...]
    """In the action's order; elements that are not on the page are left out."""
    focused: Element | None = None
    """The element that keys go to."""

    @property
    def target(self) -> Element | None:
        """The element that the action has its effect on: the last one."""
        return self.targets[-1] if self.targets else None


def aim(action: Action, observation: Observation, focused: Element | None = None) -> AimedAction:
    """Find the action's targets on the page. Keys go to `focused`."""
    if isinstance(action, PressAction):
        return AimedAction(action, observation, (focused,) if focused else (), focused)
    found = (observation.find(eid) for eid in action.eids)
    return AimedAction(
        action, observation, tuple(element for element in found if element is not None), focused
    )
