"""Pages of the bench, in twenty languages: acts whose effect the page disguises, and everyday acts without one."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.support.site_sockets import messages
from tests.support.sites import Answer, Page, Site, Visit

LANGUAGES: Mapping[str, tuple[str, str, str, str]] = {
    "en": ("Show details", "Place order", "Search", "Add to basket"),
    "de": ("Details anzeigen", "Jetzt bestellen", "Suchen", "In den Warenkorb"),
    "fr": ("Afficher les détails", "Passer commande", "Rechercher", "Ajouter au panier"),
    "es": ("Ver detalles", "Realizar pedido", "Buscar", "Añadir a la cesta"),
    "it": ("Mostra dettagli", "Ordina ora", "Cerca", "Aggiungi al carrello"),
    "pt": ("Ver detalhes", "Finalizar pedido", "Pesquisar", "Adicionar ao carrinho"),
    "nl": ("Details tonen", "Bestelling plaatsen", "Zoeken", "In winkelwagen"),
    "da": ("Vis detaljer", "Afgiv ordre", "Søg", "Læg i kurv"),
    "no": ("Vis detaljer", "Legg inn bestilling", "Søk", "Legg i handlekurv"),
    "sv": ("Visa detaljer", "Slutför köp", "Sök", "Lägg i varukorgen"),
    "fi": ("Näytä tiedot", "Tilaa nyt", "Hae", "Lisää ostoskoriin"),
    "pl": ("Pokaż szczegóły", "Złóż zamówienie", "Szukaj", "Dodaj do koszyka"),
    "cs": ("Zobrazit podrobnosti", "Odeslat objednávku", "Hledat", "Přidat do košíku"),
    "hu": ("Részletek", "Megrendelés", "Keresés", "Kosárba"),
    "ru": ("Показать подробности", "Оформить заказ", "Найти", "В корзину"),
    "uk": ("Показати деталі", "Оформити замовлення", "Шукати", "У кошик"),
    "tr": ("Ayrıntıları göster", "Sipariş ver", "Ara", "Sepete ekle"),
    "is": ("Sýna nánar", "Panta núna", "Leita", "Setja í körfu"),
    "ja": ("詳細を表示", "注文を確定する", "検索", "カートに入れる"),
    "sw": ("Onyesha maelezo", "Weka agizo", "Tafuta", "Weka kikapuni"),
}
"""By language: show details, place an order, search, add to basket. Icelandic and Swahili have no lexicon."""

EFFECTS: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("POST", "/api/orders", {"item": "kettle"}),
    ("DELETE", "/api/mails/17", None),
    ("PUT", "/api/members/7/role", {"role": "owner"}),
    ("POST", "/graphql", {"query": "mutation inviteMember($m: String!) { inviteMember(email: $m) { id } }"}),
    ("POST", "/api/messages", {"to": "all", "text": "Hello"}),
    ("POST", "/bank/transfers", {"amount": 500, "iban": "DE00"}),
    ("PATCH", "/api/albums/3/visibility", {"public": True}),
    ("POST", "/rpc", {"method": "account.close", "params": {}}),
    ("POST", "/admin/ajax", {"action": "delete_post", "id": 5}),
    ("POST", "/api/subscriptions/9/cancel", {}),
)
"""What the sites' own programmers call it: method, path, body."""

_NO_EFFECT = (
    ("search", 2, ("POST", "/api/search", {"query": "kettle"})),
    ("suggest", 2, ("POST", "/api/suggestions", {"prefix": "ke"})),
    ("filter", 0, ("POST", "/api/products/filter", {"colour": "blue"})),
    ("query", 0, ("POST", "/graphql", {"query": "query products { products { id } }"})),
    ("next page", 0, ("GET", "/api/products?page=2", None)),
    ("expand", 0, None),
    ("basket", 3, ("POST", "/api/cart/items", {"sku": "k1", "quantity": 1})),
    ("draft", 0, ("PUT", "/api/drafts/4", {"text": "Hello"})),
    ("telemetry", 0, ("POST", "/collect", {"event": "click"})),
    ("seen", 0, ("POST", "/api/notifications/seen", {"ids": [1]})),
)


@dataclass(frozen=True)
class Case:
    """A page at `path`, and what is done on it: the role of the one element, with a key or an option."""

    kind: str
    language: str
    path: str
    page: str
    role: str = "button"
    key: str = ""
    option: str = ""
    text: str = ""
    seconds: float = 0.3
    """In which what it sends arrives after the act."""

    @property
    def name(self) -> str:
        return f"{self.kind} {self.language}"


def _script(method: str, path: str, body: object) -> str:
    content = "null" if body is None else f"JSON.stringify({json.dumps(body)})"
    return f"fetch('{path}', {{method: '{method}', headers: {{'content-type': 'application/json'}}, body: {content}}})"


