"""Finds text that is entered into several boxes, such as the digits of a code: one control for people and for us."""

import json
import re

from server.browser.observation.secret_words import CODE_WORDS, OPEN_WORDS, SECRET_WORDS
from server.browser.scripts import script

# JavaScript has no verbose patterns, and needs no escaped spaces.
_SECRET_WORDS_SCRIPT = json.dumps(re.sub(r"(?<!\\)\s+", "", SECRET_WORDS.pattern).replace("\\ ", " "))

GROUPS_IN = script(
    "box_groups",
    SECRET_PATTERN=_SECRET_WORDS_SCRIPT,
    CODE_PATTERN=json.dumps(CODE_WORDS.pattern),
    OPEN_PATTERN=json.dumps(OPEN_WORDS.pattern),
)
"""Takes functions that find elements by a selector and that recognise secret fields. Returns each group of at least two boxes."""
