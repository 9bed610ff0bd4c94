"""Tasks whose difficulty is a control: lists while typing, frames, shadow roots, dialogs, menus, widgets, files, drawings."""

from __future__ import annotations

from bench.task.script import (
    NOT_FOUND,
    Look,
    Script,
    answer_dialog,
    check,
    choose,
    click,
    drag,
    fill,
    first,
    hover,
    point,
    press,
    stroke,
    task,
)  # fmt: skip
from bench.task.site import reading

# Autocomplete


@task("autocomplete", "the direct train from Hamburg Altona to Bern: when does it leave?", "/stations.html", "10:14",
      ("journey", {"from": "Hamburg Altona", "to": "Bern"}))  # fmt: skip
def stations_from_a_list() -> Script:
    yield fill({"From": "Hamburg"})
    yield [click("Hamburg Altona"), fill({"To": "Bern"})]
    yield [click("Bern"), click("Show trains")]
    return first((yield Look(r"(\d\d:\d\d) \d\d:\d\d 0\b")))


@task("autocomplete", "invite Maria Larsen and Tomas Horvat", "/invite.html", "2 people were invited",
      ("invite", {"names": "Maria Larsen, Tomas Horvat"}))  # fmt: skip
def names_into_one_field() -> Script:
    yield fill({"Name or e-mail": "Mari"})
    yield [click("Maria Larsen.*"), fill({"Name or e-mail": "Tom"})]
    yield [click("Tomas Horvat.*"), click("Invite")]
    return first((yield Look(r"\d+ people were invited")))


# Frames


@task(
    "nested frames",
    "book 3 seats in the concert hall for Lea",
    "/partners.html",
    "HALL-337",
    ("seats", {"name": "Lea", "seats": "3"}),
)
def a_form_in_two_frames() -> Script:
    yield [fill({"Your name": "Lea"}), choose("Seats", "3"), click("Book seats")]
    return first((yield Look(r"code (HALL-\d+)")))


@task(
    "nested frames",
    "I have the gift card TEA50, use it",
    "/basket.html",
    "€11.00",
    ("code", {"kind": "Gift card", "code": "TEA50"}),
)
def twins_in_two_frames() -> Script:
    yield [fill({"Code": "TEA50"}, near="Gift card"), click("Apply", near="Gift card")]
    return first((yield Look(r"Gift card TEA50 takes off (€[\d.]+)")))


# Shadow roots


@task("shadow roots", "where does the tour of the old warehouses meet?", "/tours.html", "the lighthouse",
      ("details", {"tour": "Old warehouses"}))  # fmt: skip
def a_button_in_a_card() -> Script:
    yield click("Details", near="Old warehouses")
    return first((yield Look(r"Meets at (the \w+), takes")))


@task("shadow roots", "4 stars for the repair: Quick, done in a day", "/review.html", "review number 218",
      ("review", {"stars": "4", "head": "Quick", "text": "Done in a day"}))  # fmt: skip
def fields_in_nested_roots() -> Script:
    yield [
        fill({"Headline": "Quick", "Your review": "Done in a day"}),
        check("4 stars"),
        click("Post review"),
    ]
    return first((yield Look(r"4 stars are (review number \d+)")))


# Dialogs and banners


@task("dialogs", "read the story", "/cookie-banner", "Tell us")
def a_banner_in_the_way() -> Script:
    yield click("Only necessary")
    yield click("Read the story")
    return first((yield Look(r"Tell us")))


@task(
    "dialogs",
    "delete old draft.txt for good",
    "/documents.html",
    "6 documents",
    ("removed", {"name": "old draft.txt"}),
)
def a_question_of_the_script() -> Script:
    yield click("Delete", near="old draft.txt")
    yield answer_dialog(True)
    return first((yield Look(r"was deleted; (\d+ documents)")))


# Menus, tabs, trees


@task("menus", "how long is the warranty?", "/camera.html", "27 months")
def a_tab_of_the_page() -> Script:
    yield click("Warranty")
    return first((yield Look(r"Warranty: (\d+ months)")))


@task("menus", "what do pruning shears cost?", "/garden.html", "€21.50")
def a_menu_under_the_pointer() -> Script:
    yield hover("Tools")
    yield click("Shears")
    return first((yield Look(r"Pruning shears (€[\d.]+)")))


