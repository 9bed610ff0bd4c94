"""The words that the bench of observations counts."""

from bench.observation.__main__ import in_window, words_of


def test_a_word_of_chinese_and_japanese_is_a_character() -> None:
    assert words_of("Café 3,5 河流市场 ひる time") == [
        "café",
        "3",
        "5",
        "河",
        "流",
        "市",
        "场",
        "ひ",
        "る",
        "time",
    ]


def test_only_lines_about_the_window_are_searched_for_words() -> None:
    text = 'URL: u\nTitle: t\nNote: n\n[e1] link "Kettle"\n- 49 €\nBelow:\n[e2] button "Pay"'
    assert in_window(text) == '"Kettle"\n- 49 €'
