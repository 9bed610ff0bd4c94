"""Classify the user's reply as yes, no or unclear. Only an unambiguous yes counts as yes. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from server.events import Answer, ConfirmQuestion, LoginQuestion


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _phrases(lines: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in re.split(r"[,\n]", lines) if phrase.strip())


YES = _listed(
    """yes yep yeah yup yea sure ok okay okey okie oki okei okej oké okk alright absolutely definitely certainly
    da affirmative confirm confirmed approve approved agreed agree proceed y 👍 ✅ 👌 🆗 ✔ ☑
    да ок окей окэй оке оки окк ага угу делай делайте конечно разумеется подтверждаю подтвердить разрешаю одобряю
    давай давайте валяй действуй действуйте согласен согласна хорошо ладно добро так авжеж підтверджую
    oui ouais d'accord confirmer confirme ja jawohl genau klar bestätigt sí si claro vale confirmo sim certo
    confirma sì confermo tak zgoda potwierdzam evet tamam onaylıyorum
    是 是的 好 好的 可以 确认 同意 はい うん ええ いいよ お願いします 承認 네 예 응 좋아 확인
    نعم أجل موافق تأكيد हाँ हां ठीक जी ya iya setuju boleh baik vâng có được ใช่ ตกลง כן בסדר بله باشه تایید"""
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
    продолжай продолжи продолжить продолжаем продолжайте дальше далее погнали готово готов готова сделал сделала сделано
    закончил закончила вошёл вошел вошла поехали продовжуй далі weiter fertig erledigt fortfahren mach continuer
    terminé fini prêt continúa continua sigue adelante listo hecho continuar pronto feito prossiga avanti fatto fine
    kontynuuj dalej gotowe devam et bitti hazır 继续 完成 完成了 好了 下一步 続けて 続ける 完了 できました 終わった 계속 완료 다
    했어 متابعة استمر تم जारी रखें हो गया lanjut lanjutkan selesai tiếp tục xong ต่อไป เสร็จแล้ว המשך סיימתי ادامه انجام
    شد verder klaar"""
)
AGREEMENTS = _phrases(
    """go ahead, do it, go for it, do that, of course, sounds good, uh huh, mm hmm, жми, так точно, само собой, ну давай
    ну ок, mach das, mach es, vas y, va bene, đồng ý, hazlo, adelante, fallo pure, zrób to, yap, やって, 해줘, 做吧"""
)
"""Phrases of several words that mean yes, as a whole reply or as a part of one."""
NO_PROBLEM = _phrases(
    """no problem, no problems, no worries, no objection, no objections, not a problem, no prob, np
    нет проблем, без проблем, не проблема, нет возражений, не вопрос, не возражаю, не против, я не против
    немає проблем, без питань, kein problem, keine einwände, pas de problème, pas de souci, sans problème
    ningún problema, sin problema, sin problemas, no hay problema, nessun problema, sem problema, sem problemas
    nie ma problemu, nie ma sprawy, sorun yok, sorun değil, geen probleem, tidak masalah, không vấn đề gì
    没问题, 沒問題, 問題ない, 問題ありません, 문제없어, ไม่มีปัญหา, אין בעיה, مافي مشكلة, لا مشكلة"""
)
"""They begin like a no and agree. Alone they are not a plain yes; next to one they add nothing."""
IRONY = _phrases("да ладно, ага конечно, ну конечно, yeah right, yeah sure, sure sure")
"""Words of agreement that often mean the opposite."""
FILLER = _listed(
    """please pls plz it that this do just i am i'm have has with the and all thanks thank you go ahead let's for me
    пожалуйста плиз это уже надо нужно спасибо спс благодарю я все всё можно и bitte das es ich bin danke s'il te vous plaît
    le por favor lo gracias isso per grazie proszę lütfen 请 吧 了 てください ください 해 주세요 من فضلك कृपया tolong
    silakan làm ơn ครับ ค่ะ בבקשה لطفا"""
)