@task(
    "menus",
    "the shelf mark of the letter of widow Brandt?",
    "/archive.html",
    "WIDO-74",
    ("viewed", {"leaf": "Widow Brandt 1874"}),
)
def a_tree_with_folds() -> Script:
    yield click("|toggle|expand", near="Letters")
    yield click("|toggle|expand", near="19th century")
    yield click("Widow Brandt 1874")
    return first((yield Look(r"Shelf mark: ([\w-]+)")))


# Widgets


@task(
    "widgets",
    "have it delivered to the 3rd floor, 15 to 17",
    "/delivery.html",
    "€28",
    ("delivery", {"floor": "3rd floor", "time": "15 to 17"}),
)
def boxes_with_lists() -> Script:
    yield click("Floor.*|Please choose", near="Floor")
    yield [click("3rd floor"), click("Time.*|Please choose", near="Time")]
    yield [click("15 to 17"), click("Save")]
    return first((yield Look(r"costs (€\d+)")))


@task("widgets", "set the bedroom to 20 degrees", "/heating.html", "Bedroom 20 °C",
      ("heating", {"Living room": "19", "Bedroom": "20", "Kitchen": "18"}))  # fmt: skip
def a_slider_by_keys() -> Script:
    yield [click("Bedroom"), press("ArrowRight"), press("ArrowRight"), press("ArrowRight"), click("Save")]
    return first((yield Look(r"Saved: .*(Bedroom \d+ °C)")))


@task("widgets", "comment: The fuse has arrived. And close the ticket", "/ticket.html", "ticket closed",
      ("comment", {"text": "The fuse has arrived.", "close": "True"}))  # fmt: skip
def text_into_an_editor() -> Script:
    yield [
        fill({"Comment": "The fuse has arrived."}),
        check("Close the ticket"),
        click("Comment", kind="button"),
    ]
    return first((yield Look(r"Comment 3, (ticket \w+)")))


# Files


@task("files", "how much water was lost in 2025?", "/reports.html", "2.7 percent")
def a_report_as_pdf() -> Script:
    report = Look(r"Losses in the network: ([\d.]+ percent)", "query", "losses in the network")
    return first((yield [click("Annual report 2025.*"), report]))


@task("files", "in which month of 2025 was most water used?", "/reports.html",
      f"2025-{max(range(1, 13), key=reading):02}")  # fmt: skip
def a_table_to_download() -> Script:
    yield click("Meter readings.*")
    found = yield Look(r"(2025-\d\d)\D+(\d+)\D+\d", "all", file="readings.csv")
    return max(found, key=lambda row: int(row[1]))[0] if found else NOT_FOUND


# Canvas and dragging


@task("canvas", "book seat C6", "/seats.html", "Seat C6, €12.50 – booked", ("seat", {"seat": "C6"}))
def a_seat_on_a_plan() -> Script:
    yield point((444, 371))
    yield click("Book seat")
    return first((yield Look(r"Seat \w+, €[\d.]+ – booked")))


@task("canvas", "draw the way from the door to the stage and save it", "/whiteboard.html", "drawing 31",
      ("drawing", {"start": "Door", "end": "Stage"}))  # fmt: skip
def a_line_on_a_drawing() -> Script:
    yield stroke((189, 231), (714, 496))
    yield click("Save drawing")
    return first((yield Look(r"saved as (drawing \d+)")))


@task("drag", "the old lease is being cancelled: move the card to Doing", "/board.html", "2 cards",
      ("moved", {"card": "Cancel the old lease", "to": "Doing"}))  # fmt: skip
def a_card_to_a_column() -> Script:
    yield drag("Cancel the old lease", "Doing", ((220, 336), (640, 400)))
    return first((yield Look(r"is now in Doing \((\d+ cards)\)")))


@task("drag", "Copper sky shall be the first", "/playlist.html", "First: Copper sky",
      ("order_saved", {"names": "Copper sky, Northern wind, Harbour lights, Paper boats, Last tram, Slow river"}))  # fmt: skip
def a_row_by_its_grip() -> Script:
    yield drag("Move Copper sky", "Move Northern wind", ((108, 329), (108, 153)))
    yield click("Save order")
    return first((yield Look(r"First: [\w ]+?(?=,)")))
