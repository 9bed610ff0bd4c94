"""Plain words become commands, in English, German and Russian; for what is not understood there is a message and no guess."""

from __future__ import annotations

import pytest

from server.extras.demo.commands import DemoCommand, DemoRequest, read_request
from server.extras.demo.words import Words

OPEN = DemoCommand("open", "https://example.com")
READ = DemoCommand("read")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("open example.com", [OPEN]),
        ("example.com", [OPEN]),
        ("Please go to https://example.com.", [OPEN]),
        ("visit the page http://127.0.0.1:8000/form.html", [DemoCommand("open", "http://127.0.0.1:8000/form.html")]),
        ("open localhost:3000/a?b=c", [DemoCommand("open", "http://localhost:3000/a?b=c")]),
        ("go to example.com and read the page", [OPEN, READ]),
        ("what is on example.com?", [OPEN, READ]),
        ("what does it say?", [READ]),
        ("click the “Sign in” button", [DemoCommand("click", "Sign in", role="button")]),
        ("Click on More information.", [DemoCommand("click", "More information")]),
        ("open a.example/upload.html", [DemoCommand("open", "https://a.example/upload.html")]),
        ("open upload.html", [DemoCommand("open", "./upload.html")]),
        ("upload note.txt to Your file", [DemoCommand("upload", "Your file", "note.txt")]),
        ("attach the file", [DemoCommand("upload")]),
        ("загрузи отчёт.docx в поле «Файл»", [DemoCommand("upload", "Файл", "отчёт.docx")]),
        ("open the menu", [DemoCommand("click", "menu")]),
        ("press Submit", [DemoCommand("click", "Submit")]),
        ("press Enter", [DemoCommand("press", "Enter")]),
        ("hit the escape key", [DemoCommand("press", "Escape")]),
        ('type "salt and pepper" into Search', [DemoCommand("type", "Search", "salt and pepper")]),
        ("type hello", [DemoCommand("type", "", "hello")]),
        ("enter Ada in the Name field", [DemoCommand("type", "Name", "Ada")]),
        ("fill in Name with Ada Lovelace", [DemoCommand("type", "Name", "Ada Lovelace")]),
        ("fill E-mail with ada@example.com", [DemoCommand("type", "E-mail", "ada@example.com")]),
        ("search for blue kettles", [DemoCommand("type", "search", "blue kettles", submit=True)]),
        ("select Large in Size", [DemoCommand("select", "Size", "Large")]),
        ("choose “Dark mode”", [DemoCommand("select", "", "Dark mode")]),
        ("tick Remember me", [DemoCommand("click", "Remember me")]),
        ("scroll down", [DemoCommand("scroll", "down")]),
        ("scroll to the top", [DemoCommand("scroll", "up")]),
        ("go back", [DemoCommand("back")]),
        ("take a screenshot", [DemoCommand("screenshot")]),
        ("hover over Products", [DemoCommand("hover", "Products")]),
        ("wait 2 seconds", [DemoCommand("wait", "2")]),
        ("log in", [DemoCommand("log_in")]),
        ("scroll down, then go back; take a screenshot", [DemoCommand("scroll", "down"), DemoCommand("back"), DemoCommand("screenshot")]),
        ("type a into Name, type b into City and press Enter",
         [DemoCommand("type", "Name", "a"), DemoCommand("type", "City", "b"), DemoCommand("press", "Enter")]),
        ("Öffne example.com und lies die Seite", [OPEN, READ]),
        ("Gehe zu example.com, dann klick auf „Mehr“", [OPEN, DemoCommand("click", "Mehr")]),
        ("Klick auf den zweiten Link", [DemoCommand("click", role="link", nth=2)]),
        ("gib „Ada“ in Name ein und drück Enter", [DemoCommand("type", "Name", "Ada"), DemoCommand("press", "Enter")]),
        ("scroll nach oben, geh zurück und mach ein Bildschirmfoto",
         [DemoCommand("scroll", "up"), DemoCommand("back"), DemoCommand("screenshot")]),
        ("leg den Wasserkocher Tide in den Warenkorb und gib die Bestellung auf",
         [DemoCommand("add", "Wasserkocher Tide"), DemoCommand("order")]),
        ("kauf den billigsten Wasserkocher", [DemoCommand("add", "billigsten Wasserkocher"), DemoCommand("order")]),
        ("antworte auf die neueste Nachricht mit „Danke“", [DemoCommand("reply", "die neueste Nachricht", "Danke")]),
        ("lies die Tabelle in die Spalten Artikel, Preis", [DemoCommand("table", text="Artikel, Preis")]),
        ("bitte melde dich an", [DemoCommand("log_in")]),
        ("wie viele Links gibt es?", [DemoCommand("count", "links")]),
        ("was steht dort über Preise in 2024?", [DemoCommand("ask", text="preise 2024")]),
        ("открой example.com и прочитай страницу", [OPEN, READ]),
        ("Перейди на example.com, потом нажми «Подробнее»", [OPEN, DemoCommand("click", "Подробнее")]),
        ("введи Привет в поле Поиск, затем нажми Enter", [DemoCommand("type", "Поиск", "Привет"), DemoCommand("press", "Enter")]),
        ("заполни Имя значением Ада; выбери Большой в Размер",
         [DemoCommand("type", "Имя", "Ада"), DemoCommand("select", "Размер", "Большой")]),
        ("прокрути вверх и вернись назад", [DemoCommand("scroll", "up"), DemoCommand("back")]),
        ("сделай скриншот", [DemoCommand("screenshot")]),
        ("найди чайник", [DemoCommand("type", "search", "чайник", submit=True)]),
        ("что там написано?", [READ]),
        ("Thanks, now click Next", [DemoCommand("click", "Next")]),
        ("спасибо, теперь нажми Далее", [DemoCommand("click", "Далее")]),
        ("Здравствуйте! Открой example.com", [OPEN]),
    ],
)  # fmt: skip
def test_words_become_commands(text: str, commands: list[DemoCommand]) -> None:
    request = read_request(text)
    assert list(request.commands) == commands
    assert request.not_understood == ()


