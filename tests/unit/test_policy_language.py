"""The language of a page is guessed from a few of its words, and only decides what an ambiguous word means."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from server.agent.actions import ClickAction, aim
from server.agent.gate.subjects import subjects_of
from server.agent.policy import Subject, Verdict, assess, guess_language, warm_up
from server.agent.policy.labels import is_star
from server.agent.policy.lexicon import UNREAD, languages, read_patterns
from server.browser.observation import observe_snapshot

DATA = Path(__file__).parents[1] / "data" / "policy"
GUIDE = Path(__file__).parents[2] / "server" / "agent" / "policy" / "lexicon" / "README.md"


def pages() -> dict[str, list[str]]:
    texts: dict[str, list[str]] = defaultdict(list)
    for line in (DATA / "dev.jsonl").read_text().splitlines():
        row = json.loads(line)
        texts[row["lang"]].append(f"{row['name']}\n{row['context']}")
    return texts


@pytest.mark.parametrize("code", languages())
def test_a_page_with_a_dozen_controls_is_known_by_its_words(code: str) -> None:
    assert guess_language("\n".join(pages()[code][:12])) == code


@pytest.mark.parametrize("text", ["", "42", "Acme X-200", "lorem ipsum dolor sit amet", "OK"])
def test_too_few_words_are_no_language(text: str) -> None:
    assert guess_language(text) == ""


UNREAD_PAGES = {
    "et": "Tellimus, Ostukorv, Minu konto, Otsi, Avaleht, Tooted, Kirjuta klienditoele, Vali makseviis ja kinnita tellimus, Tarne aadress",
    "is": "Karfa, Mínar síður, Leita, Forsíða, Vörur, Hafa samband, Veldu greiðslumáta og staðfestu pöntun, Afhendingarstaður, Áfram",
    "ka": "კალათა, ჩემი ანგარიში, ძებნა, მთავარი, პროდუქტები, კონტაქტი, აირჩიეთ გადახდის მეთოდი და დაადასტურეთ შეკვეთა, მიწოდების მისამართი",
    "sw": "Kikapu, Akaunti yangu, Tafuta, Mwanzo, Bidhaa, Mawasiliano, Chagua njia ya malipo na uthibitishe agizo, Anwani ya kupelekea, Endelea",
}  # fmt: skip


@pytest.mark.parametrize("code", UNREAD_PAGES)
def test_a_page_in_a_language_without_a_lexicon_is_known_as_such(code: str) -> None:
    assert guess_language(UNREAD_PAGES[code]) == UNREAD


@pytest.mark.parametrize(
    ("name", "fields", "lang", "verdict"),
    [
        ("Saada", ("Sõnum",), UNREAD, Verdict.ASK),
        ("გაგზავნა", ("შეტყობინება",), UNREAD, Verdict.ASK),
        ("Edasi", (), UNREAD, Verdict.ALLOW),
        ("Search", ("Otsing",), UNREAD, Verdict.ALLOW),
        ("Frobnicate", ("Widget",), "en", Verdict.ALLOW),
    ],
)
def test_a_button_beside_fields_asks_if_its_language_cannot_be_read(
    name: str, fields: tuple[str, ...], lang: str, verdict: Verdict
) -> None:
    button = Subject("click", role="button", name=name, form_fields=fields, lang=lang)
    assert assess(button).verdict is verdict


@pytest.mark.parametrize(
    "name",
    [
        "Betal nu", "Slet konto", "Send besked", "Betal nå", "Slett konto", "Send melding", "Si opp abonnementet",
        "Maksa nyt", "Poista tili", "Lähetä viesti", "Irtisano tilaus",
    ],
)  # fmt: skip
def test_effects_in_danish_norwegian_and_finnish_ask_outside_of_a_form(name: str) -> None:
    assert assess(Subject("click", role="button", name=name)).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "name",
    ["Vis mere", "Læg i kurv", "Nej tak", "Vis mer", "Legg i handlekurven", "Nei takk", "Näytä lisää", "Lisää ostoskoriin", "Ei kiitos"],
)  # fmt: skip
def test_what_is_harmless_in_danish_norwegian_and_finnish_is_done(name: str) -> None:
    assert assess(Subject("click", role="button", name=name)).verdict is Verdict.ALLOW


def test_the_gate_tells_the_policy_the_language_of_the_page() -> None:
    page = observe_snapshot(
        '- heading "Zahlung und Versand" [level=1] [ref=h1] [box=0,0,9,9]\n'
        '- paragraph [ref=p1] [box=0,9,9,9]: Ihre Bestellung wird nach der Zahlung verschickt\n'
        '- button "Weiter" [ref=b1] [box=0,20,9,9]'
    )  # fmt: skip
    (subject,) = subjects_of(aim(ClickAction(eid="e1"), page))
    assert subject.lang == "de"


def test_a_word_means_what_it_means_on_this_page() -> None:
    warm_up()
    add = Subject("click", role="button", name="Add", context="Payee: R. Gomez, IBAN DE89", lang="en")
    assert assess(add).verdict is Verdict.ASK


@pytest.mark.parametrize("lang", ["", "en", "de", "zz"])
@pytest.mark.parametrize(
    "name", ["Delete account", "Eliminar cuenta", "Удалить аккаунт", "删除账户", "Konto löschen"]
)
def test_a_page_in_any_language_hides_no_deed_in_another(name: str, lang: str) -> None:
    assert assess(Subject("click", role="button", name=name, lang=lang)).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("name", "context", "lang"),
    [
        ("Restart", "Server web-3", ""),
        ("Xoa tai khoan", "Cai dat", "vi"),
        ("Huy don hang", "Don hang cua toi", "vi"),
        ("حذف مقاله", "پایگاه دانش", "fa"),
    ],
)
def test_a_deed_is_known_without_its_marks_and_beside_words_of_other_languages(
    name: str, context: str, lang: str
) -> None:
    assert (
        assess(Subject("click", role="button", name=name, context=context, lang=lang)).verdict is Verdict.ASK
    )


def test_the_guide_for_translators_explains_every_concept() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    kinds = re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", guide, re.MULTILINE)
    explained = {f"{group}.{kind}" for group in ("act", "deed") for kind in kinds}
    explained.update(re.findall(r"^\| `(\w+\.\w+)` \| .+ \|$", guide, re.MULTILINE))
    assert explained == {pattern.concept for pattern in read_patterns()}


@pytest.mark.parametrize(
    "name",
    [
        "4 stars", "4 Sterne", "4 étoiles", "4 estrellas", "4 stelle", "4 estrelas", "4 sterren", "4 stjerner", "4 stjärnor",
        "4 tähteä", "4 gwiazdki", "4 hvězdičky", "4 csillag", "4 stele", "4 звезды", "4 зірки", "4 αστέρια", "4 yıldız",
        "4 bintang", "4 sao", "4 ดาว", "4 सितारे", "۴ ستاره", "4 نجوم", "4 כוכבים", "星4つ", "4 颗星", "별 4개", "★",
    ],
)  # fmt: skip
def test_a_star_is_known_in_every_language(name: str) -> None:
    assert is_star(name)


@pytest.mark.parametrize("name", ["12 stars", "Star", "4 starters", "Pay 4.50 stars", "4 Sternwarten"])
def test_what_only_looks_like_a_star_is_none(name: str) -> None:
    assert not is_star(name)
