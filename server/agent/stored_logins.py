"""The act `login`: which stored login may be typed into which form, the question about it, and the fill itself."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlsplit

from server.agent.actions import AimedAction, LoginAction
from server.agent.context import RunContext
from server.agent.gate.approval import approval_digest
from server.agent.gate.logins import count_fill
from server.agent.gate.shown_page import ShownPage
from server.agent.logins import (
    CodeNotReady,
    LoginEvent,
    LoginEventKind,
    LoginGone,
    LoginGrant,
    LoginOffer,
    Vault,
    VaultLocked,
)
from server.agent.policy import Judgement, Verdict
from server.agent.policy.fields import TYPED_ROLES
from server.browser.addresses import is_local_name
from server.browser.browser import Browser, ToolOutcome
from server.browser.login_form import FieldValues, LoginField, LoginForm, LoginRule
from server.browser.observation import Observation
from server.browser.sites import origin_host, site_of_host
from server.clock import steady_time
from server.errors import Unavailable
from server.events import LoginAsked, LoginChoice, LoginQuestion, Target
from server.grants.coverage import GrantScope
from server.text import cut
from wording.catalogue import Wording, joined, parts_of, sentence

log = logging.getLogger(__name__)

CODE_TRIES, CODE_PATIENCE = 3, 35.0
"""How many times a code is asked for, and the most seconds in between: the next one is soon there."""
MAX_NAMED = 5
"""Logins that one page's prompt names."""
_ACCOUNT = re.compile(
    r"user|login|e-?mail|account|phone|benutzer|konto|kunden|логин|почт|пользовател|телефон|utilisateur|usuario|correo",
    re.IGNORECASE,
)
_SIGN_IN = re.compile(
    r"sign.?in|log.?in|log.?on|auth|session|anmeld|einlogg|weiter|next|continue|войти|вход|далее|connexion|connecter|iniciar",
    re.IGNORECASE,
)
_SCOPES: list[GrantScope] = ["session", "automation"]


@dataclass(frozen=True, slots=True)
class PlannedLogin:
    """A login for a form. Without an offer none can be filled, and `problem` says why."""

    form: LoginForm
    host: str
    offers: Sequence[LoginOffer] = ()
    problem: str = ""
    rule: str = ""
    """Code of the rule that refused it."""


MAY_ASK = Judgement(Verdict.ASK, sentence("effect.fills_login"), "account")
"""The judgement on a fill that the person has to allow."""


async def may_fit(context: RunContext, address: str) -> bool:
    """Whether there is a login for that page, whatever it shows. Costs no look at it."""
    try:
        return bool(host := origin_host(address)) and bool(
            await context.vault.offers(host, context.login_run)
        )
    except VaultLocked:
        return True


async def logins_here(context: RunContext, page: Observation) -> str:
    """The line that names to a model what fits the login form of the page; "" without a form, or if nothing fits."""
    host = origin_host(page.page.url)
    if not host or not has_login_form(page):
        return ""
    try:
        offers = await context.vault.offers(host, context.login_run)
    except VaultLocked:
        return "Logins here: stored ones are locked; act login asks the person to unlock them"
    named = [
        f'L{at} "{_plain(one.title)}" {_plain(one.account)}' for at, one in enumerate(offers[:MAX_NAMED], 1)
    ]
    return f"Logins here: {', '.join(named)}" if named else ""


def has_login_form(page: Observation) -> bool:
    """Whether a field of it takes a password or a code, or the name of an account where little else is to be filled."""
    fields = [one for one in page.interactive if one.role in TYPED_ROLES or one.role == "textbox"]
    if any(one.secret for one in fields):
        return True
    words = (
        f"{page.page.url} {page.page.title} {' '.join(one.name for one in page.interactive if one.submits)}"
    )
    return bool(_SIGN_IN.search(words)) and any(_ACCOUNT.search(one.name) for one in fields)


def _plain(text: str) -> str:
    return cut(" ".join(text.replace('"', "'").split()), 60)


async def plan_login(context: RunContext, aimed: AimedAction) -> PlannedLogin:
    """Look at the form of the act's field, and find out which login may be filled there; each rule refuses by its name."""
    action, element = aimed.action, aimed.target
    assert isinstance(action, LoginAction)
    assert element is not None
    form = await (await context.browser()).login_form(element)
    host = origin_host(form.url)
    try:
        planned = await _planned(context, action, form, host, origin_host(aimed.observation.page.url))
    except VaultLocked as locked:
        planned = PlannedLogin(form, host, (), locked.why, "locked")
    if planned.rule:
        log.info("no login is filled: %s", planned.rule)
        login_id = planned.offers[0].id if planned.offers else ""
        await record(context, "refused", login_id, host, reason=planned.rule)
    return planned


