"""The dialog, form, row, landmark and heading that each node of a snapshot belongs to.

Computed in one pass. Every list is as long as the snapshot and contains node indexes, -1 for none.
"""

from dataclasses import dataclass, field

from server.browser.observation.snapshot import Snapshot

DIALOGS = frozenset({"dialog", "alertdialog"})
FORMS = frozenset({"form", "search"}) | DIALOGS
UNIT_ROLES = frozenset({"row", "listitem", "article", "treeitem", "group", "radiogroup", "tabpanel"})
SIDE = frozenset({"navigation", "contentinfo", "banner", "complementary"})
LANDMARKS = SIDE | {"main"}


@dataclass(slots=True)
class Outline:
    dialog: list[int] = field(default_factory=list)
    form: list[int] = field(default_factory=list)
    unit: list[int] = field(default_factory=list)
    """Nearest row, list item, tree item, article, group or tab panel."""
    mark: list[int] = field(default_factory=list)
    """Nearest landmark."""
    heading: list[int] = field(default_factory=list)
    """The last heading at or before it in reading order."""


def outline(snapshot: Snapshot) -> Outline:
    kept = Outline()
    places = ((kept.dialog, DIALOGS), (kept.form, FORMS), (kept.unit, UNIT_ROLES), (kept.mark, LANDMARKS))
    heading = -1
    for index, node in enumerate(snapshot.nodes):
        parent = node.parent
        for found, roles in places:
            above = found[parent] if parent >= 0 else -1
            found.append(index if node.role in roles else above)
        if node.role == "heading":
            heading = index
        kept.heading.append(heading)
    return kept
