"""All settings, read once from the environment or `.env` and passed as arguments."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import sys
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.clock import check_locale, check_zone

DATABASES = ("sqlite", "postgres", "postgresql", "postgresql+psycopg")

PICTURE_PATH = re.compile(r"(/(?!\.+(/|$))[A-Za-z0-9._~-]+)+")
WEB_PATHS = frozenset(
    {
        "s",
        "inbox",
        "automations",
        "login",
        "settings",
        "oauth",
        "assets",
        "ws",
        "events",
        "docs",
        "openapi.json",
    }
)
"""First parts of addresses that are the web UI's or the API's."""
MAX_OPEN_FILES = 10_000
"""The server does not ask for more, however many the system allows."""

SECTIONS = {
    "host": ("The server", "Where it listens, what it keeps and where, and its limits."),
    "agent_mode": ("The agent", "The model, and the limits of what it does for one message."),
    "browser_mcp": ("The browser", "How browsers are started, and what they may reach."),
    "anthropic_api_key": (
        "Providers",
        "Keys and addresses of model providers, under their usual names. Unset addresses are the provider's own.",
    ),
    "langsmith_tracing": (
        "Tracing",
        "Traces of runs at LangSmith. Its further variables are read from the environment of the process only.",
    ),
}
"""Sections of docs/settings.md: title and introduction, by the name of the section's first field."""

Names = Annotated[tuple[str, ...], NoDecode]


def file_limit() -> int:
    """How many files and connections this process may have open at a time."""
    if sys.platform == "win32":
        return 8192
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_OPEN_FILES if soft == resource.RLIM_INFINITY else min(soft, MAX_OPEN_FILES)


def _split_names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