@pytest.mark.parametrize(
    "text", ["buy me a car", "hello", "Привет, как дела?", "", "What can you do?", "что ты умеешь?", "help"]
)
def test_other_words_become_no_command(text: str) -> None:
    assert read_request(text).commands == ()


def test_the_part_that_is_not_understood_is_kept() -> None:
    request = read_request("open example.com and dance")
    assert (list(request.commands), request.not_understood) == ([OPEN], ("dance",))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("“", ("“",)),
        ("click", ("click",)),
        ("\ue0005\ue001", ("5",)),  # the marks that stand for quoted words while a message is read
        ("a, " * 3000, (("a, " * 3000)[:2000],)),  # the longest that is read
        ("и и и и", ("и и и и",)),
        ("'''", ("'",)),
    ],
)
def test_odd_words_do_no_harm(text: str, kept: tuple[str, ...]) -> None:
    assert read_request(text) == DemoRequest((), kept)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("type into", DemoCommand("type", text="into")),
        ("open " * 500, DemoCommand("click", ("open " * 500)[5:2000].strip())),
    ],
)
def test_a_command_made_of_odd_words_is_still_one_command(text: str, command: DemoCommand) -> None:
    assert read_request(text) == DemoRequest((command,))


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("open a.example/x and tell me what it says about the tariff in 2024",
         [DemoCommand("open", "https://a.example/x"), DemoCommand("ask", text="tariff 2024")]),
        ("open a.example, tell me about seals, then open b.example and tell me when it was built",
         [DemoCommand("open", "https://a.example"), DemoCommand("ask", text="seals"),
          DemoCommand("open", "https://b.example"), DemoCommand("ask", text="built")]),
        ("when was the harbour built?", [DemoCommand("ask", text="harbour built")]),
        ("does it say anything about penguins?", [DemoCommand("ask", text="penguins")]),
        ("find the tariff on the page", [DemoCommand("ask", text="tariff")]),
        ("how many links are there?", [DemoCommand("count", "links")]),
        ("count the buttons", [DemoCommand("count", "buttons")]),
        ("how many ships in 2024?", [DemoCommand("ask", text="ships 2024")]),
        ("what fields does the form have", [DemoCommand("list", "fields")]),
        ("list the headings", [DemoCommand("list", "headings")]),
        ("what is the title of the page", [DemoCommand("list", "title")]),
        ("read the article", [READ]),
        ("открой a.example и скажи, какой тариф в 2024 году",
         [DemoCommand("open", "https://a.example"), DemoCommand("ask", text="тариф 2024")]),
        ("сколько ссылок на странице?", [DemoCommand("count", "links")]),
        ("о чём эта страница?", [READ]),
    ],
)  # fmt: skip
def test_questions_about_a_page_are_told_apart(text: str, commands: list[DemoCommand]) -> None:
    request = read_request(text)
    assert list(request.commands) == commands
    assert request.not_understood == ()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("click the second Log in button", DemoCommand("click", "Log in", role="button", nth=2)),
        ("open the third link", DemoCommand("click", role="link", nth=3)),
        ("press the last button", DemoCommand("click", role="button", nth=-1)),
        ("type Ada into the 2nd field", DemoCommand("type", "", "Ada", nth=2)),
        ("нажми вторую ссылку", DemoCommand("click", role="link", nth=2)),
        ("нажми последнюю кнопку", DemoCommand("click", role="button", nth=-1)),
        ("click 3 items", DemoCommand("click", "3 items")),
    ],
)
def test_elements_can_be_meant_by_their_number(text: str, command: DemoCommand) -> None:
    assert read_request(text) == DemoRequest((command,))


