"""Markdown as people and models write it in all scripts, as the report and the command line draw it."""

from __future__ import annotations

import re

import pytest

from wording.markdown_rules import ModelMarkdown

MARKDOWN = ModelMarkdown()


def text_of(page: str) -> str:
    return (
        re.sub(r"<[^>]+>", "", page).replace("&lt;", "<").replace("&amp;", "&").replace("&quot;", '"').strip()
    )


@pytest.mark.parametrize(
    ("text", "emphasised"),
    [
        ("**历经10年发展，**年会升级。", ["历经10年发展，"]),
        ("含**「重点」**内容。", ["「重点」"]),
        ("これは**「引用」**です。**重要：**確認してください。", ["「引用」", "重要："]),
        ("이것은 **‘강조’**입니다.", ["‘강조’"]),
        ("_注意：_下一步", ["注意："]),
        ("~~旧价，~~新价", ["旧价，"]),
        ("**第一。**第二**（三）**四*（注）*说明。", ["第一。", "（三）", "（注）"]),
        ("中文**加粗**中文 and **bold**。", ["加粗", "bold"]),
        ('变量_名_值 a*"b"*c', []),
        ("需要3~5天，价格10~15元。 H~2~O", []),
    ],
)
def test_emphasis_stands_next_to_letters_without_spaces(text: str, emphasised: list[str]) -> None:
    page = MARKDOWN.render(text)
    assert re.findall(r"<(?:strong|em|s)>(.*?)</", page) == emphasised


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("见 https://example.com/a。然后继续", "https://example.com/a"),
        ("打开（https://example.com/b）看看", "https://example.com/b"),
        ("请看https://example.com/c，谢谢。", "https://example.com/c"),
        ("请看https://example.com谢谢", "https://example.com"),
        ("www.example.com/i。后面", "http://www.example.com/i"),
        ("«https://r.com» и далее", "https://r.com"),
        ("“https://s.com”", "https://s.com"),
        ("https://t.com’s", "https://t.com"),
        ("https://o.com— x", "https://o.com"),
        ("https://n.com…", "https://n.com"),
        ("(https://e.com/g).", "https://e.com/g"),
        ("[https://k.com] x", "https://k.com"),
        ("https://e.com/wiki/A_(b) x", "https://e.com/wiki/A_(b)"),
        ("https://e.com/日本語/ページ・二 x", "https://e.com/%E6%97%A5"),
    ],
)
def test_a_bare_address_is_a_link_and_ends_where_it_ends(text: str, href: str) -> None:
    page = MARKDOWN.render(text)
    [found] = re.findall(r'href="([^"]*)"', page)
    assert found == href or (href.endswith("%A5") and found.startswith(href))
    assert text_of(page) == text


def test_no_sign_of_typography_becomes_a_part_of_a_host() -> None:
    page = MARKDOWN.render("[x](https://bank.com”) <https://bank.com’s> `https://a.com”`")
    assert "xn--" not in page
    assert "bank" not in "".join(re.findall(r'href="([^"]*)"', page))


@pytest.mark.parametrize(
    "text",
    [
        r"\(E_{a}=mc^2\)",
        r"\(a*b*c\)",
        r"\[ \int_0^1 f(x)\,dx \]",
        "\\[\n\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}\n\\]",
        "$$\n\\sum_{i=1}^{n} x_i * y_i * z_i\n\n+ 1\n$$",
        "$x_1 * y_1 * z_{12}$",
    ],
)
def test_a_formula_is_shown_as_it_is_written(text: str) -> None:
    page = MARKDOWN.render(f"{text}\n\nEnd.")
    assert re.fullmatch(r"<p><code>(.*)</code></p>\n<p>End.</p>\n", page, re.DOTALL), page
    assert text_of(page.partition("</code>")[0]) == text


def test_a_price_is_no_formula() -> None:
    text = "It costs $5 and $10, or US$1_000_000 and $2_000 in all."
    assert MARKDOWN.render(text) == f"<p>{text}</p>\n"


def test_a_formula_after_words_begins_a_paragraph() -> None:
    page = MARKDOWN.render("The sum is\n$$\na\n+ b\n$$\nand so on.")
    assert page == "<p>The sum is</p>\n<p><code>$$\na\n+ b\n$$</code></p>\n<p>and so on.</p>\n"


def test_html_of_a_model_breaks_lines_and_loses_what_only_arranges() -> None:
    page = MARKDOWN.render(
        "| a |\n|---|\n| one<br>two |\n\nH<sub>2</sub>O <!-- x --><span>b</span> <script>&copy;"
    )
    assert "<td>one<br />\ntwo</td>" in page
    assert "<p>H<sub>2</sub>O b &lt;script&gt;©</p>" in page
