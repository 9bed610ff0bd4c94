"""Settings changed at run time, and provider keys set in the UI."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from pydantic import SecretStr, ValidationError

from server.clock import LocaleRefused, check_locale, check_zone
from server.database.models import SettingValue
from server.errors import BadRequest, NotFound
from server.fs.secret_box import SecretBox, SecretLost
from server.ops.json_types import JsonObject
from server.settings import Settings
from server.store import Store
from wording.catalogue import Wording, joined, sentence
from wording.fault_words import fault_words

log = logging.getLogger(__name__)

CHANGEABLE = (
    "agent_model", "default_agent", "max_tool_steps", "run_timeout", "token_budget", "cost_budget", "vision",
    "decision_timeout", "allowed_hosts", "blocked_hosts", "browser_profile", "browser_headless", "max_browsers",
    "retention_days", "time_zone", "locale",
)  # fmt: skip
DEVICE = {"device_zone": ("time_zone", check_zone), "device_locale": ("locale", check_locale)}
"""What the person's browser or REPL says of itself, with the setting whose value it is while neither the person nor
the environment has set one, and its check."""
KEY_PROVIDERS = ("anthropic", "openai", "openrouter", "google")
ADDRESSES = {"openai": "openai_base_url", "ollama": "ollama_base_url"}
"""Providers that may be a server of one's own, with the setting of its address."""
NO_KEY = "no-key-needed"
"""Stored for an own server that was given none: the key of the environment belongs to another server."""


