"""Judge a press of a button: the table of rules, and what the tables of other controls share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from server.agent.policy.fields import find_secret
from server.agent.policy.labels import (
    heading_commands,
    heading_names,
    is_date,
    is_draft,
    is_numbered,
    is_star,
)
from server.agent.policy.lexicon import UNREAD
from server.agent.policy.names import Commitment, Meaning, read_name
from server.agent.policy.page_context import STRONG, Heading, PageContext
from server.agent.policy.verdict import EFFECTLESS, UNCLEAR_CHANGE, Judgement, Subject, ask


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A press of a control, with the meaning of its name and the evidence around it."""

    subject: Subject
    meaning: Meaning
    context: PageContext

    @property
    def score(self) -> int:
        return self.context.score

    @property
    def kind(self) -> str:
        """The kind of effect: that of the name if it commits by itself, else that of the context."""
        kind = AMBIGUOUS_KINDS.get(self.meaning.kind, self.meaning.kind)
        return kind if self.is_a(Commitment.CERTAIN, Commitment.LIKELY) else self.context.kind or kind

    @property
    def form_risk(self) -> int:
        """Risk from the form's structure: secret fields, a way out of the same dialog, a submit button."""
        subject = self.subject
        risk = STRONG if any(find_secret(field, subject.lang) for field in subject.form_fields) else 0
        others = {read_name(name, subject.lang).commitment for name in subject.siblings}
        if subject.in_dialog and not others.isdisjoint((Commitment.RETREAT, Commitment.CANCEL)):
            risk += 1
        return risk + (1 if subject.submits else 0)

    def is_unclear(self, kind: str) -> bool:
        """Whether neither the name (`Save`) nor what is around it shows that the effect is of this kind."""
        is_vague = self.is_a(Commitment.AMBIGUOUS) and self.meaning.kind in VAGUE_KINDS
        return is_vague and not self.context.tells(kind)

    def names(self, *concepts: str) -> bool:
        """Whether the control's name contains any of these concepts."""
        return any(hit.concept in concepts for hit in self.meaning.hits)

    def is_a(self, *commitments: Commitment) -> bool:
        return self.meaning.commitment in commitments

    def score_without(self, *concepts: str) -> int:
        """The weight of the evidence, without these concepts and those in the control's own name."""
        left_out = {hit.concept for hit in self.meaning.hits} | set(concepts)
        return sum(weight for concept, weight in self.context.evidence.items() if concept not in left_out)


class Rule(NamedTuple):
    """One line of a table: the first rule that applies decides."""

    name: str
    applies: Callable[[ButtonPress], bool]
    asks: str | Callable[[ButtonPress], str] | None = None
    """The kind of effect to ask about, or None to allow."""
    guesses: Callable[[ButtonPress], bool] = lambda press: False
    """Whether the question is only asked because nothing says what the press does."""


def decide(rules: Sequence[Rule], press: ButtonPress) -> tuple[Judgement, str]:
    """The judgement of the first rule that applies, and the rule's name. Allows if none applies."""
    for rule in rules:
        if rule.applies(press):
            if rule.asks is None:
                return EFFECTLESS, rule.name
            kind = rule.asks if isinstance(rule.asks, str) else rule.asks(press)
            reason = UNCLEAR_CHANGE if press.is_unclear(kind) else ""
            return ask(kind, reason, is_guess=rule.guesses(press)), rule.name
    return EFFECTLESS, "no rule"


def by_kind(press: ButtonPress) -> str:
    return press.kind


def by_context(press: ButtonPress) -> str:
    return press.context.kind


AMBIGUOUS_KINDS = {
    "remove": "delete", "save": "account", "accept": "legal", "switch": "system", "share": "publish",
    "make": "account", "join": "account", "reply": "send", "change": "account", "apply": "account", "agree": "",
}  # fmt: skip
"""The kind of effect that each kind of ambiguous verb has."""
VAGUE_KINDS = ("save", "make", "change", "apply")
"""Kinds of ambiguous verbs that do not name their effect."""


