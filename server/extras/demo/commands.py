"""Parse plain English, German and Russian commands from a user message. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from server.extras.demo.questions import courtesy, is_count, ordinal, part_asked
from server.extras.demo.stems import asked_words

Kind = Literal[
    "open",
    "back",
    "click",
    "type",
    "press",
    "select",
    "scroll",
    "hover",
    "wait",
    "screenshot",
    "log_in",
    "upload",
    "read",
    "ask",
    "list",
    "count",
    "add",
    "order",
    "reply",
    "table",
]
READING_COMMANDS = frozenset({"read", "ask", "list", "count", "table"})
"""Commands that are answered from the page's text."""
ERRANDS = frozenset({"add", "order", "reply"})
"""Commands that may need several acts."""


@dataclass(frozen=True)
class DemoCommand:
    """One command.

    `target` is an element, an address, a key, a direction or a part of a page; `text` is the text to enter or the
    words to find.
    """

    kind: Kind
    target: str = ""
    text: str = ""
    submit: bool = False
    role: str = ""
    """The role of the element, if the user named it ("the Log in link")."""
    nth: int = 0
    """Which of several elements, from 1; -1 for the last one, 0 if the user did not say."""


@dataclass(frozen=True)
class DemoRequest:
    """A parsed user message: commands, then the first part that was not understood and all after it."""

    commands: tuple[DemoCommand, ...]
    not_understood: tuple[str, ...] = ()


_QUOTED_ARGUMENT = re.compile(
    r"„([^“”]*)[“”]|“([^”]*)”|«([^»]*)»|\"([^\"]*)\"|`([^`]*)`|(?<!\w)'([^']*)'(?!\w)"
)
FILE_ENDINGS = (
    "txt|pdf|docx?|xlsx?|pptx?|odt|ods|rtf|csv|tsv|json|xml|ya?ml|log|html?|md|png|jpe?g|gif|webp|svg|bmp|heic|zip|"
    "gz|tar|7z|mp3|mp4|mov|wav|py|js|ts|css|sql|ini|cfg|eml"
)
_HOST = rf"(?!(?:[\w-]+\.)+(?:{FILE_ENDINGS})(?![\w:/.-]))(?:[\w-]+\.)+[^\W\d_]{{2,}}"
"""A name with dots, unless it is the name of a file."""
_URL = (
    r"(?P<url>https?://\S+|about:blank|(?:[\w-]+\.)*localhost(?::\d+)?(?:/\S*)?|"
    rf"{_HOST}(?::\d+)?(?:/\S*)?|\d+\.\d+\.\d+\.\d+(?::\d+)?(?:/\S*)?)"
)
_PAGE_FILE = r"(?P<url>\.{0,2}/?(?:[\w.-]+/)*[\w-]+\.html?(?:[?#]\S*)?)"
"""A page next to the one that is open, such as `upload.html`."""
_KEY_NAMES = {
    "enter": "Enter", "return": "Enter", "ввод": "Enter", "энтер": "Enter", "tab": "Tab", "таб": "Tab",
    "escape": "Escape", "esc": "Escape", "space": "Space", "пробел": "Space", "backspace": "Backspace",
    "delete": "Delete", "pagedown": "PageDown", "page down": "PageDown", "pageup": "PageUp", "page up": "PageUp",
    "home": "Home", "end": "End", "arrow down": "ArrowDown", "down arrow": "ArrowDown", "arrow up": "ArrowUp",
    "up arrow": "ArrowUp",
}  # fmt: skip
_KEY_NAME = "|".join(sorted(map(re.escape, _KEY_NAMES), key=len, reverse=True))
_OPEN_VERB = r"(?:open|go to|navigate to|visit|browse to|load|öffnen?|geh(?:e|en sie)? (?:zu|auf)|открой(?:те)?|перейди(?:те)? (?:на|по|к)|зайди(?:те)? на)"
_CLICK = r"(?:click|tap|push|press|hit|klick(?:e|en sie)?|drücke?|нажми(?:те)?|кликни(?:те)?|щ[её]лкни(?:те)?)(?: (?:on|at|auf|на|по))?"
_TYPE = r"(?:type|enter|write|input|put|tippe?|gib|schreibe?|введи(?:те)?|впиши(?:те)?|напиши(?:те)?|напечатай(?:те)?)"
_INTO = r"(?:into|in|to|in to|as|for|ins|в|во)"
_FILL_VERB = r"(?:fill(?: in| out)?|set|fülle?|заполни(?:те)?)"
_WITH = r"(?:with|to|=|:|mit|значением|текстом|словами)"
_SELECT = r"(?:select|choose|pick|wähle?|выбери(?:те)?)"

