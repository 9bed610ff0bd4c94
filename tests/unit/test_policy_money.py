"""Sums of money, as people and shops write them."""

import pytest

from server.agent import policy
from server.agent.actions import AimedAction, ClickAction, ScrollAction
from server.agent.gate.amounts import amount_of
from server.agent.policy import money
from server.agent.policy.money import find_sums, has_money, is_price, is_range
from server.agent.policy.text import fold
from server.browser.observation import observe_snapshot

SUMS = {
    "Pay €48.00 now": "€48.00", "Total R$ 45,90": "R$ 45,90", "Итого 1 990 руб.": "1 990 руб", "12 400 ₽, карта 4411": "12 400 ₽",
    "CHF 12.50": "CHF 12.50", "Rp750.000 ke Budi": "Rp750.000", "USD 1,299.00": "USD 1,299.00", "₹1,00,000": "₹1,00,000",
    "5만원 이하": "5만원", "合計 5,000円": "5,000円", "1.299,00 €": "1.299,00 €", "200 zł": "200 zł", "120 ريال": "120 ريال",
    "Kč 300": "Kč 300", "300 TL": "300 TL", "450.000 ₫": "450.000 ₫",
}  # fmt: skip


@pytest.mark.parametrize("text", SUMS)
def test_a_sum_is_found_as_it_is_written_and_as_it_is_read(text: str) -> None:
    amount = SUMS[text]
    if "ريال" not in text:
        assert find_sums(text) == [amount]
    assert has_money(fold(text))


@pytest.mark.parametrize(
    "text", ["Step 3 of 5", "3 nights", "Lot 12", "2026-05-03", "IPv6", "Version 4.2", "€", "5 * 3"]
)
def test_other_numbers_are_no_sums(text: str) -> None:
    assert find_sums(text) == []


@pytest.mark.parametrize(
    "text", ["$25 – $50", "from 10 to 50 €", "10 000 - 50 000 ₽", "5000円〜10000円", "von 5 bis 9 €"]
)
def test_a_span_of_prices_is_not_a_sum_to_pay(text: str) -> None:
    assert is_range(fold(text))


@pytest.mark.parametrize(
    "text", ["45 €", "2 x 50 €", "1 EUR = 1.08 USD", "Pay 45 €, then from 10 to 50 €", "3 to 5 people"]
)
def test_a_sum_beside_other_numbers_is_no_span(text: str) -> None:
    assert not is_range(fold(text))


def test_a_price_alone_is_told_from_one_in_words() -> None:
    assert is_price("$ 5.00")
    assert not is_price("from $ 5.00")


def test_a_question_tells_the_sum_nearest_to_the_control_and_else_the_last_on_the_page() -> None:
    page = observe_snapshot(
        "- paragraph [ref=p1] [box=0,0,9,9]: Tea 3,00 €\n- paragraph [ref=p2] [box=0,9,9,9]: Total 1 990 руб.\n"
        '- button "Pay" [ref=b1] [box=0,20,9,9]\n- button "Pay £7.50" [ref=b2] [box=0,30,9,9]'
    )
    plain, priced = page.interactive
    assert amount_of(AimedAction(ClickAction(), page, (plain,))) == "1 990 руб"
    assert amount_of(AimedAction(ClickAction(), page, (priced,))) == "£7.50"
    assert amount_of(AimedAction(ScrollAction(), observe_snapshot(""), ())) is None


def test_the_expressions_are_compiled_with_the_policys_other_data() -> None:
    built = (money._money, money._sum_only, money._range)
    for expression in built:
        expression.cache_clear()

    policy.warm_up()

    assert [expression.cache_info().currsize for expression in built] == [1, 1, 1]
