"""The Markdown of models in all scripts, for the HTML report and the command line. Pure.

The web UI has the same in `web/src/lib/md/syntax.ts`.
"""

from __future__ import annotations

import re
import unicodedata

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

# Letters of scripts that write without spaces, or join words to what stands before them.
_JOINED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_FORMULA = re.compile(
    r"\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]|\\begin\{([a-z]+\*?)\}.+?\\end\{\1\}"
    r"|\$(?=\S)(?=[^$\n]*[\\_^{}])[^$\n]*?[^\s$\\]\$(?!\d)",
    re.DOTALL,
)
_BLOCK_FORMULA = re.compile(
    r" {0,3}(?:\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{([a-z]+\*?)\}.+?\\end\{\1\})[ \t]*(?=\n|$)", re.DOTALL
)
_BARE = re.compile(r"(?<![a-z\d@/.])(?:https?://|www\.(?=[\w-]+\.))[^\s<]+", re.IGNORECASE)
_IN_PATHS = frozenset("\u00b7\u30fb\u2010")
"""Punctuation of names, such as the dot of katakana."""
_NOT_HOST = re.compile(r"[^\w\-.~:@%]")
_MIXED_END = re.compile(r"[a-z\d-]+(?=[^\x00-\x7f])", re.IGNORECASE)
_TAGS = re.compile(
    r"(?P<br><br\s*/?>)|<!--.*?-->|<(?P<drawn>/?(?:sub|sup|kbd))>"
    r"|</?(?:a|abbr|b|big|center|cite|details|div|em|font|i|ins|mark|p|s|small|span|strong|summary|u|ul|ol|li)(?:\s[^<>]*)?>",
    re.IGNORECASE | re.DOTALL,
)


class ModelMarkdown(MarkdownIt):
    """CommonMark with tables and `~~`, HTML as text, and the rules of this module."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.inline = _Inline()
        self.configure("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self.inline.ruler.before("escape", "formula", _formula)
        self.block.ruler.before("fence", "formula", _block_formula, {"alt": ["paragraph"]})
        self.core.ruler.after("text_join", "text_of_models", _text_of_models)

    def normalizeLink(self, url: str) -> str:
        """Of a link: nothing for one that leads elsewhere than it seems to."""
        return "" if _is_misleading(url) else super().normalizeLink(url)


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _JoinedInline(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _JoinedInline(StateInline):
    """Emphasis next to a letter of a script without spaces: the letter counts like white space.

    `**「重点」**内容` is bold, although a sign stands inside of the stars and a letter outside.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        plain = super().scanDelims(start, canSplitWord)
        end = start + plain.length
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        opens = plain.can_open or (bool(_JOINED.match(before)) and _is_sign(after))
        closes = plain.can_close or (bool(_JOINED.match(after)) and _is_sign(before))
        return Scanned(opens, closes, plain.length)


def _is_sign(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _formula(state: StateInline, silent: bool) -> bool:
    """What stands between the marks of a formula is shown as it is written."""
    if state.src[state.pos] not in "\\$":
        return False
    if state.src[state.pos] == "$" and state.pos and state.src[state.pos - 1].isalnum():
        return False  # a price, such as US$5
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = found.group()
    state.pos = found.end()
    return True


def _block_formula(state: StateBlock, begin: int, end: int, silent: bool) -> bool:
    """A formula that begins a line, with the empty lines in it."""
    at = state.bMarks[begin] + state.tShift[begin]
    if state.is_code_block(begin) or state.src[at : at + 2] not in ("$$", "\\[", "\\b"):
        return False
    found = _BLOCK_FORMULA.match(state.src, at, state.eMarks[end - 1])
    if not found:
        return False
    if silent:
        return state.src[at : state.eMarks[begin]].strip() in ("$$", "\\[")
    line = begin
    while line < end and state.eMarks[line] < found.end():
        line += 1
    state.line = line + 1
    state.push("paragraph_open", "p", 1).map = [begin, state.line]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = found.group().strip(), [begin, state.line], []
    state.push("paragraph_close", "p", -1)
    return True


def address_end(text: str) -> int:
    """How much of a bare address in a text is the address, in characters; 0 if it is none.

    No sign of typography is a part of it: as the end of a host it would lead to a domain that anybody may register.
    """
    head = re.match(r"https?://|www\.", text, re.IGNORECASE)
    if not head:
        return 0
    rest = text[head.end() :]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = _NOT_HOST.split(authority, maxsplit=1)[0]
    last = host.rfind(".") + 1
    if mixed := _MIXED_END.match(host, last):
        host = host[: mixed.end()]
    if not host.strip("."):
        return 0
    end = next((at for at, char in enumerate(rest) if _ends_address(char)), len(rest))
    kept = host if len(host) < len(authority) else rest[:end]
    kept = kept.rstrip(".,;:!?'\"*_")
    while kept.endswith(")") and kept.count(")") > kept.count("("):
        kept = kept[:-1].rstrip(".,;:!?'\"*_")
    return head.end() + len(kept)


def _ends_address(char: str) -> bool:
    """Typographic punctuation, spaces and arrows."""
    kind = unicodedata.category(char)
    return char > "\x7f" and char not in _IN_PATHS and (kind[0] in "PZ" or kind == "Sm")


def _is_misleading(address: str) -> bool:
    """Whether a sign that looks like the end of a quotation is a part of the host."""
    authority = re.match(r"[a-z]+://([^/?#]*)", address, re.IGNORECASE)
    return bool(authority and any(map(_ends_address, authority[1])))


def _text_of_models(state: StateCore) -> None:
    """Bare addresses become links, `<br>` a line; comments and tags that only arrange go."""
    for block in state.tokens:
        if block.children:
            block.children = _rewritten(block.children, state.md)


def _rewritten(tokens: list[Token], md: MarkdownIt) -> list[Token]:
    made: list[Token] = []
    links = 0
    for token in tokens:
        links += token.type == "link_open"
        links -= token.type == "link_close"
        made += _pieces(token, None if links else md) if token.type == "text" else [token]
    return made


def _pieces(token: Token, md: MarkdownIt | None) -> list[Token]:
    """The token without HTML; `md` makes links of its addresses, unless it is in a link."""
    made: list[Token] = []
    place = 0
    for tag in _TAGS.finditer(token.content):
        made += _linked(token.content[place : tag.start()], md)
        place = tag.end()
        if tag["br"]:
            made.append(Token("hardbreak", "br", 0))
        elif name := tag["drawn"]:
            kind = "close" if name.startswith("/") else "open"
            made.append(Token(f"drawn_{kind}", name.strip("/").lower(), -1 if kind == "close" else 1))
    return made + _linked(token.content[place:], md)


def _linked(text: str, md: MarkdownIt | None) -> list[Token]:
    made: list[Token] = []
    place = 0
    for found in _BARE.finditer(text) if md else ():
        end = address_end(found.group())
        if not end or "." not in found.group()[:end]:
            continue
        made += _words(text[place : found.start()])
        address = found.group()[:end]
        href = address if "://" in address else f"http://{address}"
        attrs: dict[str, str | int | float] = {"href": md.normalizeLink(href) if md else ""}
        made += [Token("link_open", "a", 1, attrs, info="auto", markup="linkify"), *_words(address)]
        made.append(Token("link_close", "a", -1, info="auto", markup="linkify"))
        place = found.start() + end
    return made + _words(text[place:])


def _words(text: str) -> list[Token]:
    return [Token("text", "", 0, content=text)] if text else []
