"""Judge whether a click commits something, from the control's name, its role and its context."""

from __future__ import annotations

import re

from server.agent.policy.answers import BINDING, is_own, only_answers
from server.agent.policy.fields import find_secret
from server.agent.policy.labels import asks, moves, names, spell_out
from server.agent.policy.names import Force, Meaning, grasp
from server.agent.policy.page_context import STRONG, PageContext, read_scene
from server.agent.policy.switches import WEAK_KINDS, assess_choice, assess_switch, kind_of
from server.agent.policy.text import fold
from server.agent.policy.verdict import ALLOWED, Judgement, Subject, ask

OPENERS = {
    "textbox", "searchbox", "combobox", "spinbutton", "tab", "columnheader", "rowheader", "heading", "treeitem",
    "listbox", "tablist", "menubar", "tooltip", "scrollbar", "separator", "progressbar",
}  # fmt: skip
_CHOICES = {"option", "radio", "checkbox", "menuitemcheckbox", "menuitemradio"}
_LINKS = {
    "link",
    "cell",
    "gridcell",
    "row",
    "listitem",
    "article",
    "paragraph",
    "text",
    "img",
    "image",
    "figure",
}
_COMMON = ("switch", "change", "agree")
"""Kinds of weak words that rarely change anything beyond the page."""
_LONG_LINK = 7
_COUNTED = re.compile(r"[(\[（]\d+[)\]）]\s*$")
_THRESHOLDS = {Force.MUTE: 1, Force.LEAN: 2, Force.UNKNOWN: 2, Force.PROCEED: STRONG}
_SHOPPING = ("pay", "order")
_LEADING = (*_SHOPPING, "end", "account")
"""Kinds that a link in a header or footer only leads to; another page carries them out."""
_TURNED_OFF = ("scene.live", "scene.gear", "scene.security", "scene.plan", "act.system", "claim.skip")
"""Evidence under which a single word for `close` means `turn off`."""
_VAGUE = (Force.UNKNOWN, Force.LEAN)
_HELD = ("scene.held", "scene.plan")
_LEADING_ON = ("calm.cart", "calm.open", "calm.howto", "calm.topic")
_FORMAL = {"scene.legal", "scene.paper", "scene.person", "scene.held", "scene.file", "trail.legal"}
"""Evidence that does not count for `Start` on a portal: the first step files nothing."""


def assess_click(subject: Subject) -> Judgement:
    """Judge a click on a control."""
    role = subject.role.lower()
    if role in OPENERS and not subject.submits:
        return ALLOWED
    meaning = grasp(subject.name or (subject.value if role == "button" else ""), subject.lang)
    longer = grasp(spell_out(subject.context, subject.name), subject.lang)
    if longer.force in (Force.ACT, Force.DEED) and meaning.force < longer.force:
        meaning = longer
    scene = read_scene(subject.context, subject.url, subject.lang, subject.name)
    if role in ("switch", "slider"):
        return assess_switch(subject, meaning, scene)
    if role in _CHOICES:
        return assess_choice(subject, meaning, scene)
    if role in _LINKS and not subject.submits:
        return _assess_link(subject, meaning, scene)
    if role.startswith("menuitem") or role == "menu":
        return _assess_item(subject, meaning, scene)
    return _assess_button(subject, meaning, scene)


