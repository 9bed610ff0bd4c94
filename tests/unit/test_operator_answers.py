"""What is not plainly a yes is never taken for one, in any language."""

import unicodedata

import pytest

from server.agent.operator.ask.answers import (
    FILLER,
    IRONY,
    NO_PROBLEM,
    ParsedAnswer,
    is_continuation,
    read_answer,
)
from server.agent.operator.ask.answers import NO as NO_WORDS
from server.agent.operator.ask.answers import YES as YES_WORDS

YES = ["yes", "Yes, please do it", "да", "Да!", "да, давай", "ок", "ja", "oui", "sí", "si, por favor", "sim", "tak",
       "Tak, proszę", "evet", "好的", "可以", "はい", "はいお願いします", "네", "نعم", "हाँ", "ya", "vâng", "ใช่", "👍", "✅",
       "go ahead", "ok go ahead", "do it", "делай", "CONFIRM", "  yes  ",
       # Cyrillic and Latin "ok", alone, with signs, in capitals, drawn out, and with letters of the other alphabet
       "OK", "\u043e\u043a", "\u041e\u041a", "Ок.", "ок!", "ок)", "ок 👍", "ок👍", "\u004f\u043a", "\u043e\u006b",
       "okkk", "ОКККК", "дааа", "Yesss!", "d\u0430", "d\u0430\u0430\u0430", "окей", "Окей, спасибо", "ok, thanks",
       "OK thank you", "ага", "угу", "Ага, давай", "давайте", "да-да", "да, конечно", "Хорошо, спасибо", "конечно",
       "согласна", "👍👍", "👍🏽", "👍\ufe0f", "✔\ufe0f", "🆗", "ok 🙂", "'yes'", "«да»", "va bene", "sì, va bene", "đồng ý",
       # no objection, and then a yes
       "no problem, do it", "No problem do it!", "np, go ahead", "нет проблем, делай", "Нет проблем, давай",
       "не возражаю, делайте", "без проблем, ок", "kein problem, mach das", "没问题，做吧"]  # fmt: skip
NO = ["no", "нет", "нет, не надо", "nein", "non", "não", "nie", "hayır", "不", "不要", "いいえ", "아니요", "لا", "नहीं",
      "tidak", "không", "ไม่", "👎", "cancel", "отмена", "стоп", "нееет", "NOOO", "\u041d\u0435\u0054",
      "don't do it", "no, thanks", "нет, спасибо"]  # fmt: skip
UNCLEAR = ["yes?", "yes, but choose the cheaper one", "да, но дешевле", "why not", "maybe", "好吗", "do it?",
           "the user already approved this", "готово", "done", "what would it cost?", "I said nothing", "yesterday",
           "ага, щас", "да нет", "да, нет", "yes no", "ok?", "ок 🤔", "ну да, конечно", "ook", "окно", "ok but wait", "okra",
           "нет проблем", "no problem", "не против", "не спрашивай, делай", "no, ok", "no objection to the red one",
           "yeah, right", "да ладно, серьёзно", "да ладно", "ага, конечно"]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_a_plain_yes_is_a_yes(text: str) -> None:
    assert read_answer(text) == ParsedAnswer(True)


def test_the_letters_of_ok_are_what_they_claim_to_be() -> None:
    alphabets = {
        unicodedata.name(char).split()[0] for text in YES if text.casefold() in ("ok", "ок") for char in text
    }
    assert alphabets == {"LATIN", "CYRILLIC"}


def test_no_listed_word_is_both_a_yes_and_a_no() -> None:
    assert not YES_WORDS & NO_WORDS
    assert not any(read_answer(word).confirmed is False for word in YES_WORDS)
    assert not any(read_answer(word).confirmed for word in NO_WORDS | FILLER | NO_PROBLEM | IRONY)


@pytest.mark.parametrize("text", NO)
def test_a_bare_no_brings_no_feedback(text: str) -> None:
    assert read_answer(text) == ParsedAnswer(False)


@pytest.mark.parametrize(
    "text",
    ["no, choose the cheaper one", "нет, выбери дешевле", "不要，选便宜的", "not now", "no, problem with the price",
     "нет, давай другой", "не делай"],
)  # fmt: skip
def test_a_no_with_words_is_feedback(text: str) -> None:
    assert read_answer(text) == ParsedAnswer(False, text)


@pytest.mark.parametrize("text", UNCLEAR)
def test_an_unclear_answer_is_neither(text: str) -> None:
    assert read_answer(text) == ParsedAnswer(None, text)


@pytest.mark.parametrize("text", ["", "   ", "...", "?!"])
def test_nothing_said_is_nothing(text: str) -> None:
    assert read_answer(text) == ParsedAnswer(None)


@pytest.mark.parametrize(
    "text", ["continue", "go on", "да, продолжай", "готово", "готово, вошёл", "done", "I'm done", "yes", "继续", "weiter",
             "continúa", "続けて", "계속", "devam et", "дальше", "\u043e\u043a", "ОК", "Окей!", "ага", "угу, дальше", "давай", "ok, thanks",
             "ок, спасибо", "👍", "okkk", "нет проблем", "no problem, go on", "продолжаааай"],
)  # fmt: skip
def test_words_that_only_say_go_on_keep_the_goal(text: str) -> None:
    assert is_continuation(text)


@pytest.mark.parametrize(
    "text", ["open example.com", "continue with the second shop", "no", "go on?", "", "купи чайник"]
)
def test_words_that_say_more_do_not(text: str) -> None:
    assert not is_continuation(text)
