"""Find sums of money in a text, folded or not."""

from __future__ import annotations

import re
from functools import cache

from server.agent.policy.text import fold, plain

_CURRENCY_SIGNS = "$€£¥₽₹₩₺₴₫₪฿₦₱₸₼₾₿元円원"
_CURRENCY_CODES = """
usd eur gbp rub uah pln czk huf sek nok dkk chf try inr jpy cny rmb krw vnd idr brl mxn ars cop
sar aed egp irr ils thb aud cad sgd hkd zar usdt usdc btc eth ron bgn zł kč ft kr tl lei lv rp
rs rm dong đồng euro euros dollar dollars pound pounds yen credits coins руб грн تومان ریال
دینار درهم جنیه رس ر.س د.ا שקל שקלים דולר रुपये रुपए रु บาท 万元 万円 만원 만 원 р
"""
_SPELLED = {
    spelling for code in _CURRENCY_CODES.split() for spelling in (code, fold(code), plain(fold(code)))
} | {"đ"}
_CURRENCY_CODE = "|".join(sorted(map(re.escape, _SPELLED)))
_AMOUNT_PATTERN = r"\d+(?:[.,٬٫'’]\d{1,3}|\s\d{3}(?!\d))*"
_TO = "to|and|bis|und|a|à|y|e|et|hasta|até|ate|tot|en|do|дo|ile|से|부터|から|到|至|إلی|تا|hingga|sampai"
_AMOUNT = rf"(?:(?:{_CURRENCY_CODE}|[{_CURRENCY_SIGNS}])\s?)?{_AMOUNT_PATTERN}(?:\s?(?:(?:{_CURRENCY_CODE})(?!\w)|[{_CURRENCY_SIGNS}]))?"

_VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f]")
"""Choose the look of the sign before them, and would part a number."""


def warm_up() -> None:
    """Compile the expressions, if that is not done: 1 MB, and 50 ms that would delay the first verdict."""
    _money(), _sum_only(), _range()


@cache
def _money() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<!\w)[a-z]{{1,2}})?[{_CURRENCY_SIGNS}]\s?{_AMOUNT_PATTERN}|(?<!\w)(?:{_CURRENCY_CODE})\.?\s?{_AMOUNT_PATTERN}"
        rf"|(?<!\d){_AMOUNT_PATTERN}\s?[{_CURRENCY_SIGNS}]|(?<![\w.,]){_AMOUNT_PATTERN}\s?(?:ש.?ח|(?:{_CURRENCY_CODE})(?!\w))",
        re.IGNORECASE,
    )


@cache
def _sum_only() -> re.Pattern[str]:
    currency = rf"(?:{_CURRENCY_CODE}|[{_CURRENCY_SIGNS}])?"
    return re.compile(rf"\W*{currency}\W*{_AMOUNT_PATTERN}\W*{currency}\W*", re.IGNORECASE)


@cache
def _range() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){_AMOUNT}\s?(?:[-–—~〜～]|{_TO})\s?{_AMOUNT}(?![\w.,]*\d)")


def find_sums(text: str) -> list[str]:
    """Every sum with its currency, as written, left to right."""
    return [match.group() for match in _money().finditer(_VARIATION_SELECTORS.sub("", text))]


def has_money(text: str) -> bool:
    """Whether the text contains a sum with its currency."""
    return _money().search(text) is not None


def is_price(text: str) -> bool:
    """Whether the text is a sum and nothing else."""
    return has_money(text) and _sum_only().fullmatch(text) is not None


def is_range(text: str) -> bool:
    """Whether the text contains a price range, as a filter does, and no other sum: `from 10 to 50 €`."""
    span = _range().search(text)
    return span is not None and has_money(span.group()) and not has_money(text.replace(span.group(), " "))
