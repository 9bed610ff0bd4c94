"""The commands of the prompt: the name, help, handler and arguments of each."""

from __future__ import annotations

from cli.commands import (
    automations,
    browser,
    devices,
    grants,
    kept_sites,
    knowledge,
    logins,
    questions,
    servers,
    session,
)
from cli.commands.schedule import SETTINGS
from cli.commands.syntax import Call, Command, Param
from cli.conversation import Conversation
from cli.screen import tables

DIRECTIONS = ("down", "up", "left", "right")


async def _show_help(conversation: Conversation, call: Call) -> None:
    conversation.screen.print(tables.commands(COMMANDS.values()))


_WORDS = (Param("words", "rest", is_optional=True),)
_GRANT = Param("grant", "rest", is_optional=True)
_REFERENCE = Param("ref", "reference", is_optional=True)
_EID = Param("eid")

COMMANDS = {
    command.name: command
    for command in (
        Command("chat", "chat mode: what you write goes to the agent", None),
        Command("exit", "leave chat mode; in cmd mode, leave", None),
        Command(
            "yes",
            "do what is asked for; GRANT allows such things on this site: run|session|automation|always, then "
            "x3 (how often), until 2026-12-31, max 50, month 200 (amounts); REF: a question of /inbox",
            questions.answer_yes,
            (_REFERENCE, _GRANT),
        ),
        Command(
            "no",
            "refuse; words tell the agent what to do instead; they may begin with a REF of /inbox",
            questions.answer_no,
            _WORDS,
        ),
        Command(
            "later",
            "not now: ask again at TIME (18:00, the next one) or in 90m or 3h; REF: a question of /inbox",
            questions.put_off,
            (_REFERENCE, Param("time")),
        ),
        Command("done", "you have done what the agent could not", questions.answer_done, _WORDS),
        Command(
            "inbox", "the open questions of all sessions, the next to expire first", questions.show_inbox
        ),
        Command(
            "schedule",
            "make a task an automation: daily|weekdays|mon,thu|monthly 15|hours 6, a time, then the task",
            automations.add,
            (Param("text", "rest"),),
        ),
        Command(
            "automations", "your automations, when they are due, and their last outcome", automations.show_all
        ),
        Command(
            "automation",
            "run, pause, resume or delete the automation ID of /automations, or list its log; ask-first lets it ask before "
            "it starts (begin-alone ends that), only-changes lets it report only changes (each-run ends that), one-model lets "
            "it never use the second model (two-models ends that)",
            automations.change,
            (Param("what", choices=("run", "pause", "resume", "delete", "log", *SETTINGS)), Param("id")),
        ),
        Command("grants", "what is allowed without asking, with what was used of it", grants.show_all),
        Command(
            "stay",
            "stay signed in, for all sessions, at the site of the page that is open in this one, for DAYS (30)",
            kept_sites.keep,
            (Param("days", "number", is_optional=True),),
        ),
        Command(
            "kept-sites",
            "the sites that stay signed in for all sessions; end and an ID ends that of one",
            kept_sites.show_or_end,
            (Param("what", is_optional=True, choices=("end",)), Param("id", is_optional=True)),
        ),
        Command("devices", "the browsers that are logged in to this server", devices.show_all),
        Command("sign-out", "end the login of the device ID of /devices", devices.end, (Param("id"),)),
        Command("revoke", "take back the grant ID of /grants", grants.revoke, (Param("id"),)),
        Command(
            "instructions",
            "what the agent heeds in all sessions; words replace it, - takes it away",
            knowledge.show_or_set_instructions,
            _WORDS,
        ),
        Command(
            "notes",
            "what the agent knows of sites, and what it proposes to remember; keep or drop the one with this ID",
            knowledge.show_or_change_notes,
            (
                Param("what", is_optional=True, choices=("keep", "drop")),
                Param("id", is_optional=True),
            ),
        ),
        Command("logins", "the stored logins, without what is secret in them", logins.show_logins),
        Command(
            "login",
            "add a login for SITE; user name and password are asked for, the password is not shown",
            logins.add_login,
            (Param("what", choices=("add",)), Param("site")),
            asks=True,
        ),
        Command(
            "vault",
            "unlock or lock the stored logins, or list what happened to them",
            logins.use_vault,
            (Param("what", choices=("unlock", "lock", "log")),),
            asks=True,
        ),
        Command(
            "mcp",
            "the MCP servers of both agents; add NAME ADDRESS, or test, tools or remove NAME. What a tool may do is "
            "decided in the settings page",
            servers.show_or_change,
            (
                Param("what", is_optional=True, choices=("add", "test", "tools", "remove")),
                Param("words", "rest", is_optional=True),
            ),
        ),
        Command(
            "handoff",
            "a link that gives this session's browser to another device for MINUTES (15); 0 ends it",
            session.hand_off,
            (Param("minutes", "number", is_optional=True),),
        ),
        Command(
            "share",
            "a link that shows this session as it is now, without a login, for DAYS (7); 0 ends all of them",
            session.share,
            (Param("days", "number", is_optional=True),),
        ),
        Command(
            "ask-first",
            "each run of this session shows its plan and asks before it starts; off ends that",
            session.set_ask_first,
            (Param("what", is_optional=True, choices=("on", "off")),),
        ),
        Command(
            "surroundings",
            "show what this session's browser has of its own; zone, language or proxy (ADDRESS USER) with a VALUE sets it, "
            "without one ends it; a proxy's password is read from PILOTHOUSE_PROXY_PASSWORD",
            session.show_or_change_surroundings,
            (
                Param("what", is_optional=True, choices=("zone", "language", "proxy")),
                Param("value", "rest", is_optional=True),
            ),
        ),
        Command("stop", "end the run", session.stop),
        Command("pause", "hold the run before its next step", session.pause),
        Command("resume", "go on", session.resume),
        Command(
            "plan",
            "show the plan; edit changes it, accept and dismiss answer the agent's proposal of another one",
            session.show_or_change_plan,
            (Param("what", is_optional=True, choices=("edit", "accept", "dismiss")),),
        ),
        Command(
            "table",
            "show the newest table; with columns (name, price:number) your next message asks for one",
            session.show_or_ask_table,
            (Param("columns", "rest", is_optional=True),),
        ),
        Command(
            "save",
            "save the newest table as .csv, .xlsx or .json",
            session.save_table,
            (Param("file", "rest"),),
        ),
        Command("state", "goal, plan, facts and usage", session.show_state),
        Command("sessions", "your newest sessions", session.show_all),
        Command(
            "launch", "open an address in the session's browser", browser.act, (Param("url"),), by_hand=True
        ),
        Command("observe", "see the page and its elements", browser.observe, by_hand=True),
        Command("click", "click an element of the last observation", browser.act, (_EID,), by_hand=True),
        Command("type", "type into an element", browser.act, (_EID, Param("text", "rest")), by_hand=True),
        Command(
            "scroll",
            "scroll the page, AMOUNT in pixels",
            browser.act,
            (
                Param("direction", is_optional=True, choices=DIRECTIONS),
                Param("amount", "number", is_optional=True),
            ),
            by_hand=True,
        ),
        Command(
            "wait",
            "let the page go on for MS milliseconds",
            browser.act,
            (Param("ms", "number", is_optional=True),),
            by_hand=True,
        ),
        Command("screenshot", "picture the page", browser.act, by_hand=True),
        Command("help", "this list", _show_help),
    )
}