@pytest.mark.parametrize("name", ["note.txt", "report.pdf", "table.xlsx", "photo.JPG", "отчёт.docx"])
def test_the_name_of_a_file_is_no_address(name: str) -> None:
    for text in (f"open {name}", f"attach {name}", name, f"what does {name} say"):
        assert all(command.kind != "open" for command in read_request(text).commands), text


@pytest.mark.parametrize(
    "request_text",
    [
        "open http://a.b/c, click Blue kettle, type Ada into Name, select Large in Size, scroll down and press Enter",
        "открой a.ru, нажми Дальше, введи Ада в Имя, выбери Большой в Размер, прокрути вниз, вернись назад",
        "öffne http://a.b/c, klick auf Weiter, tipp „Ada“ in Name, wähle „Groß“ in Größe, scroll nach unten, geh zurück, warte 2 s",
        "klick auf den 2. Link, leg den Kessel in den Warenkorb, gib die Bestellung auf, melde dich an, lies die Seite",
        "click the 2nd Log in button, press the last link, read the page, tell me about the tariff in 2024, count the links",
        "нажми вторую кнопку Войти, прочитай страницу, скажи про тариф в 2024, сколько ссылок, какие поля в форме",
    ],
)
def test_a_plan_reads_as_the_request_it_came_from(request_text: str) -> None:
    commands = read_request(request_text).commands
    words = Words(request_text)
    assert len(commands) > 4
    assert read_request("; ".join(words.to_do(command) for command in commands)).commands == commands


def test_the_direction_of_a_scroll_is_told_in_the_language_of_the_request() -> None:
    words = Words("прокрути вниз")
    assert [words.to_do(DemoCommand("scroll", to)) for to in ("down", "up")] == [
        "Прокрути вниз",
        "Прокрути вверх",
    ]
    assert words.did(DemoCommand("scroll", "down")) == "Прокручено вниз"
