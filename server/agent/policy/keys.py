"""Judge Enter and other keys, in a field or on a control."""

from __future__ import annotations

import re

from server.agent.policy.clicks import assess_click
from server.agent.policy.fields import TYPED_ROLES, is_secret, kinds_of_field
from server.agent.policy.labels import is_draft
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.page_context import Heading, read_context
from server.agent.policy.verdict import EFFECTLESS, Judgement, Subject, ask

_SENDS = re.compile(r"(?:control|ctrl|meta|cmd|command|controlormeta|alt|option)\s*\+", re.IGNORECASE)
_SUMS = ("scene.total", "scene.funds", "scene.money")
"""In the name of a field: what is written there is paid, charged or transferred."""


def assess_enter(subject: Subject) -> Judgement:
    """Judge Enter: it searches, sends, signs in, ends a line of a draft, or acts like the form's button.

    With a modifier it sends what is written, wherever several lines can be written.
    """
    if subject.role.lower() not in TYPED_ROLES:
        return assess_click(subject)
    if is_secret(subject):
        return ask("credential")
    means, sends = kinds_of_field(subject.name, subject.lang), _SENDS.match(subject.value) is not None
    context = read_context(subject.context, language=subject.lang)
    own = read_context(subject.name, language=subject.lang)
    if "query" in means:
        return EFFECTLESS
    if "message" in means:
        return ask("send")
    is_calm = (context.under(Heading.CALM) or subject.by_get) and not context.strong
    if own.has(*_SUMS) and not is_calm and not subject.submits:
        return ask("pay")
    if subject.role == "searchbox":
        acts = read_name(subject.name, subject.lang).commitment is Commitment.CERTAIN
        return ask(own.kind) if acts else EFFECTLESS
    if sends or (subject.lines and not is_draft(subject)):
        return ask(context.kind or "send")
    if subject.lines:
        return EFFECTLESS
    picks = subject.role == "combobox" or ("lookup" in means and len(subject.form_fields) < 2)
    if is_calm or (picks and not context.strong):
        return EFFECTLESS
    stands_alone = bool(subject.name.strip()) and not subject.form_fields and not subject.submits
    is_number = subject.role == "spinbutton" and not context.strong
    if is_number and subject.submits is None and not subject.form_fields:
        return EFFECTLESS
    return (
        EFFECTLESS
        if stands_alone and context.score < (2 if "plain" in means else 1)
        else ask(context.kind, is_guess=not context.kind)
    )


def assess_key(subject: Subject) -> Judgement:
    """Judge a single key or key combination."""
    key = subject.value.lower().replace(" ", "")
    if key in ("enter", "return", "numpadenter", "space") or key.endswith(("+enter", "+return")):
        return assess_enter(subject)
    if key in ("delete", "backspace") and subject.role.lower() not in TYPED_ROLES:
        return ask("delete")
    return EFFECTLESS
