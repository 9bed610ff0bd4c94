"""Imports what a server imports until its first answer and its first browser.

Loaded once by the fork server of `tests.support.server`.
"""

# ruff: noqa: F401

import PIL.Image
import uvicorn.protocols.http.auto
import uvicorn.protocols.websockets.auto

import server.agent.assistant.agent
import server.agent.models.anthropic
import server.agent.models.openai
import server.agent.operator.graph
import server.browser.mcp.playwright
import server.browser.pool
import server.http.startup
import server.main
from server.agent import policy

policy.warm_up()
