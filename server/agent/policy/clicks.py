"""Judge a click by the control's role: buttons, links, menu items, switches and choices have a table each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from server.agent.policy.address import may_act
from server.agent.policy.buttons import (
    BUTTON_RULES,
    CANCEL_RULES,
    ButtonPress,
    Rule,
    by_context,
    by_kind,
    decide,
    is_minor_removal_or_consent,
    is_unknown,
    means,
)
from server.agent.policy.fields import kinds_of_field
from server.agent.policy.labels import asks, is_star, longer_heading
from server.agent.policy.money import has_money
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.page_context import Heading, read_context
from server.agent.policy.sentence import MINOR
from server.agent.policy.text import fold
from server.agent.policy.verdict import Judgement, Subject, Verdict

OPENERS = {
    "textbox", "searchbox", "combobox", "spinbutton", "tab", "columnheader", "rowheader", "heading", "treeitem",
    "listbox", "tablist", "menubar", "tooltip", "scrollbar", "separator", "progressbar",
}  # fmt: skip
"""Roles whose click only opens or focuses something, unless the name says more: a role is the page's claim, too."""
_TYPED_INTO = {"textbox", "searchbox", "combobox", "spinbutton"}
_CHOICE_ROLES = {"option", "radio", "checkbox", "menuitemcheckbox", "menuitemradio"}
_SETS = _CHOICE_ROLES | {"switch", "slider"}
_LINKS = {
    "link", "cell", "gridcell", "row", "listitem", "article", "paragraph", "text", "img", "image", "figure",
}  # fmt: skip
_LONG_LINK = 7
"""Most words of a link that names an action. A longer one is a headline."""
_COUNT_SUFFIX = re.compile(r"[(\[（]\d+[)\]）]\s*$")
_SHOPPING = ("pay", "order")
_ENTRANCES = (*_SHOPPING, "end", "account")
"""Kinds that a link in a header or footer only leads to; another page carries them out."""
_IMMEDIATE = ("scene.live", "scene.effect", "claim.skip")
_SWITCHED = (
    *_IMMEDIATE, "scene.gear", "scene.security", "scene.plan", "scene.funds", "scene.now", "scene.crowd",
    "scene.charge", "scene.final", "scene.sure", "act.system", "act.account", "act.publish", "act.pay", "act.delete",
    "act.end", "deed.system", "deed.pay", "deed.account",
)  # fmt: skip
"""Evidence that a switch controls a live system, access, money or what is public."""
_VOTED = ("act.send", "act.approve", "act.legal", "deed.approve")
_DONE_SCENES = (
    "scene.person",
    "scene.case",
    "scene.held",
    "scene.charge",
    "scene.final",
    "scene.crowd",
    "scene.file",
)
"""What something is done to in a name, or that it is for good: `Delete account`."""


def assess_click(subject: Subject) -> Judgement:
    """Judge a click on a control."""
    return explain_click(subject)[0]


def explain_click(subject: Subject) -> tuple[Judgement, str]:
    """Judge a click on a control, with the name of the rule that decided."""
    role = subject.role.lower()
    press = _read_press(subject, role)
    judgement, rule = decide(_rules_for(role, press), press)
    asks_now, names_effect = (
        judgement.verdict is Verdict.ASK,
        press.is_a(Commitment.CERTAIN, Commitment.LIKELY),
    )
    if asks_now and subject.action == "drag" and not names_effect:
        judgement = replace(judgement, is_guess=True)  # the name is that of the handle, not of what is done
    elif (asks_now or names_effect) and _leads(subject, role):
        judgement = replace(judgement, is_guess=asks_now and not may_act(subject.href), is_doubted=True)
    return judgement, rule


def _leads(subject: Subject, role: str) -> bool:
    """Whether it opens a part of this page or another page, by its structure: what it sends shows if that is all."""
    return not subject.submits and role not in _SETS and (subject.opens or role == "link")


def _read_press(subject: Subject, role: str) -> ButtonPress:
    meaning = read_name(subject.name or (subject.value if role == "button" else ""), subject.lang)
    longer = read_name(longer_heading(subject.context, subject.name), subject.lang)
    names_effect = longer.commitment in (Commitment.CERTAIN, Commitment.LIKELY)
    if names_effect and meaning.commitment < longer.commitment:
        meaning = longer
    return ButtonPress(
        subject, meaning, read_context(subject.context, subject.url, subject.lang, subject.name)
    )


