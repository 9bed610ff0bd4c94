"""The acts that follow the first one of a move: done only while the page is still the one they were planned on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel

from server.agent.actions import Action, AimedAction, ReadPageAction, aim, read_action
from server.agent.gate.approval import is_unchanged, retarget
from server.browser.observation import Element, Observation, Overlay
from server.ops.json_types import JsonObject


class PlannedAct(BaseModel, frozen=True):
    """An action as JSON, with its elements as they were when the model planned it."""

    action: JsonObject
    targets: tuple[Element, ...]

    def aimed(self, observation: Observation) -> AimedAction:
        return AimedAction(read_action(self.action), observation, self.targets)


class Batch(BaseModel, frozen=True):
    """The acts of a move that are still to do, and the page that they were planned on."""

    url: str
    document: str
    """Changes when the page is loaded; "" if unknown."""
    overlays: tuple[Overlay, ...]
    acts: tuple[PlannedAct, ...]
    """In their order, at least one."""

    @classmethod
    def plan(cls, actions: Sequence[Action], observation: Observation) -> Self | None:
        if not actions:
            return None
        acts = (PlannedAct(action=one.to_json(), targets=aim(one, observation).targets) for one in actions)
        url, document = observation.page.url, _document(observation)
        return cls(url=url, document=document, overlays=observation.overlays, acts=tuple(acts))

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def actions(self) -> list[Action]:
        return [read_action(act.action) for act in self.acts]

    @property
    def refs(self) -> list[str]:
        return [element.ref for act in self.acts for element in act.targets]

    def next_action(self, observation: Observation) -> Action | None:
        """The next action with the eids of this observation; None if its page or a target has changed.

        Field values and states may differ: the acts before it have changed them. A reading has no target and no
        effect: it reads whatever page is there now.
        """
        act = self.acts[0]
        if isinstance(reading := read_action(act.action), ReadPageAction):
            return reading
        if not self._is_same_page(observation):
            return None
        action = retarget(act.aimed(observation), observation)
        if action is None:
            return None
        found = aim(action, observation).targets
        return action if all(map(is_unchanged, act.targets, found)) else None

    def after_next(self) -> Self | None:
        """What is left once the next action is planned."""
        return self.model_copy(update={"acts": self.acts[1:]}) if len(self.acts) > 1 else None

    def _is_same_page(self, observation: Observation) -> bool:
        """A script may change the query of the address without loading the page, as filters of lists do."""
        url = observation.page.url
        is_same_document = bool(self.document) and _document(observation) == self.document
        is_same_url = _path(url) == _path(self.url) if is_same_document else url == self.url
        return (
            is_same_url and is_same_document == bool(self.document) and observation.overlays == self.overlays
        )


def _document(observation: Observation) -> str:
    return observation.moment.partition(":")[0]


def _path(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]