_UPLOAD = r"(?:upload|attach|загрузи(?:те)?|прикрепи(?:те)?|приложи(?:те)?|отправь файл)"

_READ_VERB = (
    r"(?:read|summari[sz]e|describe|show|tell|say|what(?:'?s)?|which|who(?:se|'?s)?|when|where|why|how|list|name|count|"
    r"is|are|was|were|does|did|do|has|have|give|explain|look at|"
    r"lies|lese|zeige?|sage?|beschreibe?|fasse?|wer|wie|wann|wo|warum|welche[rsn]?|gibt es|nenne?|zähle?|"
    r"прочитай(?:те)?|прочти|расскажи(?:те)?|опиши(?:те)?|покажи(?:те)?|сказать|скажи(?:те)?|что|чего|кто|как|какой|какая|"
    r"какое|какие|какую|когда|где|куда|почему|зачем|сколько|есть ли|назови(?:те)?|перечисли(?:те)?|посчитай(?:те)?|"
    r"посмотри(?:те)?|о ч[её]м|про что|[^\W\d_]+ ли)"
)

_BASKET = r"(?:the |my |your |den |meinen |мою |свою )?(?:shopping )?(?:basket|cart|bag|warenkorb|einkaufskorb|корзину)"
_RULES: tuple[tuple[str, str], ...] = (
    ("add", rf"(?:add|put|lege?|packe?|tue?|добавь(?:те)?|положи(?:те)?)(?: (?P<target>.+?))? (?:to|into|in|в) {_BASKET}"),
    ("add", rf"(?:добавь(?:те)?|положи(?:те)?) в {_BASKET} (?P<target>.+)"),
    ("order", r"(?:place|submit|complete|confirm|send|make|оформи(?:те)?|сделай(?:те)?|размести(?:те)?|подтверди(?:те)?)"
              r"(?: (?:the|my|an|this|мой|этот))* (?:order|заказ)|check ?out|"
              r"gib(?: (?:die|meine|diese))* bestellung auf|schließe?(?: (?:die|meine))* bestellung ab|bestelle?"),
    ("order", r"(?:order|buy|bestelle?|kaufe?|закажи(?:те)?|купи(?:те)?) (?:it|them|this|that|es|ihn|sie|das|его|е[её]|их|это)"),
    ("buy", r"(?:order|buy|purchase|bestelle?|kaufe?|закажи(?:те)?|купи(?:те)?) (?!me\b|us\b|mir\b|uns\b|мне\b|нам\b)(?P<target>.+)"),
    ("reply", r"(?:reply|respond|answer|antworte|ответь(?:те)?)(?: to| auf| на)? (?P<target>[^:]+?)"
              r"(?:,? (?:with|that|saying|mit|словами|текстом)|,? что|:) *(?P<text>.+)"),
    ("reply", r"(?:reply|respond|antworte|ответь(?:те)?) (?:to|auf|на) (?P<target>.+)"),
    ("table", r"(?:read|show|copy|collect|lies|zeige?|прочитай(?:те)?|прочти|покажи(?:те)?|выпиши(?:те)?)(?: me| us| mir| мне)?"
              r"(?: (?:the|this|whole|die|ganze|эту|всю))* (?:table|tabelle|таблицу)(?: (?:of|with|from|der|des|von|mit|с|из) [^,]+?| [а-яё]+)?"
              r"(?:,? (?:in|into|with|as|by|в|по|со?)? ?(?:the |die )?(?:columns?|spalten?|столб\w+|колонк\w+):? (?P<text>.+))?"),
    ("screenshot", r"(?:(?:take|make|capture|get|mache?) )?(?:a |the |ein |einen )?(?:screen ?shot|bildschirmfoto)(?: (?:of|von) .*)?"),
    ("screenshot", r"(?:(?:сделай(?:те)?|сними) )?(?:скриншот|снимок)(?: .*)?"),
    ("back", r"(?:go )?back|(?:gehe? )?zurück|return to the (?:last|previous) page|(?:вернись|вернитесь|вернуться|иди)?(?: ?назад)"),
    ("scroll", r"(?:scrolle?|прокрути(?:те)?|пролистай(?:те)?)(?: (?:to the|the page|nach|страницу))*(?: (?P<target>.+))?"),
    ("wait", r"(?:wait|warte|подожди(?:те)?)(?: for)?(?: (?P<target>\d+(?:[.,]\d+)?))?(?: ?(?:s|sec\w*|сек\w*))?"),
    ("open", rf"{_OPEN_VERB}(?: [^\W\d]+){{0,4}}?:? {_URL}(?P<rest>.*)"),
    ("open", rf"{_OPEN_VERB}(?: (?:the )?(?:page|страницу))? {_PAGE_FILE}"),
    ("open", rf"{_URL}"),
    ("press", rf"(?:press|hit|drücke?|нажми(?:те)?)(?: (?:the|on|die|taste|на|клавишу|кнопку))* (?P<target>{_KEY_NAME})(?: key)?"),
    ("type", rf"{_FILL_VERB}(?: (?:the|field|поле))* (?P<target>.+?) ?{_WITH} (?P<text>.+?)(?: aus)?"),
    ("type", rf"{_TYPE} (?P<text>.+?) {_INTO} (?P<target>.+?)(?: ein)?"),
    ("type", rf"{_TYPE} в (?P<target>\S+(?: поле)?) (?P<text>.+)"),
    ("type", rf"{_TYPE} (?P<text>.+)"),
    ("select", rf"{_SELECT} (?P<text>.+?) (?:in|from|for|as|в|во|из) (?P<target>.+)"),
    ("select", rf"{_SELECT} (?P<text>.+)"),
    ("upload", rf"{_UPLOAD}(?: (?:the|this|my|a|этот|мой))?(?: (?:file|files|файл|файлы))?(?: (?P<text>\S+\.\w+|\ue000\d+\ue001))?"
               rf"(?: (?:to|into|in|as|on|for|в|на|к|как) (?P<target>.+))?"),
    ("click", r"(?:check|tick|uncheck|kreuze?|отметь(?:те)?) (?P<target>.+)"),
    ("hover", r"(?:hover(?: over| on)?|point (?:to|at)|zeige? auf|наведи(?:те)?(?: мышь| курсор)?(?: на)?) (?P<target>.+)"),
    ("log_in", r"(?:log ?in|sign in|login|войди(?:те)?|залогинься|авторизуйся)(?P<rest>.*)"),
    ("log_in", r"melde? (?:dich|mich)(?: (?:bitte|dort|da))* an"),
    ("upload", r"lade? (?P<text>\S+\.\w+|\ue000\d+\ue001)(?: in (?P<target>.+?))? hoch"),
    ("read", r"(?:find out|look up|check (?:what|how|when|where|if)|узнай(?:те)?)\b.*"),
    ("read", r"(?:find|look for|finde|suche?|найди(?:те)?|поищи) .+ (?:in|on|in the text of|auf|в|на) (?:this |the |der |dieser |этой |этом )?"
             r"(?:page|article|text|table|list|seite|tabelle|liste|странице|статье|тексте|таблице|списке)"),
    ("search", r"(?:search(?: for)?|look for|find|suche?(?: nach)?|finde|поищи|ищи|найди(?:те)?|искать)(?: me| us| mir| uns| мне| нам)? (?P<text>.+)"),
    ("click", rf"{_CLICK} (?P<target>.+)"),
    ("click", rf"{_OPEN_VERB} (?P<target>.+)"),
    ("read", rf"{_READ_VERB}\b.*"),
)  # fmt: skip
_COMMAND_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for kind, pattern in _RULES)
_COMMAND_VERB = (
    rf"(?:{_OPEN_VERB}|{_CLICK}|{_TYPE}|{_FILL_VERB}|{_UPLOAD}|{_SELECT}|go back|back|scroll|wait|screenshot|take a|take the|make a|check|"
    r"tick|uncheck|hover|log ?in|sign in|search|find|look (?:for|at|up)|read|summari[sz]e|describe|show|tell|say|what|"
    r"which|who|when|where|why|how|list|count|name the|add|put|place|order (?:it|the|a|an|them|this)|buy|reply|respond|"
    r"submit|check ?out|complete|confirm|copy|lege?|packe?|bestelle?|kaufe?|antworte|lies|zeige?|sage?|suche|finde|melde?|mache?|zurück|warte|"
    r"scrolle?|wie|welche|nenne?|zähle?|lade?|gehe? zurück|beschreibe?|wer|wann|wo|warum|gibt es|добавь|положи|оформи|закажи|купи|ответь|подтверди|выпиши|"
    r"назад|вернись|прокрути|подожди|сделай|скриншот|отметь|наведи|войди|найди|поищи|прочитай(?:те)?|прочти|"
    r"расскажи(?:те)?|опиши|покажи(?:те)?|что|скажи(?:те)?|какой|какая|какие|когда|где|почему|сколько|есть ли|назови|"
    r"перечисли|посчитай|узнай|посмотри)"
)
_SPLIT = re.compile(
    r"\s*(?:[;\n]|[.,](?=\s)|\b(?:and|then|after that|finally|und|dann|danach|и|а|потом|затем|после этого)\b)"
    r"(?:\s*[,.;]|\s*\b(?:and|then|also|please|finally|und|dann|danach|bitte|и|а|потом|затем|после этого|пожалуйста)\b){0,4}"
    rf"\s+(?={_COMMAND_VERB}\b)",
    re.IGNORECASE,
)
_POLITE_START = re.compile(
    r"^(?:\s|please|could you|can you|would you|hey|hi|hello|good (?:morning|afternoon|evening)|thanks|thank you|great|"
    r"ok(?:ay)?|pilothouse|now|first|then|and|let's|i want you to|"
    r"bitte|kannst du|könntest du|hallo|guten (?:tag|morgen|abend)|danke|jetzt|zuerst|dann|und|"
    r"пожалуйста|можешь|сначала|теперь|привет|здравствуй(?:те)?|добрый день|спасибо|отлично|хорошо|ок|[,.!:-])+(?=\s)|[\s.!?]+$|(?:,?\s*(?:please|bitte|пожалуйста))[\s.!?]*$",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^(?:(?:the|a|an|on|to|der|die|das|den|dem|ein|eine|einen|auf)\s+|(?:schaltfläche|link|feld|knopf)\s+(?=\S)|(?:кнопк[уи]|ссылк[уи]|пункт|пол[ея]|элемент|вкладк[уи])\s+)+|"
    r"\s+(?:button|link|field|box|input|checkbox|dropdown|menu|tab|schaltfläche|knopf|feld|кнопк[уаи]|ссылк[уаи]|пол[ея])$",
    re.IGNORECASE,
)


