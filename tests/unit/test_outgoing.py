"""Requests are judged by what their own names say, before they leave."""

from __future__ import annotations

from typing import Any

import pytest

from bench.gate.endpoints import SETS, score
from server.browser.outgoing.assessment import ActPage, Approved, Hold, assess_request, in_words
from server.browser.outgoing.message import read_message
from server.browser.outgoing.request import BodyShape, OutgoingRequest, read_body, read_request, site_of_url

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("name", "caught", "harmless"), [("endpoints", 0.95, 0.10), ("held out", 0.95, 0.12)]
)
def test_published_endpoints_are_told_apart_by_words_alone(name: str, caught: float, harmless: float) -> None:
    found = score(SETS[name])
    share = {label: len(held) / (len(held) + len(passed)) for label, (held, passed) in found.items()}

    assert share["effect"] >= caught
    assert share["harmless"] <= harmless
    assert share["telemetry"] <= 0.08


@pytest.mark.parametrize("name", SETS)
def test_of_what_has_an_effect_little_more_passes_while_text_is_typed(name: str) -> None:
    held, passed = score(SETS[name], is_typing=True)["effect"]

    assert len(held) / (len(held) + len(passed)) >= 0.94


def request(method: str, url: str, body: str | None = None, kind: str = JSON, **more: Any) -> OutgoingRequest:
    asked = {"method": method, "url": url, "headers": {"Content-Type": kind}, "postData": body}
    return read_request(asked, more.pop("type", "Fetch"))


def judged(asked: OutgoingRequest, **page: Any) -> Hold | None:
    return assess_request(asked, ActPage(**({"site": asked.site} | page)))


FORM_OF_PAGE = "title=Ferries&slug=ferries&next="


@pytest.mark.parametrize(
    "url",
    [
        "https://cms.example/admin/pages/4/edit/",
        "https://notes.example/n/7",
        "https://wiki.example/api/v2/q",
    ],
)
def test_what_a_page_keeps_of_a_text_while_it_is_typed_passes(url: str) -> None:
    asked = request("POST", url, FORM_OF_PAGE, FORM)

    assert judged(asked) is not None
    assert judged(asked, is_typing=True) is None


def test_the_form_of_a_private_page_that_a_script_keeps_passes_too() -> None:
    part = '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nFerries\r\n'
    asked = request(
        "POST", "https://cms.example/admin/pages/4/edit/", part, "multipart/form-data; boundary=x"
    )

    assert judged(asked, is_private=True) is not None
    assert judged(asked, is_private=True, is_typing=True) is None


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        (request("POST", "https://cms.example/n/7", FORM_OF_PAGE, FORM, type="Document"), {}),
        (request("DELETE", "https://cms.example/n/7"), {}),
        (request("POST", "https://cms.example/orders", FORM_OF_PAGE, FORM), {}),
        (request("POST", "https://cms.example/api/messages", FORM_OF_PAGE, FORM), {}),
        (request("POST", "https://cms.example/n/7", "x;y", "text/plain"), {"is_private": True}),
        (request("POST", "https://cms.example/n/7", FORM_OF_PAGE, FORM), {"is_doubted": True}),
    ],
    ids=["a form", "a deletion", "an order", "a message", "what nothing names on a private page", "a doubted act"],
)  # fmt: skip
def test_typing_lets_nothing_else_pass(asked: OutgoingRequest, page: dict[str, bool]) -> None:
    assert judged(asked, is_typing=True, **page) is not None


@pytest.mark.parametrize(
    ("path", "passes"),
    [
        ("admin/editing-sessions/release/7", True), ("api/edit_session/3/release", False), ("leases/release", True),
        ("films/release", False), ("api/funds/release/7", False), ("admin/users/7/role", False),
        ("admin", False), ("api/admin", False),
    ],
)  # fmt: skip
def test_an_editor_that_is_released_publishes_nothing(path: str, passes: bool) -> None:
    held = judged(request("POST", f"https://cms.example/{path}", "{}"))
    assert (held is None) is passes


@pytest.mark.parametrize("method", ["MKCOL", "MKCALENDAR", "PROPFIND", "REPORT"])
def test_looking_and_making_an_empty_folder_pass_by_their_method(method: str) -> None:
    assert judged(request(method, "https://cal.example/mia/1f3a/", "<mkcol/>", "text/xml")) is None