async def _planned(
    context: RunContext, action: LoginAction, form: LoginForm, host: str, page_host: str
) -> PlannedLogin:
    if form.refused:
        return PlannedLogin(form, host, (), refusal(form.refused), form.refused)
    vault, run = context.vault, context.login_run
    fitting = await vault.offers(host, run)
    offers = _chosen(fitting, await vault.offers(page_host, run), action.login)
    if not offers:
        return PlannedLogin(form, host, (), sentence("login.none_fits", host=host), "none_fits")
    hosts = {*map(origin_host, form.origins), *filter(None, map(origin_host, form.sends)), host}
    known = {one: {offer.id for offer in await vault.offers(one, run)} for one in hosts if one}
    allowed = [one for one in offers if not broken_rule(form, one, known)]
    if not allowed:
        rule = broken_rule(form, offers[0], known)
        return PlannedLogin(form, host, offers, refusal(rule), rule)
    if "code" in form.fields and not (allowed := [one for one in allowed if one.has_code]):
        return PlannedLogin(form, host, offers, sentence("login.no_code"), "no_code")
    return PlannedLogin(form, host, allowed)


def _chosen(fitting: Sequence[LoginOffer], named: Sequence[LoginOffer], wanted: str) -> list[LoginOffer]:
    """The logins that fit the form, the one that is meant first: by its id, or by its place in the line of the page."""
    names = {f"L{at}": one.id for at, one in enumerate(named, 1)}
    wanted_id = names.get(wanted.strip().upper(), wanted)
    return sorted(fitting, key=lambda one: one.id != wanted_id)


def broken_rule(
    form: LoginForm, offer: LoginOffer | None = None, known: Mapping[str, set[str]] | None = None
) -> LoginRule:
    """The rule about sites and encryption by which the login is not filled; "" if none is broken.

    `known`: the ids of the logins that fit each host of the form. Without an offer the form's own site is all.
    """
    # An added host is no site: around its forms, and where they are sent, only what the login fits is its own.
    site = offer.site if offer else site_of_host(origin_host(form.url))

    def is_own(other: str) -> bool:
        return bool(other) and (
            site_of_host(other) == site
            or (offer is not None and known is not None and offer.id in known.get(other, ()))
        )

    around = [origin_host(origin) for origin in form.origins]
    if not all(map(is_own, around)):
        return "foreign_frame"
    targets = [one for one in form.sends if urlsplit(one).scheme != "javascript"]
    if not all(is_own(origin_host(one)) for one in targets):
        return "foreign_form"
    plain = [one for one in (*form.origins, *targets) if urlsplit(one).scheme == "http"]
    if any(not _is_loopback(origin_host(one)) for one in plain) and not (offer and offer.allows_http):
        return "http"
    return ""