_ONLY_TELL = re.compile(
    r"(?:please |пожалуйста,? )?(?:tell|show)(?: me| us)?|say|(?:sage?|zeige?)(?: mir)?|скажи(?:те)?|расскажи(?:те)?|покажи(?:те)?|узнай(?:те)?",
    re.IGNORECASE,
)
"""Words before a question ("say, when ...") that ask nothing themselves."""
_MAX_TASK_CHARS = 2000
"""Number of characters of a message that are parsed; commands are short."""
_ABOUT_ME = re.compile(
    r"\b(?:what|who|how) (?:can|could|do|are|should) (?:you|i)\b|^\s*(?:help|помощь)\b|\bwas kannst du\b|\bwer bist du\b|^\s*hilfe\b|\bчто ты\b|\bкто ты\b|ты умеешь",
    re.IGNORECASE,
)


def read_request(text: str) -> DemoRequest:
    """Parse the commands of a message, in order, and the parts that were not understood."""
    text = " ".join(re.sub("[\ue000\ue001]", " ", text[:_MAX_TASK_CHARS]).replace("\n", " ; ").split())
    if courtesy(text) or _ABOUT_ME.search(text):
        return DemoRequest(())
    quoted: list[str] = []
    hidden = _QUOTED_ARGUMENT.sub(lambda m: _hide(quoted, next(g for g in m.groups() if g is not None)), text)
    commands: list[DemoCommand] = []
    parts = [part for part in _SPLIT.split(hidden) if not _ONLY_TELL.fullmatch(part.strip())] or [hidden]
    for at, part in enumerate(parts):
        found, rest = _read_part(_strip_politeness(part), quoted)
        commands += found
        if rest:  # what follows may build on it
            strange = (rest, *parts[at + 1 :])
            return DemoRequest(tuple(commands), tuple(_show(one, quoted) for one in strange))
    return DemoRequest(tuple(commands))