def _assess_button(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    leads = (scene.place or scene.menu) and not scene.score and meaning.force is not Force.ACT
    if leads and not subject.submits:
        return _assess_link(subject, meaning, scene)
    if (
        meaning.words == 1
        and meaning.force < Force.WEAK
        and moves(subject.context, subject.name, subject.lang)
    ):
        return ask("system")
    if scene.widget and is_own(meaning, scene):
        return ALLOWED
    if (scene.page or scene.notice or scene.news) and only_answers(meaning, scene):
        return ALLOWED
    match meaning.force:
        case Force.CALM:
            return ask(scene.kind) if scene.has("scene.effect") and not _leads(meaning) else ALLOWED
        case Force.RETREAT:
            return ask("end") if meaning.kind == "shut" and _ends_case(scene) else ALLOWED
        case Force.CANCEL:
            return _assess_cancel(subject, scene)
        case Force.LEAN if meaning.kind == "close":
            return ask("system") if scene.has(*_TURNED_OFF) or _ends_case(scene) else ALLOWED
        case Force.ACT:
            return ALLOWED if _is_light(meaning, scene) else ask(kind_of(meaning, scene))
        case Force.DEED:
            calm = scene.calm and _beside(meaning, scene) < (2 if meaning.kind in WEAK_KINDS else 1)
            return ALLOWED if calm or _is_light(meaning, scene) else ask(kind_of(meaning, scene))
        case Force.WEAK | Force.AFFIRM:
            return _assess_weak(subject, meaning, scene)
    return _assess_generic(subject, meaning, scene)


def _assess_weak(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    """Ask about `Remove`, `Accept` unless the context is calm; about `Start`, `Change` only with evidence."""
    begins = meaning.kind == "switch" and meaning.words == 1 and not subject.submits
    score = sum(weight for concept, weight in scene.evidence.items() if not begins or concept not in _FORMAL)
    has_cause = meaning.kind not in _COMMON or score + _form_risk(subject) > 0
    calm = (scene.calm or scene.past) and scene.score < (STRONG if meaning.kind == "switch" else 2)
    calm = calm or _is_light(meaning, scene)
    return ALLOWED if calm or not has_cause else ask(kind_of(meaning, scene))


def _leads(meaning: Meaning) -> bool:
    """Whether it precedes any effect: `Add to cart`, `New invoice`, `How to cancel`."""
    return any(hit.concept in _LEADING_ON for hit in meaning.hits)


def _ends_case(scene: PageContext) -> bool:
    """Whether `Close` would close a ticket or an account, not just a message or an article about one."""
    told = scene.past or scene.help or scene.notice or scene.news or scene.caution
    return scene.has("scene.case") and not (told or scene.asks or scene.widget)


def _is_light(meaning: Meaning, scene: PageContext) -> bool:
    """Whether it is a lone `Delete` at a filter or in a cart, or an answer to a cookie banner."""
    answers = scene.cookies and meaning.kind in ("approve", "accept", "legal")
    is_lone = meaning.words == 1 or meaning.force is not Force.ACT
    clears = scene.light and meaning.kind in ("delete", "remove") and is_lone
    beside = _beside(meaning, scene, "scene.money", "scene.total") if clears else scene.score
    return beside < STRONG and (clears or answers)


def _beside(meaning: Meaning, scene: PageContext, *apart: str) -> int:
    """The weight of the evidence, without concepts in the control's own name and without `apart`."""
    known = {hit.concept for hit in meaning.hits} | set(apart)
    return sum(weight for concept, weight in scene.evidence.items() if concept not in known)


def _assess_generic(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    """Judge a name such as `Continue` or `Share`, or an unknown one, by its context."""
    calm = scene.calm or (scene.past and scene.score < 2 * STRONG)
    calm = calm and (meaning.force not in _VAGUE or scene.score <= STRONG)
    binds = scene.has(*BINDING) if scene.early and meaning.force is Force.PROCEED else scene.strong
    if binds or (not calm and scene.score + _form_risk(subject) >= _THRESHOLDS[meaning.force]):
        return ask(kind_of(meaning, scene))
    if subject.submits and meaning.force in (Force.UNKNOWN, Force.MUTE):
        return ask("unknown_submit")
    if meaning.force is Force.MUTE and not calm:
        return ask("unknown_submit")
    return ALLOWED


def _form_risk(subject: Subject) -> int:
    """Risk from the form's structure: secret fields, a cancel button in the same dialog, a submit button."""
    risk = STRONG if any(find_secret(field, subject.lang) for field in subject.form_fields) else 0
    twins = {grasp(name, subject.lang).force for name in subject.siblings}
    if subject.in_dialog and not twins.isdisjoint((Force.RETREAT, Force.CANCEL)):
        risk += 1
    return risk + (1 if subject.submits else 0)


def _assess_cancel(subject: Subject, scene: PageContext) -> Judgement:
    """Judge `Cancel`: in a dialog it leaves the dialog, on a booking it cancels the booking."""
    if scene.has("act.end", "deed.end") and not (scene.asks and not names(subject.context, subject.name)):
        return ask("end")
    leaves = scene.asks or scene.warns or scene.form
    return ask("end") if scene.has(*_HELD) and not leaves else ALLOWED


def _assess_link(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    if _counts_folder(subject, meaning):
        return ALLOWED
    if meaning.words > _LONG_LINK or (meaning.words > 2 and asks(subject.name)):
        return ALLOWED
    if scene.menu and not scene.score:
        return ALLOWED
    match meaning.force:
        case Force.ACT:
            leads_on = (_names_topic(meaning) or _opens_page(meaning, scene)) and scene.score < 2
            leads_on = leads_on or (scene.help and not scene.strong)
            return ALLOWED if leads_on or _is_light(meaning, scene) else ask(meaning.kind)
        case Force.WEAK if meaning.kind == "remove":
            return ALLOWED if scene.calm else ask("delete")
        case Force.WEAK | Force.AFFIRM | Force.DEED:
            return ask(kind_of(meaning, scene)) if scene.score >= 2 and not scene.calm else ALLOWED
        case Force.PROCEED | Force.MUTE:
            return ask(kind_of(meaning, scene)) if scene.strong else ALLOWED
        case Force.CANCEL:
            return _assess_cancel(subject, scene)
    return ALLOWED


def _counts_folder(subject: Subject, meaning: Meaning) -> bool:
    """Whether it is a folder with its item count: `Trash (12)`."""
    counted = _COUNTED.search(fold(subject.name)) is not None
    return counted and meaning.words == 2 and any(hit.concept == "scene.file" for hit in meaning.hits)


def _names_topic(meaning: Meaning) -> bool:
    """Whether it names a link's target, not its effect: `Buy tickets` in a header, `Returning & refunds`."""
    pairs = any(hit.concept == "soft.and" for hit in meaning.hits)
    return meaning.kind in _SHOPPING or (pairs and meaning.kind == "end")


def _opens_page(meaning: Meaning, scene: PageContext) -> bool:
    """Whether it opens a page from a header, menu or footer: `Returns`, `Log in`."""
    return scene.place and meaning.kind in _LEADING


def _assess_item(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    match meaning.force:
        case Force.DEED if scene.menu and not scene.score:
            return ALLOWED
        case Force.ACT | Force.DEED | Force.WEAK:
            return ask(kind_of(meaning, scene))
        case Force.CANCEL:
            return _assess_cancel(subject, scene)
        case Force.AFFIRM | Force.PROCEED | Force.LEAN:
            return ask(kind_of(meaning, scene)) if scene.strong else ALLOWED
        case Force.UNKNOWN | Force.MUTE if scene.score >= 2 and not scene.calm:
            return ask(scene.kind)
    return ask(scene.kind) if scene.has("claim.skip") else ALLOWED