def _rules_for(role: str, press: ButtonPress) -> Sequence[Rule]:
    submits, context = press.subject.submits, press.context
    if role in OPENERS and not submits:
        return OPENER_RULES
    if role in _CHOICE_ROLES and press.subject.at_once:
        return AT_ONCE_RULES
    if role in ("switch", "slider"):
        return SWITCH_RULES
    if role in _CHOICE_ROLES:
        return CHOICE_RULES
    if (
        role in _LINKS and not submits and press.subject.action != "double_click"
    ):  # two clicks open no headline
        return LINK_RULES
    if role.startswith("menuitem") or role == "menu":
        return MENU_RULES
    is_navigation = context.under(Heading.NAVIGATION, Heading.MENU) and not context.score
    if is_navigation and not press.is_a(Commitment.CERTAIN) and not submits:
        return LINK_RULES
    return BUTTON_RULES


def _counts_folder(press: ButtonPress) -> bool:
    """`Trash (12)`: a folder with its item count."""
    is_counted = _COUNT_SUFFIX.search(fold(press.subject.name)) is not None
    return is_counted and press.meaning.words == 2 and press.names("scene.file")


def _is_headline(press: ButtonPress) -> bool:
    """By the link's own name, not by a heading that extends it: `Skip` under `Skip this payment and pay ...`."""
    words = read_name(press.subject.name, press.subject.lang).words
    return words > _LONG_LINK or (words > 2 and asks(press.subject.name))


def _leads_to_page(press: ButtonPress) -> bool:
    """`Buy tickets` in a header, `Returning & refunds`, `Log in`: the link's target, not its effect."""
    kind, context = press.meaning.kind, press.context
    names_target = kind in _SHOPPING or (kind == "end" and press.names("soft.and"))
    is_entrance = context.under(Heading.NAVIGATION) and kind in _ENTRANCES
    if (names_target or is_entrance) and context.score < 2:
        return True
    return context.under(Heading.HELP) and not context.strong


def _is_removal(press: ButtonPress) -> bool:
    return press.is_a(Commitment.AMBIGUOUS) and press.meaning.kind == "remove"


def _is_calm(press: ButtonPress) -> bool:
    return press.context.under(Heading.CALM)


def _has_evidence(press: ButtonPress) -> bool:
    return press.score >= 2 and not _is_calm(press)


def _is_undisputed(press: ButtonPress) -> bool:
    """In a row of navigation targets, without evidence of risk."""
    return press.context.under(Heading.MENU) and not press.score


def _changes_one(press: ButtonPress) -> bool:
    """`Rename`: what is typed then changes something."""
    is_change = (
        press.is_a(Commitment.AMBIGUOUS) and press.meaning.kind == "change" and press.meaning.words == 1
    )
    return is_change and press.score < 2


LINK_RULES = (
    Rule("folder with its count", _counts_folder),
    Rule("headline", _is_headline),
    Rule("one of the places of a menu", _is_undisputed),
    Rule("link leads to a page", lambda p: p.is_a(Commitment.CERTAIN) and (_leads_to_page(p) or is_minor_removal_or_consent(p))),
    Rule("link names a certain effect", means(Commitment.CERTAIN), lambda p: p.meaning.kind),
    Rule("link removes in a calm context", lambda p: _is_removal(p) and _is_calm(p)),
    Rule("link removes", _is_removal, "delete"),
    Rule("link with evidence", lambda p: p.is_a(Commitment.AMBIGUOUS, Commitment.AFFIRM, Commitment.LIKELY) and _has_evidence(p), by_kind),
    Rule("generic link with strong evidence", lambda p: p.is_a(Commitment.PROCEED, Commitment.UNNAMED) and p.context.strong, by_kind, is_unknown),
    *CANCEL_RULES,
    Rule("link", lambda p: True),
)  # fmt: skip
MENU_RULES = (
    Rule("item opens a field for a name", _changes_one),
    Rule("one of the places of a menu", lambda p: p.is_a(Commitment.LIKELY) and _is_undisputed(p)),
    Rule("item names an effect", means(Commitment.CERTAIN, Commitment.LIKELY, Commitment.AMBIGUOUS), by_kind),
    *CANCEL_RULES,
    Rule("generic item with strong evidence", lambda p: p.is_a(Commitment.AFFIRM, Commitment.PROCEED, Commitment.MILD) and p.context.strong, by_kind),
    Rule("unknown item with evidence", lambda p: p.is_a(Commitment.UNKNOWN, Commitment.UNNAMED) and _has_evidence(p), by_context, is_unknown),
    Rule("consent is claimed", lambda p: p.context.has("claim.skip"), by_context),
    Rule("menu item", lambda p: True),
)  # fmt: skip


def _names_field(press: ButtonPress) -> bool:
    """`Send to`, `Pay date`, `Type DELETE to confirm`: the label of a field, which a click gives the focus."""
    subject = press.subject
    if subject.role.lower() not in _TYPED_INTO or has_money(subject.name):
        return False
    return not press.names(*_DONE_SCENES) or bool(kinds_of_field(subject.name, subject.lang))


