"""Remove secret values from a snapshot before anything else reads it.

A field is secret if the page script reports it, or if its label says so in one of many languages. Its value
is then removed from the field and masked wherever else it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from server.browser.observation.names import label_of_field
from server.browser.observation.page_script import Box, SecretField
from server.browser.observation.snapshot import FIELDS, MASK, Snapshot
from server.text import in_addresses

_WORDS = re.compile(
    r"""
    passw|passphrase|passcode|\bpwd\b|\bpin\b(?!\W?code)|kennwort|mot\ de\ passe|contrase|\bsenha|palavra-passe
    |parol|şifre|sifre|wachtwoord|lösenord|adgangskode|salasana|hasło|heslo|jelszó|lozink|mật\ khẩu|kata\ sandi
    |kata\ laluan|סיסמ|گذرواژه|كلمة\ (ال)?(مرور|سر)|पासवर्ड|পাসওয়ার্ড|รหัสผ่าน|пароль|пин-?код|κωδικ|密码|密碼|口令
    |パスワード|暗証番号|비밀번호|암호
    |card\ ?(no\b|num)|credit\ card|\bc[vs][vc]2?\b|\bcv[nc]\b|security\ code|kartennummer|prüfnummer
    |num[eé]ro\ de\ (la\ )?carte|n[uú]mero\ (de|da|do)\ (la\ )?(tarjeta|cart[aã]o)|numero\ (della\ )?carta
    |kart\ numaras|numer\ karty|kaartnummer|номер\ карт|卡号|卡號|カード番号|카드\ ?번호|رقم\ البطاقة
    |कार्ड\ (नंबर|संख्या)|nomor\ kartu|số\ thẻ
    |one[- ]time|\botp\b|\b2fa\b|verification\ code|authenticat(ion|or)\ code
    |(einmal|bestätigungs|sicherheits)-?code|code\ de\ (vérification|sécurité|confirmation)
    |c[oó]digo\ de\ (verifica|seguran|segurid|confirma)|codice\ di\ (verifica|sicurezza|conferma)
    |doğrulama\ kodu|kod\ weryfikac|verificatiecode|код\ (из|подтвержд|безопасн|провер)|одноразов
    |验证码|驗證碼|確認コード|認証コード|인증\ ?(번호|코드)|رمز\ التحقق|mã\ xác
    """,
    re.IGNORECASE | re.VERBOSE,
)


NEAR = 3
"""Tolerance in pixels between a field's box in the snapshot and in the page script's result."""
LABEL_CHARS = 300
MOST_VALUES, VALUE_CHARS = 60, 2000
"""Limits for values that are masked elsewhere on the page. A secret field's own value is always removed."""


def hide_secrets(
    snapshot: Snapshot, found: Iterable[SecretField] = (), *, unknown: bool = False
) -> Callable[[str], str]:
    """Mark secret fields and mask their values in fields, names, text, addresses and notes.

    With `unknown`, every field is treated as secret. Returns a function that masks other text of the page.
    """
    found = list(found)
    boxes = _Boxes(secret.box for secret in found)
    held = {secret.value for secret in found if secret.value}
    for index, node in enumerate(snapshot.nodes):
        if node.role in FIELDS and (unknown or _is_secret(snapshot, index, boxes, held)):
            if len(held) < MOST_VALUES and len(node.text) <= VALUE_CHARS:
                held.add(node.text)
            node.secret, node.filled, node.text = True, bool(node.text), ""
    mask = _masking(held)
    _mask(snapshot, mask)
    return mask


def _is_secret(snapshot: Snapshot, index: int, boxes: _Boxes, held: set[str]) -> bool:
    node = snapshot.nodes[index]
    if node.text and node.text in held:
        return True
    if node.box is not None and node.box in boxes:
        return True
    if node.role not in ("textbox", "spinbutton"):
        return False
    label = (node.name or label_of_field(snapshot, index))[:LABEL_CHARS]
    return bool(_WORDS.search(label) or _WORDS.search(node.placeholder[:LABEL_CHARS]))


class _Boxes:
    """A set of boxes, matched with up to `NEAR` pixels difference per value, by a grid over their corners."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], set[Box]] = {}
        for box in boxes:
            self._cells.setdefault(_cell(box), set()).add(box)

    def __contains__(self, box: object) -> bool:
        if not self._cells or not isinstance(box, tuple):
            return False
        x, y = _cell(box)
        around = ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        return any(
            all(abs(a - b) <= NEAR for a, b in zip(box, other, strict=True))
            for cell in around
            for other in self._cells.get(cell, ())
        )


def _cell(box: Box) -> tuple[int, int]:
    return int(box[0] // (NEAR + 1)), int(box[1] // (NEAR + 1))


def _masking(values: Iterable[str]) -> Callable[[str], str]:
    spellings = {form for value in values for form in _spellings(value)}
    if not spellings:
        return str
    whole = re.compile("|".join(re.escape(form) for form in sorted(spellings, key=len, reverse=True)))
    return lambda text: whole.sub(MASK, text)


def _mask(snapshot: Snapshot, mask: Callable[[str], str]) -> None:
    if mask is str:
        return
    for node in snapshot.nodes:
        node.name, node.text = mask(node.name), mask(node.text)
        node.url, node.placeholder = mask(node.url), mask(node.placeholder)
    snapshot.url, snapshot.title = mask(snapshot.url), mask(snapshot.title)
    snapshot.notes = tuple(map(mask, snapshot.notes))


def _spellings(value: str) -> set[str]:
    """The spellings of a value in a page or an address. One or two characters would mask unrelated text."""
    forms = {value, " ".join(value.split()), *in_addresses(value)}
    return {form for form in forms if len(form) > 2}
