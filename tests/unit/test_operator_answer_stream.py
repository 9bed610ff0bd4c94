"""The answer is streamed letter by letter while the move is still being written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.agent.operator.plan.answer_stream import AnswerStream

ANSWER = 'Ёлка "quoted" \\ / \b\f\n\r\t \u2028 😀 👨‍👩‍👧 end'
MOVES = [
    {"action": "stop", "final_response": ANSWER},
    {"final_response": ANSWER, "action": "stop"},
    {"plan": ['a "}', "b]{"], "fields": [{"eid": "e1", "final_response": "not this"}], "action": "stop",
     "facts": ["final_response"], "final_response": ANSWER, "reason": "x"},
]  # fmt: skip


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("move", MOVES)
def test_any_split_gives_the_answer_byte_for_byte(move: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(move, ensure_ascii=ascii_only)
    for at in range(len(text) + 1):
        reader = AnswerStream()
        assert reader.feed(text[:at]) + reader.feed(text[at:]) == ANSWER
        assert reader.complete() == move
    one_by_one = AnswerStream()
    assert "".join(map(one_by_one.feed, text)) == ANSWER == one_by_one.text


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    st.booleans(),
    st.integers(1, 7),
)
def test_every_text_survives(answer: str, ascii_only: bool, piece: int) -> None:
    text = json.dumps({"action": "stop", "final_response": answer}, ensure_ascii=ascii_only)
    reader = AnswerStream()
    assert "".join(reader.feed(text[at : at + piece]) for at in range(0, len(text), piece)) == answer


@pytest.mark.parametrize("piece", [1, 3, 7, 600])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_long_answer_survives_byte_for_byte(ascii_only: bool, piece: int) -> None:
    answer = "".join(f'{n}. {ANSWER} "final_response": \\u0041' for n in range(60))
    for move in ({"action": "stop", "final_response": answer, "ms": 5, "reason": ANSWER * 20},
                 {"reason": ANSWER * 20, "final_response": answer, "action": "stop"}):  # fmt: skip
        text = json.dumps(move, ensure_ascii=ascii_only)
        reader = AnswerStream()
        assert "".join(reader.feed(text[at : at + piece]) for at in range(0, len(text), piece)) == answer
        assert reader.complete() == move


def test_reading_on_does_not_cost_more_the_longer_the_answer_is() -> None:
    reader = AnswerStream()
    reader.feed('{"action":"stop","final_response":"')
    for _ in range(2_000):
        assert reader.feed("a few words ") == "a few words "
        assert len(reader._window) < 1_000


def test_text_comes_as_soon_as_it_is_written() -> None:
    reader = AnswerStream()
    assert reader.feed('{"action":"stop","final_response":"Hel') == "Hel"
    assert reader.feed("lo") == "lo"
    assert reader.complete() == {"action": "stop"}, "a text that goes on is not there yet"


def test_nothing_is_told_before_the_action_is_known_to_be_stop() -> None:
    reader = AnswerStream()
    assert reader.feed('{"final_response": "early", ') == ""
    assert reader.feed('"action": "stop"') == "early"


def test_a_final_response_beside_another_action_is_no_answer() -> None:
    for text in ('{"action":"click","final_response":"x"}', '{"final_response":"x","action":"click"}'):
        assert AnswerStream().feed(text) == ""


def test_of_two_decisions_only_the_first_is_read() -> None:
    second = '{"action":"stop","final_response":"too early"}'
    assert AnswerStream().feed('{"action":"scroll"}' + second) == ""
    assert AnswerStream().feed('{"action":"stop","final_response":"ok"}' + second) == "ok"


def test_the_halves_of_a_surrogate_pair_wait_for_each_other() -> None:
    reader = AnswerStream()
    assert reader.feed('{"action":"stop","final_response":"\\ud83d') == ""
    assert reader.feed("\\ude00") == "😀"


def test_a_nul_becomes_the_replacement_character() -> None:
    assert AnswerStream().feed('{"action":"stop","final_response":"a\\u0000b"}') == "a\ufffdb"


@pytest.mark.parametrize("odd", ["\\ud83dx", "\\ude00", "\\uzzzz", "\n"])
def test_after_what_the_parser_refuses_nothing_more_is_told(odd: str) -> None:
    reader = AnswerStream()
    text = f'{{"action":"stop","final_response":"early {odd} late"}}'
    assert "".join(map(reader.feed, text)) == "early "
    assert reader.complete() is None


def test_an_answer_that_is_given_twice_is_told_once() -> None:
    reader = AnswerStream()
    text = '{"action":"stop","final_response":"first","final_response":"second"}'
    assert "".join(map(reader.feed, text)) == "first"
    assert reader.complete() == {"action": "stop", "final_response": "second"}
