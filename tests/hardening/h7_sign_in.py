"""H7: sign-in, refresh tokens, codes, throttling. The third-party client is tests/npm, with openid-client.

PATCHBAY_SIGN_INS=<number> also compares how long that many wrong users and wrong passwords take.
"""

import collections
import concurrent.futures
import os
import statistics
import time
import urllib.parse

from login import Browser
from main import run
from server import API, PRIMARY, SECRETS, bearer


SIGN_INS = int(os.environ.get("PATCHBAY_SIGN_INS", "0"))
MAX_DIFFERENCE = 0.05
ATTEMPTS = 15  # for an account, before attempts are delayed because it is attacked


def ask(server, source=None, **form):
    return server.ask("POST", "/oidc.ashx/token", urllib.parse.urlencode({"client_id": "patchbay-admin", **form}), {}, PRIMARY, source=source)


def sign_in(server, password=None, username="alice", scope="openid offline_access"):
    return ask(server, grant_type="password", username=username, password=password or SECRETS[username], scope=scope)


def refresh(server, token):
    return ask(server, grant_type="refresh_token", refresh_token=token)


def check(server, checks):
    first = sign_in(server).json()
    second = refresh(server, first["refresh_token"])
    checks.check(second.status == 200, f"a refresh: {second.status} {second.body!r}")
    checks.check(second.json()["refresh_token"] != first["refresh_token"], "the refresh token rotates")
    again = refresh(server, first["refresh_token"])
    checks.check(again.status == 400 and again.json()["error"] == "invalid_grant", f"the old one again: {again.body!r}")
    family = refresh(server, second.json()["refresh_token"])
    checks.check(family.status == 400, "its reuse revokes the family")
    checks.check("refresh_token" not in sign_in(server, scope="openid").json(), "no refresh token without offline_access")
    wrong_user = ask(server, grant_type="password", username="unknown", password="wrong")
    wrong_password = sign_in(server, "wrong")
    checks.check((wrong_user.status, wrong_user.body) == (wrong_password.status, wrong_password.body), f"{wrong_user.body!r} and {wrong_password.body!r}")
    hashed(server, checks)
    parallel(server, checks)
    codes(server, checks)
    throttled(server, checks)
    if SIGN_INS:
        timing(server, checks)


def timing(server, checks):
    """The time of an answer does not say whether a user exists: the medians of both differ by at most 5 %."""
    times = {"user": [], "unknown": []}
    admin = bearer(server.token("alice", PRIMARY))
    for i in range(SIGN_INS):
        account, number = divmod(i, ATTEMPTS)
        if number == 0:
            made = server.ask("POST", API + "/admin/users", {"username": f"user{account}", "role": "user"}, admin)
            checks.check(made.status == 201, f"user {account}: {made.status}")
        for kind in ("user", "unknown") if i % 2 else ("unknown", "user"):
            source = f"127.1.{i // 250}.{i % 250 + 1}"  # each where no limit is reached
            began = time.perf_counter()
            status = ask(server, source, grant_type="password", username=f"{kind}{account}", password="wrong-password").status
            times[kind].append(time.perf_counter() - began)
            checks.check(status == 400, f"sign-in {i} of {kind}{account}: {status}")
    password, user = (statistics.median(times[kind]) for kind in ("user", "unknown"))
    difference = abs(user / password - 1)
    print(f"median of {SIGN_INS}: wrong password {password * 1000:.2f} ms, wrong user {user * 1000:.2f} ms, {difference * 100:.1f} % apart")
    checks.check(difference <= MAX_DIFFERENCE, f"a wrong user and a wrong password are {difference * 100:.1f} % apart")


def parallel(server, checks):
    """50 uses of one refresh token at once: at most one succeeds."""
    token = sign_in(server).json()["refresh_token"]
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        statuses = collections.Counter(answer.status for answer in pool.map(lambda _: refresh(server, token), range(50)))
    checks.check(statuses[200] <= 1 and sum(statuses.values()) == 50 and not any(status >= 500 and status != 503 for status in statuses), f"50 at once: {dict(statuses)}")


def codes(server, checks):
    """20 uses of one code at once: at most one succeeds, and its tokens end."""
    browser = Browser(server, source="127.0.0.3")  # where no limit is reached yet
    signed_in = browser.sign_in("alice")
    code = browser.sent(signed_in)
    if not checks.check(signed_in.status == 303 and len(code) == 43, f"the login page: {signed_in.status}"):
        return
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: browser.exchange(code), range(20)))
    granted = [answer.json() for answer in answers if answer.status == 200]
    checks.check(len(granted) <= 1 and any(answer.status == 400 for answer in answers), f"{len(granted)} of 20 uses of one code: {[answer.status for answer in answers]}")
    for tokens in granted:
        checks.check(server.ask("GET", "/oidc.ashx/userinfo", None, bearer(tokens["access_token"])).status == 401, "the tokens of a code used twice")
    for secret in (code, *browser.cookies.values()):
        checks.check(not any(secret.encode() in octets for _, octets in server.files()), "the database has a code or a cookie")


def throttled(server, checks):
    """After 10 wrong passwords for an account from an address even the right one has to wait."""
    statuses = [ask(server, grant_type="password", username="bob", password=f"wrong{i}").status for i in range(12)]
    checks.check(429 in statuses and set(statuses) <= {400, 429}, f"12 wrong passwords: {statuses}")
    answer = sign_in(server, username="bob")
    checks.check(answer.status == 429 and "retry-after" in answer.headers, f"the right one afterwards: {answer.status}")


def hashed(server, checks):
    """The database has no password, and refresh tokens as hashes only."""
    token = sign_in(server).json()
    checks.check(server.ask("GET", API + "/calls", None, bearer(token["access_token"])).status == 200, "alice is not throttled")
    for name, octets in server.files():
        for secret in (SECRETS["alice"], token["refresh_token"], token["access_token"]):
            checks.check(secret.encode() not in octets, f"{name} has a secret")


run(check)
