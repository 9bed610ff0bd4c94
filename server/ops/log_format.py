"""A log formatter that escapes control characters, so that pages, models and clients cannot forge lines."""

from __future__ import annotations

import logging
import re

_UNSEEN_SIGNS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class OneLine(logging.Formatter):
    """Formats each message on one line; control and bidirectional characters become `\\n`, `\\x1b` etc."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = _UNSEEN_SIGNS.sub(lambda found: ascii(found[0])[1:-1], record.message)
        return super().formatMessage(record)


def without_clients_faults(record: logging.LogRecord) -> bool:
    """A filter that takes the traceback from what the web server logs of a frame that is no UTF-8: the client's fault."""
    if record.name == "uvicorn.error" and record.exc_info and record.exc_info[0] is UnicodeDecodeError:
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True
