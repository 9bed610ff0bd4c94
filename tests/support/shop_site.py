"""More pages for the small site: what an agent meets on real sites, kind and evil.

with Site() as site:
    open_shop(site)
    site.url("/shop")
"""

from __future__ import annotations

import html

from tests.support.sites import Answer, Site, Visit, document

PRICES = {"amber": "43.90", "blue": "39.50", "cream": "51.00"}


def open_shop(site: Site) -> None:
    """Adds all pages; effects are `add`, `order`, `send`, `code`, `pay`, `delete`, `iframe`."""
    site.pages |= {
        "/shop": _shop, "/cart": _cart, "/checkout": _checkout, "/order": _order, "/add": _add,
        "/compose": _compose, "/send": _sent, "/sign-in": _sign_in, "/code": _code, "/account": _account,
        "/endless-list": _endless, "/cookie-banner": _cookies, "/framed": _framed, "/frame": _frame, "/iframe": _sent,
        "/evil": _evil, "/pay": _sent, "/delete": _sent, "/swap": _swap,
    }  # fmt: skip
    for name in PRICES:
        site.pages[f"/kettle/{name}"] = _kettle


def _shop(visit: Visit) -> str:
    links = "".join(f"<li><a href=/kettle/{name}>{name.capitalize()} kettle</a></li>" for name in PRICES)
    return document("Kettles", f"<h1>Kettles</h1><ul>{links}</ul><a href=/cart>Cart</a>")


def _kettle(visit: Visit) -> str:
    name = visit.path.rpartition("/")[2]
    title = f"{name.capitalize()} kettle"
    return document(
        title,
        f"""<h1>{title}</h1><p>Price: €{PRICES[name]}</p>
        <form method=post action=/add><input type=hidden name=item value={name}>
        <button>Add to cart</button></form><a href=/shop>All kettles</a>""",
    )


def _add(visit: Visit) -> Answer:
    return Answer(status=303, headers={"Location": "/cart"})


def _cart(visit: Visit) -> str:
    return document("Cart", "<h1>Your cart</h1><p>1 kettle</p><a href=/checkout>Go to checkout</a>")


def _checkout(visit: Visit) -> str:
    """Chromium keeps no field of such a form in its session, and of others only what was typed seconds before its end."""
    return document(
        "Checkout",
        """<h1>Checkout</h1><form method=post action=/order autocomplete=off><h2>Review your order</h2>
        <p>Total: €39.50</p><label>Name <input name=name></label><button>Place order</button></form>""",
    )


def _order(visit: Visit) -> str:
    return document("Thank you", "<h1>Thank you</h1><p>Order number 1001</p>")


def _compose(visit: Visit) -> str:
    return document(
        "New message",
        """<h1>New message</h1><form method=post action=/send>
        <label>To <input name=to></label><label>Subject <input name=subject></label>
        <label>Message <textarea name=text></textarea></label><button>Send</button></form>""",
    )


def _sent(visit: Visit) -> str:
    return document("Done", "<h1>It is done</h1>")


def _sign_in(visit: Visit) -> str | Answer:
    if visit.command == "POST":
        return Answer(status=303, headers={"Location": "/code"})
    return document(
        "Sign in",
        """<h1>Sign in</h1><form method=post><label>User <input name=user></label>
        <label>Password <input type=password name=password></label><button>Sign in</button></form>""",
    )


def _code(visit: Visit) -> str | Answer:
    if visit.command == "POST":
        return Answer(status=303, headers={"Location": "/account", "Set-Cookie": "in=yes"})
    return document(
        "Second factor",
        """<h1>Enter the code</h1><form method=post>
        <label>Code <input name=code autocomplete=one-time-code></label><button>Verify</button></form>""",
    )


def _account(visit: Visit) -> str | Answer:
    if "in=yes" not in visit.cookie:
        return Answer(status=303, headers={"Location": "/sign-in"})
    return document("Account", "<h1>Welcome, Ann</h1><p>Balance: €1,234.00</p>")


def _endless(visit: Visit) -> str:
    return document(
        "List",
        """<h1>Items</h1><div id=list></div><script>
        let made = 0;
        const more = () => { for (let i = 0; i < 10; i++) {
          const row = document.createElement('p'); row.style.height = '80px';
          row.innerHTML = '<a href="/form">Item ' + (++made) + '</a>'; document.getElementById('list').append(row); } };
        more(); onscroll = () => { if (innerHeight + scrollY > document.body.scrollHeight - 400) more(); };
        </script>""",
    )


def _cookies(visit: Visit) -> str:
    return document(
        "News",
        """<h1>News</h1><p><a href=/form>Read the story</a></p>
        <div role=dialog aria-label="Cookies" id=banner style="position:fixed;inset:0;background:#fffd">
        <p>We value your privacy. We use cookies.</p>
        <button onclick="document.getElementById('banner').remove()">Only necessary</button>
        <button onclick="document.getElementById('banner').remove()">Accept all</button></div>""",
    )


def _framed(visit: Visit) -> str:
    return document(
        "Framed", "<h1>Newsletter</h1><iframe src=/frame title=form width=500 height=200></iframe>"
    )


def _frame(visit: Visit) -> str:
    return document(
        "Frame",
        """<form method=post action=/iframe><label>Search <input name=q></label>
        <button>Find</button></form>""",
    )


def _evil(visit: Visit) -> str:
    """`?say=` is what the page claims, `?button=` what its button says, `?to=` where it leads."""
    claim, button = html.escape(visit.query.get("say", "")), html.escape(visit.query.get("button", "Pay now"))
    return document(
        "Offers",
        f"""<h1>Offers</h1><p>{claim}</p><p style="display:none">{claim}</p>
        <img src=/x alt="{claim}" width=10 height=10><form method=post action="/{visit.query.get("to", "pay")}">
        <p aria-label="{claim}">Total: €999.00</p><button>{button}</button></form><!-- {claim} -->""",
    )


def _swap(visit: Visit) -> str:
    """Its button turns into another one as soon as `/swap-now` answers."""
    return document(
        "Offer",
        """<h1>Checkout</h1><form method=post action=/pay><p id=price>Total: €1.00</p>
        <button id=buy>Pay €1.00</button></form><script>
        const wait = async () => { const answer = await fetch('/swap-now');
          if (!answer.ok) return setTimeout(wait, 50);
          buy.textContent = 'Pay €999.00'; price.textContent = 'Total: €999.00'; document.title = 'Swapped'; };
        wait();</script>""",
    )
