"""A browser at the login page: keeps cookies and fills in the form, for the client `portal` of server.py."""

import base64
import hashlib
import html
import os
import re
import urllib.parse

from server import PRIMARY, SECRETS

AUTHORIZE = "/oidc.ashx/authorize"
LOGOUT = "/oidc.ashx/logout"
BACK = "https://portal.example/cb"


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


class Browser:
    def __init__(self, server, tenant=PRIMARY, source=None):
        self.server = server
        self.source = source
        self.tenant = tenant
        self.cookies = {}
        self.verifier = base64url(os.urandom(32))

    def ask(self, method, path, fields, but_cookies=False):
        form = urllib.parse.urlencode(fields)
        headers = {} if but_cookies else {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if method == "GET":
            answer = self.server.ask("GET", path + ("?" + form if form else ""), None, headers, self.tenant, source=self.source)
        else:
            answer = self.server.ask("POST", path, form, {**headers, "Content-Type": "application/x-www-form-urlencoded"}, self.tenant, source=self.source)
        cookie = answer.headers.get("set-cookie", "")
        if cookie:
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer

    def request(self, **changes):
        challenge = base64url(hashlib.sha256(self.verifier.encode()).digest())
        return {"response_type": "code", "client_id": "portal", "redirect_uri": BACK, "scope": "openid offline_access", "state": "s",
                "code_challenge": challenge, "code_challenge_method": "S256", **changes}

    @staticmethod
    def ticket(answer):
        found = re.search(rb'name="ticket" value="([^"]*)"', answer.body)
        return html.unescape(found.group(1).decode()) if found else ""

    def sign_in(self, username="alice", password=None, **changes):
        """The answer to the form."""
        shown = self.ask("GET", AUTHORIZE, self.request(**changes))
        return self.ask("POST", AUTHORIZE, {"ticket": self.ticket(shown), "username": username, "password": password or SECRETS[username]})

    @staticmethod
    def sent(answer, name="code"):
        """A parameter that the redirect sends to the client."""
        query = urllib.parse.urlparse(answer.headers.get("location", "")).query
        return urllib.parse.parse_qs(query).get(name, [""])[0]

    def exchange(self, code, **changes):
        form = {"grant_type": "authorization_code", "client_id": "portal", "code": code, "redirect_uri": BACK, "code_verifier": self.verifier, **changes}
        return self.server.ask("POST", "/oidc.ashx/token", urllib.parse.urlencode(form), {}, self.tenant, source=self.source)
