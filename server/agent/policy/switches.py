"""Judge controls with a state: a switch takes effect at once, a choice waits for a button."""

from __future__ import annotations

from dataclasses import replace

from server.agent.policy.names import Force, Meaning
from server.agent.policy.page_context import PageContext, read_scene
from server.agent.policy.sentence import SMALL
from server.agent.policy.verdict import ALLOWED, Judgement, Subject, ask

_LIVE = (
    "scene.live", "scene.gear", "scene.security", "scene.plan", "scene.funds", "scene.now", "scene.crowd",
    "act.system", "act.account", "act.publish", "act.pay", "deed.system", "deed.pay", "deed.account", "scene.charge",
    "scene.final", "scene.sure", "scene.effect", "act.delete", "claim.skip", "act.end",
)  # fmt: skip


def assess_switch(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    """Judge a switch: ask if it controls a live system, access, money or what is public."""
    both = _with_name(subject, scene)
    is_calm = meaning.force is Force.CALM and any(
        hit.concept in (*SMALL, "calm.look") for hit in meaning.hits
    )
    if is_calm or meaning.force is Force.RETREAT:
        return ask(scene.kind) if scene.has("scene.live", "scene.effect", "claim.skip") else ALLOWED
    grants = meaning.force is Force.WEAK and meaning.kind == "accept" and not both.calm
    if meaning.force is Force.ACT or grants:
        return ask(kind_of(meaning, both))
    return ask(both.kind or "system") if both.has(*_LIVE) else ALLOWED


def assess_choice(subject: Subject, meaning: Meaning, scene: PageContext) -> Judgement:
    """Judge a choice: ask only if the page says that it takes effect at once, or if it is binding."""
    both = _with_name(subject, scene)
    if both.has("scene.now", "scene.effect", "scene.live", "claim.skip"):
        return ask(both.kind or "system")
    if subject.role.lower() == "checkbox" and _binds(meaning, scene, both):
        return ask(both.kind)
    return ALLOWED


def _with_name(subject: Subject, scene: PageContext) -> PageContext:
    """The context plus the evidence in the control's own name, such as `Live traffic`."""
    named = read_scene(subject.name, language=subject.lang).evidence
    heavier = {concept: max(weight, scene.evidence.get(concept, 0)) for concept, weight in named.items()}
    return replace(scene, evidence=scene.evidence | heavier)


def _binds(meaning: Meaning, scene: PageContext, both: PageContext) -> bool:
    if any(hit.concept == "act.legal" for hit in meaning.hits):
        return scene.has("scene.legal")
    return both.has("scene.plan") and not scene.calm


def kind_of(meaning: Meaning, scene: PageContext) -> str:
    """The kind of effect: that of the name if it commits by itself, else that of the context."""
    kind = WEAK_KINDS.get(meaning.kind, meaning.kind)
    return kind if meaning.force in (Force.ACT, Force.DEED) else scene.kind or kind


WEAK_KINDS = {
    "remove": "delete", "save": "account", "accept": "legal", "switch": "system", "share": "publish",
    "make": "account", "join": "account", "reply": "send", "change": "account", "apply": "account", "agree": "",
}  # fmt: skip
