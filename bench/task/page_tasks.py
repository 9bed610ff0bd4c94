"""Tasks whose difficulty is the page: shops, forms, dates, mail, feeds, tables, long texts, results in pages."""

from __future__ import annotations

from bench.task.script import (
    NOT_FOUND,
    Look,
    Script,
    check,
    choose,
    click,
    fill,
    first,
    hover,
    task,
)  # fmt: skip
from bench.task.site import PER_PAGE, RESULTS, item

# Shop


@task("shop", "which kettle is the cheapest?", "/shop", "Blue kettle, €39.50")
def compare_three_pages() -> Script:
    prices = {}
    for at, name in enumerate(("Amber kettle", "Blue kettle", "Cream kettle")):
        if at:
            yield click("All kettles")
        yield click(name)
        prices[name] = first((yield Look(r"Price: (€[\d.]+)")))
    cheapest = min(prices, key=prices.__getitem__)
    return f"{cheapest}, {prices[cheapest]}"


@task("shop", "order the blue kettle for Ann", "/kettle/blue", "Ordered: number 1001",
      ("add", {"item": "blue"}), ("order", {"name": "Ann"}))  # fmt: skip
def buy() -> Script:
    yield click("Add to cart")
    yield click("Go to checkout")
    yield [fill({"Name": "Ann"}), click("Place order")]
    number = first((yield Look(r"Order number (\d+)")))
    return f"Ordered: number {number}"


# Forms


@task("form", "tell them that Ann lives in Riga and likes green", "/form", "Thanks, Ann",
      ("form", {"name": "Ann", "town": "Riga", "colour": "Green"}))  # fmt: skip
def fill_in_a_form() -> Script:
    yield [fill({"Name": "Ann", "Town": "Riga"}), choose("Colour", "Green"), click("Send")]
    return first((yield Look(r"Thanks, \w+")))


@task("form", "write to Bob: see you at 5", "/compose", "It is done",
      ("send", {"to": "bob@example.com", "subject": "Hello", "text": "See you at 5."}))  # fmt: skip
def write_a_letter() -> Script:
    yield [fill({"To": "bob@example.com", "Subject": "Hello", "Message": "See you at 5."}), click("Send")]
    return first((yield Look(r"It is done")))


@task("form", "apply as a volunteer for Ida Holm from Norway, weekly, with licence, garden and transport, rules read",
      "/application.html", "V-2231",
      ("application", {"name": "Ida Holm", "email": "ida@example.com", "country": "Norway", "often": "weekly",
                       "licence": "yes", "garden": "1", "transport": "1", "agree": "1"}))  # fmt: skip
def apply_as_a_volunteer() -> Script:
    yield [
        fill({"Full name": "Ida Holm", "E-mail": "ida@example.com"}), choose("Country", "Norway"), check("Every week"),
        check("Yes", near="driving licence"),
    ]  # fmt: skip
    yield [
        check("Garden"),
        check("Transport"),
        check("I have read the house rules"),
        click("Submit application"),
    ]
    return first((yield Look(r"Your number is ([\w-]+)")))


# Date pickers

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


def _months_between(shown: list[str], wanted: str) -> int:
    """How often "next" must be clicked, from the first month that is shown."""
    names = MONTHS.split("|")
    return max(0, names.index(wanted) - names.index(shown[0])) if shown else 0


@task("date picker", "the cheapest direct flight from Tallinn to Oslo, 12 to 19 May 2026?", "/flights.html", "€132",
      ("flights", {"from": "Tallinn", "to": "Oslo", "out": "2026-05-12", "back": "2026-05-19"}))  # fmt: skip
def dates_into_date_fields() -> Script:
    yield [
        choose("From", "Tallinn"), choose("To", "Oslo"),
        fill({"Departure": "2026-05-12", "Return": "2026-05-19"}), click("Search flights"),
    ]  # fmt: skip
    return min((yield Look(r"direct: (€\d+)", every=True)), default=NOT_FOUND)


@task("date picker", "a ferry ticket for 17 May 2026 for two; which boat?", "/ferry.html", "17B",
      ("ferry", {"date": "05/17/2026", "people": "2"}))  # fmt: skip
def a_calendar_of_links() -> Script:
    yield click("Date of the crossing")
    shown = yield Look(rf"({MONTHS})\W+2026")
    yield [click("Next")] * _months_between(shown, "May")
    yield click("17")
    yield [choose("Passengers", "2"), click("Continue")]
    return first((yield Look(r"boat (\w+) leaves")))


@task("date picker", "reserve a room from 12 to 15 June 2026; what does it cost?", "/hotel.html", "€342",
      ("hotel", {"from": "2026-06-12", "to": "2026-06-15"}))  # fmt: skip