_BINDING_SCENES = ("scene.sure", "scene.effect", "scene.final", "scene.charge", "scene.live", "claim.skip")
"""Evidence that makes even an early step of several binding."""
_OWN_KINDS = ("approve", "legal", "system")
"""Kinds of single words such as `Confirm` and `Restart`, which are harmless in a picker or a player."""
_OBLIGING = (
    "scene.money", "scene.total", "scene.plan", "scene.legal", "scene.now", "scene.last", "scene.crowd",
    "url.pay", "url.order", "url.delete",
)  # fmt: skip
"""Evidence that an answer does more than dismiss a notice or change what the page shows."""
_REQUESTED = ("scene.ask", "scene.held", "scene.case", "scene.compose", "scene.draft", "scene.gear")
_PERSONAL = ("scene.paper", "scene.security", "scene.person", "scene.funds")
_SEEN = ("accept", "approve", "legal")
_QUESTION_ANSWERS = (*_SEEN, "system", "switch", "change", "apply")
"""Kinds of one-word answers: `_SEEN` to a notice (`Agreed`), `_QUESTION_ANSWERS` to a page question (`Refresh`)."""
_RARE_KINDS = ("switch", "change", "agree")
"""Kinds of ambiguous verbs that rarely change anything beyond the page."""
_TURNED_OFF = ("scene.live", "scene.gear", "scene.security", "scene.plan", "act.system", "claim.skip")
"""Evidence under which a single word for `close` means `turn off`."""
_FORMAL = {"scene.legal", "scene.paper", "scene.person", "scene.held", "scene.file", "url.legal"}
"""Evidence that does not count for `Start` on a portal: the first step files nothing."""
_GENERIC_THRESHOLDS = {
    Commitment.UNNAMED: 1, Commitment.MILD: 2, Commitment.UNKNOWN: 2, Commitment.PROCEED: STRONG
}  # fmt: skip
"""The score from which a generic name asks."""


def _acts_on_widget(press: ButtonPress) -> bool:
    """`Cancel` and `Confirm` in a picker, `Restart` in a player: they act on this widget only."""
    if not press.context.under(Heading.WIDGET):
        return False
    match press.meaning.commitment:
        case Commitment.CANCEL | Commitment.RETREAT:
            return not press.context.has(*_BINDING_SCENES)
        case Commitment.MILD | Commitment.PROCEED | Commitment.AFFIRM:
            return not press.context.strong
        case Commitment.CERTAIN | Commitment.LIKELY:
            is_own = press.meaning.words == 1 and press.meaning.kind in _OWN_KINDS
            return is_own and not press.context.strong
    return False


def _answers_page(press: ButtonPress) -> bool:
    """`Yes` to `Continue reading?`, `Agreed` under a notice or a tip: they only answer the page."""
    meaning, context = press.meaning, press.context
    if not context.under(Heading.ABOUT_PAGE, Heading.NOTICE, Heading.NEWS):
        return False
    if context.strong or context.has(*_OBLIGING):
        return False
    if meaning.kind == "agree" or press.is_a(Commitment.PROCEED, Commitment.MILD):
        return True
    is_about_page = context.under(Heading.ABOUT_PAGE)
    if any(concept.startswith("deed.") for concept in context.evidence):
        return False
    if not is_about_page and (not context.under(Heading.NOTICE) or context.has(*_REQUESTED)):
        return False
    if press.is_a(Commitment.AFFIRM):
        return True
    is_one_word = meaning.words == 1 and press.is_a(
        Commitment.CERTAIN, Commitment.LIKELY, Commitment.AMBIGUOUS
    )
    return (
        is_one_word
        and meaning.kind in (_QUESTION_ANSWERS if is_about_page else _SEEN)
        and not context.has(*_PERSONAL)
    )


def _commands_device(press: ButtonPress) -> bool:
    """`Close` under `Valve 3`."""
    subject = press.subject
    is_vague = press.meaning.commitment < Commitment.AMBIGUOUS
    return is_vague and heading_commands(subject.context, subject.name, subject.lang)


def _has_effect(press: ButtonPress) -> bool:
    """`Print` under `Sends 400 badges to the printer`; not `Add to cart`, `New invoice`, `How to cancel`."""
    precedes = press.names("calm.cart", "calm.open", "calm.howto", "calm.topic")
    return press.is_a(Commitment.NONE) and press.context.has("scene.effect") and not precedes


def _publishes(press: ButtonPress) -> bool:
    """`Save review`, `Add comment` below what was written: it is there for others to see."""
    is_text = press.names("scene.compose", "deed.publish") and press.names("weak.save", "lean.make")
    return press.subject.submits is True and is_text