def _is_loopback(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return is_local_name(name) or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refusal(rule: str) -> Wording:
    """Why nothing is filled, for the person and the model."""
    return sentence(f"login.refused.{rule}")


def is_covered(context: RunContext, planned: PlannedLogin) -> bool:
    """Whether a grant, or the yes for the fill that the code belongs to, covers the first login without a question."""
    first = planned.offers[0]
    is_code = planned.form.fields == ("code",)
    return first.grant != "ask" or (
        is_code and context.filled.covers_code(first.id, planned.host, steady_time())
    )


def with_form(action: LoginAction, planned: PlannedLogin, login_id: str = "") -> LoginAction:
    """The act for that very form and login."""
    chosen = login_id or planned.offers[0].id
    return action.model_copy(
        update={
            "login": chosen,
            "form": planned.form.token,
            "host": planned.host,
            "parts": planned.form.fields,
        }
    )


def login_question(
    aimed: AimedAction, planned: PlannedLogin, shown: ShownPage, *, run_id: str, reference: str, asked_at: float,
    timeout: float,
) -> LoginQuestion:  # fmt: skip
    """`aimed` is the act for that form (`with_form`); `asked_at` is a Unix time, `timeout` in seconds."""
    element, host = aimed.target, planned.host
    site = site_of_host(host)
    choices = [
        LoginChoice(
            id=one.id, title=one.title, site=one.site, account=one.account, is_exact_host=one.is_exact_host
        )
        for one in planned.offers
    ]
    name = element.name if element else ""
    reason = sentence("login.question", host=host, account=choices[0].account)
    return LoginQuestion(
        reference=reference,
        reason=reason,
        reason_parts=parts_of(reason),
        action={"kind": "login"},
        target=Target(role=element.role, name=name, box=shown.target_of(aimed)) if element else None,
        url=aimed.observation.page.url,
        screenshot=shown.screenshot,
        login=LoginAsked(
            host=host, site=site, has_odd_letters="xn--" in host, fields=list(planned.form.fields), choices=choices
        ),
        scopes=_SCOPES,
        digest=approval_digest(run_id, aimed),
        asked_at=asked_at,
        expires_at=datetime.fromtimestamp(asked_at + timeout, UTC),
    )  # fmt: skip


async def allow(context: RunContext, action: LoginAction, choice: str) -> None:
    """Keep the yes for longer than once, where it can be kept; the fill itself says what cannot be done."""
    grants: dict[str, LoginGrant] = {"session": "session"}
    grants |= {"automation": "automation"} if context.automation_id else {}
    if choice not in grants:
        return
    with suppress(LoginGone, VaultLocked):
        await context.vault.allow(action.login, grants[choice], context.login_run)
        await record(context, "allowed", action.login, action.host, reason=choice)


async def mask_filled(vault: Vault, session_id: str, browser: Browser) -> bool:
    """Before anything is read of it: hide what was filled in the session before this browser or process began. False while
    that is not known: then no pictures are taken."""
    try:
        filled = await vault.filled(session_id)
    except (VaultLocked, Unavailable):
        browser.hide_pictures()
        return False
    browser.hide_logins([value for one in filled for value in (one.user, one.password)])
    return True


async def fill(
    context: RunContext, browser: Browser, aimed: AimedAction, *, is_approved: bool
) -> ToolOutcome:
    """Fill the form that the act is bound to. Nothing is written unless all rules hold at that moment."""
    outcome = await _filled(context, browser, aimed, is_approved=is_approved)
    count_fill(aimed, context.logins, is_filled=outcome.ok)
    return outcome


async def _filled(
    context: RunContext, browser: Browser, aimed: AimedAction, *, is_approved: bool
) -> ToolOutcome:
    action = aimed.action
    assert isinstance(action, LoginAction)
    if not action.form:
        return _outcome(aimed, refusal("changed"))
    try:
        problem = await _fill(context, browser, action, is_approved=is_approved)
    except (LoginGone, VaultLocked) as error:
        return _outcome(aimed, error.why)
    if problem:
        await record(context, "refused", action.login, action.host, reason=problem)
        return _outcome(aimed, refusal(problem))
    context.filled.by_site[site_of_host(action.host)] = action.login, steady_time()
    filled = joined([sentence(f"login.field.{name}") for name in action.parts], ", ")
    page = aimed.observation.page
    return ToolOutcome(True, "", page.url, page.title, (sentence("did.filled", fields=filled),))


async def _fill(
    context: RunContext, browser: Browser, action: LoginAction, *, is_approved: bool
) -> LoginRule | Literal["not_allowed"]:
    vault, run = context.vault, context.login_run
    offer = next((one for one in await vault.offers(action.host, run) if one.id == action.login), None)
    if offer is None:
        raise LoginGone(sentence("login.gone"))
    is_code = action.parts == ("code",)
    is_covered = is_code and context.filled.covers_code(offer.id, action.host, steady_time())
    if not (is_approved or is_covered or offer.grant != "ask"):
        return "not_allowed"  # it was taken back since
    values: dict[LoginField, str] = {}
    if is_code:
        values["code"] = await _next_code(context, offer.id, action.host)
        browser.hide_logins(values.values())
    else:
        stored = await vault.values(offer.id, action.host, run)
        both: dict[LoginField, str] = {"user": stored.user, "password": stored.password}
        browser.hide_logins(both.values())  # also the one that a further step of the form takes
        values = {name: both[name] for name in action.parts}
    # Before: what a crash leaves unknown counts as filled, so that a restart masks it.
    await record(context, "code" if is_code else "filled", action.login, action.host, fields=action.parts)
    return await browser.fill_login(LoginForm(token=action.form), FieldValues(values))


def _outcome(aimed: AimedAction, why: Wording) -> ToolOutcome:
    page = aimed.observation.page
    return ToolOutcome(False, why, page.url, page.title)


async def record(
    context: RunContext,
    kind: LoginEventKind,
    login_id: str,
    host: str,
    *,
    fields: Sequence[str] = (),
    reason: str = "",
) -> None:
    event = LoginEvent(kind, login_id, host, context.login_run, tuple(fields), reason)
    await context.vault.record(event)


async def _next_code(context: RunContext, login_id: str, host: str) -> str:
    """A code that is still valid for a moment; waits for the next one. Raises LoginGone, VaultLocked."""
    for _ in range(CODE_TRIES):
        try:
            return (await context.vault.code(login_id, host, context.login_run)).value
        except CodeNotReady as later:
            await asyncio.sleep(min(later.seconds, CODE_PATIENCE))
    raise LoginGone(sentence("login.no_code"))
