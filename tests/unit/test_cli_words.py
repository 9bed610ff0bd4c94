"""The pure parts of the command line: text, addresses, errors, commands, Markdown that is being written."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.client.address import DEFAULT_URL, Address, find_address, find_token, find_url, normalise
from cli.commands.parser import parse
from cli.commands.syntax import Call, Message
from cli.commands.table import COMMANDS
from cli.errors import ServerRefused, UsageError
from cli.screen.speech import Speech, split_blocks
from cli.text import ago, clean, count, cut, duration, moment, spent, whole_text
from cli.words import localized
from wording.catalogue import joined, parts_of, sentence

ANSWER = """\
# Kettles

The **blue** one is best.
It is cheap.

1. first

   with more
2. second

| name | price |
|------|-------|
| blue | 43.90 |

```python
print("one")

print("two")
```

> quoted

*Last* words
"""


class TestText:
    def test_escape_sequences_and_turned_text_never_reach_the_terminal(self) -> None:
        evil = "\x1b]0;owned\x07\x1b[2J\u202eyap\u2069 \x9b31m\ud800ok\tand\n"
        assert clean({"a": [evil, 3, None]}) == {"a": ["]0;owned[2Jyap 31mok\tand\n", 3, None]}

    def test_a_cut_line_is_one_line_and_not_longer(self) -> None:
        assert cut("a\n  b", 10) == "a b"
        assert cut("abcdefghij", 5) == "abcd…"

    def test_times_and_numbers_are_short(self) -> None:
        assert [duration(0.42), duration(59.94), duration(59.99), duration(125)] == [
            "0.4 s",
            "59.9 s",
            "1 min 00 s",
            "2 min 05 s",
        ]
        assert [count(999), count(1234), count(2_500_000)] == ["999", "1.2k", "2.5M"]

    def test_ages_are_told_in_their_largest_unit(self) -> None:
        now = datetime(2026, 1, 2, tzinfo=UTC)
        ages = [timedelta(seconds=5), timedelta(minutes=3), timedelta(hours=30), timedelta(hours=5)]
        assert [ago(now - age, now) for age in ages] == ["now", "3 min ago", "1 d ago", "5 h ago"]
        assert ago(None, now) == ""

    def test_a_time_without_a_zone_is_utc_and_a_broken_one_none(self) -> None:
        assert moment("2026-01-02T03:04:05") == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        assert moment("soon") is None

    def test_usage_names_money_only_when_the_price_is_known(self) -> None:
        assert spent({"input_tokens": 1000, "output_tokens": 500}) == "1.5k tokens"
        assert spent({"input_tokens": 1, "output_tokens": 1, "cost": 0.0123}) == "2 tokens · $0.0123"
        assert spent({}) == ""


class TestAddress:
    @pytest.mark.parametrize(
        ("given", "meant"),
        [
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
            ("http://127.0.0.1:8000/api", "http://127.0.0.1:8000"),
            ("localhost:9000", "http://localhost:9000"),
            ("pilot.example.org", "https://pilot.example.org"),
            ("https://example.org/house/api/", "https://example.org/house"),
            ("http://[::1]:8000", "http://[::1]:8000"),
        ],
    )
    def test_one_server_has_one_address_however_it_is_written(self, given: str, meant: str) -> None:
        assert normalise(given) == meant

    def test_something_else_is_refused_in_words(self) -> None:
        with pytest.raises(UsageError, match="not an address"):
            normalise("ftp://example.org")

    @pytest.mark.parametrize("given", ["http://[::bad", "http://127.0.0.1:http", "http://h:99999", "://"])
    def test_what_is_no_address_at_all_is_told_in_words(self, given: str) -> None:
        with pytest.raises(UsageError, match="is not an address"):
            normalise(given)

    def test_the_token_of_the_first_start_is_read_for_this_machine_only(self, tmp_path: Path) -> None:
        (tmp_path / ".data").mkdir()
        (tmp_path / ".data" / "auth_token").write_text("made-once\n")
        here = find_address("http://localhost:8000", None, [tmp_path])
        away = find_address("https://example.org", None, [tmp_path])
        if "DATA_DIR" not in os.environ:
            assert here.token == "made-once"
        assert away.token is None

    def test_the_servers_environment_file_tells_token_and_folder(self, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "auth_token").write_text("there")
        (tmp_path / ".env").write_text("DATA_DIR=elsewhere\n")
        assert find_token({}, [tmp_path]) == "there"
        (tmp_path / ".env").write_text("AUTH_TOKEN=given\n")
        assert find_token({}, [tmp_path]) == "given"
        assert find_token({"DATA_DIR": "nowhere"}, [tmp_path / "none"]) is None

    @pytest.mark.parametrize(
        ("environ", "file", "url"),
        [
            ({}, "", DEFAULT_URL),
            ({}, "PORT=18449\n", "http://127.0.0.1:18449"),
            ({"PORT": "9000"}, "PORT=18449\nHOST=0.0.0.0\n", "http://127.0.0.1:9000"),
            ({}, "HOST=::\n", "http://[::1]:8000"),
            ({"PORT": ""}, "HOST=192.168.1.5\nPORT=80\n", "http://192.168.1.5:80"),
        ],
    )
    def test_the_server_is_looked_for_where_one_started_here_listens(
        self, tmp_path: Path, environ: dict[str, str], file: str, url: str
    ) -> None:
        (tmp_path / ".env").write_text(file)
        assert find_url(environ, [tmp_path / "none", tmp_path]) == url

    def test_a_token_is_not_shown_by_accident(self) -> None:
        assert "secret" not in repr(Address("http://localhost", "secret"))


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "problem", "retry_after", "words"),
        [
            (401, {}, None, "AUTH_TOKEN"),
            (404, {"detail": "No such session."}, None, "No such session."),
            (409, {"detail": "Busy.", "code": "run_in_progress"}, None, "/stop ends the run"),
            (429, {}, "7", "again in 7 s"),
            (429, {}, "Wed, 21 Oct", "again in a moment"),
            (503, {"detail": "Draining."}, "3", "Draining. Try again in 3 s"),
            (500, {"detail": "Boom.", "request_id": "req-9"}, None, "req-9"),
            (418, {}, None, "HTTP 418"),
        ],
    )
    def test_each_says_what_to_do(
        self, status: int, problem: dict, retry_after: str | None, words: str
    ) -> None:
        assert words in str(ServerRefused(status, problem, "http://there", retry_after))


class TestCommands:
    def test_words_go_to_the_agent_in_chat_mode(self) -> None:
        assert parse("  buy a kettle ", "chat") == Message("buy a kettle")
        assert parse("   ", "chat") is None

    def test_a_leading_space_sends_a_slash(self) -> None:
        assert parse(" /etc/hosts, explain it", "chat") == Message("/etc/hosts, explain it")

    def test_text_is_taken_as_it_stands(self) -> None:
        call = parse("/type e3  two  words ", "chat")
        assert call == Call(COMMANDS["type"], {"eid": "e3", "text": "two  words"})

    def test_the_slash_may_be_left_out_in_cmd_mode(self) -> None:
        assert [parse(line, "chat") for line in ("/scroll", "/wait")] == [
            Call(COMMANDS["scroll"]),
            Call(COMMANDS["wait"]),
        ]
        assert parse("scroll DOWN 300", "cmd") == Call(
            COMMANDS["scroll"], {"direction": "down", "amount": 300}
        )

    @pytest.mark.parametrize("name", sorted(COMMANDS))
    def test_every_command_can_be_written_as_its_usage_says(self, name: str) -> None:
        samples = {"number": "5", "word": "word", "reference": "0123abcd", "rest": "some words"}
        params = COMMANDS[name].params
        line = " ".join([f"/{name}", *((p.choices or (samples[p.kind],))[0] for p in params)])
        call = parse(line, "chat")
        assert isinstance(call, Call)
        assert set(call.args) == {p.name for p in params}

    def test_every_command_is_in_the_documentation(self) -> None:
        page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
        assert [name for name in COMMANDS if f"`/{name}" not in page] == []

    @pytest.mark.parametrize(
        ("line", "mode", "words"),
        [
            ("/clik e3", "chat", "Did you mean /click"),
            ("/qqqq", "chat", "begin with a space"),
            ("buy a kettle", "cmd", "/chat talks to the agent"),
            ("/click", "chat", "/click EID"),
            ("/click e1 e2", "chat", "/click EID"),
            ("/wait soon", "chat", "whole number"),
            ("/scroll sideways", "chat", "down|up|left|right"),
            ("/plan change", "chat", "/plan [edit|accept|dismiss]"),
            ("/revoke", "chat", "/revoke ID"),
        ],
    )
    def test_a_wrong_line_is_answered_with_how_it_is_written(self, line: str, mode: str, words: str) -> None:
        with pytest.raises(UsageError) as caught:
            parse(line, mode)  # type: ignore[arg-type]
        assert words in str(caught.value)


class TestSpeech:
    @given(st.lists(st.integers(1, 40), min_size=1))
    def test_parts_joined_are_the_answer_however_it_is_sliced(self, sizes: list[int]) -> None:
        speech, parts, at = Speech(), [], 0
        while at < len(ANSWER):
            size = sizes[at % len(sizes)]
            parts += speech.add("m1", ANSWER[at : at + size])
            at += size
        parts += speech.finish()
        assert "".join(part.text for part in parts) == ANSWER
        assert [part.ends for part in parts] == [False] * (len(parts) - 1) + [True]

    @given(st.integers(0, len(ANSWER)))
    def test_a_finished_block_is_never_changed_by_what_follows(self, at: int) -> None:
        early, _ = split_blocks(ANSWER[:at])
        whole, _ = split_blocks(ANSWER)
        assert whole.startswith(early)

    @given(st.text())
    def test_any_text_is_kept_byte_for_byte(self, text: str) -> None:
        finished, rest = split_blocks(text)
        assert finished + rest == text

    def test_a_code_block_is_not_shown_in_halves(self) -> None:
        finished, rest = split_blocks("Look:\n\n```python\none()\n\ntwo()\n")
        assert (finished, rest) == ("Look:\n\n", "```python\none()\n\ntwo()\n")

    def test_a_message_that_lost_tokens_is_not_continued(self) -> None:
        speech = Speech()
        speech.add("m1", "half")
        assert speech.tear()
        assert speech.add("m1", " more") == []
        assert speech.finish() == []
        assert not speech.tear()

    def test_thinking_is_forgotten_when_it_speaks(self) -> None:
        speech = Speech()
        speech.think("hm")
        assert speech.thinking == "hm"
        speech.add("m1", "I")
        assert speech.thinking == ""


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert whole_text("\udcff grüße \udce2") == "\ufffd grüße \ufffd"


def test_what_is_about_to_be_sent_is_said_in_the_language_of_the_terminal() -> None:
    invited = joined(
        (sentence("held_act.invite", word="invite"), sentence("held_act.member", word="members"))
    )
    words = sentence("held.request", act=invited, host="shop.example")
    question = {"would_send": words, "would_send_parts": parts_of(words)}
    assert localized(question, "would_send", "ru") == "пригласить участника на shop.example"
    assert localized(question, "would_send", "en") == "invite members to shop.example"
