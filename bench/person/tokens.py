"""What instructions and kept notes add to each call of a model."""

from __future__ import annotations

from bench.observation.__main__ import load_counter
from server.agent.context import NOTHING_KNOWN, Known
from server.agent.operator.memory.state import State
from server.agent.operator.plan.prompts import step_prompt
from server.database.models import NoteRow
from server.knowledge.knowledge import shown_instructions, shown_notes
from server.store.notes import StandingTexts

FACTS = {
    "English": "The date field wants 2026-11-27, and prices are without VAT until the cart",
    "German": "Das Datumsfeld nimmt 27.11.2026, und Preise sind ohne Mehrwertsteuer bis zum Warenkorb",
    "Russian": "В поле даты пишется 27.11.2026, цены указаны без НДС до корзины",
    "Turkish": "Tarih alanı 27.11.2026 biçimini ister, fiyatlar sepete kadar KDV hariç",
    "Arabic": "حقل التاريخ يقبل 27.11.2026 والأسعار بدون ضريبة حتى السلة",
    "Hindi": "तारीख का खाना 27.11.2026 लेता है और दाम टोकरी तक बिना कर के हैं",
    "Chinese": "日期栏的格式是2026-11-27，购物车之前的价格不含税",
    "Japanese": "日付欄の形式は2026-11-27、価格はカートまで税抜き",
    "Korean": "날짜 칸의 형식은 2026-11-27이고 가격은 장바구니까지 부가세 제외",
    "Thai": "ช่องวันที่ใช้รูปแบบ 2026-11-27 และราคาไม่รวมภาษีจนถึงตะกร้า",
}
NOTES = 20
"""As many of a site as are looked at."""


def measure_tokens() -> dict[str, object]:
    """Tokens of a call of the operator, more than the same call without."""
    unit, count = load_counter()

    def of(known: Known) -> int:
        prompt = step_prompt(State.read({"task": "find it"}), "URL: x", known=known)
        return sum(count(message.text) for message in prompt)

    bare = of(NOTHING_KNOWN)
    notes = {
        language: of(Known(notes=shown_notes([_row(f"{n}: {fact}") for n in range(NOTES)])[1])) - bare
        for language, fact in FACTS.items()
    }
    one = of(Known(notes=shown_notes([_row(FACTS["English"])])[1])) - bare
    line = of(Known(shown_instructions(StandingTexts("Prices in francs, answers in German.", "", "")))) - bare
    return {"unit": unit, "one line of instructions": line, "one note": one, "as many notes as fit": notes}


def _row(text: str) -> NoteRow:
    return NoteRow(id=text[:32], site="shop.example", text=text)