class Settings(BaseSettings):
    """The settings of one server. Field names in upper case are the environment's names.

    The fields' descriptions are written into docs/settings.md and .env.example by `scripts/describe_settings.py`.
    """

    model_config = SettingsConfigDict(
        env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True, populate_by_name=True
    )

    # The server
    host: str = Field(
        "127.0.0.1", description="Address to listen on. Anything but loopback needs `AUTH_TOKEN`."
    )
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on.")
    auth_token: SecretStr | None = Field(
        None,
        description="The password of the login page and the bearer token. Unset: one is made on the first start, kept in "
        "`DATA_DIR/auth_token` and shown if the output is a terminal.",
    )
    trusted_hosts: Names = Field(
        (), description="Further host names under which the server is reached, for example behind a proxy."
    )
    forwarded_allow_ips: Names = Field(
        (),
        description="Addresses or networks of reverse proxies, such as `10.0.0.2` or `172.16.0.0/12`, whose "
        "`X-Forwarded-For` and `X-Forwarded-Proto` are believed. Unset: none. `*` believes every peer: only where "
        "nothing but the proxy can connect.",
    )
    auth_users: Names = Field(
        (),
        description="You, as the other ways to log in name you: the value of `AUTH_PROXY_HEADER`, or the subject or verified "
        "e-mail address that `OIDC_ISSUER` gives. All names here are one person, who has full access.",
    )
    auth_proxy_header: str | None = Field(
        None,
        description="Header in which a proxy that logs people in names them, such as `Remote-User`. It is believed from "
        "`AUTH_PROXIES` only; a request with it from elsewhere is refused and logged. Needs `AUTH_PROXIES` and `AUTH_USERS`.",
    )
    auth_proxies: Names = Field(
        (),
        description="Addresses or networks of the proxies that may set `AUTH_PROXY_HEADER`, such as `10.0.0.2`.",
    )
    oidc_issuer: str | None = Field(
        None,
        description="Address of an OpenID Connect provider, such as `https://auth.example`: offers a login there. Its client "
        "has the redirect address `PUBLIC_URL/api/auth/oidc/callback`. Needs `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` and "
        "`AUTH_USERS`.",
    )
    oidc_client_id: str | None = Field(None, description="With `OIDC_ISSUER`: the client's id there.")
    oidc_client_secret: SecretStr | None = Field(None, description="With `OIDC_ISSUER`: the client's secret.")
    public_url: str | None = Field(
        None,
        description="Address under which you open this server, such as `https://pilot.example`: for links in messages to "
        "your channels. Its host is then trusted as one of `TRUSTED_HOSTS`. May have a path, such as "
        "`https://host.example/pilot`, below which a proxy serves it. Unset: `http://HOST:PORT`.",
    )
    push_contact: str | None = Field(
        None,
        description="Whom push services can write to about this server, such as `mailto:me@host.example`: some, as Apple, "
        "refuse pushes without a contact that exists. Unset: `PUBLIC_URL` if it is https and public.",
    )
    data_dir: Path = Field(
        Path(".data"),
        description="Folder of the database file, pictures, browser profiles and secrets. A relative path is below the folder in which the server is started.",
    )
    min_free_disk: int = Field(
        500,
        ge=0,
        description="MB of the disk of `DATA_DIR` that are kept free. With less, `/api/ready` is 503, no browser is "
        "started, and one whose profile is larger than 200 MB is ended. 0 switches that off.",
    )
    database_url: str | None = Field(
        None,
        description="`sqlite:///file` or `postgresql://user:password@host/name`. Unset: an SQLite file in `DATA_DIR`.",
    )
    auto_migrate: bool | None = Field(
        None,
        description="Bring the schema up to date at start. Unset: true for SQLite; for PostgreSQL run "
        "`python -m server migrate`, as always with `REDIS_URL`.",
    )
    redis_url: str | None = Field(
        None,
        description="`redis://host:6379/0` (Redis 6.2 or Valkey): several processes share the database "
        "([scaling.md](scaling.md)). Needs PostgreSQL. Unset: this process is the only one on its database.",
    )
    role: Literal["all", "web", "worker"] = Field(
        "all",
        description="What this process does: `web` serves the web UI and the API, `worker` executes runs and has browsers, "
        "`all` does both. `web` and `worker` need `REDIS_URL`.",
    )
    run_lease: float = Field(
        20,
        ge=3,
        le=600,
        description="With `REDIS_URL` or `BROWSER_POOL`: seconds without a sign of life after which another worker continues a "
        "worker's runs, and a browser host does nothing more for it.",
    )
    browser_pool: str = Field(
        "local",
        description="Where browsers run: `local`, or comma-separated addresses of browser hosts, such as "
        "`http://browser-1:9200` ([scaling.md](scaling.md)). Each address is one host, which keeps the profiles of its "
        "sessions. Needs `BROWSER_SECRET`.",
    )
    browser_secret: SecretStr | None = Field(
        None,
        description="With `BROWSER_POOL`: the secret of 16 or more characters that browser hosts and the processes that use "
        "them share.",
    )
    browser_keep: float = Field(
        120,
        ge=0,
        le=86_400,
        description="On a browser host: seconds that a browser stays open for the next process when the one that used it is "
        "gone.",
    )
    worker_url: str | None = Field(
        None,
        description="With `REDIS_URL`: address under which the other processes reach this worker, for live view and "
        "take-over. Unset: `http://HOST:PORT`, or the machine's name if `HOST` is `0.0.0.0` or `::`.",
    )
    checkpointer: Literal["database", "memory"] = Field(
        "database",
        description="Where agent state is kept. `memory` keeps it for the life of the process only.",
    )
    screenshot_dir: Path | None = Field(
        None, description="Folder where pictures are kept. Unset: `DATA_DIR/screenshots`."
    )
    screenshot_url_prefix: str = Field(
        "/api/files/screenshots",
        description="The path that pictures have on this server, such as `/pics`; it needs a login, too. "
        "Pictures that were stored under another value stay where they are.",
    )
    drain_timeout: float = Field(
        30, ge=0, description="Seconds that runs have to end in when the server is stopped."
    )
    retention_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="Sessions untouched for more days are removed for good, pinned ones are kept. Unset keeps all. The "
        "server trusts its date only as far as the newest stored change and its own uptime prove it, so a wrong date "
        "removes nothing, and after a long time off sessions are removed late.",
    )
    max_streams: int | None = Field(
        None,
        ge=1,
        description="Streams (SSE and WebSocket) open at a time; the next gets 503 and `Retry-After`. Unset: half of the "
        "limit of open files, which the server raises to 10,000 where the system allows it. Three quarters of that limit "
        "are connections, more are refused.",
    )
    time_zone: str | None = Field(
        None,
        description="Time zone of the person, such as `Europe/Berlin`: of the dates that the agent is told, of the clock of "
        "its pages, of times in exports. Unset: that of the web UI or REPL that was opened last; before that, the server's.",
    )
    locale: str | None = Field(
        None,
        description="Language of the person, such as `de` or `pt-BR`, for the agent and for the pages that it opens. Unset: "
        "that of the web UI that was opened last; before that, Chromium's own.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO",
        description="`INFO` shows each step and its reason, `DEBUG` each move of the operator in full.",
    )
    log_thoughts: bool = Field(
        False,
        description='Log the model\'s thoughts, at `INFO`, for both agents. Texts typed into pages, words after "password" '
        "and the like and long numbers are masked; other things that a person wrote may be in it.",
    )

    # The agent
    agent_mode: Literal["real", "mock"] = Field(
        "real",
        description="`mock` replaces model and browser by scripted ones: for tests and for work on the UI.",
    )
    agent_model: str = Field("anthropic:claude-haiku-5-5", description="`provider:model` of new sessions.")
    fallback_model: str | None = Field(
        None,
        description="The model that is asked where a session's own fails: after its tries with no credit, a refused key, an unknown "
        "name, too many requests, an error or silence of its provider, or an answer that broke off before it was shown. The first is "
        "tried again after 10 minutes. Not for refusals of content.",
    )
    summary_model: str | None = Field(
        None,
        description="The model that names a session after its first answer, by one short call. Unset: the session's own; "
        "`off` keeps the first words. A name that you gave stays. Demo and mock models name nothing.",
    )
    default_agent: Literal["operator", "assistant"] = Field(
        "operator",
        description="`operator` plans, looks, asks and acts; `assistant` calls the browser's tools freely.",
    )
    max_tool_steps: int = Field(
        10,
        ge=1,
        le=1000,
        description="Actions for one message. Then the agent sums up and asks whether to continue.",
    )
    run_timeout: float = Field(1800, gt=0, description="Seconds of work for one message, pauses not counted.")
    tool_timeout: float = Field(30, gt=0, description="Seconds for one browser call.")
    model_timeout: float | None = Field(
        None,
        gt=0,
        description="Seconds until the model's first token. Unset: 60, and 300 at a server of your own, where a comment that "
        "keeps the connection open begins the time anew.",
    )
    model_idle_timeout: float = Field(30, gt=0, description="Seconds between two tokens of the model.")
    model_max_tokens: int = Field(
        8192,
        gt=0,
        description="Tokens of the longest answer of one model call. An answer is cut off at 400,000 characters at any value.",
    )
    token_budget: int = Field(
        2_000_000, gt=0, description="Tokens for one message. Then the agent sums up and asks."
    )
    cost_budget: float | None = Field(
        None,
        gt=0,
        description="US dollars for one message, where the model's price is known. Then the agent sums up and asks. "
        "Unset: no limit.",
    )
    max_runs: int = Field(200, ge=1, description="Runs at a time; further ones wait in a queue.")
    vision: Literal["auto", "always", "never"] = Field(
        "auto",
        description="When pictures are sent to models that take them: `always`, `never`, or `auto`, at the first look at a "
        "page and when a picture says more than its text.",
    )
    decision_timeout: float = Field(600, gt=0, description="Seconds for which an approval is valid.")

    # The browser
    browser_mcp: str = Field(
        "playwright",
        description="`playwright`, `browser-use`, or the command or URL of another MCP server. `NAME={endpoint} command` "
        "starts it with the DevTools address of a Chromium of ours in the variable `NAME`.",
    )
    extra_mcp: Names = Field(
        (),
        description="Further MCP servers, as `name=command` or `name=url` ([mcp.md](mcp.md)). Others are added in the "
        "settings page.",
    )
    extra_mcp_allow: Names = Field(
        (),
        description="Tools of `EXTRA_MCP`, and further ones of a `BROWSER_MCP` of your own, that are used without a "
        "question ([mcp.md](mcp.md)), such as `files_read_file`.",
    )
    mcp_commands: bool = Field(
        False,
        description="Whether MCP servers that are started by a command may be added in the settings page. Who is logged "
        "in can then start any program as this server's user.",
    )
    browser_executable: Path | None = Field(None, description="The Chromium to start. Unset: the one found.")
    browser_sandbox: bool | None = Field(
        None,
        description="Chromium's own sandbox. `false` where the system refuses it, as containers do. Unset: off for root.",
    )
    browser_headless: bool | None = Field(
        None,
        description="`true` shows no window, also where there is a display. Without a display (`DISPLAY`, "
        "`WAYLAND_DISPLAY`) browsers always run headless, which the log says at start; the live view is the same.",
    )
    browser_profile: Literal["session", "shared", "fresh"] = Field(
        "session",
        description="`session` keeps logins per session, `fresh` starts empty each time. `shared` is one for all: what one "
        "session's browser learns (logins, history) is copied to the others, and stays when that session is deleted; it "
        "is removed with the last session that has a browser profile. To share the login of one site only, stay signed in "
        "there instead.",
    )
    browser_agent_tool: bool = Field(
        False,
        description="Offer browser-use's own unsupervised agent as a tool. Needs `OPENAI_API_KEY`.",
    )
    browser_memory: int = Field(
        3000, ge=200, description="MB that one session's browser may use. Above, its heaviest page is ended."
    )
    browser_disk: int = Field(
        2000,
        ge=50,
        description="MB that the profile of one session's browser may have on disk. Above, the browser is ended and what "
        "sites stored is removed, cookies only if that is not enough.",
    )
    max_browsers: int = Field(
        4,
        ge=1,
        description="Browsers open at a time. Further sessions wait in a queue, for one that is not needed or until a run "
        "ends.",
    )
    session_idle_timeout: float = Field(
        900, gt=0, description="Seconds after which an idle browser is parked. Its profile is kept."
    )
    allowed_hosts: Names = Field(
        (), description="Hosts that the browser may open, with their subdomains. Unset: all."
    )
    blocked_hosts: Names = Field(
        (), description="Hosts that the browser may never open, with their subdomains."
    )
    allow_private_network: bool | None = Field(
        None,
        description="Whether pages on loopback and private addresses may be opened: `true` under any name, `false` under "
        "none but `ALLOWED_HOSTS`. Unset, while the server listens on loopback: under names that only this network can "
        "give, such as `localhost`, `nas`, `wiki.local` or `192.168.1.5` ([list](decisions/0008-private-network.md)); "
        "else under none.",
    )
    sample_site: bool = Field(
        True,
        description="Offer the sample site, a made-up shop with mail, calendar, price list and login, to this server's own "
        "browsers, at `http://sample.localhost`. It listens on no port. Browser hosts do not reach it.",
    )
    downloads: bool = Field(True, description="Keep downloads, at most 25 MB each and 50 a session.")

    vault: bool = Field(
        True,
        description="Store logins that the agents can use without seeing them ([vault.md](vault.md)). `false`: none are "
        "stored, and those that are there are not used.",
    )
    vault_lock: bool = Field(
        False,
        description="The key of the stored logins is encrypted by a passphrase, for which the server asks once after each "
        "start. Until then what needs a login waits.",
    )
    vault_offer_save: bool = Field(
        True,
        description="Offer to store the login with which you signed in while you had the browser. `false`: what you type "
        "there is not read.",
    )

    # Providers
    anthropic_api_key: SecretStr | None = Field(None, description="Key of Anthropic.")
    anthropic_base_url: str | None = Field(None, description="Another address of Anthropic's API.")
    openai_api_key: SecretStr | None = Field(None, description="Key of OpenAI, or of a compatible server.")
    openai_base_url: str | None = Field(
        None, description="Address of a server that is compatible with OpenAI's API."
    )
    openai_api: Literal["auto", "responses", "chat"] = Field(
        "auto",
        description="Which of OpenAI's APIs is used. `auto`: Responses at OpenAI, Chat Completions elsewhere.",
    )
    openai_structured: Literal["auto", "tool", "schema", "json"] = Field(
        "auto",
        description="How the operator asks a server of Chat Completions for a move: a forced `tool`, a JSON `schema`, or "
        "plain `json`. `auto` tries them in this order and remembers what gave a move, until the next start.",
    )
    openrouter_api_key: SecretStr | None = Field(None, description="Key of OpenRouter.")
    openrouter_base_url: str | None = Field(None, description="Another address of OpenRouter's API.")
    google_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("google_api_key", "gemini_api_key"),
        description="Key of Google. Either name works.",
    )
    google_base_url: str | None = Field(None, description="Another address of Google's API.")
    ollama_base_url: str | None = Field(
        None,
        description="Address of Ollama, which is used with a context of 16,384 tokens. Unset: `http://127.0.0.1:11434`.",
    )

    # Tracing
    langsmith_tracing: bool = Field(
        False,
        description="`true` sends every run to LangSmith: prompts, page texts and answers leave this machine.",
    )
    langsmith_api_key: SecretStr | None = Field(None, description="Key of LangSmith.")
    langsmith_endpoint: str | None = Field(
        None,
        description="Another address of LangSmith's API, for example of a server of your own. Unset: LangSmith's own.",
    )
    langsmith_project: str | None = Field(
        None, description="The project under which the runs are filed. Unset: `default`."
    )

    @field_validator(
        "trusted_hosts", "forwarded_allow_ips", "auth_users", "auth_proxies", "allowed_hosts", "blocked_hosts", "extra_mcp", "extra_mcp_allow",
        mode="before",
    )  # fmt: skip
    @classmethod
    def _split(cls, value: object) -> object:
        return _split_names(value) if isinstance(value, str) else value

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        return None if value is None else check_zone(value)

    @field_validator("locale")
    @classmethod
    def _known_locale(cls, value: str | None) -> str | None:
        return None if value is None else check_locale(value)

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

    @field_validator("auth_proxies")
    @classmethod
    def _named_proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Not all addresses: any client could then name the person."""
        try:
            networks = [ipaddress.ip_network(part) for part in value]
        except ValueError:
            networks = []
        if len(networks) < len(value) or any(network.prefixlen == 0 for network in networks):
            raise ValueError("name addresses or networks of proxies, such as 10.0.0.2 or 10.0.0.0/8")
        return tuple(map(str, networks))

    @field_validator("auth_proxy_header")
    @classmethod
    def _header_of_its_own(cls, value: str | None) -> str | None:
        """Not one that browsers and other proxies send anyway."""
        taken = ("host", "origin", "cookie", "authorization", "user-agent", "forwarded", "referer")
        if value and (not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", value) or value.lower() in taken):
            raise ValueError("use a header of its own, such as Remote-User")
        return value

    @field_validator("oidc_issuer")
    @classmethod
    def _issuer(cls, value: str | None) -> str | None:
        if value and not re.match(
            r"https://[^\s/?#@]+|http://(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(/|$)", value
        ):
            raise ValueError("use an https address, such as https://auth.example")
        return value

    @model_validator(mode="after")
    def _check_ways_to_log_in(self) -> Settings:
        needs = {
            "auth_proxy_header": ("auth_proxies", "auth_users"),
            "oidc_issuer": ("oidc_client_id", "oidc_client_secret", "auth_users"),
        }
        for name, needed in needs.items():
            if missing := [
                part.upper() for part in needed if getattr(self, name) and not getattr(self, part)
            ]:
                raise ValueError(f"{name.upper()} needs {' and '.join(missing)}")
        return self

    @field_validator("screenshot_url_prefix")
    @classmethod
    def _path_of_its_own(cls, value: str) -> str:
        """A path on this server: pictures need its login. The web UI's own pages stay where they are."""
        path = value.rstrip("/")
        if not PICTURE_PATH.fullmatch(path) or path == "/api" or path.split("/")[1] in WEB_PATHS:
            raise ValueError("use a path of its own on this server, such as /pics")
        return path

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str | None) -> str | None:
        """A path has plain characters only, and none of the names that the server itself has at its top."""
        if value and not re.fullmatch(r"https?://[^\s/?#@]+(/[\w~.-]+)*/?", value, re.ASCII):
            raise ValueError("use an address such as https://pilot.example or https://host.example/pilot")
        return value.rstrip("/") if value else value

    @field_validator("push_contact")
    @classmethod
    def _check_push_contact(cls, value: str | None) -> str | None:
        if value and not re.fullmatch(r"mailto:[^\s@]+@[^\s@]+\.[^\s@]+|https://\S+", value):
            raise ValueError("use mailto:name@host.example or an https address")
        return value

    @field_validator("redis_url")
    @classmethod
    def _check_redis_url(cls, value: str | None) -> str | None:
        if value and not re.match(r"(redis|rediss|unix)://", value):
            raise ValueError("use redis://host:port/number")
        return value

    @field_validator("worker_url")
    @classmethod
    def _check_worker_url(cls, value: str | None) -> str | None:
        if value and not re.fullmatch(r"https?://[^\s/?#@]+/?", value):
            raise ValueError("use an address without a path, such as http://worker-1:8000")
        return value.rstrip("/") if value else value

    @field_validator("browser_pool")
    @classmethod
    def _check_browser_hosts(cls, value: str) -> str:
        hosts = _split_names(value)
        if hosts == ("local",):
            return "local"
        if not hosts or not all(re.fullmatch(r"https?://[^\s/?#@]+/?", host) for host in hosts):
            raise ValueError("use local, or addresses without a path, such as http://browser-1:9200")
        return ",".join(host.rstrip("/") for host in hosts)

    @model_validator(mode="after")
    def _check_hosts(self) -> Settings:
        secret = self.browser_secret.get_secret_value() if self.browser_secret else None
        if secret is not None and len(secret) < 16:
            raise ValueError("BROWSER_SECRET needs 16 or more characters")
        if not self.browser_hosts:
            return self
        if secret is None:
            raise ValueError("BROWSER_POOL needs BROWSER_SECRET")
        if self.browser_profile == "shared":
            raise ValueError("BROWSER_POOL needs BROWSER_PROFILE=session or fresh")
        return self

    @model_validator(mode="after")
    def _check_roles(self) -> Settings:
        if self.role != "all" and not self.redis_url:
            raise ValueError(f"ROLE={self.role} needs REDIS_URL")
        faults = (
            (self.is_sqlite, "REDIS_URL needs PostgreSQL as DATABASE_URL"),
            (self.auth_token is None, "REDIS_URL needs AUTH_TOKEN, the same for all processes"),
            (self.checkpointer == "memory", "REDIS_URL needs CHECKPOINTER=database"),
            (self.auto_migrate, "with REDIS_URL run `python -m server migrate` once instead of AUTO_MIGRATE=true"),
        )  # fmt: skip
        for is_so, fault in faults if self.redis_url else ():
            if is_so:
                raise ValueError(fault)
        return self

    @field_validator("database_url")
    @classmethod
    def _check_database_url(cls, value: str | None) -> str | None:
        scheme, _, rest = (value or "sqlite://").partition("://")
        host = rest.rpartition("@")[2].partition("/")[0].partition("?")[0]
        port = host.rpartition("]")[2].partition(":")[2]
        if scheme not in DATABASES or not (port or "0").isdecimal():
            raise ValueError("use sqlite:///file or postgresql://user:password@host:port/name")
        return value

    @property
    def base_path(self) -> str:
        """The path of PUBLIC_URL, below which pages and API are; "" if it has none."""
        return urlsplit(self.public_url or "").path

    @property
    def public_address(self) -> str:
        """The address of the web UI in messages, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def is_shared(self) -> bool:
        """Whether other processes use the same database at the same time."""
        return self.redis_url is not None

    @property
    def browser_hosts(self) -> tuple[str, ...]:
        """Addresses of browser hosts; empty if browsers run on this machine."""
        return () if self.browser_pool == "local" else _split_names(self.browser_pool)

    @property
    def own_address(self) -> str:
        """The address under which the other processes reach this one."""
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return self.worker_url or f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

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
    def sample_site_state(self) -> Literal["here", "out of reach", "off"]:
        """Whether the browsers reach the sample site; only those of this process's own kinds do."""
        if not self.sample_site or self.is_mock:
            return "off"
        is_allowed = not self.allowed_hosts or bool({"localhost", "sample.localhost"} & {*self.allowed_hosts})
        is_near = not self.browser_hosts and self.browser_mcp in ("playwright", "browser-use")
        return "here" if is_near and is_allowed else "out of reach"

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
    def browsers_dir(self) -> Path:
        """Notes on browser processes, and their scratch space: of this process alone."""
        place = self.data_dir / "browsers"
        return place / f"{socket.gethostname()}-{self.port}" if self.is_shared else place

    @property
    def private_dir(self) -> Path:
        return self.data_dir / "private"

    @property
    def downloads_dir(self) -> Path:
        return self.data_dir / "files"