def a_range_in_two_months() -> Script:
    yield click("Check-in.*")
    shown = yield Look(rf"({MONTHS}) 2026")
    yield [click("Next month")] * (_months_between(shown, "June") - 1)
    days = (click(rf".*\b{day} June 2026|{day}", near="June 2026") for day in (12, 15))
    yield [*days, click("Done")]
    cost = first((yield Look(r"3 nights, (€\d+) in all")))
    yield click("Reserve")
    return cost


# Mail rows with icons


@task("mail icons", "apaga a mensagem de Marta Oliveira", "/mail_icons.html", "Mensagem eliminada: Marta Oliveira",
      ("trash", {"who": "Marta Oliveira"}))  # fmt: skip
def delete_the_mail_of() -> Script:
    yield click(r"trash|delete|bin|remove|eliminar|apagar|lixo", near="Marta Oliveira")
    return first((yield Look(r"Mensagem eliminada: Marta Oliveira", "scroll")))


@task(
    "mail icons",
    "archive the newsletter of Fjord Weekly",
    "/mail_hover.html",
    "archived",
    ("archive", {"who": "Fjord Weekly"}),
)
def archive_by_an_icon_of_the_row() -> Script:
    yield hover("Fjord Weekly")
    yield click("archive", near="Fjord Weekly")
    return first((yield Look(r"Conversation with Fjord Weekly: (\w+)", "scroll")))


# Feeds


@task(
    "feed",
    "like the post of Ines Duarte about the lighthouse",
    "/feed.html",
    "You like this",
    ("like", {"who": "Ines Duarte"}),
)
def like_a_post_far_down() -> Script:
    yield click(r"Like", near="Ines Duarte")
    return first((yield Look(r"You like this")))


@task("feed", "what is the phone number of Oskar Lindqvist?", "/contacts.html", "+47 55 388 26")
def a_list_that_draws_what_is_seen() -> Script:
    yield click(r"Oskar Lindqvist.*", list_at=(210, 400), list_item=r"\w+ \w+ \d+.*")
    return first((yield Look(r"Phone: (\+[\d ]*\d)")))


# Sortable tables


@task("sortable table", "who placed the largest order?", "/orders.html", "#4153 Bruno Costa")
def sort_by_a_heading() -> Script:
    yield click(r"Total\W*")
    if not (yield Look(r"Total ▲")):
        return NOT_FOUND
    yield click(r"Total\W*")
    return first((yield Look(r"(#\d+ \w+ \w+) 2026")))


@task("sortable table", "how much is the largest open order?", "/orders.html", "€815.00")
def filter_and_sort() -> Script:
    yield [choose("Status", "Open"), choose("Sort by", "Total, highest first")]
    return first((yield Look(r"#\d+ \w+ \w+ [\d-]+ (€[\d.]+) Open")))


# Large tables


@task("large table", "how heavy is part 217?", "/parts", "651 kg")
def a_row_of_three_hundred() -> Script:
    return first((yield Look(r"\bPart 217\b\D{0,60}?(\d+ kg)", "query", "Part 217 weight")))


@task("large table", "remind Ludmila Petrova of her fee", "/members.html", "Reminder noted for Ludmila Petrova",
      ("remind", {"name": "Ludmila Petrova"}))  # fmt: skip
def a_button_of_one_row() -> Script:
    yield click("Remind", near="Ludmila Petrova")
    return first((yield Look(r"Reminder noted for Ludmila Petrova")))


# Long articles


@task("long article", "how many windows did mill 17 have?", "/mills", "629")
def a_fact_far_down() -> Script:
    return first((yield Look(r"Mill 17 had (\d+) windows", "query", "Mill 17 windows")))


@task("long article", "how many windows did all mills have together?", "/mills", "20 mills, 7770 windows")
def a_sum_over_all_of_it() -> Script:
    found = yield Look(r"Mill (\d+) had (\d+) windows", "all")
    return f"{len(found)} mills, {sum(int(windows) for _, windows in found)} windows"


# Paged results


@task("paged results", "what does the walnut desk cost?", "/catalogue", f"€{item(37)[2]}.00")
def next_page_until_found() -> Script:
    look = Look(r"Walnut desk \d+ by [\w& ]+? (€[\d.]+)", "page", "Walnut desk")
    found = yield look
    for _ in range(RESULTS // PER_PAGE):
        if found:
            return first(found)
        found = yield [click(r"Next\W*"), look]
    return NOT_FOUND


@task("paged results", "what do all things by Kielwerk cost together?", "/catalogue",
      "€{}".format(sum(item(number)[2] for number in range(RESULTS) if item(number)[1] == "Kielwerk")))  # fmt: skip
def collect_over_pages() -> Script:
    look = Look(r"by Kielwerk €(\d+)\.00", "all")
    prices: list[str] = list((yield look))
    for _ in range(1, RESULTS // PER_PAGE):
        prices += yield [click(r"Next\W*"), look]
    return f"€{sum(map(int, prices))}"
