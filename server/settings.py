"""All settings, read once from the environment or `.env` and passed as arguments."""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

DATABASES = ("sqlite", "postgres", "postgresql", "postgresql+psycopg")

PICTURE_PATH = re.compile(r"(/(?!\.+(/|$))[A-Za-z0-9._~-]+)+")
PAGES = frozenset({"s", "login", "settings", "assets", "ws", "events", "docs", "openapi.json"})
"""First parts of addresses that are the web UI's or the API's."""
MOST_FILES = 10_000
"""The server does not ask for more, however many the system allows."""

Names = Annotated[tuple[str, ...], NoDecode]


def file_limit() -> int:
    """How many files and connections this process may have open at a time."""
    if sys.platform == "win32":
        return 8192
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_FILES if soft == resource.RLIM_INFINITY else min(soft, MOST_FILES)


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
    min_free_disk: int = Field(500, ge=0)
    database_url: str | None = None
    auto_migrate: bool | None = None
    redis_url: str | None = None
    checkpointer: Literal["database", "memory"] = "database"
    screenshot_dir: Path | None = None
    screenshot_url_prefix: str = "/api/files/screenshots"
    drain_timeout: float = Field(30, ge=0)
    retention_days: int | None = Field(None, ge=1, le=36_500)
    max_streams: int | None = Field(None, ge=1)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_thoughts: bool = False

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
    token_budget: int = Field(2_000_000, gt=0)
    cost_budget: float | None = Field(None, gt=0)
    max_runs: int = Field(200, ge=1)
    vision: Literal["auto", "always", "never"] = "auto"
    decision_timeout: float = Field(600, gt=0)

    # The browser
    browser_mcp: str = "playwright"
    extra_mcp: Names = ()
    extra_mcp_allow: Names = ()
    browser_executable: Path | None = None
    browser_sandbox: bool | None = None
    browser_headless: bool | None = None
    browser_profile: Literal["session", "shared", "fresh"] = "session"
    browser_layout: Literal["own", "shared"] = "own"
    browser_agent_tool: bool = False
    browser_memory: int = Field(3000, ge=200)
    browser_disk: int = Field(2000, ge=50)
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

    # Tracing
    langsmith_tracing: bool = False
    langsmith_api_key: SecretStr | None = None
    langsmith_endpoint: str | None = None
    langsmith_project: str | None = None

    @field_validator(
        "trusted_hosts", "forwarded_allow_ips", "allowed_hosts", "blocked_hosts", "extra_mcp", "extra_mcp_allow",
        mode="before",
    )  # fmt: skip
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
        """A misspelt address would be ignored without a warning."""
        if value == ("*",):
            return value
        try:
            return tuple(str(ipaddress.ip_network(part)) for part in value)
        except ValueError:
            raise ValueError(
                "name addresses or networks of proxies, such as 10.0.0.2 or 10.0.0.0/8"
            ) from None

    @field_validator("screenshot_url_prefix")
    @classmethod
    def _path_of_its_own(cls, value: str) -> str:
        """A path on this server: pictures need its login. The web UI's own pages stay where they are."""
        path = value.rstrip("/")
        if not PICTURE_PATH.fullmatch(path) or path == "/api" or path.split("/")[1] in PAGES:
            raise ValueError("use a path of its own on this server, such as /pics")
        return path

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
    def agent_tool_problem(self) -> str | None:
        """Why BROWSER_AGENT_TOOL has no effect, as a sentence; None when it has one, or is not set."""
        if not self.browser_agent_tool:
            return None
        if self.browser_mcp != "browser-use":
            return "BROWSER_AGENT_TOOL is set, but only the server browser-use has such tools (BROWSER_MCP)."
        if self.openai_api_key is None:
            return "BROWSER_AGENT_TOOL is set, but its tools call OpenAI: without OPENAI_API_KEY they are not offered."
        return None

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
    def private_network(self) -> Literal["always", "by name", "never"]:
        """For which names pages on loopback and private addresses are opened.

        Unless it is set: on a loopback bind for names that can only be private (see browser/chromium/reach.py), because there
        the person at the machine and the server are one and local pages are their own; else for none.
        """
        if self.allow_private_network is None:
            return "never" if self.is_public else "by name"
        return "always" if self.allow_private_network else "never"

    @property
    def headless(self) -> bool:
        """Always without a display: there is nothing to show a window on."""
        return not self.has_display or bool(self.browser_headless)

    @property
    def has_display(self) -> bool:
        """Is there anything to show a window on?"""
        names = ("DISPLAY", "WAYLAND_DISPLAY")
        return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in names)

    @property
    def stream_limit(self) -> int:
        """How many streams (SSE and WebSocket) may be open at a time; each takes a file of the process."""
        return self.max_streams or file_limit() // 2

    @property
    def screenshots(self) -> Path:
        return self.screenshot_dir or self.data_dir / "screenshots"

    @property
    def profiles(self) -> Path:
        return self.data_dir / "profiles"

    @property
    def downloads_dir(self) -> Path:
        return self.data_dir / "files"
