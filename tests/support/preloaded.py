"""Imports what a server imports until its first answer. Loaded once by the fork server of `tests.support.server`."""

import server.agent.assistant.agent
import server.agent.models.anthropic
import server.agent.models.openai
import server.agent.operator.graph
import server.main  # noqa: F401
from server.agent import policy

policy.warm_up()