def _hide(quoted: list[str], text: str) -> str:
    """Store quoted text and return a one-word placeholder for it while the rest is parsed."""
    quoted.append(text)
    return f"\ue000{len(quoted) - 1}\ue001"


def _show(text: str, quoted: list[str]) -> str:
    return re.sub("\ue000(\\d+)\ue001", lambda m: quoted[int(m[1])], text).strip()


def _strip_politeness(text: str) -> str:
    before = None
    while before != text:
        before, text = text, _POLITE_START.sub("", text).strip()
    return text


def _read_part(part: str, quoted: list[str]) -> tuple[list[DemoCommand], str]:
    for kind, pattern in _COMMAND_PATTERNS:
        if match := pattern.fullmatch(part):
            found = {name: _show(value or "", quoted) for name, value in match.groupdict().items()}
            return _commands(kind, found, part, quoted)
    return [], part


def _commands(
    kind: str, found: dict[str, str], part: str, quoted: list[str]
) -> tuple[list[DemoCommand], str]:
    rest = _strip_politeness(found.get("rest", ""))
    match kind:
        case "open":
            return [DemoCommand("open", _address(found["url"]))], rest
        case "read":
            asked = _show(part, quoted)
            address = re.search(_URL, asked, re.IGNORECASE)
            opening = [DemoCommand("open", _address(address["url"]))] if address else []
            return [*opening, _question(asked.replace(address[0], " ") if address else asked)], ""
        case "search":
            return [DemoCommand("type", "search", found["text"], submit=True)], ""
        case "press":
            return [DemoCommand("press", _KEY_NAMES[found["target"].lower()])], ""
        case "scroll":
            is_up = re.search(
                r"\b(?:up|top|oben|hoch|anfang|вверх|наверх|начал)", found["target"], re.IGNORECASE
            )
            return [DemoCommand("scroll", "up" if is_up else "down")], ""
        case "add" | "buy":
            added = DemoCommand(
                "add", _name(re.sub(r"^(?:it|this|es|ihn|sie|das|его|е[её]|это)$", "", found["target"]))
            )
            return [added, *([DemoCommand("order")] if kind == "buy" else [])], ""
        case "reply" | "table":
            return [DemoCommand(cast(Kind, kind), found.get("target", ""), found.get("text", ""))], ""
        case "type" | "select" | "upload":
            name, _, nth = _element(found.get("target", ""))
            return [DemoCommand(kind, name, found.get("text", ""), nth=nth)], ""
        case "click" | "hover":
            name, role, nth = _element(found["target"])
            return [DemoCommand(kind, name, role=role, nth=nth)], ""
        case "wait":
            return [DemoCommand("wait", found["target"].replace(",", ".") or "1")], ""
    return [DemoCommand(cast(Kind, kind))], ""


