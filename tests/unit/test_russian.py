"""The product's own sentences in Russian: none is out of date, and server and web UI say the same."""

from __future__ import annotations

import ast
import re

import pytest

from scripts.shell import ROOT
from server.errors import AppError
from server.ops.russian import SENTENCES, TEMPLATES, in_russian

WEB = ROOT / "web/src/i18n/serverRu.ts"


def literals() -> set[str]:
    """All texts in the server's code, joined where Python joins them, without those of the list itself."""
    found = set()
    for path in (ROOT / "server").rglob("*.py"):
        if path.name == "russian.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def of_the_web() -> dict[str, str]:
    source = WEB.read_text(encoding="utf-8").partition("PATTERNS")[0]
    quoted = r"""('(?:[^'\\\n]|\\.)*'|"[^"\n]*")"""
    pairs = re.findall(rf"^  {quoted}:\s+{quoted},$", source, re.MULTILINE)
    return {ast.literal_eval(key): ast.literal_eval(value) for key, value in pairs}


def test_every_sentence_is_one_that_the_server_says() -> None:
    said = literals()
    templates = " ".join(said)
    for sentence in [*SENTENCES, *TEMPLATES]:
        pieces = [sentence] if "{" not in sentence else re.split(r"[:{}()]", sentence)
        for piece in pieces:
            words = re.sub(r"^(n|x|why)$|^ s$|^ms exceeded\.$|^The page |^Timeout $|\.$", "", piece).strip()
            assert words in said or words in templates, (sentence, words)


def test_the_web_ui_says_the_same_and_more() -> None:
    web = of_the_web()
    own = SENTENCES | TEMPLATES
    assert {english: web.get(english) for english in own} == own
    said = literals()
    more = [one for one in web.keys() - own.keys() if "{" not in one]
    assert len(more) > 30
    assert [one for one in more if one not in said and one != "The server cannot be reached."] == []


FOR_PEOPLE = (
    "api",
    "auth",
    "automations",
    "browser/takeover",
    "channels",
    "runs",
    "store",
    "stream",
    "preferences.py",
)
REFUSALS = {error.__name__ for error in AppError.__subclasses__()} | {"RunFailed", "SendFailed"}
ONLY_FOR_PROGRAMS = {
    "A request with a cookie must tell its origin.",
    "Say `confirmed: true`, `confirmed: false` or `done: true`.",
    "Say which element to look at, as `target`.",
    "The content-length is not a size.",
    "This client_id belongs to another message.",
    "This cursor is not one of ours.",
    "This token is not the right one.",
    "This web hook is called too often.",
}


def refusals() -> set[str]:
    """What the server refuses in whole sentences, where people can be the reason."""
    found = set()
    for part in FOR_PEOPLE:
        path = ROOT / "server" / part
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                    continue
                is_refusal = node.func.id in REFUSALS or node.func.id.endswith("Refused")
                said = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
                if is_refusal and isinstance(said, str) and " " in said:
                    found.add(said)
    return found


def test_what_the_server_refuses_is_told_in_russian_by_the_web_ui() -> None:
    said = refusals()
    assert len(said) > 80
    assert said >= ONLY_FOR_PROGRAMS
    assert sorted(said - of_the_web().keys() - ONLY_FOR_PROGRAMS) == []


@pytest.mark.parametrize(
    ("english", "russian"),
    [
        ("The page was not found (404).", "Страница не найдена (404)."),
        ("Not done within 5 s: it is disabled.", "Не удалось за 5 с: элемент неактивен."),
        ("The name a.example is not known.", "Имя a.example не найдено."),
        (
            "Blocked by Pilothouse: a.example is not opened, the host is on the list of blocked hosts.",
            "Pilothouse не открывает a.example: сайт в списке запрещённых.",
        ),
        ("Not opened: the address is empty.", "Не открыто: адрес пуст."),
        (
            "Not opened: ftp: addresses are not opened, only http and https.",
            "Не открыто: адреса вида ftp: не открываются, только http и https.",
        ),
        ("Words of a page, 3 of them.", "Words of a page, 3 of them."),
        (
            "Interrupted by a restart of the server. The last action may or may not have happened: Opened a.example",
            "Прервано перезапуском сервера. Неизвестно, выполнено ли последнее действие: Opened a.example",
        ),
    ],
)
def test_a_failure_is_told_in_russian(english: str, russian: str) -> None:
    assert in_russian(english) == russian
