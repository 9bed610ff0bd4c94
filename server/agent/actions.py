"""What an agent can do in the browser: one closed union of actions, and an action on one page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from server.browser.browser import Direction
from server.browser.login_form import LoginField
from server.browser.observation import Element, Observation, Page, PointHit
from server.events import Wanted
from server.ops.json_types import JsonObject

EffectKind = Literal[
    "pay", "order", "send", "publish", "delete", "end", "account", "legal", "system", "approve"
]  # fmt: skip
"""Effects of a step outside the browser, in the policy's terms."""


class FieldText(BaseModel):
    """One form field, by its eid, and the text that is typed into it."""

    model_config = ConfigDict(frozen=True)
    eid: str
    text: str


class Point(BaseModel):
    """A point of the page's window, in CSS pixels, as given on a picture that the model saw."""

    model_config = ConfigDict(frozen=True)
    x: int
    y: int
    scale: float = 1.0
    """Pixels of that picture for one CSS pixel."""
    picture: str = ""
    """`PagePicture.moment` of that picture; "" if the model saw none."""
    drawn: str = ""
    """What is drawn around the point, as `server.browser.pictures.drawings_at` computes it; "" if unknown."""

    @property
    def given(self) -> tuple[int, int]:
        """As the model gave it: in pixels of the picture."""
        return round(self.x * self.scale), round(self.y * self.scale)


class BaseAction(BaseModel):
    """Base of all actions. An eid names an element of one observation; "" if the model gave none."""

    model_config = ConfigDict(frozen=True)
    kind: str
    id: str = ""
    """Identifies the step in events."""
    reason: str = ""
    """The model's words about it."""
    commits: EffectKind | None = None
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

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that it acts on, in order, in place of elements."""
        return ()

    def with_points(self, points: Iterable[Point]) -> Self:
        """The same action with other values for its points: one for each."""
        return self.model_copy(update=dict(zip(("at", "to"), points, strict=False)))

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


class PointAction(ElementAction):
    """Acts on an element, or at a point."""

    at: Point | None = None

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.at,) if self.at else ()


class ClickAction(PointAction):
    kind: Literal["click"] = "click"
    double: bool = False
    manner: str = ""
    """How it is meant other than plainly: a `Manner`, or what no click here can be, such as `button middle`."""
    ms: int | None = None
    """How long the button is held down."""

    @property
    def name(self) -> str:
        return "double_click" if self.double else self.kind


class TypeAction(BaseAction):
    kind: Literal["type"] = "type"
    fields: tuple[FieldText, ...] = ()
    submit: bool = False
    """Press Enter in the last field."""
    append: bool = False
    """The texts are added to what the fields hold."""

    @property
    def eids(self) -> tuple[str, ...]:
        return tuple(field.eid for field in self.fields)

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        pairs = zip(self.fields, eids, strict=True)
        return self.with_fields(field.model_copy(update={"eid": eid}) for field, eid in pairs)

    def with_fields(self, fields: Iterable[FieldText]) -> Self:
        return self.model_copy(update={"fields": tuple(fields)})


class LoginAction(ElementAction):
    """Types a stored login into the form of the element, which is a field of it. Nothing is sent."""

    kind: Literal["login"] = "login"
    login: str = ""
    """Which: `L1`, as the model names it, or its id once it is known; "" for the only one."""
    form: str = ""
    """`LoginForm.token`: the form that the question was about; "" until it was looked at."""
    host: str = ""
    """Of that form."""
    parts: tuple[LoginField, ...] = ()
    """Which of its fields are filled."""


class SelectAction(ElementAction):
    """Chooses an option; of a list that takes several, one in each line."""

    kind: Literal["select"] = "select"
    option: str = ""

    @property
    def options(self) -> list[str]:
        return [line.strip() for line in self.option.split("\n") if line.strip()] or [self.option]


class PressAction(BaseAction):
    """Presses a key, which goes to the focused element."""

    kind: Literal["press"] = "press"
    key: str = ""


class HoverAction(PointAction):
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
    """Drags one element to another, or with the mouse from point to point."""

    kind: Literal["drag"] = "drag"
    start: str = ""
    end: str = ""
    """Eids of the dragged element and its drop target."""
    at: Point | None = None
    to: Point | None = None

    @property
    def eids(self) -> tuple[str, ...]:
        return (self.start, self.end) if self.start and self.end else ()

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.at, self.to) if self.at and self.to else ()

    def with_eids(self, eids: tuple[str, ...]) -> Self:
        return self.model_copy(update={"start": eids[0], "end": eids[-1]})


class ScrollAction(PointAction):
    """Turns the wheel over an element, at a point, or in the middle of the window."""

    kind: Literal["scroll"] = "scroll"
    direction: Direction | None = None
    amount: int | None = None
    """CSS pixels."""
    query: str = ""
    """Scroll until this text is in view; "" for `amount`."""


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
    """Asks the user for a manual step, or for an answer; `reason` says what."""

    kind: Literal["need_user"] = "need_user"
    wants: Wanted = "step"


class RecordAction(BaseAction):
    """Adds rows to the table that the task asks for; it changes nothing outside."""

    kind: Literal["record"] = "record"
    rows: tuple[JsonObject, ...] = ()
    """As the model gave them: `{<column>: value, missing: {<column>: reason}}`."""


class StopAction(BaseAction):
    """Ends the run with the answer."""

    kind: Literal["stop"] = "stop"
    final_response: str = ""
    notes: list[str] = []
    """What the model proposes to remember of the open page's site."""


