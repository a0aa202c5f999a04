"""Ten kinds of callers at every operation, for an object of their tenant and for one of a foreign tenant.

tenant_matrix.py PROGRAM PLUGINS. The expected statuses are in tenant_matrix.table, written from the specification; an operation
that the table does not list fails the test.
"""

import os
import sys
import urllib.parse

from openapi import Document
from server import API, ORDINARY, PRIMARY, THIRD, Checks, Server, bearer

CHECKS = Checks()

# Columns of the table. All ask on the host of the tenant that owns the object.
CALLERS = (
    "none",         # no credentials
    "garbage",      # a bearer that was never issued
    "revoked",      # a key of the owner's tenant that was revoked
    "user",         # a user of the owner's tenant, without role admin
    "admin",        # an admin of the owner's tenant
    "key",          # an API key of the owner's tenant
    "foreign",      # an admin of another, not primary, tenant
    "foreign-key",  # an API key of that tenant
    "foreign-named",  # that admin, who names the owner's tenant by ?tenant=
    "super-named",  # an admin of the primary tenant, who names the owner's tenant by ?tenant=
)


def load_table(path):
    """{"GET /path": {caller: set of statuses}}; `-` is "not asked"."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                table[f"{words[0]} {words[1]}"] = dict(zip(CALLERS, ({int(s) for s in w.split("/")} if w != "-" else None for w in words[2:])))
    return table


class Matrix:
    """The objects belong to other.example; the foreign callers are of third.example."""

    def __init__(self, server):
        self.server = server
        self.document = Document(server.ask("GET", "/openapi.json").json())
        self.alice = bearer(server.token("alice", PRIMARY))
        self.carol = bearer(server.token("carol", ORDINARY))
        self.erin = bearer(server.token("erin", THIRD))
        self.callers = {
            "none": {},
            "garbage": bearer("ak_" + "A" * 43),
            "revoked": bearer(self.revoked_key()),
            "user": bearer(server.token("dave", ORDINARY)),
            "admin": self.carol,
            "key": bearer(self.new_key(self.carol, "matrix")["key"]),
            "foreign": self.erin,
            "foreign-key": bearer(self.new_key(self.erin, "matrix", THIRD)["key"]),
            "foreign-named": self.erin,
            "super-named": self.alice,
        }

    def new_key(self, credentials, name, tenant=ORDINARY):
        answer = self.server.ask("POST", API + "/admin/keys", {"name": name}, credentials, tenant)
        assert answer.status == 201, answer.body
        return answer.json()

    def revoked_key(self):
        made = self.new_key(self.carol, "revoked")
        assert self.server.ask("DELETE", API + "/admin/keys/" + made["id"], None, self.carol, ORDINARY).status == 200
        return made["key"]

    def object_path(self, operation):
        """The path of a fresh object of other.example, and the body for the operation."""
        makers = {
            "/calls/{id}": ("/calls", {"phone": "+4930123456", "systemPrompt": "x", "scheduleAtUtc": "2027-10-01T00:00:00Z"}, "callId"),
            "/admin/webhooks/{id}": ("/admin/webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["*"]}, "id"),
            "/admin/keys/{id}": ("/admin/keys", {"name": f"k{os.urandom(6).hex()}"}, "id"),
            "/outbound-routes/{match}": ("/outbound-routes", {"match": f"+4{int.from_bytes(os.urandom(5), 'big')}", "trunkIds": ["main"]}, "match"),
            "/inbound-routes/{did}": ("/inbound-routes", {"did": f"+4{int.from_bytes(os.urandom(5), 'big')}", "user": "dave"}, "did"),
            "/admin/numbers/{number}": ("/admin/numbers", {"name": f"n{os.urandom(6).hex()}", "number": f"+4{int.from_bytes(os.urandom(5), 'big')}", "mode": "disabled"}, "number"),
            "/admin/users/{username}": ("/admin/users", {"username": f"u{os.urandom(6).hex()}", "role": "user"}, "username"),
            "/admin/whitelist/{number}": None,
        }
        for prefix, maker in makers.items():
            if operation.path.startswith(API + prefix):
                if maker is None:
                    return self.whitelist_entry()
                where, body, member = maker
                answer = self.server.ask("POST", API + where, body, self.carol, ORDINARY)
                if answer.status not in (200, 201):
                    CHECKS.check(False, f"{operation}: no object of {where}: {answer.status} {answer.body[:200]!r}")
                    return operation.path
                made = answer.json()
                value = next((value for key, value in made.items() if key.lower() == member.lower()), "")
                name = operation.path.split("{", 1)[1].split("}", 1)[0]
                return operation.path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        return operation.path

    def whitelist_entry(self):
        number = f"+4{int.from_bytes(os.urandom(5), 'big')}"
        answer = self.server.ask("POST", "/signal.ashx?whitelist=add", {"number": number}, self.carol, ORDINARY)
        CHECKS.check(answer.status == 200, f"no whitelist entry: {answer.body[:200]!r}")
        return API + "/admin/whitelist/" + urllib.parse.quote(number, safe="")

    def ask(self, operation, caller):
        path = self.object_path(operation).replace("{", "x").replace("}", "x")
        required = {one["name"]: one["schema"].get("enum", ["x"])[0] for one in operation.parameters("query") if one.get("required")}
        if caller.endswith("-named"):
            required["tenant"] = ORDINARY
        host = THIRD if caller == "foreign-key" or caller == "foreign" else ORDINARY
        target = path + ("?" + urllib.parse.urlencode(required) if required else "")
        return self.server.ask(operation.method, target, operation.body_example(), self.callers[caller], host)

    def run(self, table):
        for operation in self.document.operations:
            expected = table.get(str(operation))
            if not CHECKS.check(expected is not None, f"{operation} is not in the table"):
                continue
            for caller, statuses in expected.items():
                if statuses is None:
                    continue
                answer = self.ask(operation, caller)
                CHECKS.check(answer.status in statuses, f"{operation}, {caller}: {answer.status} instead of {sorted(statuses)}: {answer.body[:160]!r}")
                if answer.status >= 400:
                    CHECKS.check(ORDINARY.encode() not in answer.body or not caller.startswith("foreign"), f"{operation}, {caller}: the error has the foreign tenant")
        for name in table:
            CHECKS.check(any(str(one) == name for one in self.document.operations), f"the table has {name}, the server does not")


def main():
    server = Server(sys.argv[1], sys.argv[2])
    try:
        Matrix(server).run(load_table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tenant_matrix.table")))
    finally:
        status = server.close()
    CHECKS.check(status == 0, f"the server ends with {status}")
    CHECKS.exit()


main()
