"""A session as one file."""

from __future__ import annotations

import io
import json
import random
import re
import tracemalloc
import zipfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from sqlalchemy import Connection

from server.api.export import _archived
from server.database.models import InterruptRow, SessionRow
from server.events import Message
from server.files.export import Conversation, Language, file_name, to_markdown
from server.files.report import date_words, to_html
from server.files.transcript import line_of
from server.results.columns import read_schema
from server.results.rows import ResultRow
from server.runtime import Runtime
from server.store.lookups import add_message
from tests.support.chat import ask, new_session, send, wait_for_status
from tests.support.tables import AT, KETTLES
from wording.catalogue import parts_of, sentence, sentences
from wording.step_words import step_words


async def test_markdown_and_json_hold_the_whole_conversation(client: httpx.AsyncClient) -> None:
    session_id, events = await ask(client, "think about boats")
    answer = events[-1]["message"]["content"]
    markdown = (await client.get(f"/api/sessions/{session_id}/export?format=md")).text
    assert markdown.startswith("# think about boats")
    assert answer in markdown
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=json")).json()
    assert [message["role"] for message in exported["messages"]] == ["user", "assistant"]


async def test_html_is_self_contained_with_pictures_and_marks(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client, title="<script>alert(1)</script>")
    await send(client, session_id, "shop for a kettle")
    await wait_for_status(client, session_id, "waiting_user")
    response = await client.get(f"/api/sessions/{session_id}/export?format=html")
    page = response.text
    assert "data:image/jpeg;base64," in page
    assert "<script>alert(1)</script>" not in page
    assert 'http-equiv="Content-Security-Policy"' in page
    assert "/api/files/" not in page
    assert response.headers["content-disposition"].startswith("attachment")


def test_the_place_of_an_action_is_marked_on_the_page_before_it(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"picture")
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    steps = [step(1), step(2, box=(10, 20, 30, 5)), step(3)]
    page = "".join(to_html(Conversation(session, steps, {}), lambda address: tmp_path / "page.jpg"))
    opened, clicked, last = page.split("<article")[1:]
    assert '<rect x="10" y="20" width="30" height="5"/>' in opened
    assert "Outlined: where the next step acts." in opened
    assert "<rect" not in clicked
    assert "<rect" not in last


def test_the_second_model_is_named_in_the_readers_language() -> None:
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    why = sentence("model_failure.key_refused")
    text = sentence("model.replaced", model="google:b", why=why, other="openai:a")
    row = step(1, name="second_model", args={"model": "openai:a"}, summary_parts=parts_of(text))
    row = row.model_copy(update={"content": text})
    conversation = Conversation(session, [row], {})
    assert f"> ✓ {text}" in to_markdown(conversation)
    assert text in "".join(to_html(conversation, lambda address: None))
    russian = "google:b не отвечает (ключ не принят): вместо неё отвечает openai:a."
    assert russian in "".join(to_html(conversation, lambda address: None, "ru"))


def test_without_a_page_before_it_nothing_is_marked(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"picture")
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, [step(1, box=(1, 2, 3, 4))], {})
    page = "".join(to_html(conversation, lambda address: tmp_path / "page.jpg"))
    assert "<rect" not in page


def step(seq: int, **meta: Any) -> Message:
    known = {"name": "click", "ok": True, "screenshot": "/api/files/screenshots/s/page.jpg"}
    return Message(
        id=f"m{seq}", session_id="s", run_id="r", seq=seq, role="tool", content="Clicked",
        meta_json=known | meta, created_at=AT + timedelta(seconds=seq - 1),
    )  # fmt: skip


ORDER = {"method": "POST", "host": "shop.example", "path": "/orders"}


