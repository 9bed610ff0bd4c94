"""The command line in other languages: no text is left out or out of date, and its language is that of the terminal."""

from __future__ import annotations

import ast
import re
from io import StringIO

import pytest
from rich.console import Console
from typer.main import get_command

from cli.commands.table import COMMANDS
from cli.main import Commands, app
from cli.screen.items import OUTCOMES, Question
from cli.screen.render import OVERLAYS, THEME, VERBS, describe, draw
from cli.screen.tables import commands
from cli.words import language_of, localized, t
from scripts.shell import ROOT
from wording.catalogue import command_line, joined, languages, parts_of, sentence
from wording.step_words import step_words

HOLE = re.compile(r"\{(\w+)\}")


def said() -> set[str]:
    """The texts that the command line's code gives to `t`; of a conditional, both."""
    found: set[str] = set()
    for path in (ROOT / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "t":
                found |= {
                    part.value
                    for part in ast.walk(node.args[0])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return found


@pytest.mark.parametrize("language", languages())
def test_every_text_that_is_said_is_in_each_language(language: str) -> None:
    texts = command_line(language)["texts"]
    mixed = {"{n} ", " ago", "role", "", "element"}  # parts of expressions
    assert sorted(said() - texts.keys() - mixed - {"confirm"}) == []
    assert [command.help for command in COMMANDS.values() if command.help not in texts] == []
    words = [*VERBS.values(), *OVERLAYS.values(), *OUTCOMES.values()]
    assert [word for word in words if word not in texts] == []


@pytest.mark.parametrize("language", languages())
def test_each_language_has_the_same_texts_with_the_same_holes(language: str) -> None:
    first, own = command_line(languages()[0]), command_line(language)
    assert (own["texts"].keys(), own["tools"].keys()) == (first["texts"].keys(), first["tools"].keys())
    for english, text in own["texts"].items():
        assert set(HOLE.findall(english)) == set(HOLE.findall(text)), english


def test_no_english_is_left_in_a_russian_text() -> None:
    for english, russian in command_line("ru")["texts"].items():
        is_sign = english in ("“{text}”", " the {role} ")
        assert is_sign or re.search("[а-яё]", russian, re.IGNORECASE), english


@pytest.mark.parametrize("language", languages())
def test_help_is_in_the_language_of_the_terminal(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    group = get_command(app)
    assert isinstance(group, Commands)
    own = [group, *group.commands.values()]
    helps = [part.help for part in own] + [
        option.help for part in own for option in part.params if getattr(option, "help", None)
    ]
    added = ("Install completion", "Show completion")  # by the library
    known = set(command_line(language)["texts"].values())
    own_words = [text for text in helps if text and not text.startswith(added)]
    assert len(helps) > 30
    assert [text for text in own_words if text not in known] == []


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "ru"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "", "LC_ALL": ""}, "en"),
        ({"LANG": "run_XX"}, "en"),
    ],
)
def test_the_language_is_that_of_the_terminal(environ: dict[str, str], language: str) -> None:
    assert language_of(environ) == language


def test_words_of_the_server_are_not_taken_for_templates() -> None:
    assert t("Use {braces} here", "ru") == "Use {braces} here"


def test_the_step_that_a_restart_broke_off_is_told_in_the_language_of_the_terminal() -> None:
    step = step_words("click", {"element": 'button "Place order"'})
    ended = joined((sentence("run.interrupted"), sentence("run.doubtful_step", step=step)))
    error = {"message": ended, "message_parts": parts_of(ended)}
    assert localized(error, "message", "ru") == (
        "Прервано перезапуском сервера. Неизвестно, выполнено ли последнее действие: Нажатие «Place order»"
    )


def test_a_question_and_the_list_of_commands_are_russian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    console = Console(width=100, record=True, file=StringIO(), theme=THEME)
    target = {"role": "button", "name": "Оформить"}
    console.print(
        draw(
            Question(
                "r", "confirm", sentence("effect.order").to("ru"), {"kind": "click"}, target, amount="39,50 €"
            )
        )
    )
    console.print(commands(COMMANDS.values()))
    shown = console.export_text()
    assert "Нажать: кнопка «Оформить»" in shown
    assert "оформляет заказ или бронь" in shown
    assert "Можно это сделать?" in shown
    assert "остановить запуск" in shown


def test_what_was_typed_has_the_quotes_of_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    fields = [{"eid": "e1", "name": "Имя", "text": "Ада"}, {"eid": "e2", "text": "Рига"}]
    assert describe({"text": "Ада"}).plain == "«Ада»"
    assert describe({"fields": fields}).plain == "Имя: «Ада», «Рига»"
