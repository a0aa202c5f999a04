"""H8: API keys are stored as hashes, and a revoked key ends at once, for every thread."""

import concurrent.futures
import hashlib
import threading

from main import run
from server import API, bearer


def check(server, checks):
    admin = bearer(server.token("alice", "localhost"))
    made = server.ask("POST", API + "/admin/keys", {"name": "h8"}, admin).json()
    key = made["key"]
    checks.check(key.startswith("ak_") and len(key) == 46 and key[3:].isalnum(), "the key's form")
    listed = server.ask("GET", API + "/admin/keys", None, admin)
    checks.check(key not in listed.body.decode(), "the list shows no key")
    stored(server, checks, key)
    for wrong in (key[:-1], key + "A", key.upper(), key[:-1] + ("A" if key[-1] != "A" else "B"), "ak_", "ak_" + "\x00" * 43, "AK_" + key[3:]):
        try:
            answer = server.ask("GET", API + "/calls", None, bearer(wrong))
        except ValueError:
            continue  # the client refuses to send it
        checks.check(answer.status in (400, 401), f"a changed key: {answer.status}")
    revoked_under_load(server, checks, admin, made)


def stored(server, checks, key):
    found = False
    digest = hashlib.sha256(key.encode())
    for name, octets in server.files():
        checks.check(key.encode() not in octets, f"{name} has the key")
        found = found or digest.digest() in octets or digest.hexdigest().encode() in octets
    checks.check(found, "the database has the key's SHA-256")


def revoked_under_load(server, checks, admin, made):
    """100 threads use the key while it is revoked: no request that began after the revocation's answer succeeds."""
    revoked = threading.Event()
    ended = threading.Event()

    def use(_):
        wrong = used = 0
        while not ended.is_set():
            began_after = revoked.is_set()
            status = server.ask("GET", API + "/calls?limit=1", None, bearer(made["key"])).status
            used += status == 200
            wrong += began_after and status != 401 and status != 429
        return used, wrong

    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        results = [pool.submit(use, i) for i in range(100)]
        for _ in range(20):
            server.ask("GET", API + "/calls", None, admin)
        answer = server.ask("DELETE", f"{API}/admin/keys/{made['id']}", None, admin)
        revoked.set()
        checks.check(answer.status == 200, f"the revocation: {answer.status}")
        for _ in range(20):
            server.ask("GET", API + "/calls", None, admin)
        ended.set()
        counts = [one.result(timeout=120) for one in results]
    checks.check(sum(used for used, _ in counts) > 0, "the key was used before")
    checks.check(sum(wrong for _, wrong in counts) == 0, f"{sum(wrong for _, wrong in counts)} requests succeeded after the revocation")


run(check, limits="connections: 4000, connectionsPerAddress: 2000")
