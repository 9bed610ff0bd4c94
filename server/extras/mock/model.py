"""The model of mock mode: scripted, deterministic, selected by words in the message. Works for both agents.

`error` fails, `slow` streams for seconds, `endless` until it is stopped, `think` sends thoughts first, `shop` works in the mock shop up
to the order, which asks for approval, and stops if the user says "leave it", `log in` hands over to the user,
`again and again` orders at every step, `steps` continues until its limit, `slow steps` for minutes. Anything else is answered in Markdown; the ping of `scripts/curl_e2e.sh`
with one noun. To a Russian task it answers in Russian. If the user edited the plan, the model proposes another one.
"""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.base import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from server.agent import foresight
from server.agent.language import is_russian
from server.agent.today import without_today
from server.errors import RunFailed
from server.extras.mock.site import SHOP
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

LOGIN = "https://mail.example/login"
DECISION_TOOL = "act"
GREETING = """\
Hello! I am Pilothouse in **mock mode**: the model and the browser are scripted, everything else is real.

| say | and I |
|---|---|
| *shop for a kettle* | work in a mock shop, up to an order that needs your approval |
| *log in to my mail* | hand the browser over to you |
| *think about boats* | show my thoughts first |
| *slow story* | stream for a while |
| *error* | fail, so that you see how that looks |

```python
print("code is highlighted when its block closes")
```
"""
STORY = " ".join(f"Wave {number} rolled in and out again." for number in range(1, 29))
LONG_STORY = " ".join(f"Wave {number} rolled in and out again." for number in range(1, 1001))
"""It takes minutes to stream."""


@dataclass(frozen=True, slots=True)
class ScriptedMove:
    """One scripted action, in words that fit both agents."""

    kind: str
    name: str = ""
    text: str = ""
    delay: float = 0.0
    """Seconds before each piece of it."""


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    thought: str = ""
    delay: float = 0.0


Reply = ScriptedMove | Say


def _shop(url: str, text: str) -> Reply:
    corrections = re.findall(r"the user said: (.*)", text)
    if corrections and "leave it" in corrections[-1]:
        return Say(f"The blue kettle stays in the basket, as you said: “{corrections[-1]}”")
    if "/thanks" in url:
        return Say("The blue kettle is ordered: **€43.90**, delivered on Tuesday.")
    if "/basket" in url:
        return ScriptedMove("click", "Place order")
    if "/kettle" in url:
        return ScriptedMove("click", "Add to basket")
    return (
        ScriptedMove("click", "Blue kettle")
        if url.startswith(SHOP)
        else ScriptedMove("navigate", text=SHOP + "/")
    )


def _orders(url: str, text: str) -> Reply:
    """Three orders one after the other, whatever was said to the former ones."""
    if not url.startswith(f"{SHOP}/orders/"):
        return ScriptedMove("navigate", text=f"{SHOP}/orders/1")
    if url.endswith("/4"):
        return Say("Three times the blue kettle is ordered.")
    return ScriptedMove("click", "Place order")


def _login(url: str, text: str) -> Reply:
    if "/inbox" in url or "the user ha" in text:  # ... has done their part, had the browser
        return Say("You are logged in. There are **3 new messages**, none of them urgent.")
    return (
        ScriptedMove("hand_over", text="Please log in to your mail.")
        if url == LOGIN
        else ScriptedMove("navigate", text=LOGIN)
    )


def _steps(url: str, text: str, delay: float = 0.0) -> Reply:
    """Each step differs, or the operator would detect that nothing changes."""
    if not url.startswith(SHOP):
        return ScriptedMove("navigate", text=SHOP + "/", delay=delay)
    done = re.findall(r"^(\d+)\. ", text, re.MULTILINE)
    return ScriptedMove("scroll", text=f"{done[-1] if done else 1}00", delay=delay)


SCRIPTS: dict[str, Callable[[str, str], Reply]] = {
    "ping test": lambda url, text: Say("Harbour"),
    "again and again": _orders,
    "shop": _shop,
    "log in": _login,
    "slow steps": lambda url, text: _steps(url, text, delay=0.05),
    "steps": _steps,
    "slow": lambda url, text: Say(STORY, delay=0.05),
    "endless": lambda url, text: Say(LONG_STORY, delay=0.05),
    "think": lambda url, text: Say(
        "Boats float because they push water aside.", thought="The person asks about boats. Archimedes helps."
    ),
}
TRANSLATED = {
    "подумай": "think", "купи": "shop", "войди": "log in", "шагов": "steps",
    "denk": "think", "wasserkocher": "shop", "melde": "log in", "schritte": "steps",
}  # fmt: skip
"""By words of the examples that the web UI shows."""


