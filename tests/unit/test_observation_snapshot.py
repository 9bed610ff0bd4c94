"""Reading the text of a snapshot: any form of line, any size, any depth."""

import time

from server.browser.observation.snapshot import parse_snapshot

VIEWPORT = (1280, 720)


def test_a_reply_gives_address_title_and_what_happened() -> None:
    reply = """### Open tabs
- 0: [Shop](http://shop.example/)
- 1: (current) [Basket](http://shop.example/basket)
### Page
- Page URL: http://shop.example/basket
- Page Title: Basket
- HTTP status: 404 Not Found
- Console: 2 errors, 0 warnings
### Modal state
- ["confirm" dialog with message "Leave?"]: can be handled by browser_handle_dialog
### Snapshot
```yaml
- button "Go" [ref=e1]
```
### Events
- Downloading file bill.pdf ...
- Downloaded file bill.pdf to "/tmp/x/bill.pdf"
"""
    page = parse_snapshot(reply, VIEWPORT)
    assert (page.url, page.title) == ("http://shop.example/basket", "Basket")
    assert page.notes == (
        "HTTP status: 404 Not Found",
        "console: 2 errors",
        'open now: "confirm" dialog with message "Leave?"',
        "2 tabs are open",
        "Downloading file bill.pdf ...",
        "Downloaded file bill.pdf",
    )
    assert [node.name for node in page.nodes] == ["Go"]
    assert parse_snapshot(reply.replace("\n", "\r\n"), VIEWPORT) == page


def test_quoted_keys_values_and_escapes_are_undone() -> None:
    yaml = r"""
- 'link "it''s: here" [ref=e1] [cursor=pointer]':
  - /url: "#top"
- textbox "Notes" [ref=e2]: "two\nlines: \"quoted\" \x07"
- textbox "Name" [active] [ref=e3]:
  - /placeholder: Your name
  - text: Ann
- paragraph [ref=e4]: plain words
"""
    link, notes, name, words = parse_snapshot(yaml, VIEWPORT).nodes
    assert (link.name, link.url, link.is_pointed) == ("it's: here", "#top", True)
    assert notes.text == 'two\nlines: "quoted" \x07'
    assert (name.placeholder, name.text, "active" in name.attributes) == ("Your name", "Ann", True)
    assert words.text == "plain words"


def test_a_page_that_writes_section_titles_changes_neither_address_nor_snapshot() -> None:
    reply = (
        '### Page\n- Page URL: http://real.example/\n### Modal state\n- ["alert" dialog with message "\n'
        '### Page\n- Page URL: http://bank.example/\n### Snapshot\n```yaml\n- button "Fake" [ref=e9]\n```\n"]\n'
        '### Snapshot\n```yaml\n- button "Real" [ref=e1]\n```\n'
    )
    page = parse_snapshot(reply, VIEWPORT)
    assert page.url == "http://real.example/"
    assert [node.name for node in page.nodes] == ["Real"]


def test_boxes_in_a_frame_are_moved_into_the_page_and_clipped_by_it() -> None:
    yaml = """- iframe [ref=e1] [box=100,600,300,80]:
  - button "In view" [ref=f1e1] [box=10,10,50,20]
  - button "Scrolled away" [ref=f1e2] [box=10,90,50,20]
  - iframe [ref=f1e3] [box=0,40,100,40]:
    - button "Deep" [ref=f2e1] [box=5,5,20,20]
"""
    nodes = {node.name: node for node in parse_snapshot(yaml, VIEWPORT).nodes if node.name}
    assert nodes["In view"].box == (110, 610, 50, 20)
    assert nodes["In view"].seen
    assert not nodes["Scrolled away"].seen
    assert nodes["Deep"].box == (105, 645, 20, 20)


def test_ten_thousand_levels_parse_without_recursion() -> None:
    yaml = "\n".join(f"{'  ' * depth}- generic [ref=e{depth}]:" for depth in range(10_000))
    started = time.process_time()
    nodes = parse_snapshot(yaml, VIEWPORT).nodes
    assert len(nodes) == nodes[0].end == 10_000
    assert time.process_time() - started < 8


def test_what_an_icon_font_draws_is_no_name() -> None:
    yaml = '- button "\uf014" [ref=e1]\n- link "\uf0f3 15" [ref=e2]\n- link "\uf0e4 Dashboard \U000f0140" [ref=e3]\n- text: "\\uf00d"'
    assert [node.name or node.text for node in parse_snapshot(yaml, VIEWPORT).nodes] == [
        "",
        "15",
        "Dashboard",
        "",
    ]
