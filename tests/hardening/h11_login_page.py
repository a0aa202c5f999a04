"""H11: the pages of the login: no script, no frame, nothing unescaped, no foreign form, no open redirect. tests/npm has a browser."""

import html.parser
import urllib.parse

from login import AUTHORIZE, BACK, LOGOUT, Browser
from main import run
from server import ORDINARY, SECRETS, bearer

# Of the lists of naughty strings and cross-site scripting.
SCRIPTS = (
    "<script>alert(1)</script>", "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "\" onfocus=alert(1) autofocus x=\"",
    "</title><script>alert(1)</script>", "</style><script>alert(1)</script>", "javascript:alert(1)", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;",
    "{{constructor.constructor('alert(1)')()}}", "<!--", "]]>", "%3Cscript%3E", "\u2028<script>", "<scr\tipt>alert(1)</scr\tipt>", "\x07\x1b[31m", "a\r\nSet-Cookie: x=1",
    "<a href=\"javascript:alert(1)\">x</a>", "<iframe src=//evil.example>", "<base href=//evil.example>", "<meta http-equiv=refresh content=0>", "\ufeff<b>", "`${alert(1)}`",
)
ADDRESSES = (
    "https://evil.example/cb", "//evil.example", "https://portal.example.evil.example/cb", "https://portal.example@evil.example/cb", "https://portal.example/cb/../x",
    "https://portal.example/cb%2f", "https://portal.example/cb?x=1", "https://portal.example/cb#x", "http://portal.example/cb", "HTTPS://portal.example/cb",
    "https://portal.example:443/cb", "https://portal.example\\@evil.example/cb", "javascript:alert(1)", "data:text/html,x", "https://portal.example/cb ", " https://portal.example/cb",
    "http://127.0.0.1.evil.example/native", "http://127.0.0.1:80@evil.example/native", "http://127.0.0.2/native", "http://localhost/native", "http://[::1]/native",
    "http://127.0.0.1:99999/native", "http://127.0.0.1/native/../x", "https://127.0.0.1/native", "a\r\nLocation: https://evil.example",
)

# Of which the pages are made.
TAGS = {"html", "head", "meta", "link", "title", "style", "body", "main", "h1", "p", "b", "form", "input", "label", "button"}
ATTRIBUTES = {"lang", "charset", "name", "content", "rel", "href", "dir", "class", "role", "id", "method", "action", "type", "value", "for", "autocomplete", "autocapitalize",
              "autocorrect", "spellcheck", "maxlength", "required", "autofocus", "aria-describedby"}


