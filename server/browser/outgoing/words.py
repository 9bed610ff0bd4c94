"""The English words of paths, parameters and operations by which requests are judged. One table for all sites.

Programmers name what their servers do in English, whatever language a page has. A word decides alone (`EFFECTS`,
`HARMLESS`), or as what something is done to (`OBJECTS`, `HARMLESS_OBJECTS`); `EDITS` decide only together with those.
"""

from __future__ import annotations

import re
from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REQUEST_EFFECTS = {
    "pay": "pay payment payout payouts charge capture transfer withdraw withdrawal deposit refund donate donation tip "
    "payall settle topup sepa",
    "order": "purchase buy order reorder checkout placeorder book reserve reservation bid complete completion hire rent",
    "send": "send resend submit submission reply respond forward invite invitation inviting notify mail email sms message "
    "call dial postmessage compose contact sendmail request ask share tweet dm broadcast",
    "publish": "publish post repost reblog retweet release comment review rate rating vote upvote downvote like favourite "
    "favorite react reaction follow fork announce report flag boost public visibility statuses",
    "delete": "delete del remove destroy erase purge trash wipe drop terminate unlink revoke kick discard expunge "
    "permanently uninstall batchdelete bulkdelete delist prune",
    "end": "cancel cancellation end unsubscribe unfollow leave quit resign rollback stop expire withdraw void close closed",
    "account": "password passwd mfa otp totp 2fa permission permissions role roles grant access privilege owner admin "
    "superuser member members membership collaborator credential credentials apikey token secret keys signup register "
    "registration enroll enrol subscribe subscription subscriptions deactivate suspend ban block unblock mute disable "
    "enable activate confidential delegate delegates forwarding policy acl iam promote demote kyc username webhook "
    "webhooks hook hooks join authorize newsletter protection",
    "legal": "sign signature accept agree approve consentform attest certify declare petition",
    "approve": "approve approval reject decline deny moderate merge dismissreport adjudicate",
    "system": "deploy deployment reboot restart shutdown unlock lock start execute exec run trigger dispatch dispatches "
    "install upgrade migrate scale provision commit push rerun retry open arm disarm launch activate_selected",
    "unknown_submit": "archive transition transitions assign assignee confirm finish finalize enqueue import upload attach "
    "attachment schedule reschedule modify rename move create insert savesubmission write publishall schedulemessage "
    "worklog",
}
_EFFECT_OBJECTS = {
    "pay": "invoice invoices iban transaction transactions wallet billing bank money amount",
    "order": "orders booking bookings ticket tickets appointment appointments seat seats subscription ride rides trip",
    "send": "messages mails emails chat invites invitations applications application campaigns calls answer answers",
    "publish": "posts comments reviews reactions votes statuses tweets stories gist gists notes pulls issues reports topics",
    "account": "users user accounts account profile members collaborators webhooks delegates address addresses relationships "
    "subscribers followers organizations orgs group groups customer customers",
    "system": "deployments servers instances droplets pods domains env dns pipeline pipelines jobs plugins plugin "
    "workflow workflows sprint",
    "legal": "petition contract claims claim",
    "unknown_submit": "card cards board boards project projects task tasks events event items item files documents links "
    "products offers lists products contents",
}
HARMLESS = word_set(
    "search suggest suggestion suggestions autosuggest autocomplete complete_search typeahead filter "
    "filters sort query queries lookup find fetch get list load read show view viewed views browse "
    "explore count counts validate validation validations validator check verifyaddress preview render "
    "draft drafts autosave autosaves heartbeat keepalive poll longpolling polling seen ack markers marker "
    "mark timing timings typing presence log logs logger logging track tracker tracking metric metrics "
    "telemetry analytics stats statistics consent cookie cookies estimate estimation calculate "
    "calculation calculations quote recommendation recommendations recently recent translate translation "
    "geocode eta availability available compare lint parse eval expression freebusy locale localization "
    "lang language setlang theme refresh sync onchange describe expand collapse toggle_sidebar sidebar "
    "columns dismiss dismissed tour onboarding hint markdown markdownify experiment experiments feature "
    "flags abtest impression impressions pageview pageviews hit collector collect beacon rum vitals "
    "errors error crash csp cspreport ping health science history facets scroll thumbnail thumb oembed "
    "embed hover prefetch warmup debug usage timeline feed bookmark bookmarks snooze postboxes "
    "mypreferences myprefs remaining reminderseen test simulate dryrun onchange bulkfetch captcha "
    "recaptcha challenge locales currency unread pagination fragments nonce csrf session sessions info "
    "busy details"
)
HARMLESS_OBJECTS = word_set(
    "cart carts basket baskets bag wishlist wishlists favorites_list saved voucher vouchers coupon "
    "coupons discount notification notifications preference preferences prefs settings_ui draft drafts "
    "comparison compare filter filters search view views layout"
)
EDITS = word_set(
    "add new create edit update set change save apply put patch remove delete clear insert toggle move "
    "select post batch bulk mine all me self bump reset item items lines product products codes quantity"
)
READS = word_set(
    "get list load fetch find search query describe lookup count check validate preview estimate "
    "calculate test track log view is has read show suggest autocomplete filter sync render parse poll "
    "ping mark generate refresh compute"
)
SUBMITS = word_set(
    "submit complete completion order place placeorder pay payment checkout purchase buy confirm send "
    "share publish"
)
"""Effects that also the cart, a draft or a filter of a page can have."""

