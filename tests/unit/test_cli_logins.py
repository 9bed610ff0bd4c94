"""The prompt's `/logins`, `/login` and `/vault`: what is asked for, what is sent, what is shown."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from cli.commands.parser import parse
from cli.commands.syntax import Call
from cli.errors import UsageError
from cli.screen.render import THEME

LOGIN = {
    "title": "Shop", "site": "shop.example", "account": "a...@mail.example", "uses": 3,
    "grant": {"sessions": [{"id": "s", "name": "Buying"}], "automations": []},
}  # fmt: skip
ENTRY = {
    "at": "2026-11-28T10:00:00Z", "event": "filled", "title": "Shop", "host": "shop.example",
    "fields": ["user", "password"], "reason": "",
}  # fmt: skip
ANSWERS = {"GET /logins": {"items": [LOGIN]}, "GET /vault/log?limit=30": {"items": [ENTRY]}}


class Prompt:
    """A conversation whose person answers with `lines`; `asked` has each label, and whether it was masked."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.asked = list(lines), list[tuple[str, bool]]()
        self.sent, self.shown = list[tuple[Any, ...]](), io.StringIO()
        self.client = SimpleNamespace(call=self.call)
        self.screen = SimpleNamespace(print=Console(file=self.shown, width=100, theme=THEME).print)

    async def call(self, method: str, path: str, body: object = None) -> object:
        self.sent.append((method, path, body))
        return ANSWERS.get(f"{method} {path}", {"site": "shop.example"})

    async def ask(self, label: str, *, is_secret: bool = True) -> str:
        self.asked.append((label, is_secret))
        return self.lines.pop(0)

    def note(self, text: str) -> None:
        self.shown.write(text)


async def enter(line: str, *lines: str) -> Prompt:
    call, prompt = parse(line, "chat"), Prompt(*lines)
    assert isinstance(call, Call)
    assert call.command.handler
    await call.command.handler(prompt, call)  # type: ignore[arg-type]
    return prompt


async def test_a_login_is_added_by_masked_questions() -> None:
    prompt = await enter("/login add shop.example", "ada", "pass-canary-71", "")
    body = {"hosts": ["shop.example"], "user": "ada", "password": "pass-canary-71", "totp": ""}
    assert prompt.sent == [("POST", "/logins", body)]
    assert [is_secret for _, is_secret in prompt.asked] == [False, True, True]
    assert prompt.shown.getvalue() == "Kept for shop.example."


@pytest.mark.parametrize(
    ("line", "lines", "sent"),
    [
        ("/vault unlock", ["eleven green bottles"], ("POST", "/vault/unlock", {"secret": "eleven green bottles"})),
        ("/vault lock", [], ("POST", "/vault/lock", {})),
    ],
)  # fmt: skip
async def test_the_vault_is_unlocked_and_locked(
    line: str, lines: list[str], sent: tuple[object, ...]
) -> None:
    prompt = await enter(line, *lines)
    assert prompt.sent == [sent]
    assert "bottles" not in prompt.shown.getvalue()


async def test_logins_and_their_log_are_listed() -> None:
    shown = (await enter("/logins")).shown.getvalue()
    assert all(word in shown for word in ("Shop", "shop.example", "a...@mail.example", "3", "Buying"))
    log = (await enter("/vault log")).shown.getvalue()
    assert all(word in log for word in ("2026-11-28", "filled", "Shop", "user · password"))


@pytest.mark.parametrize(
    "line", ["/login", "/login add", "/login remove shop.example", "/vault", "/vault reveal"]
)
def test_a_line_without_its_words_is_refused(line: str) -> None:
    with pytest.raises(UsageError):
        parse(line, "chat")
