"""Puts a known secret into every secret field, with debug logging on, and looks for them wherever they must not be.

canaries.py PROGRAM PLUGINS
"""

import base64
import sys
import urllib.parse

from login import LOGOUT, Browser
from objects import Objects
from receiver import Receiver
from server import API, PRIMARY, SECRETS, Checks, Server, bearer
from smtp import SmtpServer
from telephone import Telephone

CHECKS = Checks()


class Canaries:
    def __init__(self, server):
        self.server = server
        self.secrets = dict(SECRETS)
        self.errors = []
        self.admin = {}

    def ask(self, method, path, body=None, headers=None, tenant=PRIMARY):
        answer = self.server.ask(method, path, body, self.admin if headers is None else headers, tenant)
        if answer.status >= 400:
            self.errors.append(answer.body.decode(errors="replace") + str(answer.headers))
        return answer

    def expect(self, answer, status, what):
        CHECKS.check(answer.status == status, f"{what}: {answer.status} {answer.body[:200]!r}")
        return answer.json() if answer.status == status else {}

    def plant(self, receiver):
        token = self.server.token("alice", PRIMARY)
        self.secrets["access token"] = token
        self.admin = bearer(token)
        key = self.expect(self.ask("POST", API + "/admin/keys", {"name": "canary"}), 201, "a key")
        self.secrets["key"] = key.get("key", "")
        self.secrets["webhook"] = "canary-webhook-4Kd8s2Zp7Qx"
        self.expect(self.ask("POST", API + "/admin/webhooks", {"url": receiver.url + "/hook", "events": ["*"], "secret": self.secrets["webhook"]}), 201, "a webhook")
        self.secrets["call"] = "canary-call-key-9Rv3n7Lm"
        body = {"phone": "+4930123456", "systemPrompt": "Be brief.", "apiKey": self.secrets["call"]}
        self.expect(self.ask("POST", API + "/calls", body), 200, "a call")
        self.expect(self.ask("POST", API + "/calls", {**body, "scheduleAtUtc": "2027-10-01T00:00:00Z"}), 200, "a scheduled call")
        self.number()
        self.user()
        self.share()
        self.login()

    def number(self):
        """The engine's key of a virtual number: in the answer, as specified, and nowhere else."""
        self.secrets["number"] = "canary-number-key-2Wc6f8Hy"
        body = {"name": "canary", "number": "+4930999999", "apiKey": self.secrets["number"], "systemPrompt": "x"}
        self.expect(self.server.ask("POST", API + "/admin/numbers", body, self.admin), 201, "a number")

    def user(self):
        self.secrets["user"] = "canary-user-password-7Tb1x5Gk"
        body = {"username": "canary", "role": "user", "password": self.secrets["user"]}
        made = self.expect(self.server.ask("POST", API + "/admin/users", body, self.admin), 201, "a user")
        self.secrets["sip"] = made.get("sipPassword", "")
        CHECKS.check(self.secrets["sip"] != "", "a SIP password")

    def share(self):
        """A link to a transcript, opened once; also asked in wrong ways."""
        self.secrets["share"] = token = Objects(self.server, self.admin, PRIMARY).share("token")
        CHECKS.check(self.server.ask("GET", "/share/" + token).status == 200, "the share is shown")
        for path in (f"/share/{token}x", f"/share/{token}/", f"/share/{token}?tenant=x"):
            self.ask("GET", path)
            self.ask("DELETE", path)

    def login(self):
        """Code, cookies and tokens of the login page; also sent to the wrong places."""
        browser = Browser(self.server)
        code = browser.sent(browser.sign_in("alice"))
        CHECKS.check(code != "", "a code")
        tokens = self.expect(browser.exchange(code), 200, "tokens")
        self.secrets.update({"code": code, "refresh token": tokens.get("refresh_token", ""), "id token": tokens.get("id_token", ""), "token of a code": tokens.get("access_token", "")})
        self.secrets.update({f"cookie {name}": value for name, value in browser.cookies.items()})
        for secret in (code, tokens.get("id_token", ""), tokens.get("refresh_token", "")):
            for path, fields in (("/oidc.ashx/authorize", browser.request(login_hint="x", id_token_hint=secret)), (LOGOUT, {"id_token_hint": secret, "client_id": secret})):
                answer = browser.ask("GET", path, fields)
                self.errors.append(answer.body.decode(errors="replace") + str({name: value for name, value in answer.headers.items() if name not in ("set-cookie", "location")}))
            for path in ("/oidc.ashx/token", "/oidc.ashx/revoke"):
                self.ask("POST", path, urllib.parse.urlencode({"token": secret, "client_id": secret, "grant_type": secret}), {})
        browser.exchange(code)  # used twice
        browser.sign_in("bob", "canary-wrong-password-3Qp")
        self.secrets["wrong password"] = "canary-wrong-password-3Qp"

    def provoke(self):
        """Errors around each secret: broken JSON, wrong types, wrong places, wrong credentials."""
        for name, secret in list(self.secrets.items()):
            if not secret:
                continue
            for path in ("/calls", "/admin/webhooks", "/admin/keys", "/admin/numbers", "/admin/users"):
                for body in (f'{{"apiKey": "{secret}"', f'{{"apiKey": ["{secret}"], "secret": {{"{secret}": 1}}}}', f'"{secret}"', secret, f'{{"{secret}": 1}}'):
                    self.ask("POST", API + path, body)
            self.ask("GET", API + "/calls?status=" + urllib.parse.quote(secret))
            self.ask("GET", API + "/calls", headers=bearer(secret))
            form = urllib.parse.urlencode({"grant_type": "password", "client_id": "patchbay-admin", "username": "alice", "password": secret + "x"})
            self.ask("POST", "/oidc.ashx/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
            self.ask("GET", "/signal.ashx?whitelist=list", headers={"X-Platform-Admin-Signature": secret})

    def search(self, where, text, but=()):
        for name, secret in self.secrets.items():
            if not secret or name in but:
                continue
            for form in {secret, urllib.parse.quote(secret), base64.b64encode(secret.encode()).decode().rstrip("="), secret.encode().hex()}:
                CHECKS.check(form not in text, f"the secret '{name}' is in {where}")


def main():
    smtp = SmtpServer(SECRETS["smtp"])
    server = Server(sys.argv[1], sys.argv[2], telephone=Telephone(), mail=smtp)
    canaries = Canaries(server)
    receiver = Receiver()
    try:
        canaries.plant(receiver)
        CHECKS.check(any(b"outbound-ai.finished" in one.body for one in receiver.wait_for(1)), "the call's end reaches the webhook")
        canaries.provoke()
        mails = smtp.wait_for(2)
        CHECKS.check(len(mails) >= 2, f"{len(mails)} mails")
        dump = server.postgres.dump() if server.postgres else ""
        CHECKS.check(not server.postgres or "canary" in dump, "the dump has the rows")  # names, not secrets
    finally:
        CHECKS.check(server.close() == 0, "the server ends orderly")
    canaries.search("the log", server.log())
    canaries.search("an error", "\n".join(canaries.errors))
    canaries.search("a webhook", "\n".join(str(one.headers) + one.body.decode() for one in receiver.deliveries))
    canaries.search("the dump of the database", dump)
    for mail in mails:
        canaries.search("a mail", mail)
    for name, octets in server.files():
        canaries.search(f"the file {name}", octets.decode("latin-1"))
    CHECKS.exit()


main()
