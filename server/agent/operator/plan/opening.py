"""The address that a task asks to open: opened by rule, before the first model call. Pure."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from server.agent.operator.memory.state import BLANK, State
from server.agent.policy.address import find_effect
from server.browser.observation import Observation

_POLITE = r"(?:(?:please|now|пожалуйста|сначала|first),? )?"
_VERB = (
    r"(?:open(?: up)?|go to|navigate to|visit|browse to|"
    r"открой(?:те)?|откройте|перейди(?:те)? на|зайди(?:те)? на|посети(?:те)?)"
)
_THING = r"(?:(?:(?:the )?(?:web ?)?(?:page|site|shop|address|url)(?: at)?|страницу|сайт|адрес|магазин):? )?"
_ADDRESS = r"(https?://[!#-&*-;=?-Z_a-z~%]+)"
_ASKED = re.compile(rf"{_POLITE}{_VERB}:? {_THING}{_ADDRESS}(?=\s|$|[,;:!]\s)(.*)", re.IGNORECASE | re.DOTALL)
_ENDS = ".,:;!"
"""Signs after an address that belong to the sentence."""
_CONTINUES = re.compile(r"(?:and|then|to|и|а затем|а потом|затем|потом|чтобы)\b", re.IGNORECASE)
"""How a sentence continues after its address when the address is to be opened whatever follows."""
_LIMITED = re.compile(
    r"\s*(?:but|if|only|unless|except|when|once|after|before|until|not|or|instead|"
    r"но|если|только|кроме|когда|после|перед|пока|не|или|вместо)\b",
    re.IGNORECASE,
)
_NOT_OPEN = re.compile(
    r"\b(?:do not|don['’]t|never|without|not)\s+(?:\w+\s+)?(?:open|opening|visit|visiting|go to|navigate|load)|"
    r"\b(?:не|никогда не)\s+(?:надо |нужно )?(?:открыва|откро|открыть|заход|заходи|переход|посеща)",
    re.IGNORECASE,
)
_ANY_ADDRESS = re.compile(r"https?://|\bwww\.", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:^|[^a-z])(?:(?:access|auth|api|id|refresh|session)?[-_]?(?:token|key|secret|password|passwd|pwd|pass|sig|"
    r"signature|otp|nonce|ticket|jwt|hash|hmac)|code|auth|sid|session|invite)(?:$|[^a-z])",
    re.IGNORECASE,
)
_OPAQUE = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_=-]{20,}")
"""Letters and digits without words: the key of a link that is meant for one person."""


def address_to_open(state: State, observation: Observation) -> str | None:
    """The one address that the user's message begins by asking to open.

    Only while no page is open and nothing was done in this run: a model could only open it, too. None where the
    message says anything else of it ("do not", "if", a further address), where it is not clear where the address
    ends, and where opening it may do more than show a page.
    """
    is_begun = state.limits.tool_steps or state.work.steps
    if is_begun or observation.page.url not in BLANK or observation.interactive:
        return None
    asked = _ASKED.match(" ".join(state.asked.user_message.split()))
    if asked is None:
        return None
    address, rest = asked[1].rstrip(_ENDS), asked[2]
    is_sentence_over = rest == "" or address != asked[1] or rest[:1] in _ENDS
    more = rest.lstrip(_ENDS + " ")
    if not is_sentence_over and not _CONTINUES.match(more):
        return None
    if _LIMITED.match(more) or _NOT_OPEN.search(rest) or _ANY_ADDRESS.search(rest):
        return None
    is_asked = address.endswith("?")  # whether to open it
    return address if not is_asked and _only_shows(address) else None


def names_address(text: str) -> bool:
    return bool(_ANY_ADDRESS.search(text))


def _only_shows(address: str) -> bool:
    """Whether the address names a page: without a login or a key of one person, and without an effect."""
    try:
        parts = urlsplit(address)
        fields = [name for query in (parts.query, parts.fragment) for name, _ in parse_qsl(query, True)]
    except ValueError:
        return False
    if not parts.hostname or "@" in parts.netloc or find_effect(address):
        return False
    is_keyed = any(map(_SECRET_NAME.search, fields))
    return not is_keyed and not _OPAQUE.search(f"{parts.path}?{parts.query}#{parts.fragment}")
