"""The catalogue of sentences: complete in each language, used as a whole, and formatted as the web UI does."""

from __future__ import annotations

import ast
import copy
import json
import re
from typing import Any

import pytest

from scripts.shell import ROOT
from wording.catalogue import (
    ENGLISH,
    FOLDER,
    Sentence,
    Wording,
    changed,
    in_language,
    joined,
    parts_of,
    plural_form,
    sentence,
    sentences,
    shortened,
    wording_of,
)

LANGUAGES = sorted(file.stem for file in FOLDER.glob("*.json"))
DECIMAL_SIGN = "decimal_sign"


def names_of(entry: str | dict[str, str]) -> set[str]:
    """The names of the values in all forms of a sentence."""
    forms = entry.values() if isinstance(entry, dict) else [entry]
    return {name for form in forms for name in re.findall(r"\{(\w+)\}", form)}


def calls() -> list[tuple[str, int, ast.Call]]:
    """Each call of `sentence` with its file and line."""
    found = []
    for folder in ("server", "wording", "cli"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sentence":
                    found.append((path.name, node.lineno, node))
    return found


def code_of(call: ast.Call) -> str:
    """The code, or what it begins with if the rest is computed."""
    first = call.args[0].values[0] if isinstance(call.args[0], ast.JoinedStr) else call.args[0]
    assert isinstance(first, ast.Constant), ast.unparse(call)
    return str(first.value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_sentences_with_no_other_values(language: str) -> None:
    english, other = sentences(ENGLISH), sentences(language)
    assert list(other) == sorted(english)
    assert [code for code, entry in other.items() if not names_of(entry) <= names_of(english[code])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_are_those_of_the_language_and_chosen_by_n(language: str) -> None:
    needed = {plural_form(language, number) for number in range(200)}
    for code, entry in sentences(language).items():
        if isinstance(entry, dict):
            assert "n" in names_of(sentences(ENGLISH)[code]), code
            assert entry.keys() == needed | {"other"}, code


def test_each_sentence_is_said_somewhere_with_the_values_that_it_needs() -> None:
    english, said = sentences(ENGLISH), {DECIMAL_SIGN}
    for file, line, call in calls():
        code = code_of(call)
        if isinstance(call.args[0], ast.JoinedStr):
            said |= {one for one in english if one.startswith(code)}
            continue
        given = {keyword.arg for keyword in call.keywords}
        assert code in english, (file, line, code)
        assert None in given or given == names_of(english[code]), (file, line, code)
        said.add(code)
    assert sorted(english.keys() - said) == []


REPORTS = {"outcome", "_note", "note", "add", "CallFailed", "PageTimeout", "ToolOutcome"}
"""Calls in the browser's adapters that say what was done or what happened."""


def test_what_the_browser_reports_is_in_the_catalogue() -> None:
    literals, adapters = [], [ROOT / "server/browser", ROOT / "server/extras/tools"]
    for path in (file for folder in adapters for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            is_report = name in REPORTS and (name != "add" or "note" in ast.unparse(node.func))
            texts = (arg.value if isinstance(arg, ast.Constant) else arg for arg in node.args)
            is_literal = any(
                isinstance(one, ast.JoinedStr) or (isinstance(one, str) and " " in one) for one in texts
            )
            literals += [(path.name, node.lineno)] if is_report and is_literal else []
    assert literals == []


CASES = json.loads((ROOT / "tests/texts/sentences.json").read_text(encoding="utf-8"))
"""The same file is read by `web/src/i18n/sentences.test.ts`."""


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_a_text_is_put_into_a_language_as_the_web_ui_does_it(case: dict[str, Any], language: str) -> None:
    text = Wording.stored(case["text"], case["parts"])
    assert text == case["text"]
    assert in_language(language, case["text"], case["parts"]) == case[language]


def test_a_text_is_its_english_sentence_and_knows_its_parts() -> None:
    text = sentence("file.too_large", megabytes=25)
    assert text == "A file may have 25 MB."
    assert parts_of(text) == [{"code": "file.too_large", "values": {"megabytes": 25}}]
    assert text.to("ru") == "Файл может быть не больше 25 МБ."
    assert parts_of("Words of a page.") is None


def test_an_exception_and_a_copy_keep_the_parts() -> None:
    text = sentence("run.unknown")
    assert parts_of(str(ValueError(text))) == parts_of(text)
    assert parts_of(copy.deepcopy(text)) == parts_of(text)


def test_texts_are_joined_and_stored_with_what_is_no_sentence() -> None:
    inner = joined((sentence("step.click"), sentence("quoted", text="Go")))
    text = joined(
        (sentence("run.interrupted"), "", sentence("run.doubtful_step", step=inner), "Words of a page.")
    )
    stored = json.loads(json.dumps(parts_of(text)))
    assert wording_of(stored) == text
    assert in_language("ru", text, stored) == (
        "Прервано перезапуском сервера. Неизвестно, выполнено ли последнее действие: Нажатие «Go» Words of a page."
    )


def test_values_and_words_of_others_are_changed_and_sentences_stay() -> None:
    text = joined((sentence("quoted", text="secret"), "secret", sentence("run.unknown")))
    hidden = changed(text, lambda words: words.replace("secret", "•••"))
    assert hidden == "“•••” ••• There is no such run."
    assert hidden.to("ru") == "«•••» ••• Такого запуска нет."


def test_a_text_that_is_cut_keeps_its_whole_sentences() -> None:
    text = joined((sentence("run.unknown"), "Words of a page."))
    assert shortened(text, 27).to("ru") == "Такого запуска нет. Words"
    assert shortened(text, 8).to("ru") == "There is"


def test_a_text_of_another_version_or_language_stays_english() -> None:
    parts = [{"code": "unknown.here", "values": {}}]
    assert in_language("ru", "Something new.", parts) == "Something new."  # type: ignore[arg-type]
    assert Wording.stored("Something new.", parts) == "Something new."  # type: ignore[arg-type]
    assert sentence("run.unknown").to("xx") == "There is no such run."


def test_an_unknown_sentence_and_a_missing_value_are_refused() -> None:
    with pytest.raises(KeyError):
        sentence("unknown.here")
    with pytest.raises(KeyError):
        Wording(Sentence("file.too_large", {}))


@pytest.mark.parametrize(
    ("language", "number", "form"),
    [("en", 1, "one"), ("en", 2, "other"), ("en", 0, "other"), ("de", 1, "one"), ("de", 5, "other")]
    + [("ru", number, "one") for number in (1, 21, 101)]
    + [("ru", number, "few") for number in (2, 3, 4, 22, 104)]
    + [("ru", number, "many") for number in (0, 5, 11, 12, 14, 111, 112)]
    + [("ru", 1.5, "other")],
)  # fmt: skip
def test_the_plural_form_of_a_number(language: str, number: float, form: str) -> None:
    assert plural_form(language, number) == form
