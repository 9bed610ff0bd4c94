"""Draw the operator's graph into docs/operator.md, from the code. `--check` only says whether it is current."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from langchain_core.language_models.fake_chat_models import FakeListChatModel

from server.agent.gate.gate import Gate
from server.agent.operator.act.limits import OperatorLimits
from server.agent.operator.ask.consent import Consent
from server.agent.operator.graph import assemble
from server.agent.operator.nodes import Nodes
from server.agent.operator.see.observing import Observer

PAGE = Path(__file__).resolve().parents[1] / "docs" / "operator.md"
_PICTURE = re.compile(r"(?s)(<!-- graph -->\n```mermaid\n).*?(```\n<!-- /graph -->)")


class _NoModel(FakeListChatModel):
    """The picture needs a model as little as a map needs a car."""

    def bind_tools(self, *args: object, **kwargs: object) -> _NoModel:  # type: ignore[override]
        return self


def draw() -> str:
    """The graph as Mermaid text."""
    from server.agent.operator.plan.planner import Planner

    eyes = Observer("never", model_sees=False)
    nodes = Nodes(Planner(_NoModel(responses=[])), Consent(Gate(), eyes, 0), eyes, OperatorLimits(0, 0))
    drawn = assemble(nodes).compile().get_graph().draw_mermaid()
    return drawn.split("---\n", 2)[-1]


def with_picture(text: str) -> str:
    return _PICTURE.sub(lambda found: found[1] + draw() + found[2], text)


def main() -> int:
    old = PAGE.read_text()
    new = with_picture(old)
    if "--check" in sys.argv:
        return int(old != new)
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
