"""H5: the OWASP API top 10, beside the matrix of tenants (tests/contract/tenant_matrix.py) and the inventory (contract.py)."""

import json

from main import run
from server import API, ORDINARY, PRIMARY, bearer

FUTURE = "2027-10-01T00:00:00Z"


def check(server, checks):
    admin = bearer(server.token("alice", PRIMARY))
    other = bearer(server.token("carol", ORDINARY))
    key = server.ask("POST", API + "/admin/keys", {"name": "h5"}, admin).json()["key"]
    answer = server.ask("POST", API + "/admin/keys", {"name": "h5-2"}, bearer(key))
    checks.check(answer.status == 403, f"a key mints a key: {answer.status}")
    foreign_objects(server, checks, admin, other)
    extra_members(server, checks, admin)
    headers(server, checks, admin)


def foreign_objects(server, checks, admin, other):
    """An object of another tenant is the same 404 as one that does not exist."""
    call = server.ask("POST", API + "/calls", {"phone": "+4930123456", "systemPrompt": "x", "scheduleAtUtc": FUTURE}, admin).json()["callId"]
    hook = server.ask("POST", API + "/admin/webhooks", {"url": "http://127.0.0.1:9/h5", "events": ["*"]}, admin).json()["id"]
    for method, path, missing in (("GET", f"/calls/{call}", "/calls/oac-000000000000"), ("POST", f"/calls/{call}/hangup", "/calls/oac-000000000000/hangup"),
                                  ("GET", f"/transcripts/{call}", "/transcripts/oac-000000000000"),
                                  ("DELETE", f"/admin/webhooks/{hook}", "/admin/webhooks/0000000000000000"),
                                  ("PATCH", f"/admin/webhooks/{hook}", "/admin/webhooks/0000000000000000"),
                                  ("POST", f"/admin/webhooks/{hook}/rotate", "/admin/webhooks/0000000000000000/rotate")):
        foreign = server.ask(method, API + path, {} if method == "PATCH" else None, other, ORDINARY)
        absent = server.ask(method, API + missing, {} if method == "PATCH" else None, other, ORDINARY)
        checks.check(foreign.status == 404 and foreign.body == absent.body, f"{method} {path}: {foreign.status} {foreign.body[:100]!r}, {absent.body[:100]!r}")
    checks.check(server.ask("GET", f"{API}/calls/{call}", None, admin).json()["status"] == "scheduled", "the foreign hangup had no effect")


def extra_members(server, checks, admin):
    """Members that a client must not set are ignored."""
    body = {"phone": "+4930123456", "systemPrompt": "x", "scheduleAtUtc": FUTURE, "tenant": ORDINARY, "callId": "oac-111111111111", "status": "ended-success",
            "requestedBy": "mallory", "attempt": 9, "trunkId": "x"}
    made = server.ask("POST", API + "/calls", body, admin).json()
    call = server.ask("GET", f"{API}/calls/{made['callId']}", None, admin).json()
    checks.check((call["tenant"], call["requestedBy"], call["status"], call["attempt"]) == (PRIMARY, "alice", "scheduled", 1), f"members of the server were set: {call}")
    checks.check(made["callId"] != "oac-111111111111", "the client chose the id")
    hook = server.ask("POST", API + "/admin/webhooks", {"url": "http://127.0.0.1:9/h5b", "events": ["*"], "createdBy": "mallory", "failures": 9, "tenant": ORDINARY}, admin).json()
    answer = server.ask("PATCH", f"{API}/admin/webhooks/{hook['id']}", {"createdBy": "mallory", "failures": 9, "id": "x", "tenant": ORDINARY}, admin)
    checks.check(answer.status == 200 and answer.json()["createdBy"] == "alice" and answer.json()["failures"] == 0, f"PATCH set more: {answer.body[:200]!r}")


def headers(server, checks, admin):
    """No store and no permission for other origins, whatever the status."""
    targets = [("GET", API, {}), ("GET", API + "/calls", admin), ("GET", API + "/calls", {}), ("GET", "/nothing", {}), ("DELETE", API, {}), ("GET", "/openapi.json", {}),
               ("GET", "/share/unknown", {}), ("GET", "/.well-known/openid-configuration", {}), ("POST", API + "/calls", admin), ("GET", "/signal.ashx?whitelist=list", {}),
               ("OPTIONS", API + "/calls", {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})]
    for method, target, credentials in targets:
        answer = server.ask(method, target, "{" if method == "POST" else None, {"Origin": "https://evil.example", **credentials})
        what = f"{method} {target} ({answer.status})"
        checks.check(answer.headers.get("cache-control") == "no-store", f"{what}: Cache-Control {answer.headers.get('cache-control')}")
        checks.check("access-control-allow-origin" not in answer.headers, f"{what}: allows another origin")
        checks.check(answer.headers.get("x-content-type-options") == "nosniff", f"{what}: no nosniff")
        checks.check("server" not in answer.headers, f"{what}: names its software")
        if answer.status >= 400 and answer.body and "json" in answer.headers["content-type"]:
            checks.check("error" in json.loads(answer.body), f"{what}: {answer.body[:100]!r}")


run(check)
