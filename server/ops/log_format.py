"""Lines of the log that no page, model or client can forge or colour."""

from __future__ import annotations

import logging
import re

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class OneLine(logging.Formatter):
    """Each message on one line: what would end it, colour it or turn it around is written as `\\n`, `\\x1b` ..."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], record.message)
        return super().formatMessage(record)