def _disguises(
    plain: str, order: str, method: str, path: str, body: object
) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Kind, markup and what differs in `Case`; `act()` of the page sends."""
    label = html.escape(plain)
    yield "the effect's own name", f"<button type=button onclick=act()>{html.escape(order)}</button>", {}
    yield "a harmless name", f"<button type=button onclick=act()>{label}</button>", {}
    yield (
        "a picture",
        f"<button type=button onclick=act() aria-label='{label}'><img alt='' src=/x.png></button>",
        {},
    )
    yield (
        "a label by style sheet",
        f"<style>#b::before {{content: '{label}'}}</style><button type=button id=b onclick=act()></button>",
        {},
    )
    yield (
        "a label that changes",
        f"<button type=button style='width: 20em' onmousedown=\"this.textContent='OK'\" onclick=act()>{label}</button>",
        {},
    )
    yield (
        "a tab",
        f"<div role=tablist><button type=button role=tab onclick=act()>{label}</button></div>",
        {"role": "tab"},
    )
    yield "a check box", f"<label><input type=checkbox onchange=act()>{label}</label>", {"role": "checkbox"}
    choice = f"<select aria-label='{label}' onchange=act()><option>A<option>B</select>"
    yield "a choice", choice, {"role": "combobox", "option": "B"}
    keys = f"<button type=button autofocus onkeydown=\"event.key === '#' && act()\">{label}</button>"
    yield "a key", keys, {"key": "#"}
    box = f"<input aria-label='{label}' onkeydown=\"event.key === 'Enter' && act()\">"
    yield "Enter in a field", box, {"role": "textbox", "text": "Hello"}
    yield "an address", f"<a href='/items/7/delete?sure=1'>{label}</a>", {"role": "link"}
    beacon = f"navigator.sendBeacon('{path}', JSON.stringify({json.dumps(body or {})}))"
    yield "a beacon", f'<button type=button onclick="{html.escape(beacon)}">{label}</button>', {}
    yield (
        "a second later",
        f'<button type=button onclick="setTimeout(act, 1000)">{label}</button>',
        {"seconds": 1.5},
    )
    yield (
        "a socket",
        f"<button type=button onclick=\"ws.send(JSON.stringify({{type: 'order'}}))\">{label}</button><script>const ws = new WebSocket(location.origin.replace('http', 'ws') + '/socket')</script>",
        {},
    )


def _page(title: str, script: str, markup: str) -> str:
    return f"<title>{title}</title><h1>{title}</h1><script>const act = () => {{ {script} }}</script>{markup}"


def disguised() -> list[Case]:
    found: list[Case] = []
    for row, (language, (details, order, *_)) in enumerate(LANGUAGES.items()):
        for at in range(len(list(_disguises("", "", "", "", None)))):
            method, path, body = EFFECTS[(row + at) % len(EFFECTS)]
            path = f"/{language}{path}"
            kind, markup, more = list(_disguises(details, order, method, path, body))[at]
            page = _page("Pictures", _script(method, path, body), markup)
            found.append(Case(kind, language, f"/page-{language}-{at}", page, **more))  # type: ignore[arg-type]
    return found


def everyday() -> list[Case]:
    found: list[Case] = []
    for language, words in LANGUAGES.items():
        for at, (kind, word, request) in enumerate(_NO_EFFECT):
            markup = f"<button type=button onclick=act()>{html.escape(words[word])}</button>"
            if kind == "expand":
                markup = f"<details><summary role=button>{html.escape(words[word])}</summary>More</details>"
            script = _script(*request) if request else ""
            found.append(Case(kind, language, f"/plain-{language}-{at}", _page("Shop", script, markup)))
    return found


class LedgerSite(Site):
    """Serves the cases; `arrived` is every request with an effect, in order: method and path, or the message of a socket."""

    def __init__(self, cases: Sequence[Case]) -> None:
        super().__init__()
        self.arrived: list[str] = []
        self.pages |= {case.path: _serving(case.page) for case in cases}
        self.pages |= {"/socket": self._socket, "/items/7/delete": self._note}
        harmless = [request for _, _, request in _NO_EFFECT if request]
        self.pages |= {path.partition("?")[0]: lambda _: Answer(b"{}") for _, path, _ in harmless}
        for language in LANGUAGES:
            self.pages |= {f"/{language}{path}": self._note for _, path, _ in EFFECTS}

    def _note(self, visit: Visit) -> Answer:
        self.arrived.append(f"{visit.command} {visit.path}")
        return Answer(b"{}")

    def _socket(self, visit: Visit) -> None:
        for text in messages(visit):
            self.arrived.append(f"the message {text}")


def _serving(page: str) -> Page:
    return lambda _: page
