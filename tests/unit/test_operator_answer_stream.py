"""The answer is told letter by letter while the move is still being written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.agent.operator.answer_stream import AnswerReader

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
        reader = AnswerReader()
        assert reader.feed(text[:at]) + reader.feed(text[at:]) == ANSWER
        assert reader.is_complete
    one_by_one = AnswerReader()
    assert "".join(map(one_by_one.feed, text)) == ANSWER == one_by_one.text


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    st.booleans(),
    st.integers(1, 7),
)
def test_every_text_survives(answer: str, ascii_only: bool, piece: int) -> None:
    text = json.dumps({"action": "stop", "final_response": answer}, ensure_ascii=ascii_only)
    reader = AnswerReader()
    assert "".join(reader.feed(text[at : at + piece]) for at in range(0, len(text), piece)) == answer


def test_text_comes_as_soon_as_it_is_written() -> None:
    reader = AnswerReader()
    assert reader.feed('{"action":"stop","final_response":"Hel') == "Hel"
    assert reader.feed("lo") == "lo"
    assert not reader.is_complete


def test_nothing_is_told_before_the_action_is_known_to_be_stop() -> None:
    reader = AnswerReader()
    assert reader.feed('{"final_response": "early", ') == ""
    assert reader.feed('"action": "stop"') == "early"


def test_a_final_response_beside_another_action_is_no_answer() -> None:
    for text in ('{"action":"click","final_response":"x"}', '{"final_response":"x","action":"click"}'):
        assert AnswerReader().feed(text) == ""


def test_of_two_decisions_only_the_first_is_read() -> None:
    second = '{"action":"stop","final_response":"too early"}'
    assert AnswerReader().feed('{"action":"scroll"}' + second) == ""
    assert AnswerReader().feed('{"action":"stop","final_response":"ok"}' + second) == "ok"


def test_the_halves_of_a_surrogate_pair_wait_for_each_other() -> None:
    reader = AnswerReader()
    assert reader.feed('{"action":"stop","final_response":"\\ud83d') == ""
    assert reader.feed("\\ude00") == "😀"


@pytest.mark.parametrize("alone", ["\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d\\n", "\\uzzzz", "\\u0000"])
def test_what_is_no_character_becomes_the_replacement_character(alone: str) -> None:
    text = AnswerReader().feed(f'{{"action":"stop","final_response":"{alone}"}}')
    assert text.startswith("\ufffd")
    text.encode()
