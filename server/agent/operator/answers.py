"""Pure: what a person's words mean as an answer. What is not plainly a yes is never taken for one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


YES = _listed(
    """yes yep yeah yup sure ok okay confirm confirmed approve approved agreed proceed y 👍 ✅ 👌
    да ага угу делай конечно подтверждаю разрешаю давай согласен согласна хорошо ладно так авжеж підтверджую
    oui ouais d'accord confirmer confirme ja jawohl genau klar bestätigt sí si claro vale confirmo sim certo
    confirma sì confermo va bene tak zgoda potwierdzam evet tamam onaylıyorum
    是 是的 好 好的 可以 确认 同意 はい うん ええ いいよ お願いします 承認 네 예 응 좋아 확인
    نعم أجل موافق تأكيد हाँ हां ठीक जी ya iya setuju boleh baik vâng có đồng ý được ใช่ ตกลง כן בסדר بله باشه تایید"""
)
NO = _listed(
    """no nope nah don't dont not never cancel stop reject deny denied decline n 👎 ❌ 🚫
    нет не неа ні отмена отмени отменить стоп откажись запрещаю nein nicht abbrechen non annuler annule pas ne
    não nao cancela cancelar cancele annulla nie anuluj hayır hayir iptal yok 不 不要 不行 不是 否 取消 いいえ いや だめ
    やめて キャンセル 아니 아니요 아뇨 취소 안돼 لا إلغاء नहीं मत रद्द tidak jangan batal không đừng hủy ไม่ ยกเลิก
    לא ביטול نه خیر لغو nee geen"""
)
GO_ON = _listed(
    """continue go on keep going next done ready finished complete completed
    продолжай продолжи продолжить продолжаем продолжайте дальше далее готово готов готова сделал сделала сделано
    закончил закончила вошёл вошел вошла поехали продовжуй далі weiter fertig erledigt fortfahren mach continuer
    terminé fini prêt continúa continua sigue adelante listo hecho continuar pronto feito prossiga avanti fatto fine
    kontynuuj dalej gotowe devam et bitti hazır 继续 完成 完成了 好了 下一步 続けて 続ける 完了 できました 終わった 계속 완료 다
    했어 متابعة استمر تم जारी रखें हो गया lanjut lanjutkan selesai tiếp tục xong ต่อไป เสร็จแล้ว המשך סיימתי ادامه انجام
    شد verder klaar"""
)
AGREEMENTS = frozenset(
    ("go ahead", "do it", "go for it", "do that", "жми", "mach das", "mach es", "vas y",
     "hazlo", "adelante", "fallo pure", "zrób to", "yap", "やって", "해줘", "做吧")
)  # fmt: skip
FILLER = _listed(
    """please it that this do i am i'm have has with the and all thanks thank you go ahead let's for me
    пожалуйста это уже надо нужно спасибо я все всё можно и bitte das es ich bin danke s'il te vous plaît
    le por favor lo gracias isso per grazie proszę lütfen 请 吧 了 てください ください 해 주세요 من فضلك कृपया tolong
    silakan làm ơn ครับ ค่ะ בבקשה لطفا"""
)


_UNSPACED = (("\u0e00", "\u0e7f"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"))


@dataclass(frozen=True, slots=True)
class Answer:
    """`confirmed` is None when the words are no plain yes and no plain no; `feedback` is what was said beyond."""

    confirmed: bool | None
    feedback: str | None = None


def read_answer(text: str) -> Answer:
    """A person's answer to "shall I?", in any of the common languages."""
    words = _words(text)
    if not words:
        return Answer(None)
    if _begins_with_no(words[0]):
        is_bare = all(_consists_of(word, NO | FILLER) for word in words)
        return Answer(False, None if is_bare else text.strip())
    agrees = " ".join(word for word in words if word != "please") in AGREEMENTS
    is_yes = agrees or (
        all(_consists_of(word, YES | FILLER) for word in words) and any(map(_says_yes, words))
    )
    if is_yes and not _asks(text):
        return Answer(True)
    return Answer(None, text.strip())


def is_continuation(text: str) -> bool:
    """True for "continue", "yes", "готово": words that keep the goal and add nothing to it."""
    words = _words(text)
    if not words or _asks(text):
        return False
    is_known = all(_consists_of(word, YES | GO_ON | FILLER) for word in words)
    return is_known and any(_consists_of(word, YES | GO_ON) for word in words)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("i̇", "i")
    return "".join(char if _is_kept(char) else " " for char in plain).split()


def _is_kept(char: str) -> bool:
    return char in "'👍✅👌👎❌🚫" or unicodedata.category(char)[0] in "LMN"


def _asks(text: str) -> bool:
    return any(mark in text for mark in "?？؟")


def _says_yes(word: str) -> bool:
    return _consists_of(word, YES)


def _begins_with_no(word: str) -> bool:
    return word in NO or (_is_unspaced(word) and any(word.startswith(no) for no in NO if _is_unspaced(no)))


def _consists_of(word: str, known: frozenset[str]) -> bool:
    """In scripts without spaces a "word" may be several."""
    if word in known or not word:
        return True
    if not _is_unspaced(word):
        return False
    heads = (word[:size] for size in range(len(word), 0, -1) if word[:size] in known)
    return any(_consists_of(word[len(head) :], known) for head in heads)


def _is_unspaced(word: str) -> bool:
    """Chinese, Japanese and Thai."""
    return all(any(first <= char <= last for first, last in _UNSPACED) for char in word)