def _edits_draft(press: ButtonPress) -> bool:
    """`Link`, `Import` next to `Bold` and `Italic`: they act on the text that is being written."""
    meaning, subject = press.meaning, press.subject
    is_tool = press.is_a(Commitment.LIKELY) and meaning.words == 1 and meaning.kind in ("account", "system")
    return is_draft(subject) and not subject.submits and (is_tool or meaning.commitment < Commitment.LIKELY)


def _names_thing(press: ButtonPress) -> bool:
    """`Post 137`, `Sunday, 29 November 2026`: a title or a date to choose, not a verb."""
    subject, meaning = press.subject, press.meaning
    if subject.submits or press.context.has(*_BINDING_SCENES):
        return False
    is_title = press.is_a(Commitment.LIKELY) and meaning.kind == "publish" and is_numbered(subject.name)
    return is_title or (meaning.commitment <= Commitment.UNKNOWN and is_date(subject.name, subject.siblings))


def _is_set_here(press: ButtonPress) -> bool:
    """`Remove` at an entry of a field or of a form that another button sends, a star of a rating: not sent yet."""
    subject, score = press.subject, press.score
    if subject.submits or subject.in_dialog:
        return False
    if subject.waits and is_star(subject.name):
        return press.meaning.commitment < Commitment.AMBIGUOUS
    removes = press.is_a(Commitment.AMBIGUOUS) and press.meaning.kind == "remove"
    return removes and score < (2 if subject.waits else 1) and (subject.waits or bool(subject.form_fields))


def _is_sent_by_get(press: ButtonPress) -> bool:
    return press.subject.by_get and not press.context.strong and press.meaning.commitment < Commitment.LIKELY


def _closes_case(press: ButtonPress) -> bool:
    """`Close` would close a ticket or an account, not just a message or an article about one."""
    only_text = press.context.under(
        Heading.PAST, Heading.HELP, Heading.NOTICE, Heading.NEWS, Heading.CAUTION, Heading.QUESTION, Heading.WIDGET
    )  # fmt: skip
    return press.context.has("scene.case") and not only_text


def _is_close(press: ButtonPress) -> bool:
    """The one word that means `close` and `turn off`."""
    return press.is_a(Commitment.MILD) and press.meaning.kind == "close"


def is_minor_removal_or_consent(press: ButtonPress) -> bool:
    """A lone `Delete` at a filter or in a cart, or an answer to a cookie banner."""
    meaning, context = press.meaning, press.context
    answers = context.under(Heading.COOKIES) and meaning.kind in ("approve", "accept", "legal")
    is_lone = meaning.words == 1 or not press.is_a(Commitment.CERTAIN)
    clears = context.under(Heading.LIST) and meaning.kind in ("delete", "remove") and is_lone
    score = press.score_without("scene.money", "scene.total") if clears else press.score
    return score < STRONG and (clears or answers)


def _is_harmless_noun(press: ButtonPress) -> bool:
    threshold = 2 if press.meaning.kind in AMBIGUOUS_KINDS else 1
    is_calm = press.context.under(Heading.CALM) and press.score_without() < threshold
    return press.is_a(Commitment.LIKELY) and is_calm


def _is_harmless_verb(press: ButtonPress) -> bool:
    """`Remove`, `Accept` in a calm context; `Start`, `Change` unless there is evidence."""
    meaning, context = press.meaning, press.context
    if not press.is_a(Commitment.AMBIGUOUS, Commitment.AFFIRM):
        return False
    is_calm = context.under(Heading.CALM, Heading.PAST)
    if is_calm and press.score < (STRONG if meaning.kind == "switch" else 2):
        return True
    begins = meaning.kind == "switch" and meaning.words == 1 and not press.subject.submits
    counted = context.evidence.items()
    score = sum(weight for concept, weight in counted if not begins or concept not in _FORMAL)
    return meaning.kind in _RARE_KINDS and score + press.form_risk <= 0


def _generic_is_calm(press: ButtonPress) -> bool:
    context = press.context
    is_calm = context.under(Heading.CALM) or (context.under(Heading.PAST) and press.score < 2 * STRONG)
    is_vague = press.is_a(Commitment.UNKNOWN, Commitment.MILD)
    return is_calm and (not is_vague or press.score <= STRONG)


