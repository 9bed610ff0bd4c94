"""Detect what covers or blocks a page: dialogs, cookie banners, permission prompts, logins, captchas.

Uses general signals only: roles, positions, nearby controls and words in many languages. There are no rules
for single sites.
"""

import re
from collections.abc import Iterator, Sequence

from server.browser.observation.element_context import Surroundings
from server.browser.observation.names import own_text, text_of
from server.browser.observation.page import Overlay
from server.browser.observation.rendering import clean
from server.browser.observation.snapshot import FIELD_ROLES, Snapshot
from server.text import cut

OVERLAY_TEXT_CHARS = 100
MAX_OVERLAYS = 4
TELLING = frozenset({"link", "option", "paragraph", "listitem", "cell", "searchbox"})
"""Roles whose text may mention a captcha without being one."""

_COOKIES = re.compile(
    r"cookie|\bgdpr\b|\bdsgvo\b|\brgpd\b|consent|einwilligung|consentement|consentimiento|consenso|toestemming|samtyck"
    r"|kakor|куки|кукі|piškot|ciastecz|plik(i|ów) cookie|çerez|keks|sütik|evästee|küpsis|slapuk|クッキー|쿠키"
    r"|ملفات تعريف الارتباط|עוגיות|कुकी|คุกกี้",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"(show|send|allow|enable|receive|get)\W+(you\W+)?(push\W+)?notifications?|your (current )?location|geolocation"
    r"|push-?benachrichtigung|standort|notificaciones|notificações|notifiche|notifications push|уведомлени|сповіщенн"
    r"|powiadomieni|bildirim|thông báo đẩy|通知を|推送|发送通知|알림을|إشعارات|התראות|การแจ้งเตือน",
    re.IGNORECASE,
)
_CAPTCHA = re.compile(
    r"captcha|not a robot|are (you )?(a )?human|human verification|turnstile|kein roboter|pas un robot|no soy un robot"
    r"|não sou um robô|non sono un robot|не робот|ikke en robot|nie jestem robotem|robot değilim|ロボットではありません"
    r"|私はロボット|로봇이 아닙니다|机器人|機器人|人机验证|安全验证|滑块|لست روبوت|איני רובוט|ฉันไม่ใช่",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"passw|passcode|kennwort|mot de passe|contrase|\bsenha|parol|şifre|wachtwoord|lösenord|adgangskode|salasana|hasło"
    r"|heslo|jelszó|mật khẩu|kata sandi|סיסמ|كلمة|पासवर्ड|รหัสผ่าน|пароль|κωδικ|密码|密碼|パスワード|비밀번호",
    re.IGNORECASE,
)


def find_overlays(
    snapshot: Snapshot, around: Surroundings, frames: Sequence[str] = ()
) -> tuple[Overlay, ...]:
    """The overlays of a page. `frames` are the descriptions of the frames in view (`Extra.frames`)."""
    dialogs = sorted(around.dialogs)
    found = [_describe_dialog(snapshot, at) for at in dialogs]
    if banner := _find_banner(snapshot, around, dialogs):
        found.append(banner)
    if captcha := _find_captcha(snapshot, frames):
        found.append(captcha)
    if login := _find_login(snapshot, around):
        found.append(login)
    return tuple(dict.fromkeys(found))[:MAX_OVERLAYS]


def _describe_dialog(snapshot: Snapshot, at: int) -> Overlay:
    text = text_of(snapshot, at, 2 * OVERLAY_TEXT_CHARS)
    nodes = snapshot.nodes
    headings = (inner for inner in snapshot.subtree(at)[:60] if nodes[inner].role == "heading")
    name = _short(nodes[at].name or next((own_text(nodes[inner]) for inner in headings), text))
    if _COOKIES.search(text):
        return Overlay(kind="cookies", text=name)
    kind = _PERMISSION.search(text) and len(text) < 2 * OVERLAY_TEXT_CHARS
    return Overlay(kind="permission" if kind else "dialog", text=name)


def _short(text: str) -> str:
    return cut(clean(text), OVERLAY_TEXT_CHARS)


def _find_banner(snapshot: Snapshot, around: Surroundings, dialogs: list[int]) -> Overlay | None:
    """A box in view that mentions cookies or a permission and can be answered there: 1 to 12 controls."""
    for at, text in _seen_text(snapshot, around):
        kind = "cookies" if _COOKIES.search(text) else "permission" if _PERMISSION.search(text) else None
        if (
            kind is None
            or len(text) < 20
            or any(dialog <= at < snapshot.nodes[dialog].end for dialog in dialogs)
        ):
            continue
        for level, box in enumerate(snapshot.ancestors(at)):
            buttons, controls = around.count_controls(box)
            if level > 6 or controls > 12:
                break
            # A separate box: not the page itself, nor a footer with a link that mentions cookies.
            node = snapshot.nodes[box]
            is_apart = node.parent >= 0 and node.role not in ("main", "article", "contentinfo")
            if is_apart and buttons and (kind == "cookies" or buttons > 1):
                return Overlay(kind=kind, text=_short(text))
    return None


def _seen_text(snapshot: Snapshot, around: Surroundings) -> Iterator[tuple[int, str]]:
    """Texts in view that are not the name of a control."""
    inside = 0
    starts = {draft.index for draft in around.drafts if draft.node is not None}
    for at, node in enumerate(snapshot.nodes):
        if at in starts:
            inside = max(inside, node.end)
        if node.seen and at >= inside and (text := own_text(node)) and node.role not in FIELD_ROLES:
            yield at, text


def mentions_captcha(text: str) -> bool:
    """Whether a text under `OVERLAY_TEXT_CHARS` characters indicates a captcha or another human verification."""
    return len(text) < OVERLAY_TEXT_CHARS and _CAPTCHA.search(text) is not None


def _find_captcha(snapshot: Snapshot, frames: Sequence[str]) -> Overlay | None:
    if called := next(filter(_CAPTCHA.search, frames), None):
        return Overlay(kind="captcha", text=_short(called.partition("http")[0]))
    for node in snapshot.nodes:
        text = node.name or node.text
        if node.seen and mentions_captcha(text) and node.role not in TELLING:
            return Overlay(kind="captcha", text=_short(text))
    return None


def _find_login(snapshot: Snapshot, around: Surroundings) -> Overlay | None:
    """A password field in view that belongs to a form."""
    for draft in around.drafts:
        if not (draft.seen and draft.node and draft.node.secret):
            continue
        form = around.form_of(draft)
        if form >= 0 and (not draft.name or _PASSWORD.search(draft.name)):
            heading = around.outline.heading[draft.index]
            return Overlay(kind="login", text=_short(text_of(snapshot, heading)) if heading >= 0 else "")
    return None
