"""Sentences written by rule are in the language of who reads them, German, Russian or else English."""

import pytest

from server.agent.language import is_russian, language_of
from server.agent.operator.memory.phrases import limit_summary, phrase

RUSSIAN = [
    "открой example.com",
    "Купи чайник",
    "нажми Pay now",
    "найди на «Best Buy» цену",
    "https://shop.example найди цену",
]
ENGLISH = [
    "", "42", "open example.com", "click «Удалить»", "Відкрий сторінку", "Знайди їжу", "Пронађи цену и плати љубав",
    "打开页面", "ページを開いて", "페이지 열기", "افتح الصفحة", "पेज खोलें", "เปิดหน้า", "פתח", "Άνοιξε τη σελίδα", "Who was it?", "do not die", "Open „Über uns“ in the menu",
    "Ouvre la page", "Mở trang", "Sayfayı aç",
]  # fmt: skip


@pytest.mark.parametrize("text", RUSSIAN)
def test_russian_is_answered_in_russian(text: str) -> None:
    assert is_russian(text)
    assert phrase("go_on", text) == "Продолжать?"


@pytest.mark.parametrize(
    "text",
    [
        "Öffne die Seite",
        "öffne shop.example, leg den Wasserkocher in den Warenkorb und bestelle",
        "Klick auf „Pay now“",
        "Was kostet der Kessel bei https://shop.example/the/for?",
        "Vergleiche drei Wasserkocher",
        "wie viele Links gibt es?",
    ],
)
def test_german_is_answered_in_german(text: str) -> None:
    assert language_of(text) == "de"
    assert phrase("go_on", text) == "Soll ich weitermachen?"


@pytest.mark.parametrize("text", ENGLISH)
def test_every_other_language_falls_back_to_english(text: str) -> None:
    assert phrase("go_on", text) == "Shall I go on?"
    assert limit_summary(text, "x", [], [], [], None).endswith("Shall I go on?")