def test_what_was_sent_is_shown_at_its_step_and_in_the_receipt() -> None:
    refused = ORDER | {"status": 403, "outcome": "refused", "repeated": True, "times": 2}
    lost = ORDER | {"failure": "no_answer", "outcome": "unknown"}
    steps = [
        step(1, effect="refused", effects=[refused, lost], page_says="<b>Sorry</b>"),
        step(2, effect="none", effects=[]), step(3, effect="unknown", effects=[]), step(4),
    ]  # fmt: skip
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, steps, {})
    markdown = to_markdown(conversation)
    first = "Refused: POST shop.example/orders — 403, 2 times, the same request as before"
    second = "Not known whether it arrived: POST shop.example/orders — no answer"
    assert f"> ✓ Clicked\n> {first}\n> {second}\n> The page then says: “<b>Sorry</b>”\n" in markdown
    receipt = markdown.partition("## Receipt: what was sent")[2].strip().splitlines()
    assert [line.partition(" UTC: ")[2] for line in receipt] == [
        first, second, "No request was sent", "What was sent is not known",
    ]  # fmt: skip
    page = "".join(to_html(conversation, lambda address: None))
    assert f'<li class="refused">{first}</li>' in page
    assert "&lt;b&gt;Sorry&lt;/b&gt;" in page
    assert "<b>Sorry" not in page
    assert page.count(first) == 2


def said(seq: int, role: str, text: str) -> Message:
    return Message(
        id=f"m{seq}", session_id="s", run_id="r", seq=seq, role=role, content=text, created_at=AT + timedelta(seconds=seq)
    )  # fmt: skip


def page_of(messages: list[Message], state: Any = None, language: Language = "en", **more: Any) -> str:
    session = SessionRow(id="s", title="Shop", created_at=AT)
    picture_of = more.get("picture_of", lambda address: None)
    return "".join(to_html(Conversation(session, messages, state or {}), picture_of, language))


def test_the_page_begins_with_the_task_and_the_answer() -> None:
    messages = [
        said(1, "user", "Find a kettle"),
        step(2),
        said(65, "assistant", "**Blue** for 20:\n\n|a|b|\n|-|-|\n|1|2|"),
    ]
    page = page_of(messages)
    cover, _, rest = page.partition("<main>")
    assert "Find a kettle" in cover
    answer, _, more = rest.partition("</section>")
    assert "<dd>1 min 4 s</dd>" in more
    assert "<strong>Blue</strong>" in answer
    assert "<td>1</td>" in answer


def test_the_answer_is_printed_once_and_the_transcript_leads_to_it() -> None:
    messages = [said(1, "user", "Which?"), said(2, "assistant", "An earlier one"), said(3, "user", "Now?"), said(4, "assistant", "The blue one")]  # fmt: skip
    page = page_of(messages)
    assert page.count("The blue one") == 1
    assert page.count("An earlier one") == 1
    transcript = page.partition('class="steps"')[2]
    assert '<a href="#answer">The answer, at the beginning of this report.</a>' in transcript
    assert '<section id="answer">' in page


def test_the_cover_has_the_task_that_was_answered_and_says_what_is_not_done() -> None:
    first = [said(1, "user", "Find a kettle"), said(2, "assistant", "Here it is")]
    later = [said(3, "user", "Order it"), said(4, "assistant", "I may not")]
    later = [one.model_copy(update={"run_id": "r2"}) for one in later]
    later[1] = later[1].model_copy(update={"meta_json": {"outcome": "blocked"}})
    cover, _, rest = page_of([*first, *later]).partition("<main>")
    assert "Order it" in cover
    assert "Find a kettle" not in cover
    assert '<p class="unmet">Not done</p>' in rest
    assert 'class="unmet"' not in page_of(first)


def denied(**question: object) -> InterruptRow:
    payload = {
        "kind": "confirm", "action": {"kind": "click"}, "amount": "€39.50", "reference": "q", "reason": "", "risk": "order",
        "target": None, "url": "https://shop.example/", "digest": "d", "expires_at": AT.isoformat(),
    } | question  # fmt: skip
    return InterruptRow(
        reference="q", session_id="s", run_id="r", kind="confirm", status="decided", confirmed=False, position=2,
        payload=payload, created_at=AT, decided_at=AT + timedelta(seconds=9),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ({"target": {"name": "Place order", "role": "button"}}, "Отклонено: нажатие «Place order» (€39.50)"),
        ({"action": {"kind": "click", "double": True}}, "Отклонено: двойное нажатие (€39.50)"),
        (
            {"action": {"kind": "navigate", "url": "https://a.example/b"}, "amount": None},
            "Отклонено: открыта страница a.example/b",
        ),
        ({"action": {"kind": "sort_out"}, "amount": None}, "Отклонено: sort_out"),
    ],
)
def test_what_was_asked_is_told_in_the_language_of_the_report(question: dict[str, object], line: str) -> None:
    assert line_of(denied(**question), "ru") == line


