"""What the policy judges: an action as facts of the page. Pure; the model's words about it are never used."""

from __future__ import annotations

from server.agent.approval import Action, targets_of
from server.agent.policy import Subject, guess_language
from server.browser.observation import Element, Observation

_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})


def subjects_of(action: Action, observation: Observation, focused: Element | None = None) -> list[Subject]:
    """Everything one action does: a form that is filled and sent is judged field by field and as sent."""
    targets = targets_of(action, observation)
    match action["kind"]:
        case "navigate":
            return [Subject("navigate", url=observation.page.url, target_url=str(action.get("url", "")))]
        case "press":
            return [_subject(_key_action(str(action["key"])), focused, observation)]
        case "type":
            last = targets[-1:] if action.get("submit") else []
            return [_subject("type", element, observation) for element in targets] + [
                _subject("press_enter", element, observation) for element in last
            ]
        case "dialog":
            return [_dialog(action, observation)]
    return [_subject(action["kind"], targets[0] if targets else None, observation)]


def _subject(action: str, element: Element | None, observation: Observation) -> Subject:
    if element is None:
        return Subject(action, url=observation.page.url)
    group = [
        other for other in observation.interactive
        if element.group and other.group == element.group and other.eid != element.eid
    ]  # fmt: skip
    return Subject(
        action, role=element.role, name=element.name, value=element.value or "", context=element.context,
        url=observation.page.url, href=element.href or "", submits=element.submits or None, secret=element.secret,
        form_fields=tuple(other.name for other in group if other.role in _FIELDS),
        in_dialog=element.group.startswith(("dialog", "alertdialog")),
        siblings=tuple(other.name for other in group if other.role not in _FIELDS), lang=_language(observation),
    )  # fmt: skip


def _language(observation: Observation) -> str:
    names = (element.name for element in observation.interactive)
    return guess_language("\n".join([observation.page.title, *observation.text_blocks, *names]))


def _key_action(key: str) -> str:
    """Enter and the space bar set off what has the focus, with whatever modifier."""
    name = key.rpartition("+")[2].strip().casefold() or "space"
    return "press_enter" if name in ("enter", "return", "numpadenter", "space", "spacebar") else "press"


def _dialog(action: Action, observation: Observation) -> Subject:
    """To accept a dialog of the page's script is to press its OK button."""
    if not action.get("accept"):
        return Subject("observe")
    return Subject(
        "click", role="button", name="OK", context=" · ".join(observation.notes), url=observation.page.url,
        submits=True, in_dialog=True, siblings=("Cancel",), lang=_language(observation),
    )  # fmt: skip