class ToolAction(BaseAction):
    """A call of a tool of the browser's own server that the policy knows nothing about."""

    kind: Literal["tool"] = "tool"
    tool: str
    args: JsonObject = {}

    @property
    def name(self) -> str:
        return self.tool

    def to_json(self) -> JsonObject:
        return {**({"id": self.id} if self.id else {}), **self.args, "kind": self.tool}


class CallToolAction(BaseAction):
    """A call of a tool of another MCP server. It concerns no page."""

    kind: Literal["call_tool"] = "call_tool"
    tool: str = ""
    args: JsonObject = {}
    server: str = ""
    """Its name."""
    pin: str = ""
    """`ToolSpec.pin` of the tool as the agent knew it."""
    each_time: bool = False
    """No grant covers it."""

    @property
    def name(self) -> str:
        return self.tool

    @property
    def place(self) -> str:
        """What a grant for it is given for, in place of a site: this very tool, as it is listed now."""
        return f"{TOOL_PLACE}{self.tool}@{self.pin}"


TOOL_PLACE = "tool:"
"""Before the name of a tool. No site begins so: what follows its colon is a number."""

Action = Annotated[
    ClickAction
    | TypeAction
    | LoginAction
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
    | RecordAction
    | StopAction
    | ToolAction
    | CallToolAction,
    Field(discriminator="kind"),
]
_ACTION_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)


def read_action(stored: JsonObject) -> Action:
    """The inverse of `to_json`. Raises pydantic.ValidationError."""
    return _ACTION_ADAPTER.validate_python(stored)


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
    def hits(self) -> tuple[PointHit, ...]:
        """What is at the action's points, in its order; those where nothing is known are left out."""
        found = (self.observation.at(point.x, point.y) for point in self.action.points)
        return tuple(hit for hit in found if hit is not None)

    @property
    def unnamed_points(self) -> tuple[Point, ...]:
        """The points at which no element of the observation is."""
        named = {(hit.x, hit.y) for hit in self.hits if hit.is_element}
        return tuple(point for point in self.action.points if (point.x, point.y) not in named)

    @property
    def target(self) -> Element | None:
        """The element that the action has its effect on: the last one."""
        return self.targets[-1] if self.targets else None


OUTSIDE_PAGES = Observation(page=Page(url="", title=""))


def aim(action: Action, observation: Observation, focused: Element | None = None) -> AimedAction:
    """Find the action's targets on the page. Keys go to `focused`."""
    if isinstance(action, CallToolAction):
        return AimedAction(action, OUTSIDE_PAGES, ())
    if isinstance(action, PressAction):
        return AimedAction(action, observation, (focused,) if focused else (), focused)
    if action.points:
        aimed = AimedAction(action, observation, (), focused)
        return replace(aimed, targets=tuple(hit.element for hit in aimed.hits))
    found = (observation.find(eid) for eid in action.eids)
    return AimedAction(
        action, observation, tuple(element for element in found if element is not None), focused
    )


def fields_of(action: Action) -> tuple[FieldText, ...]:
    return action.fields if isinstance(action, TypeAction) else ()