QUERY_WORDS = word_set(
    "preview seen search suggest autocomplete validate validation check lookup count estimate postboxes "
    "list info details options autosave viewed"
)
"""A segment that ends with one looks at what the words before it name."""

BASKET_KEYS = word_set(
    "item items sku product id variant size color colour qty quantity amount option options"
)
"""Words of what is sent to put something into a basket: `/add` with nothing else does that."""

TELEMETRY = word_set(
    "collect rum envelope csp-report cspreport gen_204 beacon telemetry analytics pageview metrics "
    "monorail produce_batch matomo.php piwik.php clog web-vitals web-pixels logger clientlog jslog "
    "js_errors heartbeat ping"
)
"""Path segments of measurements, as written."""
TELEMETRY_PATHS = re.compile(
    r"/api/\d+/(?:envelope|store)/?$|/v1/(?:t|track|batch|p|m)/?$|/(?:e|i/v\d/e|decide)/?$|/(?:b|6)$|/j?/?g?/collect$"
    r"|/_?log(?:s|/|$)|/cdn-cgi/|/api/event$"
)
SELECTORS = word_set(
    "action op do method _method type operationname command cmd task mode event wc-ajax ajax info act "
    "func function order_action bulk_action methodname"
)
"""Names of fields whose value says what a request does."""

SIGNALS = word_set(
    "ping pong heartbeat keepalive ack subscribe unsubscribe sub unsub subscription join leave listen watch unwatch "
    "connect connected connection disconnect init hello handshake phx_join phx_leave phx phoenix typing presence cursor "
    "seen resume reconnect rejoin"
)
"""Words of messages over a socket that open, keep and close a channel, or say that a person is present."""
WRAPPERS = word_set("event events msg method call data emit push type command")
"""Words by which such a message says no more than that it is one."""
SENDING = word_set("message send publish")
"""As these, but where nothing else is said, something is sent to others."""

EFFECTS = {word: kind for kind, text in _REQUEST_EFFECTS.items() for word in text.split()}
OBJECTS = {word: kind for kind, text in _EFFECT_OBJECTS.items() for word in text.split()}

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+[a-z]+|\d+")
_LONGEST_FIRST = sorted((word for word in {*EFFECTS, *READS} if len(word) > 3), key=len, reverse=True)
_STARTS = re.compile("|".join(map(re.escape, _LONGEST_FIRST)))


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """Split a path segment, key or operation at signs and case changes, in lower case, without plurals of known words.

    A word without a break that begins with a known verb is split there: `deleteuser`.
    """
    found: list[str] = []
    for piece in _PIECES.findall(text[:120]):
        word = piece.lower()
        if word.isdigit():
            continue
        if is_known(word):
            found.append(word)
        elif word.endswith("s") and is_known(word[:-1]):
            found.append(word[:-1])
        elif (start := _STARTS.match(word)) and len(word) - start.end() > 2:
            found += [start[0], word[start.end() :]]
        else:
            found.append(word)
    return tuple(found)


@lru_cache(maxsize=4096)
def is_known(word: str) -> bool:
    return any(word in table for table in (EFFECTS, OBJECTS, HARMLESS, HARMLESS_OBJECTS, EDITS, READS))