@pytest.mark.parametrize(
    ("wants", "reason", "lines"),
    [
        ("step", "Could you log in?", ("Done by you: Could you log in?", "Сделано вами: Could you log in?")),
        ("answer", "Name one.", ("You answered the question: Name one.", "Вы ответили на вопрос: Name one.")),
        (None, "Please log in.", ("Done by you: Please log in.", "Сделано вами: Please log in.")),
        (None, "Which one?", ("You answered the question: Which one?", "Вы ответили на вопрос: Which one?")),
    ],
)
def test_a_question_of_the_agent_is_answered_and_a_step_is_done(
    wants: str | None, reason: str, lines: tuple[str, str]
) -> None:
    """Rows without `wants` were stored by an earlier version."""
    row = denied()
    row.kind, row.confirmed = "manual", True
    row.payload = {"kind": "manual", "reference": "q", "reason": reason, "url": "", "wants": wants}
    assert (line_of(row), line_of(row, "ru")) == lines


def test_what_was_done_has_the_decisions_in_their_place() -> None:
    session = SessionRow(id="s", title="Shop", created_at=AT)
    page = "".join(to_html(Conversation(session, [step(1), step(3)], {}, [denied()]), lambda address: None))
    table = page.partition("<h2>What was done</h2>")[2].partition("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]
    assert ["Denied" in row for row in rows] == [False, True, False]
    assert "Denied: click (€39.50)" in rows[1]


def test_a_link_into_the_app_is_text_in_a_file() -> None:
    page = page_of(
        [said(1, "user", "x"), said(2, "assistant", "[Models](/settings/models) [site](https://a.example/)")]
    )
    assert "<span>Models</span>" in page
    assert '<a href="https://a.example/">site</a>' in page


def test_an_answer_is_inert() -> None:
    text = "<script>alert(1)</script> ![x](https://evil.example/a.png) [go](javascript:alert(1)) <img src=x>"
    page = page_of([said(1, "user", text), said(2, "assistant", text)])
    assert page.count("<script>") == 0
    assert "<img" not in page
    assert 'href="javascript:' not in page
    assert 'src="https:' not in page


def test_a_fact_leads_to_the_step_that_showed_it_with_a_small_picture(tmp_path: Path) -> None:
    Image.effect_noise((1280, 720), 80).save(tmp_path / "page.jpg")
    url = "https://shop.example/"
    steps = [step(1, url=url), step(2, url="https://other.example/"), step(3, url=url)]
    noted = {"fact": "Kettle: 20 euros", "url": url, "at": AT.isoformat()}
    page = page_of(steps, {"facts": [noted]}, picture_of=lambda address: tmp_path / "page.jpg")
    facts = page.partition('<ul class="facts">')[2].partition("</ul>")[0]
    assert "Kettle: 20 euros" in facts
    assert 'href="#step-1"' in facts
    assert 'id="step-1"' in page
    assert len(facts) < (tmp_path / "page.jpg").stat().st_size / 4


def test_a_table_in_the_page_cannot_leave_its_cell() -> None:
    row = ResultRow(id="c-1", values={"name": "<b>a</b>", "price": None}, missing={"price": "<i>"}, at=AT)
    result = {"schema": read_schema(KETTLES).to_json(), "rows": [row.to_json()]}
    page = page_of([step(1, name="record", result=result)])
    assert "<td>&lt;b&gt;a&lt;/b&gt;</td>" in page
    assert "&lt;i&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page


def test_the_page_is_in_the_language_asked_for() -> None:
    effects = {"effect": "refused", "effects": [ORDER | {"status": 403, "outcome": "refused"}]}
    why = sentence("not_done", seconds=5, why=sentence("not_done.disabled"))
    disabled = step(3, ok=False, summary_parts=parts_of(why)).model_copy(update={"content": why})
    page = page_of([said(1, "user", "чайник"), step(2, **effects), disabled], language="ru")
    assert "Не удалось за 5 с: элемент неактивен." in page
    assert '<html lang="ru">' in page
    assert "Отклонено: POST shop.example/orders — 403" in page
    visible = re.sub(r"<(style|script)>.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    assert set(re.findall(r"[A-Za-z]{2,}", visible)) == {
        "Shop", "UTC", "Pilothouse", "POST", "shop", "example", "orders",
    }  # fmt: skip


def test_a_report_in_german_says_nothing_in_english() -> None:
    effects = {"effect": "refused", "effects": [ORDER | {"status": 403, "outcome": "refused", "times": 2}]}
    page = page_of([said(1, "user", "Wasserkocher"), step(2, **effects)], language="de")
    assert "Abgelehnt: POST shop.example/orders — 403, 2-mal" in page
    visible = " ".join(re.sub(r"<(style|script)>.*?</\1>|<[^>]+>", "\n", page, flags=re.DOTALL).split())
    assert "Was getan wurde" in visible
    own = {"report", "row", "receipt", "step"}
    english = {text for code, text in sentences("en").items() if code.partition(".")[0] in own}
    german = {text for code, text in sentences("de").items() if code.partition(".")[0] in own}
    whole = [str(text) for text in english - german if " " in str(text) and "{" not in str(text)]
    assert len(whole) > 10
    assert [text for text in whole if text in visible] == []


def test_a_report_tells_its_day_in_words() -> None:
    day = datetime(2026, 11, 5, 9, 7, tzinfo=UTC)
    assert date_words(day, "en") == "5 November 2026, 09:07 UTC"
    assert date_words(day, "en", "Asia/Tokyo") == "5 November 2026, 18:07 Asia/Tokyo"
    assert date_words(day, "ru") == "5 ноября 2026, 09:07 UTC"
    assert date_words(day, "de") == "5. November 2026, 09:07 UTC"


def test_a_session_without_approved_acts_has_no_receipt() -> None:
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, [step(1)], {})
    assert "Receipt" not in to_markdown(conversation) + "".join(to_html(conversation, lambda address: None))