def test_an_empty_folder_of_a_doubted_act_is_held() -> None:
    asked = request("MKCOL", "https://shop.example/x/7", "<mkcol/>", "text/xml")
    assert judged(asked, is_doubted=True) is not None


@pytest.mark.parametrize("method", ["PUT", "PROPPATCH", "MOVE", "COPY", "ACL", "DELETE"])
def test_what_changes_a_folder_is_held(method: str) -> None:
    assert judged(request(method, "https://cal.example/mia/1f3a/", "<x/>", "text/xml")) is not None


@pytest.mark.parametrize(
    ("kind", "text", "body"),
    [
        (JSON, '{"a": 1, "action": "delete"}', ("json", ("a", "action"), (("action", "delete"),))),
        (JSON, '{"action": "two words"}', ("json", ("action",), ())),
        (JSON, '{"action": "' + "x" * 61 + '"}', ("json", ("action",), ())),
        (JSON, '[{"method": "unlink"}]', ("json", ("method",), (("method", "unlink"),))),
        (JSON, '{"params": {"method": "action_post"}}', ("json", ("params", "method"), (("method", "action_post"),))),
        (JSON, "{broken", ("text", (), ())),
        (JSON, "[" * 20_000, ("text", (), ())),
        ("text/plain", '{"op": "pay"}', ("json", ("op",), (("op", "pay"),))),
        (FORM, "_method=delete&x=1", ("form", ("_method", "x"), (("_method", "delete"),))),
        ("", "a=b&do=send", ("form", ("a", "do"), (("do", "send"),))),
        ("multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n', ("files", ("to",), ())),
        ("application/octet-stream", "\x00\x01", ("text", (), ())),
        (JSON, "", ("none", (), ())),
    ],
)  # fmt: skip
def test_the_shape_of_a_body_has_names_and_no_values(kind: str, text: str, body: tuple[Any, ...]) -> None:
    read = read_body(kind, text)

    assert (read.kind, read.keys, read.selectors) == body


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ('{"query": "mutation Get($id: ID!) { deleteUser(id: $id) { id name } }"}', ("mutation", ("Get", "deleteUser"))),
        ('{"query": "{ users(first: 3) { name } }"}', ("query", ("users",))),
        ('{"query": "query A { a }\\nmutation B { b: payInvoice }", "operationName": "A"}',
         ("mutation", ("A", "B", "a", "payInvoice"))),
        ('{"query": "query Q { a(text: \\"mutation {x}\\") }"}', ("query", ("Q", "a"))),
        ('{"operationName": "inviteMember", "variables": {}, "extensions": {}}', ("", ("inviteMember",))),
        ('[{"query": "mutation M { x }"}]', ("mutation", ("M", "x"))),
        ('{"query": "# a remark\\nmutation M { x }"}', ("mutation", ("M", "x"))),
    ],
)  # fmt: skip
def test_the_operation_of_graphql_is_read_from_its_text(
    text: str, operation: tuple[str, tuple[str, ...]]
) -> None:
    (found,) = read_body(JSON, text).operations

    assert (found.kind, found.names) == operation


def test_a_body_that_is_not_known_is_opaque() -> None:
    assert read_body(JSON, None, has_body=True) == BodyShape("unknown")
    assert read_body(JSON, None, has_body=True).is_opaque


def test_the_name_of_an_operation_does_not_hide_what_it_does() -> None:
    asked = request(
        "POST", "https://a.example/graphql", '{"query": "mutation GetPrice { placeOrder { id } }"}'
    )

    assert judged(asked) == Hold("order", "place order")


def test_a_mutation_with_an_unknown_name_is_held() -> None:
    hold = judged(request("POST", "https://a.example/g", '{"query": "mutation Frobnicate { zap { id } }"}'))

    assert hold is not None
    assert hold.kind == "unknown_submit"


@pytest.mark.parametrize(
    ("page", "is_held"),
    [
        ({}, True),
        ({"custom": True}, False),
        ({"custom": True, "is_private": True}, False),
        ({"is_private": True}, True),
    ],
)
def test_a_request_that_no_word_tells_is_judged_by_the_custom_of_the_page(
    page: dict[str, Any], is_held: bool
) -> None:
    asked = request("POST", "https://a.example/zap/7", '{"zip": 1}')
    page["custom"] = {asked.shape} if page.get("custom") else ()

    assert (judged(asked, **page) is not None) is is_held


