"""A session is named by its first words: what is done and where. Sessions of one title are numbered."""

from __future__ import annotations

import time
from typing import Any

import pytest
from sqlalchemy import event

from server.store.titles import TITLE_LENGTH, is_first_title, numbered, title_of, with_number

WHERE = "http://127.0.0.1:8791/article.html"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("find a blue kettle\nand more", "find a blue kettle"),
        (f"open {WHERE} and read the article", "Read the article on localhost"),
        (f"open {WHERE} and tell me what it says about the tariff in 2024", "Read about the tariff in 2024 on localhost"),
        (f"open {WHERE} and tell me the price", "Find the price on localhost"),
        (
            "open http://127.0.0.1:8791/kettle/amber and tell me the price, then open http://127.0.0.1:8791/kettle/blue "
            "and tell me the price",
            "Find the price: amber, blue on localhost",
        ),
        (f"открой {WHERE} и скажи, когда отходит паром", "Узнай, когда отходит паром на localhost"),
        (f"открой {WHERE} и расскажи, что там сказано о тарифе", "Прочитай о тарифе на localhost"),
        (f"Please open {WHERE}", "Open article on localhost"),
        ("open https://www.example.com/", "Open example.com"),
        ("go to http://localhost:3000/a?b=c, click Log in", "Click Log in on localhost"),
        (
            "open http://127.0.0.1:8791/checkout, type “Ada, Eve” into Name, click Place order and read the page",
            "Place order: checkout on localhost",
        ),
        (f"open {WHERE}, log in and read the page", "Log in on localhost"),
        ("открой https://a.example/contact, введи Ада в поле Имя, нажми «Отправить» и прочитай страницу", "Нажми «Отправить»: contact на a.example"),
        (f"open {WHERE}, wait 15 seconds and read the page", "Wait 15 seconds and read the page on localhost"),
        ("what is on https://shop.example/kettles?", "What is on shop.example?"),
        (f"открой {WHERE} и прочитай статью", "Прочитай статью на localhost"),
        ("открой https://example.com/", "Открой example.com"),
        ("open https://a.example/x\n\nAttached files: note.txt", "Open a.example"),
        ("\n\nAttached files: note.txt", "Attached files: note.txt"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_title_says_what_is_done_and_on_which_site(words: str, title: str) -> None:
    assert title_of(words) == title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("open https://shop.example/kettles and find the cheapest kettle", "Find the cheapest kettle on shop.example"),
        ("open https://shop.example and tell me the price of the blue kettle", "Find the price of the blue kettle on shop.example"),
        ("go to https://news.example and summarise the top story", "Summarise the top story on news.example"),
        ("open https://a.example/contact, type Ada into Name, click Send", "Send: contact on a.example"),
        ("open https://a.example and how many links are there?", "How many links are there on a.example?"),
        ("visit https://a.example/login and log in", "Log in on a.example"),
        ("open https://a.example/form and fill in the form with my data", "Fill in the form with my data on a.example"),
        ("open https://a.example and click the second link", "Click the second link on a.example"),
        ("compare prices on https://a.example and https://b.example", "Compare prices on a.example and b.example"),
        ("please open https://a.example and take a screenshot.", "Take a screenshot on a.example"),
        ("открой https://shop.example/kettles и найди самый дешёвый чайник", "Найди самый дешёвый чайник на shop.example"),
        ("открой https://shop.example и скажи цену синего чайника", "Узнай цену синего чайника на shop.example"),
        ("открой https://a.example и скажи, сколько там ссылок", "Узнай, сколько там ссылок на a.example"),
        ("открой https://a.example и расскажи о тарифах", "Узнай о тарифах на a.example"),
        ("откройте https://a.example и скажите, есть ли там скидка", "Узнайте, есть ли там скидка на a.example"),
        ("откройте https://a.example и расскажите, что там сказано о тарифах", "Прочитайте о тарифах на a.example"),
        ("открой https://a.example/contact, введи Ада в поле Имя, нажми Отправить", "Нажми «Отправить»: contact на a.example"),
        ("открой https://a.example и сколько там ссылок?", "Сколько там ссылок на a.example?"),
        ("зайди на https://a.example/login и войди", "Войди на a.example"),
        ("сравни цены на https://a.example и https://b.example", "Сравни цены на a.example и b.example"),
    ],
)  # fmt: skip
def test_a_title_is_a_request_or_a_question_in_the_form_in_which_people_ask(words: str, title: str) -> None:
    assert title_of(words) == title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Bitte suche einen blauen Wasserkocher", "Suche einen blauen Wasserkocher"),
        ("Kannst du einen blauen Wasserkocher suchen?", "Einen blauen Wasserkocher suchen"),
        ("Könntest du mir bitte einen Flug nach Rom suchen?", "Einen Flug nach Rom suchen"),
        ("Suche einen Flug nach Rom, bitte", "Suche einen Flug nach Rom"),
        ("Würden Sie mir sagen, wie spät es in Rom ist?", "Finde heraus, wie spät es in Rom ist"),
        ("Ich möchte, dass du die Preise vergleichst", "Die Preise vergleichen"),
        ("Ich möchte, dass du nachsiehst, ob der Zug fährt", "Nachsehen, ob der Zug fährt"),
        ("Ich möchte, dass du https://a.example öffnest und den Artikel liest", "Den Artikel lesen auf a.example"),
        (f"öffne {WHERE} und lies den Artikel", "Lies den Artikel auf localhost"),
        ("Öffne bitte https://a.example und sag mir den Preis des Kochers", "Finde den Preis des Kochers auf a.example"),
        ("öffne https://a.example und sag mir, wann die Fähre abfährt", "Finde heraus, wann die Fähre abfährt auf a.example"),
        ("Öffnen Sie https://a.example und sagen Sie mir, was dort über den Tarif steht", "Lesen Sie über den Tarif auf a.example"),
        ("kannst du https://a.example öffnen und mir den Preis sagen?", "Den Preis finden auf a.example"),
        ("Geh auf https://a.example/login und melde dich an", "Melde dich an auf a.example"),
        ("Rufe https://a.example auf und fasse die Meldung zusammen", "Fasse die Meldung zusammen auf a.example"),
        ("öffne https://a.example/contact, tippe Ada in das Feld Name, klicke auf „Senden“", "Senden: contact auf a.example"),
        ("öffne https://a.example und wie viele Links gibt es dort?", "Wie viele Links gibt es dort auf a.example?"),
        (
            "öffne https://a.example/amber und sag mir den Preis, dann öffne https://a.example/blue und sag mir den Preis",
            "Finde den Preis: amber, blue auf a.example",
        ),
        ("Bitte öffne https://example.com/", "Öffne example.com"),
        ("Vergleiche die Preise auf https://a.example und https://b.example", "Vergleiche die Preise auf a.example und b.example"),
        ("Bitte", "Bitte"),
    ],
)  # fmt: skip
def test_a_german_title_says_what_is_to_be_done_without_how_it_was_asked(words: str, title: str) -> None:
    assert title_of(words) == title
    assert is_first_title(title, words)


