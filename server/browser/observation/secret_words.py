"""The words of labels that ask for a password, a card or a code, in many languages."""

import re

SECRET_WORDS = re.compile(
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

CODE_WORDS = re.compile(r"\bcode\b|\bkod\b|\bcódigo\b|код|验证|驗證|コード|코드", re.IGNORECASE)
"""Next to boxes of one sign each: the text in them is a code."""
OPEN_WORDS = re.compile(
    r"post(al)?[ -]?code|\bzip\b|postleitzahl|voucher|gift|promo|coupon|invit", re.IGNORECASE
)
"""Next to such boxes: the code is none that must not be seen."""
