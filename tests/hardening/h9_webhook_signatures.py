"""H9: deliveries are signed over their raw bytes, keep their id and body over attempts, and count only 2xx as success.

The back-offs of 5, 30 and 120 s are tested on a test-driven clock (tests/plugins/webhooks); here the first two attempts are waited for.
"""

import hashlib
import hmac

from main import run
from receiver import Receiver
from server import API, bearer

SECRET = "an-h9-secret-that-is-long-Zq8w2"
NAMES = ["plain", "Zoë", "日本語", "emoji 😀", "quotes \" and \\", "line\nbreak", "right-to-left \u202e", "e\u0301", "<script>", "\u2028", "x" * 200]


def signature(octets, secret=SECRET):
    return "sha256=" + hmac.new(secret.encode(), octets, hashlib.sha256).hexdigest()


def check(server, checks):
    admin = bearer(server.token("alice", "localhost"))
    receiver = Receiver(answer)
    for path in ("/ok", "/redirect", "/fails-once"):
        made = server.ask("POST", API + "/admin/webhooks", {"url": receiver.url + path, "events": ["outbound-ai.finished"], "secret": SECRET}, admin)
        checks.check(made.status == 201, f"a subscription: {made.status} {made.body[:200]!r}")
    calls = 0
    for _ in range(91):
        for name in NAMES:
            body = {"phone": "+4930123456", "displayName": name, "systemPrompt": "x", "scheduleAtUtc": "2027-10-01T00:00:00Z"}
            made = server.ask("POST", API + "/calls", body, admin)
            if made.status == 400:
                continue  # a name that is refused
            cancelled = server.ask("POST", f"{API}/calls/{made.json()['callId']}/hangup", None, admin)
            calls += cancelled.status == 200
    delivered = receiver.wait_for(calls, "/ok", 240)
    checks.check(len(delivered) == calls and calls >= 500, f"{len(delivered)} deliveries of {calls}")
    for one in delivered:
        checks.check(one.headers["x-platform-signature"] == signature(one.body), f"the signature of {one.body[:100]!r}")
        stamped = one.headers["x-platform-timestamp"].encode() + b"." + one.body
        checks.check(one.headers["x-platform-signature-v2"] == signature(stamped), "the second signature")
        checks.check(one.headers["x-platform-attempt"] == "1" and one.headers["x-platform-event"] == one.json()["event"], "attempt and event")
    ids = [one.headers["x-platform-delivery-id"] for one in delivered]
    checks.check(len(set(ids)) == len(ids), "each event has a delivery id of its own")
    checks.check({one.json()["data"]["displayName"] for one in delivered} >= {"Zoë", "日本語"}, "names are sent as they are")
    retried(receiver, checks)
    checks.check(not any(one.path == "/elsewhere" for one in receiver.deliveries), "a redirect was followed")


def answer(delivery):
    if delivery.path == "/redirect":
        return 302, {"Location": "/elsewhere"}, b""
    if delivery.path == "/fails-once":
        return 500 if delivery.headers["x-platform-attempt"] == "1" else 204
    return 200


def retried(receiver, checks):
    """The second attempt has the same id, body and signature."""
    by_id = {}
    with receiver.changed:
        receiver.changed.wait_for(lambda: any(one.headers["x-platform-attempt"] == "2" and one.path == "/fails-once" for one in receiver.deliveries), timeout=120)
    for one in receiver.deliveries:
        if one.path == "/fails-once":
            by_id.setdefault(one.headers["x-platform-delivery-id"], []).append(one)
    twice = [attempts for attempts in by_id.values() if len(attempts) > 1]
    checks.check(bool(twice), "a failed delivery is tried again")
    for first, second in (attempts[:2] for attempts in twice):
        checks.check(first.body == second.body and first.headers["x-platform-signature"] == second.headers["x-platform-signature"], "the same body and signature")
        checks.check((first.headers["x-platform-attempt"], second.headers["x-platform-attempt"]) == ("1", "2"), "attempts are counted")


run(check)