def test_a_long_title_keeps_its_site() -> None:
    title = title_of(f"open {WHERE} and " + "read all of it " * 20)
    assert len(title) <= TITLE_LENGTH
    assert title.endswith("… on localhost")
    assert is_first_title(title, f"open {WHERE} and " + "read all of it " * 20)


def test_titles_that_are_taken_get_the_lowest_free_number() -> None:
    assert numbered("Kettle", ["Other"]) == "Kettle"
    assert numbered("Kettle", ["Kettle", "Kettle (2)", "Kettle (4)"]) == "Kettle (3)"
    assert len(numbered("x" * TITLE_LENGTH, ["x" * TITLE_LENGTH])) == TITLE_LENGTH


async def named(world: Any, title: str | None, words: str) -> str:
    """The title of a new session after its first message."""
    row = await world.store.create_session(
        id=None, title=title, agent="operator", model="demo", max_tool_steps=3
    )
    return str((await world.store.accept(row.id, words)).session.title)


@pytest.mark.parametrize(
    "title", ["Kettle", "Kettle (2)", "100 % sure_or/not", "x" * (TITLE_LENGTH - 12), "x" * TITLE_LENGTH]
)
async def test_each_session_of_a_title_gets_the_next_number(world: Any, title: str) -> None:
    assert await named(world, None, title) == title
    for number in range(2, 13):
        assert await named(world, None, title) == with_number(title, number)


