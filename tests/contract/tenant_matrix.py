"""Ten kinds of callers at every operation, for an object of their tenant and for one of a foreign tenant.

tenant_matrix.py PROGRAM PLUGINS. The expected statuses are in tenant_matrix.table, written from the specification; an operation
that the table does not list fails the test.
"""

import os
import sys
import urllib.parse

from objects import Objects
from openapi import Document
from server import API, ORDINARY, PRIMARY, THIRD, Checks, Server, bearer
from telephone import Telephone

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
        self.objects = Objects(server, self.carol, ORDINARY)
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

    def ask(self, operation, caller):
        values = self.objects.values(operation)
        path = operation.path
        for one in operation.parameters("path"):
            path = path.replace("{" + one["name"] + "}", urllib.parse.quote(str(values[one["name"]]), safe=""))
        required = {one["name"]: values.get(one["name"], one["schema"].get("enum", ["x"])[0]) for one in operation.parameters("query") if one.get("required")}
        if caller.endswith("-named"):
            required["tenant"] = ORDINARY
        host = THIRD if caller == "foreign-key" or caller == "foreign" else ORDINARY
        target = path + ("?" + urllib.parse.urlencode(required) if required else "")
        body = operation.body_example()
        if operation.path.endswith("/admin/shares") and body:
            body["file"] = self.objects.file()
        answer = self.server.ask(operation.method, target, body, self.callers[caller], host)
        if str(operation) == f"DELETE {API}/transcripts/{{callId}}" and answer.status == 200:
            self.objects.spent()
        return answer

    def own_objects_of_foreigners(self):
        """Their 404 above is that of a foreign object: what they own they reach in the same way."""
        own = Objects(self.server, self.erin, THIRD)
        paths = (f"/transcripts/{own.ended_call()}", f"/calls/{own.call()}")
        for path in paths:
            CHECKS.check(own.ask("GET", path).status == 200, f"GET {path} of its owner")
            CHECKS.check(self.objects.ask("GET", path).status == 404, f"GET {path} of {THIRD} by {ORDINARY}")
        CHECKS.check(own.ask("DELETE", "/admin/shares/" + own.share()).status == 200, "a share's owner revokes it")

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
        self.own_objects_of_foreigners()
        for name in table:
            CHECKS.check(any(str(one) == name for one in self.document.operations), f"the table has {name}, the server does not")


def main():
    server = Server(sys.argv[1], sys.argv[2], telephone=Telephone())
    try:
        Matrix(server).run(load_table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tenant_matrix.table")))
    finally:
        status = server.close()
    CHECKS.check(status == 0, f"the server ends with {status}")
    CHECKS.exit()


main()