def _opens(press: ButtonPress) -> bool:
    return _is_headline(press) and not has_money(press.subject.name)


def _is_one_of_tabs(press: ButtonPress) -> bool:
    """`Withdraw`, `Delete account` in a row of tabs; not `Pay €5 now` or what is for good."""
    subject = press.subject
    is_in_row = subject.role.lower() == "tab" and not subject.alone
    return is_in_row and not has_money(subject.name) and not press.names("scene.final", "scene.charge")


OPENER_RULES = (
    Rule("one of several tabs", _is_one_of_tabs),
    Rule("label of a field", _names_field),
    Rule("long text that opens something", _opens),
    Rule("role that opens, name that acts", means(Commitment.CERTAIN), by_kind),
    Rule("the role opens something", lambda p: True),
)


def _sets_minor(press: ButtonPress) -> bool:
    """A switch of captions or a theme, or one to go back."""
    is_minor = press.is_a(Commitment.NONE) and press.names(*MINOR, "calm.look")
    return is_minor or press.is_a(Commitment.RETREAT)


def _grants(press: ButtonPress) -> bool:
    """`Allow notifications`."""
    is_grant = press.is_a(Commitment.AMBIGUOUS) and press.meaning.kind == "accept"
    return press.is_a(Commitment.CERTAIN) or (is_grant and not _is_calm(press))


def _shows(press: ButtonPress, *concepts: str) -> bool:
    """Whether the context or the control's own name (`Live traffic`) is evidence of any of these."""
    subject = press.subject
    return press.context.has(*concepts) or read_context(subject.name, language=subject.lang).has(*concepts)


def _binds(press: ButtonPress) -> bool:
    """A checkbox that accepts a contract or adds a plan."""
    if press.subject.role.lower() != "checkbox":
        return False
    if press.names("act.legal"):
        return press.context.has("scene.legal")
    return _shows(press, "scene.plan") and not _is_calm(press)


def _by_context_or_system(press: ButtonPress) -> str:
    return press.context.kind or "system"


def _switches_much(press: ButtonPress) -> bool:
    """A slider called `Dose per hour` is a setting that others rely on, too."""
    return _shows(press, *_SWITCHED, *(("scene.legal",) if press.subject.role.lower() == "slider" else ()))


def _slides(press: ButtonPress) -> bool:
    """A slider shows its value before it is let go, and many wait for a button."""
    return press.subject.role.lower() == "slider"


SWITCH_RULES = (
    Rule("minor setting with an effect", lambda p: _sets_minor(p) and p.context.has(*_IMMEDIATE), by_context),
    Rule("minor setting", _sets_minor),
    Rule("switch grants or commits", _grants, by_kind),
    Rule("switch with evidence", _switches_much, _by_context_or_system, _slides),
    Rule("switch", lambda p: True),
)
"""A switch takes effect at once."""


def _is_calm_choice(press: ButtonPress) -> bool:
    """`Newest first` under `Sort by`, `Admin` under `Filter by role`; not `Everyone` in a calm place that is no list."""
    if not _is_calm(press) or press.context.strong or press.is_a(Commitment.CERTAIN):
        return False
    own = read_context(press.subject.name, language=press.subject.lang)
    return press.context.under(Heading.LIST) or not own.has(*_SWITCHED)


def _rates(press: ButtonPress) -> bool:
    subject = press.subject
    return subject.role.lower() == "radio" and not subject.waits and is_star(press.subject.name)


def _kind_of_choice(press: ButtonPress) -> str:
    own = read_context(press.subject.name, language=press.subject.lang)
    return "publish" if own.has("scene.crowd") else press.context.kind or own.kind or "system"


AT_ONCE_RULES = (
    Rule("entry of a list", lambda p: p.subject.action != "select" and _is_headline(p)),
    Rule("calm choice", _is_calm_choice),
    Rule("choice acts", means(Commitment.CERTAIN), by_kind),
    Rule(
        "choice changes what others see or may do", lambda p: _shows(p, *_SWITCHED, *_VOTED), _kind_of_choice
    ),
    Rule("choice rates", _rates, "send"),
    Rule(
        "choice names an effect",
        lambda p: p.subject.action == "select" and p.is_a(Commitment.LIKELY),
        by_kind,
    ),
    Rule("harmless choice", lambda p: True),
)
"""A choice that no button sends works like a switch."""
CHOICE_RULES = (
    Rule("choice takes effect at once", lambda p: _shows(p, *_IMMEDIATE, "scene.now"), _by_context_or_system),
    Rule("binding checkbox", _binds, by_context),
    Rule("choice", lambda p: True),
)  # fmt: skip
"""A choice waits for a button."""
