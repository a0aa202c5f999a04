"""H4: traps for a JSON parser and for numbers in queries."""

import urllib.parse

from main import run
from server import API, bearer

CALL = '"phone":"+4930123456","systemPrompt":"x","scheduleAtUtc":"2027-10-01T00:00:00Z"'
# name, members beside those of CALL, statuses
MEMBERS = [
    ("nothing more", "", {200}),
    ("an unknown member", ',"unknown":1', {200}),
    ("the same name twice", ',"retries":1,"retries":2', {400}),
    ("both cases of a name", ',"retries":1,"Retries":1', {400}),
    ("1e400", ',"retries":1e400', {400}),
    ("-0", ',"retries":-0', {200, 400}),
    ("2^53 + 1", ',"retries":9007199254740993', {400}),
    ("2^64", ',"retries":18446744073709551616', {400}),
    ("10000 digits", ',"retries":' + "9" * 10000, {400}),
    ("a fraction", ',"retries":1.5', {400}),
    ("a whole number as a fraction", ',"retries":1.0', {200, 400}),
    ("text for a number", ',"retries":"1"', {400}),
    ("hexadecimal", ',"retries":0x1', {400}),
    ("a leading zero", ',"retries":01', {400}),
    ("a plus sign", ',"retries":+1', {400}),
    ("NaN", ',"retries":NaN', {400}),
    ("Infinity", ',"retries":Infinity', {400}),
    ("a trailing comma", ",", {400}),
    ("a comment", ",/* */", {400}),
    ("single quotes", ",'retries':1", {400}),
    ("a lone high surrogate", ',"displayName":"\\ud800"', {400}),
    ("a lone low surrogate", ',"displayName":"\\udc00"', {400}),
    ("surrogates in the wrong order", ',"displayName":"\\udc00\\ud800"', {400}),
    ("NUL", ',"displayName":"a\\u0000b"', {400}),
    ("NUL in a name", ',"a\\u0000b":1', {200, 400}),
    ("a surrogate pair", ',"displayName":"\\ud83d\\ude00"', {200}),
    ("a tab, unescaped", ',"displayName":"a\tb"', {400}),
    ("an unknown escape", ',"displayName":"\\x41"', {400}),
    ("32 levels of arrays", ',"unknown":' + "[" * 40 + "]" * 40, {400}),
    ("100000 levels of arrays", ',"unknown":' + "[" * 100000, {400, 413}),
]
WHOLE = [
    ("two values", "{" + CALL + "}{}", {400}),
    ("octets after the value", "{" + CALL + "}x", {400}),
    ("a byte order mark", "\ufeff{" + CALL + "}", {400}),
    ("invalid UTF-8", b'{"phone":"\xff"}', {400}),
    ("overlong UTF-8", b'{"phone":"\xc0\xaf"}', {400}),
    ("a surrogate as UTF-8", b'{"phone":"\xed\xa0\x80"}', {400}),
    ("UTF-16", ("{" + CALL + "}").encode("utf-16"), {400}),
    ("a NUL octet", b'{"phone":"\x00"}', {400}),
    ("an array", "[]", {400}),
    ("a text", '"x"', {400}),
    ("nothing", "", {400}),
]
NUMBERS = ["-1", "0x10", "1e3", "1.0", " 1", "+1x", "-9223372036854775809", "NaN", "", "１"]
HUGE = ["9223372036854775807", "9223372036854775808", "18446744073709551617", "9" * 400]


def check(server, checks):
    admin = bearer(server.token("alice", "localhost"))
    for name, members, statuses in MEMBERS:
        expect(server, checks, admin, name, "{" + CALL + members + "}", statuses)
    for name, body, statuses in WHOLE:
        expect(server, checks, admin, name, body, statuses)
    large = server.ask("POST", API + "/calls", None, {**admin, "Content-Length": str(64 * 1024 * 1024)})
    checks.check(large.status == 413, f"64 MiB announced: {large.status}")
    for value in NUMBERS:
        for name in ("limit", "offset"):
            answer = server.ask("GET", f"{API}/calls?{name}={urllib.parse.quote(value)}", None, admin)
            checks.check(answer.status == 400, f"{name}={value[:12]}: {answer.status}")
            checks.check(name in answer.body.decode(), f"{name}={value[:12]}: the error names no field: {answer.body[:100]!r}")
    for value in ["501", *HUGE]:  # more than the maximum is the maximum, whatever its size
        answer = server.ask("GET", f"{API}/calls?limit={value}", None, admin)
        checks.check(answer.status == 200 and answer.json()["limit"] == 500, f"limit={value[:20]}: {answer.status}")
    for value in HUGE:  # beyond the last item, or refused
        answer = server.ask("GET", f"{API}/calls?offset={value}", None, admin)
        checks.check(answer.status == 400 or answer.status == 200 and answer.json()["data"] == [], f"offset={value[:20]}: {answer.status}")


def expect(server, checks, admin, name, body, statuses):
    answer = server.ask("POST", API + "/calls", body, admin)
    checks.check(answer.status in statuses, f"{name}: {answer.status} instead of {sorted(statuses)}: {answer.body[:120]!r}")
    if answer.status == 400:
        checks.check(answer.json()["error"] == "invalid_request", f"{name}: {answer.body[:100]!r}")
        checks.check(len(answer.body) < 600, f"{name}: the error has {len(answer.body)} bytes")


run(check)
