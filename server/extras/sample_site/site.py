"""The sample site as an ASGI application, and the connection to it.

It listens on no port: a browser's proxy opens a connection to it in memory (`connect`). So no other program reaches it,
its address stays the same after a restart, and each process that has browsers serves them alone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from server.extras.sample_site.goods import BY_ID, DELIVERY_CENTS, GOODS, KETTLES
from server.extras.sample_site.visit import (
    MAX_BASKET_ITEMS,
    REPLY_CHARS,
    VISIT_COOKIE,
    Appointment,
    Order,
    SentReply,
    Visit,
)

HOST = "sample.localhost"
SITE_FOLDER = Path(__file__).parent
LANGUAGES = {"en": "English", "de": "Deutsch", "ru": "Русский"}
PASSWORD = "kettle"
"""Shown on the page: the account is made up, too."""
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
}
_TEXTS_BY_LANGUAGE = {
    code: json.loads((SITE_FOLDER / f"texts/{code}.json").read_text("utf-8")) for code in LANGUAGES
}
_PAGES = Environment(
    loader=FileSystemLoader(SITE_FOLDER / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
)


def page(request: Request, name: str, visit: Visit, *, status: int = 200, **values: object) -> Response:
    """The template `name` in the language of the address."""
    lang = request.path_params["lang"]
    html = _PAGES.get_template(f"{name}.html").render(
        lang=lang, t=_TEXTS_BY_LANGUAGE[lang], languages=LANGUAGES.items(), path=request.url.path.removeprefix(f"/{lang}"),
        visit=visit, goods=GOODS, money=lambda cents: money(cents, lang), decimal=lambda value: decimal(value, lang),
        **values,
    )  # fmt: skip
    response = HTMLResponse(html, status, HEADERS)
    response.set_cookie(VISIT_COOKIE, visit.to_cookie(), httponly=True, samesite="strict")
    return response


def money(cents: int, lang: str) -> str:
    return f"{decimal(cents / 100, lang, digits=2)} EUR"


def decimal(value: float, lang: str, *, digits: int = 1) -> str:
    text = f"{value:.{digits}f}"
    return text if lang == "en" else text.replace(".", ",")


def visit_of(request: Request) -> Visit:
    return Visit.read(request.cookies.get(VISIT_COOKIE, ""))


async def sent(request: Request) -> dict[str, str]:
    """The form's fields."""
    return {
        name: values[0]
        for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()
    }


def to(request: Request, place: str, visit: Visit) -> Response:
    """After a form: the page that shows what it did."""
    response = RedirectResponse(f"/{request.path_params['lang']}/{place}", 303, HEADERS)
    response.set_cookie(VISIT_COOKIE, visit.to_cookie(), httponly=True, samesite="strict")
    return response


async def entry(request: Request) -> Response:
    asked = request.headers.get("accept-language", "")[:2].lower()
    return RedirectResponse(f"/{asked if asked in LANGUAGES else 'en'}", 303, HEADERS)


async def home(request: Request) -> Response:
    return page(request, "home", visit_of(request))


async def shop(request: Request) -> Response:
    return page(request, "shop", visit_of(request))


async def product(request: Request) -> Response:
    good = BY_ID.get(request.path_params["id"])
    return page(request, "product", visit_of(request), one=good) if good else missing(request)


async def basket(request: Request) -> Response:
    visit = visit_of(request)
    if request.method == "POST":
        form = await sent(request)
        if form.get("add") in BY_ID and len(visit.basket) < MAX_BASKET_ITEMS:
            visit.basket.append(form["add"])
        elif "clear" in form:
            visit.basket.clear()
        return to(request, "basket", visit)
    return page(
        request, "basket", visit, lines=visit.lines(), total=visit.total_cents(), delivery=DELIVERY_CENTS
    )


async def order(request: Request) -> Response:
    visit = visit_of(request)
    if request.method == "POST":
        if visit.basket:
            visit.order = Order(number=f"HK-{secrets.randbelow(90_000) + 10_000}", cents=visit.total_cents())
            visit.basket.clear()
        return to(request, "order", visit)
    return page(request, "order", visit, kettles=KETTLES)


