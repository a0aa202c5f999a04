"""Objects of a tenant for operations whose path or query names one: made over REST, as clients make them."""

import os
import time

from receiver import Receiver
from server import API

PHONE = "+4930123456"
FUTURE = "2027-10-01T00:00:00Z"
END_S = 60  # a hang, not a slow machine


def random_number():
    return f"+4{int.from_bytes(os.urandom(5), 'big')}"


class Objects:
    """`credentials` are an admin's of the tenant. The server's trunk leads to a Telephone."""

    def __init__(self, server, credentials, tenant):
        self.server = server
        self.credentials = credentials
        self.tenant = tenant
        self.receiver = Receiver()
        self.transcripts = []
        self.hook = None

    def ask(self, method, path, body=None):
        return self.server.ask(method, path if path.startswith("/signal") else API + path, body, self.credentials, self.tenant)

    def made(self, path, body, member):
        answer = self.ask("POST", path, body)
        if answer.status not in (200, 201, 202):
            raise RuntimeError(f"no object of {path}: {answer.status} {answer.body[:200]!r}")
        return next(value for key, value in answer.json().items() if key.lower() == member.lower())

    def until(self, path, done):
        """The JSON of the path once `done` says so of it."""
        end = time.monotonic() + END_S
        while True:
            value = self.ask("GET", path).json()
            if done(value):
                return value
            if time.monotonic() > end:
                raise RuntimeError(f"{path} stays {str(value)[:500]}")
            time.sleep(0.02)

    # --- one kind each

    def call(self):
        return self.made("/calls", {"phone": PHONE, "systemPrompt": "x", "scheduleAtUtc": FUTURE}, "callId")

    def ended_call(self):
        """A call with a transcript, until somebody deletes that (spent())."""
        if not self.transcripts:
            self.whitelist_entry(PHONE)
            calls = [self.made("/calls", {"phone": PHONE, "systemPrompt": "x"}, "callId") for _ in range(4)]
            for call in calls:
                self.until(f"/calls/{call}", lambda one: one["status"].startswith("ended-"))
            self.transcripts = [call for call in calls if self.ask("GET", f"/transcripts/{call}").status == 200]
            if not self.transcripts:
                raise RuntimeError("no call has a transcript: " + self.ask("GET", f"/calls/{calls[0]}").body.decode())
        return self.transcripts[-1]

    def spent(self):
        self.transcripts.pop()

    def file(self):
        return self.ended_call() + ".json"

    def share(self, member="id"):
        return self.made("/admin/shares", {"file": self.file(), "ttlHours": 1}, member)

    def whitelist_entry(self, number=None):
        number = number or random_number()
        self.made("/signal.ashx?whitelist=add", {"number": number}, "number")
        return number

    def webhook(self):
        return self.made("/admin/webhooks", {"url": self.receiver.url, "events": ["webhook.test"]}, "id")

    def ended_delivery(self):
        """(subscription, delivery)"""
        self.hook = self.hook or self.webhook()
        sent = self.made(f"/admin/webhooks/{self.hook}/test", None, "deliveryId")
        self.until(f"/admin/webhooks/{self.hook}/deliveries?limit=500", lambda page: any(one["deliveryId"] == sent and one["endedUtc"] for one in page["data"]))
        return self.hook, sent

    def values(self, operation, queried=None):
        """{parameter of the path or, by default if it is required, of the query: value} that names an object made for this request."""
        path = operation.path.removeprefix(API)
        if queried is None:
            queried = {one["name"] for one in operation.parameters("query") if one.get("required")}
        if path.startswith("/admin/webhooks/{id}/deliveries/"):
            return dict(zip(("id", "deliveryId"), self.ended_delivery()))
        if "match" in queried or path.startswith("/outbound-routes/"):
            return {"match": self.made("/outbound-routes", {"match": random_number(), "trunkIds": ["main"]}, "match")}
        if "did" in queried or path.startswith("/inbound-routes/"):
            return {"did": self.made("/inbound-routes", {"did": random_number(), "user": "somebody"}, "did")}
        makers = {
            "/calls/{id}/ladder": lambda: {"id": self.ended_call()},
            "/calls/{id}": lambda: {"id": self.call()},
            "/transcripts/{callId}": lambda: {"callId": self.ended_call()},
            "/admin/webhooks/{id}": lambda: {"id": self.webhook()},
            "/admin/keys/{id}": lambda: {"id": self.made("/admin/keys", {"name": f"k{os.urandom(6).hex()}"}, "id")},
            "/admin/numbers/{number}": lambda: {"number": self.made("/admin/numbers", {"name": "n", "number": random_number(), "mode": "disabled"}, "number")},
            "/admin/users/{username}": lambda: {"username": self.made("/admin/users", {"username": f"u{os.urandom(6).hex()}", "role": "user"}, "username")},
            "/admin/whitelist/{number}": lambda: {"number": self.whitelist_entry()},
            "/admin/shares/{id}": lambda: {"id": self.share()},
            "/share/{token}": lambda: {"token": self.share("token")},
        }
        for prefix, make in makers.items():
            if path.startswith(prefix):
                return make()
        return {}
