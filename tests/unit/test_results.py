"""Tables as data: which schemas are columns, which rows fit, what was shown, and files that calculate nothing."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from openpyxl import load_workbook

from server.agent.operator.plan.move import move_schema
from server.results.columns import MAX_COLUMNS, SchemaRefused, read_schema
from server.results.evidence import Evidence
from server.results.rows import ResultRow, ResultTable, RowRefused, digest_of, read_row
from server.results.sheets import to_csv, to_markdown, to_xlsx
from tests.support.model_reply import Wire
from tests.support.model_rules import refusal

AT = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
KETTLES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "price": {"type": "number", "description": "in euros"},
            "stock": {"type": ["integer", "null"]},
            "steel": {"type": "boolean"},
            "colour": {"type": "string", "enum": ["blue", "red"]},
        },
        "required": ["name"],
    },
}
SCHEMA = read_schema(KETTLES)


def object_of(**columns: Any) -> dict[str, Any]:
    return {"type": "object", "properties": columns}


def test_a_schema_of_an_array_or_of_one_row_gives_its_columns_in_order() -> None:
    assert SCHEMA.names == ("name", "price", "stock", "steel", "colour")
    assert [column.kind for column in SCHEMA.columns] == ["string", "number", "integer", "boolean", "string"]
    assert read_schema(KETTLES["items"]) == SCHEMA
    assert read_schema(SCHEMA.to_json()) == SCHEMA
    assert SCHEMA.to_json()["items"]["required"] == list(SCHEMA.names)
    assert read_schema({**KETTLES, "minItems": 3, "maxItems": 5}).to_json()["minItems"] == 3


def test_a_list_of_all_names_has_the_order_of_the_columns() -> None:
    columns = {"2024": {}, "name": {}}
    assert read_schema({**object_of(**columns), "required": ["name", "2024"]}).names == ("name", "2024")
    assert read_schema({**object_of(**columns), "required": ["name"]}).names == ("2024", "name")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("text", "must be an object"),
        ({"type": "string"}, "type array"),
        ({"type": "array"}, "items must be an object"),
        (object_of(), "1 to 20 columns"),
        (object_of(**{f"c{n}": {} for n in range(MAX_COLUMNS + 1)}), "1 to 20 columns"),
        (object_of(price={"type": "object"}), "one of the types"),
        (object_of(price={"type": ["number", "string", "null"]}), "one of the types"),
        (object_of(price={"type": "string", "pattern": "(a+)+"}), "'pattern' is not supported"),
        (object_of(price={"type": "number", "format": "date"}), "format of a string"),
        (object_of(price={"type": "number", "enum": ["a"]}), "is no number"),
        (object_of(missing={}), "may not be named 'missing'"),
        (object_of(price={}, Price={}), "same name"),
        (object_of(**{"a\0": {}}), "printable"),
        (object_of(**{"\ud800": {}}), "printable"),
        (object_of(**{"n" * 61: {}}), "1 to 60"),
        (object_of(price={"description": "d" * 201}), "at most 200"),
        ({**object_of(price={}), "required": ["name"]}, "names of columns"),
        ({**object_of(price={}), "required": [["price"]]}, "names of columns"),
        ({**KETTLES, "minItems": 5, "maxItems": 2}, "1 to 1000 rows"),
        ({**KETTLES, "maxItems": 10**6}, "1 to 1000 rows"),
        ({**KETTLES, "allOf": []}, "'allOf' is not supported"),
    ],
)
def test_a_schema_that_is_no_table_is_refused_with_the_reason(schema: Any, why: str) -> None:
    with pytest.raises(SchemaRefused, match=why):
        read_schema(schema)


def test_a_row_is_read_as_models_write_it() -> None:
    given = {"Name": " Amber\n kettle ", "price": "43.90", "stock": 3.0, "steel": "True", "colour": "red"}
    values, missing = read_row(given, SCHEMA)
    assert values == {"name": "Amber kettle", "price": 43.9, "stock": 3, "steel": True, "colour": "red"}
    assert missing == {}


@pytest.mark.parametrize("absent", [{}, {"price": None}, {"price": ""}])
def test_a_value_that_is_not_known_is_none_with_its_reason(absent: dict[str, Any]) -> None:
    row = {"name": "Blue", "stock": 1, "steel": False, "colour": "blue", **absent}
    with pytest.raises(RowRefused, match="price: there is no value and no reason"):
        read_row(row, SCHEMA)
    values, missing = read_row({**row, "missing": {"price": "not shown"}}, SCHEMA)
    assert values["price"] is None
    assert missing == {"price": "not shown"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"price": "€43"}, "price: '€43' is no number"),
        ({"price": float("nan")}, "price: nan is no number"),
        ({"price": True}, "price: True is no number"),
        ({"stock": 1.5}, "stock: 1.5 is no integer"),
        ({"stock": 2**60}, "is no integer"),
        ({"steel": "perhaps"}, "is no boolean"),
        ({"colour": "green"}, "is none of blue, red"),
        ({"name": ["a"]}, "a cell is one value"),
        ({"name": "n" * 1001}, "longer than 1000"),
        ({"weight": 3}, "there is no column 'weight'"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_the_column_and_the_value(
    change: dict[str, Any], why: str
) -> None:
    row = {"name": "Blue", "price": 1, "stock": 1, "steel": False, "colour": "blue", **change}
    with pytest.raises(RowRefused, match=why) as refused:
        read_row(row, SCHEMA)
    assert why not in refused.value.why.to("de")


def test_a_row_of_reasons_alone_is_refused() -> None:
    with pytest.raises(RowRefused, match="no value at all"):
        read_row({"missing": dict.fromkeys(SCHEMA.names, "not shown")}, SCHEMA)


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        ("date", "2026-11-23", "23 November"),
        ("date-time", "2026-11-23T10:00:00Z", "today"),
        ("email", "a@b.example", "a at b"),
        ("uri", "https://shop.example/a", "shop"),
    ],
)
def test_the_format_of_a_text_is_checked(form: str, right: str, wrong: str) -> None:
    schema = read_schema(object_of(when={"type": "string", "format": form}))
    assert read_row({"when": right}, schema)[0] == {"when": right}
    with pytest.raises(RowRefused, match=f"is no {form}"):
        read_row({"when": wrong}, schema)


def test_equal_rows_have_equal_digests() -> None:
    assert digest_of({"a": "Blue", "b": 1}) == digest_of({"b": 1, "a": "BLUE"})
    assert digest_of({"a": "Blue", "b": 1}) != digest_of({"a": "Blue", "b": 2})


SHOWN = Evidence(
    [
        'row "Amber kettle, 1.7 l  €43,90"',
        "Total: 1 299,00 ₽ · 12,345.67 · 1.500.000 · ١٢٣",
        "Smith, John · 東京都の天気 · 23.11.2026 · iPhone 15 999",
        "https://shop.example/kettle/amber",
    ]
)


@pytest.mark.parametrize(
    "value",
    [
        "Amber kettle", "amber KETTLE", "kettle €43,90", "John Smith", "東京", 43.9, 1.7, 1299, 12345.67, 1500000, 123,
        15, 999, -43.9, 2026, "2026-11-23", "https://shop.example/kettle/amber", True, None,
    ],
)  # fmt: skip
def test_a_value_that_was_shown_is_found(value: Any) -> None:
    assert SHOWN.supports(value)


@pytest.mark.parametrize(
    "value", ["Blue kettle", "ambe", "Amber John", 4390, 43, 90, 45.5, 12, 1234567, "大阪", "★★★", 67, 500]
)
def test_a_value_that_was_not_shown_is_not_found(value: Any) -> None:
    assert not SHOWN.supports(value)


def table(*rows: ResultRow, schema: Any = None) -> ResultTable:
    return ResultTable(read_schema(schema or object_of(name={}, price={"type": "number"})), rows)


EVIL = '=HYPERLINK("https://evil.example","x")'


def row(name: str | None, price: float | None = 1.5, **more: Any) -> ResultRow:
    return ResultRow(id="r-1", values={"name": name, "price": price}, at=AT, **more)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_from_a_page_is_no_formula_in_a_file(start: str) -> None:
    evil = f"{start}1+1"
    file = table(row(evil), schema=object_of(**{"name": {}, "price": {"type": "number"}, "=cmd": {}}))
    head, cells = csv.reader(
        io.StringIO(to_csv(file, "https://pilot.example").decode("utf-8-sig"), newline="")
    )
    assert cells[0] == f"'{evil}"
    assert head[2] == "'=cmd"
    sheet = load_workbook(io.BytesIO(to_xlsx(file, "https://pilot.example"))).active
    assert sheet is not None
    cell = sheet["A2"]
    assert cell.data_type == "s"
    assert cell.quotePrefix
    assert str(cell.value).strip() == evil.strip()


def test_a_file_has_the_values_in_their_types_and_the_source_of_each_row() -> None:
    file = table(
        row(
            "Чайник", None, missing={"price": "not shown"}, url="https://shop.example/", screenshot="/s/1.jpg"
        ),
        row("Blue\x07", -2, unverified=("name",), edited={"price": 3}, file="list.pdf"),
    )
    data = to_csv(file, "https://pilot.example")
    assert data.startswith(b"\xef\xbb\xbf")
    head, first, second = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    assert head == ["name", "price", "source", "time", "picture", "notes"]
    assert first[:5] == [
        "Чайник",
        "",
        "https://shop.example/",
        "2026-11-23T08:00:00+00:00",
        "https://pilot.example/s/1.jpg",
    ]
    assert first[5] == "price: not shown"
    assert second[1:3] == ["-2", "list.pdf"]
    assert second[5] == "name: not found in what was shown; price: edited by a person"
    sheet = load_workbook(io.BytesIO(to_xlsx(file, "https://pilot.example"))).active
    assert sheet is not None
    assert (sheet["A3"].value, sheet["B3"].value, sheet["B2"].value) == ("Blue", -2, None)


def test_a_table_in_an_export_cannot_leave_its_cell() -> None:
    file = table(row("<b>a|b</b>\nc", missing={"price": "<i>"}))
    assert "| <b>a\\|b</b> c |" in to_markdown(file)[2]


def test_a_name_of_a_column_is_kept_when_the_source_has_the_same() -> None:
    file = ResultTable(read_schema(object_of(source={}, time={})), ())
    assert next(csv.reader(io.StringIO(to_csv(file, "https://pilot.example").decode("utf-8-sig"))))[:4] == [
        "source",
        "time",
        "source_",
        "time_",
    ]


def test_an_edit_replaces_the_value_and_keeps_the_recorded_one() -> None:
    edited = row("Blue", unverified=("name",)).with_edit("name", "Red", AT).with_edit("name", "Green", AT)
    assert edited.values["name"] == "Green"
    assert edited.unverified == ()
    assert edited.edited == {"name": "Blue"}
    assert ResultRow.model_validate(edited.to_json()) == edited


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize("name", ["price", "Цена, ₽"])
def test_every_provider_takes_the_schema_of_a_move_with_rows(wire: Wire, name: str) -> None:
    rows = read_schema(object_of(**{name: {"type": "number"}, "name": {"enum": ["a"]}})).model_schema()
    move = move_schema(rows)
    tool = {
        "name": "act",
        "input_schema": move,
        "parameters": move,
        "type": "function",
        "function": {"name": "act", "parameters": move},
    }
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "tools": [tool]}
    if wire == "responses":
        body = {"input": [{"role": "user"}], "tools": [tool]}
    assert refusal(wire, body) is None
    assert "anyOf" not in str(move)
    fields = rows["items"]["properties"]
    properties = [rows["items"], fields["missing"]]
    assert all(key.isascii() for part in properties for key in part["properties"])
    assert name in fields or any(name in str(field) for field in fields.values())


def test_a_move_without_a_table_knows_no_record() -> None:
    assert "record" not in move_schema()["properties"]["action"]["enum"]
    assert "rows" not in move_schema()["properties"]
    assert "record" in move_schema(SCHEMA.model_schema())["properties"]["action"]["enum"]