class Preferences:
    """`current`: the effective settings, which are the environment's with the user's changes applied."""

    def __init__(self, base: Settings, store: Store) -> None:
        self._base = base
        self._store = store
        self._values: dict[str, SettingValue] = {}
        self._keys: dict[str, SecretStr] = {}
        self.secrets = SecretBox(base.data_dir / "provider_keys.key")
        self._lost: dict[str, str] = {}
        """Why the stored key of a provider cannot be used."""
        self._changing = asyncio.Lock()
        """Serialises changes, because each one starts from the result of the previous one."""
        self.current = base
        self.listeners: list[Callable[[Settings], None]] = []

    async def load(self) -> None:
        self._values = {
            name: value
            for name, value in (await self._store.preferences()).items()
            if name in (*CHANGEABLE, *DEVICE, *ADDRESSES.values())
        }
        stored = await self._store.provider_keys()
        self._keys = {provider: key for provider, key in self._keys.items() if provider in stored}
        lost: dict[str, str] = {}
        for provider, ciphertext in stored.items():
            try:
                self._keys[provider] = SecretStr((await self.secrets.decrypt(ciphertext)).decode())
            except SecretLost as error:
                self._keys.pop(provider, None)
                lost[provider] = str(error)
        if lost != self._lost:
            self._lost = lost
            if lost:
                log.warning("%s", self.lost_keys)
        self.current = self._merged(self._values) if self._values or self._keys else self._base

    @property
    def lost_keys(self) -> Wording | None:
        """Why stored provider keys cannot be used, for the user; None if all can."""
        if not self._lost:
            return None
        why = next(iter(self._lost.values()))
        return sentence("keys.unreadable", providers=", ".join(self._lost), why=why)

    async def reload(self) -> None:
        """Take over what another process has changed."""
        async with self._changing:
            before = self.current
            await self.load()
            if self.current != before:
                self._use(self.current)

    async def change(self, values: Mapping[str, SettingValue | None]) -> None:
        """Change settings by name; None resets one. Raises BadRequest with the name of an invalid one."""
        unknown = values.keys() - {*CHANGEABLE, *DEVICE}
        if unknown:
            raise BadRequest(sentence("settings.fixed"))
        async with self._changing:
            _check_device(values)
            merged = {name: value for name, value in {**self._values, **values}.items() if value is not None}
            current = self._merged(merged)
            if merged == self._values:
                return  # a page that is opened again says the same of its device
            if values.get("browser_headless") is False and not current.has_display:
                raise BadRequest(sentence("settings.no_screen"))
            await self._store.set_preferences(values)
            self._values = merged
            self._use(current)

    async def set_key(self, provider: str, key: str | None) -> None:
        if provider not in KEY_PROVIDERS:
            raise NotFound(sentence("provider.unknown"))
        async with self._changing:
            if key is None:
                self._keys.pop(provider, None)
                await self._store.set_provider_key(provider, None)
            else:
                await self._store.set_provider_key(provider, await self.secrets.encrypt(key.encode()))
                self._keys[provider] = SecretStr(key)
            self._lost.pop(provider, None)
            self._use(self._merged(self._values))

    def with_provider(self, provider: str, key: str | None, address: str | None) -> Settings:
        """The settings as they would be with this key and address. Nothing is kept. Raises NotFound, BadRequest."""
        if provider not in (*KEY_PROVIDERS, *ADDRESSES) or (address and provider not in ADDRESSES):
            raise NotFound(sentence("provider.unknown"))
        if address and not address.startswith(("http://", "https://")):
            raise BadRequest(sentence("field.model_address"))
        keys = (
            {f"{provider}_api_key": SecretStr(key or NO_KEY)}
            if provider in KEY_PROVIDERS and (key or address)
            else {}
        )
        name = ADDRESSES.get(provider)
        addresses = {name: address or getattr(self._base, name)} if name else {}
        return self.current.model_copy(update={**keys, **addresses})

    async def keep_provider(
        self, provider: str, key: str | None, address: str | None, model: str | None
    ) -> None:
        """Keep what `with_provider` described; `model` becomes the one of new sessions, if given."""
        if provider in KEY_PROVIDERS and (key or address):
            await self.set_key(provider, key or NO_KEY)
        async with self._changing:
            values: dict[str, SettingValue | None] = {"agent_model": model} if model else {}
            values |= {ADDRESSES[provider]: address} if provider in ADDRESSES else {}
            merged = {name: value for name, value in {**self._values, **values}.items() if value is not None}
            current = self._merged(merged)
            await self._store.set_preferences(values)
            self._values = merged
            self._use(current)

    def key_states(self) -> dict[str, str]:
        """The source of each provider's key: environment, set (in the UI) or unset."""
        return {provider: self._key_state(provider) for provider in KEY_PROVIDERS}

    def _key_state(self, provider: str) -> str:
        if provider in self._keys:
            return "set"
        return "environment" if getattr(self._base, f"{provider}_api_key") else "unset"

    def values(self, settings: Settings) -> JsonObject:
        return {name: getattr(settings, name) for name in CHANGEABLE}

    @property
    def base(self) -> Settings:
        return self._base

    @property
    def chosen(self) -> Settings:
        """The environment's settings with those of the person: without what their device says."""
        return self._merged({name: value for name, value in self._values.items() if name not in DEVICE})

    @property
    def defaults(self) -> Settings:
        """What holds where the person has set nothing."""
        return self._merged({name: value for name, value in self._values.items() if name in DEVICE})

    def _merged(self, values: dict[str, SettingValue]) -> Settings:
        told = {
            name: values[device]
            for device, (name, _) in DEVICE.items()
            if device in values and not getattr(self._base, name)
        }
        values = told | {name: value for name, value in values.items() if name not in DEVICE}
        keys = {f"{provider}_api_key": key for provider, key in self._keys.items()}
        try:
            return Settings.model_validate(self._base.model_dump() | values | keys)
        except ValidationError as error:
            fault = error.errors()[0]
            raise BadRequest(joined((str(fault["loc"][0]), fault_words(fault)), ": ")) from error

    def _use(self, settings: Settings) -> None:
        self.current = settings
        for listener in self.listeners:
            listener(settings)


def _check_device(values: Mapping[str, SettingValue | None]) -> None:
    """Raises BadRequest. What is stored has to be right also while it is not used."""
    for name, (_, check) in DEVICE.items():
        if (value := values.get(name)) is not None:
            try:
                check(str(value))
            except LocaleRefused as refused:
                raise BadRequest(sentence("field.device", field=name, why=refused.why)) from refused
