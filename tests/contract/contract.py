"""Asks every operation of /openapi.json with valid and invalid input, and compares each answer with the document.

contract.py PROGRAM PLUGINS
"""

import sys
import urllib.parse

from login import Browser
from objects import Objects
from openapi import FORM, MARK, Document, items_of, out_of_range, sample, types_of, wrong_types
from server import API, ORDINARY, PRIMARY, SECRETS, Checks, Server, bearer
from telephone import Telephone

# Not documented JSON over request and response: asked by tests of their own.
STREAMS = {"101", "206"}
UNKNOWN = "nothing"  # names no object

CHECKS = Checks()


def without(example, name):
    """The body without the member, in either case of its first letter."""
    return {key: value for key, value in example.items() if key[:1].lower() + key[1:] != name}


class Walk:
    def __init__(self, server):
        self.server = server
        self.document = Document(server.ask("GET", "/openapi.json").json())
        self.admin = bearer(server.token("alice", "localhost"))
        self.user = bearer(server.token("bob", "localhost"))
        self.other_admin = bearer(server.token("carol", ORDINARY))
        self.objects = Objects(server, self.admin, PRIMARY)

    # --- requests

    def target(self, operation, path=None, query=None):
        target = operation.path
        for one in operation.parameters("path"):
            value = (path or {}).get(one["name"], UNKNOWN)
            target = target.replace("{" + one["name"] + "}", urllib.parse.quote(value, safe=""))
        parameters = {
            one["name"]: str(sample(one["schema"])) for one in operation.parameters("query") if one.get("required")
        }
        parameters.update(query or {})
        return target + ("?" + urllib.parse.urlencode(parameters, errors="surrogatepass") if parameters else "")

    def send(self, operation, target, body=None, headers=None, tenant="localhost"):
        answer = self.server.ask(operation.method, target, body, self.admin if headers is None else headers, tenant)
        self.check_answer(operation, answer, target)
        return answer

    def check_answer(self, operation, answer, target):
        what = f"{operation} ({answer.status})"
        for fault in operation.faults(answer):
            CHECKS.check(False, f"{what}: {fault}")
        CHECKS.check(answer.status < 500 or answer.status in (502, 503), f"{what}: {answer.body[:200]!r}")
        CHECKS.check(answer.headers.get("cache-control") == "no-store", f"{what}: Cache-Control is not no-store")
        CHECKS.check(answer.headers.get("x-content-type-options") == "nosniff", f"{what}: no nosniff")
        CHECKS.check("x-request-id" in answer.headers, f"{what}: no X-Request-Id")
        CHECKS.check(MARK.encode() not in answer.body or answer.status < 400, f"{what}: the error repeats input: {answer.body[:200]!r}")
        if answer.status == 401:
            CHECKS.check("bearer" in answer.headers.get("www-authenticate", "").lower(), f"{what}: no WWW-Authenticate")
        if answer.status in (429, 503):
            CHECKS.check("retry-after" in answer.headers or answer.status == 503, f"{what}: no Retry-After")

    def expect(self, operation, answer, status, why):
        wanted = status if isinstance(status, tuple) else (status,)
        CHECKS.check(answer.status in wanted, f"{operation}, {why}: {answer.status} instead of {wanted}: {answer.body[:160]!r}")

    # --- the variants

    def valid(self, operation):
        """The example of a request, about an object that exists, is accepted, and the answer is as documented."""
        if operation.takes_form():
            self.form(operation)
            return
        accepted = (200, 409) if operation.path.endswith("/signing-keys/rotate") else (200, 201)  # 409: rotated a moment ago
        for query, _, example in operation.variants() or [({}, None, None)]:
            values = self.objects.values(operation)
            if operation.path == API + "/admin/shares" and example:
                example["file"] = self.objects.file()
            if operation.path == "/oidc.ashx/authorize" and operation.method == "GET":
                query = Browser(self.server).request()
            target = self.target(operation, values, {**query, **self.queried(operation, values)})
            answer = self.send(operation, target, example)
            self.expect(operation, answer, accepted, f"the example {query or ''}")
            if operation.path.startswith("/share/"):
                self.expect(operation, self.send(operation, target, None, {"Accept": "application/json"}), 200, "as JSON")
            if operation.method == "DELETE" and "/transcripts/" in operation.path:
                self.objects.spent()

    def form(self, operation):
        """The example of a form is accepted, with real secrets for its dots."""
        example = operation.form_example()
        if operation.path == "/oidc.ashx/authorize":
            example = urllib.parse.urlencode(Browser(self.server).request())
        login = f"grant_type=password&client_id=patchbay-admin&username=alice&password={SECRETS['alice']}&scope=openid%20offline_access"
        granted = self.server.ask("POST", "/oidc.ashx/token", login, {"Content-Type": FORM}).json()
        form = example.replace("rt_...", granted["refresh_token"]).replace("password=...", "password=" + SECRETS["alice"])
        CHECKS.check("..." not in form, f"the example of {operation} leaves out more than secrets: {example}")
        self.expect(operation, self.send(operation, self.target(operation), form, {"Content-Type": FORM}), 200, "the example's form")

    def lists(self):
        """The lists and items by query, now that they have rows."""
        for operation in self.document.operations:
            if operation.method != "GET" or operation.parameters("path") or operation.path == "/oidc.ashx/authorize":
                continue
            self.expect(operation, self.send(operation, self.target(operation)), 200, "with rows")
            row = self.objects.values(operation, {one["name"] for one in operation.parameters("query")})
            if row:
                self.expect(operation, self.send(operation, self.target(operation, None, row)), 200, f"with {sorted(row)}")

    @staticmethod
    def queried(operation, values):
        """Those of the values that name the object in the query."""
        return {one["name"]: values[one["name"]] for one in operation.parameters("query") if one.get("required") and one["name"] in values}

    def credentials(self, operation):
        if not operation.needs_bearer:
            return
        target = self.target(operation)
        body = operation.body_example()
        self.expect(operation, self.send(operation, target, body, {}), 401, "no bearer")
        self.expect(operation, self.send(operation, target, body, bearer("ak_" + "x" * 43)), 401, "unknown key")
        self.expect(operation, self.send(operation, target, body, bearer(MARK)), 401, "no token")
        if operation.role in ("admin", "super"):
            self.expect(operation, self.send(operation, target, body, self.user), 403, "role user")
        separator = "&" if "?" in target else "?"
        foreign = target + separator + "tenant=localhost"
        self.expect(operation, self.send(operation, foreign, body, self.other_admin, ORDINARY), 403, "foreign tenant")
        if operation.role == "super":
            self.expect(operation, self.send(operation, target, body, self.other_admin, ORDINARY), 403, "not super")

    def methods(self, operation):
        """A method that the path does not have is 405 and lists those that it has."""
        has = {one.method for one in self.document.operations if one.path == operation.path}
        if any(one.get("required") for other in self.document.operations if other.path == operation.path for one in other.parameters("query")):
            return  # the methods of each form of the path differ
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if method in has:
                continue
            answer = self.server.ask(method, self.target(operation), None, self.admin)
            allowed = {one.strip() for one in answer.headers.get("allow", "").split(",")}
            CHECKS.check(answer.status == 405, f"{method} {operation.path}: {answer.status} instead of 405")
            CHECKS.check(has <= allowed, f"{method} {operation.path}: Allow is {sorted(allowed)}")
            CHECKS.check(answer.headers.get("cache-control") == "no-store", f"{method} {operation.path}: no no-store")

    def path_values(self, operation):
        for one in operation.parameters("path"):
            for value in ("\0", MARK + "\0", "..", "%2A", "\udcff", "x" * 3000):
                target = self.target(operation, {one["name"]: value} if value != "\udcff" else {})
                if value == "\udcff":
                    target = target.replace(UNKNOWN, "%FF", 1)
                answer = self.server.ask(operation.method, target, operation.body_example(), self.admin)
                CHECKS.check(400 <= answer.status < 500, f"{operation}, {one['name']} = {value[:9]!r}: {answer.status}")
                CHECKS.check(answer.headers.get("cache-control") == "no-store", f"{operation}: no no-store")

    def query_values(self, operation):
        path = self.objects.values(operation) if operation.parameters("path") else {}
        for one in operation.parameters("query"):
            name, schema = one["name"], one["schema"]
            if name == "tenant":
                continue
            bad = [value for value in out_of_range(schema) if not (name == "limit" and value == schema.get("maximum", 0) + 1)]
            if "integer" in types_of(schema):
                bad += [MARK, "1.5", "1e3", "0x1", "-1" if schema.get("minimum", 0) >= 0 else "x"]
            if "string" in types_of(schema):
                bad += ["\0", MARK + "\0"]
            if "Comma-separated" in schema.get("description", ""):
                bad += [MARK, f"{schema.get('example', '')},{MARK}"]
            elif "string" in types_of(schema):
                # Free text: accepted or not, the error does not repeat it.
                self.send(operation, self.target(operation, path, {name: MARK}), operation.body_example())
            for value in bad:
                answer = self.send(operation, self.target(operation, path, {name: value}), operation.body_example())
                # Without a valid value of a parameter that tells routes apart, another route is asked.
                self.expect(operation, answer, (400, 404, 405) if one.get("required") else (400, 404), f"query {name} = {str(value)[:12]!r}")
                if answer.status == 400 and operation.body_schema() is None:
                    CHECKS.check(name in answer.body.decode(), f"{operation}: the error does not name {name}: {answer.body[:160]!r}")

    def body_values(self, operation):
        values = self.objects.values(operation) if operation.variants() else {}
        for query, schema, example in operation.variants():
            target = self.target(operation, values, {**query, **self.queried(operation, values)})
            if isinstance(example, dict):
                self.members(operation, target, self.document.resolve(schema), example)
            for text in ("[]", "{", '"x"', "1", '{"a":1}x', "\ufeff{}", "{" * 100):
                self.expect(operation, self.send(operation, target, text), 400, f"body {text[:9]!r}")

    def members(self, operation, target, schema, example):
        required = schema.get("required", [])
        for name in required:
            partial = without(example, name)
            self.refused(operation, target, partial, name, "missing")
            self.refused(operation, target, {**partial, name: None}, name, "null")
        for name, member in schema.get("properties", {}).items():
            member = self.document.resolve(member)
            if name not in required:
                self.optional_null(operation, target, without(example, name), name, member)
            for value in wrong_types(member):
                self.refused(operation, target, {**without(example, name), name: value}, name, f"of type {type(value).__name__}")
            for value in out_of_range(member):
                self.refused(operation, target, {**without(example, name), name: value}, name, f"out of range ({str(value)[:12]}...)")
            if "string" in types_of(member):
                for value in ("\0", MARK + "\0", "\ud800", "\udc00" + MARK):
                    self.refused(operation, target, self.raw({**without(example, name), name: value}), name, "NUL or surrogate")
            items = items_of(member)
            if items is not None:
                self.item_values(operation, target, self.document.resolve(items), {**without(example, name)}, name)
            elif "string" in types_of(member):
                self.send(operation, target, {**without(example, name), name: MARK})
            if name in example:
                pascal = name[:1].upper() + name[1:]
                if pascal != name:
                    self.refused(operation, target, {**example, pascal: example[name]}, name, "in both cases")

    def optional_null(self, operation, target, rest, name, member):
        """The document says that null may be sent for an optional member, and it means left out."""
        CHECKS.check(not types_of(member) or "null" in types_of(member), f"{operation}: null for {name} is not documented")
        answer = self.send(operation, target, {**rest, name: None})
        if answer.status == 400:
            left_out = self.send(operation, target, rest)
            CHECKS.check(answer.body == left_out.body, f"{operation}: null for {name} is not as if it were left out: {answer.body[:160]!r}")

    def item_values(self, operation, target, schema, rest, name):
        """Invalid items are refused; no error repeats one, whatever it is."""
        for value in wrong_types(schema) + out_of_range(schema):
            self.refused(operation, target, {**rest, name: [value]}, name, "with an invalid item")
        if "string" in types_of(schema):
            self.send(operation, target, {**rest, name: [MARK]})
            self.refused(operation, target, self.raw({**rest, name: [MARK + "\0"]}), name, "with NUL in an item")

    @staticmethod
    def raw(body):
        import json
        return json.dumps(body)  # ASCII: surrogates as escapes

    def refused(self, operation, target, body, name, why):
        answer = self.send(operation, target, body)
        self.expect(operation, answer, 400, f"{name} {why}")
        if answer.status == 400:
            CHECKS.check(name.lower() in answer.body.decode().lower(), f"{operation}: the error does not name {name}: {answer.body[:160]!r}")

    def run(self):
        for operation in self.document.operations:
            for fault in operation.example_faults():
                CHECKS.check(False, f"the example of {operation}, {fault}")
            if STREAMS & set(operation.node["responses"]):
                continue
            self.valid(operation)
            self.credentials(operation)
            self.methods(operation)
            self.path_values(operation)
            self.query_values(operation)
            self.body_values(operation)
        self.lists()
        CHECKS.check(len(self.document.operations) > 20, "the document has operations")


def main():
    server = Server(sys.argv[1], sys.argv[2], telephone=Telephone())
    try:
        Walk(server).run()
        CHECKS.check(server.process.poll() is None, "the server runs on")
    finally:
        status = server.close()
    CHECKS.check(status == 0, f"the server ends with {status}")
    CHECKS.exit()


main()