class ScriptedChatModel(BaseChatModel):
    """Answers from `SCRIPTS` by the request in the last message and the open page."""

    tool_names: tuple[str, ...] = ()

    @property
    def _llm_type(self) -> str:
        return "mock"

    def bind_tools(
        self, tools: Sequence[JsonObject | type | Callable[..., object] | BaseTool], **kwargs: object
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.model_copy(update={"tool_names": tuple(_name(tool) for tool in tools)})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        message = AIMessageChunk(content="")
        for chunk, _ in self._chunks(messages):
            message += chunk
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(**message.model_dump(exclude={"type"})))]
        )

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for message, delay in self._chunks(messages):
            if delay:
                await asyncio.sleep(delay)
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(message.text, chunk=chunk)
            yield chunk

    def _chunks(self, messages: list[BaseMessage]) -> list[tuple[AIMessageChunk, float]]:
        messages = without_today(messages)
        reply = self._reply(messages)
        decides = DECISION_TOOL in self.tool_names
        if isinstance(reply, Say) and not decides:
            words = re.findall(r"\s*\S+\s*$|\s*\S+", reply.text)
            chunks = _thoughts(reply) + [(AIMessageChunk(content=word), reply.delay) for word in words]
        else:
            name, args = _operator_move(reply, messages) if decides else _tool_call(reply, messages)
            chunks = _thoughts(reply) + _called(name, args, reply)
        usage = UsageMetadata(input_tokens=200, output_tokens=len(chunks), total_tokens=200 + len(chunks))
        return [*chunks, (AIMessageChunk(content="", usage_metadata=usage, chunk_position="last"), 0.0)]

    def _reply(self, messages: list[BaseMessage]) -> Reply:
        asked, page = _asked(messages), messages[-1].text
        if messages[0].text == foresight.FORESIGHT_PROMPT:
            return Say(json.dumps(_foreseen(page)))
        if re.search(r"\berror\b", asked):
            raise RunFailed(sentence("model.mock_failed"), code="llm_unavailable")
        script = script_for(asked)
        return in_language(script(_url(messages), page) if script else Say(GREETING), asked)


def in_language(reply: Reply, task: str) -> Reply:
    """The reply in Russian if the task is; names of the page's controls and addresses stay."""
    if not is_russian(task):
        return reply
    if isinstance(reply, Say):
        return replace(reply, text=_in_russian(reply.text), thought=_in_russian(reply.thought))
    return replace(reply, text=_in_russian(reply.text))


def _in_russian(text: str) -> str:
    """Known texts of this module in Russian, all others as they are."""
    for english, russian in SAID_RU.items():
        begin, hole, end = english.partition("{said}")
        if text == english or (hole and text.startswith(begin) and text.endswith(end)):
            return russian.replace("{said}", text[len(begin) : len(text) - len(end)]) if hole else russian
    return text


def script_for(task: str) -> Callable[[str, str], Reply] | None:
    """By the words of a task in small letters."""
    known = next((english for word, english in TRANSLATED.items() if word in task), task)
    return next((script for word, script in SCRIPTS.items() if word in known), None)


def _name(tool: object) -> str:
    if isinstance(tool, dict):
        return str(tool.get("name") or tool.get("title") or tool.get("function", {}).get("name"))
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


def _asked(messages: list[BaseMessage]) -> str:
    """The task: from the operator's prompt, or the assistant's last human message."""
    human = [message.text for message in messages if isinstance(message, HumanMessage)]
    for text in reversed(human):
        if found := re.search(r"^(?:Task|Goal):\s*(.+)$", text, re.MULTILINE):
            return found.group(1).lower()
    return human[-1].lower() if human else ""


def _url(messages: list[BaseMessage]) -> str:
    """The URL of the newest page in the prompt."""
    for message in reversed(messages):
        if found := re.search(r"^(?:Page|URL): *(\S+)", message.text, re.MULTILINE):
            return found.group(1)
    return ""


def _thoughts(reply: Reply) -> list[tuple[AIMessageChunk, float]]:
    if not isinstance(reply, Say) or not reply.thought:
        return []
    block = {"type": "reasoning", "reasoning": reply.thought, "index": 0}
    return [(AIMessageChunk(content=[block]), reply.delay)]


def _called(name: str, args: JsonObject, reply: Reply) -> list[tuple[AIMessageChunk, float]]:
    """A tool call as providers stream it: the name first, then the arguments in pieces."""
    text = json.dumps(args, ensure_ascii=False)
    first = {
        "name": name,
        "args": "",
        "id": f"call_{uuid.uuid4().hex[:12]}",
        "index": 0,
        "type": "tool_call_chunk",
    }
    pieces = re.findall(r".{1,12}", text, re.DOTALL)
    rest = [
        {"name": None, "args": piece, "id": None, "index": 0, "type": "tool_call_chunk"} for piece in pieces
    ]
    return [(AIMessageChunk(content="", tool_call_chunks=[first]), 0.0)] + [
        (AIMessageChunk(content="", tool_call_chunks=[piece]), reply.delay) for piece in rest
    ]


