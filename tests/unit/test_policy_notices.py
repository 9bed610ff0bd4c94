"""Questions about the page itself, tips and notices are no reason to ask; what only looks like them is."""

from __future__ import annotations

import pytest

from server.agent.policy import Subject, Verdict, assess

ABOUT_THE_PAGE = [
    ("en", "Yes", "Continue reading from page 48?"),
    ("en", "OK", "Filters: max. price 200 €"),
    ("en", "Got it", "Tip: drag a card to reorder your boards"),
    ("en", "Agreed", "Your browser is no longer supported"),
    ("en", "Confirm", "Choose dates: 12–15 July, 3 nights"),
    ("en", "Close", "Before you close your account, please read this"),
    ("de", "Ja", "Sind Sie noch da?"),
    ("fr", "Oui", "Afficher cette page en allemand ?"),
    ("es", "Sí", "¿Cargar más opiniones?"),
    ("pt", "Tudo certo", "Dica: agora você encontra seus boletos no menu lateral"),
    ("it", "Sì", "Mostrare questa pagina in tedesco?"),
    ("nl", "Akkoord", "Je browser is verouderd"),
    ("pl", "Tak", "Czy nadal tu jesteś?"),
    ("ru", "Да", "Продолжить чтение с последней страницы?"),
    ("el", "Ναι", "Είστε ακόμα εκεί;"),
    ("tr", "Evet", "Kaldığınız sayfadan okumaya devam edilsin mi?"),
    ("ar", "نعم", "هل تريد عرض الموقع باللغة العربية؟"),
    ("fa", "بله", "هنوز اینجا هستید؟"),
    ("he", "כן", "להציג את העמוד בגרמנית?"),
    ("hi", "हाँ", "पेज 48 से पढ़ना जारी रखें?"),
    ("vi", "Có", "Tải thêm đánh giá?"),
    ("th", "ใช่", "อ่านต่อจากหน้า 48 หรือไม่"),
    ("zh", "确定", "选择日期 7月12日 至 7月15日 共3晚"),
    ("ja", "はい", "続きから再生しますか? 第7話 24:10"),
    ("ko", "닫기", "계좌 해지 전 꼭 확인해 주세요"),
]
COMMITTING = [
    ("en", "OK", "Resume subscription?"),
    ("en", "OK", "Continue for 4.99 €?"),
    ("en", "Yes", "Continue playing for 5 €?"),
    ("en", "OK", "Switch to the annual plan?"),
    ("en", "OK", "Load the backup over your data?"),
    ("en", "Got it", "Notice: your account will be deleted"),
    ("en", "Agree", "Notice: our terms have changed"),
    ("en", "Confirm", "Note: the landlord is informed of your answer"),
    ("en", "Start", "Planned maintenance: pump 2"),
    ("en", "Close", "Your account"),
    ("en", "Play now", "4 matches · odds 12.40 · your stake 5 €"),
    ("de", "OK", "Mit der Zahlung fortfahren?"),
    ("de", "Annehmen", "Mitteilung: Neuer Auftrag von Ben"),
    ("fr", "OK", "Mettre à jour le micrologiciel maintenant ?"),
    ("es", "OK", "Todo lo guardado aquí desaparecerá"),
    ("it", "OK", "Tutto ciò che è salvato qui sparirà"),
    ("it", "Conferma", "Nuovo: ordine di Anna"),
    ("pl", "OK", "Wybrane pliki zostaną skasowane"),
    ("cs", "OK", "Vše, co je zde uloženo, zmizí"),
    ("uk", "OK", "Усі резервні копії буде видалено"),
    ("ro", "OK", "Progresul tău se va pierde"),
    ("hu", "OK", "Minden biztonsági mentés törlődik"),
    ("sv", "OK", "De valda filerna tas bort för gott"),
    ("tr", "Tamam", "Tüm yedekler ve günlük kayıtları silinecek"),
    ("ar", "OK", "سيختفي كل ما هو محفوظ هنا"),
    ("he", "OK", "כל הגיבויים והיומנים יימחקו"),
    ("hi", "OK", "आपकी प्रगति खो जाएगी"),
    ("id", "OK", "Semua cadangan dan log akan dihapus"),
    ("vi", "OK", "Tiếp tục thanh toán?"),
    ("th", "OK", "ทุกอย่างที่บันทึกไว้ที่นี่จะสูญหาย"),
    ("zh", "OK", "此处保存的所有内容都会消失"),
    ("zh", "同意", "通知：小王请求加入群组"),
    ("ja", "OK", "ファームウェアを今すぐ更新しますか？"),
    ("ko", "OK", "여기에 저장된 모든 내용이 지워집니다"),
]


def judge(lang: str, name: str, context: str) -> Verdict:
    return assess(Subject("click", role="button", name=name, context=context, lang=lang)).verdict


@pytest.mark.parametrize(("lang", "name", "context"), ABOUT_THE_PAGE)
def test_what_a_page_asks_about_itself_is_no_reason_to_ask(lang: str, name: str, context: str) -> None:
    assert judge(lang, name, context) is Verdict.ALLOW


@pytest.mark.parametrize(("lang", "name", "context"), COMMITTING)
def test_a_notice_or_question_that_commits_is_a_reason_to_ask(lang: str, name: str, context: str) -> None:
    assert judge(lang, name, context) is Verdict.ASK


@pytest.mark.parametrize(("role", "verdict"), [("combobox", Verdict.ALLOW), ("textbox", Verdict.ASK)])
def test_enter_in_a_list_picks_an_entry(role: str, verdict: Verdict) -> None:
    subject = Subject("press_enter", role=role, name="Benefit office area", context="Your claim, form 7")
    assert assess(subject).verdict is verdict


def test_a_place_is_looked_up_where_its_field_stands_alone() -> None:
    field = Subject("press_enter", role="textbox", name="Municipality", context="Your claim")
    assert assess(field).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "name", ["Bezwaar maken: zo werkt het", "Kündigen – so geht's", "Annuler : comment ça marche"]
)
def test_a_link_that_explains_a_deed_does_not_do_it(name: str) -> None:
    assert assess(Subject("click", role="link", name=name)).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "name",
    ["Delete account information", "Hapus informasi akun", "Xóa thông tin tài khoản", "删除账户信息", "アカウント情報を削除",
     "계정 정보 삭제", "حذف معلومات الحساب", "खाता जानकारी हटाएं", "Fiók információk törlése", "מחק מידע חשבון"],
)  # fmt: skip
def test_information_can_be_deleted_and_not_only_read(name: str) -> None:
    assert assess(Subject("click", role="button", name=name)).verdict is Verdict.ASK
