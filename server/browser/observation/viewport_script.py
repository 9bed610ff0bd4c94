"""Scripts for pages too large for a full snapshot: measure the page, and list what is in the viewport."""

from server.browser.scripts import script

TOO_HEAVY = 15_000
"""Above this weight an accessibility snapshot takes seconds."""

MEASURE_SCRIPT = script("page_weight", LIMIT=str(TOO_HEAVY))
"""Returns a page's weight: the number of elements, plus one for every 100 characters of text and attributes,
which take as long to read as one element. Stops counting above `TOO_HEAVY`."""

VIEWPORT_SCRIPT = script("viewport")
"""Returns lines in the format of a snapshot with boxes; the refs are selectors."""
