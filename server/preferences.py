"""Settings changed at run time, and provider keys set in the UI."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pydantic import SecretStr, ValidationError

from server.database.models import SettingValue
from server.errors import BadRequest, NotFound
from server.fs import secret_file
from server.ops.json_types import JsonObject
from server.settings import Settings
from server.store import Store

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

CHANGEABLE = (
    "agent_model", "default_agent", "max_tool_steps", "run_timeout", "token_budget", "cost_budget", "vision",
    "decision_timeout", "allowed_hosts", "blocked_hosts", "browser_profile", "browser_headless", "max_browsers",
    "retention_days",
)  # fmt: skip
PROVIDERS = ("anthropic", "openai", "openrouter", "google")


class Preferences:
    """`current`: the effective settings, which are the environment's with the user's changes applied."""

    def __init__(self, base: Settings, store: Store) -> None:
        self._base = base
        self._store = store
        self._values: dict[str, SettingValue] = {}
        self._keys: dict[str, SecretStr] = {}
        self._fernet: Fernet | None = None
        self._changing = asyncio.Lock()
        """Serialises changes, because each one starts from the result of the previous one."""
        self.current = base
        self.listeners: list[Callable[[Settings], None]] = []

    async def load(self) -> None:
        self._values = {
            name: value for name, value in (await self._store.preferences()).items() if name in CHANGEABLE
        }
        stored = await self._store.provider_keys()
        self._keys = {provider: key for provider, key in self._keys.items() if provider in stored}
        if stored:
            from cryptography.fernet import InvalidToken  # 6 MB, of use where a key is stored

            fernet = await self.open_fernet()
            for provider, ciphertext in stored.items():
                try:
                    self._keys[provider] = SecretStr(fernet.decrypt(ciphertext).decode())
                except InvalidToken:
                    continue  # the key file was replaced: the provider's key has to be set again
        self.current = self._merged(self._values) if self._values or self._keys else self._base

    async def reload(self) -> None:
        """Take over what another process has changed."""
        async with self._changing:
            before = self.current
            await self.load()
            if self.current != before:
                self._use(self.current)

    async def change(self, values: Mapping[str, SettingValue | None]) -> None:
        """Change settings by name; None resets one. Raises BadRequest with the name of an invalid one."""
        unknown = values.keys() - set(CHANGEABLE)
        if unknown:
            raise BadRequest(f"These settings cannot be changed here: {', '.join(sorted(unknown))}.")
        async with self._changing:
            merged = {name: value for name, value in {**self._values, **values}.items() if value is not None}
            current = self._merged(merged)
            if values.get("browser_headless") is False and not current.has_display:
                raise BadRequest("browser_headless: The server's machine has no screen to show a window on.")
            await self._store.set_preferences(values)
            self._values = merged
            self._use(current)

    async def set_key(self, provider: str, key: str | None) -> None:
        if provider not in PROVIDERS:
            raise NotFound("There is no such provider.")
        async with self._changing:
            if key is None:
                self._keys.pop(provider, None)
                await self._store.set_provider_key(provider, None)
            else:
                fernet = await self.open_fernet()
                await self._store.set_provider_key(provider, fernet.encrypt(key.encode()))
                self._keys[provider] = SecretStr(key)
            self._use(self._merged(self._values))

    def key_states(self) -> dict[str, str]:
        """The source of each provider's key: environment, set (in the UI) or unset."""
        return {provider: self._key_state(provider) for provider in PROVIDERS}

    def _key_state(self, provider: str) -> str:
        if provider in self._keys:
            return "set"
        return "environment" if getattr(self._base, f"{provider}_api_key") else "unset"

    def values(self, settings: Settings) -> JsonObject:
        return {name: getattr(settings, name) for name in CHANGEABLE}

    @property
    def base(self) -> Settings:
        return self._base

    def _merged(self, values: dict[str, SettingValue]) -> Settings:
        keys = {f"{provider}_api_key": key for provider, key in self._keys.items()}
        try:
            return Settings.model_validate(self._base.model_dump() | values | keys)
        except ValidationError as error:
            fault = error.errors()[0]
            raise BadRequest(f"{fault['loc'][0]}: {fault['msg']}") from error

    def _use(self, settings: Settings) -> None:
        self.current = settings
        for listener in self.listeners:
            listener(settings)

    async def open_fernet(self) -> Fernet:
        """The key of what is stored encrypted; it is made at the first use, and kept outside the database."""
        if self._fernet is None:
            from cryptography.fernet import Fernet

            path = self._base.data_dir / "provider_keys.key"
            key, _ = await asyncio.to_thread(
                secret_file.load_or_make, path, lambda: Fernet.generate_key().decode()
            )
            self._fernet = Fernet(key.encode())
        return self._fernet