PLAN = ["Look at the page", "Do what is asked", "Tell the result"]
OTHER_PLAN = ["Look at the basket", "Compare the price", "Do what is asked", "Tell the result"]

PLAN_RU = ["Посмотреть страницу", "Сделать, что нужно", "Рассказать, что получилось"]
OTHER_PLAN_RU = ["Посмотреть корзину", "Сравнить цены", "Сделать, что нужно", "Рассказать, что получилось"]
_PLANS = {
    (False, False): PLAN, (False, True): PLAN_RU, (True, False): OTHER_PLAN, (True, True): OTHER_PLAN_RU,
}  # fmt: skip
"""By whether the user has edited the plan, and whether in Russian."""
NEXT_RU = {
    "navigate": "Дальше: открыть страницу", "click": "Дальше: нажать", "hand_over": "Дальше: передать браузер",
    "scroll": "Дальше: прокрутить страницу",
}  # fmt: skip
GREETING_RU = """\
Здравствуйте! Это Pilothouse в режиме **макета**: модель и браузер действуют по сценарию, всё остальное настоящее.

| скажите | и агент |
|---|---|
| *купи чайник* | поработает в учебном магазине, до заказа, который нужно подтвердить |
| *войди в почту* | передаст вам браузер |
| *подумай о лодках* | сначала покажет размышления |

```python
print("код раскрашивается, когда его блок закрыт")
```
"""
SAID_RU = {
    GREETING: GREETING_RU,
    "The blue kettle stays in the basket, as you said: “{said}”": "Синий чайник остаётся в корзине, как вы сказали: «{said}»",
    "The blue kettle is ordered: **€43.90**, delivered on Tuesday.": "Синий чайник заказан: **€43.90**, доставка во вторник.",
    "Three times the blue kettle is ordered.": "Синий чайник заказан трижды.",
    "You are logged in. There are **3 new messages**, none of them urgent.": "Вы вошли. Есть **3 новых письма**, срочных нет.",
    "Please log in to your mail.": "Пожалуйста, войдите в свою почту.",
    "Boats float because they push water aside.": "Лодки плавают, потому что вытесняют воду.",
    "The person asks about boats. Archimedes helps.": "Вопрос о лодках. Поможет закон Архимеда.",
}
"""What the scripts say, with the words of the person at `{said}`."""


def _foreseen(text: str) -> JsonObject:
    """What it will do, shown before a run begins."""
    corrections = re.findall(r"The person says to it: (.*)", text)
    plan = PLAN_RU if is_russian(text.removeprefix("Task: ")) else PLAN
    is_order = "shop" in text or "купи" in text.lower()
    if not is_order or any("leave it" in said for said in corrections):
        return {"plan": plan, "effects": []}
    count = 2 if "again and again" in text else 1
    return {"plan": plan, "effects": [{"site": SHOP, "kind": "order", "count": count}]}


def _operator_move(reply: Reply, messages: list[BaseMessage]) -> tuple[str, JsonObject]:
    """The operator's typed move."""
    if isinstance(reply, Say):
        return DECISION_TOOL, {
            "reason": reply.thought or ("Всё сделано." if is_russian(_asked(messages)) else "It is done."),
            "action": "stop",
            "final_response": reply.text,
        }
    is_edited, in_russian = "Plan (edited" in messages[-1].text, is_russian(_asked(messages))
    plan = _PLANS[is_edited, in_russian]
    reason = NEXT_RU[reply.kind] if in_russian else f"Next: {reply.kind} {reply.name}".strip()
    common: JsonObject = {"reason": reason, "plan": plan}
    match reply.kind:
        case "navigate":
            return DECISION_TOOL, common | {"action": "navigate", "url": reply.text, "step": 0}
        case "click":
            return DECISION_TOOL, common | {
                "action": "click",
                "eid": _find(reply.name, messages, r"\[(e\d+)\]"),
                "step": 1,
            }
        case "hand_over":
            return DECISION_TOOL, common | {"action": "need_user", "text": reply.text, "reason": reply.text}
    return DECISION_TOOL, common | {"action": "scroll", "direction": "down", "amount": int(reply.text)}


def _tool_call(reply: Reply, messages: list[BaseMessage]) -> tuple[str, JsonObject]:
    """The assistant's call of a browser tool."""
    assert isinstance(reply, ScriptedMove)
    match reply.kind:
        case "navigate":
            return "browser_navigate", {"url": reply.text}
        case "click":
            ref = _find(reply.name, messages, r"\[(e\d+)\]")
            return "browser_click", {"element": reply.name, "target": ref}
    return "browser_snapshot", {}


def _find(name: str, messages: list[BaseMessage], mark: str) -> str:
    """The eid of the named element in the newest page of the prompt; `e0` if there is none."""
    for message in reversed(messages):
        for line in message.text.split("\n"):
            if f'"{name}"' in line and (found := re.search(mark, line)):
                return found.group(1)
    return "e0"
