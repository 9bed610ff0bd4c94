"""Text of others cannot pass for one of our log lines."""

import io
import logging

from server.ops.log_format import OneLine


def logged(text: str) -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(OneLine("%(levelname)s %(message)s"))
    log = logging.Logger("x")
    log.addHandler(handler)
    log.info("title: %s", text)
    return out.getvalue()


def test_a_message_stays_on_its_line_and_in_its_colour() -> None:
    assert logged("a\r\nERROR \x1b[31mforged\u2028\u202e") == (
        "INFO title: a\\r\\nERROR \\x1b[31mforged\\u2028\\u202e\n"
    )


def test_words_in_any_language_are_left_as_they_are() -> None:
    assert logged("Preis 5 €, שלום, 日本 😀") == "INFO title: Preis 5 €, שלום, 日本 😀\n"
