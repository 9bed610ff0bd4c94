"""What an outcome says of a field's value, where the tool server's own check says less."""

import pytest

from server.browser.browser import Field, ToolOutcome
from server.browser.mcp.field_values import FieldValue, Option, after_typing, choices_of, is_meant
from server.browser.mcp.playwright_reply import OTHER_FORM
from server.browser.observation import Element


@pytest.mark.parametrize(
    ("typed", "before", "after", "notes"),
    [
        ("red", "#000000", "#ff0000", ('textbox "F" holds "#ff0000" instead.',)),
        ("2027-03-05 14:00", "", "2027-03-05T14:00", ('textbox "F" holds "2027-03-05T14:00" instead.',)),
        ("5 May", "", "", None),
        ("5 May", "2027-01-01", "2027-01-01", None),
    ],
)
def test_a_value_that_was_set_is_done_although_the_servers_check_complained(
    typed: str, before: str, after: str, notes: tuple[str, ...] | None
) -> None:
    field = Field(Element(eid="e1", ref="e1", role="textbox", name="F"), typed)
    outcome = after_typing(
        ToolOutcome(False, OTHER_FORM), [field], [FieldValue(value=before)], [FieldValue(value=after)]
    )
    assert (outcome.ok, outcome.notes) == (notes is not None, notes or ())


@pytest.mark.parametrize(
    ("typed", "held", "meant"),
    [
        ("1234.5", "1,234.50", True), ("1234.5", "1.234,50 €", True), ("1200", "$1,200", True), ("1200", "1 200", True), ("-5", "-5.00", True),
        ("12.50", "1250", False), ("12.50", "1,250", False), ("1234", "12.34", False), ("1.234", "1,234", False), ("12", "12a34", False),
        ("Ann", "Ann 1", False),
    ],
)  # fmt: skip
def test_a_number_is_as_it_was_typed_however_a_field_draws_it(typed: str, held: str, meant: bool) -> None:
    assert is_meant(typed, held) is meant


@pytest.mark.parametrize(
    ("written", "choices"),
    [
        (["Oak"], {0: True}), (["oak"], {0: True}), (["Ash (North)"], {1: True}), (["Ash (South)"], {2: True}),
        (["Elm", "Oak"], {4: True, 0: True}), (["remove Oak"], {0: False}), (["Elm", "remove Oak"], {4: True, 0: False}),
        (["Remove Elm"], {5: True}),
        (["Ash"], 'There are 2 options "Ash": "Ash (North)", "Ash (South)". Nothing was chosen.'),
        (["Fir"], 'It has no such option that can be chosen, only: "Oak", "Ash (North)", "Ash (South)", "Elm", "Remove Elm".'),
    ],
)  # fmt: skip
def test_options_are_meant_by_name_and_group(written: list[str], choices: dict[int, bool] | str) -> None:
    options = (
        Option(name="Oak"), Option(name="Ash", group="North"), Option(name="Ash", group="South"),
        Option(name="Elm", disabled=True), Option(name="Elm"), Option(name="Remove Elm"),
    )  # fmt: skip
    assert choices_of(FieldValue(options=options, several=True), written) == choices


def test_a_list_of_one_takes_no_second_choice_and_gives_none_up() -> None:
    held = FieldValue(options=(Option(name="Oak"), Option(name="Ash")))
    refused = "The list takes one choice. Nothing was chosen."
    assert [choices_of(held, words) for words in (["Oak", "Ash"], ["remove Oak"])] == [refused, refused]
