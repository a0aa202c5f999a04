"""H13: what the whitelist's weak signature does protect, and what is around it."""

import hashlib
import hmac

from main import run
from server import ORDINARY, PRIMARY, SECRETS, bearer


def signature(text, secret=SECRETS["shared"]):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def signed(text, secret=SECRETS["shared"]):
    return {"X-Platform-Admin-Signature": signature(text, secret)}


def check(server, checks):
    def ask(verb, headers, body=None, host=PRIMARY, method=None):
        return server.ask(method or ("GET" if verb == "list" else "POST"), f"/signal.ashx?whitelist={verb}", body, headers, host)

    def expect(what, answer, status):
        checks.check(answer.status == status, f"{what}: {answer.status} instead of {status}: {answer.body[:120]!r}")
        if status >= 400:
            checks.check(set(answer.json()) == {"error"}, f"{what}: the body is {answer.body[:120]!r}")

    body = '{"number":"+4930123456"}'
    listing, adding = f"whitelist-list|{PRIMARY}", f"whitelist-add|{PRIMARY}|{len(body)}"
    expect("a signed list", ask("list", signed(listing)), 200)
    expect("a signed add", ask("add", signed(adding), body), 200)
    expect("with the prefix", ask("list", {"X-Platform-Admin-Signature": "sha256=" + signature(listing)}), 200)
    expect("in upper case", ask("list", {"X-Platform-Admin-Signature": signature(listing).upper()}), 200)
    # The tenant is that of Host alone, without port, in lower case, without a dot at the end.
    for host in (PRIMARY.upper(), PRIMARY + ".", PRIMARY + ":8443"):
        expect(f"Host {host}", ask("list", signed(listing), host=host), 200)
    expect("X-Forwarded-Host is ignored", ask("list", {**signed(listing), "X-Forwarded-Host": ORDINARY}), 200)
    expect("X-Forwarded-Host does not choose", ask("list", {**signed(f"whitelist-list|{ORDINARY}", SECRETS["other-shared"]), "X-Forwarded-Host": ORDINARY}), 401)
    expect("another tenant's signature", ask("list", signed(listing), host=ORDINARY), 401)
    expect("an unknown tenant", ask("list", signed("whitelist-list|x.example"), host="x.example"), 503)
    # A signature is valid for one verb and one length.
    expect("list's signature for add", ask("add", signed(listing), body), 401)
    expect("add's signature for write", ask("write", signed(adding), '{"numbers":[]}'), 401)
    expect("another length", ask("add", signed(adding), body + " "), 401)
    for name, value in (("empty", ""), ("short", signature(listing)[:-1]), ("long", signature(listing) + "0"), ("no hex", "z" * 64), ("of another algorithm", "sha1=" + "0" * 40),
                        ("twice", signature(listing) + ", " + signature(listing))):
        expect(f"a signature that is {name}", ask("list", {"X-Platform-Admin-Signature": value}), 401)
    carol, alice, bob = (bearer(server.token(name, host)) for name, host in (("carol", ORDINARY), ("alice", PRIMARY), ("bob", PRIMARY)))
    expect("an admin of another tenant", ask("list", carol), 403)
    expect("a super-admin at another tenant", ask("list", alice, host=ORDINARY), 200)
    expect("a user", ask("list", bob), 403)
    expect("no credentials", ask("list", {}), 401)
    expect("GET for add", ask("add", signed(adding), None, method="GET"), 405)
    wrong = [ask("list", {"X-Platform-Admin-Signature": "0" * 64}).status for _ in range(150)]
    checks.check(wrong[0] == 401 and 429 in wrong and set(wrong) == {401, 429}, f"150 wrong signatures: {sorted(set(wrong))}")
    expect("an admin meanwhile", ask("list", alice), 200)
    checks.check(hashlib.sha256(body.encode()).hexdigest() in server.log(), "the log has the body's hash")


run(check)
