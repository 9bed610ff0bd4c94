"""The page about the operator says what the code does."""

from pathlib import Path

from scripts.draw_operator import PAGE, with_picture
from server.agent.operator.plan.move import move_schema


def test_the_picture_of_the_graph_is_current() -> None:
    text = PAGE.read_text()
    assert with_picture(text) == text, "run: python -m scripts.draw_operator"


def test_the_page_names_every_action_and_field() -> None:
    text = Path(PAGE).read_text()
    properties = move_schema()["properties"]
    for name in (*properties, *properties["action"]["enum"]):
        assert f"`{name}" in text or f"{name}`" in text or f" {name}" in text, name
