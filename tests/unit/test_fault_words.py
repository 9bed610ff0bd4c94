"""What is wrong with an input, in words of a person, from the errors of pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from wording.catalogue import parts_of, sentence
from wording.fault_words import fault_words


def _refused(_: str) -> str:
    raise ValueError(sentence("fault.nul"))


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=3, pattern="^[a-z]*$")] = "a"
    steps: Annotated[int, Field(ge=1, le=5)] = 1
    share: Annotated[float, Field(gt=0, lt=0.5)] = 0.1
    marks: Annotated[list[str], Field(min_length=1, max_length=2)] = ["a"]
    agent: Literal["operator", "assistant"] = "operator"
    is_on: bool = True
    at: AwareDatetime | None = None
    words: Annotated[str, AfterValidator(_refused)] | None = None
    inner: Needed | None = None


class Needed(BaseModel):
    must: str


Form.model_rebuild()


@pytest.mark.parametrize(
    ("given", "english", "german"),
    [
        ({"inner": {}}, "Field required", "dieses Feld fehlt"),
        ({"other": 1}, "Extra inputs are not permitted", "weitere Felder sind nicht erlaubt"),
        ({"name": ""}, "String should have at least 1 character", "muss mindestens 1 Zeichen haben"),
        ({"name": "abcd"}, "String should have at most 3 characters", "darf höchstens 3 Zeichen haben"),
        ({"name": "A"}, "String should match pattern '^[a-z]*$'", "passt nicht zum Muster „^[a-z]*$“"),
        ({"name": 3}, "Input should be a valid string", "muss ein Text sein"),
        ({"steps": 0}, "Input should be greater than or equal to 1", "muss mindestens 1 sein"),
        ({"steps": 6}, "Input should be less than or equal to 5", "darf höchstens 5 sein"),
        ({"steps": "many"}, "Input should be a valid integer", "muss eine ganze Zahl sein"),
        ({"steps": 1.5}, "Input should be a valid integer", "muss eine ganze Zahl sein"),
        ({"share": 0}, "Input should be greater than 0", "muss größer als 0 sein"),
        ({"share": 1}, "Input should be less than 0.5", "muss kleiner als 0,5 sein"),
        ({"share": "half"}, "Input should be a valid number", "muss eine Zahl sein"),
        ({"marks": []}, "List should have at least 1 item", "muss mindestens 1 Eintrag haben"),
        ({"marks": ["a", "b", "c"]}, "List should have at most 2 items", "darf höchstens 2 Einträge haben"),
        ({"marks": 1}, "Input should be a valid list", "muss eine Liste sein"),
        ({"agent": "spy"}, "Input should be one of 'operator', 'assistant'", "muss eines von 'operator', 'assistant' sein"),
        ({"is_on": "perhaps"}, "Input should be a valid boolean", "muss true oder false sein"),
        ({"at": "today"}, "Input should be a valid date and time with a time zone", "muss Datum und Uhrzeit mit Zeitzone sein"),
        ({"at": "2026-01-05T08:00:00"}, "Input should be a valid date and time with a time zone", "muss Datum und Uhrzeit mit Zeitzone sein"),
        ({"inner": 1}, "Input should be a valid object", "muss ein Objekt sein"),
        ({"words": "a"}, "A text has no NUL", "ein Text enthält kein NUL-Zeichen"),
    ],
)  # fmt: skip
def test_the_usual_faults_are_in_the_catalogue(given: dict[str, Any], english: str, german: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Form.model_validate(given)
    words = fault_words(refused.value.errors()[0])
    assert (words, words.to("de")) == (english, german)
    assert words.to("ru") != english


def test_a_fault_of_another_kind_keeps_the_words_of_pydantic() -> None:
    words = fault_words(
        {"type": "url_scheme", "loc": ("a",), "msg": "URL scheme should be 'http'", "ctx": {}}
    )
    assert words == "URL scheme should be 'http'"
    assert parts_of(words) is None