def _generic_binds(press: ButtonPress) -> bool:
    """`Continue` on the last step, `Share` next to an address: the context makes them commit."""
    context = press.context
    is_early = context.under(Heading.EARLY_STEP) and press.is_a(Commitment.PROCEED)
    if context.has(*_BINDING_SCENES) if is_early else context.strong:
        return True
    if press.is_a(Commitment.PROCEED) and _fills_in(press):
        return False
    threshold = _GENERIC_THRESHOLDS[press.meaning.commitment]
    return not _generic_is_calm(press) and press.score + press.form_risk >= threshold


def _fills_in(press: ButtonPress) -> bool:
    """Address and name on a way to the checkout: only the page's own address speaks of paying."""
    fields = press.subject.form_fields
    is_plain = bool(fields) and not any(find_secret(field, press.subject.lang) for field in fields)
    return is_plain and all(concept.startswith("url.") for concept in press.context.evidence)


def _submits_unknown(press: ButtonPress) -> bool:
    is_unknown, subject = press.is_a(Commitment.UNKNOWN, Commitment.UNNAMED), press.subject
    is_unread_form = subject.lang == UNREAD and bool(subject.form_fields)
    if is_unknown and (subject.submits or is_unread_form):
        return True
    return press.is_a(Commitment.UNNAMED) and not _generic_is_calm(press)


def _ends_booking(press: ButtonPress) -> bool:
    """`Cancel` ends something: on a booking the booking; in a dialog it only leaves the dialog."""
    context = press.context
    asks = context.under(Heading.QUESTION)
    names_it = not asks or heading_names(press.subject.context, press.subject.name)
    if context.has("act.end", "deed.end") and names_it:
        return True
    leaves = context.under(Heading.QUESTION, Heading.WARNING, Heading.FORM)
    return context.has("scene.held", "scene.plan") and not leaves


def means(*commitments: Commitment) -> Callable[[ButtonPress], bool]:
    return lambda press: press.meaning.commitment in commitments


is_unknown = means(Commitment.UNKNOWN, Commitment.UNNAMED)


CANCEL_RULES = (
    Rule("cancels what is held", lambda p: p.is_a(Commitment.CANCEL) and _ends_booking(p), "end"),
    Rule("cancel leaves", means(Commitment.CANCEL)),
)
BUTTON_RULES = (
    Rule("name and heading command a device", _commands_device, "system"),
    Rule("acts on a widget", _acts_on_widget),
    Rule("answers the page", _answers_page),
    Rule("harmless name with a stated effect", _has_effect, by_context),
    Rule("saves what others see", _publishes, "publish"),
    Rule("harmless name", means(Commitment.NONE)),
    Rule("closes a case", lambda p: p.is_a(Commitment.RETREAT) and p.meaning.kind == "shut" and _closes_case(p), "end"),
    Rule("goes back", means(Commitment.RETREAT)),
    *CANCEL_RULES,
    Rule("close turns off", lambda p: _is_close(p) and (p.context.has(*_TURNED_OFF) or _closes_case(p)), "system"),
    Rule("close", _is_close),
    Rule("clears a list or answers a cookie banner", lambda p: p.meaning.commitment >= Commitment.AMBIGUOUS and is_minor_removal_or_consent(p)),
    Rule("names a certain effect", means(Commitment.CERTAIN), by_kind),
    Rule("edits a text that is being written", _edits_draft),
    Rule("title or date", _names_thing),
    Rule("set here and not sent yet", _is_set_here),
    Rule("form that is sent by GET", _is_sent_by_get),
    Rule("likely effect in a calm context", _is_harmless_noun),
    Rule("names a likely effect", means(Commitment.LIKELY), by_kind),
    Rule("ambiguous verb without a cause", _is_harmless_verb),
    Rule("ambiguous verb", means(Commitment.AMBIGUOUS, Commitment.AFFIRM), by_kind),
    Rule("generic name in a binding context", _generic_binds, by_kind, is_unknown),
    Rule("unknown name that may submit", _submits_unknown, "unknown_submit", is_unknown),
    Rule("generic name", lambda p: True),
)  # fmt: skip
"""Judge a button from its name and context. After `ambiguous verb` only generic and unknown names are left."""
