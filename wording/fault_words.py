"""What is wrong with an input, in words of a person, from an error of pydantic. The usual kinds; others keep its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wording.catalogue import Wording, sentence

_KINDS = {
    "missing": "missing", "extra_forbidden": "extra", "json_invalid": "json",
    "int_type": "integer", "int_parsing": "integer", "int_parsing_size": "integer", "int_from_float": "integer",
    "float_type": "number", "float_parsing": "number", "finite_number": "number",
    "bool_type": "boolean", "bool_parsing": "boolean", "string_type": "text", "list_type": "list",
    "dict_type": "object", "model_type": "object", "model_attributes_type": "object",
    "datetime_type": "moment", "datetime_parsing": "moment", "datetime_from_date_parsing": "moment",
    "timezone_aware": "moment",
}  # fmt: skip
_LIMITED = {
    "string_too_short": ("text_too_short", "min_length"), "string_too_long": ("text_too_long", "max_length"),
    "too_short": ("list_too_short", "min_length"), "too_long": ("list_too_long", "max_length"),
    "greater_than": ("not_above", "gt"), "greater_than_equal": ("too_small", "ge"),
    "less_than": ("not_below", "lt"), "less_than_equal": ("too_large", "le"),
}  # fmt: skip
"""The sentence, and the limit's name in the error's context."""


def fault_words(fault: Mapping[str, Any]) -> Wording:
    """One of `ValidationError.errors()`, without its place."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in _KINDS:
        return sentence(f"fault.{_KINDS[kind]}")
    if kind in _LIMITED and isinstance(limit := context[_LIMITED[kind][1]], int | float):
        return sentence(f"fault.{_LIMITED[kind][0]}", n=limit)
    if kind in ("literal_error", "enum"):
        return sentence("fault.choice", choices=context["expected"].replace(" or ", ", "))
    if kind == "string_pattern_mismatch":
        return sentence("fault.pattern", pattern=context["pattern"])
    said = getattr(context.get("error"), "args", None)
    return said[0] if said and isinstance(said[0], Wording) else Wording(fault["msg"])