@pytest.mark.parametrize(
    "asked",
    [
        request("POST", "https://a.example/zap/7", '{"zip": 1}'),
        request("GET", "https://a.example/items/7/delete?sure=1", type="XHR"),
    ],
    ids=["custom", "a script's GET"],
)
def test_what_a_page_names_as_an_effect_is_excused_by_no_custom(asked: OutgoingRequest) -> None:
    page = {"site": "a.example", "custom": {asked.shape}}

    assert judged(asked, **page) is None
    assert judged(asked, **page, is_doubted=True)


def test_what_is_known_to_be_harmless_passes_whatever_the_page_names() -> None:
    for url in ("https://a.example/api/search", "https://a.example/collect"):
        assert judged(request("POST", url, '{"zip": 1}'), is_doubted=True) is None


def test_custom_does_not_excuse_a_verb_nor_an_opaque_body_where_the_person_is_logged_in() -> None:
    order = request("POST", "https://a.example/orders", '{"zip": 1}')
    opaque = request("POST", "https://a.example/zap", "\x00\x01", "application/octet-stream")

    assert judged(order, custom={order.shape})
    assert judged(opaque, custom={opaque.shape}) is None
    assert judged(opaque, custom={opaque.shape}, is_private=True)


@pytest.mark.parametrize(
    ("path", "body", "is_held"),
    [
        ("/add", '{"item": 1}', False),
        ("/add", '{"product_id": 1, "qty": 2}', False),
        ("/add", '{"email": 1}', True),
        ("/add", "", True),
    ],
)
def test_adding_an_item_alone_fills_a_basket(path: str, body: str, is_held: bool) -> None:
    assert (judged(request("POST", f"https://a.example{path}", body)) is not None) is is_held


def test_shapes_leave_out_identifiers_and_values() -> None:
    one = request("POST", "https://a.example/u/17/zap?x=1", '{"op": "a", "text": "secret"}')
    same = request("POST", "https://a.example/u/18/zap?x=2", '{"text": "other", "op": "a"}')
    other = request("POST", "https://a.example/u/18/zap?x=2", '{"text": "other", "op": "b"}')

    assert one.shape == same.shape != other.shape
    assert "secret" not in one.shape


def test_another_site_is_held_by_its_words_and_with_a_key_like_the_page_itself() -> None:
    url = "https://api.other.example/zap"
    keyed = read_request({"method": "POST", "url": url, "headers": {"Authorization": "x"}}, "Fetch")

    assert judged(request("POST", url, "{}"), site="shop.example") is None
    assert judged(request("POST", "https://api.other.example/orders", "{}"), site="shop.example")
    assert judged(keyed, site="shop.example")
    assert judged(request("POST", url, "{}", type="Ping"), site="shop.example") is None


def approved(*kinds: str, **more: Any) -> Approved:
    return Approved(kinds=frozenset(kinds), sites=frozenset({"a.example"}), **more)


@pytest.mark.parametrize(
    ("approval", "site", "kind", "sent", "is_covered"),
    [
        (approved(), "a.example", "order", (), False),
        (approved("order"), "a.example", "order", (), True),
        (approved("order"), "b.example", "order", (), False),
        (approved("order"), "a.example", "send", (), True),
        (approved("order"), "a.example", "pay", ("order",), True),
        (approved("order"), "a.example", "unknown_submit", ("order",), True),
        (approved("order"), "a.example", "account", ("order",), False),
        (approved("unknown_submit"), "a.example", "send", ("send",), True),
        (approved("send", by_grant=True), "a.example", "send", (), True),
        (approved("send", by_grant=True), "a.example", "order", (), False),
        (approved("order", bound={"this"}), "a.example", "order", (), True),
        (approved("order", bound={"other"}), "a.example", "order", (), False),
    ],
)
def test_an_approval_covers_its_site_and_what_belongs_to_it(
    approval: Approved, site: str, kind: str, sent: tuple[str, ...], is_covered: bool
) -> None:
    assert approval.covers(site, kind, "this", sent) is is_covered


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.shop.example/x", "shop.example"),
        ("https://a.b.shop.co.uk/x", "shop.co.uk"),
        ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://localhost:8080/", "localhost:8080"),
        ("http://[::1]:80/", "::1:80"),
        ("https://[broken/", ""),
    ],
)
def test_the_site_of_an_address(url: str, site: str) -> None:
    assert site_of_url(url) == site


