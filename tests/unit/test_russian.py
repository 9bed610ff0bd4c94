"""The product's own sentences in Russian: none is out of date or missing, and the web UI says the same."""

from __future__ import annotations

import ast
import re

import pytest

from scripts.shell import ROOT
from server.browser.outgoing.words import is_known
from server.errors import AppError
from wording.held import ACTS, FIELDS, held_in_russian
from wording.russian import ROLES, SENTENCES, TEMPLATES, elements_in_russian, in_russian
from wording.steps import DIRECTIONS

WEB = [ROOT / "web/src/i18n" / name for name in ("serverRu.ts", "templatesRu.ts", "resultsRu.ts")]


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
    source = "".join(file.read_text(encoding="utf-8") for file in WEB)
    quoted = r"""('(?:[^'\\\n]|\\.)*'|"[^"\n]*"|\w+)"""
    pairs = re.findall(rf"^  {quoted}:\s+{quoted},$", source, re.MULTILINE)
    return {key if key.isalnum() else ast.literal_eval(key): ast.literal_eval(value) for key, value in pairs}


def test_every_sentence_is_one_that_the_server_says() -> None:
    said = literals()
    templates = " ".join(said)
    for sentence in [*SENTENCES, *TEMPLATES]:
        pieces = [sentence] if "{" not in sentence else re.split(r"[:{}()]", sentence)
        for piece in pieces:
            words = re.sub(
                r"^(d|n|t|u|x|y|z|why)$|^ s$|^ms exceeded\.$|^The page |^Timeout $|\.$", "", piece
            ).strip()
            begun = words[:1].lower() + words[1:]
            assert words in said or words in templates or begun in templates, (sentence, words)


def test_the_web_ui_says_the_same() -> None:
    web = of_the_web()
    assert web.pop("The server cannot be reached.")  # what only the page can say
    assert web == SENTENCES | TEMPLATES | ROLES | DIRECTIONS


@pytest.mark.parametrize(
    ("words", "russian"),
    [
        ("invite members to shop.example (role, emails)", "пригласить участника на shop.example (роль, эл. почта)"),
        ("new orders to a.example:8080 (zip)", "создать заказ на a.example:8080 (zip)"),
        ("POST zap/7 to a.example", "POST zap/7 на a.example"),
        ("delete to a.example; pay to b.example", "удалить на a.example; оплатить на b.example"),
        ("what a page says", "what a page says"),
    ],
)  # fmt: skip
def test_what_a_held_request_would_do_is_said_word_by_word(words: str, russian: str) -> None:
    assert held_in_russian(words) == russian


def test_the_words_of_held_requests_are_the_same_in_the_web_ui_and_those_that_hold() -> None:
    source = (ROOT / "web/src/i18n/heldRu.ts").read_text(encoding="utf-8")
    pairs = re.findall(r"^  (\w+): '([^']+)',$", source, re.MULTILINE)
    assert pairs == [*ACTS.items(), *FIELDS.items()]
    assert {word for word in ACTS if not is_known(word) and not is_known(f"{word}s")} <= DECIDE_NOTHING


DECIDE_NOTHING = {"place", "photo", "room", "page", "team", "album"}

FOR_PEOPLE = (
    "api",
    "auth",
    "automations",
    "browser/takeover",
    "channels",
    "extras/cluster",
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
    "This webhook is called too often.",
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


def test_what_the_server_refuses_is_told_in_russian() -> None:
    said = refusals()
    assert len(said) > 80
    assert said >= ONLY_FOR_PROGRAMS
    assert sorted(said - SENTENCES.keys() - ONLY_FOR_PROGRAMS) == []


ADAPTERS = (
    "browser/mcp/playwright.py",
    "browser/mcp/playwright_calls.py",
    "browser/mcp/page_reader.py",
    "extras/tools/browser_use.py",
    "browser/mcp/session_browser.py",
    "browser/mcp/lifecycle.py",
)
TELLS = {"_do", "_done", "_opened", "_note", "add", "outcome"}
"""The calls in the adapters of the browser's tools that say what was done or what happened."""
SAMPLES = {
    "direction": "down", "where": ' pixels over button "A"', "_typed(fields)": 'Typed into textbox "A".', "dialog.kind": "alert",
    "'Double-clicked' if double else 'Clicked'": "Clicked", "args['text']": "'A'", "error": "The browser is closed.", "seconds": "1.5", "name": 'button "A"',
}  # fmt: skip
ONLY_FOR_MODELS = (
    "What is around the element could not be read", "The page waits for an answer to its", "Typed 'A' into the list",
    "1 hung", "The page 1 hung",
)  # fmt: skip


def told_in(file: str) -> set[str]:
    """What an adapter says, with an example in each of its holes."""
    nodes: list[ast.expr] = []
    for node in ast.walk(ast.parse((ROOT / "server" / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TELLS:
            nodes += node.args
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("did"):
            nodes += node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    texts = {_example(node) for node in nodes if isinstance(node, ast.JoinedStr | ast.Constant)}
    return {text for text in texts if text.endswith(".")}


def _example(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else _filled(part) for part in node.values
    )


def _filled(part: ast.expr) -> str:
    hole = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
    return SAMPLES.get(hole, 'button "A"' if hole.startswith("name_of") else "1")


def test_what_a_step_did_is_told_in_russian() -> None:
    said = {text for file in ADAPTERS for text in told_in(file)}
    assert len(said) > 30
    assert [text for text in said if text == in_russian(text) and not text.startswith(ONLY_FOR_MODELS)] == []


def test_a_result_is_told_as_far_as_it_begins_with_sentences_of_the_product() -> None:
    told = in_russian('Sent POST a.example/o 201. Clicked button "A. B". Thank you! Accepted.')
    assert told == "Отправлено: POST a.example/o 201. Нажато: кнопка «A. B». Thank you! Accepted."
    assert in_russian('Typed into textbox "Name", textbox "City, or "X"". Pressed Enter.') == (
        'Введено: поле «Name», поле «City, or "X"». Нажата клавиша Enter.'
    )
    assert in_russian("Dragged a link without a name to the point 3, 4.") == (
        "Перетащено: ссылка без названия → точка 3, 4."
    )
    assert in_russian("Waited 1.5 s.") == "Ожидание: 1,5 с."
    assert in_russian("Words of a page. " * 200 + "Accepted.").endswith("Accepted.")
    assert [elements_in_russian(one) for one in ("the sky", 'orb "X"')] == ["", "элемент «X»"]


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
            "Прервано перезапуском сервера. Неизвестно, выполнено ли последнее действие: Открыта страница a.example",
        ),
    ],
)
def test_a_failure_is_told_in_russian(english: str, russian: str) -> None:
    assert in_russian(english) == russian