async def test_long_titles_are_found_with_any_number(world: Any) -> None:
    """A number of more digits leaves less of the title."""
    title = "x" * TITLE_LENGTH
    for given in (title, with_number(title, 1000)):
        await named(world, given, "anything")
    assert await named(world, None, title) == with_number(title, 1001)


async def test_a_title_whose_highest_number_is_unclear_gets_the_lowest_free_one(world: Any) -> None:
    for given in ("Kettle", "Kettle (2)", "Kettle (4)", "Kettle (of tin)"):
        assert await named(world, given, "anything") == given
    assert await named(world, None, "Kettle") == "Kettle (3)"


async def test_of_many_sessions_of_a_title_not_all_are_read(world: Any) -> None:
    for given in ("Kettle", *(f"Kettle ({number})" for number in range(2, 50))):
        await named(world, given, "anything")
    queries: list[str] = []

    @event.listens_for(world.database._engine, "before_cursor_execute")
    def keep(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        queries.append(" ".join(statement.split()))

    assert await named(world, None, "Kettle") == "Kettle (50)"
    about_titles = [
        query for query in queries if query.startswith(("SELECT sessions.title", "SELECT sessions.id FROM"))
    ]
    assert len(about_titles) == 2
    assert all("LIMIT" in query for query in about_titles)


async def test_sessions_with_the_same_words_and_branches_are_distinguished(world: Any) -> None:
    words = f"open {WHERE} and read the article"
    titles = []
    for _ in range(3):
        row = await world.store.create_session(
            id=None, title=None, agent="operator", model="demo", max_tool_steps=3
        )
        accepted = await world.store.accept(row.id, words)
        titles.append(accepted.session.title)
        assert is_first_title(accepted.session.title, words)
    first = "Read the article on localhost"
    assert titles == [first, f"{first} (2)", f"{first} (3)"]
    branch = await world.store.branch(row.id, accepted.message.id)
    again = await world.store.branch(branch.id, (await world.store.messages(branch.id))[0].id)
    assert [branch.title, again.title] == [f"{first} (4)", f"{first} (5)"]
    assert not is_first_title("Mine", words)


def test_a_message_that_a_webhook_made_long_is_named_in_linear_time() -> None:
    """Matching holds the event loop: at quadratic time this one would for half a minute."""
    began = time.process_time()
    assert title_of("Order tea\n\nAttached files: " + " " * 60_000 + "\n```") == "Order tea"
    assert time.process_time() - began < 1


@pytest.mark.parametrize("sign", ["\x00", "\x01", "“", " "])
def test_odd_signs_in_any_number_name_a_session_at_once(sign: str) -> None:
    for rest in (f"and click {sign}, then read it", f"and x{sign * 60_000}y"):
        assert title_of(f"open https://a.example {rest}").endswith("a.example")


def test_a_step_in_quotes_is_one_step() -> None:
    asked = "open https://a.example, type Ada into “First, last”, click “Place order, now”"
    assert title_of(asked) == "Place order, now on a.example"


@pytest.mark.parametrize("whole", ["👩\u200d👩\u200d👧", "🇫🇷", "e\u0301", "👍🏽"])
def test_a_title_that_is_cut_ends_with_a_whole_character(whole: str) -> None:
    for before in range(TITLE_LENGTH - 12, TITLE_LENGTH):
        words = "x" * before + whole * 9
        for title in (title_of(words), with_number(words, 12).removesuffix(" (12)")):
            assert len(title) <= TITLE_LENGTH
            kept = title.removesuffix("…").strip("x")
            assert kept == whole * (len(kept) // len(whole))