async def test_all_sessions_come_as_one_archive(client: httpx.AsyncClient) -> None:
    await ask(client, "hello")
    await new_session(client, title="../../etc/passwd")
    archive = zipfile.ZipFile(io.BytesIO((await client.get("/api/export")).content))
    names = archive.namelist()
    assert len(names) == 4
    assert not [name for name in names if "/" in name or ".." in name]
    assert all(json.loads(archive.read(name)) for name in names if name.endswith(".json"))


async def test_sessions_of_similar_ids_and_titles_have_files_of_their_own(client: httpx.AsyncClient) -> None:
    ids = ["customer-a", "customer-b", "Customer-A", "CUSTOMER", "customer-a-2", "customer"]
    for session_id in ids:
        await new_session(client, id=session_id, title="Same")
    archive = zipfile.ZipFile(io.BytesIO((await client.get("/api/export")).content))
    assert archive.testzip() is None
    names = archive.namelist()
    assert len({name.casefold() for name in names}) == len(names) == 2 * len(ids)
    exported = [json.loads(archive.read(name))["id"] for name in names if name.endswith(".json")]
    assert sorted(exported) == sorted(ids)


async def test_a_session_that_is_purged_during_the_export_is_left_out(world: Runtime) -> None:
    for name in ("kept", "purged", "last"):
        await world.store.create_session(
            id=name, title=name, agent="operator", model="mock:scripted", max_tool_steps=10
        )
    parts = _archived(world)
    data = await anext(parts)
    await world.retention.purge(["purged"])
    data += b"".join([part async for part in parts])
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert [name for name in names if name.endswith(".md")] == ["kept-kept.md", "last-last.md"]


async def test_an_archive_of_many_large_sessions_needs_the_memory_of_one(world: Runtime) -> None:
    """24 sessions of 250 KB that hardly packs."""
    chance = random.Random(1)
    for number in range(24):
        row = await world.store.create_session(
            id=f"s{number}", title="Large", agent="operator", model="mock:scripted", max_tool_steps=10
        )
        said = [chance.randbytes(16_000).hex() for _ in range(8)]
        await world.database.write(partial(add_all, session=row, said=said))
    tracemalloc.start()
    size = 0
    async for part in _archived(world):
        size += len(part)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 5_000_000
    assert peak < 4_000_000, peak


def add_all(db: Connection, session: SessionRow, said: list[str]) -> None:
    for text in said:
        add_message(db, session, "user", text)