async def mail(request: Request) -> Response:
    return page(request, "mail", visit_of(request))


async def letter(request: Request) -> Response:
    visit, letters = visit_of(request), _TEXTS_BY_LANGUAGE[request.path_params["lang"]]["mails"]
    number = request.path_params["number"]
    if not 1 <= number <= len(letters):
        return missing(request)
    if request.method == "POST":
        text = (await sent(request)).get("text", "").strip()[:REPLY_CHARS]
        visit.reply = SentReply(to=number - 1, text=text) if text else None
        return to(request, "mail", visit)
    return page(request, "letter", visit, letter=letters[number - 1], number=number)


async def calendar(request: Request) -> Response:
    visit, texts = visit_of(request), _TEXTS_BY_LANGUAGE[request.path_params["lang"]]
    if request.method == "POST":
        form = await sent(request)
        day = form.get("day", "0")
        title, time = form.get("title", "").strip()[:80], form.get("time", "")[:5]
        if title and day in "0123456":
            visit.appointments = [*visit.appointments[-4:], Appointment(day=int(day), time=time, title=title)]
        return to(request, "calendar", visit)
    monday = date.today() - timedelta(days=date.today().weekday())
    entries = [*texts["appointments"], *(own.model_dump() for own in visit.appointments)]
    days = [
        {
            "name": name,
            "date": (monday + timedelta(days=at)).isoformat(),
            "entries": sorted((one for one in entries if one["day"] == at), key=lambda one: one["time"]),
        }
        for at, name in enumerate(texts["days"])
    ]
    return page(request, "calendar", visit, days=days)


async def stock(request: Request) -> Response:
    return page(request, "stock", visit_of(request))


async def account(request: Request) -> Response:
    visit = visit_of(request)
    if request.method == "POST":
        form = await sent(request)
        is_right = form.get("password") == PASSWORD and "leave" not in form
        visit.user = form.get("user", "")[:40] if is_right else ""
        visit.refused = not is_right and "leave" not in form
        return to(request, "account", visit)
    return page(request, "account", visit)


async def asset(request: Request) -> Response:
    return FileResponse(SITE_FOLDER / "static" / request.url.path.lstrip("/"), headers=HEADERS)


def missing(request: Request) -> Response:
    return page(request, "missing", visit_of(request), status=404)


async def not_found(request: Request, error: Exception) -> Response:
    first = request.url.path.split("/")[1:2]
    request.scope["path_params"] = {"lang": first[0] if first and first[0] in LANGUAGES else "en"}
    return missing(request)


_BOTH = ["GET", "POST"]


def _routes() -> list[Route]:
    routes = [Route("/", entry), Route("/site.css", asset), Route("/icon.svg", asset)]
    for lang in LANGUAGES:
        for path, handle, methods in (
            ("", home, ["GET"]), ("/shop", shop, ["GET"]), ("/shop/{id}", product, ["GET"]), ("/basket", basket, _BOTH),
            ("/order", order, _BOTH), ("/mail", mail, ["GET"]), ("/mail/{number:int}", letter, _BOTH),
            ("/calendar", calendar, _BOTH), ("/stock", stock, ["GET"]), ("/account", account, _BOTH),
        ):  # fmt: skip
            routes.append(Route(f"/{lang}{path}", _in(lang, handle), methods=methods))
    return routes


def _in(lang: str, handle: Any) -> Any:
    async def answer(request: Request) -> Response:
        request.path_params["lang"] = lang
        response: Response = await handle(request)
        return response

    return answer


class SampleSite:
    """`connect` opens a connection to the site, as often as a browser asks for one."""

    def __init__(self) -> None:
        app = Starlette(routes=_routes(), exception_handlers={404: not_found})
        self._config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, lifespan="off"
        )
        self._config.load()
        self._state = ServerState()

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The near end of a new connection, whose far end the site answers."""
        near, far = socket.socketpair()
        try:
            far.setblocking(False)
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: H11Protocol(self._config, self._state, {}), far
            )
            return await asyncio.open_connection(sock=near)
        except BaseException:
            near.close()
            far.close()
            raise
