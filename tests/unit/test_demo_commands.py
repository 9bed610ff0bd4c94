"""Plain words become commands, in English and Russian; what is not understood is told, not guessed."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.demo.commands import DemoCommand, DemoRequest, read_request
from server.agent.demo.words import Words

OPEN = DemoCommand("open", "https://example.com")
READ = DemoCommand("read")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("open example.com", [OPEN]),
        ("example.com", [OPEN]),
        ("Please go to https://example.com.", [OPEN]),
        ("visit the page http://127.0.0.1:8000/form.html", [DemoCommand("open", "http://127.0.0.1:8000/form.html")]),
        ("open localhost:3000/a?b=c", [DemoCommand("open", "http://localhost:3000/a?b=c")]),
        ("go to example.com and read the page", [OPEN, READ]),
        ("what is on example.com?", [OPEN, READ]),
        ("what does it say?", [READ]),
        ("click the “Sign in” button", [DemoCommand("click", "Sign in")]),
        ("Click on More information.", [DemoCommand("click", "More information")]),
        ("open the menu", [DemoCommand("click", "menu")]),
        ("press Submit", [DemoCommand("click", "Submit")]),
        ("press Enter", [DemoCommand("press", "Enter")]),
        ("hit the escape key", [DemoCommand("press", "Escape")]),
        ('type "salt and pepper" into Search', [DemoCommand("type", "Search", "salt and pepper")]),
        ("type hello", [DemoCommand("type", "", "hello")]),
        ("enter Ada in the Name field", [DemoCommand("type", "Name", "Ada")]),
        ("fill in Name with Ada Lovelace", [DemoCommand("type", "Name", "Ada Lovelace")]),
        ("fill E-mail with ada@example.com", [DemoCommand("type", "E-mail", "ada@example.com")]),
        ("search for blue kettles", [DemoCommand("type", "search", "blue kettles", submit=True)]),
        ("select Large in Size", [DemoCommand("select", "Size", "Large")]),
        ("choose “Dark mode”", [DemoCommand("select", "", "Dark mode")]),
        ("tick Remember me", [DemoCommand("click", "Remember me")]),
        ("scroll down", [DemoCommand("scroll", "down")]),
        ("scroll to the top", [DemoCommand("scroll", "up")]),
        ("go back", [DemoCommand("back")]),
        ("take a screenshot", [DemoCommand("screenshot")]),
        ("hover over Products", [DemoCommand("hover", "Products")]),
        ("wait 2 seconds", [DemoCommand("wait", "2")]),
        ("log in", [DemoCommand("log_in")]),
        ("scroll down, then go back; take a screenshot", [DemoCommand("scroll", "down"), DemoCommand("back"), DemoCommand("screenshot")]),
        ("type a into Name, type b into City and press Enter",
         [DemoCommand("type", "Name", "a"), DemoCommand("type", "City", "b"), DemoCommand("press", "Enter")]),
        ("открой example.com и прочитай страницу", [OPEN, READ]),
        ("Перейди на example.com, потом нажми «Подробнее»", [OPEN, DemoCommand("click", "Подробнее")]),
        ("введи Привет в поле Поиск, затем нажми Enter", [DemoCommand("type", "Поиск", "Привет"), DemoCommand("press", "Enter")]),
        ("заполни Имя значением Ада; выбери Большой в Размер",
         [DemoCommand("type", "Имя", "Ада"), DemoCommand("select", "Размер", "Большой")]),
        ("прокрути вверх и вернись назад", [DemoCommand("scroll", "up"), DemoCommand("back")]),
        ("сделай скриншот", [DemoCommand("screenshot")]),
        ("найди чайник", [DemoCommand("type", "search", "чайник", submit=True)]),
        ("что там написано?", [READ]),
    ],
)  # fmt: skip
def test_words_become_commands(text: str, commands: list[DemoCommand]) -> None:
    request = read_request(text)
    assert list(request.commands) == commands
    assert request.not_understood == ()


@pytest.mark.parametrize("text", ["buy me a car", "hello", "", "What can you do?", "что ты умеешь?", "help"])
def test_other_words_become_no_command(text: str) -> None:
    assert read_request(text).commands == ()


def test_the_part_that_is_not_understood_is_kept() -> None:
    request = read_request("open example.com and dance")
    assert (list(request.commands), request.not_understood) == ([OPEN], ("dance",))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("“", ("“",)),
        ("click", ("click",)),
        ("\ue0005\ue001", ("5",)),  # the marks that stand for quoted words while a message is read
        ("a, " * 3000, (("a, " * 3000)[:2000],)),  # the longest that is read
        ("и и и и", ("и и и и",)),
        ("'''", ("'",)),
    ],
)
def test_odd_words_do_no_harm(text: str, kept: tuple[str, ...]) -> None:
    assert read_request(text) == DemoRequest((), kept)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("type into", DemoCommand("type", text="into")),
        ("open " * 500, DemoCommand("click", ("open " * 500)[5:2000].strip())),
    ],
)
def test_a_command_made_of_odd_words_is_still_one_command(text: str, command: DemoCommand) -> None:
    assert read_request(text) == DemoRequest((command,))


def test_actions_are_what_takes_a_step() -> None:
    found: Any = read_request("read the page, then click Next, then tell me what it says").actions
    assert found == [DemoCommand("click", "Next")]


@pytest.mark.parametrize(
    "request_text",
    [
        "open http://a.b/c, click Blue kettle, type Ada into Name, select Large in Size, scroll down and press Enter",
        "открой a.ru, нажми Дальше, введи Ада в Имя, выбери Большой в Размер, вернись назад",
    ],
)
def test_a_plan_reads_as_the_request_it_came_from(request_text: str) -> None:
    actions = read_request(request_text).actions
    words = Words(request_text)
    assert read_request("; ".join(words.to_do(action) for action in actions)).actions == actions
