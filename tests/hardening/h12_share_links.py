"""H12: what a link to a shared transcript gives away, and to whom."""

import os
import time

from main import run
from receiver import Receiver
from server import API, bearer

GUESSES = int(os.environ.get("PATCHBAY_GUESSES", "2000"))


def check(server, checks):
    admin = bearer(server.token("alice", "localhost"))
    receiver = Receiver()
    server.ask("POST", API + "/admin/webhooks", {"url": receiver.url, "events": ["share.created", "share.viewed", "share.revoked"]}, admin)
    checks.check(server.ask("GET", "/share/unknown").status == 404, "an unknown token")
    unknown = server.ask("GET", "/share/" + "A" * 43, None, {"Accept": "application/json"})
    for token in ("A" * 42, "A" * 44, "A", "%00", "..%2F..", "A" * 2000, "' OR 1=1 --".replace(" ", "%20")):
        answer = server.ask("GET", "/share/" + token, None, {"Accept": "application/json"})
        checks.check(answer.status in (404, 400) and (answer.status != 404 or answer.body == unknown.body), f"the token {token[:12]}: {answer.status} {answer.body[:100]!r}")
    for status, name, value in ((404, "referrer-policy", "no-referrer"), (404, "x-robots-tag", "noindex")):
        checks.check(unknown.status == status and value in unknown.headers.get(name, ""), f"{name} of a 404: {unknown.headers.get(name)}")
    answer = server.ask("POST", API + "/admin/shares", {"file": "oac-000000000000.json", "ttlHours": 1}, admin)
    checks.check(answer.status == 404, f"a share of nothing: {answer.status} {answer.body[:100]!r}")
    for body in ({"file": "../../etc/passwd", "ttlHours": 1}, {"file": "x", "ttlHours": -1}, {"file": "x", "ttlHours": 8761}, {"file": "x\u0000", "ttlHours": 1}, {"ttlHours": 1}):
        answer = server.ask("POST", API + "/admin/shares", body, admin)
        checks.check(answer.status in (400, 404), f"{body}: {answer.status}")
    guesses(server, checks)


def guesses(server, checks):
    statuses = {}
    for i in range(GUESSES):
        status = server.ask("GET", f"/share/{i:043d}").status
        statuses[status] = statuses.get(status, 0) + 1
    checks.check(set(statuses) <= {404, 429} and 429 in statuses, f"{GUESSES} guesses: {statuses}")
    began = time.monotonic()
    checks.check(server.ask("GET", API).status == 200 and time.monotonic() - began < 30, "others are served meanwhile")


run(check)
