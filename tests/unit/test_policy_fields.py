"""A password, card, code or identity number never reaches a page without a person's yes."""

from __future__ import annotations

import pytest

from server.agent.policy import Subject, Verdict, assess

SECRETS = [
    "Password", "Current password", "PIN", "Card number", "CVV", "Security code", "One-time code", "IBAN",
    "Social security number", "Passport no", "Seed phrase", "API key", "Mot de passe", "Numéro de carte", "Contraseña",
    "Número de tarjeta", "Passwort", "Kartennummer", "TAN", "Senha", "CPF", "Numero di carta", "Codice fiscale",
    "Wachtwoord", "BSN", "Hasło", "PESEL", "Пароль", "Номер карты", "СНИЛС", "Şifre", "Kart numarası", "密码", "验证码",
    "身份证号", "パスワード", "暗証番号", "カード番号", "비밀번호", "주민등록번호", "كلمة المرور", "رقم البطاقة", "पासवर्ड", "आधार नंबर",
    "Kata sandi", "Nomor kartu", "Mật khẩu", "รหัสผ่าน", "רמז סיסמה".removeprefix("רמז "), "Heslo", "Lösenord", "Parolă",
    "Jelszó", "Κωδικός πρόσβασης", "رمز عبور",
]  # fmt: skip
PLAIN = [
    "Search", "Promo code", "Postcode", "Gift message", "City", "First name", "Subject", "Order number", "Password hint",
    "Code promo", "Código postal", "Gutscheincode", "Cupom", "Codice sconto", "Kortingscode", "Kod rabatowy", "Промокод",
    "İndirim kodu", "优惠码", "クーポンコード", "쿠폰 코드", "رمز الخصم", "कूपन कोड", "Kode kupon",
]  # fmt: skip
MESSAGES = [
    "We sent a text message to your phone", "Check your inbox for the code we sent", "Мы отправили SMS на ваш номер",
    "Te hemos enviado un SMS", "Wir haben Ihnen eine SMS geschickt", "Nous vous avons envoyé un SMS",
    "Ti abbiamo inviato un SMS", "Enviamos um SMS para você", "We hebben je een sms gestuurd", "Wysłaliśmy SMS",
    "Telefonunuza SMS gönderdik", "短信已发送", "SMSを送信しました", "문자 메시지를 보냈습니다", "أرسلنا رسالة نصية", "हमने आपके ईमेल पर भेजा है",
    "Kami mengirim SMS",
]  # fmt: skip


def typing(name: str, **facts: object) -> Verdict:
    return assess(Subject("type", role="textbox", name=name, **facts)).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_field_asks_in_every_language(name: str) -> None:
    assert typing(name) is Verdict.ASK
    assert assess(Subject("press_enter", role="textbox", name=name)).kind == "credential"


@pytest.mark.parametrize("name", PLAIN)
def test_a_field_that_only_sounds_secret_does_not(name: str) -> None:
    assert typing(name) is Verdict.ALLOW


@pytest.mark.parametrize("context", MESSAGES)
@pytest.mark.parametrize("name", ["Code", ""])
def test_a_code_is_known_by_the_message_it_came_with(name: str, context: str) -> None:
    assert typing(name, context=context) is Verdict.ASK


def test_a_discount_code_stays_one_though_it_came_by_mail() -> None:
    assert typing("Code", context="Discount code, sent to you by email") is Verdict.ALLOW


@pytest.mark.parametrize(
    "value", ["4111 1111 1111 1111", "4111-1111-1111-1111", "DE89 3704 0044 0532 0130 00"]
)
@pytest.mark.parametrize("name", ["Search", "Note", ""])
def test_a_card_or_account_number_asks_wherever_it_is_typed(name: str, value: str) -> None:
    assert typing(name, value=value) is Verdict.ASK
    assert typing(name, value="1234 5678 9012 3456") is Verdict.ALLOW


@pytest.mark.parametrize("digits", ["5555555555554444", "30569309025904", "6011000990139424"])
def test_a_card_number_is_known_by_its_check_digit(digits: str) -> None:
    assert typing("Note", value=digits) is Verdict.ASK
    assert typing("Note", value=f"{digits[:-1]}{(int(digits[-1]) + 1) % 10}") is Verdict.ALLOW


@pytest.mark.parametrize("name", ["", "Search", "Anything", "Promo code"])
def test_what_the_browser_knows_to_be_secret_asks_under_any_name(name: str) -> None:
    assert typing(name, secret=True) is Verdict.ASK


@pytest.mark.parametrize("label", ["Next", "Continue", "OK", "Weiter", "次へ"])
def test_a_button_beside_a_password_field_hands_it_over(label: str) -> None:
    login = Subject("click", role="button", name=label, form_fields=("User", "Password"), submits=True)
    assert assess(login).verdict is Verdict.ASK


RISKY = "Your order will be placed now. Total €43.90"


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"role": "textbox", "name": "Zorbl", "context": RISKY}, Verdict.ASK),
        ({"role": "searchbox", "name": "Zorbl", "context": RISKY}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Search", "context": RISKY}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Office", "form_fields": ("Name",)}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Office", "form_fields": ("Name", "Street")}, Verdict.ASK),
        ({"role": "textbox", "name": "Department", "form_fields": ("Name",)}, Verdict.ASK),
        ({"role": "combobox", "name": "Department", "form_fields": ("Name", "Street")}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Zorbl"}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Zorbl", "context": "Terms apply"}, Verdict.ASK),
        ({"role": "textbox", "name": "Referral code", "context": "Terms apply"}, Verdict.ALLOW),
        ({"role": "textbox", "name": "Referral code", "context": "Your order: 2 items"}, Verdict.ASK),
        ({"role": "textbox", "name": "Zorbl", "submits": True}, Verdict.ASK),
        ({"role": "textbox", "name": "Zorbl", "form_fields": ("Name",)}, Verdict.ASK),
        ({"role": "textbox", "name": ""}, Verdict.ASK),
    ],
)
def test_enter_asks_unless_it_searches_picks_or_stands_alone(
    facts: dict[str, object], verdict: Verdict
) -> None:
    assert assess(Subject("press_enter", lang="en", **facts)).verdict is verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key", ["Enter", "Return", "NumpadEnter", "Space", "Control+Enter", "Shift + Return"]
)
def test_a_key_that_presses_a_control_is_judged_like_a_click_on_it(key: str) -> None:
    assert assess(Subject("press", role="button", name="Delete account", value=key)).kind == "delete"
    assert assess(Subject("press", role="textbox", name="Comment", value=key)).kind == "send"


@pytest.mark.parametrize("key", ["Delete", "Backspace"])
def test_delete_asks_outside_of_fields_only(key: str) -> None:
    outside = assess(Subject("press", role="listitem", name="Mail 3", value=key))
    assert (outside.verdict, outside.kind) == (Verdict.ASK, "delete")
    assert assess(Subject("press", role="textbox", name="Comment", value=key)).verdict is Verdict.ALLOW
    assert assess(Subject("press", role="listitem", name="Mail 3", value="F5")).verdict is Verdict.ALLOW


def test_enter_in_a_field_whose_name_is_a_command_to_search_is_free() -> None:
    found = {
        name: assess(
            Subject("press_enter", role="textbox", name=name, form_fields=("Name",), lang="en")
        ).verdict
        for name in ("Find in transactions", "Transactions", "New invoice", "Invoice details")
    }
    assert found == {
        "Find in transactions": Verdict.ALLOW,
        "Transactions": Verdict.ASK,
        "New invoice": Verdict.ASK,
        "Invoice details": Verdict.ASK,
    }
