"""What an outcome says of a field's value, where the tool server's own check says less."""

import pytest

from server.browser.browser import Field, ToolOutcome
from server.browser.mcp.field_values import FieldValue, Option, after_typing, places_of
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
    ("written", "places"),
    [
        (["Oak"], [0]), (["oak"], [0]), (["Ash (North)"], [1]), (["Ash (South)"], [2]), (["Elm", "Oak"], [4, 0]),
        (["Ash"], 'There are 2 options "Ash": "Ash (North)", "Ash (South)". Nothing was chosen.'),
        (["Fir"], 'It has no such option that can be chosen, only: "Oak", "Ash (North)", "Ash (South)", "Elm".'),
    ],
)  # fmt: skip
def test_options_are_meant_by_name_and_group(written: list[str], places: list[int] | str) -> None:
    options = (
        Option(name="Oak"), Option(name="Ash", group="North"), Option(name="Ash", group="South"),
        Option(name="Elm", disabled=True), Option(name="Elm"),
    )  # fmt: skip
    assert places_of(FieldValue(options=options), written) == places
