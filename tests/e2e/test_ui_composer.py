"""Writing to the agent: sending, drafts, stopping, pausing, steering."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen


def test_enter_sends_shift_enter_breaks_the_line(screen: Screen) -> None:
    screen.open()
    screen.composer.press_sequentially("one")
    screen.composer.press("Shift+Enter")
    screen.composer.press_sequentially("two")
    expect(screen.composer).to_have_value("one\ntwo")
    screen.composer.press("Enter")
    expect(screen.feed.get_by_text("one\ntwo")).to_be_visible()
    expect(screen.composer).to_have_value("")


def test_enter_that_ends_an_ime_composition_does_not_send(screen: Screen) -> None:
    screen.open()
    screen.composer.fill("にほん")
    screen.composer.evaluate("""box => box.dispatchEvent(new KeyboardEvent('keydown',
        {key: 'Enter', bubbles: true, cancelable: true, isComposing: true}))""")
    expect(screen.composer).to_have_value("にほん")
    assert screen.page.url.endswith("/")


def test_the_box_grows_to_eight_lines_and_then_scrolls(screen: Screen) -> None:
    screen.open()
    heights = []
    for lines in (1, 4, 8, 30):
        screen.composer.fill("\n".join(["x"] * lines))
        heights.append(screen.composer.evaluate("box => box.clientHeight"))
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_a_message_that_is_too_large_is_told_before_it_is_sent(screen: Screen) -> None:
    screen.open()
    screen.composer.fill("ж" * 40_000)
    expect(screen.page.get_by_role("alert").filter(has_text="Too long by 7232 characters.")).to_be_visible()
    screen.composer.press("Enter")
    expect(screen.composer).to_have_value("ж" * 40_000)
    assert screen.page.url.endswith("/")
    screen.composer.fill("ж" * 30_000)
    expect(screen.page.get_by_role("alert").filter(has_text="Too long")).to_have_count(0)


def test_drafts_are_kept_for_each_session_over_a_reload(screen: Screen) -> None:
    first, second = screen.new_session(title="First"), screen.new_session(title="Second")
    screen.open(first).composer.fill("for the first")
    screen.open(second).composer.fill("for the second")
    screen.page.reload()
    expect(screen.composer).to_have_value("for the second")
    screen.sidebar.get_by_role("link", name="First", exact=True).first.click()
    expect(screen.composer).to_have_value("for the first")


def test_the_message_and_a_sign_of_life_are_there_before_the_server_answers(screen: Screen) -> None:
    held: list[Route] = []
    screen.page.route("**/messages", lambda route: held.append(route))
    screen.open(screen.new_session()).send("hello there")
    expect(screen.feed.get_by_role("article").filter(has_text="hello there")).to_be_visible()
    expect(screen.page.locator("[data-run]")).to_be_visible()
    [sent] = screen.wait_until(lambda: held, bool, "the message is sent")
    sent.continue_()
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()


def test_a_message_that_did_not_arrive_keeps_its_text_and_can_be_sent_again(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED")
    session = screen.new_session()
    screen.page.clock.install()
    screen.open(session)
    screen.page.route("**/messages", lambda route: route.abort())
    screen.pause_clock()  # after five seconds it would be sent by itself
    screen.send("are you there")
    expect(screen.page.get_by_role("alert")).to_contain_text("Not sent yet.")
    screen.page.unroute("**/messages")
    screen.button("Retry").click()
    screen.page.clock.resume()
    screen.wait_idle()
    said = [message["content"] for message in screen.stored(session)["messages"]]
    assert said.count("are you there") == 1


def test_what_is_written_offline_is_sent_once_by_itself_and_in_order(screen: Screen) -> None:
    screen.expect_errors("ERR_INTERNET_DISCONNECTED")
    session = screen.new_session()
    screen.open(session)
    screen.page.context.set_offline(True)
    offline = screen.page.get_by_text("You are offline.")
    expect(offline).to_be_visible()
    unsent = screen.feed.get_by_text("It is sent when the server can be reached.")
    screen.send("hello")
    expect(unsent).to_have_count(1)
    screen.send("and hello again")
    expect(unsent).to_have_count(2)
    screen.page.context.set_offline(False)
    expect(offline).to_have_count(0)
    expect(unsent).to_have_count(0)
    said = screen.wait_until(
        lambda: [one["content"] for one in screen.stored(session)["messages"] if one["role"] == "user"],
        lambda it: len(it) == 2,
        "both have arrived",
    )
    assert said == ["hello", "and hello again"]
    screen.wait_idle()


def test_stop_is_acknowledged_at_once_and_ends_in_a_receipt(screen: Screen) -> None:
    held: list[Route] = []
    screen.page.route("**/cancel", lambda route: held.append(route))
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 2 rolled")).to_be_visible()
    screen.button("Stop").click()
    expect(screen.page.get_by_text("Stopping…")).to_be_visible()  # before the server answers
    [asked] = screen.wait_until(lambda: held, bool, "the server is asked to stop")
    asked.continue_()
    expect(screen.feed.get_by_text("Stopped", exact=True)).to_be_visible()
    expect(screen.feed.get_by_text("Finished steps are kept")).to_be_visible()
    screen.send("hello")
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()


def test_escape_stops_from_the_composer(screen: Screen) -> None:
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 2 rolled")).to_be_visible()
    screen.composer.press("Escape")
    expect(screen.feed.get_by_text("Stopped", exact=True)).to_be_visible()


def test_a_paused_run_stays_paused_over_a_reload_and_goes_on(screen: Screen) -> None:
    session = screen.new_session(max_tool_steps=1000)
    screen.open(session).send("slow steps")
    screen.button("Pause").click()
    expect(screen.button("Resume")).to_be_visible()
    screen.page.reload()
    expect(screen.button("Resume")).to_be_visible()
    screen.button("Resume").click()
    expect(screen.button("Pause")).to_be_visible()
    screen.button("Stop").click()
    screen.wait_idle()
    assert screen.stored(session)["run"]["status"] == "cancelled"


def test_a_message_during_a_run_is_read_now_or_afterwards(screen: Screen) -> None:
    session = screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    choice = screen.page.get_by_role("radiogroup", name="When it is read")
    expect(choice.get_by_role("radio", name="Now")).to_be_checked()
    expect(choice.get_by_title("Will be read before the next step")).to_be_visible()
    expect(choice.get_by_title("Will run when this task is done")).to_be_visible()
    expect(screen.composer).to_have_attribute("placeholder", "Add an instruction…")
    with screen.page.expect_response("**/messages"):
        screen.send("mention gulls")
    expect(screen.feed.get_by_text("mention gulls")).to_be_visible()
    choice.get_by_text("Afterwards").click()
    expect(screen.composer).to_have_attribute("placeholder", "Write the next task…")
    with screen.page.expect_response("**/messages"):
        screen.send("hello again")
    expect(screen.feed.get_by_text("hello again")).to_be_visible()
    screen.button("Stop").click()
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    said = [message["content"] for message in screen.stored(session)["messages"] if message["role"] == "user"]
    assert said == ["endless story", "mention gulls", "hello again"]


def test_agent_and_model_are_chosen_by_keyboard_and_locked_while_it_works(open_screen: OpenScreen) -> None:
    screen = open_screen()
    session = screen.new_session()
    screen.open(session)
    picker = screen.button(re.compile("^Model: "))
    expect(picker).to_have_accessible_name(re.compile("Agent: Operator$"))
    picker.press("Enter")
    assistant = screen.page.get_by_role("menuitemradio", name=re.compile("^Assistant"))
    expect(assistant).to_contain_text("A plain tool-calling assistant")
    assistant.focus()
    with screen.patched(session):
        screen.page.keyboard.press("Enter")
    expect(picker).to_contain_text("Assistant")
    assert screen.stored(session)["agent"] == "assistant"
    screen.send("endless story")
    expect(screen.page.get_by_role("radiogroup", name="When it is read")).to_be_visible()
    expect(picker).to_have_attribute("aria-disabled", "true")
    expect(picker).to_have_accessible_name(re.compile("Agent: Assistant. Can be changed after the run.$"))
    screen.cancel()


def test_models_tell_what_they_can_and_cost_and_only_usable_ones_are_offered(screen: Screen) -> None:
    config = screen.api.get("/config").json()
    able = {"label": "Able", "context": 200_000, "price_in": 1, "price_out": 5, "vision": True, "ready": True}
    away = {"label": "Away", "ready": False, "missing": "OPENAI_API_KEY"}
    model = config["models"][0]
    config["models"] = [model | away | {"id": "x:away"}, model, model | able | {"id": "x:able"}]
    screen.page.route("**/api/config", lambda route: route.fulfill(json=config))
    screen.open()
    screen.button(re.compile("^Model: ")).press("Enter")
    option = screen.page.get_by_role("menuitemradio", name=re.compile("Able"))
    expect(option).to_contain_text("200K context · $1.00 in / $5.00 out per million tokens")
    expect(option.get_by_label("sees pictures")).to_be_visible()
    expect(screen.page.get_by_role("menuitemradio", name=re.compile("Away"))).to_have_count(0)
    option.press("Enter")
    expect(screen.button(re.compile("^Model: Able"))).to_be_focused()
    screen.button(re.compile("^Model: Able")).press("Enter")
    screen.page.get_by_role("menuitem", name="Connect a model…").press("Enter")
    expect(screen.page.get_by_role("dialog", name="Connect a model")).to_be_visible()


DROP = """([selector, name]) => {
    const data = new DataTransfer()
    data.items.add(new File(['hello'], name, { type: 'text/plain' }))
    const target = document.querySelector(selector)
    const fire = kind => {
        const event = new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
        target.dispatchEvent(event)
        return event.defaultPrevented
    }
    const over = fire('dragover')
    return [over, document.body.textContent.includes('Drop to attach'), fire('drop')]
}"""


def test_files_are_dropped_anywhere_on_the_page_and_never_leave_it(screen: Screen) -> None:
    screen.open()
    over, _, taken = screen.page.evaluate(DROP, ["main", "note.txt"])
    assert over
    assert taken
    expect(screen.page.get_by_role("list", name="Attached files").get_by_text("note.txt")).to_be_visible()
    screen.page.goto("/settings")
    expect(screen.page.get_by_role("heading", name="Settings")).to_be_visible()
    over, _, taken = screen.page.evaluate(DROP, ["body", "note.txt"])
    assert over
    assert taken


PASTE = """text => {
    const data = new DataTransfer()
    data.setData('text/plain', text)
    const box = document.getElementById('composer')
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
}"""


def test_a_long_paste_becomes_a_file_and_keys_stay_quick(screen: Screen) -> None:
    screen.open()
    screen.page.evaluate(PASTE, "слово " * 34_000)
    expect(screen.page.get_by_role("list", name="Attached files")).to_contain_text("Pasted text.txt")
    expect(screen.composer).to_have_value("")
    took = screen.page.evaluate(
        """async () => {
            const box = document.getElementById('composer')
            box.focus()
            const times = []
            for (let key = 0; key < 5; key++) {
                const began = performance.now()
                document.execCommand('insertText', false, 'x')
                times.push(performance.now() - began)
                await new Promise(requestAnimationFrame)
            }
            return times.sort((a, b) => a - b)[2]
        }"""
    )
    assert took < 50  # milliseconds
