"""The models that are offered, the one that is used by default, and why that is not the configured one."""

from __future__ import annotations

from collections.abc import Callable

from server.agent.models.catalog import OfferedModel
from server.agent.models.chat_model import (
    DEMO,
    is_demo,
    is_known,
    is_ready,
    model_choices,
    unknown_words,
)
from server.errors import BadRequest
from server.settings import Settings
from wording.catalogue import Wording, joined, sentence

MOCK_MODEL = "mock:scripted"
MAX_NAME_CHARS = 200


class ModelMenu:
    """`settings` returns the current ones: users change keys and models while the server runs.

    `built_in`: the label of the demo model; None if there is none.
    """

    def __init__(self, settings: Callable[[], Settings], built_in: str | None = None) -> None:
        self._settings = settings
        self._built_in = built_in

    @property
    def default(self) -> str:
        """The configured model; the built-in one if the other cannot be used, such as without a key."""
        settings = self._settings()
        if settings.is_mock:
            return MOCK_MODEL
        return settings.agent_model if self._is_usable or not self._built_in else DEMO

    @property
    def why_not_configured(self) -> Wording | None:
        """Why the configured model cannot be used; None if it can."""
        name = self._settings().agent_model
        if self._settings().is_mock or self._is_usable:
            return None
        why = sentence("keys.none", provider=name) if is_known(name) else unknown_words(name)
        return joined((why, sentence("notice.demo"))) if self._built_in else why

    @property
    def _is_usable(self) -> bool:
        settings = self._settings()
        return self._is_built_in(settings.agent_model) or is_ready(settings.agent_model, settings)

    def _is_built_in(self, name: str) -> bool:
        return bool(self._built_in) and is_demo(name)

    def check(self, name: str, field: str) -> None:
        """Raises BadRequest, its text prefixed with `field`, if the name is too long or has no provider."""
        is_scripted = self._settings().is_mock and name.partition(":")[0] == MOCK_MODEL.partition(":")[0]
        if len(name) > MAX_NAME_CHARS:
            raise BadRequest(sentence("model.long_name", field=field, n=MAX_NAME_CHARS))
        if not (is_scripted or self._is_built_in(name) or is_known(name)):
            raise BadRequest(sentence("field.model", field=field, why=unknown_words(name)))

    def offered(self) -> list[OfferedModel]:
        """The providers' models, then the built-in one."""
        if self._settings().is_mock:
            return [OfferedModel(MOCK_MODEL, "mock", "Mock (scripted)", ready=True)]
        models = model_choices(self._settings())
        if self._built_in:
            models.append(OfferedModel(DEMO, DEMO, self._built_in, ready=True, vision=False, demo=True))
        return models

    def first_of(self, provider: str) -> str:
        """The first offered model of the provider; "" if it has none."""
        return next((model.id for model in self.offered() if model.provider == provider), "")