class Elements(html.parser.HTMLParser):
    """The elements, attributes and references of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.links = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links.update(value for name, value in attrs if name in ("href", "action"))


def check(server, checks):
    browser = Browser(server)
    shown = browser.ask("GET", AUTHORIZE, browser.request())
    page(checks, "the login page", shown)
    checks.check(shown.status == 200 and b"Customer portal" in shown.body, f"the login page: {shown.status}")
    scripts(server, checks)
    addresses(server, checks)
    tickets(server, checks)
    cookies(server, checks)
    logout(server, checks)


def page(checks, what, answer):
    policy = answer.headers.get("content-security-policy", "")
    for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action "):
        checks.check(part in policy, f"{what}: the policy lacks {part}: {policy}")
    checks.check("unsafe" not in policy and "*" not in policy and "script-src" not in policy, f"{what}: {policy}")
    for name, value in (("x-frame-options", "DENY"), ("referrer-policy", "no-referrer"), ("cache-control", "no-store"), ("x-content-type-options", "nosniff")):
        checks.check(answer.headers.get(name) == value, f"{what}: {name} is {answer.headers.get(name)}")
    elements = Elements(answer.body.decode())
    checks.check(elements.tags <= TAGS and elements.attributes <= ATTRIBUTES, f"{what} has {elements.tags - TAGS} {elements.attributes - ATTRIBUTES}")
    checks.check(elements.links <= {"data:,", "authorize", "logout"}, f"{what} refers to {elements.links}")


def scripts(server, checks):
    """What a user or a client writes appears escaped, or not at all."""
    for number, text in enumerate(SCRIPTS):
        browser = Browser(server)
        shown = browser.ask("GET", AUTHORIZE, browser.request(login_hint=text, state=text, nonce=text, scope="openid " + text, ui_locales=text))
        page(checks, f"login_hint {text!r}", shown)
        # Answered by another user name each time, so that no limit is reached; the address has its own.
        if number < 5:
            again = browser.ask("POST", AUTHORIZE, {"ticket": browser.ticket(shown), "username": text[:120], "password": "x"})
            checks.check(again.status in (400, 429), f"user name {text!r}: {again.status}")
            page(checks, f"user name {text!r}", again)
        for name in ("client_id", "redirect_uri"):
            page(checks, f"{name} {text!r}", browser.ask("GET", AUTHORIZE, browser.request(**{name: text})))
        for name in ("id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint"):
            page(checks, f"logout, {name} {text!r}", browser.ask("GET", LOGOUT, {name: text}))
        error = browser.ask("GET", AUTHORIZE, browser.request(response_type=text, state=text))
        checks.check(error.status == 303 and error.headers["location"].startswith(BACK + "?error="), f"response_type {text!r}: {error.status}")
        checks.check(browser.sent(error, "state") == text, f"the state {text!r} comes back as {browser.sent(error, 'state')!r}")
        checks.check("x" not in error.headers.get("set-cookie", "").split("=")[0] or "patchbay" in error.headers.get("set-cookie", ""), f"{text!r} sets a cookie")


def addresses(server, checks):
    browser = Browser(server)
    for address in ADDRESSES:
        for method in ("GET", "POST"):
            answer = browser.ask(method, AUTHORIZE, browser.request(redirect_uri=address, prompt="none"))
            checks.check(answer.status == 400 and "location" not in answer.headers, f"redirect_uri {address!r}: {answer.status} {answer.headers.get('location')}")
            answer = browser.ask(method, LOGOUT, {"client_id": "portal", "post_logout_redirect_uri": address})
            checks.check(answer.status == 400 and "location" not in answer.headers, f"post_logout_redirect_uri {address!r}: {answer.status}")
    twice = server.ask("GET", AUTHORIZE + "?" + urllib.parse.urlencode(browser.request()) + "&redirect_uri=https%3A%2F%2Fevil.example")
    checks.check(twice.status == 400 and "location" not in twice.headers, f"redirect_uri twice: {twice.status}")


def tickets(server, checks):
    """A form counts only with its ticket, in the browser and at the tenant that it was shown to, for its purpose."""
    browser, attacker, elsewhere = Browser(server), Browser(server), Browser(server, ORDINARY)
    shown = browser.ask("GET", AUTHORIZE, browser.request())
    attacker.ask("GET", AUTHORIZE, attacker.request())
    ticket = browser.ticket(shown)
    credentials = {"username": "alice", "password": SECRETS["alice"]}
    question = browser.ticket(browser.ask("GET", LOGOUT, {}))
    payload, mac = ticket.split(".")
    wrong = {"empty": "x", "another purpose": question, "no signature": payload + ".", "no payload": "." + mac, "changed": payload[:-2] + "AA." + mac,
             "another signature": payload + "." + mac[::-1], "longer": ticket + "A", "three parts": ticket + "." + mac}
    for name, one in wrong.items():
        answer = browser.ask("POST", AUTHORIZE, {"ticket": one, **credentials})
        checks.check(answer.status == 400 and "location" not in answer.headers, f"a ticket, {name}: {answer.status}")
    checks.check(attacker.ask("POST", AUTHORIZE, {"ticket": ticket, **credentials}).status == 400, "a ticket of another browser")
    checks.check(browser.ask("POST", AUTHORIZE, {"ticket": ticket, **credentials}, but_cookies=True).status == 400, "a ticket without the cookie")
    elsewhere.cookies = dict(browser.cookies)
    checks.check(elsewhere.ask("POST", AUTHORIZE, {"ticket": ticket, **credentials}).status == 400, "a ticket at another tenant")
    checks.check(browser.ask("POST", AUTHORIZE, {"ticket": ticket, **credentials}).status == 303, "the ticket itself")


def cookies(server, checks):
    browser = Browser(server)
    answer = browser.sign_in()
    cookie = answer.headers.get("set-cookie", "")
    for attribute in ("HttpOnly", "SameSite=Lax", "Path=/"):
        checks.check(attribute in cookie, f"the session cookie has no {attribute}: {cookie}")
    checks.check("Domain" not in cookie, "the session cookie is of one host")
    checks.check(answer.headers.get("cache-control") == "no-store" and answer.headers.get("referrer-policy") == "no-referrer", "the redirect is not stored")
    elsewhere = Browser(server, ORDINARY)
    elsewhere.cookies = dict(browser.cookies)
    checks.check(elsewhere.ask("GET", AUTHORIZE, elsewhere.request()).status == 200, "a session of one tenant signs in at another")
    checks.check(browser.ask("GET", AUTHORIZE, browser.request()).status == 303, "the session signs in at its tenant")
    session = next(value for name, value in browser.cookies.items() if "session" in name)
    checks.check(server.ask("GET", "/oidc.ashx/userinfo", None, bearer(session)).status == 401, "a session cookie is no bearer")


def logout(server, checks):
    """Another site cannot sign a user out: it has no id_token, and the question needs its ticket."""
    browser = Browser(server)
    browser.sign_in()
    for fields in ({}, {"id_token_hint": "x"}, {"ticket": "x"}, {"client_id": "portal"}):
        page(checks, f"logout with {fields}", browser.ask("POST", LOGOUT, fields))
    checks.check(browser.ask("GET", AUTHORIZE, browser.request()).status == 303, "the session has ended without a question")
    asked = browser.ask("GET", LOGOUT, {})
    checks.check(browser.ask("POST", LOGOUT, {"ticket": browser.ticket(asked)}).status == 200, "the answer to the question")
    checks.check(browser.ask("GET", AUTHORIZE, browser.request()).status == 200, "the session has not ended")


run(check)
