"""Words of the server that the web UI knows, so that it can say them in another language."""

from __future__ import annotations

import re

from scripts.shell import ROOT
from server.agent.policy.verdict import _REASONS


def test_the_reasons_of_the_rules_are_those_of_the_dictionary() -> None:
    text = (ROOT / "web/src/i18n/en.ts").read_text(encoding="utf-8")
    assert dict(re.findall(r"'risk\.(\w+)': '(.*)',", text)) == _REASONS
