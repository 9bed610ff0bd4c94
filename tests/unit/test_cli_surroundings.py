"""The prompt's `/surroundings`: what is sent, and what is shown of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cli.commands.parser import parse
from cli.commands.session import PROXY_PASSWORD, show_or_change_surroundings
from cli.commands.syntax import Call

PROXY = {"address": "socks5://proxy.example:1080", "user": "ann", "has_password": True}


class Prompt:
    """A conversation whose server answers with the surroundings that it is given."""

    def __init__(self, own: dict[str, Any]) -> None:
        self.own, self.sent, self.notes = own, list[tuple[Any, ...]](), list[str]()
        self.client = SimpleNamespace(call=self.call)

    async def call(self, *request: Any) -> dict[str, Any]:
        self.sent.append(request)
        return self.own

    async def require_session(self) -> str:
        return "s"

    def note(self, text: str) -> None:
        self.notes.append(text)


async def enter(line: str, **own: Any) -> Prompt:
    call = parse(line, "chat")
    assert isinstance(call, Call)
    prompt = Prompt({"time_zone": None, "locale": None, "proxy": None} | own)
    await show_or_change_surroundings(prompt, call)  # type: ignore[arg-type]
    return prompt


async def test_surroundings_are_shown() -> None:
    prompt = await enter("/surroundings", locale="pt-BR", proxy=PROXY)
    assert prompt.sent == [("GET", "/sessions/s/surroundings")]
    assert prompt.notes == [
        "This session's browser: zone as for all, language pt-BR, proxy socks5://proxy.example:1080 (ann)."
    ]


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("/surroundings zone Asia/Tokyo", {"time_zone": "Asia/Tokyo"}),
        ("/surroundings zone", {"time_zone": None}),
        ("/surroundings language pt-BR", {"locale": "pt-BR"}),
        ("/surroundings proxy", {"proxy": None}),
        (
            "/surroundings proxy http://a:1 ann",
            {"proxy": {"address": "http://a:1", "user": "ann", "password": "pw"}},
        ),
    ],
)
async def test_one_of_them_is_changed(
    line: str, sent: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PROXY_PASSWORD, "pw")
    prompt = await enter(line)
    assert prompt.sent == [("PATCH", "/sessions/s/surroundings", sent)]
    assert "pw" not in "".join(prompt.notes)