def _question(text: str) -> DemoCommand:
    part = part_asked(text)
    if part and is_count(text) and part != "title":
        return DemoCommand("count", part)
    if part:
        return DemoCommand("list", part)
    words = asked_words(text)
    return DemoCommand("ask", text=" ".join(words)) if words else DemoCommand("read")


def _address(text: str) -> str:
    text = text.rstrip(".,;!?)»”")
    if "://" in text or text.startswith(("about:", "/", ".")):
        return text
    if re.fullmatch(_PAGE_FILE, text) and not re.match(rf"{_HOST}[:/]", text):
        return f"./{text}"
    is_local = re.match(r"(?:[\w-]+\.)*localhost\b|\d+\.\d+\.\d+\.\d+", text)
    return f"http://{text}" if is_local else f"https://{text}"


_ROLE_PATTERNS = (
    ("button", r"buttons?|schaltfläche\w*|knopf|кноп\w+"), ("link", r"links?|ссыл\w+"), ("tab", r"tabs?|reiter|вкладк\w+"),
    ("checkbox", r"checkbox(?:es)?|kontrollkästchen|häkchen|флаж\w+|галоч\w+"), ("field", r"fields?|box|inputs?|feld\w*|пол[еяю]"),
)  # fmt: skip


def _element(text: str) -> tuple[str, str, int]:
    """Name, role and number of the element that is meant; "" and 0 for what is not said."""
    nth, rest = ordinal(re.sub(r"^(?:on|на)\s+", "", text.strip(), flags=re.IGNORECASE))
    for role, words in _ROLE_PATTERNS:
        if re.fullmatch(rf"(?:the |a |any |den |die |das |ein |eine )?(?:{words})", rest, re.IGNORECASE):
            return "", role, nth
        named = rf"(?:the |den |die |das )?(?:{words})\s+.*|.*\s(?:{words})"
        if re.fullmatch(named, rest, re.IGNORECASE | re.DOTALL):
            return _name(rest), role, nth
    return _name(rest), "", nth


def _name(text: str) -> str:
    before = None
    while before != text:
        before, text = text, _NOISE.sub("", text).strip()
    return text