def test_a_page_of_many_pictures_is_made_part_by_part(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"x" * 1_000_000)
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, [step(number) for number in range(50)], {})
    sizes = [len(part) for part in to_html(conversation, lambda address: tmp_path / "page.jpg")]
    assert sum(sizes) > 60_000_000
    assert max(sizes) < 2_000_000


def test_file_names_are_plain() -> None:
    for title in ("../../x", "Кот", "a/b\\c", "=cmd()", ""):
        name = file_name(Conversation(SessionRow(id="0123456789", title=title), [], {}), "md")
        assert name.replace("-", "").replace(".", "").isalnum()


@pytest.mark.parametrize(
    ("name", "args", "english", "russian"),
    [
        ("click", {"element": 'button "Place order"'}, "Clicked “Place order”", "Нажатие «Place order»"),
        (
            "navigate",
            {"url": "https://shop.example/"},
            "Opened shop.example",
            "Открыта страница shop.example",
        ),
        ("read_page", {}, "Read the page", "Чтение страницы"),
        ("read_page", {"query": "tariff"}, "Searched the page for “tariff”", "Поиск на странице «tariff»"),
        ("browser_press_key", {"key": "Enter"}, "Pressed “Enter”", "Нажата клавиша «Enter»"),
        ("scroll", {"direction": "down", "amount": 600}, "Scrolled down", "Прокрутка вниз"),
        ("scroll", {"direction": "down", "query": "tariff"}, "Scrolled “tariff”", "Прокрутка «tariff»"),
        ("unheard_of", {}, "", ""),
    ],
)
def test_steps_of_a_report_are_told_in_its_language(
    name: str, args: dict[str, Any], english: str, russian: str
) -> None:
    assert (step_words(name, args), step_words(name, args).to("ru")) == (english, russian)


def test_a_step_of_a_report_names_a_page_by_its_title() -> None:
    url = {"url": "https://mail.example/inbox"}
    assert step_words("navigate", url, "Mail box").to("de") == "Geöffnet „Mail box“"
    assert step_words("navigate", url, None) == "Opened mail.example/inbox"
    assert step_words("click", {"element": 'link "Inbox"'}, "Mail box") == "Clicked “Inbox”"


def test_times_are_in_the_persons_zone() -> None:
    at = datetime(2026, 11, 27, 23, 30, 5, tzinfo=UTC)
    session = SessionRow(id="s", title="Shop", created_at=at)
    made = step(1, box=(1, 2, 3, 4)).model_copy(update={"created_at": at})
    conversation = Conversation(session, [made], {}, zone="Asia/Tokyo")
    assert to_markdown(conversation).split("\n")[2] == "2026-11-28 08:30 Asia/Tokyo"
    page = "".join(to_html(conversation, lambda address: None))
    for words in ("28 November 2026, 08:30 Asia/Tokyo", "Time (Asia/Tokyo)", "08:30:05"):
        assert words in page
    assert "23:30" not in page


async def test_the_zone_that_the_person_chose_is_that_of_the_ui_and_of_exports(
    client: httpx.AsyncClient,
) -> None:
    session_id = await new_session(client)
    assert (await client.patch("/api/settings", json={"time_zone": "Asia/Tokyo"})).status_code == 200
    assert (await client.get("/api/config")).json()["time_zone"] == "Asia/Tokyo"
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=md")).text
    assert exported.split("\n")[2].endswith(" Asia/Tokyo")


def test_each_block_has_the_direction_of_its_words_and_code_its_own() -> None:
    page = page_of(
        [said(1, "user", "שלום"), said(2, "assistant", "שלום\n\n- פריט\n\n> ציטוט\n\n### כותרת\n\n`x`")]
    )
    for tag in ("p", "li", "h3"):
        assert f'<{tag} dir="auto">' in page
    for tag in ("ul", "blockquote"):
        assert f'<{tag} dir="rtl">' in page
    assert '<blockquote class="task" dir="auto">שלום' in page
    assert "pre, code { direction: ltr;" in page


def test_addresses_in_an_answer_are_links_that_end_where_they_end() -> None:
    page = page_of([said(1, "user", "go"), said(2, "assistant", "见“https://example.com/a。”然后")])
    assert '<a href="https://example.com/a">https://example.com/a</a>。”然后' in page
