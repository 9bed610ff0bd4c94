import json
import logging
from typing import Any

import pytest

from server.browser.browser import ToolOutcome, ToolSpec
from server.browser.mcp.tool_schema import (
    MAX_SCHEMA_CHARS,
    as_mcp_result,
    check_arguments,
    find_fault,
    make_safe,
    safe_name,
)
from wording.catalogue import joined, sentence, wording_of


def names_in(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node) | {name for value in node.values() for name in names_in(value)}
    if isinstance(node, list):
        return {name for item in node for name in names_in(item)}
    return set()


def test_a_plain_schema_stays_as_it_is():
    plain = {
        "type": "object",
        "properties": {"url": {"type": "string"}},
        "required": ["url"],
        "additionalProperties": False,
    }
    assert make_safe({**plain, "$schema": "https://json-schema.org/draft/2020-12/schema"}) == plain


@pytest.mark.parametrize("root", [None, {}, {"type": "string"}, {"type": ["object", "null"]}])
def test_the_root_is_always_an_object(root: Any):
    safe = make_safe(root)
    assert safe["type"] == "object"
    assert safe["properties"] == {}


@pytest.mark.parametrize("combinator", ["oneOf", "anyOf", "allOf"])
def test_no_combinator_is_left_at_the_root_and_no_argument_is_lost(combinator: str):
    safe = make_safe(
        {
            "type": "object",
            "properties": {"new_tab": {"type": "boolean"}},
            combinator: [
                {"required": ["index"], "properties": {"index": {"type": "integer"}}},
                {"required": ["x", "y"], "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}},
            ],
        }
    )
    assert combinator not in safe
    assert set(safe["properties"]) == {"new_tab", "index", "x", "y"}
    assert safe.get("required", []) == (["index", "x", "y"] if combinator == "allOf" else [])
    assert "index | x, y" in safe["description"]


def test_what_every_alternative_requires_stays_required():
    safe = make_safe(
        {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "oneOf": [{"required": ["text", "a"], "properties": {"a": {}}}, {"required": ["text"]}],
        }
    )
    assert safe["required"] == ["text"]


def test_a_nested_combinator_is_left_alone():
    nested = {"type": "object", "properties": {"media": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
    assert make_safe(nested)["properties"] == nested["properties"]


def test_references_are_replaced_by_what_they_name():
    safe = make_safe(
        {
            "type": "object",
            "properties": {"at": {"$ref": "#/$defs/Point"}},
            "$defs": {
                "Point": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Number"}}},
                "Number": {"type": "number"},
            },
        }
    )
    assert safe["properties"]["at"]["properties"]["x"] == {"type": "number"}
    assert not {"$ref", "$defs"} & names_in(safe)


def test_a_schema_that_refers_to_itself_comes_to_an_end():
    tree = {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
    safe = make_safe({**tree, "$defs": {"Tree": tree}})
    assert "$ref" not in names_in(safe)
    assert len(json.dumps(safe)) < MAX_SCHEMA_CHARS


def test_a_reference_to_nothing_is_a_free_object():
    safe = make_safe({"type": "object", "properties": {"at": {"$ref": "https://example.com/x"}}})
    assert safe["properties"]["at"] == {"type": "object"}


def test_arguments_with_names_no_provider_takes_are_left_out_and_logged(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING):
        safe = make_safe(
            {
                "type": "object",
                "properties": {"ok": {}, "not ok": {}, "": {}, "x" * 65: {}},
                "required": ["ok", "not ok"],
            },
            tool="odd",
        )
    assert list(safe["properties"]) == ["ok"]
    assert safe["required"] == ["ok"]
    assert "not ok" in caplog.text


def test_a_huge_schema_keeps_its_arguments_and_loses_its_prose():
    safe = make_safe(
        {
            "type": "object",
            "properties": {f"a{n}": {"type": "string", "description": "long " * 100} for n in range(100)},
        }
    )
    assert len(safe["properties"]) == 100
    assert len(json.dumps(safe)) < MAX_SCHEMA_CHARS


def test_tool_names_fit_every_provider():
    assert safe_name("issues.create now!", "git hub") == "git_hub_issues_create_now_"
    assert len(safe_name("x" * 100, "server")) == 64


SCHEMA = {
    "type": "object",
    "required": ["target"],
    "additionalProperties": False,
    "properties": {
        "target": {"type": "string"},
        "count": {"type": "integer"},
        "button": {"type": "string", "enum": ["left", "right"]},
        "share": {"type": "number"},
        "deep": {"type": ["string", "null"]},
    },
}


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ({"target": "e1"}, None),
        ({"target": "e1", "count": 2, "button": "left", "share": 1, "deep": None}, None),
        ({"target": "e1", "count": 2.0}, None),
        ({}, "missing: target"),
        ({"target": "e1", "ref": "e1"}, "unknown: ref"),
        ({"target": 3}, "target must be string"),
        ({"target": "e1", "count": True}, "count must be integer"),
        ({"target": "e1", "count": 2.5}, "count must be integer"),
        ({"target": "e1", "button": "middle"}, "button must be one of left, right"),
        ({"target": "e1", "deep": 1}, "deep must be string or null"),
    ],
)
def test_wrong_arguments_are_told_in_words(args: dict[str, Any], complaint: str | None):
    told = check_arguments(SCHEMA, args)
    assert told is None if complaint is None else complaint in (told or "")


@pytest.mark.parametrize(
    ("args", "is_right"),
    [
        ({"index": 0}, True),
        ({"coordinate_x": 1, "coordinate_y": 0}, True),
        ({}, False),
        ({"index": 1, "coordinate_x": 1}, False),
        ({"coordinate_x": 1}, False),
        ({"index": None, "coordinate_x": 1, "coordinate_y": 2}, True),
    ],
)
def test_a_click_takes_an_index_or_both_coordinates(args: dict[str, Any], is_right: bool):
    properties = {name: {"type": ["integer", "null"]} for name in ("index", "coordinate_x", "coordinate_y")}
    click = ToolSpec("browser_click", "", {"type": "object", "properties": properties})
    assert (find_fault(click, args) is None) == is_right


def test_a_result_has_the_parts_of_its_first_line_and_the_text_after_it_is_for_the_model_only() -> None:
    outcome = ToolOutcome(True, joined((sentence("reading.page", page=1, count=2), "Words of a page."), "\n"))
    known = as_mcp_result(outcome).structuredContent or {}
    assert wording_of(known["said"]).to("de") == "Seite 1 von 2"
    assert (as_mcp_result(ToolOutcome(True, "Words of a server.")).structuredContent or {})["said"] is None
