"""Judge Enter and other keys, in a field or on a control."""

from __future__ import annotations

from server.agent.policy.clicks import assess_click
from server.agent.policy.fields import FIELDS, is_secret, kinds_of_field
from server.agent.policy.page_context import Heading, read_context
from server.agent.policy.verdict import ALLOWED, Judgement, Subject, ask


def assess_enter(subject: Subject) -> Judgement:
    """Judge Enter: it searches, sends, signs in, or acts like the form's button."""
    if subject.role.lower() not in FIELDS:
        return assess_click(subject)
    if is_secret(subject):
        return ask("credential")
    means = kinds_of_field(subject.name, subject.lang)
    if subject.role == "searchbox" or "query" in means:
        return ALLOWED
    if "message" in means:
        return ask("send")
    context = read_context(subject.context, language=subject.lang)
    picks = subject.role == "combobox" or ("lookup" in means and len(subject.form_fields) < 2)
    if (context.under(Heading.CALM) or picks) and not context.strong:
        return ALLOWED
    stands_alone = bool(subject.name.strip()) and not subject.form_fields and not subject.submits
    return ALLOWED if stands_alone and context.score < (2 if "plain" in means else 1) else ask(context.kind)


def assess_key(subject: Subject) -> Judgement:
    """Judge a single key or key combination."""
    key = subject.value.lower().replace(" ", "")
    if key in ("enter", "return", "numpadenter", "space") or key.endswith(("+enter", "+return")):
        return assess_enter(subject)
    if key in ("delete", "backspace") and subject.role.lower() not in FIELDS:
        return ask("delete")
    return ALLOWED
