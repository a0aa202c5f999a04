"""H3: what a path names is decoded once, and rights are decided on the decoded route."""

import urllib.parse

from main import run
from server import API, ORDINARY, bearer

HOSTILE = ["%00", "%2e%2e", "..", "%2E%2E%2Fcalls", "%252A", "%252e%252e", "%c0%ae%c0%ae", "%ff", "%2F", "%5c..%5c", "%0d%0aX-A:b", "%E0%80%AF",
           "a%00b", "%", "%2", "%zz", "%u002a", "*%00", "%2A%2F..%2F..", ";x=y", "%3Fmatch=x", "%23x"]


def check(server, checks):
    admin = bearer(server.token("alice", "localhost"))
    user = bearer(server.token("bob", "localhost"))
    items = [API + "/calls/", API + "/transcripts/", API + "/outbound-routes/", API + "/inbound-routes/"]
    for item in items:
        for hostile in HOSTILE:
            answer = server.ask("GET", item + hostile, None, admin)
            checks.check(answer.status in (400, 404, 405), f"GET {item}{hostile}: {answer.status} {answer.body[:100]!r}")
            checks.check(answer.headers.get("cache-control") == "no-store", f"GET {item}{hostile}: no no-store")
            for method in ("DELETE", "PUT"):
                if "routes" in item:
                    answer = server.ask(method, item + hostile, {"user": "x", "trunkIds": ["main"]}, admin)
                    checks.check(answer.status in (400, 404, 405), f"{method} {item}{hostile}: {answer.status}")
            for credentials, status in (({}, 401), (user, 403)):
                answer = server.ask("GET", item + hostile, None, credentials)
                checks.check(answer.status in (status, 400, 404), f"GET {item}{hostile}, wrong rights: {answer.status}")
    once(server, checks, admin)
    disguised(server, checks, user)


def once(server, checks, admin):
    """`*` and `+` in an item's name, in both forms of the address; `%252A` names "%2A", not "*"."""
    made = server.ask("POST", API + "/outbound-routes", {"match": "+4977*", "trunkIds": ["main"]}, admin)
    checks.check(made.status == 201, f"a route: {made.status} {made.body[:200]!r}")
    quoted = urllib.parse.quote("+4977*", safe="")
    for target, status in (("/outbound-routes/" + quoted, 200), ("/outbound-routes/+4977*", 200), ("/outbound-routes/%252B4977*", 404),
                           ("/outbound-routes?match=" + quoted, 200), ("/outbound-routes?match=+4977*", 200)):
        answer = server.ask("GET", API + target, None, admin)
        checks.check(answer.status == status, f"GET {target}: {answer.status} instead of {status}")
    for target in ("/inbound-routes/%2A", "/inbound-routes/*", "/inbound-routes?did=%2A"):
        answer = server.ask("GET", API + target, None, admin)
        checks.check(answer.status == 200 and answer.json().get("did") == "*", f"GET {target}: {answer.status} {answer.body[:100]!r}")
    answer = server.ask("GET", API + "/inbound-routes/%252A", None, admin)
    checks.check(answer.status == 404, f"the catchall, coded twice: {answer.status}")
    answer = server.ask("DELETE", API + "/inbound-routes/%2A", None, admin)
    checks.check(answer.status == 400 and answer.json()["error"] == "cannot_delete_catchall", f"DELETE *: {answer.body[:100]!r}")


def disguised(server, checks, user):
    """No other spelling of an admin route gets past its check."""
    for path in ("/api.ashx//v1/calls", "/api.ashx/v1/./calls", "/x/../api.ashx/v1/calls", "/api.ashx/v1/calls/", "/api.ashx/v1/%63alls",
                 "/API.ASHX/v1/calls", "/api.ashx/v1/calls;x", "//api.ashx/v1/calls", "/api.ashx%2Fv1/calls", "/api.ashx/v1/calls%2F", "/api.ashx/v1\\calls"):
        for credentials in ({}, user):
            answer = server.ask("GET", path, None, credentials, ORDINARY if not credentials else "localhost")
            checks.check(answer.status in (400, 401, 403, 404), f"GET {path}: {answer.status}")


run(check)