@pytest.mark.parametrize(
    ("asked", "words", "russian"),
    [
        (request("POST", "https://a.example/graphql", '{"query": "mutation inviteMember { x }"}'), "invite member to a.example", "пригласить участника на a.example"),
        (request("DELETE", "https://a.example/api/mails/17"), "delete mails to a.example", "удалить письмо на a.example"),
        (request("POST", "https://a.example/invite", '{"role": 1, "email": "e@x.example", "csrf_token": 1}'),
         "invite to a.example (role, email)", "пригласить на a.example (роль, эл. почта)"),
        (request("POST", "https://a.example/orders", '{"totalAmount": 5}'), "new orders to a.example (total amount)", "создать заказ на a.example (total amount)"),
        (request("POST", "https://a.example/zap/foo", '{"x": 1}'), "POST zap/foo to a.example (x)", "POST zap/foo на a.example (x)"),
    ],
)  # fmt: skip
def test_what_would_be_sent_is_said_in_words(asked: OutgoingRequest, words: str, russian: str) -> None:
    hold = judged(asked)

    assert hold is not None
    assert in_words(asked, hold) == words
    assert in_words(asked, hold).to("ru") == russian


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"type": "order"}', "order"),
        ('{"type": "message", "text": "Hello"}', "send"),
        ('42["message", "hello"]', "send"),
        ('42/chat,["chat message", {"body": "x"}]', "send"),
        ('["3", "9", "room:lobby", "delete_post", {"id": 4}]', "delete"),
        ('["3", "9", "lv:phx-1", "event", {"type": "click", "event": "place_order"}]', "order"),
        ("SEND\ndestination:/app/hello\n\nHi\0", "send"),
        ("<message to='eve@shop.example'><body>Hi</body></message>", "send"),
        ('{"msg": "method", "method": "sendMessage", "params": []}', "send"),
        ('{"type": 1, "target": "SendMessage", "arguments": ["x"]}\x1e', "send"),
        ('{"command": "message", "identifier": "{}", "data": "{\\"action\\": \\"pay\\"}"}', "pay"),
        (
            '{"id": "1", "type": "subscribe", "payload": {"query": "mutation { inviteMember(m: 1) { id } }"}}',
            "send",
        ),
        ('{"command": "leaveGroup"}', "end"),
        ('{"x": 1, "y": 2}', "unknown_submit"),
        ("some words", "unknown_submit"),
        ("2", None),
        ("[]", None),
        ('{"type": "ping"}', None),
        ('["3", "9", "phoenix", "heartbeat", {}]', None),
        ('["3", "9", "room:lobby", "phx_join", {}]', None),
        ('{"command": "subscribe", "identifier": "{\\"channel\\": \\"OrdersChannel\\"}"}', None),
        ('{"id": "1", "type": "subscribe", "payload": {"query": "subscription { orders { id } }"}}', None),
        ('{"id": "1", "type": "complete"}', None),
        ('{"event": "typing", "room": 4}', None),
        ('{"msg": "sub", "name": "rooms"}', None),
        ('{"action": "joinRoom", "room": "lobby"}', None),
        ('{"ping": 17}', None),
    ],
)
def test_a_message_over_a_socket_says_itself_what_it_does(text: str, kind: str | None) -> None:
    asked = read_message("wss://shop.example/messages/socket", 1, text)
    hold = judged(asked)

    assert asked.url == "https://shop.example/messages/socket"
    assert (hold.kind if hold else None) == kind


def test_binary_messages_are_alike_and_pass_where_the_page_sends_such_by_itself() -> None:
    first, second = (read_message("wss://shop.example/live", 2, text) for text in ("AAE=", "CgU="))

    assert judged(first) is not None
    assert first.shape == second.shape
    assert judged(second, custom={first.shape}) is None
    assert judged(second, custom={first.shape}, is_private=True) is not None


def test_the_shape_of_a_message_has_no_values() -> None:
    asked = read_message(
        "wss://shop.example/live", 1, '42["message", {"text": "Eve is ill", "to": "eve@a.example"}]'
    )

    assert "Eve" not in asked.shape
    assert in_words(asked, judged(asked) or Hold("", "")) == "message to shop.example (text, to)"