_UNSPACED = (("\u0e00", "\u0e7f"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"))
_MARKS = frozenset("👍✅👌🆗✔☑👎❌🚫")
_FRIENDLY = frozenset("🙂😊😀😃😄😁😉☺🙏❤♥💙💚🎉✨🚀💪🔥👏😇🤗")
"""Symbols that do not change the meaning; any other symbol may mean doubt or irony."""
_BREAKS = re.compile(r"[.,;:!?…。，、！？؟()\n]|\s[-–—]\s|[–—]")
_PHRASES = AGREEMENTS | NO_PROBLEM
_LONGEST_PHRASE = max(phrase.count(" ") for phrase in _PHRASES) + 1
_VOCABULARY = YES | NO | GO_ON | FILLER | _PHRASES
_CYRILLIC, _LATIN = "авеіјкмнорстухѕ", "abeijkmhopctyxs"
"""Lower-case letters that look alike, in lower or upper case."""
_TO_LATIN, _TO_CYRILLIC = str.maketrans(_CYRILLIC, _LATIN), str.maketrans(_LATIN, _CYRILLIC)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """`confirmed` is None for neither a plain yes nor a plain no; `feedback` is any further text."""

    confirmed: bool | None
    feedback: str | None = None


def read_answer(text: str) -> ParsedAnswer:
    """Classify the reply to "shall I do this?", in any of the common languages.

    A reply that begins with a no and continues with a plain yes ("not an issue, go ahead") is unclear.
    """
    clauses = _clauses(text)
    units = list(chain.from_iterable(clauses))
    if not units:
        return ParsedAnswer(None)
    if _begins_with_no(units[0]):
        if any(map(_is_plain_yes, clauses[1:])):
            return ParsedAnswer(None, text.strip())
        words = [word for unit in units for word in unit.split()]
        is_bare = all(_consists_of(word, NO | FILLER) for word in words)
        return ParsedAnswer(False, None if is_bare else text.strip())
    if _is_plain_yes(units) and not _doubts(text):
        return ParsedAnswer(True)
    return ParsedAnswer(None, text.strip())


def answer_in_words(kind: str, content: str) -> Answer:
    """The answer that a message gives to a question of this kind. Only a plain yes confirms."""
    read = read_answer(content)
    is_manual = kind == "manual"
    feedback = content if is_manual or read.confirmed is None else read.feedback
    return Answer(confirmed=is_manual or read.confirmed is True, message=feedback or "", in_words=True)


@dataclass(frozen=True, slots=True)
class Said:
    """`no` is a bare no; `words` is a no or an unclear reply with text to replan with; `other` answers
    another question; `expired` came too late."""

    kind: Literal["yes", "no", "words", "other", "expired"]
    words: str = ""
    is_refusal: bool = False
    """The words refuse the action: it is not to be asked for again."""


def read_confirm(answer: Answer, question: ConfirmQuestion | LoginQuestion, now: float) -> Said:
    """What the answer means for the question at the Unix time `now`."""
    if answer.reference not in (None, question.reference):
        return Said("other")
    if answer.expired or now > question.expires_at.timestamp():
        return Said("expired")
    if answer.confirmed:
        return Said("yes")
    words = read_answer(answer.message).feedback if answer.message else None
    return Said("words", words, is_refusal(answer)) if words else Said("no")


def is_refusal(answer: Answer) -> bool:
    """Whether an answer that does not confirm refuses: the button does, and words that neither ask nor agree."""
    if answer.confirmed or not answer.in_words:
        return not answer.confirmed
    if read_answer(answer.message).confirmed is False:
        return True
    agrees = YES | AGREEMENTS | NO_PROBLEM
    units = (unit for clause in _clauses(answer.message) for unit in clause)
    return not _doubts(answer.message) and not any(_consists_of(unit, agrees) for unit in units)


def is_continuation(text: str) -> bool:
    """Whether the reply keeps the goal and adds nothing to it: "continue", "yes", "готово"."""
    units = [unit for clause in _clauses(text) for unit in clause]
    if _doubts(text):
        return False
    known = YES | GO_ON | FILLER | _PHRASES
    return all(_consists_of(unit, known) for unit in units) and any(
        _consists_of(unit, YES | GO_ON | _PHRASES) for unit in units
    )


def _is_plain_yes(units: list[str]) -> bool:
    known = YES | FILLER | _PHRASES
    return all(_consists_of(unit, known) for unit in units) and any(
        _consists_of(unit, YES | AGREEMENTS) for unit in units
    )


def _clauses(text: str) -> list[list[str]]:
    """Split the text into clauses of words and known phrases; "no, problem" is not "no problem"."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("i̇", "i")
    parts = (_units(_words(part)) for part in _BREAKS.split(plain))
    return [units for units in parts if units]


def _words(plain: str) -> list[str]:
    kept = "".join(
        f" {char} "
        if char in _MARKS
        else char
        if char == "'" or unicodedata.category(char)[0] in "LMN"
        else " "
        for char in plain
    )
    stripped = (word.strip("'") for word in kept.replace("\ufe0f", "").split())
    return [_canonical(word) for word in stripped if word]


def _units(words: list[str]) -> list[str]:
    """Join the words of known phrases, the longest first."""
    units: list[str] = []
    joined_until = 0
    for at, word in enumerate(words):
        if at < joined_until:
            continue
        sizes = range(min(_LONGEST_PHRASE, len(words) - at), 1, -1)
        phrases = (" ".join(words[at : at + size]) for size in sizes)
        units.append(next((phrase for phrase in phrases if phrase in _PHRASES), word))
        joined_until = at + units[-1].count(" ") + 1
    return units


@lru_cache(maxsize=1024)
def _canonical(word: str) -> str:
    """The vocabulary word that was meant. Look-alike letters of another alphabet and repeated letters
    ("okkk", "даааа") are normalised, unless that could mean different answers."""
    if word in _VOCABULARY or len(word) > 40:
        return word
    is_mixed = re.search("[a-z]", word) and re.search("[а-яёіїєґ]", word)
    shapes = {word, word.translate(_TO_LATIN), word.translate(_TO_CYRILLIC)} if is_mixed else {word}
    for shape in tuple(shapes):
        shapes |= {re.sub(r"(.)\1{2,}", kept, shape) for kept in (r"\1", r"\1\1")}
    meant = sorted(shapes & _VOCABULARY)
    is_clear = any(kind.issuperset(meant) for kind in (YES, NO, GO_ON, FILLER, _PHRASES))
    return meant[0] if meant and is_clear else word


def _doubts(text: str) -> bool:
    """Whether the text has a question mark, irony, or a symbol such as a thinking face."""
    plain = f" {' '.join(word for clause in _clauses(text) for word in clause)} "
    return (
        any(mark in text for mark in "?？؟")
        or any(f" {phrase} " in plain for phrase in IRONY)
        or any(unicodedata.category(char) == "So" and char not in _MARKS | _FRIENDLY for char in text)
    )


def _begins_with_no(word: str) -> bool:
    if word in _PHRASES:
        return False
    return word in NO or (_is_unspaced(word) and any(word.startswith(no) for no in NO if _is_unspaced(no)))


def _consists_of(word: str, known: frozenset[str]) -> bool:
    """Whether the word is known. In scripts without spaces a "word" may consist of several."""
    if word in known or not word:
        return True
    if not _is_unspaced(word):
        return False
    heads = (word[:size] for size in range(len(word), 0, -1) if word[:size] in known)
    return any(_consists_of(word[len(head) :], known) for head in heads)


def _is_unspaced(word: str) -> bool:
    """Whether the word is Chinese, Japanese or Thai."""
    return all(any(first <= char <= last for first, last in _UNSPACED) for char in word)
