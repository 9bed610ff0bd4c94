"""Everything that can be configured, read once from the environment or `.env` and passed by hand."""

from __future__ import annotations

import ipaddress
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

DATABASES = ("sqlite", "postgres", "postgresql", "postgresql+psycopg")

Names = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """The settings of one server. Field names in upper case are the environment's names."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True, populate_by_name=True)

    # The server
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    auth_token: SecretStr | None = None
    trusted_hosts: Names = ()
    forwarded_allow_ips: Names = ()
    data_dir: Path = Path(".data")
    database_url: str | None = None
    auto_migrate: bool | None = None
    redis_url: str | None = None
    checkpointer: Literal["database", "memory"] = "database"
    screenshot_dir: Path | None = None
    screenshot_url_prefix: str = "/api/files/screenshots"
    drain_timeout: float = Field(30, ge=0)
    retention_days: int | None = Field(None, ge=1, le=36_500)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    # The agent
    agent_mode: Literal["real", "mock"] = "real"
    agent_model: str = "anthropic:claude-haiku-5-5"
    summary_model: str | None = None
    default_agent: Literal["operator", "assistant"] = "operator"
    max_tool_steps: int = Field(10, ge=1, le=1000)
    run_timeout: float = Field(1800, gt=0)
    tool_timeout: float = Field(30, gt=0)
    model_timeout: float = Field(60, gt=0)
    model_idle_timeout: float = Field(30, gt=0)
    model_max_tokens: int = Field(8192, gt=0)
    model_output_cap: int = Field(400_000, gt=0)
    token_budget: int = Field(2_000_000, gt=0)
    cost_budget: float | None = Field(None, gt=0)
    max_runs: int = Field(200, ge=1)
    vision: Literal["auto", "always", "never"] = "auto"
    decision_timeout: float = Field(600, gt=0)
    observation_elements: int = Field(160, ge=20, le=1000)
    observation_blocks: int = Field(30, ge=0, le=200)
    observation_block_chars: int = Field(240, ge=40, le=4000)
    observation_tokens: int = Field(3300, ge=500)

    # The browser
    browser_mcp: str = "playwright"
    extra_mcp: Names = ()
    browser_executable: Path | None = None
    browser_sandbox: bool | None = None
    browser_headless: bool | None = None
    browser_profile: Literal["session", "shared", "fresh"] = "session"
    browser_layout: Literal["own", "shared"] = "own"
    browser_agent_tool: bool = False
    browser_memory: int = Field(3000, ge=200)
    max_browsers: int = Field(4, ge=1)
    session_idle_timeout: float = Field(900, gt=0)
    allowed_hosts: Names = ()
    blocked_hosts: Names = ()
    allow_private_network: bool | None = None
    downloads: bool = True

    # Providers
    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: str | None = None
    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    openai_api: Literal["auto", "responses", "chat"] = "auto"
    openrouter_api_key: SecretStr | None = None
    openrouter_base_url: str | None = None
    google_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("google_api_key", "gemini_api_key")
    )
    google_base_url: str | None = None
    ollama_base_url: str | None = None

    @field_validator(
        "trusted_hosts", "forwarded_allow_ips", "allowed_hosts", "blocked_hosts", "extra_mcp", mode="before"
    )
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object, info: object) -> object:
        """`NAME=` in an environment file means "not set"."""
        if value == "":
            name = getattr(info, "field_name", "")
            return cls.model_fields[name].get_default()
        return value

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """A misspelt one would be trusted by nobody, and nobody would be told."""
        if value == ("*",):
            return value
        try:
            return tuple(str(ipaddress.ip_network(part)) for part in value)
        except ValueError:
            raise ValueError(
                "name addresses or networks of proxies, such as 10.0.0.2 or 10.0.0.0/8"
            ) from None

    @field_validator("redis_url")
    @classmethod
    def _one_process_only(cls, value: str | None) -> str | None:
        if value:
            raise ValueError("this version runs as one process; leave REDIS_URL empty")
        return value

    @field_validator("database_url")
    @classmethod
    def _database_we_know(cls, value: str | None) -> str | None:
        scheme, _, rest = (value or "sqlite://").partition("://")
        host = rest.rpartition("@")[2].partition("/")[0].partition("?")[0]
        port = host.rpartition("]")[2].partition(":")[2]
        if scheme not in DATABASES or not (port or "0").isdecimal():
            raise ValueError("use sqlite:///file or postgresql://user:password@host:port/name")
        return value

    @property
    def database(self) -> str:
        """The SQLAlchemy URL, with the driver we use."""
        url = self.database_url or f"sqlite:///{(self.data_dir / 'pilothouse.db').resolve()}"
        for plain, driver in (
            ("postgres://", "postgresql+psycopg://"),
            ("postgresql://", "postgresql+psycopg://"),
        ):
            if url.startswith(plain):
                return driver + url.removeprefix(plain)
        return url

    @property
    def is_sqlite(self) -> bool:
        return self.database.startswith("sqlite")

    @property
    def migrates_at_start(self) -> bool:
        """The embedded SQLite file is migrated by the service; PostgreSQL only when asked."""
        return self.is_sqlite if self.auto_migrate is None else self.auto_migrate

    @property
    def is_mock(self) -> bool:
        return self.agent_mode == "mock"

    @property
    def is_public(self) -> bool:
        """True when the server can be reached from other machines."""
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"

    @property
    def private_network_allowed(self) -> bool:
        """May pages on loopback and private addresses be opened?

        By default only when the server itself is bound to loopback: there the person at the machine
        and the server are one, and local pages are their own.
        """
        if self.allow_private_network is not None:
            return self.allow_private_network
        return not self.is_public

    @property
    def headless(self) -> bool:
        """Headed where there is a display to show the window on."""
        return not self.has_display if self.browser_headless is None else self.browser_headless

    @property
    def has_display(self) -> bool:
        """Is there anything to show a window on?"""
        names = ("DISPLAY", "WAYLAND_DISPLAY")
        return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in names)

    @property
    def screenshots(self) -> Path:
        return self.screenshot_dir or self.data_dir / "screenshots"

    @property
    def profiles(self) -> Path:
        return self.data_dir / "profiles"

    @property
    def downloads_dir(self) -> Path:
        return self.data_dir / "files"
